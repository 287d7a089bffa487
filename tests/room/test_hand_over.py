"""Seats that change hands in the middle of a game: claims, stand-ins, and bots whose seat a person takes."""

from typing import Literal

import pytest

from parlour_protocol.errors import Code
from parlour_protocol.events import (
    GameFinished,
    GameStarted,
    KnownEvent,
    MovePlayed,
    OfferDeclined,
    OfferMade,
    SeatTaken,
    StandInLeft,
    StandInSeated,
    read_view,
)
from parlour_protocol.ids import Seat, other
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views.reports import Report
from parlour_server.refusals import Refusal
from parlour_server.room.commands import SERVER, EndStandIn, GiveUp, SeatStandIn
from parlour_server.room.state import Bot
from parlour_server.room.view import PresenceState, room_view, seat_view
from tests.support.rooms import (
    ADA,
    BEN,
    EVE,
    FIRST_WINS,
    Asked,
    Table,
    act,
    bot_move,
    claim,
    created,
    decline,
    moves,
    play,
    started,
    take_over,
)

AWAY = 60_000
"""Milliseconds: as long as a room is patient, unless its settings say otherwise."""


def refusal(table: Table, command: Asked, by: str) -> Refusal:
    with pytest.raises(Refusal) as caught:
        table.try_out(command, by)
    return caught.value


def bots(
    number: int, owner: str = EVE, take_over: Literal["nobody", "owner", "asked", "anyone"] = "owner"
) -> Table:
    """A running game: Ada against a bot, or two bots; somebody else's room."""
    first = (
        SeatTaken(0, "Ada", player=ADA)
        if number == 1
        else SeatTaken(0, "easy", "easy", player="bot:0", seed=2)
    )
    seats: list[KnownEvent] = [first, SeatTaken(1, "hard", "hard", player="bot:1", seed=1)]
    return Table(
        [*created(RoomSettings(take_over=take_over), owner), *seats, GameStarted(0), MovePlayed(0, "a1")]
    )


# ---------------------------------------------------------------- claims


def test_a_claim_too_early_says_how_long_to_wait() -> None:
    table = Table(started(RoomSettings(patience=30)))
    early = refusal(table, claim("win", 29_000), ADA)
    assert (early.code, early.retry_after) == (Code.NOT_ALLOWED, 1.0)
    assert refusal(table, claim("win", None), ADA).retry_after is None
    (won,) = table.do(claim("win", 30_000), ADA)
    assert won == GameFinished("abandonment", 0, "forfeit (the other player stayed away)", 0)


@pytest.mark.parametrize("by", [ADA, BEN])
def test_a_seat_that_is_empty_for_too_long_is_claimed(by: str) -> None:
    seat: Seat = 0 if by == ADA else 1
    claims = [
        (
            claim("win", AWAY),
            GameFinished("abandonment", seat, "forfeit (the other player stayed away)", seat),
        ),
        (claim("draw", AWAY), GameFinished("abandonment", None, "a player stayed away", seat)),
        (claim("bot", AWAY), StandInSeated(other(seat), "medium", 5)),
    ]
    for asked, event in claims:
        assert Table(started()).do(asked, by) == [event]


def test_nothing_is_claimed_from_a_bot_nor_by_whoever_looks_on() -> None:
    assert refusal(bots(1), claim("win", AWAY), ADA).code == Code.NOT_ALLOWED
    table = Table(started())
    assert refusal(table, claim("win", AWAY), EVE).code == Code.NOT_SEATED
    table.do(claim("bot", AWAY, "easy"), ADA)
    assert refusal(table, claim("win", AWAY), ADA).code == Code.NOT_ALLOWED


# ---------------------------------------------------------------- stand-ins


def test_a_stand_in_moves_for_its_seat_and_for_no_other() -> None:
    table = Table(started())
    assert refusal(table, bot_move("a1", 4), "bot:0").code == Code.NOT_SEATED
    assert table.do(SeatStandIn(0, Bot("easy", 1)), SERVER) == [StandInSeated(0, "easy", 1)]
    assert table.do(SeatStandIn(0, Bot("easy", 1)), SERVER) == []
    assert refusal(table, bot_move("a1", 4), "bot:1").code == Code.NOT_SEATED
    assert refusal(table, play("a1", 4), EVE).code == Code.NOT_SEATED
    report = Report("easy", [])
    move = bot_move("a1", table.state.version, report)
    assert table.do(move, "bot:0") == [MovePlayed(0, "a1", report)]
    assert refusal(table, bot_move("b2", table.state.version), "bot:0").code == Code.NOT_YOUR_TURN


