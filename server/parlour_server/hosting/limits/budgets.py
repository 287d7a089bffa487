"""How much of the server's time queries may take: a budget for each player, and one for each address.

A price is in milliseconds of the server's time. What a query costs at least is paid before it is answered;
what shows only then (bytes, records, searches) is charged afterwards, and may be owed for a while.
A connection has one player, whose budget bounds it. Players cost nothing to make, so their address bounds
them.
"""

import math
from collections.abc import Callable

from parlour_protocol.errors import Code
from parlour_server.hosting.limits.address_limits import is_limited
from parlour_server.hosting.limits.rate_limit import Buckets
from parlour_server.room.refusals import Refusal

SECONDS_AT_ONCE = 20.0
"""A budget holds what is gained in so long."""


class Budgets:
    """Those of one server. `per_player` and `per_address` are milliseconds in a second; 0: no limit."""

    def __init__(self, per_player: float, per_address: float, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._players = Buckets(per_player, SECONDS_AT_ONCE * per_player)
        self._addresses = Buckets(per_address, SECONDS_AT_ONCE * per_address)

    def __len__(self) -> int:
        return len(self._players) + len(self._addresses)

    def take(self, player: str, address: str, cost: float) -> None:
        """Pay for a query; an address does so where it is one of those that are limited. Raises `Refusal`."""
        now = self._monotonic()
        wait = self._players.wait(player, now, cost)
        if is_limited(address):
            wait = max(wait, self._addresses.wait(address, now, cost))
        if wait:
            said = f"You ask for more than this server can answer at once. Wait {math.ceil(wait)} s."
            raise Refusal(Code.TOO_FAST, said, retry_after=wait)
        self.charge(player, address, cost)

    def charge(self, player: str, address: str, cost: float) -> None:
        """Charge what a query has cost beyond what was paid for it."""
        now = self._monotonic()
        self._players.charge(player, now, cost)
        if is_limited(address):
            self._addresses.charge(address, now, cost)

    def sweep(self) -> None:
        """Forget everybody who has asked for nothing for a while."""
        now = self._monotonic()
        self._players.sweep(now)
        self._addresses.sweep(now)
