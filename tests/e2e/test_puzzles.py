"""A game that two people play at a real server becomes a puzzle there, two days later and after a restart."""

import asyncio
import time
from pathlib import Path

import pytest

from parlour_client import connect
from parlour_server import app
from parlour_server.hosting import daily_puzzles
from parlour_server.hosting.context import SteadyClock
from parlour_server.store.port import Checkpoint
from parlour_server.store.sqlite import SqliteStore
from tests.support.server import serving

MISSED = "a1 a2 b1 c1 b2 c3 b3".split()
"""To a corner the centre is the one answer."""
TWO_DAYS_NS = 2 * 86_400 * 10**9


async def test_a_missed_move_is_the_puzzle_of_the_day_after_tomorrow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(daily_puzzles, "BEGINS_AFTER", 0.0)
    found, move_checkpoint = asyncio.Event(), SqliteStore.move_checkpoint

    async def moved(store: SqliteStore, name: str, before: int, new: Checkpoint) -> bool:
        stands = await move_checkpoint(store, name, before, new)
        if name == daily_puzzles.NAME and stands:
            found.set()
        return stands

    monkeypatch.setattr(SqliteStore, "move_checkpoint", moved)
    data = str(tmp_path / "rooms.db")
    async with serving(data=data) as url, connect(url, "Ada") as ada, connect(url, "Ben") as ben:
        today = await ada.puzzle("tictactoe")
        assert not today.played
        room = await ada.create("tictactoe", starts="first")
        there = await ben.join(room.code)
        for ply, move in enumerate(MISSED):
            player = (room, there)[ply % 2]
            await player.wait_for_turn()
            await player.play(move)
        async with asyncio.timeout(60):
            await found.wait()
        # Whoever has seen today's has the one that everybody has.
        assert (await ben.puzzle("tictactoe")).moves == today.moves
    monkeypatch.setattr(app, "SteadyClock", lambda: SteadyClock(time_ns=lambda: time.time_ns() + TWO_DAYS_NS))
    async with serving(data=data) as url, connect(url, "Cyd") as cyd:
        puzzle = await cyd.puzzle()
        assert (puzzle.game, puzzle.moves, puzzle.find, puzzle.played) == ("tictactoe", ["a1"], "draw", True)
        assert [one.move for one in puzzle.candidates if one.score.result == "draw"] == ["b2"]
        # Of another game it is one that came with the server.
        other = await cyd.puzzle("reversi")
        assert (other.game, other.played, other.day) == ("reversi", False, puzzle.day)
        assert puzzle.before is not None
        assert (await cyd.puzzle("tictactoe", today.day)).moves == today.moves
