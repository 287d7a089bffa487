"""Why an action is not open: a few words for each, which are true."""

from itertools import product
from typing import Any

import pytest

from parlour_client.text.actions import ACTIONS, BY_NAME
from parlour_client.text.closed_actions import why_closed
from parlour_client.tui.screens.open_actions import at_table
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views.rooms import ResultView, RoomView, SeatView
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
    offered = over(rematch=[1])
    assert {"agree", "decline", "rematch"} <= at_table(offered)
    request = BY_NAME["rematch"].request
    assert request is not None
    for view, sentence in ((offered, "agreeing to a rematch"), (over(), "asking for another game")):
        asked = request(view)
        assert (asked.command.model_dump()["type"], asked.sentence) == ("rematch", sentence)


@pytest.mark.parametrize(
    ("name", "view", "sentence"),
    [
        ("agree", table(), "Nothing is offered."),
        ("agree", table(draw_offer=0), "Only the other player can agree to that."),
        ("decline", table(), "Nothing is offered."),
        ("decline", table(you=None, draw_offer=1), "Only players can do that."),
        ("claim", table(), "There is nothing to claim now."),
        ("claim", table(away=[None, 5.0]), "It is too early to claim the game."),
        ("claim", over(), "The game is over."),
        ("rematch", table(), "The game isn't over yet."),
        ("rematch", over(rematch=[0]), "You have asked already."),
        ("rematch", over(phase="closed"), "The room is closed."),
        ("review", table(), "The game isn't over yet."),
        ("review", waiting(), "There is no move to review."),
        ("games", table(), "There is only this game."),
        ("games", waiting(game_number=0), "No game has begun."),
        ("sit", table(), "You sit here already."),
        ("sit", table(you=None), "No seat is free."),
        ("add_bot", table(), "No seat is free."),
        ("leave", table(), "The game is on: resign first, then leave."),
        ("leave", table(you=None), "Only players can do that."),
        ("close", table(), "Only the player who created the room can close it."),
        ("close", table(owner=True), "A player is in a game here: a room is closed when its game is over."),
        ("add_bot", waiting(you=None), "Only players can do that."),
        ("hint", table(), "There are no hints in this room."),
        ("hint", table(settings=RoomSettings(hints="always"), moves="b2"), "It is not your turn."),
        ("hint", table(you=None), "Only players can do that."),
        ("draw", table(you=None), "Only players can do that."),
        ("draw", table(draw_offer=1), "Answer what is offered first."),
        ("draw", table(draw_offer=0), "You have asked already."),
        ("draw", table(seats=[ADA, AWAY]), "A bot plays for the other player, who is away."),
        ("takeback", table(settings=RoomSettings(takebacks=False)), "No moves are taken back in this room."),
        ("takeback", table(moves=""), "You have made no move yet."),
        ("take_over", table(you=None), "No bot sits here."),
        ("take_over", table(you=None, seats=[ADA, BOT]), "Only the room's owner can do that."),
        ("abort", table(moves="b2 a1 c3"), "It is too late to abort the game."),
        ("resign", waiting(), "No game has begun."),
        ("say", table(settings=RoomSettings(chat=False)), "There is no chat in this room."),
        ("play", table(moves="b2"), "It is not your turn."),
    ],
)
def test_it_says_why(name: str, view: RoomView, sentence: str) -> None:
    assert name not in at_table(view)
    assert why_closed(name, view) == sentence


def test_every_closed_action_has_a_reason_of_its_own_that_fits_a_small_screen() -> None:
    tables: list[Known] = [{}, {"moves": ""}, {"moves": "b2"}, {"draw_offer": 1}, {"takeback_offer": 0}]
    tables += [OVER, {**OVER, "rematch": [1]}, {**OVER, "phase": "closed"}, WAITING, {"away": [None, 5.0]}]
    tables += [{"seats": seats} for seats in ([ADA, AWAY], [BOT, BOT], [ADA, BOT])]
    for known, you, settings in product(tables, (0, 1, None), (RoomSettings(), STRICT)):
        view = table(**known, you=you, settings=settings)
        if you is not None and view.seats[you].kind != "human":
            continue  # only people sit
        for name in LETTERS - at_table(view):
            said = why_closed(name, view)
            assert len(said) <= 50, said
            assert said != "That can't be done now.", (name, view)
