"""Bots at a running table: they move when they are to, once, and never hold anybody up."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from structlog.testing import capture_logs

from parlour_protocol.events import MovePlayed
from parlour_protocol.views.reports import Candidate, Compiling, Report, Score
from parlour_server.analysis.fair_queue import Requester
from parlour_server.analysis.scheduler import SearchScheduler
from parlour_server.hosting.actors.log_actor import CRASH_SECONDS
from parlour_server.hosting.rooms.bot_seat import FAILED_WAIT, FAILURES_ALLOWED, REFUSED_WAIT
from parlour_server.hosting.rooms.requests import RoomRequest
from parlour_server.hosting.rooms.timers import ROUNDING
from parlour_server.refusals import Refusal
from parlour_server.room.commands import BotMove
from parlour_server.room.decide import decide
from tests.analysis.searches import until
from tests.hosting.house import GatedStore, House, Person, found, open_house, settle


@pytest.fixture
async def house() -> AsyncIterator[House]:
    async with open_house() as opened:
        yield opened


async def against_bot(house: House, bot: str = "alphabeta:seed=5", **settings: object) -> tuple[Person, str]:
    """Ada in the first seat, to move at version 4, and a bot in the second."""
    ada = await house.person()
    room: str = ada.ask("create", game="tictactoe", settings=settings)["room"]
    ada.say("sit", room=room)
    assert ada.ask("add_bot", room=room, bot=bot)["version"] == 4
    return ada, room


async def two_bots(house: House, **settings: object) -> tuple[Person, str]:
    """Two bots, the first to move, while their room's owner looks on."""
    ada = await house.person()
    room: str = ada.ask("create", game="tictactoe", settings=settings)["room"]
    ada.say("subscribe", room=room)
    for seed in (1, 2):
        ada.ask("add_bot", room=room, bot=f"random:seed={seed}")
    return ada, room


def moves(house: House, room: str) -> list[str]:
    return [played.move for played in house.room(room).state.moves]


# ---------------------------------------------------------------- moving


async def test_a_bot_is_asked_when_it_is_to_move_and_only_then(house: House) -> None:
    ada, room = await against_bot(house)
    assert house.scheduler.wanted == []
    ada.ask("play", room=room, version=4, move="b2")
    (search,) = house.scheduler.wanted
    assert search.job.position == house.room(room).state.position
    report = house.scheduler.answer()
    assert moves(house, room) == ["b2", report.best]
    assert house.scheduler.wanted == []
    assert ada.of("event")[-1]["set"]["report"]["nodes"] == report.nodes


async def test_thoughts_go_out_while_it_thinks(house: House) -> None:
    ada, room = await against_bot(house)
    ada.ask("play", room=room, version=4, move="b2")
    (search,) = house.scheduler.wanted
    search.on_report(Report("alphabeta", [Candidate("a1", Score(0, "exact", "draw"))], "a1", nodes=77))
    (thinking,) = ada.of("thinking")
    assert (thinking["version"], thinking["seat"], thinking["report"]["nodes"]) == (5, 1, 77)


async def test_thoughts_that_are_kept_from_a_player_reach_no_spectator(house: House) -> None:
    ada, room = await against_bot(house, reports="never")
    eve = await house.person("Eve")
    eve.ask("subscribe", room=room)
    ada.ask("play", room=room, version=4, move="b2")
    (search,) = house.scheduler.wanted
    search.on_report(Report("alphabeta", [], nodes=77))
    assert (len(ada.of("thinking")), len(eve.of("thinking"))) == (0, 0)


async def test_a_search_that_was_cut_short_still_moves(house: House) -> None:
    ada, room = await against_bot(house)
    ada.ask("play", room=room, version=4, move="a3")
    house.scheduler.take().on_done(Report("alphabeta", []))
    assert moves(house, room) == ["a3", "b3"]


async def test_bots_keep_their_pace_by_the_clock(house: House) -> None:
    _, room = await two_bots(house, pace=2.0)
    house.clock.advance(0.5)
    house.scheduler.answer()
    assert moves(house, room) == []
    house.clock.advance(1.4)
    assert moves(house, room) == []
    house.clock.advance(0.1)
    assert len(moves(house, room)) == 1
    # One that thought for longer than the pause waits no more.
    house.clock.advance(2.5)
    house.scheduler.answer()
    assert len(moves(house, room)) == 2


