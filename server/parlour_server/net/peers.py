"""Which address a connection comes from: the key under which all limits for each address count.

IPv4 as it is, IPv6 by its /64, which is what one household or one hosted machine has. What comes through
a trusted proxy has the address that the proxy names.
"""

import ipaddress
from collections.abc import Iterable

from websockets.datastructures import Headers

from parlour_server.hosting.limits.bans import ONE_IPV6_PEER

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

FORWARDED = "X-Forwarded-For"


def read_address(text: str) -> Address | None:
    """An IP address as sockets and proxies write it, perhaps with a port; None for anything else.

    IPv4 within IPv6 is IPv4.
    """
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def address_key(address: Address | None) -> str:
    """The key under which this address is limited; empty where it is not known."""
    if address is None:
        return ""
    if address.version == 4 or address.is_loopback:
        return str(address)
    return str(ipaddress.ip_network((int(address), ONE_IPV6_PEER), strict=False))


class Proxies:
    """The networks whose connections are forwarded for others."""

    def __init__(self, networks: Iterable[Network]) -> None:
        self._networks = list(networks)

    def trusts(self, address: Address | None) -> bool:
        """Is that the address of a proxy that is trusted?"""
        # An address is in no network of the other version.
        return address is not None and any(address in network for network in self._networks)

    def origin(self, peer: Address | None, headers: Headers) -> Address | None:
        """The address that a request came from, through `peer`.

        Each proxy appends the address that it was connected with: the last that is no proxy of ours is true;
        whatever stands before it may be forged.
        """
        found = peer
        for text in reversed(",".join(headers.get_all(FORWARDED)).split(",")):
            if not self.trusts(found):
                break
            address = read_address(text)
            if address is None:
                break
            found = address
        return found
