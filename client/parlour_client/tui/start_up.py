"""Opens the full screen, and says how to come back when it is left.

Here and in the modules of the screens nothing of the wire is imported before the first paint: that takes as
long as all the rest.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from parlour_client.tui.launch_request import LaunchRequest


def wanted(*, plain: bool = False, as_json: bool = False) -> bool:
    """Is it a person at a terminal who can be shown the full screen, and has not asked for lines?"""
    if plain or as_json or lines_wanted():
        return False
    # Textual reads standard input and paints on standard error; what is piped out of us is for a program.
    streams = (sys.stdin, sys.stdout, sys.__stderr__)
    return os.environ.get("TERM") != "dumb" and all(_is_tty(stream) for stream in streams)


def lines_wanted() -> bool:
    """Are lines asked for, in place of the full screen, wherever we run?"""
    return os.environ.get("PARLOUR_PLAIN", "0") not in ("", "0")


def _is_tty(stream: object) -> bool:
    try:
        return bool(stream is not None and stream.isatty())  # type: ignore[attr-defined]
    except (AttributeError, ValueError):
        return False


def run(opening: LaunchRequest) -> None:
    """Show the full screen until it is left, then say how to come back. Raises `ParlourError`."""
    from parlour_client.tui.app import ParlourApp

    with ExitStack() as stack:
        app = ParlourApp(opening, stack)
        with screen_to_ourselves():
            app.run()
        # The terminal is as it was before: what went wrong is printed there.
        if app.fault is not None:
            raise app.fault
        if app.farewell:
            from parlour_client.render.console import Screen

            here = Screen()
            for line in app.farewell:
                here.note(line)


@contextmanager
def screen_to_ourselves() -> Iterator[None]:
    """Keep off the screen what libraries and child processes write to standard error.

    Textual paints there, by `sys.__stderr__`, which gets a descriptor of its own.
    """
    before = sys.__stderr__
    assert before is not None
    before.flush()
    with (
        tempfile.TemporaryFile() as aside,
        os.fdopen(os.dup(2), "w", encoding=before.encoding, errors=before.errors) as screen,
    ):
        sys.__stderr__ = screen  # type: ignore[misc]
        os.dup2(aside.fileno(), 2)
        try:
            yield
        finally:
            screen.flush()
            os.dup2(screen.fileno(), 2)
            sys.__stderr__ = before  # type: ignore[misc]
