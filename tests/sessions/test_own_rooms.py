"""One's own rooms: some are left out of their list, and whoever is met there has a record with one."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from parlour_server.hosting.rooms import removed_rooms
from parlour_server.hosting.rooms.removed_rooms import RemovedRooms
from parlour_server.store.port import Store
from tests.hosting.harness import HostingHarness, Person, seated, settle
from tests.store.test_contract import STORES
from tests.support.rooms import DRAW, FIRST_WINS


@pytest.fixture(params=STORES)
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    async with STORES[request.param](tmp_path) as opened:
        yield opened


async def rooms(person: Person) -> list[str]:
    return [one["room"] for one in (await person.ask_store("history"))["rooms"]]


async def against_a_bot(person: Person) -> str:
    made = person.ask(
        "create", game="tictactoe", seats=["me", {"bot": "random"}], settings={"starts": "first"}
    )
    await settle()
    room: str = made["room"]
    return room


async def play(room: str, first: Person, second: Person, moves: list[str]) -> None:
    for ply, move in enumerate(moves):
        person = (first, second)[ply % 2]
        version = stands_at(person, room)
        assert person.ask("play", room=room, version=version, move=move)["type"] == "accepted"
    await settle()


def stands_at(person: Person, room: str) -> int:
    return max(int(message["version"]) for message in person.wire.said if message.get("room") == room)


# ---------------------------------------------------------------- removing


async def test_a_game_against_a_bot_is_removed_for_its_player_alone(harness: HostingHarness) -> None:
    ada = await harness.person("Ada")
    gone, stays = await against_a_bot(ada), await against_a_bot(ada)
    assert await rooms(ada) == [stays, gone]
    removed = await ada.ask_store("remove", room=gone.lower())
    assert (removed["type"], removed["room"]) == ("removed", gone)
    assert await rooms(ada) == [stays]
    # Twice is once; and the room itself is as it was.
    assert (await ada.ask_store("remove", room=gone))["type"] == "removed"
    assert ada.ask("subscribe", room=gone)["type"] == "accepted"
    again = await harness.person("Ada", token=ada.token)
    assert await rooms(again) == [stays]


async def test_a_removed_room_is_taken_back(harness: HostingHarness) -> None:
    ada, ben, room = await seated(harness, starts="first")
    await play(room, ada, ben, FIRST_WINS)
    await ada.ask_store("remove", room=room)
    again = await ada.ask_store("remove", room=room, back=True)
    assert (again["type"], again["room"]) == ("removed", room)
    assert await rooms(ada) == [room]
    eve = await harness.person("Eve")
    assert (await eve.ask_store("remove", room=room, back=True))["code"] == "unknown_room"


async def test_ones_own_rooms_tell_where_it_is_ones_turn(harness: HostingHarness) -> None:
    ada, ben, room = await seated(harness, starts="first")

    async def turns() -> list[bool]:
        return ["your_turn" in (await one.ask_store("history"))["rooms"][0] for one in (ada, ben)]

    assert await turns() == [True, False]
    await play(room, ada, ben, ["a1"])
    assert await turns() == [False, True]
    ben.ask("resign", room=room)
    await settle()
    assert await turns() == [False, False]


async def test_a_game_with_somebody_stays_until_it_is_over_and_comes_back_with_the_next_one(
    harness: HostingHarness,
) -> None:
    ada, ben, room = await seated(harness, starts="first")
    refused = await ada.ask_store("remove", room=room)
    assert (refused["type"], refused["code"]) == ("refused", "not_allowed")
    await play(room, ada, ben, FIRST_WINS)
    assert (await ada.ask_store("history"))["rooms"][0]["removable"]
    assert (await ada.ask_store("remove", room=room))["type"] == "removed"
    assert await rooms(ada) == []
    assert await rooms(ben) == [room]
    ben.ask("rematch", room=room)
    assert await rooms(ada) == []
    ada.ask("rematch", room=room)
    await settle()
    assert await rooms(ada) == [room]


async def test_whoever_offered_another_game_has_the_room_back_once_it_begins(harness: HostingHarness) -> None:
    ada, ben, room = await seated(harness, starts="first")
    await play(room, ada, ben, FIRST_WINS)
    ada.ask("rematch", room=room)
    await settle()
    for person in (ada, ben):
        assert (await person.ask_store("remove", room=room))["type"] == "removed"
    ben.ask("rematch", room=room)
    await settle()
    assert await rooms(ada) == await rooms(ben) == [room]


async def test_whoever_sits_down_again_has_the_room_back(harness: HostingHarness) -> None:
    ada, _, room = await seated(harness)
    ada.ask("abort", room=room)
    ada.ask("leave", room=room)
    await settle()
    assert (await ada.ask_store("remove", room=room))["type"] == "removed"
    assert await rooms(ada) == []
    ada.ask("sit", room=room)
    await settle()
    assert await rooms(ada) == [room]


async def test_a_room_where_one_never_sat_is_no_room_to_remove(harness: HostingHarness) -> None:
    _, _, room = await seated(harness)
    eve = await harness.person("Eve")
    for code in (room, "ZZZZZZ", "nonsense"):
        refused = await eve.ask_store("remove", room=code)
        assert (refused["type"], refused["code"]) == ("refused", "unknown_room")


async def test_older_rooms_are_not_hidden_behind_those_that_were_removed(
    harness: HostingHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour_server.hosting.rooms.histories.MOST_PAST", 2)
    ada = await harness.person("Ada")
    codes = [await against_a_bot(ada) for _ in range(4)]
    assert await rooms(ada) == [codes[3], codes[2]]
    await ada.ask_store("remove", room=codes[3])
    await ada.ask_store("remove", room=codes[2])
    assert await rooms(ada) == [codes[1], codes[0]]


async def test_every_store_keeps_what_was_removed_also_by_two_at_once(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = RemovedRooms(store), RemovedRooms(store)
    assert await one.of("p-ada") == []
    codes = ["AAAAAA", "BBBBBB", "CCCCCC"]
    await asyncio.gather(
        *(by.change("p-ada", code, removed=True) for by, code in zip((one, other, one), codes, strict=True))
    )
    assert sorted(await other.of("p-ada")) == codes
    assert await other.of("p-ben") == []
    await other.change("p-ada", "BBBBBB", removed=False)
    await other.change("p-ada", "BBBBBB", removed=False)
    assert sorted(await one.of("p-ada")) == ["AAAAAA", "CCCCCC"]
    monkeypatch.setattr(removed_rooms, "MOST_REMOVED", 3)
    for code in ("DDDDDD", "EEEEEE"):
        await one.change("p-ada", code, removed=True)
    assert (await one.of("p-ada"))[1:] == ["DDDDDD", "EEEEEE"]


# ---------------------------------------------------------------- head to head


async def test_games_are_counted_by_who_played_them_and_told_to_the_two_alone(
    harness: HostingHarness,
) -> None:
    ada, ben, room = await seated(harness, starts="first")
    await play(room, ada, ben, FIRST_WINS)
    for person in (ada, ben):
        person.ask("rematch", room=room)
    await settle()
    await play(room, ada, ben, DRAW)
    # Somebody else of the same name counts for nothing, nor do their games.
    cyd, other = await harness.person("Ada"), await harness.person("Ben")
    made = cyd.ask("create", game="tictactoe", settings={"starts": "first"})["room"]
    for person in (cyd, other):
        person.ask("sit", room=made)
    await settle()
    await play(made, cyd, other, FIRST_WINS)
    found = await ada.ask_store("head_to_head", room=room)
    assert (found["type"], found["tally"]) == ("head_to_head", {"wins": 1, "losses": 0, "draws": 1})
    mirrored = await ben.ask_store("head_to_head", room=room)
    assert mirrored["tally"] == {"wins": 0, "losses": 1, "draws": 1}
    # Beside one's rooms stands everybody whom one has met: by what they are called now.
    await against_a_bot(ada)
    (met,) = (await ada.ask_store("history"))["met"]
    assert {**met, "at": 0} == {"wins": 1, "losses": 0, "draws": 1, "name": "Ben", "at": 0}
    assert (await ada.ask_store("history", after=1))["met"] == []
    # In another room, too: it is about the two of them.
    third = ben.ask("create", game="connect4")["room"]
    for person in (ben, ada):
        person.ask("sit", room=third)
    await settle()
    assert (await ada.ask_store("head_to_head", room=third))["tally"] == found["tally"]
    for stranger in (cyd, await harness.person("Eve")):
        refused = await stranger.ask_store("head_to_head", room=room)
        assert (refused["type"], refused["code"]) == ("refused", "not_allowed")


async def test_a_bot_and_an_empty_seat_are_nobody_to_count_games_with(harness: HostingHarness) -> None:
    ada = await harness.person("Ada")
    with_bot = await against_a_bot(ada)
    alone = ada.ask("create", game="tictactoe", seats=["me", "open"])["room"]
    await settle()
    for room in (with_bot, alone):
        refused = await ada.ask_store("head_to_head", room=room)
        assert (refused["type"], refused["code"]) == ("refused", "not_allowed")


async def test_an_aborted_game_counts_for_nothing(harness: HostingHarness) -> None:
    ada, ben, room = await seated(harness)
    ada.ask("abort", room=room)
    await settle()
    assert (await ben.ask_store("head_to_head", room=room))["tally"] == {"wins": 0, "losses": 0, "draws": 0}
