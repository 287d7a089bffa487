"""Ratings of a server: kept by every store, the same at each node and after a rebuild, whatever is killed."""

import asyncio
import json
import random
import sys
from pathlib import Path
from typing import Any, cast

import pytest

from parlour_protocol.events import GameFinished, GameSummary, PlayerSummary
from parlour_protocol.ids import Seat
from parlour_server.analysis.scheduler import SearchScheduler
from parlour_server.hosting.context import Context
from parlour_server.hosting.projections import ProjectionRunner
from parlour_server.hosting.ratings import NAME, Ratings, rebuild
from parlour_server.log import LogRecord
from parlour_server.store.port import Store
from parlour_server.store.sqlite import SqliteStore
from tests.hosting.harness import HostingHarness, seated, settle
from tests.store.test_contract import STORES, append, created
from tests.support.nodes import Ground, MemoryCluster, NodeStore
from tests.support.rooms import FIRST_WINS

PLAYERS = [
    *(PlayerSummary(f"p-{name.lower()}", name) for name in ("Ada", "Ben", "Cyd", "Dan")),
    PlayerSummary("bot:1", "hard", "hard"),
    PlayerSummary("p-ben", "Ben", program=True),
]


async def play(store: Any, number: int, prefix: str = "R") -> None:
    """A game that follows from its number, most of which count."""
    dice = random.Random(number)
    players = dice.sample(PLAYERS, 2)
    winner: Seat | None = dice.choice([0, 1, None])
    summary = GameSummary("hex" if number % 3 else "go", 1, 0, 9, players, rated=number % 7 > 0)
    over = GameFinished("line" if winner is not None else "board_full", winner, "", summary=summary)
    await append(store, f"{prefix}{number:05}", 0, created(), LogRecord(over, 3_600_000 * number, "p-ada"))


def kept_by(store: Any) -> Ratings:
    return Ratings(Context(cast(Store, store), cast(SearchScheduler, None)))


@pytest.mark.parametrize("kind", STORES)
async def test_a_rebuild_is_the_same_to_the_last_digit(kind: str, tmp_path: Path) -> None:
    async with STORES[kind](tmp_path) as store:
        assert await rebuild(store) == ({}, 0)
        kept = kept_by(store)
        for number in range(60):
            await play(store, number)
            if number % 11 == 0:
                await kept.runner.catch_up()
        await kept.runner.catch_up()
        before = await store.checkpoint(NAME)
        assert set(json.loads(before.state)) == {"hex", "go"}
        table, after = await rebuild(store)
        assert (await store.checkpoint(NAME), after) == (before, 60)
        assert await kept.runner.state() == table
        # And it goes on from there, also where the games go on meanwhile.
        await play(store, 60)
        await rebuild(store)
        await play(store, 61)
        await kept.runner.catch_up()
        assert await kept.runner.state() == (await rebuild(store))[0]


async def test_several_nodes_come_to_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    async def ours(self: Any) -> bool:
        return True

    # Both believe that it is theirs to do, as where a lease has run out.
    monkeypatch.setattr(ProjectionRunner, "_is_ours", ours)
    ground = Ground(lambda: 1_000)
    stores = [NodeStore(MemoryCluster(ground, name)) for name in ("n1", "n2")]
    kept = [kept_by(store) for store in stores]

    async def work(node: int) -> None:
        for number in range(30):
            await play(stores[node], number, "RS"[node])
            await kept[node].runner.catch_up()

    await asyncio.gather(work(0), work(1))
    for one in kept:
        await one.runner.catch_up()
    first, second = [await one.runner.state() for one in kept]
    assert first == second == (await rebuild(cast(Store, stores[1])))[0]
    assert sum(one.games for one in first["hex"].values()) == 2 * 2 * 17


async def test_a_rebuild_mends_what_is_wrong_and_a_node_sees_it(tmp_path: Path) -> None:
    async with STORES["memory"](tmp_path) as store:
        kept = kept_by(store)
        for number in range(20):
            await play(store, number)
        await kept.runner.catch_up()
        right = await store.checkpoint(NAME)
        wrong = right.state.replace('"volatility":0.0', '"volatility":0.1')
        assert wrong != right.state
        await store.move_checkpoint(NAME, right.after, type(right)(right.after, wrong))
        assert (await kept.runner.state()) != (await rebuild(store))[0]
        assert await store.checkpoint(NAME) == right
        await play(store, 20)
        await kept.runner.catch_up()
        assert await kept.runner.state() == (await rebuild(store))[0]


async def test_nodes_that_go_on_meanwhile_win(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with STORES["memory"](tmp_path) as store:
        kept = kept_by(store)
        await play(store, 1)
        await kept.runner.catch_up()
        move, moves = store.move_checkpoint, 0

        async def moved(*given: Any) -> bool:
            nonlocal moves
            moves += 1
            if moves == 1:
                await play(store, 2)
                await kept.runner.catch_up()
            return await move(*given)

        monkeypatch.setattr(store, "move_checkpoint", moved)
        assert (await rebuild(store))[1] == 2
        assert moves == 3
        assert (await kept.runner.state())["hex"] == (await rebuild(store))[0]["hex"]


async def test_a_game_at_a_table_counts_where_the_server_rates(harness: HostingHarness) -> None:
    harness.context.limits = harness.context.limits.model_copy(update={"rated": True})
    kept = harness.directory.ratings
    ada, ben, room = await seated(harness)
    for ply, move in enumerate(FIRST_WINS):
        (ada, ben)[ply % 2].say("play", room=room, version=4 + ply, move=move)
    await settle()
    await kept.runner.catch_up()
    (players,) = (await kept.runner.state()).values()
    best, last = sorted(players.values(), key=lambda one: -one.rating)
    assert (best.curve, last.curve) == ([1662], [1338])
    (number,) = best.numbers
    assert [one.name for one in (await kept.game(number)).summary.players] == ["Ada", "Ben"]


# ---------------------------------------------------------------- kill -9


async def run_until_killed(path: Path) -> None:
    """Play games, rate them and rate them anew, as fast as it goes."""
    store = await SqliteStore.open(path)
    kept = kept_by(store)
    number = len(await store.finished_games(0, 1_000_000))
    print("begun", flush=True)
    while True:
        await asyncio.gather(*[play(store, number + more) for more in range(5)], kept.runner.catch_up())
        await rebuild(store)
        number += 5


async def test_ratings_and_their_rebuild_survive_kill_9(tmp_path: Path) -> None:
    dice = random.Random(3)
    path = tmp_path / "rooms.db"
    for _ in range(3):
        command = (sys.executable, "-m", __name__, path)
        process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        assert process.stdout is not None
        await process.stdout.readline()
        await asyncio.sleep(0.2 + dice.random() / 2)
        process.kill()
        await process.wait()
        store = await SqliteStore.open(path)
        kept = kept_by(store)
        await kept.runner.catch_up()
        saved = await store.checkpoint(NAME)
        table, after = await rebuild(store)
        assert (await store.checkpoint(NAME), after) == (saved, len(await store.finished_games(0, 1_000_000)))
        assert await kept.runner.state() == table
        await store.close()


if __name__ == "__main__":
    asyncio.run(run_until_killed(Path(sys.argv[1])))
