"""Refusals: why a command is not done, for programs and for people."""

from dataclasses import dataclass, field
from math import ceil

from parlour_protocol.answers import Refused
from parlour_protocol.errors import Code
from parlour_protocol.ids import Version
from parlour_protocol.words import Sentence


@dataclass(slots=True)
class Refusal(Exception):
    """A command that can't be done; nothing changed.

    `code` is for programs, `message` tells a person what to do (a `Sentence`, where it can be translated),
    `legal` lists the moves where one was asked for, `retry_after` is in seconds, and `field` is the command's
    field that is wrong.
    """

    code: Code
    message: str
    legal: list[str] | None = field(default=None)
    retry_after: float | None = None
    field: str | None = None

    def __str__(self) -> str:
        return self.message

    def answer(
        self, command_id: str | None, room: str | None = None, version: Version | None = None
    ) -> Refused:
        """The message that says so; the id is None for what could not be read that far."""
        return Refused(
            self.code, self.message, command_id, room, version, self.legal, self.retry_after, self.field
        )


def no_such_room() -> Refusal:
    """For a code that is no room's, and for what can be no code."""
    return Refusal(Code.UNKNOWN_ROOM, Sentence("refusal.no_such_room"))


def internal_error() -> Refusal:
    """For an error in our own code, which the server's log tells about."""
    return Refusal(Code.INTERNAL, Sentence("refusal.internal"), retry_after=1.0)


_UNITS = ((1, "seconds", 120), (60, "minutes", 120), (3600, "hours", 48))
"""Seconds in each, its name, and from how many on the next one is taken."""


def span(seconds: float) -> Sentence:
    """A time that is left, as one would say it: 25 s, 10 min, 3 h, 7 days; rounded up."""
    for unit, name, most in _UNITS:
        if (count := ceil(seconds / unit)) < most:
            return Sentence(f"span.{name}", number=count)
    return Sentence("span.days", count=ceil(seconds / 86_400))
