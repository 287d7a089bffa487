"""A bot's thoughts on a screen: the table of its moves, a hint on the board, a report in a sentence."""

from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from parlour_client.clean import clean
from parlour_client.draw import Board, plain
from parlour_client.scores import PAST, distance, number, outlook, score_style, score_text
from parlour_protocol.views import BoardView, Candidate, Report

MOST_CANDIDATES = 12
BAR = 16
WIDEST = 10_000


def candidates_table(report: Report, *, ascii_only: bool = False, bars: bool = True) -> Table:
    """The moves with their costs, best first; a solid bar is proven, a hatched one a guess."""
    table = Table(box=None, pad_edge=False, header_style=PAST, padding=(0, 2, 0, 0))
    table.add_column("move")
    table.add_column("cost", justify="right")
    table.add_column("leads to", no_wrap=True)
    if bars:
        table.add_column("", width=BAR, no_wrap=True)
    scores = [candidate.score for candidate in report.candidates]
    aligned = any(isinstance(candidate.score, float) for candidate in report.candidates)
    for candidate in report.candidates[:MOST_CANDIDATES]:
        chosen = candidate.move == report.best
        row = [
            plain(candidate.move, "bold" if chosen else ""),
            Text(score_text(candidate, aligned=aligned), score_style(candidate)),
            Text(outlook(candidate), score_style(candidate)),
        ]
        if bars:
            row.append(score_bar(candidate, min(scores), max(scores), ascii_only=ascii_only))
        table.add_row(*row)
    if len(report.candidates) > MOST_CANDIDATES:
        table.add_row("", "", Text(f"and {len(report.candidates) - MOST_CANDIDATES} more", PAST))
    return table


def score_bar(candidate: Candidate, lowest: float, highest: float, *, ascii_only: bool = False) -> Text:
    """A bar as long as the cost is good among its neighbours."""
    share = 0.5 if highest == lowest else (candidate.score - lowest) / (highest - lowest)
    solid, hatched = ("#", "-") if ascii_only else ("█", "░")
    sign = solid if candidate.kind == "exact" else hatched
    return Text(sign * max(1, round(share * BAR)), score_style(candidate))


@dataclass(frozen=True, slots=True)
class Hint:
    """A board with costs on its cells and the table of them: side by side, or below where it is narrow."""

    view: BoardView
    report: Report

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        board = Board(self.view, self.report)
        table = candidates_table(self.report, ascii_only=options.ascii_only, bars=options.max_width >= 50)
        wide = Measurement.get(console, options.update(max_width=WIDEST), board).maximum
        if wide + 4 + Measurement.get(console, options, table).maximum <= options.max_width:
            beside = Table.grid(padding=(0, 4, 0, 0))
            beside.add_row(board, table)
            yield beside
        elif wide <= options.max_width:
            yield Group(board, "", table)
        else:
            # No cell is wide enough for a cost: the table alone has them.
            yield Group(Board(self.view, self.report, ranks=True), "", table)


def expectation(report: Report) -> str:
    """What a bot makes of its position, in plain words."""
    best = next((one for one in report.candidates if one.move == report.best), None)
    if best is None:
        return ""
    if best.kind != "exact":
        about = {"estimate": "about ", "at_least": "at least ", "at_most": "at most "}[best.kind]
        return f"judges it worth {about}{number(best.score)}"
    ending = {
        "win": "to win",
        "loss": "to lose",
        "draw": "a draw",
        "unknown": f"a cost of {number(best.score)}",
    }
    within = ""
    if best.result in ("win", "loss"):
        within = distance(best)
        if best.margin is None and best.plies is not None:
            within = " at once" if best.plies == 1 else f"{within} plies"
    return f"expects {ending[best.result]}{within}"


def report_line(report: Report) -> Text:
    """A report as one sentence."""
    name = clean(report.bot.partition(":")[0]) or "the bot"
    if report.nodes <= 1:
        return Text(f"{name} chose without looking ahead", PAST)
    said = f"{name} looked at {report.nodes:,} positions in {report.seconds:.2f} s"
    expected = expectation(report)
    return Text(f"{said} and {expected}" if expected else said, PAST)
