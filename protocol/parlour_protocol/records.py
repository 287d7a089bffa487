"""A game written down: what is exported, stepped through and reviewed."""

from dataclasses import dataclass, field

from parlour_protocol.ids import Both, Seat
from parlour_protocol.reports import Report
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views import ChatLine, Phase, ResultView, SeatView


@dataclass(slots=True)
class RecordedMove:
    """A move as it was played."""

    seat: Seat
    move: str
    at: int
    """Milliseconds since 1970; 0 for the moves that a game began with."""
    left: int | None = None
    """Milliseconds that its seat had left then, in games with a clock."""
    report: Report | None = None
    """A bot's thoughts, where the viewer may see them."""
    stand_in: str | None = None
    """The bot that played it for a player who was away."""


@dataclass(slots=True)
class GameRecord:
    """One game of a room as it was played: what is exported, stepped through and reviewed."""

    room: str
    game: str
    title: str
    number: int
    """Which of the room's games, counted from 1."""
    seats: Both[SeatView]
    starter: Seat
    settings: RoomSettings
    started: int
    """Milliseconds since 1970."""
    moves: list[RecordedMove]
    """Those taken back are not among them."""
    started_with: int = 0
    """So many of them it began with: it was played on from there."""
    result: ResultView | None = None
    """None while the game goes on."""
    chat: list[ChatLine] = field(default_factory=list)
    """What was said in the room and the viewer may hear."""


@dataclass(slots=True)
class PastRoom:
    """A room in which a player has, or had, a seat."""

    room: str
    game: str
    title: str
    phase: Phase
    seats: Both[SeatView]
    games: int
    """How many games were begun."""
    moves: int
    at: int
    """When something last happened there: milliseconds since 1970."""
    you: Seat | None = None
    """The player's own seat, unless they left it."""
    result: ResultView | None = None
