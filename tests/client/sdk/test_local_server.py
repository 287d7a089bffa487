"""The server that this machine shares: found, started, joined by others, and ended with its last player."""

import asyncio
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Barrier
from types import SimpleNamespace
from typing import IO, Any

import pytest

from parlour_client.sdk import departure, local_server
from parlour_client.sdk.client import connect
from parlour_client.sdk.data_file import data_file, log_file, player_realm, usual_server
from parlour_client.sdk.departure import depart
from parlour_client.sdk.errors import ServerStartFailed
from parlour_client.sdk.identity import GuestIdentity, StoredIdentity
from parlour_client.sdk.local_server import ServerTarget, find, identify, own_server, shared_server
from parlour_protocol.answers import Closing
from parlour_protocol.local.server_info import ServerInfo, read_note, remove_note, write_note
from tests.client.terminal import PATIENCE, Served
from tests.support.fork_server import Spawned
from tests.support.server import serving


class Forked(Spawned):
    """The server's process, forked off one that has loaded it; to its parent it is as `subprocess.Popen`."""

    def __init__(
        self, command: list[str], stdin: int, stdout: int, stderr: IO[bytes], env: dict[str, str], **_: Any
    ) -> None:
        assert command[:4] == [sys.executable, "-P", "-m", "parlour_server"]
        typed, keyboard = os.pipe()
        said, printer = os.pipe()
        self.stdin, self.stdout = os.fdopen(keyboard, "wb"), os.fdopen(said, "rb")
        if stdin == subprocess.DEVNULL:
            self.stdin.close()
        super().__init__("parlour_server", command[4:], env, (typed, printer, stderr.fileno()))
        os.close(typed)
        os.close(printer)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def __del__(self) -> None:
        self._line.close()
        self.stdin.close()


@pytest.fixture
def data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """The ordinary data file, for which no server runs: neither before nor after the test."""
    data = tmp_path / "rooms.db"
    forked = SimpleNamespace(
        Popen=Forked, PIPE=subprocess.PIPE, DEVNULL=subprocess.DEVNULL, TimeoutExpired=TimeoutError
    )
    monkeypatch.setattr(local_server, "subprocess", forked)
    # However busy the machine is: one that answers late is no other one.
    for module in (local_server, departure):
        monkeypatch.setattr(module, "ANSWER_SECONDS", PATIENCE)
    monkeypatch.setenv("PARLOUR_DATA", str(data))
    monkeypatch.setenv("PARLOUR_PORT", "0")
    monkeypatch.delenv("PARLOUR_SERVER", raising=False)
    yield data
    if (holder := read_note(data)) is not None:
        with suppress(ProcessLookupError):
            os.kill(holder.pid, signal.SIGKILL)


def visit(server: str, name: str = "Ada") -> Closing | None:
    """Connect, and leave."""

    async def come_and_go() -> Closing | None:
        async with connect(server, name) as parlour:
            return await depart(parlour)

    return asyncio.run(come_and_go())


def test_it_is_started_once_and_found_by_others(data: Path) -> None:
    assert find() is None
    with shared_server() as first:
        assert first == ServerTarget(first.server, host=True)
        with shared_server() as second:
            assert second == ServerTarget(first.server)
        holder = read_note(data)
        assert holder is not None
        assert (holder.url, holder.shared) == (first.server, True)
    assert find() == first.server


def test_who_leaves_last_ends_it(data: Path) -> None:
    with shared_server() as place:
        # As it began: everything is kept, and nothing is open once the answer is there.
        assert visit(place.server) == Closing(id_of_last(), True, [], str(data))
        assert read_note(data) is None
        assert find() is None
        assert data.exists()
    with shared_server() as again:
        assert again.host
        visit(again.server)


def id_of_last() -> str:
    """Stands for any command's id."""

    class Any(str):
        def __eq__(self, other: object) -> bool:
            return isinstance(other, str)

        __hash__ = str.__hash__

    return Any()


