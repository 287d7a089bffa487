"""The Universal Game Interface: UCI for any game. Moves are written as the game writes them here."""

from collections.abc import Sequence

from parlour_client.bots.interfaces.base import Choose, Interface, move_of
from parlour_client.bots.interfaces.program import Program
from parlour_client.bots.position import Position

SHARE = 0.5
"""Of what a move may take, so that there is time to answer."""
OF_CLOCK = 0.05
SECONDS = 1.0
"""Where neither is known."""


class Conversation:
    """One with a program, for all games; `dialect` is `ugi`, or `uci`."""

    def __init__(self, command: Sequence[str], dialect: str) -> None:
        self._program, self._dialect = Program(command), dialect
        self._program.send(dialect)
        self._program.until(lambda line: line == f"{dialect}ok")
        self._moves: list[str] = []

    def choose(self, position: Position) -> str:
        """The move that it finds best. Raises `WrongAnswer` and `ProgramEnded`."""
        moves = position.moves
        if moves[: len(self._moves)] != self._moves or not self._moves:
            self._program.send(f"{self._dialect}newgame", "isready")
            self._program.until(lambda line: line == "readyok")
        self._moves = moves
        self._program.send(f"position startpos{' moves ' if moves else ''}{' '.join(moves)}", "isready")
        self._program.until(lambda line: line == "readyok")
        seconds = SECONDS if position.clock is None else position.clock * OF_CLOCK
        if position.limit is not None:
            seconds = min(seconds, position.limit * SHARE)
        self._program.send(f"go movetime {max(1, round(seconds * 1000))}")
        answer = self._program.until(lambda line: line.startswith("bestmove"))
        possible = {move: move for move in position.legal_moves}
        return move_of(self._dialect, answer.removeprefix("bestmove").strip().partition(" ")[0], possible)


def _speak(command: Sequence[str]) -> Choose:
    return Conversation(command, "ugi").choose


INTERFACE = Interface("ugi", (), _speak, is_program=True)
