"""How a bot thought: candidates with their scores, grades of moves, trees.

Scores are from the view of the side to move: in points, and where they are estimates as a chance to win, too.
"""

from dataclasses import dataclass, field, fields, replace
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, ConfigDict, Field, StringConstraints
from pydantic.dataclasses import dataclass as checked_dataclass

from parlour_protocol import MOST_POINTS, MOST_REPORTED
from parlour_protocol.ids import Seat, Side
from parlour_protocol.views.boards import Count, Row
from parlour_protocol.words import Said, Sentence, Translatable

Result = Literal["win", "loss", "draw"]

ScoreKind = Literal["exact", "at_least", "at_most", "estimate"]
"""How far a score can be trusted: proven, a proven bound, or a guess from beyond the horizon."""

Bound = Literal["at_least", "at_most"]

Points = (
    Annotated[int, Field(ge=-MOST_POINTS, le=MOST_POINTS)]
    | Annotated[float, Field(ge=-MOST_POINTS, le=MOST_POINTS, allow_inf_nan=False)]
)

Plies = Annotated[int, Field(ge=0, le=10_000)]

Chance = Annotated[int, Field(ge=0, le=100)] | Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)]
"""In percent; half of a draw's counts as won."""

LEAST_CHANCE, GREATEST_CHANCE = 1, 99
"""In percent. What is not proven is never certain."""
CHANCE_DECIMALS = 1

_NEGATED_RESULT: dict[Result, Result] = {"win": "loss", "loss": "win", "draw": "draw"}
_NEGATED_BOUND: dict[Bound, Bound] = {"at_least": "at_most", "at_most": "at_least"}


@dataclass(frozen=True, slots=True)
class Score:
    """What a move or a position is worth to one side, and how far that is known.

    Scores are ordered by points, in which a sooner win is more than a later one, any win more than any
    estimate or draw, a later loss more than a sooner one. Of equal points a lower bound is more, an upper
    one less.
    `-score` is the same from the other side.
    """

    points: Points
    """A win in n plies is 100 - n (more in long games), a win by m 50 + m, an estimate within -50 and 50."""
    kind: ScoreKind = "estimate"
    result: Result | None = None
    """What it leads to against best play; None unless proven."""
    plies: Plies | None = None
    """Moves of either side until that result, a candidate's own counted: an upper limit where it is a bound.
    For a draw None unless the search followed it to the end."""
    margin: Annotated[int, Field(ge=-10_000, le=10_000)] | None = None
    """By how much it is won, or with a minus lost: discs in reversi. In games that count it, where exact."""
    bound: Bound | None = None
    """Where an estimate is a bound: a full search as deep would guess at most, or at least, so much."""
    chance: Chance | None = None
    """An estimate's chance to win in percent, comparable between all games and bots. None for what is
    proven."""

    @property
    def limit(self) -> Bound | None:
        """Is it, proven or guessed, only the most or the least that it can be?"""
        return self.kind if self.kind in ("at_least", "at_most") else self.bound

    @property
    def share(self) -> float:
        """How good it is, from 0 to 1, which a bar is as long as: the chance to win; a draw counts half."""
        if self.result is not None:
            return {"win": 1.0, "draw": 0.5, "loss": 0.0}[self.result]
        if self.chance is not None:
            return self.chance / 100
        return 0.5 if self.points == 0 or self.kind == "estimate" else 1.0 if self.points > 0 else 0.0

    @property
    def outlook(self) -> Sentence:
        """What a move with it leads to: `wins in 3`, `a draw`, `at best a draw`, `57% to win`."""
        if self.result == "draw":
            return Sentence("score.draw")
        if self.result is not None:
            verb = "score.wins" if self.result == "win" else "score.loses"
            if self.margin is not None:
                by = "by" if self.kind == "exact" else "by_at_least"
                return Sentence(f"{verb}_{by}", margin=abs(self.margin))
            if self.plies is None:
                return Sentence(verb)
            return Sentence(f"{verb}_{'in' if self.kind == 'exact' else 'in_at_most'}", plies=self.plies)
        if self.kind == "estimate":
            of = "" if self.bound is None else f"_{self.bound}"
            return Sentence(f"score.to_win{of}", percent=self.percent)
        worth = "draw" if self.points == 0 else "win" if self.points > 0 else "loss"
        return Sentence(f"score.{'at_best' if self.kind == 'at_most' else 'at_least'}.{worth}")

    @property
    def percent(self) -> str:
        """The chance as it is said; of logs that are older than chances, that it isn't known."""
        return "?" if self.chance is None else f"{self.chance:.0f}"

    def __neg__(self) -> "Score":
        return Score(
            -self.points,
            _NEGATED_BOUND[self.kind] if self.kind in ("at_least", "at_most") else self.kind,
            None if self.result is None else _NEGATED_RESULT[self.result],
            self.plies,
            None if self.margin is None else -self.margin,
            None if self.bound is None else _NEGATED_BOUND[self.bound],
            None if self.chance is None else round(100 - self.chance, CHANCE_DECIMALS),
        )

    def __lt__(self, other: "Score") -> bool:
        return self._rank < other._rank

    def __le__(self, other: "Score") -> bool:
        return self._rank <= other._rank

    @property
    def _rank(self) -> tuple[float, int]:
        return self.points, {None: 0, "at_least": 1, "at_most": -1}[self.limit]


