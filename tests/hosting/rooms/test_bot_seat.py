"""Bots at a running table: they move when they are to, once, and never hold anybody up."""

from typing import Any

import pytest
from structlog.testing import capture_logs

from parlour_protocol.events import read_view
from parlour_protocol.views.reports import Candidate, Compiling, Report, Score
from parlour_server.analysis.fair_queue import Requester
from parlour_server.hosting.actors.log_actor import CRASH_SECONDS
from parlour_server.hosting.rooms.bot_seat import FAILED_WAIT, FAILURES_ALLOWED, REFUSED_WAIT
from parlour_server.hosting.rooms.requests import RoomRequest
from parlour_server.hosting.rooms.timers import ROUNDING
from parlour_server.refusals import Refusal
from parlour_server.room.commands import BotMove
from parlour_server.room.decide import decide
from tests.hosting.harness import GatedStore, HostingHarness, Person, open_harness, settle


async def against_bot(
    harness: HostingHarness, bot: str = "alphabeta:seed=5", **settings: object
) -> tuple[Person, str]:
    """Ada in the first seat, to move at version 4, and a bot in the second."""
    ada = await harness.person()
    room: str = ada.ask("create", game="tictactoe", settings=settings)["room"]
    ada.say("sit", room=room)
    assert ada.ask("add_bot", room=room, bot=bot)["version"] == 4
    return ada, room


async def two_bots(harness: HostingHarness, **settings: object) -> tuple[Person, str]:
    """Two bots, the first to move, while their room's owner looks on."""
    ada = await harness.person()
    room: str = ada.ask("create", game="tictactoe", settings=settings)["room"]
    ada.say("subscribe", room=room)
    for seed in (1, 2):
        ada.ask("add_bot", room=room, bot=f"random:seed={seed}")
    return ada, room


def moves(harness: HostingHarness, room: str) -> list[str]:
    return [played.move for played in harness.room(room).state.moves]


# ---------------------------------------------------------------- moving


async def test_a_bot_is_asked_when_it_is_to_move_and_only_then(harness: HostingHarness) -> None:
    ada, room = await against_bot(harness)
    assert harness.scheduler.wanted == []
    ada.ask("play", room=room, version=4, move="b2")
    (search,) = harness.scheduler.wanted
    assert search.job.position == harness.room(room).state.position
    report = harness.scheduler.answer()
    assert moves(harness, room) == ["b2", report.best]
    assert harness.scheduler.wanted == []
    assert ada.of("event")[-1]["set"]["report"]["nodes"] == report.nodes


@pytest.mark.parametrize(("reports", "shown"), [("at_once", 1), ("never", 0)])
async def test_thoughts_go_out_while_it_thinks_to_players_and_spectators_alike(
    harness: HostingHarness, reports: str, shown: int
) -> None:
    ada, room = await against_bot(harness, reports=reports)
    eve = await harness.person("Eve")
    eve.ask("subscribe", room=room)
    ada.ask("play", room=room, version=4, move="b2")
    (search,) = harness.scheduler.wanted
    search.on_report(Report("alphabeta", [Candidate("a1", Score(0, "exact", "draw"))], "a1", nodes=77))
    for person in (ada, eve):
        thinking = [(one["version"], one["seat"], one["report"]["nodes"]) for one in person.of("thinking")]
        assert thinking == [(5, 1, 77)] * shown


async def test_a_search_that_was_cut_short_still_moves(harness: HostingHarness) -> None:
    ada, room = await against_bot(harness)
    ada.ask("play", room=room, version=4, move="a3")
    harness.scheduler.take().on_done(Report("alphabeta", []))
    assert moves(harness, room) == ["a3", "b3"]


async def test_bots_keep_their_pace_by_the_clock(harness: HostingHarness) -> None:
    _, room = await two_bots(harness, pace=2.0)
    harness.clock.advance(0.5)
    harness.scheduler.answer()
    assert moves(harness, room) == []
    harness.clock.advance(1.4)
    assert moves(harness, room) == []
    harness.clock.advance(0.1)
    assert len(moves(harness, room)) == 1
    # One that thought for longer than the pause waits no more.
    harness.clock.advance(2.5)
    harness.scheduler.answer()
    assert len(moves(harness, room)) == 2


async def test_a_bot_does_not_keep_a_person_waiting(harness: HostingHarness) -> None:
    ada, room = await against_bot(harness, pace=60.0)
    ada.ask("play", room=room, version=4, move="b2")
    harness.scheduler.answer()
    assert len(moves(harness, room)) == 2


