"""The scheduler with its real executors: bounded, and every search can be stopped."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from parlour_protocol.views.reports import Compiling
from parlour_server.analysis import plan, pools, scheduler, worker, worker_process
from parlour_server.analysis.fair_queue import Requester
from parlour_server.analysis.kernel_compiler import KernelCompiler
from parlour_server.analysis.plan import USUAL_SECONDS
from parlour_server.analysis.pools import ThreadPool, WorkerPool
from parlour_server.analysis.scheduler import QueueFull, SearchScheduler, State, Where
from parlour_server.analysis.worker import Job
from parlour_server.analysis.worker_process import WorkerProcess
from parlour_server.games import find_game
from parlour_server.games.game import Game
from parlour_server.search.connect4 import book
from parlour_server.search.control import Control
from parlour_server.search.kernels import compiled
from parlour_server.search.levels import parse_bot
from parlour_server.search.reports.tree import grow
from tests.analysis.searches import (
    BUSY,
    DEADLINE,
    DEAF,
    DISTRIBUTION,
    ENDLESS,
    LET_GO,
    QUESTION,
    HandCompiler,
    HandKernels,
    Waiting,
    deaf,
    endless,
    job,
    open_scheduler,
    until,
)

WHOLE_TREE = 549_946


def look(game: Game[Any], position: Any, *, control: Control) -> int:
    """Some other work than choosing a move."""
    return len(game.legal_moves(position))


def worker_processes() -> list[int]:
    """The processes that this one has started for searches."""
    found = subprocess.run(
        ["ps", "ww", "-o", "pid,args", "--ppid", str(os.getpid())], capture_output=True, text=True
    )
    return [int(line.split()[0]) for line in found.stdout.splitlines() if "analysis.worker_process" in line]


@pytest.fixture(autouse=True)
def known_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All workers know the endless game and the deaf one."""
    for name, text in DISTRIBUTION.items():
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))

    def find(name: str) -> Game[Any]:
        return {"endless": ENDLESS, "deaf": DEAF}.get(name) or find_game(name)

    for module in (worker, plan, scheduler):
        monkeypatch.setattr(module, "find_game", find)


@pytest.fixture(params=["process", "thread"])
def kind(request: pytest.FixtureRequest) -> Where:
    chosen: Where = request.param
    return chosen


