"""Several nodes over one log: who plays at one sees what was played at another, whatever is cut or dies."""

import asyncio
from collections.abc import AsyncIterator, Collection
from typing import Any

import pytest
import pytest_asyncio

from parlour_server.hosting.cluster.node import BEAT_SECONDS, LEASE_SECONDS, TRY_AGAIN_SECONDS, ClusterNode
from parlour_server.hosting.node import SoleNode
from parlour_server.hosting.rooms import bot_seat
from parlour_server.log import LogRecord
from parlour_server.store.cluster import Renewal
from parlour_server.store.memory import MemoryStore
from parlour_server.store.port import Done, NotReadable, StoreError
from tests.hosting.harness import Clock, HostingHarness, Person, settle
from tests.support.nodes import Ground, MemoryCluster, NodeStore


class Estate:
    """Houses that share a log and a clock."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.ground = Ground(lambda: int(1000 * self.clock.seconds))
        self.houses: list[HostingHarness] = []
        self.clusters: list[MemoryCluster] = []

    async def open(self, name: str = "") -> HostingHarness:
        number = len(self.houses) + 1
        cluster = MemoryCluster(self.ground, name or f"n{number}")
        harness = HostingHarness(
            store=NodeStore(cluster), clock=self.clock, cluster=cluster, name=f"{number}-"
        )
        self.houses.append(harness)
        self.clusters.append(cluster)
        await harness.directory.load()
        await harness.counters.load()
        return harness

    async def advance(self, seconds: float) -> None:
        """Let time pass bit by bit, and all that it brings happen."""
        steps = max(1, round(seconds / 0.05))
        for _ in range(steps):
            self.clock.advance(seconds / steps)
            await settle()

    def kill(self, harness: HostingHarness) -> None:
        """As by `kill -9`: nothing of it happens any more."""
        cluster = self.clusters[self.houses.index(harness)]
        cluster.cut = True
        self.ground.nodes.pop(cluster.node)
        for actor in [*harness.directory.awake(), *harness.counters.awake()]:
            actor.stop()

    async def close(self) -> None:
        for harness in self.houses:
            await harness.directory.leave()
            harness.directory.stop()
            harness.counters.stop()
            await harness.scheduler.close()


@pytest_asyncio.fixture
async def estate() -> AsyncIterator[Estate]:
    estate = Estate()
    yield estate
    await estate.close()


@pytest_asyncio.fixture
async def first(estate: Estate) -> HostingHarness:
    return await estate.open()


@pytest_asyncio.fixture
async def second(estate: Estate, first: HostingHarness) -> HostingHarness:
    return await estate.open()


@pytest_asyncio.fixture
async def ada(first: HostingHarness, second: HostingHarness) -> Person:
    """At the first of two nodes."""
    return await first.person("Ada")


@pytest_asyncio.fixture
async def ben(second: HostingHarness, ada: Person) -> Person:
    """At the second one."""
    return await second.person("Ben")


async def table(estate: Estate, ada: Person, ben: Person, **settings: Any) -> str:
    """A room where Ada sits first and Ben second, wherever they are connected."""
    room: str = (await ada.ask_store("create", game="tictactoe", settings=settings))["room"]
    for person in (ada, ben):
        asked = person.say("sit", room=room)
        await estate.advance(0.2)
        assert person.answers(asked)[0]["type"] == "accepted", person.answers(asked)
    await estate.advance(0.5)
    return room


async def play(estate: Estate, person: Person, room: str, move: str) -> dict[str, Any]:
    asked = person.say("play", room=room, version=person.view(room)["version"], move=move)
    await estate.advance(0.1)
    return dict(person.answers(asked)[0])


def holders(estate: Estate, room: str) -> list[int]:
    """Which houses hold a room's lease."""
    found = []
    for number, harness in enumerate(estate.houses):
        awake = harness.directory.get(room)
        if awake is not None and awake.leased and not awake.stopped:
            found.append(number)
    return found


