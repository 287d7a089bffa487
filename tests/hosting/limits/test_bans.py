"""Who may not connect: what is meant by a target, whom it meets, when it ends, how it is kept."""

from ipaddress import IPv4Address, IPv6Address, ip_network
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour_server.hosting.limits.bans import Ban, Bans, ban_sentence, keep, read_target
from parlour_server.refusals import Refusal

HOUR = 3_600_000


class Hand:
    """A clock moved by hand, in milliseconds."""

    def __init__(self) -> None:
        self.at = 1_000_000

    def __call__(self) -> int:
        return self.at


@pytest.mark.parametrize(
    ("text", "kind", "target"),
    [
        ("203.0.113.7", "network", "203.0.113.7"),
        ("203.0.113.7/24", "network", "203.0.113.0/24"),
        ("::ffff:203.0.113.7", "network", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "network", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::/64", "network", "2001:db8:1:2::/64"),
        ("2001:db8::/32", "network", "2001:db8::/32"),
        ("p0123456789abcdef", "player", "p0123456789abcdef"),
        (" Ada  Lovelace ", "name", "Ada Lovelace"),
    ],
)
def test_what_is_meant(text: str, kind: str, target: str) -> None:
    assert read_target(text) == (kind, target)


@given(st.ip_addresses(v=4))
def test_an_address_meets_itself_and_its_network_alone(address: IPv4Address) -> None:
    bans = Bans(Hand())
    bans.add(f"{address}/24", None)
    network = ip_network(f"{address}/24", strict=False)
    assert bans.of_address(str(address)) is not None
    assert bans.of_address(str(network[-1])) is not None
    if int(network[-1]) < 2**32 - 1:
        assert bans.of_address(str(network[-1] + 1)) is None


@given(st.ip_addresses(v=6), st.integers(0, 2**64 - 1))
def test_an_ipv6_address_stands_for_all_of_its_peers(address: IPv6Address, rest: int) -> None:
    if address.ipv4_mapped is not None:
        return
    bans = Bans(Hand())
    bans.add(str(address), None)
    neighbour = IPv6Address(int(address) >> 64 << 64 | rest)
    if neighbour.ipv4_mapped is None:
        assert bans.of_address(str(neighbour)) is not None
        # As sessions name their peers.
        assert bans.of_address(str(ip_network(f"{neighbour}/64", strict=False))) is not None
    assert bans.of_address(str(IPv6Address(int(address) ^ 1 << 64))) is None


def test_an_address_that_is_not_known_is_not_met() -> None:
    bans = Bans(Hand())
    bans.add("10.0.0.0/8", None)
    assert bans.of_address("") is None


@pytest.mark.parametrize(
    "slip", ["999.1.1.1", "203.0.113", "203.0.113.0/33", "2001:db8::1::2", "0.0.0.0/0", "10.0.0.1/7", "::/0"]
)
def test_what_is_surely_a_slip_bans_nobody(slip: str) -> None:
    bans = Bans(Hand())
    with pytest.raises(Refusal):
        bans.add(slip, None)
    assert len(bans) == 0


@pytest.mark.parametrize("name", ["Dr. Who", "Bea", "...", "a:b", "R2D2"])
def test_a_name_is_no_slip(name: str) -> None:
    assert Bans(Hand()).add(name, None).called == f"name {name}"


def test_a_ban_ends() -> None:
    now = Hand()
    bans = Bans(now)
    bans.add("Ada", now.at + HOUR)
    bans.add("203.0.113.7", now.at + 2 * HOUR)
    assert bans.of_player("p1", "ada") is not None
    now.at += HOUR
    assert bans.of_player("p1", "ada") is None
    assert [ban.target for ban in bans.standing()] == ["203.0.113.7"]
    now.at += HOUR
    assert len(bans) == 0


def test_banned_again_it_holds_as_was_said_last() -> None:
    now = Hand()
    bans = Bans(now)
    bans.add("Ada", None)
    bans.add("ada", now.at + HOUR)
    (ban,) = bans.standing()
    assert ban.until == now.at + HOUR


@pytest.mark.parametrize("name", ["ada", "Аdа", "A d a"])
def test_a_name_is_met_however_it_is_written(name: str) -> None:
    bans = Bans(Hand())
    bans.add("Ada", None)
    assert bans.of_player("p1", name) is not None
    assert bans.of_player("p1", "Adam") is None
    assert bans.lift(name) is not None
    assert len(bans) == 0


def test_a_ban_is_lifted_as_it_was_written() -> None:
    bans = Bans(Hand())
    bans.add("203.0.113.9/24", None)
    assert bans.lift("203.0.113.0/24") is not None
    assert bans.lift("203.0.113.0/24") is None
    assert bans.of_address("203.0.113.9") is None


def test_bans_are_kept(tmp_path: Path) -> None:
    now, file = Hand(), tmp_path / "bans"
    bans = Bans(now)
    bans.add("Ada", now.at + HOUR)
    bans.add("10.0.0.0/8", None)
    keep(file, bans.as_text())
    assert file.stat().st_mode & 0o777 == 0o600
    again = Bans(now)
    again.load(file)
    assert again.standing() == bans.standing()


@pytest.mark.parametrize("text", ["", "{", "[1]", '[{"kind": "name"}]', '{"a": 1}'])
def test_a_damaged_file_is_said_to_be_one(tmp_path: Path, text: str) -> None:
    file = tmp_path / "bans"
    file.write_text(text)
    with pytest.raises(ValueError):
        Bans(Hand()).load(file)


@pytest.mark.parametrize(
    ("left", "sentence"),
    [
        (1, "The host of this server has shut you out for 1 s."),
        (25_000, "The host of this server has shut you out for 25 s."),
        (119 * 60_000, "The host of this server has shut you out for 119 min."),
        (2 * HOUR, "The host of this server has shut you out for 2 h."),
        (2 * HOUR + 1, "The host of this server has shut you out for 3 h."),
        (7 * 24 * HOUR, "The host of this server has shut you out for 7 days."),
        (None, "The host of this server has shut you out."),
    ],
)
def test_one_who_is_banned_reads_for_how_long(left: int | None, sentence: str) -> None:
    assert ban_sentence(Ban("network", "10.0.0.1", left), 0) == sentence
