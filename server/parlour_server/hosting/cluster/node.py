"""This node among the others of a cluster: its lease, its rooms' leases, and what it does at every beat.

    every beat   renew the lease; take over from dead nodes; read what was posted; look for events whose
                 hint was missed; hand rooms over to the nodes where their people are

Nothing here decides what is true: that is the log's key. A node that goes on after its lease has ended can
do no harm: what it appends is stale, or as right as if another had appended it.

Beside logs nodes share messages to all, which may be missed, and notes, by which one node does a thing at a
time. A command that leads a player to a room comes twice where a connection breaks as soon as something was
sent, and the next one leads to another node; and players who seek the same game may do so at different nodes.
"""

import asyncio
import json
from collections.abc import Collection, Mapping
from functools import partial
from math import inf
from typing import Any

import structlog

from parlour_protocol.codec import encode_to_client
from parlour_protocol.ids import Version
from parlour_protocol.messages import RoomNotice
from parlour_protocol.views.rooms import Channel
from parlour_server.hosting.actors.log_actor import LogActor
from parlour_server.hosting.actors.registry import Registry
from parlour_server.hosting.background import Background
from parlour_server.hosting.cluster.posts import POST_SECONDS, Posts
from parlour_server.hosting.context import Context
from parlour_server.hosting.node import Claimed, SoleNode
from parlour_server.hosting.refusing import Refuse
from parlour_server.hosting.rooms.directory import Directory
from parlour_server.log import LogRecord, kind_of
from parlour_server.store.cluster import ASLEEP, REWRITTEN, Callbacks, Cluster, command_of
from parlour_server.store.port import Found, StoreError

log = structlog.get_logger()

BEAT_SECONDS = 0.75
LEASE_SECONDS = 3.0
"""A node that has not renewed its lease for so long is dead to the others."""
STANDSTILL_SECONDS = 0.5
"""A node whose beat is late by more has stood still."""
SILENT_SECONDS = 600.0
"""How long what a dead node has posted is kept."""
TRIES = 3
"""How often it is tried to read what was taken over."""
TRY_AGAIN_SECONDS = 6.0
TAKEN_AT_ONCE = 500
READ_AT_ONCE = 20
CLAIM_SECONDS = 10.0
"""How long other nodes wait for the result of a command: the node that executes it may have died."""
LOOK_SECONDS = 0.05
RELAY_SECONDS = 0.5
"""How often one kind of a room's notices is sent to those who are connected to it elsewhere."""
RELAYED_BYTES = 5_500


