"""A tournament in a terminal: shown once, or as it changes, in its place where the terminal allows it."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import ExitStack

from rich.console import Group
from rich.live import Live

from parlour_client.render import tournament as render
from parlour_client.render.console import Screen
from parlour_client.sdk.client import Client
from parlour_protocol.views.tournaments import TournamentView
from parlour_protocol.words import say

TICK = 1.0
"""Seconds between looks at how long it is until the next round."""


def show_once(screen: Screen, view: TournamentView) -> None:
    """Show how it stands."""
    if screen.as_json:
        screen.emit(render.as_json(view))
    else:
        screen.say(*render.drawn(view, view.at, screen.out.width))


async def follow_until(
    views: AsyncIterator[TournamentView], screen: Screen, enough: Callable[[TournamentView], bool]
) -> TournamentView:
    """Show how it stands, and each change, until that is so; gives the last view."""
    live = screen.out.is_terminal and not screen.as_json
    view: TournamentView | None = None
    begun = time.monotonic()

    def draw() -> Group:
        assert view is not None
        now = view.at + 1000 * (time.monotonic() - begun)
        return Group(*render.drawn(view, now, screen.out.width))

    with ExitStack() as stack:
        shown: Live | None = None

        async def tick() -> None:
            while True:
                await asyncio.sleep(TICK)
                if shown is not None:
                    shown.update(draw(), refresh=True)

        ticking = asyncio.create_task(tick())
        stack.callback(ticking.cancel)
        async for view in views:
            begun = time.monotonic()
            if not live:
                show_once(screen, view)
            elif shown is None:
                shown = stack.enter_context(Live(draw(), console=screen.out, auto_refresh=False))
            else:
                shown.update(draw(), refresh=True)
            if enough(view):
                return view
    assert view is not None, "a tournament that is followed was shown once"
    return view


async def attend(client: Client, screen: Screen, code: str, been: Collection[str]) -> str | None:
    """Take part, and wait for a game in a room where one has not `been`; None: there are none any more."""
    view = await client.tournament(code)
    if "join" in view.may or (view.you is None and view.phase != "over"):
        # It is refused with why, where it is too late.
        await client.join_tournament(code)
    if not been:
        screen.note(say("command.tournament.waits", name=client.name))

    def enough(view: TournamentView) -> bool:
        return view.phase == "over" or (view.room is not None and view.room not in been)

    view = await follow_until(client.follow_tournament(code), screen, enough)
    return None if view.phase == "over" else view.room
