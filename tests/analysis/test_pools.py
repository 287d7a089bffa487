"""Processes of workers: how they start, what reaches them, and that nothing is left of them."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from parlour_server.analysis import worker_process
from parlour_server.analysis.worker import NICE, Ended, Event, Job, Runner, yield_to_the_loop
from parlour_server.analysis.worker_process import WorkerProcess
from parlour_server.search.levels import parse_bot
from tests.analysis.searches import DEADLINE, job, until


class WorkerHarness:
    """One process, and what it says."""

    def __init__(self, slots: int = 1) -> None:
        self.events: list[Event] = []
        self.changes = 0
        self.process = WorkerProcess(slots, self.events.append, self._changed, kind="plain")

    def _changed(self) -> None:
        self.changes += 1

    @property
    def pid(self) -> int:
        assert self.process._process is not None
        return self.process._process.pid

    async def up(self) -> None:
        self.process.start()
        await until(lambda: self.process.up)


@pytest.mark.parametrize("ending", [False, True])
async def test_workers_that_end_while_they_start_are_no_news_where_the_server_ends_too(
    ending: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = WorkerHarness()
    harness.process._arguments = "no number", "plain"
    if not ending:
        monkeypatch.setattr(worker_process, "START_AGAIN_SECONDS", 0.0)
    with capture_logs() as logs:
        harness.process.start()
        if ending:
            harness.process.ending()
        else:
            await until(lambda: harness.process.failing)
            assert not harness.process.up
        await harness.process.close()
    assert [line["event"] for line in logs] == ([] if ending else ["workers can't be started"])


async def test_ctrl_c_reaches_no_worker_even_while_it_begins() -> None:
    """What a terminal sends goes to the group of processes in front, and workers have their own."""
    harness = WorkerHarness()
    harness.process.start()
    await until(lambda: harness.process._process is not None)
    assert os.getpgid(harness.pid) != os.getpgid(0)
    await until(lambda: harness.process.up)
    for name in (signal.SIGINT, signal.SIGTERM):
        os.kill(harness.pid, name)
    harness.process.submit(job(), 7, 0)
    await until(lambda: any(isinstance(event, Ended) for event in harness.events))
    await harness.process.close()


async def test_what_a_worker_cannot_send_has_failed_and_the_next_one_works() -> None:
    harness = WorkerHarness()
    await harness.up()
    harness.process.submit(Job("tictactoe", None, parse_bot("minimax"), 0, task=make_unsendable), 1, 0)
    await until(lambda: len(harness.events) == 1)
    (ended,) = harness.events
    assert isinstance(ended, Ended)
    assert isinstance(ended.error, RuntimeError)
    harness.process.submit(job(), 2, 0)
    await until(lambda: len(harness.events) > 1)
    await harness.process.close()


def make_unsendable(*_: object, control: object) -> object:
    """Some work whose result can't be pickled; and that prints, which is nothing for the server."""
    print("not for the server")
    return threading.Lock()


SERVER = """
import asyncio, os
from parlour_server.analysis.worker_process import WorkerProcess

async def main():
    changed = asyncio.Event()
    process = WorkerProcess(1, print, changed.set, kind="plain")
    process.start()
    await changed.wait()
    print(process._process.pid, flush=True)
    await asyncio.sleep(3600)

asyncio.run(main())
"""


def test_nothing_is_left_of_a_server_that_is_killed(tmp_path: Path) -> None:
    """Named semaphores were, and a process that complained of them."""
    complaints = tmp_path / "stderr"
    with (
        complaints.open("wb") as stderr,
        subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, stderr=stderr) as server,
    ):
        assert server.stdout is not None
        worker = int(server.stdout.readline())
        server.kill()
    end = time.monotonic() + DEADLINE
    while Path(f"/proc/{worker}").exists():
        assert time.monotonic() < end, "it outlives its server"
        time.sleep(0.01)
    assert complaints.read_text() == ""


def test_one_that_has_stepped_back_further_is_not_called_forward() -> None:
    """Only root may do that: searches of a server that was started by `nice` failed."""
    found = []

    def step_back() -> None:
        thread = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, thread, NICE + 3)
        yield_to_the_loop()
        found.append(os.getpriority(os.PRIO_PROCESS, thread))

    worker = threading.Thread(target=step_back)
    worker.start()
    worker.join()
    assert found == [NICE + 3]


async def test_searches_step_back_where_the_loop_wants_the_core() -> None:
    def niceness() -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    before = niceness()
    runner = Runner(1, lambda event: None, None)
    assert await asyncio.wrap_future(runner._executor.submit(niceness)) == NICE
    assert niceness() == before
    runner._executor.shutdown(wait=False, cancel_futures=True)
    harness = WorkerHarness()
    await harness.up()
    assert os.getpriority(os.PRIO_PROCESS, harness.pid) == NICE
    await harness.process.close()


async def test_what_a_killed_worker_never_read_does_not_keep_it_from_starting_again() -> None:
    harness = WorkerHarness()
    await harness.up()
    process = harness.process._process
    assert process is not None
    assert process.stdin is not None
    # As where it is killed while a search is sent to it.
    process.stdin.write(b"half of a command")
    first = harness.pid
    harness.process.kill()
    await until(lambda: not harness.process.up)
    await harness.up()
    assert harness.pid != first
    await harness.process.close()