def test_of_many_that_start_at_once_one_starts_it(data: Path) -> None:
    many = 4
    together = Barrier(many)
    with ExitStack() as stack, ThreadPoolExecutor(many) as threads:

        def enter(_: int) -> ServerTarget:
            together.wait()
            return stack.enter_context(shared_server())

        places = list(threads.map(enter, range(many)))
        assert len({place.server for place in places}) == 1
        assert sorted(place.host for place in places) == [False] * (many - 1) + [True]


def test_a_stranger_on_the_usual_port_is_in_nobodys_way(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as stranger, ThreadPoolExecutor(1) as threads:
        monkeypatch.setenv("PARLOUR_PORT", str(stranger.getsockname()[1]))

        def hang_up() -> None:
            with suppress(OSError):
                while True:
                    stranger.accept()[0].close()

        threads.submit(hang_up)
        try:
            with shared_server() as place:
                assert place.host
                assert place.server != usual_server()
                assert find() == place.server
                visit(place.server)
        finally:
            stranger.shutdown(socket.SHUT_RDWR)


def test_a_server_that_somebody_hosts_is_joined(data: Path, tmp_path: Path) -> None:
    served = Served(tmp_path)
    try:
        with shared_server() as place:
            assert place == ServerTarget(f"ws://127.0.0.1:{served.port}")
            # That is not ours to close.
            assert visit(place.server) is None
            assert find() == place.server
    finally:
        served.kill()


def test_the_usual_port_goes_before_the_data_file(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (data.parent / "other").mkdir()
    other = Served(data.parent / "other")
    monkeypatch.setenv("PARLOUR_PORT", str(other.port))
    try:
        with shared_server() as place:
            assert (place.server, place.host) == (usual_server(), False)
            assert player_realm(place.server) == place.server
    finally:
        other.kill()


def process_of(data: Path) -> int:
    """The server that has the data file, or had it when it was killed."""
    held = read_note(data)
    assert held is not None
    return held.pid


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until it holds."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def keepers() -> list[str]:
    """The threads that look after a server."""
    return [thread.name for thread in threading.enumerate() if thread.name == "parlour-supervisor"]


def test_after_a_kill_the_next_one_starts(data: Path) -> None:
    with shared_server() as place:
        killed = process_of(data)
    os.kill(killed, signal.SIGKILL)
    with shared_server() as next_one:
        assert next_one.host
        visit(next_one.server)
    assert place.host


async def test_who_started_it_starts_it_again_after_a_kill(data: Path) -> None:
    with shared_server() as place:
        assert len(keepers()) == 1
        with shared_server() as joined:
            assert len(keepers()) == 1
            assert joined.advice() == "Run parlour elsewhere to restart it."
        async with connect(place.server, "Ada") as ada:
            room = await ada.create("tictactoe", opponent="random")
            await room.play("b2")
            killed = process_of(data)
            os.kill(killed, signal.SIGKILL)
            # At the same address, for what is asked waits until it is there.
            assert room.code in [line.room for line in (await ada.rooms()).rooms]
            assert process_of(data) != killed
            assert place.advice() == ""
            await depart(ada)
    assert keepers() == []


async def test_one_that_was_closed_is_not_started_again(data: Path) -> None:
    with shared_server() as place:
        await asyncio.to_thread(visit, place.server)
        # It looks once more, sees that it ended by itself, and is done.
        await asyncio.to_thread(wait_for, lambda: keepers() == [])
        assert find() is None
        assert read_note(data) is None


def test_one_that_dies_again_and_again_is_given_up(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # However long the machine takes to start one.
    monkeypatch.setattr(local_server, "SHORT_LIFE_SECONDS", PATIENCE)
    monkeypatch.setattr(local_server, "MOST_SHORT_LIVES", 2)
    with shared_server() as place:
        killed = 0
        for _ in range(local_server.MOST_SHORT_LIVES):
            wait_for(lambda before=killed: process_of(data) != before)  # type: ignore[misc]
            assert place.advice() == ""
            killed = process_of(data)
            os.kill(killed, signal.SIGKILL)
        # It may have been killed before it had said that it was ready, which counts just the same.
        wait_for(lambda: keepers() == [])
        assert process_of(data) == killed
        assert place.advice() == (
            f"Run parlour elsewhere to restart it. It died 2 times in a row. Its log is {data}.log."
        )


def test_its_log_stands_beside_its_data_file_and_does_not_grow_for_ever(data: Path) -> None:
    log = log_file(str(data))
    log.write_bytes(b"kept\n")
    with shared_server() as place:
        assert log.read_bytes().startswith(b"kept\n")
        visit(place.server)
    log.write_bytes(b"x" * (local_server.LARGEST_LOG + 1))
    wait_for(lambda: read_note(data) is None)
    with shared_server() as place:
        assert b"xx" not in log.read_bytes()
        visit(place.server)


def test_the_note_of_a_killed_server_is_no_other_ones(data: Path) -> None:
    # More than any process has.
    write_note(data, ServerInfo("ws://127.0.0.1:9", 2**31 - 1))
    assert player_realm("ws://127.0.0.1:9") == "ws://127.0.0.1:9"
    write_note(data, ServerInfo("ws://127.0.0.1:9", os.getpid()))
    assert player_realm("ws://127.0.0.1:9") == data_file()
    remove_note(data)


def test_a_file_that_another_program_has_is_named(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with shared_server() as place:
        visit(place.server)
    database = sqlite3.connect(data)
    try:
        database.execute("PRAGMA locking_mode = EXCLUSIVE")
        database.execute("BEGIN EXCLUSIVE")
        # One that is a server behind TLS has to be named.
        write_note(data, ServerInfo("wss://127.0.0.1:9", os.getpid()))
        with pytest.raises(ServerStartFailed, match="name that with --server"), shared_server():
            pass
        remove_note(data)
        monkeypatch.setattr(local_server, "START_SECONDS", 0.1)
        with pytest.raises(ServerStartFailed), shared_server():
            pass
    finally:
        database.close()


def test_a_server_without_a_file_takes_its_games_with_it(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARLOUR_DATA", ":memory:")
    with shared_server() as place:
        closing = visit(place.server)
        assert closing is not None
        assert (closing.closing, closing.saved_in) == (True, None)


def test_a_named_server_is_taken_as_it_is(data: Path) -> None:
    for server in (shared_server, own_server):
        with server("127.0.0.1:9") as place:
            assert place == ServerTarget("ws://127.0.0.1:9", named=True)


def test_one_is_the_same_player_wherever_the_data_file_is_served(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PARLOUR_STATE", str(tmp_path / "state"))
    paths = set()
    for _ in range(2):
        with shared_server() as place:
            assert player_realm(place.server) == data_file()
            assert player_realm(place.server.replace("127.0.0.1", "localhost")) == data_file()
            assert player_realm("ws://127.0.0.1:1") == "ws://127.0.0.1:1"
            identity = identify(place, "Ada", pytest.fail)
            assert isinstance(identity, StoredIdentity)
            paths.add(identity.path)
            visit(place.server)
    assert len(paths) == 1


def test_a_server_of_our_own_knows_nobody(data: Path) -> None:
    with own_server() as place:
        assert place.own
        assert isinstance(identify(place, "Ada", pytest.fail), GuestIdentity)
        assert find() is None
    assert not data.exists()


async def test_a_server_that_ends_is_not_found(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ends: list[bool] = []
    async with serving(when_empty=lambda: ends.append(True)) as url:
        monkeypatch.setenv("PARLOUR_PORT", url.rpartition(":")[2])
        assert await asyncio.to_thread(find) == url
        async with connect(url, "Ada") as ada, connect(url, "Bo") as bo:
            assert (await ada.close_server()) == Closing(id_of_last(), False, ["Bo"])
            assert ends == []
            closing = await bo.close_server(force=True)
            assert closing is not None
            assert closing.closing
            assert ends == [True]
        assert await asyncio.to_thread(find) is None
