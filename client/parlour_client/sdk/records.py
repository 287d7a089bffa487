"""Whole games: fetched from a room, or found in a file."""

from dataclasses import replace
from typing import Any

from pydantic import TypeAdapter

from parlour_client.sdk.boards import Boards
from parlour_client.sdk.errors import Refused, UsageError
from parlour_client.sdk.pagination import collect
from parlour_client.sdk.requests import Requester, new_id
from parlour_client.sdk.room import Room
from parlour_client.sdk.source import Source
from parlour_protocol import commands
from parlour_protocol.answers import Record
from parlour_protocol.errors import Code
from parlour_protocol.ids import Seat
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views.boards import BoardView
from parlour_protocol.views.records import GameRecord, RecordedMove
from parlour_protocol.views.rooms import Phase, ResultView, SeatView
from parlour_protocol.words import say

_RECORDS = TypeAdapter(GameRecord)


_WON_BY = {
    None: None,
    "draw": ResultView("rules", ""),
    "first": ResultView("rules", "", 0),
    "second": ResultView("rules", "", 1),
}
"""How a game ended that nobody has recorded."""


async def fetch(connection: Requester, room: str, number: int | None = None) -> GameRecord:
    """A game of a room, by no number the last with moves that was not aborted. Raises `Refused`."""

    async def ask(after: int) -> Record:
        nonlocal number
        part = await connection.request(
            commands.AskRecord(id=new_id(), room=room, number=number, after=after)
        )
        # From here on by its number: another game may begin meanwhile.
        number = part.record.number
        return part

    last, moves = await collect(ask, lambda part: part.record.moves)
    return replace(last.record, moves=moves)


async def as_room(
    connection: Requester,
    code: str,
    number: int | None = None,
    you: Seat | None = None,
    phase: Phase = "finished",
) -> Room:
    """A game of a room from its record: see `fetch` and `Room.from_record`. Raises `Refused`."""
    record = await fetch(connection, code, number)
    board = await Boards(connection, record.game, moves_of(record)).last()
    return Room.from_record(record, board.position, you, phase)


async def load(connection: Requester, source: Source) -> GameRecord:
    """The whole game that a source names. Raises `Refused`."""
    if source.room is not None:
        return await fetch(connection, source.room, source.number)
    if source.record is not None:
        return source.record
    assert source.game is not None, "a source has a room, or a game"
    board = await Boards(connection, source.game, source.moves).last()
    return GameRecord(
        room="",
        game=board.game,
        title=board.game,
        number=1,
        seats=[SeatView("human", name) for name in side_names(board.position)],
        starter=0,
        settings=RoomSettings(),
        started=0,
        moves=[RecordedMove(1 if ply % 2 else 0, move, 0) for ply, move in enumerate(board.moves)],
        result=_WON_BY[board.winner],
    )


async def beginning(connection: Requester, source: Source) -> tuple[str, str]:
    """The game, and the moves to the position in it that is meant: to play on from there.

    Raises `UsageError` for a position that isn't there or at which the game is over, and `Refused`.
    """
    record = await load(connection, source)
    check_ply(record, source)
    moves = moves_of(record)[: source.ply]
    try:
        board = await Boards(connection, record.game, moves).last()
    except Refused as refused:
        if refused.code in (Code.INVALID_MOVE, Code.ILLEGAL_MOVE, Code.GAME_OVER):
            raise UsageError(say("error.moves_lead_nowhere", why=str(refused))) from None
        raise
    if board.winner is not None:
        raise UsageError(
            say("error.game_over_at", moves=say("count.move", count=len(moves)), ply=max(0, len(moves) - 2))
        )
    return record.game, " ".join(moves)


def check_ply(record: GameRecord, source: Source) -> None:
    """Raise `UsageError` for a position that isn't there."""
    count = len(record.moves)
    if source.ply is not None and source.ply > count:
        raise UsageError(
            say("error.no_such_ply", moves=say("count.move", count=count), last=count, ply=source.ply)
        )


def side_names(board: BoardView) -> tuple[str, str]:
    """What the sides are called where no one is known: by their marks."""
    (first, *_), (second, *_) = board.marks
    return say("seat.first", mark=first), say("seat.second", mark=second)


def moves_of(record: GameRecord) -> list[str]:
    """A game's moves, in order."""
    return [played.move for played in record.moves]


def as_json(record: GameRecord) -> Any:
    """What is exported: the record as it stands on the wire."""
    return _RECORDS.dump_python(record, mode="json", exclude_none=True)
