"""Time controls, as people write them: `5+3` or `30/move`, and loosely `5`, `5 3`, `5|3`, `30 s / move`."""

import re
from typing import Annotated, NamedTuple

from pydantic import AfterValidator, StringConstraints

from parlour_protocol.words import Sentence

_SUDDEN = re.compile(r"(\d{1,3}(?:\.\d{1,2})?)(?:\s*[+|\s]\s*(\d{1,3}))?", re.ASCII)
_PER_MOVE = re.compile(r"(\d{1,5})\s*s?\s*/\s*move", re.ASCII | re.IGNORECASE)

LONGEST_BASE = 180 * 60_000
LONGEST_INCREMENT = 180_000
LONGEST_MOVE = 86_400_000
_HOW = Sentence("refusal.clock.how")


class TimeControl(NamedTuple):
    """How much time each player has. All in milliseconds."""

    base: int
    """For the whole game, or for each move."""
    increment: int = 0
    """Added after each move."""
    per_move: bool = False

    def __str__(self) -> str:
        if self.per_move:
            return f"{self.base // 1000}/move"
        return f"{self.base / 60_000:g}+{self.increment // 1000}"


def parse_time_control(text: str) -> TimeControl:
    """Read a time control. Raises `ValueError` with a sentence that says how one is written."""
    if match := _SUDDEN.fullmatch(text.strip()):
        base, increment = round(float(match[1]) * 60_000), int(match[2] or 0) * 1000
        if base + increment == 0:
            raise ValueError(Sentence("refusal.clock.zero", how=_HOW))
        if base > LONGEST_BASE or increment > LONGEST_INCREMENT:
            raise ValueError(Sentence("refusal.clock.too_long", how=_HOW))
        # A player with nothing to begin with has at least what is added for the first move.
        return TimeControl(base or increment, increment)
    if match := _PER_MOVE.fullmatch(text.strip()):
        base = int(match[1]) * 1000
        if base == 0:
            raise ValueError(Sentence("refusal.clock.zero", how=_HOW))
        if base > LONGEST_MOVE:
            raise ValueError(Sentence("refusal.clock.move_too_long", how=_HOW))
        return TimeControl(base, per_move=True)
    raise ValueError(Sentence("refusal.clock.none", how=_HOW))


def plain_time_control(text: str) -> str:
    """A time control as it is kept and shown, `5+3`, whatever was typed. Raises `ValueError`, as above."""
    parse_time_control(text)
    if match := _SUDDEN.fullmatch(text.strip()):
        return f"{float(match[1]):g}+{int(match[2] or 0)}"
    return re.sub(r"\D*/\D*", "/move", text.strip())


ClockText = Annotated[str, StringConstraints(max_length=16), AfterValidator(plain_time_control)]
"""A time control as text."""
