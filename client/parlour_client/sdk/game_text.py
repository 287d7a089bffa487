"""Games as text: written with their date, and read back. See `parlour_protocol.game_text`."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from pydantic import TypeAdapter

from parlour_client.sdk.sanitize import clean
from parlour_protocol.game_text import DAY, GOES_ON, RESULTS, UNKNOWN, written
from parlour_protocol.ids import Seat
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views.records import GameRecord, RecordedMove
from parlour_protocol.views.rooms import ResultView, SeatView

__all__ = ["read", "several", "written"]

_TAG = re.compile(r'^\[(\w+) "((?:[^"\\\n]|\\.)*)"\]\s*$', re.MULTILINE)
_COMMENT = re.compile(r"\{[^}]*\}|;[^\n]*")
_GRADE = re.compile(r"([!?]{1,2}|\$\d+)(?=[\s()]|$)")
_NUMBER = re.compile(r"^\d+\.+")
"""Stands before a move, with a blank behind it or none."""
_RESULT = TypeAdapter(ResultView)


def read(text: str) -> GameRecord | None:
    """The game that such a text holds; None where it is none, or doesn't say which game that is.

    Whether its moves are legal is the server's to say. Ask first whether it holds `several`.
    """
    tags = {name: clean(re.sub(r"\\(.)", r"\1", value)) for name, value in _TAG.findall(text)}
    moves = [clean(word) for word in _played(_TAG.sub("", text))]
    if "Game" not in tags:
        return None
    return GameRecord(
        room=tags.get("Site", UNKNOWN).replace(UNKNOWN, ""),
        game=tags["Game"],
        title=tags.get("Event", tags["Game"]),
        number=_number(tags.get("Round", ""), 1),
        seats=[SeatView("human", tags.get(name, UNKNOWN)) for name in ("First", "Second")],
        starter=0,
        settings=RoomSettings(),
        started=_started(tags.get("Date", "")),
        moves=[RecordedMove(1 if ply % 2 else 0, move, 0) for ply, move in enumerate(moves)],
        started_with=min(_number(tags.get("StartedWith", ""), 0), len(moves)),
        result=_ended(tags.get("Result", GOES_ON), tags.get("Termination", "rules")),
    )


def several(text: str) -> bool:
    """Does it hold more than one game?"""
    return [name for name, _ in _TAG.findall(text)].count("Game") > 1


def _played(text: str) -> Iterator[str]:
    """The moves that were played, without their grades: in brackets stands what might have been played."""
    depth = 0
    text = _GRADE.sub("", _COMMENT.sub(" ", text))
    for word in re.sub("([()])", r" \1 ", text).split():
        if word == "(":
            depth += 1
        elif word == ")" and depth:
            depth -= 1
        elif not depth and (move := _NUMBER.sub("", word)) not in ("", *RESULTS, GOES_ON):
            yield move
    if depth:  # What was never closed may hide moves: it is no move, as the server will say.
        yield "("


def _number(text: str, otherwise: int) -> int:
    return int(text) if re.fullmatch("[0-9]{1,6}", text, re.ASCII) else otherwise


def _started(day: str) -> int:
    try:
        return round(1000 * datetime.strptime(day, DAY).replace(tzinfo=UTC).timestamp())
    except ValueError:
        return 0


def _ended(result: str, termination: str) -> ResultView | None:
    """How it ended; why is said by its termination alone, and a foreign one is another rule's."""
    if result not in RESULTS and termination != "aborted":
        return None
    winner: Seat | None = RESULTS.get(result)
    return _RESULT.validate_python({"termination": termination, "reason": "", "winner": winner})
