"""A game written down: what is exported, stepped through and reviewed."""

from dataclasses import dataclass, field, replace
from typing import Literal

from parlour_protocol.ids import Both, Seat, other
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views.reports import Report
from parlour_protocol.views.rooms import ChatLine, KnownTermination, Phase, ResultView, SeatView
from parlour_protocol.words import Said, Translatable


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


FaultKind = Literal["exception", "no move", "illegal move", "too slow", "died", "memory", "broken"]
"""What a program did wrong: it raised, returned no move or one that isn't legal, took too long, ended by
itself, held too much memory, or could not be started."""


@dataclass(slots=True)
class Fault:
    """A program's error that ended a game of a match."""

    seat: Seat
    """Whose."""
    kind: FaultKind
    error: str
    """What was wrong and where, in words."""
    trace: str = ""
    """Python's, where the program raised."""


@dataclass(slots=True)
class GameRecord(Translatable):
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
    """How many of them the game began with: it was played on from there."""
    result: ResultView | None = None
    """None while the game goes on."""
    fault: Fault | None = None
    """What ended a game of a match before its end."""
    chat: list[ChatLine] = field(default_factory=list)
    """What was said, as far as the viewer may see it: from this game's beginning until the next one's; for
    the first game also before."""
    title_said: Said | None = field(default=None, compare=False)

    def side_seats(self) -> Both[SeatView]:
        """The players, first the side that began."""
        return self.seats if self.starter == 0 else self.seats[::-1]

    def side_result(self) -> ResultView | None:
        """The result, its winner a side."""
        if self.result is None or self.result.winner is None or self.starter == 0:
            return self.result
        return replace(self.result, winner=other(self.result.winner))


@dataclass(slots=True)
class PastGame:
    """A game of a room, in the list of its games."""

    number: int
    """Counted from 1."""
    seats: Both[SeatView]
    starter: Seat
    started: int
    """Milliseconds since 1970."""
    moves: int
    """Those it began with are among them, those taken back are not."""
    result: ResultView | None = None
    """None while it goes on, and where the room was closed before its end."""
    you: Seat | None = None
    """Where the viewer sat, if they did."""
    goes_on: bool = False
    """Is it being played now?"""


@dataclass(slots=True)
class Tally:
    """A player's games in a room. Aborted ones and those without an end count for nothing."""

    wins: int = 0
    losses: int = 0
    draws: int = 0

    def count(self, termination: KnownTermination, winner: Seat | None, own: Seat) -> None:
        """Add a game that has ended, for the player who had this seat in it."""
        if termination == "aborted":
            return
        if winner is None:
            self.draws += 1
        elif winner == own:
            self.wins += 1
        else:
            self.losses += 1


@dataclass(slots=True)
class Opponent(Tally):
    """A person whom a player has met, and how all their games ended for the player."""

    name: str = ""
    """In their last game."""
    at: int = 0
    """When that ended: milliseconds since 1970."""


@dataclass(slots=True)
class RoomHistory(Translatable):
    """The games that were begun in a room."""

    room: str
    game: str
    title: str
    phase: Phase
    games: list[PastGame]
    """The first one first."""
    default: int
    """The number of the game that `record` gives where none is named."""
    tally: Tally | None = None
    """Of the viewer's own games, if they played here."""
    title_said: Said | None = field(default=None, compare=False)


@dataclass(slots=True)
class PastRoom(Translatable):
    """A room in which a player has, or had, a seat."""

    room: str
    game: str
    title: str
    phase: Phase
    """`finished`, too, where games were played, and the player or the opponent has left since."""
    seats: Both[SeatView]
    """Once a game was played: as they were when both players last sat there."""
    games: int
    """How many games were begun."""
    moves: int
    at: int
    """When something last happened there: milliseconds since 1970."""
    you: Seat | None = None
    """The player's own seat, unless they left it, or played both."""
    result: ResultView | None = None
    """The last game's that ended, was not aborted, and was the player's own if they sat there."""
    wins: Both[int] = field(default_factory=lambda: [0, 0])
    """Up to that game, by seat; but the player's own first, where `you` is a seat."""
    draws: int = 0
    tally: Tally = field(default_factory=Tally)
    removable: bool = False
    """Can it be left out of this list? See the command `remove`."""
    your_turn: Literal[True] | None = None
    """Does a game there wait for the player's move?"""
    title_said: Said | None = field(default=None, compare=False)

    @property
    def seated(self) -> bool:
        """Does the player sit there still, be it in both seats?"""
        return self.you is not None or self.seats[0].shared is True
