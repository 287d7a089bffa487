"""Games that end: who is called, when, and what is made of them, whatever is killed."""

import asyncio
import random
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from time import time
from typing import Any, cast

import pytest
from pydantic import TypeAdapter
from structlog.testing import capture_logs

from parlour_server.analysis.scheduler import SearchScheduler
from parlour_server.hosting import projections
from parlour_server.hosting.cluster.node import ClusterNode
from parlour_server.hosting.context import Context
from parlour_server.hosting.projections import Projection, ProjectionRunner
from parlour_server.hosting.rooms.directory import Directory
from parlour_server.store.cluster import Cluster
from parlour_server.store.finished_games import FinishedGame
from parlour_server.store.memory import MemoryStore
from parlour_server.store.port import NotSaved, Store
from parlour_server.store.postgres.cluster import PostgresCluster
from parlour_server.store.postgres.store import PostgresStore
from parlour_server.store.sqlite import SqliteStore
from tests.hosting.harness import Clock, HostingHarness, seated, settle
from tests.store.test_contract import append, created, finished
from tests.support.nodes import Ground, MemoryCluster, NodeStore
from tests.support.postgres import database
from tests.support.rooms import FIRST_WINS

Wins = dict[str, int]


def count_wins(wins: Wins, game: FinishedGame) -> Wins:
    if game.winner is None:
        return wins
    winner = game.summary.players[game.winner].player
    return {**wins, winner: wins.get(winner, 0) + 1}


async def fold_wins(wins: Wins, number: int, game: FinishedGame) -> Wins:
    return count_wins(wins, game)


WINS = Projection("wins", dict, fold_wins, TypeAdapter(Wins))


def surroundings(store: Any, cluster: Cluster | None = None) -> Context:
    context = Context(cast(Store, store), cast(SearchScheduler, None))
    if cluster is not None:
        context.node = ClusterNode(cluster, context, Directory(context))
    return context


async def play(store: Any, number: int, prefix: str = "R") -> None:
    await append(store, f"{prefix}{number:05}", 0, created(), finished(1, 1 if number % 3 == 0 else 0))


def wins_of(games: int) -> Wins:
    second = len(range(0, games, 3))
    return {"p-ada": games - second, "p-ben": second}


# ---------------------------------------------------------------- a subscription


async def test_subscribers_receive_of_a_game_once_it_is_saved(harness: HostingHarness) -> None:
    received: list[FinishedGame] = []

    def fails(game: FinishedGame) -> None:
        raise ValueError("what one subscriber gets wrong")

    subscribe = harness.context.finished_games.subscribe
    subscribe(fails)
    unsubscribe = subscribe(received.append)
    ada, ben, room = await seated(harness)
    for ply, move in enumerate(FIRST_WINS):
        harness.store.holds = ply == len(FIRST_WINS) - 1
        (ada, ben)[ply % 2].say("play", room=room, version=4 + ply, move=move)
    await settle()
    assert received == []
    with capture_logs() as logs:
        harness.store.release()
    assert [log["event"] for log in logs] == ["a subscriber failed to take a finished game"]
    assert received == [game for _, game in await harness.store.finished_games(0, 9)]
    (game,) = received
    assert (game.room, game.version, game.winner, game.termination) == (room, 10, 0, "line")
    assert [one.name for one in game.summary.players] == ["Ada", "Ben"]
    unsubscribe()
    harness.store.holds = False
    for person in (ada, ben):
        person.ask("rematch", room=room)
    ada.ask("resign", room=room)
    assert len(await harness.store.finished_games(0, 9)) == 2
    assert len(received) == 1


# ---------------------------------------------------------------- projections


async def test_a_projection_counts_each_game_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projections, "GAMES_AT_ONCE", 7)
    store = MemoryStore()
    runner = ProjectionRunner(WINS, surroundings(store))
    assert await runner.state() == {}
    for number in range(30):
        await play(store, number)
        if number in (0, 9):
            await runner.catch_up()
    await runner.catch_up()
    await ProjectionRunner(WINS, surroundings(store)).catch_up()
    assert await runner.state() == wins_of(30)


async def test_a_game_that_can_not_be_folded_is_reported_once_and_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(projections, "BEAT_SECONDS", 0.001)
    folds = 0

    async def fold(wins: Wins, number: int, game: FinishedGame) -> Wins:
        nonlocal folds
        folds += 1
        if folds < 4:
            raise KeyError("a game of another version")
        return count_wins(wins, game)

    context = surroundings(store := MemoryStore())
    await play(store, 0)
    runner = ProjectionRunner(Projection("wins", dict, fold, TypeAdapter(Wins)), context)
    with capture_logs() as logs:
        task = asyncio.create_task(runner.run())
        async with asyncio.timeout(10.0):
            while not await runner.state():  # noqa: ASYNC110
                await asyncio.sleep(0.001)
    task.cancel()
    await asyncio.wait([task])
    assert await runner.state() == {"p-ben": 1}
    assert [one["event"] for one in logs] == ["a projection failed"]


async def test_a_game_that_ends_wakes_the_projection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projections, "BEAT_SECONDS", 1_000.0)
    context = surroundings(store := MemoryStore())
    task = asyncio.create_task(ProjectionRunner(WINS, context).run())
    await settle()
    await play(store, 0)
    ((_, game),) = await store.finished_games(0, 9)
    context.finished_games.publish(game)
    await settle()
    assert await ProjectionRunner(WINS, context).state() == {"p-ben": 1}
    task.cancel()
    await asyncio.wait([task])
    context.finished_games.publish(game)


