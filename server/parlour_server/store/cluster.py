"""What the nodes of a cluster share beside the log: who is alive, who holds which room's lease, who is where.

All of it may be lost but for the log: it says who does something, never what is true. A node is one server
process. Whichever holds a room's lease runs its timers and asks for its bots' searches; any node may append.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from parlour_protocol.ids import Version
from parlour_server.room.log import LogRecord

REWRITTEN = 0
"""In place of a version: the room's log was changed at the same versions."""
SETTLED_SECONDS = 10.0
"""After so long a node that has joined has stopped the clocks that ran while no node was alive."""
ASLEEP = 0
"""Since when a room's lease is free: it slept, and nobody needed it."""


def command_of(node: str) -> str:
    """What is the same in the names of all nodes that one command runs, and will end with it."""
    return node.rpartition("-")[2]


@dataclass(frozen=True, slots=True)
class Renewal:
    """A node's lease goes on."""

    now: int
    """The cluster's time, in milliseconds since 1970."""
    others: Mapping[str, int] = field(default_factory=dict)
    """The other nodes that are alive, each with the number of players connected to it."""
    ended: bool = False
    """Had it ended before? Others may have taken over then."""
    down: tuple[int, int] = (0, 0)
    """When no node was alive for the last time: from when (0: unknown) until when, as `now` is.

    Together with what was before, if nodes lived for less than `SETTLED_SECONDS` in between.
    """


@dataclass(frozen=True, slots=True)
class Posted:
    """What a node says of a room now. None: nothing any more."""

    node: str
    room: str
    text: str | None


@dataclass(slots=True)
class Callbacks:
    """Called on the event loop's thread as soon as another node has done something; each may be missed."""

    missed: Callable[[], None]
    """It listens from now on, or again: other calls may have been missed before."""

    appended: Callable[[Mapping[str, Version], Mapping[str, list[LogRecord]]], None]
    """These rooms have come to these versions, or were `REWRITTEN`; some of them by these records."""
    awake: Callable[[str], bool]
    """Asked whether a room is in memory here: of others `appended` says nothing."""
    followed: Callable[[str], bool]
    """Asked whether other nodes are to be sent what is appended to a room here."""
    posted: Callable[[], None]
    """There are new posts to be read."""
    said: Callable[[str], None]
    """Another node says this to all."""


class Cluster(Protocol):
    """One node's way to the others. All that waits for them raises `StoreError`."""

    node: str
    """This node's name, unlike any other's."""

    def listen(self, callbacks: Callbacks) -> None:
        """Call back from now on."""

    async def renew(self, seconds: float, players: int) -> Renewal:
        """Be alive for so long from now on, and let others know how many players are connected here."""

    async def leave(self) -> None:
        """Be alive no longer: others may take over at once. A lease that has ended is left as it ended."""

    # ------------------------------------------------------------ leases

    async def leased(self) -> list[str]:
        """The rooms whose leases this node holds, the newest first."""

    async def take_over(self, most: int, wanted: Collection[str] = ()) -> dict[str, int]:
        """Hold the leases of rooms whose nodes are no longer alive: a fair share of them, so many at most.

        The newest come first: there somebody most likely waits. Of those that are `wanted`, all that no other
        node holds, asleep or not. With each the time since when nobody did, in milliseconds since 1970.
        """

    async def acquire(self, room: str) -> int | None:
        """Hold a room's lease, if no other node does that is alive; since when nobody did, or `ASLEEP`.

        None: another node does. That of a closed room is nobody's, and it is asleep.
        """

    async def release(self, rooms: Collection[str], *, asleep: bool) -> None:
        """Hold these leases no longer: nobody needs the rooms; or else the first who asks may have them."""

    # ------------------------------------------------------------ posts, words and notes

    async def post(self, posts: Mapping[str, str | None]) -> None:
        """Say of each of these rooms what others should know, in place of what was said of it before."""

    async def posts(self, *, afresh: bool = False) -> list[Posted]:
        """What other nodes have posted since this was last asked; at first, and `afresh`, all that stands."""

    async def behind(self, versions: Mapping[str, Version]) -> list[str]:
        """The rooms among these whose logs go on beyond these versions."""

    async def say(self, text: str) -> None:
        """Say something to all other nodes that listen: of some 7,000 bytes at most, and it may be missed."""

    async def keep(self, key: str, text: str, seconds: float | None = None) -> None:
        """Keep a note for all nodes, for so long; None: for good."""

    async def look_up(self, key: str) -> str | None:
        """A note that is kept."""

    async def take(self, key: str) -> str | None:
        """A note that is kept, for the first who asks: then it is gone."""

    async def hold(self, key: str, seconds: float, without: Collection[str] = ()) -> str | None:
        """Be the one who makes what many may ask for at the same time, for so long.

        None: it is this node's to make, and to `keep` under the key. Else what another has kept there, or an
        empty text while that is being made. What is among `without` counts as not there.
        """
