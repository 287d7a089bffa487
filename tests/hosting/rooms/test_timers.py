"""Time that passes in a room: flags that fall, players who stay away, and servers that were down."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from parlour_server.hosting.rooms.housekeeping import BEAT_SECONDS
from parlour_server.hosting.rooms.timers import GRACE_SECONDS, MOST_LAG, RETRY_SECONDS, ROUNDING
from tests.hosting.harness import HostingHarness, Person, open_harness, seated, settle


async def timed(harness: HostingHarness, **settings: Any) -> tuple[Person, Person, str]:
    """Ada and Ben; both have moved, and Ada's minute runs."""
    ada, ben, room = await seated(harness, **{"clock": "1+0", **settings})
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


async def test_a_flag_falls_by_itself_at_the_right_moment_and_not_before(harness: HostingHarness) -> None:
    ada, ben, _ = await timed(harness)
    harness.clock.advance(60.0 - 0.001)
    assert results(ada) == []
    harness.clock.advance(0.001 + ROUNDING)
    assert results(ada) == results(ben) == [("timeout", 1)]


async def test_a_move_stops_ones_own_time_and_starts_the_others(harness: HostingHarness) -> None:
    ada, ben, room = await timed(harness)
    harness.clock.advance(50.0)
    assert ada.ask("play", room=room, version=6, move="c3")["version"] == 7
    assert ben.of("event")[-1]["set"]["clock"] == {
        "left": [10_000, 60_000],
        "since": harness.context.now(),
        "running": 1,
    }
    harness.clock.advance(59.9)
    assert results(ada) == []
    harness.clock.advance(0.2)
    assert results(ada) == [("timeout", 0)]


@pytest.mark.parametrize(
    ("command", "code"),
    [({"kind": "play", "version": 6, "move": "c3"}, "game_over"), ({"kind": "resign"}, "not_playing")],
)
async def test_a_command_that_comes_too_late_finds_the_game_over(
    harness: HostingHarness, command: dict[str, Any], code: str
) -> None:
    ada, ben, room = await timed(harness)
    # The loop was busy, and no timer has fired yet.
    harness.clock.seconds += 60.0
    late = ada.ask(**command, room=room)
    assert (late["code"], late["version"]) == (code, 7)
    assert results(ben) == [("timeout", 1)]
    assert len(await harness.store.read(room)) == 7


async def test_the_way_of_a_move_is_forgiven_as_far_as_it_was_measured(harness: HostingHarness) -> None:
    ada, _, room = await timed(harness)
    ada.wire.milliseconds = 300
    harness.clock.advance(60.2)
    assert ada.ask("play", room=room, version=6, move="c3")["version"] == 7
    assert ada.of("event")[-1]["set"]["clock"]["left"] == [100, 60_000]


async def test_no_more_is_forgiven_than_so_much(harness: HostingHarness) -> None:
    ada, _, room = await timed(harness)
    ada.wire.milliseconds = 60_000
    harness.clock.advance(60.0 + MOST_LAG / 1000 - 0.01)
    assert results(ada) == []
    harness.clock.advance(0.02)
    assert results(ada) == [("timeout", 1)]
    assert ada.ask("play", room=room, version=6, move="c3")["code"] == "game_over"


async def test_a_flag_that_cannot_be_saved_falls_when_it_can(harness: HostingHarness) -> None:
    ada, ben, room = await timed(harness)
    harness.store.full = True
    harness.clock.advance(61.0)
    assert results(ada) == []
    # Nor is anything else done in the meantime, and everybody is notified.
    assert ada.ask("play", room=room, version=6, move="c3")["code"] == "not_saved"
    assert ben.ask("resign", room=room)["code"] == "not_saved"
    harness.clock.advance(10 * RETRY_SECONDS)
    harness.store.full = False
    harness.clock.advance(RETRY_SECONDS)
    assert results(ada) == [("timeout", 1)]


async def test_a_room_without_a_clock_sets_no_timer(harness: HostingHarness) -> None:
    ada, ben, room = await seated(harness)
    harness.clock.advance(1.0)
    waiting = len(harness.clock._due)
    for ply, move in enumerate("a1 b2 c3 a3".split()):
        (ada, ben)[ply % 2].ask("play", room=room, version=4 + ply, move=move)
    assert len(harness.clock._due) == waiting


# ---------------------------------------------------------------- a server that was down


@asynccontextmanager
async def restarted(harness: HostingHarness, *, crashed: bool = False) -> AsyncIterator[HostingHarness]:
    """Another server on the same store an hour later, once the first one has stopped, or crashed."""
    if not crashed:
        harness.directory.stop()
    again = HostingHarness(store=harness.store)
    again.clock.seconds = harness.clock.seconds + 3600.0
    await again.directory.load()
    yield again
    again.directory.stop()


