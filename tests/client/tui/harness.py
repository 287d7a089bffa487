"""The whole full-screen client on a real server, and what is needed to look at it."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from functools import partial

from textual import events
from textual.pilot import Pilot

from parlour_client.sdk.client import Client
from parlour_client.sdk.local_server import ServerTarget
from parlour_client.sdk.room import Room
from parlour_client.tui.app import ParlourApp
from parlour_client.tui.app_port import OpenRoom
from parlour_client.tui.launch_request import LaunchRequest
from parlour_client.tui.widgets.game_cards import GameCard
from tests.support.waiting import within

Screen = Pilot[None]
PATIENCE = 10.0


@contextmanager
def place(url: str) -> Iterator[ServerTarget]:
    """A server that somebody else runs."""
    yield ServerTarget(url, named=True)


class Nowhere:
    """A server that is looked for as long as we like."""

    def __init__(self, url: str = "ws://127.0.0.1:9") -> None:
        self._url = url
        self._let_go = threading.Event()

    def let_go(self) -> None:
        """It is found."""
        self._let_go.set()

    @contextmanager
    def place(self) -> Iterator[ServerTarget]:
        self._let_go.wait()
        yield ServerTarget(self._url)

    def __enter__(self) -> LaunchRequest:
        return LaunchRequest(self.place)

    def __exit__(self, *_: object) -> None:
        self.let_go()


class TerminalHarness:
    """The application as one person sees it."""

    def __init__(self, app: ParlourApp, pilot: Screen) -> None:
        self.app = app
        self.pilot = pilot

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    def press_now(self, key: str) -> None:
        """As a key comes that is not waited for."""
        self.app.post_message(events.Key(key, None))

    async def type(self, text: str) -> None:
        """Paste it, which is typing at once."""
        self.app.screen.post_message(events.Paste(text))
        await self.pilot.pause()

    async def until(self, happens: Callable[[], bool]) -> None:
        """Wait until something is so."""
        try:
            await within(PATIENCE, happens)
        except AssertionError:
            raise AssertionError(f"it did not come to that:\n{self.shown()}") from None
        await self.pilot.pause()

    async def shows(self, *words: str) -> None:
        """Wait until these words are on the screen."""
        await self.until(lambda: all(word in self.shown() for word in words))

    def shown(self) -> str:
        """What stands on the screen, line by line, without trailing blanks."""
        rows = self.app.screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in row).rstrip() for row in rows)

    def reported(self) -> list[str]:
        """What was told by the way."""
        return [notification.message for notification in self.app._notifications]

    @property
    def parlour(self) -> Client:
        """The client, which is connected."""
        assert self.app.parlour is not None
        return self.app.parlour

    @property
    def room(self) -> Room:
        """The room that is shown."""
        assert self.app.room is not None
        return self.app.room

    @property
    def screen(self) -> str:
        """The name of the screen that is on top."""
        return type(self.app.screen).__name__

    async def connected(self) -> None:
        """Wait until the games are there, and one of them is chosen."""
        await self.until(lambda: isinstance(self.app.screen.focused, GameCard))

    async def at_table(self) -> None:
        """Wait until a table is shown."""
        await self.until(lambda: self.screen == "TableScreen")


@asynccontextmanager
async def terminal_harness(
    url: str | LaunchRequest,
    *,
    name: str = "Ada",
    size: tuple[int, int] = (80, 24),
    first: OpenRoom | None = None,
) -> AsyncIterator[TerminalHarness]:
    """The application, from its first paint on."""
    opening = url if isinstance(url, LaunchRequest) else LaunchRequest(partial(place, url), name, first)
    with ExitStack() as stack:
        app = ParlourApp(opening, stack)
        app.animation_level = "none"
        async with app.run_test(size=size, notifications=True) as pilot:
            yield TerminalHarness(app, pilot)
            await asyncio.wait_for(app.action_leave(), PATIENCE)
