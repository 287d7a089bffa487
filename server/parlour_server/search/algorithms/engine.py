"""The engine: alpha-beta by iterative deepening, on machine code where there is some, else on the rules.

Each round looks one ply deeper and tries the root's moves in the order that the round before found. So
there is an answer at any moment, and the good moves that come first cut the others short. See Slate and
Atkin, CHESS 4.5 (1977).

Scores of different depths can't be compared well: each further ply adds a move of one side. So a
report ranks the moves by the last complete round, and what a deeper one had found when it ended stands apart.
"""

from collections.abc import Sequence
from random import Random
from typing import Generic

from parlour_protocol.views.reports import Bound, Candidate, Report, ScoreKind, UnfinishedRound
from parlour_server.games.game import Game, Move, PositionT
from parlour_server.search.algorithms.root_search import root_moves, written
from parlour_server.search.control import Control, Stopped
from parlour_server.search.kernels.compiled import SLOTS, compiled_search, is_ready
from parlour_server.search.kernels.inner_search import InnerSearch
from parlour_server.search.kernels.interpreted import interpreted_search
from parlour_server.search.scores import POINT, decided, make_score, top_score
from parlour_server.search.turns import in_turns

UNBOUNDED = 1 << 60
INFINITE = 1_000_000
"""Beyond every score."""
THREAT_PLIES = 12
"""How many plies beyond the horizon a threat is followed."""
LAST_STRIDE = 6
"""Where the margin counts nothing is settled before the end, and rounds that almost reach it cost as much."""
SHALLOW = 6
SMALL_TABLE = 1 << 15
SHOW_NODES = 50_000
"""At most so often is a report made within a round."""


def engine(
    game: Game[PositionT],
    position: PositionT,
    *,
    rng: Random,
    control: Control,
    depth: int | None = None,
    nodes: int | None = None,
    full: bool = False,
    also: Sequence[Move] = (),
    threats: bool = True,
    bot: str = "engine",
) -> Report:
    """Search deeper and deeper until all is known, or a bound is met, or the search is stopped.

    `depth` bounds the plies, `nodes` the positions; the same bounds give the same report. With `full` every
    move's own score is found; else of those that are worse than the best only a bound is known. `also` are
    moves to be judged in any case. Without `threats` it is blind to those that hang over the board at its
    horizon. Raises `ValueError` for a finished position and a depth below 1.
    """
    game, position = in_turns(game, position)
    if control.compiled and is_ready(game):
        compiled = True
        inner = compiled_search(
            game, position, control.flag, memory=control.memory, slots=_slots(depth, nodes)
        )
    else:
        compiled = False
        inner = interpreted_search(game, position, control.stopped)
    search = Deepening(game, position, inner, rng=rng, control=control, full=full, also=also, bot=bot)
    search.threat_plies = THREAT_PLIES if threats else 0
    search.compiled = compiled if game.kernel else None
    return search.run(depth, nodes)


def _slots(depth: int | None, nodes: int | None) -> int:
    """How large a table: what a small search can't fill costs it more to touch than it saves."""
    if depth is not None and depth <= SHALLOW:
        return SMALL_TABLE
    if nodes is None:
        return SLOTS
    # A key and what is known for each node, with room to spare.
    return min(SLOTS, max(SMALL_TABLE, 1 << (4 * nodes).bit_length()))


