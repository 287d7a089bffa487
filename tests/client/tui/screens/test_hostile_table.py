"""A table at a real terminal: whatever a server and the others send, nothing but our own signs steers it."""

import asyncio
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("Windows has no ptys", allow_module_level=True)

from parlour_protocol.commands import Subscribe
from parlour_protocol.views.rooms import ChatLine, SeatView
from tests.client.rooms import snapshot
from tests.client.scripted import Scripted
from tests.client.sdk.test_sanitize import CORPUS
from tests.client.terminal import Terminal
from tests.client.tui.screens.positions import COLUMNS, report, room

FULL = {"PARLOUR_PLAIN": "0"}
EVERYTHING = "".join(CORPUS.values())
UNSEEN = "\x9b\x9d\x9c\x7f\u202e\u2066\u2069\u200b\u200d\ufeff\u00ad\u3164\U000e0041\u2028"
SEQUENCES = ["\x1b]52", "\x1b]8", "\x1bP+q544e", "\x1b]0;never", "\x1b[31m", "\x1b[2J"]
"""Of ours none is like these."""


@pytest.fixture
def hostile() -> Iterator[str]:
    """The address of a server whose every word is the corpus."""
    address: Future[str] = Future()
    over = threading.Event()
    thread = threading.Thread(target=lambda: asyncio.run(speak(address, over)))
    thread.start()
    try:
        yield address.result(10)
    finally:
        over.set()
        thread.join(10)


async def speak(address: "Future[str]", over: threading.Event) -> None:
    view = room(
        "connect4",
        EVERYTHING,
        COLUMNS,
        you=None,
        seats=[SeatView("human", EVERYTHING), SeatView("bot", EVERYTHING, EVERYTHING)],
        chat=[
            *(ChatLine("spectators", text, text, 0) for text in CORPUS.values()),
            ChatLine("spectators", "Eve", "all is said", 0),
        ],
        report=report(bot=EVERYTHING, line=[EVERYTHING]),
    )
    assert view.position is not None
    view.position.note = EVERYTHING
    async with Scripted() as server:
        address.set_result(server.address)
        talk = await server.talk()
        await talk.greet()
        while not isinstance(asked := await talk.receive(object), Subscribe):
            pass  # what the lobby asks
        await talk.accept(asked, 9)
        await talk.say(snapshot(9, view))
        await asyncio.to_thread(over.wait)


def test_nothing_that_steers_a_terminal_comes_from_others(tmp_path: Path, hostile: str) -> None:
    with Terminal(tmp_path, "watch", "KMRTQA", "--server", hostile, **FULL) as eve:
        eve.until("all is said")
        eve.type("Qq")
        assert eve.end() == 0
        assert [sequence for sequence in SEQUENCES if sequence in eve.shown] == []
        assert [sign for sign in UNSEEN if sign in eve.shown] == []
        assert eve.modes_now() == eve.modes
