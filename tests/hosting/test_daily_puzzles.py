"""Puzzles out of games that have ended: found by searches, kept by every store, the same at each node."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from parlour_protocol.events import (
    GameFinished,
    GameStarted,
    GameSummary,
    KnownEvent,
    MovePlayed,
    PlayerSummary,
    RoomCreated,
)
from parlour_protocol.ids import Seat
from parlour_protocol.settings import RoomSettings
from parlour_server.analysis.scheduler import SearchScheduler
from parlour_server.hosting.context import Context
from parlour_server.hosting.daily_puzzles import AHEAD, NAME, DailyPuzzles
from parlour_server.hosting.puzzle_days import DAYS_KEPT
from parlour_server.log import LogRecord
from parlour_server.search.reports.puzzle import Puzzle
from parlour_server.store.memory import MemoryStore
from parlour_server.store.port import LogDamaged, NotReadable, Store, StoreError
from tests.hosting.harness import settle
from tests.store.test_contract import STORES, append

DAY = 86_400_000
MISSED = "a1 a2 b1 c1 b2 c3 b3"
"""To a corner the centre is the one answer, which was missed."""
CORNERED = "c1 a1 c2 c3 b2 a3 a2"
"""And here."""
FAULTLESS = "b2 a1 c3 a3 a2 c2 b3 b1 c1"


def records(moves: str, *, visibility: Any = "public", game: str = "tictactoe") -> list[LogRecord]:
    players = [PlayerSummary("p-ada", "Ada"), PlayerSummary("p-ben", "Ben")]
    summary = GameSummary(game, 1, 0, len(moves.split()), players)
    seats: list[Seat] = [0, 1]
    events: list[KnownEvent] = [
        RoomCreated(game, RoomSettings(visibility=visibility), owner="p-ada"),
        GameStarted(0),
        *(MovePlayed(seats[ply % 2], move) for ply, move in enumerate(moves.split())),
        GameFinished("board_full", None, "the board is full", summary=summary),
    ]
    return [LogRecord(event, 1_000 + at, "p-ada") for at, event in enumerate(events)]


class World:
    """A node's surroundings, whose clock says which day it is."""

    def __init__(self, store: Store, scheduler: SearchScheduler) -> None:
        self.day = 20_000
        self.context = Context(store, scheduler, now=lambda: self.day * DAY + 5)
        self.puzzles = DailyPuzzles(self.context)

    async def state(self) -> dict[int, Any]:
        return await self.puzzles.runner.state()


@pytest.fixture
async def scheduler() -> AsyncIterator[SearchScheduler]:
    found = SearchScheduler(kind="thread", workers=1)
    yield found
    await found.close()


@pytest.fixture(params=STORES)
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    async with STORES[request.param](tmp_path) as opened:
        yield opened


async def test_a_missed_move_becomes_the_puzzle_of_a_day_to_come(
    store: Store, scheduler: SearchScheduler
) -> None:
    world = World(store, scheduler)
    await append(store, "KMRTQA", 0, *records(MISSED))
    await world.puzzles.runner.catch_up()
    ((day, found),) = (await world.state()).items()
    assert day == world.day + 2
    assert found.game == "tictactoe"
    assert (found.moves, found.worth["b2"]) == ("a1", 0)
    assert all(worth < 0 for move, worth in found.worth.items() if move != "b2")
    # Nobody had it until its day, and then every node has it, also one that was started since.
    assert await world.puzzles.of(world.day) is None
    other = World(store, scheduler)
    world.day = other.day = day
    assert await world.puzzles.of(day) == await other.puzzles.of(day) == found
    checkpoint = await store.checkpoint(NAME)
    assert checkpoint.after == 1
    for secret in ("Ada", "Ben", "p-ada", "p-ben", "KMRTQA"):
        assert secret not in checkpoint.state


