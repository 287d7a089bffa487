"""A game written down: as data, as text for people or for programs, or as a picture that the server draws."""

import json
from base64 import b64decode
from dataclasses import replace
from pathlib import Path
from typing import assert_never

from parlour_client.cli.match_file import whole_pairs
from parlour_client.cli.output_file import Form, write
from parlour_client.render import transcript
from parlour_client.render.console import Screen
from parlour_client.render.list_csv import csv_text
from parlour_client.sdk import game_text, records
from parlour_client.sdk.boards import Boards
from parlour_client.sdk.errors import UsageError
from parlour_client.sdk.queries import QueryClient
from parlour_client.sdk.requests import new_id
from parlour_client.sdk.retry import with_retries
from parlour_client.sdk.source import Source
from parlour_protocol import commands
from parlour_protocol.ids import other
from parlour_protocol.views.boards import BoardView
from parlour_protocol.views.lists import Column, Columns
from parlour_protocol.views.records import GameRecord
from parlour_protocol.words import say


def _winner(game: GameRecord) -> str | None:
    if game.result is None or game.result.winner is None:
        return None
    return game.seats[game.result.winner].name


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


def export_match(screen: Screen, file: Path, *, target: Path | None, form: Form) -> None:
    """Write all games of a match's file: as text for other programs, or as a table. Raises `UsageError`."""
    games = [record for pair in whole_pairs(file) for record in pair.records]
    if not games:
        raise UsageError(say("error.holds_no_game", file=str(file)))
    written = "\n".join(map(game_text.written, games)) if form == "pgn" else csv_text(MATCH_GAMES, games)
    if target is None:
        screen.write(written)
        return
    write(target, written)
    screen.note(say("command.arena.written", count=len(games), file=str(target)))


MATCH_GAMES: Columns[GameRecord] = (
    Column("number", "key"),
    Column("game"),
    Column("first", of=lambda game: game.seats[game.starter].name),
    Column("second", of=lambda game: game.seats[other(game.starter)].name),
    Column("outcome", of=lambda game: game.result and game.result.termination),
    Column("winner", of=_winner),
    Column("fault", of=lambda game: game.fault and game.fault.kind),
    Column("plies", of=lambda game: len(game.moves)),
    Column("opening", of=lambda game: " ".join(one.move for one in game.moves[: game.started_with])),
)
"""Who had the first move comes first."""


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
        case "csv":
            raise AssertionError("a table has many games")
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
