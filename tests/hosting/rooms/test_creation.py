"""A room with those who sit in it from the beginning: one command, one append, all of it or nothing."""

from typing import Any

import pytest

from parlour_server.sessions.session import SUBSCRIPTIONS
from parlour_server.settings import ServerLimits
from tests.hosting.harness import GatedStore, HostingHarness, Person, open_harness, settle

BOT = {"bot": "random"}


def seats(person: Person, room: str) -> list[tuple[str, str]]:
    return [(seat["kind"], seat["name"]) for seat in person.view(room)["seats"]]


@pytest.mark.parametrize(
    ("asked", "version", "seated", "you", "phase"),
    [
        (["me", BOT], 4, [("human", "Ada"), ("bot", "random")], 0, "playing"),
        ([{"bot": "random:seed=7"}, "me"], 4, [("bot", "random"), ("human", "Ada")], 1, "playing"),
        (["me", "open"], 2, [("human", "Ada"), ("open", "")], 0, "waiting"),
        (["open", "me"], 2, [("open", ""), ("human", "Ada")], 1, "waiting"),
        ([BOT, "open"], 2, [("bot", "random"), ("open", "")], None, "waiting"),
        ([BOT, {"bot": "easy"}], 4, [("bot", "random"), ("bot", "easy")], None, "playing"),
        (["open", "open"], 1, [("open", ""), ("open", "")], None, "waiting"),
    ],
)
async def test_a_room_stands_with_all_who_sit_in_it(
    harness: HostingHarness, asked: Any, version: int, seated: Any, you: int | None, phase: str
) -> None:
    ada = await harness.person("Ada")
    harness.store.holds = True
    command = ada.say("create", game="tictactoe", seats=asked)
    assert harness.store.held == 1
    harness.store.release()
    harness.store.holds = False
    (answer,) = ada.answers(command)
    assert (answer["type"], answer["version"]) == ("accepted", version)
    view = ada.of("snapshot")[0]["view"]
    assert (seats(ada, answer["room"]), view.get("you"), view["phase"]) == (seated, you, phase)
    assert view["owner"]
    # What comes after is shown, too.
    assert ada.ask("close", room=answer["room"])["version"] == version + 1
    assert ada.events() == ["room_closed"]


async def test_without_seats_a_room_is_made_and_not_shown(harness: HostingHarness) -> None:
    ada = await harness.person("Ada")
    assert ada.ask("create", game="tictactoe")["version"] == 1
    assert ada.of("snapshot") == []


async def test_a_program_sits_down_as_one(
    harness: HostingHarness,
) -> None:
    deep = await harness.person("deep")
    room = deep.ask("create", game="tictactoe", seats=["me", BOT], program=True)["room"]
    assert deep.view(room)["seats"][0]["program"]
    assert seats(deep, room) == [("human", "deep"), ("bot", "random")]


@pytest.mark.parametrize(
    ("wrong", "code", "field"),
    [
        ({"seats": ["me", {"bot": "nobody"}]}, "unknown_bot", "seats.1.bot"),
        ({"seats": [{"bot": "easy:depth=x"}, "me"]}, "bad_setting", "seats.0.bot"),
        ({"seats": ["me", "me"]}, "bad_message", "seats"),
        ({"seats": ["me"]}, "bad_message", "seats"),
        ({"seats": ["me", "you"]}, "bad_message", None),
        ({"seats": ["me", BOT], "settings": {"pace": -1}}, "bad_message", "settings.pace"),
        ({"seats": ["me", BOT], "moves": "z9"}, "invalid_move", "moves"),
    ],
)
async def test_what_is_wrong_in_any_part_is_refused_as_a_whole(
    harness: HostingHarness, wrong: dict[str, Any], code: str, field: str | None
) -> None:
    ada = await harness.person("Ada")
    refused = ada.ask("create", game="tictactoe", **wrong)
    assert (refused["type"], refused["code"]) == ("refused", code)
    assert field in (None, refused["field"])
    assert len(harness.directory) == 0 and await harness.store.open_rooms() == []


async def test_a_room_that_can_not_be_saved_leaves_nothing(harness: HostingHarness) -> None:
    ada = await harness.person("Ada")
    harness.store.full = True
    assert ada.ask("create", id="c", game="tictactoe", seats=["me", BOT])["code"] == "not_saved"
    harness.store.full = False
    assert await harness.store.open_rooms() == []
    assert (await ada.ask_store("create", game="tictactoe", seats=["me", BOT]))["type"] == "accepted"


async def test_rates_and_subscriptions_refuse_it_before_anything_stands() -> None:
    async with open_harness(ServerLimits(messages_per_second=0, rooms_per_minute=0.1)) as harness:
        ada = await harness.person("Ada")
        assert ada.ask("create", game="tictactoe", seats=["me", BOT])["type"] == "accepted"
        assert ada.ask("create", game="tictactoe", seats=["me", BOT])["code"] == "too_fast"
        assert len(await harness.store.open_rooms()) == 1
    async with open_harness(ServerLimits(messages_per_second=0, rooms_per_minute=0)) as harness:
        ada = await harness.person("Ada")
        for _ in range(SUBSCRIPTIONS):
            ada.ask("create", game="tictactoe", seats=["me", "open"])
        assert ada.ask("create", game="tictactoe", seats=["me", "open"])["code"] == "not_allowed"
        assert len(harness.directory) == SUBSCRIPTIONS


async def test_the_same_command_again_leads_to_the_same_seat_asleep_closed_or_after_a_restart() -> None:
    store, asked = GatedStore(), {"id": "c", "game": "tictactoe", "seats": ["me", BOT]}
    async with open_harness(store=store) as harness:
        ada = await harness.person("Ada")
        twin = await harness.person("Ada", ada.token)
        harness.store.holds = True
        for person in (ada, twin, ada):
            person.say("create", **asked)
        harness.store.release()
        harness.store.holds = False
        first = ada.answers("c")[0]
        assert ada.answers("c") == [first, first] and twin.answers("c") == [first]
        assert twin.of("snapshot")[0]["view"]["you"] == 0
        for person in (ada, twin):
            person.hang_up()
        harness.put_all_to_sleep()
        back = await harness.person("Ada", ada.token)
        assert await back.ask_store("create", **asked) == first
        assert back.of("snapshot")[0]["view"]["phase"] == "playing"
        back.ask("close", room=first["room"])
    async with open_harness(store=store) as harness:
        back = await harness.person("Ada", ada.token)
        back.say("create", **asked)
        await settle()
        assert back.answers("c") == [first]
        assert len(store._rooms) == 1
