"""A game looked back on: each of its moves is graded by the server, one after the other."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from parlour_client import records, review_view, sentences
from parlour_client.connection import Connection, new_id
from parlour_client.faults import Fault
from parlour_client.patience import patiently
from parlour_client.progress import bar
from parlour_client.recorded import Source
from parlour_client.reports import report_json
from parlour_client.screen import Screen
from parlour_protocol import to_server
from parlour_protocol.ids import Side
from parlour_protocol.to_client import Analysis
from parlour_protocol.views import Candidate, Grade, GradeName, Report, Result

_TURNED: dict[Result, Result] = {"win": "loss", "loss": "win", "draw": "draw", "unknown": "unknown"}


@dataclass(frozen=True, slots=True)
class Point:
    """What a position is worth to the side that moved first in the game."""

    score: int | float
    result: Result
    """`unknown` where the score is an estimate."""


@dataclass(frozen=True, slots=True)
class Played:
    """One move of the game."""

    ply: int
    """Counted from 1."""
    side: Side
    move: str
    grade: Grade | None
    """None where the search was stopped before it had come to this move."""
    report: Report
    """On the position before it."""

    @property
    def best(self) -> Candidate | None:
        """The best move there."""
        return self.report.candidates[0] if self.report.candidates else None


@dataclass(frozen=True, slots=True)
class Review:
    """A whole game's."""

    game: str
    names: tuple[str, str]
    """Who played the sides."""
    moves: Sequence[Played]
    points: Sequence[Point | None]
    """Before the first move and after each; None where nobody knows."""
    outcome: Literal["first", "second", "draw"] | None
    """None while the game goes on, or where it was given up."""
    bot: str

    def counts(self, side: Side) -> dict[str, int]:
        """How often each grade was given."""
        told = dict.fromkeys(review_view.GRADES, 0)
        for one in self.moves:
            if one.side == side and one.grade is not None:
                told[one.grade.grade] += 1
        return told

    def as_json(self) -> dict[str, Any]:
        """What `parlour review --json` prints."""
        sides = ("first", "second")
        return {
            "game": self.game,
            "outcome": self.outcome,
            "bot": self.bot,
            "moves": [
                {
                    "ply": one.ply,
                    "side": sides[one.side],
                    "move": one.move,
                    "grade": one.grade.grade if one.grade else None,
                    "exact": one.grade.exact if one.grade else False,
                    "reason": one.grade.reason if one.grade else None,
                    "loss": one.grade.loss if one.grade else None,
                    "better": one.grade.better if one.grade else None,
                    "report": report_json(one.report),
                }
                for one in self.moves
            ],
            "points": [None if point is None else asdict(point) for point in self.points],
            "counts": {sides[side]: self.counts(side) for side in _SIDES},
        }


_SIDES: tuple[Side, Side] = (0, 1)


async def review(connection: Connection, screen: Screen, source: Source, bot: str) -> None:
    """Have a game's moves graded, and show how it went."""
    game, moves, names = source.game, source.moves, ("", "")
    if source.room is not None or source.record is not None:
        record = await records.load(connection, source)
        if not record.moves:
            raise Fault(f"No move has been played in room {record.room} yet.")
        first, second = records.seats_in_order(record)
        game, moves = record.game, " ".join(records.moves_of(record))
        names = (sentences.seat_name(record.seats[first]), sentences.seat_name(record.seats[second]))
    assert game is not None
    done = await grade_all(connection, screen, game, moves, names, bot)
    if screen.as_json:
        screen.emit(done.as_json())
        return
    screen.say("", *review_view.shown(done, screen.out.width, ascii_only=screen.ascii_only))


async def grade_all(
    connection: Connection, screen: Screen, game: str, moves: str, names: tuple[str, str], bot: str
) -> Review:
    """Ask the server about each position of the game, from the first to the last."""

    async def ask(before: Sequence[str] | str, played: str | None) -> Analysis:
        so_far = before if isinstance(before, str) else " ".join(before)
        return await patiently(
            lambda: connection.request(
                to_server.Analyse(id=new_id(), game=game, moves=so_far, bot=bot, played=played)
            )
        )

    # The last position first: its answer has the moves one by one, and at a game's end it costs nothing.
    last = await ask(moves, None)
    answers: list[Analysis] = []
    with bar(screen, "moves", len(last.moves)) as progress:
        for ply, move in enumerate(last.moves):
            answers.append(await ask(last.moves[:ply], move))
            progress(ply + 1)
    return look_back(answers, last, names, bot)


def look_back(answers: Sequence[Analysis], last: Analysis, names: tuple[str, str], bot: str) -> Review:
    """A game's review from an analysis of each of its positions, the last one apart.

    What a later search proves counts for the moves before it, too.
    """
    points: list[Point | None] = []
    expected: Point | None = None
    for ply, (answer, move) in enumerate(zip(answers, last.moves, strict=True)):
        points.append(_surer(_worth(answer, _side(ply)), expected))
        expected = _point(_found(answer.report.candidates, move), _side(ply))
    points.append(_surer(_worth(last, _side(len(answers))), expected))
    for ply in reversed(range(len(answers))):
        if _won(points[ply + 1], _side(ply)):
            # Whoever can move to a win has one.
            points[ply] = _surer(points[ply], points[ply + 1])
    played = [
        Played(ply + 1, _side(ply), move, _proven(answer, move, points[ply + 1], _side(ply)), answer.report)
        for ply, (answer, move) in enumerate(zip(answers, last.moves, strict=True))
    ]
    marks = last.position.marks
    if not any(names):
        names = (f"the first side ({marks[0]})", f"the second side ({marks[1]})")
    return Review(last.game, names, played, points, last.winner, last.report.bot or bot)


def _side(ply: int) -> Side:
    return 1 if ply % 2 else 0


def _found(candidates: Sequence[Candidate], move: str) -> Candidate | None:
    return next((one for one in candidates if one.move == move), None)


def _won(point: Point | None, side: Side) -> bool:
    """Is it proven that this side wins?"""
    return point is not None and point.result == ("loss" if side else "win")


def _proven(answer: Analysis, move: str, after: Point | None, side: Side) -> Grade | None:
    """A move's grade; where it is an estimate, and what came after proves that it wins, a better one."""
    grade = answer.grade
    if grade is None or grade.exact or not _won(after, side):
        return grade
    known = _found(answer.report.candidates, move)
    if known is not None and known.result == "win":
        return replace(grade, exact=True)
    name: GradeName = "perfect" if grade.grade == "perfect" else "good"
    return Grade(move, name, True, "wins, as what came after proves")


def _surer(now: Point | None, other: Point | None) -> Point | None:
    """Of what a position's own search says and what another's does: what is proven, if any is."""
    if other is None or other.result == "unknown":
        return now
    return other if now is None or now.result == "unknown" else now


def _point(best: Candidate | None, side: Side) -> Point | None:
    """A position's worth, which is its best move's, for the side that moved first."""
    if best is None:
        return None
    if side == 0:
        return Point(best.score, best.result)
    return Point(-best.score, _TURNED[best.result])


def _worth(answer: Analysis, side: Side) -> Point | None:
    """What its own search says of a position in which that side is to move."""
    if answer.winner is not None:
        return {"draw": Point(0, "draw"), "first": Point(100, "win"), "second": Point(-100, "loss")}[
            answer.winner
        ]
    candidates = answer.report.candidates
    if not candidates:
        return None
    best = candidates[0]
    if best.result != "win" and not answer.report.finished and len(candidates) < len(answer.position.legal):
        # A move that the search did not come to may be better.
        best = replace(best, result="unknown")
    return _point(best, side)
