"""The NBoard protocol, version 2, for Othello: a board in GGF, and `=== D3` for an answer."""

from collections.abc import Sequence

from parlour_client.bots.interfaces.base import Choose, Interface, by_cell, move_of, numbers
from parlour_client.bots.interfaces.program import Program
from parlour_client.bots.position import Position

DEPTH = 8
SIGNS = "-*O"
LETTERS = "ABCDEFGHIJKLMNOP"


class _Conversation:
    """One with a program, for all games."""

    def __init__(self, command: Sequence[str]) -> None:
        self._program = Program(command)
        self._program.send("nboard 2", f"set depth {DEPTH}")
        self._pings = 0

    def choose(self, position: Position) -> str:
        """The move that it answers. Raises `WrongAnswer` and `ProgramEnded`."""
        rows = numbers(position)
        board = "".join(SIGNS[cell] for row in rows for cell in row)
        to_move = SIGNS[1 + position.marks.index(position.to_move or position.mark)]
        ggf = f"PB[black]PW[white]RE[?]TI[0]TY[{len(rows)}]BO[{len(rows)} {board} {to_move}]"
        self._pings += 1
        self._program.send(f"set game (;GM[Othello]PC[Parlour]{ggf};)", f"ping {self._pings}")
        self._program.until(lambda line: line == f"pong {self._pings}")
        self._program.send("go")
        answer = self._program.until(lambda line: line.startswith("==="))
        # Behind the move may stand its value and the time, with blanks or slashes between.
        said = answer.removeprefix("===").replace("/", " ").split()
        possible = {f"{LETTERS[column]}{row + 1}": move for (row, column), move in by_cell(position).items()}
        return move_of("nboard", said[0].upper() if said else "", possible)


def _speak(command: Sequence[str]) -> Choose:
    return _Conversation(command).choose


INTERFACE = Interface("nboard", ("reversi",), _speak, is_program=True)
