"""Codes that carry a player to another device: random, and good once, for a while.

Nothing that is kept of one is a secret: a note names the player, under the code's hash. The device that uses
the code gets a token of its own.
"""

import json
from hashlib import sha256

from parlour_protocol.ids import without_frills
from parlour_server.hosting.context import Context
from parlour_server.store.port import Player

CARRY_LENGTH = 10
"""Of 31 characters each: 49 bits, of which few can be tried while a code is good."""


class CarryCodes:
    """The open codes of all nodes, at most one for each player. They are notes: see `SoleNode.keep`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def open(self, player: Player) -> str:
        """A new code for this player, by their present name; an older one is void. Raises `StoreError`."""
        await self.close(player.id)
        code, seconds = self._context.new_code(CARRY_LENGTH), self._context.limits.carry_seconds
        await self._context.node.keep(_key(code), json.dumps([player.id, player.name]), seconds)
        await self._context.node.keep(_of_player(player.id), _key(code), seconds)
        return code

    async def redeem(self, text: str) -> Player | None:
        """Use a code up: the player for whom it was opened; None: there is none, or none any more.

        Raises `StoreError`.
        """
        found = await self._context.node.take(_key(without_frills(text)))
        return None if found is None else Player(*json.loads(found))

    async def restore(self, text: str, player: Player) -> None:
        """Have a code that was used up be good again, for as long as a new one. Raises `StoreError`."""
        note, seconds = json.dumps([player.id, player.name]), self._context.limits.carry_seconds
        await self._context.node.keep(_key(without_frills(text)), note, seconds)

    async def close(self, player: str) -> None:
        """Have a player's code void. Raises `StoreError`."""
        key = await self._context.node.take(_of_player(player))
        if key is not None:
            await self._context.node.take(key)


def _key(code: str) -> str:
    return f"carry {sha256(code.encode()).hexdigest()}"


def _of_player(player: str) -> str:
    return f"carry of {player}"
