"""A bot's process from outside: started, asked for moves, and stopped when it takes too long."""

import asyncio
import json
import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from pydantic import TypeAdapter

from parlour_client.bots.errors import BotError, Broken, Died, NotAMove, OutOfMemory, Raised, TooSlow
from parlour_client.bots.limits import MEMORY
from parlour_client.bots.position import Position
from parlour_client.sdk.errors import UsageError
from parlour_client.sdk.identity import as_name
from parlour_client.text.sanitize import clean
from parlour_protocol.views.reports import ProgramReport

LONGEST_LINE = 2**20
START_SECONDS = 30.0
END_SECONDS = 10.0
"""So long a process may take to be gone."""
SUPERVISOR = Path(__file__).with_name("supervisor.py")
_REPORTS = TypeAdapter(ProgramReport)


@dataclass(frozen=True, slots=True)
class ChosenMove:
    """A move that was chosen, how the bot says that it came to it, and the seconds that it took."""

    move: str
    report: ProgramReport | None
    seconds: float


class BotProcess:
    """A bot's file in a process of its own, so that it may think without end and nothing here waits.

    Enter it (`async with`): that raises `UsageError` with a sentence where the file can't be played with.
    """

    def __init__(self, path: Path, memory: int = MEMORY) -> None:
        """`memory`: the bytes that it may hold, with all that it starts (on Linux)."""
        self.path = path
        self._memory = memory
        self.name = path.stem
        self.games: tuple[str, ...] = ()
        """Those that the file claims to play; empty: all."""
        self._process: asyncio.subprocess.Process | None = None
        self._printed: IO[bytes] | None = None
        """How much it has printed, kept there by one supervisor for the next."""

    async def __aenter__(self) -> "BotProcess":
        self._printed = TemporaryFile()  # noqa: SIM115 - closed by __aexit__
        try:
            await self._start()
        except BaseException as error:
            await self.__aexit__()
            if isinstance(error, BotError):
                raise UsageError(str(error)) from None
            raise
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.stop()
        if self._printed is not None:
            self._printed.close()

    def plays(self, game: str) -> bool:
        """Does the file claim to play this game?"""
        return not self.games or game in self.games or game.partition(":")[0] in self.games

    def check(self, game: str) -> None:
        """Raise `UsageError` where the file does not claim the game."""
        if not self.plays(game):
            claimed = ", ".join(clean(one) for one in self.games)
            raise UsageError(f"{self.path.name} plays {claimed} (its GAMES), and not {clean(game)}.")

    async def choose(
        self, position: Position, limit: float | None = None, seed: str | None = None
    ) -> ChosenMove:
        """Ask for a move, and wait for `limit` seconds at most. Raises `BotError`.

        With a `seed`, what the file draws from `random` for this move follows from that. Who gives the
        waiting up ends the process, since nothing else ends a thought; the next question starts another.
        """
        try:
            if self._process is None or self._process.returncode is not None:
                await self.stop()
                await self._start()
            async with asyncio.timeout(limit):
                return self._read(await self._ask({"position": position.as_json(), "seed": seed}))
        except TimeoutError:
            await self.stop()
            raise TooSlow(f"It took longer than the {limit:g} s that it has for a move.") from None
        except (asyncio.CancelledError, Broken, Died, OutOfMemory):
            await self.stop()
            raise

    async def stop(self) -> None:
        """End the process, and all that it has started."""
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError, PermissionError):
                # Its supervisor ends the rest; Windows has none.
                process.terminate()
            await _ended(process)
            if process.returncode is None:
                with suppress(ProcessLookupError, PermissionError):
                    process.kill()
                await process.wait()

    async def _start(self) -> None:
        """Start the process, and hear what the file is. Raises `Broken`."""
        if getattr(sys, "frozen", False):
            raise UsageError("This one file has no Python for yours: install parlour-client to run bots.")
        if not self.path.is_file():
            where = repr(str(self.path))
            folder = f"{where} is a folder: name the file in it."
            raise Broken(folder if self.path.is_dir() else f"There is no file {where}.")
        # -P: of the folders only the file's own is looked for modules in.
        command = [sys.executable, "-P", "-m", "parlour_client.bots.worker", str(self.path)]
        files: tuple[int, ...] = ()
        if os.name != "nt":
            assert self._printed is not None, "it was entered"
            files = (self._printed.fileno(),)
            limits = (clean(self.path.name), str(self._memory), str(files[0]))
            command = [sys.executable, "-I", "-S", str(SUPERVISOR), *limits, *command]
        # A Ctrl-C is for us.
        self._process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=LONGEST_LINE,
            pass_fds=files,
            start_new_session=os.name != "nt",
        )
        try:
            async with asyncio.timeout(START_SECONDS):
                first = await self._receive()
        except TimeoutError:
            said = (
                f"{self.path.name} was not loaded within {START_SECONDS:g} s: do what takes long in choose."
            )
            raise Broken(said) from None
        except Died:
            raise Broken(f"{self.path.name} ended its own process while it was loaded.") from None
        except OutOfMemory as full:
            raise Broken(str(full)) from None
        if "broken" in first:
            raise Broken(first["broken"])
        self.name = as_name(first["ready"]["name"]) or "bot"
        self.games = tuple(first["ready"]["games"])

    async def _ask(self, question: dict[str, Any]) -> dict[str, Any]:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(question).encode() + b"\n")
        # A process that is gone shows by saying nothing.
        with suppress(ConnectionError):
            await self._process.stdin.drain()
        return await self._receive()

    async def _receive(self) -> dict[str, Any]:
        assert self._process is not None
        assert self._process.stdout is not None
        try:
            line = await self._process.stdout.readline()
            if line == b"\n":
                # Before what the supervisor has to say there is a line's end, in case of half an answer.
                line = await self._process.stdout.readline()
            answer = json.loads(line) if line.endswith(b"\n") else None
        except ValueError:
            # Longer than any answer, or none of ours: the file wrote to where it should not.
            raise Died("The bot's process answered what can't be read, and was ended.") from None
        if isinstance(answer, dict):
            if "memory" in answer:
                raise OutOfMemory(self.path.name, self._memory)
            return answer
        code = await _ended(self._process)
        # Minus a signal's number where one ended it.
        how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        raise Died(f"The bot's process ended while it was asked for a move ({how}).")

    def _read(self, answer: dict[str, Any]) -> ChosenMove:
        match answer:
            case {"fault": fault}:
                raise Raised(fault["file"], fault["line"], fault["error"], fault["source"])
            case {"odd": returned}:
                raise NotAMove(returned)
            case _:
                report = answer["report"]
                given = None if report is None else _REPORTS.validate_json(json.dumps(report))
                return ChosenMove(answer["move"], given, answer["seconds"])


async def _ended(process: asyncio.subprocess.Process) -> int | None:
    """Wait for its exit code; None where it takes too long, as where its pipes are held by another."""
    with suppress(TimeoutError):
        async with asyncio.timeout(END_SECONDS):
            assert process.stdout is not None
            # What it said last stands in the way of its end.
            await process.stdout.read()
            await process.wait()
    return process.returncode