async def test_a_bot_does_not_keep_a_person_waiting(house: House) -> None:
    ada, room = await against_bot(house, pace=60.0)
    ada.ask("play", room=room, version=4, move="b2")
    house.scheduler.answer()
    assert len(moves(house, room)) == 2


async def test_without_a_pause_bots_play_to_the_end_and_again(house: House) -> None:
    ada, room = await two_bots(house, pace=0.0)
    for number in (1, 2):
        while house.room(room).state.phase == "playing":
            house.scheduler.answer()
        assert sum(house.room(room).state.wins) + house.room(room).state.draws == number
        ada.ask("rematch", room=room)
    assert house.room(room).state.game_number == 3


# ---------------------------------------------------------------- too late


async def test_a_stale_answer_is_dropped(house: House) -> None:
    ada, room = await against_bot(house)
    ada.ask("play", room=room, version=4, move="b2")
    house.store.holds = True
    ada.say("resign", room=room)
    # The bot finds its move while the resignation is being written.
    house.scheduler.answer()
    house.store.holds = False
    house.store.release()
    state = house.room(room).state
    assert (state.phase, moves(house, room)) == ("finished", ["b2"])
    ada.ask("rematch", room=room)
    assert state.to_move == 1
    house.scheduler.answer()
    assert len(moves(house, room)) == 1


async def test_an_answer_for_an_earlier_game_is_dropped(house: House) -> None:
    ada, room = await against_bot(house, starts="first")
    ada.ask("play", room=room, version=4, move="b2")
    search = house.scheduler.wanted[0]
    ada.ask("resign", room=room)
    assert not search.wanted
    ada.ask("rematch", room=room)
    version = house.room(room).state.version
    bot = house.room(room).state.seats[1]
    assert bot is not None
    replies: list[str] = []

    def reply(command_id: str, room: str, version: int, refusal: Refusal | None) -> None:
        replies.append(str(refusal))

    late = BotMove("a1", 5, Report("alphabeta", []))
    house.room(room).submit(RoomRequest(late, bot.player, "play-5", reply))
    assert replies == ["It is not your turn."]
    assert house.room(room).state.version == version


@pytest.mark.parametrize("ending", ["resign", "close"])
async def test_a_search_that_is_no_longer_wanted_is_stopped(house: House, ending: str) -> None:
    ada, room = await against_bot(house)
    ada.ask("play", room=room, version=4, move="b2")
    (search,) = house.scheduler.wanted
    ada.ask(ending, room=room)
    assert not search.wanted
    assert house.scheduler.wanted == []


async def test_a_room_that_closes_frees_its_worker() -> None:
    scheduler = SearchScheduler(kind="thread", workers=1, longest=60)
    async with open_house(scheduler=scheduler) as house:
        ada, room = await against_bot(house, "minimax:seed=1")
        ada.ask("resign", room=room)
        ada.ask("rematch", room=room)
        await until(lambda: len(scheduler._running) == 1)
        (running,) = scheduler._running.values()
        ada.ask("close", room=room)
        assert not running.wanted
        await until(lambda: not scheduler._running)
        assert house.room(room).state.phase == "closed"
        assert all(not isinstance(record.event, MovePlayed) for record in await house.store.read(room))
        await scheduler.close()


# ---------------------------------------------------------------- what goes wrong


async def test_a_bot_whose_search_keeps_failing_gives_up(house: House) -> None:
    ada, room = await against_bot(house)
    ada.ask("play", room=room, version=4, move="b2")
    for attempt in range(FAILURES_ALLOWED):
        assert house.room(room).state.phase == "playing"
        house.clock.advance(FAILED_WAIT * attempt)
        house.scheduler.fail()
    state = house.room(room).state
    assert state.result is not None
    assert (state.phase, state.result.winner) == ("finished", 0)
    assert "failed" in state.result.reason