def test_whoever_comes_back_has_their_seat_again() -> None:
    table = Table([*started(), StandInSeated(0, "easy", 1)])
    assert table.do(EndStandIn(0)) == [StandInLeft(0)]
    assert refusal(table, bot_move("a1", table.state.version), "bot:0").code == Code.NOT_SEATED
    assert table.do(EndStandIn(0)) == []


def test_who_moves_for_themselves_is_back() -> None:
    table = Table([*started(), StandInSeated(0, "easy", 1)])
    assert table.do(play("a1", 4), ADA) == [StandInLeft(0), MovePlayed(0, "a1")]


def test_nobody_stands_in_where_no_person_plays_or_nothing_is_played() -> None:
    assert bots(1).try_out(SeatStandIn(1, Bot("easy", 1)), SERVER) == []
    over = Table([*started(), *moves(FIRST_WINS), GameFinished("line", 0, "three in a row")])
    assert over.try_out(SeatStandIn(1, Bot("easy", 1)), SERVER) == []
    assert Table(created()).try_out(SeatStandIn(1, Bot("easy", 1)), SERVER) == []


def test_a_stand_in_that_fails_gives_up_rather_than_hold_the_game_up() -> None:
    table = Table([*started(), StandInSeated(0, "easy", 1)])
    assert table.do(GiveUp(0), "bot:0") == [GameFinished("bot_failure", 1, "forfeit (the bot failed)", 0)]


def test_a_stand_in_is_shown_without_its_seed_and_the_seat_stays_its_players() -> None:
    table = Table([*started(), StandInSeated(0, "easy:depth=2", 1)])
    shown = seat_view(table.state.seats[0])
    assert (shown.kind, shown.name, shown.stand_in) == ("human", "Ada", "easy:depth=2")
    view = room_view(table.state, ADA, PresenceState([False, True], 0, [3_000, None]))
    assert (view["you"], view["away_since"]) == (0, [3_000, None])


@pytest.mark.parametrize(
    ("events", "promised"),
    [
        ([], 63_000),
        ([StandInSeated(1, "easy", 1)], None),
        ([StandInSeated(1, "easy", 1), StandInLeft(1)], 63_000),
        ([GameFinished("agreement", None, "a draw was agreed")], None),
    ],
)
def test_a_claim_is_promised_to_those_alone_who_may_make_it(
    events: list[KnownEvent], promised: int | None
) -> None:
    table = Table([*started(), *events])
    view = read_view(room_view(table.state, ADA, PresenceState([True, False], 0, [None, 3_000])))
    assert view.claim_from == [promised, None]
    assert ("claim" in view.open_actions()) == (promised is not None)


# ---------------------------------------------------------------- taking over


def test_the_owner_takes_a_bots_seat_and_plays_on() -> None:
    table = bots(1, owner=EVE)
    assert table.do(take_over("Eve"), EVE) == [SeatTaken(1, "Eve", player=EVE)]
    assert refusal(table, bot_move("b2", table.state.version), "bot:1").code == Code.NOT_SEATED
    assert table.do(play("b2", 5), EVE) == [MovePlayed(1, "b2")]
    assert [seated.name for seated in table.state.seats if seated] == ["Ada", "Eve"]


@pytest.mark.parametrize("number", [1, 2])
def test_only_the_owner_takes_a_bots_seat(number: int) -> None:
    table = bots(number, owner=ADA)
    assert refusal(table, take_over("Ben"), BEN).code == Code.NOT_ALLOWED
    if number == 1:
        assert refusal(table, take_over("Ada"), ADA).code == Code.ALREADY_SEATED


@pytest.mark.parametrize(("wanted", "seat"), [(None, 0), (0, 0), (1, 1)])
def test_anybody_takes_a_bots_seat_where_the_settings_say_so(wanted: int | None, seat: int) -> None:
    table = bots(2, owner=ADA, take_over="anyone")
    assert table.do(take_over("Ben", wanted), BEN) == [SeatTaken(seat, "Ben", player=BEN)]  # type: ignore[arg-type]
    assert table.do(take_over("Eve"), EVE) == [SeatTaken(1 - seat, "Eve", player=EVE)]  # type: ignore[arg-type]


def test_nobody_takes_a_bots_seat_where_the_settings_say_so() -> None:
    table = bots(2, owner=ADA, take_over="nobody")
    for by, name in ((ADA, "Ada"), (EVE, "Eve")):
        found = refusal(table, take_over(name), by)
        assert (found.code, found.message) == (
            Code.NOT_ALLOWED,
            "Nobody takes over a bot's seat in this room.",
        )


# ---------------------------------------------------------------- asking for a bot's seat


def asked(name: str, *, here: bool = True) -> Asked:
    return Asked(act("seat").command, name, here=here)


