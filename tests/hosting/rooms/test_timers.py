"""Time that passes in a room: flags that fall, players who stay away, and servers that were down."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from parlour_server.hosting.rooms.housekeeping import BEAT_SECONDS
from parlour_server.hosting.rooms.timers import GRACE_SECONDS, MOST_LAG, RETRY_SECONDS, ROUNDING
from tests.hosting.house import House, Person, open_house, settle, table


@pytest.fixture
async def house() -> AsyncIterator[House]:
    async with open_house() as opened:
        yield opened


async def timed(house: House, **settings: Any) -> tuple[Person, Person, str]:
    """Ada and Ben; both have moved, and Ada's minute runs."""
    ada, ben = await house.person("Ada"), await house.person("Ben")
    room = await table(house, ada, ben, **{"clock": "1+0", **settings})
    assert ada.ask("play", room=room, version=4, move="a1")["version"] == 5
    assert ben.ask("play", room=room, version=5, move="b2")["version"] == 6
    return ada, ben, room


def results(person: Person) -> list[tuple[str, int | None]]:
    """Why each game ended that the person saw, and who won."""
    ended = [
        message["event"] for message in person.of("event") if message["event"]["kind"] == "game_finished"
    ]
    return [(event["reason"], event.get("winner")) for event in ended]


# ---------------------------------------------------------------- flags


async def test_a_flag_falls_by_itself_at_the_right_moment_and_not_before(house: House) -> None:
    ada, ben, _ = await timed(house)
    house.clock.advance(60.0 - 0.001)
    assert results(ada) == []
    house.clock.advance(0.001 + ROUNDING)
    assert results(ada) == results(ben) == [("time is up", 1)]


async def test_a_move_stops_ones_own_time_and_starts_the_others(house: House) -> None:
    ada, ben, room = await timed(house)
    house.clock.advance(50.0)
    assert ada.ask("play", room=room, version=6, move="c3")["version"] == 7
    assert ben.of("event")[-1]["set"]["clock"] == {
        "left": [10_000, 60_000],
        "since": house.context.now(),
        "running": 1,
    }
    house.clock.advance(59.9)
    assert results(ada) == []
    house.clock.advance(0.2)
    assert results(ada) == [("time is up", 0)]


