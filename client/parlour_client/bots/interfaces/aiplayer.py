"""A course's Connect Four: a class `AIPlayer(number)` that is given a numpy array and gives a column.

The array has the rows from the top, 0 for an empty cell, 1 and 2 for the players' discs. An object lives as
long as a game.
"""

from types import ModuleType
from typing import Any

from parlour_client.bots.interfaces.base import (
    Choose,
    Interface,
    PerGame,
    by_column,
    move_of,
    number,
    numbers,
)
from parlour_client.bots.position import Position

METHODS = ("get_alpha_beta_move", "get_minimax_move", "get_expectimax_move", "get_mcts_move", "get_move")
"""What may be asked for a move: the first that there is."""


def _find(module: ModuleType) -> tuple[type[Any], str] | None:
    player = getattr(module, "AIPlayer", None)
    if not isinstance(player, type):
        return None
    return next(((player, method) for method in METHODS if hasattr(player, method)), None)


def _speak(found: tuple[type[Any], str]) -> Choose:
    player, method = found
    objects = PerGame[Any](lambda position: player(number(position)))

    def choose(position: Position) -> str:
        # Here alone: what takes long to load is for those who need it.
        import numpy

        ask = getattr(objects.at(position), method)
        return move_of("aiplayer", ask(numpy.array(numbers(position))), by_column(position))

    return choose


INTERFACE = Interface("aiplayer", ("connect4",), _speak, _find)
