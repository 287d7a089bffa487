"""Where a server can be reached: by programs on its machine, and by others on the network."""

import ipaddress
import socket
import struct
import sys

WILDCARDS = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 - compared, not bound
_INSIDE = ("lo", "docker", "br-", "veth", "virbr", "cni", "flannel", "vmnet", "vboxnet", "podman", "lxc")
"""How the names of interfaces begin that lead to this machine itself, or to its containers."""
_GET_FLAGS, _GET_ADDRESS = 0x8913, 0x8915
_UP_AND_RUNNING = 0x1 | 0x40


def is_loopback(host: str) -> bool:
    """Does this host lead to the machine itself alone?"""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def near(host: str) -> str:
    """The host by which programs on this machine reach what listens on `host`."""
    if host in WILDCARDS:
        return "[::1]" if host == "::" else "127.0.0.1"
    return f"[{host}]" if ":" in host else host


def far(host: str) -> list[str]:
    """The hosts by which others on the network reach what listens on `host`, the likeliest first."""
    if is_loopback(host):
        return []
    return network_addresses() if host in WILDCARDS else [near(host)]


def network_addresses() -> list[str]:
    """The IPv4 addresses that this machine has on its networks, the one that leads outside first."""
    found = map(ipaddress.ip_address, dict.fromkeys([*_outgoing(), *_of_interfaces()]))
    return [str(one) for one in found if not (one.is_loopback or one.is_link_local)]


def _outgoing() -> list[str]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: it asks which way it would go
            return [str(probe.getsockname()[0])]
        except OSError:
            return []


def _of_interfaces() -> list[str]:
    """Every network's address, where the system says which are which; else nothing."""
    if sys.platform != "linux":
        return []
    import fcntl

    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        for _, name in socket.if_nameindex():
            if name.startswith(_INSIDE):
                continue
            request = struct.pack("256s", name.encode()[:15])
            try:
                (flags,) = struct.unpack("H", fcntl.ioctl(asking, _GET_FLAGS, request)[16:18])
                address = fcntl.ioctl(asking, _GET_ADDRESS, request)[20:24]
            except OSError:
                continue  # without an address
            if flags & _UP_AND_RUNNING == _UP_AND_RUNNING:
                found.append(socket.inet_ntoa(address))
    return found
