"""Minimax with alpha-beta: the same scores without what can't change them.

Alpha is the score that the side to move has already for sure, beta what the other side will not let it
exceed. A position that is worth beta or more will never be reached, so its other moves need no look.
See Knuth and Moore, An Analysis of Alpha-Beta Pruning (1975). As in their negamax, one function serves
both sides: what a position is worth to one is worth the negative to the other.
"""

from random import Random
from typing import Literal

from parlour_protocol.views.reports import Report
from parlour_server.games.game import Game, Move, PositionT
from parlour_server.search.algorithms.root_search import Line, RootSearch, Value, root_moves
from parlour_server.search.control import Control
from parlour_server.search.scores import INFINITY, POINT

Scores = Literal["every", "equal", "best"]
"""Which of the root's moves get a score of their own: every one, the best with its equals, or the first best
alone. The others are cut off as soon as they are proven no better, and have a bound."""


def alphabeta(
    game: Game[PositionT],
    position: PositionT,
    *,
    rng: Random,
    control: Control,
    depth: int | None = None,
    scores: Scores = "equal",
    also: Move | None = None,
    bot: str = "alphabeta",
) -> Report:
    """Find the best moves by alpha-beta and choose one of them at random.

    The fewer `scores` are wanted, the more is cut off: with "best" it is the algorithm as it is taught, which
    takes no interest in equals. `also` is a move to be judged in any case. With a `depth` in plies, positions
    at that distance are estimated. Raises `ValueError` for a finished position and a depth below 1.
    """
    search = _AlphaBeta(game, position, rng=rng, control=control, depth=depth, bot=bot)
    search.scores, search.also = scores, also
    return search.run()


class _AlphaBeta(RootSearch[PositionT]):
    scores: Scores = "equal"
    also: Move | None = None

    def search(self) -> None:
        game = self.game
        moves = root_moves(game, self.position, full=self.scores != "equal", also=self.also)
        children = [(move, game.play(self.position, move)) for move in moves]
        self.nodes += len(children)
        # What ends the game costs no search, and may leave little for the others to prove.
        children.sort(key=lambda child: game.outcome(child[1]) is None)
        best, leader = -INFINITY, None
        for move, child in children:
            # Open one below the best so far, the window gives a move as good as that its exact score.
            alpha = {"every": -INFINITY, "equal": best - 1, "best": best}[self.scores]
            outcome = game.outcome(child)
            if outcome is not None:
                score, proven, line = self.score_end(child, outcome, 1), True, None
            else:
                theirs, proven, line = self.value(child, 1, -INFINITY, -alpha)
                score = -theirs
            cut = outcome is None and score <= alpha
            self.note(move, (score, proven, line), cut_by=leader if cut else None)
            if score > best:
                best, leader = score, move

    def value(self, position: PositionT, ply: int, alpha: int, beta: int) -> Value:
        """An unfinished position's value for the side to move.

        Between alpha and beta the score is exact; from beta upward it is at least that, from alpha
        downward at most. Whether it is proven is said of the bound in the same way.
        """
        game = self.game
        if ply == self.horizon:
            return self.estimate(position, ply)
        # No win can come sooner than by the next move ("mate distance pruning").
        soonest = self.top if game.margins else self.top - (ply + 1) * POINT
        if soonest <= alpha:
            self.cutoffs += 1
            return soonest, True, None

        # Look at the children before searching any: a win at once needs no search at all.
        best, best_known, proven = -INFINITY, True, True
        line: Line = None
        unfinished = []
        for move in game.search_order(position):
            self.nodes += 1
            child = game.play(position, move)
            outcome = game.outcome(child)
            if outcome is None:
                unfinished.append((move, child))
                continue
            score = self.score_end(child, outcome, ply + 1)
            # At odd plies the other side is to move, and wants the opposite.
            score = -score if ply & 1 else score
            if score > best:
                best, line = score, (move, None)
                if best == soonest:
                    self.cutoffs += 1
                    return best, True, line
        if self.nodes >= self.next_poll:
            self.poll()
        for move, child in unfinished:
            if best >= beta:
                self.cutoffs += 1
                return best, best_known or self.settled(best), line
            score, known, reply = self.value(child, ply + 1, -beta, -max(alpha, best))
            if -score > best:
                best, best_known, line = -score, known, (move, reply)
            proven = proven and known
        # A cut rests on one move alone; a score that stands up to all moves rests on them all.
        return best, proven or self.settled(best) or (best >= beta and best_known), line
