"""A board, a seat, a room, a bot's thoughts: what one viewer may see of them.

These are plain dataclasses that pydantic checks wherever they enter a process (`codec`): a server
builds one for each move it shows, and building them must cost little. In JSON a field that is None
is left out.
"""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from parlour_protocol.ids import Seat, Side, Version


@dataclass(slots=True)
class Groups:
    """Equal rectangles of cells that cover a board, such as the small boards of ultimate tic-tac-toe.

    They are numbered as cells are, row by row from the top left.
    """

    width: int
    """Of each, in cells."""
    height: int
    owners: list[str]
    """One string a row of groups, one sign a group: whose it is, `empty` while open, `=` where nobody's."""
    active: list[int]
    """The groups in which the next move may be made."""


@dataclass(slots=True)
class BoardView:
    """A position as cells with marks, general enough for a client that knows no rules.

    Cells are numbered row by row from the top left: the cell in row r and column c is r * width + c.
    """

    rows: list[str]
    """The rows' labels, from the top row down."""
    columns: list[str]
    """The columns' labels, from left to right."""
    cells: list[str]
    """One string a row, from the top; one sign a cell: one of `marks`, or `empty`."""
    marks: list[str]
    """The signs of the two sides: first the side that began."""
    to_move: Side | None = None
    """The side to move; None when the game is over."""
    legal: list[str] = field(default_factory=list)
    """Every legal move, as people write it."""
    targets: list[int] = field(default_factory=list)
    """For each legal move the cell where it is drawn; -1 for none (a pass)."""
    last: list[int] = field(default_factory=list)
    """The cells of the last move, the one moved to first."""
    line: list[int] = field(default_factory=list)
    """The cells that won, in order; empty where no line wins."""
    empty: str = "."
    note: str | None = None
    """A sentence on what just happened where the board alone doesn't show it (a pass)."""
    groups: Groups | None = None
    """Parts of the board that count as a whole, in games that have them."""


Result = Literal["win", "loss", "draw", "unknown"]

ScoreKind = Literal["exact", "at_least", "at_most", "estimate"]
"""How far a score can be trusted: proven, a proven bound, or a guess from beyond the horizon."""


@dataclass(slots=True)
class Candidate:
    """A move that was considered, from the view of the side to move."""

    move: str
    score: int | float
    """In points: a win in n plies is 100 - n (more in long games), an estimate within -50 and 50."""
    kind: ScoreKind
    result: Result
    """What the move leads to against best play; unknown unless proven."""
    plies: int | None = None
    """Moves of either side until that result, this one counted: at most so many where the score is a bound.
    For a draw None unless the search followed it to the end."""
    margin: int | None = None
    """By how much it is won or lost, discs in reversi, in games that count it and where it is exact."""


@dataclass(slots=True)
class Report:
    """How a bot thought: what it shows while it searches and keeps with its move."""

    bot: str
    candidates: list[Candidate]
    """Best first; those not yet searched are missing."""
    best: str | None = None
    """The chosen move."""
    line: list[str] = field(default_factory=list)
    """The principal variation: best play for both from here, the chosen move first."""
    nodes: int = 0
    """Positions visited, the searched one included."""
    cutoffs: int = 0
    table_hits: int = 0
    depth: int = 0
    """The deepest ply that was searched in full."""
    seconds: float = 0.0
    finished: bool = False
    """False in what is shown while the search runs, and where it was stopped before its end."""
    compiled: bool | None = None
    """Did it run as machine code? False where its game has some that was not ready, or that this server can't
    make: a search that was stopped by its time then saw less. None where there is none for it."""


GradeName = Literal["perfect", "good", "mistake", "blunder"]


@dataclass(slots=True)
class Grade:
    """How good a played move was, from the view of the side that made it."""

    move: str
    grade: GradeName
    exact: bool
    """Do proven scores say so? Else it is an estimate."""
    reason: str
    """In words: `threw away a draw: loses in 15`."""
    loss: int | float = 0
    """By how many points the best move was better; a win counts 50 in this, a loss -50."""
    better: str | None = None
    """The best move, where the one played was worse."""


