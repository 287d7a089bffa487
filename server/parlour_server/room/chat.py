"""Which lines of a room's chat a viewer reads: talk belongs to those who were there.

A player reads what the players said since that player took the seat; spectators read what spectators said
since they became one: since they came, or left a seat. Lines of the other channel, and earlier ones, never
leave the server.
"""

from bisect import bisect_right
from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple

from parlour_protocol.ids import Seat, Version
from parlour_protocol.views.rooms import Channel, ChatLine

CHAT_KEPT = 100
"""The last lines of each channel, which are shown on arrival."""


@dataclass(slots=True)
class Talk:
    """The last lines of one channel."""

    lines: list[tuple[Version, ChatLine]] = field(default_factory=list)
    """Each with the version at which it was posted."""
    dropped: Version = 0
    """The version of the last line that is no longer kept."""

    def post(self, version: Version, line: ChatLine) -> None:
        """Add a line, in place of the oldest where there are many."""
        self.lines.append((version, line))
        if len(self.lines) > CHAT_KEPT:
            self.dropped, _ = self.lines.pop(0)

    def after(self, since: Version) -> list[ChatLine]:
        """The lines that were posted after a version."""
        return [line for _, line in self.lines[self.first_after(since) :]]

    def first_after(self, since: Version) -> int:
        """How many lines were posted at this version or earlier."""
        return bisect_right(self.lines, since, key=itemgetter(0))


class ChatPlace(NamedTuple):
    """Where a line that was just posted stands in a viewer's chat."""

    at: int
    pushed_out: bool
    """Did it push out the oldest line that the viewer had?"""


def place_of_last(talk: Talk, since: Version) -> ChatPlace:
    """Where the last line stands for a viewer who reads what was posted after a version."""
    return ChatPlace(len(talk.lines) - 1 - talk.first_after(since), talk.dropped > since)


def channel_of(viewer: Seat | None) -> Channel:
    """The chat that a viewer writes to, and reads."""
    return "spectators" if viewer is None else "players"
