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
from textual._queue import Queue
from textual.app import App
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.message import Message
from textual.message_pump import MessagePump
from textual.pilot import Pilot
from textual.screen import Screen

SECONDS = 10.0
"""What never comes to rest is looked at as it is then."""
IN_A_ROW = 10
"""A message that one widget is at work on may become another's: so often nothing may be found."""
LATER = 9
"""What a timer would do soon is done at once: so often, for some things are never done."""

_press = Pilot.press
_draw = Compositor.render_update
_parse = Stylesheet._parse_rules
_parsed: dict[tuple[str, ...], list[RuleSet]] = {}
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


def parse_once(sheet: Stylesheet, css: str, *where: Any, **how: Any) -> list[RuleSet]:
    """The rules of a sheet, read once for all applications in the same colours."""
    key = (css, str(where), str(how), str(sheet._variables))
    if key not in _parsed:
        _parsed[key] = _parse(sheet, css, *where, **how)
    return _parsed[key]


async def settled(pilot: Pilot[Any]) -> bool:
    """Wait until each widget waits for a message, and all is laid out.

    False if the application ended with an error meanwhile.
    """
    app, end, quiet, late = pilot.app, time.monotonic() + SECONDS, 0, LATER
    while quiet < IN_A_ROW and time.monotonic() < end:
        await asyncio.sleep(0)
        if app._exception is not None:
            return False
        quiet = quiet + 1 if all(map(_waits, (app, *app._registry))) else 0
        if quiet == IN_A_ROW and late and app.is_running and _do_what_waits(app):
            quiet, late = 0, late - 1
    return True


def _waits(pump: MessagePump) -> bool:
    """Is it at work on no message, and is none to come?"""
    queue: Queue[Message | None] = pump._message_queue
    return not pump._running or (queue.empty() and bool(queue.ready_event._waiters))


def _do_what_waits(app: App[Any]) -> bool:
    """Take a new size, or lay out what was changed, if a timer would do so soon."""
    if app._resize_event is not None:
        app._check_resize()
        return True
    screen = app.screen
    due = screen._layout_required or screen._scroll_required or screen._callbacks
    if due and screen.is_current and not app._batch_count:
        screen._on_timer_update()
    return bool(due)
