"""An event loop whose time is simulated: it never sleeps, it jumps to whatever comes next.

Nothing in it looks at a real clock, opens a socket or starts a thread. So what runs on it depends on its
own dice alone, and a night at a table passes in a blink.

Whoever runs in it belongs to a *process*: a server, or somebody's terminal. A process can be ended as by
`kill -9`: its timers never fire, its tasks go no further. It can be stopped for a while, as by SIGSTOP: what
was to happen meanwhile happens when it goes on.
"""

import asyncio
import itertools
from collections import deque
from collections.abc import Callable, Coroutine
from contextvars import Context, ContextVar, copy_context
from heapq import heappop, heappush
from typing import Any

MOST_TURNS = 2_000_000
"""A run that takes more turns than this goes round in circles."""

_process: ContextVar[str] = ContextVar("process", default="")


class Stuck(Exception):
    """Everybody waits, and nothing will ever happen."""


class SimulatedLoop(asyncio.BaseEventLoop):
    """Starts at a thousand seconds. Use it as any loop; close it in the end."""

    def __init__(self) -> None:
        super().__init__()
        self._seconds = 1_000.0
        self._turns = 0
        self._timers: list[tuple[float, int, asyncio.TimerHandle]] = []
        """A heap: when, in what order, and what."""
        self._numbers = itertools.count()
        self._tasks: dict[str, dict[asyncio.Task[Any], None]] = {}
        self._dead: set[str] = set()
        self._held: dict[str, list[asyncio.Handle]] = {}
        """By stopped process: what waits until it goes on."""
        self.faults: list[dict[str, Any]] = []
        """What nobody caught."""
        self.set_task_factory(self._new_task)  # type: ignore[arg-type]
        self.set_exception_handler(lambda loop, fault: self.faults.append(fault))

    # ------------------------------------------------------------ time

    def time(self) -> float:
        """Simulated seconds."""
        return self._seconds

    def _run_once(self) -> None:
        """One turn of the base class's loop: do what is ready; if nothing is, let time pass until it is."""
        ready: deque[asyncio.Handle] = self._ready  # type: ignore[attr-defined]
        timers = self._timers
        while timers and timers[0][2].cancelled():
            heappop(timers)
        if not ready:
            if not timers:
                raise Stuck("everybody waits, and no timer is set")
            self._turns += 1
            if self._turns > MOST_TURNS:
                raise Stuck("this run goes round in circles")
            self._seconds = max(self._seconds, timers[0][0])
        while timers and timers[0][0] <= self._seconds:
            ready.append(heappop(timers)[2])
        for _ in range(len(ready)):
            handle = ready.popleft()
            if handle.cancelled():
                continue
            if self._held and (held := self._held.get(_process_of(handle))) is not None:
                held.append(handle)
            else:
                handle._run()

    def call_soon(  # type: ignore[override]
        self, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        """See the base class, which looks first from where it is called."""
        handle = asyncio.Handle(callback, args, self, context)
        self._ready.append(handle)  # type: ignore[attr-defined]
        return handle

    def call_at(  # type: ignore[override]
        self, when: float, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """See the base class. A dead process sets no timers any more."""
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        if self._dead and _process_of(handle) in self._dead:
            handle.cancel()
        else:
            heappush(self._timers, (when, next(self._numbers), handle))
        return handle

    def _write_to_self(self) -> None:
        """Nobody has to be woken."""

    def run_in_executor(self, *args: Any) -> Any:  # type: ignore[override]
        """Refused: a thread would bring real time with it."""
        raise AssertionError("a simulated server starts no threads")

    # ------------------------------------------------------------ processes

    def new_process(self, name: str) -> Context:
        """A context in which all that is begun belongs to the process of that name."""
        context = copy_context()
        context.run(_process.set, name)
        return context

    def left_of(self, name: str) -> list[str]:
        """What a process has still to do: its timers and its tasks, to be read by people."""
        timers = [repr(handle) for handle in self._timers_of(name)]
        return timers + [repr(task) for task in self._tasks.get(name, ())]

    def pause(self, name: str) -> None:
        """Stop a process: all that it has to do waits."""
        self._held[name] = []

    def resume(self, name: str) -> None:
        """Let a stopped process go on."""
        self._ready.extend(self._held.pop(name, ()))  # type: ignore[attr-defined]

    def is_paused(self, name: str) -> bool:
        """Is a process stopped?"""
        return name in self._held

    def kill(self, name: str) -> None:
        """End a process with nothing said before."""
        self._dead.add(name)
        for held in self._held.get(name, ()):
            if isinstance(held, asyncio.TimerHandle):
                held.cancel()
        self.resume(name)
        for handle in self._timers_of(name):
            handle.cancel()
        for task in list(self._tasks.get(name, ())):
            task.cancel()

    def _timers_of(self, name: str) -> list[asyncio.TimerHandle]:
        return [one for _, _, one in self._timers if not one.cancelled() and _process_of(one) == name]

    def _new_task(
        self, loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, Any], **options: Any
    ) -> Any:
        context: Context | None = options.get("context")
        name = _process.get() if context is None else context.get(_process, "")
        task: asyncio.Task[Any] = asyncio.Task(work, loop=loop, **options)
        if not task.done():
            tasks = self._tasks.setdefault(name, {})
            tasks[task] = None
            task.add_done_callback(tasks.pop)
        return task


def _process_of(handle: asyncio.Handle) -> str:
    name: str = handle._context.get(_process, "")  # type: ignore[attr-defined]
    return name
