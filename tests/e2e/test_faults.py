"""Bugs that users of such servers suffer, and where each would be caught.

| # | the bug | its test |
|---|---|---|
| 1 | a wrong token locks its owner out | `test_1_...` |
| 2 | an empty session id joins | `sessions/test_carrying`, `sessions/test_session` |
| 3 | rooms that nobody joined stay for ever | `hosting/rooms/test_directory.test_rooms_that_nobody_comes_to_...` |
| 4 | a rebooted phone leaves its socket open | `net/test_server.test_a_peer_that_answers_no_ping_is_noticed` |
| 5 | old rooms are kept in memory | `hosting/rooms/test_directory.test_counts_return_to_base_...` |
| 6 | of two joins at once one is lost | `hosting/rooms/test_directory.test_two_who_sit_down_at_once_...` |
| 7 | moves at once are dropped in silence | `test_7_...` |
| 8 | two tabs with one token fight for ever | `hosting/test_staying.test_all_connections_of_a_player_...` |
| 9 | a ghost twin | `hosting/test_staying.test_all_connections_of_a_player_...` |
| 10 | recovery repeats messages, or leaves some out | `test_10_...` |
| 12 | a keepalive times out but never closes | `net/test_server.test_a_peer_that_reads_no_more_...` |
| 13 | a restart loses games on time, or the game | `test_13_...`, `hosting/rooms/test_timers.test_while_the_server_is_down_...` |
| 14 | a bot's answer lands on a board that was reset | `room/test_offers.test_a_bot_agrees_at_once_...` |
| 15 | cancelling leaves the search running; one dead worker disables the pool | `analysis/test_scheduler` |
| 16 | a room crashes and its people are not notified | `hosting/rooms/test_live_room.test_a_room_that_crashes_...` |
| 17 | a herd of reconnects after a restart | `test_17_...` |
| 18 | shown before it is written | `test_boundaries`, `hosting/rooms/test_live_room` |
"""  # noqa: E501 - a table

import asyncio
import json
import random
import time
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

from parlour_client.sdk.connection import Connection
from parlour_client.sdk.identity import GuestIdentity
from parlour_client.sdk.messages import Disconnected, Reconnected
from parlour_client.sdk.requests import new_id
from parlour_protocol import commands
from tests.e2e.people import Person
from tests.support.client import RawClient, player, raw
from tests.support.history import check, read_log
from tests.support.proxy import between
from tests.support.server import ServerProcess, serving
from tests.support.waiting import within

SECONDS = 15
"""Within so long everything here has come to pass."""
DOWN_SECONDS = 1.0


async def seated(ada: RawClient, ben: RawClient, **settings: Any) -> str:
    """A running game of tic-tac-toe, Ada to move at version 4."""
    room: str = (await ada.ask("create", game="tictactoe", settings=settings))["room"]
    for person in (ada, ben):
        await person.ask("sit", room=room)
    return room


async def test_1_a_hundred_wrong_tokens_change_nothing_for_the_right_one() -> None:
    async with serving() as url, player(url) as ada, player(url, "Ben") as ben:
        room = await seated(ada, ben)
        token = ada.received[0]["token"]
        async with raw(url) as thief:
            for number in range(100):
                assert (await thief.hello(token=f"{token[:-3]}~{number:02}"))["code"] == "wrong_token"
                assert (await thief.ask("subscribe", room=room))["code"] == "hello_first"
        async with player(url, token=token) as back:
            assert (await back.ask("play", room=room, version=4, move="b2"))["version"] == 5


def answers(command_id: str, message: dict[str, Any]) -> bool:
    return message.get("id") == command_id


async def test_7_of_moves_at_once_every_one_is_answered() -> None:
    async with serving() as url, player(url) as ada, player(url, "Ben") as ben:
        room = await seated(ada, ben)
        cells = [f"{column}{row}" for column in "abc" for row in "123"]
        sent: dict[str, RawClient] = {}
        for number in range(60):
            person = (ada, ben)[number % 2]
            version, move = 4 + number // 6, cells[number % 9]
            command = {"type": "play", "id": f"m{number}", "room": room, "version": version, "move": move}
            sent[f"m{number}"] = person
            await person.socket.send(json.dumps(command))
        for command_id, person in sent.items():
            await person.until(partial(answers, command_id))
        for person in (ada, ben):
            await person.ask("rooms")
        received = [message.get("id") for person in (ada, ben) for message in person.received]
        assert {one: received.count(one) for one in sent} == dict.fromkeys(sent, 1)
        played = [
            message for message in ada.received if message.get("event", {}).get("kind") == "move_played"
        ]
        accepted = [
            message
            for person in (ada, ben)
            for message in person.received
            if message.get("id") in sent and message["type"] == "accepted"
        ]
        assert len(played) == len(accepted) > 1


