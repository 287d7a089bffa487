"""`python -m bench page`: what the web page weighs, how soon a table is there, how fast it follows."""

import argparse
import asyncio
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from playwright.async_api import Browser, Error, Page, async_playwright
from rich.console import Console
from rich.progress import Progress, TimeElapsedColumn

from bench import BenchError
from bench.distance import distant
from bench.frame import carry_out
from bench.kinds import MEMORY
from bench.options import count, end_on_sigterm
from bench.servers import running
from bench.tables import lean, word
from parlour_client import Client, connect

ROUNDS = 10
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first is the same browser without windows, which takes half the time to open a page."""
ROUND_TRIP_MS = 400
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
GAME, MOVES = "mnk:19,19,5", 60
PATHS = ("/", "/analysis", "/lab", "/learn", "/puzzle", "/review", "/wall")

_WATCH = """
const shown = selector => new Promise(resolve => {
    const waits = setInterval(() => {
        if (!document.querySelector(selector)) return
        clearInterval(waits)
        resolve(performance.now())
    }, 1)
})
window.found = {
    updates: [],
    usable: Promise.all([shown("[data-cell]"), shown(".actions button.main")]).then(all => Math.max(...all)),
    moved: shown('[aria-label*="last move"]'),
}
const { set } = Object.getOwnPropertyDescriptor(WebSocket.prototype, "onmessage")
Object.defineProperty(WebSocket.prototype, "onmessage", { set(listen) {
    set.call(this, listen && (event => {
        const begun = performance.now()
        listen(event)
        document.body.getBoundingClientRect()
        if (event.data.includes('"move_played"')) found.updates.push(performance.now() - begun)
    }))
} })
"""
"""Notes when one may sit down before a board, when a move is on it, and how long each takes the page, its
layout included."""
_WEIGHT = """
() => [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
    .reduce((sum, one) => sum + one.decodedBodySize, 0)
"""


@dataclass(frozen=True, slots=True)
class Figure:
    """What was measured, and what it should be at most."""

    what: str
    unit: str
    value: float
    goal: float

    @property
    def met(self) -> bool:
        """Is it little enough?"""
        return self.value <= self.goal


def main(arguments: list[str]) -> int:
    """Measure and report. 0: measured, whatever the goals; 1: the run broke; 130: interrupted."""
    parser = argparse.ArgumentParser("python -m bench page", description=__doc__)
    parser.add_argument("--rounds", type=count, default=ROUNDS, help=f"tables opened; {ROUNDS} by default")
    parser.add_argument("--json", action="store_true", help="print one JSON value instead of tables")
    options = parser.parse_args(arguments)
    end_on_sigterm()

    def measure(bars: Progress) -> list[Figure]:
        task = bars.add_task("page", total=options.rounds + len(PATHS) + 1)
        bars.refresh()
        try:
            return asyncio.run(_measure(options.rounds, lambda: bars.update(task, advance=1, refresh=True)))
        except Error as broken:
            raise BenchError(broken.message) from None

    return carry_out(
        measure,
        time=TimeElapsedColumn(),
        alone=True,
        as_json=(lambda found: [asdict(one) | {"met": one.met} for one in found]) if options.json else None,
        show=partial(_show, options.rounds),
    )


async def _measure(rounds: int, done: Callable[[], None]) -> list[Figure]:
    chromium = next(filter(None, map(shutil.which, BROWSERS)), None)
    if chromium is None:
        raise BenchError("there is no Chromium here: on Debian, apt-get install chromium-headless-shell")
    with tempfile.TemporaryDirectory(prefix="parlour-bench-") as folder:
        async with (
            running(MEMORY, Path(folder)) as server,
            connect(f"{server.host}:{server.port}", "Ada") as ada,
            async_playwright() as playwright,
            await playwright.chromium.launch(executable_path=chromium) as browser,
        ):
            address = f"http://{server.host}:{server.port}"
            usable, far, first, back, weights = [], [], [], [], {}
            for _ in range(rounds):
                room = await ada.create("tictactoe", starts="second")
                page = await _opened(browser, f"{address}/{room.code}")
                usable.append(await page.evaluate("found.usable"))
                await page.wait_for_load_state()
                weights["a table"] = await page.evaluate(_WEIGHT)
                await page.context.close()
                async with distant(server, ROUND_TRIP_MS / 1000) as away:
                    page = await _opened(browser, f"{away}/{room.code}", **PHONE)
                    far.append(await page.evaluate("found.usable"))
                    await page.get_by_role("button", name="Sit down").tap()
                    await page.locator('[data-cell="4"]').tap()
                    first.append(await page.evaluate("found.moved"))
                    another = await ada.create("tictactoe", starts="second")
                    await page.goto(f"{away}/{another.code}", wait_until="commit")
                    back.append(await page.evaluate("found.usable"))
                    await page.context.close()
                done()
            for path in PATHS:
                page = await _opened(browser, address + path)
                await page.get_by_role("heading", level=1).wait_for()
                await page.wait_for_load_state()
                weights[path] = await page.evaluate(_WEIGHT)
                await page.context.close()
                done()
            updates = await _updates(ada, browser, address)
            done()
    return [
        *(Figure(f"weight of {name}", "KB", weight / 1000, 150.0) for name, weight in weights.items()),
        Figure("until one may sit down (median)", "ms", median(usable), 300.0),
        Figure(f"{ROUND_TRIP_MS} ms away, on a phone", "ms", median(far), 2000.0),
        Figure("until the first move is played there", "ms", median(first), 5000.0),
        Figure("until who was there before may sit down", "ms", median(back), 2000.0),
        Figure("a move on 19x19 (median)", "ms", median(updates), 16.0),
        Figure("a move on 19x19 (p95)", "ms", quantiles(updates, n=20)[-1], 16.0),
    ]


async def _opened(browser: Browser, url: str, **window: Any) -> Page:
    """A page in a browser that has never been there."""
    context = await browser.new_context(**window)
    await context.add_init_script(_WATCH)
    page = await context.new_page()
    # A person doesn't wait until all has come.
    await page.goto(url, wait_until="commit")
    return page


async def _updates(ada: Client, browser: Browser, address: str) -> list[float]:
    """How long the page of a player takes for each move, theirs and the other's: milliseconds."""
    room = await ada.create(GAME, starts="first")
    page = await _opened(browser, f"{address}/{room.code}")
    await page.get_by_role("button", name="Sit down").click()
    await room.wait_for_turn()
    # Rows that never make five.
    for number in range(MOVES):
        row, column = divmod(number, 19)
        cell = 38 * row + (2 * column) % 19
        assert room.position is not None
        if number % 2:
            await page.locator(f'[data-cell="{cell}"]').click()
            await room.wait_for_turn()
        else:
            await room.play(room.position.legal[room.position.paths.index(cell)])
            await page.locator(f'[data-cell="{cell}"][aria-label*="last move"]').wait_for(state="attached")
    found: list[float] = await page.evaluate("found.updates")
    await page.context.close()
    return found


def _show(rounds: int, console: Console, figures: list[Figure]) -> None:
    table = lean("The web page", "what", numbers=("measured", "goal"), after=["", ""])
    for one in figures:
        table.add_row(one.what, f"{one.value:,.1f}", f"{one.goal:,.0f}", one.unit, word(one.met))
    table.caption = f"Weights uncompressed; {rounds} tables opened, {MOVES} moves."
    console.print(table)
