"""Takes the pictures of the web page that README.md shows: `.venv/bin/python -m tests.web.pictures`.

With a folder behind it: every page there, on a phone and on a desk, in both themes, to be looked at.
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import get_args

from playwright.async_api import Page, async_playwright

from parlour_client import connect
from parlour_client.sdk.client import Client
from tests.docs.markdown import ROOT
from tests.support.server import serving
from tests.web.browser import FLAGS, OpenPage, Size, Theme, chromium

SIZES: tuple[Size, ...] = ("desktop", "phone")
BOT = "hard:nodes=200000,seed=1"
OPENINGS = {
    "tictactoe": "b2 a1 c3",
    "connect4": "4 4 4 3 5",
    "reversi": "d3 c3 b3 d2 c4",
    "ultimate": "e5 f5 h6 e8 f6",
    "gomoku": "h8 h9 i9 g7 j10 i10 k11",
}
GAME = "44352342617"
"""Moves of connect4 with a blunder among them."""


async def rooms(ada: Client, ben: Client) -> dict[str, str]:
    """A table in each game, some moves in; gives their codes by game."""
    found = {}
    for game, moves in OPENINGS.items():
        room = await ada.create(game, moves=moves, opponent=BOT, clock="5+3", seat=0)
        found[game] = room.code
    await ben.create("reversi", clock="10+5")
    both = await ben.create("mnk:7,7,4", opponent="medium", starts="second")
    await both.wait_for_turn()
    return found


@asynccontextmanager
async def people(url: str) -> AsyncIterator[tuple[Client, Client]]:
    """Two who are on the server with programs."""
    async with connect(url, "Ada") as ada, connect(url, "Ben") as ben:
        yield ada, ben


async def settled(page: Page) -> None:
    """Wait until a page shows all that it is going to show soon."""
    await page.get_by_role("heading", level=1).wait_for()
    await page.wait_for_load_state("networkidle")
    await page.wait_for_timeout(2500)


async def searched(page: Page) -> None:
    """Wait until the worth of the moves is drawn."""
    await page.locator(".board .score").first.wait_for()
    await settled(page)


async def take(open_page: OpenPage, path: str, file: Path, size: Size, theme: Theme) -> None:
    """Open a path, and write what is seen."""
    page = await open_page(path, size=size, theme=theme)
    await (searched if "/analysis" in path else settled)(page)
    if "/learn#" in path:
        for name in ("Alpha-beta", "Open all", "To the end"):
            await page.get_by_role("button", name=name).click()
        await settled(page)
    file.parent.mkdir(parents=True, exist_ok=True)
    await page.screenshot(path=file)
    await page.close()
    print(file)


async def main(folder: Path | None) -> None:
    """Take them."""
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(serving(compiled=True))
        ada, ben = await stack.enter_async_context(people(url))
        codes = await rooms(ada, ben)
        playwright = await stack.enter_async_context(async_playwright())
        browser = await playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        stack.push_async_callback(browser.close)
        open_page = OpenPage(browser, url.replace("ws", "http", 1))
        paths = {
            "lobby": "/",
            "learn": "/learn#tictactoe=a3,b2,c2,b1,b3,c3",
            "wall": "/wall",
            "lab": "/lab",
            "puzzle": "/puzzle#connect4",
            "analysis": "/analysis#connect4=4,4,4,3,5",
            "review": f"/review#connect4={','.join(GAME)}",
            **{f"table-{game}": f"/{code}" for game, code in codes.items()},
        }
        if folder is None:
            docs = ROOT / "docs"
            await take(open_page, paths["analysis"], docs / "page-analysis.png", "desktop", "dark")
            await take(open_page, paths["learn"], docs / "page-learn.png", "desktop", "light")
            await take(open_page, paths["lobby"], docs / "page-lobby.png", "desktop", "dark")
            return
        for name, path in paths.items():
            for size in SIZES:
                for theme in get_args(Theme):
                    await take(open_page, path, folder / f"{name}-{size}-{theme}.png", size, theme)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]) if len(sys.argv) > 1 else None))
