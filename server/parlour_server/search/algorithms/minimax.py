"""Minimax as it is taught: the whole game tree, by two functions that call each other.

The side to move wants the highest score, the other side the lowest. Each side's best move is the one whose
value is best for it once the other side has answered as well as it can. Nothing is left out, so
that this is the plain example, and the witness for every faster search, first of all for `negamax.py`. See
Russell and Norvig, Artificial Intelligence: A Modern Approach, chapter "Adversarial Search and Games".
"""

from collections.abc import Iterator
from random import Random

from parlour_protocol.views.reports import Report
from parlour_server.games.game import Game, PositionT
from parlour_server.search.algorithms.root_search import Judged, Line, RootReport, Search, Value
from parlour_server.search.control import Control
from parlour_server.search.scores import INFINITY


def minimax(
    game: Game[PositionT],
    position: PositionT,
    *,
    rng: Random,
    control: Control,
    depth: int | None = None,
    bot: str = "minimax",
) -> Report:
    """Score every legal move by minimax and choose one of the best at random.

    With a `depth` in plies, positions at that distance are estimated. Raises `ValueError` for a
    finished position and a depth below 1.
    """
    search = _Minimax(game, position, control=control, depth=depth)
    return RootReport(search, rng=rng, bot=bot).on(search.root_moves())


class _Minimax(Search[PositionT]):
    def root_moves(self) -> Iterator[Judged]:
        """Each move with its value for the side that makes it: the other side answers."""
        for move in self.game.legal_moves(self.position):
            yield Judged(move, self.min_value(self.game.play(self.position, move), 1))

    def max_value(self, position: PositionT, ply: int) -> Value:
        """The position's value where the side that moves at the root is to move."""
        self.nodes += 1
        if self.nodes >= self.next_poll:
            self.poll()
        game = self.game
        outcome = game.outcome(position)
        if outcome is not None:
            return self.score_end(position, outcome, ply), True, None
        if ply == self.horizon:
            return self.estimate(position, ply)
        best, proven = -INFINITY, True
        line: Line = None
        for move in game.legal_moves(position):
            score, known, reply = self.min_value(game.play(position, move), ply + 1)
            if score > best:
                best, line = score, (move, reply)
            proven = proven and known
        return best, proven or self.settled(best), line

    def min_value(self, position: PositionT, ply: int) -> Value:
        """The same where the other side is to move: it wants the score as low as can be."""
        self.nodes += 1
        if self.nodes >= self.next_poll:
            self.poll()
        game = self.game
        outcome = game.outcome(position)
        if outcome is not None:
            return self.score_end(position, outcome, ply), True, None
        if ply == self.horizon:
            # An estimate is the mover's, and here that is the other side.
            guess, _, _ = self.estimate(position, ply)
            return -guess, False, None
        best, proven = INFINITY, True
        line: Line = None
        for move in game.legal_moves(position):
            score, known, reply = self.max_value(game.play(position, move), ply + 1)
            if score < best:
                best, line = score, (move, reply)
            proven = proven and known
        return best, proven or self.settled(best), line
