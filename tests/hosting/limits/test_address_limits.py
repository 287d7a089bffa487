"""What one address may take: its share, and nothing of what others need."""

import random
from typing import Any

import pytest

from parlour_server.hosting.actors.registry import SWEEP_SECONDS
from parlour_server.hosting.rooms.housekeeping import PRUNE_SECONDS
from parlour_server.hosting.rooms.room_list import MOST_LISTED
from parlour_server.settings import ServerLimits
from tests.hosting.harness import HostingHarness, Person, open_harness, settle, table

HERE, THERE = "203.0.113.7", "2001:db8:1:2::/64"


def limits(**given: Any) -> ServerLimits:
    return ServerLimits(**{"messages_per_second": 0, "rooms_per_minute": 0, **given})


def create(person: Person, **settings: Any) -> str:
    answer = person.ask("create", game="tictactoe", settings=settings)
    assert answer["type"] == "accepted", answer
    room: str = answer["room"]
    return room


async def hello(harness: HostingHarness, address: str, **fields: Any) -> dict[str, Any]:
    return await Person(harness, address).ask_store("hello", protocols=[1], name="Eve", **fields)


# ---------------------------------------------------------------- new players


async def test_so_many_new_players_come_from_an_address_and_old_ones_always() -> None:
    async with open_harness(limits(address_players_per_minute=3.0)) as harness:
        ada = await harness.person(address=HERE)
        for _ in range(5):
            assert (await hello(harness, HERE))["type"] == "welcome"
        refused = await hello(harness, HERE)
        assert (refused["code"], refused["retry_after"]) == ("too_fast", pytest.approx(20.0, abs=0.01))
        assert refused["message"] == "Many new players have come from your address just now. Wait a moment."
        assert harness.context.counters.budgets_refused == {"address_players": 1}
        for _ in range(20):
            assert (await hello(harness, HERE, token=ada.token))["type"] == "welcome"
        assert (await hello(harness, THERE))["type"] == "welcome"
        assert (await hello(harness, ""))["type"] == "welcome"
        harness.clock.advance(refused["retry_after"])
        assert (await hello(harness, HERE))["type"] == "welcome"
        harness.clock.advance(120.0 + SWEEP_SECONDS)
        assert len(harness.context.rate_limits) == 0


async def test_whoever_never_did_anything_is_forgotten_after_a_day() -> None:
    async with open_harness(limits()) as harness:
        ada, eve, mia = [await harness.person(name) for name in ("Ada", "Eve", "Mia")]
        create(ada)
        for gone in (ada, eve):
            gone.hang_up()
        harness.clock.advance(86_400.0 - 1.0)
        await settle()
        assert len(harness.store._players) == 3
        harness.clock.advance(PRUNE_SECONDS)
        await settle()
        # Mia is still there, and Ada has made a room.
        assert {player.name for player in harness.store._players.values()} == {"Ada", "Mia"}
        assert mia.token is not None
        assert (await hello(harness, "", token=mia.token))["type"] == "welcome"
        assert (await hello(harness, "", token=eve.token))["code"] == "wrong_token"


# ---------------------------------------------------------------- rooms


async def test_an_address_makes_so_many_rooms_a_minute_whoever_asks() -> None:
    async with open_harness(limits(rooms_per_minute=2.0, address_rooms_per_minute=3.0)) as harness:
        ada, ben = [await harness.person(name, address=HERE) for name in ("Ada", "Ben")]
        for person in (ada, ada, ada, ada, ben, ben):
            create(person)
        for kind in ("create", "quick"):
            refused = ben.ask(kind, game="tictactoe")
            assert refused["code"] == "too_fast"
            assert refused["message"].startswith("Many rooms have been made from your address just now.")
        assert harness.context.counters.budgets_refused == {"address_rooms": 2}
        # One who may make no more takes nothing from the others.
        harness.clock.advance(refused["retry_after"])
        assert ada.ask("create", game="tictactoe")["message"].startswith("You have made many rooms")
        create(ben)
        create(await harness.person("Mia", address=THERE))
        harness.clock.advance(120.0 + SWEEP_SECONDS)
        assert len(harness.context.rate_limits) == 0


async def test_an_address_holds_so_many_rooms_and_its_own_empty_ones_make_place() -> None:
    async with open_harness(limits(address_rooms=4)) as harness:
        other = create(await harness.person("Mia", address=THERE))
        ada = await harness.person(address=HERE)
        rooms = [create(ada) for _ in range(4)]
        for room in rooms[1:]:
            ada.ask("subscribe", room=room)
        newest = create(ada)
        assert set(harness.directory._actors) == {other, *rooms[1:], newest}
        ada.ask("subscribe", room=newest)
        refused = ada.ask("create", game="tictactoe")
        assert (refused["code"], "(4)" in refused["message"]) == ("server_full", True)
        # So do those that it wakes, and another's address is another's.
        create(await harness.person("Zoe", address=THERE))
        ada.ask("unsubscribe", room=newest)
        create(ada)


