"""What nodes say to each other: announcements, kicks, and what bots think. Each may be missed."""

import json
from typing import Any

import structlog

from parlour_server.hosting.background import Background
from parlour_server.hosting.context import Context
from parlour_server.hosting.node import Handler
from parlour_server.store.cluster import Cluster
from parlour_server.store.port import StoreError

log = structlog.get_logger()

RELAY_SECONDS = 0.5
"""How often thoughts of one room are sent to those who are connected to it elsewhere."""
RELAYED_BYTES = 5_500


class Messages:
    """The messages of one node; a handler for each kind of them."""

    def __init__(
        self, cluster: Cluster, context: Context, background: Background, handlers: dict[str, Handler]
    ) -> None:
        self._cluster, self._context = cluster, context
        self._background, self._handlers = background, handlers

    async def broadcast(self, kind: str, facts: Any) -> None:
        """Send a message to all other nodes. Raises `StoreError`."""
        await self._cluster.broadcast(json.dumps({"kind": kind, "facts": facts}))

    def received(self, text: str) -> None:
        """Another node has sent a message."""
        message = json.loads(text)
        handler = self._handlers.get(message["kind"])
        # One that we don't know comes from a newer node.
        if handler is not None and not self._background.ended:
            self._background.spawn(handler(message["facts"]))

    def relay(self, code: str, message: bytes) -> None:
        """Send what a bot thinks to the other nodes, but not all of it."""
        name = f"relayed {code}"
        if len(message) <= RELAYED_BYTES and not self._background.waits_for(name):
            self._background.later(name, RELAY_SECONDS, lambda: None)
            self._context.spawn(self._broadcast_or_drop("thinking", [code, message.decode()]))

    async def _broadcast_or_drop(self, kind: str, facts: Any) -> None:
        try:
            await self.broadcast(kind, facts)
        except StoreError as error:
            log.debug("a notice was dropped", kind=kind, reason=str(error))
