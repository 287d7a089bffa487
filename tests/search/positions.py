"""Witnesses for the searches: every position of tic-tac-toe, solved by other means, and another game."""

import re
from collections.abc import Sequence
from functools import cache

from parlour_protocol.ids import Side, other
from parlour_protocol.views.boards import BoardView
from parlour_server.games.game import Game, InvalidMove, Outcome
from parlour_server.games.mnk import TICTACTOE, Position

LINES = ["012", "345", "678", "036", "147", "258", "048", "246"]


@cache
def solve(board: str, mover: str = "X") -> int:
    """A board's score for the side to move, nine signs from the top left: 100 - n for a win in n plies.

    Written over strings, apart from the rules and the searches that it is a witness for.
    """
    waiting = "O" if mover == "X" else "X"
    if any(all(board[int(cell)] == waiting for cell in line) for line in LINES):
        return -100
    if "." not in board:
        return 0
    return max(
        one_ply_later(-solve(board[:cell] + mover + board[cell + 1 :], waiting))
        for cell in range(9)
        if board[cell] == "."
    )


def one_ply_later(score: int) -> int:
    return score - (score > 0) + (score < 0)


def solution(position: Position) -> dict[str, int]:
    """Every legal move of tic-tac-toe with its true score for the side that makes it."""
    board = board_of(position)
    mover, waiting = ("X", "O") if TICTACTOE.to_move(position) == 0 else ("O", "X")
    return {
        TICTACTOE.format(position, cell): one_ply_later(
            -solve(board[:cell] + mover + board[cell + 1 :], waiting)
        )
        for cell in range(9)
        if board[cell] == "."
    }


def board_of(position: Position) -> str:
    return "".join(TICTACTOE.view(position).texts())


@cache
def unfinished() -> list[Position]:
    """All 4,520 positions of tic-tac-toe that are not finished, fewest stones first."""
    layer, found = [TICTACTOE.initial()], []
    while layer:
        found += layer
        after = {
            TICTACTOE.play(position, move) for position in layer for move in TICTACTOE.legal_moves(position)
        }
        layer = sorted(position for position in after if TICTACTOE.outcome(position) is None)
    return found


class Nim(Game[tuple[int, Side]]):
    """A heap to take one, two or three from. Who takes the last one loses: the mover of an end has won."""

    name = "nim"
    title = "Nim"
    summary = "Leave the last one to the other side."
    notation = re.compile("[123]")

    def __init__(self, heap: int) -> None:
        self.heap = self.max_plies = heap

    def initial(self) -> tuple[int, Side]:
        return self.heap, 0

    def to_move(self, position: tuple[int, Side]) -> Side:
        return position[1]

    def legal_moves(self, position: tuple[int, Side]) -> Sequence[int]:
        return range(1, min(3, position[0]) + 1)

    def play(self, position: tuple[int, Side], move: int) -> tuple[int, Side]:
        return position[0] - move, other(position[1])

    def outcome(self, position: tuple[int, Side]) -> Outcome | None:
        return None if position[0] else Outcome(position[1], "the last one is taken", "no_moves")

    def evaluate(self, position: tuple[int, Side]) -> int:
        return position[0] % 3 - 1

    def parse(self, position: tuple[int, Side], text: str) -> int:
        if not self.notation.fullmatch(text):
            raise InvalidMove(text)
        return int(text)

    def format(self, position: tuple[int, Side], move: int) -> str:
        return str(move)

    def view(self, position: tuple[int, Side], last: int | None = None) -> BoardView:
        return BoardView([], [], [], [["1"], ["2"]])
