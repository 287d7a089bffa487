"""Waiting until an application has taken all its messages, which draws only what a test looks at.

Textual's own pilot takes a process that gets no time for one that has nothing to do, and looks too early on a
busy machine. Here every widget's messages are waited for.
"""

import asyncio
import time
from typing import Any
from weakref import WeakSet

from rich.console import RenderableType
from textual._compositor import Compositor
from textual._context import visible_screen_stack
from textual.pilot import Pilot
from textual.screen import Screen

SECONDS = 10.0
"""What never comes to rest is looked at as it is then."""
IN_A_ROW = 3
"""A message that one widget is at work on may become another's: so often nothing may be found."""

_press = Pilot.press
_one_round = Pilot._wait_for_screen
_draw = Compositor.render_update
_drawn: WeakSet[Compositor] = WeakSet()


async def press(pilot: Pilot[Any], *keys: str) -> None:
    """Press keys, each when the one before has had its effect."""
    for key in keys:
        await _press(pilot, key)


async def one_turn(*_: float) -> None:
    """Let others have their turn: Textual waits here for an idle process, which a search never lets it be."""
    await asyncio.sleep(0)


def draw_once(
    compositor: Compositor,
    full: bool = False,
    screen_stack: list[Screen[Any]] | None = None,
    simplify: bool = False,
) -> RenderableType | None:
    """Draw a screen for the terminal once, so that it can be drawn: a test that looks has it drawn itself."""
    if full or compositor not in _drawn:
        _drawn.add(compositor)
        return _draw(compositor, full, screen_stack, simplify)
    visible_screen_stack.set(screen_stack or [])
    compositor._dirty_regions.clear()
    return None


async def settled(pilot: Pilot[Any]) -> bool:
    """Wait until no widget has a message left. False if the application ended with an error meanwhile."""
    end = time.monotonic() + SECONDS
    quiet = 0
    while quiet < IN_A_ROW and time.monotonic() < end:
        if not await _one_round(pilot):
            return False
        waiting = any(not widget._message_queue.empty() for widget in pilot.app._registry)
        quiet = 0 if waiting else quiet + 1
    return True
