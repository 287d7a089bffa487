"""Several nodes over one log: who plays at one sees what was played at another, whatever is cut or dies."""

import asyncio
from collections.abc import Collection
from typing import Any

import pytest

from parlour_server.hosting.cluster.node import BEAT_SECONDS, LEASE_SECONDS, TRY_AGAIN_SECONDS, ClusterNode
from parlour_server.hosting.node import SoleNode
from parlour_server.hosting.rooms import bot_seat
from parlour_server.hosting.rooms.audience import AWAY_GRACE
from parlour_server.log import LogRecord
from parlour_server.store.cluster import Renewal
from parlour_server.store.memory import MemoryStore
from parlour_server.store.port import Done, NotReadable, StoreError
from tests.hosting.harness import HostingHarness, Person, settle
from tests.hosting.nodes import Nodes
from tests.support.nodes import MemoryCluster

TAKEOVER_SECONDS = LEASE_SECONDS + 2 * BEAT_SECONDS
"""Within so long a dead node's rooms are another's."""


@pytest.fixture
async def first(nodes: Nodes) -> HostingHarness:
    return await nodes.open()


@pytest.fixture
async def second(nodes: Nodes, first: HostingHarness) -> HostingHarness:
    return await nodes.open()


@pytest.fixture
async def ada(first: HostingHarness) -> Person:
    """At the first node."""
    return await first.person("Ada")


@pytest.fixture
async def ben(second: HostingHarness, ada: Person) -> Person:
    """At the second one."""
    return await second.person("Ben")


async def test_two_players_on_two_nodes_play_a_game(nodes: Nodes, ada: Person, ben: Person) -> None:
    room = await nodes.table(ada, ben)
    for person, move in ((ada, "b2"), (ben, "a1"), (ada, "a3"), (ben, "c1"), (ada, "a2"), (ben, "b1")):
        answer = await nodes.play(person, room, move)
        assert answer["type"] == "accepted", answer
        assert ada.view(room)["moves"] == ben.view(room)["moves"]
    assert ada.view(room) == {**ben.view(room), **{key: ada.view(room)[key] for key in ("you", "owner")}}
    assert ada.view(room)["phase"] == "finished"
    assert ada.view(room)["online"] == [True, True]
    assert nodes.holders(room) == [0]


async def test_who_types_is_shown_at_other_nodes_to_those_alone_who_read_it(
    nodes: Nodes, first: HostingHarness, second: HostingHarness, ada: Person, ben: Person
) -> None:
    room = await nodes.table(ada, ben)
    eve = await second.person("Eve")
    eve.say("subscribe", room=room)
    await nodes.advance(0.5)
    ada.signal("typing", room=room)
    await nodes.advance(0.2)
    assert [one["name"] for one in ben.of("typing")] == ["Ada"]
    assert eve.of("typing") == []
    # What the node relays is bounded, however many people type there.
    joe = await second.person("Joe")
    joe.say("subscribe", room=room)
    watching = await first.person("Ann")
    watching.say("subscribe", room=room)
    await nodes.advance(0.5)
    for person in (eve, joe):
        person.signal("typing", room=room)
    await nodes.advance(0.2)
    assert [one["name"] for one in watching.of("typing")] == ["Eve"]
    assert [one["name"] for one in joe.of("typing")] == ["Eve"]


async def test_of_two_who_move_at_the_same_time_one_is_refused(
    nodes: Nodes, second: HostingHarness, ada: Person, ben: Person
) -> None:
    again = await second.person("Ada", token=ada.token)
    room = await nodes.table(ada, ben)
    version = ada.view(room)["version"]
    again.say("subscribe", room=room)
    asked = ada.say("play", room=room, version=version, move="b2")
    asked_again = again.say("play", room=room, version=version, move="a1")
    await nodes.advance(0.5)
    (one,), (other,) = ada.answers(asked), again.answers(asked_again)
    assert (one["type"], other["type"], other["code"]) == ("accepted", "refused", "not_your_turn"), other
    assert len(again.view(room)["moves"]) == 1


async def test_a_node_that_gets_no_hint_finds_out_by_itself(nodes: Nodes, ada: Person, ben: Person) -> None:
    room = await nodes.table(ada, ben)
    nodes.clusters[1].deaf = True
    await nodes.play(ada, room, "b2")
    assert ben.view(room)["moves"] == []
    await nodes.advance(2.0)
    assert ben.view(room)["moves"] == ["b2"]


