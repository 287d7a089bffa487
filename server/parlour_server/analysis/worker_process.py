"""A process of workers, of which plain Python keeps the interpreter busy, and machine code takes memory.

Commands and events are pickles in two pipes: nothing of that has a name in the system, which a server that is
killed would leave behind. The process ends when its standard input does: with the server, however that ends.

    down -> starting -> up -> (the process ended) -> down -> ... -> closed
"""

import asyncio
import contextlib
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, Literal

from parlour_server.analysis import log
from parlour_server.analysis.pools import WorkerPool
from parlour_server.analysis.worker import Ended, Event, Job, Runner, call_on_loop, yield_to_the_loop
from parlour_server.games import all_games
from parlour_server.search.kernels import compiled

START_AGAIN_SECONDS = 1.0
"""How long after a process could not be started another one is tried."""

SWITCH_SECONDS = 0.001
"""How long a search in plain Python keeps the thread waiting that would stop it."""


Kind = Literal["plain", "compiled", "compiler"]
"""What it is for: searches in plain Python, or in machine code; compiling."""


class WorkerDied(Exception):
    """A search's worker ended before it did: it is killed, or it broke."""

    def __str__(self) -> str:
        return "the worker died"


class WorkerProcess(WorkerPool):
    """One process, started when it is wanted. `on_change` is called when it is up, and when it has ended
    or could not be started."""

    can_end_workers = True

    def __init__(
        self,
        slots: int,
        on_event: Callable[[Event], None],
        on_change: Callable[[], None],
        *,
        kind: Kind,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._on_event, self._on_change = on_event, on_change
        self._arguments = str(slots), kind
        self._process: subprocess.Popen[bytes] | None = None
        self._thread: threading.Thread | None = None
        """Starts the process, and carries its events to the loop."""
        self._tickets: set[int] = set()
        """The searches that it has."""
        self._ending = threading.Event()

    def start(self) -> None:
        if self._thread is None and not self._ending.is_set():
            self._thread = threading.Thread(target=self._serve, name="parlour-worker", daemon=True)
            self._thread.start()

    def submit(self, job: Job, ticket: int, slot: int) -> None:
        self._tickets.add(ticket)
        self._send("submit", job, ticket, slot)

    def stop(self, slot: int) -> None:
        self._send("stop", slot)

    def load(self, game: str) -> None:
        self._send("load", game)

    def kill(self) -> None:
        """End it by force, and the searches in it."""
        if self._process is not None:
            self._process.kill()

    def waited_for_core(self) -> float:
        """See `WorkerPool.waited_for_core`. Linux tells it."""
        nanoseconds = 0
        if self._process is not None:
            for file in Path(f"/proc/{self._process.pid}/task").glob("*/schedstat"):
                # One of its threads may have just ended.
                with contextlib.suppress(OSError):
                    nanoseconds += int(file.read_text().split()[1])
        return nanoseconds / 1e9

    def ending(self) -> None:
        self._ending.set()

    async def close(self) -> bool:
        """Kill it: the stop of what runs was requested, and its answer is not wanted."""
        self.ending()
        self._tickets.clear()
        if self._thread is not None:
            self.kill()
            await asyncio.to_thread(self._thread.join)
        return True

    def _send(self, *command: Any) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        data = pickle.dumps(command)
        # One that has just ended, its pipe perhaps closed, is noticed by the thread that reads from it.
        with contextlib.suppress(OSError, ValueError):
            self._process.stdin.write(data)
            self._process.stdin.flush()

    # ------------------------------------------------------------ in the thread

    def _serve(self) -> None:
        problem: object = None
        try:
            self._process = _start(*self._arguments)
        except OSError as error:
            self._process, problem = None, error
        else:
            yield_to_the_loop(self._process.pid)
            if self._ending.is_set():
                self._process.kill()
            problem = self._carry(self._process)
        # What asked the server to end may have ended its workers first, and that is no news.
        if problem is not None and not self._ending.wait(START_AGAIN_SECONDS):
            log.error("workers can't be started", workers=self._arguments[1], reason=str(problem))
        call_on_loop(self._loop, self._ended, problem is not None)

    def _carry(self, process: subprocess.Popen[bytes]) -> str | None:
        """Carry what the process sends until it ends. Gives what was wrong where it was never up."""
        started = False
        # What it never read can't be flushed as its pipes are closed.
        with contextlib.suppress(BrokenPipeError), process:
            assert process.stdout is not None
            with contextlib.suppress(EOFError, OSError, pickle.UnpicklingError):
                while True:
                    event = pickle.load(process.stdout)  # noqa: S301 - from our own process
                    if not started:
                        started = True
                        call_on_loop(self._loop, self._started)
                    else:
                        call_on_loop(self._loop, self._happened, event)
            process.kill()
        return None if started else f"it ended with {process.returncode}"

    # ------------------------------------------------------------ on the loop

    def _started(self) -> None:
        self.failing = False
        if not self._ending.is_set():
            self.up = True
            self._on_change()

    def _happened(self, event: Event) -> None:
        if isinstance(event, Ended):
            self._tickets.discard(event.ticket)
        self._on_event(event)

    def _ended(self, failed: bool) -> None:
        self._thread = self._process = None
        self.failing, was_up, self.up = failed, self.up, False
        if self._ending.is_set():
            return
        if was_up:
            log.warning("workers died", workers=self._arguments[1])
        lost, self._tickets = self._tickets, set()
        for ticket in lost:
            self._on_event(Ended(ticket, None, WorkerDied()))
        self._on_change()


def _start(*arguments: str) -> subprocess.Popen[bytes]:
    """Start the process: its input closes with us, however we end. Raises `OSError`."""
    # The same modules as here. -P: no file where the server was started stands in for one of them.
    paths = os.pathsep.join(path for path in sys.path if path)
    return subprocess.Popen(  # noqa: S603 - this very module
        [sys.executable, "-P", "-m", __name__, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": paths},
        # Ctrl-C in a terminal goes to every process of the group in front.
        process_group=0,
    )


# ---------------------------------------------------------------- the process


def main(slots: int, kind: str) -> None:
    """Obey commands until there are no more."""
    # The server decides when its workers end: what is sent to all processes of a service is for it.
    for name in ("SIGINT", "SIGTERM"):
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    sys.setswitchinterval(SWITCH_SECONDS)
    events = _to_ourselves()
    lock = threading.Lock()

    def send(event: Event | None) -> None:
        data = pickle.dumps(event)
        with lock, contextlib.suppress(OSError):
            events.write(data)
            events.flush()

    def send_picklable(event: Event) -> None:
        try:
            send(event)
        except Exception as error:
            assert isinstance(event, Ended)
            send(Ended(event.ticket, None, RuntimeError(f"{error}: {event.error or event.result!r}")))

    runner = Runner(slots, send_picklable, compiled if kind == "compiled" else None)
    # No search's time should go into that.
    all_games()
    send(None)
    with contextlib.suppress(EOFError):
        while True:
            name, *given = pickle.load(sys.stdin.buffer)  # noqa: S301 - from our own server
            getattr(runner, name)(*given)
    os._exit(0)


def _to_ourselves() -> BinaryIO:
    """The pipe to the server. What games print to standard output goes to standard error from now on."""
    events = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return events


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
