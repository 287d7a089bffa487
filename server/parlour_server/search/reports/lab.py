"""The searches that are taught, raced: each has one idea more than the one before.

    minimax      the whole tree                       Shannon (1950)
    alphabeta    leave what can't matter              Knuth and Moore (1975)
    ordering     good moves first, so it cuts more    as the game's rules guess them
    table        search no position twice             Greenblatt, Eastlake and Crocker (1967)
    deepening    search 1, 2, 3, ... plies deep: each search tells the next one what to try first
                                                      Slate and Atkin (1977)
    killers      try first what cut off others        Akl and Newborn (1977), Schaeffer (1989)
    null_window  ask of the others only whether they are better
                                                      Marsland and Campbell (1982)
    aspiration   expect the value of the depth before Slate and Atkin (1977)

All are the negamax of `negamax.py` with some of its ideas, in plain Python over the rules of any game. They
all find the same score, since none of the ideas changes what a position is worth.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import sqrt
from random import Random

from parlour_protocol.views.reports import Candidate, Entrant, Report
from parlour_server.games.game import Game, Move, PositionT
from parlour_server.search.algorithms.negamax import Ideas, Negamax
from parlour_server.search.algorithms.root_search import Line
from parlour_server.search.control import POLL_EVERY, SHORT_GAME, Control, Stopped
from parlour_server.search.expected import expected_cost
from parlour_server.search.scores import INFINITY, POINT, make_score
from parlour_server.search.turns import in_turns

DEEPENING: frozenset[Entrant] = frozenset(("deepening", "killers", "null_window", "aspiration"))
ASPIRATION = POINT // 2
"""So far on both sides of the last depth's score an aspiration window reaches."""
SAMPLE = 3_000
"""Once a depth took so many positions, how fast costs grow is known well enough."""
DIVES = 300
"""Games by chance from which the size of a tree is estimated."""
PATIENCE = 60_000
"""The most positions that plain minimax may visit, where no depth is given."""

_ORDERED = Ideas(prune=True, order=True)
_WITH_TABLE = replace(_ORDERED, remember=True)
_LEARNING = replace(_WITH_TABLE, learn=True)
_NULL_WINDOW = replace(_LEARNING, null_window=True)

IDEAS: dict[Entrant, Ideas] = {
    "minimax": Ideas(),
    "alphabeta": Ideas(prune=True),
    "ordering": _ORDERED,
    "table": _WITH_TABLE,
    "deepening": _WITH_TABLE,
    "killers": _LEARNING,
    "null_window": _NULL_WINDOW,
    "aspiration": _NULL_WINDOW,
}


def race(
    game: Game[PositionT], position: PositionT, entrant: Entrant, depth: int, control: Control
) -> Report:
    """Search a position to a depth in one of the ways that `IDEAS` names.

    The report's one candidate is the best move. Raises `ValueError` for a finished position.
    """
    return _Race(game, position, entrant, depth, control).run()


def race_to(
    game: Game[PositionT], position: PositionT, *, entrant: Entrant, depth: int | None, control: Control
) -> tuple[int, Report, int | None]:
    """Race to a depth, or a fair one where none is given: that depth, the report, and what was expected."""
    depth = depth or fair_depth(game, position, control)
    report = race(game, position, entrant, depth, control)
    return depth, report, expected(game, position, entrant, depth)


def fair_depth(game: Game[PositionT], position: PositionT, control: Control) -> int:
    """How deep a race goes where no depth is given: so that plain minimax can be waited for.

    Less deep where it is stopped before that is found.
    """
    left = min(game.plies_left(position), game.max_plies)
    if left <= SHORT_GAME:
        return max(left, 1)
    depth, level, visited = 0, [position], 1
    while depth < left:
        below: list[PositionT] = []
        for number, one in enumerate(level, start=1):
            if number % POLL_EVERY == 0 and control.stopped():
                return max(depth, 1)
            if game.outcome(one) is None:
                below += [game.play(one, move) for move in game.legal_moves(one)]
            if visited + len(below) > PATIENCE:
                return max(depth, 1)
        depth, level, visited = depth + 1, below, visited + len(below)
    return max(depth, 1)


