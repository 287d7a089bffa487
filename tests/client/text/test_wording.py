"""What a table says."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour_client.render.lists import player
from parlour_client.sdk.errors import Refused as RefusedError
from parlour_client.sdk.local_server import ServerTarget
from parlour_client.sdk.state import as_of, first_state
from parlour_client.text import durations, wording
from parlour_protocol.answers import Closing, Refused
from parlour_protocol.errors import Code
from parlour_protocol.events import KnownEvent, StandInSeated
from parlour_protocol.ids import SEATS
from parlour_protocol.notices import Announcement
from parlour_protocol.views.permissions import why_not
from parlour_protocol.views.rooms import ClockView, ResultView, RoomLine, RoomView, SeatView, Turn
from parlour_protocol.words import Said, Sentence, say
from parlour_server.room.view import PresenceState
from tests.client.feed import Feed
from tests.client.rooms import board, offering, view
from tests.support.rooms import ADA, BEN, EVE, started


def test_whose_turn_it_is() -> None:
    room = view()
    assert wording.turn(room) == "Your turn (X)."
    room.turn = Turn(1, since=0)
    assert wording.turn(room) == "Ben to move (O)."
    room.online, room.away_since = [True, False], [None, room.at]
    assert wording.turn(room) == "Ben to move (O), but away."
    room.turn = None
    assert wording.turn(room) == ""


def test_marks_follow_whoever_began() -> None:
    room = view(you=1)
    room.starter = 1
    assert wording.players(room) == "Ada (O) against Ben (X, you)"


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (ResultView("line", "three in a row", 0), "You win by three in a row."),
        (ResultView("line", "three in a row", 1), "Ben wins by three in a row."),
        (ResultView("board_full", "the board is full"), "A draw: the board is full."),
        (ResultView("rules", "Draw"), "A draw."),
        (None, ""),
    ],
)
def test_how_it_ended(result: ResultView | None, words: str) -> None:
    room = view()
    room.result = result
    assert wording.result(room) == words


@pytest.mark.parametrize(
    ("number", "said"),
    [(0, "0.1 s"), (0.3, "0.3 s"), (0.31, "0.4 s"), (0.95, "1 s"), (1, "1 s"), (12.4, "13 s"), (60, "60 s")],
)
def test_a_waiting_time_is_never_too_short(number: float, said: str) -> None:
    assert wording.seconds(number) == said


def test_the_score_is_reported_from_the_second_game_on() -> None:
    room = view()
    room.wins = [1, 0]
    assert wording.score(room) == ""
    room.draws = 2
    assert wording.score(room) == "Score: Ada 1, Ben 0, 2 draws."


def test_the_winning_line_is_named() -> None:
    won = board("XXX", "OO.", "...")
    won.line = [0, 1, 2]
    assert wording.winning_line(won) == "The line: a3 b3 c3."
    won.rows = ["", "", ""]
    assert wording.winning_line(won) == ""


def test_a_wrong_move_is_reported_the_right_ones() -> None:
    refused = Refused(Code.ILLEGAL_MOVE, "b2 is taken.", "1", legal=["a1", "c1", "a3"])
    assert wording.refusal(refused) == "b2 is taken. Free: a1, c1, a3."
    many = [f"a{number}" for number in range(101)]
    taken = Refused(Code.ILLEGAL_MOVE, "b2 is taken.", "1", legal=many)
    assert wording.refusal(taken) == "b2 is taken. Write a move like a50."
    # The game's own sentence has an example, in whichever language.
    unread = Refused(
        Code.INVALID_MOVE, Sentence("game.move.no_cell", text="'zz'", example="b2"), "1", legal=many
    )
    assert wording.refusal(unread) == unread.message
    turn = Refused(Code.NOT_YOUR_TURN, "It is not your turn.", "1", legal=["a1"])
    assert wording.refusal(turn) == "It is not your turn."


def test_a_wrong_time_is_reported_the_right_one() -> None:
    refused = Refused(Code.BUSY, "Too many searches wait.", "1", retry_after=2.0)
    assert wording.refusal(refused) == "Too many searches wait. Try again in 2 s."


def test_what_a_server_says_is_said_in_the_language_of_this_process() -> None:
    raw, said = "as the server has it", Said("refusal.no_such_room", {"room": "KMRTQA"})
    sentence = say("refusal.no_such_room")
    refused = Refused(Code.UNKNOWN_ROOM, raw, "1", said=said)
    assert wording.refusal(refused) == str(RefusedError(refused)) == sentence
    assert wording.announced(Announcement(raw, text_said=said)) == f"The host says: {sentence}"
    # Where this catalogue has it not, it is read as it came.
    assert wording.refusal(replace(refused, said=Said("refusal.of_a_newer_server"))) == raw


def test_a_friend_is_reported_the_link_and_the_very_command() -> None:
    assert wording.invitation("ws://127.0.0.1:8765", "KMRTQA") == [
        "A friend opens this link, on this machine:",
        "  http://127.0.0.1:8765/KMRTQA",
        "or joins in a terminal:",
        "  parlour join KMRTQA --as NAME",
        "Only this machine can open that. To let your network in, start the server by",
        "  parlour serve --host 0.0.0.0 --insecure",
    ]
    assert wording.invitation("ws://127.0.0.1:9000", "KMRTQA")[3] == (
        "  parlour join http://127.0.0.1:9000/KMRTQA --as NAME"
    )
    assert wording.invitation("wss://play.example", "KMRTQA") == [
        "Send a friend this link:",
        "  https://play.example/KMRTQA",
        "or joins in a terminal:",
        "  parlour join https://play.example/KMRTQA",
    ]


def test_the_way_back_is_reported() -> None:
    usual = ServerTarget("ws://127.0.0.1:8765", named=True)
    assert wording.come_back(usual, "KMRTQA", None, seated=True) == "parlour join KMRTQA"
    assert (
        wording.come_back(
            ServerTarget("wss://play.example", named=True), "KMRTQA", "Ada\x1b $(B)", seated=True
        )
        == "parlour join https://play.example/KMRTQA --as 'Ada $(B)'"
    )
    assert wording.come_back(usual, "KMRTQA", "Ada", seated=False) == "parlour watch KMRTQA"
    # The server that this machine shares is found, whatever its port is.
    shared = ServerTarget("ws://127.0.0.1:50123", host=True)
    assert wording.come_back(shared, "KMRTQA", None, seated=True) == "parlour join KMRTQA"


def test_on_leaving_it_is_said_what_becomes_of_the_server() -> None:
    place, room = ServerTarget("ws://127.0.0.1:8765", host=True), view()

    def said(*answer: Any) -> list[str]:
        return wording.farewell(place, room, None, Closing("1", *answer) if answer else None)

    back = "  parlour join KMRTQA"
    assert said() == ["Goodbye. Your seat is kept. Come back with:", back]
    assert said(True, [], "/games/rooms.db") == [
        "Goodbye. The server has ended; your games are kept in /games/rooms.db.",
        "Your seat is kept. Come back with:",
        back,
    ]
    assert said(True, []) == ["Goodbye. The server has ended, and its games with it."]
    assert said(False, ["Bo", "Cy"], "/games/rooms.db")[0] == "Goodbye. The server stays open for Bo and Cy."
    # Another terminal of one's own is there.
    assert said(False, [], "/games/rooms.db") == said()
    assert wording.farewell(place, None, None, Closing("1", True, [], "rooms.db")) == [
        "Goodbye. The server has ended; your games are kept in rooms.db."
    ]


def test_who_is_still_connected_is_named_while_they_are_few() -> None:
    assert wording.still_connected(["Bo"]) == "Bo is still connected."
    assert wording.still_connected(["Bo", "Cy", "Di"]) == "Bo, Cy and Di are still connected."
    assert wording.still_connected(["Bo", "Cy", "Di", "Ed", "Flo"]) == (
        "Bo, Cy, Di and 2 more are still connected."
    )


def test_rematches_are_states() -> None:
    room = view()
    assert wording.rematch(room) == ""  # as long as the game goes on
    room.may.seats[0] = ["rematch"]
    assert wording.rematch(room) == "Type rematch for another game, or quit."
    for seat in SEATS:
        room.offers = {"rematch": seat}
        assert wording.rematch(room) == ""  # which is said as an offer
    room.you, room.offers = None, {}
    assert wording.rematch(room) == ""
    room.owner, room.may.owner = True, ["rematch"]
    assert wording.rematch(room) == "Type rematch for another game, or quit."


# ---------------------------------------------------------------- offers


def test_an_offer_says_how_it_is_answered() -> None:
    room = offering(draw=0).view
    room.you = 1
    assert wording.offers(room) == ["Ada offers a draw. `draw` agrees, `no` declines."]
    assert wording.standing_offers(room) == ["draw"]
    room.you = 0
    assert wording.offers(room) == ["You offer a draw. Waiting for Ben; `no` withdraws it."]
    room.you = None
    assert wording.offers(room) == ["Ada offers a draw."]
    assert wording.standing_offers(room) == []


def test_the_others_offer_is_answered_first() -> None:
    assert wording.standing_offers(view()) == []
    assert wording.standing_offers(offering(draw=0, takeback=1).view) == ["takeback"]
    assert wording.standing_offers(offering(draw=0).view) == ["draw"]
    assert wording.standing_offers(offering(draw=1, takeback=1).view) == ["draw", "takeback"]


# ---------------------------------------------------------------- time


def test_times_stand_with_the_turn() -> None:
    room = view()
    assert (wording.times(room), wording.short_times(room)) == ("", "")
    room.clock = ClockView([252_000, 9_470], since=0, running=1)
    assert wording.times(room) == "Time: Ada 4:12, Ben 9.4 (running)."
    assert wording.short_times(room) == "X 4:12  O 9.4"
    room.phase = "finished"
    assert wording.short_times(room) == ""


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
    assert durations.clock(left) == shown


@given(st.integers(1, 400_000))
def test_a_clock_is_looked_at_when_it_changes(left: int) -> None:
    wait = durations.until_next(left)
    assert 0 < wait <= 1.001
    if left - round(1000 * wait) >= 0:
        assert durations.clock(left) != durations.clock(left - round(1000 * wait))
    assert durations.until_next(0) == durations.until_next(-5) == 1.0


def test_away_since_when() -> None:
    room = view()
    room.online, room.away_since, room.turn = [True, False], [None, 1_000], Turn(1, since=0)
    room.at = 41_400
    assert wording.presence(room, 1) == "Ben has been away for 40 s."
    assert wording.turn(room) == "Ben to move (O), but away for 40 s."
    room.at = 301_000
    assert wording.presence(room, 1) == "Ben has been away for 5 min."
    room.at = 1_000
    assert wording.presence(room, 1) == "Ben is away."
    room.online, room.away_since = [True, True], [None, None]
    assert wording.presence(room, 1) == "Ben is back."


def test_a_game_may_be_claimed_after_the_rooms_patience() -> None:
    def seen(away: float, viewer: str = ADA, *events: KnownEvent) -> RoomView:
        """What a server says of a room where Ben has been away for so many seconds."""
        feed = Feed([*started(), *events], viewer)
        gone = PresenceState([True, False], 0, [None, feed.now])
        return as_of(first_state(feed.snapshot(gone), 0.0), away)

    assert why_not(seen(59.9), "claim") is not None
    room = seen(60.0)
    assert why_not(room, "claim") is None
    assert wording.claimable(room) == (
        "Ben has been away for 60 s. "
        "Wait on, or type `claim win`, `claim draw`, or `claim bot` to have a bot play on."
    )
    assert why_not(seen(60.0, ADA, StandInSeated(1, "medium")), "claim") is not None
    for other in (BEN, EVE):
        assert why_not(seen(60.0, other), "claim") is not None


def test_a_stand_in_is_marked_as_a_bot() -> None:
    room = view(you=1)
    room.seats[0], room.online = SeatView("human", "Ada", stand_in="medium"), [False, True]
    assert wording.moved(room, 0, "b2") == "medium (bot, for Ada) played b2."
    assert wording.turn(room) == "medium (bot, for Ada) to move (X)."
    room.you = 0
    assert wording.moved(room, 0, "b2") == "medium (bot, for Ada) played b2."


def test_a_players_own_program_is_shown_as_a_bot() -> None:
    playing = view()
    playing.seats[1] = SeatView("human", "deep", program=True)
    assert wording.name_of(playing, 1) == "deep (bot)"
    assert player(playing.seats[1]).plain == "deep (bot)"
    playing.seats[1].stand_in = "easy"
    assert wording.mover_of(playing, 1) == "easy (bot, for deep (bot))"


def test_who_else_waits_for_a_game_and_with_which_clock() -> None:
    person, bot, free = SeatView("human", "Ben"), SeatView("bot", "easy", "easy"), SeatView("open")

    def room(game: str, first: SeatView, second: SeatView, clock: str | None = None) -> RoomLine:
        line = RoomLine("KMRTQA", game, "waiting", [first, second], 0, 0, 1, clock)
        return line if free in (first, second) else replace(line, phase="playing")

    waiting = [
        room("gomoku", person, free, "5+3"),
        room("gomoku", free, person),
        room("gomoku", person, free, "5+3"),
    ]
    others = [
        room("reversi", person, free),
        room("gomoku", person, person),
        room("gomoku", bot, free),
        room("gomoku", free, free),
    ]
    assert wording.others_waiting([*waiting, *others], "gomoku") == (
        "Others waiting: 2 with 5+3, 1 without a clock."
    )
    assert wording.others_waiting(others, "gomoku") == ""
