"""Puzzles: plain minimax, written here, is the witness that a puzzle's one right move is the only one."""

from functools import cache
from typing import Any

import pytest

from parlour_protocol.views.reports import Candidate, Report, Score
from parlour_server.games import find_game
from parlour_server.games.game import Game
from parlour_server.search.control import Control
from parlour_server.search.kernels import compiled
from parlour_server.search.kernels.inner_search import TableMemory
from parlour_server.search.levels import parse_bot
from parlour_server.search.reports.puzzle import (
    LEAST_WRONG,
    Puzzle,
    missed,
    proven,
    puzzle_of,
    right,
    shipped,
)
from parlour_server.search.thinking import analyse, think

MOST_LEFT = 9
"""Plies within which plain minimax is soon done."""

TICTACTOE = find_game("tictactoe")


def witness(game: Game[Any], position: Any) -> dict[str, int]:
    """What each move comes to for the side that makes it: 1 a win, 0 a draw, -1 a loss."""

    @cache
    def first(position: Any) -> int:
        """What a position comes to for the side that began."""
        outcome = game.outcome(position)
        if outcome is not None:
            return game.utility(position)
        values = [first(game.play(position, move)) for move in game.legal_moves(position)]
        return min(values) if game.to_move(position) else max(values)

    sign = -1 if game.to_move(position) else 1
    return {
        game.format(position, move): sign * first(game.play(position, move))
        for move in game.legal_moves(position)
    }


def value(score: Score) -> int:
    assert score.result is not None
    return {"win": 1, "draw": 0, "loss": -1}[score.result]


def provable() -> list[Puzzle]:
    found = []
    for one in shipped():
        game = find_game(one.game)
        position, _ = game.replay(one.moves)
        if game.plies_left(position) <= MOST_LEFT:
            found.append(one)
    return found


@pytest.mark.parametrize("one", provable(), ids=lambda one: f"{one.game} {one.moves[-12:]}")
def test_what_is_said_of_every_move_is_what_plain_minimax_finds(one: Puzzle) -> None:
    game = find_game(one.game)
    position, _ = game.replay(one.moves)
    assert {each.move: value(each.score) for each in one.candidates(game)} == witness(game, position)


def is_won(game: Game[Any], position: Any, plies: int, control: Control) -> bool:
    """Does the side to move win within so many plies, whatever is answered?

    The engine proposes its moves; that they win is shown by the rules alone, reply by reply.
    """
    if winning(game, position):
        return True
    if plies < 3:
        return False
    best = think(game, position, parse_bot("engine:depth=5"), move_number=0, control=control).best
    assert best is not None
    after = game.play(position, game.parse(position, best))
    if game.outcome(after) is not None or winning(game, after):
        return False
    threats = winning(game, after._replace(mine=after.theirs, theirs=after.mine))
    # Every reply that leaves one of them loses at once.
    replies = game.legal_moves(after) if not threats else threats if len(threats) == 1 else []
    return all(is_won(game, game.play(after, reply), plies - 2, control) for reply in replies)


def winning(game: Game[Any], position: Any) -> list[Any]:
    """The moves that win at once."""
    played = ((move, game.outcome(game.play(position, move))) for move in game.legal_moves(position))
    return [move for move, outcome in played if outcome is not None and outcome.winner is not None]


SOON, LONG = 4, 99
"""Plies that are seen to their end by the rules alone, in a moment."""
GOMOKU = [one for one in shipped() if one.game == "gomoku"]


@pytest.mark.parametrize("one", GOMOKU[:4], ids=lambda one: one.moves[-12:])
def test_in_gomoku_the_right_move_wins_and_another_one_loses_whatever_is_answered(one: Puzzle) -> None:
    game = find_game("gomoku")
    compiled.prepare(game)
    control = Control(compiled=True, memory=TableMemory())
    position, _ = game.replay(one.moves)
    best, *wrong = one.candidates(game)
    soon = [each for each in wrong if (each.score.plies or LONG) <= SOON]
    assert len(soon) > 9 * len(wrong) // 10
    for each in soon[:: len(soon) // 5]:
        assert is_won(game, game.play(position, game.parse(position, each.move)), SOON - 1, control)
    assert not winning(game, position)
    if (best.score.plies or LONG) <= SOON + 1:
        assert is_won(game, position, SOON + 1, control)


def test_every_puzzle_has_one_right_move_and_two_wrong_ones_at_least() -> None:
    assert len(shipped()) > 100
    for one in shipped():
        game = find_game(one.game)
        position, _ = game.replay(one.moves)
        candidates = one.candidates(game)
        legal = {game.format(position, move) for move in game.legal_moves(position)}
        assert {each.move for each in candidates} == legal
        results = [value(each.score) for each in candidates]
        assert results[0] >= 0
        assert results.count(results[0]) == 1
        assert len(results) - 1 >= LEAST_WRONG
        # What goes on from it are legal moves, to the end where that is near and known.
        follows = game.replay(f"{one.moves} {one.line}")[0]
        assert one.line.split()[0] == candidates[0].move
        if candidates[0].score.kind == "exact" and len(one.line.split()) == candidates[0].score.plies:
            assert game.outcome(follows) is not None
        # It isn't over by that: something has to be seen.
        assert game.outcome(game.result(position, game.parse(position, candidates[0].move))) is None


def report_on(moves: str) -> tuple[Any, Report]:
    position, _ = TICTACTOE.replay(moves)
    return position, analyse(TICTACTOE, position, parse_bot("perfect"), control=Control())


def test_a_position_with_one_right_move_makes_a_puzzle() -> None:
    position, report = report_on("a1")
    found = puzzle_of(TICTACTOE, "a1", position, report)
    assert found is not None
    assert [one.move for one in right(found.candidates(TICTACTOE))] == ["b2"]
    assert missed(TICTACTOE, position, report, "a2")
    assert not missed(TICTACTOE, position, report, "b2")


@pytest.mark.parametrize(
    "moves",
    [
        "",  # all are right
        "b2",  # four are
        "a1 b1 a2 b2",  # wins on the spot
        "b2 a1 c3 b1",  # a threat has to be met, and that is all
        "a1 b1 a2 a3 c1 b3",  # wins on the spot
    ],
)
def test_what_is_plain_or_has_several_answers_makes_none(moves: str) -> None:
    position, report = report_on(moves)
    assert puzzle_of(TICTACTOE, moves, position, report) is None


def test_what_is_not_proven_makes_none() -> None:
    position, report = report_on("a1")
    candidates = list(report.candidates)
    guessed = Report("bot", [*candidates[:-1], Candidate(candidates[-1].move, Score(-3.0, chance=40))])
    fewer = Report("bot", candidates[:-1])
    bound = Report("bot", [*candidates[:-1], Candidate(candidates[-1].move, Score(0, "at_most"))])
    for unsure in (guessed, fewer, bound):
        assert proven(TICTACTOE, position, unsure) is None
        assert puzzle_of(TICTACTOE, "a1", position, unsure) is None
        assert not missed(TICTACTOE, position, unsure, "a2")


def test_where_all_is_lost_nothing_was_missed() -> None:
    position, report = report_on("a1 b1 a2 c1 b2")
    assert {one.score.result for one in report.candidates} == {"loss"}
    assert proven(TICTACTOE, position, report) is None
