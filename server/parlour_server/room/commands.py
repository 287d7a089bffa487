"""What `decide` gets beside the state: commands, and all that the log doesn't hold.

The commands are those that come from no message of a player's alone (`parlour_protocol.commands`): what the
server itself does in a room, and how one is made.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from parlour_protocol.commands import TableCommand
from parlour_protocol.ids import Seat, Version
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views.reports import Report
from parlour_protocol.words import Sentence
from parlour_server.room.state import Bot

Chance = Callable[[int], int]
"""Draws a whole number from 0 up to, but not including, its argument."""

SERVER = ""
"""The author of what the server itself does."""


@dataclass(slots=True)
class CommandContext:
    """The moment at which a command is decided. Not frozen, since one is made for every move."""

    by: str
    """The player whose command it is; `SERVER` for the server's own."""
    now: int
    """Milliseconds since 1970."""
    chance: Chance
    name: str = ""
    """The player's name."""
    bot: Bot | None = None
    """The bot that the command names, checked, with its seed."""
    here: bool = True
    """Are they here who have to be? Who talks: seated, or shown the room. The owner, who is asked for a seat;
    and who has asked for it, where the owner agrees."""
    lag: int = 0
    """Milliseconds up to now that a player who moves, or whose flag is checked, is not charged: a move was on
    its way, say, or a bot's search waited."""
    rested: int = 0
    """Milliseconds that the search of the bot to move has waited: for commands other than its move."""
    away_since: tuple[int | None, int | None] = (None, None)
    """For each seat: since when its player has not been connected; None: connected, or no player's."""


@dataclass(frozen=True, slots=True)
class Guest:
    """Somebody who plays at the device of the player who creates the room."""

    name: str


@dataclass(frozen=True, slots=True)
class Invited:
    """A player whom a tournament seats."""

    player: str
    name: str
    program: bool = False


SeatPlan = Literal["me"] | Guest | Invited | Bot | None
"""Who sits in a seat from the beginning: who creates the room, somebody beside them, whoever a tournament has
play, a bot, or no one."""


@dataclass(frozen=True, slots=True)
class Create:
    """Begin the room, for the player who created it, with all who sit in it from the beginning."""

    game: str
    settings: RoomSettings
    moves: tuple[str, ...] = ()
    """Legal moves from the start, to the position where its games begin."""
    seats: tuple[SeatPlan, SeatPlan] = (None, None)
    program: bool = False
    """Is the player a program?"""
    bot_after: float | None = None
    """In how many seconds the bot beside the command takes the free seat, unless a player does."""
    tournament: str | None = None
    """The code of the tournament that creates it."""
    rated: bool = False
    """Do its games count for ratings?"""

    @property
    def version(self) -> Version:
        """The room's version when it stands."""
        seated = sum(one is not None for one in self.seats)
        return 1 + seated + (seated == 2) + (self.bot_after is not None)


@dataclass(frozen=True, slots=True)
class Seek:
    """Take a free seat by a quick match, or wait on in one's own.

    Where a player waits then, the bot beside the command is to come.
    """

    bot_after: float | None = None
    """In how many seconds it does; None: there is none."""


@dataclass(frozen=True, slots=True)
class SeatAwaitedBot:
    """Let the bot take the free seat that was to come where no player did."""


@dataclass(slots=True)
class BotMove:
    """A bot's move for the position at `version`, decided as a player's is."""

    move: str
    version: Version
    report: Report
    type: Literal["play"] = "play"


@dataclass(frozen=True, slots=True)
class GiveUp:
    """End the game for a bot whose search keeps failing."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Forfeit:
    """End a tournament's game by its word: lost by a seat, or without a result."""

    loser: Seat | None
    no_show: bool = False
    """Is it lost by whoever has not come to make a first move? Where both are away, by both."""


@dataclass(frozen=True, slots=True)
class SeatStandIn:
    """Let a bot play for a player who is away."""

    seat: Seat
    bot: Bot


@dataclass(frozen=True, slots=True)
class Rename:
    """Call the command's author by another name where they sit."""

    before: str
    """The name so far: who plays beside them at one device keeps theirs."""


@dataclass(frozen=True, slots=True)
class EndStandIn:
    """A player whom a bot stood in for is back."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class CheckFlag:
    """End the game if a player's time is up."""


@dataclass(frozen=True, slots=True)
class StopClocks:
    """Let the clocks stand still, since the server was down or the room asleep."""

    spent: int
    """Milliseconds of the side to move that had run before."""


@dataclass(frozen=True, slots=True)
class ResumeClocks:
    """Let clocks that stand still go on."""


@dataclass(frozen=True, slots=True)
class Retire:
    """Close a room to which no one came, or which the server's keeper wants closed."""

    reason: str = Sentence("game.closed.unused")


@dataclass(frozen=True, slots=True)
class StartNextGame:
    """Begin the next game of two bots that play several."""


ServerCommand = (
    Create
    | GiveUp
    | Forfeit
    | SeatAwaitedBot
    | SeatStandIn
    | Rename
    | EndStandIn
    | CheckFlag
    | StopClocks
    | ResumeClocks
    | Retire
    | StartNextGame
)

RoomCommand = TableCommand | Seek | BotMove | ServerCommand
