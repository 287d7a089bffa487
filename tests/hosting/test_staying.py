"""Rooms where people stay: several connections of one player, rooms that sleep, and what is kept of them."""

import asyncio
from typing import Any

import pytest
from pydantic_core import to_json
from structlog.testing import capture_logs

from parlour_server.hosting.actors.log_actor import CRASH_SECONDS
from parlour_server.hosting.actors.registry import SWEEP_SECONDS
from parlour_server.hosting.rooms.audience import AWAY_GRACE
from parlour_server.hosting.rooms.histories import GAMES_KEPT
from parlour_server.hosting.rooms.housekeeping import PRUNE_SECONDS
from parlour_server.log import LogRecord
from parlour_server.net.connection import OUTBOX_BYTES
from parlour_server.sessions.log_queries import PAGE_BYTES
from parlour_server.sessions.session import MOST_UNANSWERED
from parlour_server.settings import ServerLimits
from tests.hosting.harness import (
    GatedStore,
    HostingHarness,
    Person,
    fails,
    open_harness,
    programs_game,
    seated,
    settle,
    table,
)


def limits(**some: Any) -> ServerLimits:
    return ServerLimits(messages_per_second=0, **some)


# ---------------------------------------------------------------- several connections of one player


@pytest.mark.parametrize("first", ["older", "newer"])
async def test_all_connections_of_a_player_are_equal_and_the_last_to_go_leaves_them_away(
    harness: HostingHarness, first: str
) -> None:
    ada, ben, room = await seated(harness)
    twin = await harness.person("Ada", ada.token)
    harness.clock.advance(1.0)
    before = len(ben.of("presence"))
    twin.ask("subscribe", room=room)
    for person, version, move in ((twin, 4, "b2"), (ben, 5, "a1"), (ada, 6, "c3")):
        assert person.ask("play", room=room, version=version, move=move)["type"] == "accepted"
    twin.ask("draw", room=room)
    ada.ask("say", room=room, text="sorry, my finger slipped")
    ada.ask("decline", room=room, offer="draw")
    assert ada.view(room) == twin.view(room) == harness.view(room, ada)
    assert twin.events() == ben.events()[-6:]
    goes, stays = (ada, twin) if first == "older" else (twin, ada)
    goes.hang_up()
    harness.clock.advance(1.0)
    shown = [(one["set"]["online"], one["set"]["watching"]) for one in ben.of("presence")[before:]]
    assert shown and all(one == ([True, True], 0) for one in shown)
    assert stays.ask("say", room=room, text="still here")["type"] == "accepted"
    stays.hang_up()
    harness.clock.advance(AWAY_GRACE + 1.0)
    assert ben.view(room)["online"] == [False, True]


async def test_a_wall_is_shown_all_and_counts_as_nobodys_presence(harness: HostingHarness) -> None:
    ada, ben, room = await seated(harness)
    wall, eve = await harness.person("Ada", ada.token), await harness.person("Eve")
    for one in (wall, eve):
        one.ask("subscribe", room=room, present=False)
    ada.hang_up()
    harness.clock.advance(AWAY_GRACE + 1.0)
    left_at = ben.view(room)["away_since"][0]
    ben.ask("say", room=room, text="where are you?")
    for _ in range(2):
        wall.ask("subscribe", room=room, present=False)
        harness.clock.advance(1.0)
    eve.hang_up()
    wall.hang_up()
    harness.clock.advance(1.0)
    assert wall.events() == ["chat_posted"]
    shown = [one["set"]["watching"] for one in ben.of("presence")]
    assert (set(shown), ben.view(room)["online"]) == ({0}, [False, True])
    assert ben.view(room)["away_since"] == [left_at, None]


async def test_who_sits_at_a_wall_is_there_until_they_only_watch_it_again(harness: HostingHarness) -> None:
    ada, ben, room = await seated(harness)
    ada.ask("subscribe", room=room, present=False)
    harness.clock.advance(AWAY_GRACE + 1.0)
    assert ben.view(room)["online"] == [False, True]
    assert ben.view(room)["away_since"][0] is not None
    ada.ask("subscribe", room=room)
    harness.clock.advance(1.0)
    assert (ben.view(room)["online"], ben.view(room)["away_since"]) == ([True, True], [None, None])


async def test_who_sits_down_plays_wherever_they_watch(harness: HostingHarness) -> None:
    eve = await harness.person("Eve")
    room = eve.ask("create", game="tictactoe")["room"]
    ada = await harness.person("Ada")
    twin = await harness.person("Ada", ada.token)
    for person in (eve, ada, twin):
        person.ask("subscribe", room=room)
    harness.clock.advance(1.0)
    assert eve.view(room)["watching"] == 2
    twin.say("sit", room=room)
    harness.clock.advance(1.0)
    assert ada.view(room) == twin.view(room)
    assert (ada.view(room)["you"], eve.view(room)["watching"]) == (0, 1)


