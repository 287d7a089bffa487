"""What may be asked of a tournament: by its host, by who takes part, and by the server (no author)."""

from dataclasses import dataclass

from parlour_protocol.tournaments import TournamentSettings
from parlour_server.tournament.events import How

SERVER = ""


@dataclass(frozen=True, slots=True)
class Create:
    """Begin the tournament, for its host."""

    title: str
    settings: TournamentSettings
    name: str
    """The host's."""
    seed: int | None = None
    """What its pairings draw from; without one it is drawn now."""


@dataclass(frozen=True, slots=True)
class Join:
    """Take part, as a person or with a program of one's own."""

    name: str
    program: bool = False


@dataclass(frozen=True, slots=True)
class Rename:
    """Be called otherwise. Changes nothing once it has begun."""

    name: str


@dataclass(frozen=True, slots=True)
class Enter:
    """Have a bot of the server's take part: its settings as one would type them."""

    bot: str


@dataclass(frozen=True, slots=True)
class Withdraw:
    """Be paired no more, and lose the game that runs; the host names another entrant."""

    entrant: int | None = None


@dataclass(frozen=True, slots=True)
class Start:
    """Begin the first round."""


@dataclass(frozen=True, slots=True)
class Forfeit:
    """Decide the running game of a board against one of its players, or against both."""

    round: int
    board: int
    loser: int | None = None


@dataclass(frozen=True, slots=True)
class Replay:
    """Have the last decided game of a board played again."""

    round: int
    board: int


@dataclass(frozen=True, slots=True)
class End:
    """End it before its last round. Running games no longer count."""


@dataclass(frozen=True, slots=True)
class Proceed:
    """Do what is due by itself: pair the next round, or end. Changes nothing where nothing is."""


@dataclass(frozen=True, slots=True)
class NoteTable:
    """A room was created for a game."""

    round: int
    board: int
    number: int
    room: str


@dataclass(frozen=True, slots=True)
class NoteResult:
    """A game was decided at its table."""

    round: int
    board: int
    number: int
    points: tuple[float, float]
    how: How = "played"


@dataclass(frozen=True, slots=True)
class NoteClosed:
    """A game's room was closed before there was a result."""

    round: int
    board: int
    number: int


TournamentCommand = (
    Create
    | Join
    | Rename
    | Enter
    | Withdraw
    | Start
    | Forfeit
    | Replay
    | End
    | Proceed
    | NoteTable
    | NoteResult
    | NoteClosed
)
