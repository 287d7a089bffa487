"""Commands that lead a player to a room: each is obeyed by one node, though it may come to several at once.

That happens where a connection breaks as soon as something was sent, and the next one leads to another node.
"""

from functools import partial

import structlog

from parlour_server.hosting.context import Context
from parlour_server.store.cluster import Cluster
from parlour_server.store.port import Found, StoreError

log = structlog.get_logger()

CLAIM_SECONDS = 10.0
"""For so long other nodes wait for what may have died with the node that obeys a command."""
LOOK_SECONDS = 0.05


class CommandLocks:
    """What this node obeys. A server of one node asks nobody."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def look_up(self, player: str, command: str, found: Found) -> None:
        """See `Store.room_by`. Where no room is found the command is this node's, until it is `done`."""
        if self._context.cluster is None:
            self._context.store.room_by(player, command, found)
        else:
            self._context.spawn(self._claim(self._context.cluster, player, command, found))

    def done(self, player: str, command: str) -> None:
        """It has led to a room, or was refused."""
        if self._context.cluster is not None:
            self._context.spawn(self._drop(self._context.cluster, player, command))

    async def _claim(self, cluster: Cluster, player: str, command: str, found: Found) -> None:
        try:
            while True:
                until = self._context.monotonic() + CLAIM_SECONDS / 2
                if await cluster.hold(_key(player, command), CLAIM_SECONDS) is None:
                    break
                await self._context.pause(LOOK_SECONDS)
        except StoreError as error:
            found(None, error)
        else:
            self._context.store.room_by(player, command, partial(self._found, until, found))

    def _found(self, until: float, found: Found, room: str | None, error: StoreError | None) -> None:
        if room is None and error is None and self._context.monotonic() > until:
            # This node stood still, and another may be about to obey.
            error = StoreError("Looking up where a command has led took too long.")
        found(room, error)

    async def _drop(self, cluster: Cluster, player: str, command: str) -> None:
        try:
            await cluster.take(_key(player, command))
        except StoreError as error:
            log.warning("other nodes wait for a command in vain", reason=str(error))


def _key(player: str, command: str) -> str:
    return f"claim {player} {command}"