async def test_no_address_fills_a_small_house() -> None:
    async with open_harness(limits(rooms=6)) as harness:
        ada = await harness.person(address=HERE)
        for _ in range(3):
            ada.ask("subscribe", room=create(ada))
        assert ada.ask("create", game="tictactoe")["code"] == "server_full"
        create(await harness.person("Mia", address=THERE))


async def test_rooms_that_are_woken_count_for_who_woke_them() -> None:
    async with open_harness(limits(address_rooms=2, idle_room_seconds=10, away_room_seconds=10)) as harness:
        ada, ben = [await harness.person(name, address=HERE) for name in ("Ada", "Ben")]
        rooms = []
        for _ in range(3):
            rooms.append(await table(harness, ada, ben))
            for person in (ada, ben):
                person.ask("unsubscribe", room=rooms[-1])
            harness.clock.advance(10.0 + SWEEP_SECONDS)
        assert len(harness.directory) == 0
        eve = await harness.person("Eve", address=THERE)
        for room in rooms[:2]:
            assert (await eve.ask_store("subscribe", room=room))["type"] == "accepted"
        assert (await eve.ask_store("subscribe", room=rooms[2]))["code"] == "server_full"
        assert (await ada.ask_store("subscribe", room=rooms[2]))["type"] == "accepted"


async def test_nobody_takes_the_room_of_those_who_wait_or_play() -> None:
    """Whatever strangers do, from however many addresses: rooms with somebody in them stay."""
    for seed in range(4):
        dice = random.Random(seed)
        async with open_harness(limits(rooms=12, address_rooms=5)) as harness:
            ada, ben, mia = [await harness.person(name, address=HERE) for name in ("Ada", "Ben", "Mia")]
            played = await table(harness, ada, ben)
            waiting = create(mia)
            mia.ask("sit", room=waiting)
            away = create(ben)
            ben.ask("sit", room=away)
            ben.ask("unsubscribe", room=away)
            kept = {played, waiting, away}
            strangers = [await harness.person("Eve", address=f"198.51.100.{n}") for n in range(6)]
            for _ in range(120):
                eve = dice.choice(strangers)
                match dice.randrange(5):
                    case 0 | 1:
                        eve.say("create", game="tictactoe")
                    case 2:
                        eve.say("quick", game="tictactoe", settings={"start": "a1"} if seed % 2 else {})
                    case 3:
                        eve.say("subscribe", room=dice.choice([*harness.directory._actors]))
                    case _:
                        eve.say("subscribe", room="".join(dice.choice("ABCDEFGH") for _ in range(6)))
                harness.clock.advance(dice.choice([0.0, 0.1, 1.0]))
                await settle()
                assert kept <= set(harness.directory._actors)
                assert len(harness.directory) <= 12
            assert harness.room(waiting).is_here(mia.session.player)


async def test_of_empty_rooms_the_greediest_addresss_go_first_and_running_games_last() -> None:
    async with open_harness(limits(rooms=6, address_rooms=0, kept_room_seconds=0.0)) as harness:
        ada, ben = [await harness.person(name, address=HERE) for name in ("Ada", "Ben")]
        eve = await harness.person("Eve", address=THERE)
        mine = create(ada)
        played = await table(harness, eve, ben)
        for person in (eve, ben):
            person.ask("unsubscribe", room=played)
        harness.clock.advance(1.0)
        greedy = [create(eve) for _ in range(4)]
        mia = await harness.person("Mia", address="198.51.100.1")
        for gone in greedy:
            mia.ask("subscribe", room=create(mia))
            assert gone not in harness.directory._actors
            assert mine in harness.directory._actors
        mia.ask("subscribe", room=create(mia))
        assert mine not in harness.directory._actors
        assert played in harness.directory._actors
        create(mia)
        assert played not in harness.directory._actors


async def test_bots_that_play_on_alone_make_place() -> None:
    async with open_harness(limits(rooms=1)) as harness:
        eve, ada = await harness.person("Eve", address=THERE), await harness.person(address=HERE)
        room = create(eve)
        for seat in (0, 1):
            assert eve.ask("add_bot", room=room, seat=seat, bot="easy")["type"] == "accepted"
        assert not harness.room(room).idle
        assert create(ada)
        assert room not in harness.directory._actors