@pytest.mark.parametrize(
    "kept_back",
    [
        records(MISSED, visibility="private"),
        records(FAULTLESS),
        records(MISSED, game="a-game-that-is-gone"),
        [
            *records(MISSED)[:-1],
            LogRecord(
                GameFinished(
                    "aborted", None, summary=GameSummary("tictactoe", 1, 0, 9, [PlayerSummary("a", "A")] * 2)
                ),
                2_000,
                "p-ada",
            ),
        ],
    ],
    ids=["private", "faultless", "unknown", "aborted"],
)
async def test_what_makes_no_puzzle_is_passed_over(
    kept_back: list[LogRecord], scheduler: SearchScheduler
) -> None:
    store = MemoryStore()
    world = World(store, scheduler)
    await append(store, "AAAAAA", 0, *kept_back)
    await world.puzzles.runner.catch_up()
    assert await world.state() == {}
    await append(store, "BBBBBB", 0, *records(MISSED))
    await world.puzzles.runner.catch_up()
    assert (await store.checkpoint(NAME)).after == 2
    assert len(await world.state()) == 1


async def test_the_same_position_is_put_down_once_and_days_follow_each_other(
    scheduler: SearchScheduler,
) -> None:
    store = MemoryStore()
    world = World(store, scheduler)
    for number, line in enumerate([MISSED, CORNERED, MISSED, CORNERED]):
        await append(store, f"A{number:05}", 0, *records(line))
    await world.puzzles.runner.catch_up()
    found = await world.state()
    assert [found[world.day + 2].moves, found[world.day + 3].moves] == ["a1", "c1"]
    assert len(found) == 2


async def test_nothing_is_searched_once_there_is_enough(scheduler: SearchScheduler) -> None:
    store = MemoryStore()
    world = World(store, scheduler)
    await append(store, "AAAAAA", 0, *records(MISSED))
    ((_, game),) = await store.finished_games(0, 9)
    other = Puzzle("tictactoe", "c1", {})
    enough = dict.fromkeys(range(world.day, world.day + AHEAD + 1), other)
    assert await world.puzzles._fold(enough, 1, game) == enough
    # A day later there is room for one more, and what was long ago makes place.
    world.day += 1
    old = {world.day - DAYS_KEPT - 1: other}
    more = await world.puzzles._fold({**enough, **old}, 1, game)
    assert more == {**enough, world.day + AHEAD: more[world.day + AHEAD]}
    assert more[world.day + AHEAD].moves == "a1"


async def test_a_store_that_fails_drops_no_game(scheduler: SearchScheduler) -> None:
    class Hiccup(MemoryStore):
        fault: StoreError | None = NotReadable("The connection is gone.")

        async def read(self, key: str, after: int = 0) -> list[Any]:
            if self.fault is not None:
                raise self.fault
            return await super().read(key, after)

    store = Hiccup()
    world = World(store, scheduler)
    await append(store, "AAAAAA", 0, *records(MISSED))
    with pytest.raises(NotReadable):
        await world.puzzles.runner.catch_up()
    store.fault = None
    await world.puzzles.runner.catch_up()
    assert len(await world.state()) == 1
    # What is damaged stays so: it keeps nothing up.
    store.fault = LogDamaged("A record is gone.")
    await append(store, "BBBBBB", 0, *records(CORNERED))
    await world.puzzles.runner.catch_up()
    assert (await store.checkpoint(NAME)).after == 2
    assert len(await world.state()) == 1


async def test_a_search_that_waits_for_days_is_for_none_that_has_begun(
    scheduler: SearchScheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = MemoryStore()
    world = World(store, scheduler)
    search = scheduler.search

    def late(*given: Any) -> Any:
        world.day = 20_005
        return search(*given)

    monkeypatch.setattr(scheduler, "search", late)
    await append(store, "AAAAAA", 0, *records(MISSED))
    await world.puzzles.runner.catch_up()
    assert list(await world.state()) == [20_007]


async def test_it_ends_within_a_search(scheduler: SearchScheduler) -> None:
    store = MemoryStore()
    world = World(store, scheduler)
    await append(store, "KMRTQA", 0, *records(MISSED))
    task = asyncio.create_task(world.puzzles.runner.catch_up())
    await settle()
    task.cancel()
    await asyncio.wait([task])
    assert scheduler.waiting == 0
    assert (await store.checkpoint(NAME)).after == 0
