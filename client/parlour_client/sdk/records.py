"""Whole games: fetched from a room, or found in a file."""

from dataclasses import replace
from typing import Any

from pydantic import TypeAdapter

from parlour_client.sdk.boards import Boards
from parlour_client.sdk.errors import Refused, UsageError
from parlour_client.sdk.parts import collect
from parlour_client.sdk.requests import Requester, new_id
from parlour_client.sdk.source import Source
from parlour_protocol import commands
from parlour_protocol.answers import Record
from parlour_protocol.errors import Code
from parlour_protocol.ids import Seat, other
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views.records import GameRecord, RecordedMove
from parlour_protocol.views.rooms import SeatView

_RECORDS = TypeAdapter(GameRecord)


async def fetch(connection: Requester, room: str, number: int | None = None) -> GameRecord:
    """A game of a room, the last that was not aborted unless its number says another. Raises `Refused`."""

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


async def load(connection: Requester, source: Source) -> GameRecord:
    """The whole game that a source names. Raises `Refused`."""
    if source.room is not None:
        return await fetch(connection, source.room, source.number)
    if source.record is not None:
        return source.record
    assert source.game is not None, "a source has a room, or a game"
    board = await Boards(connection, source.game, source.moves).last()
    (first, *_), (second, *_) = board.position.marks
    return GameRecord(
        room="",
        game=board.game,
        title=board.game,
        number=1,
        seats=[
            SeatView("human", f"the first side ({first})"),
            SeatView("human", f"the second side ({second})"),
        ],
        starter=0,
        settings=RoomSettings(),
        started=0,
        moves=[RecordedMove(1 if ply % 2 else 0, move, 0) for ply, move in enumerate(board.moves)],
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
            raise UsageError(f"Those moves lead nowhere: {refused}") from None
        raise
    if board.winner is not None:
        raise UsageError(
            f"That game is over after {_moves(len(moves))}. Name an earlier position: "
            f"with @{max(0, len(moves) - 2)} behind it, it goes on from there."
        )
    return record.game, " ".join(moves)


def _moves(count: int) -> str:
    return "1 move" if count == 1 else f"{count} moves"


def check_ply(record: GameRecord, source: Source) -> None:
    """Raise `UsageError` for a position that isn't there."""
    count = len(record.moves)
    if source.ply is not None and source.ply > count:
        raise UsageError(
            f"That game has {_moves(count)}: after the @ belongs a number from 0 to {count}, "
            f"not {source.ply}."
        )


def moves_of(record: GameRecord) -> list[str]:
    """A game's moves, in order."""
    return [played.move for played in record.moves]


def seats_in_order(record: GameRecord) -> tuple[Seat, Seat]:
    """The seat that began the game, and the other."""
    return record.starter, other(record.starter)


def as_json(record: GameRecord) -> Any:
    """What is exported: the record as it stands on the wire."""
    return _RECORDS.dump_python(record, mode="json", exclude_none=True)
