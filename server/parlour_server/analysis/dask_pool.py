"""Searches on other machines, by Dask: the workers of a cluster behind the interface of a pool.

A search is a task of Dask's, whose priority puts bots that a person waits for before others where several
servers share a cluster. It has begun when its worker says so, on the stream that also brings its reports;
until then it waits, as it does in our own queue, and can be withdrawn. To stop it, its worker is called. A
search whose worker dies is begun again elsewhere by Dask.

    no client -> connecting -> no worker that fits -> up -> (connection lost, workers gone) -> ...

`distributed` is imported with the first connection, in a thread: that takes a second.
"""

import asyncio
import contextlib
import importlib
import logging
import pickle
import warnings
from collections.abc import Callable, Coroutine
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any
from uuid import uuid4

from parlour_protocol.views.reports import Report
from parlour_server.analysis import log
from parlour_server.analysis.pools import GRACE_SECONDS, OnReport, Running, TakenBack, WorkerPool
from parlour_server.analysis.worker import Job
from parlour_server.games import all_games

CONNECT_SECONDS = 3.0
"""How long connecting may take. Dask tries again and again meanwhile, even where it is refused."""
LOOK_SECONDS = 1.0
"""How often we look which workers there are."""
SILENT_SECONDS = 10.0
"""A scheduler that does not answer for so long counts as lost."""
BACKOFF, LONGEST_BACKOFF = 1.0, 30.0
"""Seconds between two attempts to connect: the first, doubled with each, and the longest."""
LARGE = 1 << 17
"""Results of so many bytes are unpickled in a thread."""


@dataclass(slots=True, eq=False)
class _Task:
    """A search in the hands of Dask."""

    key: str
    ticket: int
    slot: int
    workers: frozenset[str]
    """Where it may run."""
    dask: Any
    """Dask's future of its result."""
    future: Future[Report] = field(default_factory=Future)
    worker: str | None = None
    """Where it has begun."""