@pytest.fixture(scope="module")
def made() -> None:
    """A game's machine code is in the cache."""
    assert asyncio.run(KernelCompiler().compile("ultimate", lambda compiling: None)) is None


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is, no search counts as stuck."""
    monkeypatch.setattr(pools, "GRACE_SECONDS", DEADLINE)


async def test_a_search_shows_itself_and_ends_with_its_report(kind: Where) -> None:
    async with open_scheduler(kind) as scheduler:
        asked = Waiting(scheduler, job("minimax:seed=3"))
        report = await asked.report()
    assert (report.finished, report.nodes, len(report.candidates)) == (True, WHOLE_TREE, 9)
    assert report.best in {candidate.move for candidate in report.candidates}
    # Before it has any there is only its place, where it had to wait.
    thoughts = [shown for shown in asked.shown if shown.nodes]
    assert thoughts
    assert all(not shown.finished and shown.nodes <= WHOLE_TREE for shown in thoughts)
    assert [shown.nodes for shown in thoughts] == sorted(shown.nodes for shown in thoughts)


async def test_a_cancelled_search_frees_its_worker() -> None:
    async with open_scheduler("process") as scheduler:
        for _ in range(3):
            unwanted = Waiting(scheduler, endless())
            await unwanted.started()
            after = Waiting(scheduler, job())
            unwanted.search.cancel()
            report = await after.report()
            assert report.finished
            assert (unwanted.answers, unwanted.shown) == ([], [])


async def test_a_waiting_search_is_withdrawn_and_leaves_its_place() -> None:
    async with open_scheduler("thread", waiting_of_player=2) as scheduler:
        running = Waiting(scheduler, endless())
        await running.started()
        first, second = Waiting(scheduler, job()), Waiting(scheduler, job())
        with pytest.raises(QueueFull):
            Waiting(scheduler, job())
        first.search.cancel()
        third = Waiting(scheduler, job())
        with pytest.raises(QueueFull):
            Waiting(scheduler, job())
        running.search.cancel()
        assert await second.answer() is not None
        assert await third.answer() is not None
        assert first.answers == running.answers == []


async def test_a_search_that_takes_too_long_answers_with_what_it_has() -> None:
    async with open_scheduler("process", longest=0.3) as scheduler:
        report = await Waiting(scheduler, endless()).report()
        assert not report.finished
        assert report.nodes > 1000
        assert await Waiting(scheduler, job()).answer() is not None


async def test_as_many_run_at_once_as_there_are_workers_and_all_are_answered() -> None:
    async with open_scheduler("process", workers=2, waiting=30, waiting_of_player=30) as scheduler:
        blocking = Waiting(scheduler, endless())
        await blocking.started()
        asked = [Waiting(scheduler, job(f"minimax:depth=1,seed={seed}")) for seed in range(30)]
        reports = [await one.answer() for one in asked]
        assert all(report is not None and report.finished for report in reports)
        assert blocking.answers == []
        blocking.search.cancel()


async def test_a_search_that_fails_says_so_and_the_next_one_works() -> None:
    async with open_scheduler("process") as scheduler:
        nowhere = Job("no-such-game", None, parse_bot("random"), 0)
        with capture_logs() as logs:
            assert await Waiting(scheduler, nowhere).answer() is None
        assert [entry["event"] for entry in logs] == ["a search failed"]
        assert await Waiting(scheduler, job()).answer() is not None


async def test_closing_ends_what_runs_and_what_waits(kind: Where) -> None:
    async with open_scheduler(kind, workers=2) as scheduler:
        asked = [Waiting(scheduler, endless()) for _ in range(5)]
        await asked[1].started()
        workers = worker_processes()
        assert len(workers) == (2 if kind == "process" else 0)
        async with asyncio.timeout(DEADLINE):
            await scheduler.close()
        assert all(one.answers == [] for one in asked)
        assert not worker_processes()


async def test_a_scheduler_that_closes_while_its_workers_start_leaves_none() -> None:
    scheduler = SearchScheduler(workers=2)
    scheduler.expect(ENDLESS, parse_bot("easy"))
    await scheduler.close()
    await until(lambda: not worker_processes())


def test_a_loop_that_has_closed_is_reported_nothing() -> None:
    loop, reported = asyncio.new_event_loop(), list[str]()
    worker.call_on_loop(loop, reported.append, "before")
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()
    worker.call_on_loop(loop, reported.append, "after")
    assert reported == ["before"]


# ---------------------------------------------------------------- killed workers


def kill_workers() -> None:
    for process in worker_processes():
        os.kill(process, signal.SIGKILL)


async def test_a_killed_worker_costs_no_search() -> None:
    async with open_scheduler("process", workers=2) as scheduler:
        interrupted = Waiting(scheduler, job("minimax:seed=3"))
        beside = Waiting(scheduler, job("minimax:seed=4"))
        waiting = Waiting(scheduler, job())
        await beside.started()
        kill_workers()
        for asked in (interrupted, beside, waiting):
            report = await asked.report()
            assert report.finished
        kill_workers()
        # Killed while nothing ran: found out by the next one, which hardly notices.
        assert await Waiting(scheduler, job()).answer() is not None


async def test_a_search_that_kills_its_workers_is_given_up() -> None:
    async with open_scheduler("process") as scheduler:
        deadly = Waiting(scheduler, job("minimax:seed=3"))
        await deadly.started()
        kill_workers()
        await until(lambda: deadly.search.retried and deadly.search.slot is not None)
        kill_workers()
        assert await deadly.answer() is None
        assert await Waiting(scheduler, job()).answer() is not None


async def test_an_unwanted_search_is_not_begun_again_after_a_kill() -> None:
    async with open_scheduler("process") as scheduler:
        unwanted = Waiting(scheduler, job("minimax:seed=3"))
        await unwanted.started()
        unwanted.search.cancel()
        kill_workers()
        assert await Waiting(scheduler, job()).answer() is not None
        assert unwanted.answers == []


async def test_a_search_that_does_not_listen_is_ended_with_its_worker(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # On a busy machine the first search of a process takes a while.
    monkeypatch.setattr(pools, "GRACE_SECONDS", 1.0)
    async with open_scheduler("process", longest=1.0) as scheduler:
        with capture_logs() as logs:
            assert await Waiting(scheduler, deaf()).answer() is None
        assert "a search does not stop" in [entry["event"] for entry in logs]
        report = await Waiting(scheduler, job()).report()
        assert report.finished


async def test_a_search_that_waits_for_a_core_has_more_time_to_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "GRACE_SECONDS", 0.2)
    async with open_scheduler("process") as scheduler:
        first = Waiting(scheduler, job())
        assert await first.answer() is not None
        pool = first.search.pool
        assert isinstance(pool, WorkerProcess)
        assert pool.waited_for_core() > 0 or sys.platform != "linux"
        monkeypatch.setattr(WorkerProcess, "waited_for_core", lambda pool: time.monotonic())
        starved = Waiting(scheduler, endless(seconds=0.5))
        await starved.started()
        assert starved.search.pool is pool
        assert pool._process is not None
        pool._process.send_signal(signal.SIGSTOP)
        await asyncio.sleep(1.0)
        pool._process.send_signal(signal.SIGCONT)
        report = await starved.report()
        assert not report.finished


async def test_closing_does_not_wait_for_a_search_that_does_not_listen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pools, "GRACE_SECONDS", 0.2)
    async with asyncio.timeout(20), open_scheduler("process") as scheduler:
        await Waiting(scheduler, deaf()).started()


async def test_workers_that_cannot_be_started_are_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_process, "START_AGAIN_SECONDS", 0.01)
    works, failures = subprocess.Popen, iter([True, True])

    def fails_twice(*given: Any, **named: Any) -> Any:
        if next(failures, False):
            raise OSError("no more processes")
        return works(*given, **named)

    monkeypatch.setattr("subprocess.Popen", fails_twice)
    with capture_logs() as logs:
        async with open_scheduler("process") as scheduler:
            assert await Waiting(scheduler, job()).answer() is not None
    assert len(logs) == 2


# ---------------------------------------------------------------- fairness


SEAT, BOTS = Requester("seat", "ben", "b"), Requester("bots", "eve", "c")


@pytest.mark.parametrize("workers", [1, 2])
async def test_a_bot_that_a_person_waits_for_waits_for_no_question(workers: int) -> None:
    async with open_scheduler("thread", workers=workers) as scheduler:
        questions = [Waiting(scheduler, endless(), Requester("question", f"p{n}", f"{n}")) for n in range(6)]
        for question in questions[:workers]:
            await question.started()
        report = await Waiting(scheduler, job(), SEAT).report()
        assert report.finished
        # What was interrupted for it begins again, and is not interrupted a second time.
        (interrupted,) = [one for one in questions if one.search.was_interrupted]
        assert interrupted.answers == []
        others = [one for one in questions if one is not interrupted]
        for one in others:
            one.search.cancel()
        await until(lambda: interrupted.search.slot is not None)
        await interrupted.started()
        assert interrupted.search.state is State.RUNNING
        Waiting(scheduler, endless(), SEAT)
        Waiting(scheduler, endless(), SEAT)
        assert interrupted.search.state is State.RUNNING
        interrupted.search.cancel()


async def test_bots_among_themselves_make_way_too_but_no_bot_that_a_person_waits_for() -> None:
    async with open_scheduler("thread") as scheduler:
        bots = Waiting(scheduler, endless(), BOTS)
        await bots.started()
        first, second = Waiting(scheduler, endless(), SEAT), Waiting(scheduler, job(), SEAT)
        await first.started()
        assert (bots.search.was_interrupted, first.search.state) == (True, State.RUNNING)
        assert second.search.slot is None
        first.search.cancel()
        assert await second.answer() is not None
        assert bots.answers == []


async def test_an_interrupted_tree_is_grown_after_all() -> None:
    asked = replace(job(), task=partial(grow, depth=4, prune=False, limit=10**6))
    async with open_scheduler("thread") as scheduler:
        tree = Waiting(scheduler, asked)
        await until(lambda: tree.search.slot is not None)
        bot = Waiting(scheduler, job(), SEAT)
        assert await bot.answer() is not None
        assert (await tree.answer()).nodes  # type: ignore[union-attr]


@pytest.mark.parametrize("bot", ["medium", "random"])
async def test_bots_that_hardly_think_wait_for_nobody_who_does(bot: str) -> None:
    async with open_scheduler("thread", workers=2) as scheduler:
        busy = [Waiting(scheduler, endless(), SEAT) for _ in range(4)]
        await busy[1].started()
        for requester in (SEAT, BOTS, QUESTION):
            assert await Waiting(scheduler, endless(bot), requester).answer() is not None
        assert all(one.answers == [] for one in busy)


async def test_a_crowd_at_another_address_does_not_fill_the_place_of_a_person() -> None:
    async with open_scheduler("thread", waiting=3, waiting_of_player=2) as scheduler:
        await (running := Waiting(scheduler, endless(), SEAT)).started()
        crowd = [Requester("question", player, "x") for player in ("a", "a", "b")]
        waiting = [Waiting(scheduler, endless(), requester) for requester in crowd]
        with pytest.raises(QueueFull) as full:
            Waiting(scheduler, job(), crowd[0])
        assert full.value.whose == "player"
        with pytest.raises(QueueFull) as full:
            Waiting(scheduler, job(), Requester("question", "c", "x"))
        assert full.value.whose == "address"
        # Another address has its own places, and a bot always has one.
        ada = Waiting(scheduler, job(), Requester("question", "a", "y"))
        bots = [Waiting(scheduler, job(), requester) for requester in (SEAT, BOTS) for _ in range(9)]
        running.search.cancel()
        for one in bots:
            assert await one.answer() is not None
        await waiting[0].started()
        waiting[0].search.cancel()
        assert await ada.answer() is not None
        assert [one.answers for one in waiting] == [[], [], []]


async def test_those_who_wait_are_shown_how_many_are_before_them() -> None:
    async with open_scheduler("thread") as scheduler:
        await (running := Waiting(scheduler, endless(), SEAT)).started()
        before = [Waiting(scheduler, endless(), Requester("question", f"p{n}", f"{n}")) for n in range(2)]
        last = Waiting(scheduler, endless(seconds=0.2))
        await until(lambda: [report.queued for report in last.shown] == [2])
        before[0].search.cancel()
        await until(lambda: [report.queued for report in last.shown] == [2, 1])
        assert last.search.waited > 0
        before[1].search.cancel()
        running.search.cancel()
        assert await last.answer() is not None
        # Once it has begun it says so, before it has any thoughts.
        queued = [report.queued for report in last.shown]
        begun = last.shown[queued.index(None)]
        assert (begun.nodes, begun.candidates) == (0, [])
        assert all(place is None for place in queued[queued.index(None) :])


async def test_the_wait_for_machine_code_is_a_wait_for_a_worker() -> None:
    kernels = HandKernels("endless")
    async with open_scheduler("thread", kernels=kernels) as scheduler:
        for_kernel = Waiting(scheduler, brief())
        await until(lambda: for_kernel.search.waited > 0.01)
        assert for_kernel.search.state is State.QUEUED
        kernels.let()
        assert await for_kernel.answer() is not None
        assert for_kernel.search.waits_since is None
        assert for_kernel.search.waited == for_kernel.search.waited_before > 0


# ---------------------------------------------------------------- stuck threads


async def test_a_thread_that_does_not_listen_keeps_its_place_until_it_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pools, "GRACE_SECONDS", 0.1)
    LET_GO.clear()
    async with open_scheduler("thread", workers=2, longest=0.1) as scheduler:
        with capture_logs() as logs:
            stuck = Waiting(scheduler, deaf())
            # Who asked is answered, though the thread goes on.
            assert await stuck.answer() is None
        assert "a search does not stop" in [entry["event"] for entry in logs]
        beside, behind = Waiting(scheduler, endless(seconds=60.0)), Waiting(scheduler, job())
        await beside.started()
        assert (stuck.search.slot is None, behind.search.slot is None) == (False, True)
        LET_GO.set()
        assert await behind.answer() is not None
        assert stuck.answers == [None]


async def test_closing_leaves_behind_a_thread_that_does_not_listen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "GRACE_SECONDS", 0.1)
    BUSY.clear()
    LET_GO.clear()
    try:
        with capture_logs() as logs:
            async with open_scheduler("thread") as scheduler:
                Waiting(scheduler, deaf())
                await until(BUSY.is_set)
        assert scheduler.lingers
        assert [entry["event"] for entry in logs] == ["a search does not stop, and is left behind"]
    finally:
        LET_GO.set()


# ---------------------------------------------------------------- time


@pytest.mark.parametrize(
    ("bot", "cut_after"),
    [
        # They were to do more.
        ("minimax:depth=16", 0.1),
        ("engine:nodes=1000000000000", 0.1),
        ("engine:time=3600", 0.1),
        # They take what they are given.
        ("engine", None),
        ("engine:time=0.05", None),
    ],
)
async def test_a_search_that_was_to_do_more_says_that_it_was_cut(bot: str, cut_after: float | None) -> None:
    async with open_scheduler("thread", longest=0.1) as scheduler:
        report = await Waiting(scheduler, endless(bot)).report()
    assert (report.finished, report.cut_after) == (False, cut_after)


@pytest.mark.parametrize(
    ("bot", "seconds"),
    [("engine", USUAL_SECONDS), ("hard", 0.5), ("engine:time=600", 600), ("engine:nodes=7", inf)],
)
async def test_without_a_limit_a_search_takes_as_long_as_it_was_asked_to(bot: str, seconds: float) -> None:
    async with open_scheduler("thread", longest=0) as scheduler:
        asked = Waiting(scheduler, endless(bot))
        assert (asked.search.plan.seconds, asked.search.plan.cut_after) == (seconds, None)


@pytest.mark.usefixtures("patient")
async def test_a_lasting_search_goes_on_until_another_one_waits() -> None:
    async with open_scheduler("thread", longest=0.05) as scheduler:
        lasting = Waiting(scheduler, endless("engine:time=3600", lasting=True))
        await lasting.started()
        # What nobody waits for is no other one.
        idle = Waiting(scheduler, job(), Requester("idle"))
        await until(lambda: scheduler.time() - lasting.search.begun > 0.2)
        assert lasting.answers == idle.answers == []
        assert await Waiting(scheduler, job()).answer() is not None
        report = await lasting.report()
    assert (report.finished, report.cut_after) == (False, 0.05)


@pytest.mark.usefixtures("patient")
async def test_while_others_wait_a_lasting_search_has_no_more_time_than_any() -> None:
    async with open_scheduler("thread", longest=0.1) as scheduler:
        lasting = Waiting(scheduler, endless("engine:time=3600", lasting=True))
        assert await Waiting(scheduler, job()).answer() is not None
        report = await lasting.report()
    assert report.cut_after == 0.1


@pytest.mark.usefixtures("patient")
async def test_of_lasting_searches_the_longest_one_ends_for_another() -> None:
    async with open_scheduler("thread", workers=2, longest=0.05) as scheduler:
        first = Waiting(scheduler, endless("engine:time=3600", lasting=True))
        await first.started()
        await until(lambda: scheduler.time() - first.search.begun > 0.1)
        second = Waiting(scheduler, endless("engine:time=3600", lasting=True))
        await until(lambda: second.search.slot is not None and scheduler.time() - second.search.begun > 0.1)
        assert await Waiting(scheduler, job()).answer() is not None
        assert await first.answer() is not None
        assert second.answers == []


@pytest.mark.usefixtures("patient")
async def test_a_lasting_search_is_bounded_too() -> None:
    async with open_scheduler("thread", longest=0.05, longest_lasting=0.1) as scheduler:
        report = await Waiting(scheduler, endless("engine:time=3600", lasting=True)).report()
    assert report.cut_after == 0.1


# ---------------------------------------------------------------- compiled games


def brief(**more: Any) -> Job:
    """A search that would run in machine code, and soon ends."""
    return endless("engine:depth=2", **more)


ULTIMATE = find_game("ultimate")


def compiled_job(bot: str = "engine:time=0.2", **more: Any) -> Job:
    """A search that runs in machine code, once that is there."""
    return Job("ultimate", ULTIMATE.initial(), parse_bot(bot), 0, **more)


async def test_machine_code_runs_in_one_process_and_plain_python_in_others(made: None) -> None:
    async with open_scheduler("auto", workers=2, kernels=compiled) as scheduler:
        plain = Waiting(scheduler, endless())
        await plain.started()
        before = set(worker_processes())
        found = [Waiting(scheduler, compiled_job()) for _ in range(2)]
        for one in found:
            report = await one.report()
            assert report.compiled
        assert len(set(worker_processes()) - before) == 1
        assert found[0].search.pool is not plain.search.pool
        plain.search.cancel()


async def test_plain_python_keeps_out_of_the_process_that_has_machine_code(made: None) -> None:
    async with open_scheduler("auto", kernels=compiled) as scheduler:
        for asked in (
            compiled_job("minimax:depth=4"),
            compiled_job("alphabeta:depth=4"),
            compiled_job("easy"),
            compiled_job(task=look),
        ):
            other = Waiting(scheduler, asked)
            await other.answer()
            assert other.search.pool in scheduler._plain
        assert len(worker_processes()) == 2, "one of them for light searches; machine code was never wanted"


@pytest.mark.parametrize(("setting", "pool"), [("process", WorkerProcess), ("thread", ThreadPool)])
async def test_a_host_may_have_all_searches_in_one_place(setting: Where, pool: type[WorkerPool]) -> None:
    kernels = HandKernels("endless")
    kernels.let(9)
    async with open_scheduler(setting, workers=2, kernels=kernels) as scheduler:
        found = [Waiting(scheduler, job("perfect")), Waiting(scheduler, brief())]
        assert [await one.pool() for one in found] == [pool, pool]


async def test_as_many_run_in_all_as_there_are_workers() -> None:
    kernels = HandKernels("endless")
    kernels.let(9)
    async with open_scheduler("thread", kernels=kernels) as scheduler:
        running = Waiting(scheduler, endless())
        await running.started()
        behind = Waiting(scheduler, brief())
        assert behind.search.slot is None
        running.search.cancel()
        assert await behind.answer() is not None


@pytest.mark.parametrize("every_move", [True, False])
async def test_what_wants_machine_code_waits_until_it_is_loaded_and_takes_no_worker(every_move: bool) -> None:
    kernels = HandKernels("endless")
    async with open_scheduler("thread", kernels=kernels) as scheduler:
        waits_for_kernel = Waiting(scheduler, brief(every_move=every_move))
        another = Waiting(scheduler, brief(every_move=every_move))
        assert await Waiting(scheduler, endless("minimax:depth=1")).answer() is not None
        assert waits_for_kernel.search.slot is None
        kernels.let()
        assert await waits_for_kernel.answer() is not None
        assert await another.answer() is not None
        assert kernels.asked == ["endless"]


async def test_a_bot_that_waits_for_machine_code_interrupts_nothing() -> None:
    kernels = HandKernels("endless")
    async with open_scheduler("thread", kernels=kernels) as scheduler:
        running = Waiting(scheduler, endless("minimax:depth=16"))
        await running.started()
        seat = Waiting(scheduler, brief(), SEAT)
        await asyncio.sleep(0.05)
        assert running.search.state is State.RUNNING
        kernels.let()
        assert await seat.answer() is not None
        assert running.search.was_interrupted
        running.search.cancel()


async def test_searches_wait_while_a_game_is_compiled_and_are_shown_how_far_it_is() -> None:
    kernels = HandKernels("endless", kept=False)
    compiler = HandCompiler(kernels)
    async with open_scheduler("thread", kernels=kernels, compiler=compiler) as scheduler:
        waits = Waiting(scheduler, brief())
        await until(lambda: compiler.compiling == ["endless"])
        await until(lambda: bool(waits.shown))
        compiler.tell(3, 11)
        await until(lambda: waits.shown[-1].compiling == Compiling("endless", 3, 11))
        # One that comes later is shown it, too.
        later = Waiting(scheduler, brief())
        await until(lambda: [one.compiling for one in later.shown] == [Compiling("endless", 3, 11)])
        assert scheduler.has_code(ENDLESS)
        # What wants no machine code doesn't.
        assert await Waiting(scheduler, endless("minimax:depth=1")).answer() is not None
        compiler.let()
        await until(lambda: kernels.asked == ["endless"])
        assert [waits.answers, later.answers] == [[], []]
        kernels.let()
        for asked in (waits, later):
            report = await asked.report()
            assert report.compiling is None


async def test_what_a_book_knows_waits_for_no_machine_code() -> None:
    kernels, game = HandKernels("connect4", kept=False), find_game("connect4")
    compiler = HandCompiler(kernels)
    async with open_scheduler("thread", kernels=kernels, compiler=compiler) as scheduler:
        first = Job("connect4", game.initial(), parse_bot("perfect"), 0, every_move=True)
        report = await Waiting(scheduler, first).report()
        assert (report.best, {found.score.kind for found in report.candidates}) == ("4", {"exact"})
        # What it doesn't know waits.
        waits = Waiting(scheduler, replace(first, position=game.replay("1234")[0]))
        await until(lambda: waits.search.book == "asked" and waits.search.state is State.QUEUED)
        assert waits.answers == []
        waits.search.cancel()


async def test_no_report_is_made_and_no_book_is_read_on_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    threads = list[threading.Thread]()
    probe = book.probe

    def watched(mine: int, mask: int) -> tuple[int, int] | None:
        threads.append(threading.current_thread())
        return probe(mine, mask)

    monkeypatch.setattr(book, "probe", watched)
    kernels, game = HandKernels("connect4", kept=False), find_game("connect4")
    compiler = HandCompiler(kernels)
    async with open_scheduler("thread", kernels=kernels, compiler=compiler) as scheduler:
        asked = Job("connect4", game.initial(), parse_bot("perfect"), 0, every_move=True)
        assert await Waiting(scheduler, asked).answer() is not None
    assert threads
    assert threading.main_thread() not in threads


async def test_a_game_that_cannot_be_loaded_is_searched_plainly() -> None:
    kernels = HandKernels(broken=["endless"])
    async with open_scheduler("thread", kernels=kernels) as scheduler:
        waits_for_kernel = Waiting(scheduler, brief(every_move=True))
        with capture_logs() as logs:
            kernels.let()
            assert await waits_for_kernel.answer() is not None
        assert [entry["event"] for entry in logs] == ["a game can't be compiled: its plain rules serve"]
        assert await Waiting(scheduler, brief()).answer() is not None
        assert kernels.asked == ["endless"]
        assert not scheduler.has_code(ENDLESS)


def test_the_server_loads_no_machine_code_itself(made: None) -> None:
    program = """
