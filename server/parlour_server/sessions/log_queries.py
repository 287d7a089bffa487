"""Queries that are answered from the logs of rooms: a game, a room's games, a player's rooms."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, TypeVar

from pydantic_core import to_json

from parlour_protocol import answers, commands
from parlour_protocol.views.records import GameRecord
from parlour_server.hosting.rooms.histories import Histories, Read

PAGE_BYTES = 64 * 1024
"""A page is about so large: its last item may be beyond it, and it has one at least."""

T = TypeVar("T")


def page(items: Sequence[T], after: int) -> tuple[list[T], bool]:
    """What follows the first `after` items, as much as fits into one message; and is there more?

    A page is small enough to be encoded within a millisecond or two.
    """
    size, end = 0, after
    while end < len(items) and size < PAGE_BYTES:
        size += len(to_json(items[end]))
        end += 1
    return list(items[after:end]), end < len(items)


async def _record(
    histories: Histories, player: str, message: commands.AskRecord, read: Read
) -> answers.Record:
    """As much of a game as fits into one message."""
    found = await histories.game(message.room, player, message.number, read)
    moves, more = page(found.moves, message.after)
    if not more:
        histories.fetched(player, found)
    return answers.Record(message.id, replace(found, moves=moves), more)


async def _whole(
    histories: Histories, player: str, message: commands.AskReview | commands.AskExport, read: Read
) -> GameRecord:
    """The game of a room that is to be reviewed or exported."""
    assert message.room is not None
    found = await histories.game(message.room, player, message.number, read)
    histories.fetched(player, found)
    return found


async def _history(
    histories: Histories, player: str, message: commands.AskHistory, read: Read
) -> answers.History:
    found, more = await histories.rooms_of(player, message.after, read)
    met = [] if message.after else await histories.met(player, read)
    return answers.History(message.id, found, more, met)


async def _remove(
    histories: Histories, player: str, message: commands.RemoveRoom, read: Read
) -> answers.Removed:
    return answers.Removed(message.id, await histories.remove(message.room, player, read, back=message.back))


async def _room_games(
    histories: Histories, player: str, message: commands.AskRoomGames, read: Read
) -> answers.RoomGames:
    found = await histories.games_of(message.room, player, read)
    games, more = page(found.games, message.after)
    return answers.RoomGames(message.id, replace(found, games=games), more)


LogQuery = Callable[[Histories, str, Any, Read], Awaitable[answers.Answer | GameRecord]]

LOG_QUERIES: Mapping[type, LogQuery] = MappingProxyType(
    {
        commands.AskRecord: _record,
        commands.AskReview: _whole,
        commands.AskExport: _whole,
        commands.AskHistory: _history,
        commands.AskRoomGames: _room_games,
        commands.RemoveRoom: _remove,
    }
)
"""What answers each of them to a player. Raises `Refusal`."""
