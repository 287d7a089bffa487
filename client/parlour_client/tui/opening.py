"""How the full screen is opened: at a lobby or at a table, on which server, as whom; and how it is left.

Here and in the modules of the screens nothing of the wire is imported before the first paint: that takes as
long as all the rest.
"""

import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parlour_client.localserver import Place
    from parlour_client.tui.host import Getting, Then


@dataclass(frozen=True, slots=True)
class Opening:
    """What the full screen begins with."""

    place: "Callable[[], AbstractContextManager[Place]]"
    """The server to talk to, for as long as it is entered. Entering may take long, and raises `Fault`."""
    name: str | None = None
    """The name chosen with --as."""
    first: "Getting | None" = None
    """The way to the table that is opened at once; None: the lobby."""
    taken: str = ""
    """What is said while that is on its way."""
    then: "Then | None" = None
    """What is done there."""


def wanted(*, plain: bool = False, as_json: bool = False) -> bool:
    """Is it a person at a terminal who can be shown the full screen, and has not asked for lines?"""
    if plain or as_json or os.environ.get("PARLOUR_PLAIN", "0") not in ("", "0"):
        return False
    # Textual reads standard input and paints on standard error; what is piped out of us is for a program.
    streams = (sys.stdin, sys.stdout, sys.__stderr__)
    return os.environ.get("TERM") != "dumb" and all(_is_tty(stream) for stream in streams)


def _is_tty(stream: object) -> bool:
    try:
        return bool(stream is not None and stream.isatty())  # type: ignore[attr-defined]
    except (AttributeError, ValueError):
        return False


def run(opening: Opening) -> None:
    """Show the full screen until it is left, then say how to come back. Raises `Fault`, and our own bugs."""
    from parlour_client.tui.app import ParlourApp

    with ExitStack() as stack:
        app = ParlourApp(opening, stack)
        app.run()
        # The terminal is as it was before: what went wrong is told there.
        if app.fault is not None:
            raise app.fault
        if app.farewell:
            from parlour_client.screen import Screen

            here = Screen()
            for line in app.farewell:
                here.note(line)
