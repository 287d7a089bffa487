"""A lost line costs nothing: told against a server that keeps to a script."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Literal

import pytest
from websockets.datastructures import Headers
from websockets.exceptions import InvalidStatus
from websockets.http11 import Response

from parlour_client.sdk.connection import Connection
from parlour_client.sdk.dial import Environment, Socket, _explain, open_socket
from parlour_client.sdk.errors import ConnectionFailed, ConnectionLost, Refused, ServerClosed
from parlour_client.sdk.identity import GuestIdentity, StoredIdentity
from parlour_client.sdk.messages import Disconnected, Reconnected, SubscriptionLost, Update
from parlour_client.sdk.requests import new_id
from parlour_protocol.answers import Accepted, Rooms
from parlour_protocol.answers import Refused as RefusedMessage
from parlour_protocol.commands import (
    Hello,
    ListRooms,
    PlayMove,
    Subscribe,
    TakeSeat,
    Unsubscribe,
)
from parlour_protocol.errors import Code
from parlour_protocol.events import Event, Snapshot
from parlour_protocol.notices import Goodbye, Lobby, Replaced, Thinking
from tests.client.rooms import report
from tests.client.scripted import PATIENCE, Scripted, Talk, event, snapshot
from tests.support.server import serving

CERTIFICATE = Path(__file__).parent.parent.parent / "server" / "loopback.pem"


@asynccontextmanager
async def connected(server: Scripted) -> AsyncIterator[tuple[Connection, Talk]]:
    """A connection that comes back without pauses, and the server's end of it."""
    connection = Connection(server.address, GuestIdentity("Ada"), pause=lambda longest: 0.0)
    entering = asyncio.create_task(connection.__aenter__())
    talk = await server.talk()
    await talk.greet("token")
    await entering
    try:
        yield connection, talk
    finally:
        await connection.close()


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


async def test_a_command_is_answered() -> None:
    async with Scripted() as server, connected(server) as (connection, talk):
        asking = asyncio.create_task(connection.request(play()))
        command = await talk.receive(PlayMove)
        await talk.say(Accepted(command.id, "KMRTQA", 6))
        assert await asking == Accepted(command.id, "KMRTQA", 6)
        assert connection.welcome.name == "Ada"


async def test_a_refusal_is_raised_with_all_that_it_says() -> None:
    async with Scripted() as server, connected(server) as (connection, talk):
        asking = asyncio.create_task(connection.request(play()))
        command = await talk.receive(PlayMove)
        await talk.say(RefusedMessage(Code.ILLEGAL_MOVE, "b2 is taken.", command.id, legal=["a1"]))
        with pytest.raises(Refused, match="b2 is taken") as raised:
            await asking
        assert raised.value.refusal.legal == ["a1"]
        assert (raised.value.code, raised.value.exit_code) == (Code.ILLEGAL_MOVE, 2)


async def test_what_was_not_answered_is_asked_again_under_its_id() -> None:
    async with Scripted() as server, connected(server) as (connection, talk):
        await following(connection, talk, 5)
        asking = [asyncio.create_task(connection.request(play())) for _ in range(3)]
        sent = [await talk.receive(PlayMove) for _ in range(3)]
        await talk.accept(sent[1], 6)
        assert (await asking[1]).version == 6
        talk.drop()

        again = await server.talk()
        assert (await again.greet()).token == "token"
        # The order: hello, then the rooms from where they were left, then the commands as they came.
        watch = await again.receive(Subscribe)
        assert (watch.room, watch.since) == ("KMRTQA", 5)
        resent = [await again.receive(PlayMove) for _ in range(2)]
        assert [command.id for command in resent] == [sent[0].id, sent[2].id]
        for command in resent:
            await again.accept(command, 7)
        assert [(await asking[number]).version for number in (0, 2)] == [7, 7]
        assert isinstance(await receive(connection), Disconnected)
        assert isinstance(await receive(connection), Reconnected)


async def test_the_missed_events_follow_without_a_gap() -> None:
    async with Scripted() as server, connected(server) as (connection, talk):
        await following(connection, talk, 5)
        talk.drop()
        again = await server.talk()
        await again.greet()
        await again.accept(await again.receive(Subscribe), 7)
        await again.say(event(6), event(7))
        received = [await receive(connection) for _ in range(4)]
        assert [type(one) for one in received] == [Disconnected, Reconnected, Event, Event]