@dataclass(slots=True)
class Candidate:
    """A move that was considered, and its score for the side that makes it."""

    move: str
    score: Score
    no_better_than: str | None = None
    """The move that it was compared with, where the search cut it off: its score is then a bound."""
    visits: int | None = None
    """How many playouts began with it, where the search judges moves by those: the most is the best."""


@dataclass(slots=True)
class Compiling(Translatable):
    """A search waits for its game's compiled code, which is made once and then kept: how far that is."""

    game: str
    """The game that is being compiled now; the searched one may have to wait for another."""
    done: int
    """How many functions have been compiled."""
    of: int
    title: str = field(default="", compare=False)
    """What that game is called."""
    title_said: Said | None = field(default=None, compare=False)


@dataclass(slots=True)
class UnfinishedRound:
    """What a search had found in its last round, one deeper than that of its candidates, when it ended.

    Scores of different depths can't be compared, so these stand apart.
    """

    depth: int
    candidates: list[Candidate]
    """Best first; the moves that the round came to."""
    chosen: bool = False
    """Did it decide which move is chosen? Then the report's `best` is not the first of its candidates."""


@dataclass(slots=True)
class Report:
    """How a bot thought: what it shows while it searches and keeps with its move."""

    bot: str
    candidates: list[Candidate]
    """Best first, all searched to the same `depth` (what is proven is so at any depth); those not yet
    searched are missing."""
    best: str | None = None
    """The chosen move; not always the first of the candidates."""
    line: list[str] = field(default_factory=list)
    """The principal variation: best play for both from here, the chosen move first unless `weakened`."""
    nodes: int = 0
    """Positions visited, the searched one included."""
    cutoffs: int = 0
    table_hits: int = 0
    playouts: int | None = None
    """How many games were played to their end by chance, where the search judges moves by those."""
    depth: int = 0
    """The deepest ply that was searched in full."""
    seconds: float = 0.0
    finished: bool = False
    """False in what is shown while the search runs, and where it was stopped before its end."""
    compiled: bool | None = None
    """Did it run as compiled code? False: in plain Python, though its game could be compiled where numba is
    installed; a search that was stopped by its time then saw less. None where there is none for it."""
    compiling: Compiling | None = None
    """What it waits for before it begins: only in what is shown meanwhile."""
    queued: int | None = None
    """How many searches are before it, where it waits for its turn: only in what is shown meanwhile."""
    cut_after: float | None = None
    """The server's limit in seconds, where that stopped the search before the bounds that it was given."""
    unfinished: UnfinishedRound | None = None
    """What was seen one round deeper, where the search ended within it."""
    left: float | None = None
    """In how many seconds it is expected to end, from how costs grew with depth: only while it runs."""
    weakened: Literal[True] | None = None
    """The bot plays weaker on purpose: it chose `best` at random instead of its best move."""

    @property
    def best_score(self) -> Score | None:
        """The chosen move's score among the candidates."""
        return next((one.score for one in self.candidates if one.move == self.best), None)


GradeName = Literal["perfect", "good", "inaccuracy", "mistake", "blunder"]
GRADES: tuple[GradeName, ...] = get_args(GradeName)
"""From the best to the worst."""
Mark = Literal["", "?!", "?", "??"]
"""What stands behind a move that is worth a look."""


@dataclass(slots=True)
class GradeCounts:
    """How often each grade was given."""

    perfect: int = 0
    good: int = 0
    inaccuracy: int = 0
    mistake: int = 0
    blunder: int = 0

    def of(self, grade: GradeName) -> int:
        """How often this one was."""
        count: int = getattr(self, grade)
        return count


MARKS: dict[GradeName, Mark] = {"inaccuracy": "?!", "mistake": "?", "blunder": "??"}


@dataclass(slots=True)
class Grade(Translatable):
    """How good a played move was, from the view of the side that made it."""

    move: str
    grade: GradeName
    exact: bool
    """Do proven scores say so? Else it is an estimate."""
    reason: str
    """In words: `threw away a draw: loses in 15`."""
    loss: int | float = 0
    """By how many percent the best move's chance was higher; a win counts 100 in this, a draw 50, a loss
    0."""
    better: str | None = None
    """The best move, where the one played was worse."""
    mark: Mark = ""
    """What stands behind the move where it is worth a look, by its grade: `?!`, `?` or `??`."""
    reason_said: Said | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        Translatable.__post_init__(self)
        self.mark = self.mark or MARKS.get(self.grade, "")


