"""The desk with its real executors: bounded, and every search can be stopped."""

import asyncio
import multiprocessing
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal

import pytest
from structlog.testing import capture_logs

from parlour_server.games import find_game
from parlour_server.games.game import Game
from parlour_server.live import searches, worker
from parlour_server.live.searches import DeskFull, SearchDesk
from parlour_server.live.worker import Job
from parlour_server.search.bots import parse_bot
from tests.live.desk import DEADLINE, DISTRIBUTION, ENDLESS, Waiting, deaf, endless, job, open_desk, until

Kind = Literal["process", "thread"]
WHOLE_TREE = 549_946


@pytest.fixture(params=["process", "thread"])
def kind(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kind:
    """Either executor, whose workers know the endless game."""
    for name, text in DISTRIBUTION.items():
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))

    def find(name: str) -> Game[Any]:
        return ENDLESS if name == "endless" else find_game(name)

    monkeypatch.setattr(worker, "find_game", find)
    chosen: Kind = request.param
    return chosen


async def test_a_search_shows_itself_and_ends_with_its_report(kind: Kind) -> None:
    async with open_desk(kind) as desk:
        asked = Waiting(desk, job("minimax:seed=3"))
        report = await asked.answer()
    assert report is not None
    assert (report.finished, report.nodes, len(report.candidates)) == (True, WHOLE_TREE, 9)
    assert report.best in {candidate.move for candidate in report.candidates}
    assert asked.shown
    assert all(not shown.finished and 0 < shown.nodes <= WHOLE_TREE for shown in asked.shown)
    assert [shown.nodes for shown in asked.shown] == sorted(shown.nodes for shown in asked.shown)


async def test_every_move_is_scored_where_that_is_asked_for(kind: Kind) -> None:
    async with open_desk(kind) as desk:
        report = await Waiting(desk, job("perfect", every_move=True)).answer()
    assert report is not None
    assert {(found.kind, found.result) for found in report.candidates} == {("exact", "draw")}


async def test_a_cancelled_search_frees_its_worker(kind: Kind) -> None:
    async with open_desk(kind) as desk:
        for _ in range(3):
            unwanted = Waiting(desk, endless())
            await unwanted.started()
            after = Waiting(desk, job())
            unwanted.search.cancel()
            report = await after.answer()
            assert report is not None
            assert report.finished
            assert (unwanted.answers, unwanted.shown) == ([], [])


async def test_a_waiting_search_is_withdrawn_and_leaves_its_place(kind: Kind) -> None:
    async with open_desk(kind, waiting=2) as desk:
        running = Waiting(desk, endless())
        await running.started()
        first, second = Waiting(desk, job()), Waiting(desk, job())
        with pytest.raises(DeskFull):
            Waiting(desk, job())
        first.search.cancel()
        third = Waiting(desk, job())
        with pytest.raises(DeskFull):
            Waiting(desk, job())
        running.search.cancel()
        assert await second.answer() is not None
        assert await third.answer() is not None
        assert first.answers == running.answers == []


async def test_a_search_that_takes_too_long_answers_with_what_it_has(kind: Kind) -> None:
    async with open_desk(kind, seconds=0.3) as desk:
        report = await Waiting(desk, endless()).answer()
        assert report is not None
        assert not report.finished
        assert report.nodes > 1000
        assert await Waiting(desk, job()).answer() is not None


async def test_as_many_run_at_once_as_there_are_workers_and_all_are_answered(kind: Kind) -> None:
    async with open_desk(kind, workers=2, waiting=30) as desk:
        blocking = Waiting(desk, endless())
        await blocking.started()
        asked = [Waiting(desk, job(f"random:seed={seed}")) for seed in range(30)]
        reports = [await one.answer() for one in asked]
        assert all(report is not None and report.finished for report in reports)
        assert blocking.answers == []
        blocking.search.cancel()


