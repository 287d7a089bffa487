"""How a time is written in a sentence. Pure."""

from math import ceil

from parlour_protocol.words import Sentence

_UNITS = ((1, "seconds", 120), (60, "minutes", 120), (3600, "hours", 48))
"""Seconds in each, its name, and from how many on the next one is taken."""


def span(seconds: float) -> Sentence:
    """A time that is left, as one would say it: 25 s, 10 min, 3 h, 7 days; rounded up."""
    for unit, name, most in _UNITS:
        if (count := ceil(seconds / unit)) < most:
            return Sentence(f"span.{name}", number=count)
    return Sentence("span.days", count=ceil(seconds / 86_400))
