"""The players' time: whose runs, what a move costs, and when it is up."""

import random
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour_protocol.clocks import TimeControl, parse_time_control
from parlour_protocol.errors import Code
from parlour_protocol.events import (
    ClocksResumed,
    ClocksStopped,
    GameFinished,
    GameStarted,
    KnownEvent,
    MovePlayed,
)
from parlour_protocol.ids import SEATS, Seat
from parlour_protocol.settings import RoomSettings
from parlour_server import games as registry
from parlour_server.refusals import Refusal
from parlour_server.room.clocks import Clocks
from parlour_server.room.commands import (
    SERVER,
    BotMove,
    CheckFlag,
    Create,
    EndStandIn,
    ResumeClocks,
    Retire,
    RoomCommand,
    SeatStandIn,
    ServerCommand,
    StopClocks,
)
from parlour_server.room.state import Bot, RoomState, evolve
from parlour_server.room.view import room_view
from tests.support.mancala import MANCALA
from tests.support.rooms import (
    ADA,
    BEN,
    EVE,
    HERE,
    Asked,
    Table,
    act,
    add_bot,
    bot_move,
    claim,
    decline,
    play,
    say,
    sit,
    started,
    take_over,
)


@pytest.fixture
def mancala(monkeypatch: pytest.MonkeyPatch) -> None:
    """A game whose first side may move twice."""
    games, broken = registry._registry()
    monkeypatch.setattr(registry, "_registry", lambda: ({**games, MANCALA.name: MANCALA}, broken))


def timed(control: str) -> Table:
    """Ada and Ben, Ada to move, at 100 s."""
    table = Table(started(RoomSettings(clock=control)))
    table.now = 100_000
    return table


def played(table: Table, *words: str, seconds: float = 0, lag: int = 0) -> None:
    """Moves in turn, each after so many seconds. The table's own tick of a millisecond is set back."""
    for word in words:
        table.now += round(1000 * seconds)
        seat = table.state.to_move
        assert seat is not None
        now = table.now
        table.do(play(word, table.state.version, lag=lag), (ADA, BEN)[seat])
        table.now = now


def left(table: Table) -> list[int]:
    clocks = table.state.clocks
    assert clocks is not None
    return [max(0, clocks.remaining(seat, table.now)) for seat in SEATS]


def running(table: Table) -> Seat | None:
    assert table.state.clocks is not None
    return table.state.clocks.running


# ---------------------------------------------------------------- as people write them


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("5+3", TimeControl(300_000, 3_000)),
        ("0.5+0", TimeControl(30_000)),
        ("0+2", TimeControl(2_000, 2_000)),
        ("30/move", TimeControl(30_000, per_move=True)),
        (" 180+180 ", TimeControl(180 * 60_000, 180_000)),
        ("5", TimeControl(300_000)),
        ("5 3", TimeControl(300_000, 3_000)),
        ("5 | 3", TimeControl(300_000, 3_000)),
        ("30 s / Move", TimeControl(30_000, per_move=True)),
    ],
)
def test_a_clock_is_read(text: str, control: TimeControl) -> None:
    assert parse_time_control(text) == control


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        *(("5", "5+0"), (" 05 03 ", "5+3"), ("5|3", "5+3"), ("0.50+0", "0.5+0"), ("0+5", "0+5")),
        *(("30 s/MOVE", "30/move"), ("180+180", "180+180")),
    ],
)
def test_whatever_was_typed_is_kept_in_one_spelling(typed: str, kept: str) -> None:
    assert RoomSettings(clock=typed).clock == kept
    assert RoomSettings(clock=kept).clock == kept


@pytest.mark.parametrize(
    "control", [TimeControl(300_000, 3_000), TimeControl(30_000), TimeControl(5_000, 0, True)]
)
def test_a_clock_is_written_as_it_is_read(control: TimeControl) -> None:
    assert parse_time_control(str(control)) == control


@pytest.mark.parametrize(
    "text",
    [
        "",
        "+3",
        "5+",
        "5 3 1",
        "5-3",
        "0+0",
        "181+0",
        "5+181",
        "-1+0",
        "0/move",
        "86401/move",
        "5+3s",
        "５+3",
        "٣٠/move",
    ],
)
def test_what_is_no_clock_is_reported_in_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match=r"5\+3"):
        parse_time_control(text)