# ---------------------------------------------------------------- sleep


async def asleep(harness: HostingHarness, **settings: Any) -> tuple[Person, Person, str]:
    """A room with a running game that everybody left for long."""
    ada, ben, room = await seated(harness, **settings)
    ada.ask("play", room=room, version=4, move="b2")
    for person in (ada, ben):
        person.ask("unsubscribe", room=room)
    harness.clock.advance(1000.0 + 3 * SWEEP_SECONDS)
    assert len(harness.directory) == 0
    return ada, ben, room


@pytest.mark.parametrize(
    ("kind", "fields", "answer"),
    [
        ("subscribe", {}, "accepted"),
        ("sit", {}, "refused"),
        ("play", {"version": 5, "move": "a1"}, "accepted"),
        ("say", {"text": "still there?"}, "accepted"),
        ("thoughts", {}, "thoughts"),
        ("record", {}, "record"),
    ],
)
async def test_a_room_that_sleeps_comes_back_when_asked_for(
    kind: str, fields: dict[str, Any], answer: str
) -> None:
    async with open_harness(limits(idle_room_seconds=100.0, away_room_seconds=1000.0)) as harness:
        _, ben, room = await asleep(harness)
        asked = ben.say(kind, room=f"{room[:3]}-{room[3:].lower()}", **fields)
        await settle()
        assert [message["type"] for message in ben.answers(asked)] == [answer]


async def test_what_is_for_a_sleeping_room_is_done_in_the_order_it_came() -> None:
    async with open_harness(limits(idle_room_seconds=100.0, away_room_seconds=1000.0)) as harness:
        _, ben, room = await asleep(harness)
        asked = [
            ben.say("subscribe", room=room),
            ben.say("play", room=f" {room.lower()}", version=5, move="a1"),
            ben.say("play", room=room, version=6, move="c3"),
            ben.say("say", room=room, text="at last"),
        ]
        # The room is there before those who wait for it have been notified.
        while not len(harness.directory):
            assert not any(ben.answers(one) for one in asked)
            await asyncio.sleep(0)
        asked.append(ben.say("resign", room=room))
        await settle()
        answers = [ben.answers(one)[0] for one in asked]
        assert [answer.get("code", answer["version"]) for answer in answers] == [5, 6, "not_your_turn", 7, 8]
        assert [message["id"] for message in ben.wire.said if message.get("id") in asked] == asked


async def test_so_much_waits_for_a_sleeping_room_and_then_no_more_is_read() -> None:
    async with open_harness(limits(idle_room_seconds=100.0, away_room_seconds=1000.0)) as harness:
        _, ben, room = await asleep(harness)
        asked = [ben.say("subscribe", room=room) for _ in range(MOST_UNANSWERED)]
        assert ben.wire.pauses == 1
        await settle()
        assert ben.wire.reading
        assert all(ben.answers(one)[0]["type"] == "accepted" for one in asked)


async def test_a_closed_room_knows_what_it_answered_also_after_a_restart() -> None:
    store = GatedStore()
    async with open_harness(store=store) as harness:
        ada, ben, room = await seated(harness)
        asked = {
            "play": ada.say("play", room=room, version=4, move="b2"),
            "draw": ben.say("draw", room=room),
            "decline": ben.say("decline", room=room, offer="draw"),
            "resign": ben.say("resign", room=room),
            "close": ada.say("close", room=room),
        }
        answers = [(ada if kind in ("play", "close") else ben).answers(one) for kind, one in asked.items()]
        assert [answer["version"] for (answer,) in answers] == [5, 6, 7, 8, 9]
    async with open_harness(store=store) as harness:
        assert len(harness.directory) == 0
        again = {"Ada": await harness.person("Ada", ada.token), "Ben": await harness.person("Ben", ben.token)}
        for (answer,), (kind, one) in zip(answers, asked.items(), strict=True):
            person = again["Ada" if kind in ("play", "close") else "Ben"]
            own: dict[str, dict[str, Any]] = {
                "play": {"version": 4, "move": "b2"},
                "decline": {"offer": "draw"},
            }
            assert await person.ask_store(kind, room=room, id=one, **own.get(kind, {})) == answer
        assert again["Ada"].ask("resign", room=room)["message"] == "This room is closed. Create another one."
        assert again["Ben"].ask("rooms")["rooms"] == []
        harness.clock.advance(2 * SWEEP_SECONDS)
        assert len(harness.directory) == 0
        assert len(await store.read(room)) == 9