class LostAnswers(MemoryStore):
    """Moves checkpoints, and says at times that it could not."""

    def __init__(self) -> None:
        super().__init__()
        self.dice = random.Random(5)

    async def move_checkpoint(self, *given: Any) -> bool:
        moved = self.dice.random() < 0.7 and await super().move_checkpoint(*given)
        if self.dice.random() < 0.4:
            raise NotSaved("The answer was lost.")
        return moved


async def test_an_answer_that_is_lost_makes_no_game_count_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projections, "GAMES_AT_ONCE", 2)
    store = LostAnswers()
    for number in range(40):
        await play(store, number)
    runner = ProjectionRunner(WINS, surroundings(store))
    failures = 0
    while (await store.checkpoint("wins")).after < 40:
        try:
            await runner.catch_up()
        except NotSaved:
            failures += 1
    assert failures > 5
    assert await runner.state() == wins_of(40)


@pytest.fixture(params=["memory", "postgres"])
async def nodes(request: pytest.FixtureRequest) -> Any:
    """Two nodes' surroundings over one log."""
    async with AsyncExitStack() as stack:
        if request.param == "memory":
            ground = Ground(lambda: int(1000 * time()))
            clusters = [MemoryCluster(ground, name) for name in ("n1", "n2")]
            yield [surroundings(NodeStore(one), one) for one in clusters]
            return
        url = await stack.enter_async_context(database())
        found = []
        for name in ("n1", "n2"):
            store = await PostgresStore.open(url, node=name)
            stack.push_async_callback(store.close)
            found.append(surroundings(store, PostgresCluster(store)))
        yield found


async def test_one_node_works_at_a_time_and_another_takes_over(
    nodes: list[Context], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projections, "LEASE_SECONDS", 0.5)
    one, other = (ProjectionRunner(WINS, context) for context in nodes)
    await play(nodes[0].store, 0)
    await one.catch_up()
    await play(nodes[1].store, 1)
    await one.catch_up()
    await play(nodes[1].store, 2)
    await other.catch_up()
    assert await other.state() == wins_of(2)
    # The first one is gone.
    await asyncio.sleep(0.6)
    await other.catch_up()
    assert await one.state() == await other.state() == wins_of(3)


async def test_games_that_take_long_are_saved_and_kept_from_others_one_by_one() -> None:
    clock = Clock()
    ground = Ground(lambda: int(1000 * clock.seconds))
    contexts = []
    for name in ("n1", "n2"):
        cluster = MemoryCluster(ground, name)
        context = Context(
            cast(Store, NodeStore(cluster)), cast(SearchScheduler, None), monotonic=lambda: clock.seconds
        )
        context.node = ClusterNode(cluster, context, Directory(context))
        contexts.append(context)
    folded: list[str] = []

    async def fold(wins: Wins, number: int, game: FinishedGame) -> Wins:
        folded.append(game.room)
        # Of what came before a restart would lose nothing, and others leave this one alone.
        assert (await contexts[0].store.checkpoint("wins")).after == len(folded) - 1
        clock.advance(projections.LEASE_SECONDS / 2)
        await other.catch_up()
        return count_wins(wins, game)

    one, other = (
        ProjectionRunner(Projection("wins", dict, fold, TypeAdapter(Wins)), context) for context in contexts
    )
    for number in range(5):
        await play(contexts[0].store, number)
    await one.catch_up()
    assert folded == [f"R{number:05}" for number in range(5)]
    assert await one.state() == wins_of(5)


async def test_two_nodes_that_work_by_mistake_do_no_harm(
    nodes: list[Context], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projections, "GAMES_AT_ONCE", 3)

    async def ours(self: Any) -> bool:
        return True

    monkeypatch.setattr(ProjectionRunner, "_is_ours", ours)

    async def work(context: Context, prefix: str) -> None:
        runner = ProjectionRunner(WINS, context)
        for number in range(30):
            await play(context.store, number, prefix)
            await runner.catch_up()

    await asyncio.gather(work(nodes[0], "R"), work(nodes[1], "S"))
    await ProjectionRunner(WINS, nodes[0]).catch_up()
    assert await ProjectionRunner(WINS, nodes[1]).state() == {
        player: 2 * wins for player, wins in wins_of(30).items()
    }


# ---------------------------------------------------------------- kill -9


async def run_until_killed(path: Path) -> None:
    """Play games and count them, as fast as it goes."""
    projections.GAMES_AT_ONCE = 3
    store = await SqliteStore.open(path)
    runner = ProjectionRunner(WINS, surroundings(store))
    number = len(await store.finished_games(0, 1_000_000))
    print("begun", flush=True)
    while True:
        await asyncio.gather(*[play(store, number + more) for more in range(5)], runner.catch_up())
        number += 5


async def test_each_game_counts_once_whatever_is_killed(tmp_path: Path) -> None:
    dice = random.Random(11)
    path = tmp_path / "rooms.db"
    before = 0
    for _ in range(2):
        command = (sys.executable, "-m", __name__, path)
        process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        assert process.stdout is not None
        await process.stdout.readline()
        await asyncio.sleep(0.2 + dice.random() / 2)
        process.kill()
        await process.wait()
        store = await SqliteStore.open(path)
        games = await store.finished_games(0, 1_000_000)
        checkpoint = await store.checkpoint("wins")
        runner = ProjectionRunner(WINS, surroundings(store))
        expected: Wins = {}
        for _, game in games[: checkpoint.after]:
            expected = count_wins(expected, game)
        assert await runner.state() == expected
        await runner.catch_up()
        assert await runner.state() == wins_of(len(games))
        assert len(games) > before
        before = len(games)
        await store.close()


if __name__ == "__main__":
    asyncio.run(run_until_killed(Path(sys.argv[1])))