async def test_a_command_that_comes_too_late_finds_the_game_over(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, ben, room = await timed(house)
    # The loop was busy, and no timer has fired yet.
    house.clock.seconds += 60.0
    late = ada.ask("play", room=room, version=6, move="c3")
    assert (late["code"], late["version"]) == ("game_over", 7)
    assert results(ben) == [("time is up", 1)]
    records = await house.store.read(room)
    assert len(records) == 7


async def test_no_resignation_saves_whose_time_is_up_from_the_reason(house: House) -> None:
    ada, ben, room = await timed(house)
    house.clock.seconds += 61.0
    assert ben.ask("resign", room=room)["code"] == "not_playing"
    assert results(ada) == [("time is up", 1)]


async def test_the_way_of_a_move_is_forgiven_as_far_as_it_was_measured(house: House) -> None:
    ada, _, room = await timed(house)
    ada.wire.milliseconds = 300
    house.clock.advance(60.2)
    assert ada.ask("play", room=room, version=6, move="c3")["version"] == 7
    assert ada.of("event")[-1]["set"]["clock"]["left"] == [100, 60_000]


async def test_no_more_is_forgiven_than_so_much(house: House) -> None:
    ada, _, room = await timed(house)
    ada.wire.milliseconds = 60_000
    house.clock.advance(60.0 + MOST_LAG / 1000 - 0.01)
    assert results(ada) == []
    house.clock.advance(0.02)
    assert results(ada) == [("time is up", 1)]
    assert ada.ask("play", room=room, version=6, move="c3")["code"] == "game_over"


async def test_a_flag_that_cannot_be_saved_falls_when_it_can(house: House) -> None:
    ada, ben, room = await timed(house)
    house.store.full = True
    house.clock.advance(61.0)
    assert results(ada) == []
    # Nor is anything else done in the meantime, and everybody hears so.
    assert ada.ask("play", room=room, version=6, move="c3")["code"] == "not_saved"
    assert ben.ask("resign", room=room)["code"] == "not_saved"
    house.clock.advance(10 * RETRY_SECONDS)
    house.store.full = False
    house.clock.advance(RETRY_SECONDS)
    assert results(ada) == [("time is up", 1)]


async def test_a_room_without_a_clock_sets_no_timer(house: House) -> None:
    ada, ben = await house.person("Ada"), await house.person("Ben")
    room = await table(house, ada, ben)
    house.clock.advance(1.0)
    waiting = len(house.clock._due)
    for ply, move in enumerate("a1 b2 c3 a3".split()):
        (ada, ben)[ply % 2].ask("play", room=room, version=4 + ply, move=move)
    assert len(house.clock._due) == waiting


# ---------------------------------------------------------------- a server that was down


def restarted(house: House, seconds: float) -> House:
    """Another server on the same store, so much later; it is still to be loaded."""
    again = House(store=house.store)
    again.clock.seconds = house.clock.seconds + seconds
    return again


async def test_while_the_server_is_down_nobodys_time_runs() -> None:
    async with open_house() as house:
        ada, _, room = await timed(house)
        house.clock.advance(20.5)
        house.directory.stop()
        again = restarted(house, 3600.0)
        await again.directory.load()
        back = await again.person("Ada", ada.token)
        back.ask("subscribe", room=room)
        again.clock.advance(0.01)
        resumed = back.of("event")[-1]
        assert resumed["event"]["kind"] == "clocks_resumed"
        assert resumed["set"]["clock"] == {"left": [39_500, 60_000], "since": resumed["at"], "running": 0}
        again.clock.advance(39.4)
        assert results(back) == []
        again.clock.advance(0.2)
        assert results(back) == [("time is up", 1)]
        again.directory.stop()


async def test_clocks_wait_for_the_player_to_move_to_come_back_and_not_for_ever() -> None:
    async with open_house() as house:
        _, ben, room = await timed(house)
        house.clock.advance(20.0)
        house.directory.stop()
        again = restarted(house, 3600.0)
        await again.directory.load()
        # It is Ada's time; that Ben is back, and says so, does not make it run.
        again.clock.advance(5.0)
        back = await again.person("Ben", ben.token)
        back.ask("subscribe", room=room)
        back.say("say", room=room, text="hello?")
        again.clock.advance(GRACE_SECONDS - 5.1)
        assert "clocks_resumed" not in back.events()
        again.clock.advance(0.2)
        assert back.events()[-1] == "clocks_resumed"
        assert back.of("event")[-1]["set"]["clock"]["left"] == [40_000, 60_000]
        again.clock.advance(39.9)
        assert results(back) == []
        again.clock.advance(0.2)
        assert results(back) == [("time is up", 1)]
        again.directory.stop()


async def test_a_bots_clock_goes_on_at_once() -> None:
    async with open_house() as house:
        ada = await house.person("Ada")
        room = ada.ask("create", game="tictactoe", settings={"clock": "1+0"})["room"]
        ada.ask("sit", room=room)
        ada.ask("add_bot", room=room, bot="hard")
        for move in ("a1", None, "c3"):
            if move is None:
                house.scheduler.answer()
            else:
                ada.ask("play", room=room, version=house.room(room).state.version, move=move)
        assert house.room(room).ticking
        house.directory.stop()
        again = restarted(house, 3600.0)
        await again.directory.load()
        again.clock.advance(0.01)
        clocks = again.room(room).state.clocks
        assert clocks is not None
        assert (clocks.running, clocks.stopped) == (1, False)
        again.directory.stop()


async def test_a_crash_costs_a_player_no_more_than_one_beat() -> None:
    async with open_house() as house:
        ada, _, room = await timed(house)
        house.clock.advance(30.0)
        noted, crashed = house.store.alive, house.clock.seconds
        assert 0 <= 1000 * crashed - noted <= 1000 * BEAT_SECONDS
        again = restarted(house, 3600.0)
        await again.directory.load()
        back = await again.person("Ada", ada.token)
        back.ask("subscribe", room=room)
        (snapshot,) = back.of("snapshot")
        left = snapshot["view"]["clock"]["left"]
        assert 30_000 <= left[0] <= 30_000 + 1000 * BEAT_SECONDS
        assert left[1] == 60_000
        # And it falls when that is over, not sooner.
        again.clock.advance(left[0] / 1000 - 0.01)
        assert results(back) == []
        again.clock.advance(0.02)
        assert results(back) == [("time is up", 1)]
        again.directory.stop()


async def test_clocks_are_woken_before_anything_is_decided_even_where_that_is_not_saved_at_once() -> None:
    async with open_house() as house:
        ada, _, room = await timed(house)
        house.clock.advance(10.0)
        house.store.full = True
        again = restarted(house, 3600.0)
        await again.directory.load()
        back = await again.person("Ada", ada.token)
        assert back.ask("play", room=room, version=6, move="c3")["code"] == "not_saved"
        again.clock.advance(600.0)
        house.store.full = False
        assert back.ask("play", room=room, version=6, move="c3")["type"] == "accepted"
        kinds = [record.event.kind for record in await house.store.read(room)]
        assert kinds[-2:] == ["clocks_stopped", "move_played"]
        again.directory.stop()


# ---------------------------------------------------------------- who stays away


async def test_the_others_see_who_is_away_and_since_when(house: House) -> None:
    ada, ben = await house.person("Ada"), await house.person("Ben")
    room = await table(house, ada, ben)
    ben.hang_up()
    left = house.context.now()
    house.clock.advance(42.0)
    eve = await house.person("Eve")
    eve.ask("subscribe", room=room)
    assert eve.of("snapshot")[0]["view"]["away_since"] == [None, left]
    assert eve.of("snapshot")[0]["view"]["online"] == [True, False]
    house.clock.advance(1.0)
    assert ada.of("presence")[-1]["set"]["away_since"] == [None, left]
    back = await house.person("Ben", ben.token)
    back.ask("subscribe", room=room)
    house.clock.advance(1.0)
    assert ada.of("presence")[-1]["set"]["away_since"] == [None, None]


async def test_whose_connection_is_lost_while_they_sit_down_is_away_from_then_on(house: House) -> None:
    ada, ben = await house.person("Ada"), await house.person("Ben")
    room = ada.ask("create", game="tictactoe")["room"]
    ada.say("sit", room=room)
    house.clock.advance(500.0)
    house.store.holds = True
    ben.say("sit", room=room)
    ben.hang_up()
    house.store.release()
    assert house.room(room).state.phase == "playing"
    left = house.context.now()
    house.clock.advance(10.0)
    assert house.room(room).absences.both() == [None, left]


async def test_who_has_not_come_since_a_restart_is_away_since_then(house: House) -> None:
    ada, ben = await house.person("Ada"), await house.person("Ben")
    room = await table(house, ada, ben, patience=30)
    house.directory.stop()
    async with open_house(store=house.store) as again:
        started = again.context.now()
        again.clock.advance(10.0)
        back = await again.person("Ada", ada.token)
        back.ask("subscribe", room=room)
        assert back.of("snapshot")[0]["view"]["away_since"] == [None, started]
        assert back.ask("claim", room=room)["retry_after"] == 20.0


async def test_a_claim_too_early_is_told_when_to_try_again(house: House) -> None:
    ada, ben = await house.person("Ada"), await house.person("Ben")
    room = await table(house, ada, ben, patience=30)
    assert "retry_after" not in ada.ask("claim", room=room)
    ben.hang_up()
    house.clock.advance(20.0)
    early = ada.ask("claim", room=room)
    assert (early["code"], early["retry_after"]) == ("not_allowed", 10.0)
    # Who goes by what is shown asks no sooner than they may.
    claim_from = ada.of("presence")[-1]["set"]["claim_from"][0]
    assert claim_from == house.context.now() + 10_000
    house.clock.advance(9.999)
    assert ada.ask("claim", room=room)["retry_after"] == 0.001
    house.clock.advance(0.001)
    assert ada.answers(ada.say("claim", room=room))[0]["type"] == "accepted"
    assert results(ada) == [("the other player stayed away", 0)]


async def test_a_bot_is_claimed_and_whoever_comes_back_has_their_seat_again(house: House) -> None:
    ada, ben = await house.person("Ada"), await house.person("Ben")
    room = await table(house, ada, ben, patience=5)
    ben.hang_up()
    house.clock.advance(5.0)
    assert ada.ask("claim", room=room, what="bot", bot="nonsense")["code"] == "unknown_bot"
    ada.say("claim", room=room, what="bot", bot="random")
    ada.say("play", room=room, version=5, move="b2")
    house.scheduler.answer()
    assert [record.by for record in await house.store.read(room)][-1] == "bot:1"
    back = await house.person("Ben", ben.token)
    back.ask("subscribe", room=room)
    assert house.room(room).state.seats[1].stand_in is None  # type: ignore[union-attr]
    assert "stand_in" not in ada.of("event")[-1]["set"]["seats"][1]


async def test_a_bot_stands_in_when_patience_is_over_and_hands_the_seat_back(house: House) -> None:
    ada, ben = await house.person("Ada"), await house.person("Ben")
    room = await table(house, ada, ben, stand_in="random", patience=20)
    ada.ask("play", room=room, version=4, move="b2")
    ben.hang_up()
    house.clock.advance(19.9)
    assert house.scheduler.wanted == []
    house.clock.advance(0.1 + ROUNDING)
    assert len(house.scheduler.wanted) == 1
    assert ada.of("event")[-1]["set"]["seats"][1] == {
        "kind": "human",
        "name": "Ben",
        "stand_in": "random",
    }
    # Back while it thinks: the move is one's own.
    (search,) = house.scheduler.wanted
    back = await house.person("Ben", ben.token)
    back.ask("subscribe", room=room)
    assert not search.wanted
    version = house.room(room).state.version
    assert back.ask("play", room=room, version=version, move="a1")["type"] == "accepted"
    assert "random" not in str(house.room(room).state.seats)


async def test_who_comes_back_just_as_a_bot_sits_down_is_not_played_for(house: House) -> None:
    ada, ben = await house.person("Ada"), await house.person("Ben")
    room = await table(house, ada, ben, stand_in="random", patience=20)
    ben.hang_up()
    house.store.holds = True
    house.clock.advance(20.0 + ROUNDING)
    back = await house.person("Ben", ben.token)
    back.ask("subscribe", room=room)
    house.store.holds = False
    house.store.release()
    await settle()
    assert house.room(room).state.seats[1].stand_in is None  # type: ignore[union-attr]


async def test_a_stand_in_that_cannot_be_saved_sits_down_later(house: House) -> None:
    ada, ben = await house.person("Ada"), await house.person("Ben")
    room = await table(house, ada, ben, stand_in="random", patience=20)
    ben.hang_up()
    house.store.full = True
    house.clock.advance(30.0)
    house.store.full = False
    house.clock.advance(RETRY_SECONDS)
    assert house.room(room).state.seats[1].stand_in is not None  # type: ignore[union-attr]
    # And leaves later, where that can't be saved at once.
    house.store.full = True
    back = await house.person("Ben", ben.token)
    back.ask("subscribe", room=room)
    house.store.full = False
    house.clock.advance(RETRY_SECONDS + ROUNDING)
    assert house.room(room).state.seats[1].stand_in is None  # type: ignore[union-attr]


async def test_a_stand_in_whose_search_keeps_failing_gives_the_game_up(house: House) -> None:
    ada, ben = await house.person("Ada"), await house.person("Ben")
    room = await table(house, ada, ben, stand_in="random", patience=5)
    ada.ask("play", room=room, version=4, move="b2")
    ben.hang_up()
    house.clock.advance(6.0)
    for _ in range(3):
        house.scheduler.fail()
        house.clock.advance(1.0)
    assert results(ada) == [("the bot failed and gave up", 0)]
    assert house.scheduler.wanted == []


async def test_those_who_look_on_leave_nothing_behind(house: House) -> None:
    ada, ben = await house.person("Ada"), await house.person("Ben")
    room = await table(house, ada, ben)
    for _ in range(20):
        eve = await house.person("Eve")
        eve.ask("subscribe", room=room)
        eve.hang_up()
    assert house.room(room).absences.left_at == {}
