"""What minimax and alpha-beta must both do, and where they must agree with each other and with the truth."""

from collections.abc import Callable
from itertools import count, pairwise
from random import Random
from typing import Any

import pytest

from parlour_protocol.views.reports import Candidate, Report, Score
from parlour_server.games.game import Game
from parlour_server.games.mnk import MNK, TICTACTOE, Position
from parlour_server.search.algorithms.alphabeta import alphabeta
from parlour_server.search.algorithms.minimax import minimax
from parlour_server.search.control import Control
from tests.search.positions import Nim, solution, unfinished

Search = Callable[..., Report]
BOTH = pytest.mark.parametrize("search", [minimax, alphabeta])
EMPTY = TICTACTOE.initial()
SOME = [EMPTY, *Random(2).sample(unfinished(), 1000)]
"""Of all positions of tic-tac-toe."""


def find(search: Search, game: Game[Any], position: Any, seed: int = 0, **settings: Any) -> Report:
    control = settings.pop("control", Control())
    return search(game, position, rng=Random(seed), control=control, **settings)


def position_after(moves: str) -> Position:
    return TICTACTOE.replay(moves)[0]


def exact(score: float, plies_to_draw: int) -> tuple[str, str, int]:
    """The kind, result and plies that an exact score of tic-tac-toe has."""
    if score == 0:
        return "exact", "draw", plies_to_draw
    return "exact", "win" if score > 0 else "loss", 100 - int(abs(score))


def check_line(game: Game[Any], position: Any, report: Report) -> None:
    """The principal variation can be played, and leads where the best candidate says in as many plies."""
    side = game.to_move(position)
    [best] = [found for found in report.candidates if found.move == report.best]
    assert report.line[0] == report.best
    for written in report.line:
        position = game.result(position, game.parse(position, written))
    if best.score.kind == "exact":
        outcome = game.outcome(position)
        assert outcome is not None
        assert len(report.line) == best.score.plies
        ends = {None: "draw", side: "win"}
        assert ends.get(outcome.winner, "loss") == best.score.result


# ---------------------------------------------------------------- the truth, for whole trees


def test_minimax_visits_the_whole_tree_and_says_so() -> None:
    report = find(minimax, TICTACTOE, EMPTY)
    assert report.nodes == 549_946
    assert (report.cutoffs, report.table_hits, report.depth, report.finished) == (0, 0, 9, True)
    assert {
        (found.score.points, found.score.kind, found.score.result, found.score.plies)
        for found in report.candidates
    } == {(0, "exact", "draw", 9)}
    check_line(TICTACTOE, EMPTY, report)


def check_exact(position: Position, report: Report, truth: dict[str, int]) -> None:
    assert {found.move: found.score.points for found in report.candidates} == truth
    scores = [found.score.points for found in report.candidates]
    assert scores == sorted(scores, reverse=True)
    left = len(truth)
    for found in report.candidates:
        assert (found.score.kind, found.score.result, found.score.plies) == exact(found.score.points, left)
    assert report.best is not None
    assert truth[report.best] == max(truth.values())
    check_line(TICTACTOE, position, report)


def test_minimax_knows_positions_of_every_kind() -> None:
    positions = unfinished()
    assert len(positions) == 4520
    # Those with one stone have the largest trees; one of each sort will do.
    for position in [positions[1], positions[2], positions[5], *Random(1).sample(positions[82:], 500)]:
        check_exact(position, find(minimax, TICTACTOE, position), solution(position))


def test_alphabeta_in_full_knows_them() -> None:
    for position in SOME:
        check_exact(position, find(alphabeta, TICTACTOE, position, scores="every"), solution(position))


def test_alphabeta_finds_all_best_moves_and_bounds_the_others() -> None:
    bounds = 0
    for position in SOME:
        truth = solution(position)
        best = max(truth.values())
        report = find(alphabeta, TICTACTOE, position)
        assert {found.move for found in report.candidates} == set(truth)
        for found in report.candidates:
            if truth[found.move] == best:
                assert found.score.points == best
                assert (found.score.kind, found.score.result, found.score.plies) == exact(best, len(truth))
            else:
                # What was tried before the best was known has its own score.
                assert found.score.kind in ("exact", "at_most")
                assert truth[found.move] <= found.score.points < best
                if found.score.kind == "exact":
                    assert truth[found.move] == found.score.points
                else:
                    lost = found.score.points < -50
                    assert found.score.plies == (100 + found.score.points if lost else None)
                    assert found.score.result == ("loss" if found.score.points < -50 else None)
                    bounds += 1
        assert report.best is not None
        assert truth[report.best] == best
        check_line(TICTACTOE, position, report)
    assert bounds > 200


