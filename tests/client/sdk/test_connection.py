"""A lost line costs nothing: told against a server that keeps to a script."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any, Literal

import pytest
from websockets.datastructures import Headers
from websockets.exceptions import InvalidStatus
from websockets.http11 import Response

from parlour_client.sdk.connection import Connection
from parlour_client.sdk.dial import Environment, Socket, _explain, open_socket
from parlour_client.sdk.errors import ConnectionFailed, ConnectionLost, Refused, ServerClosed
from parlour_client.sdk.identity import GuestIdentity, Identity, StoredIdentity
from parlour_client.sdk.messages import Disconnected, Reconnected, Update
from parlour_client.sdk.requests import new_id
from parlour_protocol.answers import Accepted
from parlour_protocol.answers import Refused as RefusedMessage
from parlour_protocol.commands import (
    Hello,
    ListRooms,
    PlayMove,
    Subscribe,
)
from parlour_protocol.errors import Code
from parlour_protocol.events import Event, Snapshot
from parlour_protocol.notices import Goodbye, Thinking
from tests.client.rooms import report
from tests.client.scripted import PATIENCE, Scripted, Talk, event, snapshot
from tests.support.server import serving

CERTIFICATE = Path(__file__).parent.parent.parent / "server" / "loopback.pem"


@asynccontextmanager
async def entering(
    server: Scripted, identity: Identity | None = None, **options: Any
) -> AsyncIterator[tuple[Connection, Talk, Awaitable[Connection]]]:
    """A connection that comes back without pauses, the server's end of it, and what ends with the welcome."""
    options = {"pause": lambda longest: 0.0} | options
    connection = Connection(server.address, identity or GuestIdentity("Ada"), **options)
    welcomed = asyncio.create_task(connection.__aenter__())
    try:
        yield connection, await server.talk(), welcomed
    finally:
        await connection.close()
        await asyncio.gather(welcomed, return_exceptions=True)


@asynccontextmanager
async def connected(
    server: Scripted, identity: Identity | None = None, **options: Any
) -> AsyncIterator[tuple[Connection, Talk]]:
    """The same when it is welcomed."""
    async with entering(server, identity, **options) as (connection, talk, welcomed):
        await talk.greet("token")
        await welcomed
        yield connection, talk


async def unreachable(address: str, words: str) -> ConnectionFailed:
    """What is said of a server at this address, which has these words in it."""
    with pytest.raises(ConnectionFailed, match=words) as raised:
        async with Connection(address, GuestIdentity("Ada")):
            pass
    return raised.value


async def following(connection: Connection, talk: Talk, version: int = 5) -> None:
    """Have the room followed, up to a version."""
    watching = asyncio.create_task(connection.request(Subscribe(id=new_id(), room="KMRTQA")))
    await talk.accept(await talk.receive(Subscribe), version)
    await talk.say(snapshot(version))
    await watching
    assert isinstance(await receive(connection), Snapshot)


async def receive(connection: Connection) -> Update:
    """The next thing heard."""
    async with asyncio.timeout(PATIENCE):
        async for received in connection:
            return received
    raise AssertionError("the stream ended")


def play() -> PlayMove:
    return PlayMove(id=new_id(), room="KMRTQA", version=5, move="b2")


async def test_a_lost_line_costs_neither_a_command_nor_an_event() -> None:
    async with Scripted() as server, connected(server) as (connection, talk):
        await following(connection, talk, 5)
        asking = [asyncio.create_task(connection.request(play())) for _ in range(3)]
        sent = [await talk.receive(PlayMove) for _ in range(3)]
        await talk.accept(sent[1], 5)
        assert await asking[1] == Accepted(sent[1].id, "KMRTQA", 5)
        talk.drop()

        again = await server.talk()
        assert (await again.greet()).token == "token"
        # The order: hello, then the rooms from where they were left, then the commands as they came.
        watch = await again.receive(Subscribe)
        assert (watch.room, watch.since) == ("KMRTQA", 5)
        resent = [await again.receive(PlayMove) for _ in range(2)]
        assert [command.id for command in resent] == [sent[0].id, sent[2].id]
        await again.accept(watch, 7)
        await again.say(event(6), event(7))
        for command in resent:
            await again.accept(command, 7)
        assert [(await asking[number]).version for number in (0, 2)] == [7, 7]
        received = [await receive(connection) for _ in range(4)]
        assert [type(one) for one in received] == [Disconnected, Reconnected, Event, Event]


