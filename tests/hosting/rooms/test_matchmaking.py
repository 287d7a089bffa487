"""Quick match: the next person who wants the same, however many ask at once."""

import random
from collections import Counter

import pytest

from tests.hosting.harness import GatedStore, HostingHarness, Person, open_harness, settle


def settled(harness: HostingHarness) -> None:
    while harness.store.held:
        harness.store.release(1)


async def test_the_next_who_wants_the_same_gets_the_other_seat(harness: HostingHarness) -> None:
    ada, ben, eve = [await harness.person(name) for name in ("Ada", "Ben", "Eve")]
    room = ada.answers(ada.say("quick", game="tictactoe"))[0]["room"]
    assert ada.of("snapshot")[0]["view"]["you"] == 0
    # Another game, and other settings, are another match.
    others = [
        eve.answers(eve.say("quick", **asked))[0]["room"]
        for asked in ({"game": "connect4"}, {"game": "tictactoe", "settings": {"clock": "5+3"}})
    ]
    assert len({room, *others}) == 3
    assert ben.answers(ben.say("quick", game=" TicTacToe"))[0]["room"] == room
    assert ben.of("snapshot")[0]["view"]["phase"] == "playing"


async def test_nobody_is_seated_across_from_a_bot_that_waits_alone(harness: HostingHarness) -> None:
    ada, ben = await harness.person("Ada"), await harness.person("Ben")
    room = ada.ask("create", game="tictactoe")["room"]
    ada.ask("add_bot", room=room, bot="random")
    assert ben.answers(ben.say("quick", game="tictactoe"))[0]["room"] != room


