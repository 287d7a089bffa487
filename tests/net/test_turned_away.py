"""Over real sockets: who is not let in is shown why, at once, and nobody else notices."""

import asyncio
import ssl
import subprocess
import sys
from pathlib import Path

import pytest
from structlog.testing import capture_logs
from websockets.exceptions import InvalidStatus

from parlour_server.net.connection import Connection, Phase
from parlour_server.net.connection_limiter import ANSWERED_AT_ONCE, FILE_COST
from parlour_server.net.peers import FORWARDED
from parlour_server.net.site import own_site
from parlour_server.net.turned_away import ASK_SECONDS
from tests.net.frames import Peer
from tests.net.inside import watched
from tests.support.client import player, raw
from tests.support.server import ServerProcess
from tests.support.waiting import within

DEADLINE = 20.0
CERTIFICATE = Path(__file__).parent.parent / "server" / "loopback.pem"
HERE = {"trusted_proxy": ["127.0.0.1"]}
"""So that who connects in a test has an address that counts: the one in its header."""


def at(address: str) -> dict[str, dict[str, str]]:
    return {"additional_headers": {FORWARDED: address}}


async def test_an_address_with_too_many_connections_is_reported() -> None:
    async with watched(address_connections=1, **HERE) as (url, server):
        async with raw(url, **at("203.0.113.7")) as client:
            with pytest.raises(InvalidStatus) as refused:
                async with raw(url, **at("2.2.2.2, 203.0.113.7")):
                    pass
            response = refused.value.response
            assert (response.status_code, response.headers["Retry-After"]) == (429, "10")
            assert b"Your address has as many connections" in (response.body or b"")
            # Neither others nor they themselves notice anything.
            async with raw(url, **at("203.0.113.8")) as other:
                assert (await other.hello())["type"] == "welcome"
            assert (await client.hello())["type"] == "welcome"
        await within(DEADLINE, lambda: not server.connections)
        assert (server._factory.limiter.open, len(server._factory.limiter.by_address)) == (0, 0)
        async with raw(url, **at("203.0.113.7")) as client:
            assert (await client.hello())["type"] == "welcome"


async def test_a_server_with_as_many_connections_as_may_be_says_so() -> None:
    async with watched(connections=2) as (url, server), player(url) as ada:
        # One that never shakes hands counts, too.
        _, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
        await within(DEADLINE, lambda: len(server.connections) == 2)
        with capture_logs() as logs:
            for _ in range(3):
                with pytest.raises(InvalidStatus) as refused:
                    async with raw(url):
                        pass
                assert refused.value.response.status_code == 503
                assert refused.value.response.headers["Server"] == "parlour"
        assert len(logs) == 1
        writer.close()
        await within(DEADLINE, lambda: len(server.connections) == 1)
        async with player(url, "Ben") as ben:
            assert (await ben.ask("rooms"))["type"] == "rooms"
        assert (await ada.ask("rooms"))["type"] == "rooms"


async def test_silent_ones_that_are_turned_away_hold_few_handles(caplog: pytest.LogCaptureFixture) -> None:
    async with watched(connections=1) as (url, server):
        port = int(url.rpartition(":")[2])
        first = await Peer.connect(url)
        silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(4 * ANSWERED_AT_ONCE)]
        # All but a few are closed at once, without a word.
        closed = [asyncio.create_task(reader.read()) for reader, _ in silent]
        await within(DEADLINE, lambda: sum(task.done() for task in closed) >= 2 * ANSWERED_AT_ONCE)
        assert server._factory.limiter.answering <= 2 * ANSWERED_AT_ONCE
        assert caplog.records == []
        # The others are when they have asked for nothing for a while.
        assert ASK_SECONDS < DEADLINE
        await within(DEADLINE, lambda: all(task.done() for task in closed))
        await within(DEADLINE, lambda: server._factory.limiter.answering == 0)
        for _, writer in silent:
            writer.close()
        await first.close()


