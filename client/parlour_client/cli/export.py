"""A game written down: as data, as text for people or for programs, or as a picture that the server draws."""

import json
from base64 import b64decode
from dataclasses import replace
from pathlib import Path
from typing import assert_never

from parlour_client.cli.output_file import Form, write
from parlour_client.render import transcript
from parlour_client.render.console import Screen
from parlour_client.sdk import game_text, records
from parlour_client.sdk.boards import Boards
from parlour_client.sdk.queries import QueryClient
from parlour_client.sdk.requests import new_id
from parlour_client.sdk.retry import with_retries
from parlour_client.sdk.source import Source
from parlour_protocol import commands
from parlour_protocol.views.boards import BoardView
from parlour_protocol.views.records import GameRecord
from parlour_protocol.words import say


async def export(
    client: QueryClient, screen: Screen, source: Source, *, target: Path | None, form: Form
) -> None:
    """Write a game, as far as the source says, to a file, or where none is named to standard output."""
    record = await records.load(client, source)
    records.check_ply(record, source)
    if source.ply is not None and source.ply < len(record.moves):
        record = replace(record, moves=record.moves[: source.ply], result=None)
    written = await _content(client, record, form)
    if target is None:
        assert isinstance(written, str), "pictures of pixels have a file"
        screen.write(written)
        return
    write(target, written)
    game = transcript.heading(record)
    screen.note(say("command.export.written", game=game, count=len(record.moves), file=str(target)))


async def _content(client: QueryClient, record: GameRecord, form: Form) -> str | bytes:
    match form:
        case "json":
            return json.dumps(records.as_json(record)) + "\n"
        case "text":
            return transcript.text(record, await _boards(client, record))
        case "pgn":
            return game_text.written(record)
        case "svg" | "png" | "gif":
            moves = " ".join(records.moves_of(record))
            asked = commands.AskExport(id=new_id(), format=form, game=record.game, moves=moves)
            drawn = b64decode((await with_retries(lambda: client.request(asked))).data)
            return drawn.decode() if form == "svg" else drawn
        case _:
            assert_never(form)


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