async def test_nobodys_time_runs_in_a_room_that_sleeps() -> None:
    async with open_harness(limits(idle_room_seconds=100.0, away_room_seconds=1000.0)) as harness:
        ada, ben, room = await seated(harness, clock="86400/move")
        for version, person, move in ((4, ada, "a1"), (5, ben, "b2")):
            person.ask("play", room=room, version=version, move=move)
            person.ask("unsubscribe", room=room)
        harness.clock.advance(1000.0 + 3 * SWEEP_SECONDS)
        assert len(harness.directory) == 0
        harness.clock.advance(2 * 86_400.0)
        ada.say("subscribe", room=room)
        await settle()
        assert ada.of("snapshot")[-1]["view"]["phase"] == "playing"
        assert (
            ada.ask("play", room=room, version=harness.room(room).state.version, move="c3")["type"]
            == "accepted"
        )


async def test_after_a_restart_old_rooms_sleep_on_and_new_ones_are_there() -> None:
    store = GatedStore()
    async with open_harness(store=store) as harness:
        ada, ben, old = await seated(harness)
        harness.clock.advance(900.0)
        new = await table(harness, ada, ben)
    again = HostingHarness(limits(away_room_seconds=1000.0), store=store)
    again.clock.seconds = harness.clock.seconds + 500.0
    await again.directory.load()
    back = await again.person("Ada", ada.token)
    assert len(again.directory) == 1
    back.ask("subscribe", room=new)
    assert [line["room"] for line in back.ask("rooms")["rooms"]] == [new]
    back.say("subscribe", room=old)
    await settle()
    assert back.of("snapshot")[-1]["room"] == old
    again.directory.stop()


# ---------------------------------------------------------------- keeping


async def test_what_is_older_than_is_kept_is_forgotten_for_good() -> None:
    kept = limits(idle_room_seconds=100.0, away_room_seconds=1000.0, keep="2h")
    async with open_harness(kept) as harness:
        ada, ben, room = await asleep(harness)
        stays = await table(harness, ada, ben)
        for _ in range(4):
            harness.clock.advance(PRUNE_SECONDS)
            await settle()
        # Somebody follows the one, as old as it is.
        assert await harness.store.open_rooms() == [stays]
        assert (await ada.ask_store("subscribe", room=room))["code"] == "unknown_room"
        assert [line["room"] for line in await history(ada)] == [stays]
        assert ada.ask("play", room=stays, version=4, move="b2")["version"] == 5


async def history(person: Person) -> list[dict[str, Any]]:
    asked = person.say("history")
    await settle()
    (answer,) = person.answers(asked)
    rooms: list[dict[str, Any]] = answer["rooms"]
    return rooms


async def test_ones_history_shows_of_ones_own_rooms_the_last_used_first(harness: HostingHarness) -> None:
    ada, ben, eve = [await harness.person(name) for name in ("Ada", "Ben", "Eve")]
    first, second = await table(harness, ada, ben), await table(harness, ada, eve)
    ben.ask("resign", room=first)
    eve.ask("subscribe", room=first)
    eve.ask("resign", room=second)
    ada.ask("close", room=second)
    reported = await history(ada)
    assert [(line["room"], line["phase"], line["you"]) for line in reported] == [
        (second, "closed", 0),
        (first, "finished", 0),
    ]
    assert reported[1]["result"] == {
        "termination": "resignation",
        "reason": "resignation",
        "reason_said": {"id": "game.reason.resignation", "args": {}},
        "winner": 0,
    }
    assert [line["room"] for line in await history(eve)] == [second]
    assert await history(await harness.person("Joe")) == []


@pytest.mark.parametrize("asked", ["record", "thoughts"])
async def test_what_is_long_comes_in_parts_that_fit_together(harness: HostingHarness, asked: str) -> None:
    room, cells = await programs_game(harness, 30)
    eve = await harness.person("Eve")
    moves: list[str] = []
    more, parts = True, 0
    while more:
        command = eve.say(asked, room=room, after=len(moves))
        await settle()
        (answer,) = eve.answers(command)
        items = answer["record"]["moves"] if asked == "record" else answer["thoughts"]
        moves += [one["move"] for one in items]
        more, parts = answer["more"], parts + 1
        assert len(to_json(items[:-1])) < PAGE_BYTES < OUTBOX_BYTES
    assert moves == cells
    assert parts > 2


