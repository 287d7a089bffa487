"""A table at which nothing happens any more: an earlier game, or the last one of a closed room."""

from typing import TYPE_CHECKING

from pydantic_core import to_jsonable_python

from parlour_client.sdk.boards import Boards
from parlour_client.sdk.connection import Connection
from parlour_client.sdk.identity import GuestIdentity
from parlour_client.sdk.records import moves_of
from parlour_client.sdk.room import Room
from parlour_protocol.events import Snapshot
from parlour_protocol.ids import Seat
from parlour_protocol.views.records import PastRoom
from parlour_protocol.views.rooms import May, Phase, RoomView

if TYPE_CHECKING:
    from parlour_client.sdk.client import Client
    from parlour_client.tui.app_port import OpenRoom


def closed(past: PastRoom) -> "OpenRoom":
    """The way to the table of a closed room that its player remembers."""
    return recorded(past.room, None, past.you, "closed")


def recorded(code: str, number: int | None, you: Seat | None, phase: Phase = "finished") -> "OpenRoom":
    """The way to a table with a game from its record, to step through it and review it.

    `number` is the game's in its room, see `Client.record`; `you` the seat that the viewer had.
    """

    async def open_room(parlour: "Client") -> Room:
        record = await parlour.record(code, number)
        moves = moves_of(record)
        board = await Boards(parlour, record.game, moves).last()
        view = RoomView(
            room=record.room,
            version=0,
            game=record.game,
            title=record.title,
            title_said=record.title_said,
            settings=record.settings,
            seats=record.seats,
            phase=phase,
            online=[True, True],
            watching=0,
            may=May([[], []], [], []),
            away_since=[None, None],
            claim_from=[None, None],
            game_number=record.number,
            starter=record.starter,
            position=board.position,
            moves=moves,
            started_with=record.started_with,
            result=record.result,
            chat=record.chat,
            you=you,
            report=next((move.report for move in reversed(record.moves) if move.report), None),
        )
        # It has no events to come, so it needs no connection.
        connection = Connection(parlour.url, GuestIdentity(parlour.name))
        snapshot = Snapshot(record.room, 0, 0, to_jsonable_python(view, exclude_none=True))
        room = Room(connection, snapshot, _forget)
        room.end()
        return room

    return open_room


def _forget(code: str) -> None:
    """Nobody follows it."""
