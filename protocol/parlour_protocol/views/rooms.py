"""A seat, a room, a bot's thoughts: what one viewer may see of them.

These are plain dataclasses that pydantic checks wherever they enter a process (`codec`): a server
builds one for each move it shows, and building them must cost little. In JSON a field that is None
is left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator

from parlour_protocol.actions import OFFERS, Action, Offer
from parlour_protocol.clocks import ClockText
from parlour_protocol.ids import Both, Seat, Version, other
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views.boards import Position
from parlour_protocol.views.reports import Report
from parlour_protocol.words import Said, Translatable

GameTermination = Literal["line", "board_full", "count", "no_moves", "goal", "rules"]
"""How a game ended by its rules: a line was completed, no cell was left, pieces or points were counted, the
side to move had no move, a piece reached its goal, or something else that the sentence beside it names."""

RoomTermination = Literal[
    "resignation",
    "agreement",
    "time",
    "time_insufficient",
    "abandonment",
    "aborted",
    "bot_failure",
]
"""How a game ended otherwise.

`time_insufficient`: time was up, and the other side could not win any more. `abandonment`: a player
stayed away. `aborted`: before each side had moved, without a result.
"""

Termination = Literal[GameTermination, RoomTermination]
"""How a game ended, as data."""

Unrated = Literal[
    "aborted",
    "bot_failure",
    "unplayed",
    "shared",
    "same_bot",
    "position",
    "hints",
    "taken_over",
    "stand_in",
    "takeback",
    "rules",
]
"""Why a game of a rated room doesn't count for ratings.

`unplayed`: not both sides had moved. `shared`: two people played at one device. `same_bot`: a bot played
against itself. `position`: it was played on from a position. `hints`: a person could ask for hints.
`taken_over`: somebody else took a seat. `stand_in`: a bot played for somebody. `takeback`: moves were taken
back. `rules`: something that this version doesn't know.
"""

Channel = Literal["players", "spectators"]
"""Whose chat it is: the players', or the spectators'."""


def _without_others(known: Sequence[str]) -> BeforeValidator:
    """Leaves out what only a later server knows: there is nothing that this client can do about it."""

    def checked(given: Any) -> Any:
        if isinstance(given, dict):
            return {name: value for name, value in given.items() if name in known}
        return [name for name in given if name in known] if isinstance(given, list) else given

    return BeforeValidator(checked)


def _known_termination(given: Any) -> Any:
    """One that only a later server knows is another rule's: the sentence beside it names it."""
    return "rules" if isinstance(given, str) and given not in get_args(Termination) else given


def _known_unrated(given: Any) -> Any:
    return "rules" if isinstance(given, str) and given not in get_args(Unrated) else given


KnownUnrated = Annotated[Unrated, BeforeValidator(_known_unrated)]
KnownTermination = Annotated[Termination, BeforeValidator(_known_termination)]
Actions = Annotated[list[Action], _without_others(get_args(Action))]
Offers = Annotated[dict[Offer, Seat], _without_others(tuple(OFFERS))]
"""What is offered, and which seat offers it; where a spectator does, the seat that is asked for."""


@dataclass(slots=True)
class Turn:
    """Whose move it is. Replaced as a whole."""

    seat: Seat
    since: int
    """When the present position came to be: milliseconds since 1970, by the server's clock."""


@dataclass(slots=True)
class ClockView:
    """The players' time."""

    left: Both[int]
    """Milliseconds for each seat, as of `since`."""
    since: int
    """Milliseconds since 1970, by the server's clock."""
    running: Seat | None = None
    """The seat whose time runs from `since` on; None before each has made a first move."""


@dataclass(slots=True)
class May:
    """The actions that are open now; any other is refused.

    A viewer may do what stands under their seat, or under `spectator`; and also what stands under `owner`,
    where they created the room, and under `asker`, where they ask for a bot's seat.
    """

    seats: Both[Actions]
    spectator: Actions
    owner: Actions
    asker: Actions = field(default_factory=list)


@dataclass(slots=True)
class ChatLine(Translatable):
    """Something that was said."""

    channel: Channel
    name: str
    text: str
    at: int
    """Milliseconds since 1970."""
    text_said: Said | None = field(default=None, compare=False)
    """What a quick word is made of."""


