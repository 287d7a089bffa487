"""A board, a seat, a room, a bot's thoughts: what one viewer may see of them.

These are plain dataclasses that pydantic checks wherever they enter a process (`codec`): a server
builds one for each move it shows, and building them must cost little. In JSON a field that is None
is left out.
"""

from dataclasses import dataclass, field
from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from parlour_protocol import LONGEST_WORD
from parlour_protocol.clocks import ClockText
from parlour_protocol.ids import Seat, Side, Version

T = TypeVar("T")
Both = Annotated[list[T], Field(min_length=2, max_length=2)]
"""One for each seat."""


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


def _in_shape(board: BoardView) -> BoardView:
    """Raises `ValueError` for a board whose parts do not belong together."""
    height, width = len(board.rows), len(board.columns)
    cells = range(height * width)
    if not cells or len(board.cells) != height or any(len(row) != width for row in board.cells):
        raise ValueError("its cells are not one for each row and column")
    if len(board.marks) != 2 or any(len(sign) != 1 for sign in (*board.marks, board.empty)):
        raise ValueError("its signs are not two marks and one for an empty cell")
    targets = [cell for cell in board.targets if cell != -1]
    if len(board.targets) != len(board.legal) or any(cell not in cells for cell in targets):
        raise ValueError("its legal moves do not each have a cell of it, or -1")
    if any(cell not in cells for cell in (*board.last, *board.line)):
        raise ValueError("its last move or its line is no cell of it")
    if board.groups is not None and not _covers(board.groups, height, width):
        raise ValueError("its groups do not cover it")
    return board


Position = Annotated[BoardView, AfterValidator(_in_shape)]
"""A board in a message: whoever has read that and draws it may trust its shape."""


def _covers(groups: Groups, height: int, width: int) -> bool:
    if groups.width < 1 or groups.height < 1 or width % groups.width or height % groups.height:
        return False
    down, across = height // groups.height, width // groups.width
    owned = len(groups.owners) == down and all(len(row) == across for row in groups.owners)
    return owned and all(0 <= group < down * across for group in groups.active)


Result = Literal["win", "loss", "draw", "unknown"]

ScoreKind = Literal["exact", "at_least", "at_most", "estimate"]
"""How far a score can be trusted: proven, a proven bound, or a guess from beyond the horizon."""

Bound = Literal["at_least", "at_most"]


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
    bound: Bound | None = None
    """Where an estimate is a bound: a full search as deep would guess at most, or at least, so much."""


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
    clock: ClockText | None = Field(
        default=None, description="Time for each player: minutes+seconds (5+3), or seconds a move (30/move)."
    )
    visibility: Literal["public", "private"] = Field(
        default="public",
        description="Whether it stands in the list of rooms; a private one is found by its code.",
    )
    chat: bool = Field(default=True, description="Whether players, and those who look on, may talk.")
    takebacks: bool = Field(default=True, description="Whether a player may ask to take a move back.")
    stand_in: Annotated[str, Field(min_length=1, max_length=LONGEST_WORD)] | None = Field(
        default=None, description="The bot that plays on for a player who is away, until they are back."
    )
    patience: Annotated[float, Field(ge=5, le=86_400, allow_inf_nan=False)] = Field(
        default=60.0,
        description="Seconds that a player may be away; then the stand-in plays, or the other may claim.",
    )


Offer = Literal["draw", "takeback", "rematch"]

Channel = Literal["players", "spectators"]
"""Who hears what is said: those at the table, or those who look on."""


@dataclass(slots=True)
class ClockView:
    """The players' time at one moment: when a snapshot was sent, or an event happened."""

    left: Both[int]
    """Milliseconds for each seat."""
    running: Seat | None = None
    """Whose time runs. Nobody's does before each has made a first move."""


@dataclass(slots=True)
class ChatLine:
    """Something that was said."""

    channel: Channel
    name: str
    text: str
    at: int
    """Milliseconds since 1970."""


@dataclass(slots=True)
class SeatView:
    """Who sits there. A bot is always marked as one."""

    kind: Literal["open", "human", "bot"]
    name: str = ""
    bot: str | None = None
    """A bot's settings as one would type them, `minimax:depth=4`."""
    stand_in: str | None = None
    """The bot that plays for a player who is away."""
    program: Literal[True] | None = None
    """Is it a player's own program that plays here? It is shown as a bot; for all else it is a player."""


@dataclass(slots=True)
class ResultView:
    """How a game ended: the seat that won (None: a draw) and why, in words."""

    reason: str
    winner: Seat | None = None
    aborted: bool = False
    """Ended before it began in earnest: neither won, lost nor drawn."""


Phase = Literal["waiting", "playing", "finished", "closed"]


@dataclass(slots=True)
class RoomView:
    """A room as one viewer may see it at one version: all that a screen or a bot needs."""

    room: str
    game: str
    title: str
    settings: RoomSettings
    seats: Both[SeatView]
    phase: Phase
    online: Both[bool]
    """For each seat: is its player connected (a bot always is)?"""
    watching: int
    away: Both[float | None] = field(default_factory=lambda: [None, None])
    """For each seat: for how many seconds its player has not been connected, where that is so."""
    game_number: int = 0
    starter: Seat = 0
    """The seat that began this game: it plays side 0."""
    to_move: Seat | None = None
    position: Position | None = None
    moves: list[str] = field(default_factory=list)
    result: ResultView | None = None
    wins: Both[int] = field(default_factory=lambda: [0, 0])
    draws: int = 0
    rematch: list[Seat] = field(default_factory=list)
    """The seats that ask for another game."""
    draw_offer: Seat | None = None
    """The seat that offers a draw."""
    takeback_offer: Seat | None = None
    """The seat that asks to take its last move back."""
    clock: ClockView | None = None
    chat: list[ChatLine] = field(default_factory=list)
    """The last lines that the viewer may hear."""
    started_with: int = 0
    """How many of the moves the game began with: it is played on from there."""
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
    seats: Both[SeatView]
    moves: int
    watching: int
    version: Version
    clock: ClockText | None = None
    """Its time control, `5+3`; None in games without one."""


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