def test_alphabeta_as_it_is_taught_cuts_off_what_is_no_better() -> None:
    cut = 0
    for position in SOME:
        truth = solution(position)
        report = find(alphabeta, TICTACTOE, position, scores="best")
        assert {found.move for found in report.candidates} == set(truth)
        assert report.best is not None
        assert truth[report.best] == max(truth.values())
        assert report.candidates[0].no_better_than is None
        for found in report.candidates:
            if found.no_better_than is None:
                assert (found.score.kind, found.score.points) == ("exact", truth[found.move])
            else:
                assert found.score.kind == "at_most"
                assert truth[found.move] <= found.score.points <= truth[found.no_better_than]
                cut += 1
        check_line(TICTACTOE, position, report)
    assert cut > 1000


def test_the_fewer_scores_are_wanted_the_less_is_searched() -> None:
    reports = [find(alphabeta, TICTACTOE, EMPTY, scores=scores) for scores in ("best", "equal", "every")]
    nodes = [report.nodes for report in reports]
    assert nodes[0] < nodes[1] / 2
    assert nodes[1] <= nodes[2]
    report = reports[1]
    assert report.nodes < 549_946 / 40
    assert report.cutoffs > 0
    assert (report.depth, report.finished, len(report.candidates)) == (9, True, 9)


@BOTH
@pytest.mark.parametrize("heap", range(1, 14))
def test_a_game_in_which_the_last_mover_loses(search: Search, heap: int) -> None:
    game = Nim(heap)
    report = find(search, game, game.initial())
    [best] = [found for found in report.candidates if found.move == report.best]
    assert best.score.result == ("loss" if heap % 4 == 1 else "win")
    assert report.candidates[0].score.points == find(minimax, game, game.initial()).candidates[0].score.points
    check_line(game, game.initial(), report)


@BOTH
def test_the_fastest_win_and_the_slowest_loss(search: Search) -> None:
    win = find(search, TICTACTOE, position_after("a1 a2 b1 b2"))
    assert (win.best, win.line) == ("c1", ["c1"])
    assert win.candidates[0] == Candidate("c1", Score(99, "exact", "win", 1))
    # O faces two threats: it can only choose which of them to stop.
    loss = find(search, TICTACTOE, position_after("a1 b2 c3 a3 c1"))
    assert loss.candidates[0].score.points == -98
    assert {found.move for found in loss.candidates if found.score.points == -98}
    assert loss.candidates[0].score.plies == 2


# ---------------------------------------------------------------- horizons


@pytest.mark.parametrize("depth", range(1, 10))
def test_claims_made_within_a_horizon_are_true(depth: int) -> None:
    exacts = estimates = 0
    for position in Random(depth).sample(unfinished(), 250):
        if depth > 6 and position.free.bit_count() > 7:
            continue
        truth = solution(position)
        plain = find(minimax, TICTACTOE, position, depth=depth)
        full = find(alphabeta, TICTACTOE, position, depth=depth, scores="every")
        pruned = find(alphabeta, TICTACTOE, position, depth=depth)
        scores = {found.move: found.score.points for found in plain.candidates}
        assert {found.move: found.score.points for found in full.candidates} == scores
        assert pruned.candidates[0].score.points == max(scores.values())
        bests = {move for move, score in scores.items() if score == max(scores.values())}
        assert {
            found.move for found in pruned.candidates if found.score.points == max(scores.values())
        } == bests
        for found in pruned.candidates:
            assert found.score.bound is None or found.score.points >= scores[found.move]
            assert (
                found.score.bound
                or found.score.kind != "estimate"
                or found.score.points == scores[found.move]
            )
        assert {found.score.bound for found in (*plain.candidates, *full.candidates)} == {None}
        for report in (plain, full, pruned):
            check_line(TICTACTOE, position, report)
            assert report.depth <= min(depth, position.free.bit_count())
            for found in report.candidates:
                if found.score.kind == "exact":
                    exacts += 1
                    assert found.score.points == truth[found.move]
                    assert found.score.plies is not None
                    assert found.score.plies <= depth
                elif found.score.kind == "at_most":
                    assert truth[found.move] <= found.score.points
                else:
                    estimates += 1
                    assert (found.score.kind, found.score.result, found.score.plies) == (
                        "estimate",
                        None,
                        None,
                    )
                    assert -50 <= found.score.points <= 50
        # What is nearer than the horizon is known.
        for found in plain.candidates:
            if 100 - abs(truth[found.move]) <= depth:
                assert found.score.kind == "exact"
    assert exacts
    assert estimates or depth > 6