async def test_what_is_refused_for_now_is_asked_for_again_when_it_may_be() -> None:
    async with Scripted() as server, connected(server) as (connection, talk):
        await following(connection, talk, 5)
        talk.drop()
        again = await server.talk()
        await again.greet()
        watch = await again.receive(Subscribe)
        loop = asyncio.get_running_loop()
        since = loop.time()
        await again.say(RefusedMessage(Code.BUSY, "Try later.", watch.id, retry_after=0.125))
        repeated = await again.receive(Subscribe)
        assert loop.time() - since >= 0.12
        await again.accept(repeated, 5)
        # So is a command that was refused unread.
        asking = asyncio.create_task(connection.request(play()))
        first = await again.receive(PlayMove)
        await again.say(RefusedMessage(Code.TOO_FAST, "Slow down.", retry_after=0.01))
        second = await again.receive(PlayMove)
        assert second.id == first.id
        await again.accept(second, 6)
        assert (await asking).version == 6


async def test_goodbye_says_when_to_come_back() -> None:
    async with Scripted() as server, connected(server) as (connection, talk):
        await talk.say(Goodbye("stopping", "A new version is installed.", 0.125))
        await talk.close(1001)
        lost = await receive(connection)
        assert isinstance(lost, Disconnected)
        assert lost.retry_in >= 0.125
        assert lost.reason == "A new version is installed."
        await (await server.talk()).greet()
        assert isinstance(await receive(connection), Reconnected)


@pytest.mark.parametrize(
    ("goodbye", "reasons"),
    [(None, ["", "Restart it."]), ("The host has stopped it.", ["The host has stopped it."] * 2)],
    ids=["advice", "last words"],
)
async def test_while_it_stays_away_its_last_words_are_repeated_or_advice_is_given(
    goodbye: str | None, reasons: list[str]
) -> None:
    async with Scripted() as server, connected(server, advice=lambda: "Restart it.") as (connection, talk):
        if goodbye is not None:
            await talk.say(Goodbye("stopping", goodbye))
        await talk.close(1001)
        losses = []
        for _ in range(2):
            lost = await receive(connection)
            assert isinstance(lost, Disconnected)
            losses.append((lost.attempt, lost.reason))
            if not lost.attempt:
                (await server.talk()).drop()
        assert losses == list(enumerate(reasons))


@pytest.mark.parametrize("code", ["closed", "kicked", "banned"])
async def test_who_is_sent_away_for_good_does_not_dial_again(
    code: Literal["closed", "kicked", "banned"],
) -> None:
    async with Scripted() as server, connected(server) as (connection, talk):
        await talk.say(Goodbye(code, "The host has closed the server."))
        await talk.close(1001)
        with pytest.raises(ServerClosed, match=r"^The host has closed the server\.$"):
            await receive(connection)


async def test_what_is_closed_at_once_is_closed() -> None:
    async with Scripted() as server, connected(server) as (connection, talk):
        await connection.close()
        async with asyncio.timeout(PATIENCE):
            await talk.socket.wait_closed()


def test_a_thousand_clients_do_not_come_back_in_the_same_moment() -> None:
    drawn = [Connection("ws://127.0.0.1:9", GuestIdentity("Ada"))._pause(2.0) for _ in range(200)]
    assert 0 <= min(drawn) < 0.4 and 1.6 < max(drawn) <= 2


async def test_the_pauses_grow_and_end() -> None:
    longest: list[float] = []
    refusing = False

    def pause(most: float) -> float:
        longest.append(most)
        return 0.0

    server = Scripted(lambda: HTTPStatus.SERVICE_UNAVAILABLE if refusing else None)
    async with server, connected(server, pause=pause) as (connection, talk):
        refusing = True
        talk.drop()
        lost = [await receive(connection) for _ in range(9)]
        refusing = False
        await (await server.talk()).greet()
        assert [one.attempt for one in lost if isinstance(one, Disconnected)] == list(range(9))
        assert longest[:9] == [0, 0.25, 0.5, 1, 2, 4, 5, 5, 5]


async def test_when_patience_is_at_its_end_what_waits_is_reported() -> None:
    refusing = False
    server = Scripted(lambda: HTTPStatus.SERVICE_UNAVAILABLE if refusing else None)
    async with server, connected(server, pause=lambda longest: 0.01, patience=0.1) as (connection, talk):
        asking = asyncio.create_task(connection.request(ListRooms(id=new_id())))
        await talk.receive(ListRooms)
        refusing = True
        talk.drop()
        async with asyncio.timeout(PATIENCE):
            with pytest.raises(ConnectionFailed, match=r"^Could not reach "):
                await asking