# ---------------------------------------------------------------- whose time runs


@pytest.mark.parametrize(
    ("control", "steps", "seconds", "runs"),
    [
        # Before both have moved, nobody's.
        ("1+2", "500 a1 500", [60, 60], None),
        ("1+2", "500 a1 500 b2 7", [53, 60], 0),
        ("1+2", "a1 b2 7 retire 7", [53, 60], None),
        # A move costs its time, and is given what the clock adds.
        ("1+2", "a1 b2 10 c3", [52, 60], 1),
        ("1+2", "a1 b2 10 c3 25 a3", [52, 37], 0),
        ("30/move", "a1 b2 29 c3", [30, 30], 1),
        ("30/move", "a1 b2 29 c3 29", [30, 1], 1),
        # What was on the way is not charged, and nothing is given for it.
        ("1+0", "a1 b2 10 c3:400", [50.4, 60], 1),
        ("1+0", "a1 b2 10 c3:400 0.1 a3:400", [50.4, 60], 0),
        ("1+0", "a1 b2 5 resign:ben 500", [55, 60], None),
        ("1+0", "a1 b2 5 resign:ben rematch:ada rematch:ben", [60, 60], None),
        # A move that is taken back gives no time back.
        ("1+0", "a1 b2 10 c3 20 takeback:ada takeback:ben", [50, 40], 0),
        ("1+0", "a1 b2 10 takeback:ada takeback:ben 100", [50, 60], None),
        # One while the clocks stand still costs nothing, and ends it.
        ("1+2", "a1 b2 5 stop 20 c3 1", [57, 59], 1),
    ],
)
def test_whose_time_runs_and_what_is_left(
    control: str, steps: str, seconds: list[float], runs: Seat | None
) -> None:
    """Steps: seconds that pass, moves (with the milliseconds of their way), and what somebody does."""
    table = timed(control)
    for step in steps.split():
        word, _, detail = step.partition(":")
        now = table.now
        if word[0].isdigit():
            now += round(1000 * float(word))
        elif word == "retire":
            table.do(Retire())
        elif word == "stop":
            table.do(StopClocks(5_000), SERVER)
        elif detail.isalpha():
            table.do(act(cast("Any", word)), {"ada": ADA, "ben": BEN}[detail])
        else:
            played(table, word, lag=int(detail or 0))
        table.now = now
    assert (left(table), running(table)) == ([1000 * each for each in seconds], runs)


def test_a_move_in_the_last_moment_counts_if_its_way_is_forgiven() -> None:
    table = timed("1+0")
    played(table, "a1", "b2")
    table.now += 60_200
    with pytest.raises(Refusal) as caught:
        table.try_out(play("c3", table.state.version, lag=200), ADA)
    assert caught.value.code == Code.OUT_OF_TIME
    now = table.now
    assert table.do(play("c3", table.state.version, lag=201), ADA) == [MovePlayed(0, "c3", lag=201)]
    table.now = now
    assert left(table) == [1, 60_000]


# ---------------------------------------------------------------- time is up


def test_a_flag_falls_at_its_moment_and_not_before() -> None:
    table = timed("1+0")
    assert table.try_out(CheckFlag(), SERVER) == []
    played(table, "a1", "b2")
    table.now += 59_999
    assert table.do(CheckFlag(), SERVER) == []
    table.now += 1
    assert table.do(CheckFlag(), SERVER) == [GameFinished("time", 1, "timeout")]
    assert table.try_out(CheckFlag(), SERVER) == []
    assert left(table)[0] == 0


@pytest.mark.parametrize(
    ("words", "winner"),
    [
        ("a1 b2 c3 a3", 1),
        # The first side's lines are all met but for c1 to c3.
        ("a1 b2 c3 a3 c1 b1 b3", 0),
        # The last free cell is the first side's own.
        ("a1 b1 c1 b2 a2 c2 b3 a3", None),
        ("b2 a1 a3 c1 b1 b3", None),
    ],
)
def test_time_that_is_up_is_a_draw_where_the_other_side_can_win_no_more(
    words: str, winner: int | None
) -> None:
    table = timed("1+0")
    played(table, *words.split())
    table.now += 60_000
    (finished,) = table.do(CheckFlag(), SERVER)
    assert isinstance(finished, GameFinished)
    assert finished.winner == winner
    assert finished.termination == ("time_insufficient" if winner is None else "time")


