"""All rooms of a server: made once, counted, listed, closed when nobody comes, forgotten."""

import asyncio
import gc
import random
import weakref
from collections.abc import Collection
from typing import Any

import pytest
from structlog.testing import capture_logs

from parlour_protocol.events import GameStarted, MovePlayed, RoomCreated, SeatTaken
from parlour_protocol.ids import SEATS, Version
from parlour_protocol.settings import RoomSettings
from parlour_server.hosting.actors.registry import SWEEP_SECONDS
from parlour_server.hosting.rooms.directory import ROOMS_FREED_AT_ONCE
from parlour_server.hosting.rooms.live_room import LiveRoom
from parlour_server.hosting.rooms.room_list import MOST_LISTED
from parlour_server.log import LogRecord
from parlour_server.sessions.session import SUBSCRIPTIONS
from parlour_server.settings import ServerLimits
from tests.hosting.harness import GatedStore, HostingHarness, Person, open_harness, seated, settle, table


def limits(**given: Any) -> ServerLimits:
    return ServerLimits(messages_per_second=0, rooms_per_minute=0, **given)


def create(person: Person, **fields: object) -> str:
    room: str = person.ask("create", game="tictactoe", **fields)["room"]
    return room


# ---------------------------------------------------------------- making


async def test_a_server_that_is_full_says_when_to_come_back() -> None:
    async with open_harness(limits(rooms=5)) as harness:
        ada = await harness.person()
        rooms = [create(ada) for _ in range(5)]
        for room in rooms:
            ada.ask("subscribe", room=room)
        for _ in range(3):
            refused = ada.ask("create", game="tictactoe")
            assert refused["code"] == "server_full"
            assert refused["retry_after"] > 0
        ada.ask("close", room=rooms[0])
        harness.clock.advance(SWEEP_SECONDS)
        assert len(harness.directory) == 4
        create(ada)


async def test_whoever_comes_finds_room_as_long_as_somebody_stays_away() -> None:
    """Rooms that nobody is in keep nobody from a new one, nor from a game of their own."""
    async with open_harness(limits(rooms=5)) as harness:
        ada, ben, eve = [await harness.person(name) for name in ("Ada", "Ben", "Eve")]
        played = await table(harness, ada, ben)
        for person in (ada, ben):
            person.ask("unsubscribe", room=played)
        harness.clock.advance(1.0)
        left = [create(eve) for _ in range(4)]
        assert len(harness.directory) == 5
        # Those without a game go first, the longest empty one of them.
        newest = create(eve)
        assert (len(harness.directory), left[0] in harness.directory._actors) == (5, False)
        for _ in range(4):
            create(eve)
        assert newest not in harness.directory._actors
        assert played in harness.directory._actors
        for _ in range(4):
            eve.ask("subscribe", room=create(eve))
        # Those who sit there may be back in a moment.
        assert eve.ask("create", game="tictactoe")["code"] == "server_full"
        harness.clock.advance(harness.context.limits.kept_room_seconds)
        room = create(eve)
        eve.ask("subscribe", room=room)
        assert played not in harness.directory._actors
        assert (await ben.ask_store("subscribe", room=played))["code"] == "server_full"
        eve.ask("unsubscribe", room=room)
        assert (await ben.ask_store("play", room=played, version=4, move="a1"))["code"] == "not_your_turn"


