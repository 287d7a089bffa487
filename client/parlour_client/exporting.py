"""A game written down: as JSON for programs and for later, or as text for people."""

import json
from pathlib import Path

from parlour_client import record_text, records
from parlour_client.boards import Boards
from parlour_client.connection import Connection
from parlour_client.screen import Screen
from parlour_client.target import write
from parlour_protocol.views import BoardView, GameRecord


async def export(
    connection: Connection, screen: Screen, room: str, number: int | None, *, target: Path | None, text: bool
) -> None:
    """Write a game of a room to a file, or where none is named to standard output."""
    record = await records.fetch(connection, room, number)
    if text:
        written = record_text.text(record, await _boards(connection, record))
    else:
        written = json.dumps(records.as_json(record)) + "\n"
    if target is None:
        screen.write(written)
        return
    write(target, written)
    screen.note(f"{record_text.heading(record)}: {len(record.moves)} moves are in {target}.")


async def _boards(connection: Connection, record: GameRecord) -> list[tuple[str, BoardView]]:
    """The board that the game was played on from, where it was, and the last one."""
    boards = Boards(connection, record.game, records.moves_of(record))
    last = len(record.moves)
    told = [("The last board:", (await boards.after(last)).position)] if last else []
    if 0 < record.started_with < last:
        told.insert(0, ("It began here:", (await boards.after(record.started_with)).position))
    return told
