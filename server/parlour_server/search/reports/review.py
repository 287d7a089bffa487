"""A whole game looked back on: a pure function of the reports on its positions.

Each move is graded by the report on the position before it; what the search of a later position proves counts
for the moves before it, too.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from parlour_protocol.ids import Side
from parlour_protocol.reports import Grade, GradeName, Report, ReviewedMove, Score
from parlour_server.games.game import Game, Move
from parlour_server.search.reports.grades import grade
from parlour_server.search.scores import top_score


@dataclass(frozen=True, slots=True)
class Step:
    """A move of a game, and the position in which it was made."""

    position: Any
    move: Move


def review_move(game: Game[Any], step: Step, report: Report, ply: int) -> ReviewedMove:
    """A move as far as the report on the position before it tells. `ply` is counted from 1."""
    side, move = game.to_move(step.position), game.format(step.position, step.move)
    played = next((one.score for one in report.candidates if one.move == move), None)
    return ReviewedMove(
        ply,
        side,
        move,
        before=_worth(game, step.position, report),
        after=_for_first(played, side),
        grade=grade(report, move),
        best=report.candidates[0].score if report.candidates else None,
        finished=report.finished,
        compiled=report.compiled,
    )


def look_back(
    game: Game[Any], moves: Sequence[ReviewedMove], last: Any, report: Report | None
) -> list[ReviewedMove]:
    """The moves of a game that were reviewed one by one, with what is proven of one applied to the others.

    `last` is the position after them, with the report on it; None where the game is over.
    """
    worth: list[Score | None] = []
    expected: Score | None = None
    for one in moves:
        worth.append(_surer(one.before, expected))
        expected = one.after
    worth.append(_surer(_worth(game, last, report), expected))
    for ply, one in reversed(list(enumerate(moves))):
        if _won(worth[ply + 1], one.side):
            # Where one move leads to a win, the position before it is won.
            worth[ply] = _surer(worth[ply], worth[ply + 1])
    return [
        replace(one, before=before, after=after, grade=_proven(one, after))
        for one, before, after in zip(moves, worth, worth[1:], strict=False)
    ]


def _worth(game: Game[Any], position: Any, report: Report | None) -> Score | None:
    """What a position is worth to the side that moved first in the game, as its own search says."""
    outcome = game.outcome(position)
    if outcome is not None:
        won = Score(top_score(game), "exact", "win")
        return Score(0, "exact", "draw") if outcome.winner is None else _for_first(won, outcome.winner)
    if report is None or not report.candidates:
        return None
    best = report.candidates[0].score
    judged, legal = len(report.candidates), len(game.legal_moves(position))
    if best.result != "win" and not report.finished and judged < legal:
        # A move that the search did not come to may be better.
        best = Score(best.points)
    return _for_first(best, game.to_move(position))


def _for_first(score: Score | None, side: Side) -> Score | None:
    """A side's score, as the side sees it that moved first in the game."""
    return -score if score is not None and side else score


def _surer(now: Score | None, other: Score | None) -> Score | None:
    """Of what a position's own search says and what another's does: what is proven, if any is."""
    if other is None or other.result is None:
        return now
    return other if now is None or now.result is None else now


def _won(worth: Score | None, side: Side) -> bool:
    """Is it proven that this side wins?"""
    return worth is not None and worth.result == ("loss" if side else "win")


def _proven(one: ReviewedMove, after: Score | None) -> Grade | None:
    """A move's grade; where it is an estimate, and what came after proves that it wins, a better one."""
    if one.grade is None or one.grade.exact or not _won(after, one.side):
        return one.grade
    if _won(one.after, one.side):
        return replace(one.grade, exact=True)
    name: GradeName = "perfect" if one.grade.grade == "perfect" else "good"
    return Grade(one.move, name, True, "wins, as what came after proves")
