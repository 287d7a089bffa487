"""Where a server can be reached."""

import ipaddress

import pytest

from parlour_server.net import addresses
from parlour_server.net.addresses import far, is_loopback, near, network_addresses


@pytest.mark.parametrize(
    ("host", "here"),
    [
        ("0.0.0.0", "127.0.0.1"),
        ("", "127.0.0.1"),
        ("::", "[::1]"),
        ("::1", "[::1]"),
        ("10.0.0.3", "10.0.0.3"),
    ],
)
def test_programs_here_reach_it(host: str, here: str) -> None:
    assert near(host) == here


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.0.1", "::1", "localhost"])
def test_nobody_else_reaches_the_loopback(host: str) -> None:
    assert is_loopback(host)
    assert far(host) == []


def test_others_reach_one_address_or_all(monkeypatch: pytest.MonkeyPatch) -> None:
    assert far("10.0.0.3") == ["10.0.0.3"]
    assert far("fd00::2") == ["[fd00::2]"]
    assert not is_loopback("games.example")
    monkeypatch.setattr(addresses, "_outgoing", lambda: ["192.168.1.5"])
    monkeypatch.setattr(
        addresses, "_of_interfaces", lambda: ["10.0.0.3", "192.168.1.5", "169.254.7.7", "127.0.0.2"]
    )
    assert far("0.0.0.0") == ["192.168.1.5", "10.0.0.3"]


def test_the_machines_own_are_no_loopback() -> None:
    found = network_addresses()
    assert len(set(found)) == len(found)
    assert not any(ipaddress.ip_address(one).is_loopback for one in found)