# ---------------------------------------------------------------- a server that was away


def test_clocks_stand_still_when_the_server_comes_back_until_they_are_resumed() -> None:
    table = timed("1+0")
    assert table.try_out(StopClocks(0), SERVER) == table.try_out(ResumeClocks(), SERVER) == []
    played(table, "a1", "b2")
    table.now += 3_600_000
    assert table.do(StopClocks(4_000), SERVER) == [ClocksStopped(4_000)]
    assert "running" not in room_view(table.state, ADA, HERE)["clock"]
    # Stopped twice they are charged once.
    assert table.try_out(StopClocks(4_000), SERVER) == []
    table.now += 3_600_000
    now = table.now
    assert left(table) == [56_000, 60_000]
    assert table.do(CheckFlag(), SERVER) == []
    assert table.do(ResumeClocks(), SERVER) == [ClocksResumed()]
    table.now = now
    assert left(table) == [56_000, 60_000]
    table.now += 6_000
    assert left(table) == [50_000, 60_000]
    assert table.do(CheckFlag(), SERVER) == []


def test_a_room_without_a_clock_has_none() -> None:
    table = Table(started())
    assert table.state.clocks is None
    assert "clock" not in room_view(table.state, ADA, HERE)
    for command in (CheckFlag(), StopClocks(5), ResumeClocks()):
        assert table.try_out(command, SERVER) == []


# ---------------------------------------------------------------- what holds always


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(["1+0", "0.1+2", "20/move", None]))
def test_whatever_is_asked_no_time_is_made_and_the_log_shows_the_whole_state(
    seed: int, control: str | None
) -> None:
    """Anything by anybody at any time: a refusal changes nothing, and but for increments time only passes."""
    dice = random.Random(seed)
    table = Table(chance=dice.randrange)
    room = RoomSettings(
        clock=control, stand_in="easy", patience=5, starts=dice.choice(["first", "alternate"])
    )
    start = dice.choice([(), ("a1",), ("a1", "b2", "c3")])
    table.do(Create("tictactoe", room, start), ADA)
    table.do(sit("Ada"), ADA)
    if dice.random() < 0.7:
        table.do(sit("Ben"), BEN)
    else:
        table.do(add_bot("easy"), ADA)
    for number in range(80):
        table.now += dice.choice([0, 1, 50, 900, 15_000])
        before, shown = table.state.version, left_of(table)
        moves_of = [*table.state.legal_moves(), "z9"]
        version = max(0, table.state.version - dice.choice([0, 0, 0, 1, 3]))
        choices: list[Asked | RoomCommand] = [
            *[play(dice.choice(moves_of), version, lag=dice.choice([0, 0, 300])) for _ in range(8)],
            *[bot_move(dice.choice(moves_of), version) for _ in range(4)],
            act("draw"),
            act("takeback"),
            act("takeback"),
            act("resign"),
            act("abort"),
            act("leave"),
            act("rematch"),
            act("rematch"),
            decline("draw"),
            decline("takeback"),
            CheckFlag(),
            StopClocks(dice.randrange(9_000)),
            ResumeClocks(),
            SeatStandIn(dice.choice([0, 1]), Bot("easy", 3)),
            EndStandIn(dice.choice([0, 1])),
            take_over("Eve"),
            say("Eve", "hm"),
            claim(dice.choice(["win", "draw", "bot"]), dice.choice([None, 0, 9_000]), "easy"),
            sit("Ben"),
        ]
        command = dice.choice(choices)
        by = dice.choice([ADA, BEN, EVE])
        if isinstance(command, ServerCommand):
            by = SERVER
        elif isinstance(command, Asked) and isinstance(command.command, BotMove):
            by = dice.choice(["bot:0", "bot:1"])
        try:
            events = table.do(command, by, f"c{number}")
        except Refusal as refusal:
            assert refusal.message.endswith((".", "?"))
            events = []
        assert table.state.version == before + len(events)
        _check_room(table.state, events)
        _check_time(table, events, shown)
        room_view(table.state, by, HERE)
    again = RoomState("KMRTQA")
    for record in table.log:
        evolve(again, record)
    assert again == table.state


