"""A whole game looked back on: a pure function of the reports on its positions.

Each move is graded by the report on the position before it; what the search of a later position proves counts
for the moves before it, too.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from parlour_protocol.ids import SEATS, Both, Side
from parlour_protocol.views.reports import (
    GRADES,
    Candidate,
    Grade,
    GradeCounts,
    Note,
    Report,
    ReviewedMove,
    Score,
)
from parlour_protocol.words import Sentence
from parlour_server.games.game import Game, Move
from parlour_server.search.reports.grades import compare, grade
from parlour_server.search.reports.puzzle import missed
from parlour_server.search.scores import top_score


@dataclass(frozen=True, slots=True)
class Step:
    """A move of a game, and the position in which it was made."""

    position: Any
    move: Move


def review_move(game: Game[Any], step: Step, report: Report, ply: int) -> ReviewedMove:
    """A move as the report on the position before it judges it. `ply` is counted from 1."""
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
        puzzle=missed(game, step.position, report, move),
    )


def look_back(
    game: Game[Any],
    moves: Sequence[ReviewedMove],
    reports: Sequence[Report],
    last: Any,
    last_report: Report | None,
) -> list[ReviewedMove]:
    """The moves of a game that were reviewed one by one, with what is proven of one applied to the others.

    `reports` are on the positions before the moves. `last` is the position after them, with the report on it;
    None where the game is over.
    """
    worth: list[Score | None] = []
    expected: Score | None = None
    for one in moves:
        worth.append(_surer(one.before, expected))
        expected = one.after
    worth.append(_surer(_worth(game, last, last_report), expected))
    for ply, one in reversed(list(enumerate(moves))):
        if _won(worth[ply + 1], one.side):
            # Where one move leads to a win, the position before it is won.
            worth[ply] = _surer(worth[ply], worth[ply + 1])
    own = [*(one.before for one in moves[1:]), _worth(game, last, last_report)]
    return [
        replace(one, before=before, after=after, grade=_regraded(one, report, after, following))
        for one, report, before, after, following in zip(moves, reports, worth, worth[1:], own, strict=False)
    ]


def grade_counts(moves: Sequence[ReviewedMove]) -> Both[GradeCounts]:
    """How often each side was given each grade."""
    given = Counter((one.side, one.grade.grade) for one in moves if one.grade is not None)
    return [GradeCounts(**{grade: given[side, grade] for grade in GRADES}) for side in SEATS]


def review_notes(moves: Sequence[ReviewedMove], names: Both[str]) -> list[Note]:
    """What there is to say of a whole review: whether there were mistakes, and how far it can be trusted."""
    moves = [one for one in moves if not one.given]
    every, missing = len(moves), [one for one in moves if one.grade is None]
    cut = [one for one in moves if not one.finished]
    said = _faultless(moves, names)
    for id_, found in (
        ("review.guessed", [one for one in moves if one.grade is not None and not one.grade.exact]),
        ("review.stopped", [one for one in missing if not one.finished]),
        ("review.unsettled", [one for one in missing if one.finished]),
        ("review.cut", cut),
    ):
        if found:
            said.append(Sentence(id_, count=len(found), of=every))
    if any(one.compiled is False for one in cut):
        said.append(Sentence("review.interpreted"))
    return [Note(one) for one in said]


def _faultless(moves: Sequence[ReviewedMove], names: Both[str]) -> list[Sentence]:
    """That there was no mistake, as far as every move of theirs was judged."""
    if any(one.grade is not None and one.grade.grade in ("mistake", "blunder") for one in moves):
        return []
    judged = [[one.grade is not None for one in moves if one.side == side] for side in (0, 1)]
    if all(map(all, judged)):
        return [Sentence("review.no_mistakes")]
    return [
        Sentence("review.no_mistakes_of", name=name)
        for name, known in zip(names, judged, strict=True)
        if known and all(known)
    ]


def _worth(game: Game[Any], position: Any, report: Report | None) -> Score | None:
    """What a position is worth to the side that moved first in the game, as its own search says."""
    outcome = game.outcome(position)
    if outcome is not None:
        won = Score(top_score(game), "exact", "win")
        return Score(0, "exact", "draw") if outcome.winner is None else _for_first(won, outcome.winner)
    if report is None or not report.candidates:
        return None
    best: Score | None = report.candidates[0].score
    judged, legal = len(report.candidates), len(game.legal_moves(position))
    if not report.finished and judged < legal:
        best = _at_least(report.candidates[0].score)
    return _for_first(best, game.to_move(position))


def _at_least(best: Score) -> Score | None:
    """What the best of some moves says, where the search did not come to others, which may be better."""
    if best.kind == "estimate":
        return replace(best, bound="at_least")
    if best.result == "draw":
        return Score(0, "at_least")
    return best if best.result == "win" else None


def _for_first(score: Score | None, side: Side) -> Score | None:
    """A side's score, as the side sees it that moved first in the game."""
    return -score if score is not None and side else score


def _surer(now: Score | None, other: Score | None) -> Score | None:
    """Of what a position's own search says and what another's does: what is proven, if any is."""
    if now is None or other is None:
        return now or other
    return other if now.result is None and other.result is not None else now


def _won(worth: Score | None, side: Side) -> bool:
    """Is it proven that this side wins?"""
    return worth is not None and worth.result == ("loss" if side else "win")


def _regraded(one: ReviewedMove, report: Report, after: Score | None, own: Score | None) -> Grade | None:
    """A move's grade, with what came `after` it, and what the `own` search of its position proves.

    That counts where the move wins, and where the best move is proven, too: beside an estimate a proof from
    one ply deeper would be unlike.
    """
    if one.given:
        return None
    if one.grade is not None and _won(after, one.side):
        if one.grade.exact:
            return one.grade
        if one.grade.grade == "perfect":
            return replace(one.grade, exact=True)
        return Grade(one.move, "good", True, Sentence("grade.because.proven_later"))
    proven = _for_first(own, one.side)
    if proven is None or proven.kind == "estimate" or not report.candidates:
        return one.grade
    best = report.candidates[0]
    known = next((each.score.kind for each in report.candidates if each.move == one.move), None)
    if best.move == one.move or best.score.kind == "estimate" or known == "exact":
        return one.grade
    return compare(best, Candidate(one.move, _one_ply_before(proven))) or one.grade


def _one_ply_before(score: Score) -> Score:
    """A position's score as the move has it that leads there, for the side that makes the move."""
    if score.plies is None:
        return score
    nearer = {"win": -1, "loss": 1}.get(score.result or "", 0)
    return replace(score, plies=score.plies + 1, points=score.points + nearer)