async def test_a_search_that_fails_now_and_then_costs_nothing(house: House) -> None:
    ada, room = await against_bot(house, starts="first")
    for ply in range(3):
        version = house.room(room).state.version
        move = house.room(room).state.legal_moves()[0]
        ada.ask("play", room=room, version=version, move=move)
        if house.room(room).state.phase != "playing":
            break
        for _ in range(FAILURES_ALLOWED - 1):
            house.scheduler.fail()
            house.clock.advance(FAILED_WAIT)
        house.scheduler.answer()
        assert len(moves(house, room)) == 2 * ply + 2


async def test_a_bot_that_names_an_illegal_move_tries_again_and_gives_up(house: House) -> None:
    ada, room = await against_bot(house)
    ada.ask("play", room=room, version=4, move="b2")
    with capture_logs() as logs:
        for _ in range(FAILURES_ALLOWED):
            house.scheduler.take().on_done(Report("alphabeta", [], "b2", finished=True))
            house.clock.advance(FAILED_WAIT)
    assert [entry["code"] for entry in logs] == ["illegal_move"] * FAILURES_ALLOWED
    assert house.room(room).state.phase == "finished"
    assert moves(house, room) == ["b2"]


async def test_a_move_that_was_not_saved_is_thought_of_again(house: House) -> None:
    ada, room = await against_bot(house)
    ada.ask("play", room=room, version=4, move="b2")
    house.store.full = True
    first = house.scheduler.answer()
    assert moves(house, room) == ["b2"]
    # Not at once: a full disk must not have it search without a pause.
    assert house.scheduler.wanted == []
    house.clock.advance(REFUSED_WAIT)
    house.scheduler.answer()
    assert moves(house, room) == ["b2"]
    assert house.scheduler.wanted == []
    house.store.full = False
    house.clock.advance(REFUSED_WAIT)
    assert house.scheduler.answer().best == first.best
    assert moves(house, room) == ["b2", first.best]


async def test_a_move_played_by_another_server_is_not_played_twice(house: House) -> None:
    ada, room = await against_bot(house)
    ada.ask("play", room=room, version=4, move="b2")
    async with open_house(store=house.store) as other:
        (theirs,) = other.scheduler.wanted
        assert theirs.job == house.scheduler.wanted[0].job
        played = other.scheduler.answer()
        house.scheduler.answer()
        await settle()
        assert moves(house, room) == moves(other, room) == ["b2", played.best]
        assert len(await house.store.read(room)) == 6
        assert house.scheduler.wanted == other.scheduler.wanted == []


# ---------------------------------------------------------------- restarts and seeds


async def test_after_a_restart_the_bot_that_is_to_move_moves(house: House) -> None:
    ada, room = await against_bot(house)
    ada.ask("play", room=room, version=4, move="b2")
    (search,) = house.scheduler.wanted
    expected = found(search.job)
    async with open_house(store=house.store) as again:
        assert again.scheduler.answer().best == expected.best
        assert moves(again, room) == ["b2", expected.best]


@pytest.mark.parametrize("bot", ["random", "easy", "minimax:depth=2", "perfect"])
async def test_the_same_log_makes_the_same_game(bot: str) -> None:
    """A seed that was drawn when the bot sat down decides all of its moves, on any server."""
    games = []
    first = GatedStore()
    async with open_house(store=first) as house:
        ada = await house.person()
        room = ada.ask("create", game="tictactoe", settings={"pace": 0})["room"]
        for _ in range(2):
            ada.ask("add_bot", room=room, bot=bot)
        begun = await first.read(room)
    for _ in range(2):
        store = GatedStore()
        store.append(room, 0, begun, lambda error: None)
        async with open_house(store=store) as house:
            while house.room(room).state.phase == "playing":
                house.scheduler.answer()
            games.append(moves(house, room))
    assert games[0] == games[1]
    assert len(games[0]) >= 5


async def test_bots_without_a_seed_do_not_all_play_alike(house: House) -> None:
    ada = await house.person()
    games = set()
    for _ in range(8):
        room = ada.ask("create", game="tictactoe", settings={"pace": 0})["room"]
        for _ in range(2):
            ada.ask("add_bot", room=room, bot="random")
        while house.room(room).state.phase == "playing":
            house.scheduler.answer()
        games.add(tuple(moves(house, room)))
    assert len(games) > 4


