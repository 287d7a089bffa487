"""A table's model without a terminal: what is studied, what is wanted for it, and what ends it."""

from dataclasses import replace

from parlour_client.sdk.messages import Disconnected, Reconnected
from parlour_client.sdk.state import first_state
from parlour_client.text.actions import BY_NAME
from parlour_client.tui.table_model import REFUSAL_SECONDS, TableModel
from parlour_protocol.ids import Seat
from parlour_protocol.views.rooms import RoomView
from tests.client.rooms import snapshot
from tests.client.tui.screens.positions import report, room

NOW = 100.0


def view(moves: str, you: Seat | None = 0, number: int = 1) -> RoomView:
    return replace(room("connect4", "Connect Four", moves, you=you), game_number=number)


def take(model: TableModel, now: RoomView) -> None:
    """The room is as `now` shows it, by a snapshot."""
    message = snapshot(model.version + 1, now, now.at)
    model.take(message, first_state(message, NOW), NOW)


def test_an_earlier_position_is_wanted_until_it_and_its_reports_are_there() -> None:
    model = TableModel(view("4 4 3 5"))
    present = model.position
    model.by(-1)
    assert (model.ply, model.wanted) == (3, {"look": (0, 3)})
    # Until it has come the board stays as it is.
    assert model.position == present
    model.looked_at, model.reports, model.reports_of = (0, 3), {3: report(), 4: report(nodes=4)}, 0
    assert (model.wanted, model.kept, model.report) == ({}, report(), report(nodes=4))
    model.by(5)
    assert [model.ply] == [3]
    model.by(1)
    assert (model.ply, model.position == present) == (None, True)


def test_a_move_brings_a_player_back_and_leaves_a_spectator_there() -> None:
    cases: list[tuple[Seat | None, int | None]] = [(0, None), (None, 1)]
    for you, ply in cases:
        model = TableModel(view("4 4", you))
        model.to(1)
        take(model, view("4 4 3", you))
        assert (model.ply, model.wanted) == (ply, {} if ply is None else {"look": (1, 1)})
        # Another game has nothing that could be looked back on.
        model.reports = {1: report()}
        take(model, view("", you, number=2))
        assert (model.ply, model.reports, model.wanted) == (None, {}, {})


def test_a_hint_and_its_search_are_of_the_position_that_they_were_asked_for() -> None:
    model = TableModel(view("4 4"))
    model.toggle_scores()
    assert model.wanted == {"hint": (0, 0)}
    take(model, view("4 4 3"))
    assert (model.wanted, model.searching) == ({}, False)
    for ends in (model.close, lambda: take(model, view("4 4 3 3"))):
        model.hint = report()
        assert model.scores == report()
        ends()
        assert model.scores is None


def test_a_review_is_wanted_once_and_is_of_its_game() -> None:
    model = TableModel(view("4 4"))
    model.toggle_review()
    assert (model.wanted, model.graded) == ({"review": (0, 0)}, (0, 2))
    take(model, view("", number=2))
    assert (model.wanted, model.reviewing) == ({}, False)


def test_a_lost_connection_stops_the_times_and_withdraws_a_question() -> None:
    model = TableModel(view("4 4"))
    take(model, view("4 4"))
    assert model.state is not None
    model.ask(BY_NAME["resign"])
    model.refuse("It is not your turn.", NOW)
    model.take(Disconnected(2.0, 0, "The host has stopped the server."), model.state, NOW)
    assert (model.question, model.refusal, model.lost) == ("", "", 2.0)
    at = model.view.at
    model.refresh(NOW + 1.5)
    assert (model.lost, model.view.at) == (0.5, at)
    model.take(Reconnected(), model.state, NOW + 3)
    assert (model.lost, model.reason) == (None, "")


def test_a_refusal_is_forgotten_after_a_while_and_what_was_closed_with_the_next_event() -> None:
    model = TableModel(view("4 4"))
    for closed, left in ((True, ""), (False, "No.")):
        model.refuse("No.", NOW, closed=closed)
        take(model, view("4 4"))
        assert model.refusal == left
    model.refresh(NOW + REFUSAL_SECONDS)
    assert model.refusal == ""


def test_a_key_answers_a_question_or_withdraws_it() -> None:
    model = TableModel(view("4 4"))
    for key, answered in (("y", True), ("Y", True), ("n", False), ("x", False)):
        model.ask(BY_NAME["resign"])
        choice = model.answer(key)
        assert (choice is not None and choice.request is not None) is answered
        assert model.question == ""


def test_an_answer_that_is_chosen_takes_the_place_of_a_refusal() -> None:
    model = TableModel(view("4"))
    model.refuse("It is not your turn.", NOW)
    model.plan(3)
    assert (model.planned, model.refusal) == (3, "")


def test_an_answer_is_for_the_game_that_it_was_chosen_in() -> None:
    for after, found in (
        (view("4 4 3 3"), (16, ["3"])),
        (view("4 4 3"), None),
        (view("4 4"), None),
        (view("4 4 3 3", number=2), None),
    ):
        model = TableModel(view("4 4 3"))
        assert model.may_plan
        model.plan(2)
        model.plan(9)
        assert model.planned is None
        model.plan(16)
        was = model.view
        take(model, after)
        assert model.take_plan(was) == found
        assert model.planned == (16 if after.moves == was.moves else None)
