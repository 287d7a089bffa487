"""From one running game to the next, on a real server."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest

from parlour_client.sdk import game_rotation
from parlour_client.sdk.client import Client, connect
from parlour_client.sdk.game_rotation import GameRotation, is_running
from parlour_client.sdk.room import Room
from parlour_protocol.views.rooms import RoomLine, SeatView, Series
from tests.support.proxy import between
from tests.support.server import serving
from tests.support.waiting import within

PATIENCE = 20.0
NEVER = 3600.0
BOT = SeatView("bot", "easy", "easy")


class Wall:
    """What a tour has shown."""

    def __init__(self) -> None:
        self.shown: list[str] = []
        self.now: str | None = None
        self.waits = 0

    async def show(self, room: Room) -> None:
        self.shown.append(room.code)
        self.now = room.code
        async for _ in room.changes():
            pass

    def wait(self) -> None:
        self.now = None
        self.waits += 1


@asynccontextmanager
async def on_tour(client: Client, seconds: float) -> AsyncIterator[Wall]:
    wall = Wall()
    running = asyncio.create_task(GameRotation(client, seconds, wall.show, wall.wait).run())
    try:
        yield wall
        assert not running.done(), running.exception()
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


async def bots(owner: Client, game: str = "tictactoe", **settings: object) -> Room:
    """Two bots at play; without settings so slowly that their game doesn't end."""
    room = await owner.create(game, seat=None, **{"pace": 60.0, **settings})  # type: ignore[arg-type]
    for seed in (1, 2):
        await room.add_bot(f"random:seed={seed}")
    return room


def line(phase: str, series: Series | None = None) -> RoomLine:
    return RoomLine("KMRTQA", "tictactoe", phase, [BOT, BOT], 3, 0, 7, series=series)  # type: ignore[arg-type]


def test_a_pause_between_two_bots_games_is_part_of_their_play() -> None:
    assert is_running(line("playing"))
    assert is_running(line("finished", Series(1, 2)))
    assert not is_running(line("finished", Series(2, 2)))
    assert not is_running(line("finished"))
    assert not is_running(line("waiting"))


async def test_it_waits_until_a_game_begins() -> None:
    async with (
        serving() as url,
        connect(url, "Ada") as ada,
        connect(url, "Wall") as eve,
        on_tour(eve, NEVER) as wall,
    ):
        await within(PATIENCE, lambda: wall.waits == 1)
        room = await bots(ada)
        await within(PATIENCE, lambda: wall.now == room.code)


async def test_running_games_take_turns() -> None:
    async with serving() as url, connect(url, "Ada") as ada, connect(url, "Wall") as eve:
        codes = [(await bots(ada)).code for _ in range(3)]
        async with on_tour(eve, 0.01) as wall:
            await within(PATIENCE, lambda: len(wall.shown) >= 7)
        assert sorted(wall.shown[:3]) == sorted(codes)
        assert wall.shown[3:6] == wall.shown[:3]
        assert wall.shown[6] == wall.shown[0]


async def test_the_only_game_stays() -> None:
    async with serving() as url, connect(url, "Ada") as ada, connect(url, "Wall") as eve:
        room = await bots(ada)
        async with on_tour(eve, 0.001) as wall:
            await within(PATIENCE, lambda: wall.now == room.code)
            other = await bots(ada)
            await within(PATIENCE, lambda: other.code in wall.shown)
        assert wall.shown[:2] == [room.code, other.code]


async def test_a_game_that_is_over_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_rotation, "LINGER_SECONDS", 0.01)
    async with serving() as url, connect(url, "Ada") as ada, connect(url, "Wall") as eve:
        room = await bots(ada)
        async with on_tour(eve, NEVER) as wall:
            await within(PATIENCE, lambda: wall.now == room.code)
            await room.close()
            await within(PATIENCE, lambda: wall.now is None)
            other = await bots(ada)
            await within(PATIENCE, lambda: wall.now == other.code)


async def test_a_room_that_takes_no_spectators_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_rotation, "RETRY_SECONDS", 0.01)
    async with serving() as url, connect(url, "Ada") as ada, connect(url, "Wall") as eve:
        full, free = await bots(ada), await bots(ada)
        watch = eve.watch

        async def refusing(code: str, *, present: bool) -> Room:
            # As where a room has closed since the list was sent.
            return await watch("ZZZZZZ" if code == full.code else code, present=present)

        monkeypatch.setattr(eve, "watch", refusing)
        async with on_tour(eve, NEVER) as wall:
            await within(PATIENCE, lambda: wall.now == free.code)
        assert full.code not in wall.shown


async def test_it_goes_on_at_a_server_that_has_begun_anew() -> None:
    async with (
        serving() as first,
        serving() as second,
        between(first) as proxy,
        connect(first, "Ada") as ada,
        connect(second, "Ben") as ben,
        connect(proxy.url, "Wall") as eve,
        on_tour(eve, NEVER) as wall,
    ):
        room = await bots(ada)
        await within(PATIENCE, lambda: wall.now == room.code)
        # None of the first server's rooms is known here.
        proxy.lead_to(second)
        proxy.cut()
        await within(PATIENCE, lambda: wall.now is None)
        other = await bots(ben)
        await within(PATIENCE, lambda: wall.now == other.code)


async def test_a_wait_wakes_at_a_server_that_has_begun_anew() -> None:
    async with (
        serving() as first,
        serving() as second,
        between(first) as proxy,
        connect(second, "Ben") as ben,
        connect(proxy.url, "Wall") as eve,
        on_tour(eve, NEVER) as wall,
    ):
        await within(PATIENCE, lambda: wall.waits == 1)
        room = await bots(ben)
        proxy.lead_to(second)
        proxy.cut()
        await within(PATIENCE, lambda: wall.now == room.code)


async def test_ones_own_table_is_left_to_the_connection_that_plays_there() -> None:
    async with serving() as url, connect(url, "Eve") as player:
        own = await player.create("tictactoe", opponent="random")
        async with connect(url, token=player.token) as eve, on_tour(eve, 0.01) as wall:
            await within(PATIENCE, lambda: wall.waits == 1)
            others = await bots(player)
            await within(PATIENCE, lambda: wall.now == others.code)
            await asyncio.sleep(0.1)
            assert set(wall.shown) == {others.code} and wall.waits == 1
        await own.play(own.legal_moves[0])
        assert not own.ended
