"""`parlour bot` in a room, and waiting for challengers."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from parlour_client import Client, Refused, Room, UsageError, connect
from parlour_client.bots import host as hosting
from parlour_client.bots.host import Host
from parlour_client.render.console import Screen
from parlour_client.sdk import retry
from parlour_client.sdk.local_server import ServerTarget
from parlour_client.sdk.requests import new_id
from parlour_protocol import commands
from tests.client.bots.files import Thinks, first_legal, write
from tests.support.proxy import between
from tests.support.server import free_port, serving

Pair = tuple[Client, Client]


@pytest.fixture
async def pair() -> AsyncIterator[Pair]:
    """A person, and where a bot will be."""
    async with serving() as url, connect(url, "Ada") as ada, connect(url, "deep") as deep:
        yield ada, deep


async def test_it_sits_down_plays_and_agrees_to_the_next(
    pair: Pair, capsys: pytest.CaptureFixture[str]
) -> None:
    ada, deep = pair
    room = await ada.create("tictactoe", starts="first")
    host = Host(deep, Thinks(first_legal), Screen())
    playing = asyncio.create_task(host.join(room.code))
    for _ in range(2):
        assert await room.wait_for_turn()
        await room.play("b2")
        assert await room.wait_for_turn()
        await room.resign()
        await room.rematch()
        await room.until(lambda shown: shown.view.phase == "playing")
    await room.resign()
    await room.close()
    await playing
    said = " ".join(capsys.readouterr().out.split())
    assert f"deep (bot) sits down in room {room.code}, to play Tic-tac-toe." in said
    assert "Game 1 against Ada: won (resignation), 2 moves, slowest 0.00 s." in said
    assert "Game 2 against Ada: won" in said


async def test_with_a_number_of_games_it_asks_and_stops(
    pair: Pair, capsys: pytest.CaptureFixture[str]
) -> None:
    ada, deep = pair
    room = await ada.create("tictactoe", seat=None, starts="first")
    await room.add_bot("random:seed=1", 0)
    await Host(deep, Thinks(first_legal), Screen(as_json=True)).join(room.code, games=3)
    made, *games = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert made["room"] == room.code
    assert made["link"].endswith(room.code)
    assert [game["number"] for game in games] == [1, 2, 3]
    for game in games:
        assert (game["opponent"], game["faults"]) == ("random", [])
        assert game["result"] in ("won", "lost", "drew")
        assert 5 <= len(game["moves"]) <= 9
    assert room.view.game_number == 3


async def challenge(person: Client, hosts: asyncio.Task[None], *known: str) -> Room:
    """Sit down in the room where a bot waits, another than those that are known."""
    while not hosts.done():
        for line in (await person.rooms()).rooms:
            if line.room not in known and line.seats[1].program is not None:
                return await person.join(line.room)
        await asyncio.sleep(0.01)
    raise AssertionError("nobody waits any more")


async def test_it_hosts_one_challenger_after_the_other(
    pair: Pair, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosting, "REMATCH_SECONDS", 0.2)
    ada, deep = pair
    hosts = asyncio.create_task(
        Host(deep, Thinks(first_legal), Screen()).wait_for_challengers("tictactoe", games=3)
    )
    rooms: list[str] = []
    for wished in (2, 1):
        room = await challenge(ada, hosts, *rooms)
        rooms.append(room.code)
        assert (room.seat, room.your_turn) == (0, True)
        for game in range(wished):
            if game:
                await room.rematch()
                await room.until(lambda shown: shown.view.phase == "playing")
            await room.resign()
    await hosts
    said = " ".join(capsys.readouterr().out.split())
    assert said.count("deep (bot) waits for a challenger at Tic-tac-toe.") == 2
    assert all("parlour join http" in said and code in said for code in rooms)
    assert said.count("Game 1 against Ada") == 2
    assert said.count("Game 2 against Ada") == 1


async def test_it_waits_as_long_as_it_must_before_it_makes_another_room(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosting, "REMATCH_SECONDS", 0.01)
    monkeypatch.setattr(retry, "LONGEST_WAIT", 0.01)
    async with serving(rooms_per_minute=60) as url, connect(url, "Ada") as ada, connect(url, "deep") as deep:
        # As many as it may make at once.
        with pytest.raises(Refused, match="many rooms"):
            while True:
                await deep.request(commands.CreateRoom(id=new_id(), game="reversi"))
        host = Host(deep, Thinks(first_legal), Screen())
        hosts = asyncio.create_task(host.wait_for_challengers("tictactoe", games=1))
        await (await challenge(ada, hosts)).resign()
        await hosts
    said = " ".join(capsys.readouterr().err.split())
    assert "You have made many rooms just now." in said
    assert "Trying again in " in said


async def test_a_lost_line_is_reported_and_that_it_is_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path)
    async with serving() as url, between(url) as line, connect(url, "Ada") as ada:
        room = await ada.create("tictactoe", starts="first")
        place, screen = ServerTarget(line.url), Screen(as_json=True)
        playing = asyncio.create_task(hosting.run(place, str(path), screen, room=room.code, games=1))
        for move in ("b2", "a1"):
            await room.wait_for_turn()
            await room.play(move)
            await room.wait_for_turn()
            line.cut()
        await room.resign()
        await playing
    said, reported = capsys.readouterr()
    kinds = [json.loads(line) for line in said.splitlines()]
    assert [one.get("connection") for one in kinds] == [None, *["lost", "back"] * 2, None]
    assert reported.splitlines()[0].startswith("Connection lost. Trying again now. Your seat is kept.")
    assert reported.splitlines()[1] == "Connected again."


async def test_a_room_that_is_lost_is_reported_and_another_one_made(
    capsys: pytest.CaptureFixture[str],
) -> None:
    port = free_port()
    async with AsyncExitStack() as stack:
        async with serving(port=port) as url:
            deep = await stack.enter_async_context(connect(url, "deep"))
            host = Host(deep, Thinks(first_legal), Screen())
            hosts = asyncio.create_task(host.wait_for_challengers("tictactoe", games=1))
            async with connect(url, "Ada") as ada:
                lost = await challenge(ada, hosts)
        # Another one, which knows of no room.
        async with serving(port=port) as url, connect(url, "Ada") as ada:
            room = await challenge(ada, hosts)
            await room.resign()
            await hosts
    said = " ".join(capsys.readouterr().err.split())
    assert f"Room {lost.code} is gone." in said


async def test_a_game_that_its_file_does_not_claim_is_refused(pair: Pair) -> None:
    ada, deep = pair
    host = Host(deep, Thinks(first_legal, games=("connect4",)), Screen())
    room = await ada.create("tictactoe")
    with pytest.raises(UsageError, match=r"deep.py plays connect4, and not tictactoe"):
        await host.join(room.code)
    meant = Host(deep, Thinks(first_legal, games=("tic-tac-toe",)), Screen())
    with pytest.raises(UsageError, match=r"GAMES in deep\.py names 'tic-tac-toe': write 'tictactoe'\."):
        await meant.join(room.code)
    with pytest.raises(UsageError, match="and not reversi"):
        await host.wait_for_challengers("reversi")
    assert room.view.seats[1].kind == "open"


async def test_a_fault_is_reported_with_what_it_costs(pair: Pair, capsys: pytest.CaptureFixture[str]) -> None:
    ada, deep = pair
    room = await ada.create("tictactoe", starts="second")
    await Host(deep, Thinks(lambda position: "z9"), Screen()).join(room.code, games=1)
    said = " ".join(capsys.readouterr().err.split())
    assert "deep (bot) has a fault (illegal move) and loses this game." in said
    assert "choose returned 'z9'" in said
