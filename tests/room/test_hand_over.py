"""Seats that change hands in the middle of a game: claims, stand-ins, and bots whose seat a person takes."""

import pytest

from parlour_protocol.errors import Code
from parlour_protocol.views import RoomSettings
from parlour_server.room.commands import Claim, Command, EndStandIn, Play, Resign, Sit, StandIn, TakeOver
from parlour_server.room.decide import SERVER
from parlour_server.room.events import (
    Event,
    GameFinished,
    GameStarted,
    MovePlayed,
    SeatTaken,
    StandInLeft,
    StandInSeated,
)
from parlour_server.room.refusals import Refusal
from parlour_server.room.views import Around, room_view, seat_view
from tests.support.rooms import ADA, BEN, EVE, FIRST_WINS, Table, created, moves, started

AWAY = 60_000
"""Milliseconds: as long as a room is patient, unless its settings say otherwise."""


def refusal(table: Table, command: Command, by: str) -> Refusal:
    with pytest.raises(Refusal) as caught:
        table.try_out(command, by)
    return caught.value


def bots(number: int, owner: str = EVE) -> Table:
    """A running game: Ada against a bot, or two bots; somebody else's room."""
    first = SeatTaken(0, ADA, "Ada") if number == 1 else SeatTaken(0, "bot:0", "easy", "easy:seed=2")
    seats: list[Event] = [first, SeatTaken(1, "bot:1", "hard", "hard:seed=1")]
    return Table([*created(owner=owner), *seats, GameStarted(0), MovePlayed(0, "a1")])


# ---------------------------------------------------------------- claims


def test_a_claim_too_early_says_how_long_to_wait() -> None:
    table = Table(started(RoomSettings(patience=30)))
    early = refusal(table, Claim("win", 29_000), ADA)
    assert (early.code, early.retry_after) == (Code.NOT_ALLOWED, 1.0)
    assert refusal(table, Claim("win", None), ADA).retry_after is None
    assert table.do(Claim("win", 30_000), ADA) == [GameFinished(0, "the other player stayed away")]


@pytest.mark.parametrize("by", [ADA, BEN])
def test_a_seat_that_is_empty_for_too_long_is_claimed(by: str) -> None:
    seat = 0 if by == ADA else 1
    for what, event in (
        ("win", GameFinished(seat, "the other player stayed away")),  # type: ignore[arg-type]
        ("draw", GameFinished(None, "a player stayed away")),
        ("bot", StandInSeated(1 - seat, "medium:seed=5")),  # type: ignore[arg-type]
    ):
        assert Table(started()).do(Claim(what, AWAY, "medium:seed=5"), by) == [event]  # type: ignore[arg-type]


def test_nothing_is_claimed_from_a_bot_nor_by_whoever_looks_on() -> None:
    assert refusal(bots(1), Claim("win", AWAY), ADA).code == Code.NOT_ALLOWED
    table = Table(started())
    assert refusal(table, Claim("win", AWAY), EVE).code == Code.NOT_SEATED
    table.do(Claim("bot", AWAY, "easy:seed=1"), ADA)
    assert refusal(table, Claim("win", AWAY), ADA).code == Code.NOT_ALLOWED


# ---------------------------------------------------------------- stand-ins


def test_a_stand_in_moves_for_its_seat_and_for_no_other() -> None:
    table = Table(started())
    assert refusal(table, Play("a1", 4), "bot:0").code == Code.NOT_SEATED
    assert table.do(StandIn(0, "easy:seed=1"), SERVER) == [StandInSeated(0, "easy:seed=1")]
    assert table.do(StandIn(0, "easy:seed=1"), SERVER) == []
    assert refusal(table, Play("a1", 4), "bot:1").code == Code.NOT_SEATED
    assert refusal(table, Play("a1", 4), EVE).code == Code.NOT_SEATED
    assert table.do(Play("a1", table.state.version), "bot:0") == [MovePlayed(0, "a1")]
    assert refusal(table, Play("b2", table.state.version), "bot:0").code == Code.NOT_YOUR_TURN