@pytest.mark.parametrize("up_to_date", [False, True])
async def test_who_subscribes_is_shown_what_other_nodes_have_written(
    nodes: Nodes, second: HostingHarness, ada: Person, ben: Person, up_to_date: bool
) -> None:
    room = await nodes.table(ada, ben)
    nodes.clusters[1].deaf = True
    await nodes.play(ada, room, "b2")
    back, version = await second.person("Ada", token=ada.token), ada.view(room)["version"]
    asked = back.say("subscribe", room=room, **({"since": version} if up_to_date else {}))
    await settle()
    assert back.answers(asked)[0]["version"] == version
    assert [one["view"]["moves"] for one in back.of("snapshot")] == ([] if up_to_date else [["b2"]])


# ---------------------------------------------------------------- who is where


async def test_who_comes_and_goes_at_one_node_is_shown_at_the_other(
    nodes: Nodes, first: HostingHarness, second: HostingHarness, ada: Person, ben: Person
) -> None:
    room = await nodes.table(ada, ben)
    wall = await second.person("Wall")
    wall.say("subscribe", room=room, present=False)
    eve = await nodes.comes_back(await second.person("Eve"), second, room)
    assert ada.view(room)["watching"] == ben.view(room)["watching"] == 1
    eve.hang_up()
    ben.hang_up()
    await nodes.advance(AWAY_GRACE + 0.5)
    assert (ada.view(room)["online"], ada.view(room)["watching"]) == ([True, False], 0)
    # What happens is still sent there.
    assert first.context.node.remote.attended(room) == second.context.node.name
    wall.hang_up()
    await nodes.advance(0.5)
    assert first.context.node.remote.attended(room) is None
    await nodes.comes_back(ben, second, room)
    assert ada.view(room)["online"] == [True, True]


@pytest.mark.parametrize("stays", [True, False])
async def test_who_sits_down_at_another_node_is_away_only_where_they_are_gone(
    nodes: Nodes, ada: Person, ben: Person, stays: bool
) -> None:
    room = await nodes.created(ada)
    ada.say("sit", room=room)
    ben.say("subscribe", room=room)
    await nodes.advance(0.5)
    before = len(ada.of("presence"))
    ben.say("sit", room=room)
    if not stays:
        ben.hang_up()
    await nodes.advance(AWAY_GRACE + 2.0)
    view = ada.view(room)
    assert (view["phase"], view["online"]) == ("playing", [True, stays])
    if stays:
        assert {tuple(one["set"]["online"]) for one in ada.of("presence")[before:]} == {(True, True)}
        assert view["away_since"] == [None, None]


async def test_a_player_plays_at_two_nodes_and_is_away_once_both_connections_are_gone(
    nodes: Nodes, first: HostingHarness, second: HostingHarness, ada: Person
) -> None:
    ben = await first.person("Ben")
    room = await nodes.table(ada, ben)
    again = await nodes.comes_back(ben, second, room)
    before = len(ada.of("presence"))
    for person, move in ((ada, "b2"), (again, "a1"), (ada, "a3"), (ben, "c1")):
        assert (await nodes.play(person, room, move))["type"] == "accepted"
    assert ben.view(room) == again.view(room)
    ben.signal("typing", room=room)
    await nodes.advance(0.5)
    assert (len(ada.of("typing")), again.of("typing")) == (1, [])
    ben.hang_up()
    await nodes.advance(2.0)
    assert {tuple(one["set"]["online"]) for one in ada.of("presence")[before:]} == {(True, True)}
    assert (await nodes.play(ada, room, "a2"))["type"] == "accepted"
    assert again.view(room)["moves"][-1] == "a2"
    again.hang_up()
    await nodes.advance(AWAY_GRACE + 2.0)
    assert ada.view(room)["online"] == [True, False]


async def test_a_spectator_at_one_node_sits_down_at_another(
    nodes: Nodes, first: HostingHarness, ada: Person, ben: Person
) -> None:
    room = await nodes.created(ada)
    ada.say("subscribe", room=room)
    ben.say("subscribe", room=room)
    await nodes.advance(0.5)
    # What is posted comes before the event.
    nodes.clusters[1].deaf = True
    again = await first.person("Ben", token=ben.token)
    again.say("sit", room=room)
    await nodes.advance(2.0)
    assert ben.view(room) == again.view(room)
    assert (ben.view(room)["you"], ben.view(room)["online"]) == (0, [True, False])
    assert ada.view(room)["watching"] == 1


