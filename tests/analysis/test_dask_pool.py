"""Searches on a real Dask cluster: what all pools promise, and what happens when a part of it dies."""

import asyncio
import signal
from collections.abc import Callable, Coroutine, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from parlour_server.analysis import dask_pool, pools
from parlour_server.analysis.dask_pool import DaskPool, misfit
from parlour_server.analysis.pools import ProcessPool
from parlour_server.analysis.scheduler import Search, SearchScheduler
from tests.analysis import test_scheduler as shared
from tests.analysis.dask_cluster import Cluster
from tests.analysis.searches import DEADLINE, QUESTION, Waiting, endless, job, open_scheduler, until
from tests.analysis.test_scheduler import SEAT, known_games

__all__ = ["known_games"]

Promise = Callable[[str], Coroutine[Any, Any, None]]

PROMISES: list[Promise] = [
    shared.test_a_search_shows_itself_and_ends_with_its_report,
    shared.test_every_move_is_scored_where_that_is_asked_for,
    shared.test_a_cancelled_search_frees_its_worker,
    shared.test_a_tree_that_is_no_longer_wanted_frees_its_worker,
    shared.test_a_waiting_search_is_withdrawn_and_leaves_its_place,
    shared.test_as_many_run_at_once_as_there_are_workers_and_all_are_answered,
    shared.test_a_search_that_fails_says_so_and_the_next_one_works,
    shared.test_bots_among_themselves_make_way_too_but_no_bot_that_a_person_waits_for,
    shared.test_an_interrupted_tree_is_grown_after_all,
    shared.test_no_search_has_more_time_than_the_scheduler_allows,
    shared.test_a_lasting_search_goes_on_until_another_one_waits,
    shared.test_those_who_wait_are_shown_how_many_are_before_them,
]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Two workers; a test that kills one starts another."""
    cluster = Cluster(tmp_path_factory.mktemp("dask"))
    try:
        cluster.start_scheduler()
        cluster.start_worker()
        cluster.start_worker()
        cluster.wait()
        yield cluster
    finally:
        cluster.close()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """What changes is seen soon; and however slow the machine is, nothing counts as stuck."""
    monkeypatch.setattr(dask_pool, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(dask_pool, "BACKOFF", 0.1)
    monkeypatch.setattr(dask_pool, "LONGEST_BACKOFF", 0.1)
    monkeypatch.setattr(pools, "GRACE_SECONDS", DEADLINE)


def pool_of(scheduler: SearchScheduler) -> DaskPool:
    pool = scheduler._for_plain
    assert isinstance(pool, DaskPool)
    return pool


def begun(search: Search) -> bool:
    """Does a worker have it?"""
    return search.slot is not None and search.waits_since is None


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.__name__)
async def test_what_all_pools_promise(promise: Promise, cluster: Cluster) -> None:
    await promise(cluster.address)


async def test_light_searches_stay_here(cluster: Cluster) -> None:
    async with open_scheduler(cluster.address) as scheduler:
        easy = Waiting(scheduler, job("easy"))
        assert await easy.pool() is ProcessPool
        assert await easy.answer() is not None


async def test_a_search_waits_until_it_has_a_worker_there(cluster: Cluster) -> None:
    async with (
        open_scheduler(cluster.address, workers=2) as one,
        open_scheduler(cluster.address, workers=2, longest=0.1) as other,
    ):
        busy = [Waiting(one, endless()) for _ in range(2)]
        await until(lambda: all(begun(each.search) for each in busy))
        question, bot = Waiting(other, endless()), Waiting(other, endless(), SEAT)
        await until(lambda: [report.queued for report in bot.shown] == [0])
        assert bot.search.slot is not None
        assert question.search.slot is not None
        # Its time has not begun: by now it would be over.
        await asyncio.sleep(0.2)
        assert (bot.answers, question.answers) == ([], [])
        waited = bot.search.waited
        await until(lambda: bot.search.waited > waited)
        # That it has begun is said before its first thoughts.
        busy[0].search.cancel()
        report = await bot.answer()
        assert report is not None
        assert report.cut_after == 0.1
        assert [shown.queued for shown in bot.shown][:2] == [0, None]
        assert bot.search.waited == bot.search.waited_before > waited
        busy[1].search.cancel()
        assert await question.answer() is not None


async def test_of_what_waits_there_a_bot_that_a_person_waits_for_comes_first(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_pool, "LOOK_SECONDS", 3600.0)
    async with (
        open_scheduler(cluster.address, workers=1) as one,
        open_scheduler(cluster.address, workers=2) as other,
    ):
        # All of them to one worker, to which they queue.
        worker = min(pool_of(one)._fitting)
        pool_of(one)._fitting = pool_of(other)._fitting = frozenset({worker})
        busy = Waiting(one, endless())
        await until(lambda: begun(busy.search))
        question, bot = Waiting(other, endless()), Waiting(other, endless(), SEAT)
        await until(lambda: bool(bot.shown and question.shown))
        busy.search.cancel()
        await until(lambda: begun(bot.search))
        assert not begun(question.search)


async def test_a_waiting_search_that_is_cancelled_never_begins(cluster: Cluster) -> None:
    async with (
        open_scheduler(cluster.address, workers=2) as one,
        open_scheduler(cluster.address, workers=1) as other,
    ):
        busy = [Waiting(one, endless()) for _ in range(2)]
        await until(lambda: all(begun(each.search) for each in busy))
        unwanted = Waiting(other, endless())
        assert unwanted.search.slot is not None
        unwanted.search.cancel()
        await until(lambda: not other.running)
        busy[0].search.cancel()
        assert await Waiting(other, job()).answer() is not None
        assert (unwanted.answers, unwanted.shown) == ([], [])


async def test_the_searches_of_a_server_that_is_gone_are_stopped(cluster: Cluster) -> None:
    async with open_scheduler(cluster.address, workers=2) as gone:
        busy = [Waiting(gone, endless()) for _ in range(2)]
        await until(lambda: all(begun(each.search) for each in busy))
        # As if its machine were gone: nobody there says anything.
        pool_of(gone)._tasks.clear()
    async with open_scheduler(cluster.address) as scheduler:
        assert await Waiting(scheduler, job()).answer() is not None


async def test_a_killed_worker_costs_no_search(cluster: Cluster) -> None:
    async with open_scheduler(cluster.address, workers=2) as scheduler:
        lost, beside = Waiting(scheduler, endless("engine:time=3600")), Waiting(scheduler, endless())
        await until(lambda: begun(beside.search) and begun(lost.search))
        (task,) = (one for one in pool_of(scheduler)._tasks.values() if one.ticket == lost.search.ticket)
        facts = await pool_of(scheduler)._client.run(_pid, workers=[task.worker])
        victim = next(one for one in cluster.workers if one.pid == facts[task.worker])
        first = task.worker
        victim.send_signal(signal.SIGKILL)
        victim.wait()
        cluster.workers.remove(victim)
        beside.search.cancel()
        await until(lambda: task.worker != first)
        shown = len(lost.shown)
        await until(lambda: len(lost.shown) > shown)
        assert (lost.answers, lost.search.retried) == ([], False)
        # The time with the worker that died is but waiting.
        assert lost.search.waited_before > 0
        lost.search.cancel()
        cluster.start_worker()
        await asyncio.to_thread(cluster.wait)
        await until(lambda: len(pool_of(scheduler)._fitting) == 2)


def _pid() -> int:
    import os

    return os.getpid()


async def test_a_worker_that_does_not_fit_is_not_used(cluster: Cluster, tmp_path: Path) -> None:
    packages = tmp_path / "packages"
    older = packages / "parlour_server-0.0.9.dist-info"
    older.mkdir(parents=True)
    (older / "METADATA").write_text("Metadata-Version: 2.1\nName: parlour-server\nVersion: 0.0.9\n")
    with capture_logs() as logs:
        strangers = [cluster.start_worker("--name", "stranger"), cluster.start_worker(packages=packages)]
        try:
            await asyncio.to_thread(cluster.wait)
            async with open_scheduler(cluster.address, workers=2) as scheduler:
                pool = pool_of(scheduler)
                await until(lambda: len(pool._refused) == 2)
                assert len(pool._fitting) == 2
                assert await Waiting(scheduler, job()).answer() is not None
        finally:
            for stranger in strangers:
                cluster.workers.remove(stranger)
                stranger.kill()
                stranger.wait()
    reasons = {line["reason"] for line in logs if line["event"] == "a Dask worker is not used"}
    assert reasons == {
        "it was not started with --preload parlour_server.analysis.dask_worker",
        f"it has parlour-server 0.0.9, and this server {version('parlour-server')}",
    }


@pytest.mark.parametrize(
    ("differs", "why"),
    [
        ({"python": "3.1"}, "it has Python 3.1, and this server 3."),
        ({"parlour": "9.9"}, "it has parlour-server 9.9, and this server 0."),
        ({"games": ["tictactoe"]}, "it does not know these games of the server's: connect4, "),
    ],
)
def test_what_is_wrong_with_a_worker(differs: dict[str, Any], why: str) -> None:
    from parlour_server.analysis.dask_worker import python
    from parlour_server.games import all_games

    fits = {
        "python": python(),
        "parlour": version("parlour-server"),
        "games": [game.name for game in all_games()],
    }
    assert misfit(fits) is None
    said = misfit({**fits, **differs})
    assert said is not None
    assert said.startswith(why)


async def test_without_certificates_it_is_said_which_are_wanted() -> None:
    with capture_logs() as logs:
        scheduler = SearchScheduler(cluster="tls://127.0.0.1:1", workers=1)
        Waiting(scheduler, job(), SEAT)
        await until(lambda: scheduler.workers_failing)
        await scheduler.close()
    assert "DASK_DISTRIBUTED__COMM__TLS__CA_FILE" in logs[0]["reason"]


async def test_without_a_scheduler_searches_wait_and_light_ones_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_pool, "CONNECT_SECONDS", 1.0)
    cluster = Cluster(tmp_path)
    with capture_logs() as logs:
        scheduler = SearchScheduler(cluster=cluster.address, workers=1)
        try:
            waits = Waiting(scheduler, job(), SEAT)
            await until(lambda: scheduler.workers_failing)
            assert await Waiting(scheduler, job("easy"), SEAT).answer() is not None
            assert (waits.answers, waits.search.slot) == ([], None)
            # It comes, and goes, and comes back.
            cluster.start_scheduler()
            cluster.start_worker()
            await asyncio.to_thread(cluster.wait)
            assert await waits.answer() is not None
            assert not scheduler.workers_failing
            running = Waiting(scheduler, endless(), QUESTION)
            await until(lambda: begun(running.search))
            cluster.kill_scheduler()
            await until(lambda: scheduler.workers_failing and running.search.slot is None)
            assert running.search.waits_since is not None
            cluster.start_scheduler()
            cluster.start_worker()
            await asyncio.to_thread(cluster.wait)
            await until(lambda: begun(running.search))
            assert (running.answers, running.search.retried) == ([], False)
        finally:
            await scheduler.close()
            cluster.close()
    assert [line["event"] for line in logs if "wait" in line["event"]] == [
        "the Dask scheduler can't be reached: searches wait",
        "the Dask scheduler can't be reached: searches wait",
    ]
