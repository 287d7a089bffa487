"""What a table says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour_client import clocks, sentences
from parlour_client.tables import seat_text
from parlour_protocol.errors import Code
from parlour_protocol.to_client import Refused
from parlour_protocol.views import ChatLine, ClockView, ResultView, SeatView
from tests.client.rooms import board, view


def test_whose_turn_it_is() -> None:
    room = view()
    assert sentences.turn(room) == "Your turn (X)."
    room.to_move = 1
    assert sentences.turn(room) == "Ben is to move (O)."
    room.online = [True, False]
    assert sentences.turn(room) == "Ben is to move (O), who is away."
    room.to_move = None
    assert sentences.turn(room) == ""


def test_marks_follow_whoever_began() -> None:
    room = view(you=1)
    room.starter = 1
    assert sentences.players(room) == "Ada (O) against Ben (X, you)"


def test_a_bot_is_always_marked_as_one() -> None:
    room = view()
    room.seats[1] = SeatView("bot", "perfect", "perfect")
    assert sentences.moved(room, 1, "b2") == "perfect (bot) played b2."


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (ResultView("three in a row", 0), "You win: three in a row."),
        (ResultView("three in a row", 1), "Ben wins: three in a row."),
        (ResultView("the board is full"), "A draw: the board is full."),
        (ResultView("Draw"), "A draw."),
        (None, ""),
    ],
)
def test_how_it_ended(result: ResultView | None, words: str) -> None:
    room = view()
    room.result = result
    assert sentences.result(room) == words


def test_the_score_is_told_from_the_second_game_on() -> None:
    room = view()
    room.wins = [1, 0]
    assert sentences.score(room) == ""
    room.draws = 2
    assert sentences.score(room) == "Score: Ada 1, Ben 0, 2 drawn."


def test_the_winning_line_is_named() -> None:
    won = board("XXX", "OO.", "...")
    won.line = [0, 1, 2]
    assert sentences.winning_line(won) == "The line: a3 b3 c3."
    won.rows = ["", "", ""]
    assert sentences.winning_line(won) == ""


def test_a_wrong_move_is_told_the_right_ones() -> None:
    refused = Refused(Code.ILLEGAL_MOVE, "b2 is taken.", "1", legal=["a1", "c1", "a3"])
    assert sentences.refusal(refused) == "b2 is taken. Free: a1, c1, a3."
    many = [f"a{number}" for number in range(101)]
    taken = Refused(Code.ILLEGAL_MOVE, "b2 is taken.", "1", legal=many)
    assert sentences.refusal(taken) == "b2 is taken. Write a move like a50."
    unread = Refused(
        Code.INVALID_MOVE, "'zz' is no cell: write a column and a row, such as b2.", "1", legal=many
    )
    assert sentences.refusal(unread) == unread.message
    turn = Refused(Code.NOT_YOUR_TURN, "It is not your turn.", "1", legal=["a1"])
    assert sentences.refusal(turn) == "It is not your turn."


def test_a_wrong_time_is_told_the_right_one() -> None:
    refused = Refused(Code.BUSY, "Too many searches wait.", "1", retry_after=2.0)
    assert sentences.refusal(refused) == "Too many searches wait. Try again in 2 s."


def test_a_friend_is_told_the_very_command() -> None:
    assert sentences.invitation("ws://127.0.0.1:8765", "KMRTQA") == [
        "In another terminal:",
        "  parlour join KMRTQA --as NAME",
        "or with the link http://127.0.0.1:8765/KMRTQA",
    ]
    assert sentences.invitation("ws://127.0.0.1:9000", "KMRTQA") == [
        "A friend joins with:",
        "  parlour join http://127.0.0.1:9000/KMRTQA --as NAME",
    ]
    assert sentences.invitation("wss://play.example", "KMRTQA")[1] == (
        "  parlour join https://play.example/KMRTQA"
    )


def test_the_way_back_is_told() -> None:
    assert sentences.come_back("ws://127.0.0.1:8765", "KMRTQA", None, seated=True) == "parlour join KMRTQA"
    assert sentences.come_back("wss://play.example", "KMRTQA", "Ada B", seated=True) == (
        'parlour join https://play.example/KMRTQA --as "Ada B"'
    )
    assert sentences.come_back("ws://127.0.0.1:8765", "KMRTQA", "Ada", seated=False) == "parlour watch KMRTQA"


def test_rematches_are_states() -> None:
    room = view()
    assert sentences.rematch(room) == "Type rematch for another game, or quit."
    room.rematch = [1]
    assert sentences.rematch(room) == "Ben asks for a rematch: type rematch to agree, or quit."
    room.rematch = [0]
    assert sentences.rematch(room) == "You asked for a rematch. Waiting for Ben."
    room.you = None
    assert sentences.rematch(room) == ""
    room.owner, room.seats = True, [SeatView("bot", "easy", "easy")] * 2
    assert sentences.rematch(room) == "Type rematch for another game, or quit."


@pytest.mark.parametrize("evil", ["Ada\x1b]52;c;cm0=\x07", "\x9b2JAda", "Ada\u202eneB"])
def test_names_are_cleaned_wherever_they_are_said(evil: str) -> None:
    room = view(names=(evil, evil), you=None)
    room.result, room.rematch = ResultView(evil, 1), [0]
    room.clock, room.draw_offer, room.online = ClockView([1, 1], 0), 0, [False, False]
    room.seats[1].stand_in = evil
    line = ChatLine("players", evil, evil, 0)
    refused = Refused(Code.ILLEGAL_MOVE, evil, "1", legal=[evil])
    for said in (
        sentences.turn(room),
        sentences.players(room),
        sentences.moved(room, 0, evil),
        sentences.result(room),
        sentences.score(room),
        sentences.rematch(room),
        sentences.refusal(refused),
        sentences.times(room),
        sentences.presence(room, 0),
        sentences.mover_of(room, 1),
        sentences.said(line),
        sentences.step([evil], 1),
        sentences.taken_back(room, 1, 1),
        sentences.declined(room, 0, "draw"),
        *sentences.offers(room),
    ):
        assert said.isprintable()


# ---------------------------------------------------------------- offers


def test_an_offer_says_how_it_is_answered() -> None:
    room = view(you=1)
    room.draw_offer = 0
    assert sentences.offers(room) == ["Ada offers a draw: `draw` takes it, `no` declines."]
    assert sentences.standing_offers(room) == ["draw"]
    room = view(you=0)
    room.takeback_offer = 1
    assert sentences.offers(room) == ["Ben asks to take a move back: `takeback` allows it, `no` declines."]
    room.takeback_offer, room.draw_offer = None, 0
    assert sentences.offers(room) == ["You offer a draw. Waiting for Ben (`no` takes the offer back)."]
    room.you = None
    assert sentences.offers(room) == ["Ada offers a draw."]
    assert sentences.standing_offers(room) == []


def test_the_others_offer_is_answered_first() -> None:
    room = view()
    assert sentences.standing_offers(room) == []
    room.draw_offer, room.takeback_offer = 0, 1
    assert sentences.standing_offers(room) == ["takeback"]
    room.takeback_offer = None
    assert sentences.standing_offers(room) == ["draw"]
    room.draw_offer = 1
    room.takeback_offer = 1
    assert sentences.standing_offers(room) == ["draw", "takeback"]
    room.draw_offer, room.takeback_offer, room.rematch = None, None, [1]
    assert sentences.standing_offers(room) == ["rematch"]


def test_what_becomes_of_an_offer() -> None:
    room = view()
    room.draw_offer = 0
    assert sentences.declined(room, 1, "draw") == "Ben declines the draw."
    assert sentences.declined(room, 0, "draw") == "You take your offer of a draw back."
    room.draw_offer = 1
    assert sentences.declined(room, 1, "draw") == "Ben takes the offer of a draw back."
    assert sentences.declined(room, 0, "draw") == "You decline the draw."
    room.takeback_offer = 0
    assert sentences.declined(room, 1, "takeback") == "Ben does not give the move back."
    room.rematch = [0]
    assert sentences.declined(room, 1, "rematch") == "Ben does not want another game."
    assert sentences.taken_back(room, 1, 1) == "Ben takes a move back."
    assert sentences.taken_back(room, 0, 2) == "You take 2 moves back."


def test_an_aborted_game() -> None:
    room = view()
    room.result = ResultView("aborted", aborted=True)
    assert sentences.result(room) == "The game was aborted. It counts for nobody."


# ---------------------------------------------------------------- time


def test_times_stand_with_the_turn() -> None:
    room = view()
    assert (sentences.times(room), sentences.short_times(room)) == ("", "")
    room.clock = ClockView([252_000, 9_470], running=1)
    assert sentences.times(room) == "Time: Ada 4:12, Ben 9.4 (running)."
    assert sentences.short_times(room) == "X 4:12  O 9.4"
    room.phase = "finished"
    assert sentences.short_times(room) == ""


@pytest.mark.parametrize(
    ("left", "shown"),
    [
        (3_723_000, "1:02:03"),
        (300_000, "5:00"),
        (299_999, "4:59"),
        (61_000, "1:01"),
        (10_000, "0:10"),
        (9_999, "9.9"),
        (50, "0.0"),
        (-300, "0:00"),
    ],
)
def test_a_clock_never_shows_more_than_there_is(left: int, shown: str) -> None:
    assert clocks.clock(left) == shown


@given(st.integers(1, 400_000))
def test_a_clock_is_looked_at_when_it_changes(left: int) -> None:
    wait = clocks.until_next(left)
    assert 0 < wait <= 1.001
    if left - round(1000 * wait) >= 0:
        assert clocks.clock(left) != clocks.clock(left - round(1000 * wait))
    assert clocks.until_next(0) == clocks.until_next(-5) == 1.0


def test_away_since_when() -> None:
    room = view()
    room.online, room.away, room.to_move = [True, False], [None, 40.4], 1
    assert sentences.presence(room, 1) == "Ben is away (for 40 s)."
    assert sentences.turn(room) == "Ben is to move (O), who is away (for 40 s)."
    room.away = [None, 300.0]
    assert sentences.presence(room, 1) == "Ben is away (for 5 min)."
    room.away = [None, 0.0]
    assert sentences.presence(room, 1) == "Ben is away."
    room.online, room.away = [True, True], [None, None]
    assert sentences.presence(room, 1) == "Ben is back."


def test_a_game_may_be_claimed_after_the_rooms_patience() -> None:
    room = view()
    room.online, room.away = [True, False], [None, 59.0]
    assert not sentences.may_claim(room)
    room.away = [None, 60.0]
    assert sentences.may_claim(room)
    assert sentences.claimable(room) == (
        "Ben is away (for 60 s). "
        "Wait on, or type `claim win`, `claim draw`, or `claim bot` to have a bot play on."
    )
    room.seats[1] = SeatView("human", "Ben", stand_in="medium")
    assert not sentences.may_claim(room)
    room.seats[1], room.you = SeatView("human", "Ben"), None
    assert not sentences.may_claim(room)


def test_a_stand_in_is_marked_as_a_bot() -> None:
    room = view(you=1)
    room.seats[0], room.online = SeatView("human", "Ada", stand_in="medium"), [False, True]
    assert sentences.moved(room, 0, "b2") == "medium (bot), for Ada, played b2."
    assert sentences.turn(room) == "medium (bot), for Ada, is to move (X)."
    room.you = 0
    assert sentences.moved(room, 0, "b2") == "medium (bot), for Ada, played b2."


def test_how_many_look_on() -> None:
    assert [sentences.watching(number) for number in (0, 1, 2)] == [
        "Nobody looks on",
        "1 looks on",
        "2 look on",
    ]


def test_a_step_says_where_one_is() -> None:
    assert sentences.step(["a1", "b2"], 0) == "The beginning (of 2 moves)"
    assert sentences.step(["a1", "b2"], 2) == "Move 2 of 2: b2"


def test_the_help_fits_a_screen() -> None:
    assert all(len(row) <= 79 for row in sentences.HELP.splitlines())
    for word in ("draw", "takeback", "no", "say", "abort", "resign", "claim", "takeover", "rematch", "back"):
        assert f"\n  {word} " in sentences.HELP


def test_a_players_own_program_is_shown_as_a_bot() -> None:
    playing = view()
    playing.seats[1] = SeatView("human", "deep", program=True)
    assert sentences.name_of(playing, 1) == "deep (bot)"
    assert seat_text(playing.seats[1]).plain == "deep (bot)"
    playing.seats[1].stand_in = "easy"
    assert sentences.mover_of(playing, 1) == "easy (bot), for deep (bot),"
