"""Nodes that stall, are cut off, stand still or die: no player pays for it."""

from parlour_server.hosting.cluster.node import BEAT_SECONDS
from tests.hosting.cluster.test_node import Estate, estate, play, table
from tests.hosting.harness import HostingHarness, Person

__all__ = ["estate"]


async def timed(estate: Estate) -> tuple[list[HostingHarness], Person, Person, str]:
    """Ada at the first of three nodes and Ben at the second, both have moved, Ada's minute runs."""
    houses = [await estate.open() for _ in range(3)]
    ada, ben = await houses[0].person("Ada"), await houses[1].person("Ben")
    room = await table(estate, ada, ben, clock="1+0")
    for person, move in ((ada, "b2"), (ben, "a1")):
        await play(estate, person, room, move)
    await estate.advance(0.5)
    return houses, ada, ben, room


def left(person: Person, room: str, seat: int) -> int:
    return int(person.view(room)["clock"]["left"][seat])


async def test_a_node_that_hears_late_of_a_move_charges_from_then_on(estate: Estate) -> None:
    _, ada, ben, room = await timed(estate)
    estate.clusters[1].deaf = estate.clusters[1].cut = True
    await play(estate, ada, room, "c3")
    await estate.advance(2.0)
    assert len(ben.view(room)["moves"]) == 2
    estate.clusters[1].deaf = estate.clusters[1].cut = False
    await estate.advance(1.0)
    assert len(ben.view(room)["moves"]) == 3
    await estate.advance(0.3)
    await play(estate, ben, room, "c1")
    assert left(ada, room, 1) > 58_000


async def test_a_move_that_waits_for_a_node_that_is_cut_off_came_when_it_came(estate: Estate) -> None:
    houses, ada, _ben, room = await timed(estate)
    store = houses[0].store
    held = []
    append = store.append
    store.append = lambda *given: held.append(given)  # type: ignore[method-assign]
    asked = ada.say("play", room=room, version=ada.view(room)["version"], move="c3")
    before = left(ada, room, 0)
    await estate.advance(2.0)
    estate.clusters[0].cut = True
    await estate.advance(9.0)
    assert ada.answers(asked) == []
    estate.clusters[0].cut = False
    del store.append
    for given in held:
        append(*given)
    await estate.advance(3.0)
    assert ada.answers(asked)[0]["type"] == "accepted"
    assert left(ada, room, 0) > before - 2_000


async def test_what_a_takeover_takes_is_nobodys_time(estate: Estate) -> None:
    houses, ada, _ben, room = await timed(estate)
    third = houses[2]
    assert third.directory.get(room) is None
    estate.kill(houses[1])
    await estate.advance(0.5)
    estate.kill(houses[0])
    back = await third.person("Ada", token=ada.token)
    await estate.advance(5.0)
    back.say("subscribe", room=room)
    await estate.advance(0.5)
    await play(estate, back, room, "c3")
    # Of the seven seconds the lease's three are nobody's: the others she might have moved in.
    assert left(back, room, 0) > 55_500


async def test_a_node_that_stood_still_charges_nobody_for_it(estate: Estate) -> None:
    houses, ada, _ben, room = await timed(estate)
    await estate.advance(0.3)
    # As by SIGSTOP: what was sent meanwhile is read before any timer fires.
    estate.clock.seconds += BEAT_SECONDS + 1.9
    asked = ada.say("play", room=room, version=ada.view(room)["version"], move="c3")
    await estate.advance(0.2)
    assert ada.answers(asked)[0]["type"] == "accepted"
    assert left(ada, room, 0) > 58_000
    assert houses[0].room(room).state.phase == "playing"
