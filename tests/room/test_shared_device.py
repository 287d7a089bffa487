"""Two people at one device: one player acts for both, for whoever's turn it is."""

import pytest

from parlour_protocol.actions import OFFERS, PlainAction
from parlour_protocol.errors import Code
from parlour_protocol.events import (
    GameFinished,
    GameStarted,
    KnownEvent,
    MovePlayed,
    MovesTakenBack,
    RoomClosed,
    SeatTaken,
    read_view,
)
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views.rooms import RoomView
from parlour_server.refusals import Refusal
from parlour_server.room.commands import SERVER, Create, Guest, SeatPlan
from parlour_server.room.game_record import game_record, past_room, room_history
from parlour_server.room.state import RoomState, evolve
from parlour_server.room.view import room_view
from tests.support.rooms import ADA, EVE, FIRST_WINS, HERE, ROOM, Asked, Table, act, claim, play, say, sit
from tests.support.steps import finish


def shared(
    seats: tuple[SeatPlan, SeatPlan] = ("me", Guest("Ben")), settings: RoomSettings | None = None
) -> Table:
    table = Table()
    table.do(Create("tictactoe", settings or RoomSettings(), seats=seats), ADA)
    return table


def view(table: Table, viewer: str = ADA) -> RoomView:
    return read_view(room_view(table.state, viewer, HERE))


def played(table: Table, *words: str) -> Table:
    for word in words:
        table.do(play(word, table.state.version), ADA)
    return table


def refused(table: Table, asked: Asked, by: str = ADA) -> Code:
    with pytest.raises(Refusal) as caught:
        table.try_out(asked, by)
    return caught.value.code


def test_both_seats_are_one_players_and_a_move_is_whose_turn_it_is() -> None:
    table = Table()
    begun = table.do(Create("tictactoe", RoomSettings(), seats=("me", Guest("Ben"))), ADA)
    taken: list[KnownEvent] = [SeatTaken(0, "Ada", player=ADA), SeatTaken(1, "Ben", player=ADA)]
    assert begun[1:] == [*taken, GameStarted(0)]
    assert table.do(play("a1", 4), ADA) == [MovePlayed(0, "a1")]
    assert table.do(play("b2", 5), ADA) == [MovePlayed(1, "b2")]
    assert refused(table, play("c3", 6), EVE) is Code.NOT_SEATED


def test_the_guest_may_have_the_first_seat_and_no_name_like_the_others() -> None:
    table = shared((Guest("ada"), "me"))
    assert [seat.name for seat in view(table).seats] == ["ada", "Ada 2"]
    assert view(table).acting == 0


def test_the_view_says_so_and_that_one_acts_for_whoever_is_to_move() -> None:
    table = shared()
    for word, seat in (("a1", 0), ("b2", 1), ("c3", 0)):
        mine = view(table)
        assert (mine.you, mine.acting, mine.to_move, mine.your_turn) == (None, seat, seat, True)
        assert "play" in mine.open_actions()
        played(table, word)
    others = view(table, EVE)
    assert [seat.shared for seat in others.seats] == [True, True]
    assert (others.you, others.acting, others.your_turn, others.shared) == (None, None, False, False)
    assert not others.open_actions() & {"play", "resign", "close", "takeback"}


@pytest.mark.parametrize(("words", "seat"), [((), 0), (("a1",), 1)])
def test_who_has_the_device_resigns(words: tuple[str, ...], seat: int) -> None:
    table = played(shared(), *words)
    (over,) = table.do(act("resign"), ADA)
    assert isinstance(over, GameFinished)
    assert (over.winner, over.by) == (1 - seat, seat)


@pytest.mark.parametrize("offer", [name for name, terms in OFFERS.items() if terms.phase == "playing"])
def test_both_agree_at_once(offer: PlainAction) -> None:
    table = played(shared(), "a1", "b2")
    table.do(act(offer), ADA)
    assert not table.state.offers


def test_a_draw_is_agreed_on_and_another_game_begun_by_the_other() -> None:
    table = played(shared(), "a1")
    (over,) = table.do(act("draw"), ADA)
    assert isinstance(over, GameFinished)
    assert (over.termination, over.winner) == ("agreement", None)
    assert table.do(act("rematch"), ADA) == [GameStarted(1)]
    assert view(table).acting == 1
    assert table.do(play("c3", table.state.version), ADA) == [MovePlayed(1, "c3")]


def test_the_last_move_alone_is_taken_back() -> None:
    table = played(shared(), "a1")
    assert table.do(act("takeback"), ADA) == [MovesTakenBack(0, 1)]
    assert refused(table, act("takeback")) is Code.NOT_ALLOWED
    played(table, "a1", "b2", "c3")
    assert table.do(act("takeback"), ADA) == [MovesTakenBack(0, 1)]
    assert view(table).to_move == 0


def test_no_one_else_is_asked_claimed_from_or_written_to() -> None:
    table = played(shared(), "a1")
    assert refused(table, claim("win", 600_000)) is Code.NOT_ALLOWED
    assert refused(table, say("Ada", "Hello")) is Code.NOT_ALLOWED
    assert refused(table, sit("Eve"), EVE) is Code.ROOM_FULL
    assert table.try_out(say("Eve", "Hello"), EVE)
    assert table.do(act("resign"), ADA)
    assert refused(table, act("leave")) is Code.NOT_ALLOWED


@pytest.mark.parametrize("words", [(), ("a1",), ("a1", "b2")])
def test_the_room_is_closed_at_any_time_and_by_nobody_else(words: tuple[str, ...]) -> None:
    table = played(shared(), *words)
    assert refused(table, act("close"), EVE) is Code.NOT_ALLOWED
    assert isinstance(table.do(act("close"), ADA)[0], RoomClosed)


def test_each_has_a_clock_that_falls() -> None:
    from parlour_server.room.commands import CheckFlag

    table = played(shared(settings=RoomSettings(clock="1+0")), "a1", "b2")
    table.now += 61_000
    (over,) = table.do(CheckFlag(), SERVER)
    assert isinstance(over, GameFinished)
    assert (over.termination, over.winner) == ("time", 1)


def test_it_is_folded_from_its_log_as_it_was() -> None:
    table = played(shared(), *FIRST_WINS)
    again = RoomState(ROOM)
    for record in table.log:
        evolve(again, record)
    assert again == table.state
    assert again.shared
    assert again.wins == [1, 0]


def test_it_is_looked_back_on_with_both_names_and_counts_for_nobody() -> None:
    table = played(shared(), *FIRST_WINS)
    record = finish(game_record(ROOM, table.log, ADA))
    assert record is not None
    assert [(seat.name, seat.shared) for seat in record.seats] == [("Ada", True), ("Ben", True)]
    history = finish(room_history(ROOM, table.log, ADA))
    assert history.tally is None
    past = finish(past_room(ROOM, table.log, ADA))
    assert (past.you, past.seated, past.tally.wins, past.tally.losses) == (None, True, 0, 0)
    over = next(record.event for record in table.log if isinstance(record.event, GameFinished))
    assert over.summary is not None
    assert {one.player for one in over.summary.players} == {ADA}, "so that lists of opponents can tell"
