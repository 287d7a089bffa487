"""Does `perfect` ever spoil a Connect Four position? Each of its moves is checked by the solver."""

from dataclasses import dataclass, field
from functools import cache
from random import Random

from bench.exact import Exact, Node
from bench.strength.match import opening
from bench.strength.players import Effort, player
from parlour_server.games import find_game

OPPONENTS = ("random", "medium", "perfect")
OPENING_PLIES = (0, 12)
"""A game begins with so many random plies, every number as likely."""

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


@cache
def _solver() -> Exact:
    return Exact()


def check_game(opponent: str, number: int, seed: int) -> Checked:
    """Play one game from a random opening, `perfect` on the sides by turns, and check its moves."""
    game = find_game("connect4")
    dice = Random(f"{seed}/perfect/{opponent}/{number}")
    moves = opening(game, dice.randint(*OPENING_PLIES), dice)
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
            _check(found, Node(position.mine, position.mask), Node(after.mine, after.mask), moves, move)
        moves.append(move)
        position = after
    found.moves = _written(moves)
    for ours_too in ours:
        found.effort.merge(seats[ours_too].effort)
    return found


def _check(found: Checked, before: Node, after: Node, moves: list[int], move: int) -> None:
    worth = _solver().sign(before)
    if worth < 0:
        return
    found.checked += 1
    left = -_solver().sign(after)
    if left < worth:
        found.spoiled.append(
            f"{_written(moves) or 'the empty board'}: {move + 1} made a {WORTH[worth]} position {WORTH[left]}"
        )


def _written(moves: list[int]) -> str:
    return "".join(str(move + 1) for move in moves)
