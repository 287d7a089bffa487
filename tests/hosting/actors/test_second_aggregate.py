"""A counter of pure functions gets from its actors all that a room has: nothing in the server knows of it."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs
from typer.testing import CliRunner

from parlour_protocol.ids import Version
from parlour_protocol.words import Sentence
from parlour_server import data_commands, kinds
from parlour_server.app import App
from parlour_server.hosting.actors.log_actor import QUARANTINED, READY, SAVING, Mode
from parlour_server.hosting.actors.registry import GUEST_SECONDS, SWEEP_SECONDS
from parlour_server.hosting.actors.requests import Request, no_reply
from parlour_server.hosting.cluster.node import BEAT_SECONDS, LEASE_SECONDS
from parlour_server.kinds import ROOM
from parlour_server.log import LogRecord
from parlour_server.refusals import Refusal
from parlour_server.settings import ServerLimits, ServerSettings
from parlour_server.store.encoding import EventCodecs
from parlour_server.store.sqlite.check import check
from tests.hosting.harness import GatedStore, HostingHarness, fails, open_harness, settle
from tests.hosting.nodes import Nodes
from tests.store.test_contract import append
from tests.support.counter import COUNTER
from tests.support.counter.commands import Add, Close, CounterCommand, Reset
from tests.support.counter.events import Added

KEY = "counter:visits"
WITH_COUNTERS = ROOM, COUNTER
Answer = tuple[Version, str | None]


async def ask(harness: HostingHarness, command: CounterCommand, name: str, by: str = "ada") -> list[Answer]:
    """Submit a command; gives its answers, which may come later."""
    answers: list[Answer] = []

    def reply(command_id: str, key: str, version: Version, refusal: Refusal | None) -> None:
        assert (command_id, key) == (name, KEY)
        answers.append((version, None if refusal is None else refusal.code))

    (await harness.counter(KEY)).submit(Request(command, by, name, reply))
    await settle()
    return answers


def total(harness: HostingHarness) -> int:
    actor = harness.counters.get(KEY)
    assert actor is not None
    return int(actor.state.total)


async def test_a_counter_counts_and_refuses(harness: HostingHarness) -> None:
    assert await ask(harness, Add(7), "one") == [(1, None)]
    assert await ask(harness, Add(2000), "two") == [(1, "not_allowed")]
    assert await ask(harness, Reset(), "three") == [(2, None)]
    # What changes nothing is accepted at the version that stands.
    assert await ask(harness, Reset(), "four") == [(2, None)]
    # The same command again gets the same answer, also where another player has that id.
    assert await ask(harness, Add(7), "one") == [(1, None)]
    # A refusal is final, though another one would be accepted now.
    assert await ask(harness, Add(1), "two") == [(1, "not_allowed")]
    assert await ask(harness, Add(5), "one", by="ben") == [(3, None)]
    assert total(harness) == 5
    assert harness.counters.get(KEY).leased  # type: ignore[union-attr]


@pytest.mark.parametrize("why", ["busy", "crashed", "not_loaded", "not_saved", "put_aside", "unreadable"])
def test_what_every_actor_may_say_is_of_no_room(why: str) -> None:
    assert "room" not in Sentence(f"refusal.{why}")


async def test_nothing_is_answered_before_it_is_durable_and_the_log_says_it_again() -> None:
    store = GatedStore()
    async with open_harness(store=store) as harness:
        store.holds = True
        asked = [await ask(harness, Add(1), name) for name in ("one", "two")]
        assert asked == [[], []]
        assert harness.counters.get(KEY).mode is SAVING  # type: ignore[union-attr]
        store.release()
        assert asked == [[(1, None)], []]
        store.release()
        assert asked == [[(1, None)], [(2, None)]]
        store.holds = False
        store.full = True
        assert await ask(harness, Add(1), "three") == [(2, "not_saved")]
        store.full = False
        harness.counters.put_to_sleep(harness.counters.get(KEY))
        assert await ask(harness, Add(1), "two") == [(2, None)]
        assert total(harness) == 2
    async with open_harness(store=store) as again:
        assert await ask(again, Add(1), "one") == [(1, None)]
        assert total(again) == 2


async def test_the_servers_own_commands_are_decided_as_of_when_their_turn_comes() -> None:
    store = GatedStore()
    async with open_harness(store=store) as harness:
        actor = await harness.counter(KEY)
        store.holds = True
        own, adas = (Request(Add(1), by, f"by {by}", no_reply) for by in ("", "ada"))
        for request in (Request(Add(1), "ben", "first", no_reply), own, adas):
            actor.submit(request)
        assert (own.received_at, adas.received_at) == (0, harness.context.now())
        store.holds, store.full = False, True
        store.release()
        await settle()
        # What could not be saved is asked again: when a player asked it first is remembered.
        asked_at = harness.context.now()
        harness.clock.advance(5.0)
        again = [Request(Add(1), by, f"by {by}", no_reply) for by in ("", "ada")]
        for request in again:
            actor.submit(request)
        assert [one.received_at for one in again] == [0, asked_at]


async def test_a_reply_that_is_not_taken_keeps_no_other_command_waiting() -> None:
    store = GatedStore()
    async with open_harness(store=store) as harness:
        actor = await harness.counter(KEY)
        store.holds = True

        def fail(*_: object) -> None:
            raise RuntimeError("its author has a fault")

        actor.submit(Request(Add(1), "ben", "one", fail))
        asked = await ask(harness, Add(1), "two")
        with capture_logs() as logs:
            store.release()
            store.release()
            assert asked == [(2, None)]
        assert [entry["event"] for entry in logs] == ["a reply was not taken"]


async def test_what_the_store_does_not_take_is_refused_and_the_next_command_is_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with open_harness() as harness:
        with monkeypatch.context() as patched, capture_logs():
            patched.setattr(harness.store, "append", lambda *_: 1 // 0)
            assert await ask(harness, Add(1), "one") == [(0, "internal")]
        assert await ask(harness, Add(1), "two") == [(1, None)]


async def test_two_nodes_count_together(nodes: Nodes) -> None:
    first, second = await nodes.open(), await nodes.open()
    assert await ask(first, Add(1), "one") == [(1, None)]
    assert await ask(second, Add(2), "two") == [(2, None)]
    assert (total(first), total(second)) == (3, 3)
    # Of two who append at the same version one is decided once more; what is stale is never refused.
    nodes.clusters[1].deaf = True
    assert await ask(first, Add(997), "three") == [(3, None)]
    assert total(second) == 3
    assert await ask(second, Reset(), "four") == [(4, None)]
    assert await ask(first, Add(4), "five") == [(5, None)]
    assert await ask(second, Add(997), "six") == [(5, "not_allowed")]
    assert (total(first), total(second)) == (4, 4)
    # The same command at another node is the same.
    assert await ask(second, Add(4), "five") == [(5, None)]
    assert [harness.counters.get(KEY).leased for harness in (first, second)] == [True, False]  # type: ignore[union-attr]


async def test_a_dead_nodes_lease_is_taken_over_where_it_is_wanted(nodes: Nodes) -> None:
    first, second = await nodes.open(), await nodes.open()
    await ask(first, Add(1), "one")
    await ask(second, Add(2), "two")
    nodes.kill(first)
    await nodes.advance(LEASE_SECONDS + 2 * BEAT_SECONDS)
    actor = second.counters.get(KEY)
    assert actor is not None
    assert actor.leased
    # A node that is cut off drops it.
    nodes.clusters[1].cut = True
    await nodes.advance(LEASE_SECONDS + 2 * BEAT_SECONDS)
    assert not actor.leased
    nodes.clusters[1].cut = False
    await nodes.advance(2 * BEAT_SECONDS)
    assert actor.leased


async def test_a_log_that_another_begins_while_it_is_woken_is_leased_once(
    nodes: Nodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = await nodes.open(), await nodes.open()
    read = nodes.ground.log.read

    async def late(key: str, after: Version = 0) -> Any:
        # The other node begins the log once this one has asked for its lease.
        monkeypatch.undo()
        assert await ask(second, Add(1), "one") == [(1, None)]
        return await read(key, after)

    monkeypatch.setattr(nodes.ground.log, "read", late)
    assert await ask(first, Add(2), "two") == [(2, None)]
    await nodes.advance(2 * BEAT_SECONDS)
    assert [harness.counters.get(KEY).leased for harness in (first, second)] == [False, True]  # type: ignore[union-attr]


@pytest.mark.parametrize("hook", ["_accepted", "_update"])
async def test_what_fails_after_a_commit_holds_up_no_command_and_is_put_aside_in_the_end(
    monkeypatch: pytest.MonkeyPatch, hook: str
) -> None:
    store = GatedStore()
    async with open_harness(store=store) as harness:
        actor = await harness.counter(KEY)
        left = 0

        def fails(*given: Any) -> None:
            nonlocal left
            if left:
                left -= 1
                raise RuntimeError("a fault of ours")

        monkeypatch.setattr(actor, hook, fails)
        with capture_logs() as logs:
            store.holds, left = True, 1
            first, second = [await ask(harness, Add(1), name) for name in ("one", "two")]
            store.holds = False
            store.release()
            await settle()
            assert (first, second) == ([(1, None)], [(2, None)])
            assert (actor.mode, total(harness)) == (READY, 2)
            left = 2
            assert await ask(harness, Add(1), "three") == [(3, None)]
            if hook == "_accepted":
                assert await ask(harness, Add(1), "four") == [(4, None)]
        assert actor.mode is QUARANTINED
        assert [one["event"] for one in logs].count("a counter crashed") == 3


async def test_a_counter_that_can_not_take_what_another_node_sends_is_put_aside_in_the_end(
    harness: HostingHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ask(harness, Add(1), "one")
    actor = harness.counters.get(KEY)
    assert actor is not None
    monkeypatch.setattr(actor, "_publish", fails)
    modes: list[Mode] = []
    for number in range(3):
        record = LogRecord(Added(1), 5, "ben", f"c{number}")
        await append(harness.store, KEY, actor.state.version, record)
        actor.hinted(actor.state.version + 1, [record])
        await settle()
        modes.append(actor.mode)
    assert modes == [READY, READY, QUARANTINED]


async def test_a_counter_that_crashes_starts_again_from_its_log_and_is_put_aside_in_the_end(
    harness: HostingHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ask(harness, Add(3), "one")
    actor = harness.counters.get(KEY)
    assert actor is not None
    modes: list[Mode] = []
    with monkeypatch.context() as patched, capture_logs() as logs:
        patched.setattr(actor, "_decide", fails)
        for number in range(3):
            assert await ask(harness, Add(1), f"crash-{number}") == [(1, "internal")]
            modes.append(actor.mode)
    assert modes == [READY, READY, QUARANTINED]
    assert [entry["event"] for entry in logs].count("a counter crashed") == 3
    assert await ask(harness, Add(1), "two") == [(1, "internal")]
    assert len(await harness.store.read(KEY)) == 1


async def test_what_another_has_written_is_read_before_a_command_is_decided_again(
    harness: HostingHarness,
) -> None:
    await ask(harness, Add(3), "one")
    async with open_harness(store=harness.store) as other:
        await ask(other, Add(4), "two")
    assert await ask(harness, Add(5), "three") == [(3, None)]
    assert total(harness) == 12


# ---------------------------------------------------------------- sleep


def days(harness: HostingHarness) -> None:
    for _ in range(48):
        harness.clock.advance(3600.0)


async def test_a_counter_that_is_left_alone_sleeps_and_one_that_is_closed_is_run_no_more(
    harness: HostingHarness,
) -> None:
    await ask(harness, Add(3), "one")
    for number in range(50):
        await harness.counters.fetch(f"counter:x{number}")
    assert len(harness.counters) == 51
    harness.clock.advance(GUEST_SECONDS + 2 * SWEEP_SECONDS)
    # Those of which there is no log.
    assert [actor.key for actor in harness.counters.awake()] == [KEY]
    days(harness)
    assert len(harness.counters) == 0
    assert await ask(harness, Add(4), "two") == [(2, None)]
    assert total(harness) == 7
    assert await harness.store.open_others() == [KEY]
    assert await ask(harness, Close(), "three") == [(3, None)]
    harness.clock.advance(SWEEP_SECONDS)
    assert len(harness.counters) == 0
    assert await harness.store.open_others() == []
    assert await ask(harness, Add(1), "four") == [(3, "not_allowed")]
    assert not harness.counters.get(KEY).leased  # type: ignore[union-attr]


async def test_no_more_counters_are_in_memory_than_may_be() -> None:
    store = GatedStore()
    async with open_harness(ServerLimits(rooms=3), store=store) as harness:
        for number in range(5):
            await harness.counters.fetch(f"counter:x{number}")
            harness.clock.advance(1.0)
        assert sorted(actor.key for actor in harness.counters.awake()) == [f"counter:x{n}" for n in (2, 3, 4)]
        store.holds = True
        for actor in harness.counters.awake():
            actor.submit(Request(Add(1), "ada", "one", no_reply))
        with pytest.raises(Refusal) as refused:
            await harness.counters.fetch(KEY)
        assert refused.value.code == "server_full"
        store.holds = False
        store.release()
        await settle()


# ---------------------------------------------------------------- registered


async def add_in(app: App, amount: int, name: str) -> Version:
    """Add to a server's counter; gives the version that it leads to."""
    answered: asyncio.Future[Version] = asyncio.get_running_loop().create_future()

    def reply(command_id: str, key: str, version: Version, refusal: Refusal | None) -> None:
        assert refusal is None
        answered.set_result(version)

    counter = await app.actors["counter"].fetch(KEY)
    assert counter is not None
    counter.submit(Request(Add(amount), "ada", name, reply))
    return await answered