@pytest.mark.parametrize(("number", "seat"), [(1, 1), (2, 0)])
@pytest.mark.parametrize("owner", [ADA, "p-owner"])
def test_the_owner_gives_a_bots_seat_to_a_spectator_who_asks(number: int, seat: Seat, owner: str) -> None:
    table = bots(number, owner=owner, take_over="asked")
    assert refusal(table, take_over("Eve"), EVE).code == Code.NOT_ALLOWED
    assert table.do(asked("Eve"), EVE) == [OfferMade(seat, "seat", "Eve")]
    assert refusal(table, asked("Ben"), BEN).code == Code.ALREADY_OFFERED
    bot = table.state.seats[seat]
    assert table.do(asked("Ada"), owner) == [SeatTaken(seat, "Eve", player=EVE)]
    assert table.state.offers == {}
    # One tap gives it back.
    table.do(act("leave"), EVE)
    assert table.state.seats[seat] == bot


def test_an_owner_need_not_ask() -> None:
    table = bots(2, owner=ADA, take_over="asked")
    assert table.do(asked("Ada"), ADA) == [SeatTaken(0, "Ada", player=ADA)]
    assert refusal(table, asked("Ada"), ADA).code == Code.ALREADY_SEATED


def test_a_request_is_declined_by_the_owner_and_withdrawn_by_whoever_asks() -> None:
    table = bots(1, owner="p-owner", take_over="asked")
    for by, seat in ((EVE, 1), ("p-owner", 0)):
        table.do(asked("Eve"), EVE)
        for stranger in (ADA, BEN):
            assert refusal(table, decline("seat"), stranger).code in (Code.NOTHING_OFFERED, Code.NOT_SEATED)
        assert table.do(decline("seat"), by) == [OfferDeclined(seat, "seat")]  # type: ignore[arg-type]


def test_a_request_stands_while_bots_play_on_and_lapses_with_the_seat() -> None:
    table = bots(2, owner=ADA, take_over="asked")
    table.do(asked("Eve"), EVE)
    table.do(bot_move("b2", table.state.version), "bot:1")
    table.take([GameFinished("resignation", 0, "resignation"), GameStarted(1)])
    assert table.state.offers == {"seat": 0}
    table.do(take_over("Ada", 1), ADA)
    assert table.state.offers == {"seat": 0}
    table.do(act("leave"), ADA)
    table.do(take_over("Ada", 0), ADA)
    assert table.state.offers == {}


def test_nobody_is_asked_who_is_not_there() -> None:
    table = bots(2, owner=ADA, take_over="asked")
    assert "nobody can give you" in refusal(table, asked("Eve", here=False), EVE).message
    table.do(asked("Eve"), EVE)
    # Who has gone is given no seat.
    assert table.do(asked("Ada", here=False), ADA) == [OfferDeclined(0, "seat")]


@pytest.mark.parametrize("setting", ["nobody", "owner", "anyone"])
def test_nobody_asks_where_the_settings_say_otherwise(setting: Literal["nobody", "owner", "anyone"]) -> None:
    table = bots(2, owner=ADA, take_over=setting)
    assert refusal(table, asked("Eve"), EVE).code == Code.NOT_ALLOWED


def test_who_asks_for_a_seat_is_called_unlike_the_players() -> None:
    table = bots(1, owner=ADA, take_over="asked")
    assert table.do(asked("Ada"), EVE) == [OfferMade(1, "seat", "Ada 2")]
    assert table.do(asked("Ada"), ADA) == [SeatTaken(1, "Ada 2", player=EVE)]


# ---------------------------------------------------------------- giving it back


@pytest.mark.parametrize("over", [False, True])
def test_whoever_leaves_gives_a_bots_seat_back(over: bool) -> None:
    table = bots(2, owner=EVE)
    before = table.state.seats[1]
    table.do(take_over("Eve", 1), EVE)
    if over:
        table.take([GameFinished("resignation", 0, "resignation")])
    table.do(act("leave"), EVE)
    assert table.state.seats[1] == before
    # And once more.
    table.do(take_over("Eve", 1), EVE)


def test_a_persons_seat_is_not_taken() -> None:
    assert refusal(Table(started()), take_over("Eve"), EVE).code == Code.NOT_ALLOWED
    assert refusal(bots(1), take_over("Eve", 0), EVE).code == Code.NOT_ALLOWED
    assert refusal(Table(created()), take_over("Eve"), EVE).code == Code.NOT_ALLOWED


def test_the_tally_begins_anew_between_others() -> None:
    table = bots(2, owner=ADA)
    table.take([GameFinished("resignation", 0, "resignation")])
    assert table.state.wins == [1, 0]
    table.do(take_over("Ada"), ADA)
    assert table.state.wins == [0, 0]
