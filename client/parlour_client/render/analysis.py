"""A bot's thoughts on a screen: the table of its moves, a hint on the board, a report in a sentence."""

from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from parlour_client.render.board import BoardDrawing, plain
from parlour_client.text.reports import caveats, expectation, from_book, ran_as
from parlour_client.text.scores import PAST, leads_to, look, most_promising, score_style
from parlour_protocol.views.boards import BoardView
from parlour_protocol.views.reports import Report, Score
from parlour_protocol.words import language, say

MOST_CANDIDATES = 12
FEWEST_CANDIDATES = 3
BAR = 16
WIDEST = 10_000


def candidates_table(
    report: Report, *, ascii_only: bool = False, bars: bool = True, most: int = MOST_CANDIDATES
) -> Table:
    """The best moves and what they lead to, at most so many; a mark stands before the chosen one.

    A solid bar is exact, a hatched one a guess, a dotted one a guess that is a bound.
    """
    most = min(most, MOST_CANDIDATES)
    table = Table(box=None, pad_edge=False, header_style=PAST, padding=(0, 2, 0, 0))
    table.add_column(say("table_head.move"))
    table.add_column(say("table_head.leads_to"), no_wrap=True)
    if bars:
        table.add_column("", width=BAR, no_wrap=True)
    for candidate in most_promising(report, most):
        chosen = candidate.move == report.best
        mark = (">" if ascii_only else "▸") if chosen else " "
        row = [
            Text(f"{mark} ").append_text(plain(candidate.move, "bold" if chosen else "")),
            Text(leads_to(candidate), score_style(candidate.score)),
        ]
        if bars:
            row.append(score_bar(candidate.score, ascii_only=ascii_only))
        table.add_row(*row)
    if len(report.candidates) > most:
        table.add_row("", Text(say("search.more_moves", count=len(report.candidates) - most), PAST))
    return table


def score_bar(score: Score, *, ascii_only: bool = False) -> Text:
    """A bar as long as the chance to win is high: full for a proven win, half for a draw."""
    looks = {"exact": "#█", "bound": "=▒", "estimate": "-░", "estimated bound": ".·"}
    sign = looks[look(score)][0 if ascii_only else 1]
    return Text(sign * max(1, round(score.share * BAR)), score_style(score))


@dataclass(frozen=True, slots=True)
class HintDrawing:
    """A board with scores on its cells and the table of them: side by side, or below where it is narrow.

    With `below`, the lines that the caller says after it, it keeps to a terminal's height as far as it can:
    there the best moves are numbered on the board instead, or fewer of them are listed. Blank lines stand
    around it where there is room for them.
    """

    view: BoardView
    report: Report
    below: int | None = None

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self.below is None:
            yield self._laid_out(console, options, WIDEST)
            return
        room = options.size.height - self.below if options.is_terminal else WIDEST
        shown = self._laid_out(console, options, room)
        if _height(console, options, shown) + 2 > room:
            yield shown
        else:
            yield Group("", shown, "")

    def _laid_out(self, console: Console, options: ConsoleOptions, room: int) -> RenderableType:
        board, ranked = BoardDrawing(self.view, self.report), BoardDrawing(self.view, self.report, ranks=True)
        bars = options.max_width >= 50
        wide = _width(console, options, board) <= options.max_width
        height = _height(console, options, board)
        rows = min(len(self.report.candidates), MOST_CANDIDATES + 1) + 1
        if shown := self._beside(console, options, board, bars=bars, most=MOST_CANDIDATES):
            return shown
        if height + 1 + rows > room:
            # A row for the heads, one for how many more there are.
            most = max(height, room) - 2
            for one, with_bars in ((board, False), (ranked, bars), (ranked, False)):
                if shown := self._beside(console, options, one, bars=with_bars, most=most):
                    return shown
            table = self._table(options, bars=bars, most=max(room - height - 2, FEWEST_CANDIDATES))
            return Group(board if wide else ranked, table)
        # Where no cell is wide enough for a score the table alone has them.
        return Group(board if wide else ranked, "", self._table(options, bars=bars))

    def _beside(
        self, console: Console, options: ConsoleOptions, board: BoardDrawing, *, bars: bool, most: int
    ) -> RenderableType | None:
        """A board and the table beside it; None where that is too wide."""
        table = self._table(options, bars=bars, most=most)
        gap = 2 if board.ranks else 4
        if _width(console, options, board) + gap + _width(console, options, table) > options.max_width:
            return None
        beside = Table.grid(padding=(0, gap, 0, 0))
        beside.add_row(board, table)
        return beside

    def _table(self, options: ConsoleOptions, *, bars: bool, most: int = MOST_CANDIDATES) -> Table:
        return candidates_table(self.report, ascii_only=options.ascii_only, bars=bars, most=most)


def _width(console: Console, options: ConsoleOptions, shown: RenderableType) -> int:
    return Measurement.get(console, options.update(max_width=WIDEST), shown).maximum


def _height(console: Console, options: ConsoleOptions, shown: RenderableType) -> int:
    return len(console.render_lines(shown, options, pad=False))


def report_lines(report: Report) -> list[Text]:
    """A report as one sentence, and one for each reason why it saw less than it was to."""
    return [report_line(report), *(Text(said, PAST) for said in caveats(report))]


def report_line(report: Report) -> Text:
    """A report as one sentence."""
    name = report.bot.partition(":")[0] or say("command.analyse.the_bot")
    best, expected = report.best_score, expectation(report)
    if name == "perfect" and best is not None and best.result is None:
        # It is, in what it proves. This is a guess like any other's.
        name = say("command.analyse.the_search")
    if report.nodes <= 1 and not from_book(report):
        return Text(say("command.analyse.no_search", name=name), PAST)
    parts = {"name": name} | ({"expected": expected} if expected else {})
    if from_book(report):
        return Text(say(f"command.analyse.from_book.{'and' if expected else 'alone'}", **parts), PAST)
    parts["positions"] = say("count.position", count=report.nodes)
    parts["seconds"] = language().number(report.seconds, 2)
    how = "and" if expected else "alone"
    if report.compiled is not None:
        parts["ran"] = ran_as(report)
        how = "so_and" if expected else "so"
    return Text(say(f"command.analyse.looked.{how}", **parts), PAST)
