"""The bot that is never wrong: the opening book, then the solver, and the report on what they found."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from types import ModuleType
from typing import Any

from parlour_protocol.views.reports import Candidate, Report, Score, ScoreKind
from parlour_server.games.connect4 import CONNECT_FOUR, MOST, Position
from parlour_server.games.game import Game, Move
from parlour_server.search.algorithms.engine import engine
from parlour_server.search.connect4 import book
from parlour_server.search.control import Control
from parlour_server.search.kernels import compiled
from parlour_server.search.scores import POINT, make_score, top_score

GAME = CONNECT_FOUR

CELLS = 42
BEST = 21
"""No score is higher: a win with the first stone, if that could be."""

TABLE_BITS = 24
"""The solver's table has as many entries as these bits can count: 128 MB, taken as it fills up. All searches
share it, at the same time too: what one has proven is true for all."""

OWN_BITS = 22
"""A search that is bounded by nodes has a table of its own, so that it is the same each time."""

NO_LIMIT = 1 << 60
SLICE = 1 << 17
"""Nodes after which the solver returns, where there is no flag to look at, so that the caller is asked."""

FIRST_NODES = 3_000_000
"""Nodes without a solution after which the engine is asked: its guess is shown if the solver never ends."""

LOOK_AHEAD, LOOK_AHEAD_PLAIN = 3_000_000, 5_000
"""How many nodes the engine has for that, in machine code and without: some tenths of a second."""

ROUNDS = (30_000, 1_000_000, NO_LIMIT)
"""Nodes for each move, round by round: what is easily found is shown first."""

LINE_NODES = 20_000
"""What each further move of the principal variation may cost."""


@dataclass(slots=True)
class Bounds:
    """What is known of a move, as the solver's score for the side that makes it."""

    least: int = -BEST
    most: int = BEST

    def are_one(self) -> bool:
        """Is the score known?"""
        return self.least == self.most


def knows(game: Game[Any]) -> bool:
    """Is this the game that is solved here?"""
    return game.name == GAME.name


def probe(position: Position) -> tuple[int, Move] | None:
    """The solver's score of an unfinished position and a best move, where the book has them."""
    try:
        return book.probe(position.mine, position.mask)
    except (book.DamagedBook, OSError) as error:
        # The solver finds the same, later.
        warnings.warn(f"Connect Four has to do without its opening book: {error}", stacklevel=2)
        return None


def solve(
    position: Position,
    *,
    control: Control,
    nodes: int | None = None,
    every_move: bool = False,
    also: Sequence[Move] = (),
    bot: str = "perfect",
) -> Report:
    """Find the best move and its exact score; with `every_move`, those of all the others too.

    What was not found when the search was stopped is a bound or an estimate; `also` are moves that are solved
    before the others. With a bound of `nodes` the same bound gives the same report. The machine code has to
    be ready. Raises `ValueError` for a finished position.
    """
    return _Exact(position, control, nodes, bot, compiled.solver(GAME)).run(every_move=every_move, also=also)


def from_book(
    position: Position, *, control: Control, every_move: bool = False, bot: str = "perfect"
) -> Report | None:
    """The same by the opening book alone, without machine code; None where it has not all that is asked.

    Takes a moment only. Raises `ValueError` for a finished position.
    """
    return _Exact(position, control, None, bot, None).look_up(every_move=every_move)


@cache
def _shared_table() -> Any:
    import numpy as np

    return np.zeros(1 << TABLE_BITS, np.int64)


