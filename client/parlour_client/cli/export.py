"""A game written down: as JSON for programs and for later, or as text for people."""

import json
from pathlib import Path

from parlour_client.cli.output_file import write
from parlour_client.render import transcript
from parlour_client.render.console import Screen
from parlour_client.sdk import records
from parlour_client.sdk.boards import Boards
from parlour_client.sdk.queries import QueryClient
from parlour_client.sdk.source import Source
from parlour_protocol.views.boards import BoardView
from parlour_protocol.views.records import GameRecord
from parlour_protocol.words import say


async def export(
    client: QueryClient, screen: Screen, source: Source, *, target: Path | None, text: bool
) -> None:
    """Write a game to a file, or where none is named to standard output."""
    record = await records.load(client, source)
    if text:
        written = transcript.text(record, await _boards(client, record))
    else:
        written = json.dumps(records.as_json(record)) + "\n"
    if target is None:
        screen.write(written)
        return
    write(target, written)
    game = transcript.heading(record)
    screen.note(say("command.export.written", game=game, count=len(record.moves), file=str(target)))


async def _boards(client: QueryClient, record: GameRecord) -> list[tuple[str, BoardView]]:
    """The board that the game was played on from, where it was, and the last one."""
    boards = Boards(client, record.game, records.moves_of(record))
    last = len(record.moves)
    shown = [(say("command.export.last_board"), (await boards.after(last)).position)] if last else []
    if 0 < record.started_with < last:
        shown.insert(
            0, (say("command.export.first_board"), (await boards.after(record.started_with)).position)
        )
    return shown
