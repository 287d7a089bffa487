"""Draws, takebacks and games that are called off: who may offer what, when, and what becomes of it."""

import pytest

from parlour_protocol.errors import Code
from parlour_protocol.views import Candidate, Offer, Report, ResultView, RoomSettings
from parlour_server.room.commands import (
    Abort,
    Decline,
    OfferDraw,
    OfferRematch,
    OfferTakeback,
    Play,
    Resign,
    SeatBot,
    Sit,
)
from parlour_server.room.events import (
    DrawOffered,
    Event,
    GameAborted,
    GameFinished,
    GameStarted,
    MovePlayed,
    MovesTakenBack,
    NothingChanged,
    OfferDeclined,
    SeatTaken,
    StandInSeated,
    TakebackOffered,
)
from parlour_server.room.refusals import Refusal
from tests.support.rooms import ADA, BEN, FIRST_WINS, Table, created, moves, started

AGREED = GameFinished(None, "a draw was agreed")


def code(table: Table, command: object, by: str) -> Code:
    with pytest.raises(Refusal) as caught:
        table.try_out(command, by)  # type: ignore[arg-type]
    return caught.value.code


def against_bot(score: float | None, *after: Event) -> Table:
    """Ada in the first seat; a bot has just answered, and promised itself so much."""
    seats: list[Event] = [SeatTaken(0, ADA, "Ada"), SeatTaken(1, "bot:1", "easy", "easy:seed=1")]
    candidates = [] if score is None else [Candidate("b2", score, "estimate", "unknown")]
    played = [MovePlayed(0, "a1"), MovePlayed(1, "b2", Report("easy", candidates))]
    return Table([*created(), *seats, GameStarted(0), *played, *after])


# ---------------------------------------------------------------- draws


def test_a_draw_is_agreed_when_the_other_offers_one_too() -> None:
    table = Table([*started(), *moves(["a1"])])
    assert table.do(OfferDraw(), ADA) == [DrawOffered(0)]
    assert table.state.draw == 0
    assert table.do(OfferDraw(), ADA) == [NothingChanged()]
    assert table.do(OfferDraw(), BEN) == [AGREED]
    assert table.state.draws == 1
    assert table.state.result == ResultView("a draw was agreed")


@pytest.mark.parametrize("by", [ADA, BEN])
def test_a_draw_offer_is_declined_or_taken_back(by: str) -> None:
    table = Table([*started(), *moves(["a1"])])
    table.do(OfferDraw(), ADA)
    assert table.do(Decline("draw"), by) == [OfferDeclined(0 if by == ADA else 1, "draw")]
    assert table.state.draw is None
    assert table.do(Decline("draw"), by) == [NothingChanged()]
    assert table.do(OfferDraw(), BEN) == [DrawOffered(1)]


def test_a_draw_offer_lapses_when_the_other_moves_and_stands_when_one_moves_oneself() -> None:
    table = Table(started())
    table.do(OfferDraw(), ADA)
    table.do(Play("a1", table.state.version), ADA)
    assert table.state.draw == 0
    table.do(Play("b2", table.state.version), BEN)
    # What lapsed is no consent.
    assert table.do(OfferDraw(), BEN) == [DrawOffered(1)]


@pytest.mark.parametrize(
    ("score", "agrees"), [(-20, True), (0, True), (0.5, False), (95, False), (None, False)]
)
def test_a_bot_takes_a_draw_where_its_last_report_promised_no_more(score: float | None, agrees: bool) -> None:
    table = against_bot(score)
    answer = AGREED if agrees else OfferDeclined(1, "draw")
    assert table.do(OfferDraw(), ADA) == [DrawOffered(0), answer]
    assert table.state.draw is None


def test_a_bot_that_has_not_moved_yet_takes_no_draw() -> None:
    table = Table(created())
    table.do(Sit("Ada"), ADA)
    table.do(SeatBot("easy:seed=1"), ADA)
    assert table.do(OfferDraw(), ADA)[-1] == OfferDeclined(1, "draw")


# ---------------------------------------------------------------- takebacks


def test_a_person_is_asked_and_lets_one_ply_be_taken_back() -> None:
    table = Table([*started(), *moves(["a1", "b2", "c3"])])
    assert table.do(OfferTakeback(), ADA) == [TakebackOffered(0)]
    assert table.do(OfferTakeback(), ADA) == [NothingChanged()]
    assert table.state.takeback == 0
    assert table.do(OfferTakeback(), BEN) == [MovesTakenBack(0, 1)]
    state = table.state
    assert ([played.move for played in state.moves], state.to_move, state.takeback) == (["a1", "b2"], 0, None)
    assert table.do(Play("a2", state.version), ADA)[0] == MovePlayed(0, "a2")


def test_whoever_is_to_move_again_takes_both_plies_back() -> None:
    table = Table([*started(), *moves(["a1", "b2", "c3", "a3"])])
    table.do(OfferTakeback(), ADA)
    assert table.do(OfferTakeback(), BEN) == [MovesTakenBack(0, 2)]
    assert ([played.move for played in table.state.moves], table.state.to_move) == (["a1", "b2"], 0)


@pytest.mark.parametrize("by", [ADA, BEN])
def test_a_takeback_is_declined_and_lapses_by_any_move(by: str) -> None:
    table = Table([*started(), *moves(["a1", "b2"])])
    table.do(OfferTakeback(), BEN)
    assert table.do(Decline("takeback"), by)[0] == OfferDeclined(0 if by == ADA else 1, "takeback")
    table.do(OfferTakeback(), BEN)
    table.do(Play("c3", table.state.version), ADA)
    assert table.state.takeback is None
    # What lapsed is no consent: the other's question is a question of its own.
    assert table.do(OfferTakeback(), ADA) == [TakebackOffered(0)]