def test_whoever_comes_back_has_their_seat_again() -> None:
    for command, by in ((Sit("Ada"), ADA), (EndStandIn(0), SERVER)):
        table = Table([*started(), StandInSeated(0, "easy:seed=1")])
        assert table.do(command, by) == [StandInLeft(0)]
        assert refusal(table, Play("a1", table.state.version), "bot:0").code == Code.NOT_SEATED
        assert table.do(EndStandIn(0), SERVER) == []


def test_who_moves_for_themselves_is_back() -> None:
    table = Table([*started(), StandInSeated(0, "easy:seed=1")])
    assert table.do(Play("a1", 4), ADA) == [StandInLeft(0), MovePlayed(0, "a1")]


def test_nobody_stands_in_where_no_person_plays_or_nothing_is_played() -> None:
    assert bots(1).try_out(StandIn(1, "easy"), SERVER) == []
    over = Table([*started(), *moves(FIRST_WINS), GameFinished(0, "three in a row")])
    assert over.try_out(StandIn(1, "easy"), SERVER) == []
    assert Table(created()).try_out(StandIn(1, "easy"), SERVER) == []


def test_a_stand_in_that_fails_gives_up_rather_than_hold_the_game_up() -> None:
    table = Table([*started(), StandInSeated(0, "easy:seed=1")])
    assert table.do(Resign("the bot failed and gave up"), "bot:0") == [
        GameFinished(1, "the bot failed and gave up")
    ]


def test_a_stand_in_is_shown_without_its_seed_and_the_seat_stays_its_players() -> None:
    table = Table([*started(), StandInSeated(0, "easy:depth=2,seed=1")])
    shown = seat_view(table.state.seats[0])
    assert (shown.kind, shown.name, shown.stand_in) == ("human", "Ada", "easy:depth=2")
    view = room_view(table.state, ADA, Around([False, True], 0, [3.0, None], 0))
    assert (view.you, view.away) == (0, [3.0, None])


# ---------------------------------------------------------------- taking over


def test_the_owner_takes_a_bots_seat_and_plays_on() -> None:
    table = bots(1, owner=EVE)
    assert table.do(TakeOver("Eve"), EVE) == [SeatTaken(1, EVE, "Eve")]
    assert refusal(table, Play("b2", table.state.version), "bot:1").code == Code.NOT_SEATED
    assert table.do(Play("b2", 5), EVE) == [MovePlayed(1, "b2")]
    assert [seated.name for seated in table.state.seats if seated] == ["Ada", "Eve"]


def test_nobody_else_takes_a_bots_seat_while_a_person_plays() -> None:
    table = bots(1, owner=ADA)
    assert refusal(table, TakeOver("Ben"), BEN).code == Code.NOT_ALLOWED
    assert refusal(table, TakeOver("Ada"), ADA).code == Code.ALREADY_SEATED


@pytest.mark.parametrize(("wanted", "seat"), [(None, 0), (0, 0), (1, 1)])
def test_anybody_takes_a_seat_where_two_bots_play(wanted: int | None, seat: int) -> None:
    table = bots(2, owner=ADA)
    assert table.do(TakeOver("Ben", wanted), BEN) == [SeatTaken(seat, BEN, "Ben")]  # type: ignore[arg-type]
    # That was the one place for a stranger.
    assert refusal(table, TakeOver("Eve"), EVE).code == Code.NOT_ALLOWED
    assert table.do(TakeOver("Ada"), ADA) == [SeatTaken(1 - seat, ADA, "Ada")]  # type: ignore[arg-type]


def test_a_persons_seat_is_not_taken() -> None:
    assert refusal(Table(started()), TakeOver("Eve"), EVE).code == Code.NOT_ALLOWED
    assert refusal(bots(1), TakeOver("Eve", 0), EVE).code == Code.NOT_ALLOWED
    assert refusal(Table(created()), TakeOver("Eve"), EVE).code == Code.NOT_ALLOWED


def test_the_tally_begins_anew_between_others() -> None:
    table = bots(2, owner=ADA)
    table.take([GameFinished(0, "resignation")])
    assert table.state.wins == [1, 0]
    table.do(TakeOver("Ben"), BEN)
    assert table.state.wins == [0, 0]