async def test_nobody_is_shown_a_seed_whether_it_was_given_or_drawn(house: House) -> None:
    ada = await house.person()
    room = ada.ask("create", game="tictactoe")["room"]
    ada.say("subscribe", room=room)
    for bot in ("random:seed=990099", "random"):
        ada.ask("add_bot", room=room, bot=bot)
    house.scheduler.answer()
    record = ada.say("record", room=room)
    await settle()
    assert ada.answers(record)[0]["type"] == "record"
    seated = [one for one in house.room(room).state.seats if one is not None]
    assert [one.bot and one.bot.settings for one in seated] == ["random", "random"]
    seeds = [one.bot.seed for one in seated if one.bot is not None]
    assert seeds[0] == 990_099
    assert not [seed for seed in seeds if str(seed) in str(ada.wire.said)]


async def test_a_move_that_crashes_its_room_now_and_then_is_given_up_in_the_end(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, room = await against_bot(house)
    ada.ask("play", room=room, version=4, move="b2")
    works = decide

    def fails(state: Any, command: Any, *rest: Any) -> Any:
        if isinstance(command, BotMove):
            raise RuntimeError("a fault of ours")
        return works(state, command, *rest)

    monkeypatch.setattr(house.room(room), "_decide", fails)
    for _ in range(FAILURES_ALLOWED):
        house.scheduler.answer()
        await settle()
        assert house.scheduler.wanted == []
        # Seldom enough that the room is not quarantined.
        house.clock.advance(CRASH_SECONDS)
        await settle()
    assert house.room(room).state.phase == "finished"
    assert house.room(room).state.result is not None


# ---------------------------------------------------------------- compiled code


async def test_that_a_bot_waits_for_its_code_is_no_thought_to_be_kept_back(house: House) -> None:
    ada, room = await against_bot(house, reports="never")
    ada.ask("play", room=room, version=4, move="b2")
    (search,) = house.scheduler.wanted
    search.on_report(Report("hard", [], compiling=Compiling("connect4", 3, 13)))
    (thinking,) = ada.of("thinking")
    assert thinking["report"]["compiling"] == {"game": "connect4", "done": 3, "of": 13}


# ---------------------------------------------------------------- the queue


async def waits(house: House, seconds: float, before: int = 3) -> None:
    """The bot's search waits so long for a worker, and then begins."""
    (search,) = house.scheduler.wanted
    search.waits_since = house.clock.seconds
    search.on_report(Report("hard", [], queued=before))
    house.clock.advance(seconds)
    search.waited_before, search.waits_since = search.waited, None
    search.on_report(Report("hard", []))


@pytest.fixture
async def timed(house: House) -> tuple[Person, str]:
    """Ada and a bot with a minute each; each has made a move, and Ada her second: the bot's clock runs."""
    ada, room = await against_bot(house, clock="1+0", starts="first")
    for move in ("b2", None, "c2"):
        if move is None:
            house.scheduler.answer()
        else:
            ada.ask("play", room=room, version=house.room(room).state.version, move=move)
    return ada, room


def left(house: House, room: str) -> int:
    """Milliseconds that the bot has left."""
    clocks = house.room(room).state.clocks
    assert clocks is not None
    return clocks.left[1]


async def test_a_bots_clock_rests_while_it_waits_for_its_code(
    house: House, timed: tuple[Person, str]
) -> None:
    ada, _ = timed
    (search,) = house.scheduler.wanted
    search.waits_since = house.clock.seconds
    search.on_report(Report("hard", [], compiling=Compiling("connect4", 3, 13)))
    thinking = ada.of("thinking")[-1]
    assert "running" not in thinking["clock"]


async def test_a_bots_clock_rests_while_its_search_waits(house: House, timed: tuple[Person, str]) -> None:
    _, room = timed
    await waits(house, 100.0)
    house.clock.advance(2.0)
    assert house.room(room).state.phase == "playing"
    house.scheduler.answer()
    assert left(house, room) == 58_000
    # The log alone says so.
    async with open_house(store=house.store) as again:
        assert left(again, room) == 58_000


async def test_but_not_while_it_thinks(house: House, timed: tuple[Person, str]) -> None:
    _, room = timed
    await waits(house, 100.0)
    house.clock.advance(59.9)
    assert house.room(room).state.phase == "playing"
    house.clock.advance(0.2)
    state = house.room(room).state
    assert state.result is not None
    assert (state.result.termination, state.result.winner, left(house, room)) == ("time", 0, 0)


async def test_that_it_waits_is_shown_to_all_with_its_clock_at_rest(
    house: House, timed: tuple[Person, str]
) -> None:
    ada, room = timed
    ada.wire.said.clear()
    (search,) = house.scheduler.wanted
    search.waits_since = house.clock.seconds
    house.clock.advance(1.0)
    search.on_report(Report("hard", [], queued=2))
    now = house.context.now()
    # Who comes meanwhile is shown it, too.
    eve = await house.person("Eve")
    eve.ask("subscribe", room=room)
    search.waited_before, search.waits_since = search.waited, None
    search.on_report(Report("hard", []))
    house.clock.advance(3.0)
    search.on_report(Report("hard", [Candidate("a1", Score(0, "exact", "draw"))], "a1", nodes=77))
    rests, begins, thinks = ada.of("thinking")
    assert eve.of("thinking") == [rests, begins, thinks]
    assert rests["report"]["queued"] == 2
    assert rests["clock"] == {"left": [60_000, 60_000], "since": now}
    assert begins["clock"] == {"left": [60_000, 60_000], "since": now, "running": 1}
    assert thinks["clock"] == {"left": [60_000, 57_000], "since": now + 3_000, "running": 1}
    house.scheduler.answer()
    late = await house.person("Leo")
    late.ask("subscribe", room=room)
    assert late.of("thinking") == []


async def test_without_a_wait_no_clock_is_sent_with_the_thoughts(
    house: House, timed: tuple[Person, str]
) -> None:
    ada, _ = timed
    (search,) = house.scheduler.wanted
    search.on_report(Report("hard", [], nodes=77))
    assert "clock" not in ada.of("thinking")[-1]


async def test_who_takes_the_bots_seat_does_not_pay_for_its_wait(house: House) -> None:
    ada, ben = await house.person("Ada"), await house.person("Ben")
    room: str = ada.ask("create", game="tictactoe", settings={"clock": "1+0", "starts": "first"})["room"]
    ben.say("sit", room=room)
    ada.ask("add_bot", room=room, bot="alphabeta")
    ben.ask("play", room=room, version=4, move="b2")
    house.scheduler.answer()
    ben.ask("play", room=room, version=6, move=house.room(room).state.legal_moves()[0])
    await waits(house, 100.0)
    house.clock.advance(2.0)
    assert ada.ask("take_over", room=room)["type"] == "accepted"
    clocks = house.room(room).state.clocks
    assert clocks is not None
    assert clocks.remaining(1, house.context.now()) == 58_000


@pytest.mark.parametrize("action", ["takeback", "resign"])
async def test_a_turn_that_ends_without_a_move_is_not_charged_for_the_wait(
    house: House, timed: tuple[Person, str], action: str
) -> None:
    ada, room = timed
    await waits(house, 100.0)
    house.clock.advance(2.0)
    assert ada.ask(action, room=room)["type"] == "accepted"
    assert left(house, room) == 58_000


async def test_a_restart_gives_a_bot_that_begins_its_search_again_its_time_again(
    house: House, timed: tuple[Person, str]
) -> None:
    _, room = timed
    await waits(house, 100.0)
    house.store.alive = house.context.now()
    async with open_house(store=house.store) as again:
        again.clock.advance(2.0)
        again.scheduler.answer()
        assert left(again, room) == 58_000 + 1000 * ROUNDING


async def test_a_search_says_whom_it_is_for(house: House) -> None:
    ada, room = await against_bot(house)
    ada.session.address = "192.0.2.7"
    ada.ask("play", room=room, version=4, move="b2")
    (search,) = house.scheduler.wanted
    assert search.requester == Requester("seat", ada.session.player, "192.0.2.7")
    # Nobody waits for one of two bots.
    _, theirs = await two_bots(house)
    owner = house.room(theirs).state.owner
    assert house.scheduler.wanted[-1].requester == Requester("bots", owner)