@dataclass(slots=True)
class SeatView:
    """The player in a seat. A bot is always marked as one."""

    kind: Literal["open", "human", "bot"]
    name: str = ""
    bot: str | None = None
    """A bot's settings as one would type them, `minimax:depth=4`."""
    stand_in: str | None = None
    """The bot that plays for a player who is away."""
    program: Literal[True] | None = None
    """Is it a player's own program that plays here? It is shown as a bot; for all else it is a player."""
    relieved: str | None = None
    """The bot whose seat the player took over, and that has it back when the player leaves."""
    shared: Literal[True] | None = None
    """Do two people play both seats at one device? They are one player to the server: the room's owner."""


@dataclass(slots=True)
class ResultView:
    """How a game ended: the seat that won, or None, and why, as data and in words."""

    termination: KnownTermination
    reason: str
    winner: Seat | None = None
    reason_said: Said | None = field(default=None, compare=False)
    unrated: KnownUnrated | None = field(default=None, compare=False)
    """Why it doesn't count for ratings, where that is so at a rated table."""


@dataclass(slots=True)
class Series:
    """The games that two bots play one after the other, by themselves."""

    number: int
    """Which of them is being played, or was played last; counted from 1."""
    of: int

    @property
    def goes_on(self) -> bool:
        """Is there another game to come after this one?"""
        return self.number < self.of


@dataclass(slots=True)
class AwaitedBot:
    """The bot that takes the free seat unless a player comes first."""

    bot: str
    """Its settings as one would type them."""
    at: int
    """From when on, as soon as the player who waits is connected."""


Phase = Literal["waiting", "playing", "finished", "closed"]


@dataclass(slots=True)
class RoomView:
    """A room as one viewer may see it at one version: all that a screen or a bot needs."""

    room: str
    version: Version
    game: str
    title: str
    settings: RoomSettings
    seats: Both[SeatView]
    phase: Phase
    may: May
    online: Both[bool]
    """For each seat: is its player connected (a bot always is)?"""
    watching: int
    """How many spectators are connected."""
    away_since: Both[int | None]
    """For each seat: since when its player has not been connected, where that is so.

    This and every other moment: milliseconds since 1970, by the server's clock.
    """
    claim_from: Both[int | None]
    """For each seat that may `claim`: from when on; None while the other player is here, or a bot plays."""
    title_said: Said | None = None
    """What the title is made of; None where a stranger's game gave it."""
    game_number: int = 0
    starter: Seat = 0
    """The seat that began this game: it plays side 0."""
    turn: Turn | None = None
    """None when no game runs."""
    position: Position | None = None
    moves: list[str] = field(default_factory=list)
    result: ResultView | None = None
    wins: Both[int] = field(default_factory=lambda: [0, 0])
    draws: int = 0
    series: Series | None = None
    """Where two bots play more than one game."""
    awaited: AwaitedBot | None = None
    """While a player waits who asked for a bot after a while."""
    offers: Offers = field(default_factory=dict)
    """What the players offer each other at this moment, and which seat does."""
    asker: str | None = None
    """Who asks for a bot's seat, while that is offered."""
    takes_back: int | None = None
    """How many moves a takeback takes back, while one is asked for."""
    moved: Both[bool] = field(default_factory=lambda: [False, False])
    """For each seat: has it made a move in this game?"""
    clock: ClockView | None = None
    chat: list[ChatLine] = field(default_factory=list)
    """The last lines of the viewer's channel, of those that were said in the viewer's presence."""
    started_with: int = 0
    """How many of the moves the game began with: it is played on from there."""
    tournament: str | None = None
    """The code of the tournament of which its game is one."""
    rated: Literal[True] | None = None
    """Do its games count for ratings, where nothing stands against it?"""
    you: Seat | None = None
    """The viewer's own seat; None for a spectator, and at a device that plays both."""
    owner: bool = False
    """Did the viewer create this room?"""
    asks: Literal[True] | None = None
    """Was the viewer the last to ask for a bot's seat?"""
    shows_thoughts: bool = True
    """Does the room show, now, how its bots think, and have thought in this game?"""
    report: Report | None = None
    """The last bot move's report, where the viewer may see it."""

    at: int = 0
    """The moment that a client shows it at, by the server's clock. It isn't sent."""

    def away_for(self, seat: Seat) -> float | None:
        """For how many seconds a seat's player has not been connected; None: they are, or there is none."""
        since = self.away_since[seat]
        return None if since is None else max(0, self.at - since) / 1000

    def bot_comes_in(self) -> float | None:
        """In how many seconds the awaited bot sits down; None: none is awaited."""
        return None if self.awaited is None else max(0, self.awaited.at - self.at) / 1000

    @property
    def to_move(self) -> Seat | None:
        """The seat whose move it is; None when no game runs."""
        return None if self.turn is None else self.turn.seat

    @property
    def shared(self) -> bool:
        """Does the viewer play both seats, at one device?"""
        return self.owner and self.seats[0].shared is True

    @property
    def acting(self) -> Seat | None:
        """The seat that the viewer acts for: their own, or at one device that of whoever's turn it is."""
        return self.to_move or 0 if self.shared else self.you

    @property
    def seat_above(self) -> Seat:
        """The seat whose side of the board is the upper one: as the game has it, else not the viewer's."""
        side = None if self.position is None else self.position.above
        if side is None:
            return other(self.you or 0)
        return other(self.starter) if side else self.starter

    @property
    def your_turn(self) -> bool:
        """Is the viewer to move?"""
        return self.turn is not None and self.turn.seat == self.acting

    def offers_to_answer(self) -> list[Offer]:
        """What others offer the viewer. One's own offers can only be withdrawn."""
        own = self.own_offers()
        return [
            offer
            for offer in self.offers
            if offer not in own and (self.owner if OFFERS[offer].to_owner else self.you is not None)
        ]

    def own_offers(self) -> list[Offer]:
        """What the viewer offers others."""
        return [
            offer
            for offer, seat in self.offers.items()
            if (self.asks if OFFERS[offer].to_owner else self.you == seat)
        ]

    def open_actions(self) -> frozenset[Action]:
        """What the viewer may do now."""
        own = self.may.spectator if self.acting is None else self.may.seats[self.acting]
        return frozenset(
            (*own, *(self.may.owner if self.owner else ()), *(self.may.asker if self.asks else ()))
        )