async def test_a_server_that_hangs_up_at_once_is_not_pestered() -> None:
    async with Scripted() as server, connected(server) as (connection, talk):
        attempts = []
        for _ in range(3):
            talk.drop()
            talk = await server.talk()
            await talk.greet()
            lost = await receive(connection)
            assert isinstance(lost, Disconnected)
            attempts.append(lost.attempt)
            assert isinstance(await receive(connection), Reconnected)
        assert attempts == [0, 1, 2]


async def test_a_silent_server_is_noticed() -> None:
    async with Scripted() as server, connected(server, heartbeat=(0.05, 0.05)) as (connection, talk):
        talk.socket.transport.pause_reading()  # alive, and yet not: no pong comes
        assert isinstance(await receive(connection), Disconnected)
        talk.socket.transport.abort()


async def test_thoughts_are_not_hoarded() -> None:
    async with Scripted() as server, connected(server) as (connection, talk):
        await following(connection, talk, 5)
        asking = asyncio.create_task(connection.request(play()))
        command = await talk.receive(PlayMove)
        for _ in range(400):
            await talk.say(Thinking("KMRTQA", 5, 1, report()))
        await talk.say(event(6))
        await talk.accept(command, 6)
        await asking  # by now, all of it has come in
        received = 0
        while isinstance(await receive(connection), Thinking):
            received += 1
        assert 0 < received <= 256


# ---------------------------------------------------------------- what ends it


@asynccontextmanager
async def another(words: bytes = b"", tls: ssl.SSLContext | None = None) -> AsyncIterator[str]:
    """The address of a server of another kind, that says these words and hangs up."""

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if words:
            await reader.readline()
            writer.write(words)
        writer.close()

    async with await asyncio.start_server(meet, "127.0.0.1", 0, ssl=tls) as server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def test_an_address_where_no_parlour_answers_is_explained() -> None:
    async with Scripted() as server:
        address = server.address
        without = await unreachable(
            address.replace("ws:", "wss:"), r"has no TLS, begin its address with ws://\."
        )
    # A server that is starting looks the same.
    assert not without.lasting
    await unreachable(address, "nothing is listening there")
    secure = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    secure.load_cert_chain(CERTIFICATE)
    async with another(tls=secure) as there:
        await unreachable(
            f"ws://{there}", r"it closed the connection\. .* has TLS, begin its address with wss://\."
        )
        await unreachable(
            f"wss://{there}",
            r"its certificate is not trusted here \(it has signed itself\)\. .* SSL_CERT_FILE\.",
        )
    async with another(b"220 smtp.example ready\r\n\r\n") as there:
        await unreachable(f"ws://{there}", "not a Parlour server")


@pytest.mark.parametrize("status", [HTTPStatus.NOT_FOUND, HTTPStatus.FORBIDDEN])
async def test_a_fatal_handshake(status: HTTPStatus) -> None:
    async with Scripted(lambda: status) as server:
        assert (await unreachable(server.address, str(int(status)))).lasting


async def test_a_full_server_says_so_in_its_own_words() -> None:
    said = "This server takes no more connections just now."
    async with serving(connections=1) as url, Connection(url, GuestIdentity("Ada")):
        failed = await unreachable(url, "it says")
    assert str(failed) == f"Could not reach {url}: it says: {said} Try again in 10 s."
    assert (failed.said, failed.retry_after, failed.lasting) == (said, 10, False)


OURS = ("Server", "parlour")


@pytest.mark.parametrize(
    ("status", "headers", "body", "said", "wait"),
    [
        (429, [OURS, ("Retry-After", "3")], b"Wait a little.\n", "Wait a little.", 3),
        (429, [OURS, ("Retry-After", "999999")], b"Wait.", "Wait.", 60),
        (429, [OURS, ("Retry-After", "-5")], b"Wait.", "Wait.", 0),
        (429, [OURS, ("Retry-After", "Wed, 21 Oct 2026 07:28:00 GMT")], b"\xff", "\ufffd", 0),
        # A proxy's page is not for people at a terminal.
        (429, [("Server", "nginx"), ("Retry-After", "3")], b"<html>Too many</html>", "", 3),
        (429, [OURS, ("Retry-After", "3")], b"x" * 1000, "", 3),
        (429, [OURS, OURS, ("Retry-After", "3"), ("Retry-After", "4")], b"Wait.", "", 3),
        (403, [OURS], b"You are out.\n", "You are out.", None),
    ],
    ids=["said", "too long a wait", "no wait", "a date", "a proxy", "a long page", "twice", "shut out"],
)
def test_what_is_made_of_an_answer_in_plain_http(
    status: int, headers: list[tuple[str, str]], body: bytes, said: str, wait: float | None
) -> None:
    failed = _explain("ws://there", InvalidStatus(Response(status, "No", Headers(headers), body)))
    assert (failed.said, failed.lasting) == (said, status == 403)
    if wait is not None:
        assert failed.retry_after == wait
    if status == 403:
        assert str(failed) == (
            "Could not reach ws://there: it says: You are out. Ask its host, or check the address."
        )


