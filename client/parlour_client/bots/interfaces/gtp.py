"""The Go Text Protocol, version 2: `play`, `genmove`.

Points are a letter (without I) and a number from the bottom, in either case. Each position is played anew
from an empty board, so that moves may be taken back.
"""

from collections.abc import Sequence

from parlour_client.bots.interfaces.base import Choose, Interface, by_cell, cell_of, move_of
from parlour_client.bots.interfaces.program import Program, ProgramEnded
from parlour_client.bots.position import Position
from parlour_protocol.words import say

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
COLOURS = "bw"
PASS = "PASS"  # noqa: S105 - no word to pass by, but to pass


class _Conversation:
    """One with a program, for all games."""

    def __init__(self, command: Sequence[str]) -> None:
        self._program = Program(command)
        self._set_up = ""
        """The game that it was set up for."""

    def choose(self, position: Position) -> str:
        """The move that it generates. Raises `WrongAnswer` and `ProgramEnded`."""
        height = len(position.board)
        if self._set_up != position.game:
            self._command(f"boardsize {height}")
            self._command(f"komi {_komi(position)}")
            self._set_up = position.game
        self._command("clear_board")
        for number, move in enumerate(position.moves):
            self._command(f"play {COLOURS[number % 2]} {_vertex(cell_of(position, move), height)}")
        possible = {_vertex(cell, height): move for cell, move in by_cell(position).items()}
        for move in position.view.done_at():
            possible[PASS] = move
        answer = self._command(f"genmove {COLOURS[len(position.moves) % 2]}")
        return move_of("gtp", answer.upper(), possible)

    def _command(self, command: str) -> str:
        """Its answer: `= ...`, or `? ...` for what it doesn't take, and an empty line. Raises."""
        self._program.send(command)
        answer = self._program.until(lambda line: line[:1] in ("=", "?"))
        if answer[0] == "?":
            raise ProgramEnded(say("error.bot.engine_refused", command=command, answer=answer))
        return answer[1:].strip()


def _vertex(cell: tuple[int, int] | None, height: int) -> str:
    return PASS if cell is None else f"{LETTERS[cell[1]]}{height - cell[0]}"


def _komi(position: Position) -> str:
    """What white's points have in them while the board is empty."""
    from parlour_client.bots.rules import rules_of

    return str(getattr(rules_of(position.game), "komi", 0))


def _speak(command: Sequence[str]) -> Choose:
    return _Conversation(command).choose


INTERFACE = Interface("gtp", ("go",), _speak, is_program=True)
