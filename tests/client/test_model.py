"""Events folded onto a view give what the server would have sent in a snapshot."""

from copy import deepcopy

from hypothesis import given
from hypothesis import strategies as st

from parlour_client.model import Shown, apply, thought
from parlour_protocol.to_client import (
    Event,
    GameFinished,
    GameStarted,
    MovePlayed,
    Presence,
    RematchOffered,
    RoomClosed,
    RoomEvent,
    SeatLeft,
    SeatTaken,
    Snapshot,
    Thinking,
    UnknownEvent,
)
from parlour_protocol.views import Candidate, ResultView, RoomSettings, RoomView, SeatView
from tests.client.rooms import board, report, view

EMPTY = board("...", "...", "...")
PLAYED = board(".X.", "...", "...", to_move=1, last=[1])


def after(shown: Shown, *events: RoomEvent) -> Shown:
    for event in events:
        told = apply(shown, Event("KMRTQA", shown.version + 1, 0, event))
        assert told is not None
        shown = told
    return shown


def test_nothing_is_shown_before_a_snapshot() -> None:
    assert apply(None, Event("KMRTQA", 3, 0, SeatLeft(0))) is None
    assert apply(None, Presence("KMRTQA", [True, False], 1)) is None
    snapshot = Snapshot("KMRTQA", 7, view())
    assert apply(None, snapshot) == Shown(7, snapshot.view)


def test_a_room_fills_and_its_first_game_starts() -> None:
    made = RoomView(
        room="KMRTQA",
        game="tictactoe",
        title="Tic-tac-toe",
        settings=RoomSettings(),
        seats=[SeatView("open"), SeatView("open")],
        phase="waiting",
        online=[False, False],
        watching=0,
    )
    shown = after(
        Shown(1, made),
        SeatTaken(0, SeatView("human", "Ada")),
        SeatTaken(1, SeatView("bot", "minimax", "minimax")),
        GameStarted(1, 0, 0, EMPTY),
    )
    assert shown.version == 4
    assert shown.view.phase == "playing"
    assert shown.view.position == EMPTY
    assert [seat.name for seat in shown.view.seats] == ["Ada", "minimax"]
    assert shown.view.online == [True, True]


def test_a_game_to_its_end_and_the_next() -> None:
    thoughts = report(Candidate("b3", 0, "exact", "draw"))
    shown = after(Shown(3, view(position=EMPTY)), MovePlayed(0, "b3", PLAYED, 1, thoughts))
    assert shown.view.moves == ["b3"]
    assert shown.view.to_move == 1
    assert thought(shown) == thoughts
    shown = after(shown, MovePlayed(1, "a1", PLAYED, None), GameFinished("three in a row", [1, 0], 2, 0))
    assert shown.view.phase == "finished"
    assert shown.view.result == ResultView("three in a row", 0)
    assert (shown.view.wins, shown.view.draws) == ([1, 0], 2)
    assert shown.view.report == thoughts
    shown = after(shown, RematchOffered(1), RematchOffered(1))
    assert shown.view.rematch == [1]
    shown = after(shown, GameStarted(2, 1, 1, EMPTY))
    assert (shown.view.game_number, shown.view.starter, shown.view.to_move) == (2, 1, 1)
    assert (shown.view.moves, shown.view.rematch) == ([], [])
    assert (shown.view.result, shown.view.report) == (None, None)
    assert (shown.view.wins, shown.view.draws) == ([1, 0], 2)


def test_whoever_leaves_takes_the_tally_along() -> None:
    shown = after(Shown(3, view(you=1)), GameFinished("resigned", [0, 1], 0, 1), SeatLeft(0))
    assert shown.view.seats[0] == SeatView("open")
    assert (shown.view.phase, shown.view.wins, shown.view.you) == ("waiting", [0, 0], 1)
    assert after(shown, SeatLeft(1)).view.you is None


def test_a_closed_room_has_no_turn() -> None:
    shown = after(Shown(3, view()), RoomClosed("its owner closed it"))
    assert (shown.view.phase, shown.view.to_move) == ("closed", None)


def test_of_an_unknown_event_the_version_counts() -> None:
    before = Shown(3, view())
    assert after(before, UnknownEvent("confetti")) == Shown(4, before.view)


def test_presence_changes_who_is_here_alone() -> None:
    shown = apply(Shown(3, view()), Presence("KMRTQA", [True, False], 5))
    assert shown is not None
    assert (shown.version, shown.view.online, shown.view.watching) == (3, [True, False], 5)


def test_a_thought_belongs_to_its_position() -> None:
    shown, live = Shown(3, view()), report(Candidate("a1", 0, "exact", "draw"))
    thinking = apply(shown, Thinking("KMRTQA", 3, 1, live))
    assert thinking is not None
    assert thought(thinking) == live
    assert apply(shown, Thinking("KMRTQA", 2, 1, live)) == shown
    assert after(thinking, MovePlayed(1, "a1", PLAYED, 0)).thinking is None


EVENTS: list[RoomEvent] = [
    SeatTaken(1, SeatView("human", "Cleo")),
    SeatLeft(1),
    GameStarted(2, 1, 1, EMPTY),
    MovePlayed(0, "b3", PLAYED, 1),
    GameFinished("draw", [0, 0], 1),
    RematchOffered(0),
    RoomClosed("idle"),
    UnknownEvent("confetti"),
]


@given(st.lists(st.sampled_from(EVENTS), max_size=12))
def test_nothing_given_is_changed(events: list[RoomEvent]) -> None:
    start = Shown(3, view())
    untouched = deepcopy(start)
    shown = after(start, *events)
    assert start == untouched
    assert shown.version == 3 + len(events)
