"""A table at which nothing happens any more: the last game of a closed room, from its record."""

from typing import TYPE_CHECKING

from parlour_client.boards import Boards
from parlour_client.connection import Connection
from parlour_client.identity import Guest
from parlour_client.records import moves_of
from parlour_client.room import Room
from parlour_protocol.to_client import Snapshot
from parlour_protocol.views import PastRoom, RoomView

if TYPE_CHECKING:
    from parlour_client.parlour import Parlour
    from parlour_client.tui.host import Getting


def closed(past: PastRoom) -> "Getting":
    """The way to the table of a room that its player remembers, to step through its game and review it."""

    async def getting(parlour: "Parlour") -> Room:
        record = await parlour.record(past.room)
        moves = moves_of(record)
        board = await Boards(parlour, record.game, moves).last()
        view = RoomView(
            room=record.room,
            game=record.game,
            title=record.title,
            settings=record.settings,
            seats=record.seats,
            phase="closed",
            online=[True, True],
            watching=0,
            game_number=record.number,
            starter=record.starter,
            position=board.position,
            moves=moves,
            started_with=record.started_with,
            result=record.result,
            chat=record.chat,
            you=past.you,
            report=next((move.report for move in reversed(record.moves) if move.report), None),
        )
        # Nothing is to come of it, so it needs no line.
        room = Room(Connection(parlour.url, Guest(parlour.name)), Snapshot(record.room, 0, view), _forget)
        room.end()
        return room

    return getting


def _forget(code: str) -> None:
    """Nobody follows it."""