async def test_however_many_ask_at_once_they_sit_two_by_two(harness: HostingHarness) -> None:
    for seed in range(12):
        dice = random.Random(seed)
        async with open_harness() as harness:
            number = dice.randrange(2, 9)
            people = [await harness.person(f"Player {one}") for one in range(number)]
            harness.store.holds = True
            asked: dict[Person, str] = {}
            for person in people:
                asked[person] = person.say("quick", game="tictactoe")
                if harness.store.held and dice.random() < 0.3:
                    harness.store.release(1)
            settled(harness)
            rooms = Counter(person.answers(one)[0]["room"] for person, one in asked.items())
            assert sorted(rooms.values()) == [1] * (number % 2) + [2] * (number // 2)
            assert all(len(person.answers(one)) == 1 for person, one in asked.items())
            assert harness.directory.matchmaking.creating == {}


async def test_nobody_is_matched_with_whoever_has_gone_nor_with_themselves(harness: HostingHarness) -> None:
    ada, ben = await harness.person("Ada"), await harness.person("Ben")
    first = ada.answers(ada.say("quick", game="tictactoe"))[0]["room"]
    assert [line["room"] for line in ben.ask("rooms")["rooms"]] == [first]
    ada.hang_up()
    assert ben.ask("rooms")["rooms"] == []
    assert ben.answers(ben.say("quick", game="tictactoe"))[0]["room"] != first


async def test_who_seeks_twice_waits_at_one_table(harness: HostingHarness) -> None:
    ada, ben = await harness.person("Ada"), await harness.person("Ben")
    first, second = [ada.answers(ada.say("quick", game="tictactoe"))[0]["room"] for _ in range(2)]
    assert first == second
    assert harness.room(first).state.phase == "waiting"
    # What differs in anything is another wish.
    third = ada.answers(ada.say("quick", game="tictactoe", settings={"clock": "5+3"}))[0]["room"]
    assert third != first
    assert ben.answers(ben.say("quick", game="tictactoe"))[0]["room"] == first


async def test_who_waits_already_is_led_to_the_same_seat_by_the_same_command_again(
    harness: HostingHarness,
) -> None:
    ada, ben = await harness.person("Ada"), await harness.person("Ben")
    ada.say("quick", game="tictactoe")
    ada.say("quick", game="tictactoe", id="again")
    # The reply is lost, and the game begins before it is asked for once more.
    ada.hang_up()
    ben.say("sit", room=ada.answers("again")[0]["room"])
    back = await harness.person("Ada", ada.token)
    back.say("quick", game="tictactoe", id="again")
    await settle()
    assert back.answers("again") == ada.answers("again")
    assert back.of("snapshot")[-1]["view"]["phase"] == "playing"
    # The room has gone to sleep meanwhile.
    for person in (back, ben):
        person.hang_up()
    harness.put_all_to_sleep()
    late = await harness.person("Ada", ada.token)
    assert await late.ask_store("quick", game="tictactoe", id="again") == ada.answers("again")[0]


async def test_a_seat_that_was_refused_once_is_not_asked_for_again(harness: HostingHarness) -> None:
    ada, ben, eve = [await harness.person(name) for name in ("Ada", "Ben", "Eve")]
    room = ada.answers(ada.say("quick", game="tictactoe"))[0]["room"]
    harness.store.holds = True
    eve.say("sit", room=room)
    ben.say("quick", game="tictactoe", id="q")
    harness.store.release()
    # The seat is free again before the room that is made for Ben stands.
    eve.say("resign", room=room)
    eve.say("leave", room=room)
    settled(harness)
    (answer,) = ben.answers("q")
    assert answer["type"] == "accepted"
    assert answer["room"] != room


async def test_whoever_waits_for_a_room_that_is_not_saved_makes_one(harness: HostingHarness) -> None:
    ada, ben = await harness.person("Ada"), await harness.person("Ben")
    harness.store.holds = harness.store.full = True
    first = ada.say("quick", game="tictactoe")
    second = ben.say("quick", game="tictactoe")
    harness.store.full = False
    settled(harness)
    assert ada.answers(first)[0]["code"] == "not_saved"
    assert ben.answers(second)[0]["type"] == "accepted"
    assert harness.directory.matchmaking.creating == {}


async def test_a_private_room_is_no_place_for_just_anybody(harness: HostingHarness) -> None:
    ada = await harness.person("Ada")
    refused = ada.ask("quick", game="tictactoe", settings={"visibility": "private"})
    assert refused["code"] == "bad_setting"


async def test_the_same_question_twice_at_once_finds_one_seat(harness: HostingHarness) -> None:
    ada = await harness.person("Ada")
    twin = await harness.person("Ada", ada.token)
    # Ada waits somewhere already, and asks from both places before anything is durable.
    harness.store.holds = True
    ada.say("quick", game="tictactoe")
    ada.say("quick", game="tictactoe", id="q")
    for person in (ada, twin):
        person.say("quick", game="tictactoe", id="q")
    settled(harness)
    (first, second), (third,) = ada.answers("q"), twin.answers("q")
    assert first == second == third
    assert twin.of("snapshot")[-1]["room"] == first["room"]
    assert harness.directory.matchmaking._matches == {}


@pytest.mark.parametrize("closed", [False, True])
async def test_a_wish_that_was_fulfilled_leads_to_the_same_seat_when_its_room_is_gone_from_memory(
    closed: bool,
) -> None:
    store = GatedStore()
    async with open_harness(store=store) as harness:
        ada, ben = await harness.person("Ada"), await harness.person("Ben")
        for person in (ada, ben):
            person.say("quick", game="tictactoe", id="q")
        (first,) = ada.answers("q")
        if closed:
            ben.ask("resign", room=first["room"])
            ada.ask("close", room=first["room"])
        for person in (ada, ben):
            person.hang_up()
        harness.clock.advance(8 * 86_400.0)
        assert len(harness.directory) == 0
        again = await harness.person("Ada", ada.token)
        assert await again.ask_store("quick", game="tictactoe", id="q") == first
        # And nobody else waits for ever behind that.
        eve = await harness.person("Eve")
        assert (await eve.ask_store("quick", game="tictactoe"))["type"] == "accepted"
        assert (harness.directory.matchmaking.creating, harness.directory.matchmaking._matches) == ({}, {})
    async with open_harness(store=store) as harness:
        again = await harness.person("Ada", ada.token)
        assert await again.ask_store("quick", game="tictactoe", id="q") == first


async def test_who_asks_at_two_places_at_once_waits_at_one_table(harness: HostingHarness) -> None:
    ada = await harness.person("Ada")
    twin = await harness.person("Ada", ada.token)
    harness.store.holds = True
    asked = [(person, person.say("quick", game="tictactoe")) for person in (ada, twin)]
    settled(harness)
    assert len({person.answers(one)[0]["room"] for person, one in asked}) == 1


async def test_a_room_and_the_seat_in_it_are_saved_both_or_neither(harness: HostingHarness) -> None:
    ada = await harness.person("Ada")
    harness.store.holds = harness.store.full = True
    ada.say("quick", game="tictactoe", id="q")
    settled(harness)
    harness.store.full = harness.store.holds = False
    assert ada.answers("q")[0]["code"] == "not_saved"
    assert await harness.store.open_rooms() == []
    ada.say("quick", game="tictactoe", id="q")
    assert ada.answers("q")[-1]["type"] == "accepted"
    (log,) = harness.store._rooms.values()
    assert [record.event.kind for record in log] == ["room_created", "seat_taken"]


# ---------------------------------------------------------------- a bot after a while


WITH_BOT = {"game": "tictactoe", "bot": "random:seed=7", "bot_after": 20}


def kinds(person: Person, room: str) -> list[str]:
    return [seat["kind"] for seat in person.view(room)["seats"]]


async def test_where_no_one_comes_a_bot_does_at_that_moment(harness: HostingHarness) -> None:
    ada = await harness.person("Ada")
    room = ada.ask("quick", **WITH_BOT)["room"]
    assert ada.view(room)["awaited"] == {"bot": "random", "at": harness.context.now() + 20_000}
    harness.clock.advance(19.9)
    assert kinds(ada, room) == ["human", "open"]
    harness.clock.advance(0.2)
    view = ada.view(room)
    assert (kinds(ada, room), view["phase"], "awaited" in view) == (["human", "bot"], "playing", False)
    assert harness.room(room).state.seats[1].bot.seed == 7  # type: ignore[union-attr]


async def test_whoever_comes_first_takes_the_bots_place(harness: HostingHarness) -> None:
    ada, ben = await harness.person("Ada"), await harness.person("Ben")
    room = ada.ask("quick", **WITH_BOT)["room"]
    assert ben.ask("quick", game="tictactoe", bot="easy", bot_after=0)["room"] == room
    harness.clock.advance(60.0)
    view = ada.view(room)
    assert (kinds(ada, room), "awaited" in view) == (["human", "human"], False)
    # Nor does it come when one of them has left.
    ben.ask("resign", room=room)
    ben.ask("leave", room=room)
    harness.clock.advance(60.0)
    assert kinds(ada, room) == ["human", "open"]


async def test_no_bot_begins_a_game_with_a_player_who_is_away(harness: HostingHarness) -> None:
    ada = await harness.person("Ada")
    room = ada.ask("quick", **WITH_BOT)["room"]
    ada.hang_up()
    harness.clock.advance(60.0)
    assert harness.room(room).state.phase == "waiting"
    back = await harness.person("Ada", ada.token)
    back.say("subscribe", room=room)
    harness.clock.advance(0.1)
    assert kinds(back, room) == ["human", "bot"]


async def test_a_seat_that_is_left_gets_no_bot_and_a_room_that_no_one_comes_back_to_is_closed(
    harness: HostingHarness,
) -> None:
    ada, ben = await harness.person("Ada"), await harness.person("Ben")
    room = ada.ask("quick", **WITH_BOT)["room"]
    ada.ask("leave", room=room)
    assert "awaited" not in ada.view(room)
    harness.clock.advance(60.0)
    assert kinds(ada, room) == ["open", "open"]
    ben.ask("quick", **WITH_BOT, settings={"clock": "5+3"})
    ben.hang_up()
    ada.ask("unsubscribe", room=room)
    harness.clock.advance(2 * harness.context.limits.idle_seconds)
    assert await harness.store.open_rooms() == []


async def test_who_waits_already_may_ask_for_a_bot(harness: HostingHarness) -> None:
    ada = await harness.person("Ada")
    room = ada.ask("quick", game="tictactoe")["room"]
    assert "awaited" not in ada.view(room)
    asked = ada.say("quick", **WITH_BOT)
    assert ada.answers(asked)[0]["room"] == room
    ada.say("quick", **WITH_BOT, id=asked)
    assert ada.answers(asked)[0] == ada.answers(asked)[1]
    harness.clock.advance(20.1)
    assert kinds(ada, room) == ["human", "bot"]


@pytest.mark.parametrize(("down", "comes"), [(5.0, 15.0), (600.0, 0.0)])
async def test_a_wait_goes_on_after_a_restart(down: float, comes: float) -> None:
    store = GatedStore()
    async with open_harness(store=store) as harness:
        ada = await harness.person("Ada")
        room = ada.ask("quick", **WITH_BOT)["room"]
        at, clock = harness.room(room).state.awaited.at, harness.clock  # type: ignore[union-attr]
    clock.advance(down)
    async with open_harness(store=store, clock=clock) as harness:
        harness.clock.advance(0.1)
        back = await harness.person("Ada", ada.token)
        assert (await back.ask_store("subscribe", room=room))["type"] == "accepted"
        assert back.view(room)["awaited"]["at"] == at
        if comes:
            harness.clock.advance(comes - 0.2)
            assert kinds(back, room) == ["human", "open"]
        harness.clock.advance(0.2)
        assert kinds(back, room) == ["human", "bot"]


async def test_a_bot_that_can_not_be_is_refused_at_once_and_no_seat_is_sought(
    harness: HostingHarness,
) -> None:
    ada = await harness.person("Ada")
    for wrong, code, field in (
        ({"bot": "nobody"}, "unknown_bot", "bot"),
        ({"bot": "easy:depth=9"}, "bad_setting", "bot"),
        ({"bot": "easy", "bot_after": -1}, "bad_message", "bot_after"),
        ({"bot": "easy", "bot_after": 3601}, "bad_message", "bot_after"),
    ):
        refused = ada.ask("quick", game="tictactoe", **wrong)
        assert (refused["code"], refused["field"]) == (code, field)
    assert len(harness.directory) == 0


async def test_a_bot_that_could_not_be_saved_comes_a_little_later(harness: HostingHarness) -> None:
    ada = await harness.person("Ada")
    room = ada.ask("quick", **WITH_BOT)["room"]
    harness.store.full = True
    harness.clock.advance(20.1)
    harness.store.full = False
    assert kinds(ada, room) == ["human", "open"]
    harness.clock.advance(5.0)
    assert kinds(ada, room) == ["human", "bot"]


async def test_while_the_server_is_about_to_stop_no_bot_begins_a_game(harness: HostingHarness) -> None:
    ada = await harness.person("Ada")
    room = ada.ask("quick", **WITH_BOT)["room"]
    harness.context.drain_until = harness.clock.seconds + 600
    harness.clock.advance(60.0)
    assert kinds(ada, room) == ["human", "open"]