async def test_two_players_on_two_nodes_play_a_game(estate: Estate, ada: Person, ben: Person) -> None:
    room = await table(estate, ada, ben)
    for person, move in ((ada, "b2"), (ben, "a1"), (ada, "a3"), (ben, "c1"), (ada, "a2"), (ben, "b1")):
        answer = await play(estate, person, room, move)
        assert answer["type"] == "accepted", answer
        assert ada.view(room)["moves"] == ben.view(room)["moves"]
    assert ada.view(room) == {**ben.view(room), **{key: ada.view(room)[key] for key in ("you", "owner")}}
    assert ada.view(room)["phase"] == "finished"
    assert ada.view(room)["online"] == [True, True]
    assert holders(estate, room) == [0]


async def test_of_two_who_move_at_the_same_time_one_is_refused(
    estate: Estate, first: HostingHarness, second: HostingHarness
) -> None:
    ada = await first.person("Ada")
    again = await second.person("Ada", token=ada.token)
    room = await table(estate, ada, await second.person("Ben"))
    version = ada.view(room)["version"]
    again.say("subscribe", room=room)
    asked = ada.say("play", room=room, version=version, move="b2")
    asked_again = again.say("play", room=room, version=version, move="a1")
    await estate.advance(0.5)
    (one,), (other,) = ada.answers(asked), again.answers(asked_again)
    assert (one["type"], other["type"], other["code"]) == ("accepted", "refused", "not_your_turn"), other
    assert len(again.view(room)["moves"]) == 1


async def test_a_node_that_gets_no_hint_finds_out_by_itself(estate: Estate, ada: Person, ben: Person) -> None:
    room = await table(estate, ada, ben)
    estate.clusters[1].deaf = True
    await play(estate, ada, room, "b2")
    assert ben.view(room)["moves"] == []
    await estate.advance(2.0)
    assert ben.view(room)["moves"] == ["b2"]


async def test_who_comes_and_goes_at_one_node_is_shown_at_the_other(
    estate: Estate, second: HostingHarness, ada: Person, ben: Person
) -> None:
    room = await table(estate, ada, ben)
    eve = await second.person("Eve")
    eve.say("subscribe", room=room)
    await estate.advance(0.5)
    assert ada.view(room)["watching"] == ben.view(room)["watching"] == 1
    eve.hang_up()
    ben.hang_up()
    await estate.advance(0.5)
    assert ada.view(room)["online"] == [True, False]
    assert ada.view(room)["watching"] == 0
    back = await second.person("Ben", token=ben.token)
    back.say("subscribe", room=room)
    await estate.advance(0.5)
    assert ada.view(room)["online"] == [True, True]


async def test_who_sits_down_at_another_node_is_never_shown_as_away(
    estate: Estate, ada: Person, ben: Person
) -> None:
    room = (await ada.ask_store("create", game="tictactoe"))["room"]
    ada.say("sit", room=room)
    ben.say("subscribe", room=room)
    await estate.advance(0.5)
    before = len(ada.of("presence"))
    ben.say("sit", room=room)
    await estate.advance(2.0)
    assert {tuple(one["set"]["online"]) for one in ada.of("presence")[before:]} == {(True, True)}
    assert ada.view(room)["away_since"] == [None, None]


async def test_who_is_gone_as_soon_as_they_sit_at_another_node_is_shown_as_away(
    estate: Estate, ada: Person, ben: Person
) -> None:
    room = (await ada.ask_store("create", game="tictactoe"))["room"]
    ada.say("sit", room=room)
    ben.say("subscribe", room=room)
    await estate.advance(0.5)
    ben.say("sit", room=room)
    ben.hang_up()
    await estate.advance(2.0)
    assert ada.view(room)["phase"] == "playing"
    assert ada.view(room)["online"] == [True, False]


async def test_a_player_who_comes_to_another_node_is_replaced_at_the_first(
    estate: Estate, first: HostingHarness, second: HostingHarness
) -> None:
    ada, ben = await first.person("Ada"), await first.person("Ben")
    room = await table(estate, ada, ben)
    again = await second.person("Ben", token=ben.token)
    again.say("subscribe", room=room)
    await estate.advance(0.5)
    assert [one["room"] for one in ben.of("replaced")] == [room]
    assert not again.of("replaced")
    assert ada.view(room)["online"] == [True, True]


async def against_a_bot(estate: Estate, ada: Person, eve: Person) -> str:
    """A room where Ada has moved, a bot is to, and Eve watches."""
    room: str = (await ada.ask_store("create", game="tictactoe"))["room"]
    ada.say("sit", room=room)
    ada.say("add_bot", room=room, bot="random")
    eve.say("subscribe", room=room)
    await estate.advance(1.0)
    await play(estate, ada, room, "b2")
    return room


