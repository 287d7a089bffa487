"""A bot's process from outside: started, asked for moves, and stopped when it takes too long."""

import asyncio
import json
import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from parlour_client.bot.faults import BotFault, Died, NotAMove, Raised, TooSlow, short
from parlour_client.bot.position import Position
from parlour_client.clean import as_name
from parlour_client.faults import UsageFault
from parlour_protocol.to_server import GivenReport

LONGEST_LINE = 2**20
START_SECONDS = 30.0
_REPORTS = TypeAdapter(GivenReport)


@dataclass(frozen=True, slots=True)
class Choice:
    """A move that was chosen, how the bot says that it came to it, and the seconds that it took."""

    move: str
    report: GivenReport | None
    seconds: float


class Mind:
    """A bot's file in a process of its own, so that it may think without end and nothing here waits.

    Enter it (`async with`): that raises `UsageFault` with a sentence where the file can't be played with.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.stem
        self.games: tuple[str, ...] = ()
        """Those that the file claims to play; empty: all."""
        self._process: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> "Mind":
        await self._start()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.stop()

    def plays(self, game: str) -> bool:
        """Does the file claim to play this game?"""
        return not self.games or game in self.games or game.partition(":")[0] in self.games

    async def choose(self, position: Position, limit: float | None = None) -> Choice:
        """Ask for a move, and wait for `limit` seconds at most. Raises `BotFault`.

        Who gives the waiting up ends the process, since nothing else ends a thought; the next
        question starts another.
        """
        if self._process is None or self._process.returncode is not None:
            await self._start()
        try:
            async with asyncio.timeout(limit):
                return self._read(await self._ask({**position.as_json()}))
        except TimeoutError:
            await self.stop()
            raise TooSlow(f"It took longer than the {limit:g} s that it has for a move.") from None
        except asyncio.CancelledError:
            await self.stop()
            raise

    async def stop(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    async def _start(self) -> None:
        if getattr(sys, "frozen", False):
            raise UsageFault("This one file has no Python for yours: install parlour-client to run bots.")
        if not self.path.is_file():
            raise UsageFault(f"There is no file {str(self.path)!r}.")
        # -P: of the folders only the file's own is looked for modules in. A Ctrl-C is for us.
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "parlour_client.bot.worker", str(self.path)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=LONGEST_LINE,
            start_new_session=os.name != "nt",
        )
        try:
            async with asyncio.timeout(START_SECONDS):
                first = await self._hear()
        except TimeoutError:
            await self.stop()
            said = (
                f"{self.path.name} was not loaded within {START_SECONDS:g} s: do what takes long in choose."
            )
            raise UsageFault(said) from None
        except BotFault:
            await self.stop()
            raise UsageFault(f"{self.path.name} ended its own process while it was loaded.") from None
        if "broken" in first:
            await self.stop()
            raise UsageFault(short(first["broken"]))
        self.name = as_name(first["ready"]["name"]) or "bot"
        self.games = tuple(first["ready"]["games"])

    async def _ask(self, question: dict[str, Any]) -> dict[str, Any]:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(question).encode() + b"\n")
        # A process that is gone shows by saying nothing.
        with suppress(ConnectionError):
            await self._process.stdin.drain()
        return await self._hear()

    async def _hear(self) -> dict[str, Any]:
        assert self._process is not None
        assert self._process.stdout is not None
        line = await self._process.stdout.readline()
        if not line.endswith(b"\n"):
            raise Died(await self._process.wait())
        heard: dict[str, Any] = json.loads(line)
        return heard

    def _read(self, answer: dict[str, Any]) -> Choice:
        match answer:
            case {"fault": fault}:
                raise Raised(fault["file"], fault["line"], fault["error"], fault["source"])
            case {"odd": returned}:
                raise NotAMove(returned)
            case _:
                report = answer["report"]
                given = None if report is None else _REPORTS.validate_json(json.dumps(report))
                return Choice(answer["move"], given, answer["seconds"])