async def test_while_the_server_is_down_nobodys_time_runs(harness: HostingHarness) -> None:
    ada, _, room = await timed(harness)
    harness.clock.advance(20.5)
    async with restarted(harness) as again:
        back = await again.person("Ada", ada.token)
        back.ask("subscribe", room=room)
        again.clock.advance(0.01)
        resumed = back.of("event")[-1]
        assert resumed["event"]["kind"] == "clocks_resumed"
        assert resumed["set"]["clock"] == {"left": [39_500, 60_000], "since": resumed["at"], "running": 0}
        again.clock.advance(39.4)
        assert results(back) == []
        again.clock.advance(0.2)
        assert results(back) == [("timeout", 1)]


async def test_clocks_wait_for_the_player_to_move_to_come_back_and_not_for_ever(
    harness: HostingHarness,
) -> None:
    _, ben, room = await timed(harness)
    harness.clock.advance(20.0)
    async with restarted(harness) as again:
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
        assert results(back) == [("timeout", 1)]


async def test_a_bots_clock_goes_on_at_once(harness: HostingHarness) -> None:
    ada = await harness.person("Ada")
    room = ada.ask("create", game="tictactoe", settings={"clock": "1+0"})["room"]
    ada.ask("sit", room=room)
    ada.ask("add_bot", room=room, bot="hard")
    for move in ("a1", None, "c3"):
        if move is None:
            harness.scheduler.answer()
        else:
            ada.ask("play", room=room, version=harness.room(room).state.version, move=move)
    assert harness.room(room).ticking
    async with restarted(harness) as again:
        again.clock.advance(0.01)
        clocks = again.room(room).state.clocks
        assert clocks is not None
        assert (clocks.running, clocks.stopped) == (1, False)


async def test_a_crash_costs_a_player_no_more_than_one_beat(harness: HostingHarness) -> None:
    ada, _, room = await timed(harness)
    harness.clock.advance(30.0)
    noted, crashed = harness.store.alive, harness.clock.seconds
    assert 0 <= 1000 * crashed - noted <= 1000 * BEAT_SECONDS
    async with restarted(harness, crashed=True) as again:
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
        assert results(back) == [("timeout", 1)]


async def test_clocks_are_woken_before_anything_is_decided_even_where_that_is_not_saved_at_once(
    harness: HostingHarness,
) -> None:
    ada, _, room = await timed(harness)
    harness.clock.advance(10.0)
    harness.store.full = True
    async with restarted(harness, crashed=True) as again:
        back = await again.person("Ada", ada.token)
        assert back.ask("play", room=room, version=6, move="c3")["code"] == "not_saved"
        again.clock.advance(600.0)
        harness.store.full = False
        assert back.ask("play", room=room, version=6, move="c3")["type"] == "accepted"
        kinds = [record.event.kind for record in await harness.store.read(room)]
        assert kinds[-2:] == ["clocks_stopped", "move_played"]


# ---------------------------------------------------------------- who stays away


async def test_the_others_see_who_is_away_and_since_when(harness: HostingHarness) -> None:
    ada, ben, room = await seated(harness)
    ben.hang_up()
    left = harness.context.now()
    harness.clock.advance(42.0)
    eve = await harness.person("Eve")
    eve.ask("subscribe", room=room)
    assert eve.of("snapshot")[0]["view"]["away_since"] == [None, left]
    assert eve.of("snapshot")[0]["view"]["online"] == [True, False]
    harness.clock.advance(1.0)
    assert ada.of("presence")[-1]["set"]["away_since"] == [None, left]
    back = await harness.person("Ben", ben.token)
    back.ask("subscribe", room=room)
    harness.clock.advance(1.0)
    assert ada.of("presence")[-1]["set"]["away_since"] == [None, None]


async def test_whose_connection_is_lost_while_they_sit_down_is_away_from_then_on(
    harness: HostingHarness,
) -> None:
    ada, ben = await harness.person("Ada"), await harness.person("Ben")
    room = ada.ask("create", game="tictactoe")["room"]
    ada.say("sit", room=room)
    harness.clock.advance(500.0)
    harness.store.holds = True
    ben.say("sit", room=room)
    ben.hang_up()
    harness.store.release()
    assert harness.room(room).state.phase == "playing"
    left = harness.context.now()
    harness.clock.advance(10.0)
    assert harness.room(room).audience.away() == [None, left]


async def test_who_has_not_come_since_a_restart_is_away_since_then(harness: HostingHarness) -> None:
    ada, _ben, room = await seated(harness, patience=30)
    harness.directory.stop()
    async with open_harness(store=harness.store) as again:
        started = again.context.now()
        again.clock.advance(10.0)
        back = await again.person("Ada", ada.token)
        back.ask("subscribe", room=room)
        assert back.of("snapshot")[0]["view"]["away_since"] == [None, started]
        assert back.ask("claim", room=room)["retry_after"] == 20.0