async def test_without_a_pause_bots_play_to_the_end_and_again(harness: HostingHarness) -> None:
    ada, room = await two_bots(harness, pace=0.0)
    for number in (1, 2):
        while harness.room(room).state.phase == "playing":
            harness.scheduler.answer()
        assert sum(harness.room(room).state.wins) + harness.room(room).state.draws == number
        ada.ask("rematch", room=room)
    assert harness.room(room).state.game_number == 3


# ---------------------------------------------------------------- too late


async def test_a_stale_answer_is_dropped(harness: HostingHarness) -> None:
    ada, room = await against_bot(harness)
    ada.ask("play", room=room, version=4, move="b2")
    harness.store.holds = True
    ada.say("resign", room=room)
    # The bot finds its move while the resignation is being written.
    harness.scheduler.answer()
    harness.store.holds = False
    harness.store.release()
    state = harness.room(room).state
    assert (state.phase, moves(harness, room)) == ("finished", ["b2"])
    ada.ask("rematch", room=room)
    assert state.to_move == 1
    harness.scheduler.answer()
    assert len(moves(harness, room)) == 1


async def test_an_answer_for_an_earlier_game_is_dropped(harness: HostingHarness) -> None:
    ada, room = await against_bot(harness, starts="first")
    ada.ask("play", room=room, version=4, move="b2")
    search = harness.scheduler.wanted[0]
    ada.ask("resign", room=room)
    assert not search.wanted
    ada.ask("rematch", room=room)
    version = harness.room(room).state.version
    bot = harness.room(room).state.seats[1]
    assert bot is not None
    replies: list[str] = []

    def reply(command_id: str, room: str, version: int, refusal: Refusal | None) -> None:
        replies.append(str(refusal))

    late = BotMove("a1", 5, Report("alphabeta", []))
    harness.room(room).submit(RoomRequest(late, bot.player, "play-5", reply))
    assert replies == ["It is not your turn."]
    assert harness.room(room).state.version == version


@pytest.mark.parametrize("ending", ["resign", "close"])
async def test_a_search_that_is_no_longer_wanted_is_stopped(harness: HostingHarness, ending: str) -> None:
    ada, room = await against_bot(harness)
    ada.ask("play", room=room, version=4, move="b2")
    (search,) = harness.scheduler.wanted
    ada.ask(ending, room=room)
    assert not search.wanted
    assert harness.scheduler.wanted == []


# ---------------------------------------------------------------- what goes wrong


async def test_a_bot_whose_search_keeps_failing_gives_up(harness: HostingHarness) -> None:
    ada, room = await against_bot(harness)
    ada.ask("play", room=room, version=4, move="b2")
    for attempt in range(FAILURES_ALLOWED):
        assert harness.room(room).state.phase == "playing"
        harness.clock.advance(FAILED_WAIT * attempt)
        harness.scheduler.fail()
    state = harness.room(room).state
    assert state.result is not None
    assert (state.phase, state.result.winner) == ("finished", 0)
    assert "failed" in state.result.reason


async def test_a_search_that_fails_now_and_then_costs_nothing(harness: HostingHarness) -> None:
    ada, room = await against_bot(harness, starts="first")
    for ply in range(3):
        version = harness.room(room).state.version
        move = harness.room(room).state.legal_moves()[0]
        ada.ask("play", room=room, version=version, move=move)
        if harness.room(room).state.phase != "playing":
            break
        for _ in range(FAILURES_ALLOWED - 1):
            harness.scheduler.fail()
            harness.clock.advance(FAILED_WAIT)
        harness.scheduler.answer()
        assert len(moves(harness, room)) == 2 * ply + 2


async def test_a_bot_that_names_an_illegal_move_tries_again_and_gives_up(harness: HostingHarness) -> None:
    ada, room = await against_bot(harness)
    ada.ask("play", room=room, version=4, move="b2")
    with capture_logs() as logs:
        for _ in range(FAILURES_ALLOWED):
            harness.scheduler.take().on_done(Report("alphabeta", [], "b2", finished=True))
            harness.clock.advance(FAILED_WAIT)
    assert [entry["code"] for entry in logs] == ["illegal_move"] * FAILURES_ALLOWED
    assert harness.room(room).state.phase == "finished"
    assert moves(harness, room) == ["b2"]


