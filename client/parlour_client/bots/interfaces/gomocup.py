"""Gomocup's protocol for gomoku: `START`, `BOARD`, and `x,y` counted from 0 at the top left."""

from collections.abc import Sequence

from parlour_client.bots.interfaces.base import Choose, Interface, by_cell, cell_of, move_of
from parlour_client.bots.interfaces.program import Program, ProgramEnded
from parlour_client.bots.position import Position
from parlour_protocol.words import say

NO_MOVES = ("OK", "MESSAGE", "DEBUG", "UNKNOWN", "SUGGEST")


class _Conversation:
    """One with a program, for all games."""

    def __init__(self, command: Sequence[str]) -> None:
        self._program = Program(command)
        self._size = 0

    def choose(self, position: Position) -> str:
        """The move that it answers. Raises `WrongAnswer` and `ProgramEnded`."""
        size = len(position.board)
        if self._size != size:
            self._program.send(f"START {size}")
            answer = self._program.until(lambda line: line.upper().startswith(("OK", "ERROR")))
            if answer.upper().startswith("ERROR"):
                raise ProgramEnded(say("error.bot.engine_refused", command=f"START {size}", answer=answer))
            self._size = size
        if position.limit is not None:
            self._program.send(f"INFO timeout_turn {position.limit * 500:.0f}")
        ours = len(position.moves) % 2
        cells = [cell_of(position, move) for move in position.moves]
        stones = [
            f"{cell[1]},{cell[0]},{1 if number % 2 == ours else 2}"
            for number, cell in enumerate(cells)
            if cell is not None
        ]
        self._program.send("BOARD", *stones, "DONE")
        answer = self._program.until(lambda line: bool(line) and not line.upper().startswith(NO_MOVES))
        possible = {f"{column},{row}": move for (row, column), move in by_cell(position).items()}
        return move_of("gomocup", answer.replace(" ", ""), possible)


def _speak(command: Sequence[str]) -> Choose:
    return _Conversation(command).choose


INTERFACE = Interface("gomocup", ("gomoku", "mnk", "tictactoe"), _speak, is_program=True)
