"""The race of the taught searches: one value for all, ever fewer positions."""

from itertools import pairwise
from random import Random
from typing import Any

import pytest

from parlour_protocol.views.reports import Entrant, Report
from parlour_server.games import find_game
from parlour_server.games.game import Game
from parlour_server.games.mnk import MNK, TICTACTOE
from parlour_server.search.control import POLL_EVERY, Control
from parlour_server.search.reports.lab import IDEAS, expected, race
from tests.search.positions import unfinished

WIDE = MNK(4, 4, 3, name="wide")


def run(game: Game[Any], moves: str, entrant: Entrant, depth: int) -> Report:
    return race(game, game.replay(moves)[0], entrant, depth, Control())


def test_all_agree_on_many_positions() -> None:
    for position in Random(3).sample(unfinished(), 60):
        scores = {
            race(TICTACTOE, position, entrant, 9, Control()).candidates[0].score.points for entrant in IDEAS
        }
        assert len(scores) == 1


@pytest.mark.parametrize(
    ("game", "moves", "depth"),
    [
        ("connect4", "4 4 4 3", 5),
        ("kalah", "", 5),
        ("isolation:5", "", 3),
        ("reversi", "", 4),
        ("checkers", "", 4),
    ],
)
def test_all_agree_on_what_they_estimate_and_the_later_ones_save_most(
    game: str, moves: str, depth: int
) -> None:
    runs = [run(find_game(game), moves, entrant, depth) for entrant in IDEAS]
    assert len({report.candidates[0].score.points for report in runs}) == 1
    nodes = dict(zip(IDEAS, (report.nodes for report in runs), strict=True))
    assert min(nodes, key=lambda one: nodes[one]) not in ("minimax", "alphabeta", "ordering")


def test_each_idea_of_the_first_four_saves_positions() -> None:
    runs = [run(TICTACTOE, "", entrant, 9) for entrant in ("alphabeta", "ordering", "table")]
    assert all(first.nodes > second.nodes for first, second in pairwise(runs))
    assert [report.table_hits > 0 for report in runs] == [False, False, True]
    assert all(report.cutoffs > 0 for report in runs)
    assert run(TICTACTOE, "a1", "minimax", 8).cutoffs == 0


@pytest.mark.parametrize(("game", "depth"), [("tictactoe", 9), ("connect4", 4), ("reversi", 4), ("kalah", 4)])
def test_what_theory_expects(game: str, depth: int) -> None:
    found = find_game(game)
    plain = run(found, "", "minimax", depth).nodes
    whole, half, other = (
        expected(found, found.initial(), entrant, depth) for entrant in ("minimax", "alphabeta", "table")
    )
    assert whole is not None and half is not None and other is None
    assert 0.8 < whole / plain < 1.25
    assert half == pytest.approx(whole**0.5, abs=1)


def test_a_finished_position_is_refused() -> None:
    with pytest.raises(ValueError, match="over"):
        run(TICTACTOE, "a1 b1 a2 b2 a3", "minimax", 3)


def test_one_that_is_stopped_says_so_and_keeps_what_it_has() -> None:
    polls = iter([False] * 3)
    control = Control(stopped=lambda: next(polls, None) is not False)
    report = race(WIDE, WIDE.initial(), "deepening", 12, control)
    assert not report.finished
    assert 0 < report.depth < 12
    assert report.best is not None
    # What the depths found that only show how costs grow is none of it.
    nothing = race(WIDE, WIDE.initial(), "minimax", 12, Control(stopped=lambda: True))
    assert (nothing.finished, nothing.best, nothing.candidates, nothing.depth) == (False, None, [], 0)


def test_it_shows_how_far_it_is() -> None:
    shown: list[Report] = []
    report = race(TICTACTOE, TICTACTOE.initial(), "minimax", 5, Control(publish=shown.append))
    assert len(shown) == report.nodes // POLL_EVERY
    nodes = [one.nodes for one in shown]
    assert nodes == sorted(nodes)
    assert not any(one.finished or one.candidates for one in shown)