async def test_a_kind_that_is_registered_runs_in_a_whole_server_and_its_file_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "parlour.db"
    monkeypatch.setattr(kinds, "KINDS", WITH_COUNTERS)
    # Twice the same command, in two lives of a server.
    for name in ("one", "two"):
        app = App(ServerSettings(data=str(data), port=0, search_executor="thread", compiled=False))
        await app.start()
        try:
            # What is open may have to go on by itself after a start.
            assert [actor.leased for actor in app.actors["counter"].awake()] == [True] * (name == "two")
            assert await add_in(app, 3, "one") == 1
            if name == "two":
                assert await add_in(app, 4, "two") == 2
        finally:
            await app.stop()
    said = await asyncio.to_thread(CliRunner().invoke, data_commands.app, ["check", str(data), "--json"])
    findings = json.loads(said.stdout)
    assert (findings["records"], findings["faults"], findings["not_installed"]) == (2, [], {})
    # Its rules are tried, too: a counter that would count backwards leads nowhere.
    with monkeypatch.context() as patched:
        patched.setattr(kinds, "KINDS", (ROOM, replace(COUNTER, evolve=failing)))
        (fault,) = check(data, lambda done, of: None, EventCodecs(kinds.event_types())).faults
    assert fault.where == f"room {KEY}"
    # A server without that kind leaves the log alone, and says so.
    monkeypatch.setattr(kinds, "KINDS", (ROOM,))
    assert list(check(data, lambda done, of: None).not_installed.values()) == [1]


def failing(state: object, record: object) -> None:
    raise ValueError("a counter counts from 0 on")
