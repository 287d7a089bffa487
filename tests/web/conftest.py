"""One Chromium for all tests of the page that a process runs, and a server for each."""

import inspect
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright, expect

from parlour_client import Client, connect
from tests.support.server import serving
from tests.web.browser import FLAGS, PATIENCE, OpenPage, chromium

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run these tests on one loop: the browser's connection lives on it."""
    for item in items:
        if item.path.is_relative_to(HERE) and inspect.iscoroutinefunction(getattr(item, "function", None)):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what needs a browser where there is none: from one place, so that it is told in one line."""
    if "browser" in getattr(item, "fixturenames", ()):
        chromium()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """Chromium, started when a test first needs it."""
    expect.set_options(timeout=PATIENCE)
    async with (
        async_playwright() as playwright,
        await playwright.chromium.launch(executable_path=chromium(), args=FLAGS) as browser,
    ):
        yield browser


@pytest_asyncio.fixture(loop_scope="session")
async def server() -> AsyncIterator[str]:
    """The web address of a server."""
    async with serving() as url:
        yield url.replace("ws", "http", 1)


@pytest_asyncio.fixture(loop_scope="session")
async def open_page(browser: Browser, server: str) -> AsyncIterator[OpenPage]:
    """Opens pages of the server: see `OpenPage`."""
    pages = OpenPage(browser, server)
    yield pages
    await pages.close()


@pytest_asyncio.fixture(loop_scope="session")
async def ada(server: str) -> AsyncIterator[Client]:
    """Somebody who is on the server with a program, to make rooms and to play."""
    async with connect(server.replace("http", "ws", 1), "Ada") as client:
        yield client
