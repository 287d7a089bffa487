"""How times are written. Pure."""

import re
from datetime import UTC, datetime
from math import nan

from parlour_protocol.words import language, say

SOON = 10_000
"""With less than this, in milliseconds, tenths of a second are shown."""

_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}

LONGEST_ECHO = 24
"""So much of what was typed is repeated where it is wrong."""


def clock(left: int) -> str:
    """A player's time, in milliseconds, as a clock shows it: 4:12, 1:02:03, and 9.4 where it is short."""
    if 0 <= left < SOON:
        # Cut, not rounded: nobody has a tenth more than is shown.
        return f"{left // 100 / 10:.1f}"
    minutes, seconds = divmod(max(0, left) // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def until_next(left: int) -> float:
    """In how many seconds what such a clock shows changes; once it has run out, in a second."""
    if left <= 0:
        return 1.0
    step = 100 if left < SOON else 1000
    return (left % step + 1) / 1000


def span(seconds: float) -> str:
    """For how long something has been so, as one would say it: 40 s, 3 min, 2 h."""
    if seconds < 120:
        return say("span.seconds", number=round(max(0, seconds)))
    if seconds < 7200:
        return say("span.minutes", number=round(seconds / 60))
    if seconds < 172_800:
        return say("span.hours", number=round(seconds / 3600))
    return say("span.days", count=round(seconds / 86_400))


def read_seconds(text: str, least: float, most: float, needed: str = "input.seconds_needed") -> float:
    """A number within these bounds, as it was typed. Raises `ValueError` with the sentence `needed`."""
    try:
        number = float(text) if text.isascii() else nan
    except ValueError:
        number = nan
    # No comparison holds for what is not a number.
    if not least <= number <= most:
        raise ValueError(
            say(
                needed,
                least=_rounded(least),
                most=_rounded(most),
                text=repr(text[:LONGEST_ECHO]),
            )
        )
    return number


def _rounded(number: float) -> str:
    whole = number == int(number)
    return language().number(int(number) if whole else number)


def read_span(text: str, longest: float) -> float:
    """A time as a keeper types it, `30s`, `10m`, `2h` or `7d`, in seconds. Raises `ValueError`."""
    found = re.fullmatch(r"([0-9]{1,6})\s*([smhd])", text.strip(), re.ASCII)
    seconds = int(found[1]) * _UNITS[found[2]] if found else nan
    if not 0 < seconds <= longest:
        raise ValueError(say("input.span_needed", longest=span(longest), text=repr(text[:LONGEST_ECHO])))
    return seconds


def moment(at: int) -> str:
    """A time in milliseconds since 1970, for people; empty where nobody said when."""
    try:
        return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC") if at > 0 else ""
    except (ValueError, OverflowError, OSError):
        return ""
