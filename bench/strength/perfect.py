"""Does `perfect` ever spoil a Connect Four position? Each of its moves is checked by exact scores.

They come from the opening book where it has the position or some that it leads to, which would take the
solver minutes; else from the solver. The book is held to the solver by tests of its own.
"""

from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any

from bench.exact import Exact, Node
from bench.strength.match import random_opening
from bench.strength.players import Effort, player
from parlour_server.games.connect4 import CONNECT_FOUR as GAME
from parlour_server.games.connect4 import Position
from parlour_server.search import connect4

OPPONENTS = ("random", "medium", "perfect")
OPENING_PLIES = (8, 18)
"""So many random plies, every number as likely. After fewer, a position that the book doesn't know, since it
is met only by bad moves of both sides, would take the solver minutes."""

WORTH = {1: "won", 0: "drawn", -1: "lost"}


@dataclass(slots=True)
class Checked:
    """One game of `perfect`'s, and what it did wrong in it."""

    opponent: str
    opening: str
    moves: str
    checked: int
    """Moves that were made in won or drawn positions."""
    spoiled: list[str] = field(default_factory=list)
    """A sentence for each move that made less of a position than it was worth."""
    effort: Effort = field(default_factory=Effort)


def sign(position: Position) -> int:
    """1 where the side to move wins, 0 for a draw, -1 for a loss. Finished positions too."""
    known = _known(position)
    if known is not None:
        return known
    replies = [GAME.play(position, move) for move in GAME.legal_moves(position)]
    if any(connect4.probe(reply) for reply in replies if not reply.over):
        # Those that the book leaves out then are quickly solved.
        return max(-_sign(reply) for reply in replies)
    return _sign(position)


def _sign(position: Position) -> int:
    known = _known(position)
    return _solver().sign(Node(position.mine, position.mask)) if known is None else known


def _known(position: Position) -> int | None:
    """What needs no search: the rules or the book tell."""
    if position.over:
        return 0 if position.over == 3 else -1
    entry = connect4.probe(position)
    return None if entry is None else (entry[0] > 0) - (entry[0] < 0)


@cache
def _solver() -> Exact:
    return Exact()


def check_game(opponent: str, number: int, seed: int) -> Checked:
    """Play one game from a random opening, `perfect` on the sides by turns, and check its moves."""
    game = GAME
    dice = Random(f"{seed}/perfect/{opponent}/{number}")
    # Every other game is from the empty board; against itself all but the first would be the same.
    whole = number // 2 % 2 == 0 if opponent != "perfect" else number == 0
    moves = random_opening(game, 0 if whole else dice.randint(*OPENING_PLIES), dice)
    position = game.initial()
    for move in moves:
        position = game.play(position, move)
    seats = [player(text, number) for text in ("perfect", opponent)]
    ours = {number % 2} if opponent != "perfect" else {0, 1}
    if number % 2:
        seats.reverse()
    start = _written(moves)
    found = Checked(opponent, start, start, 0)
    while game.outcome(position) is None:
        side = game.to_move(position)
        move = seats[side].choose(game, position, moves)
        after = game.play(position, move)
        if side in ours:
            _check(found, position, after, moves, move)
        moves.append(move)
        position = after
    found.moves = _written(moves)
    for ours_too in ours:
        found.effort.merge(seats[ours_too].effort)
    return found


def _check(found: Checked, before: Any, after: Any, moves: list[int], move: int) -> None:
    worth = sign(before)
    if worth < 0:
        return
    found.checked += 1
    left = -sign(after)
    if left < worth:
        found.spoiled.append(
            f"{_written(moves) or 'the empty board'}: {move + 1} made a {WORTH[worth]} position {WORTH[left]}"
        )


def _written(moves: list[int]) -> str:
    return "".join(str(move + 1) for move in moves)
