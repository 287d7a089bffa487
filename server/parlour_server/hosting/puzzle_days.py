"""The days of puzzles: numbers within the server, counted from 1970 in UTC, and dates on the wire."""

from datetime import date
from typing import TypedDict

from parlour_protocol.errors import Code
from parlour_protocol.words import Sentence
from parlour_server.refusals import Refusal

DAYS_KEPT = 60
"""For so many days one may go back to a day's puzzle."""

_EPOCH = date(1970, 1, 1).toordinal()


class Days(TypedDict):
    """A puzzle's day, and that of the one before it."""

    day: str
    before: str | None


def day_of(now: int) -> int:
    """The day of a time in milliseconds since 1970: every node's is the same."""
    return now // 86_400_000


def days(day: int, today: int) -> Days:
    """What a day's puzzle says of its day."""
    return Days(day=_write(day), before=None if day <= today - DAYS_KEPT else _write(day - 1))


def read_day(text: str, today: int) -> int:
    """Read a day that has a puzzle. Raises `Refusal`."""
    try:
        day = date.fromisoformat(text).toordinal() - _EPOCH
    except ValueError:
        day = today + 1
    if not today - DAYS_KEPT <= day <= today:
        said = Sentence("refusal.puzzle_day", first=_write(today - DAYS_KEPT), last=_write(today))
        raise Refusal(Code.BAD_MESSAGE, said, field="day")
    return day


def _write(day: int) -> str:
    return date.fromordinal(_EPOCH + day).isoformat()
