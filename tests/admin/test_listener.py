"""The admin socket: its owner's alone, one answer for each line, bounded, gone afterwards."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from parlour_protocol.answers import Refused
from parlour_protocol.errors import Code
from parlour_protocol.local.admin import (
    MAX_REQUEST_BYTES,
    AdminRequest,
    Announce,
    Done,
    Kick,
    Progress,
    decode_answer,
    encode_line,
)
from parlour_server.admin import listener
from parlour_server.admin.listener import MOST_CONNECTIONS, AdminListener
from parlour_server.store import port as store

Peer = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def echo(request: AdminRequest[Any], uid: int | None, progress: store.Progress) -> Any:
    if isinstance(request, Kick):
        raise RuntimeError("a bug")
    progress(1, 2)
    assert isinstance(request, Announce)
    return Done(f"{request.target} by {uid}")


@asynccontextmanager
async def listening(path: Path, handle: listener.Handle = echo) -> AsyncIterator[AdminListener]:
    here = AdminListener(handle)
    await here.start([path])
    try:
        yield here
    finally:
        await here.stop()


async def ask(peer: Peer, line: bytes) -> Any:
    peer[1].write(line)
    return decode_answer(await peer[0].readline())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "admin"


async def test_only_its_owner_may_connect(path: Path) -> None:
    async with listening(path):
        assert path.stat().st_mode & 0o777 == 0o600
    assert not path.exists()


async def test_each_line_is_answered_with_whose_it_was(path: Path) -> None:
    async with listening(path):
        peer = await asyncio.open_unix_connection(path)
        for text in ("one", "two"):
            peer[1].write(encode_line(Announce(text=text)))
            answers = [decode_answer(await peer[0].readline()) for _ in range(2)]
            said = next(one for one in answers if isinstance(one, Done))
            assert said == Done(f"{text} by {os.getuid()}")
            assert Progress(1, 2) in answers
        peer[1].close()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"\n", "That is not JSON: send one JSON object."),
        (b"[]\n", "The message is wrong. "),
        (
            b'{"type": "sing"}\n',
            "The message has a `type` that this server doesn't know. Known: status",
        ),
        (b'{"type": "kick"}\n', "The field `player` is missing."),
        (b'{"type": "kick", "player": 1}\n', "`player` is wrong. "),
        (b'{"type": "kick", "player": "Ada", "x": 1}\n', "There is no field `x` here: leave it out."),
        (b'{"type": "ban", "who": "Ada", "seconds": -1}\n', "`seconds` is wrong. "),
        (b"\xff\xfe\n", "That is not JSON: "),
    ],
)
async def test_what_can_not_be_read_is_answered_and_the_talk_goes_on(
    path: Path, line: bytes, said: str
) -> None:
    async with listening(path):
        peer = await asyncio.open_unix_connection(path)
        answer = await ask(peer, line)
        assert isinstance(answer, Refused)
        assert answer.message.startswith(said)
        peer[1].write(encode_line(Announce(text="still")))
        assert await peer[0].readline()
        peer[1].close()


async def test_a_line_without_end_ends_the_talk(path: Path) -> None:
    async with listening(path):
        peer = await asyncio.open_unix_connection(path)
        answer = await ask(peer, b"x" * (3 * MAX_REQUEST_BYTES))
        assert answer == Refused(Code.BAD_MESSAGE, f"A request has at most {MAX_REQUEST_BYTES} bytes.")
        assert await peer[0].read() == b""
        peer[1].close()


async def test_a_fault_of_ours_is_a_sentence(path: Path) -> None:
    async with listening(path):
        peer = await asyncio.open_unix_connection(path)
        answer = await ask(peer, encode_line(Kick(player="Ada")))
        assert answer == Refused(Code.INTERNAL, "That is a fault of the server's: its log tells why.")
        peer[1].close()


async def test_there_is_room_for_so_many(path: Path) -> None:
    async with listening(path):
        peers = [await asyncio.open_unix_connection(path) for _ in range(MOST_CONNECTIONS)]
        for peer in peers:
            await ask(peer, encode_line(Kick(player="Ada")))
        late = await asyncio.open_unix_connection(path)
        assert isinstance(decode_answer(await late[0].readline()), Refused)
        assert await late[0].read() == b""
        for peer in [*peers, late]:
            peer[1].close()


async def test_at_the_end_what_is_being_answered_is_answered(path: Path) -> None:
    begun, go = asyncio.Event(), asyncio.Event()

    async def slow(request: AdminRequest[Any], uid: int | None, progress: store.Progress) -> Any:
        begun.set()
        await go.wait()
        return Done("done")

    async with listening(path, slow) as here:
        idle, busy = [await asyncio.open_unix_connection(path) for _ in range(2)]
        busy[1].write(encode_line(Announce(text="x")))
        await begun.wait()
        stopping = asyncio.create_task(here.stop())
        assert await idle[0].read() == b""
        go.set()
        assert decode_answer(await busy[0].readline()) == Done("done")
        await stopping
        for peer in (idle, busy):
            peer[1].close()


async def test_a_killed_servers_socket_is_replaced(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as old:
        old.bind(str(path))
    async with listening(path):
        peer = await asyncio.open_unix_connection(path)
        assert await ask(peer, b"\n")
        peer[1].close()


async def test_no_file_of_somebodys_is_replaced(path: Path) -> None:
    path.write_text("precious")
    with pytest.raises(FileExistsError):
        await AdminListener(echo).start([path])
    assert path.read_text() == "precious"


async def test_where_a_path_is_too_long_the_next_is_taken(tmp_path: Path, path: Path) -> None:
    here = AdminListener(echo)
    await here.start([tmp_path / ("x" * 120), path])
    assert here.path == path
    await here.stop()
