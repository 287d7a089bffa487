"""What a line typed at a table means."""

import pytest

from parlour_client.model import Shown
from parlour_client.words import ForScreen, Wrong, read
from parlour_protocol import to_server
from parlour_protocol.ids import Seat
from tests.client.rooms import view


def shown(
    *, draw: Seat | None = None, takeback: Seat | None = None, rematch: list[Seat] | None = None
) -> Shown:
    room = view()
    room.draw_offer, room.takeback_offer, room.rematch = draw, takeback, rematch or []
    return Shown(9, room)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("draw", to_server.OfferDraw),
        ("Takeback", to_server.AskTakeback),
        ("abort", to_server.Abort),
        ("rematch", to_server.Rematch),
        ("takeover", to_server.TakeOver),
    ],
)
def test_a_word_is_a_command(line: str, kind: type[to_server.RoomCommand]) -> None:
    meant = read(line, shown())
    assert type(meant) is kind
    assert meant.room == "KMRTQA"


def test_what_is_no_word_is_a_move_for_the_board_that_is_shown() -> None:
    for line in ("b2", "4", "n 3", "nothing", "x" * 100):
        meant = read(line, shown())
        assert isinstance(meant, to_server.PlayMove)
        assert (meant.move, meant.version) == (line, 9)
    assert isinstance(read("x" * 101, shown()), Wrong)


@pytest.mark.parametrize(
    ("line", "word"), [("HELP", "help"), ("?", "help"), ("exit", "quit"), ("back", "back")]
)
def test_some_words_are_the_screens_own(line: str, word: str) -> None:
    assert read(line, shown()) == ForScreen(word)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("back 3", "back takes nothing behind it: type it again to go further."),
        ("Abort now", "abort takes nothing behind it: type abort alone."),
        ("draw 3", "draw takes nothing behind it: type draw alone."),
        ("quit the game", "quit takes nothing behind it: type quit alone."),
        ("no way", "Decline what? no alone, or no draw, no takeback, no rematch."),
    ],
)
def test_a_word_with_too_much_behind_it_is_no_move(line: str, sentence: str) -> None:
    assert read(line, shown()) == Wrong(sentence)


def test_what_is_said_keeps_its_words() -> None:
    meant = read("SAY Good luck, Ben", shown())
    assert isinstance(meant, to_server.Say)
    assert meant.text == "Good luck, Ben"
    for line in ("say", f"say {'x' * 301}"):
        assert isinstance(read(line, shown()), Wrong)


@pytest.mark.parametrize("word", ["no", "n", "decline"])
def test_no_declines_what_is_offered(word: str) -> None:
    assert isinstance(read(word, shown()), Wrong)
    for offered, offer in [
        (shown(draw=1), "draw"),
        (shown(takeback=1), "takeback"),
        (shown(rematch=[1]), "rematch"),
        (shown(draw=0), "draw"),
        (shown(draw=0, takeback=1), "takeback"),
    ]:
        meant = read(word, offered)
        assert isinstance(meant, to_server.Decline)
        assert meant.offer == offer


def test_of_two_offers_one_is_named() -> None:
    both = shown(draw=1, takeback=1)
    assert read("no", both) == Wrong("There are two offers: type no draw or no takeback.")
    assert read("y", both) == Wrong("There are two offers: type draw or takeback to agree to one.")
    for line, offer in [("no draw", "draw"), ("No Takeback", "takeback"), ("decline rematch", "rematch")]:
        meant = read(line, both if offer != "rematch" else shown(rematch=[1]))
        assert isinstance(meant, to_server.Decline)
        assert meant.offer == offer


def test_yes_takes_what_is_offered() -> None:
    assert isinstance(read("yes", shown()), Wrong)
    assert isinstance(read("y", shown(draw=1)), to_server.OfferDraw)
    assert isinstance(read("y", shown(takeback=1)), to_server.AskTakeback)
    assert isinstance(read("yes", shown(rematch=[1])), to_server.Rematch)


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
    meant = read(line, shown())
    assert isinstance(meant, to_server.Claim)
    assert (meant.what, meant.bot) == (what, bot)


@pytest.mark.parametrize("line", ["claim it", "claim win now", f"claim bot {'x' * 101}", "takeover mine"])
def test_what_is_half_a_command_is_told_the_rest(line: str) -> None:
    meant = read(line, shown())
    assert isinstance(meant, Wrong)
    assert meant.sentence.endswith(".")


def test_a_seat_may_be_named() -> None:
    for line, seat in [("takeover", None), ("takeover first", 0), ("takeover Second", 1)]:
        meant = read(line, shown())
        assert isinstance(meant, to_server.TakeOver)
        assert meant.seat == seat