async def test_those_who_come_by_tls_are_notified_by_tls() -> None:
    trusting = ssl.create_default_context(cafile=CERTIFICATE)
    async with watched(connections=1, tls_cert=CERTIFICATE, tls_key=CERTIFICATE) as (url, _server):
        secure = url.replace("ws:", "wss:")
        async with raw(secure, ssl=trusting) as first:
            with pytest.raises(InvalidStatus) as refused:
                async with raw(secure, ssl=trusting):
                    pass
            assert refused.value.response.status_code == 503
            assert (await first.hello())["type"] == "welcome"


async def test_a_flood_leaves_no_fault_in_the_log_of_a_real_server(tmp_path: Path) -> None:
    """On the event loop that it runs on, whose transports are others."""
    server = ServerProcess(tmp_path / "rooms.db", "--connections", "2")
    await server.start()
    try:
        async with player(server.url) as ada:
            second = await Peer.connect(server.url)
            with pytest.raises(InvalidStatus) as refused:
                async with raw(server.url):
                    pass
            assert refused.value.response.status_code == 503
            port = server.port
            silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(4 * ANSWERED_AT_ONCE)]
            assert (await ada.ask("rooms"))["type"] == "rooms"
            for _, writer in silent:
                writer.close()
            await second.close()
    finally:
        assert await server.stop() == 0
    log = server.log.read_text()
    assert [line for line in log.splitlines() if "as many connections as may be" not in line] == []


async def test_a_proxy_that_is_not_trusted_is_noticed_once() -> None:
    async with watched(address_connections=1) as (url, _server):
        with capture_logs() as logs:
            async with raw(url, **at("203.0.113.7")), raw(url, **at("203.0.113.7")) as client:
                assert (await client.hello())["type"] == "welcome"
        assert [entry["event"] for entry in logs if "--trusted-proxy" in entry["event"]] == [
            "a proxy on this machine is not trusted, so no address is limited: see --trusted-proxy"
        ]


