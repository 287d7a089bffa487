"""Who is let in: counted by address, and rid of every trace when they have left."""

import ipaddress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from parlour_server.hosting.limits.rate_limits import is_limited
from parlour_server.net.connection_limiter import ANSWERED_AT_ONCE, LOG_SECONDS, ConnectionLimiter, TurnedAway
from parlour_server.net.peers import Proxies, address_key, read_address
from parlour_server.settings import ServerLimits


class Time:
    now = 50.0

    def __call__(self) -> float:
        return self.now


def door(time: Time, connections: int = 1000, trusted: str = "10.0.0.1", **limits: Any) -> ConnectionLimiter:
    return ConnectionLimiter(
        ServerLimits(**limits), connections, Proxies([ipaddress.ip_network(trusted)]), time
    )


def come(door: ConnectionLimiter, text: str) -> str:
    return door.accept(read_address(text))


def test_an_address_has_so_many_connections_and_others_theirs() -> None:
    here = door(Time(), address_connections=3)
    keys = [come(here, "203.0.113.7") for _ in range(3)]
    with pytest.raises(TurnedAway) as refused:
        come(here, "::ffff:203.0.113.7")
    assert (refused.value.status, "(3)" in refused.value.sentence) == (429, True)
    assert refused.value.retry_after > 0
    come(here, "203.0.113.8")
    here.release(keys.pop())
    come(here, "203.0.113.7")


def test_an_address_connects_so_often() -> None:
    time = Time()
    here = door(time, address_handshakes_per_minute=60.0)
    for _ in range(60):
        here.release(come(here, "2001:db8::1"))
    with pytest.raises(TurnedAway) as refused:
        come(here, "2001:db8::ffff")  # a neighbour in the same /64
    assert here.open == 0
    come(here, "2001:db8:0:1::1")
    time.now += refused.value.retry_after
    come(here, "2001:db8::ffff")


def test_this_machine_and_trusted_proxies_are_not_limited_themselves() -> None:
    here = door(Time(), address_connections=2, address_handshakes_per_minute=2.0)
    for _ in range(50):
        for one in ("127.0.0.1", "::1", "10.0.0.1"):
            come(here, one)
    assert here.open == 150
    # What a proxy forwards is.
    for _ in range(2):
        here.admit(address_key(read_address("203.0.113.7")))
    with pytest.raises(TurnedAway):
        here.admit(address_key(read_address("203.0.113.7")))


def test_there_are_so_many_in_all_and_the_log_says_so_once_a_minute() -> None:
    time = Time()
    here = door(time, connections=5)
    for number in range(5):
        come(here, f"203.0.113.{number}")
    with capture_logs() as logs:
        for _ in range(50):
            with pytest.raises(TurnedAway) as refused:
                come(here, "127.0.0.1")
            assert refused.value.status == 503
        time.now += LOG_SECONDS
        with pytest.raises(TurnedAway):
            come(here, "127.0.0.1")
    assert [entry["connections"] for entry in logs] == [5, 5]
    assert here.open == 5


def test_this_machine_is_reported_where_strangers_are_only_closed() -> None:
    here = door(Time())
    near, far = read_address("127.0.0.1"), read_address("203.0.113.7")
    assert here.may_answer(near)
    assert here.may_answer(far)
    here.answering = ANSWERED_AT_ONCE
    assert here.may_answer(near)
    assert not here.may_answer(far)
    assert not here.may_answer(None)
    here.answering = 2 * ANSWERED_AT_ONCE
    assert not here.may_answer(near)


def test_zero_is_no_limit() -> None:
    here = door(Time(), address_connections=0, address_handshakes_per_minute=0.0)
    for _ in range(900):
        come(here, "203.0.113.7")


STEP = st.tuples(st.sampled_from(["come", "leave", "wait"]), st.integers(0, 5))


@given(st.lists(STEP, max_size=120))
def test_nothing_is_left_of_those_who_have_gone(steps: list[tuple[str, int]]) -> None:
    time = Time()
    here = door(time, connections=12, address_connections=4, address_handshakes_per_minute=30.0)
    inside: list[str] = []
    for what, number in steps:
        if what == "wait":
            time.now += 10.0 * number
        elif what == "leave" and inside:
            here.release(inside.pop(number % len(inside)))
        elif what == "come":
            try:
                inside.append(come(here, f"203.0.113.{number}" if number else "127.0.0.1"))
            except TurnedAway as refused:
                assert refused.retry_after > 0
        assert here.open == len(inside) <= 12
        assert all(count <= 4 for count in here.by_address.values())
        assert sum(here.by_address.values()) == sum(map(is_limited, inside))
    for key in inside:
        here.release(key)
    assert (here.open, len(here.by_address)) == (0, 0)
    time.now += 3600.0
    come(here, "198.51.100.1")
    assert len(here._rates) == 1
