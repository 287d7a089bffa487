"""Draws the screens that README.md shows: `.venv/bin/python -m tests.docs.pictures`.

They are the real screens, on a server of their own on which a few games are played first.
"""

import asyncio
import os
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path

from parlour_client import connect
from parlour_client.sdk.client import Client
from parlour_client.sdk.room import Room
from tests.client.tui.harness import TerminalHarness, terminal_harness
from tests.docs.markdown import ROOT
from tests.support.server import serving

SIZE = (120, 40)
BOT = "hard:nodes=300000,seed=1"
MOVES = ["4", "4", "4"]


def keep(at: TerminalHarness, name: str) -> None:
    """Write what is shown into docs/."""
    picture = at.app.export_screenshot(title="Parlour", simplify=True)
    (ROOT / "docs" / f"{name}.svg").write_text(picture, encoding="utf-8")


async def fill(ben: Client, cleo: Client) -> None:
    """Rooms that wait, and rooms that are being played."""
    await ben.create("connect4", clock="5+3")
    await cleo.create("reversi")
    table = await cleo.create("ultimate", opponent="hard", starts="first", clock="30/move")
    await table.play(table.legal_moves[0])
    both = await ben.create("mnk:7,7,4", opponent="medium", starts="second")
    await both.wait_for_turn()


async def new_table(ada: Client) -> Room:
    """A table against a bot, whose thoughts are shown."""
    return await ada.create("connect4", opponent=BOT, clock="5+3", starts="first", hints="always")


async def draw(folder: Path) -> None:
    """Draw a table, then the lobby."""
    async with serving(compiled=True, data=str(folder / "rooms.db")) as url, AsyncExitStack() as people:
        ben = await people.enter_async_context(connect(url, "Ben"))
        cleo = await people.enter_async_context(connect(url, "Cleo"))
        await fill(ben, cleo)
        async with terminal_harness(url, size=SIZE, first=new_table) as at:
            await at.at_table()
            room = at.app.room
            assert room is not None
            for move in MOVES:
                await room.wait_for_turn()
                await room.play(move)
            await room.wait_for_turn()
            await room.say("Good luck!")
            await at.press("H")
            await at.shows("wins in")
            keep(at, "table")
        async with terminal_harness(url, size=SIZE) as at:
            await at.connected()
            await at.press("2", "down")
            await at.shows("Ben", "Cleo", "go on")
            keep(at, "lobby")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as state:
        os.environ["PARLOUR_STATE"] = state
        asyncio.run(draw(Path(state)))
