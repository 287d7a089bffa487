"""What nodes share beside logs: messages to all, and notes, by which one node does a thing at a time.

A message may be missed: an announcement, say, or what a bot thinks.

A command that leads a player to a room comes twice where a connection breaks as soon as something was sent,
and the next one leads to another node. And players who seek the same game may do so at different nodes.
"""

import json
from collections.abc import Collection
from functools import partial
from typing import Any

import structlog

from parlour_server.hosting.background import Background
from parlour_server.hosting.context import Context
from parlour_server.hosting.node import Claimed, SoleNode
from parlour_server.hosting.refusing import Refuse
from parlour_server.store.cluster import Cluster
from parlour_server.store.port import Found, StoreError

log = structlog.get_logger()

CLAIM_SECONDS = 10.0
"""How long other nodes wait for the result of a command: the node that obeys it may have died."""
LOOK_SECONDS = 0.05
RELAY_SECONDS = 0.5
"""How often thoughts of one room are sent to those who are connected to it elsewhere."""
RELAYED_BYTES = 5_500


class Exchange(SoleNode):
    """A node that sends messages to others; its notes are those of the cluster, so others wait for it."""

    def __init__(self, cluster: Cluster, context: Context) -> None:
        super().__init__(context.store, context.monotonic)
        self._cluster, self._context = cluster, context
        self._background = Background(context)

    # ------------------------------------------------------------ messages

    async def broadcast(self, kind: str, facts: Any) -> None:
        """See `SoleNode`."""
        await self._cluster.broadcast(json.dumps({"kind": kind, "facts": facts}))

    def _received(self, text: str) -> None:
        """Another node has sent a message."""
        message = json.loads(text)
        handler = self.handlers.get(message["kind"])
        # One that we don't know comes from a newer node.
        if handler is not None and not self._background.ended:
            self._background.spawn(handler(message["facts"]))

    def relay(self, room: str, message: bytes) -> None:
        """Send what a bot thinks to the nodes where people are connected to a room, but not all of it."""
        name = f"relayed {room}"
        if self._background.ended or self._background.waits_for(name) or len(message) > RELAYED_BYTES:
            return
        if self.remote.attended(room) is not None:
            self._background.later(name, RELAY_SECONDS, lambda: None)
            self._background.spawn(self._broadcast_or_drop("thinking", [room, message.decode()]))

    async def _broadcast_or_drop(self, kind: str, facts: Any) -> None:
        try:
            await self.broadcast(kind, facts)
        except StoreError as error:
            log.debug("a notice was dropped", kind=kind, reason=str(error))

    # ------------------------------------------------------------ notes

    async def keep(self, key: str, text: str, seconds: float | None = None) -> None:
        """See `SoleNode`."""
        await self._cluster.keep(key, text, seconds)

    async def replace(self, key: str, old: str | None, text: str) -> bool:
        """See `SoleNode`."""
        return await self._cluster.replace(key, old, text)

    async def take(self, key: str) -> str | None:
        """See `SoleNode`."""
        return await self._cluster.take(key)

    async def look_up(self, key: str) -> str | None:
        """See `SoleNode`."""
        return await self._cluster.look_up(key)

    async def hold(self, key: str, seconds: float) -> bool:
        """See `SoleNode`."""
        # Its own name under the key counts as nothing: it goes on where it was.
        if await self._cluster.hold(key, seconds, {self.name}) is not None:
            return False
        await self._cluster.keep(key, self.name, seconds)
        return True

    def look_up_command(self, player: str, command: str, found: Found, refuse: Refuse) -> None:
        """See `SoleNode`."""
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
            # This node stood still, and another may be about to obey.
            error = StoreError("Looking up where a command has led took too long.")
        found(room, error)

    def command_done(self, player: str, command: str) -> None:
        """See `SoleNode`."""
        self.publish(_key(player, command), "", 0.0)

    def claim(
        self, key: str, seconds: float, without: Collection[str], claimed: Claimed, refuse: Refuse
    ) -> None:
        """See `SoleNode`."""
        self._context.spawn(self._claim(key, seconds, without, claimed), refuse)

    async def _claim(self, key: str, seconds: float, without: Collection[str], claimed: Claimed) -> None:
        while (made := await self._cluster.hold(key, seconds, without)) == "":
            await self._context.pause(LOOK_SECONDS)
        claimed(made)

    def publish(self, key: str, made: str, seconds: float) -> None:
        """See `SoleNode`."""
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
