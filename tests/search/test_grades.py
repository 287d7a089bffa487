"""Grades, one by one."""

from random import Random

import pytest

from parlour_protocol.views.reports import Bound, Candidate, Report, Score, UnfinishedRound
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


def guess(move: str, chance: float) -> Candidate:
    return Candidate(move, Score(chance / 10 - 5, chance=chance))


def bound(move: str, kind: Bound, points: float = 0) -> Candidate:
    """A proven bound that tells no result."""
    return Candidate(move, Score(points, kind))


def by(move: str, margin: int) -> Candidate:
    """A move that is won, or lost, by so much."""
    score, result = (50 + margin, "win") if margin > 0 else (margin - 50, "loss")
    return Candidate(move, Score(score, "exact", "win" if result == "win" else "loss", margin=margin))


@pytest.mark.parametrize(
    ("best", "played", "name", "exact", "reason"),
    [
        (win("a", 3), win("b", 3), "perfect", True, "wins in 3"),
        (win("a", 3), win("b", 7), "good", True, "still wins, but slower: wins in 7, not in 3"),
        (win("a", 3), draw("b"), "mistake", True, "threw away a win (a draw)"),
        (win("a", 3), loss("b", 4), "blunder", True, "threw away a win (loses in 4)"),
        (draw("a"), draw("b"), "perfect", True, "a draw"),
        (draw("a"), loss("b", 15), "blunder", True, "threw away a draw (loses in 15)"),
        (loss("a", 8), loss("b", 8), "perfect", True, "loses in 8"),
        (loss("a", 8), loss("b", 2), "inaccuracy", True, "lost anyway: loses in 2 instead of in 8"),
        (by("a", 12), by("b", 4), "good", True, "still wins, but by less: wins by 4, not by 12"),
        (by("a", -2), by("b", -9), "good", True, "lost anyway: loses by 9 instead of by 2"),
        (by("a", 4), by("b", -2), "blunder", True, "threw away a win (loses by 2)"),
        (guess("a", 62), guess("b", 62), "perfect", False, "62% to win"),
        (guess("a", 62), guess("b", 58), "good", False, "was 62% to win, now 58% to win"),
        (guess("a", 62), guess("b", 62 - MISTAKE), "mistake", False, "was 62% to win, now 47% to win"),
        (guess("a", 62), guess("b", 62 - BLUNDER), "blunder", False, "was 62% to win, now 32% to win"),
        (guess("a", 8), loss("b", 6), "good", False, "loses in 6 instead of 8% to win"),
        (guess("a", 52), loss("b", 6), "blunder", False, "loses in 6 instead of 52% to win"),
        (win("a", 5), guess("b", 95), "good", False, "no longer a proven win: 95% to win"),
        (win("a", 5), guess("b", 70), "mistake", False, "no longer a proven win: 70% to win"),
        (draw("a"), guess("b", 40), "good", False, "no longer a proven draw: 40% to win"),
        (draw("a"), guess("b", 20), "blunder", False, "no longer a proven draw: 20% to win"),
        (win("a", 37), bound("b", "at_most"), "mistake", True, "threw away a win (at best a draw)"),
        (bound("a", "at_least"), loss("b", 30), "blunder", True, "threw away a draw (loses in 30)"),
        (bound("a", "at_least"), guess("b", 45), "good", False, "no longer a proven draw: 45% to win"),
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


def test_a_guess_that_is_a_bound_is_said_to_be_one() -> None:
    bounded = Candidate("b", Score(-3.5, bound="at_most", chance=40))
    graded = grade(Report("bot", [guess("a", 50), bounded], "a", finished=True), "b")
    assert graded is not None
    assert graded.reason == "was 50% to win, now at most about 40% to win"


@pytest.mark.parametrize(
    ("best", "played"),
    [
        (win("a", 37), bound("b", "at_most", 63)),
        (draw("a"), bound("b", "at_least", -60)),
        (bound("a", "at_least"), draw("b")),
    ],
)
def test_what_a_bound_leaves_open_is_not_graded(best: Candidate, played: Candidate) -> None:
    assert grade(Report("bot", [best, played, loss("c", 2)], "a", finished=True), "b") is None


def test_the_chosen_move_is_perfect_also_where_the_complete_round_ranks_it_second() -> None:
    seen = UnfinishedRound(5, [guess("b", 62), guess("a", 40)], chosen=True)
    report = Report("bot", [guess("a", 60), guess("b", 55)], "b", unfinished=seen, depth=4)
    graded = [grade(report, move) for move in "ab"]
    assert [one.grade for one in graded if one] == ["perfect", "perfect"]


@pytest.mark.parametrize(
    ("must", "played", "mark"),
    [
        (loss("a", 12), loss("b", 4), "?!"),
        (loss("a", 12), loss("b", 8), ""),
        (by("a", -2), by("b", -12), "?!"),
        (by("a", -2), by("b", -9), ""),
        (win("a", 3), win("b", 19), ""),
        (guess("a", 8), loss("b", 2), ""),
    ],
)
def test_a_much_shorter_loss_is_worth_a_word(must: Candidate, played: Candidate, mark: str) -> None:
    graded = grade(Report("bot", [must, played], "a", finished=True), "b")
    assert graded is not None
    assert (graded.grade, graded.mark) == ("inaccuracy" if mark else "good", mark)


@pytest.mark.parametrize(
    ("best", "played", "lost"),
    [(win("a", 3), draw("b"), 50), (win("a", 3), loss("b", 2), 100), (guess("a", 62.5), guess("b", 61), 1.5)],
)
def test_what_was_lost_is_counted_in_percent(best: Candidate, played: Candidate, lost: float) -> None:
    graded = grade(Report("bot", [best, played], "a", finished=True), "b")
    assert graded is not None
    assert graded.loss == lost


def test_every_move_of_tic_tac_toe_is_graded_by_its_true_worth() -> None:
    rank = {"perfect": 0, "good": 1, "inaccuracy": 1, "mistake": 2, "blunder": 3}
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