async def test_the_lobby_shows_the_rooms_and_players_of_all_nodes(
    nodes: Nodes, ada: Person, ben: Person
) -> None:
    assert ben.ask("rooms", subscribe=True)["rooms"] == []
    room = await nodes.created(ada)
    ada.say("sit", room=room)
    await nodes.advance(2.0)
    notices = ben.of("lobby")
    assert room in [line["room"] for notice in notices for line in notice["rooms"]]
    assert notices[-1]["players"] == 2
    assert [line["room"] for line in ben.ask("rooms", subscribe=True)["rooms"]] == [room]
    ada.say("close", room=room)
    await nodes.advance(2.0)
    assert room in [code for notice in ben.of("lobby") for code in notice["gone"]]


async def test_people_go_on_at_nodes_that_do_not_end_together_with_theirs(nodes: Nodes) -> None:
    one = (await nodes.open("host-1-abc")).context.node
    await nodes.open("host-2-abc")
    await nodes.advance(2 * BEAT_SECONDS)
    assert (one.count, one.others) == (2, False)
    await nodes.open("host-3-def")
    await nodes.advance(2 * BEAT_SECONDS)
    assert (one.count, one.others) == (3, True)


# ---------------------------------------------------------------- seats and rooms that are made once


@pytest.mark.parametrize("apart", [0.0, 30.0])
async def test_people_of_two_nodes_meet_by_a_quick_match(
    nodes: Nodes, ada: Person, ben: Person, apart: float
) -> None:
    asked = [ada.say("quick", game="tictactoe")]
    if apart:
        await nodes.advance(apart)
    asked.append(ben.say("quick", game="tictactoe"))
    await nodes.advance(1.5)
    one, other = ada.answers(asked[0])[0], ben.answers(asked[1])[0]
    assert one["room"] == other["room"], (one, other)
    assert ada.view(one["room"])["phase"] == "playing"


SEEK = {"game": "tictactoe", "bot": "random", "bot_after": 5}


@pytest.mark.parametrize("dies", [False, True])
async def test_the_bot_of_a_seek_comes_where_its_player_has_gone(
    nodes: Nodes, first: HostingHarness, second: HostingHarness, ada: Person, dies: bool
) -> None:
    asked = ada.say("quick", **SEEK)
    await nodes.advance(1.0)
    room = ada.answers(asked)[0]["room"]
    if dies:
        nodes.kill(first)
        await nodes.advance(10.0)
        back = await second.person("Ada", token=ada.token)
        # The command again, since its answer may have been lost.
        back.say("quick", id=asked, **SEEK)
        await nodes.advance(1.0)
        assert back.answers(asked) == ada.answers(asked)
    else:
        back = await nodes.comes_back(ada, second, room, 3.0)
        assert back.view(room)["phase"] == "waiting"
        await nodes.advance(2.0)
    assert [seat["kind"] for seat in back.view(room)["seats"]] == ["human", "bot"]


@pytest.mark.parametrize(
    ("kind", "fields"),
    [("create", {}), ("create", {"seats": ["me", {"bot": "random"}]}), ("quick", {})],
    ids=["create", "seats", "quick"],
)
async def test_a_command_that_comes_to_two_nodes_at_once_creates_one_room(
    nodes: Nodes, second: HostingHarness, ada: Person, kind: str, fields: dict[str, Any]
) -> None:
    again = await second.person("Ada", token=ada.token)
    for person in (ada, again):
        person.say(kind, id="one", game="tictactoe", **fields)
    await nodes.advance(1.0)
    (answer,) = ada.answers("one")
    assert again.answers("one")[0]["room"] == answer["room"]
    assert len(nodes.ground.log._rooms) == 1
    if fields:
        assert again.answers("one") == [answer]
        assert again.view(answer["room"])["you"] == 0


