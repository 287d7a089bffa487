"""A game with the next player, or after a while with a bot, on a real server."""

import asyncio

import pytest

from parlour_client import connect
from parlour_client.sdk.errors import Refused
from parlour_client.sdk.seek import Seek


async def test_a_bot_that_can_not_be_is_refused_before_there_is_a_room(server: str) -> None:
    async with connect(server, "Ada") as ada:
        before = (await ada.rooms()).rooms
        with pytest.raises(Refused, match="nobody"):
            await Seek("reversi", bot="nobody").start(ada)
        assert (await ada.rooms()).rooms == before


async def test_the_bot_comes_where_nobody_has(server: str) -> None:
    seek = Seek("reversi", bot="random", after=0.2)
    async with connect(server, "Ada") as ada:
        room = await seek.start(ada)
        assert room.view.phase == "waiting"
        await room.until(lambda state: state.view.phase == "playing")
        assert [seat.kind for seat in room.view.seats] == ["human", "bot"]
        await room.close()


async def test_where_somebody_has_come_no_bot_does(server: str) -> None:
    seek = Seek("ultimate", bot="random", after=60)
    async with connect(server, "Ada") as ada, connect(server, "Ben") as ben:
        room = await seek.start(ada)
        await seek.start(ben)
        await room.until(lambda state: state.view.phase == "playing")
        await seek.call_bot(room)
        assert [seat.kind for seat in room.view.seats] == ["human", "human"]
        await seek.withdraw(room)


async def test_who_withdraws_leaves_no_room(server: str) -> None:
    seek = Seek("mnk")
    async with connect(server, "Ada") as ada:
        room = await seek.start(ada)
        await seek.withdraw(room)
        assert room.ended
        assert room.code not in [line.room for line in (await ada.rooms()).rooms]


@pytest.mark.parametrize("first", ["ada", "ben"])
async def test_who_withdraws_from_a_game_that_has_begun_keeps_nobody_waiting(server: str, first: str) -> None:
    seek = Seek("mnk:4,4,3")
    async with connect(server, "Ada") as ada, connect(server, "Ben") as ben:
        # Whether the room is Ada's own or Ben's.
        rooms = {
            name: await seek.start({"ada": ada, "ben": ben}[name])
            for name in sorted(("ada", "ben"), key=first.__ne__)
        }
        theirs = rooms["ben"]
        await rooms["ada"].until(lambda state: state.view.phase == "playing")
        await asyncio.wait_for(seek.withdraw(rooms["ada"]), 10)
        await theirs.until(lambda state: state.view.phase == "waiting")
        assert [seat.name for seat in theirs.view.seats if seat.kind != "open"] == ["Ben"]
        await seek.withdraw(theirs)
