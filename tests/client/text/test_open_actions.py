"""What is open at a table, and why the rest is not: the server's own reasons."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from parlour_client.text.actions import ACTIONS, BY_NAME
from parlour_client.text.open_actions import why_closed
from parlour_client.tui.screens.layout import LEAST_LEFT
from parlour_client.tui.screens.open_actions import at_table
from parlour_client.tui.table_model import TableModel
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views.rooms import ResultView, RoomView, SeatView
from parlour_protocol.words import available, say, speak
from tests.client.tui.screens.positions import room

LETTERS = {action.name for action in ACTIONS if len(action.key) == 1}
ADA, BEN, BOT = SeatView("human", "Ada"), SeatView("human", "Ben"), SeatView("bot", "hard", "hard")
STRICT = RoomSettings(chat=False, takebacks=False, hints="never")
AWAY = SeatView("human", "Ben", stand_in="medium")

Known = dict[str, Any]
OVER: Known = {"phase": "finished", "to_move": None, "result": ResultView("resignation", "resignation", 1)}
WAITING: Known = {"phase": "waiting", "moves": "", "to_move": None, "seats": [ADA, SeatView("open")]}


def table(**known: Any) -> RoomView:
    """Ada's table with Ben, where she is to move."""
    return room("tictactoe", "Tic-tac-toe", **{"moves": "b2 a1", "seats": [ADA, BEN], **known})


def over(**known: Any) -> RoomView:
    return table(**{**OVER, **known})


def waiting(**known: Any) -> RoomView:
    return table(**{**WAITING, **known})


def test_to_ask_for_the_rematch_that_is_offered_agrees_to_it() -> None:
    offered = over(offers={"rematch": 1})
    assert {"agree", "decline", "rematch"} <= at_table(TableModel(offered))
    request = BY_NAME["rematch"].request
    assert request is not None
    for view, sentence in ((offered, "agreeing"), (over(), "asking for another game")):
        asked = request(view)
        assert (asked.command.model_dump()["type"], asked.sentence) == ("rematch", sentence)


@pytest.mark.parametrize(
    ("name", "view", "id_"),
    [
        # What needs more than the server's rules.
        ("agree", table(), "refusal.not_offered"),
        ("agree", table(offers={"draw": 0}), "refusal.not_offered"),
        ("agree", table(you=None), "refusal.not_seated"),
        ("claim", table(), "refusal.not_away"),
        ("claim", table(away=[None, 5.0]), "refusal.not_away_for_long"),
        ("review", table(), "closed.not_over"),
        ("review", waiting(), "closed.no_moves"),
        ("games", table(), "closed.only_game"),
        ("carry", over(phase="closed"), "refusal.room_closed"),
        # Some of those.
        ("decline", table(you=None, offers={"draw": 1}), "refusal.not_seated"),
        ("draw", table(offers={"draw": 0}), "refusal.offered_already"),
        ("draw", table(seats=[ADA, AWAY]), "refusal.bot_agrees_to_nothing"),
        ("claim", table(seats=[ADA, AWAY], away=[None, 99.0]), "refusal.bot_never_away"),
        ("takeback", table(moves=""), "refusal.nothing_to_take_back"),
        ("abort", table(moves="b2 a1 c3"), "refusal.too_late_to_abort"),
        ("play", table(moves="b2"), "refusal.not_your_turn"),
    ],
)
def test_it_says_why(name: str, view: RoomView, id_: str) -> None:
    assert name not in at_table(TableModel(view))
    assert why_closed(name, view) == say(id_)


@pytest.fixture
def english_again() -> Iterator[None]:
    yield
    speak("en")


@pytest.mark.parametrize("tag", available())
@pytest.mark.usefixtures("english_again")
def test_every_closed_action_has_a_reason_that_fits_the_status(tag: str) -> None:
    tables: list[Known] = [{}, {"moves": ""}, {"moves": "b2"}, {"offers": {"draw": 1}}]
    tables += [{"offers": {"takeback": 0}}, OVER, {**OVER, "offers": {"rematch": 1}}]
    tables += [{**OVER, "phase": "closed"}, WAITING, {"away": [None, 5.0]}]
    tables += [{"seats": seats} for seats in ([ADA, AWAY], [BOT, BOT], [ADA, BOT])]
    speak(tag)
    for known, you, settings in product(tables, (0, 1, None), (RoomSettings(), STRICT)):
        view = table(**known, you=you, settings=settings)
        if you is not None and view.seats[you].kind != "human":
            continue  # only people sit
        for name in LETTERS - at_table(TableModel(view)):
            said = why_closed(name, view)
            assert len(said) <= 2 * LEAST_LEFT, said
            assert said != say("closed.not_now"), (name, view)
