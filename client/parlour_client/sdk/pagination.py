"""Long answers, which a server sends in parts: asked for until all is there. Each raises `Refused`."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Protocol, TypeVar

from parlour_client.sdk.commands import command
from parlour_client.sdk.requests import Requester
from parlour_client.sdk.retry import with_retries
from parlour_protocol import commands
from parlour_protocol.answers import History, RoomGames, Thoughts
from parlour_protocol.views.records import Opponent


class Part(Protocol):
    """An answer that may not be all."""

    more: bool


PartT = TypeVar("PartT", bound=Part)
T = TypeVar("T")


async def collect(
    ask: Callable[[int], Awaitable[PartT]], items: Callable[[PartT], list[T]]
) -> tuple[PartT, list[T]]:
    """The last part of an answer, and the items of all parts. `ask` gets how many there are already."""
    found: list[T] = []
    while True:
        part = await with_retries(partial(ask, len(found)))
        came = items(part)
        found += came
        if not (part.more and came):
            return part, found


async def thoughts(connection: Requester, room: str) -> Thoughts:
    """The reports kept with the bots' moves of a room's present game."""

    async def ask(after: int) -> Thoughts:
        return await connection.request(command(commands.AskThoughts, room=room, after=after))

    last, found = await collect(ask, lambda part: part.thoughts)
    return replace(last, thoughts=found)


async def room_games(connection: Requester, room: str) -> RoomGames:
    """The games that were begun in a room."""

    async def ask(after: int) -> RoomGames:
        return await connection.request(command(commands.AskRoomGames, room=room, after=after))

    last, found = await collect(ask, lambda part: part.history.games)
    return replace(last, history=replace(last.history, games=found))


async def history(connection: Requester) -> History:
    """The player's own rooms, the last used first, and the people whom they played."""
    met: list[Opponent] = []

    async def ask(after: int) -> History:
        part = await connection.request(command(commands.AskHistory, after=after))
        met.extend(part.met)  # which only the first one has
        return part

    last, found = await collect(ask, lambda part: part.rooms)
    # One that was used meanwhile has moved to the front, and another came twice.
    return replace(last, rooms=list({past.room: past for past in found}.values()), met=met)
