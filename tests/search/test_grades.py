"""Grades, one by one."""

from random import Random

import pytest

from parlour_protocol.reports import Candidate, Report, Score
from parlour_server.games.mnk import TICTACTOE
from parlour_server.search.algorithms.minimax import minimax
from parlour_server.search.control import Control
from parlour_server.search.reports.grades import BLUNDER, MISTAKE, grade
from tests.search.positions import solution, unfinished


def win(move: str, plies: int) -> Candidate:
    return Candidate(move, Score(100 - plies, "exact", "win", plies))


def loss(move: str, plies: int) -> Candidate:
    return Candidate(move, Score(plies - 100, "exact", "loss", plies))


def draw(move: str) -> Candidate:
    return Candidate(move, Score(0, "exact", "draw", 9))


def guess(move: str, score: float) -> Candidate:
    return Candidate(move, Score(score))


def by(move: str, margin: int) -> Candidate:
    """A move that is won, or lost, by so much."""
    score, result = (50 + margin, "win") if margin > 0 else (margin - 50, "loss")
    return Candidate(move, Score(score, "exact", "win" if result == "win" else "loss", margin=abs(margin)))


@pytest.mark.parametrize(
    ("best", "played", "name", "exact", "reason"),
    [
        (win("a", 3), win("b", 3), "perfect", True, "wins in 3"),
        (win("a", 3), win("b", 7), "good", True, "still wins, but slower: wins in 7, not in 3"),
        (win("a", 3), draw("b"), "mistake", True, "gave a win away: a draw"),
        (win("a", 3), loss("b", 4), "blunder", True, "turned a win into a loss: loses in 4"),
        (draw("a"), draw("b"), "perfect", True, "a draw"),
        (draw("a"), loss("b", 15), "blunder", True, "threw away a draw: loses in 15"),
        (loss("a", 8), loss("b", 8), "perfect", True, "loses in 8"),
        (loss("a", 8), loss("b", 2), "good", True, "loses sooner than it must: loses in 2, not in 8"),
        (by("a", 12), by("b", 4), "good", True, "still wins, but by less: wins by 4, not by 12"),
        (by("a", -2), by("b", -9), "good", True, "loses by more than it must: loses by 9, not by 2"),
        (by("a", 4), by("b", -2), "blunder", True, "turned a win into a loss: loses by 2"),
        (guess("a", 3.42), guess("b", 3.42), "perfect", False, "about +3.4"),
        (guess("a", 3.42), guess("b", 1), "good", False, "about +1 instead of about +3.4"),
        (guess("a", 5), guess("b", 5 - MISTAKE), "mistake", False, "about -3 instead of about +5"),
        (guess("a", 5), guess("b", 5 - BLUNDER), "blunder", False, "about -15 instead of about +5"),
        (guess("a", -45), loss("b", 6), "good", False, "loses in 6 instead of about -45"),
        (guess("a", 2), loss("b", 6), "blunder", False, "loses in 6 instead of about +2"),
        (win("a", 5), guess("b", 45), "good", False, "about +45 instead of wins in 5"),
        (win("a", 5), guess("b", 10), "blunder", False, "about +10 instead of wins in 5"),
    ],
)
def test_grades(best: Candidate, played: Candidate, name: str, exact: bool, reason: str) -> None:
    graded = grade(Report("bot", [best, played, loss("c", 2)], best.move, finished=True), played.move)
    assert graded is not None
    assert (graded.grade, graded.exact, graded.reason) == (name, exact, reason)
    assert graded.better == (None if name == "perfect" else best.move)
    assert graded.loss >= 0


def test_the_only_move_is_perfect_whatever_it_leads_to() -> None:
    graded = grade(Report("bot", [loss("pass", 2)], "pass", finished=True), "pass")
    assert graded is not None
    assert (graded.grade, graded.reason) == ("perfect", "the only move")


def test_a_move_that_the_search_did_not_come_to_has_no_grade() -> None:
    assert grade(Report("bot", [draw("a")], "a"), "b") is None


def test_a_bound_that_proves_a_loss_is_enough() -> None:
    bounded = Candidate("b", Score(-90, "at_most", "loss"))
    graded = grade(Report("bot", [draw("a"), bounded], "a", finished=True), "b")
    assert graded is not None
    assert (graded.grade, graded.exact) == ("blunder", True)


def test_a_guess_that_is_a_bound_is_told_as_one() -> None:
    bounded = Candidate("b", Score(-3.5, bound="at_most"))
    graded = grade(Report("bot", [guess("a", 2), bounded], "a", finished=True), "b")
    assert graded is not None
    assert graded.reason == "at most about -3.5 instead of about +2"


def test_every_move_of_tic_tac_toe_is_graded_by_its_true_worth() -> None:
    rank = {"perfect": 0, "good": 1, "mistake": 2, "blunder": 3}
    for position in Random(5).sample(unfinished(), 80):
        report = minimax(TICTACTOE, position, rng=Random(0), control=Control())
        truth = solution(position)
        best = max(truth.values())
        for move, score in truth.items():
            graded = grade(report, move)
            assert graded is not None
            assert graded.exact
            assert (graded.grade == "perfect") == (score == best)
            kept = (score > 0) == (best > 0) and (score < 0) == (best < 0)
            assert (rank[graded.grade] <= 1) == kept