async def test_a_move_that_was_not_saved_is_thought_of_again(harness: HostingHarness) -> None:
    ada, room = await against_bot(harness)
    ada.ask("play", room=room, version=4, move="b2")
    harness.store.full = True
    first = harness.scheduler.answer()
    assert moves(harness, room) == ["b2"]
    # Not at once: a full disk must not have it search without a pause.
    assert harness.scheduler.wanted == []
    harness.clock.advance(REFUSED_WAIT)
    harness.scheduler.answer()
    assert moves(harness, room) == ["b2"]
    assert harness.scheduler.wanted == []
    harness.store.full = False
    harness.clock.advance(REFUSED_WAIT)
    assert harness.scheduler.answer().best == first.best
    assert moves(harness, room) == ["b2", first.best]


# ---------------------------------------------------------------- restarts and seeds


@pytest.mark.parametrize("bot", ["random", "easy", "minimax:depth=2", "perfect"])
async def test_the_same_log_makes_the_same_game(bot: str) -> None:
    """A seed that was drawn when the bot sat down decides all of its moves, on any server."""
    games = []
    first = GatedStore()
    async with open_harness(store=first) as harness:
        ada = await harness.person()
        room = ada.ask("create", game="tictactoe", settings={"pace": 0})["room"]
        for _ in range(2):
            ada.ask("add_bot", room=room, bot=bot)
        begun = await first.read(room)
    for _ in range(2):
        store = GatedStore()
        store.append(room, 0, begun, lambda error: None)
        async with open_harness(store=store) as harness:
            while harness.room(room).state.phase == "playing":
                harness.scheduler.answer()
            games.append(moves(harness, room))
    assert games[0] == games[1]
    assert len(games[0]) >= 5


async def test_bots_without_a_seed_do_not_all_play_alike(harness: HostingHarness) -> None:
    ada = await harness.person()
    games = set()
    for _ in range(8):
        room = ada.ask("create", game="tictactoe", settings={"pace": 0})["room"]
        for _ in range(2):
            ada.ask("add_bot", room=room, bot="random")
        while harness.room(room).state.phase == "playing":
            harness.scheduler.answer()
        games.add(tuple(moves(harness, room)))
    assert len(games) > 4


async def test_nobody_is_shown_a_seed_whether_it_was_given_or_drawn(harness: HostingHarness) -> None:
    ada = await harness.person()
    room = ada.ask("create", game="tictactoe")["room"]
    ada.say("subscribe", room=room)
    for bot in ("random:seed=990099", "random"):
        ada.ask("add_bot", room=room, bot=bot)
    harness.scheduler.answer()
    record = ada.say("record", room=room)
    await settle()
    assert ada.answers(record)[0]["type"] == "record"
    seated = [one for one in harness.room(room).state.seats if one is not None]
    assert [one.bot and one.bot.settings for one in seated] == ["random", "random"]
    seeds = [one.bot.seed for one in seated if one.bot is not None]
    assert seeds[0] == 990_099
    assert not [seed for seed in seeds if str(seed) in str(ada.wire.said)]