async def ask(url: str, request: str) -> tuple[int, str]:
    """Send this as it is: the status of the answer, and its body."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
    async with asyncio.timeout(DEADLINE):
        writer.write(request.encode())
        head, _, body = (await reader.read()).decode().partition("\r\n\r\n")
    writer.close()
    return int(head.split()[1]), body


def get(path: str, *headers: str) -> str:
    return "\r\n".join([f"GET {path} HTTP/1.1", "Host: localhost", *headers, "", ""])


async def test_files_of_the_page_cost_an_address_a_twentieth() -> None:
    stranger, friend = f"{FORWARDED}: 203.0.113.7", f"{FORWARDED}: 203.0.113.8"
    async with watched(address_handshakes_per_minute=2.0, **HERE) as (url, server):
        paths = ["/", *(path for path in own_site().paths if not path.endswith(".png"))]
        served = 0
        while (answer := await ask(url, get(paths[served % len(paths)], stranger)))[0] == 200:
            served += 1
            assert served < 1000
        assert served >= (2 - 1) / FILE_COST
        assert answer == (429, "Too many new connections come from your address.\n")
        assert (await ask(url, get("/", friend)))[0] == 200
        assert server._net.counters.files == served + 1
        # What is not there costs as much as a handshake.
        assert [(await ask(url, get("/nothing", friend)))[0] for _ in range(2)] == [404, 429]
        await within(DEADLINE, lambda: not server.connections)
        assert (server._factory.limiter.open, len(server._factory.limiter.by_address)) == (0, 0)


FULL = "This server takes no more connections just now."


async def test_a_full_server_shows_that_it_is_well() -> None:
    async with watched(connections=1) as (url, server):
        first = await Peer.connect(url)
        assert await ask(url, get("/healthz")) == (200, "ok\n")
        assert await ask(url, get("/healthz?x")) == (200, "ok\n")
        assert await ask(url, get("/readyz")) == (503, f"{FULL}\n")
        assert await ask(url, get("/")) == (503, f"{FULL}\n")
        assert await ask(url, f"GET /{'x' * 100}") == (503, f"{FULL}\n")
        await within(DEADLINE, lambda: server._factory.limiter.answering == 0)
        await first.close()
        await within(DEADLINE, lambda: not server.connections)
        assert await ask(url, get("/readyz")) == (200, "ok\n")


async def test_an_address_that_is_out_of_favour_reads_that_the_server_is_well() -> None:
    """Behind a proxy, where its request tells who it is."""
    from_there = f"{FORWARDED}: 203.0.113.7"
    async with watched(address_handshakes_per_minute=1.0, **HERE) as (url, server):
        assert (await ask(url, get("/", from_there)))[0] == 200
        assert (await ask(url, get("/", from_there)))[0] == 429
        for path in ("/healthz", "/readyz"):
            assert await ask(url, get(path, from_there)) == (200, "ok\n")
        server._net.banned = lambda address: address
        assert (await ask(url, get("/", f"{FORWARDED}: 203.0.113.8")))[0] == 403
        for path in ("/healthz", "/readyz"):
            assert await ask(url, get(path, from_there)) == (200, "ok\n")


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (get("/metrics", "Host: elsewhere"), 400),
        (get("/ABCDEF", "Host: elsewhere"), 400),
        (get("/", "Host: elsewhere", "Upgrade: websocket", "Origin: http://localhost"), 400),
        (get("//["), 400),
        ("POST /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", 405),
        ("POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nok", 400),
        ("hello\r\n", 400),
    ],
)
async def test_what_cannot_be_meant_so_is_answered(request_: str, status: int) -> None:
    async with watched() as (url, _server):
        with capture_logs() as logs:
            assert (await ask(url, request_))[0] == status
        assert [line for line in logs if line["log_level"] != "debug"] == []


@pytest.mark.parametrize("pieces", [2, 5, 30])
@pytest.mark.parametrize("ends", [False, True])
async def test_a_request_in_pieces_waits_for_its_turn_and_is_read_whole(
    pieces: int, ends: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = Connection.data_received
    read = []

    def cut(connection: Connection, data: bytes) -> None:
        size = -(-len(data) // pieces)
        for start in range(0, len(data), size):
            usual(connection, data[start : start + size])
        read.append(connection.phase)

    monkeypatch.setattr(Connection, "data_received", cut)
    async with watched() as (url, server):
        host, port = url.removeprefix("ws://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(get("/healthz").encode())
        if ends:
            writer.write_eof()
        said = await asyncio.wait_for(reader.read(), DEADLINE)
        # The library answers nobody who has left already.
        assert said.startswith(b"HTTP/1.1 200 ") or (ends and said == b"")
        writer.close()
        assert read == [Phase.REQUEST]
        async with raw(url) as client:
            assert (await client.hello())["type"] == "welcome"
        await within(DEADLINE, lambda: not server.connections)


async def test_a_fault_of_ours_is_in_the_log() -> None:
    async def faulty() -> list[str]:
        raise ZeroDivisionError

    async with watched() as (url, server):
        server._net.unready = faulty
        with capture_logs() as logs:
            assert (await ask(url, get("/readyz")))[0] == 500
        assert [line["event"] for line in logs if line["log_level"] == "error"] == [
            "a request could not be answered"
        ]


HANDLES = """
import os, resource
from parlour_server.net.connection_limiter import RESERVE, room_for, run_short
soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
resource.setrlimit(resource.RLIMIT_NOFILE, (100, 1000))
assert room_for(200) == 200
assert resource.getrlimit(resource.RLIMIT_NOFILE) == (200 + RESERVE, 1000)
assert room_for(5000) == 1000 - RESERVE
assert resource.getrlimit(resource.RLIMIT_NOFILE) == (1000, 1000)
assert not run_short()
held = []
while not run_short():
    held.append(os.open(os.devnull, os.O_RDONLY))
assert 1000 - RESERVE < len(held) < 1000
for _ in range(1000 - len(held)):
    try:
        held.append(os.open(os.devnull, os.O_RDONLY))
    except OSError:
        break
assert run_short()
for one in held:
    os.close(one)
assert not run_short()
resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))
assert room_for(5000) == 50
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no such limit")
def test_connections_leave_handles_for_everything_else() -> None:
    done = subprocess.run([sys.executable, "-c", HANDLES], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
