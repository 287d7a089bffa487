"""This node among the others of a cluster: its lease, its rooms, its posts and messages.

    every beat   renew the lease; take over from dead nodes; read what was posted; look for events whose
                 hint was missed; hand rooms over to the nodes where their people are

Nothing here decides what is true: that is the log's key. A node that goes on after its lease has ended can
do no harm: what it appends is stale, or as right as if another had appended it.
"""

import asyncio
import json
from collections import deque
from collections.abc import Callable, Collection, Coroutine, Mapping
from typing import Any, Protocol

import structlog

from parlour_protocol.ids import Version
from parlour_server.hosting.context import Context, Timer
from parlour_server.hosting.remote_presence import RoomStatus, read_post, write_post
from parlour_server.hosting.rooms.live_room import LiveRoom
from parlour_server.log import LogRecord
from parlour_server.store.cluster import ASLEEP, REWRITTEN, Callbacks, Cluster, command_of
from parlour_server.store.port import StoreError

log = structlog.get_logger()

BEAT_SECONDS = 0.75
LEASE_SECONDS = 3.0
"""A node that has not renewed its lease for so long is dead to the others."""
POST_SECONDS = 0.1
"""So long posts are gathered."""
MOVES_SECONDS = 5.0
"""So long, where games went on and nothing else happened: the list shows how they stand."""
READ_SECONDS = 0.05
"""So long new posts are gathered before they are read."""
SILENT_SECONDS = 600.0
"""After so long what a dead node has posted is forgotten."""
RELAY_SECONDS = 0.5
"""How often thoughts of one room are sent to those who are connected to it elsewhere."""
RELAYED_BYTES = 5_500
WITHDRAWN_KEPT = 1000
TRIES = 3
"""So often it is tried to read a room that was taken over."""
TRY_AGAIN_SECONDS = 6.0
TAKEN_AT_ONCE = 500
READ_AT_ONCE = 20


class ClusterRooms(Protocol):
    """What a node needs of its directory."""

    def awake(self) -> Collection[LiveRoom]:
        """All rooms that are in memory."""

    def get(self, code: str, /) -> LiveRoom | None:
        """A room that is in memory."""

    def post_of(self, code: str, /) -> RoomStatus:
        """What others should know of a room."""

    def line_changed(self, code: str, /) -> None:
        """A room's line in the list has changed elsewhere."""

    def players_changed(self) -> None:
        """There are more or fewer players at other nodes."""

    async def take_up(self, code: str, since: int, asked_at: float, /) -> bool:
        """Hold the lease of a room, which nobody did after `since`; false: it can't be read just now.

        It was asked for then, by the steady clock.
        """

    @property
    def players(self) -> int:
        """How many players are connected to this node."""


