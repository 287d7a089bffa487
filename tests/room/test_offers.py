"""Draws, takebacks and games that are called off: who may offer what, when, and what becomes of it."""

import pytest

from parlour_protocol.actions import Offer
from parlour_protocol.errors import Code
from parlour_protocol.events import (
    GameFinished,
    GameStarted,
    KnownEvent,
    MovePlayed,
    MovesTakenBack,
    OfferDeclined,
    OfferMade,
    RoomCreated,
    SeatTaken,
    StandInSeated,
)
from parlour_protocol.ids import Seat
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views.reports import Candidate, Report, Score
from parlour_protocol.views.rooms import ResultView
from parlour_server.refusals import Refusal
from tests.support.rooms import (
    ADA,
    BEN,
    FIRST_WINS,
    Asked,
    Table,
    act,
    add_bot,
    bot_move,
    created,
    decline,
    moves,
    play,
    sit,
    started,
)

AGREED = GameFinished("agreement", None, "a draw was agreed")


def code(table: Table, command: Asked, by: str) -> Code:
    with pytest.raises(Refusal) as caught:
        table.try_out(command, by)
    return caught.value.code


def offer_of(table: Table, offer: Offer = "draw") -> Seat | None:
    """Whose offer stands."""
    return table.state.offers.get(offer)


def against_bot(score: float | None, *after: KnownEvent) -> Table:
    """Ada in the first seat; a bot has just answered, and promised itself so much."""
    seats: list[KnownEvent] = [
        SeatTaken(0, "Ada", player=ADA),
        SeatTaken(1, "easy", "easy", player="bot:1", seed=1),
    ]
    candidates = [] if score is None else [Candidate("b2", Score(score))]
    played = [MovePlayed(0, "a1"), MovePlayed(1, "b2", Report("easy", candidates, "b2"))]
    return Table([*created(), *seats, GameStarted(0), *played, *after])


# ---------------------------------------------------------------- draws


def test_a_draw_is_agreed_when_the_other_offers_one_too() -> None:
    table = Table([*started(), *moves(["a1"])])
    assert table.do(act("draw"), ADA) == [OfferMade(0, "draw")]
    assert offer_of(table) == 0
    assert code(table, act("draw"), ADA) == Code.ALREADY_OFFERED
    assert table.do(act("draw"), BEN) == [AGREED]
    assert table.state.draws == 1
    assert table.state.result == ResultView("agreement", "a draw was agreed")


@pytest.mark.parametrize("by", [ADA, BEN])
def test_a_draw_offer_is_declined_or_taken_back(by: str) -> None:
    table = Table([*started(), *moves(["a1"])])
    table.do(act("draw"), ADA)
    assert table.do(decline("draw"), by) == [OfferDeclined(0 if by == ADA else 1, "draw")]
    assert offer_of(table) is None
    assert code(table, decline("draw"), by) == Code.NOTHING_OFFERED
    assert table.do(act("draw"), BEN) == [OfferMade(1, "draw")]


def test_a_draw_offer_lapses_when_the_other_moves_and_stands_when_one_moves_oneself() -> None:
    table = Table(started())
    table.do(act("draw"), ADA)
    table.do(play("a1", table.state.version), ADA)
    assert offer_of(table) == 0
    table.do(play("b2", table.state.version), BEN)
    # What lapsed is no consent.
    assert table.do(act("draw"), BEN) == [OfferMade(1, "draw")]


@pytest.mark.parametrize(
    ("score", "agrees"), [(-20, True), (0, True), (0.5, False), (95, False), (None, False)]
)
def test_a_bot_takes_a_draw_where_its_last_report_promised_no_more(score: float | None, agrees: bool) -> None:
    table = against_bot(score)
    answer = [AGREED] if agrees else [OfferMade(0, "draw"), OfferDeclined(1, "draw")]
    assert table.do(act("draw"), ADA) == answer
    assert offer_of(table) is None


def test_a_bot_that_has_not_moved_yet_takes_no_draw() -> None:
    table = Table(created())
    table.do(sit("Ada"), ADA)
    table.do(add_bot("easy"), ADA)
    assert table.do(act("draw"), ADA)[-1] == OfferDeclined(1, "draw")


# ---------------------------------------------------------------- takebacks


def test_a_person_is_asked_and_lets_one_ply_be_taken_back() -> None:
    table = Table([*started(), *moves(["a1", "b2", "c3"])])
    assert table.do(act("takeback"), ADA) == [OfferMade(0, "takeback")]
    assert code(table, act("takeback"), ADA) == Code.ALREADY_OFFERED
    assert offer_of(table, "takeback") == 0
    assert table.do(act("takeback"), BEN) == [MovesTakenBack(0, 1)]
    state = table.state
    assert ([played.move for played in state.moves], state.to_move, offer_of(table, "takeback")) == (
        ["a1", "b2"],
        0,
        None,
    )
    assert table.do(play("a2", state.version), ADA)[0] == MovePlayed(0, "a2")


def test_whoever_is_to_move_again_takes_both_plies_back() -> None:
    table = Table([*started(), *moves(["a1", "b2", "c3", "a3"])])
    table.do(act("takeback"), ADA)
    assert table.do(act("takeback"), BEN) == [MovesTakenBack(0, 2)]
    assert ([played.move for played in table.state.moves], table.state.to_move) == (["a1", "b2"], 0)


