"""What the server's host does to those who are connected, to all nodes: a sentence, an end, a ban."""

import asyncio
from collections.abc import Callable
from typing import Any

import structlog

from parlour_protocol import notices
from parlour_protocol.codec import encode_to_client
from parlour_protocol.words import Sentence
from parlour_server.hosting.connections import Connection
from parlour_server.hosting.context import Context
from parlour_server.hosting.limits.bans import Ban, Bans, ban_sentence
from parlour_server.store.port import StoreError

log = structlog.get_logger()

KEPT_BANS = "bans"
"""The key of the note that keeps them for all nodes."""
_FAREWELLS = {text: text for text in (Sentence("refusal.kicked"), Sentence("refusal.forgotten"))}
"""What another node says in English alone, by that."""


class Moderation:
    """What a host does, at all nodes; on a server of one node, at that."""

    def __init__(self, context: Context) -> None:
        self._context, self._node = context, context.node
        self._reading = asyncio.Lock()
        """Held while the bans are read and changed, so that none is read that was replaced meanwhile."""
        self._node.handlers.update(announce=self._show_it, end=self._end, bans=lambda _: self.load_bans())
        self._node.on_missed = self.load_bans

    async def announce(self, text: str) -> int:
        """Show all players a sentence; gives how many of them are on this node. Raises `StoreError`."""
        shown = self._show(text)
        await self._node.broadcast("announce", text)
        return shown

    def _show(self, text: str) -> int:
        return self._context.connections.send(encode_to_client(notices.Announcement(text)))

    def _show_it(self, text: str) -> None:
        self._show(text)

    async def end(self, player: str, message: str) -> None:
        """End all connections of a player, with a sentence. Raises `StoreError`."""
        self._end([player, message])
        await self._node.broadcast("end", [player, message])

    def _end(self, facts: Any) -> None:
        player, message = facts
        message = _FAREWELLS.get(message, message)
        for one in self._context.connections.players().get(player, ()):
            one.end("kicked", message)

    # ------------------------------------------------------------ bans

    async def load_bans(self) -> None:
        """Read the bans that all nodes share, and end the connections that they meet."""
        async with self._reading:
            await self._read_bans()

    async def _read_bans(self) -> str | None:
        """The note that was read."""
        text = None
        try:
            text = await self._node.look_up(KEPT_BANS)
            if text is not None:
                self._context.bans.read(text)
        except (StoreError, ValueError) as error:
            log.error("the bans of all nodes can't be read", reason=str(error))
        self._enforce(self._context.bans.standing())
        return text

    async def change_bans(self, change: Callable[[Bans], Ban]) -> tuple[Ban, int]:
        """Change the bans of all nodes, and enforce those that are new.

        Gives the ban that was changed, and how many connections on this node ended by it. `change` is called
        again where another node was quicker. Raises what it raises, and `StoreError`: it holds here alone.
        """
        bans, ended = self._context.bans, 0
        async with self._reading:
            while True:
                before = await self._read_bans()
                ban = change(bans)
                if ban in bans.standing():
                    ended = ended or self._enforce([ban])
                if await self._node.replace(KEPT_BANS, before, bans.as_text()):
                    break
        await self._node.broadcast("bans", None)
        return ban, ended

    def _enforce(self, bans: list[Ban]) -> int:
        """End the connections on this node that these bans meet; how many they were."""
        ended = 0
        for ban in bans:
            sentence = ban_sentence(ban, self._context.now())
            for one in self._context.connections:
                if meets(self._context.bans, ban, one):
                    one.end("banned", sentence)
                    ended += 1
        return ended


def meets(bans: Bans, ban: Ban, one: Connection) -> bool:
    """Does a ban hold for a connection?"""
    if ban.kind == "network":
        return bans.of_address(one.address) == ban
    return bool(one.player) and bans.of_player(one.player, one.name) == ban
