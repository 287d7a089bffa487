"""Events folded onto a view give what the server would have sent in a snapshot."""

from copy import deepcopy

from hypothesis import given
from hypothesis import strategies as st

from parlour_client.model import Shown, apply, as_of, thought
from parlour_protocol.to_client import (
    ClocksWoken,
    DrawOffered,
    Event,
    GameAborted,
    GameFinished,
    GameStarted,
    MovePlayed,
    MovesTakenBack,
    OfferDeclined,
    Presence,
    RematchOffered,
    RoomClosed,
    RoomEvent,
    Said,
    SeatLeft,
    SeatTaken,
    Snapshot,
    TakebackOffered,
    Thinking,
    UnknownEvent,
)
from parlour_protocol.views import Candidate, ClockView, ResultView, RoomSettings, RoomView, SeatView
from tests.client.rooms import board, report, view

EMPTY = board("...", "...", "...")
PLAYED = board(".X.", "...", "...", to_move=1, last=[1])
DRAWN = Candidate("a1", 0, "exact", "draw")


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
    shown, live = after(Shown(2, view()), MovePlayed(0, "b3", PLAYED, 1)), report(DRAWN)
    thinking = apply(shown, Thinking("KMRTQA", 3, 1, live))
    assert thinking is not None
    assert thought(thinking) == live
    assert apply(shown, Thinking("KMRTQA", 2, 1, live)) == shown
    assert after(thinking, MovePlayed(1, "a1", PLAYED, 0)).thinking is None


def test_what_is_said_and_offered_meanwhile_loses_no_thought() -> None:
    shown, live = after(Shown(2, view()), MovePlayed(0, "b3", PLAYED, 1)), report(DRAWN)
    shown = after(shown, Said("players", "Ada", "good luck"), DrawOffered(0))
    assert shown.version == 5
    thinking = apply(shown, Thinking("KMRTQA", 3, 1, live))
    assert thinking is not None
    assert thought(thinking) == live
    assert thought(after(thinking, OfferDeclined(1, "draw"), Said("spectators"))) == live


def test_after_a_snapshot_a_thought_may_be_of_an_older_version() -> None:
    shown, live = Shown(7, view()), report(DRAWN)
    thinking = apply(shown, Thinking("KMRTQA", 5, 1, live))
    assert thinking is not None
    assert thought(thinking) == live
    assert apply(shown, Thinking("KMRTQA", 8, 1, live)) == shown


# ---------------------------------------------------------------- offers


def test_an_offer_stands_until_it_is_answered() -> None:
    start = Shown(3, view())
    offered = after(start, DrawOffered(1))
    assert offered.view.draw_offer == 1
    assert after(offered, OfferDeclined(0, "draw")).view.draw_offer is None
    # Whoever offered may move on; whoever moves instead of answering has declined.
    assert after(offered, MovePlayed(1, "b3", PLAYED, 0)).view.draw_offer == 1
    assert after(offered, MovePlayed(0, "b3", PLAYED, 1)).view.draw_offer is None
    asked = after(start, TakebackOffered(0))
    assert asked.view.takeback_offer == 0
    assert after(asked, OfferDeclined(1, "takeback")).view.takeback_offer is None
    assert after(asked, MovePlayed(0, "b3", PLAYED, 1)).view.takeback_offer is None
    ended = after(offered, TakebackOffered(0), GameFinished("a draw was agreed", [0, 0], 1))
    assert (ended.view.draw_offer, ended.view.takeback_offer) == (None, None)
    assert after(ended, RematchOffered(0), OfferDeclined(1, "rematch")).view.rematch == []


def test_moves_are_taken_back() -> None:
    shown = after(Shown(3, view()), MovePlayed(0, "b3", PLAYED, 1), MovePlayed(1, "a1", PLAYED, 0))
    back = after(shown, TakebackOffered(0), MovesTakenBack(0, 2, EMPTY, 0))
    assert (back.view.moves, back.view.position, back.view.to_move) == ([], EMPTY, 0)
    assert (back.view.takeback_offer, back.position_version) == (None, back.version)


def test_an_aborted_game_counts_for_nobody() -> None:
    shown = after(Shown(3, view()), GameAborted(0))
    assert (shown.view.phase, shown.view.to_move) == ("finished", None)
    assert shown.view.result == ResultView("aborted", aborted=True)
    assert (shown.view.wins, shown.view.draws) == ([0, 0], 0)