async def test_a_game_that_is_fetched_in_parts_is_read_once(harness: HostingHarness) -> None:
    room, cells = await programs_game(harness, 30)
    eve = await harness.person("Eve")
    first = await eve.ask_store("record", room=room, number=1)
    reads = harness.store.reads
    after = len(first["record"]["moves"])
    second = await eve.ask_store("record", room=room, number=1, after=after)
    assert second["record"]["moves"][0]["move"] == cells[after]
    assert harness.store.reads == reads
    # Once something has happened in the room, it is read anew.
    eve.ask("subscribe", room=room)
    assert eve.answers(eve.say("say", room=room, text="hello"))[0]["type"] == "accepted"
    third = await eve.ask_store("record", room=room, number=1, after=after)
    assert [line["text"] for line in third["record"]["chat"]] == ["hello"]
    assert harness.store.reads == reads + 1


async def test_no_more_games_are_kept_than_are_fetched(harness: HostingHarness) -> None:
    room, cells = await programs_game(harness, 30)
    people = [await harness.person(f"Eve {n}") for n in range(GAMES_KEPT + 1)]
    for eve in people:
        await eve.ask_store("record", room=room, number=1)
    assert len(harness.directory.histories._kept) == GAMES_KEPT
    for eve in people:
        moves: list[str] = []
        more = True
        while more:
            part = await eve.ask_store("record", room=room, number=1, after=len(moves))
            moves += [move["move"] for move in part["record"]["moves"]]
            more = part["more"]
        assert moves == cells
    await settle()
    assert len(harness.directory.histories._kept) == 0


async def test_a_record_of_nothing_is_refused_and_one_is_looked_up_at_a_time(harness: HostingHarness) -> None:
    ada, _ben, room = await seated(harness)
    for fields in ({"room": room, "number": 2}, {"room": "AAAAAA"}, {"room": "nonsense"}):
        asked = ada.say("record", **fields)
        await settle()
        assert ada.answers(asked)[0]["code"] == "unknown_room"
    first, second = ada.say("record", room=room), ada.say("history")
    assert ada.answers(second)[0]["code"] == "busy"
    await settle()
    assert ada.answers(first)[0]["type"] == "record"
    assert await history(ada) != []


async def test_a_board_is_drawn_without_a_room(harness: HostingHarness) -> None:
    ada = await harness.person()
    board = ada.ask("board", game="tictactoe", moves="b2 a1")
    assert (board["moves"], board["position"]["to_move"]) == (["b2", "a1"], 0)
    assert ada.ask("board", game="tictactoe", moves="a1 b1 a2 b2 a3")["winner"] == "first"
    assert ada.ask("board", game="tictactoe", moves="b2 b2")["code"] == "illegal_move"
    assert ada.ask("board", game="nonsense")["code"] == "unknown_game"


async def test_a_game_is_played_on_from_any_position(harness: HostingHarness) -> None:
    ada, ben = await harness.person("Ada"), await harness.person("Ben")
    room = ada.ask("create", game="tictactoe", moves="b2, a1 c3")["room"]
    for person in (ada, ben):
        person.say("sit", room=room)
    view = ben.of("snapshot")[-1]["view"]
    assert (view["moves"], view["started_with"], view["turn"]["seat"]) == (["b2", "a1", "c3"], 3, 1)
    assert ben.ask("play", room=room, version=4, move="a3")["version"] == 5
    for moves, code in (("a1 b1 a2 b2 a3", "game_over"), ("a1 a1", "invalid_move"), ("z9", "invalid_move")):
        assert ada.ask("create", game="tictactoe", moves=moves)["code"] == code


# ---------------------------------------------------------------- faults of ours


