"""How a bot thinks: its candidates as bars, the best line, how much it looked at; moving while it thinks."""

from rich.cells import cell_len
from textual.content import Content
from textual.widget import Widget

from parlour_client.text.reports import (
    caveats,
    compiling_title,
    expectation,
    from_book,
    queued_line,
    ran_as,
    unfinished,
)
from parlour_client.text.scores import Look, leads_to, look, most_promising
from parlour_client.tui.worded import around
from parlour_protocol.views.reports import Candidate, Compiling, Report, Score
from parlour_protocol.words import language, say

FULL: dict[Look, str] = {"exact": "█", "bound": "▒", "estimate": "░", "estimated bound": "·"}
"""What is proven, bounded and guessed never look the same."""
EIGHTHS = " ▏▎▍▌▋▊▉█"
LONGEST_BAR = 40


class ThinkingPanel(Widget):
    """A report, as it comes or as it was kept; as many candidates as there is room for."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id)
        self._report: Report | None = None
        self._title = ""
        self._otherwise = ""

    def show(self, report: Report | None, title: str, otherwise: str = "") -> None:
        """Show a report under a title; without one, why there is none."""
        self._report, self._title, self._otherwise = report, title, otherwise
        self.refresh()

    def render(self) -> Content:
        """All of it, cut to the room there is."""
        width, height = max(self.size.width, 10), max(self.size.height, 1)
        if self._report is None:
            head = [Content.styled(self._title, "bold")] if self._title else []
            return Content("\n").join([*head, Content.styled(self._otherwise, "$past")])
        return Content("\n").join(lines(self._report, self._title, width, height))


def lines(report: Report, title: str, width: int, height: int) -> list[Content]:
    """The lines of a report: what it took, the candidates, the line of best play."""
    head = [Content.styled(title, "bold").truncate(width, ellipsis=True), _effort(report, width)]
    if report.compiling is not None:
        return [*head, _compiled(report.compiling, width)][:height]
    said = caveats(report)
    if deeper := unfinished(report):
        said = [deeper, *said]
    if (ran := ran_as(report)) and ran not in head[1].plain:
        said = [ran, *said]
    tail = [
        *_line(report, width),
        *(Content.styled(one, "$past").truncate(width, ellipsis=True) for one in said),
    ]
    room = height - len(head) - len(tail) - 1
    fits = len(report.candidates) <= room
    shown = report.candidates if fits else most_promising(report, max(room - 1, 1))
    bars = candidates(report, shown, width)
    if len(shown) < len(report.candidates):
        bars.append(
            Content.styled(say("search.more_moves", count=len(report.candidates) - len(shown)), "$past")
        )
    return [*head, Content(""), *bars, *tail][:height]


def _effort(report: Report, width: int) -> Content:
    """Depth, positions, speed and time, as much of them as fits."""
    if report.compiling is not None:
        said = [compiling_title(report.compiling)]
    elif report.queued is not None:
        said = [queued_line(report.queued, "it")]
    elif not report.nodes and not report.finished:
        said = []  # it has just begun
    elif from_book(report):
        said = [say("screen.thinking.from_book")]
    elif report.nodes <= 1:
        said = [say("screen.thinking.without_looking")]
    else:
        said = [say("search.depth", depth=report.depth)] if report.depth else []
        said.append(say("search.positions", count=report.nodes, number=short(report.nodes)))
        if report.seconds >= 0.005:
            said.append(f"{short(report.nodes / report.seconds)}/s")
            said.append(say("span.seconds", number=language().number(report.seconds, 1)))
        if report.compiled is not None:
            said.append(ran_as(report))
    while len(said) > 1 and cell_len("   ".join(said)) > width:
        said.pop()
    return Content.styled("   ".join(said)[:width], "$past")


def _compiled(compiling: Compiling, width: int) -> Content:
    """How far the compiling is that the search waits for, as a bar."""
    said = f" {say('screen.of', done=compiling.done, of=compiling.of)}"
    length = min(width - len(said), LONGEST_BAR)
    done = length * compiling.done // max(compiling.of, 1)
    return Content.styled("█" * done, "$cursor") + Content.styled("░" * (length - done) + said, "$past")


def short(number: float) -> str:
    """A number as one says it: 549,946; 1.9 M; 12 M."""
    for size, unit in ((1e9, "G"), (1e6, "M")):
        if number >= size:
            return f"{language().number(number / size, 1 if number < 10 * size else 0)} {unit}"
    return language().number(number, 0) if number < 1e5 else f"{language().number(number / 1e3, 0)} k"


def candidates(report: Report, shown: list[Candidate], width: int) -> list[Content]:
    """Each on a line: the move, a bar as long as it is good, and what it leads to."""
    moves = [one.move for one in shown]
    ends = [_end(one) for one in shown]
    for_move = max((cell_len(move) for move in moves), default=1)
    for_end = max((len(end) for end in ends), default=0)
    bar = min(width - for_move - for_end - 3, LONGEST_BAR)
    lines = []
    for one, move, end in zip(shown, moves, ends, strict=True):
        chosen = one.move == report.best
        colour = style(one.score)
        line = Content.styled(TURN if chosen else " ", "$cursor bold")
        line += Content.styled(move.rjust(for_move) + " ", "bold" if chosen else "")
        if bar > 0:
            line += Content.styled(bar_text(one.score, bar).ljust(bar), colour) + " "
        lines.append((line + Content.styled(end, colour)).truncate(width))
    return lines


TURN = "▸"


def style(score: Score) -> str:
    """Green for a proven win, red for a proven loss, grey for a draw; a guess has no colour, but slants."""
    if score.kind == "estimate":
        return "$foreground italic"
    return {"win": "$win bold", "loss": "$loss", "draw": "$drawn", None: "$foreground"}[score.result]


def bar_text(score: Score, width: int) -> str:
    """The bar itself, as long as the chance to win; only what is exact ends in a part of a character."""
    sign, length = FULL[look(score)], score.share * width
    if score.kind != "exact":
        return sign * max(1, round(length))
    eighths = max(1, round(8 * length))
    return (sign * (eighths // 8) + EIGHTHS[eighths % 8]).rstrip()


def _end(candidate: Candidate) -> str:
    """What it leads to in few words: `wins in 3`, `wins in ≤5`, `a draw`, `54% to win`, `≤54% to win`."""
    score = candidate.score
    if candidate.no_better_than is not None or score.kind == "exact" or score.margin is not None:
        return leads_to(candidate)
    if score.bound is not None:
        return say(f"screen.thinking.chance_{score.bound}", percent=score.percent)
    if score.result not in ("win", "loss") or score.plies is None:
        return leads_to(candidate)
    return say(f"screen.thinking.{score.result}_in_at_most", plies=score.plies)


def _line(report: Report, width: int) -> list[Content]:
    """The principal variation; empty where there is none."""
    if not report.line:
        said = expectation(report)
        return [Content.styled(said[:width], "$past")] if said and not report.candidates else []
    text = Content.styled(" ".join(report.line), "$foreground")
    return [around("screen.thinking.line", moves=text).stylize_before("$past").truncate(width, ellipsis=True)]
