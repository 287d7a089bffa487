"""Bots' files, and a process that a test thinks for."""

from collections.abc import Awaitable, Callable
from inspect import isawaitable
from pathlib import Path

from parlour_client.bots.position import Position
from parlour_client.bots.process import BotProcess, ChosenMove
from parlour_protocol.views.reports import ProgramReport

FIRST = "def choose(position):\n    return position.legal_moves[0]\n"


def write(folder: Path, source: str = FIRST, name: str = "mybot.py") -> Path:
    """A file with that in it."""
    path = folder / name
    path.write_text(source, encoding="utf-8")
    return path


Found = str | tuple[str, ProgramReport | None]
Thought = Callable[[Position], Found | Awaitable[Found]]


class Thinks(BotProcess):
    """A bot within the test's own process: its answers are given."""

    def __init__(self, thought: Thought, name: str = "deep", games: tuple[str, ...] = ()) -> None:
        super().__init__(Path(f"{name}.py"))
        self.games = games
        self.asked: list[list[str]] = []
        """The moves of each position that it was asked about."""
        self._thought = thought

    async def choose(
        self, position: Position, limit: float | None = None, seed: str | None = None
    ) -> ChosenMove:
        self.asked.append(position.moves)
        found = self._thought(position)
        if isawaitable(found):
            found = await found
        move, report = found if isinstance(found, tuple) else (found, None)
        return ChosenMove(move, report, 0.0)


def first_legal(position: Position) -> str:
    return position.legal_moves[0]