async def test_a_dead_nodes_rooms_are_taken_over_and_its_bots_move(
    estate: Estate, first: HostingHarness, second: HostingHarness
) -> None:
    ada, eve = await first.person("Ada"), await second.person("Eve")
    room = await against_a_bot(estate, ada, eve)
    assert holders(estate, room) == [0]
    estate.kill(first)
    await estate.advance(LEASE_SECONDS + 2 * BEAT_SECONDS)
    assert holders(estate, room) == [1]
    assert eve.view(room)["online"] == [False, True]
    second.scheduler.answer()
    await settle()
    assert len(eve.view(room)["moves"]) == 2


async def test_a_cut_off_node_holds_no_lease_and_its_late_bot_move_is_stale(
    estate: Estate, first: HostingHarness, second: HostingHarness
) -> None:
    ada, eve = await first.person("Ada"), await second.person("Eve")
    room = await against_a_bot(estate, ada, eve)
    search = first.scheduler.take()
    estate.clusters[0].cut = True
    await estate.advance(LEASE_SECONDS + 2 * BEAT_SECONDS)
    assert holders(estate, room) == [1]
    assert not search.wanted
    second.scheduler.answer()
    await estate.advance(0.2)
    estate.clusters[0].cut = False
    await estate.advance(2.0)
    assert holders(estate, room) == [1]
    assert ada.view(room)["moves"] == eve.view(room)["moves"]
    assert len(ada.view(room)["moves"]) == 2


async def test_a_node_that_was_cut_off_alone_goes_on_with_its_rooms_and_charges_nobody(
    estate: Estate,
) -> None:
    harness = await estate.open()
    ada, ben = await harness.person("Ada"), await harness.person("Ben")
    room = await table(estate, ada, ben, clock="1+0")
    for person, move in ((ada, "b2"), (ben, "a1")):
        await play(estate, person, room, move)
    estate.clusters[0].cut = True
    await estate.advance(20.0)
    estate.clusters[0].cut = False
    await estate.advance(1.0)
    assert holders(estate, room) == [0]
    await play(estate, ada, room, "a3")
    left = ada.view(room)["clock"]["left"]
    assert left[0] > 60_000 - 6_000, left


async def test_people_of_two_nodes_meet_by_a_quick_match(estate: Estate, ada: Person, ben: Person) -> None:
    asked = [person.say("quick", game="tictactoe") for person in (ada, ben)]
    await estate.advance(1.0)
    one, other = ada.answers(asked[0])[0], ben.answers(asked[1])[0]
    assert one["room"] == other["room"], (one, other)
    await estate.advance(0.5)
    assert ada.view(one["room"])["phase"] == "playing"


async def test_who_waits_for_long_at_one_node_is_found_at_another(
    estate: Estate, ada: Person, ben: Person
) -> None:
    asked = ada.say("quick", game="tictactoe")
    await estate.advance(30.0)
    room = ada.answers(asked)[0]["room"]
    asked = ben.say("quick", game="tictactoe")
    await estate.advance(1.0)
    assert ben.answers(asked)[0]["room"] == room


async def test_the_bot_of_a_seek_comes_where_its_player_has_gone(
    estate: Estate, second: HostingHarness, ada: Person
) -> None:
    asked = ada.say("quick", game="tictactoe", bot="random", bot_after=5)
    await estate.advance(1.0)
    room = ada.answers(asked)[0]["room"]
    back = await second.person("Ada", token=ada.token)
    back.say("subscribe", room=room)
    await estate.advance(3.0)
    assert back.view(room)["phase"] == "waiting"
    await estate.advance(2.0)
    assert [seat["kind"] for seat in back.view(room)["seats"]] == ["human", "bot"]


async def test_the_bot_of_a_seek_comes_though_its_node_has_died(
    estate: Estate, first: HostingHarness, second: HostingHarness, ada: Person
) -> None:
    asked = ada.say("quick", game="tictactoe", bot="random", bot_after=5)
    await estate.advance(1.0)
    room = ada.answers(asked)[0]["room"]
    estate.kill(first)
    await estate.advance(10.0)
    back = await second.person("Ada", token=ada.token)
    # The command again, since its answer may have been lost.
    back.say("quick", id=asked, game="tictactoe", bot="random", bot_after=5)
    await estate.advance(1.0)
    assert back.answers(asked) == ada.answers(asked)
    assert [seat["kind"] for seat in back.view(room)["seats"]] == ["human", "bot"]