def _check_room(state: RoomState, events: list[KnownEvent]) -> None:
    seated = [seat for seat in state.seats if seat is not None]
    assert len({seat.player for seat in seated}) == len(seated)
    assert len({seat.name.casefold() for seat in seated}) == len(seated)
    if state.phase == "playing":
        assert len(seated) == 2
        assert state.rules.outcome(state.position) is None
        assert state.to_move is not None
        assert (len(state.moves) % 2 == 0) == (state.to_move == state.starter)
    else:
        assert state.to_move is None
        assert state.legal_moves() == []
    if state.phase == "waiting":
        assert len(seated) < 2
    assert [event for event in events if isinstance(event, GameStarted)] == [] or state.made == [0, 0]


def left_of(table: Table) -> list[int]:
    return [] if table.state.clocks is None else list(table.state.clocks.left)


def _check_time(table: Table, events: list[KnownEvent], before: list[int]) -> None:
    clocks: Clocks | None = table.state.clocks
    if clocks is None:
        return
    assert min(clocks.left) >= 0
    if clocks.running is not None:
        assert table.state.phase == "playing"
        assert clocks.running == table.state.to_move
        assert len(table.state.moves) >= 2
    if any(isinstance(event, GameStarted) for event in events):
        return
    if clocks.control.per_move:
        assert max(clocks.left) <= clocks.control.base
    else:
        added = clocks.control.increment * sum(isinstance(event, MovePlayed) for event in events)
        assert sum(clocks.left) <= sum(before) + added


def test_who_takes_moves_back_gives_back_what_was_added_for_them() -> None:
    table = Table(started(RoomSettings(clock="1+60")))
    for by, move in ((ADA, "a1"), (BEN, "b1"), (ADA, "a2"), (BEN, "b2")):
        table.do(play(move, table.state.version), by)
    clocks = table.state.clocks
    assert clocks is not None
    before = list(clocks.left)
    for _ in range(5):
        table.do(act("takeback"), ADA)
        table.do(act("takeback"), BEN)
        for by, move in ((ADA, "a2"), (BEN, "b2")):
            table.do(play(move, table.state.version), by)
    assert all(now <= then for now, then in zip(table.state.clocks.left, before, strict=True))  # type: ignore[union-attr]


# ---------------------------------------------------------------- a side that moves twice


def sowing(control: str = "1+5") -> Table:
    """Ada has moved twice at mancala, and Ben not at all."""
    table = Table()
    table.do(Create("mancala", RoomSettings(clock=control)), ADA)
    for name, by in (("Ada", ADA), ("Ben", BEN)):
        table.do(sit(name), by)
    for move in ("a1", "a2"):
        table.do(play(move, table.state.version), ADA)
    return table


def test_no_clock_runs_before_each_side_has_moved(mancala: None) -> None:
    table = sowing()
    clocks = table.state.clocks
    assert clocks is not None
    assert (table.state.made, table.state.to_move, clocks.running) == ([2, 0], 1, None)
    table.now += 90_000
    table.do(play("b1", table.state.version), BEN)
    assert (clocks.left, clocks.running) == ([60_000, 60_000], table.state.to_move)


@pytest.mark.parametrize("by", [ADA, BEN])
def test_a_game_can_be_aborted_until_each_side_has_moved(mancala: None, by: str) -> None:
    assert sowing().do(act("abort"), by)[0] == GameFinished("aborted", None, "aborted", 0 if by == ADA else 1)
    table = sowing()
    table.do(play("b2", table.state.version), BEN)
    with pytest.raises(Refusal, match="under way"):
        table.do(act("abort"), by)


def test_moves_before_the_others_first_one_give_no_time_to_take_back(mancala: None) -> None:
    table = sowing()
    table.do(play("b2", table.state.version), BEN)
    clocks = table.state.clocks
    assert clocks is not None
    # All of Ada's second move goes back: Ben's first one, and hers.
    table.do(act("takeback"), ADA)
    table.do(act("takeback"), BEN)
    assert (table.state.made, clocks.running) == ([1, 0], None)
    # No increment is taken back, since none was given.
    assert min(clocks.left) > 59_900