@pytest.mark.parametrize("by", [ADA, BEN])
def test_a_takeback_is_declined_and_lapses_by_any_move(by: str) -> None:
    table = Table([*started(), *moves(["a1", "b2"])])
    table.do(act("takeback"), BEN)
    assert table.do(decline("takeback"), by)[0] == OfferDeclined(0 if by == ADA else 1, "takeback")
    table.do(act("takeback"), BEN)
    table.do(play("c3", table.state.version), ADA)
    assert offer_of(table, "takeback") is None
    # What lapsed is no consent: the other's question is a question of its own.
    assert table.do(act("takeback"), ADA) == [OfferMade(0, "takeback")]


@pytest.mark.parametrize("words", [["a1"], ["a1", "b2"]])
def test_a_bot_agrees_at_once_whether_it_is_thinking_or_has_answered(words: list[str]) -> None:
    seats: list[KnownEvent] = [
        SeatTaken(0, "Ada", player=ADA),
        SeatTaken(1, "easy", "easy", player="bot:1", seed=1),
    ]
    table = Table([*created(), *seats, GameStarted(0), *moves(words)])
    thought_for = table.state.version
    assert table.do(act("takeback"), ADA) == [MovesTakenBack(0, len(words))]
    assert (table.state.moves, table.state.to_move) == ([], 0)
    # The answer of a bot that was thinking comes to a board that is gone.
    table.do(play("c3", table.state.version), ADA)
    assert code(table, bot_move("b2", thought_for), "bot:1") == Code.STALE


def test_there_is_nothing_to_take_back_before_ones_first_move() -> None:
    table = Table([*started(), *moves(["a1"])])
    assert code(table, act("takeback"), BEN) == Code.NOT_ALLOWED
    assert table.do(act("takeback"), ADA) == [OfferMade(0, "takeback")]


def test_what_a_game_began_with_is_not_taken_back() -> None:
    begun = RoomCreated("tictactoe", RoomSettings(), ("a1", "b2", "c3"), ADA)
    seats: list[KnownEvent] = [SeatTaken(0, "Ada", player=ADA), SeatTaken(1, "Ben", player=BEN)]
    table = Table([begun, *seats, GameStarted(0)])
    assert (table.state.to_move, table.state.made) == (1, [0, 0])
    for by in (ADA, BEN):
        assert code(table, act("takeback"), by) == Code.NOT_ALLOWED
    table.do(play("a3", table.state.version), BEN)
    table.do(act("takeback"), BEN)
    assert table.do(act("takeback"), ADA) == [MovesTakenBack(1, 1)]
    assert ([played.move for played in table.state.moves], table.state.to_move) == (["a1", "b2", "c3"], 1)


def test_reports_of_the_moves_that_stay_are_kept() -> None:
    table = against_bot(3, MovePlayed(0, "c3"))
    table.do(act("takeback"), ADA)
    assert [played.report is not None for played in table.state.moves] == [False, True]


def test_no_move_is_taken_back_where_the_room_says_so() -> None:
    table = Table([*started(RoomSettings(takebacks=False)), *moves(["a1", "b2"])])
    assert code(table, act("takeback"), ADA) == Code.NOT_ALLOWED


# ---------------------------------------------------------------- a stand-in agrees to nothing


def test_a_stand_in_agrees_to_nothing_in_its_players_name() -> None:
    table = Table([*started(), *moves(["a1", "b2"]), StandInSeated(1, "easy", 1)])
    for offer in (act("draw"), act("takeback")):
        with pytest.raises(Refusal, match="A bot plays for the other player, who is away"):
            table.do(offer, ADA)
    # What Ben had offered before may still be taken.
    table = Table([*started(), *moves(["a1", "b2"]), OfferMade(1, "draw"), StandInSeated(1, "easy", 1)])
    assert table.do(act("draw"), ADA) == [GameFinished("agreement", None, "a draw was agreed")]


# ---------------------------------------------------------------- calling a game off


@pytest.mark.parametrize("played", [0, 1])
def test_a_game_that_has_hardly_begun_is_called_off_and_counts_for_nobody(played: int) -> None:
    for by, seat in ((ADA, 0), (BEN, 1)):
        table = Table([*started(), *moves(FIRST_WINS[:played])])
        assert table.do(act("abort"), by) == [GameFinished("aborted", None, "aborted", seat)]  # type: ignore[arg-type]
        state = table.state
        assert (state.phase, state.wins, state.draws) == ("finished", [0, 0], 0)
        assert state.result is not None
        assert (state.result.termination, state.result.winner) == ("aborted", None)
        table.do(act("rematch"), ADA)
        assert isinstance(table.do(act("rematch"), BEN)[0], GameStarted)


# ---------------------------------------------------------------- rematches


def test_a_rematch_is_declined_and_can_be_asked_for_again() -> None:
    table = Table(started())
    table.do(act("resign"), ADA)
    table.do(act("rematch"), ADA)
    assert table.do(decline("rematch"), BEN) == [OfferDeclined(1, "rematch")]
    assert table.state.offers == {}
    table.do(act("rematch"), BEN)
    # With sides changed, unless the room says otherwise.
    assert table.do(act("rematch"), ADA) == [GameStarted(1)]
