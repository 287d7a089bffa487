"""A bot's process from outside: started, asked for moves, and stopped when it takes too long."""

import asyncio
import json
import os
import re
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, TypeVar

from pydantic import TypeAdapter

from parlour_client.bots import supervisor
from parlour_client.bots.entrant import Own, own
from parlour_client.bots.errors import (
    BotError,
    Broken,
    Died,
    Illegal,
    NotAMove,
    OutOfMemory,
    Raised,
    TooSlow,
)
from parlour_client.bots.guard import GUARDED
from parlour_client.bots.limits import MEMORY
from parlour_client.bots.position import Position
from parlour_client.sdk.errors import UsageError
from parlour_client.sdk.identity import as_name
from parlour_client.sdk.sanitize import clean
from parlour_protocol.nearest import nearest
from parlour_protocol.views.reports import ProgramReport
from parlour_protocol.words import say

LONGEST_LINE = 2**23
START_SECONDS = 30.0
END_SECONDS = 10.0
"""So long a process may take to be gone."""
SUPERVISOR = Path(supervisor.__file__)
_REPORTS = TypeAdapter(ProgramReport)
AnswerT = TypeVar("AnswerT")


@dataclass(frozen=True, slots=True)
class ChosenMove:
    """A move that was chosen, how the bot says that it came to it, and the seconds that it took."""

    move: str
    report: ProgramReport | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Called:
    """What a function of a bot's file gave."""

    value: float | None
    """Where it is a number."""
    shown: str
    calls: int
    """How many calls of the file's functions that took."""


@dataclass(frozen=True, slots=True)
class Traced:
    """What a bot's own functions looked at for a move."""

    move: str
    visited: int
    """How many positions, told or not."""
    nodes: list[tuple[int | None, tuple[int, ...], list[float]]]
    """The first of them: from which other one each was come to, its cells, and the numbers given for it."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Where an untrusted file runs: its folder, a prefix such as `bwrap` for its command, its environment."""

    folder: Path
    before: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)