async def test_10_who_drops_out_again_and_again_sees_all_of_it_once(tmp_path: Path) -> None:
    dice = random.Random(10)
    async with serving(data=str(tmp_path / "rooms.db")) as url, between(url) as proxy:
        people = [Person(name, proxy.url, dice.randrange(2**32)) for name in ("Ada", "Ben")]
        async with asyncio.timeout(60), people[0].connection, people[1].connection:
            made = await people[0].connection.request(
                commands.CreateRoom(id=new_id(), game="tictactoe", settings=commands.AskedSettings())
            )
            games = asyncio.gather(*(person.play(made.room, 2) for person in people))
            cuts = 0
            while not games.done():
                await asyncio.wait([games], timeout=dice.uniform(0.02, 0.1))
                proxy.cut()
                cuts += 1
            await games
        assert cuts >= 6
        assert proxy.lines > 6
    check([person.diary for person in people], await read_log(tmp_path / "rooms.db"))


async def test_13_no_restart_costs_a_players_time_nor_a_move(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "rooms.db", "--search-executor", "thread")
    try:
        await server.start()
        async with player(server.url) as ada, player(server.url, "Ben") as ben:
            tokens = [person.received[0]["token"] for person in (ada, ben)]
            room = await seated(ada, ben, clock="1+0")
            await ada.ask("play", room=room, version=4, move="b2")
            await ben.ask("play", room=room, version=5, move="a1")
            ran_from = time.monotonic()
        await server.kill()
        ran = time.monotonic() - ran_from
        await asyncio.sleep(DOWN_SECONDS)
        ran_from = time.monotonic()
        await server.start()
        async with player(server.url, "Ada", token=tokens[0]) as ada:
            await ada.ask("subscribe", room=room)
            view = (await ada.until(lambda m: m["type"] == "snapshot"))["view"]
            ran += time.monotonic() - ran_from
            spent = (60_000 - view["clock"]["left"][0]) / 1000
            # The way of Ben's move to us ran, too: far less than what the server was down for.
            assert spent < ran + DOWN_SECONDS / 2
            assert (view["moves"], view["clock"]["left"][1]) == (["b2", "a1"], 60_000)
            assert (await ada.ask("play", room=room, version=view_version(ada), move="c3"))[
                "type"
            ] == "accepted"
    finally:
        await server.kill()


def view_version(client: RawClient) -> int:
    return max(
        int(message["version"]) for message in client.received if message["type"] in ("snapshot", "event")
    )


async def test_17_a_herd_returns_spread_out_and_soon(tmp_path: Path) -> None:
    """By what each client chooses to wait, so that a busy machine changes nothing."""
    number = 80
    server = ServerProcess(tmp_path / "rooms.db", "--search-executor", "thread")
    there: list[Connection] = []
    waits: dict[int, list[float]] = {attempt: [] for attempt in range(1000)}

    async def come_back(connection: Connection) -> None:
        async with connection:
            there.append(connection)
            async for received in connection:
                if isinstance(received, Disconnected):
                    waits[received.attempt].append(received.retry_in)
                elif isinstance(received, Reconnected):
                    await connection.request(commands.ListGames(id=new_id()))
                    return

    try:
        await server.start()
        async with asyncio.timeout(120):
            herd = [Connection(server.url, GuestIdentity(f"P{one}")) for one in range(number)]
            returning = [asyncio.create_task(come_back(connection)) for connection in herd]
            await within(60, lambda: len(there) == number)
            await server.kill()
            await asyncio.wait(returning, timeout=0.1)
            await server.start()
            await asyncio.gather(*returning)
    finally:
        await server.kill()
    # The first try is at once, of the next ones no tenth of the time brings the half of them.
    assert len(waits[0]) == number
    assert len(waits[1]) > number / 2
    parts = Counter(int(10 * wait / max(waits[1])) for wait in waits[1])
    assert max(parts.values()) < len(waits[1]) / 2
    # Nobody ever waits for longer than would bring them back in time.
    assert max(wait for each in waits.values() for wait in each) < SECONDS / 2