@pytest.mark.parametrize("words", [["a1"], ["a1", "b2"]])
def test_a_bot_agrees_at_once_whether_it_is_thinking_or_has_answered(words: list[str]) -> None:
    seats: list[Event] = [SeatTaken(0, ADA, "Ada"), SeatTaken(1, "bot:1", "easy", "easy:seed=1")]
    table = Table([*created(), *seats, GameStarted(0), *moves(words)])
    thought_for = table.state.version
    assert table.do(OfferTakeback(), ADA) == [MovesTakenBack(0, len(words))]
    assert (table.state.moves, table.state.to_move) == ([], 0)
    # The answer of a bot that was thinking comes to a board that is gone.
    table.do(Play("c3", table.state.version), ADA)
    assert code(table, Play("b2", thought_for), "bot:1") == Code.STALE


def test_there_is_nothing_to_take_back_before_ones_first_move() -> None:
    table = Table([*started(), *moves(["a1"])])
    assert code(table, OfferTakeback(), BEN) == Code.NOT_ALLOWED
    assert table.do(OfferTakeback(), ADA) == [TakebackOffered(0)]


def test_what_a_game_began_with_is_not_taken_back() -> None:
    from parlour_server.room.events import RoomCreated

    begun = RoomCreated("tictactoe", RoomSettings(), ADA, ("a1", "b2", "c3"))
    seats: list[Event] = [SeatTaken(0, ADA, "Ada"), SeatTaken(1, BEN, "Ben")]
    table = Table([begun, *seats, GameStarted(0)])
    assert (table.state.to_move, table.state.played()) == (1, 0)
    for by in (ADA, BEN):
        assert code(table, OfferTakeback(), by) == Code.NOT_ALLOWED
    table.do(Play("a3", table.state.version), BEN)
    table.do(OfferTakeback(), BEN)
    assert table.do(OfferTakeback(), ADA) == [MovesTakenBack(1, 1)]
    assert ([played.move for played in table.state.moves], table.state.to_move) == (["a1", "b2", "c3"], 1)


def test_reports_of_the_moves_that_stay_are_kept() -> None:
    table = against_bot(3, MovePlayed(0, "c3"))
    table.do(OfferTakeback(), ADA)
    assert [played.report is not None for played in table.state.moves] == [False, True]


def test_no_move_is_taken_back_where_the_room_says_so() -> None:
    table = Table([*started(RoomSettings(takebacks=False)), *moves(["a1", "b2"])])
    assert code(table, OfferTakeback(), ADA) == Code.NOT_ALLOWED


def test_a_game_that_is_over_takes_nothing_back() -> None:
    table = Table([*started(), *moves(FIRST_WINS), GameFinished(0, "three in a row")])
    assert code(table, OfferTakeback(), BEN) == Code.NOT_PLAYING


# ---------------------------------------------------------------- a stand-in agrees to nothing


def test_a_stand_in_agrees_to_nothing_in_its_players_name() -> None:
    table = Table([*started(), *moves(["a1", "b2"]), StandInSeated(1, "easy:seed=1")])
    for offer in (OfferDraw(), OfferTakeback()):
        with pytest.raises(Refusal, match="A bot plays for Ben, who is away"):
            table.do(offer, ADA)
    # What Ben had offered before may still be taken.
    table = Table([*started(), *moves(["a1", "b2"]), DrawOffered(1), StandInSeated(1, "easy:seed=1")])
    assert table.do(OfferDraw(), ADA) == [GameFinished(None, "a draw was agreed")]


# ---------------------------------------------------------------- calling a game off


@pytest.mark.parametrize("played", [0, 1])
def test_a_game_that_has_hardly_begun_is_called_off_and_counts_for_nobody(played: int) -> None:
    for by, seat in ((ADA, 0), (BEN, 1)):
        table = Table([*started(), *moves(FIRST_WINS[:played])])
        assert table.do(Abort(), by) == [GameAborted(seat)]  # type: ignore[arg-type]
        state = table.state
        assert (state.phase, state.wins, state.draws) == ("finished", [0, 0], 0)
        assert state.result is not None
        assert (state.result.aborted, state.result.winner) == (True, None)
        table.do(OfferRematch(), ADA)
        assert isinstance(table.do(OfferRematch(), BEN)[0], GameStarted)


def test_a_game_under_way_is_not_called_off() -> None:
    table = Table([*started(), *moves(FIRST_WINS[:2])])
    assert code(table, Abort(), ADA) == Code.NOT_ALLOWED


# ---------------------------------------------------------------- rematches


def test_a_rematch_is_declined_and_can_be_asked_for_again() -> None:
    table = Table(started())
    table.do(Resign(), ADA)
    table.do(OfferRematch(), ADA)
    assert table.do(Decline("rematch"), BEN) == [OfferDeclined(1, "rematch")]
    assert table.state.rematch == set()
    table.do(OfferRematch(), BEN)
    # With sides changed, unless the room says otherwise.
    assert table.do(OfferRematch(), ADA) == [GameStarted(1)]


@pytest.mark.parametrize("offer", ["draw", "takeback", "rematch"])
def test_there_is_nothing_to_decline_where_nothing_was_offered(offer: Offer) -> None:
    table = Table([*started(), *moves(["a1", "b2"])])
    assert table.do(Decline(offer), BEN) == [NothingChanged()]
