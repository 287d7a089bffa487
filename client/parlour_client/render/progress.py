"""Progress of a long query, on standard error: a line that changes on a terminal, else a few in all."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress

from rich.text import Text

from parlour_client.render.console import Screen
from parlour_client.sdk.errors import ParlourError
from parlour_client.sdk.queries import QueryClient
from parlour_client.text.durations import span
from parlour_client.text.reports import compiling_title, queued_line
from parlour_client.text.scores import outlook
from parlour_protocol.notices import Progress
from parlour_protocol.views.reports import Report
from parlour_protocol.words import language, say


def amount(number: float) -> str:
    """A large number as one says it: `512`, `1.9 k`, `24 M`."""
    for limit, sign in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= limit:
            share = number / limit
            return f"{language().number(share, 1 if share < 10 else 0)} {sign}"
    return f"{number:.0f}"


def effort(report: Report) -> str:
    """What a search took: `depth 14, 1.9 M positions (9 M/s), 31 k cut-offs, 7 k table hits`."""
    said = [say("search.depth", depth=report.depth)] if report.depth else []
    if report.seconds >= 0.01:
        rate = amount(report.nodes / report.seconds)
        said.append(
            say("command.analyse.positions_rate", count=report.nodes, amount=amount(report.nodes), rate=rate)
        )
    else:
        said.append(say("command.analyse.positions", count=report.nodes, amount=amount(report.nodes)))
    if report.cutoffs:
        said.append(say("command.analyse.cutoffs", count=report.cutoffs, amount=amount(report.cutoffs)))
    if report.table_hits:
        hits = report.table_hits
        said.append(say("command.analyse.table_hits", count=hits, amount=amount(hits)))
    return ", ".join(said)


def best_so_far(report: Report) -> str:
    """How a search gets on, in one line."""
    if report.queued is not None:
        return queued_line(report.queued)
    said = effort(report)
    if report.left is not None:
        said += f", {say('search.left', span=span(report.left))}"
    if not report.candidates:
        return said
    best = next((one for one in report.candidates if one.move == report.best), report.candidates[0])
    return f"{best.move} {outlook(best.score)}   {said}"


SPINNER = 2
"""Columns before the line of a search."""
SILENT_SECONDS = 2.0
"""A search that takes longer says so in a pipe, too."""


@asynccontextmanager
async def shown_progress(
    client: QueryClient, screen: Screen, seen: Callable[[Report], None] = lambda report: None
) -> AsyncIterator[bool]:
    """Show what the server tells of a search while the block runs; gives whether to ask it for that.

    Each report is `seen`, too.
    """
    notices = client.notices()
    with _Searching(screen) if screen.err.is_terminal else _Noted(screen) as shown:

        async def follow() -> None:
            # Why the stream ends, the missing answer says.
            with suppress(ParlourError):
                async for notice in notices:
                    if isinstance(notice, Progress):
                        seen(notice.report)
                        shown.show(notice.report)

        task = asyncio.create_task(follow())
        try:
            yield True
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


class _Noted:
    """In a pipe: once that code is compiled, how a long search gets on, and when it is expected to end."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._noted: set[str] = set()

    def __enter__(self) -> "_Noted":
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def show(self, report: Report) -> None:
        """Show what is known by now, where that was not done before."""
        if report.compiling is not None:
            self._note(compiling_title(report.compiling), compiling_title(report.compiling))
        elif report.queued is None and report.seconds > SILENT_SECONDS:
            known = "search" if report.left is None else "left"
            self._note(known, f"{report.bot}: {best_so_far(report)}")

    def _note(self, what: str, said: str) -> None:
        if what not in self._noted:
            self._noted.add(what)
            self._screen.note(f"{said} ...")


class _Searching:
    """One line for a search that runs; a bar instead while it waits for compiled code."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._status = screen.err.status(Text(say("command.analyse.searching")))
        self._bar = ExitStack()
        self._compiled: Callable[..., None] | None = None

    def __enter__(self) -> "_Searching":
        self._status.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.close()
        self._status.stop()

    def show(self, report: Report) -> None:
        """Show what is known by now."""
        if report.compiling is not None:
            if self._compiled is None:
                # A terminal has room for one of them.
                self._status.stop()
                self._compiled = self._bar.enter_context(
                    bar(self._screen, say("command.analyse.functions"), None)
                )
            compiling = report.compiling
            self._compiled(compiling.done, compiling.of, compiling_title(compiling))
            return
        if self._compiled is not None:
            self._bar.close()
            self._compiled = None
            self._status.start()
        line = Text(best_so_far(report))
        line.truncate(self._screen.err.width - SPINNER, overflow="ellipsis")
        self._status.update(line)


@contextmanager
def bar(screen: Screen, what: str, total: int | None) -> Iterator[Callable[..., None]]:
    """A bar: how much is done, how fast, and how long it will take. Called with how many are done,
    of how many where that was not known before, and for a while with another title."""
    if not screen.err.is_terminal:
        yield lambda done, of=None, title=what: None
        return
    from rich.console import RenderableType
    from rich.constrain import Constrain
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    class Bar(RichProgress):
        """A bar that leaves room for the ^C that a terminal writes: else that would begin another line."""

        def get_renderable(self) -> RenderableType:
            return Constrain(super().get_renderable(), screen.err.width - len("^C"))

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}", markup=False),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=screen.err, transient=True) as shown:
        task = shown.add_task(what, total=total, rate="")

        def progress(done: int, of: int | None = None, title: str = what) -> None:
            another = title != shown.tasks[0].description
            if another:
                shown.reset(task, total=total)
            speed = shown.tasks[0].speed
            rate = f"{speed:.0f} {what}/s" if speed and speed >= 1 and title == what else ""
            shown.update(task, completed=done, total=of, description=title, rate=rate, refresh=another)

        yield progress
