"""What runs on a Dask worker: `dask worker SCHEDULER --preload parlour_server.analysis.dask_worker`.

A worker publishes its versions, its games and whether its machine code is loaded with each heartbeat, so that
servers use only those that fit. Jobs, reports and results travel as bytes: the Dask scheduler, which
passes them on, need not know the games.
"""

import pickle
import sys
import threading
from importlib.metadata import version
from typing import Any

from distributed import get_worker
from distributed.diagnostics.plugin import WorkerPlugin
from pydantic_settings import BaseSettings, SettingsConfigDict

from parlour_protocol.views.reports import Report
from parlour_server.analysis.kernel_compiler import KernelCompiler
from parlour_server.analysis.kernel_loader import KernelLoader
from parlour_server.analysis.worker import make_control, run, yield_to_the_loop
from parlour_server.games import all_games
from parlour_server.search import machine_code
from parlour_server.search.kernels import numba_modules
from parlour_server.search.kernels.inner_search import TableMemory

FACTS = "parlour"
"""The name of what we say about a worker, among its metrics."""

SWITCH_SECONDS = 0.0005
"""How long a search in plain Python may keep the interpreter's lock from the worker's loop, which stops it:
with Python's 5 ms that took up to 0.1 s, with this 0.005 s."""

_flags: dict[str, bytearray] = {}
"""The stop byte of each search that runs here, by the key of its Dask task."""
_of_thread = threading.local()


class WorkerSettings(BaseSettings):
    """What a worker takes from its environment."""

    model_config = SettingsConfigDict(env_prefix="PARLOUR_", extra="ignore")

    compiled: bool = True
    """As `ServerSettings` has it."""


class _Orphans(WorkerPlugin):
    """Stops searches that nobody awaits any longer: withdrawn as they began, or their server has gone."""

    name = "parlour"

    def transition(self, key: Any, start: str, finish: str, **more: Any) -> None:
        """See `WorkerPlugin`. Called on the worker's loop."""
        if start == "executing" and finish in ("released", "cancelled"):
            _flags.setdefault(key, bytearray(1))[0] = 1

    def teardown(self, worker: Any) -> None:
        """See `WorkerPlugin`."""
        # Searches that end meanwhile take theirs away.
        for flag in list(_flags.values()):
            flag[0] = 1


async def dask_setup(worker: Any) -> None:
    """Make a worker ready for searches. Called by Dask before the worker is known to the scheduler."""
    sys.setswitchinterval(SWITCH_SECONDS)
    games = all_games()
    loader = None
    if WorkerSettings().compiled and numba_modules.available():
        loader = KernelLoader(machine_code, lambda: None, KernelCompiler())
        loader.prepare(games)
    facts = {
        "parlour": version("parlour-server"),
        "python": python(),
        "games": sorted(game.name for game in games),
    }
    worker.metrics[FACTS] = lambda _: {**facts, "ready": loader is None or not loader.working}
    await worker.plugin_add(_Orphans())


def python() -> str:
    """The version of Python, as far as it has to be the same for one to read what another has pickled."""
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def search(job: bytes, topic: str, compiled: bool) -> bytes:
    """Do a job, in a thread of the worker's. That it has begun, and its reports, go to `topic`, as
    `(key, worker, report or None)`."""
    worker = get_worker()
    key, address = str(worker.get_current_task()), worker.address
    flag = _flags.setdefault(key, bytearray(1))

    def show(report: Report) -> None:
        worker.log_event(topic, (key, address, pickle.dumps(report)))

    if not hasattr(_of_thread, "memory"):
        _of_thread.memory = TableMemory()
        yield_to_the_loop()
    worker.log_event(topic, (key, address, None))
    try:
        control = make_control(memoryview(flag), show, compiled=compiled, memory=_of_thread.memory)
        return pickle.dumps(run(pickle.loads(job), control))  # noqa: S301 - from our own servers
    finally:
        _flags.pop(key, None)


def stop(key: str) -> None:
    """Tell a search to stop. Called on the worker's loop."""
    if (flag := _flags.get(key)) is not None:
        flag[0] = 1