async def test_a_room_with_its_seats_is_asked_for_at_two_nodes_and_made_once(
    estate: Estate, first: HostingHarness, second: HostingHarness
) -> None:
    ada = await first.person("Ada")
    again = await second.person("Ada", token=ada.token)
    for person in (ada, again):
        person.say("create", id="one", game="tictactoe", seats=["me", {"bot": "random"}])
    await estate.advance(1.0)
    assert ada.answers("one") == again.answers("one")
    assert again.view(ada.answers("one")[0]["room"])["you"] == 0
    assert len(estate.ground.log._rooms) == 1


async def test_the_lobby_shows_the_rooms_and_players_of_all_nodes(
    estate: Estate, ada: Person, ben: Person
) -> None:
    listed = ben.ask("rooms", subscribe=True)
    assert listed["rooms"] == []
    room = (await ada.ask_store("create", game="tictactoe"))["room"]
    ada.say("sit", room=room)
    await estate.advance(2.0)
    notices = ben.of("lobby")
    assert room in [line["room"] for notice in notices for line in notice["rooms"]]
    assert notices[-1]["players"] == 2
    assert [line["room"] for line in ben.ask("rooms", subscribe=True)["rooms"]] == [room]
    ada.say("close", room=room)
    await estate.advance(2.0)
    assert room in [code for notice in ben.of("lobby") for code in notice["gone"]]


async def test_a_rooms_lease_is_held_where_its_people_are(
    estate: Estate, first: HostingHarness, second: HostingHarness
) -> None:
    ada = await first.person("Ada")
    room = (await ada.ask_store("create", game="tictactoe"))["room"]
    ada.say("sit", room=room)
    ada.say("add_bot", room=room, bot="random")
    await estate.advance(1.0)
    ada.hang_up()
    back = await second.person("Ada", token=ada.token)
    back.say("subscribe", room=room)
    await estate.advance(2.0)
    assert holders(estate, room) == [1]


async def test_who_leaves_a_node_takes_all_that_was_seen_along(
    estate: Estate, second: HostingHarness, ada: Person, ben: Person
) -> None:
    room = await table(estate, ada, ben)
    estate.clusters[1].deaf = True
    await play(estate, ada, room, "b2")
    back = await second.person("Ada", token=ada.token)
    asked = back.say("subscribe", room=room, since=ada.view(room)["version"])
    await settle()
    assert back.answers(asked)[0]["version"] == ada.view(room)["version"]
    assert not back.of("snapshot")


async def test_when_all_nodes_have_ended_the_next_goes_on_and_clocks_have_rested(estate: Estate) -> None:
    first = await estate.open()
    ada, ben = await first.person("Ada"), await first.person("Ben")
    room = await table(estate, ada, ben, clock="1+0")
    for person, move in ((ada, "b2"), (ben, "a1")):
        await play(estate, person, room, move)
    estate.kill(first)
    await estate.advance(600.0)
    second = await estate.open()
    ada = await second.person("Ada", token=ada.token)
    ada.say("subscribe", room=room)
    await estate.advance(0.5)
    assert holders(estate, room) == [1]
    assert ada.view(room)["phase"] == "playing"
    assert ada.view(room)["clock"]["left"][0] > 50_000


async def test_people_go_on_at_nodes_that_do_not_end_together_with_theirs(estate: Estate) -> None:
    one = (await estate.open("host-1-abc")).context.node
    await estate.open("host-2-abc")
    await estate.advance(2 * BEAT_SECONDS)
    assert (one.count, one.others) == (2, False)
    await estate.open("host-3-def")
    await estate.advance(2 * BEAT_SECONDS)
    assert (one.count, one.others) == (3, True)