async def test_a_node_that_refuses_a_command_leaves_the_claim_of_another(
    nodes: Nodes, first: HostingHarness, second: HostingHarness
) -> None:
    looked: list[Any] = []

    async def look_up(harness: HostingHarness) -> None:
        harness.context.node.look_up_command("p-ada", "c", lambda *found: looked.append(found), looked.append)
        await settle()

    await look_up(first)
    assert looked == [(None, None)]
    await look_up(second)
    nodes.clusters[1].cut = True
    await nodes.advance(0.1)
    assert [one.code for one in looked[1:]] == ["internal"]
    nodes.clusters[1].cut = False
    # As whatever is refused there does.
    second.context.node.command_done("p-ada", "c")
    second.context.node.publish("match x", "", 1.0)
    await settle()
    await look_up(second)
    assert len(looked) == 2
    first.context.node.command_done("p-ada", "c")
    await nodes.advance(0.1)
    assert looked[2:] == [(None, None)]


# ---------------------------------------------------------------- nodes that die or are cut off


async def against_a_bot(nodes: Nodes, ada: Person, eve: Person) -> str:
    """A room where Ada has moved, a bot is to, and Eve watches."""
    room = await nodes.created(ada)
    ada.say("sit", room=room)
    ada.say("add_bot", room=room, bot="random")
    eve.say("subscribe", room=room)
    await nodes.advance(1.0)
    await nodes.play(ada, room, "b2")
    return room


async def test_a_dead_nodes_rooms_are_taken_over_and_its_bots_move(
    nodes: Nodes, first: HostingHarness, second: HostingHarness, ada: Person, ben: Person
) -> None:
    room = await against_a_bot(nodes, ada, ben)
    assert nodes.holders(room) == [0]
    nodes.kill(first)
    await nodes.advance(TAKEOVER_SECONDS)
    assert nodes.holders(room) == [1]
    await nodes.advance(AWAY_GRACE)
    assert ben.view(room)["online"] == [False, True]
    second.scheduler.answer()
    await settle()
    assert len(ben.view(room)["moves"]) == 2


async def test_a_cut_off_node_holds_no_lease_and_its_late_bot_move_is_stale(
    nodes: Nodes, first: HostingHarness, second: HostingHarness, ada: Person, ben: Person
) -> None:
    room = await against_a_bot(nodes, ada, ben)
    search = first.scheduler.take()
    nodes.clusters[0].cut = True
    await nodes.advance(TAKEOVER_SECONDS)
    assert nodes.holders(room) == [1]
    assert not search.wanted
    second.scheduler.answer()
    await nodes.advance(0.2)
    nodes.clusters[0].cut = False
    await nodes.advance(2.0)
    assert nodes.holders(room) == [1]
    assert ada.view(room)["moves"] == ben.view(room)["moves"]
    assert len(ada.view(room)["moves"]) == 2


async def test_after_the_database_has_forgotten_all_but_the_log_all_goes_on(
    nodes: Nodes, ada: Person, ben: Person
) -> None:
    room, unattended = await nodes.table(ada, ben), await nodes.created(ada, bots=2)
    nodes.ground.leases.clear()
    nodes.ground.holders.clear()
    nodes.ground.posted.clear()
    await nodes.advance(3.0)
    assert len(nodes.holders(room)) == len(nodes.holders(unattended)) == 1
    third = await nodes.open()
    eve = await nodes.comes_back(await third.person("Eve"), third, room)
    assert eve.view(room)["online"] == [True, True]


async def test_bots_that_rest_go_on_when_someone_comes_to_another_node(
    nodes: Nodes, first: HostingHarness, second: HostingHarness, ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot_seat, "UNATTENDED_EVENTS", 3)
    room = await nodes.created(ada, bots=2, pace=0)
    for _ in range(3):
        first.scheduler.answer()
        await settle()
    await nodes.advance(5.0)
    assert (len(first.room(room).state.moves), first.scheduler.wanted) == (3, [])
    await nodes.comes_back(await second.person("Eve"), second, room, 5.0)
    assert len(first.scheduler.wanted + second.scheduler.wanted) == 1


async def test_a_room_that_is_ahead_of_its_log_starts_again_from_that(
    nodes: Nodes, first: HostingHarness, ada: Person
) -> None:
    ben = await first.person("Ben")
    room = await nodes.table(ada, ben, "b2")
    # A database that was restored from a backup.
    del nodes.ground.log._rooms[room][-1]
    asked = ben.say("play", room=room, version=ben.view(room)["version"], move="a1")
    await nodes.advance(1.0)
    assert ben.answers(asked)[0]["type"] == "refused"
    assert ada.view(room)["moves"] == ben.view(room)["moves"] == []
    assert (await nodes.play(ada, room, "a1"))["type"] == "accepted"