class ClusterNode(SoleNode):
    """One node of several. It takes the place of the context's sole node before the rooms are loaded."""

    is_one_of_several = True

    def __init__(
        self, cluster: Cluster, context: Context, directory: Directory, *others: Registry[Any]
    ) -> None:
        super().__init__(context.store, context.monotonic)
        self._cluster, self._context = cluster, context
        self._background = Background(context)
        self._registries = {one.aggregate.kind: one for one in (directory, *others)}
        """The actors that this node hosts, by the kinds of their logs."""
        self._rooms = directory
        self._posts = Posts(cluster, context, self._background, self._registries, self.remote)
        self.handlers["lease"] = self._asked_to_lease
        self.handlers["notice"] = self._send_relayed
        self._beating = False
        self._beat_at = inf
        """When the next beat is due, or until when it is known that it was late; by the steady clock."""
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
        self._renewed_at = 0
        """When its lease was last renewed, by the cluster's time in milliseconds since 1970."""
        self._expires_at = inf
        """When it ends, by the steady clock."""
        self._down = (0, 0)
        """From when until when no node served for the last time: see `Renewal`. No player's time ran then."""
        self._reachable = True

    # ------------------------------------------------------------ joining and leaving

    async def join(self, most: int, since: int) -> Mapping[str, int]:
        """Take part, and take over rooms whose leases no node holds, at most `most`. Raises `StoreError`."""
        callbacks = Callbacks(
            self._missed,
            self._appended,
            self._is_awake,
            self._followed,
            self._posts.read_soon,
            self._received,
        )
        self._cluster.listen(callbacks)
        await self._renew()
        self._in_touch_at = self._context.monotonic()
        await self._posts.read()
        self._background.later("beat", BEAT_SECONDS, self._beat)
        self._posts.post_moves()
        await self._take_up(await self._cluster.take_over(most))
        return {}

    async def open_others(self) -> list[str]:
        """None: they are taken over as rooms are."""
        return []

    @property
    def name(self) -> str:
        return self._cluster.node

    @property
    def count(self) -> int:
        return 1 + len(self.remote.players)

    @property
    def others(self) -> bool:
        """See `SoleNode`. Those of the same command end with this one."""
        command = command_of(self.name)
        return any(command_of(node) != command for node in self.remote.players)

    async def leave(self) -> None:
        if self._background.ended:
            return
        # One of its tasks may be about to renew what is given up here.
        await self._background.end()
        for actor in self._awake():
            actor.drop_lease()
        try:
            await self._cluster.leave()
        except StoreError as error:
            log.warning("this node's lease could not be given up: it has to expire", reason=str(error))

    def note_alive(self, at: int) -> None:
        """Its lease says so."""

    def stood_still(self, since: int) -> int | None:
        """See `SoleNode`. A node whose lease has ended does not know what others did meanwhile."""
        down, up = self._down
        if since < up:
            return down
        return self._renewed_at if self._context.monotonic() >= self._expires_at else None

    # ------------------------------------------------------------ the beat

    def notice_standstill(self) -> None:
        now = self._context.monotonic()
        late, self._beat_at = now - self._beat_at, max(now, self._beat_at)
        if late > STANDSTILL_SECONDS:
            for room in self._rooms.awake():
                room.timers.stood_still(round(1000 * late))

    def _beat(self) -> None:
        self.notice_standstill()
        self._beat_at = self._context.monotonic() + BEAT_SECONDS
        self._background.later("beat", BEAT_SECONDS, self._beat)
        if not self._beating:
            self._beating = True
            self._background.spawn(self._beat_once())

    async def _beat_once(self) -> None:
        try:
            await self._renew()
            if self._unsure:
                await self._look_up_leases()
            await self._take_over()
            await self._posts.read()
            await self._look_behind()
            await self._hand_over()
            await self._posts.write()
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
        self._down = renewal.down
        # From when it was asked for: the others count from later on.
        self._expires_at = begun + LEASE_SECONDS
        self._background.later("lease", self._expires_at - now, self._lapse)
        if renewal.others != self.remote.players:
            self._posts.changed(self.remote.alive(renewal.others))
            self._rooms.lobby.notify_soon()
        for node in self.remote.silent:
            if now - self._silent.setdefault(node, now) > SILENT_SECONDS:
                self.remote.forget(node)
        self._silent = {node: at for node, at in self._silent.items() if node not in renewal.others}

    def _lapse(self) -> None:
        """The lease has expired: others may take over."""
        if not self.lapsed:
            log.warning("this node has lost touch with the others, and leaves timers and bots to them")
            self.lapsed = True
            for actor in self._awake():
                actor.drop_lease()

    async def _resume(self, last: int) -> None:
        """The lease is renewed after it expired: go on with what no other has taken over.

        `last`: when it was renewed before, in milliseconds since 1970.
        """
        self._lapse()
        # Before it is asked: what is acquired meanwhile may be missing in the answer.
        self._unsure = False
        kept = await self._leased()
        self.lapsed = False
        self._in_touch_at = self._context.monotonic()
        log.info("this node is in touch with the others again", rooms=len(kept))
        self._posts.mark_all_dirty()
        self._background.spawn(self._take_up(dict.fromkeys(kept, last)))

    async def _look_up_leases(self) -> None:
        """Find out which leases this node holds, after an answer was lost."""
        before = {actor.key for actor in self._awake() if actor.leased}
        self._unsure = False
        kept = set(await self._leased())
        for code in before - kept:
            if (actor := self._get(code)) is not None:
                actor.drop_lease()
        self._posts.mark_all_dirty()
        # Since when no node held the others is not known any more.
        self._background.spawn(self._take_up(dict.fromkeys(kept - before, ASLEEP)))

    async def _leased(self) -> list[str]:
        """The rooms whose leases this node holds, and is not about to release."""
        releasing = set(self._releasing)
        held = await self._cluster.leased()
        return [code for code in held if code not in releasing | self._releasing]

    async def _take_over(self) -> None:
        """Take over what dead nodes held, and what was put to sleep while people came here."""
        most = min(TAKEN_AT_ONCE, max(0, self._context.limits.rooms - len(self._rooms)))
        wanted = [actor.key for actor in self._awake() if not actor.leased and actor.wants_lease]
        taken = await self._cluster.take_over(most, wanted)
        if taken:
            # Beside the beat: to read many logs may take longer than the lease.
            self._background.spawn(self._take_up(taken))

    async def _take_up(self, rooms: Mapping[str, int], tries: int = TRIES) -> None:
        """Hold these rooms' leases."""
        codes, asked_at = list(rooms), self._context.monotonic()
        absent = {code for code in codes if self._get(code) is None}
        failed: list[str] = []
        for first in range(0, len(codes), READ_AT_ONCE):
            some = codes[first : first + READ_AT_ONCE]
            # Who has come for a room meanwhile has taken it up, and it may be another node's again.
            some = [code for code in some if code not in absent or self._get(code) is None]
            done = await asyncio.gather(*(self._take_up_one(code, rooms[code], asked_at) for code in some))
            failed += [code for code, well in zip(some, done, strict=True) if not well]
        if failed and tries > 1:
            await self._context.pause(TRY_AGAIN_SECONDS)
            left = {code: rooms[code] for code in failed if self._get(code) is None}
            if left and self.still_holds(asked_at):
                await self._take_up(left, tries - 1)
        elif failed:
            await self.release(failed, asleep=True)

    async def _take_up_one(self, key: str, since: int, asked_at: float) -> bool:
        registry = self._registries.get(kind_of(key))
        if registry is not None:
            return await registry.take_up(key, since, asked_at)
        # Of a kind that this node doesn't host.
        await self.release([key], asleep=True)
        return True

    async def _look_behind(self) -> None:
        """Find the logs that have gone on without a hint."""
        versions = {actor.key: actor.state.version for actor in self._awake()}
        for key in await self._cluster.behind(versions):
            if (actor := self._get(key)) is not None:
                actor.hinted(versions[key] + 1)

    async def _hand_over(self) -> None:
        """Let the rooms go whose people are all connected elsewhere: there they can be shown all thoughts."""
        given: dict[str, list[str]] = {}
        for room in self._rooms.awake():
            if room.leased and not room.audience and room.at_rest:
                node = self.remote.attended(room.code)
                if node is not None:
                    given.setdefault(node, []).append(room.code)
        for node, codes in given.items():
            for code in codes:
                if (one := self._rooms.get(code)) is not None:
                    one.drop_lease()
            await self.release(codes, asleep=False)
            await self.broadcast("lease", {"node": node, "rooms": codes})

    async def _asked_to_lease(self, asked: Any) -> None:
        if asked["node"] == self.name:
            for key in asked["rooms"]:
                if (actor := self._get(key)) is not None:
                    await self._acquire_if_free(actor)

    async def _acquire_if_free(self, actor: LogActor[Any, Any]) -> None:
        """Hold the lease of what is in memory, unless another node does."""
        if actor.leased or self.lapsed or actor.is_over:
            return
        try:
            since = await self.acquire(actor.key)
        except StoreError as error:
            # The next beat tries again.
            log.warning("a lease can't be had yet", key=actor.key, reason=str(error))
            return
        if since is not None:
            await self._take_up({actor.key: since})

    async def acquire(self, code: str) -> int | None:
        while code in self._releasing:
            # Else it might be released after it was acquired.
            await self._context.pause(POST_SECONDS)
        try:
            return await self._cluster.acquire(code)
        except StoreError:
            self._unsure = True
            raise

    def still_holds(self, since: float) -> bool:
        """See `SoleNode`. If it does not, it soon finds out what it has."""
        if not self.lapsed and self._in_touch_at <= since:
            return True
        self._unsure = True
        return False

    async def release(self, codes: Collection[str], *, asleep: bool) -> None:
        self._releasing.update(codes)
        try:
            await self._cluster.release(codes, asleep=asleep)
        except StoreError as error:
            log.warning("a room could not be left to others", rooms=len(codes), reason=str(error))
            self._unsure = True
        finally:
            self._releasing.difference_update(codes)

    def put_to_sleep(self, code: str, *, leased: bool) -> None:
        self.mark_dirty(code)
        if leased:
            asleep = self.remote.attended(code) is None
            self._context.spawn(self.release([code], asleep=asleep))

    def _get(self, key: str) -> LogActor[Any, Any] | None:
        """An actor that is in memory."""
        registry = self._registries.get(kind_of(key))
        return None if registry is None else registry.get(key)

    def _awake(self) -> list[LogActor[Any, Any]]:
        """All that are."""
        return [actor for registry in self._registries.values() for actor in registry.awake()]

    # ------------------------------------------------------------ hints

    def _missed(self) -> None:
        if not self._background.ended:
            self._posts.read_soon()
            self._background.spawn(self.on_missed())

    def _appended(self, versions: Mapping[str, Version], records: Mapping[str, list[LogRecord]]) -> None:
        for code, version in versions.items():
            if (actor := self._get(code)) is None:
                continue
            if version == REWRITTEN:
                actor.reload()
            else:
                actor.hinted(version, records.get(code, ()))

    def _is_awake(self, code: str) -> bool:
        return self._get(code) is not None

    def _followed(self, code: str) -> bool:
        return self.remote.attended(code) is not None

    # ------------------------------------------------------------ posts and messages

    def mark_dirty(self, room: str) -> None:
        self._posts.mark_dirty(room)

    def _send_relayed(self, relayed: Any) -> None:
        code, message, channel, but = relayed
        if (room := self._rooms.get(code)) is not None:
            room.audience.send(message.encode(), channel, but)

    async def broadcast(self, kind: str, facts: Any) -> None:
        await self._cluster.broadcast(json.dumps({"kind": kind, "facts": facts}))

    def _received(self, text: str) -> None:
        """Another node has sent a message."""
        message = json.loads(text)
        handler = self.handlers.get(message["kind"])
        # One that we don't know comes from a newer node.
        if handler is not None and not self._background.ended:
            self._background.spawn(handler(message["facts"]))

    def relay(self, notice: RoomNotice, channel: Channel | None, but: str) -> None:
        """Send a room's notices of one kind now and then; what comes between is dropped, and what is long."""
        room, name = notice.room, f"relayed {notice.type} {notice.room}"
        if self._background.ended or self._background.waits_for(name) or self.remote.attended(room) is None:
            return
        message = encode_to_client(notice)
        if len(message) <= RELAYED_BYTES:
            self._background.later(name, RELAY_SECONDS, lambda: None)
            self._background.spawn(self._broadcast_or_drop("notice", [room, message.decode(), channel, but]))

    async def _broadcast_or_drop(self, kind: str, facts: Any) -> None:
        try:
            await self.broadcast(kind, facts)
        except StoreError as error:
            log.debug("a notice was dropped", kind=kind, reason=str(error))

    # ------------------------------------------------------------ notes

    async def keep(self, key: str, text: str, seconds: float | None = None) -> None:
        await self._cluster.keep(key, text, seconds)

    async def replace(self, key: str, old: str | None, text: str) -> bool:
        return await self._cluster.replace(key, old, text)

    async def take(self, key: str) -> str | None:
        return await self._cluster.take(key)

    async def look_up(self, key: str) -> str | None:
        return await self._cluster.look_up(key)

    async def hold(self, key: str, seconds: float) -> bool:
        # Its own name under the key counts as nothing: it goes on where it was.
        if await self._cluster.hold(key, seconds, {self.name}) is not None:
            return False
        await self._cluster.keep(key, self.name, seconds)
        return True

    def look_up_command(self, player: str, command: str, found: Found, refuse: Refuse) -> None:
        self._context.spawn(self._look_up(player, command, found), refuse)

    async def _look_up(self, player: str, command: str, found: Found) -> None:
        while True:
            until = self._context.monotonic() + CLAIM_SECONDS / 2
            if await self._cluster.hold(_key(player, command), CLAIM_SECONDS) is None:
                break
            await self._context.pause(LOOK_SECONDS)
        self._context.store.room_by(player, command, partial(self._found, until, found))

    def _found(self, until: float, found: Found, room: str | None, error: StoreError | None) -> None:
        if room is None and error is None and self._context.monotonic() > until:
            # This node stood still, and another may be about to execute it.
            error = StoreError("Looking up where a command has led took too long.")
        found(room, error)

    def command_done(self, player: str, command: str) -> None:
        self.publish(_key(player, command), "", 0.0)

    def claim(
        self, key: str, seconds: float, without: Collection[str], claimed: Claimed, refuse: Refuse
    ) -> None:
        self._context.spawn(self._claim(key, seconds, without, claimed), refuse)

    async def _claim(self, key: str, seconds: float, without: Collection[str], claimed: Claimed) -> None:
        while (made := await self._cluster.hold(key, seconds, without)) == "":
            await self._context.pause(LOOK_SECONDS)
        claimed(made)

    def publish(self, key: str, made: str, seconds: float) -> None:
        self._context.spawn(self._publish(key, made, seconds))

    async def _publish(self, key: str, made: str, seconds: float) -> None:
        try:
            if made:
                await self._cluster.keep(key, made, seconds)
            else:
                await self._cluster.let_go(key)
        except StoreError as error:
            log.warning("other nodes wait in vain", reason=str(error))


def _key(player: str, command: str) -> str:
    return f"claim {player} {command}"