async def test_a_room_that_crashes_a_third_time_within_a_minute_is_put_aside_and_everybody_reported(
    harness: HostingHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, ben, eve = [await harness.person(name) for name in ("Ada", "Ben", "Eve")]
    room, other = await table(harness, ada, ben), await table(harness, ben, eve)
    eve.ask("subscribe", room=room)
    with monkeypatch.context() as patched, capture_logs() as logs:
        patched.setattr(harness.room(room), "_decide", fails)
        for crash in range(3):
            refused = ada.ask("play", room=room, version=4, move="b2")
            assert refused["code"] == "internal"
            # Twice it starts again from its log, and the third time it does not.
            assert ("retry_after" in refused) is (crash < 2)
            await settle()
            harness.clock.advance(CRASH_SECONDS / 3)
    assert [entry["event"] for entry in logs].count("a room crashed") == 3
    for person in (ben, eve):
        reported = [message for message in person.of("refused") if message.get("room") == room]
        assert [(message["code"], "id" in message) for message in reported] == [("internal", False)]
    for kind, fields in (("play", {"version": 4, "move": "b2"}), ("subscribe", {})):
        assert ada.ask(kind, room=room, **fields)["code"] == "internal"
    assert len(await harness.store.read(room)) == 4
    assert ben.ask("play", room=other, version=4, move="a1")["version"] == 5


async def test_a_room_that_crashes_seldom_starts_again_each_time(
    harness: HostingHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, _ben, room = await seated(harness)
    for _ in range(6):
        with monkeypatch.context() as patched:
            patched.setattr(harness.room(room), "_decide", fails)
            assert ada.ask("play", room=room, version=4, move="b2")["retry_after"] > 0
        await settle()
        harness.clock.advance(CRASH_SECONDS / 2)
    assert ada.ask("play", room=room, version=4, move="b2")["version"] == 5


async def test_a_server_that_has_stopped_takes_no_room_up(monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_harness(limits(idle_room_seconds=100.0, away_room_seconds=1000.0)) as harness:
        ada, _, room = await asleep(harness)
        reads, may_read = harness.store.read, asyncio.Event()

        async def slowly(room: str, after: int = 0) -> list[LogRecord]:
            await may_read.wait()
            return await reads(room, after)

        monkeypatch.setattr(harness.store, "read", slowly)
        ada.say("subscribe", room=room)
        await settle()
        harness.directory.stop()
        may_read.set()
        await settle()
        assert len(harness.directory) == 0


async def test_who_stands_in_is_asked_for_no_seat_in_a_closed_room(harness: HostingHarness) -> None:
    ada, ben, room = await seated(harness, stand_in="random", patience=5)
    ben.hang_up()
    harness.clock.advance(6.0)
    assert harness.room(room).state.seats[1].stand_in is not None  # type: ignore[union-attr]
    ada.ask("resign", room=room)
    ada.ask("close", room=room)
    version = harness.room(room).state.version
    again = await harness.person("Ben", ben.token)
    again.say("subscribe", room=room)
    harness.clock.advance(10.0)
    assert harness.room(room).state.version == version


async def test_a_move_from_outside_is_a_sign_of_life(harness: HostingHarness) -> None:
    ada, ben, room = await seated(harness, patience=5)
    ada.ask("play", room=room, version=4, move="b2")
    ben.ask("unsubscribe", room=room)
    harness.clock.advance(4.0)
    ben.ask("play", room=room, version=5, move="a1")
    harness.clock.advance(4.0)
    assert ada.ask("claim", room=room, what="win")["code"] == "not_allowed"
    harness.clock.advance(1.0)
    assert ada.ask("claim", room=room, what="win")["type"] == "accepted"


async def test_who_only_leaves_a_sleeping_room_does_not_wake_it() -> None:
    async with open_harness(limits(idle_room_seconds=100.0, away_room_seconds=1000.0)) as harness:
        _, ben, room = await asleep(harness)
        assert ben.ask("unsubscribe", room=room)["code"] == "unknown_room"
        await settle()
        assert len(harness.directory) == 0


async def test_who_asks_again_for_a_seat_in_a_closed_room_sees_it_and_follows_nothing(
    harness: HostingHarness,
) -> None:
    ada, ben, room = await seated(harness)
    sat = next(message["id"] for message in ben.wire.said if message.get("type") == "accepted")
    ben.ask("resign", room=room)
    ada.ask("close", room=room)
    for _ in range(2):
        shown = len(ben.of("snapshot"))
        ben.say("sit", room=room, id=sat)
        assert ben.answers(sat)[-1] == ben.answers(sat)[0]
        assert len(ben.of("snapshot")) == shown + 1
        assert ben.of("snapshot")[-1]["view"]["phase"] == "closed"
        assert harness.room(room).audience.subscribers == {}


async def test_at_the_files_limit_old_rooms_are_forgotten_and_running_games_go_on() -> None:
    kept = limits(idle_room_seconds=100.0, away_room_seconds=1000.0, keep="17m")
    async with open_harness(kept) as harness:
        ada, ben, old = await seated(harness)
        for person in (ada, ben):
            person.ask("unsubscribe", room=old)
        # Not looked for by itself: that is done once an hour.
        harness.clock.advance(2000.0)
        running = await table(harness, ada, ben)
        await settle()
        assert await harness.store.read(old)
        harness.store.at_limit = True
        refused = await ada.ask_store("create", game="tictactoe")
        assert (refused["code"], refused["retry_after"]) == ("server_full", 60.0)
        assert "no room for new games" in refused["message"]
        await settle()
        assert not await harness.store.read(old)
        assert ada.ask("play", room=running, version=4, move="a1")["type"] == "accepted"
