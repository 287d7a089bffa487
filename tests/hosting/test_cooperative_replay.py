"""Long logs: nobody waits for them."""

import asyncio
from collections.abc import Sequence
from functools import partial

import pytest

from parlour_protocol.events import GameStarted, RoomCreated, SeatTaken
from parlour_protocol.settings import RoomSettings
from parlour_server.hosting.cooperative_replay import (
    FREED_AT_ONCE,
    RECORDS_AT_ONCE,
    CooperativeReplay,
    free,
)
from parlour_server.kinds import ROOM
from parlour_server.log import LogRecord, Steps
from tests.support.rooms import ADA, BEN

MOVES = ("a1", "b1", "a2", "b2")
LOG: list[LogRecord] = [
    LogRecord(RoomCreated("gomoku", RoomSettings(), MOVES, owner=ADA), 0, ADA),
    LogRecord(SeatTaken(0, "Ada", player=ADA), 0, ADA),
    LogRecord(SeatTaken(1, "Ben", player=BEN), 0, BEN),
]


class Turns:
    """Counts the loop's turns beside other work."""

    def __init__(self) -> None:
        self.count = 0
        self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        while True:
            self.count += 1
            await asyncio.sleep(0)

    def stop(self) -> None:
        self._task.cancel()


async def test_a_long_log_is_folded_in_parts_and_a_replayed_move_counts() -> None:
    games = 200
    log: list[LogRecord] = [*LOG, *(LogRecord(GameStarted(0), 0, ADA) for _ in range(games))]
    turns = Turns()
    state = await CooperativeReplay().run(partial(ROOM.replay, "KMRTQA"), log)
    turns.stop()
    assert (state.game_number, state.version) == (games, len(LOG) + games)
    folded = games * (1 + len(MOVES)) // (RECORDS_AT_ONCE + 1 + len(MOVES))
    assert turns.count >= folded + state.version // FREED_AT_ONCE
    assert log == []


async def test_logs_take_turns_of_the_loop_and_a_short_one_waits_for_no_long_one() -> None:
    folding, turns = CooperativeReplay(), Turns()
    parts: list[int] = []

    def work(records: Sequence[LogRecord], count: int) -> Steps[int]:
        for _ in range(count):
            parts.append(turns.count)
            yield RECORDS_AT_ONCE
        return count

    long = [asyncio.create_task(folding.run(partial(work, count=500), [])) for _ in range(3)]
    await asyncio.sleep(0)
    assert await asyncio.gather(*(folding.run(partial(work, count=2), []) for _ in range(5))) == [2] * 5
    assert len(parts) < 50
    assert await asyncio.gather(*long) == [500] * 3
    turns.stop()
    # In no turn of the loop there is more than one part.
    assert len(parts) - len(set(parts)) <= 1


async def test_work_that_fails_says_so_and_keeps_nobody_waiting() -> None:
    folding = CooperativeReplay()

    def fails(records: Sequence[LogRecord]) -> Steps[int]:
        yield 1
        raise ValueError("no such game")

    log = list(LOG)
    with pytest.raises(ValueError, match="no such game"):
        await folding.run(fails, log)
    assert log == []
    assert (await folding.run(partial(ROOM.replay, "KMRTQA"), list(LOG))).version == len(LOG)


async def test_a_long_list_is_freed_in_parts() -> None:
    items = list(range(100))
    turns = Turns()
    await free(items)
    turns.stop()
    assert items == []
    assert turns.count >= 100 // FREED_AT_ONCE
