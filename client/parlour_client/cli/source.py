"""A game to look back on, or to play on from: in a room, or in a file.

A file is a JSON object with its "game" and its "moves", which are a string, a list of strings, or what
`parlour export` writes: a list of objects, each with its "move", beside all else that is known of the game.
Or it is a text with tags, as `parlour export --format pgn` writes it.
`parlour arena --out` writes one such object a line: `games.jsonl#3` is the third game of the match.
"""

import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parlour_client.cli.options import room_of
from parlour_client.sdk.errors import UsageError
from parlour_client.sdk.sanitize import clean, cleaned
from parlour_client.sdk.source import Source, linked_position
from parlour_protocol import LONGEST_GAME, LONGEST_MOVES
from parlour_protocol.ids import parse_link
from parlour_protocol.words import say, spoken, system_fault, what_is_wrong

if TYPE_CHECKING:
    from parlour_protocol.views.records import GameRecord

LARGEST_FILE = 16 * 1024 * 1024
"""In bytes. No game is larger."""


def position(text: str, server: str | None, number: int | None = None) -> Source:
    """What was meant by a code, a link or a file's name with `@` and a number of moves behind it, or none.

    `number` says which of the games in a room or a file.

    Raises `UsageError`.
    """
    before, at, ply = text.rpartition("@")
    if linked_position(text) or not at or Path(text).exists():
        return source(text, server, number)
    if not re.fullmatch("[0-9]{1,4}", ply, re.ASCII):
        raise UsageError(say("error.no_position", text=_shown(text), before=clean(before)[:80]))
    return replace(source(before, server, number), ply=int(ply))


def source(text: str, server: str | None, number: int | None = None) -> Source:
    """What a person meant by a code, a link, a file's name or `-`; `number` says which of the games there.

    Raises `UsageError`.
    """
    if (link := linked_position(text)) is not None:
        game, moves = link
        return Source(server, game=game, moves=moves)
    if text == "-":
        stdin = say("error.standard_input")
        return _game(_line(sys.stdin.read(LARGEST_FILE), number, stdin), stdin, server)
    path, behind = _numbered(text)
    if behind is not None and number is not None:
        raise UsageError(say("error.number_twice", number=str(number), behind=str(behind), file=str(path)))
    of_file = number if behind is None else behind
    try:
        if path.is_dir():
            raise UsageError(say("error.folder_to_read", file=_shown(text)))
        if path.exists():
            with path.open("rb") as file:
                # Of a match's file every line is a game.
                size = -1 if of_file is not None or path.suffix == ".jsonl" else LARGEST_FILE
                written = file.read(size).decode("utf-8", "replace")
            return _game(_line(written, of_file, str(path)), text, server)
    except (OSError, ValueError) as error:
        raise UsageError(say("error.unreadable", file=_shown(text), why=_why(error))) from None
    if path.suffix in (".json", ".jsonl", ".pgn"):
        raise UsageError(say("error.no_file", file=_shown(text)))
    if parse_link(text) is None:
        raise UsageError(say("error.no_source", text=_shown(text)))
    room, address = room_of(text, server)
    return Source(address, room=room, number=number)


def _shown(text: str) -> str:
    """What was typed, within a sentence."""
    return repr(clean(text)[:80])


def _numbered(text: str) -> tuple[Path, int | None]:
    """A file's name, and the number of a game in it: `games.jsonl#3`."""
    name, _, number = text.rpartition("#")
    if name and re.fullmatch("[0-9]{1,7}", number, re.ASCII) and not Path(text).exists():
        return Path(name), int(number)
    return Path(text), None


def _line(written: str, number: int | None, where: str) -> str:
    """The game that is meant, of those that a file has. Raises `UsageError`."""
    where = clean(where)[:80]
    lines = written.splitlines()
    if len(lines) < 2 or not isinstance(_parsed(lines[0]), dict):
        if number in (None, 1):
            return written
        raise UsageError(say("error.one_game_only", number=str(number), file=where))
    if number is None:
        raise UsageError(say("error.choose_a_game", file=where, count=len(lines)))
    for line in lines:
        # By the number that it had in the match: one that was stopped may lack some.
        game = _parsed(line)
        if isinstance(game, dict) and game.get("number") == number:
            return line
    raise UsageError(say("error.no_such_game", number=str(number), file=where, of=len(lines)))


def _parsed(line: str) -> object:
    """What a line holds as JSON; None where it is none."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _why(error: OSError | ValueError) -> str:
    return spoken(system_fault(error)) if isinstance(error, OSError) else str(error)


def _game(text: str, where: str, server: str | None) -> Source:
    """Read a JSON object with a game and its moves, or a text with tags. Raises `UsageError`."""
    where = clean(where)[:80]
    record = _tagged(text, where)
    if record is not None:
        kept: Any = {"game": record.game}
    else:
        try:
            kept = cleaned(json.loads(text))
        except (ValueError, RecursionError):
            raise UsageError(say("error.holds_no_game", file=where)) from None
    game = kept.get("game") if isinstance(kept, dict) else None
    moves = kept.get("moves") if isinstance(kept, dict) else None
    if isinstance(moves, list) and moves and all(isinstance(move, dict) for move in moves):
        record = _record(kept, where)
    if record is not None:
        moves = [move.move for move in record.moves]
    if isinstance(moves, list) and all(isinstance(move, str) for move in moves):
        moves = " ".join(moves)
    if not isinstance(game, str) or not isinstance(moves, str):
        raise UsageError(say("error.lacks_game", file=where))
    if not 0 < len(game) <= LONGEST_GAME:
        raise UsageError(say("error.game_name", file=where, most=LONGEST_GAME))
    if len(moves) > LONGEST_MOVES:
        raise UsageError(say("error.file_moves_too_long", file=where))
    return Source(server, game=game, moves=moves, record=record)


def _tagged(text: str, where: str) -> "GameRecord | None":
    """The game of a text with tags; None where it is none, or doesn't name its game. Raises `UsageError`."""
    if not text.lstrip().startswith("["):
        return None
    from parlour_client.sdk import game_text

    if game_text.several(text):
        raise UsageError(say("error.several_games", file=where))
    return game_text.read(text)


def _record(kept: Any, where: str) -> "GameRecord":
    """An exported game. Raises `UsageError`."""
    from pydantic import TypeAdapter, ValidationError

    from parlour_protocol.views.records import GameRecord

    try:
        record = TypeAdapter(GameRecord).validate_python(kept)
    except ValidationError as error:
        first = error.errors()[0]
        place = clean(".".join(str(part) for part in first["loc"]))[:40]
        wrong = clean(spoken(what_is_wrong(first)))
        raise UsageError(say("error.no_record", file=where, place=place, wrong=wrong)) from None
    return record