async def test_time_stands_still_while_no_node_serves(estate: Estate) -> None:
    node = (await estate.open()).context.node
    assert isinstance(node, ClusterNode)
    node._down, node._expires_at, node._renewed_at = (10_000, 20_000), estate.clock.seconds + 1, 30_000
    assert node.stood_still(25_000) is None
    assert node.stood_still(5_000) == 10_000
    # Out of touch nothing is known from its last renewal on; of what was before, the same as ever.
    node._expires_at = estate.clock.seconds
    assert node.stood_still(25_000) == 30_000
    assert node.stood_still(5_000) == 10_000
    assert SoleNode(MemoryStore(), lambda: 0.0).stood_still(5_000) is None


def lose_answer(cluster: MemoryCluster, name: str) -> None:
    """The next call of this name is done, and its answer is lost."""
    real = getattr(cluster, name)

    async def done_and_lost(*args: Any, **options: Any) -> Any:
        delattr(cluster, name)
        await real(*args, **options)
        raise StoreError("The answer was lost.")

    setattr(cluster, name, done_and_lost)


async def bots(estate: Estate, owner: Person) -> str:
    """A room where two bots begin to play."""
    room: str = (await owner.ask_store("create", game="tictactoe"))["room"]
    for _ in range(2):
        asked = owner.say("add_bot", room=room, bot="random")
        await estate.advance(0.2)
        assert owner.answers(asked)[0]["type"] == "accepted"
    return room


async def test_after_the_database_has_forgotten_all_but_the_log_all_goes_on(
    estate: Estate, ada: Person, ben: Person
) -> None:
    room, unattended = await table(estate, ada, ben), await bots(estate, ada)
    estate.ground.leases.clear()
    estate.ground.holders.clear()
    estate.ground.posted.clear()
    await estate.advance(3.0)
    assert len(holders(estate, room)) == len(holders(estate, unattended)) == 1
    third = await estate.open()
    eve = await third.person("Eve")
    eve.say("subscribe", room=room)
    await estate.advance(0.5)
    assert eve.view(room)["online"] == [True, True]


async def test_a_node_that_was_taken_for_dead_leaves_its_rooms_to_whoever_took_them(estate: Estate) -> None:
    first = await estate.open()
    await estate.open()
    room = await bots(estate, await first.person("Ada"))
    estate.ground.leases["n1"].until = 0
    estate.clusters[0].cut = True
    await estate.advance(BEAT_SECONDS + 0.1)
    assert holders(estate, room) == [0, 1]
    estate.clusters[0].cut = False
    await estate.advance(BEAT_SECONDS + 0.1)
    assert holders(estate, room) == [1]


async def test_a_lease_whose_release_is_not_known_is_looked_up(
    estate: Estate, first: HostingHarness, second: HostingHarness
) -> None:
    ada = await first.person("Ada")
    room = await bots(estate, ada)
    lose_answer(estate.clusters[0], "release")
    ada.hang_up()
    back = await second.person("Ada", token=ada.token)
    back.say("subscribe", room=room)
    await estate.advance(4.0)
    assert holders(estate, room) == [1]
    assert estate.ground.holders[room] == "n2"


async def test_a_post_that_may_stand_is_written_again(
    estate: Estate, second: HostingHarness, ada: Person, ben: Person
) -> None:
    room = await table(estate, ada, ben)
    eve = await second.person("Eve")
    lose_answer(estate.clusters[1], "post")
    eve.say("subscribe", room=room)
    await estate.advance(0.2)
    eve.hang_up()
    await estate.advance(3.0)
    assert ada.view(room)["watching"] == 0


async def test_what_was_withdrawn_is_withdrawn_again_once_the_database_has_forgotten_it(
    estate: Estate,
) -> None:
    first, second = await estate.open(), await estate.open()
    ada, ben = await first.person("Ada"), await second.person("Ben")
    room = await table(estate, ada, ben)
    second.directory.put_to_sleep(second.room(room))
    estate.clusters[0].cut = True
    await estate.advance(0.5)
    estate.clusters[0].cut = False
    for kept in (estate.ground.leases, estate.ground.holders, estate.ground.posted):
        kept.clear()
    await estate.advance(2.0)
    assert ada.view(room)["online"] == [True, False]