class Nodes:
    """One node. `join` before the first room is loaded, `leave` before the store is closed."""

    def __init__(self, cluster: Cluster, context: Context, rooms: ClusterRooms) -> None:
        self._cluster, self._context, self._rooms = cluster, context, rooms
        self._remote = context.remote
        self.handlers: dict[str, Callable[[Any], object]] = {
            "lease": self._asked_to_lease,
            "thinking": self._show_thinking,
        }
        """What is done with each kind of message that another node may send to all."""
        self.on_missed: Callable[[], None] = lambda: None
        """Called where some of those messages may have been missed."""
        self._timers: dict[str, Timer] = {}
        self._posted: dict[str, str] = {}
        """What stands of this node's posts; empty: not known."""
        self._withdrawn: deque[str] = deque(maxlen=WITHDRAWN_KEPT)
        """The rooms whose posts it has withdrawn lately: others may have missed that."""
        self._posting = asyncio.Lock()
        self._reading = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        """What is under way."""
        self._beating = False
        self._relayed: dict[str, float] = {}
        """When something was last relayed of each room."""
        self._unsure = False
        """Is it not known which leases this node holds, since an answer was lost?"""
        self._releasing: set[str] = set()
        """The rooms whose leases are being released."""
        self._silent: dict[str, float] = {}
        """Since when the nodes are dead of which there are posts."""
        self.lapsed = False
        """Has its lease expired, so that it holds none of a room's?"""
        self._in_touch_at = 0.0
        """Since when it has not lapsed, by the steady clock."""
        self._left = False
        self._renewed_at = 0
        """When its lease was last renewed, by the cluster's time in milliseconds since 1970."""
        self._reachable = True
        self._afresh = False
        """Are all posts to be read, not the new ones alone?"""

    # ------------------------------------------------------------ joining and leaving

    async def join(self, most: int) -> None:
        """Take part, and take over rooms whose leases nobody holds, so many at most. Raises `StoreError`."""
        callbacks = Callbacks(
            self._missed, self._appended, self._is_awake, self._followed, self._posts_changed, self._received
        )
        self._cluster.listen(callbacks)
        self._remote.on_dirty = self._post_soon
        self._remote.on_relay = self._relay
        await self._renew()
        self._in_touch_at = self._context.monotonic()
        await self._read_posts()
        self._again("beat", BEAT_SECONDS, self._beat)
        self._again("moves", MOVES_SECONDS, self._post_moves)
        await self._take_up(await self._cluster.take_over(most))

    @property
    def others(self) -> bool:
        """Are there others, that people can go on at? Those of the same command end with this one."""
        command = command_of(self.name)
        return any(command_of(node) != command for node in self._remote.players)

    @property
    def name(self) -> str:
        """This node's name, unlike any other's."""
        return self._cluster.node

    @property
    def count(self) -> int:
        """How many nodes are alive, this one among them."""
        return 1 + len(self._remote.players)

    async def leave(self) -> None:
        """Hold no lease any more, and let others take over at once. Once is enough."""
        if self._left:
            return
        self._left = True
        for timer in self._timers.values():
            timer.cancel()
        # One of them may be about to renew what is given up here.
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        for room in self._rooms.awake():
            room.drop_lease()
        try:
            await self._cluster.leave()
        except StoreError as error:
            log.warning("this node's lease could not be given up: it has to expire", reason=str(error))

    # ------------------------------------------------------------ the beat

    def _beat(self) -> None:
        self._again("beat", BEAT_SECONDS, self._beat)
        if not self._beating:
            self._beating = True
            self.spawn(self._beat_once())

    async def _beat_once(self) -> None:
        try:
            await self._renew()
            if self._unsure:
                await self._look_up_leases()
            await self._take_over()
            await self._read_posts()
            await self._look_behind()
            await self._hand_over()
            await self._write_posts()
            self._reachable = True
        except StoreError as error:
            if self._reachable:
                log.warning("the other nodes can't be reached", reason=str(error))
            self._reachable = False
            # It may have been done, and the answer lost.
            self._unsure = True
        finally:
            self._beating = False

    async def _renew(self) -> None:
        begun = self._context.monotonic()
        renewal = await self._cluster.renew(LEASE_SECONDS, self._rooms.players)
        now = self._context.monotonic()
        # It was so late somewhere between.
        half = 500 * (now - begun)
        self._context.set_clock(renewal.now + round(half), half)
        last, self._renewed_at = self._renewed_at, renewal.now
        if self.lapsed or now - begun >= LEASE_SECONDS or (renewal.ended and last):
            await self._resume(last)
        self._remote.down = renewal.down
        self._remote.serves_until = begun + LEASE_SECONDS, renewal.now
        # From when it was asked for: the others count from later on.
        self._again("lease", begun + LEASE_SECONDS - now, self._lapse)
        if renewal.others != self._remote.players:
            self._rooms_changed(self._remote.alive(renewal.others))
            self._rooms.players_changed()
        for node in self._remote.silent:
            if now - self._silent.setdefault(node, now) > SILENT_SECONDS:
                self._remote.forget(node)
        self._silent = {node: at for node, at in self._silent.items() if node not in renewal.others}

    def _lapse(self) -> None:
        """The lease has expired: others may take over."""
        if not self.lapsed:
            log.warning("this node has lost touch with the others, and leaves timers and bots to them")
            self.lapsed = True
            for room in self._rooms.awake():
                room.drop_lease()

    async def _resume(self, last: int) -> None:
        """The lease is renewed after it expired: go on with what nobody has taken over.

        `last`: when it was renewed before, in milliseconds since 1970.
        """
        self._lapse()
        # Before it is asked: what is acquired meanwhile may be missing in the answer.
        self._unsure = False
        kept = await self._leased()
        self.lapsed = False
        self._in_touch_at = self._context.monotonic()
        log.info("this node is in touch with the others again", rooms=len(kept))
        self._post_again()
        self.spawn(self._take_up(dict.fromkeys(kept, last)))

    async def _look_up_leases(self) -> None:
        """Find out which leases this node holds, after an answer was lost."""
        before = {room.code for room in self._rooms.awake() if room.leased}
        self._unsure = False
        kept = set(await self._leased())
        for code in before - kept:
            if (room := self._rooms.get(code)) is not None:
                room.drop_lease()
        self._post_again()
        # Since when nobody held the others nobody knows any more.
        self.spawn(self._take_up(dict.fromkeys(kept - before, ASLEEP)))

    async def _leased(self) -> list[str]:
        """The rooms whose leases this node holds, and is not about to release."""
        releasing = set(self._releasing)
        held = await self._cluster.leased()
        return [code for code in held if code not in releasing | self._releasing]

    def _post_again(self) -> None:
        """Nobody knows what stands of all that was posted, here or there."""
        self._afresh = True
        self._posted = dict.fromkeys([*self._posted, *self._withdrawn], "")
        self._withdrawn.clear()
        for code in self._posted:
            self._remote.mark_dirty(code)
        for room in self._rooms.awake():
            self._remote.mark_dirty(room.code)

    async def _take_over(self) -> None:
        """Take over what dead nodes held, and what was put to sleep while somebody came here."""
        rooms = self._rooms.awake()
        most = min(TAKEN_AT_ONCE, max(0, self._context.limits.rooms - len(rooms)))
        wanted = [room.code for room in rooms if not room.leased and (room.audience or room.has_work)]
        taken = await self._cluster.take_over(most, wanted)
        if taken:
            # Beside the beat: to read many logs may take longer than the lease.
            self.spawn(self._take_up(taken))

    async def _take_up(self, rooms: Mapping[str, int], tries: int = TRIES) -> None:
        """Hold these rooms' leases."""
        codes, asked_at = list(rooms), self._context.monotonic()
        absent = {code for code in codes if self._rooms.get(code) is None}
        failed: list[str] = []
        for first in range(0, len(codes), READ_AT_ONCE):
            some = codes[first : first + READ_AT_ONCE]
            # Who has come for a room meanwhile has taken it up, and it may be another node's again.
            some = [code for code in some if code not in absent or self._rooms.get(code) is None]
            done = await asyncio.gather(*(self._rooms.take_up(code, rooms[code], asked_at) for code in some))
            failed += [code for code, well in zip(some, done, strict=True) if not well]
        if failed and tries > 1:
            await self._context.pause(TRY_AGAIN_SECONDS)
            left = {code: rooms[code] for code in failed if self._rooms.get(code) is None}
            if left and self.still_holds(asked_at):
                await self._take_up(left, tries - 1)
        elif failed:
            await self.release(failed, asleep=True)

    async def _look_behind(self) -> None:
        """Find the rooms that have gone on without a hint."""
        versions = {room.code: room.state.version for room in self._rooms.awake()}
        for code in await self._cluster.behind(versions):
            if (room := self._rooms.get(code)) is not None:
                room.hinted(versions[code] + 1)

    async def _hand_over(self) -> None:
        """Let the rooms go whose people are all connected elsewhere: there they can be shown all thoughts."""
        given: dict[str, list[str]] = {}
        for room in self._rooms.awake():
            if room.leased and not room.audience and room.at_rest:
                node = self._remote.attended(room.code)
                if node is not None:
                    given.setdefault(node, []).append(room.code)
        for node, codes in given.items():
            for code in codes:
                if (one := self._rooms.get(code)) is not None:
                    one.drop_lease()
            await self.release(codes, asleep=False)
            await self.broadcast("lease", {"node": node, "rooms": codes})

    def _asked_to_lease(self, asked: Any) -> None:
        if asked["node"] == self._cluster.node:
            self.spawn(self._acquire(asked["rooms"]))

    async def _acquire(self, codes: Collection[str]) -> None:
        for code in codes:
            if (room := self._rooms.get(code)) is not None:
                await self.acquire_if_free(room)

    async def acquire_if_free(self, room: LiveRoom) -> None:
        """Hold the lease of a room that is in memory, unless another node does."""
        if room.leased or self.lapsed or room.state.phase == "closed":
            return
        try:
            since = await self.acquire(room.code)
        except StoreError as error:
            # The next beat tries again.
            log.warning("a room's lease can't be had yet", room=room.code, reason=str(error))
            return
        if since is not None:
            await self._take_up({room.code: since})

    async def acquire(self, code: str) -> int | None:
        """Hold a room's lease, if no other node does: see `Cluster.acquire`. Raises `StoreError`."""
        while code in self._releasing:
            # Else it might be released after it was acquired.
            await self._context.pause(POST_SECONDS)
        try:
            return await self._cluster.acquire(code)
        except StoreError:
            self._unsure = True
            raise

    def still_holds(self, since: float) -> bool:
        """Does it hold what it asked for then, by the steady clock? If not, it soon finds out what it has."""
        if not self.lapsed and self._in_touch_at <= since:
            return True
        self._unsure = True
        return False

    async def release(self, codes: Collection[str], *, asleep: bool) -> None:
        """Hold these rooms' leases no longer: see `Cluster.release`."""
        self._releasing.update(codes)
        try:
            await self._cluster.release(codes, asleep=asleep)
        except StoreError as error:
            log.warning("a room could not be left to others", rooms=len(codes), reason=str(error))
            self._unsure = True
        finally:
            self._releasing.difference_update(codes)

    # ------------------------------------------------------------ hints and messages

    def _missed(self) -> None:
        if not self._left:
            self._posts_changed()
            self.on_missed()

    def _appended(self, versions: Mapping[str, Version], records: Mapping[str, list[LogRecord]]) -> None:
        for code, version in versions.items():
            if (room := self._rooms.get(code)) is None:
                continue
            if version == REWRITTEN:
                room.reload()
            else:
                room.hinted(version, records.get(code, ()))

    def _is_awake(self, code: str) -> bool:
        return self._rooms.get(code) is not None

    def _followed(self, code: str) -> bool:
        return self._remote.attended(code) is not None

    async def broadcast(self, kind: str, facts: Any) -> None:
        """Send a message to all other nodes. It may be missed. Raises `StoreError`."""
        await self._cluster.broadcast(json.dumps({"kind": kind, "facts": facts}))

    def _relay(self, code: str, message: bytes) -> None:
        now = self._context.monotonic()
        if now - self._relayed.get(code, 0.0) >= RELAY_SECONDS and len(message) <= RELAYED_BYTES:
            self._relayed[code] = now
            self._context.spawn(self._broadcast_or_drop("thinking", [code, message.decode()]))

    async def _broadcast_or_drop(self, kind: str, facts: Any) -> None:
        try:
            await self.broadcast(kind, facts)
        except StoreError as error:
            log.debug("a notice was dropped", kind=kind, reason=str(error))

    def _show_thinking(self, shown: Any) -> None:
        code, message = shown
        if (room := self._rooms.get(code)) is not None:
            room.audience.send(message.encode())

    def _received(self, text: str) -> None:
        message = json.loads(text)
        handler = self.handlers.get(message["kind"])
        # One that we don't know comes from a newer node.
        if handler is not None and not self._left:
            handler(message["facts"])

    # ------------------------------------------------------------ posts

    def _post_soon(self) -> None:
        if "post" not in self._timers and not self._left:
            self._again("post", POST_SECONDS, lambda: self.spawn(self._write_posts_or_later()))

    def _post_moves(self) -> None:
        self._again("moves", MOVES_SECONDS, self._post_moves)
        self._remote.changed.update(self._remote.moved)
        self._remote.moved.clear()
        now = self._context.monotonic()
        self._relayed = {code: at for code, at in self._relayed.items() if now - at < RELAY_SECONDS}

    async def _write_posts_or_later(self) -> None:
        try:
            await self._write_posts()
        except StoreError as error:
            # The next beat tries again.
            log.warning("what happens here could not be posted", reason=str(error))

    async def _write_posts(self) -> None:
        async with self._posting:
            changed = list(self._remote.changed)
            self._remote.changed.clear()
            texts = {code: write_post(self._rooms.post_of(code)) for code in changed}
            news = {code: text for code, text in texts.items() if text != self._posted.get(code)}
            if not news or self._left:
                return
            try:
                await self._cluster.post(news)
            except StoreError:
                # Some of it may stand.
                self._posted.update(dict.fromkeys(news, ""))
                self._remote.changed.update(dict.fromkeys(changed))
                raise
            for code, text in news.items():
                if text is None:
                    self._posted.pop(code, None)
                    self._withdrawn.append(code)
                else:
                    self._posted[code] = text

    def _posts_changed(self) -> None:
        if "read" not in self._timers and not self._left:
            self._again("read", READ_SECONDS, lambda: self.spawn(self._read_posts_or_later()))

    async def _read_posts_or_later(self) -> None:
        try:
            await self._read_posts()
        except StoreError as error:
            log.warning("what happens elsewhere could not be read", reason=str(error))

    async def _read_posts(self) -> None:
        async with self._reading:
            afresh, self._afresh = self._afresh, False
            try:
                posts = await self._cluster.posts(afresh=afresh)
            except StoreError:
                self._afresh = afresh or self._afresh
                raise
            changed: dict[str, None] = {}
            if afresh:
                changed |= dict.fromkeys(self._remote.keep({(one.node, one.room) for one in posts}))
            for one in posts:
                try:
                    post = None if one.text is None else read_post(one.text)
                except ValueError as error:
                    log.warning("a post of another node can't be read", node=one.node, reason=str(error))
                    post = None
                self._remote.update(one.node, one.room, post)
                changed[one.room] = None
        self._rooms_changed(changed)

    def _rooms_changed(self, codes: Collection[str]) -> None:
        for code in codes:
            self._rooms.line_changed(code)
            if (room := self._rooms.get(code)) is not None:
                room.presence_changed_elsewhere()

    # ------------------------------------------------------------ tasks and timers

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run something beside everything else, until this node leaves."""
        task = self._context.spawn(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _again(self, name: str, seconds: float, work: Callable[[], None]) -> None:
        """Set the one timer of this name."""
        if self._left:
            return
        if (timer := self._timers.pop(name, None)) is not None:
            timer.cancel()

        def fire() -> None:
            del self._timers[name]
            work()

        self._timers[name] = self._context.later(max(0.0, seconds), fire)
