"""Codes that carry a player to another device: random, used once, kept in memory alone.

For as long as a code can be used it is worth as much as the token that it leads to. Neither is logged. Where
there are several nodes, they keep for each other what only the code itself opens.
"""

import json
from base64 import b64decode, b64encode
from dataclasses import dataclass, field
from hashlib import sha256, shake_256

from parlour_protocol.ids import without_frills
from parlour_server.hosting.context import Context
from parlour_server.store.cluster import Cluster

CARRY_LENGTH = 10
"""Of 31 characters each: 49 bits."""


@dataclass(frozen=True, slots=True)
class CarriedPlayer:
    """Who is carried: the name that the player has at present, and the token."""

    player: str
    name: str
    token: str = field(repr=False)
    until: float
    """In seconds of the context's monotonic clock."""


class CarryCodes:
    """The open codes of one server, at most one for each player."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._open: dict[str, CarriedPlayer] = {}
        self._codes: dict[str, str] = {}
        """Each player's code."""

    def __len__(self) -> int:
        return len(self._open)

    async def open(self, player: str, name: str, token: str) -> str:
        """A new code for this player; an older one is void. Raises `StoreError`."""
        code = self._context.new_code(CARRY_LENGTH)
        if self._context.cluster is not None:
            await self._open_for_all(self._context.cluster, code, player, name, token)
            return code
        self._close(self._codes.get(player, ""))
        until = self._context.monotonic() + self._context.limits.carry_seconds
        self._open[code] = CarriedPlayer(player, name, token, until)
        self._codes[player] = code
        return code

    async def redeem(self, text: str) -> CarriedPlayer | None:
        """Who a code was opened for, this once; None: there is no such code, or none any more.

        Raises `StoreError`.
        """
        if self._context.cluster is not None:
            return await self._redeem_for_all(self._context.cluster, without_frills(text))
        carried = self._close(without_frills(text))
        return carried if carried is not None and self._context.monotonic() < carried.until else None

    async def _open_for_all(self, cluster: Cluster, code: str, player: str, name: str, token: str) -> None:
        seconds, older = self._context.limits.carry_seconds, await cluster.take(_of_player(player))
        if older is not None:
            await cluster.take(older)
        sealed = _sealed(code, json.dumps([player, name, token]).encode())
        await cluster.keep(_key(code), b64encode(sealed).decode(), seconds)
        await cluster.keep(_of_player(player), _key(code), seconds)

    async def _redeem_for_all(self, cluster: Cluster, code: str) -> CarriedPlayer | None:
        text = await cluster.take(_key(code))
        if text is None:
            return None
        player, name, token = json.loads(_sealed(code, b64decode(text)))
        return CarriedPlayer(player, name, token, until=0.0)

    def sweep(self) -> None:
        """Forget the codes that can no longer be used."""
        now = self._context.monotonic()
        for code in [code for code, carried in self._open.items() if carried.until <= now]:
            self._close(code)

    def _close(self, code: str) -> CarriedPlayer | None:
        carried = self._open.pop(code, None)
        if carried is not None:
            del self._codes[carried.player]
        return carried


def _key(code: str) -> str:
    return f"carry {sha256(code.encode()).hexdigest()}"


def _of_player(player: str) -> str:
    return f"carry of {player}"


def _sealed(code: str, text: bytes) -> bytes:
    """A text that only the code opens, which is used for no other; sealed twice it is itself."""
    pad = shake_256(b"carry " + code.encode()).digest(len(text))
    return bytes(one ^ other for one, other in zip(text, pad, strict=True))