async def test_no_address_takes_all_lines_of_the_lobby() -> None:
    async with open_harness(limits(address_rooms=0)) as harness:
        ada, eve = await harness.person(address=HERE), await harness.person("Eve", address=THERE)
        mine = [create(ada) for _ in range(3)]
        theirs = [create(eve) for _ in range(2 * MOST_LISTED)]
        listed = [line["room"] for line in ada.ask("rooms")["rooms"]]
        assert len(listed) == MOST_LISTED
        assert set(mine) <= set(listed)
        # In their usual order.
        assert listed == [*theirs[:MOST_LISTED:-1][: MOST_LISTED - 3], *reversed(mine)]


# ---------------------------------------------------------------- codes


async def test_asking_for_rooms_that_are_not_there_puts_none_to_sleep() -> None:
    async with open_harness(limits(rooms=2, wrong_codes_per_minute=0)) as harness:
        ada, eve = await harness.person(), await harness.person("Eve")
        rooms = {create(ada) for _ in range(2)}
        for number in range(60):
            assert (await eve.ask_store("subscribe", room=f"ABC{number:03}".translate(LETTERS)))[
                "code"
            ] == "unknown_room"
        assert set(harness.directory._actors) == rooms


LETTERS = str.maketrans("0123456789", "ABCDEFGHJK")


def codes() -> Any:
    for number in range(1000):
        yield f"ZZZ{number:03}".translate(LETTERS)


@pytest.mark.parametrize(
    "ask",
    [
        lambda code: ("subscribe", {"room": code}),
        lambda code: ("sit", {"room": code}),
        lambda code: ("record", {"room": code}),
        lambda code: ("room_games", {"room": code}),
    ],
)
async def test_after_many_wrong_codes_a_right_one_is_answered_like_a_wrong_one(ask: Any) -> None:
    async with open_harness(limits(wrong_codes_per_minute=5.0)) as harness:
        ada, eve = await harness.person(), await harness.person("Eve")
        private = create(ada, visibility="private")
        asleep = await table(harness, ada, await harness.person("Ben"), visibility="private")
        public = create(ada)
        harness.directory.put_to_sleep(harness.room(asleep))

        async def said(code: str) -> tuple[str, str]:
            kind, fields = ask(code)
            answer = await eve.ask_store(kind, **fields)
            return answer["code"], answer["message"]

        wrong = codes()
        seen = [await said(next(wrong)) for _ in range(10)]
        assert set(seen) == {seen[0]}
        assert seen[0][0] == "unknown_room"
        refused = {await said(code) for code in (next(wrong), private, asleep)}
        assert [code for code, _ in refused] == ["too_fast"]
        # What can be found in the list is no secret, nor one's own past; who sits somewhere is no guesser.
        assert (await eve.ask_store("history"))["type"] == "history"
        assert eve.ask("subscribe", room=public)["type"] == "accepted"
        assert ada.ask("subscribe", room=private)["type"] == "accepted"
        harness.clock.advance(12.1)
        assert (await said(next(wrong)))[0] == "unknown_room"
        assert (await said(next(wrong)))[0] == "too_fast"
        assert harness.context.counters.budgets_refused == {"codes": 4}


async def test_guesses_count_for_the_address_too() -> None:
    async with open_harness(limits(address_wrong_codes_per_minute=10.0)) as harness:
        wrong = codes()
        for _ in range(4):
            eve = await harness.person("Eve", address=HERE)
            for _ in range(5):
                assert (await eve.ask_store("subscribe", room=next(wrong)))["code"] == "unknown_room"
        eve = await harness.person("Eve", address=HERE)
        refused = await eve.ask_store("subscribe", room=next(wrong))
        assert (refused["code"], "from your address" in refused["message"]) == ("too_fast", True)
        assert harness.context.counters.budgets_refused == {"address_codes": 1}
        ada = await harness.person(address=THERE)
        assert (await ada.ask_store("subscribe", room=next(wrong)))["code"] == "unknown_room"
        harness.clock.advance(120.0 + SWEEP_SECONDS)
        assert len(harness.context.rate_limits) == 0


async def test_many_at_an_address_come_to_private_rooms_and_none_is_a_guesser() -> None:
    async with open_harness(ServerLimits()) as harness:
        for number in range(60):
            ada = await harness.person(f"Ada {number}", address=HERE)
            ben = await harness.person(f"Ben {number}", address=HERE)
            room = create(ada, visibility="private")
            for person in (ada, ben):
                assert person.ask("sit", room=room)["type"] == "accepted"
            harness.clock.advance(2.0)
