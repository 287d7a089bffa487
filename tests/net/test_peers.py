"""Which address a connection counts for: none can be had by forging a header."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.datastructures import Headers

from parlour_server.net.peers import FORWARDED, Proxies, address_key, read_address


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("203.0.113.7:51000", "203.0.113.7"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("[2001:db8:1:2::9]:443", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        # What is no address, at the end.
        ("127.0.0.1", "127.0.0.1"), ("127.8.8.8", "127.8.8.8"),
        ("::1", "::1"), ("::ffff:127.0.0.1", "127.0.0.1"),
        ("", ""), ("unknown", ""), ("_hidden", ""), ("1.2.3", ""), ("1.2.3.4, 5.6.7.8", ""), ("[", ""),
    ],
)  # fmt: skip
def test_what_stands_for_everyone_at_an_address(text: str, key: str) -> None:
    assert address_key(read_address(text)) == key


def origin(peer: str, *lines: str, trusted: str = "10.0.0.0/8 127.0.0.1 2001:db8:ffff::/48") -> str:
    headers = Headers()
    for line in lines:
        headers[FORWARDED] = line
    return str(Proxies(map(ipaddress.ip_network, trusted.split())).origin(read_address(peer), headers))


@pytest.mark.parametrize(
    ("peer", "lines", "found"),
    [
        # Nobody but a proxy of ours is believed.
        ("198.51.100.1", ("203.0.113.7",), "198.51.100.1"),
        ("10.0.0.1", ("203.0.113.7",), "203.0.113.7"),
        # What a client has written itself stands before what our proxy adds.
        ("10.0.0.1", ("1.1.1.1, 203.0.113.7",), "203.0.113.7"),
        ("10.0.0.1", ("127.0.0.1, 203.0.113.7",), "203.0.113.7"),
        ("10.0.0.1", ("1.1.1.1", "203.0.113.7"), "203.0.113.7"),
        ("10.0.0.1", ("203.0.113.7, 10.0.0.2, 127.0.0.1",), "203.0.113.7"),
        ("::ffff:10.0.0.1", ("2001:db8::5:1",), "2001:db8::5:1"),
        ("2001:db8:ffff::1", ("[2001:db8::5:1]:8080",), "2001:db8::5:1"),
        # One that can't be read hides what stands before it, and costs the proxy itself.
        ("10.0.0.1", ("203.0.113.7, nonsense",), "10.0.0.1"),
        ("10.0.0.1", ("",), "10.0.0.1"),
        ("10.0.0.1", (), "10.0.0.1"),
        ("10.0.0.1", (",,,",), "10.0.0.1"),
        ("127.0.0.1", ("10.0.0.9",), "10.0.0.9"),
    ],
)
def test_a_proxy_of_ours_is_believed_and_nobody_else(peer: str, lines: tuple[str, ...], found: str) -> None:
    assert origin(peer, *lines) == found


def test_nobody_is_believed_without_trusted_proxies() -> None:
    for peer in ("127.0.0.1", "10.0.0.1", "203.0.113.7"):
        assert origin(peer, "198.51.100.1", trusted="") == peer


@given(st.lists(st.text("0123456789abcdef.:,[] -_%\t", max_size=60), max_size=4), st.ip_addresses())
def test_no_forged_header_hides_where_it_comes_from(forged: list[str], true: ipaddress.IPv4Address) -> None:
    """Whatever a stranger sends, our proxy appends their address, and that counts."""
    proxies = Proxies([ipaddress.ip_network("10.0.0.0/8")])
    address = read_address(str(true))
    if proxies.trusts(address):
        return
    headers = Headers()
    for line in forged:
        headers[FORWARDED] = line
    headers[FORWARDED] = str(true)
    assert proxies.origin(read_address("10.1.2.3"), headers) == address