class DaskPool(WorkerPool):
    """The workers of a Dask cluster, as far as they fit this server. `on_begun` gets a search's ticket."""

    can_end_workers = True
    queues = True

    def __init__(
        self,
        slots: int,
        address: str,
        on_report: OnReport,
        on_begun: Callable[[int], None],
        on_up: Callable[[], None],
        *,
        compiled: bool,
    ) -> None:
        super().__init__(slots, memoryview(bytearray(slots)), on_report, on_up)
        self._address, self._compiled = address, compiled
        self._on_begun = on_begun
        self._client: Any = None
        self._fitting: frozenset[str] = frozenset()
        """The addresses of the workers that can be used."""
        self._refused: dict[str, str] = {}
        """The others, and what is wrong with them."""
        self._tasks: dict[str, _Task] = {}
        self._keeper: asyncio.Task[None] | None = None
        self._background: set[asyncio.Task[None]] = set()

    @property
    def up(self) -> bool:
        """Is there a worker that fits?"""
        return bool(self._fitting) and self._client.status == "running" and not self._closed

    def start(self) -> None:
        """Connect, and stay connected."""
        if self._keeper is None and not self._closed:
            self._keeper = asyncio.create_task(self._keep_connected())

    def _submit(self, job: Job, ticket: int, slot: int, priority: int) -> Running:
        from parlour_server.analysis import dask_worker

        key = f"parlour_search-{uuid4().hex}"
        dask = self._client.submit(
            dask_worker.search,
            pickle.dumps(job),
            self._client.id,
            self._compiled,
            key=key,
            workers=list(self._fitting),
            priority=priority,
            pure=False,
        )
        task = self._tasks[key] = _Task(key, ticket, slot, self._fitting, dask)
        self._in_background(self._follow(task))
        return Running(task.future)

    async def _follow(self, task: _Task) -> None:
        """Wait for the result."""
        try:
            found = await task.dask.result()
            if len(found) >= LARGE:
                report = await asyncio.to_thread(pickle.loads, found)
            else:
                report = pickle.loads(found)  # noqa: S301 - from our own workers
        except (asyncio.CancelledError, CancelledError):
            # The connection is lost, and Dask's futures with it; or we have withdrawn it.
            self._give_back(task, TakenBack())
        except Exception as error:
            if type(error).__name__ == "KilledWorker":
                log.error("a search was given up: workers die of it", reason=str(error))
                self._give_back(task, None)
            else:
                self._give_back(task, error)
        else:
            if self._tasks.pop(task.key, None) is not None:
                task.future.set_result(report)

    def _give_back(self, task: _Task, error: Exception | None) -> None:
        """Have nothing more to do with a search, which failed, or was withdrawn (None)."""
        if self._tasks.pop(task.key, None) is None:
            return
        if self._client.status == "running":
            self._in_background(task.dask.cancel())
        if error is None:
            task.future.cancel()
        else:
            task.future.set_exception(error)

    def stop(self, slot: int) -> None:
        """See `WorkerPool.stop`. What has not begun is withdrawn."""
        super().stop(slot)
        for task in self._of(slot):
            if task.worker is None:
                self._give_back(task, None)
            else:
                self._in_background(self._stop(task, task.worker))

    async def _stop(self, task: _Task, worker: str) -> None:
        from parlour_server.analysis import dask_worker

        await self._client.run(dask_worker.stop, task.key, workers=[worker], on_error="ignore")

    def end_worker(self, slot: int) -> None:
        """Have the worker's nanny start another in its place. The search fails."""
        for task in self._of(slot):
            if task.worker is not None:
                self._in_background(self._client.restart_workers([task.worker], raise_for_error=False))
            self._give_back(task, None)

    def broke(self, executor: Executor) -> None:
        """There is none."""

    def _of(self, slot: int) -> list[_Task]:
        return [task for task in self._tasks.values() if task.slot == slot]

    def _in_background(self, work: Coroutine[Any, Any, Any]) -> None:
        """Do something in the background. Where it fails, the connection has, and that is seen elsewhere."""

        async def quietly() -> None:
            with contextlib.suppress(Exception):
                await work

        task = asyncio.create_task(quietly())
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    def _on_event(self, event: tuple[float, Any]) -> None:
        """A worker has begun a search, or shows what it has found."""
        # Dask publishes events of its own to this topic.
        if isinstance(event[1], dict):
            return
        key, worker, report = event[1]
        task = self._tasks.get(key)
        if task is None:
            return
        if report is not None:
            if worker == task.worker:
                self._on_report(task.ticket, pickle.loads(report))  # noqa: S301 - from our own workers
            return
        task.worker = worker
        self._on_begun(task.ticket)
        if self._flags[task.slot]:
            # It was to stop, and the worker where it was stopped has died.
            self._in_background(self._stop(task, worker))

    # ------------------------------------------------------------ the connection

    async def _keep_connected(self) -> None:
        backoff = BACKOFF
        while not self._closed:
            try:
                await self._connect()
                backoff = BACKOFF
                while self._client.status == "running":
                    async with asyncio.timeout(SILENT_SECONDS):
                        known = await self._client.scheduler.identity(n_workers=-1)
                    self._look(known["workers"])
                    await asyncio.sleep(LOOK_SECONDS)
                reason = "the connection was lost"
            except Exception as error:
                reason = " ".join(str(error).split()) or type(error).__name__
            if not self.failing:
                log.warning(
                    "the Dask scheduler can't be reached: searches wait",
                    address=self._address,
                    reason=reason,
                )
            self.failing = True
            await self._disconnect()
            await asyncio.sleep(backoff)
            backoff = min(2 * backoff, LONGEST_BACKOFF)

    async def _connect(self) -> None:
        """Raises whatever Dask does."""
        distributed = await asyncio.to_thread(_import)
        if self._address.startswith("tls:") and distributed.Security().tls_ca_file is None:
            raise ValueError(
                "TLS takes certificates. Name their files in DASK_DISTRIBUTED__COMM__TLS__CA_FILE, "
                "..__TLS__CLIENT__CERT and ..__TLS__CLIENT__KEY."
            )
        self._client = distributed.Client(
            self._address, asynchronous=True, set_as_default=False, timeout=CONNECT_SECONDS, name="parlour"
        )
        await self._client
        # Dask drops the events of a topic of this name, some time after the client has gone.
        self._client.subscribe_topic(self._client.id, self._on_event)

    async def _disconnect(self) -> None:
        """Let the client go, and give back all that it had."""
        self._fitting = frozenset()
        self._refused.clear()
        if self._client is None:
            return
        for task in list(self._tasks.values()):
            self._give_back(task, TakenBack())
        with contextlib.suppress(Exception):
            async with asyncio.timeout(GRACE_SECONDS):
                await self._client.close()

    def _look(self, workers: dict[str, Any]) -> None:
        """See which workers there are, and give back what waits where they have changed."""
        fitting = set()
        for address, worker in workers.items():
            facts = worker["metrics"].get("parlour")
            why = misfit(facts)
            if why is None:
                if facts["ready"] and worker["status"] == "running":
                    fitting.add(address)
            elif self._refused.get(address) != why:
                log.warning("a Dask worker is not used", worker=address, reason=why)
                self._refused[address] = why
        if not fitting and (self._fitting or not self.failing):
            log.warning("no Dask worker is ready: searches wait", address=self._address)
        elif fitting and not self._fitting:
            log.info("searches run on Dask", address=self._address, workers=len(fitting))
        self.failing = not fitting
        if fitting == self._fitting:
            return
        self._fitting = frozenset(fitting)
        for task in list(self._tasks.values()):
            if task.worker is None:
                # It may wait for one that is gone, or behind others while a new one has nothing to do.
                self._give_back(task, TakenBack())
            elif not task.workers.intersection(workers):
                # Nobody is left who could begin it again; and perhaps it was this search that killed them.
                self._give_back(task, BrokenExecutor())
        if fitting:
            self._on_up()

    async def close(self) -> bool:
        """See `WorkerPool.close`. Dask stops what was ours, once it sees that we have gone."""
        self._closed = True
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.wait([self._keeper])
            await self._disconnect()
            for task in self._background:
                task.cancel()
            if self._background:
                await asyncio.wait(self._background, timeout=GRACE_SECONDS)
        return True


def misfit(facts: Any) -> str | None:
    """Why a worker, which says this of itself, can't be used by this server; None: it can."""
    from parlour_server.analysis import dask_worker

    if not isinstance(facts, dict):
        return f"it was not started with --preload {dask_worker.__name__}"
    for what, theirs, ours in (
        ("Python", facts["python"], dask_worker.python()),
        ("parlour-server", facts["parlour"], version("parlour-server")),
    ):
        if theirs != ours:
            return f"it has {what} {theirs}, and this server {ours}"
    if lacks := sorted({game.name for game in all_games()} - set(facts["games"])):
        return f"it does not know these games of the server's: {', '.join(lacks)}"
    return None


def _import() -> Any:
    """Import Dask, which takes a second, and keep it from logging: what is to be said we say."""
    import dask

    quiet = ("distributed", "distributed.client", "tornado", "tornado.application")
    dask.config.set(logging=dict.fromkeys(quiet, "critical"))
    import distributed
    from distributed.versions import VersionMismatchWarning

    importlib.import_module("parlour_server.analysis.dask_worker")
    for name in quiet:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    warnings.simplefilter("ignore", VersionMismatchWarning)
    return distributed