class _Exact:
    def __init__(
        self,
        position: Position,
        control: Control,
        nodes: int | None,
        bot: str,
        code: ModuleType | None,
    ) -> None:
        if GAME.outcome(position) is not None:
            raise ValueError("there is nothing to search: the game is over")
        self.position, self.control, self.bot = position, control, bot
        self.started = control.clock()
        self.code: Any = code
        if code is not None:
            self._set_up(nodes)
        self.stones = position.mask.bit_count()
        self.best: Move | None = None
        self.answer = 0
        """The move that proved the last search's lower bound, as its cell's bit."""
        self.bounds = {move: Bounds() for move in _middle_first(position)}
        self.estimates = {move: self._estimate(move) for move in self.bounds}
        self.looked_ahead: Report | None = None
        """What the engine said, where it was asked."""
        self.line: list[Move] = []

    def _set_up(self, nodes: int | None) -> None:
        import numpy as np

        self.work = np.zeros(self.code.WORK, np.int64)
        self.limit = NO_LIMIT if nodes is None else nodes
        self.table = _shared_table() if nodes is None else np.zeros(1 << OWN_BITS, np.int64)
        self.shift = 65 - len(self.table).bit_length()
        flag = self.control.flag
        self.stop = np.zeros(1, np.uint8) if flag is None else np.frombuffer(flag, np.uint8)

    def look_up(self, *, every_move: bool) -> Report | None:
        """The report by the book alone; None where the book has not all that was asked for."""
        known = probe(self.position)
        if known is None:
            return None
        self._see_ends()
        score, self.best = known
        self.bounds[self.best] = Bounds(score, score)
        if every_move and not all(bounds.are_one() for bounds in self.bounds.values()):
            return None
        for bounds in self.bounds.values():
            bounds.most = min(bounds.most, score)
        self.line = [self.best]
        self._lengthen_line(score)
        return self._report(finished=True)

    def run(self, *, every_move: bool, also: Sequence[Move] = ()) -> Report:
        """Search until all that was asked for is known, or the search is stopped."""
        self._see_ends()
        self.control.publish(self._report(finished=False))
        found = self._solve_best()
        if found is not None and self.best is not None:
            self.bounds[self.best] = Bounds(found, found)
            for bounds in self.bounds.values():
                bounds.most = min(bounds.most, found)
            self.line = [self.best]
            self.control.publish(self._report(finished=False))
            if every_move:
                self._solve_others(also)
            self._lengthen_line(found)
        return self._report(finished=not self._stopped())

    def _stopped(self) -> bool:
        return (self.code is not None and bool(self.stop[0])) or self.control.stopped()

    # ------------------------------------------------------------ finding scores

    def _see_ends(self) -> None:
        """What the next two plies decide needs no search."""
        for move in self.bounds:
            child = GAME.play(self.position, move)
            replies = GAME.legal_moves(child)
            if child.over:
                score = 0 if child.over == 3 else (CELLS + 1 - self.stones) // 2
                self.bounds[move] = Bounds(score, score)
            elif any(GAME.play(child, reply).over in (1, 2) for reply in replies):
                score = -((CELLS - self.stones) // 2)
                self.bounds[move] = Bounds(score, score)
            elif (known := probe(child)) is not None:
                self.bounds[move] = Bounds(-known[0], -known[0])

    def _solve_best(self) -> int | None:
        """The score of the position, with `best` a move that has it; None if that was not found."""
        known = probe(self.position)
        if known is not None:
            score, self.best = known
            return score
        bounds = Bounds()
        solved = self._search(self.position, bounds, min(self.limit, FIRST_NODES))
        if not solved and self._nodes() < self.limit and not self._stopped():
            self._look_ahead()
            answer = self.answer
            solved = self._search(self.position, bounds, self.limit)
            self.answer = self.answer or answer
        if self.answer and (solved or bounds.least >= 0):
            # Stopped, it is still the move that proved a win, or a draw; less than that any move may have.
            self.best = self._answer()
            self.bounds[self.best].least = max(self.bounds[self.best].least, bounds.least)
        for each in self.bounds.values():
            each.most = max(min(each.most, bounds.most), each.least)
        return bounds.least if solved else None

    def _look_ahead(self) -> None:
        """Have the engine judge the moves, for as long as nothing is proven of them."""
        nodes = LOOK_AHEAD if compiled.is_ready(GAME) else LOOK_AHEAD_PLAIN
        control = replace(self.control, publish=lambda report: None)
        # Every move's own score is asked for, so that no dice decide anything.
        dice = Random(0)  # noqa: S311
        found = engine(GAME, self.position, rng=dice, control=control, nodes=nodes, full=True)
        self.looked_ahead = found
        for candidate in found.candidates:
            move, score = GAME.parse(self.position, candidate.move), candidate.score
            if score.kind == "exact" and score.plies is not None and not self.bounds[move].are_one():
                proven = self._score_of(score)
                self.bounds[move] = Bounds(proven, proven)
            self.estimates[move] = max(-MOST, min(MOST, round(POINT * score.points)))
        self.control.publish(self._report(finished=False))

    def _solve_others(self, first: Sequence[Move]) -> None:
        order = sorted(self.bounds, key=lambda move: move not in first)
        # No time is spared for those that are asked for.
        asked = [(NO_LIMIT, move) for move in first]
        for nodes, move in [*asked, *((nodes, move) for nodes in ROUNDS for move in order)]:
            bounds = self.bounds[move]
            if bounds.are_one():
                continue
            child = GAME.play(self.position, move)
            theirs = Bounds(-bounds.most, -bounds.least)
            self._search(child, theirs, min(self.limit, self._nodes() + nodes))
            bounds.least, bounds.most = -theirs.most, -theirs.least
            if bounds.are_one():
                self.control.publish(self._report(finished=False))
            if self._stopped() or self._nodes() >= self.limit:
                return

    def _search(self, position: Position, bounds: Bounds, limit: int) -> bool:
        """Have the solver narrow the bounds of a position until they meet: false if that took too long."""
        work, code = self.work, self.code
        self.answer = 0
        # Without a byte to stop it the solver comes back now and then to be asked. Each time it begins anew,
        # so that what a bound of nodes leads to would change.
        whole = self.control.flag is not None or self.limit < NO_LIMIT
        while True:
            until = limit if whole else min(limit, self._nodes() + SLICE)
            work[code.LIMIT] = until
            work[code.LOW], work[code.HIGH] = bounds.least, bounds.most
            stones = position.mask.bit_count()
            solved = code.solve(position.mine, position.mask, stones, work, self.table, self.shift, self.stop)
            bounds.least, bounds.most = int(work[code.LOW]), int(work[code.HIGH])
            self.answer = int(work[code.BEST]) or self.answer
            if solved or until >= limit or self._stopped():
                return bool(solved)

    def _answer(self) -> Move:
        return (self.answer.bit_length() - 1) // 7

    def _nodes(self) -> int:
        return self._count("NODES")

    def _count(self, what: str) -> int:
        return 0 if self.code is None else int(self.work[getattr(self.code, what)])

    def _lengthen_line(self, score: int) -> None:
        """Best play for both from the best move on, as far as it is found cheaply."""
        position = GAME.play(self.position, self.line[0])
        while GAME.outcome(position) is None and not self._stopped():
            score = -score
            known = probe(position)
            if known is not None:
                move = known[1]
            elif self.code is None:
                return
            elif self._search(position, Bounds(score, score), min(self.limit, self._nodes() + LINE_NODES)):
                move = self._answer()
            else:
                return
            self.line.append(move)
            position = GAME.play(position, move)

    # ------------------------------------------------------------ telling of them

    def _estimate(self, move: Move) -> int:
        child = GAME.play(self.position, move)
        return 0 if child.over else -GAME.evaluate(child)

    def _report(self, *, finished: bool) -> Report:
        found = {move: self._candidate(move) for move in self.bounds}
        ranked = sorted(found, key=lambda move: (-found[move].score.points, move != self.best))
        best = ranked[0] if self.best is None else self.best
        ahead = self.looked_ahead
        return Report(
            bot=self.bot,
            candidates=[found[move] for move in ranked],
            best=GAME.format(self.position, best),
            line=[str(move + 1) for move in (self.line or [best])],
            nodes=self._nodes() + 1 + (0 if ahead is None else ahead.nodes),
            cutoffs=self._count("CUTOFFS"),
            table_hits=self._count("HITS"),
            depth=CELLS - self.stones if self.bounds[best].are_one() else 0 if ahead is None else ahead.depth,
            seconds=self.control.clock() - self.started,
            finished=finished,
            compiled=None if self.code is None else True,
        )

    def _candidate(self, move: Move) -> Candidate:
        bounds = self.bounds[move]
        written = GAME.format(self.position, move)
        kind: ScoreKind
        if bounds.are_one():
            kind, score = "exact", bounds.least
        elif bounds.least > 0 or (bounds.least == 0 and move == self.best):
            kind, score = "at_least", bounds.least
        elif bounds.most < 0 or self._is_settled():
            # Until the best move's score is known, a bound on another move is worth less than its estimate.
            kind, score = "at_most", bounds.most
        else:
            return Candidate(written, make_score(GAME, self.estimates[move], "estimate"))
        top, plies = top_score(GAME), self._plies(score)
        value = POINT * (0 if score == 0 else top - plies if score > 0 else plies - top)
        return Candidate(written, make_score(GAME, value, kind, draw_plies=plies))

    def _score_of(self, score: Score) -> int:
        """The solver's score for a proven result of the engine's: the inverse of `_plies`."""
        assert score.plies is not None
        mine = self.stones // 2
        if score.result == "draw":
            return 0
        if score.result == "win":
            return 22 - mine - (score.plies + 1) // 2
        return score.plies // 2 - 22 + self.stones - mine

    def _is_settled(self) -> bool:
        """Is the best move's score known?"""
        return self.best is not None and self.bounds[self.best].are_one()

    def _plies(self, score: int) -> int:
        """The plies to the end that a score of the position stands for."""
        if score == 0:
            return CELLS - self.stones
        # The winner's last stone, less those that it has.
        mine = self.stones // 2
        if score > 0:
            return 2 * (22 - score - mine) - 1
        return 2 * (22 + score - (self.stones - mine))


def _middle_first(position: Position) -> list[Move]:
    moves = GAME.legal_moves(position)
    return sorted(moves, key=lambda move: abs(move - 3))