async def test_a_short_time_without_any_node_is_charged_to_nobody(estate: Estate) -> None:
    first = await estate.open()
    ada, ben = await first.person("Ada"), await first.person("Ben")
    room = await table(estate, ada, ben, clock="1+0")
    for person, move in ((ada, "b2"), (ben, "a1")):
        await play(estate, person, room, move)
    estate.kill(first)
    await estate.advance(5.0)
    # Those who come to the second are not charged either: the first has the lease.
    await estate.open()
    second = await estate.open()
    ada = await second.person("Ada", token=ada.token)
    ada.say("subscribe", room=room)
    await estate.advance(0.2)
    await play(estate, ada, room, "a3")
    assert ada.view(room)["clock"]["left"][0] > 59_000


async def test_what_a_node_that_died_at_once_left_undone_is_charged_to_nobody(estate: Estate) -> None:
    first = await estate.open()
    ada, ben = await first.person("Ada"), await first.person("Ben")
    room = await table(estate, ada, ben, clock="1+0")
    for person, move in ((ada, "b2"), (ben, "a1")):
        await play(estate, person, room, move)
    await estate.advance(10.0)
    estate.kill(first)
    await estate.advance(30.0)
    await MemoryCluster(estate.ground, "crashed").renew(LEASE_SECONDS, 0)
    await estate.advance(4.0)
    second = await estate.open()
    ada = await second.person("Ada", token=ada.token)
    ada.say("subscribe", room=room)
    await estate.advance(0.2)
    await play(estate, ada, room, "a3")
    assert 48_000 < ada.view(room)["clock"]["left"][0] < 51_000


async def test_a_dead_nodes_players_pay_for_their_time_while_others_serve(
    estate: Estate, first: HostingHarness, second: HostingHarness, ada: Person, ben: Person
) -> None:
    room = await table(estate, ada, ben, clock="1+0")
    for person, move in ((ada, "b2"), (ben, "a1")):
        await play(estate, person, room, move)
    estate.kill(first)
    await estate.advance(10.0)
    back = await second.person("Ada", token=ada.token)
    back.say("subscribe", room=room)
    await estate.advance(0.2)
    await play(estate, back, room, "a3")
    assert back.view(room)["clock"]["left"][0] < 51_000


async def test_a_room_that_is_created_out_of_touch_is_not_held(estate: Estate) -> None:
    first = await estate.open()
    await estate.open()
    ada = await first.person("Ada")
    estate.clusters[0].cut = True
    await estate.advance(LEASE_SECONDS + 1)
    estate.clusters[0].cut = False
    room = (await ada.ask_store("create", game="tictactoe"))["room"]
    assert holders(estate, room) == []
    await estate.advance(2.0)
    assert len(holders(estate, room)) == 1


async def test_a_command_that_comes_to_two_nodes_at_once_creates_one_room(
    estate: Estate, first: HostingHarness, second: HostingHarness
) -> None:
    ada = await first.person("Ada")
    again = await second.person("Ada", token=ada.token)
    for person in (ada, again):
        person.say("create", id="one", game="tictactoe")
        person.say("quick", id="two", game="connect4")
    await estate.advance(1.0)
    for asked in ("one", "two"):
        assert ada.answers(asked)[0]["room"] == again.answers(asked)[0]["room"]
    assert len(estate.ground.log._rooms) == 2


async def test_a_spectator_who_sits_down_at_another_node_is_replaced(
    estate: Estate, first: HostingHarness, ada: Person, ben: Person
) -> None:
    room = (await ada.ask_store("create", game="tictactoe"))["room"]
    ben.say("subscribe", room=room)
    await estate.advance(0.5)
    # What is posted comes before the event.
    estate.clusters[1].deaf = True
    again = await first.person("Ben", token=ben.token)
    again.say("sit", room=room)
    await estate.advance(2.0)
    assert [one["room"] for one in ben.of("replaced")] == [room]
    assert not again.of("replaced")


async def test_who_subscribes_is_shown_what_other_nodes_have_written(
    estate: Estate, second: HostingHarness, ada: Person, ben: Person
) -> None:
    room = await table(estate, ada, ben)
    estate.clusters[1].deaf = True
    await play(estate, ada, room, "b2")
    back = await second.person("Ada", token=ada.token)
    back.say("subscribe", room=room)
    await settle()
    assert back.view(room)["moves"] == ["b2"]