async def test_a_search_that_fails_says_so_and_the_next_one_works(kind: Kind) -> None:
    async with open_desk(kind) as desk:
        nowhere = Job("no-such-game", None, parse_bot("random"), 0)
        with capture_logs() as logs:
            assert await Waiting(desk, nowhere).answer() is None
        assert [entry["event"] for entry in logs] == ["a search failed"]
        assert await Waiting(desk, job()).answer() is not None


async def test_closing_ends_what_runs_and_what_waits(kind: Kind) -> None:
    async with open_desk(kind, workers=2) as desk:
        asked = [Waiting(desk, endless()) for _ in range(5)]
        await asked[1].started()
        workers = multiprocessing.active_children()
        assert len(workers) == (2 if kind == "process" else 0)
        async with asyncio.timeout(DEADLINE):
            await desk.close()
        assert all(one.answers == [] for one in asked)
        assert not any(process.is_alive() for process in workers)


async def test_a_desk_that_closes_while_its_workers_start_leaves_none() -> None:
    desk = SearchDesk(workers=2)
    desk.warm()
    await desk.close()
    await until(lambda: not multiprocessing.active_children())


# ---------------------------------------------------------------- killed workers


def kill_workers() -> None:
    for process in multiprocessing.active_children():
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)


async def test_a_killed_worker_costs_no_search() -> None:
    async with open_desk("process", workers=2) as desk:
        interrupted = Waiting(desk, job("minimax:seed=3"))
        beside = Waiting(desk, job("minimax:seed=4"))
        waiting = Waiting(desk, job())
        await beside.started()
        kill_workers()
        for asked in (interrupted, beside, waiting):
            report = await asked.answer()
            assert report is not None
            assert report.finished
        kill_workers()
        # Killed while nothing ran: found out by the next one, which hardly notices.
        assert await Waiting(desk, job()).answer() is not None


async def test_a_search_that_kills_its_workers_is_given_up() -> None:
    async with open_desk("process") as desk:
        deadly = Waiting(desk, job("minimax:seed=3"))
        await deadly.started()
        kill_workers()
        await until(lambda: deadly.search.retried and deadly.search.slot is not None)
        kill_workers()
        assert await deadly.answer() is None
        assert await Waiting(desk, job()).answer() is not None


async def test_an_unwanted_search_is_not_begun_again_after_a_kill() -> None:
    async with open_desk("process") as desk:
        unwanted = Waiting(desk, job("minimax:seed=3"))
        await unwanted.started()
        unwanted.search.cancel()
        kill_workers()
        assert await Waiting(desk, job()).answer() is not None
        assert unwanted.answers == []


@pytest.mark.parametrize("kind", ["process"], indirect=True)
async def test_a_search_that_does_not_listen_is_ended_with_its_worker(
    kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searches, "GRACE_SECONDS", 0.2)
    async with open_desk(kind, seconds=0.2) as desk:
        with capture_logs() as logs:
            assert await Waiting(desk, deaf()).answer() is None
        assert "a search does not stop" in [entry["event"] for entry in logs]
        report = await Waiting(desk, job()).answer()
        assert report is not None
        assert report.finished


@pytest.mark.parametrize("kind", ["process"], indirect=True)
async def test_closing_does_not_wait_for_a_search_that_does_not_listen(
    kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searches, "GRACE_SECONDS", 0.2)
    async with asyncio.timeout(20), open_desk(kind) as desk:
        await Waiting(desk, deaf()).started()


async def test_workers_that_cannot_be_started_are_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searches, "START_AGAIN_SECONDS", 0.01)
    works, failures = ThreadPoolExecutor, iter([True, True])

    def fails_twice(*given: Any, **named: Any) -> Any:
        if next(failures, False):
            raise OSError("no more threads")
        return works(*given, **named)

    monkeypatch.setattr(searches, "ThreadPoolExecutor", fails_twice)
    with capture_logs() as logs:
        async with open_desk("thread") as desk:
            assert await Waiting(desk, job()).answer() is not None
    assert len(logs) == 2
