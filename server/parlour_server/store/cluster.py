"""What the nodes of a cluster share beside the logs: which are alive, which leases each holds, its posts.

A node is one server process. The node that holds a room's lease runs its timers and asks for its bots'
searches; any node may append. All of this but the log may be lost: it says who does something, never what is
true.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from parlour_protocol.ids import Version
from parlour_server.log import AnyRecord

REWRITTEN = 0
"""In place of a version: the room's log was changed at the same versions."""
SETTLED_SECONDS = 10.0
"""How long after it has joined a node has stopped the clocks that ran while no node was alive."""
ASLEEP = 0
"""Since when a room's lease is free: it slept, and no node needed it."""


def command_of(node: str) -> str:
    """The part of its name that a node shares with all others that the same command runs."""
    return node.rpartition("-")[2]


@dataclass(frozen=True, slots=True)
class Renewal:
    """A node's lease was renewed."""

    now: int
    """The cluster's time, in milliseconds since 1970."""
    others: Mapping[str, int] = field(default_factory=dict)
    """The other nodes that are alive, each with the number of players connected to it."""
    ended: bool = False
    """Had it expired before? Others may have taken over then."""
    down: tuple[int, int] = (0, 0)
    """The last time in which no node was alive: from when (0: unknown) until when, as `now` is.

    Together with the one before, if nodes were alive for less than `SETTLED_SECONDS` in between.
    """


@dataclass(frozen=True, slots=True)
class Posted:
    """What a node has posted about a room; `text` None: it has withdrawn that."""

    node: str
    room: str
    text: str | None


@dataclass(slots=True)
class Callbacks:
    """Called on the event loop's thread as soon as another node has done something; each may be missed."""

    missed: Callable[[], None]
    """It listens from now on, or again: other calls may have been missed before."""

    appended: Callable[[Mapping[str, Version], Mapping[str, list[AnyRecord]]], None]
    """These rooms have come to these versions, or were `REWRITTEN`; some of them by these records."""
    awake: Callable[[str], bool]
    """Asked whether a room is in memory here: of others `appended` says nothing."""
    followed: Callable[[str], bool]
    """Asked whether people at other nodes are subscribed to a room: these are sent what is appended here."""
    posted: Callable[[], None]
    """There are new posts to be read."""
    received: Callable[[str], None]
    """Another node has broadcast this message."""


class Cluster(Protocol):
    """One node's access to what all nodes share. All coroutines raise `StoreError`.

    What was asked for may have been done, then: its answer was lost.
    """

    node: str
    """This node's name, unlike any other's."""

    def listen(self, callbacks: Callbacks) -> None:
        """Call back from now on."""

    async def renew(self, seconds: float, players: int) -> Renewal:
        """Renew this node's lease for these seconds from now; publish how many players are connected here."""

    async def leave(self) -> None:
        """Give this node's lease up: others may take over at once. One that has expired is left as it is."""

    # ------------------------------------------------------------ leases

    async def leased(self) -> list[str]:
        """The rooms whose leases this node holds, the newest first."""

    async def take_over(self, most: int, wanted: Collection[str] = ()) -> dict[str, int]:
        """Acquire the leases of rooms whose nodes are dead: a fair share of them, at most `most`.

        The newest come first: there players most likely wait. Of those that are `wanted`, all that no other
        node holds, asleep or not. With each the time since when no node held it, in milliseconds since 1970.
        """

    async def acquire(self, room: str) -> int | None:
        """Acquire a room's lease unless a living node holds it; since when no node held it, or `ASLEEP`.

        None: another node holds it. That of a closed room is never held, and it is asleep.
        """

    async def release(self, rooms: Collection[str], *, asleep: bool) -> None:
        """Release these leases: no node needs the rooms (asleep), or the first that asks may have them."""

    # ------------------------------------------------------------ posts, messages and notes

    async def post(self, posts: Mapping[str, str | None]) -> None:
        """Publish a post about each of these rooms, in place of the last one; None withdraws it."""

    async def posts(self, *, afresh: bool = False) -> list[Posted]:
        """What other nodes have posted since the last call; at first, and `afresh`, all that stands."""

    async def behind(self, versions: Mapping[str, Version]) -> list[str]:
        """The rooms among these whose logs go on beyond these versions."""

    async def broadcast(self, text: str) -> None:
        """Send a message, of some 7,000 bytes at most, to all other nodes that listen. It may be missed."""

    async def keep(self, key: str, text: str, seconds: float | None = None) -> None:
        """Keep a note for all nodes, for these seconds; None: for good."""

    async def replace(self, key: str, old: str | None, text: str) -> bool:
        """Keep a note for good where it still is the old one, None being none; false: it is another."""

    async def look_up(self, key: str) -> str | None:
        """A note that is kept."""

    async def take(self, key: str) -> str | None:
        """Remove a note, and give it: of several who ask for it only one gets it."""

    async def hold(self, key: str, seconds: float, without: Collection[str] = ()) -> str | None:
        """Claim for these seconds to be the node that makes what several may want at the same time.

        None: it is this node's to make, and to `keep` under the key. Else what another has kept there, or an
        empty text while that is being made. What is among `without` counts as not there.
        """

    async def let_go(self, key: str) -> None:
        """Make nothing under a key: others may. What another node has claimed, or made, stays."""
