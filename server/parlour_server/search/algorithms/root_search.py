"""What the searches in plain Python share: counting, stopping, and the report on the root's moves."""

from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import Generic, NamedTuple, TypeAlias

from parlour_protocol.views.reports import Bound, Candidate, Report, ScoreKind
from parlour_server.games.game import Game, Move, Outcome, PositionT
from parlour_server.search.control import POLL_EVERY, Control, Stopped
from parlour_server.search.scores import ESTIMATE_LIMIT, POINT, decided, make_score, top_score
from parlour_server.search.turns import PASS, in_turns

Line: TypeAlias = "tuple[Move, Line] | None"
"""Best play for both from a position on: the first move and the line behind it."""

Value: TypeAlias = tuple[int, bool, Line]
"""A position's score in hundredths, whether it is proven, and the line that leads there.

A score is proven if no estimate from the horizon could change it. A win or loss found within the
horizon always is, its distance too: what lies beyond the horizon is farther away (but by how much it
is won is not, where that counts). Any other score is proven if all the scores that it was made from are.
"""


def root_moves(
    game: Game[PositionT], position: PositionT, *, full: bool, also: Sequence[Move] = ()
) -> list[Move]:
    """The moves that a search compares, the likely best first; with `full` all that are legal.

    A game's `search_order` leaves out moves that are surely no better; with `full` they get a score too.
    Those that a selective game leaves out because there are too many stay out, except for those that are
    `also` to be judged.
    """
    order = list(game.search_order(position))
    if full and not game.selective(position):
        order += [move for move in game.legal_moves(position) if move not in order]
    return [*order, *(move for move in also if move not in order)]


def written(game: Game[PositionT], position: PositionT, line: Iterable[Move]) -> list[str]:
    """A line of moves as people write them, without the passes that were put in."""
    names = []
    for move in line:
        if move != PASS:
            names.append(game.format(position, move))
        position = game.play(position, move)
    return names


class Search(Generic[PositionT]):
    """One search of one position: what it counts, and what it asks of the rules.

    `depth` is the horizon in plies; None looks on to the end of every game. Raises `ValueError` for a
    finished position and a depth below 1.
    """

    def __init__(
        self, game: Game[PositionT], position: PositionT, *, control: Control, depth: int | None
    ) -> None:
        if game.outcome(position) is not None:
            raise ValueError("there is nothing to search: the game is over")
        if depth is not None and depth < 1:
            raise ValueError(f"depth must be at least 1, not {depth}")
        self.game, self.position = in_turns(game, position)
        self.control = control
        self.horizon = self.game.max_plies if depth is None else depth
        self.top = top_score(self.game) * POINT
        self.side, self.margins = game.to_move(position), game.margins
        self.nodes = 1
        self.cutoffs = 0
        self.deepest = 0
        self.guessed = False
        """Was any position estimated?"""
        self.started = control.clock()
        self.next_poll = POLL_EVERY
        self.progress: Callable[[], Report] | None = None
        """Makes a report while a root move is searched."""

    def poll(self) -> None:
        """Look at the stop flag, due when `nodes` has come to `next_poll`.

        Raises `Stopped` once the search is no longer wanted.
        """
        self.next_poll = self.nodes + POLL_EVERY
        if self.control.stopped():
            raise Stopped
        if self.progress is not None and self.control.due():
            self.control.publish(self.progress())

    def score_end(self, position: PositionT, outcome: Outcome, ply: int) -> int:
        """What an end at this distance is worth to the side that moves at the root."""
        if ply > self.deepest:
            self.deepest = ply
        if outcome.winner is None:
            worth = POINT * self.game.worth(position)
            return worth if self.side == 0 else -worth
        worth = (
            POINT * (ESTIMATE_LIMIT + self.game.margin(position)) if self.margins else self.top - POINT * ply
        )
        return worth if outcome.winner == self.side else -worth

    def settled(self, score: int) -> bool:
        """Does this score stand, whatever lies beyond the horizon?"""
        return not self.margins and decided(score)

    def estimate(self, position: PositionT, ply: int) -> Value:
        """The value of a position at the horizon for the side to move: a guess."""
        self.deepest, self.guessed = ply, True
        return self.game.evaluate(position), False, None


class Judged(NamedTuple):
    """A root move and its value, for the side that makes it."""

    move: Move
    value: Value
    cut_by: Move | None = None
    """Where the search was cut off, since the move is no better than this one: the score is then the most
    that the move can be worth."""


class RootReport(Generic[PositionT]):
    """The report on a search, made of what it finds of one root move after the other.

    `rng` chooses among equal best moves.
    """

    def __init__(self, search: Search[PositionT], *, rng: Random, bot: str) -> None:
        self.search, self.rng, self.bot = search, rng, bot
        self._candidates: list[Candidate] = []
        self._lines: dict[str, list[Move]] = {}
        self._judged = 0.0
        """When the last root move was judged, in seconds from the start."""
        search.progress = self._progress

    def on(self, found: Iterable[Judged]) -> Report:
        """Take what the search finds, to its end or until it is stopped, and publish what is known."""
        try:
            for one in found:
                self._note(one)
        except Stopped:
            return self._report(finished=False)
        return self._report(finished=True)

    def _note(self, found: Judged) -> None:
        search, (move, (score, proven, line), cut_by) = self.search, found
        cut = cut_by is not None
        kind: ScoreKind = "estimate" if not proven else "at_most" if cut else "exact"
        bound: Bound | None = "at_most" if cut and kind == "estimate" else None
        name = search.game.format(search.position, move)
        self._lines[name] = moves = _unrolled((move, line))
        worth = make_score(search.game, score, kind, bound=bound, draw_plies=len(moves))
        leader = None if cut_by is None else search.game.format(search.position, cut_by)
        self._candidates.append(Candidate(name, worth, leader))
        self._judged = search.control.clock() - search.started
        if search.control.due():
            search.control.publish(self._report(finished=False, choose=False))

    def _progress(self) -> Report:
        """How far the next root move's search is. It is expected to take as long as those before it."""
        report = self._report(finished=False, choose=False)
        if self._candidates:
            moves = len(self.search.game.legal_moves(self.search.position))
            left = moves * self._judged / len(self._candidates) - report.seconds
            report.left = left if left > 0 else None
        return report

    def _report(self, *, finished: bool, choose: bool = True) -> Report:
        """The report so far. Without `choose` the first of the best moves stands in for a random one."""
        candidates = sorted(self._candidates, key=lambda found: -found.score)
        best = None
        if candidates:
            highest = candidates[0].score.points
            equals = [
                found.move
                for found in candidates
                if found.score.points == highest and found.no_better_than is None
            ]
            best = self.rng.choice(equals) if choose else equals[0]
        search = self.search
        return Report(
            bot=self.bot,
            candidates=candidates,
            best=best,
            line=written(search.game, search.position, self._lines[best]) if best else [],
            nodes=search.nodes,
            cutoffs=search.cutoffs,
            depth=search.deepest if finished else 0,
            seconds=search.control.clock() - search.started,
            finished=finished,
        )


def random_move(
    game: Game[PositionT], position: PositionT, *, rng: Random, control: Control, bot: str = "random"
) -> Report:
    """Choose a legal move at random, without a search. Raises `ValueError` for a finished position."""
    search = Search(game, position, control=control, depth=None)
    moves = search.game.legal_moves(search.position)
    return RootReport(search, rng=rng, bot=bot).on(Judged(move, (0, False, None)) for move in moves)


def _unrolled(line: Line) -> list[Move]:
    moves = []
    while line is not None:
        move, line = line
        moves.append(move)
    return moves