async def test_nobody_waits_for_a_room_that_has_stopped(
    nodes: Nodes, first: HostingHarness, ada: Person
) -> None:
    room = first.room(await nodes.created(ada))
    never: list[Done] = []
    first.store.append = lambda room, expected, records, done: never.append(done)  # type: ignore[method-assign]
    ada.say("sit", room=room.code)
    waiting = asyncio.create_task(room.catch_up())
    await settle()
    assert never and not waiting.done()
    room.stop()
    await waiting
    await room.catch_up()


# ---------------------------------------------------------------- time


@pytest.mark.parametrize("seconds", [5.0, 60.0])
async def test_time_without_any_node_is_charged_to_nobody(nodes: Nodes, seconds: float) -> None:
    first = await nodes.open()
    ada, ben = await first.person("Ada"), await first.person("Ben")
    room = await nodes.table(ada, ben, "b2 a1", clock="1+0")
    nodes.kill(first)
    await nodes.advance(seconds)
    # Those who come to the second are not charged either: where it was short, the first has the lease.
    await nodes.open()
    second = await nodes.open()
    ada = await nodes.comes_back(ada, second, room, 0.2)
    assert ada.view(room)["phase"] == "playing"
    await nodes.play(ada, room, "a3")
    assert ada.view(room)["clock"]["left"][0] > 59_000


async def test_what_a_node_that_died_at_once_left_undone_is_charged_to_nobody(nodes: Nodes) -> None:
    first = await nodes.open()
    ada, ben = await first.person("Ada"), await first.person("Ben")
    room = await nodes.table(ada, ben, "b2 a1", clock="1+0")
    await nodes.advance(10.0)
    nodes.kill(first)
    await nodes.advance(30.0)
    await MemoryCluster(nodes.ground, "crashed").renew(LEASE_SECONDS, 0)
    await nodes.advance(4.0)
    ada = await nodes.comes_back(ada, await nodes.open(), room, 0.2)
    await nodes.play(ada, room, "a3")
    assert 48_000 < ada.view(room)["clock"]["left"][0] < 51_000


async def test_a_dead_nodes_players_pay_for_their_time_while_others_serve(
    nodes: Nodes, first: HostingHarness, second: HostingHarness, ada: Person, ben: Person
) -> None:
    room = await nodes.table(ada, ben, "b2 a1", clock="1+0")
    nodes.kill(first)
    await nodes.advance(10.0)
    back = await nodes.comes_back(ada, second, room, 0.2)
    await nodes.play(back, room, "a3")
    assert back.view(room)["clock"]["left"][0] < 51_000


async def test_a_node_that_was_cut_off_alone_goes_on_with_its_rooms_and_charges_nobody(
    nodes: Nodes, first: HostingHarness, ada: Person
) -> None:
    room = await nodes.table(ada, await first.person("Ben"), "b2 a1", clock="1+0")
    nodes.clusters[0].cut = True
    await nodes.advance(20.0)
    nodes.clusters[0].cut = False
    await nodes.advance(1.0)
    assert nodes.holders(room) == [0]
    await nodes.play(ada, room, "a3")
    left = ada.view(room)["clock"]["left"]
    assert left[0] > 60_000 - 6_000, left


async def test_time_stands_still_while_no_node_serves(nodes: Nodes, first: HostingHarness) -> None:
    node = first.context.node
    assert isinstance(node, ClusterNode)
    node._down, node._expires_at, node._renewed_at = (10_000, 20_000), nodes.clock.seconds + 1, 30_000
    assert node.stood_still(25_000) is None
    assert node.stood_still(5_000) == 10_000
    # Out of touch nothing is known from its last renewal on; of what was before, the same as ever.
    node._expires_at = nodes.clock.seconds
    assert node.stood_still(25_000) == 30_000
    assert node.stood_still(5_000) == 10_000
    assert SoleNode(MemoryStore(), lambda: 0.0).stood_still(5_000) is None


