"""How far a long question has come: on standard error, and only where that is a terminal."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress

from rich.text import Text

from parlour_client.render.console import Screen
from parlour_client.sdk.client import Client
from parlour_client.sdk.errors import ParlourError
from parlour_client.text.sanitize import clean
from parlour_client.text.scores import outlook
from parlour_protocol.notices import Progress
from parlour_protocol.reports import Report


def amount(number: float) -> str:
    """A large number as one says it: `512`, `1.9 k`, `24 M`."""
    for limit, sign in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= limit:
            share = number / limit
            return f"{share:.1f} {sign}" if share < 10 else f"{share:.0f} {sign}"
    return f"{number:.0f}"


def effort(report: Report) -> str:
    """What a search took: `depth 14, 1.9 M positions (9 M/s), 31 k cut-offs, 7 k table hits`."""
    said = [f"depth {report.depth}"] if report.depth else []
    rate = f" ({amount(report.nodes / report.seconds)}/s)" if report.seconds >= 0.01 else ""
    said.append(f"{amount(report.nodes)} {'position' if report.nodes == 1 else 'positions'}{rate}")
    if report.cutoffs:
        said.append(f"{amount(report.cutoffs)} cut-offs")
    if report.table_hits:
        said.append(f"{amount(report.table_hits)} table hits")
    return ", ".join(said)


def best_so_far(report: Report) -> str:
    """How a search gets on, in one line."""
    said = effort(report)
    if not report.candidates:
        return said
    best = next((one for one in report.candidates if one.move == report.best), report.candidates[0])
    return f"{clean(best.move)} {outlook(best.score)}   {said}"


@asynccontextmanager
async def shown_progress(client: Client, screen: Screen) -> AsyncIterator[bool]:
    """Show what the server tells of a search while the block runs; gives whether to ask it for that."""
    if not screen.err.is_terminal:
        yield False
        return
    notices = client.notices()
    with screen.err.status(Text("searching ...")) as status:

        async def follow() -> None:
            # Why the stream ends, the missing answer says.
            with suppress(ParlourError):
                async for notice in notices:
                    if isinstance(notice, Progress):
                        status.update(Text(best_so_far(notice.report), no_wrap=True, overflow="ellipsis"))

        task = asyncio.create_task(follow())
        try:
            yield True
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


@contextmanager
def bar(screen: Screen, what: str, total: int | None) -> Iterator[Callable[..., None]]:
    """A bar: how much is done, how fast, and how long it will take. Called with how many are done,
    and of how many where that was not known before."""
    if not screen.err.is_terminal:
        yield lambda done, of=None: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}", markup=False),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=screen.err, transient=True) as shown:
        task = shown.add_task(what, total=total, rate="")

        def progress(done: int, of: int | None = None) -> None:
            speed = shown.tasks[0].speed
            rate = f"{speed:.0f} {what}/s" if speed and speed >= 1 else ""
            shown.update(task, completed=done, total=of, rate=rate)

        yield progress
