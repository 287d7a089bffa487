"""How a time is written in a sentence. Pure."""

from math import ceil

_UNITS = ((1, "s", 120), (60, "min", 120), (3600, "h", 48))
"""Seconds in each, its name, and from how many on the next one is taken."""


def span(seconds: float) -> str:
    """A time that is left, as one would say it: 25 s, 10 min, 3 h, 7 days; rounded up."""
    for unit, name, most in _UNITS:
        if (count := ceil(seconds / unit)) < most:
            return f"{count} {name}"
    return f"{ceil(seconds / 86_400)} days"
