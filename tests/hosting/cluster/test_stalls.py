"""Nodes that stall, are cut off, stand still or die: no player pays for it."""

import pytest

from parlour_server.hosting.cluster.node import BEAT_SECONDS
from tests.hosting.harness import HostingHarness, Person
from tests.hosting.nodes import Nodes

Timed = tuple[list[HostingHarness], Person, Person, str]


@pytest.fixture
async def timed(nodes: Nodes) -> Timed:
    """Ada at the first of three nodes and Ben at the second, both have moved, Ada's minute runs."""
    harnesses = [await nodes.open() for _ in range(3)]
    ada, ben = await harnesses[0].person("Ada"), await harnesses[1].person("Ben")
    room = await nodes.table(ada, ben, "b2 a1", clock="1+0")
    await nodes.advance(0.5)
    return harnesses, ada, ben, room


def left(person: Person, room: str, seat: int) -> int:
    return int(person.view(room)["clock"]["left"][seat])


async def test_a_node_that_reads_late_of_a_move_charges_from_then_on(nodes: Nodes, timed: Timed) -> None:
    _, ada, ben, room = timed
    nodes.clusters[1].deaf = nodes.clusters[1].cut = True
    await nodes.play(ada, room, "c3")
    await nodes.advance(2.0)
    assert len(ben.view(room)["moves"]) == 2
    nodes.clusters[1].deaf = nodes.clusters[1].cut = False
    await nodes.advance(1.0)
    assert len(ben.view(room)["moves"]) == 3
    await nodes.advance(0.3)
    await nodes.play(ben, room, "c1")
    assert left(ada, room, 1) > 58_000


async def test_a_move_that_waits_for_a_node_that_is_cut_off_came_when_it_came(
    nodes: Nodes, timed: Timed
) -> None:
    harnesses, ada, _ben, room = timed
    store = harnesses[0].store
    held = []
    append = store.append
    store.append = lambda *given: held.append(given)  # type: ignore[method-assign]
    asked = ada.say("play", room=room, version=ada.view(room)["version"], move="c3")
    before = left(ada, room, 0)
    await nodes.advance(2.0)
    nodes.clusters[0].cut = True
    await nodes.advance(9.0)
    assert ada.answers(asked) == []
    nodes.clusters[0].cut = False
    del store.append
    for given in held:
        append(*given)
    await nodes.advance(3.0)
    assert ada.answers(asked)[0]["type"] == "accepted"
    assert left(ada, room, 0) > before - 2_000


async def test_what_a_takeover_takes_is_nobodys_time(nodes: Nodes, timed: Timed) -> None:
    harnesses, ada, _ben, room = timed
    third = harnesses[2]
    assert third.directory.get(room) is None
    nodes.kill(harnesses[1])
    await nodes.advance(0.5)
    nodes.kill(harnesses[0])
    await nodes.advance(5.0)
    back = await nodes.comes_back(ada, third, room)
    await nodes.play(back, room, "c3")
    # Of the seven seconds the lease's three are nobody's: the others she might have moved in.
    assert left(back, room, 0) > 55_500


async def test_a_node_that_stood_still_charges_nobody_for_it(nodes: Nodes, timed: Timed) -> None:
    harnesses, ada, _ben, room = timed
    await nodes.advance(0.3)
    # As by SIGSTOP: what was sent meanwhile is read before any timer fires.
    nodes.clock.seconds += BEAT_SECONDS + 1.9
    asked = ada.say("play", room=room, version=ada.view(room)["version"], move="c3")
    await nodes.advance(0.2)
    assert ada.answers(asked)[0]["type"] == "accepted"
    assert left(ada, room, 0) > 58_000
    assert harnesses[0].room(room).state.phase == "playing"
