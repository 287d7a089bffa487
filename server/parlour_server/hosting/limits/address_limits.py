"""What everyone behind one address may do together: identities are free, addresses are not.

This machine itself has no limits, and neither has an address that is not known.
"""

import ipaddress
from collections.abc import Callable
from functools import lru_cache

from parlour_protocol.errors import Code
from parlour_server.hosting.limits.rate_limit import Buckets, buckets_per_minute
from parlour_server.hosting.limits.server_limits import ServerLimits
from parlour_server.room.refusals import Refusal


@lru_cache(maxsize=4096)
def is_limited(address: str) -> bool:
    """Does what comes from here count? `address` is a key: an address, or a network of IPv6."""
    return bool(address) and not ipaddress.ip_network(address).is_loopback


class AddressLimits:
    """How many new players may come from each address, rooms be made, and wrong codes tried."""

    def __init__(self, limits: ServerLimits, refused: dict[str, int], monotonic: Callable[[], float]) -> None:
        self._refused, self._now = refused, monotonic
        self._players = buckets_per_minute(limits.address_players_per_minute)
        self._rooms = buckets_per_minute(limits.address_rooms_per_minute)
        self._codes = buckets_per_minute(limits.address_wrong_codes_per_minute)

    def add_player(self, address: str) -> None:
        """Count a new player. Raises `Refusal`."""
        said = "Many new players have come from your address just now. Wait a moment."
        self._take(self._players, "address_players", address, said)

    def add_room(self, address: str) -> None:
        """Count a new room. Raises `Refusal`."""
        said = (
            "Many rooms have been made from your address just now. Wait a moment, or play on in one of them."
        )
        self._take(self._rooms, "address_rooms", address, said)

    def check_codes(self, address: str) -> None:
        """Raises `Refusal` after many wrong codes."""
        if is_limited(address) and (wait := self._codes.wait(address, self._now())):
            self._refused["address_codes"] += 1
            said = "Many wrong codes have been tried from your address just now. Wait a moment."
            raise Refusal(Code.TOO_FAST, said, retry_after=wait)

    def wrong_code(self, address: str) -> None:
        """Count a code that leads nowhere."""
        if is_limited(address):
            self._codes.take(address, self._now())

    def sweep(self) -> None:
        """Forget the addresses from which nothing came for a while."""
        for buckets in (self._players, self._rooms, self._codes):
            buckets.sweep(self._now())

    def _take(self, buckets: Buckets, budget: str, address: str, said: str) -> None:
        if is_limited(address) and (wait := buckets.take(address, self._now())):
            self._refused[budget] += 1
            raise Refusal(Code.TOO_FAST, said, retry_after=wait)
