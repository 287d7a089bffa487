"""How the lobby and its dialogs look: one picture of each, in one theme and one size."""

from collections.abc import AsyncIterator

import pytest
from textual.widgets import Input

from parlour_client import connect
from parlour_client.sdk.messages import Disconnected
from parlour_client.sdk.room_list import Listing
from parlour_client.tui.app import ParlourApp
from parlour_client.tui.themes import INK, PAPER
from parlour_protocol.views.records import PastRoom
from parlour_protocol.views.rooms import ResultView, RoomLine, SeatView
from tests.client.tui.harness import Nowhere, TerminalHarness, terminal_harness
from tests.client.tui.shots import LARGE, SMALL, Album

ADA, BEN, CLEO = (SeatView("human", name) for name in ("Ada", "Ben", "Cleo"))
EASY, HARD = SeatView("bot", "easy", "easy"), SeatView("bot", "hard", "hard")
FREE = SeatView("open")
ROOMS = [
    RoomLine("KMRTQA", "connect4", "waiting", [BEN, FREE], 0, 0, 2, "5+3"),
    RoomLine("W8KVYY", "reversi", "waiting", [FREE, CLEO], 0, 0, 2),
    RoomLine("C9WMTE", "gomoku", "waiting", [FREE, FREE], 0, 0, 1),
    RoomLine("HFR6ET", "ultimate", "playing", [ADA, HARD], 16, 3, 20, "30/move", [2, 1]),
    RoomLine("4FC67T", "mnk:7,7,4", "playing", [EASY, HARD], 8, 12, 12),
    RoomLine("NBAGCG", "tictactoe", "finished", [CLEO, EASY], 7, 0, 11),
]
WON = ResultView("line", "three in a row", 0)
NOON = 1_795_262_400_000
PAST = [
    PastRoom("HFR6ET", "ultimate", "Ultimate tic-tac-toe", "playing", [ADA, HARD], 1, 16, NOON, 0),
    PastRoom("QWXARY", "gomoku", "Gomoku", "waiting", [ADA, FREE], 0, 0, NOON, 0),
    PastRoom("NBAGCG", "tictactoe", "Tic-tac-toe", "finished", [ADA, EASY], 2, 7, NOON, 0, WON),
    PastRoom("2Z5P2P", "connect4", "Connect Four", "finished", [HARD, ADA], 1, 30, NOON, 1, WON),
    PastRoom(
        "SUQ4TD", "reversi", "Reversi", "closed", [BEN, ADA], 1, 60, NOON, 1, ResultView("count", "a draw")
    ),
]


@pytest.fixture
async def lobby(server: str) -> AsyncIterator[TerminalHarness]:
    """A lobby with the real server's games, and rooms that stay as they are."""
    async with connect(server) as parlour:
        with Nowhere() as opening:
            async with terminal_harness(opening) as at:
                games, bots = await parlour.games(), await parlour.bots()
                # It is looking for a server by then, and leaves what is shown alone.
                await at.until(lambda: at.app._connecting is not None)
                where = "Ada at ws://games.example:8765"
                await at.app.lobby.show(where, games, bots, Listing(ROOMS, 7), PAST)
                await at.pilot.pause()
                yield at


async def test_the_games(lobby: TerminalHarness, album: Album) -> None:
    await lobby.press("down")
    await album.compare(lobby.pilot, INK, SMALL)


async def test_ones_own_rooms(lobby: TerminalHarness, album: Album) -> None:
    await lobby.press("3", "down", "down")
    await album.compare(lobby.pilot, INK, SMALL)


async def test_while_the_connection_is_lost_and_something_was_refused(
    lobby: TerminalHarness, album: Album, monkeypatch: pytest.MonkeyPatch
) -> None:
    lobby.app.lost(Disconnected(2.9, 0))
    # No second passes in the picture, and nothing goes away.
    monkeypatch.setattr(ParlourApp, "NOTIFICATION_TIMEOUT", 600)
    ticking = lobby.app._ticking
    assert ticking is not None
    ticking.pause()
    lobby.app.refuse("There is no such room. Check the code.")
    await lobby.shows("Connection lost", "There is no such room.")
    await album.compare(lobby.pilot, INK, LARGE)


async def test_a_new_room(lobby: TerminalHarness, album: Album) -> None:
    await lobby.press("n", "down", "down")
    await album.compare(lobby.pilot, INK, SMALL)


async def test_a_match(lobby: TerminalHarness, album: Album) -> None:
    await lobby.press("m", "down", "down")
    clock = lobby.app.screen.query_one("#clock", Input)
    clock.value, clock.cursor_blink = "5+3", False
    await album.compare(lobby.pilot, PAPER, SMALL)


async def test_a_code(lobby: TerminalHarness, album: Album) -> None:
    await lobby.press("ctrl+g")
    code = lobby.app.screen.query_one("#code", Input)
    code.value, code.cursor_blink = "KMRTQ", False
    await lobby.press("enter")
    await lobby.shows("✗")
    await album.compare(lobby.pilot, INK, SMALL)


async def test_the_keys(lobby: TerminalHarness, album: Album) -> None:
    await lobby.press("question_mark")
    await album.compare(lobby.pilot, PAPER, LARGE)
