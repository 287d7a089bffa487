"""Kernels are loaded in the background, one game after another; no search waits for them here.

What the cache on the disk does not have is compiled in another process (`kernel_compiler.py`), since that
takes seconds. To load it takes tenths of a second; the threads take shorter turns meanwhile. Games that
searches wait for come first: for one of them, the compiling of a game that nobody waits for is interrupted.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from parlour_protocol.views.reports import Compiling
from parlour_server.analysis import log
from parlour_server.analysis.kernel_compiler import CompilerStopped, Progress
from parlour_server.games.game import Game


class Kernels(Protocol):
    """What has machine code of games: `search/machine_code.py`."""

    def kernel_for(self, game: Game[Any], /) -> str | None:
        """The name of the kernel that knows the game; cheap."""

    def is_ready(self, game: Game[Any], /) -> bool:
        """Is its machine code loaded in this process?"""

    def prepare(self, game: Game[Any], /) -> None:
        """Load or compile it now, however long it takes. Raises where that fails."""


class Compiler(Protocol):
    """What compiles outside of this process: `kernel_compiler.KernelCompiler`."""

    def is_kept(self, game: Game[Any], /) -> bool:
        """Is there nothing to do?"""

    def compile(self, game: Game[Any], progress: Progress, /) -> str | None:
        """Compile, however long it takes. None when done; else why it could not be.

        Raises `CompilerStopped`.
        """

    def interrupt(self, game: Game[Any], /) -> None:
        """End the compiling of this game, which is to go on later."""

    def stop(self) -> None:
        """End it."""


class KernelLoader:
    """Prepares games in a thread of its own. `on_ready` is called there after each of them, and
    `on_progress` while one is compiled.

    A game whose kernel can't be compiled is searched by its plain rules from then on. Without a `compiler`
    all is done in the thread.
    """

    def __init__(
        self,
        kernels: Kernels,
        on_ready: Callable[[], None],
        compiler: Compiler | None = None,
        on_progress: Callable[[Compiling], None] = lambda compiling: None,
    ) -> None:
        self._kernels = kernels
        self._compiler = compiler
        self._on_ready, self._on_progress = on_ready, on_progress
        self._lock = threading.Lock()
        self._wanted: OrderedDict[str, Game[Any]] = OrderedDict()
        """A game for each kernel that is wanted: many games may share one."""
        self._awaited: dict[str, None] = {}
        """Those kernels among them that searches wait for, the first asked for first."""
        self._current: str | None = None
        """The one that is at work."""
        self._failed: set[str] = set()
        self._stopped = False
        self._thread: threading.Thread | None = None

    @property
    def working(self) -> bool:
        """Is something being prepared at this moment? It can't be interrupted."""
        thread = self._thread
        return thread is not None and thread.is_alive()

    def prepare(self, games: Iterable[Game[Any]]) -> None:
        """Prepare these, after those that were asked for before."""
        with self._lock:
            for game in games:
                if (kernel := self._kernel_to_load(game)) is not None:
                    self._wanted.setdefault(kernel, game)
            self._begin()

    def load_next(self, game: Game[Any]) -> None:
        """Prepare this one before all that nobody waits for."""
        with self._lock:
            if (kernel := self._kernel_to_load(game)) is not None:
                self._wanted.setdefault(kernel, game)
                self._awaited[kernel] = None
                current = self._current
                if self._compiler is not None and current is not None and current not in self._awaited:
                    self._compiler.interrupt(self._wanted[current])
            self._begin()

    def may_become_ready(self, game: Game[Any]) -> bool:
        """Is it not ready, but may become so?"""
        return self._kernel_to_load(game) is not None

    def stop(self) -> None:
        """Prepare nothing more; what is being loaded is loaded to its end."""
        with self._lock:
            self._stopped = True
            self._wanted.clear()
            self._awaited.clear()
        if self._compiler is not None:
            self._compiler.stop()

    def _kernel_to_load(self, game: Game[Any]) -> str | None:
        """The kernel that is not ready, but may become so."""
        kernel = self._kernels.kernel_for(game)
        if self._stopped or kernel in self._failed or self._kernels.is_ready(game):
            return None
        return kernel

    def join(self, seconds: float) -> None:
        """Wait for what is at work to end, so long at most. Blocks."""
        thread = self._thread
        if thread is not None:
            thread.join(seconds)

    def _begin(self) -> None:
        if self._thread is None and self._wanted:
            # A daemon: nobody waits for a compiler at the end.
            self._thread = threading.Thread(target=self._work, name="parlour-compile", daemon=True)
            self._thread.start()

    def _next(self) -> tuple[str, Game[Any]] | None:
        with self._lock:
            while self._wanted:
                kernel = self._current = next(iter(self._awaited or self._wanted))
                game = self._wanted[kernel]
                # It may have been made since it was asked for.
                if self.may_become_ready(game):
                    return kernel, game
                self._forget(kernel)
            self._thread = None
            return None

    def _forget(self, kernel: str) -> None:
        self._wanted.pop(kernel, None)
        self._awaited.pop(kernel, None)
        # It is at work no longer, and so not to be interrupted.
        self._current = None

    def _work(self) -> None:
        while (wanted := self._next()) is not None:
            kernel, game = wanted
            try:
                fault = self._make(game)
            except CompilerStopped:
                # Another one is waited for, and this one goes on later; or all is at its end.
                continue
            if self._stopped:
                break
            if fault is not None:
                log.warning("a game can't be compiled: its plain rules serve", game=game.name, why=fault)
                self._failed.add(kernel)
            with self._lock:
                self._forget(kernel)
            self._on_ready()

    def _make(self, game: Game[Any]) -> str | None:
        """Have it ready. None when it is, else why it can't be. Raises `CompilerStopped`."""

        def progress(done: int, of: int) -> None:
            self._on_progress(Compiling(game.name, done, of))

        try:
            if self._compiler is not None and not self._compiler.is_kept(game):
                fault = self._compiler.compile(game, progress)
                if fault is not None or self._stopped:
                    return fault
            self._kernels.prepare(game)
        except CompilerStopped:
            raise
        except Exception as error:
            # Whatever a compiler stumbles over, the plain rules remain.
            return str(error)
        return None