@dataclass(slots=True)
class RoomLine:
    """A room in the list of what is being played."""

    room: str
    game: str
    phase: Phase
    seats: Both[SeatView]
    moves: int
    watching: int
    version: Version
    clock: ClockText | None = None
    """Its time control, `5+3`; None in games without one."""
    wins: Both[int] = field(default_factory=lambda: [0, 0])
    draws: int = 0
    series: Series | None = None
    """Where two bots play more than one game."""

    @property
    def standing(self) -> Literal[Phase, "empty"]:
        """Its phase; `empty` while no one has sat down there yet."""
        return "empty" if all(seat.kind == "open" for seat in self.seats) else self.phase


@dataclass(slots=True)
class GameLine(Translatable):
    """A game that the server knows."""

    name: str
    title: str
    summary: str
    sample: Position
    """A position some moves into it, so that one sees what it looks like."""
    variants: str = ""
    """What else can be asked for by a name like this one's, in words: `reversi:6, on a board of 6x6`."""
    usual: list[str] = field(default_factory=list)
    """What is mostly asked for of that, as it may stand behind the colon; first what is the game itself."""
    title_said: Said | None = field(default=None, compare=False)
    summary_said: Said | None = field(default=None, compare=False)
    variants_said: Said | None = field(default=None, compare=False)


@dataclass(slots=True)
class RulePoint(Translatable):
    """A point of a game's rules, with a position that shows it."""

    text: str
    position: Position | None = None
    marked: list[int] = field(default_factory=list)
    """The cells of it that the text is about."""
    text_said: Said | None = field(default=None, compare=False)


@dataclass(slots=True)
class BotInGames(Translatable):
    """What a bot does in some of the server's games."""

    games: list[str]
    does: str
    timed: bool = False
    """Does time end its searches? Then the same seed may choose another move, on another machine say."""
    does_said: Said | None = field(default=None, compare=False)


@dataclass(slots=True)
class BotSetting:
    """A number that may follow a bot's name: `depth=4`."""

    name: str
    least: float
    greatest: float
    whole: bool
    """Must it be a whole number?"""
    unit: str | None = None
    """What it counts (`bot.unit.plies` in the catalogue): plies, positions, seconds; None for a number."""


@dataclass(slots=True)
class BotLine(Translatable):
    """A bot, or a level, that the server can seat."""

    name: str
    summary: str
    settings: list[BotSetting] = field(default_factory=list)
    """What may follow the name."""
    plays: list[BotInGames] = field(default_factory=list)
    """What it does in each of the server's games."""
    summary_said: Said | None = field(default=None, compare=False)


@dataclass(slots=True)
class Limits:
    """What a server lets one connection do, so that a client need not guess."""

    message_bytes: int
    messages_per_second: float
    burst: int
    heartbeat_seconds: float
