"""Rated games of people and bots at a real server."""

import asyncio

from parlour_client import Client
from parlour_client.sdk.room import Room
from tests.support.rooms import DRAW, FIRST_WINS


async def play_rated(first: Client, second: Client, moves: list[str] = FIRST_WINS) -> None:
    """A game of tic-tac-toe that `first` begins."""
    room = await first.create("tictactoe", starts="first")
    there = await second.join(room.code)
    for ply, move in enumerate(moves):
        player = (room, there)[ply % 2]
        await player.wait_for_turn()
        await player.play(move)
    await room.leave()
    await there.leave()


async def resign_rated(room: Room, there: Room) -> None:
    """A game that `room` begins and resigns after both have moved."""
    await room.play("b2")
    await there.wait_for_turn()
    await there.play("a1")
    await room.resign()


async def some_ratings(ada: Client, ben: Client) -> None:
    """Two games of theirs and one of bots, until all are rated."""
    await play_rated(ada, ben)
    await play_rated(ben, ada, DRAW)
    await ada.create("tictactoe", seats=["random", "easy"], pace=0)
    await until_rated(ada, 3)


async def until_rated(client: Client, games: int) -> None:
    """Wait until so many games of tic-tac-toe are rated."""
    async with asyncio.timeout(30):
        while [one.games for one in (await client.ratings()).games] != [games]:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
