"""All running games line by line: at a terminal, and through a server's end."""

import asyncio
import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("Windows has no ptys", allow_module_level=True)

from parlour_client import connect
from tests.client.terminal import Served, Terminal, piped  # it needs ptys


def two_bots(state: Path, address: str) -> str:
    """A room in which two bots play slowly."""
    bots = ["--bot", "random:seed=1", "--bot", "random:seed=2"]
    return piped(state, "create", *bots, "--pace", "60", "--server", address)[0].strip()


def test_it_waits_shows_and_comes_back_after_a_restart(tmp_path: Path) -> None:
    first = Served(tmp_path, data=":memory:")
    address = f"ws://127.0.0.1:{first.port}"
    try:
        with Terminal(tmp_path, "watch", "--all", "--server", address) as wall:
            wall.until("No game is being played.")
            wall.until(f"room {two_bots(tmp_path, address)}")
            wall.until("random (bot) to move")
            first.kill()
            wall.until("Connection lost.")
            second = Served(tmp_path, first.port, data=":memory:")
            try:
                wall.until("No game is being played.")
                wall.until(f"room {two_bots(tmp_path, address)}")
                wall.type("q\n")
                assert wall.end() == 0
            finally:
                second.kill()
    finally:
        first.kill()


async def test_a_tournament_that_is_under_way_is_shown(tmp_path: Path, server: str) -> None:
    async with connect(server, "Ben") as ben:
        code = await ben.create_tournament("Friday cup", "tictactoe", format="round_robin", rounds=1)
        await ben.enter_bot(code, "random")
        await ben.join_tournament(code)
        await ben.start_tournament(code)
        with Terminal(tmp_path, "watch", "--all", "--server", server) as wall:
            for words in ("Friday cup", "Round 1 of 1", "random (bot)", "running"):
                await asyncio.to_thread(wall.until, words)
            await ben.end_tournament(code)
            await asyncio.to_thread(wall.until, "The host has ended it early.")
            # The next one is shown as soon as it is under way.
            code = await ben.create_tournament("Second cup", "tictactoe", format="round_robin", rounds=1)
            await ben.enter_bot(code, "random")
            await ben.join_tournament(code)
            await ben.start_tournament(code)
            await asyncio.to_thread(wall.until, "Second cup")
            wall.type("q\n")
            assert await asyncio.to_thread(wall.end) == 0