@dataclass(slots=True)
class TreeNode:
    """A position of a game tree. Scores are from the view of the side to move at the root, in points."""

    cells: list[str]
    """The board, as in a board view."""
    level: Literal["max", "min"]
    """Does the side that is to move here want the highest score, or the lowest?"""
    score: int | float
    """The value passed up."""
    bound: Literal["exact", "at_least", "at_most"] = "exact"
    """A value from beyond a cut is a bound only."""
    estimate: bool = False
    """Does the value rest on a guess from the horizon?"""
    parent: int | None = None
    """The number of the node above, counted from 0 in the order that they were visited; None: the root."""
    move: str | None = None
    """The move that leads here."""
    last: list[int] = field(default_factory=list)
    """The cells of that move."""
    line: list[int] = field(default_factory=list)
    """The cells that won."""
    end: Literal["win", "loss", "draw", "horizon"] | None = None
    """Why nothing follows: how the game ended, or that the search looked no further."""
    best: bool = False
    """Is it on the principal variation?"""
    cut: Literal["alpha", "beta"] | None = None
    """The bound that cut the rest off: beta where the side to move maximises, alpha where it minimises."""
    cut_at: int | float | None = None
    """That bound's value."""
    pruned: list[str] = field(default_factory=list)
    """The moves that were not looked at any more."""


Entrant = Literal["minimax", "alphabeta", "ordering", "table", "deepening", "engine"]
"""The searches that are taught, each with one idea more than the one before; and the engine."""


class RoomSettings(BaseModel):
    """What whoever creates a room decides for it."""

    model_config = ConfigDict(frozen=True)

    starts: Literal["first", "second", "random", "loser", "alternate"] = Field(
        default="alternate", description="Which seat begins each game; the first game's loser is nobody."
    )
    reports: Literal["at_once", "after", "never"] = Field(
        default="at_once", description="When a bot's opponents see how it thinks. Spectators see it at once."
    )
    hints: Literal["bots", "always", "never"] = Field(
        default="bots", description="When a player may ask for a hint: only against bots, always, never."
    )
    pace: Annotated[float, Field(ge=0, le=60, allow_inf_nan=False)] = Field(
        default=1.0, description="Seconds from move to move while bots play each other."
    )


@dataclass(slots=True)
class SeatView:
    """Who sits there. A bot is always marked as one."""

    kind: Literal["open", "human", "bot"]
    name: str = ""
    bot: str | None = None
    """A bot's settings as one would type them, `minimax:depth=4`."""


@dataclass(slots=True)
class ResultView:
    """How a game ended: the seat that won (None: a draw) and why, in words."""

    reason: str
    winner: Seat | None = None


Phase = Literal["waiting", "playing", "finished", "closed"]


@dataclass(slots=True)
class RoomView:
    """A room as one viewer may see it at one version: all that a screen or a bot needs."""

    room: str
    game: str
    title: str
    settings: RoomSettings
    seats: list[SeatView]
    phase: Phase
    online: list[bool]
    """For each seat: is its player connected (a bot always is)?"""
    watching: int
    game_number: int = 0
    starter: Seat = 0
    """The seat that began this game: it plays side 0."""
    to_move: Seat | None = None
    position: BoardView | None = None
    moves: list[str] = field(default_factory=list)
    result: ResultView | None = None
    wins: list[int] = field(default_factory=lambda: [0, 0])
    draws: int = 0
    rematch: list[Seat] = field(default_factory=list)
    """The seats that ask for another game."""
    you: Seat | None = None
    """The viewer's own seat; None for a spectator."""
    owner: bool = False
    """Did the viewer create this room?"""
    report: Report | None = None
    """The last bot move's report, where the viewer may see it."""


@dataclass(slots=True)
class RoomLine:
    """A room in the list of what is being played."""

    room: str
    game: str
    phase: Phase
    seats: list[SeatView]
    moves: int
    watching: int
    version: Version


@dataclass(slots=True)
class GameLine:
    """A game that the server knows."""

    name: str
    title: str
    summary: str
    variants: str = ""
    """What else can be asked for by a name like this one's, in words: `reversi:6, on a board of 6x6`."""


@dataclass(slots=True)
class BotInGames:
    """What a bot does in some of the server's games."""

    games: list[str]
    does: str


@dataclass(slots=True)
class BotLine:
    """A bot, or a level, that the server can seat."""

    name: str
    summary: str
    settings: list[str] = field(default_factory=list)
    """What may follow the name, `depth=1..99`."""
    plays: list[BotInGames] = field(default_factory=list)
    """What it does in each of the server's games."""


@dataclass(slots=True)
class ThoughtView:
    """One bot move of a game with the report that was kept with it."""

    ply: int
    """Counted from 1, the game's first move."""
    seat: Seat
    move: str
    report: Report


@dataclass(slots=True)
class Limits:
    """What a server lets one connection do, so that a client need not guess."""

    message_bytes: int
    messages_per_second: float
    burst: int
    heartbeat_seconds: float
