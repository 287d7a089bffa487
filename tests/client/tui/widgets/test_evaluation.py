"""How a game stands, as a column beside the board."""

from dataclasses import replace
from typing import Any

import pytest

from parlour_client.sdk.state import first_state
from parlour_client.tui.screens.layout import arrange
from parlour_client.tui.screens.left_column import PARTS
from parlour_client.tui.table_model import Space, TableModel
from parlour_client.tui.widgets.evaluation import draw
from parlour_protocol.views.reports import Score
from tests.client.rooms import snapshot
from tests.client.tui.screens.positions import WON, candidate, position, report, room
from tests.client.tui.screens.reviews import graded


def model(moves: str, score: Score, **changed: Any) -> TableModel:
    """A game against a bot that has just moved, and gives its move this score."""
    one = replace(candidate("4", 0), score=score)
    view = room("connect4", "Connect Four", moves, report=report(candidates=[one], best="4"), **changed)
    return TableModel(view, state=first_state(snapshot(1, view, view.at), 0.0))


def column(shown: TableModel, lines: int = 10) -> str:
    return draw(shown, Space(1, lines)).plain.replace("\n", "")


@pytest.mark.parametrize(
    ("score", "drawn"),
    [
        (Score(7, chance=70), "│││││││░░░"),
        (Score(7, chance=70, bound="at_most"), "│││││││···"),
        (Score(0, "at_most"), "│││││▒▒▒▒▒"),
        (Score(0, "exact", "draw"), "│││││█████"),
        (Score(95, "exact", "win", 5), "││││││││││"),
        (Score(-95, "exact", "loss", 5), "██████████"),
    ],
)
def test_the_players_share_stands_below(score: Score, drawn: str) -> None:
    assert column(model("4 4", score)) == drawn


def test_the_other_seats_share_is_the_rest() -> None:
    assert column(model("4 4", Score(7, chance=70), you=1)) == "│││░░░░░░░"


def test_nothing_is_shown_where_nothing_is_known() -> None:
    assert column(TableModel(room("connect4", "Connect Four", "4 4", report=None))) == ""
    earlier = model("4 4", Score(7, chance=70))
    earlier.to(1)
    assert column(earlier) == ""


def test_a_review_has_a_score_for_each_position() -> None:
    reviewed = model(WON, Score(7, chance=70))
    reviewed.reviewing, reviewed.review = True, graded()
    assert column(reviewed) == "██████████"
    reviewed.to(1)
    assert set(column(reviewed)) == {"│", "░"}


def test_on_a_small_screen_it_has_the_columns_that_the_board_leaves() -> None:
    assert arrange(position("connect4"), PARTS, 60, 20).bar
    assert not arrange(position("mnk:19,19,5"), PARTS, 20, 20).bar