async def test_a_move_that_crashes_its_room_now_and_then_is_given_up_in_the_end(
    harness: HostingHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, room = await against_bot(harness)
    ada.ask("play", room=room, version=4, move="b2")
    works = decide

    def fails(state: Any, command: Any, *rest: Any) -> Any:
        if isinstance(command, BotMove):
            raise RuntimeError("a fault of ours")
        return works(state, command, *rest)

    monkeypatch.setattr(harness.room(room), "_decide", fails)
    for _ in range(FAILURES_ALLOWED):
        harness.scheduler.answer()
        await settle()
        assert harness.scheduler.wanted == []
        # Seldom enough that the room is not quarantined.
        harness.clock.advance(CRASH_SECONDS)
        await settle()
    assert harness.room(room).state.phase == "finished"
    assert harness.room(room).state.result is not None


# ---------------------------------------------------------------- compiled code


async def test_that_a_bot_waits_for_its_code_is_no_thought_to_be_kept_back(harness: HostingHarness) -> None:
    ada, room = await against_bot(harness, reports="never")
    ada.ask("play", room=room, version=4, move="b2")
    (search,) = harness.scheduler.wanted
    search.on_report(Report("hard", [], compiling=Compiling("connect4", 3, 13, "Connect Four")))
    (thinking,) = ada.of("thinking")
    assert thinking["report"]["compiling"] == {
        "game": "connect4",
        "title": "Connect Four",
        "done": 3,
        "of": 13,
    }


# ---------------------------------------------------------------- the queue


async def waits(harness: HostingHarness, seconds: float, before: int = 3) -> None:
    """The bot's search waits so long for a worker, and then begins."""
    (search,) = harness.scheduler.wanted
    search.waits_since = harness.clock.seconds
    search.on_report(Report("hard", [], queued=before))
    harness.clock.advance(seconds)
    search.waited_before, search.waits_since = search.waited, None
    search.on_report(Report("hard", []))


@pytest.fixture
async def timed(harness: HostingHarness) -> tuple[Person, str]:
    """Ada and a bot with a minute each; each has made a move, and Ada her second: the bot's clock runs."""
    ada, room = await against_bot(harness, clock="1+0", starts="first")
    for move in ("b2", None, "c2"):
        if move is None:
            harness.scheduler.answer()
        else:
            ada.ask("play", room=room, version=harness.room(room).state.version, move=move)
    return ada, room


def left(harness: HostingHarness, room: str) -> int:
    """Milliseconds that the bot has left."""
    clocks = harness.room(room).state.clocks
    assert clocks is not None
    return clocks.left[1]


async def test_a_bots_clock_rests_while_it_waits_for_its_code(
    harness: HostingHarness, timed: tuple[Person, str]
) -> None:
    ada, _ = timed
    (search,) = harness.scheduler.wanted
    search.waits_since = harness.clock.seconds
    search.on_report(Report("hard", [], compiling=Compiling("connect4", 3, 13, "Connect Four")))
    thinking = ada.of("thinking")[-1]
    assert "running" not in thinking["clock"]


async def test_a_bots_clock_rests_while_its_search_waits(
    harness: HostingHarness, timed: tuple[Person, str]
) -> None:
    _, room = timed
    await waits(harness, 100.0)
    harness.clock.advance(2.0)
    assert harness.room(room).state.phase == "playing"
    harness.scheduler.answer()
    assert left(harness, room) == 58_000
    # The log alone says so.
    async with open_harness(store=harness.store) as again:
        assert left(again, room) == 58_000


async def test_but_not_while_it_thinks(harness: HostingHarness, timed: tuple[Person, str]) -> None:
    _, room = timed
    await waits(harness, 100.0)
    harness.clock.advance(59.9)
    assert harness.room(room).state.phase == "playing"
    harness.clock.advance(0.2)
    state = harness.room(room).state
    assert state.result is not None
    assert (state.result.termination, state.result.winner, left(harness, room)) == ("time", 0, 0)


async def test_that_it_waits_is_shown_to_all_with_its_clock_at_rest(
    harness: HostingHarness, timed: tuple[Person, str]
) -> None:
    ada, room = timed
    ada.wire.said.clear()
    (search,) = harness.scheduler.wanted
    search.waits_since = harness.clock.seconds
    harness.clock.advance(1.0)
    search.on_report(Report("hard", [], queued=2))
    now = harness.context.now()
    # Who comes meanwhile is shown it, too.
    eve = await harness.person("Eve")
    eve.ask("subscribe", room=room)
    search.waited_before, search.waits_since = search.waited, None
    search.on_report(Report("hard", []))
    harness.clock.advance(3.0)
    search.on_report(Report("hard", [Candidate("a1", Score(0, "exact", "draw"))], "a1", nodes=77))
    rests, begins, thinks = ada.of("thinking")
    assert eve.of("thinking") == [rests, begins, thinks]
    assert rests["report"]["queued"] == 2
    assert rests["clock"] == {"left": [60_000, 60_000], "since": now}
    assert begins["clock"] == {"left": [60_000, 60_000], "since": now, "running": 1}
    assert thinks["clock"] == {"left": [60_000, 57_000], "since": now + 3_000, "running": 1}
    harness.scheduler.answer()
    late = await harness.person("Leo")
    late.ask("subscribe", room=room)
    assert late.of("thinking") == []


async def test_without_a_wait_no_clock_is_sent_with_the_thoughts(
    harness: HostingHarness, timed: tuple[Person, str]
) -> None:
    ada, _ = timed
    (search,) = harness.scheduler.wanted
    search.on_report(Report("hard", [], nodes=77))
    assert "clock" not in ada.of("thinking")[-1]


async def test_who_takes_the_bots_seat_does_not_pay_for_its_wait(harness: HostingHarness) -> None:
    ada, ben = await harness.person("Ada"), await harness.person("Ben")
    room: str = ada.ask("create", game="tictactoe", settings={"clock": "1+0", "starts": "first"})["room"]
    ben.say("sit", room=room)
    ada.ask("add_bot", room=room, bot="alphabeta")
    ben.ask("play", room=room, version=4, move="b2")
    harness.scheduler.answer()
    ben.ask("play", room=room, version=6, move=harness.room(room).state.legal_moves()[0])
    await waits(harness, 100.0)
    harness.clock.advance(2.0)
    assert ada.ask("take_over", room=room)["type"] == "accepted"
    clocks = harness.room(room).state.clocks
    assert clocks is not None
    assert clocks.remaining(1, harness.context.now()) == 58_000


async def test_a_bots_seat_is_asked_for_and_given(harness: HostingHarness) -> None:
    ada, eve, joe = [await harness.person(name) for name in ("Ada", "Eve", "Joe")]
    seats = ["me", {"bot": "alphabeta"}]
    room: str = ada.ask("create", game="tictactoe", seats=seats, settings={"take_over": "asked"})["room"]
    for person in (eve, joe):
        person.ask("subscribe", room=room)

    def asks() -> list[tuple[str | None, bool, set[str]]]:
        """Who asks, by each one's view; is it they; and what may be done about it?"""
        found = []
        for person in (ada, eve, joe):
            view = read_view(person.view(room))
            found.append((view.asker, view.asks is True, {"seat", "decline"} & view.open_actions()))
        return found

    assert eve.ask("seat", room=room)["type"] == "accepted"
    both = [
        ("Eve", False, {"seat", "decline"}),
        ("Eve", True, {"decline"}),
        ("Eve", False, set[str]()),
    ]
    assert asks() == both
    # So it is for those who load the room anew.
    for person in (ada, eve, joe):
        person.ask("unsubscribe", room=room)
        person.ask("subscribe", room=room)
    assert asks() == both
    assert eve.ask("decline", room=room, offer="seat")["type"] == "accepted"
    assert joe.ask("seat", room=room)["type"] == "accepted"
    assert asks()[1:] == [("Joe", False, set[str]()), ("Joe", True, {"decline"})]
    assert ada.ask("seat", room=room)["type"] == "accepted"
    view = joe.view(room)
    assert (view["you"], view["seats"][1]["name"], view["offers"]) == (1, "Joe", {})
    assert "leave" in view["may"]["seats"][1]


async def test_a_seat_is_asked_for_of_nobody_who_has_gone_and_given_to_nobody(
    harness: HostingHarness,
) -> None:
    ada, eve = [await harness.person(name) for name in ("Ada", "Eve")]
    seats = ["me", {"bot": "alphabeta"}]
    room: str = ada.ask("create", game="tictactoe", seats=seats, settings={"take_over": "asked"})["room"]
    eve.ask("subscribe", room=room)
    ada.ask("unsubscribe", room=room)
    refused = eve.ask("seat", room=room)
    assert (refused["type"], refused["code"]) == ("refused", "not_allowed")
    assert "isn't here" in refused["message"]
    ada.ask("subscribe", room=room)
    eve.ask("seat", room=room)
    eve.ask("unsubscribe", room=room)
    ada.ask("seat", room=room)
    view = ada.view(room)
    assert (view["seats"][1]["kind"], view["offers"]) == ("bot", {})


@pytest.mark.parametrize("action", ["takeback", "resign"])
async def test_a_turn_that_ends_without_a_move_is_not_charged_for_the_wait(
    harness: HostingHarness, timed: tuple[Person, str], action: str
) -> None:
    ada, room = timed
    await waits(harness, 100.0)
    harness.clock.advance(2.0)
    assert ada.ask(action, room=room)["type"] == "accepted"
    assert left(harness, room) == 58_000


async def test_a_restart_gives_a_bot_that_begins_its_search_again_its_time_again(
    harness: HostingHarness, timed: tuple[Person, str]
) -> None:
    _, room = timed
    await waits(harness, 100.0)
    harness.store.alive = harness.context.now()
    async with open_harness(store=harness.store) as again:
        again.clock.advance(2.0)
        again.scheduler.answer()
        assert left(again, room) == 58_000 + 1000 * ROUNDING


async def test_a_search_says_whom_it_is_for(harness: HostingHarness) -> None:
    ada, room = await against_bot(harness)
    ada.session.address = "192.0.2.7"
    ada.ask("play", room=room, version=4, move="b2")
    (search,) = harness.scheduler.wanted
    assert search.requester == Requester("seat", ada.session.player, "192.0.2.7")
    # Nobody waits for one of two bots.
    _, theirs = await two_bots(harness)
    owner = harness.room(theirs).state.owner
    assert harness.scheduler.wanted[-1].requester == Requester("bots", owner)