async def test_the_clock_is_set_to_the_clusters_as_exactly_as_is_known(
    nodes: Nodes, first: HostingHarness
) -> None:
    cluster, set_to = nodes.clusters[0], list[tuple[int, float]]()
    first.context.set_clock = lambda now, error: set_to.append((now, error))
    renew = cluster.renew

    async def slowly(seconds: float, players: int) -> Renewal:
        renewal = await renew(seconds, players)
        await first.context.pause(2.0)
        return renewal

    await nodes.advance(BEAT_SECONDS + 0.1)
    assert list(set_to.pop()) == pytest.approx([1000 * nodes.clock.seconds, 0], abs=200)
    cluster.renew = slowly  # type: ignore[method-assign]
    await nodes.advance(2.8)
    assert list(set_to.pop()) == pytest.approx([1000 * (nodes.clock.seconds - 1), 1000], abs=200)


# ---------------------------------------------------------------- leases and posts


def lose_answer(cluster: MemoryCluster, name: str) -> None:
    """The next call of this name is done, and its answer is lost."""
    real = getattr(cluster, name)

    async def done_and_lost(*args: Any, **options: Any) -> Any:
        delattr(cluster, name)
        await real(*args, **options)
        raise StoreError("The answer was lost.")

    setattr(cluster, name, done_and_lost)


def hold_releases(cluster: MemoryCluster) -> asyncio.Event:
    """Leases are released only when this event is set."""
    release, held = cluster.release, asyncio.Event()

    async def slowly(rooms: Collection[str], *, asleep: bool) -> None:
        await held.wait()
        await release(rooms, asleep=asleep)

    cluster.release = slowly  # type: ignore[method-assign]
    return held


async def test_a_rooms_lease_is_held_where_its_people_are(
    nodes: Nodes, second: HostingHarness, ada: Person
) -> None:
    room = await nodes.created(ada)
    ada.say("sit", room=room)
    ada.say("add_bot", room=room, bot="random")
    await nodes.advance(1.0)
    ada.hang_up()
    await nodes.comes_back(ada, second, room, 2.0)
    assert nodes.holders(room) == [1]


async def test_a_node_that_was_taken_for_dead_leaves_its_rooms_to_whoever_took_them(
    nodes: Nodes, ada: Person, ben: Person
) -> None:
    room = await nodes.created(ada, bots=2)
    nodes.ground.leases["n1"].until = 0
    nodes.clusters[0].cut = True
    await nodes.advance(BEAT_SECONDS + 0.1)
    assert nodes.holders(room) == [0, 1]
    nodes.clusters[0].cut = False
    await nodes.advance(BEAT_SECONDS + 0.1)
    assert nodes.holders(room) == [1]


async def test_a_lease_whose_release_is_not_known_is_looked_up(
    nodes: Nodes, second: HostingHarness, ada: Person
) -> None:
    room = await nodes.created(ada, bots=2)
    lose_answer(nodes.clusters[0], "release")
    ada.hang_up()
    await nodes.comes_back(ada, second, room, 4.0)
    assert nodes.holders(room) == [1]
    assert nodes.ground.holders[room] == "n2"


async def test_a_room_that_is_created_out_of_touch_is_not_held(
    nodes: Nodes, second: HostingHarness, ada: Person
) -> None:
    nodes.clusters[0].cut = True
    await nodes.advance(LEASE_SECONDS + 1)
    nodes.clusters[0].cut = False
    room = await nodes.created(ada)
    assert nodes.holders(room) == []
    await nodes.advance(2.0)
    assert len(nodes.holders(room)) == 1


async def test_a_node_that_leaves_does_not_renew_its_lease_once_more(
    nodes: Nodes, first: HostingHarness
) -> None:
    cluster, begun, held = nodes.clusters[0], asyncio.Event(), asyncio.Event()
    renew = cluster.renew

    async def slowly(seconds: float, players: int) -> Renewal:
        begun.set()
        await held.wait()
        return await renew(seconds, players)

    cluster.renew = slowly  # type: ignore[method-assign]
    await nodes.advance(BEAT_SECONDS + 0.1)
    assert begun.is_set()
    await first.directory.leave()
    held.set()
    await settle()
    assert not nodes.ground.lives("n1")


