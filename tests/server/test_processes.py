"""Several processes at one port over PostgreSQL: games go across them, and on without one of them."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import sys
import tempfile
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from structlog.testing import capture_logs

from parlour_server.processes import Processes, Ready, claim
from parlour_server.settings import ServerSettings
from tests.server.process import DEADLINE, Started, run, started
from tests.server.test_cli import CALM_SECONDS, one_sentence
from tests.support.client import RawClient, player
from tests.support.postgres import database
from tests.support.server import free_port
from tests.support.waiting import within

MANY = 60
"""So many connections are never all at one of two processes."""


@dataclass
class Command:
    """A command with several processes."""

    server: Started
    folder: Path
    """Where their admin sockets are."""

    def processes(self) -> dict[int, Path]:
        """Those that are ready, each with its admin socket."""
        return {int(path.stem): path for path in self.folder.glob("parlour/*.admin")}

    async def ask(self, process: int, request: str) -> dict[str, Any]:
        """What one of them answers to its keeper."""
        reader, writer = await asyncio.open_unix_connection(self.processes()[process])
        writer.write(json.dumps({"type": request}).encode() + b"\n")
        answer: dict[str, Any] = json.loads(await reader.readline())
        writer.close()
        return answer

    async def process_of(self, name: str) -> int:
        """The one that a player is connected to."""
        for process in self.processes():
            if name in [row["name"] for row in (await self.ask(process, "players"))["players"]]:
                return process
        raise AssertionError(f"{name} is nowhere")


PRINTS = """
import importlib.abc
import sys