async def test_a_node_that_leaves_does_not_renew_its_lease_once_more(estate: Estate) -> None:
    first = await estate.open()
    cluster, begun, held = estate.clusters[0], asyncio.Event(), asyncio.Event()
    renew = cluster.renew

    async def slowly(seconds: float, players: int) -> Renewal:
        begun.set()
        await held.wait()
        return await renew(seconds, players)

    cluster.renew = slowly  # type: ignore[method-assign]
    await estate.advance(BEAT_SECONDS + 0.1)
    assert begun.is_set()
    await first.directory.leave()
    held.set()
    await settle()
    assert not estate.ground.lives("n1")


def hold_releases(cluster: MemoryCluster) -> asyncio.Event:
    """Leases are released only when this event is set."""
    release, held = cluster.release, asyncio.Event()

    async def slowly(rooms: Collection[str], *, asleep: bool) -> None:
        await held.wait()
        await release(rooms, asleep=asleep)

    cluster.release = slowly  # type: ignore[method-assign]
    return held


async def test_a_lease_that_is_being_released_is_acquired_afterwards(estate: Estate) -> None:
    first = await estate.open()
    ada = await first.person("Ada")
    room = (await ada.ask_store("create", game="tictactoe"))["room"]
    held = hold_releases(estate.clusters[0])
    first.directory.put_to_sleep(first.room(room))
    ada.say("sit", room=room)
    await estate.advance(0.5)
    held.set()
    await estate.advance(0.5)
    assert holders(estate, room) == [0]
    assert estate.ground.holders[room] == "n1"


async def test_a_lease_that_is_being_released_is_not_found_again(estate: Estate) -> None:
    first = await estate.open()
    ada = await first.person("Ada")
    room = (await ada.ask_store("create", game="tictactoe"))["room"]
    held = hold_releases(estate.clusters[0])
    first.directory.put_to_sleep(first.room(room))
    # So that it asks which leases it holds.
    lose_answer(estate.clusters[0], "take_over")
    await estate.advance(3 * BEAT_SECONDS)
    held.set()
    await estate.advance(0.5)
    assert holders(estate, room) == []
    assert estate.ground.holders[room] is None


async def test_nobody_waits_for_a_room_that_has_stopped(estate: Estate) -> None:
    first = await estate.open()
    ada = await first.person("Ada")
    room = first.room((await ada.ask_store("create", game="tictactoe"))["room"])
    never: list[Done] = []
    first.store.append = lambda room, expected, records, done: never.append(done)  # type: ignore[method-assign]
    ada.say("sit", room=room.code)
    waiting = asyncio.create_task(room.catch_up())
    await settle()
    assert never and not waiting.done()
    room.stop()
    await waiting
    await room.catch_up()


async def test_the_clock_is_set_to_the_clusters_as_exactly_as_is_known(estate: Estate) -> None:
    first = await estate.open()
    cluster, set_to = estate.clusters[0], list[tuple[int, float]]()
    first.context.set_clock = lambda now, error: set_to.append((now, error))
    renew = cluster.renew

    async def slowly(seconds: float, players: int) -> Renewal:
        renewal = await renew(seconds, players)
        await first.context.pause(2.0)
        return renewal

    await estate.advance(BEAT_SECONDS + 0.1)
    assert list(set_to.pop()) == pytest.approx([1000 * estate.clock.seconds, 0], abs=200)
    cluster.renew = slowly  # type: ignore[method-assign]
    await estate.advance(2.8)
    assert list(set_to.pop()) == pytest.approx([1000 * (estate.clock.seconds - 1), 1000], abs=200)


async def test_a_room_that_is_ahead_of_its_log_starts_again_from_that(estate: Estate) -> None:
    harness = await estate.open()
    ada, ben = await harness.person("Ada"), await harness.person("Ben")
    room = await table(estate, ada, ben)
    await play(estate, ada, room, "b2")
    # A database that was restored from a backup.
    del estate.ground.log._rooms[room][-1]
    asked = ben.say("play", room=room, version=ben.view(room)["version"], move="a1")
    await estate.advance(1.0)
    assert ben.answers(asked)[0]["type"] == "refused"
    assert ada.view(room)["moves"] == ben.view(room)["moves"] == []
    assert (await play(estate, ada, room, "a1"))["type"] == "accepted"


async def not_readable(room: str, after: int = 0) -> list[LogRecord]:
    raise NotReadable("The database can't be reached.")


