"""Several nodes in one process, over one log in memory: what a database is to real ones."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from parlour_protocol.ids import Version
from parlour_server.log import LogRecord, closes
from parlour_server.store.cluster import ASLEEP, REWRITTEN, SETTLED_SECONDS, Callbacks, Posted, Renewal
from parlour_server.store.memory import MemoryStore
from parlour_server.store.port import Done, StoreError


@dataclass(slots=True)
class Lease:
    until: float
    renewed: int
    players: int


@dataclass(slots=True)
class Note:
    text: str
    until: float | None
    holder: str = ""


@dataclass(slots=True)
class Ground:
    """What all nodes share. `now` gives milliseconds since 1970."""

    now: Callable[[], int]
    log: MemoryStore = field(default_factory=MemoryStore)
    leases: dict[str, Lease] = field(default_factory=dict)
    holders: dict[str, str | None] = field(default_factory=dict)
    """By room: the node that holds its lease; None: it is asleep; empty: the first who wants it."""
    posted: dict[tuple[str, str], tuple[int, str | None]] = field(default_factory=dict)
    notes: dict[str, Note] = field(default_factory=dict)
    nodes: dict[str, "MemoryCluster"] = field(default_factory=dict)
    posts: int = 0
    down: tuple[int, int] = (0, 0)

    def lives(self, node: str | None) -> bool:
        lease = self.leases.get(node or "")
        return lease is not None and lease.until > self.now()

    def since(self, room: str) -> int:
        holder = self.holders.get(room)
        if holder is None:
            return ASLEEP
        if not holder:
            return self.now()
        lease = self.leases.get(holder)
        return ASLEEP if lease is None else lease.renewed

    def note(self, key: str) -> str | None:
        note = self.notes.get(key)
        return note.text if note is not None and (note.until is None or note.until > self.now()) else None

    def closed(self, room: str) -> bool:
        log = self.log._logs(room).get(room, [])
        return not log or closes(log[-1].event)


class MemoryCluster:
    """What nodes share, as one of them has it: see `store.cluster.Cluster`."""

    def __init__(self, ground: Ground, node: str) -> None:
        self.ground, self.node = ground, node
        self.cut = False
        """Can nothing be reached?"""
        self.deaf = False
        """Does no hint arrive?"""
        self.callbacks: Callbacks | None = None
        self._seen = 0
        ground.nodes[node] = self

    def _reach(self) -> Ground:
        if self.cut:
            raise StoreError("The database can't be reached.")
        return self.ground

    def to_others(self, call: Callable[[Callbacks], None]) -> None:
        for other in self.ground.nodes.values():
            if other is not self and other.callbacks is not None and not other.deaf and not other.cut:
                other.receive(call)

    def receive(self, call: Callable[[Callbacks], None]) -> None:
        """Another node has done something."""
        assert self.callbacks is not None
        call(self.callbacks)

    def listen_again(self) -> None:
        """Get hints again."""
        assert self.callbacks is not None
        self.deaf = False
        self.callbacks.missed()

    def appended(self, room: str, expected: Version, records: Sequence[LogRecord]) -> None:
        """This node has appended to a room."""
        if expected == 0:
            self.ground.holders[room] = self.node
        if closes(records[-1].event):
            self.ground.holders[room] = None
        version = expected + len(records)
        followed = self.callbacks is not None and self.callbacks.followed(room)
        grown = {room: list(records)} if followed else {}
        self.hint({room: version}, grown)

    def hint(self, versions: Mapping[str, Version], records: Mapping[str, list[LogRecord]]) -> None:
        """Others are notified of those rooms that are in memory there."""

        def tell(callbacks: Callbacks) -> None:
            if awake := {room: version for room, version in versions.items() if callbacks.awake(room)}:
                callbacks.appended(awake, records)

        self.to_others(tell)

    def listen(self, callbacks: Callbacks) -> None:
        self.callbacks = callbacks

    async def renew(self, seconds: float, players: int) -> Renewal:
        ground = self._reach()
        now, ended = ground.now(), not ground.lives(self.node)
        if not any(map(ground.lives, ground.leases)):
            last = max((lease.renewed for lease in ground.leases.values()), default=0)
            since, until = ground.down
            settled = last - until >= 1000 * SETTLED_SECONDS
            ground.down = last if settled else min(since, last), now
        ground.leases[self.node] = Lease(now + 1000 * seconds, now, players)
        others = {
            node: lease.players
            for node, lease in ground.leases.items()
            if node != self.node and ground.lives(node)
        }
        return Renewal(now, others, ended, ground.down)

    async def leave(self) -> None:
        ground = self._reach()
        if (lease := ground.leases.get(self.node)) is not None and ground.lives(self.node):
            lease.until = lease.renewed = ground.now()

    async def leased(self) -> list[str]:
        return [room for room, holder in reversed(self._reach().holders.items()) if holder == self.node]

    async def take_over(self, most: int, wanted: Collection[str] = ()) -> dict[str, int]:
        ground = self._reach()
        free = [
            room
            for room, holder in reversed(ground.holders.items())
            if holder is not None and not ground.lives(holder) and not ground.closed(room)
        ]
        share = max(20, -(-len(free) // max(1, sum(map(ground.lives, ground.leases)))))
        found = {room: ground.since(room) for room in free[: min(most, share)]}
        for room in wanted:
            if not ground.lives(ground.holders.get(room)) and not ground.closed(room):
                found[room] = ground.since(room)
        ground.holders.update(dict.fromkeys(found, self.node))
        return found

    async def acquire(self, room: str) -> int | None:
        ground = self._reach()
        if ground.closed(room):
            return ASLEEP
        if ground.holders.get(room) != self.node and ground.lives(ground.holders.get(room)):
            return None
        since = ground.since(room)
        ground.holders[room] = self.node
        return since

    async def release(self, rooms: Collection[str], *, asleep: bool) -> None:
        ground = self._reach()
        for room in rooms:
            if ground.holders.get(room) == self.node:
                ground.holders[room] = None if asleep else ""

    async def post(self, posts: Mapping[str, str | None]) -> None:
        ground = self._reach()
        for room, text in posts.items():
            ground.posts += 1
            ground.posted[self.node, room] = ground.posts, text
        self.to_others(lambda callbacks: callbacks.posted())

    async def posts(self, *, afresh: bool = False) -> list[Posted]:
        ground = self._reach()
        if afresh:
            self._seen = 0
        found = [
            Posted(node, room, text)
            for (node, room), (number, text) in ground.posted.items()
            if number > self._seen and node != self.node
        ]
        self._seen = ground.posts
        return found

    async def behind(self, versions: Mapping[str, Version]) -> list[str]:
        ground = self._reach()
        return [
            room for room, version in versions.items() if len(ground.log._logs(room).get(room, [])) > version
        ]

    async def broadcast(self, text: str) -> None:
        self._reach()
        self.to_others(lambda callbacks: callbacks.received(text))

    async def keep(self, key: str, text: str, seconds: float | None = None) -> None:
        ground = self._reach()
        ground.notes[key] = Note(text, None if seconds is None else ground.now() + 1000 * seconds)

    async def replace(self, key: str, old: str | None, text: str) -> bool:
        ground = self._reach()
        if ground.note(key) != old:
            return False
        ground.notes[key] = Note(text, None)
        return True

    async def look_up(self, key: str) -> str | None:
        return self._reach().note(key)

    async def take(self, key: str) -> str | None:
        ground = self._reach()
        text = ground.note(key)
        ground.notes.pop(key, None)
        return text

    async def hold(self, key: str, seconds: float, without: Collection[str] = ()) -> str | None:
        ground = self._reach()
        text = ground.note(key)
        if text is not None and text not in without:
            return text
        ground.notes[key] = Note("", ground.now() + 1000 * seconds, self.node)
        return None

    async def let_go(self, key: str) -> None:
        note = self._reach().notes.get(key)
        if note is not None and (note.text, note.holder) == ("", self.node):
            del self.ground.notes[key]


class NodeStore:
    """One node's store over the log that all share; others get hints."""

    def __init__(self, cluster: MemoryCluster) -> None:
        self.cluster = cluster

    def __getattr__(self, name: str) -> Any:
        return getattr(self.cluster.ground.log, name)

    async def forget_player(self, player: str) -> list[str]:
        rooms = await self.cluster.ground.log.forget_player(player)
        self.cluster.hint(dict.fromkeys(rooms, REWRITTEN), {})
        return rooms

    def append(self, room: str, expected: Version, records: Sequence[LogRecord], done: Done) -> None:
        def appended(error: StoreError | None) -> None:
            if error is None:
                self.cluster.appended(room, expected, records)
            done(error)

        self.cluster.ground.log.append(room, expected, list(records), appended)