@dataclass(slots=True)
class Note(Translatable):
    """A sentence on a whole review: that there were no mistakes, or how far it can be trusted."""

    text: str
    text_said: Said | None = field(default=None, compare=False)


@dataclass(slots=True)
class ReviewedMove:
    """A move of a game that is looked back on. Positions are scored for the side that moved first."""

    ply: int
    """Counted from 1."""
    side: Side
    """The side that made it."""
    move: str
    before: Score | None = None
    """What the position before it is worth; None where that is not known."""
    after: Score | None = None
    """The same of the position that it leads to."""
    grade: Grade | None = None
    """None where the search had not come to this move, or passed it over."""
    best: Score | None = None
    """What the best move was worth to the side that moved: `grade` names it where this one was worse."""
    finished: bool = True
    """False where its search was stopped before its end."""
    compiled: bool | None = None
    """As in the search's report."""
    puzzle: bool = False
    """Was a move missed here whose worth is proven, as is that of every other one? See the command
    `puzzle`."""
    given: Literal[True] | None = None
    """Did the game begin with this move? Then it is nobody's, and has no grade."""


@dataclass(slots=True)
class TreeNode:
    """A position of a game tree. Scores are from the view of the side to move at the root."""

    cells: list[Row]
    """The board, as in a board view."""
    level: Literal["max", "min"]
    """Does the side that is to move here want the highest score, or the lowest?"""
    score: Score
    """The value passed up: a bound where something was cut off, an estimate where it rests on the horizon's.
    Plies are counted from the root."""
    parent: int | None = None
    """The number of the node above, counted from 0 in the order that they were visited; None: the root."""
    move: str | None = None
    """The move that leads here."""
    last: list[int] = field(default_factory=list)
    """The cells of that move."""
    line: list[int] = field(default_factory=list)
    """The cells that won."""
    counts: list[Count] | None = None
    """As in a board view, where they are a part of the board: what lies in the stores beside pits."""
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
    alpha: int | float | None = None
    """What the side that maximises had for sure when this node was entered. None: nothing yet, or plain
    minimax."""
    beta: int | float | None = None
    """The same of the side that minimises: the most that it has to allow."""
    below: int = 0
    """How many nodes the search visited below this one, sent or not."""


Entrant = Literal[
    "minimax",
    "alphabeta",
    "ordering",
    "table",
    "deepening",
    "killers",
    "null_window",
    "aspiration",
    "engine",
]
"""The searches that are taught, each with one idea more than the one before; and the engine."""


@dataclass(slots=True)
class ThoughtView:
    """One bot move of a game with the report that was kept with it."""

    ply: int
    """Counted from 1, the game's first move."""
    seat: Seat
    move: str
    report: Report


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("a character in it can't be seen")
    return text


ReportedMove = Annotated[str, StringConstraints(min_length=1, max_length=16), AfterValidator(_printable)]

_Count = Annotated[int, Field(ge=0, le=2**53)]

# A score that was built by hand is checked as well.
_FROM_PROGRAMS = ConfigDict(strict=True, extra="forbid", revalidate_instances="always", defer_build=True)


@checked_dataclass(frozen=True, slots=True, config=_FROM_PROGRAMS)
class ProgramCandidate:
    """A move that a program considered, and its score for the side to move."""

    move: ReportedMove
    score: Score


@checked_dataclass(frozen=True, slots=True, config=_FROM_PROGRAMS)
class ProgramReport:
    """How a program thought: what it says with its move. The server adds the name and the move."""

    candidates: Annotated[list[ProgramCandidate], Field(max_length=MOST_REPORTED)] = field(
        default_factory=list
    )
    """Best first."""
    line: Annotated[list[ReportedMove], Field(max_length=MOST_REPORTED)] = field(default_factory=list)
    """Best play for both from here, the chosen move first."""
    nodes: _Count = 0
    """Positions visited."""
    cutoffs: _Count = 0
    table_hits: _Count = 0
    depth: Plies = 0
    """The deepest ply that was searched in full."""
    seconds: Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)] = 0.0
    finished: bool = True
    """False where the search was stopped before its end."""

    def report(self) -> Report:
        """The report that is kept with the move, still without a name and a chosen move."""
        found = {one.name: getattr(self, one.name) for one in fields(self)}
        found["candidates"] = [Candidate(one.move, _with_chance(one.score)) for one in self.candidates]
        return Report(bot="", **found)


def _with_chance(score: Score) -> Score:
    """A program's score: an estimate without a chance has one that grows evenly from -50 points to 50."""
    if score.kind != "estimate" or score.chance is not None:
        return score
    return replace(
        score, chance=max(LEAST_CHANCE, min(round(50 + score.points, CHANCE_DECIMALS), GREATEST_CHANCE))
    )