@pytest.mark.parametrize("wanted", [True, False])
async def test_a_lease_that_is_being_released_is_acquired_afterwards_where_it_is_wanted(
    nodes: Nodes, first: HostingHarness, ada: Person, wanted: bool
) -> None:
    room = await nodes.created(ada)
    held = hold_releases(nodes.clusters[0])
    first.directory.put_to_sleep(first.room(room))
    if wanted:
        ada.say("sit", room=room)
        await nodes.advance(0.5)
    else:
        # So that it asks which leases it holds, and does not find this one.
        lose_answer(nodes.clusters[0], "take_over")
        await nodes.advance(3 * BEAT_SECONDS)
    held.set()
    await nodes.advance(0.5)
    assert nodes.holders(room) == ([0] if wanted else [])
    assert nodes.ground.holders[room] == ("n1" if wanted else None)


async def not_readable(room: str, after: int = 0) -> list[LogRecord]:
    raise NotReadable("The database can't be reached.")


async def test_a_room_that_could_not_be_read_at_once_is_taken_up_by_who_comes_for_it(
    nodes: Nodes,
    first: HostingHarness,
    second: HostingHarness,
    ada: Person,
    ben: Person,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    room = await nodes.table(ada, ben)
    second.directory.put_to_sleep(second.room(room))
    nodes.kill(first)
    with monkeypatch.context() as patched:
        patched.setattr(nodes.ground.log, "read", not_readable)
        await nodes.advance(TAKEOVER_SECONDS)
    assert nodes.ground.holders[room] == "n2"
    await nodes.advance(5.0)
    ben.say("sit", room=room)
    await nodes.advance(0.1)
    assert nodes.holders(room) == [1]
    third = await nodes.open()
    ben.hang_up()
    await nodes.comes_back(ben, third, room, 10.0)
    assert nodes.holders(room) == [2]


async def test_a_room_that_could_not_be_read_at_once_is_read_later(
    nodes: Nodes, first: HostingHarness, second: HostingHarness, ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = await nodes.created(ada, bots=2)
    nodes.kill(first)
    with monkeypatch.context() as patched:
        patched.setattr(nodes.ground.log, "read", not_readable)
        await nodes.advance(TAKEOVER_SECONDS)
    await nodes.advance(TRY_AGAIN_SECONDS)
    assert nodes.holders(room) == [1]
    assert second.scheduler.wanted


@pytest.mark.parametrize("why", ["full", "unreadable"])
async def test_a_node_that_cannot_load_a_room_keeps_no_lease_of_it(
    nodes: Nodes,
    first: HostingHarness,
    second: HostingHarness,
    ada: Person,
    monkeypatch: pytest.MonkeyPatch,
    why: str,
) -> None:
    third, room = await nodes.open(), await nodes.created(ada)
    first.directory.put_to_sleep(first.room(room))
    await nodes.advance(1.0)
    back = await second.person("Ada", token=ada.token)
    with monkeypatch.context() as patched:
        if why == "full":
            second.context.limits = second.context.limits.model_copy(update={"rooms": 0})
        else:
            patched.setattr(nodes.ground.log, "read", not_readable)
        assert (await back.ask_store("sit", room=room))["type"] == "refused"
    back = await third.person("Ada", token=ada.token)
    assert (await back.ask_store("sit", room=room))["type"] == "accepted"
    assert nodes.holders(room) == [2]


async def test_a_post_that_may_stand_is_written_again(
    nodes: Nodes, second: HostingHarness, ada: Person, ben: Person
) -> None:
    room = await nodes.table(ada, ben)
    lose_answer(nodes.clusters[1], "post")
    eve = await nodes.comes_back(await second.person("Eve"), second, room, 0.2)
    eve.hang_up()
    await nodes.advance(3.0)
    assert ada.view(room)["watching"] == 0


async def test_what_was_withdrawn_is_withdrawn_again_once_the_database_has_forgotten_it(
    nodes: Nodes, second: HostingHarness, ada: Person, ben: Person
) -> None:
    room = await nodes.table(ada, ben)
    second.directory.put_to_sleep(second.room(room))
    nodes.clusters[0].cut = True
    await nodes.advance(0.5)
    nodes.clusters[0].cut = False
    for kept in (nodes.ground.leases, nodes.ground.holders, nodes.ground.posted):
        kept.clear()
    await nodes.advance(AWAY_GRACE + 2.0)
    assert ada.view(room)["online"] == [True, False]