async def test_a_room_that_could_not_be_read_at_once_is_taken_up_by_who_comes_for_it(
    estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = await estate.open(), await estate.open()
    ada, ben = await first.person("Ada"), await second.person("Ben")
    room = await table(estate, ada, ben)
    second.directory.put_to_sleep(second.room(room))
    estate.kill(first)
    with monkeypatch.context() as patched:
        patched.setattr(estate.ground.log, "read", not_readable)
        await estate.advance(LEASE_SECONDS + 2 * BEAT_SECONDS)
    assert estate.ground.holders[room] == "n2"
    await estate.advance(5.0)
    ben.say("sit", room=room)
    await estate.advance(0.1)
    assert holders(estate, room) == [1]
    third = await estate.open()
    ben.hang_up()
    back = await third.person("Ben", token=ben.token)
    back.say("subscribe", room=room)
    await estate.advance(10.0)
    assert holders(estate, room) == [2]


async def test_a_room_that_could_not_be_read_at_once_is_read_later(
    estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = await estate.open(), await estate.open()
    room = await bots(estate, await first.person("Ada"))
    estate.kill(first)
    with monkeypatch.context() as patched:
        patched.setattr(estate.ground.log, "read", not_readable)
        await estate.advance(LEASE_SECONDS + 2 * BEAT_SECONDS)
    await estate.advance(TRY_AGAIN_SECONDS)
    assert holders(estate, room) == [1]
    assert second.scheduler.wanted


@pytest.mark.parametrize("why", ["full", "unreadable"])
async def test_a_node_that_cannot_load_a_room_keeps_no_lease_of_it(
    estate: Estate, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    first, second, third = [await estate.open() for _ in range(3)]
    ada = await first.person("Ada")
    room = (await ada.ask_store("create", game="tictactoe"))["room"]
    first.directory.put_to_sleep(first.room(room))
    await estate.advance(1.0)
    back = await second.person("Ada", token=ada.token)

    with monkeypatch.context() as patched:
        if why == "full":
            second.context.limits = second.context.limits.model_copy(update={"rooms": 0})
        else:
            patched.setattr(estate.ground.log, "read", not_readable)
        assert (await back.ask_store("sit", room=room))["type"] == "refused"
    back = await third.person("Ada", token=ada.token)
    assert (await back.ask_store("sit", room=room))["type"] == "accepted"
    assert holders(estate, room) == [2]


async def test_bots_that_rest_go_on_when_someone_comes_to_another_node(
    estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot_seat, "UNATTENDED_EVENTS", 3)
    first, second = await estate.open(), await estate.open()
    ada = await first.person("Ada")
    room = (await ada.ask_store("create", game="tictactoe", settings={"pace": 0}))["room"]
    for _ in range(2):
        await ada.ask_store("add_bot", room=room, bot="random")
    for _ in range(3):
        first.scheduler.answer()
        await settle()
    await estate.advance(5.0)
    assert (len(first.room(room).state.moves), first.scheduler.wanted) == (3, [])
    eve = await second.person("Eve")
    await eve.ask_store("subscribe", room=room)
    await estate.advance(5.0)
    assert len(first.scheduler.wanted + second.scheduler.wanted) == 1


async def test_a_node_that_refuses_a_command_leaves_the_claim_of_another(
    estate: Estate, first: HostingHarness, second: HostingHarness
) -> None:
    looked: list[Any] = []
    first.context.node.look_up_command("p-ada", "c", lambda *found: looked.append(found), looked.append)
    await settle()
    assert looked == [(None, None)]
    second.context.node.look_up_command("p-ada", "c", lambda *found: looked.append(found), looked.append)
    await settle()
    estate.clusters[1].cut = True
    await estate.advance(0.1)
    assert [one.code for one in looked[1:]] == ["internal"]
    estate.clusters[1].cut = False
    # As whatever is refused there does.
    second.context.node.command_done("p-ada", "c")
    second.context.node.publish("match x", "", 1.0)
    await settle()
    second.context.node.look_up_command("p-ada", "c", lambda *found: looked.append(found), looked.append)
    await settle()
    assert len(looked) == 2
    first.context.node.command_done("p-ada", "c")
    await estate.advance(0.1)
    assert looked[2:] == [(None, None)]
