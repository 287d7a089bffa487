"""The positions at which a match's games begin: drawn at random, and kept where both sides can hold them.

They follow from the seed alone: a longer match begins with the openings of a shorter one.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from parlour_server.games.game import Game
from parlour_server.search.control import Control
from parlour_server.search.levels import BotSpec
from parlour_server.search.thinking import think

ENOUGH = 500
"""Sequences of moves: so many an opening's plies should allow, be that few plies or many."""
MOST_PLIES = 8
"""No opening has more, unless that is asked for."""
SHARE_OF_GAME = 4
"""Nor is more than one in so many of a game's plies drawn by chance."""
JUDGED_BY = 2_000
"""Positions that are searched to judge an opening where no book knows it: few enough for plain Python."""
EVEN = 25.0
"""Per cent: an opening's chances may be so far from even where nothing is proven."""
TRIES = 200
"""So many draws in a row that bring nothing new: then there is no more."""


@dataclass(frozen=True, slots=True)
class Opening:
    """The game, from whose position it begins, and the moves before the bots'."""

    game: str
    moves: str = ""
    balanced: bool = True
    """Can both sides still hold it, as far as was proven or searched?"""


def usual_plies(game: Game[Any]) -> int:
    """How many random plies an opening has: so many for each side that there are enough, and not too many."""
    most = min(MOST_PLIES, game.max_plies // SHARE_OF_GAME // 2 * 2)
    plies, sequences, position = 0, 1, game.initial()
    while plies < most and (sequences < ENOUGH or plies % 2):
        moves = game.legal_moves(position)
        if not moves:
            break
        sequences *= len(moves)
        position = game.play(position, moves[0])
        plies += 1
    return plies // 2 * 2


def balanced_openings(game: Game[Any], seed: int, plies: int | None = None) -> Iterator[Opening]:
    """Openings of so many random plies (None: `usual_plies`), in the order of their drawing.

    Each leads to another position, that neither side is proven to lose, and whose chances are about even by a
    short search. After the last one they come again from the first. Of a game in which all are unbalanced
    they are given as they are drawn; none at all where games are over by then.
    """
    if plies is None:
        plies = usual_plies(game)
    random = Random(f"{seed}/openings")  # noqa: S311 - meant to repeat
    seen: set[Hashable] = set()
    found: list[Opening] = []
    others: list[Opening] = []
    misses = 0
    while misses < TRIES:
        misses += 1
        position, moves = game.initial(), list[str]()
        while len(moves) < plies and game.outcome(position) is None:
            move = random.choice(game.legal_moves(position))
            moves.append(game.format(position, move))
            position = game.play(position, move)
        # Other moves may lead to the same position.
        key = (position, game.to_move(position))
        if key in seen or game.outcome(position) is not None:
            continue
        seen.add(key)
        if is_balanced(game, position):
            misses = 0
            found.append(Opening(game.name, " ".join(moves)))
            yield found[-1]
        else:
            others.append(Opening(game.name, " ".join(moves), balanced=False))
    while found or others:
        yield from found or others


def is_balanced(game: Game[Any], position: Any) -> bool:
    """Can both sides still draw or win, as far as a short search sees?"""
    judge = BotSpec("perfect", nodes=JUDGED_BY)
    report = think(game, position, judge, move_number=0, control=Control(compiled=True))
    score = report.best_score
    if score is None or score.result in ("win", "loss"):
        return False
    return score.chance is None or abs(score.chance - 50) <= EVEN
