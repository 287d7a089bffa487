"""When a shared server ends: simulated time, and players who come and go."""

from dataclasses import dataclass
from typing import cast

import pytest

from parlour_server.hosting.connections import Connection
from parlour_server.hosting.idle_shutdown import ARRIVAL_SECONDS, LINGER_SECONDS, IdleShutdown
from tests.hosting.harness import Clock


@dataclass(eq=False)
class Someone:
    player: str
    name: str


class Server:
    """An idle shutdown, its clock, and how often it has ended."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.ends = 0
        self.idle_shutdown = IdleShutdown("rooms.db", self._end, self.clock.later, lambda: self.clock.seconds)

    def _end(self) -> None:
        self.ends += 1

    def come(self, player: str) -> Connection:
        who = cast(Connection, Someone(player, player.capitalize()))
        self.idle_shutdown.came(who)
        return who


@pytest.fixture
def server() -> Server:
    return Server()


def test_who_started_it_has_half_a_minute_to_come(server: Server) -> None:
    server.clock.advance(ARRIVAL_SECONDS - 1)
    assert server.ends == 0
    server.clock.advance(1)
    assert server.ends == 1


def test_it_ends_a_moment_after_the_last_has_left(server: Server) -> None:
    ada, bo = server.come("ada"), server.come("bo")
    server.clock.advance(10 * ARRIVAL_SECONDS)
    server.idle_shutdown.went(ada)
    server.clock.advance(10 * ARRIVAL_SECONDS)
    assert server.ends == 0
    server.idle_shutdown.went(bo)
    server.clock.advance(LINGER_SECONDS - 0.5)
    assert server.ends == 0
    server.clock.advance(0.5)
    assert server.ends == 1


def test_who_comes_back_in_time_finds_it(server: Server) -> None:
    server.idle_shutdown.went(server.come("ada"))
    server.clock.advance(LINGER_SECONDS / 2)
    server.come("ada")
    server.clock.advance(10 * ARRIVAL_SECONDS)
    assert server.ends == 0


def test_it_waits_for_one_who_has_found_it(server: Server) -> None:
    ada = server.come("ada")
    assert server.idle_shutdown.expect()
    assert not server.idle_shutdown.close(ada, force=False)
    server.idle_shutdown.went(ada)
    server.clock.advance(ARRIVAL_SECONDS - 1)
    assert server.ends == 0
    server.come("bo")
    server.clock.advance(10 * ARRIVAL_SECONDS)
    assert server.ends == 0


def test_who_does_not_come_is_not_waited_for_without_end(server: Server) -> None:
    ada = server.come("ada")
    server.idle_shutdown.expect()
    server.clock.advance(ARRIVAL_SECONDS)
    assert server.ends == 0
    assert server.idle_shutdown.close(ada, force=False)
    assert server.ends == 1


def test_those_who_did_not_come_are_forgotten_while_others_are_there(server: Server) -> None:
    server.come("ada")
    for _ in range(3):
        server.idle_shutdown.expect()
        server.clock.advance(ARRIVAL_SECONDS)
    assert len(server.idle_shutdown._expected) == 1


def test_the_last_one_closes_it_and_nobody_else_does(server: Server) -> None:
    ada, bo, again = server.come("ada"), server.come("bo"), server.come("bo")
    assert server.idle_shutdown.others("ada") == ["Bo"]
    assert not server.idle_shutdown.close(ada, force=False)
    server.idle_shutdown.went(ada)
    # Another terminal of one's own is no other player, and yet it is there.
    assert server.idle_shutdown.others("bo") == []
    assert not server.idle_shutdown.close(bo, force=False)
    server.idle_shutdown.went(bo)
    assert server.idle_shutdown.close(again, force=False)
    assert server.ends == 1


def test_force_closes_it_over_others(server: Server) -> None:
    ada = server.come("ada")
    server.come("bo")
    assert server.idle_shutdown.close(ada, force=True)
    assert server.ends == 1


def test_one_that_ends_expects_nobody_and_ends_once(server: Server) -> None:
    ada = server.come("ada")
    assert server.idle_shutdown.close(ada, force=False)
    assert not server.idle_shutdown.expect()
    server.idle_shutdown.went(ada)
    server.clock.advance(10 * ARRIVAL_SECONDS)
    assert server.ends == 1