def expected(game: Game[PositionT], position: PositionT, entrant: Entrant, depth: int) -> int | None:
    """How many positions theory expects of a search: b^d of plain minimax, b^(d/2) of alpha-beta at its best.

    b, the branching factor, comes from games by chance that are weighed by the moves that they left out:
    see Knuth, Estimating the Efficiency of Backtrack Programs (1975). None of searches without a rule.
    """
    if entrant not in ("minimax", "alphabeta"):
        return None
    game, position = in_turns(game, position)
    dice, size = Random(0), 0.0  # noqa: S311 - the same each time
    for _ in range(DIVES):
        here, width, ply = position, 1.0, 0
        while ply < depth and game.outcome(here) is None:
            moves = game.legal_moves(here)
            here, width, ply = game.play(here, dice.choice(moves)), width * len(moves), ply + 1
            size += width
    size = 1 + size / DIVES
    return round(size if entrant == "minimax" else sqrt(size))


class _Race(Negamax[PositionT]):
    def __init__(
        self, game: Game[PositionT], position: PositionT, entrant: Entrant, depth: int, control: Control
    ) -> None:
        super().__init__(game, position, IDEAS[entrant], control=control, depth=depth)
        self.entrant, self.last = entrant, self.horizon
        self._deepens = entrant in DEEPENING
        self._aspires = entrant == "aspiration"
        self._costs: list[int] = []
        """How many positions each depth took, from the first one on."""
        self._before = 0
        """Positions that were visited at the depths before, where those count."""

    def run(self) -> Report:
        """Search, and tell."""
        reached, found = 0, list[Candidate]()
        self.nodes = 0
        try:
            for depth in self._depths():
                self.horizon, self.guessed, self._before = depth, False, self.nodes
                if not self._deepens:
                    reached, found = 0, []
                self.nodes += 1
                score, line = self._search(found)
                reached, found = self.horizon, [self.candidate(line[0], score)]
                self._costs.append(self.nodes - self._before)
        except Stopped:
            return self.report(found, depth=reached, finished=False)
        return self.report(found, depth=reached, finished=True)

    def _search(self, before: Sequence[Candidate]) -> tuple[int, tuple[Move, Line]]:
        """The root's score and line. Where it aspires, first about the score that the depth before had."""
        alpha, beta = -INFINITY, INFINITY
        if self._aspires and before:
            middle = round(before[0].score.points * POINT)
            alpha, beta = middle - ASPIRATION, middle + ASPIRATION
        score, _, line = self.value(self.position, 0, alpha, beta)
        if score <= alpha or score >= beta:
            # It is beyond the window: only that is known.
            alpha, beta = (-INFINITY, beta) if score <= alpha else (alpha, INFINITY)
            score, _, line = self.value(self.position, 0, alpha, beta)
        assert line is not None, "the root's game goes on, and it is not taken from the table"
        return score, line

    def _depths(self) -> Iterator[int]:
        """One after the other where a search deepens. Else first some that are soon done, to see how costs
        grow: they don't count."""
        for depth in range(1, self.last):
            if not self._deepens and self._costs and self._costs[-1] > SAMPLE:
                break
            yield depth
            if not self._deepens:
                self.nodes = self.cutoffs = self.hits = 0
                self.next_poll = POLL_EVERY
                self.table.clear()
                self.started = self.control.clock()
        yield self.last

    def left(self) -> float | None:
        """In how many seconds it is expected to end."""
        to_come = range(self.horizon, self.last + 1) if self._deepens else [self.last]
        expected, seconds = expected_cost(self._costs, to_come), self.control.clock() - self.started
        if expected is None or seconds <= 0 or self.horizon < to_come[0]:
            return None
        left = (expected - (self.nodes - self._before)) * seconds / max(self.nodes, 1)
        return left if left > 0 else None

    def poll(self) -> None:
        """Show how far it is, too."""
        super().poll()
        if (self._deepens or self.horizon == self.last) and self.control.due():
            report = self.report([], depth=0, finished=False)
            self.control.publish(replace(report, left=self.left()))

    def report(self, candidates: list[Candidate], *, depth: int, finished: bool) -> Report:
        """What was found, and what that took."""
        line = [one.move for one in candidates]
        return Report(
            bot=self.entrant,
            candidates=candidates,
            best=line[0] if line else None,
            line=line,
            nodes=self.nodes,
            cutoffs=self.cutoffs,
            table_hits=self.hits,
            depth=depth,
            seconds=self.control.clock() - self.started,
            finished=finished,
        )

    def candidate(self, move: Move, score: int) -> Candidate:
        """The best move as a report has it: proven where nothing was estimated on the way."""
        proven = not self.guessed or self.settled(score)
        found = make_score(self.game, score, "exact" if proven else "estimate")
        return Candidate(self.game.format(self.position, move), found)