class BotProcess:
    """A bot's file in a process of its own, so that it may think without end and nothing here waits.

    Enter it (`async with`): that raises `UsageError` with a sentence where the file can't be played with.
    """

    def __init__(self, bot: Path | str, memory: int = MEMORY, cell: "Cell | None" = None) -> None:
        """`bot`: a file, or what `entrant.own` reads; `memory`: the bytes that it may hold, with all that it
        starts (on Linux); `cell`: where it is shut in, for a file that isn't trusted."""
        self._cell = cell
        self._typed = str(bot)
        self._own = own(self._typed) or Own(None, (self._typed,))
        self.path = self._own.path
        self._memory = memory
        self.name = self.path.stem
        self.interface = "parlour"
        """How it is called: known once it was started."""
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
        return not self.games or game in self.games or re.split("[:@]", game)[0] in self.games

    def check_games(self, known: Iterable[str]) -> None:
        """Raise `UsageError` where the file claims a game that is almost called like one of these."""
        names = [game.partition(":")[0] for game in known]
        for claimed in self.games:
            name = claimed.partition(":")[0]
            if name not in names and (near := nearest(name, names)):
                shown = {"claimed": repr(clean(claimed)), "meant": repr(near[0])}
                raise UsageError(say("error.bot.misspelt_game", file=self.path.name, **shown))

    def check(self, game: str) -> None:
        """Raise `UsageError` where the file does not claim the game."""
        if not self.plays(game):
            self.check_games([game])
            claimed, file = ", ".join(clean(one) for one in self.games), self.path.name
            raise UsageError(say("error.bot.other_game", file=file, claimed=claimed, game=clean(game)))

    async def choose(
        self, position: Position, limit: float | None = None, seed: str | None = None
    ) -> ChosenMove:
        """Ask for a move, and wait for `limit` seconds at most. Raises `BotError`.

        With a `seed`, what the file draws from `random` for this move follows from that. Cancelling this ends
        the process, since nothing else stops a search; the next question starts a new one.
        """
        return await self._answered(_question(position, limit, seed), limit, self._read)

    async def _answered(
        self, question: dict[str, Any], limit: float | None, read: Callable[[dict[str, Any]], AnswerT]
    ) -> AnswerT:
        try:
            if self._process is None or self._process.returncode is not None:
                await self.stop()
                await self._start()
            async with asyncio.timeout(limit):
                return _understood(read, await self._ask(question))
        except TimeoutError:
            await self.stop()
            raise TooSlow(say("error.bot.too_slow", seconds=f"{limit:g}")) from None
        except (asyncio.CancelledError, Broken, Died, OutOfMemory):
            await self.stop()
            raise

    async def call(self, function: str, position: Position, limit: float | None = None) -> Called | None:
        """Call a function of the file with a position; None where it has none of that name.

        Raises `BotError`.
        """
        question = _question(position, limit, None) | {"call": function}
        return await self._answered(question, limit, _called)

    async def trace(self, position: Position, most: int, limit: float | None = None) -> Traced:
        """Ask for a move, and hear of the first `most` positions that were looked at. Raises `BotError`."""
        question = _question(position, limit, "trace") | {"trace": most}

        def traced(answer: dict[str, Any]) -> Traced:
            nodes = [(one["parent"], tuple(one["cells"]), one["numbers"]) for one in answer["nodes"]]
            return Traced(self._read(answer).move, answer["visited"], nodes)

        return await self._answered(question, limit, traced)

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
            raise UsageError(say("error.bot.one_file"))
        if not self._own.is_command and not self.path.is_file():
            where = repr(str(self.path))
            folder = self.path.is_dir()
            raise Broken(say("error.folder_to_read" if folder else "error.no_file", file=where))
        # -P: of the folders only the file's own is looked for modules in.
        command = [sys.executable, "-P", "-m", "parlour_client.bots.worker", self._typed]
        files: tuple[int, ...] = ()
        if os.name != "nt":
            assert self._printed is not None, "it was entered"
            files = (self._printed.fileno(),)
            limits = (str(self._memory), str(files[0]))
            sentences = printing_sentences(clean(self.path.name))
            command = [sys.executable, "-I", "-S", str(SUPERVISOR), *sentences, *limits, *command]
        cell = self._cell
        if cell is not None:
            command = [*cell.before, *command]
        # A Ctrl-C is for us.
        self._process = await asyncio.create_subprocess_exec(
            *command,
            cwd=None if cell is None else cell.folder,
            env=None if cell is None else cell.environment,
            stderr=asyncio.subprocess.DEVNULL if cell is not None or GUARDED in os.environ else None,
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
            slow = say("error.bot.slow_start", file=self.path.name, seconds=f"{START_SECONDS:g}")
            raise Broken(slow) from None
        except Died:
            raise Broken(say("error.bot.ended_itself", file=self.path.name)) from None
        except OutOfMemory as full:
            raise Broken(str(full)) from None
        if "broken" in first:
            raise Broken(str(first["broken"]))
        try:
            self.name, self.games, self.interface = _understood(_ready, first)
        except Died as error:
            raise Broken(str(error)) from None

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
            raise Died(say("error.bot.unreadable_answer")) from None
        if isinstance(answer, dict):
            if "memory" in answer:
                raise OutOfMemory(self.path.name, self._memory)
            if "processes" in answer:
                raise Died(say("error.bot.processes", count=supervisor.MOST_PROCESSES))
            return answer
        code = await _ended(self._process)
        # Minus a signal's number where one ended it.
        if code is not None and code < 0:
            how = say("error.bot.signal", number=str(-code))
        else:
            how = say("error.bot.exit_code", number=str(code))
        raise Died(say("error.bot.died", how=how))

    def _read(self, answer: dict[str, Any]) -> ChosenMove:
        match answer:
            case {"fault": fault}:
                raise Raised(**fault)
            case {"odd": returned}:
                raise NotAMove(returned)
            case {"wrong": said, "illegal": True}:
                raise Illegal("", [], said)
            case {"wrong": said}:
                raise NotAMove("", said)
            case _:
                report = answer["report"]
                given = None if report is None else _REPORTS.validate_json(json.dumps(report))
                return ChosenMove(answer["move"], given, answer["seconds"])


def _understood(read: Callable[[dict[str, Any]], AnswerT], answer: dict[str, Any]) -> AnswerT:
    """What an answer says. Raises `Died` where it isn't our worker's: a file may have written there."""
    try:
        return read(answer)
    except (KeyError, TypeError, ValueError):
        raise Died(say("error.bot.unreadable_answer")) from None


def _ready(first: dict[str, Any]) -> tuple[str, tuple[str, ...], str]:
    """A file's name, its games, and its interface."""
    ready = first["ready"]
    return as_name(ready["name"]) or "my_bot", tuple(ready["games"]), ready["interface"]


def _called(answer: dict[str, Any]) -> Called | None:
    match answer:
        case {"missing": True}:
            return None
        case {"fault": fault}:
            raise Raised(**fault)
        case _:
            return Called(answer["value"], answer["shown"], answer["calls"])


def _question(position: Position, limit: float | None, seed: str | None) -> dict[str, Any]:
    return {"position": position.as_json() | {"limit": limit}, "seed": seed}


def printing_sentences(name: str) -> tuple[str, str]:
    """What its supervisor says where a file has printed all that is shown, and where it prints too much."""
    kilobytes = {"at_once": supervisor.AT_ONCE // 1024, "a_second": supervisor.A_SECOND // 1024}
    return (
        say("error.bot.printed_enough", name=name, size=supervisor.IN_ALL // 1024),
        say("error.bot.prints_too_much", name=name, **kilobytes),
    )


async def _ended(process: asyncio.subprocess.Process) -> int | None:
    """Wait for its exit code; None where it takes too long, as where its pipes are held by another."""
    with suppress(TimeoutError):
        async with asyncio.timeout(END_SECONDS):
            assert process.stdout is not None
            # While its output isn't read it may not end.
            await process.stdout.read()
            await process.wait()
    return process.returncode