def test_a_game_may_begin_in_the_middle_of_another() -> None:
    shown = after(Shown(3, view()), GameStarted(1, 0, 1, PLAYED, ["b3"]))
    assert (shown.view.moves, shown.view.started_with, shown.view.to_move) == (["b3"], 1, 1)


# ---------------------------------------------------------------- seats and talk


def test_a_stand_in_is_not_its_player() -> None:
    room = view()
    room.online, room.away, room.wins = [True, False], [None, 70.0], [1, 0]
    shown = after(Shown(3, room), SeatTaken(1, SeatView("human", "Ben", stand_in="medium")))
    assert shown.view.seats[1].stand_in == "medium"
    assert (shown.view.online, shown.view.away, shown.view.wins) == ([True, False], [None, 70.0], [1, 0])
    assert after(shown, SeatTaken(1, SeatView("human", "Ben"))).view.seats[1].stand_in is None


def test_whoever_takes_a_bots_seat_begins_a_tally_of_their_own() -> None:
    room = view()
    room.seats[1], room.wins = SeatView("bot", "easy", "easy"), [3, 1]
    shown = after(Shown(3, room), SeatTaken(1, SeatView("human", "Cleo")))
    assert (shown.view.seats[1].name, shown.view.wins) == ("Cleo", [0, 0])


def test_what_is_said_is_kept_where_it_may_be_heard() -> None:
    shown = after(Shown(3, view()), Said("players", "Ada", "hello"), Said("spectators"))
    assert [(line.name, line.text) for line in shown.view.chat] == [("Ada", "hello")]
    assert shown.version == 5
    many = after(shown, *(Said("players", "Ada", str(number)) for number in range(120)))
    assert (len(many.view.chat), many.view.chat[-1].text) == (100, "119")


# ---------------------------------------------------------------- time


def test_time_is_counted_from_when_it_was_told() -> None:
    room = view()
    room.clock = ClockView([300_000, 200_000], running=1)
    shown = apply(None, Snapshot("KMRTQA", 3, room), now=50.0)
    assert shown is not None
    assert as_of(shown, 50.0) == room
    later = as_of(shown, 61.5)
    assert later.clock is not None
    assert later.clock.left == [300_000, 188_500]
    ended = as_of(shown, 1000.0)
    assert ended.clock is not None
    assert ended.clock.left == [300_000, 0]


def test_an_event_sets_the_clocks_right() -> None:
    room = view()
    room.clock = ClockView([300_000, 200_000], running=0)
    shown = apply(None, Snapshot("KMRTQA", 3, room), now=50.0)
    told = Event("KMRTQA", 4, 0, MovePlayed(0, "b3", PLAYED, 1), ClockView([296_000, 200_000], 1))
    shown = apply(shown, told, now=57.0)
    assert shown is not None
    assert as_of(shown, 58.0).clock == ClockView([296_000, 199_000], 1)
    # One that tells no time changes none.
    unheard = apply(shown, Event("KMRTQA", shown.version + 1, 0, Said("spectators")), now=58.5)
    assert unheard is not None
    assert as_of(unheard, 59.0).clock == ClockView([296_000, 198_000], 1)
    ended = Event("KMRTQA", 5, 0, GameFinished("time is up", [1, 0], 0, 0), ClockView([296_000, 0]))
    over = apply(shown, ended, now=60.0)
    assert over is not None
    assert as_of(over, 90.0).clock == ClockView([296_000, 0])


def test_away_is_counted_on() -> None:
    shown = apply(Shown(3, view()), Presence("KMRTQA", [True, False], 0, [None, 2.0]), now=10.0)
    assert shown is not None
    assert as_of(shown, 48.0).away == [None, 40.0]
    # What happens meanwhile does not begin the count anew.
    event = apply(shown, Event("KMRTQA", 4, 0, Said("players", "Ada", "Ben?")), now=20.0)
    assert event is not None
    assert as_of(event, 48.0).away == [None, 40.0]


EVENTS: list[RoomEvent] = [
    SeatTaken(1, SeatView("human", "Cleo")),
    SeatLeft(1),
    GameAborted(1),
    DrawOffered(0),
    TakebackOffered(1),
    OfferDeclined(1, "draw"),
    OfferDeclined(1, "rematch"),
    MovesTakenBack(0, 1, EMPTY, 0),
    ClocksWoken(),
    Said("players", "Ada", "hello"),
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