async def test_a_server_that_turns_us_away_is_given_the_time_it_asks_for() -> None:
    """It says for how long and why; meanwhile nobody dials."""
    dialled = 0

    async def dial(server: str, heartbeat: tuple[float, float]) -> Socket:
        nonlocal dialled
        dialled += 1
        if dialled == 2:
            raise ConnectionFailed(server, "it is full", "Wait.", retry_after=0.05, said="It is full.")
        return await open_socket(server, heartbeat)

    async with Scripted() as server, connected(server, outside=Environment(dial)) as (connection, talk):
        talk.drop()
        first, second = await receive(connection), await receive(connection)
        assert isinstance(first, Disconnected)
        assert (first.attempt, first.retry_in) == (0, 0.0)
        assert isinstance(second, Disconnected)
        assert (second.attempt, second.retry_in, second.reason) == (1, 0.05, "It is full.")
        await (await server.talk()).greet()
        assert isinstance(await receive(connection), Reconnected)


async def test_a_handshake_that_turns_fatal_ends_the_stream() -> None:
    gone = False
    server = Scripted(lambda: HTTPStatus.NOT_FOUND if gone else None)
    async with server, connected(server) as (connection, talk):
        asking = asyncio.create_task(connection.request(play()))
        await talk.receive(PlayMove)
        gone = True
        talk.drop()
        assert isinstance(await receive(connection), Disconnected)
        with pytest.raises(ConnectionFailed):
            await receive(connection)
        with pytest.raises(ConnectionFailed):
            await asking
        with pytest.raises(ConnectionFailed):
            await connection.request(play())


async def test_closing_ends_the_stream_and_what_waits() -> None:
    async with Scripted() as server, connected(server) as (connection, talk):
        asking = asyncio.create_task(connection.request(play()))
        await talk.receive(PlayMove)
        await connection.close()
        assert [received async for received in connection] == []
        with pytest.raises(ConnectionLost):
            await asking


# ---------------------------------------------------------------- who we are


async def test_a_refused_hello_is_raised() -> None:
    async with Scripted() as server, entering(server) as (_, talk, welcomed):
        hello = await talk.receive(Hello)
        await talk.say(RefusedMessage(Code.UNSUPPORTED_PROTOCOL, "Install a newer client.", hello.id))
        with pytest.raises(Refused, match="newer client"):
            await welcomed


async def test_a_forgotten_token_makes_a_new_player(tmp_path: Path) -> None:
    said: list[str] = []
    async with Scripted() as server:
        identity = StoredIdentity(tmp_path, server.address, "Ada", said.append)
        identity.keep("old")
        async with entering(server, identity) as (_, talk, welcomed):
            hello = await talk.receive(Hello)
            assert hello.token == "old"
            await talk.say(RefusedMessage(Code.WRONG_TOKEN, "This server doesn't know that token.", hello.id))
            assert (await (await server.talk()).greet("new")).token is None
            await welcomed
    assert identity.token() == "new"
    assert len(said) == 1


async def test_the_second_terminal_becomes_the_player_of_the_first(tmp_path: Path) -> None:
    async with Scripted() as server:
        identity = StoredIdentity(tmp_path, server.address, "Ada", lambda sentence: None)
        async with entering(server, identity) as (_, talk, welcomed):
            hello = await talk.receive(Hello)
            identity.keep("the first terminal's")
            await talk.welcome(hello, "the second's")
            assert (await (await server.talk()).greet()).token == "the first terminal's"
            await welcomed


async def test_the_journal_holds_all_that_was_said() -> None:
    entries: list[tuple[float, str, str]] = []

    def journal(at: float, way: str, text: str) -> None:
        entries.append((at, way, text))

    async with Scripted() as server, connected(server, journal=journal) as (connection, talk):
        await following(connection, talk, 5)
    assert [way for _, way, _ in entries] == ["sent", "received", "sent", "received", "received"]
    assert [at for at, _, _ in entries] == sorted(at for at, _, _ in entries)
    assert '"hello"' in entries[0][2]
