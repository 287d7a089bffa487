"""CS50's project on tic-tac-toe: `minimax(board)` gives the (row, column) to play.

The board is three lists of three: "X", "O" or None, or what the file itself calls X, O and EMPTY.
"""

from types import ModuleType

from parlour_client.bots.interfaces.base import Choose, Interface, by_cell, move_of
from parlour_client.bots.position import Position


def _find(module: ModuleType) -> ModuleType | None:
    return module if callable(getattr(module, "minimax", None)) and hasattr(module, "EMPTY") else None


def board(module: ModuleType, position: Position) -> list[list[object]]:
    """A position as such a file writes it."""
    first, second = position.marks
    signs = {
        first: getattr(module, "X", "X"),
        second: getattr(module, "O", "O"),
        position.empty: getattr(module, "EMPTY", None),
    }
    return [[signs[cell] for cell in row] for row in position.board]


def _speak(module: ModuleType) -> Choose:
    return lambda position: move_of("cs50", module.minimax(board(module, position)), by_cell(position))


INTERFACE = Interface("cs50", ("tictactoe",), _speak, _find, board)
