"""Progress on a terminal: a line for a search, and a bar while it waits for compiled code."""

import io

from rich.console import Console

from parlour_client.render.console import Screen
from parlour_client.render.progress import _Searching, bar
from parlour_protocol.views.reports import Compiling, Report


def terminal() -> tuple[Screen, io.StringIO]:
    screen, written = Screen(), io.StringIO()
    screen.err = Console(file=written, force_terminal=True, width=80)
    return screen, written


def test_a_search_that_waits_shows_a_bar_and_then_itself() -> None:
    screen, written = terminal()
    with _Searching(screen) as shown:
        shown.show(Report("perfect", [], compiling=Compiling("connect4", 3, 13)))
        shown.show(Report("perfect", [], compiling=Compiling("connect4", 13, 13)))
        shown.show(Report("perfect", [], nodes=512))
    text = written.getvalue()
    waits, searches = text.index("Compiling connect4 (once; about 10 s)"), text.index("512 positions")
    assert waits < text.index("3/13") < searches


def test_a_search_that_waits_for_its_turn_says_how_many_are_before_it() -> None:
    screen, written = terminal()
    with _Searching(screen) as shown:
        shown.show(Report("perfect", [], queued=3))
        shown._status.stop()
    assert "Waiting for a turn to search: 3 before you" in written.getvalue()


def test_a_bar_may_have_another_title_for_a_while() -> None:
    screen, written = terminal()
    with bar(screen, "games", 10) as progress:
        progress(3, 13, "Compiling connect4 (once; about 10 s)")
        waited = written.tell()
        progress(2)
    text = written.getvalue()
    assert "Compiling connect4 (once; about 10 s)" in text[:waited]
    assert "games" in text[waited:]
    assert "2/10" in text[waited:]
