"""The whole server over real sockets, by a client that knows nothing but JSON."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.typing import Subprotocol

from parlour_protocol import SUBPROTOCOL
from tests.support.client import RawClient, player
from tests.support.rooms import FIRST_WINS
from tests.support.server import serving


@pytest.fixture
async def url() -> AsyncIterator[str]:
    async with serving(hello_seconds=1.0, handshake_seconds=1.0) as address:
        yield address


async def table(ada: RawClient, ben: RawClient, **settings: Any) -> str:
    """A room where Ada has the first seat and Ben the second."""
    room: str = (await ada.ask("create", game="tictactoe", settings=settings))["room"]
    await ada.ask("sit", room=room)
    await ben.ask("sit", room=room)
    return room


async def play(clients: list[RawClient], room: str, words: list[str]) -> None:
    for ply, word in enumerate(words):
        mover = clients[ply % 2]
        version = (await mover.ask("subscribe", room=room))["version"]
        answer = await mover.ask("play", room=room, version=version, move=word)
        assert answer["type"] == "accepted", answer
        for client in clients:
            await client.until(
                lambda m: m["type"] == "event" and m["event"].get("move") == word  # noqa: B023
            )


# ---------------------------------------------------------------- games


async def test_two_people_play_and_one_looks_on(url: str) -> None:
    async with player(url, "Ada") as ada, player(url, "Ben") as ben, player(url, "Eve") as eve:
        room = await table(ada, ben)
        assert (await eve.ask("subscribe", room=room))["version"] == 4
        snapshot = await eve.until(lambda m: m["type"] == "snapshot")
        assert [seat["name"] for seat in snapshot["view"]["seats"]] == ["Ada", "Ben"]
        assert "you" not in snapshot["view"]
        await play([ada, ben], room, FIRST_WINS)
        for client in (ada, ben, eve):
            end = await client.event("game_finished")
            assert end["event"] == {
                "kind": "game_finished",
                "termination": "line",
                "winner": 0,
                "reason": "three in a row",
                "reason_said": {"id": "game.row.three", "args": {"length": 3}},
            }
            assert (end["set"]["wins"], end["set"]["phase"]) == ([1, 0], "finished")
        last = [m for m in eve.received if m["type"] == "event" and m["event"]["kind"] == "move_played"][-1]
        assert last["set"]["position.line"] == [0, 3, 6]
        await ben.ask("rematch", room=room)
        await ada.ask("rematch", room=room)
        again = await eve.event("game_started")
        assert (again["set"]["game_number"], again["event"]["starter"]) == (2, 1)
        versions = [m["version"] for m in eve.received if m["type"] == "event"]
        assert versions == list(range(versions[0], versions[0] + len(versions)))


# ---------------------------------------------------------------- returning


async def test_the_same_command_twice_counts_once(url: str) -> None:
    async with player(url) as ada, player(url, "Ben") as ben:
        room = await table(ada, ben)
        command = {"id": "the-move", "room": room, "version": 4, "move": "b2"}
        first = await ada.ask("play", **command)
        again = await ada.ask("play", **command)
        assert first == again == {"type": "accepted", "id": "the-move", "room": room, "version": 5}
        refused = await ada.ask("play", **{**command, "id": "too-early", "version": 5})
        assert refused["code"] == "not_your_turn"
        await ben.ask("play", room=room, version=5, move="a1")
        assert (await ada.ask("play", **{**command, "id": "too-early", "version": 5}))[
            "code"
        ] == "not_your_turn"
        made = await ada.ask("create", id="the-room", game="tictactoe")
        assert await ada.ask("create", id="the-room", game="tictactoe") == made
        assert len((await ada.ask("rooms"))["rooms"]) == 2


# ---------------------------------------------------------------- bad input


BAD = [
    ("[" * 5000, "not_json"),
    ('{"type": "say", "id": "x", "room": "AAAAAA", "text": "\\ud800"}', "not_json"),
    ("[]", "bad_message"),
    ('{"type": "dance", "id": "x"}', "unknown_type"),
    ('{"type": "play", "id": "x", "room": "AAAAAA", "version": true, "move": "a1"}', "bad_message"),
    ('{"type": "create", "id": "x", "game": "chess"}', "unknown_game"),
    ('{"type": "subscribe", "id": "x", "room": "AAAAAA"}', "unknown_room"),
    ('{"type": "analyse", "id": "x", "game": "tictactoe", "moves": "a1 a1"}', "illegal_move"),
    ('{"type": "analyse", "id": "x", "game": "tictactoe", "bot": "deepblue"}', "unknown_bot"),
    ('{"type": "analyse", "id": "x", "game": "tictactoe", "bot": "minimax:depth=-1"}', "bad_setting"),
    ('{"type": "hello", "id": "x", "protocols": [1], "name": "Eve"}', "hello_twice"),
]


async def test_bad_messages_are_answered_each_with_its_code_and_the_talk_goes_on(url: str) -> None:
    async with player(url) as ada:
        for text, code in BAD:
            command_id = "x" if '"id": "x"' in text else None
            answer = await ada.send_and_wait(text, command_id)
            assert (answer["type"], answer["code"]) == ("refused", code), text
            assert answer["message"].endswith("."), answer
            assert "\n" not in answer["message"]
            assert len(answer["message"]) < 700
        await ada.socket.send(b"\x00\x01")
        assert (await ada.receive())["code"] == "binary"
        assert (await ada.ask("rooms"))["rooms"] == []


async def test_the_largest_message_is_taken_and_the_next_larger_closes(url: str) -> None:
    head, tail = '{"type": "rooms", "id": "', '"}'
    async with player(url) as ada:
        whole = head + "x" * (16 * 1024 - len(head) - len(tail)) + tail
        assert (await ada.send_and_wait(whole, None))["code"] == "bad_message"
        pieces = [whole[:7000], whole[7000:16000], whole[16000:]]
        await ada.socket.send(pieces)
        assert (await ada.receive())["code"] == "bad_message"
        with pytest.raises(ConnectionClosed) as closed:
            await ada.send_and_wait(whole + " ", None)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1009
    async with player(url) as ada:
        with pytest.raises(ConnectionClosed) as closed:
            await ada.socket.send([whole[:9000], whole[9000:] + " "])
            await ada.receive()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1009


# ---------------------------------------------------------------- deadlines and doors


async def test_a_handshake_that_never_ends_is_cut(url: str) -> None:
    host, port = url.removeprefix("ws://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n")
    async with asyncio.timeout(30):
        assert await reader.read() == b""
    writer.close()


async def test_the_subprotocol_is_asked_for_and_compression_is_not_offered(url: str) -> None:
    for offered in (None, [Subprotocol("parlour.v9")]):
        with pytest.raises(InvalidHandshake):
            async with connect(url, subprotocols=offered):
                pass
    async with connect(url, subprotocols=[Subprotocol(SUBPROTOCOL)], compression="deflate") as socket:
        assert socket.response is not None
        assert "Sec-WebSocket-Extensions" not in socket.response.headers


# ---------------------------------------------------------------- slow and fast


async def test_a_flood_is_slowed_and_then_cut() -> None:
    async with serving(messages_per_second=20.0, burst=40) as url, player(url) as ada:
        with pytest.raises(ConnectionClosed) as closed:
            for number in range(200):
                await ada.socket.send(json.dumps({"type": "rooms", "id": f"f{number}"}))
            while True:
                await ada.receive()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1008
        answered = {message.get("id") for message in ada.received if message["type"] == "rooms"}
        refused = [message for message in ada.received if message["type"] == "refused"]
        assert len(answered) >= 39
        assert all(message["code"] == "too_fast" and message["retry_after"] > 0 for message in refused)
        assert all(message["id"].startswith("f") for message in refused)
        assert ada.received[-1]["code"] == "too_fast"