async def test_a_gap_is_healed_by_a_snapshot() -> None:
    async with Scripted() as server, connected(server) as (connection, talk):
        await following(connection, talk, 5)
        await talk.say(event(8), event(9))
        watch = await talk.receive(Subscribe)
        assert watch.since is None
        await talk.accept(watch, 9)
        await talk.say(snapshot(9), event(10))
        healed, after = await receive(connection), await receive(connection)
        assert isinstance(healed, Snapshot)
        assert isinstance(after, Event)
        assert (healed.version, after.version) == (9, 10)


async def test_a_room_that_is_gone_is_reported() -> None:
    async with Scripted() as server, connected(server) as (connection, talk):
        await following(connection, talk, 5)
        talk.drop()
        again = await server.talk()
        await again.greet()
        watch = await again.receive(Subscribe)
        await again.say(RefusedMessage(Code.UNKNOWN_ROOM, "There is no such room.", watch.id))
        received = [await receive(connection) for _ in range(3)]
        assert isinstance(received[2], SubscriptionLost)


@pytest.mark.parametrize("code", [Code.BUSY, Code.TOO_FAST])
async def test_a_room_that_is_refused_for_now_is_asked_for_again(code: Code) -> None:
    async with Scripted() as server, connected(server) as (connection, talk):
        await following(connection, talk, 5)
        talk.drop()
        again = await server.talk()
        await again.greet()
        watch = await again.receive(Subscribe)
        loop = asyncio.get_running_loop()
        since = loop.time()
        await again.say(RefusedMessage(code, "Try later.", watch.id, retry_after=0.125))
        repeated = await again.receive(Subscribe)
        assert loop.time() - since >= 0.12
        assert (repeated.room, repeated.since) == ("KMRTQA", 5)
        assert repeated.id != watch.id
        # Without a word on when, it is asked for again all the same.
        await again.say(RefusedMessage(code, "Try later.", repeated.id))
        await again.accept(await again.receive(Subscribe), 6)
        await again.say(event(6))
        received = [await receive(connection) for _ in range(3)]
        assert [type(one) for one in received] == [Disconnected, Reconnected, Event]


@pytest.mark.parametrize("command", [Subscribe, TakeSeat])
async def test_a_room_is_followed_under_its_own_name_however_it_was_said(
    command: type[Subscribe] | type[TakeSeat],
) -> None:
    async with Scripted() as server, connected(server) as (connection, talk):
        asking = asyncio.create_task(connection.request(command(id=new_id(), room="kmr tqa")))
        await talk.accept(await talk.receive(command), 5)
        await talk.say(snapshot(5), event(6))
        assert (await asking).room == "KMRTQA"
        assert [type(await receive(connection)) for _ in range(2)] == [Snapshot, Event]
        talk.drop()
        again = await server.talk()
        await again.greet()
        watch = await again.receive(Subscribe)
        assert (watch.room, watch.since) == ("KMRTQA", 6)
        await again.accept(watch, 6)

        leaving = asyncio.create_task(connection.request(Unsubscribe(id=new_id(), room="kmr tqa")))
        await again.accept(await again.receive(Unsubscribe), 6)
        await leaving
        again.drop()
        last = await server.talk()
        await last.greet()
        listing = asyncio.create_task(connection.request(ListRooms(id=new_id())))
        await last.receive(ListRooms)  # and no watch before it
        listing.cancel()


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
)
async def test_while_it_stays_away_its_last_words_are_repeated_or_advice_is_given(
    goodbye: str | None, reasons: list[str]
) -> None:
    async with Scripted() as server:
        connection = Connection(
            server.address, GuestIdentity("Ada"), pause=lambda longest: 0.0, advice=lambda: "Restart it."
        )
        entering = asyncio.create_task(connection.__aenter__())
        talk = await server.talk()
        await talk.greet("token")
        await entering
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
        await connection.close()


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
    async with Scripted() as server:
        connection = Connection(server.address, GuestIdentity("Ada"))
        entering = asyncio.create_task(connection.__aenter__())
        talk = await server.talk()
        await talk.greet("token")
        await entering
        await connection.close()
        async with asyncio.timeout(PATIENCE):
            await talk.socket.wait_closed()