class Deepening(Generic[PositionT]):
    """One search by the engine, on an inner search that is set up with the position.

    Raises `ValueError` for a finished position.
    """

    def __init__(
        self,
        game: Game[PositionT],
        position: PositionT,
        inner: InnerSearch,
        *,
        rng: Random,
        control: Control,
        full: bool,
        also: Sequence[Move] = (),
        bot: str,
    ) -> None:
        if game.outcome(position) is not None:
            raise ValueError("there is nothing to search: the game is over")
        self.game, self.position, self.inner = game, position, inner
        self.rng, self.control, self.full, self.bot = rng, control, full, bot
        self.started = control.clock()
        self.top = top_score(game) * POINT
        self.plies_left = game.plies_left(position)
        self.threat_plies = THREAT_PLIES
        self.completed = 0
        """The depth of the last complete round."""
        self.compiled: bool | None = None
        """Is it machine code that searches? None where the game has none."""
        self._order = root_moves(game, position, full=full, also=also)
        self._tried: list[Move] = []
        """The moves that the present round has scored, and before it the last one."""
        self._depth = 0
        """The present round's."""
        self._complete: dict[Move, Candidate] = {}
        """What the last complete round found: of one depth, so that the moves can be compared."""
        self._scores: dict[Move, int] = {}
        self._found: dict[Move, Candidate] = {}
        self._lines: dict[Move, list[Move]] = {}
        self._next_show = SHOW_NODES

    def run(self, depth: int | None, nodes: int | None) -> Report:
        """Search within these bounds, or until stopped; the report says how far it came."""
        if depth is not None and depth < 1:
            raise ValueError(f"depth must be at least 1, not {depth}")
        inner = self.inner
        inner["NODES"] = 1
        inner["NODE_LIMIT"] = UNBOUNDED if nodes is None else nodes
        inner["NEXT_POLL"] = min(inner.code.POLL_EVERY, inner["NODE_LIMIT"])
        inner["TOP"] = self.top
        inner["STEP"] = 0 if self.game.margins else POINT
        inner["SLOTS"] = inner.slots - 1
        horizon = min(self.plies_left, inner.code.MOST_PLIES - 1)
        try:
            self._deepen(horizon if depth is None else min(depth, horizon))
        except Stopped:
            return self._report(finished=inner["NODES"] >= inner["NODE_LIMIT"], choose=True)
        return self._report(finished=True, choose=True)

    def _deepen(self, horizon: int) -> None:
        """Round by round, until a deeper one could change nothing."""
        for depth in range(1, horizon + 1):
            if self.game.margins and horizon == self.plies_left and horizon - LAST_STRIDE < depth < horizon:
                continue
            self._order.sort(key=lambda move: -self._scores.get(move, 0))
            self._round(depth)
            self.completed = depth
            self._complete = {move: self._found[move] for move in self._order}
            self._publish()
            if self._settled():
                return
            if self.control.stopped():
                raise Stopped

    def _round(self, depth: int) -> None:
        inner = self.inner
        self._depth = depth
        inner["THREAT_LIMIT"] = min(depth + self.threat_plies, inner.code.MOST_PLIES - 1)
        best = -INFINITE
        tried: list[Move] = []
        for move in self._order:
            number = inner.number(move)
            inner.play(number)
            inner["NODES"] += 1
            score, cut = self._score(depth, best)
            inner.undo(number)
            if inner["STOPPED"]:
                raise Stopped
            tried.append(move)
            self._tried = tried
            self._keep(move, score, depth, cut=cut)
            best = max(best, score)
            if inner["NODES"] >= self._next_show:
                self._next_show = inner["NODES"] + SHOW_NODES
                self._publish()

    def _score(self, depth: int, best: int) -> tuple[int, bool]:
        """What the move just played is worth, and whether that is only the most that it can be."""
        inner = self.inner
        end = inner.end_score()
        if end is not None:
            return end, False
        if len(self._order) == 1:
            # A lone move costs no depth, here as in the engine: `plies_left` doesn't count it.
            return inner.child_value(depth + 1, -INFINITE, INFINITE), False
        if depth == 1:
            return inner.estimate(), False
        if self.full or best == -INFINITE:
            return inner.child_value(depth, -INFINITE, INFINITE), False
        # A move as good as the best gets its own score too: among equals chance decides.
        score = inner.child_value(depth, best - 1, best)
        if score < best or inner["STOPPED"]:
            return score, True
        score = inner.child_value(depth, best - 1, INFINITE)
        # The second look may know more of it, from the table, and find it worse after all.
        return score, score < best

    def _keep(self, move: Move, score: int, depth: int, *, cut: bool) -> None:
        kind = self._kind(score, depth, cut=cut)
        bound: Bound | None = "at_most" if cut and kind == "estimate" else None
        name = self.game.format(self.position, move)
        self._scores[move] = score
        self._found[move] = Candidate(name, make_score(self.game, score, kind, bound=bound))
        if not cut:
            self._lines[move] = self.inner.line()

    def _kind(self, score: int, depth: int, *, cut: bool) -> ScoreKind:
        """How far a move's score can be trusted."""
        selected = bool(self.inner["SELECTED"])
        whole = depth >= self.plies_left and not selected
        if cut:
            return "at_most" if whole or (decided(score) and score < 0) else "estimate"
        if whole:
            return "exact"
        if not decided(score):
            return "estimate"
        # Moves were left out after this one: by the winner two plies later at the earliest, or one.
        surely = self.game.quiet + (3 if score > 0 else 2) if selected else depth
        if self._ends_within(score, min(depth, surely)):
            return "exact"
        # Also what is seen beyond the horizon, along forced moves, is proven, but there may be a shorter way.
        return "at_least" if score > 0 else "at_most"

    def _ends_within(self, score: int, plies: int) -> bool:
        """Is a score a win or a loss within this many plies?"""
        return decided(score) and not self.game.margins and (self.top - abs(score)) // POINT <= plies

    def _settled(self) -> bool:
        """Could a deeper round change nothing?"""
        if len(self._order) == 1 and not self.full:
            return True
        best = max(self._tried, key=self._scores.__getitem__)
        return all(
            self._found[move].score.kind == "exact" or self._ends_within(self._scores[move], self.completed)
            for move in (self._order if self.full else [best])
        )

    def _publish(self) -> None:
        if self.control.due():
            self.control.publish(self._report(finished=False, choose=False))

    def _best_moves(self) -> list[Move]:
        """The moves with the best score of those that the present round has tried.

        Where all of them turned out to be lost, the others have the word, as the round before saw them.
        """
        choice = self._tried
        if choice and all(self._is_lost(move) for move in choice):
            choice = [move for move in self._order if not self._is_lost(move)] or choice
        highest = max((self._scores.get(move, 0) for move in choice), default=0)
        return [move for move in choice if self._scores.get(move, 0) == highest]

    def _is_lost(self, move: Move) -> bool:
        score = self._scores.get(move, 0)
        return decided(score) and score < 0

    def _report(self, *, finished: bool, choose: bool) -> Report:
        """What is known by now. Without `choose` the first of the best moves stands in for a random one."""
        best = None
        equals = self._best_moves()
        if equals:
            best = self.rng.choice(equals) if choose else equals[0]
        found = self._comparable()
        ranked = _ranked(found, best)
        line = [] if best is None else [best, *self._lines.get(best, [])]
        inner = self.inner
        return Report(
            bot=self.bot,
            candidates=[found[move] for move in ranked],
            best=None if best is None else self.game.format(self.position, best),
            line=written(self.game, self.position, line),
            nodes=inner["NODES"],
            cutoffs=inner["CUTOFFS"],
            table_hits=inner["HITS"],
            depth=self.completed,
            seconds=self.control.clock() - self.started,
            finished=finished,
            compiled=self.compiled,
            unfinished=self._unfinished(found, best),
        )

    def _comparable(self) -> dict[Move, Candidate]:
        """The moves' scores as the last complete round found them, or as far as the first one came.

        What the round after it proved is so at any depth.
        """
        if not self._complete:
            return {move: self._found[move] for move in self._tried}
        later = {move: self._found[move] for move in self._tried}
        return self._complete | {move: one for move, one in later.items() if one.score.result is not None}

    def _unfinished(self, found: dict[Move, Candidate], best: Move | None) -> UnfinishedRound | None:
        """What the present round found, where it is cut short and another one was complete before."""
        if not self._complete or best is None or not 0 < len(self._tried) < len(self._order):
            return None
        highest = max(one.score.points for one in found.values())
        seen = {move: self._found[move] for move in self._tried}
        chosen = best in seen and found[best].score.points < highest
        return UnfinishedRound(self._depth, [seen[move] for move in _ranked(seen, best)], chosen)


def _ranked(found: dict[Move, Candidate], best: Move | None) -> list[Move]:
    """The moves by their scores, the best first; of equals the one that is chosen."""
    # Of equal points a bound is not as good, but a chosen move stands first among all of them.
    return sorted(found, key=lambda move: (-found[move].score.points, move != best, -found[move].score))