import asyncio, sys
from tests.analysis.test_scheduler import Waiting, compiled_job, open_scheduler
from parlour_server.search.kernels import compiled

async def main():
    async with open_scheduler("auto", kernels=compiled) as scheduler:
        report = await Waiting(scheduler, compiled_job()).answer()
        print(report.compiled, {"numba", "numpy"} & set(sys.modules))

asyncio.run(main())
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=DEADLINE)
    assert (found.stdout, found.stderr) == ("True set()\n", "")


async def test_closing_does_not_wait_for_machine_code_that_is_loaded() -> None:
    kernels = HandKernels("endless", "gomoku")
    async with open_scheduler("thread", kernels=kernels) as scheduler:
        scheduler.expect(ENDLESS, parse_bot("minimax"))
        scheduler.expect(ENDLESS, parse_bot("hard"))
        await until(lambda: kernels.asked == ["endless"])
        await scheduler.close()
        assert scheduler.lingers
        kernels.let(2)
    await until(lambda: kernels.ready == {"endless"})


async def test_machine_code_is_stopped_by_its_byte_and_comes_back_after_its_process_was_killed(
    made: None,
) -> None:
    async with open_scheduler("auto", kernels=compiled) as scheduler:
        asked = Waiting(scheduler, compiled_job("engine"))
        await until(lambda: len([report for report in asked.shown if report.nodes]) >= 2)
        asked.search.cancel()
        # Only a search that has let go of its worker lets another one in.
        report = await Waiting(scheduler, compiled_job()).report()
        assert not report.finished
        assert report.best is not None
        assert asked.answers == []
        again = Waiting(scheduler, compiled_job("engine:time=0.5"))
        await again.started()
        kill_workers()
        report = await again.report()
        assert report.compiled