async def test_a_claim_too_early_is_reported_when_to_try_again(harness: HostingHarness) -> None:
    ada, ben, room = await seated(harness, patience=30)
    assert "retry_after" not in ada.ask("claim", room=room)
    ben.hang_up()
    harness.clock.advance(20.0)
    early = ada.ask("claim", room=room)
    assert (early["code"], early["retry_after"]) == ("not_allowed", 10.0)
    # Who goes by what is shown asks no sooner than they may.
    claim_from = ada.of("presence")[-1]["set"]["claim_from"][0]
    assert claim_from == harness.context.now() + 10_000
    harness.clock.advance(9.999)
    assert ada.ask("claim", room=room)["retry_after"] == 0.001
    harness.clock.advance(0.001)
    assert ada.answers(ada.say("claim", room=room))[0]["type"] == "accepted"
    assert results(ada) == [("forfeit (the other player stayed away)", 0)]


async def test_a_bot_is_claimed_and_whoever_comes_back_has_their_seat_again(harness: HostingHarness) -> None:
    ada, ben, room = await seated(harness, patience=5)
    ben.hang_up()
    harness.clock.advance(5.0)
    assert ada.ask("claim", room=room, what="bot", bot="nonsense")["code"] == "unknown_bot"
    ada.say("claim", room=room, what="bot", bot="random")
    ada.say("play", room=room, version=5, move="b2")
    harness.scheduler.answer()
    assert [record.by for record in await harness.store.read(room)][-1] == "bot:1"
    back = await harness.person("Ben", ben.token)
    back.ask("subscribe", room=room)
    assert harness.room(room).state.seats[1].stand_in is None  # type: ignore[union-attr]
    assert "stand_in" not in ada.of("event")[-1]["set"]["seats"][1]


async def test_no_claim_is_promised_while_a_bot_plays_for_who_is_away(harness: HostingHarness) -> None:
    ada, ben, room = await seated(harness, patience=5)
    ben.hang_up()
    harness.clock.advance(5.0)
    assert ada.of("presence")[-1]["set"]["claim_from"][0] is not None
    ada.ask("claim", room=room, what="bot", bot="random")
    harness.clock.advance(1.0)
    assert ada.of("presence")[-1]["set"]["claim_from"] == [None, None]


async def test_a_bot_stands_in_when_patience_is_over_and_hands_the_seat_back(harness: HostingHarness) -> None:
    ada, ben, room = await seated(harness, stand_in="random", patience=20)
    ada.ask("play", room=room, version=4, move="b2")
    ben.hang_up()
    harness.clock.advance(19.9)
    assert harness.scheduler.wanted == []
    harness.clock.advance(0.1 + ROUNDING)
    assert len(harness.scheduler.wanted) == 1
    assert ada.of("event")[-1]["set"]["seats"][1] == {
        "kind": "human",
        "name": "Ben",
        "stand_in": "random",
    }
    # Back while it thinks: the move is one's own.
    (search,) = harness.scheduler.wanted
    back = await harness.person("Ben", ben.token)
    back.ask("subscribe", room=room)
    assert not search.wanted
    version = harness.room(room).state.version
    assert back.ask("play", room=room, version=version, move="a1")["type"] == "accepted"
    assert "random" not in str(harness.room(room).state.seats)


async def test_who_comes_back_just_as_a_bot_sits_down_is_not_played_for(harness: HostingHarness) -> None:
    _ada, ben, room = await seated(harness, stand_in="random", patience=20)
    ben.hang_up()
    harness.store.holds = True
    harness.clock.advance(20.0 + ROUNDING)
    back = await harness.person("Ben", ben.token)
    back.ask("subscribe", room=room)
    harness.store.holds = False
    harness.store.release()
    await settle()
    assert harness.room(room).state.seats[1].stand_in is None  # type: ignore[union-attr]


async def test_a_stand_in_that_cannot_be_saved_sits_down_later(harness: HostingHarness) -> None:
    _ada, ben, room = await seated(harness, stand_in="random", patience=20)
    ben.hang_up()
    harness.store.full = True
    harness.clock.advance(30.0)
    harness.store.full = False
    harness.clock.advance(RETRY_SECONDS)
    assert harness.room(room).state.seats[1].stand_in is not None  # type: ignore[union-attr]
    # And leaves later, where that can't be saved at once.
    harness.store.full = True
    back = await harness.person("Ben", ben.token)
    back.ask("subscribe", room=room)
    harness.store.full = False
    harness.clock.advance(RETRY_SECONDS + ROUNDING)
    assert harness.room(room).state.seats[1].stand_in is None  # type: ignore[union-attr]


async def test_a_stand_in_whose_search_keeps_failing_gives_the_game_up(harness: HostingHarness) -> None:
    ada, ben, room = await seated(harness, stand_in="random", patience=5)
    ada.ask("play", room=room, version=4, move="b2")
    ben.hang_up()
    harness.clock.advance(6.0)
    for _ in range(3):
        harness.scheduler.fail()
        harness.clock.advance(1.0)
    assert results(ada) == [("forfeit (the bot failed)", 0)]
    assert harness.scheduler.wanted == []


async def test_those_who_look_on_leave_nothing_behind(harness: HostingHarness) -> None:
    _ada, _ben, room = await seated(harness)
    for _ in range(20):
        eve = await harness.person("Eve")
        eve.ask("subscribe", room=room)
        eve.hang_up()
    assert harness.room(room).audience.left_at == {}
