"""This server's place among the nodes of a cluster, as the rooms see it; here it is alone.

Rooms, sessions and the admin socket ask a node who else there is, and never whether there is a cluster.
`cluster.node.ClusterNode` is a node among others.
"""

from collections.abc import Callable, Collection, Coroutine, Mapping
from math import inf
from typing import Any, NamedTuple

from parlour_protocol.messages import RoomNotice
from parlour_protocol.views.rooms import Channel
from parlour_server.hosting.refusing import Refuse
from parlour_server.hosting.remote_presence import RemotePresence
from parlour_server.store.cluster import ASLEEP
from parlour_server.store.port import Found, Store

Handler = Callable[[Any], Coroutine[Any, Any, None] | None]
"""Takes what another node has said; what it returns is run beside everything else."""

Claimed = Callable[[str | None], None]
"""Called with what was made elsewhere; None: nothing was."""


class _Note(NamedTuple):
    text: str
    until: float


class SoleNode:
    """The only node: every lease is its own, and nothing is posted or sent anywhere."""

    is_one_of_several = False
    """May others append to the rooms' logs?"""

    def __init__(self, store: Store, monotonic: Callable[[], float]) -> None:
        self._store, self._monotonic = store, monotonic
        self._notes: dict[str, _Note] = {}
        """Those that are past are forgotten with the next that is kept."""
        self.remote = RemotePresence()
        """What other nodes have posted about rooms."""
        self.handlers: dict[str, Handler] = {}
        """What is done with each kind of message that another node may send to all."""
        self.on_missed: Callable[[], Coroutine[Any, Any, None] | None] = lambda: None
        """Called where some of those messages may have been missed; what it returns is run, too."""

    async def join(self, most: int, since: int) -> Mapping[str, int]:
        """Begin to serve. Gives at most `most` rooms to load, each with when it was last served.

        Those where something happened since then; all moments are milliseconds since 1970. Raises
        `StoreError`.
        """
        last_alive = await self._store.last_alive()
        return dict.fromkeys((await self._store.open_rooms(since))[-most:], last_alive)

    async def open_others(self) -> list[str]:
        """The keys of open logs that are no rooms', for their registries to wake. Raises `StoreError`."""
        return await self._store.open_others()

    async def leave(self) -> None:
        """Hold no lease any more, and let others take over at once. Once is enough."""

    def note_alive(self, at: int) -> None:
        """Note that the server was up at this time, for the clocks of those who play."""
        self._store.note_alive(at)

    def stood_still(self, since: int) -> int | None:
        """When players' time stood still that ran since then; None: it has run on."""
        return None

    @property
    def name(self) -> str:
        """This node's name, unlike any other's; empty where there is none."""
        return ""

    @property
    def count(self) -> int:
        """How many nodes are alive, this one among them."""
        return 1

    @property
    def others(self) -> bool:
        """Are there others, that people can go on at?"""
        return False

    def notice_standstill(self) -> None:
        """Tell the rooms if this process has just stood still, before what came in meanwhile is decided.

        A sole node's clock stands still with it: see `SteadyClock`.
        """

    # ------------------------------------------------------------ leases

    async def acquire(self, code: str) -> int | None:
        """Hold a room's lease unless another node does: see `Cluster.acquire`. Raises `StoreError`."""
        return ASLEEP

    def still_holds(self, since: float) -> bool:
        """Does it hold what it asked for then, by the steady clock?"""
        return True

    async def release(self, codes: Collection[str], *, asleep: bool) -> None:
        """Hold these rooms' leases no longer: see `Cluster.release`."""

    def put_to_sleep(self, code: str, *, leased: bool) -> None:
        """A room has left memory: others may have it."""

    # ------------------------------------------------------------ posts, messages and notes

    def mark_dirty(self, room: str) -> None:
        """Have a room's post written anew."""

    def relay(self, notice: RoomNotice, channel: Channel | None, but: str) -> None:
        """Send a notice to those who are connected to its room elsewhere; it may be dropped.

        For `channel` and `but` see `Audience.send_notice`.
        """

    async def broadcast(self, kind: str, facts: Any) -> None:
        """Send a message to all other nodes. It may be missed. Raises `StoreError`."""

    async def keep(self, key: str, text: str, seconds: float | None = None) -> None:
        """Keep a note for all nodes for so long; None: for good. Raises `StoreError`."""
        now = self._monotonic()
        self._notes = {one: note for one, note in self._notes.items() if note.until > now}
        self._notes[key] = _Note(text, inf if seconds is None else now + seconds)

    async def replace(self, key: str, old: str | None, text: str) -> bool:
        """Keep a note for good where it still is the old one: see `Cluster.replace`. Raises `StoreError`."""
        if await self.look_up(key) != old:
            return False
        await self.keep(key, text)
        return True

    async def look_up(self, key: str) -> str | None:
        """A note that is kept for all nodes. Raises `StoreError`."""
        note = self._notes.get(key)
        return note.text if note is not None and note.until > self._monotonic() else None

    async def take(self, key: str) -> str | None:
        """The same, which is kept no longer: one alone gets it. Raises `StoreError`."""
        text = await self.look_up(key)
        self._notes.pop(key, None)
        return text

    # ------------------------------------------------------------ what one node does at a time

    async def hold(self, key: str, seconds: float) -> bool:
        """Be the one node that does something, for so long; or go on to be it. Raises `StoreError`."""
        return True

    def look_up_command(self, player: str, command: str, found: Found, refuse: Refuse) -> None:
        """See `Store.room_by`. Where no room is found the command is this node's, until `command_done`.

        `refuse` is called instead where other nodes can't be asked.
        """
        self._store.room_by(player, command, found)

    def command_done(self, player: str, command: str) -> None:
        """A command that was looked up has led to a room, or was refused."""

    def claim(
        self, key: str, seconds: float, without: Collection[str], claimed: Claimed, refuse: Refuse
    ) -> None:
        """Be the one who makes what several nodes may want: see `Cluster.hold`.

        Calls `claimed` once with what another has made, or with None where it is this node's to make, and to
        `publish`; or `refuse`, where other nodes can't be asked.
        """
        claimed(None)

    def publish(self, key: str, made: str, seconds: float) -> None:
        """What was claimed is made: others have it for so long.

        Empty: it was not, and others may try. That is heard also where this node does not hold the claim.
        """
