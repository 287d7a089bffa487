"""Minimax with alpha-beta: the same scores without what can't change them.

Below the root it is `negamax.py`, with pruning. At the root this file decides with which window each move is
searched, and so which moves get a score of their own.
"""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Literal

from parlour_protocol.views.reports import Report
from parlour_server.games.game import Game, Move, PositionT
from parlour_server.search.algorithms.negamax import Ideas, Negamax
from parlour_server.search.algorithms.root_search import Judged, RootReport, root_moves
from parlour_server.search.control import Control
from parlour_server.search.scores import INFINITY

IDEAS = Ideas(prune=True, ends_first=True)

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
    also: Sequence[Move] = (),
    bot: str = "alphabeta",
) -> Report:
    """Find the best moves by alpha-beta and choose one of them at random.

    The fewer `scores` are wanted, the more is cut off: with "best" it is the algorithm as it is taught, which
    takes no interest in equals. `also` are moves to be judged in any case. With a `depth` in plies, positions
    at that distance are estimated. Raises `ValueError` for a finished position and a depth below 1.
    """
    search = Negamax(game, position, IDEAS, control=control, depth=depth)
    return RootReport(search, rng=rng, bot=bot).on(_judge(search, scores, also))


def _judge(search: Negamax[PositionT], scores: Scores, also: Sequence[Move]) -> Iterator[Judged]:
    game = search.game
    moves = root_moves(game, search.position, full=scores != "equal", also=also)
    children = [(move, game.play(search.position, move)) for move in moves]
    search.nodes += len(children)
    # What ends the game costs no search, and may leave little for the others to prove.
    children.sort(key=lambda child: game.outcome(child[1]) is None)
    best, leader = -INFINITY, None
    for move, child in children:
        # Open one below the best so far, the window gives a move as good as that its exact score.
        alpha = {"every": -INFINITY, "equal": best - 1, "best": best}[scores]
        outcome = game.outcome(child)
        if outcome is not None:
            yield Judged(move, (score := search.score_end(child, outcome, 1), True, None))
        else:
            theirs, proven, line = search.value(child, 1, -INFINITY, -alpha)
            score = -theirs
            yield Judged(move, (score, proven, line), leader if score <= alpha else None)
        if score > best:
            best, leader = score, move
