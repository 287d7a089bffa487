"""Toronto's and Columbia's assignment on Othello: a program that is told a board and answers `i j`.

It says its name; it is told its colour (1 begins), depth limit, whether minimax (else alpha-beta), whether
caching and ordering are wanted; then for each move `SCORE a b` and the board as a tuple of rows. It answers
the column and the row, counted from 0 at the top left. In an older form it is told its colour alone. A
program lives as long as a game, since its colour does.
"""

from collections.abc import Sequence
from types import ModuleType

from parlour_client.bots.interfaces.base import (
    Choose,
    Interface,
    PerGame,
    by_cell,
    move_of,
    number,
    numbers,
)
from parlour_client.bots.interfaces.program import Program, ProgramEnded
from parlour_client.bots.position import Position

SETTINGS = "4,0,0,0"
"""Depth limit 4, alpha-beta, no caching, no ordering: what every file of the course can do."""


def _find(module: ModuleType) -> Sequence[str] | None:
    return (str(module.__file__),) if callable(getattr(module, "run_ai", None)) else None


class _Conversation:
    """One with a program, game after game."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._settings = f",{SETTINGS}"
        self._answered = False
        self._programs = PerGame(self._begin, Program.stop)

    def choose(self, position: Position) -> str:
        """The move that it answers. Raises `WrongAnswer` and `ProgramEnded`."""
        possible = {f"{column} {row}": move for (row, column), move in by_cell(position).items()}
        try:
            answer = self._ask(position)
        except ProgramEnded as ended:
            if self._answered:
                raise
            # It may be one of those that are told their colour alone.
            self._settings = ""
            self._programs.forget()
            try:
                answer = self._ask(position)
            except ProgramEnded:
                raise ended from None
        self._answered = True
        return move_of("toronto", " ".join(answer.split()), possible)

    def _begin(self, position: Position) -> Program:
        program = Program(self._command)
        program.line()
        program.send(f"{number(position)}{self._settings}")
        return program

    def _ask(self, position: Position) -> str:
        rows = numbers(position)
        cells = [cell for row in rows for cell in row]
        program = self._programs.at(position)
        program.send(f"SCORE {cells.count(1)} {cells.count(2)}", str(tuple(map(tuple, rows))))
        try:
            return program.line()
        except ProgramEnded:
            self._programs.forget()
            raise


def _speak(command: Sequence[str]) -> Choose:
    return _Conversation(command).choose


INTERFACE = Interface("toronto", ("reversi",), _speak, _find, is_program=True)
