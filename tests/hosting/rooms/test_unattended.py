"""Two bots in a room that no one is connected to: they play whole games, and then they rest."""

import asyncio
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour_server.hosting.rooms import bot_seat
from parlour_server.hosting.rooms.timers import LONGEST_PAUSE, ROUNDING
from tests.hosting.harness import HostingHarness, Person, open_harness

BUDGET = 60


@pytest.fixture(autouse=True)
def small_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_seat, "UNATTENDED_EVENTS", BUDGET)


async def bots_at_full_speed(
    harness: HostingHarness, games: int = 1000, clock: str | None = None
) -> tuple[Person, str]:
    """A series without pauses, begun by Ada, who is not subscribed."""
    ada = await harness.person("Ada")
    room: str = ada.ask(
        "create",
        game="tictactoe",
        settings={"games": games, "pace": 0, **({"clock": clock} if clock else {})},
    )["room"]
    for _ in range(2):
        assert ada.ask("add_bot", room=room, bot="random")["type"] == "accepted"
    return ada, room


def run(harness: HostingHarness, most: int = 3 * BUDGET) -> int:
    """Do what the bots want done, until they want nothing; how many searches that were."""
    for number in range(most):
        if harness.scheduler.wanted:
            harness.scheduler.answer()
        else:
            harness.clock.advance(LONGEST_PAUSE + ROUNDING)
        if not harness.scheduler.wanted:
            harness.clock.advance(LONGEST_PAUSE + ROUNDING)
            if not harness.scheduler.wanted:
                return number
    raise AssertionError("they go on and on")


async def test_two_bots_that_no_one_watches_rest_after_whole_games(harness: HostingHarness) -> None:
    _, room = await bots_at_full_speed(harness)
    begun = harness.room(room).state.version
    run(harness)
    state = harness.room(room).state
    assert BUDGET - 12 < state.version - begun <= BUDGET
    assert (state.phase, harness.room(room).idle, harness.room(room).has_work) == ("finished", True, False)
    assert state.game_number > BUDGET // 12
    harness.clock.advance(3600)
    assert len(await harness.store.read(room)) == state.version


async def test_they_go_on_while_someone_watches_and_again_when_someone_comes(harness: HostingHarness) -> None:
    ada, room = await bots_at_full_speed(harness)
    run(harness)
    rested_at = harness.room(room).state.version
    ada.ask("subscribe", room=room)
    for _ in range(2 * BUDGET):
        harness.scheduler.answer() if harness.scheduler.wanted else harness.clock.advance(ROUNDING)
    left_at = harness.room(room).state.version
    assert left_at > rested_at + BUDGET
    ada.hang_up()
    run(harness)
    assert left_at < harness.room(room).state.version <= left_at + BUDGET


async def test_a_program_that_asks_for_a_game_has_it_played(harness: HostingHarness) -> None:
    """It need not be subscribed for that."""
    ada, room = await bots_at_full_speed(harness, games=1)
    for number in range(1, 4):
        run(harness)
        assert harness.room(room).state.phase == "finished"
        assert harness.room(room).state.game_number == number
        assert ada.ask("rematch", room=room)["type"] == "accepted"


async def test_a_restart_gives_them_no_further_budget(harness: HostingHarness) -> None:
    _, room = await bots_at_full_speed(harness)
    run(harness)
    version = harness.room(room).state.version
    async with open_harness(store=harness.store, name="later") as later:
        run(later)
        assert later.room(room).state.version == version
        eve = await later.person("Eve")
        eve.ask("subscribe", room=room)
        later.clock.advance(LONGEST_PAUSE + ROUNDING)
        assert later.room(room).state.version == version + 1
        later.directory.stop()


async def test_a_long_game_rests_in_the_middle_but_not_while_a_clock_runs(
    harness: HostingHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot_seat, "UNATTENDED_EVENTS", 4)
    _, room = await bots_at_full_speed(harness, games=1)
    run(harness)
    assert len(harness.room(room).state.moves) == 4
    eve = await harness.person("Eve")
    eve.ask("subscribe", room=room)
    assert len(harness.scheduler.wanted) == 1
    eve.hang_up()
    run(harness)
    assert len(harness.room(room).state.moves) in (5, 6, 7, 8)
    _, timed = await bots_at_full_speed(harness, games=1, clock="5+3")
    run(harness)
    assert harness.room(timed).state.phase == "finished"
    assert harness.room(timed).state.result.termination != "time"  # type: ignore[union-attr]


async def test_a_person_at_the_table_is_waited_for_as_ever(
    harness: HostingHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot_seat, "UNATTENDED_EVENTS", 0)
    ada = await harness.person("Ada")
    room = ada.ask("create", game="tictactoe", settings={"starts": "second"})["room"]
    ada.ask("sit", room=room, seat=0)
    ada.hang_up()
    ben = await harness.person("Ada", ada.token)
    ben.ask("add_bot", room=room, bot="easy", seat=1)
    assert len(harness.scheduler.wanted) == 1


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32))
def test_whatever_people_do_they_write_no_more_than_that_unseen(seed: int) -> None:
    """A machine of all that may happen, held against a count of its own."""
    asyncio.run(_evening(random.Random(seed)))


async def _evening(dice: random.Random) -> None:
    budget = dice.choice([3, 10, 40])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bot_seat, "UNATTENDED_EVENTS", budget)
        async with open_harness() as harness:
            ada, room = await bots_at_full_speed(harness, games=dice.choice([1, 3, 1000]))
            here: list[Person] = []
            seen = harness.room(room).state.version
            for _ in range(120):
                live = harness.room(room)
                what = dice.choice(["answer"] * 6 + ["time"] * 3 + ["comes", "goes", "asks"])
                if what == "answer" and harness.scheduler.wanted:
                    harness.scheduler.answer()
                elif what == "time":
                    harness.clock.advance(dice.choice([ROUNDING, 1.0, LONGEST_PAUSE + ROUNDING]))
                elif what == "comes":
                    person = await harness.person("Eve")
                    person.ask("subscribe", room=room)
                    here.append(person)
                elif what == "goes" and here:
                    here.pop(dice.randrange(len(here))).hang_up()
                elif what == "asks" and ada.ask("rematch", room=room)["type"] == "accepted":
                    seen = live.state.version
                if here:
                    seen = live.state.version
                    moves = live.state.bot_to_move
                    assert len(harness.scheduler.wanted) == moves, "they play on before those who are here"
                # A move and what ends the game with it are written together.
                assert live.state.version - seen <= budget + 1
