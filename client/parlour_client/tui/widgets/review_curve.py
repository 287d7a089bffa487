"""A game looked back on: its curve, whose points show their positions, and what was good or bad."""

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widget import Widget

from parlour_client.render import review
from parlour_client.render.review import MOST_STEP, TOP, worth
from parlour_client.sdk.review import Review
from parlour_client.text.names import localised
from parlour_client.tui.study import Study
from parlour_client.tui.themed import themed
from parlour_client.tui.widgets.move_list import Picked
from parlour_protocol.views.reports import GRADES, MARKS, ReviewedMove
from parlour_protocol.words import say

AXIS = 7
"""Columns before the curve."""
AXIS_LINES = 2
"""Lines below it."""
WORDS_LINES = 3
"""So many lines are kept for the words, or the curve would change its height from move to move."""
LEAST_CURVE = 3 + AXIS_LINES
"""The lines of the lowest curve, with its axis."""
_GRADED = {
    "perfect": "$win",
    "good": "$foreground",
    "inaccuracy": "$notice",
    "mistake": "$notice",
    "blunder": "$refusal",
}
_SIDES = ("$first-seat", "$second-seat")


class ReviewCurve(Widget, can_focus=True):
    """The curve of a game's score, and the grade of the move that led to the chosen position."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "step(-1)", "screen.does.position_before", show=False),
        Binding("right", "step(1)", "screen.does.position_after", show=False),
        Binding("up", "fault(-1)", "screen.does.mistake_before", show=False),
        Binding("down", "fault(1)", "screen.does.mistake_after", show=False),
    ]

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id)
        self._graded: Review | None = None
        self._ply: int | None = None
        self._under_way = (0, 0, "")
        """How many moves are graded, of how many, and what the next search waits for."""

    @property
    def graded(self) -> Review | None:
        """What is shown; None while it is on its way."""
        return self._graded

    def show(self, study: Study) -> None:
        """Show a study's review, or how far it has come; and which position is looked at."""
        now = study.review, study.marked, (*study.graded, study.waits)
        if now != (self._graded, self._ply, self._under_way):
            self._graded, self._ply, self._under_way = now
            self.refresh()

    def render(self) -> Content:
        """The curve and below it what was good or bad."""
        width, height = max(self.size.width, 20), max(self.size.height, 3)
        if self._graded is None:
            return _under_way(*self._under_way, width)
        return Content("\n").join(review_lines(self._graded, self._ply, width, height))

    def on_click(self, event: events.Click) -> None:
        """The position at that point of the curve."""
        offset = event.get_content_offset(self)
        if self._graded is not None and offset is not None and offset.x >= AXIS:
            every, step = scale(len(self._graded.points), max(self.size.width, 20))
            self._pick((offset.x - AXIS) // step * every)

    def action_step(self, plies: int) -> None:
        """So many moves on, or back."""
        if self._graded is not None:
            here = len(self._graded.moves) if self._ply is None else self._ply
            self._pick(here + plies)

    def action_fault(self, way: int) -> None:
        """The next mistake, or the one before."""
        if self._graded is None:
            return
        here = len(self._graded.moves) + 1 if self._ply is None else self._ply
        faults = [one.ply for one in self._graded.moves if one.grade is not None and one.grade.mark]
        wanted = [ply for ply in faults if (ply > here if way > 0 else ply < here)]
        if wanted:
            self._pick(wanted[0] if way > 0 else wanted[-1])

    def _pick(self, ply: int) -> None:
        assert self._graded is not None
        self.post_message(Picked(max(0, min(ply, len(self._graded.moves)))))


def scale(points: int, width: int) -> tuple[int, int]:
    """Every how many positions one is drawn, and in how many columns: as `review_view.chart` does it."""
    room = max(width - 10, 10)
    every = max(1, -(-points // room))
    drawn = -(-points // every)
    return every, max(1, min(MOST_STEP, room // max(drawn, 1)))


def review_lines(graded: Review, ply: int | None, width: int, height: int) -> list[Content]:
    """The curve, as high as words and grades leave it, then these; where lines are few without some."""
    chosen, grades = _chosen(graded, ply), _grades(graded, width)
    words, least = ([line for said in part for line in said.wrap(width)] for part in (chosen, chosen[:1]))
    if ply is None and height < LEAST_CURVE + len(words) + len(grades):
        # How often each grade was given says more than how sure they are.
        words = least
    if height < LEAST_CURVE + WORDS_LINES:
        return [*words, *grades][:height]
    if height < LEAST_CURVE + len(words) + len(grades):
        grades = []
    left = height - max(len(words), min(WORDS_LINES, height - LEAST_CURVE - len(grades))) - len(grades)
    top = max(1, min((left - AXIS_LINES - 1) // 2, TOP))
    drawn = [*curve(graded, ply, width, top), *words]
    air = [Content("")] if len(drawn) + len(grades) < height else []
    return [*drawn, *air, *grades][:height]


def curve(graded: Review, ply: int | None, width: int, top: int = TOP) -> list[Content]:
    """The score as a line, with the position that is looked at."""
    drawn = [themed(line) for line in review.chart(graded.points, width, top=top)]
    if ply is None:
        return drawn
    every, step = scale(len(graded.points), width)
    at = AXIS + ply // every * step
    marked = []
    for row, line in enumerate(drawn):
        if row == len(drawn) - 2:
            # On the axis: the mark that needs no colour.
            line = line[:at] + Content.styled("▲", "$cursor bold") + line[at + 1 :]
        elif row < len(drawn) - 2:
            line = line.pad_right(max(at + step - len(line), 0)).stylize("on $panel", at, at + step)
        marked.append(line)
    return marked


def _under_way(done: int, of: int, waits: str, width: int) -> Content:
    full = min(width - 2, 30)
    share = round(full * done / of) if of else 0
    return Content("\n").join(
        [
            Content.styled(
                say("screen.review.looking", done=done, of=of) if of else say("screen.asking"), "bold"
            ),
            Content.styled("█" * share, "$first-seat") + Content.styled("░" * (full - share), "$past"),
            Content.styled(waits, "$past").truncate(width, ellipsis=True),
        ]
    )


def _chosen(graded: Review, ply: int | None) -> list[Content]:
    """The grade of the move that led to the position that is looked at; without one, where to look."""
    one = next((one for one in graded.moves if one.ply == ply), None)
    if one is None:
        notes = " ".join(localised(one.text, one.text_said) for one in graded.notes)
        count = sum(1 for one in graded.moves if one.grade is not None and one.grade.mark)
        said = [say("screen.review.notable", count=count)] if count else []
        said += [notes, say("review.up", name=graded.names[0])]
        return [Content.styled(one, "$past") for one in said if one]
    return fault(one)


def fault(one: ReviewedMove) -> list[Content]:
    """A move with its grade, why, and what was better."""
    turn = f"{(one.ply + 1) // 2}. {'… ' if one.side else ''}"
    if one.grade is None:
        return [
            Content(f"{turn}{one.move}") + Content.styled(f"  {say('screen.review.not_judged')}", "$past")
        ]
    grade = one.grade
    line = Content.styled(turn, "$past")
    line += Content.styled(f"{one.move}{grade.mark}", f"{_GRADED[grade.grade]} bold")
    reason = localised(grade.reason, grade.reason_said)
    line += Content(f"  {say(f'grade.{grade.grade}')}: {'' if grade.exact else '~ '}{reason}")
    if one.best is None or grade.better is None:
        return [line]
    better = say("review.better", move=grade.better, worth=worth(one.best))
    return [line, Content.styled(better, "$past")]


def _grades(graded: Review, width: int) -> list[Content]:
    """How often each side was given each grade: a line for each; in a table where those are too long."""
    names = [Content.styled(graded.names[side], f"{_SIDES[side]} bold") for side in (0, 1)]
    every = [
        [(counts.of(grade), _GRADED[grade] if counts.of(grade) else "$past") for grade in GRADES]
        for counts in graded.grades
    ]
    words = [say(f"grade.{grade}") for grade in GRADES]
    # The marks are those that stand behind the moves.
    heads = [MARKS.get(grade) or word for grade, word in zip(GRADES, words, strict=True)]
    for called in (words, heads):
        lines = [
            Content.assemble(
                name,
                *((f"  {word} {count}", style) for word, (count, style) in zip(called, grades, strict=True)),
            )
            for name, grades in zip(names, every, strict=True)
        ]
        if all(line.cell_length <= width for line in lines):
            return lines
    widths = [max(len(head), 3) + 1 for head in heads]
    room = max(width - sum(widths), 1)
    head = "".join(head.rjust(wide) for head, wide in zip(heads, widths, strict=True))
    return [
        Content.styled(" " * room + head, "$past"),
        *(
            Content.assemble(
                name.truncate(room, ellipsis=True).pad_right(max(room - name.cell_length, 0)),
                *(
                    (str(count).rjust(wide), style)
                    for (count, style), wide in zip(grades, widths, strict=True)
                ),
            )
            for name, grades in zip(names, every, strict=True)
        ),
    ]