@pytest.mark.parametrize(
    "game", [MNK(4, 3, 3), MNK(4, 4, 4), MNK(5, 5, 4), Nim(17)], ids=lambda game: game.name
)
def test_both_searches_agree_on_other_games(game: Game[Any]) -> None:
    rng = Random(3)
    for _ in range(8):
        position = game.initial()
        for _ in range(rng.randrange(6)):
            after = game.play(position, rng.choice(game.legal_moves(position)))
            if game.outcome(after) is None:
                position = after
        plain = find(minimax, game, position, depth=3)
        full = find(alphabeta, game, position, depth=3, scores="every")
        key = {found.move: (found.score.points, found.score.kind == "estimate") for found in plain.candidates}
        assert {
            found.move: (found.score.points, found.score.kind == "estimate") for found in full.candidates
        } == key
        assert (
            find(alphabeta, game, position, depth=3).candidates[0].score.points
            == plain.candidates[0].score.points
        )


@BOTH
def test_an_estimate_is_the_movers(search: Search) -> None:
    for moves in ("", "a2"):
        position = position_after(moves)
        more: dict[str, Any] = {"scores": "every"} if search is alphabeta else {}
        report = find(search, TICTACTOE, position, depth=1, **more)
        assert report.best == "b2"
        assert report.depth == 1
        for found in report.candidates:
            after = TICTACTOE.play(position, TICTACTOE.parse(position, found.move))
            assert found.score.points == -TICTACTOE.evaluate(after) / 100
            assert found.score.kind == "estimate"


# ---------------------------------------------------------------- chance


@BOTH
def test_equal_best_moves_are_all_chosen_sometimes(search: Search) -> None:
    for moves in ("b2 a2 c3", "b2 a1", "a1 b1 c1", "a1 b2 c3 a3 c1"):
        position = position_after(moves)
        truth = solution(position)
        equals = {move for move, score in truth.items() if score == max(truth.values())}
        assert {find(search, TICTACTOE, position, seed).best for seed in range(40)} == equals


# ---------------------------------------------------------------- the outside


@BOTH
def test_each_root_move_is_published(search: Search) -> None:
    shown: list[Report] = []
    report = find(search, TICTACTOE, position_after("b2 a1"), control=Control(publish=shown.append))
    assert {len(partial.candidates) for partial in shown} - {0} == {1, 2, 3, 4, 5, 6, 7}
    for before, after in pairwise(shown):
        assert before.nodes <= after.nodes <= report.nodes
        assert {found.move for found in before.candidates} <= {found.move for found in after.candidates}
    for partial in shown:
        assert not partial.finished
        assert partial.depth == 0
        if partial.candidates:
            assert partial.best == partial.candidates[0].move == partial.line[0]
    assert report.finished
    assert report.candidates == shown[-1].candidates


@BOTH
def test_within_a_root_move_it_is_published_how_long_the_rest_may_take(search: Search) -> None:
    shown: list[Report] = []
    moments = map(float, count())
    control = Control(publish=shown.append, clock=lambda: next(moments))
    find(search, TICTACTOE, TICTACTOE.initial(), control=control)
    left = [partial.left for partial in shown if partial.left is not None]
    assert left
    assert min(left) > 0
    assert all(partial.candidates for partial in shown if partial.left is not None)


@BOTH
@pytest.mark.parametrize("polls", [0, 1, 3, 6])
def test_a_stopped_search_returns_what_it_has(search: Search, polls: int) -> None:
    asked = 0

    def stopped() -> bool:
        nonlocal asked
        asked += 1
        return asked > polls

    shown: list[Report] = []
    report = find(search, TICTACTOE, EMPTY, control=Control(stopped=stopped, publish=shown.append))
    assert asked == polls + 1
    assert not report.finished
    assert report.nodes <= 1100 * (polls + 1)
    assert report.candidates == (shown[-1].candidates if shown else [])
    assert (report.best is None) == (not report.candidates)
    assert report.line[:1] == ([report.best] if report.best else [])


def test_a_search_stopped_late_has_the_best_of_what_it_scored() -> None:
    # The tree under one move is 59,704 positions: after two of them the flag goes up.
    shown: list[Report] = []
    control = Control(stopped=lambda: any(len(one.candidates) == 2 for one in shown), publish=shown.append)
    report = find(minimax, TICTACTOE, EMPTY, control=control)
    assert len(report.candidates) == 2
    assert report.best in {"a3", "b3"}
    assert not report.finished


@BOTH
def test_time_is_the_callers(search: Search) -> None:
    ticks = iter(range(1000))
    control = Control(clock=lambda: next(ticks), due=lambda: False)
    report = find(search, TICTACTOE, position_after("b2 a1"), control=control)
    assert report.seconds == 8  # one look at the clock for each of seven moves, and one at the end


@BOTH
def test_what_cannot_be_searched(search: Search) -> None:
    with pytest.raises(ValueError, match="the game is over"):
        find(search, TICTACTOE, position_after("a1 b1 a2 b2 a3"))
    with pytest.raises(ValueError, match="depth"):
        find(search, TICTACTOE, EMPTY, depth=0)
