"""Puzzles: positions in which every legal move is proven, and few of them are right. Pure functions.

Whether a position makes one is read off the report on it, so that what a puzzle says of a move is what a
search has proven, and nothing else.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from pydantic import TypeAdapter

from parlour_protocol.views.reports import Candidate, Points, Report, ScoreKind
from parlour_server.games.game import Game, Move
from parlour_server.search.scores import POINT, make_score

LONGEST_LINE = 16
"""Moves."""
LEAST_WRONG = 2
"""Where fewer moves than this are wrong a guess is as good as a thought."""
FORCED = 2
"""Plies: where every wrong move loses so soon there is but a threat to be seen."""


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A puzzle as it is kept."""

    game: str
    moves: str
    """The moves that lead there."""
    worth: dict[str, Points]
    """What each legal move is proven to be worth, in points."""
    bounds: list[str] = field(default_factory=list)
    """The moves whose win, or loss, is proven, but may come sooner than that."""
    line: str = ""
    """How it goes on from the best move, that included, as the search saw it."""

    def candidates(self, game: Game[Any]) -> list[Candidate]:
        """The legal moves with their scores, best first."""
        scored = (
            Candidate(move, make_score(game, round(POINT * points), self._kind(move)))
            for move, points in self.worth.items()
        )
        return sorted(scored, key=lambda one: one.score, reverse=True)

    def _kind(self, move: str) -> ScoreKind:
        if move not in self.bounds:
            return "exact"
        return "at_least" if self.worth[move] > 0 else "at_most"


def unasked(game: Game[Any], position: Any) -> Sequence[Move]:
    """The moves that a search has to be asked for, since it would leave some of them out by itself."""
    return game.legal_moves(position) if game.selective(position) else ()


def is_early(game: Game[Any], report: Report) -> bool:
    """Can no move be proven from this position back to the beginning, since its end is too far away?

    On a board that is too large to be searched to its end threats prove what they do, early or late.
    """
    return not game.selective(game.initial()) and any(one.score.result is None for one in report.candidates)


def proven(game: Game[Any], position: Any, report: Report) -> list[Candidate] | None:
    """Every legal move with its proven result, best first; None where one is not proven, or all lose."""
    found = report.candidates
    if len(found) < len(game.legal_moves(position)) or any(one.score.result is None for one in found):
        return None
    return None if not found or found[0].score.result == "loss" else list(found)


def right(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Those that keep the best result, of proven moves in their order."""
    return [one for one in candidates if one.score.result == candidates[0].score.result]


def missed(game: Game[Any], position: Any, report: Report, move: str) -> bool:
    """Was the best result given away by this move, in a position in which every move is proven?"""
    found = proven(game, position, report)
    return found is not None and move not in [one.move for one in right(found)]


def puzzle_of(game: Game[Any], moves: str, position: Any, report: Report) -> Puzzle | None:
    """The puzzle that a position makes: one move is right, which is neither obvious nor a matter of luck."""
    found = proven(game, position, report)
    if found is None:
        return None
    best, wrong = right(found), found[len(right(found)) :]
    if len(best) != 1 or len(wrong) < LEAST_WRONG:
        return None
    if game.outcome(game.play(position, game.parse(position, best[0].move))) is not None:
        return None
    if all(one.score.plies is not None and one.score.plies <= FORCED for one in wrong):
        return None
    bounds = [one.move for one in found if one.score.kind != "exact"]
    worth = {one.move: one.score.points for one in found}
    return Puzzle(game.name, moves, worth, bounds, " ".join(line_of(report, found)))


def line_of(report: Report, candidates: Sequence[Candidate]) -> list[str]:
    """How it goes on from the best of these moves, as far as it is known: `LONGEST_LINE` moves at most."""
    return report.line[:LONGEST_LINE] if report.best == candidates[0].move else []


PUZZLES = TypeAdapter(list[Puzzle])


@cache
def shipped() -> list[Puzzle]:
    """Those that come with the server, of all its games, in a fixed order: see `scripts/make_puzzles.py`."""
    return PUZZLES.validate_json(resources.files(__package__).joinpath("puzzles.json").read_bytes())