async def test_rooms_that_are_being_made_count(monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_harness(limits(rooms=3)) as harness:
        ada = await harness.person()
        harness.store.holds = True
        asked = [ada.say("create", game="tictactoe") for _ in range(5)]
        harness.store.release()
        answers = [ada.answers(one)[0] for one in asked]
        assert [answer["type"] for answer in answers] == ["accepted"] * 3 + ["refused"] * 2
        assert len({answer["room"] for answer in answers[:3]}) == len(harness.directory) == 3


async def test_a_player_makes_so_many_rooms_a_minute_and_others_theirs() -> None:
    async with open_harness(ServerLimits(messages_per_second=0, rooms_per_minute=5.0)) as harness:
        ada, ben = await harness.person("Ada"), await harness.person("Ben")
        asked = ada.say("create", game="tictactoe")
        for _ in range(9):
            create(ada)
        for kind in ("create", "quick"):
            refused = ada.ask(kind, game="tictactoe")
            assert refused["code"] == "too_fast"
            assert refused["message"].startswith(
                "You have made many rooms just now. Wait 13 s, or play on in"
            )
        # A second connection is no second player; nor is the same command again a second room.
        twin = await harness.person("Ada", ada.token)
        assert twin.ask("create", game="tictactoe")["code"] == "too_fast"
        twin.say("create", game="tictactoe", id=asked)
        assert twin.answers(asked)[0]["type"] == "accepted"
        create(ben)
        harness.clock.advance(refused["retry_after"])
        create(ada)
        assert ada.ask("create", game="tictactoe")["code"] == "too_fast"
        harness.clock.advance(120.0 + SWEEP_SECONDS)
        assert len(harness.context.rate_limits) == 0


async def test_a_room_asked_for_twice_is_made_once(harness: HostingHarness) -> None:
    ada, ben = await harness.person("Ada"), await harness.person("Ben")
    harness.store.holds = True
    # Sent again before the first was answered, as after a lost connection.
    for _ in range(3):
        ada.say("create", game="tictactoe", id="the-room")
    ben.say("create", game="tictactoe", id="the-room")
    while harness.store.held:
        harness.store.release(1)
    answers = ada.answers("the-room")
    assert len(answers) == 3
    assert {answer["room"] for answer in answers} == {answers[0]["room"]}
    (other,) = ben.answers("the-room")
    assert other["room"] != answers[0]["room"]
    assert len(harness.directory) == len(await harness.store.open_rooms()) == 2
    harness.store.holds = False
    third = ada.ask("create", game="tictactoe", id="another-room")["room"]
    assert third not in (answers[0]["room"], other["room"])


async def test_a_room_asked_for_twice_and_not_saved_is_made_by_the_next_try(harness: HostingHarness) -> None:
    ada = await harness.person()
    harness.store.holds = harness.store.full = True
    for _ in range(2):
        ada.say("create", game="tictactoe", id="the-room")
    harness.store.release(1)
    harness.store.full = False
    while harness.store.held:
        harness.store.release(1)
    types = [answer["type"] for answer in ada.answers("the-room")]
    assert types[0] == "refused"
    rooms = await harness.store.open_rooms()
    assert len(harness.directory) == len(rooms) == types.count("accepted")
    harness.store.holds = False
    ada.say("create", game="tictactoe", id="the-room")
    assert ada.answers("the-room")[-1]["type"] == "accepted"
    assert len(harness.directory) == len(await harness.store.open_rooms()) == 1


async def test_a_variant_is_found_again_after_a_restart_by_the_name_that_its_log_keeps(
    harness: HostingHarness,
) -> None:
    ada, ben = await harness.person(), await harness.person("Ben")
    rooms = [ada.ask("create", game=name)["room"] for name in (" MNK:07, 7,4", "gomoku:exact")]
    for room in rooms:
        for person in (ada, ben):
            person.ask("sit", room=room)
        ada.ask("play", room=room, move="d4", version=4)
    async with open_harness(store=harness.store) as again:
        back = await again.person("Ada", ada.token)
        for room in rooms:
            back.ask("subscribe", room=room)
        lines = {line["room"]: (line["game"], line["moves"]) for line in back.ask("rooms")["rooms"]}
        assert lines == {rooms[0]: ("mnk:7,7,4", 1), rooms[1]: ("gomoku:exact", 1)}
    refused = ada.ask("create", game="mnk:2,0,9")
    assert (refused["code"], refused["message"]) == (
        "unknown_game",
        "A board is from 3 to 19 wide and high, not 2 by 0: mnk:7,7,4 is one.",
    )


async def test_a_code_that_is_taken_is_drawn_again(harness: HostingHarness) -> None:
    ada = await harness.person()
    draws = iter([0] * 12 + [1] * 6)
    harness.context.chance = lambda bound: next(draws)
    assert (create(ada), create(ada)) == ("AAAAAA", "BBBBBB")


# ---------------------------------------------------------------- taking up and listing


async def test_a_log_that_cannot_be_folded_is_put_aside_and_keeps_no_other_back() -> None:
    store = GatedStore()
    made = LogRecord(RoomCreated("tictactoe", RoomSettings(), owner="p9"), 1, "p9", "c")
    unknown = LogRecord(RoomCreated("game-of-somebody-elses", RoomSettings(), owner="p9"), 1, "p9", "c")
    bots = [LogRecord(SeatTaken(seat, "bot", "unknown-bot", player=f"bot:{seat}"), 1, "p9") for seat in SEATS]
    logs_of_rooms: dict[str, list[LogRecord]] = {
        "AAAAAA": [unknown],
        "BBBBBB": [made, LogRecord(MovePlayed(0, "a1"), 1, "p9")],
        "CCCCCC": [made],
        "DDDDDD": [made, *bots, LogRecord(GameStarted(0), 1, "p9")],
    }
    for code, records in logs_of_rooms.items():
        store.append(code, 0, records, lambda error: None)
    with capture_logs() as logs:
        async with open_harness(store=store) as harness:
            assert len(harness.directory) == 1
            ada = await harness.person()
            assert [line["room"] for line in ada.ask("rooms")["rooms"]] == ["CCCCCC"]
            assert (await ada.ask_store("subscribe", room="AAAAAA"))["code"] == "internal"
            assert (await ada.ask_store("subscribe", room="AAAAAA"))["retry_after"] > 0
    assert [(entry["room"], entry["log_level"]) for entry in logs] == [
        ("AAAAAA", "error"),
        ("BBBBBB", "error"),
        ("DDDDDD", "error"),
        # Looked at once more, since it was asked for, and not each time.
        ("AAAAAA", "error"),
    ]
    assert len(await store.read("BBBBBB")) == 2


async def test_two_who_ask_for_a_room_that_is_not_there_receive_the_same(harness: HostingHarness) -> None:

    async def fetch(turns: int) -> None:
        for _ in range(turns):
            await asyncio.sleep(0)
        await harness.directory.fetch("ZZZZZZ")

    await asyncio.gather(*map(fetch, range(9)))
    assert harness.directory._waking == {}


class SlowStore(GatedStore):
    """A read takes until the test lets it go on."""

    def __init__(self) -> None:
        super().__init__()
        self.going = asyncio.Event()
        self.going.set()
        self.under_way = self.most = 0

    async def read(self, room: str, after: Version = 0) -> list[LogRecord]:
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        records = await super().read(room, after)
        await self.going.wait()
        self.under_way -= 1
        return records

    async def prune(self, before: int, spared: Collection[str] = ()) -> list[str]:
        await self.going.wait()
        return await super().prune(before, spared)


async def test_rooms_are_woken_side_by_side_and_each_is_read_once() -> None:
    store = SlowStore()
    async with open_harness(limits(keep="10d"), store=store) as harness:
        ada = await harness.person("Ada")
        rooms = [create(ada) for _ in range(20)]
        for room in list(harness.directory.awake()):
            harness.directory.put_to_sleep(room)
        store.going.clear()
        # A prune that is under way holds nobody up.
        harness.directory.housekeeping.prune_soon()
        await settle()
        asked = [ada.say("subscribe", room=room) for room in rooms for _ in range(2)]
        await settle()
        assert (store.under_way, store.most) == (20, 20)
        store.going.set()
        await settle()
        assert all(ada.answers(one)[0]["type"] == "accepted" for one in asked)
        assert store.most == 20


async def test_what_is_pruned_while_it_is_woken_is_not_there() -> None:
    store = SlowStore()
    async with open_harness(limits(keep="10d"), store=store) as harness:
        ada = await harness.person("Ada")
        early, late, awake = create(ada), create(ada), create(ada)
        for code in (early, late):
            harness.directory.put_to_sleep(harness.room(code))
        harness.clock.seconds += 15 * 86400.0
        store.going.clear()
        # One whose log is being read is spared; one that is asked for later may be forgotten first.
        first = ada.say("subscribe", room=early)
        await settle()
        harness.directory.housekeeping.prune_soon()
        await settle()
        second = ada.say("subscribe", room=late)
        await settle()
        store.going.set()
        await settle()
        assert ada.answers(first)[0]["type"] == "accepted"
        assert ada.answers(second)[0]["type"] in ("accepted", "refused")
        assert harness.directory.get(late) is None
        assert harness.directory.get(early) is not None
        assert harness.directory.get(awake) is not None
        assert set(ada.session.rooms) == {early}
        assert (await ada.ask_store("subscribe", room=late))["code"] == "unknown_room"


async def test_rooms_are_listed_the_waiting_first_the_empty_last_and_the_newest_of_each(
    harness: HostingHarness,
) -> None:
    ada, ben = await harness.person("Ada"), await harness.person("Ben")
    empty = create(ada)
    waiting = [create(ada) for _ in range(2)]
    for room in waiting:
        ada.ask("sit", room=room)
    playing = [await table(harness, ada, ben) for _ in range(2)]
    over = await table(harness, ada, ben)
    ada.ask("resign", room=over)
    closed = create(ada)
    ada.ask("close", room=closed)
    lines = ada.ask("rooms")["rooms"]
    assert [line["room"] for line in lines] == [*reversed(waiting), *reversed(playing), over, empty]
    for _ in range(MOST_LISTED):
        create(ada)
    assert len(ada.ask("rooms")["rooms"]) == MOST_LISTED


async def test_a_wrong_code_and_one_that_can_be_no_code_are_answered_alike(harness: HostingHarness) -> None:
    ada = await harness.person()
    for text in ("AAAAAA", "nonsense", "ñ", "\0", "A" * 32):
        refused = await ada.ask_store("subscribe", room=text)
        assert refused["code"] == "unknown_room"
        assert refused["message"] == (await ada.ask_store("sit", room="BBBBBB"))["message"]


# ---------------------------------------------------------------- two at once


async def test_two_who_sit_down_at_once_get_a_seat_each_and_the_third_reads_why() -> None:
    for seed in range(20):
        dice = random.Random(seed)
        async with open_harness() as harness:
            people = [await harness.person(name) for name in ("Ada", "Ben", "Eve")]
            room = create(people[0])
            harness.store.holds = True
            dice.shuffle(people)
            asked = {
                person: person.say("sit", room=room, **dice.choice([{}, {"seat": 0}, {}]))
                for person in people
            }
            while harness.store.held:
                harness.store.release(1)
            answers = [person.answers(one) for person, one in asked.items()]
            assert all(len(answer) == 1 for answer in answers)
            refused = [answer for (answer,) in answers if answer["type"] == "refused"]
            assert all(answer["code"] in ("room_full", "seat_taken") for answer in refused)
            seats = [person.of("snapshot")[-1]["view"]["you"] for person in people if person.of("snapshot")]
            state = harness.room(room).state
            assert sorted(seats) == [seat for seat in (0, 1) if state.seats[seat] is not None]
            assert len(seats) == 3 - len(refused)
            if not any(answer["code"] == "seat_taken" for answer in refused):
                assert state.phase == "playing"


# ---------------------------------------------------------------- retiring


async def test_rooms_that_nobody_comes_to_close_and_are_forgotten() -> None:
    async with open_harness(limits(idle_room_seconds=100.0, rooms=50)) as harness:
        ada, ben = await harness.person("Ada"), await harness.person("Ben")
        for _ in range(40):
            create(ada)
        visited = create(ada)
        ben.ask("subscribe", room=visited)
        playing = await table(harness, ada, ben)
        for person in (ada, ben):
            person.ask("unsubscribe", room=playing)
        harness.clock.advance(100.0)
        assert len(harness.directory) == 42
        harness.clock.advance(3 * SWEEP_SECONDS)
        assert sorted(harness.directory._actors) == sorted([visited, playing])
        assert sorted(await harness.store.open_rooms()) == sorted([visited, playing])
        ben.ask("unsubscribe", room=visited)
        harness.clock.advance(90.0)
        assert len(harness.directory) == 2
        harness.clock.advance(10.0 + 3 * SWEEP_SECONDS)
        assert list(harness.directory._actors) == [playing]


async def test_a_running_game_waits_longer_and_sleeps_in_the_end() -> None:
    async with open_harness(limits(idle_room_seconds=100.0, away_room_seconds=1000.0)) as harness:
        ada, ben, room = await seated(harness)
        for person in (ada, ben):
            person.hang_up()
        harness.clock.advance(990.0)
        assert harness.room(room).state.phase == "playing"
        back = await harness.person("Ada", ada.token)
        back.ask("subscribe", room=room)
        back.hang_up()
        harness.clock.advance(990.0)
        assert harness.room(room).state.phase == "playing"
        harness.clock.advance(10.0 + 3 * SWEEP_SECONDS)
        assert len(harness.directory) == 0
        assert await harness.store.open_rooms() == [room]


async def test_counts_return_to_base_and_no_room_outlives_its_life() -> None:
    async with open_harness(limits(rooms=20)) as harness:
        ada = await harness.person()
        eve = await harness.person("Eve")
        lives: list[weakref.ref[LiveRoom]] = []
        for _ in range(12):
            for number in range(10):
                room = create(ada, settings={"pace": 0})
                lives.append(weakref.ref(harness.room(room)))
                if number % 3 == 0:
                    ada.say("sit", room=room)
                else:
                    ada.ask("subscribe", room=room)
                eve.ask("subscribe", room=room)
                ada.ask("add_bot", room=room, bot="random")
                if number % 3:
                    ada.ask("add_bot", room=room, bot="random")
                    harness.scheduler.answer()
                ada.ask("close", room=room)
            harness.clock.advance(SWEEP_SECONDS)
            assert len(harness.directory) == 0
        assert harness.scheduler.wanted == []
        harness.scheduler.asked.clear()
        await settle()
        gc.collect()
        assert len(lives) == 120
        assert sum(1 for life in lives if life() is not None) == 0
        assert await harness.store.open_rooms() == []
        # Whoever has seen many rooms come and go may follow as many as before.
        rooms = [create(ada) for _ in range(3)]
        assert all(eve.ask("subscribe", room=room)["type"] == "accepted" for room in rooms)


async def test_one_connection_follows_so_many_rooms_at_once(harness: HostingHarness) -> None:
    ada, ben = await harness.person("Ada"), await harness.person("Ben")
    rooms = [create(ada) for _ in range(SUBSCRIPTIONS + 2)]
    for room in rooms[:SUBSCRIPTIONS]:
        assert ben.ask("subscribe", room=room)["type"] == "accepted"
    for kind in ("subscribe", "sit"):
        refused = ben.answers(ben.say(kind, room=rooms[-1]))[0]
        assert (refused["code"], harness.room(rooms[-1]).state.version) == ("not_allowed", 1)
    assert ben.ask("subscribe", room=rooms[0])["type"] == "accepted"
    ben.ask("unsubscribe", room=rooms[0])
    assert ben.answers(ben.say("sit", room=rooms[-1]))[0]["type"] == "accepted"


async def test_a_stopped_server_leaves_its_searches_and_keeps_its_rooms(harness: HostingHarness) -> None:
    ada = await harness.person()
    room = create(ada)
    ada.say("sit", room=room, seat=1)
    ada.ask("add_bot", room=room, bot="perfect")
    (search,) = harness.scheduler.wanted
    harness.directory.stop()
    assert not search.wanted
    assert await harness.store.open_rooms() == [room]


async def test_memory_is_freed_when_many_rooms_have_left_it() -> None:
    freed: list[int] = []
    async with open_harness(limits(idle_room_seconds=60.0, player_milliseconds=0)) as harness:
        ada = await harness.person()
        harness.context.free_memory = lambda: freed.append(len(harness.directory))
        for _ in range(ROOMS_FREED_AT_ONCE + 1):
            ada.ask("create", game="tictactoe")
        harness.clock.advance(60.0 + 2 * SWEEP_SECONDS)
        assert freed == [1]
