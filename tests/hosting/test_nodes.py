"""Several nodes over one log: who plays at one sees what was played at another, whatever is cut or dies."""

from collections.abc import AsyncIterator
from typing import Any

import pytest_asyncio

from parlour_server.hosting.nodes import BEAT_SECONDS, LEASE_SECONDS
from tests.hosting.house import Clock, House, Person, settle
from tests.support.nodes import Ground, MemoryCluster, NodeStore


class Estate:
    """Houses that share a log and a clock."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.ground = Ground(lambda: int(1000 * self.clock.seconds))
        self.houses: list[House] = []
        self.clusters: list[MemoryCluster] = []

    async def open(self, name: str = "") -> House:
        cluster = MemoryCluster(self.ground, name or f"n{len(self.houses) + 1}")
        house = House(
            store=NodeStore(cluster), clock=self.clock, cluster=cluster, name=f"{len(self.houses) + 1}-"
        )
        self.houses.append(house)
        self.clusters.append(cluster)
        await house.directory.load()
        return house

    async def advance(self, seconds: float) -> None:
        """Let time pass bit by bit, and all that it brings happen."""
        steps = max(1, round(seconds / 0.05))
        for _ in range(steps):
            self.clock.advance(seconds / steps)
            await settle()

    def kill(self, house: House) -> None:
        """As by `kill -9`: nothing of it happens any more."""
        cluster = self.clusters[self.houses.index(house)]
        cluster.cut = True
        self.ground.nodes.pop(cluster.node)
        for room in house.directory.awake():
            room.stop()

    async def close(self) -> None:
        for house in self.houses:
            if house.directory.nodes is not None:
                await house.directory.nodes.leave()
            house.directory.stop()
            await house.scheduler.close()


@pytest_asyncio.fixture
async def estate() -> AsyncIterator[Estate]:
    estate = Estate()
    yield estate
    await estate.close()


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
    for number, house in enumerate(estate.houses):
        awake = house.directory.get(room)
        if awake is not None and awake.leased and not awake.stopped:
            found.append(number)
    return found


async def test_two_players_on_two_nodes_play_a_game(estate: Estate) -> None:
    first, second = await estate.open(), await estate.open()
    ada, ben = await first.person("Ada"), await second.person("Ben")
    room = await table(estate, ada, ben)
    for person, move in ((ada, "b2"), (ben, "a1"), (ada, "a3"), (ben, "c1"), (ada, "a2"), (ben, "b1")):
        answer = await play(estate, person, room, move)
        assert answer["type"] == "accepted", answer
        assert ada.view(room)["moves"] == ben.view(room)["moves"]
    assert ada.view(room) == {**ben.view(room), **{key: ada.view(room)[key] for key in ("you", "owner")}}
    assert ada.view(room)["phase"] == "finished"
    assert ada.view(room)["online"] == [True, True]
    assert holders(estate, room) == [0]


async def test_of_two_who_move_at_the_same_time_one_is_refused(estate: Estate) -> None:
    first, second = await estate.open(), await estate.open()
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


async def test_a_node_that_gets_no_hint_finds_out_by_itself(estate: Estate) -> None:
    first, second = await estate.open(), await estate.open()
    ada, ben = await first.person("Ada"), await second.person("Ben")
    room = await table(estate, ada, ben)
    estate.clusters[1].deaf = True
    await play(estate, ada, room, "b2")
    assert ben.view(room)["moves"] == []
    await estate.advance(2.0)
    assert ben.view(room)["moves"] == ["b2"]


async def test_who_comes_and_goes_at_one_node_is_shown_at_the_other(estate: Estate) -> None:
    first, second = await estate.open(), await estate.open()
    ada, ben = await first.person("Ada"), await second.person("Ben")
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


async def test_a_player_who_comes_to_another_node_is_replaced_at_the_first(estate: Estate) -> None:
    first, second = await estate.open(), await estate.open()
    ada, ben = await first.person("Ada"), await first.person("Ben")
    room = await table(estate, ada, ben)
    again = await second.person("Ben", token=ben.token)
    again.say("subscribe", room=room)
    await estate.advance(0.5)
    assert [one["room"] for one in ben.of("replaced")] == [room]
    assert not again.of("replaced")
    assert ada.view(room)["online"] == [True, True]


async def test_a_dead_nodes_rooms_are_taken_over_and_its_bots_move(estate: Estate) -> None:
    first, second = await estate.open(), await estate.open()
    ada, eve = await first.person("Ada"), await second.person("Eve")
    room = (await ada.ask_store("create", game="tictactoe"))["room"]
    ada.say("sit", room=room)
    ada.say("add_bot", room=room, bot="random")
    eve.say("subscribe", room=room)
    await estate.advance(1.0)
    await play(estate, ada, room, "b2")
    assert holders(estate, room) == [0]
    estate.kill(first)
    await estate.advance(LEASE_SECONDS + 2 * BEAT_SECONDS)
    assert holders(estate, room) == [1]
    assert eve.view(room)["online"] == [False, True]
    second.scheduler.answer()
    await settle()
    assert len(eve.view(room)["moves"]) == 2


async def test_a_cut_off_node_holds_no_lease_and_its_late_bot_move_is_stale(estate: Estate) -> None:
    first, second = await estate.open(), await estate.open()
    ada, eve = await first.person("Ada"), await second.person("Eve")
    room = (await ada.ask_store("create", game="tictactoe"))["room"]
    ada.say("sit", room=room)
    ada.say("add_bot", room=room, bot="random")
    eve.say("subscribe", room=room)
    await estate.advance(1.0)
    await play(estate, ada, room, "b2")
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
    house = await estate.open()
    ada, ben = await house.person("Ada"), await house.person("Ben")
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


async def test_people_of_two_nodes_meet_by_a_quick_match(estate: Estate) -> None:
    first, second = await estate.open(), await estate.open()
    ada, ben = await first.person("Ada"), await second.person("Ben")
    asked = [person.say("quick", game="tictactoe") for person in (ada, ben)]
    await estate.advance(1.0)
    one, other = ada.answers(asked[0])[0], ben.answers(asked[1])[0]
    assert one["room"] == other["room"], (one, other)
    await estate.advance(0.5)
    assert ada.view(one["room"])["phase"] == "playing"


async def test_who_waits_for_long_at_one_node_is_found_at_another(estate: Estate) -> None:
    first, second = await estate.open(), await estate.open()
    ada, ben = await first.person("Ada"), await second.person("Ben")
    asked = ada.say("quick", game="tictactoe")
    await estate.advance(30.0)
    room = ada.answers(asked)[0]["room"]
    asked = ben.say("quick", game="tictactoe")
    await estate.advance(1.0)
    assert ben.answers(asked)[0]["room"] == room


async def test_the_lobby_shows_the_rooms_and_players_of_all_nodes(estate: Estate) -> None:
    first, second = await estate.open(), await estate.open()
    ada, ben = await first.person("Ada"), await second.person("Ben")
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


async def test_a_rooms_lease_is_held_where_its_people_are(estate: Estate) -> None:
    first, second = await estate.open(), await estate.open()
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


async def test_who_leaves_a_node_takes_all_that_was_seen_along(estate: Estate) -> None:
    first, second = await estate.open(), await estate.open()
    ada, ben = await first.person("Ada"), await second.person("Ben")
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
    one = (await estate.open("host-1-abc")).directory.nodes
    await estate.open("host-2-abc")
    await estate.advance(2 * BEAT_SECONDS)
    assert one is not None
    assert (one.count, one.others) == (2, False)
    await estate.open("host-3-def")
    await estate.advance(2 * BEAT_SECONDS)
    assert (one.count, one.others) == (3, True)
