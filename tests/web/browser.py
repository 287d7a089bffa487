"""A real Chromium, and pages in it in which nothing may go wrong."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Page, Request, Response

from bench.page import BROWSERS
from tests.support.needs import missing, program

FLAGS = (
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE = 60_000
"""Milliseconds: what a page has not come to by then it never will."""
AXE = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"

Size = Literal["desktop", "phone", "wall"]
Theme = Literal["light", "dark"]
SIZES: dict[Size, tuple[int, int]] = {"desktop": (1440, 900), "phone": (360, 740), "wall": (1920, 1080)}


def chromium() -> str:
    """Where the browser is. Without one, the test is skipped; in CI it fails."""
    return program(*BROWSERS, how="on Debian, apt-get install chromium-headless-shell")


class OpenPage:
    """Opens pages, each as a person of its own unless it is `beside` another.

    Whatever goes wrong in one of them (an error or warning in the console, a failed request, one to another
    host) is kept, and the test fails at its end; what the test itself brings about, it names by `expect`.
    """

    def __init__(self, browser: Browser, address: str) -> None:
        self.wrong: list[str] = []
        self._browser, self.address = browser, address
        self._contexts: list[BrowserContext] = []
        self._expected: list[str] = []

    async def __call__(
        self,
        path: str = "/",
        *,
        size: Size = "desktop",
        theme: Theme = "light",
        touch: bool | None = None,
        motion: bool = False,
        locale: str | None = None,
        beside: Page | None = None,
    ) -> Page:
        """Open a path of the server, or a whole address.

        A phone is touched. Without `motion` the person has asked for less of it, so that nothing moves on
        while the test looks. `locale` is what the browser prefers to be spoken to in.
        """
        width, height = SIZES[size]
        if beside:
            context = beside.context
        else:
            context = await self._browser.new_context(
                viewport={"width": width, "height": height},
                color_scheme=theme,
                has_touch=size == "phone" if touch is None else touch,
                is_mobile=size == "phone",
                locale=locale,
                reduced_motion="no-preference" if motion else "reduce",
            )
            self._contexts.append(context)
        url = path if "://" in path else self.address + path
        page = await context.new_page()
        page.set_default_timeout(PATIENCE)
        self._watch(page, urlsplit(url).netloc)
        await page.goto(url)
        return page

    def expect(self, pattern: str) -> None:
        """Something that goes wrong by the test's own doing, as a regular expression."""
        self._expected.append(pattern)

    async def close(self) -> None:
        """Close every page, and fail where something went wrong."""
        for context in self._contexts:
            for page in context.pages:
                # What it has said so far is here once it answers.
                await page.evaluate("0")
        wrong = list(self._unexpected())
        for context in self._contexts:
            await context.close()
        if wrong:
            pytest.fail("\n".join(wrong), pytrace=False)

    def _unexpected(self) -> Iterator[str]:
        for one in self.wrong:
            if not any(re.search(pattern, one) for pattern in self._expected):
                yield one

    def _watch(self, page: Page, host: str) -> None:
        def said(message: ConsoleMessage) -> None:
            if message.type in ("error", "warning", "assert"):
                self.wrong.append(f"console: {message.text} ({message.location['url']})")

        def asked(request: Request) -> None:
            parts = urlsplit(request.url)
            if parts.scheme not in ("data", "blob") and parts.netloc != host:
                self.wrong.append(f"asked another host: {request.url}")

        def answered(response: Response) -> None:
            if response.status >= 400:
                self.wrong.append(f"{response.status}: {response.url}")

        def failed(request: Request) -> None:
            # What the browser gave up by itself, when the page was left.
            if request.failure != "net::ERR_ABORTED":
                self.wrong.append(f"failed: {request.url} ({request.failure})")

        page.on("console", said)
        page.on("pageerror", lambda error: self.wrong.append(f"not caught: {error.stack or error}"))
        page.on("request", asked)
        page.on("response", answered)
        page.on("requestfailed", failed)


_VIOLATIONS = """async ({ of, ...options }) =>
    (await axe.run(of, options)).violations.flatMap(({ id, nodes }) => nodes.map(({ failureSummary, html }) =>
        `${id}: ${failureSummary.replaceAll(/\\s+/g, " ")} ${html}`))"""


async def axe(page: Page, of: str = "html") -> list[str]:
    """What axe finds wrong with the accessibility of a page, or of a part, in both themes: a line each."""
    if not AXE.exists():
        missing("axe-core is not installed", "make test does that, with npm (on Debian, apt-get install npm)")
    # Evaluated, since the page's Content-Security-Policy lets no script in.
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(AXE.read_text(encoding="utf-8"))
    dark: bool = await page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    found: list[str] = await page.evaluate(_VIOLATIONS, {"of": of, "resultTypes": ["violations"]})
    await page.emulate_media(color_scheme="light" if dark else "dark")
    # Nothing else differs between them.
    found += await page.evaluate(_VIOLATIONS, {"of": of, "runOnly": ["color-contrast"]})
    await page.emulate_media(color_scheme="dark" if dark else "light")
    return found


async def shoot(page: Page, name: str) -> None:
    """Write what is seen to `SHOTS/name.png`, where the environment names a folder so."""
    if folder := os.environ.get("SHOTS"):
        await page.screenshot(path=Path(folder) / f"{name}.png")