async def test_the_pauses_grow_and_end() -> None:
    longest: list[float] = []
    refusing = False
    async with Scripted(lambda: HTTPStatus.SERVICE_UNAVAILABLE if refusing else None) as server:

        def pause(most: float) -> float:
            longest.append(most)
            return 0.0

        connection = Connection(server.address, GuestIdentity("Ada"), pause=pause)
        entering = asyncio.create_task(connection.__aenter__())
        talk = await server.talk()
        await talk.greet("token")
        await entering
        refusing = True
        talk.drop()
        lost = [await receive(connection) for _ in range(9)]
        refusing = False
        await (await server.talk()).greet()
        assert [one.attempt for one in lost if isinstance(one, Disconnected)] == list(range(9))
        assert longest[:9] == [0, 0.25, 0.5, 1, 2, 4, 5, 5, 5]
        await connection.close()


async def test_when_patience_is_at_its_end_what_waits_is_reported() -> None:
    refusing = False
    async with Scripted(lambda: HTTPStatus.SERVICE_UNAVAILABLE if refusing else None) as server:
        connection = Connection(
            server.address, GuestIdentity("Ada"), pause=lambda longest: 0.01, patience=0.1
        )
        entering = asyncio.create_task(connection.__aenter__())
        talk = await server.talk()
        await talk.greet("token")
        await entering
        asking = asyncio.create_task(connection.request(ListRooms(id=new_id())))
        await talk.receive(ListRooms)
        refusing = True
        talk.drop()
        async with asyncio.timeout(PATIENCE):
            with pytest.raises(ConnectionFailed, match=r"^Could not reach "):
                await asking
        await connection.close()


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
    async with Scripted() as server:
        connection = Connection(
            server.address, GuestIdentity("Ada"), heartbeat=(0.05, 0.05), pause=lambda longest: 0.0
        )
        entering = asyncio.create_task(connection.__aenter__())
        talk = await server.talk()
        await talk.greet("token")
        await entering
        talk.socket.transport.pause_reading()  # alive, and yet not: no pong comes
        assert isinstance(await receive(connection), Disconnected)
        await connection.close()


async def test_too_fast_is_asked_again_later() -> None:
    async with Scripted() as server, connected(server) as (connection, talk):
        asking = asyncio.create_task(connection.request(play()))
        first = await talk.receive(PlayMove)
        await talk.say(RefusedMessage(Code.TOO_FAST, "Slow down.", retry_after=0.01))
        repeated = await talk.receive(PlayMove)
        assert repeated.id == first.id
        await talk.accept(repeated, 6)
        assert (await asking).version == 6


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


async def test_nobody_there() -> None:
    async with Scripted() as server:
        address = server.address
    with pytest.raises(ConnectionFailed, match="nothing is listening there"):
        async with Connection(address, GuestIdentity("Ada")):
            pass


async def test_tls_where_there_is_none() -> None:
    async with Scripted() as server:
        with pytest.raises(ConnectionFailed, match=r"has no TLS, begin its address with ws://\.") as raised:
            async with Connection(server.address.replace("ws:", "wss:"), GuestIdentity("Ada")):
                pass
    # A server that is starting looks the same.
    assert not raised.value.lasting


