"""How a review reads: a line of the score, the grades of both sides, and what went wrong where."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from rich.cells import cell_len
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from parlour_client.render.lists import TONES
from parlour_client.render.tables import table
from parlour_client.sdk.review import Review
from parlour_client.text.names import localised
from parlour_client.text.scores import LOSS, PAST, WIN, outlook
from parlour_client.text.wording import ended
from parlour_protocol.ids import Side
from parlour_protocol.views.lists import GRADES, Tone
from parlour_protocol.views.reports import GradeCounts, GradeName, ReviewedMove, Score
from parlour_protocol.views.rooms import SeatView
from parlour_protocol.words import say

GRADE_TONES: dict[GradeName, Tone] = {
    "perfect": "win",
    "good": "",
    "inaccuracy": "notice",
    "mistake": "notice",
    "blunder": "loss",
}
TOP = 3
"""Levels of the chart above and below a draw: the outermost ones are proven wins and losses."""
ALMOST, CLEARLY = 30, 10
"""Chances that are so many percent off even stand two levels off the middle, or one."""
MOST_STEP = 3


def shown(review: Review, width: int, *, ascii_only: bool = False) -> list[RenderableType]:
    """All of it, to be printed one below the other."""
    parts: list[RenderableType] = [*chart(review.points, width, ascii_only=ascii_only)]
    parts += [Text(say("review.up", name=review.names[0]), PAST), ""]
    parts += [_grades(review), ""]
    parts += [_moves(review.moves), ""]
    if review.result is not None:
        parts += [ended(review.result, [SeatView("human", name) for name in review.names]), ""]
    for one in review.moves:
        if one.grade is not None and one.grade.mark:
            parts += _fault(one)
    return [*parts, *(Text(localised(one.text, one.text_said), PAST) for one in review.notes)]


# ---------------------------------------------------------------- the score, ply by ply


def level(point: Score) -> int:
    """How high a position stands, from -3 (a loss for the first side) to 3 (a win)."""
    if point.result is not None:
        return {"win": TOP, "draw": 0, "loss": -TOP}[point.result]
    off = 0.0 if point.chance is None else point.chance - 50
    height = 2 if abs(off) >= ALMOST else 1 if abs(off) >= CLEARLY else 0
    return height if off > 0 else -height


def _lowered(height: int, top: int) -> int:
    """A level in a lower chart, whose outermost levels are proven wins and losses, too."""
    if abs(height) == TOP:
        return top if height > 0 else -top
    return max(1 - top, min(height, top - 1))


def chart(
    points: Sequence[Score | None], width: int, *, ascii_only: bool = False, top: int = TOP
) -> list[Text]:
    """The score as a line, seen by the side that moved first; dotted where it is an estimate.

    `top` is how many levels there are above and below a draw, from 1 to `TOP`.
    """
    labels = {
        top: say("command.review.win"),
        0: say("command.review.draw"),
        -top: say("command.review.loss"),
    }
    wide = max(5, *map(cell_len, labels.values()))
    room = max(width - wide - 5, 10)
    # A game too long for the screen is drawn by every second, third, ... of its positions.
    every = -(-len(points) // room)
    drawn = list(points[::every])
    step = max(1, min(MOST_STEP, room // max(len(drawn), 1)))
    signs = list("-.|++++" if ascii_only else "─╌│╭╮╰╯")
    flat, dotted, upright, up_right, down_left, down_right, up_left = signs
    rows = {height: [Text(" ") for _ in range(step * len(drawn))] for height in range(-top, top + 1)}
    before: int | None = None
    for index, point in enumerate(drawn):
        at = index * step
        if point is None:
            before = None
            continue
        here = _lowered(level(point), top)
        style = {"win": WIN, "loss": LOSS, "draw": "", None: PAST}[point.result]
        sign = dotted if point.result is None else flat
        for column in range(at, at + step):
            rows[here][column] = Text(sign, style)
        if before is not None and before != here:
            rises = here > before
            rows[before][at] = Text(up_left if rises else down_left, style)
            rows[here][at] = Text(up_right if rises else down_right, style)
            for between in range(min(here, before) + 1, max(here, before)):
                rows[between][at] = Text(upright, style)
        before = here
    tick, edge, corner = ("|", "+", "+") if ascii_only else ("┤", "┬", "└")
    lines = [
        Text(f"{labels.get(height, ''):>{wide}} {tick}", PAST).append_text(Text("").join(rows[height]))
        for height in range(top, -top - 1, -1)
    ]
    return [*lines, *_axis(wide, len(drawn), step, every, flat, edge, corner)]


def _axis(wide: int, count: int, step: int, every: int, flat: str, edge: str, corner: str) -> list[Text]:
    """The plies below the chart: after how many moves a position stood."""
    ruler, numbers = [flat] * (step * count), [" "] * (step * count + 4)
    apart = max(1, -(-6 // step))
    for index in range(0, count, apart):
        ruler[index * step] = edge
        for offset, digit in enumerate(str(index * every)):
            numbers[index * step + offset] = digit
    left = " " * (wide + 1)
    return [Text(f"{left}{corner}{''.join(ruler)}", PAST), Text(f"{left} {''.join(numbers).rstrip()}", PAST)]


# ---------------------------------------------------------------- grades and faults


@dataclass(slots=True, kw_only=True)
class GradedSide(GradeCounts):
    """How often a side was given each grade."""

    side: Side
    name: str


def _grades(review: Review) -> Table:
    sides: tuple[Side, Side] = (0, 1)
    return table(
        GRADES,
        [GradedSide(side=side, name=review.names[side], **asdict(review.grades[side])) for side in sides],
    )


def _moves(moves: Sequence[ReviewedMove]) -> Text:
    """The whole game in one paragraph, each fault with its mark."""
    text = Text()
    for one in moves:
        if one.side == 0:
            text.append(f"{' ' if text else ''}{(one.ply + 1) // 2}.", PAST)
        text.append(" ")
        mark = one.grade.mark if one.grade is not None else ""
        text.append(
            one.move + mark,
            TONES[GRADE_TONES[one.grade.grade]] if one.grade is not None and mark else "",
        )
    return text


def _fault(one: ReviewedMove) -> list[Text]:
    grade = one.grade
    assert grade is not None
    said = Text(f"{(one.ply + 1) // 2}. {'… ' if one.side else ''}")
    said.append(f"{one.move}{grade.mark}", f"bold {TONES[GRADE_TONES[grade.grade]]}")
    said.append(f"  {'' if grade.exact else '~ '}{localised(grade.reason, grade.reason_said)}")
    lines = [said]
    if one.best is not None and grade.better is not None:
        lines.append(Text(f"     {say('review.better', move=grade.better, worth=worth(one.best))}", PAST))
    return lines


def worth(best: Score) -> str:
    """What the better move was worth, and how far that is known: `wins in 5, exact`, `~62%`."""
    if best.kind == "estimate":
        return outlook(best)
    if best.kind == "exact":
        return say("command.review.worth_exact", worth=outlook(best))
    return say("command.review.worth_proven", worth=outlook(best))
