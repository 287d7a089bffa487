"""Our games in OpenSpiel: its names for them and its actions for our moves.

Its ultimate tic-tac-toe lets whoever may choose the board do so in a turn of its own.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import pyspiel

from parlour_server.games.game import Game, Move

NAMES = {
    "connect4": "connect_four",
    "reversi": "othello",
    "tictactoe": "tic_tac_toe",
    "ultimate": "ultimate_tic_tac_toe",
}


@cache
def load(name: str) -> Any:
    """OpenSpiel's game for ours of that name."""
    return pyspiel.load_game(NAMES[name])


def state(game: Game[Any], moves: Sequence[Move]) -> Any:
    """The state that our moves lead to."""
    found = load(game.name).new_initial_state()
    for move in moves:
        if game.name == "ultimate":
            if _choosing(found):
                found.apply_action(move // 9)
            found.apply_action(move % 9)
        else:
            found.apply_action(move)
    return found


def in_the_middle(game: Game[Any], found: Any, mover: int) -> bool:
    """Has the mover chosen a board and not a cell yet?"""
    return game.name == "ultimate" and not found.is_terminal() and found.current_player() == mover


def move(game: Game[Any], position: Any, actions: Sequence[int]) -> Move:
    """Our move for the actions of one turn."""
    if game.name != "ultimate":
        return actions[0]
    board = actions[0] if len(actions) == 2 else position.board
    return int(9 * board + actions[-1])


def _choosing(found: Any) -> bool:
    return "Choose" in found.action_to_string(found.legal_actions()[0])