async def test_no_tls_where_there_is_one() -> None:
    async def nobody(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    secure = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    secure.load_cert_chain(CERTIFICATE)
    async with await asyncio.start_server(nobody, "127.0.0.1", 0, ssl=secure) as server:
        address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        for scheme, words in {
            "ws": r"it closed the connection\. .* has TLS, begin its address with wss://\.",
            "wss": r"its certificate is not trusted here \(self-signed certificate\)\. .* SSL_CERT_FILE\.",
        }.items():
            with pytest.raises(ConnectionFailed, match=words):
                async with Connection(f"{scheme}://{address}", GuestIdentity("Ada")):
                    pass


@pytest.mark.parametrize("status", [HTTPStatus.NOT_FOUND, HTTPStatus.FORBIDDEN])
async def test_a_fatal_handshake(status: HTTPStatus) -> None:
    async with Scripted(lambda: status) as server:
        with pytest.raises(ConnectionFailed, match=str(int(status))) as raised:
            async with Connection(server.address, GuestIdentity("Ada")):
                pass
        assert raised.value.lasting


async def test_a_full_server_says_so_in_its_own_words() -> None:
    async with serving(connections=1) as url, Connection(url, GuestIdentity("Ada")):
        with pytest.raises(ConnectionFailed) as raised:
            async with Connection(url, GuestIdentity("Ben")):
                pass
    said = "This server has as many connections as it may."
    assert str(raised.value) == f"Could not reach {url}: it says: {said} Try again in 10 s."
    assert (raised.value.said, raised.value.retry_after, raised.value.lasting) == (said, 10, False)


@pytest.mark.parametrize(
    ("server", "retry_after", "body", "said", "wait"),
    [
        ("parlour", "3", b"Wait a little.\n", "Wait a little.", 3),
        ("parlour", "999999", b"Wait.", "Wait.", 60),
        ("parlour", "-5", b"Wait.", "Wait.", 0),
        ("parlour", "Wed, 21 Oct 2026 07:28:00 GMT", b"\xff", "\ufffd", 0),
        # A proxy's page is not for people at a terminal.
        ("nginx", "3", b"<html>Too many</html>", "", 3),
        ("parlour", "3", b"x" * 1000, "", 3),
    ],
)
def test_what_is_made_of_an_answer_in_plain_http(
    server: str, retry_after: str, body: bytes, said: str, wait: float
) -> None:
    headers = Headers({"Server": server, "Retry-After": retry_after})
    failed = _explain("ws://there", InvalidStatus(Response(429, "Too Many Requests", headers, body)))
    assert (failed.said, failed.retry_after, failed.lasting) == (said, wait, False)


def test_a_server_that_shuts_us_out_says_so_in_its_own_words() -> None:
    headers = Headers({"Server": "parlour"})
    failed = _explain("ws://there", InvalidStatus(Response(403, "Forbidden", headers, b"You are out.\n")))
    assert (
        str(failed) == "Could not reach ws://there: it says: You are out. Ask its host, or check the address."
    )
    assert (failed.said, failed.lasting) == ("You are out.", True)


def test_headers_that_are_there_twice_say_nothing() -> None:
    headers = Headers({"Server": "parlour", "Retry-After": "3"})
    headers["Server"] = headers["Retry-After"] = "4"
    failed = _explain("ws://there", InvalidStatus(Response(429, "Too Many Requests", headers, b"Wait.")))
    assert (failed.said, failed.retry_after) == ("", 3)


async def test_a_server_that_turns_us_away_is_given_the_time_it_asks_for() -> None:
    """It says for how long and why; meanwhile nobody dials."""
    dialled = 0

    async def dial(server: str, heartbeat: tuple[float, float]) -> Socket:
        nonlocal dialled
        dialled += 1
        if dialled == 2:
            raise ConnectionFailed(server, "it is full", "Wait.", retry_after=0.05, said="It is full.")
        return await open_socket(server, heartbeat)

    async with Scripted() as server:
        connection = Connection(
            server.address,
            GuestIdentity("Ada"),
            pause=lambda longest: 0.0,
            outside=Environment(dial),
        )
        entering = asyncio.create_task(connection.__aenter__())
        talk = await server.talk()
        await talk.greet("token")
        await entering
        talk.drop()
        first, second = await receive(connection), await receive(connection)
        assert isinstance(first, Disconnected)
        assert (first.attempt, first.retry_in) == (0, 0.0)
        assert isinstance(second, Disconnected)
        assert (second.attempt, second.retry_in, second.reason) == (1, 0.05, "It is full.")
        await (await server.talk()).greet()
        assert isinstance(await receive(connection), Reconnected)
        await connection.close()


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


async def test_another_kind_of_server() -> None:
    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(b"220 smtp.example ready\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(ConnectionFailed, match="not a Parlour server"):
            async with Connection(f"ws://127.0.0.1:{port}", GuestIdentity("Ada")):
                pass


async def test_a_refused_hello_is_raised() -> None:
    async with Scripted() as server:
        connection = Connection(server.address, GuestIdentity("Ada"))
        entering = asyncio.create_task(connection.__aenter__())
        talk = await server.talk()
        hello = await talk.receive(Hello)
        await talk.say(RefusedMessage(Code.UNSUPPORTED_PROTOCOL, "Install a newer client.", hello.id))
        with pytest.raises(Refused, match="newer client"):
            await entering


async def test_whoever_is_replaced_lets_go_of_that_room_alone() -> None:
    async with Scripted() as server, connected(server) as (connection, talk):
        await following(connection, talk)
        await talk.say(Replaced("KMRTQA"), event(6))
        assert await receive(connection) == Replaced("KMRTQA")
        # What else there is to ask goes on; and after a lost line the room is not asked for again.
        asking = asyncio.create_task(connection.request(ListRooms(id=new_id())))
        await talk.say(Rooms((await talk.receive(ListRooms)).id, []))
        await asking
        talk.drop()
        again = await server.talk()
        await again.greet()
        asking = asyncio.create_task(connection.request(ListRooms(id=new_id())))
        # The first thing heard after the welcome.
        await again.receive(ListRooms)
        asking.cancel()


async def test_what_changes_in_the_lobby_is_handed_up() -> None:
    async with Scripted() as server, connected(server) as (connection, talk):
        await talk.say(Lobby([], ["KMRTQA"], 3))
        assert await receive(connection) == Lobby([], ["KMRTQA"], 3)


async def test_a_message_that_is_too_large_is_not_sent_for_ever() -> None:
    async with Scripted() as server, connected(server) as (connection, talk):
        await talk.close(1009)
        with pytest.raises(ConnectionLost):
            await receive(connection)


async def test_closing_ends_the_stream_and_what_waits() -> None:
    async with Scripted() as server, connected(server) as (connection, talk):
        asking = asyncio.create_task(connection.request(play()))
        await talk.receive(PlayMove)
        await connection.close()
        assert [received async for received in connection] == []
        with pytest.raises(ConnectionLost):
            await asking


# ---------------------------------------------------------------- who we are


async def test_a_forgotten_token_makes_a_new_player(tmp_path: Path) -> None:
    async with Scripted() as server:
        said: list[str] = []
        identity = StoredIdentity(tmp_path, server.address, "Ada", said.append)
        identity.keep("old")
        connection = Connection(server.address, identity)
        entering = asyncio.create_task(connection.__aenter__())
        talk = await server.talk()
        hello = await talk.receive(Hello)
        assert hello.token == "old"
        await talk.say(RefusedMessage(Code.WRONG_TOKEN, "This server doesn't know that token.", hello.id))
        again = await server.talk()
        assert (await again.greet("new")).token is None
        await entering
        assert identity.token() == "new"
        assert len(said) == 1
        await connection.close()


async def test_the_second_terminal_becomes_the_player_of_the_first(tmp_path: Path) -> None:
    async with Scripted() as server:
        identity = StoredIdentity(tmp_path, server.address, "Ada", lambda sentence: None)
        connection = Connection(server.address, identity)
        entering = asyncio.create_task(connection.__aenter__())
        talk = await server.talk()
        hello = await talk.receive(Hello)
        identity.keep("the first terminal's")
        await talk.welcome(hello, "the second's")
        again = await server.talk()
        assert (await again.greet()).token == "the first terminal's"
        await entering
        await connection.close()


async def test_the_journal_holds_all_that_was_said() -> None:
    entries: list[tuple[float, str, str]] = []
    async with Scripted() as server:
        connection = Connection(
            server.address,
            GuestIdentity("Ada"),
            journal=lambda at, way, text: entries.append((at, way, text)),
        )
        entering = asyncio.create_task(connection.__aenter__())
        talk = await server.talk()
        await talk.greet("token")
        await entering
        await following(connection, talk, 5)
        await connection.close()
    assert [way for _, way, _ in entries] == ["sent", "received", "sent", "received", "received"]
    assert [at for at, _, _ in entries] == sorted(at for at, _, _ in entries)
    assert '"hello"' in entries[0][2]
