"""How a bot thinks: its candidates as bars, the best line, how much it looked at; moving while it thinks."""

from rich.cells import cell_len
from textual.content import Content
from textual.widget import Widget

from parlour_client.text.reports import by_heart, caveats, compiling_title, expectation, ran_as
from parlour_client.text.sanitize import clean
from parlour_client.text.scores import ESTIMATES_END, Look, look, outlook, scale_of, score_text
from parlour_protocol.reports import Candidate, Compiling, Report, Score

FULL: dict[Look, str] = {"exact": "█", "bound": "▒", "estimate": "░", "estimated bound": "·"}
"""What is proven, bounded and guessed never look the same."""
EIGHTHS = " ▏▎▍▌▋▊▉█"
THIRDS = {"loss": (0.0, 0.3), "draw": (0.5, 0.5), "win": (0.7, 1.0), None: (0.32, 0.68)}
"""Where the bars of a result end, as shares of the longest: a loss is never longer than a guess."""
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
    """The lines of a report: what it costs, the candidates, the line of best play."""
    head = [Content.styled(clean(title), "bold").truncate(width, ellipsis=True), _effort(report, width)]
    if report.compiling is not None:
        return [*head, _compiled(report.compiling, width)][:height]
    said = caveats(report)
    if (ran := ran_as(report)) and ran not in head[1].plain:
        said = [ran, *said]
    tail = [
        *_line(report, width),
        *(Content.styled(one, "$past").truncate(width, ellipsis=True) for one in said),
    ]
    room = height - len(head) - len(tail) - 1
    shown = report.candidates if len(report.candidates) <= room else report.candidates[: max(room - 1, 1)]
    bars = candidates(report, shown, width)
    if len(shown) < len(report.candidates):
        bars.append(Content.styled(f"and {len(report.candidates) - len(shown)} more", "$past"))
    return [*head, Content(""), *bars, *tail][:height]


def _effort(report: Report, width: int) -> Content:
    """Depth, positions, speed and time, as much of them as fits."""
    if report.compiling is not None:
        said = [compiling_title(report.compiling)]
    elif by_heart(report):
        said = ["known by heart, from its book"]
    elif report.nodes <= 1:
        said = ["chosen without looking ahead"]
    else:
        said = [f"depth {report.depth}"] if report.depth else []
        said.append(f"{short(report.nodes)} positions")
        if report.seconds >= 0.005:
            said.append(f"{short(report.nodes / report.seconds)}/s")
            said.append(f"{report.seconds:.1f} s")
        if report.compiled is not None:
            said.append(ran_as(report))
    while len(said) > 1 and cell_len("   ".join(said)) > width:
        said.pop()
    return Content.styled("   ".join(said)[:width], "$past")


def _compiled(compiling: Compiling, width: int) -> Content:
    """How far the compiling is that the search waits for, as a bar."""
    said = f" {compiling.done} of {compiling.of}"
    length = min(width - len(said), LONGEST_BAR)
    done = length * compiling.done // max(compiling.of, 1)
    return Content.styled("█" * done, "$cursor") + Content.styled("░" * (length - done) + said, "$past")


def short(number: float) -> str:
    """A number as one says it: 549,946; 1.9 M; 12 M."""
    for size, unit in ((1e9, "G"), (1e6, "M")):
        if number >= size:
            return f"{number / size:.1f} {unit}" if number < 10 * size else f"{number / size:.0f} {unit}"
    return f"{number:,.0f}" if number < 1e5 else f"{number / 1e3:.0f} k"


def candidates(report: Report, shown: list[Candidate], width: int) -> list[Content]:
    """Each on a line: the move, a bar as long as it is good, its cost and what it leads to."""
    moves = [clean(one.move) for one in shown]
    aligned = any(isinstance(one.score.points, float) for one in report.candidates)
    costs = [score_text(one.score, aligned=aligned) for one in shown]
    ends = [_end(one.score) for one in shown]
    for_move = max((cell_len(move) for move in moves), default=1)
    for_cost = max((len(cost) for cost in costs), default=1)
    for_end = max((len(end) for end in ends), default=0)
    bar = min(width - for_move - for_cost - for_end - 5, LONGEST_BAR)
    if bar < 6:
        ends, bar = [""] * len(ends), min(width - for_move - for_cost - 4, LONGEST_BAR)
    scale = scale_of(report.candidates)
    lines = []
    for one, move, cost, end in zip(shown, moves, costs, ends, strict=True):
        chosen = one.move == report.best
        colour = style(one.score)
        line = Content.styled(TURN if chosen else " ", "$cursor bold")
        line += Content.styled(move.rjust(for_move) + " ", "bold" if chosen else "")
        if bar > 0:
            line += Content.styled(bar_text(one.score, scale, bar).ljust(bar), colour) + " "
        line += Content.styled(cost.rjust(for_cost), colour) + Content.styled(f" {end}", colour)
        lines.append(line.truncate(width))
    return lines


TURN = "▸"


def style(score: Score) -> str:
    """Green for a proven win, red for a proven loss, grey for a draw; a guess has no colour, but slants."""
    if score.kind == "estimate":
        return "$foreground italic"
    return {"win": "$win bold", "loss": "$loss", "draw": "$drawn", None: "$foreground"}[score.result]


def share(score: Score, scale: float) -> float:
    """How long a bar is, from 0 to 1: its third tells the result, its length there how good that is."""
    lowest, highest = THIRDS[score.result]
    if score.result is None:
        within = (max(-1.0, min(score.points / scale, 1.0)) + 1) / 2
    elif score.result == "draw":
        within = 0.5
    else:
        # A quick win and a slow loss are the better ones.
        near = max(0.0, min((abs(score.points) - ESTIMATES_END) / ESTIMATES_END, 1.0))
        within = near if score.result == "win" else 1 - near
    return lowest + (highest - lowest) * within


def bar_text(score: Score, scale: float, width: int) -> str:
    """The bar itself; only what is exact ends in a part of a sign."""
    sign, length = FULL[look(score)], share(score, scale) * width
    if score.kind != "exact":
        return sign * max(1, round(length))
    eighths = max(1, round(8 * length))
    return (sign * (eighths // 8) + EIGHTHS[eighths % 8]).rstrip()


def _end(score: Score) -> str:
    """What it leads to in few words: `wins in 3`, `draw`, `estimate`, `at best`."""
    limit = score.limit
    if limit is not None and score.result is None:
        return "at least" if limit == "at_least" else "at best"
    return outlook(score).replace("in at most ", "in ≤")


def _line(report: Report, width: int) -> list[Content]:
    """The principal variation; empty where there is none."""
    if not report.line:
        said = expectation(report)
        return [Content.styled(said[:width], "$past")] if said and not report.candidates else []
    text = " ".join(clean(move) for move in report.line)
    return [
        (Content.styled("line ", "$past") + Content.styled(text, "$foreground")).truncate(
            width, ellipsis=True
        )
    ]