class Prints(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "parlour_server.app":
            print("Is this the way to the players?", flush=True)

sys.meta_path.insert(0, Prints())
"""
"""As a game may do that is installed, while it is loaded."""


@contextlib.asynccontextmanager
async def serving() -> AsyncIterator[Command]:
    """A server of two processes."""
    # A path short enough for sockets.
    with tempfile.TemporaryDirectory(prefix="p") as folder:
        options = ("--processes", "2", "--player-milliseconds", "0", "--search-executor", "thread")
        (Path(folder) / "sitecustomize.py").write_text(PRINTS)
        async with (
            database() as url,
            started(*options, "--data", url, XDG_RUNTIME_DIR=folder, PYTHONPATH=folder) as server,
        ):
            yield Command(server, Path(folder))


async def stranger(stack: contextlib.AsyncExitStack, command: Command, process: int) -> RawClient:
    """A player who is connected to another process than this one."""
    for number in range(MANY):
        name = f"P{number}"
        client = await stack.enter_async_context(player(command.server.url, name))
        if await command.process_of(name) != process:
            return client
    raise AssertionError("all connections lead to the same process")


async def test_a_game_goes_across_processes_and_on_without_one_and_all_end_calmly() -> None:
    async with serving() as command, contextlib.AsyncExitStack() as stack:
        url = command.server.url
        before = command.processes()
        assert len(before) == 2
        async with player(url) as ada:
            token = ada.received[0]["token"]
            hers = await command.process_of("Ada")
            ben = await stranger(stack, command, hers)
            room = (await ada.ask("create", game="tictactoe"))["room"]
            await ada.ask("subscribe", room=room)
            assert (await ada.ask("sit", room=room))["type"] == "accepted"
            assert (await ben.ask("subscribe", room=room))["type"] == "accepted"
            assert (await ben.ask("sit", room=room))["type"] == "accepted"
            version = (await ada.event("game_started"))["version"]
            await play(ada, room, version, "a1")
            assert (await ben.event("move_played"))["event"]["move"] == "a1"
            await play(ben, room, version + 1, "b2")
            assert (await ada.event("move_played"))["event"]["move"] == "a1"
            assert (await ada.event("move_played"))["event"]["move"] == "b2"
            os.kill(hers, signal.SIGKILL)
        # Until then its socket may still take connections.
        await within(DEADLINE, lambda: not Path(f"/proc/{hers}").exists())
        async with player(url, token=token) as ada:
            await ada.ask("subscribe", room=room)
            await play(ada, room, version + 2, "c3")
            assert (await ben.event("move_played"))["event"]["move"] == "b2"
            assert (await ben.event("move_played"))["event"]["move"] == "c3"
        await within(DEADLINE, lambda: len(command.processes()) == 2 and hers not in command.processes())
        after = command.processes()
        async with asyncio.timeout(DEADLINE):
            # They find each other with their next beats.
            while (await command.ask(min(after), "status"))["nodes"] < 2:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        end = await command.server.end(signal.SIGTERM, CALM_SECONDS)
    assert (end.code, end.said) == (0, "")
    assert end.complained.count("a process has ended, and another takes its place") == 1
    assert "Traceback" not in end.complained
    assert command.processes() == {}
    assert not any(Path(f"/proc/{process}").exists() for process in [*before, *after])


async def play(client: RawClient, room: str, version: int, move: str) -> None:
    accepted = await client.ask("play", room=room, version=version, move=move)
    assert accepted["type"] == "accepted", accepted


async def test_a_process_that_cannot_be_started_is_started_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, starts = tmp_path / "program", tmp_path / "starts"
    monkeypatch.setattr(sys, "executable", str(program))
    # It is ready at once, and does nothing.
    ready = json.dumps(asdict(Ready("ws://nowhere:1", 1, 0)))
    script = f"#!/bin/sh\necho start >> {starts}\necho '{ready}'\nexec cat > /dev/null\n"
    settings = ServerSettings(host="127.0.0.1", port=0, data="postgresql://nowhere/parlour")
    nothing = Processes(settings, lambda: None)
    with pytest.raises(FileNotFoundError):
        await nothing.start()
    await nothing.stop()

    processes = Processes(settings, lambda: None)
    program.write_text(script)
    program.chmod(0o700)
    await processes.start()
    program.rename(tmp_path / "moved")
    with capture_logs() as logs:
        (first,) = processes._running.values()
        first.kill()
        await within(DEADLINE, lambda: "a process can't be started" in [line["event"] for line in logs])
        (tmp_path / "moved").rename(program)
        await within(DEADLINE, lambda: starts.read_text().count("start") == 2)
    await processes.stop()


async def test_drained_by_one_all_end() -> None:
    async with serving() as command:
        answer = await command.ask(min(command.processes()), "drain")
        assert answer["type"] == "done"
        async with asyncio.timeout(DEADLINE):
            code = await command.server.process.wait()
    assert code == 0


@pytest.mark.parametrize("data", [":memory:", "rooms.db"])
async def test_what_is_for_one_process_is_refused_to_more(data: str) -> None:
    sentence = one_sentence(await run("--processes", "2", "--data", data), 2)
    assert data in sentence
    assert "--data postgresql://..." in sentence


def test_a_port_is_claimed_by_one_command_alone() -> None:
    port, claims = claim("127.0.0.1", 0)
    with claims[0], listening(port, socket.SO_REUSEPORT), listening(port, socket.SO_REUSEPORT):
        with pytest.raises(OSError):
            claim("127.0.0.1", port)
        with pytest.raises(OSError), listening(port, socket.SO_REUSEADDR):
            pass
    with listening(port, socket.SO_REUSEADDR), pytest.raises(OSError):
        claim("127.0.0.1", port)


def test_a_claim_holds_before_anybody_listens() -> None:
    port, claims = claim("127.0.0.1", 0)
    with claims[0]:
        with pytest.raises(OSError):
            claim("127.0.0.1", port)
        with pytest.raises(OSError), listening(port, socket.SO_REUSEADDR):
            pass


async def test_a_node_whose_port_is_taken_is_none() -> None:
    """Others would count it, and leave rooms to it, until its lease is over."""
    port = free_port()
    async with database() as url:
        with listening(port, socket.SO_REUSEADDR):
            end = await run("--port", str(port), "--data", url)
        assert one_sentence(end, 1).startswith(f"Port {port} on 127.0.0.1 is in use: ")
        connection = await asyncpg.connect(url)
        assert not await connection.fetch("SELECT node FROM parlour.nodes WHERE until > clock_timestamp()")
        await connection.close()


@contextlib.contextmanager
def listening(port: int, option: int) -> Any:
    with socket.socket() as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        one.setsockopt(socket.SOL_SOCKET, option, 1)
        one.bind(("127.0.0.1", port))
        one.listen()
        yield one
