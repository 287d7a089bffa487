"""What a line typed at a table means."""

import pytest

from parlour_client.sdk.state import first_state
from parlour_client.text.input_words import Wrong, is_open, read
from parlour_protocol import commands
from parlour_protocol.actions import PlainAction
from tests.client.rooms import offering, snapshot, view


@pytest.mark.parametrize(
    ("line", "action"),
    [("draw", "draw"), ("Takeback", "takeback"), ("leave", "leave"), ("rematch", "rematch")],
)
def test_a_word_is_a_command(line: str, action: PlainAction) -> None:
    meant = read(line, offering())
    assert isinstance(meant, commands.PlayerAction)
    assert (meant.type, meant.room) == (action, "KMRTQA")


def test_what_is_no_word_is_a_move_for_the_board_that_is_offering() -> None:
    for line in ("b2", "4", "n 3", "nothing", "x" * 100):
        meant = read(line, offering())
        assert isinstance(meant, commands.PlayMove)
        assert (meant.move, meant.version) == (line, 9)
    assert isinstance(read("x" * 101, offering()), Wrong)


@pytest.mark.parametrize(
    ("line", "meant"), [("resing", "resign"), ("Takebak", "takeback"), ("sya hello", "say"), ("hlep", "help")]
)
def test_a_mistyped_word_is_no_move(line: str, meant: str) -> None:
    found = read(line, offering())
    assert isinstance(found, Wrong)
    assert f"Did you mean {meant}" in found.sentence


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("back 3", "back takes nothing behind it: type it again to go further."),
        ("Abort now", "abort takes nothing behind it: type abort alone."),
        ("draw 3", "draw takes nothing behind it: type draw alone."),
        ("quit the game", "quit takes nothing behind it: type quit alone."),
    ],
)
def test_a_word_with_too_much_behind_it_is_no_move(line: str, sentence: str) -> None:
    assert read(line, offering()) == Wrong(sentence)


@pytest.mark.parametrize(
    ("line", "now"),
    [
        ("quit", True),
        ("board", True),
        ("say hello", True),
        ("resign", True),
        ("draw", True),
        ("b2", False),
        ("hint", False),
        ("rematch", False),
        ("yes", False),
    ],
)
def test_some_words_can_be_done_while_the_other_is_to_move(line: str, now: bool) -> None:
    assert is_open(line, first_state(snapshot(4, view(you=1)), 0.0)) is now


def test_what_is_said_keeps_its_words() -> None:
    meant = read("SAY Good luck, Ben", offering())
    assert isinstance(meant, commands.Say)
    assert meant.text == "Good luck, Ben"
    for line in ("say", f"say {'x' * 301}"):
        assert isinstance(read(line, offering()), Wrong)


@pytest.mark.parametrize("word", ["no", "n", "decline"])
def test_no_declines_what_is_offered(word: str) -> None:
    assert isinstance(read(word, offering()), Wrong)
    for offered, offer in [
        (offering(draw=1), "draw"),
        (offering(takeback=1), "takeback"),
        (offering(rematch=1), "rematch"),
        (offering(draw=0), "draw"),
        (offering(draw=0, takeback=1), "takeback"),
    ]:
        meant = read(word, offered)
        assert isinstance(meant, commands.Decline)
        assert meant.offer == offer


def test_of_two_offers_one_is_named() -> None:
    both = offering(draw=1, takeback=1)
    assert read("no", both) == Wrong("There are two offers: type no draw or no takeback.")
    assert read("y", both) == Wrong("There are two offers: type draw or takeback to agree to one.")
    for line, offer in [("no draw", "draw"), ("No Takeback", "takeback"), ("decline rematch", "rematch")]:
        meant = read(line, both if offer != "rematch" else offering(rematch=1))
        assert isinstance(meant, commands.Decline)
        assert meant.offer == offer


def test_one_s_own_offer_is_withdrawn_by_its_name_whatever_the_other_offers() -> None:
    both = offering(draw=0, takeback=1)
    meant = read("no draw", both)
    assert isinstance(meant, commands.Decline) and meant.offer == "draw"
    assert read("no rematch", both) == Wrong("There is no such offer.")


@pytest.mark.parametrize("line", ["no", "no draw", "yes"])
def test_a_spectator_answers_no_offer(line: str) -> None:
    watched = offering(draw=1)
    watched.view.you = None
    assert read(line, watched) == Wrong("You don't sit at this table.")


def test_yes_takes_what_is_offered() -> None:
    assert isinstance(read("yes", offering()), Wrong)
    for word, offered, action in [
        ("y", offering(draw=1), "draw"),
        ("y", offering(takeback=1), "takeback"),
        ("yes", offering(rematch=1), "rematch"),
    ]:
        meant = read(word, offered)
        assert isinstance(meant, commands.PlayerAction)
        assert meant.type == action


@pytest.mark.parametrize(
    ("line", "what", "bot"),
    [
        ("claim", "win", "medium"),
        ("claim win", "win", "medium"),
        ("claim DRAW", "draw", "medium"),
        ("claim bot", "bot", "medium"),
        ("claim bot hard", "bot", "hard"),
    ],
)
def test_a_game_is_claimed(line: str, what: str, bot: str) -> None:
    meant = read(line, offering())
    assert isinstance(meant, commands.Claim)
    assert (meant.what, meant.bot) == (what, bot)


def test_a_seat_may_be_named() -> None:
    for line, seat in [("takeover", None), ("takeover first", 0), ("takeover Second", 1)]:
        meant = read(line, offering())
        assert isinstance(meant, commands.TakeOver)
        assert meant.seat == seat


@pytest.mark.parametrize("line", ["quick 2", "quick good luck", "QUICK Good_Luck", "quick good luck!"])
def test_a_quick_word_is_said_by_its_number_or_by_itself(line: str) -> None:
    meant = read(line, offering())
    assert isinstance(meant, commands.Say)
    assert (meant.quick, meant.text) == ("good_luck", None)
