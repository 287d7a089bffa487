"""Which games' machine code the workers have, and how they come to have it.

Workers load it when the first search wants it, which takes a second. What the cache on the disk does not have
is compiled in another process, one game after the other, those first that searches want: what nothing waits
for makes way in the middle, and goes on later from where it was.

    (not wanted) -> loading -> ready
                       |         ^
                       v         |
                   compiling -> loading       and failed, where a game can't be compiled or loaded

Where the workers die with what they have loaded, all that was ready is not wanted again.
"""

import asyncio
from collections.abc import Callable, Iterable
from enum import Enum, auto
from typing import Any

from parlour_protocol.views.reports import Compiling
from parlour_server.analysis import log
from parlour_server.analysis.kernel_compiler import KernelCompiler
from parlour_server.analysis.pools import WorkerPool
from parlour_server.analysis.worker import Kernels, Loaded, NotCompiled
from parlour_server.games.game import Game


class CodeState(Enum):
    """Where a game's machine code is."""

    LOADING = auto()
    COMPILING = auto()
    READY = auto()
    FAILED = auto()


class KernelLoader:
    """Has machine code loaded, and compiled where that is necessary. All is called on the loop, and so is
    `on_change`. Games that share a kernel share its state, too."""

    def __init__(
        self, kernels: Kernels, pool: WorkerPool, compiler: KernelCompiler, on_change: Callable[[], None]
    ) -> None:
        self._kernels, self._pool, self._compiler = kernels, pool, compiler
        self._on_change = on_change
        self._states: dict[str, CodeState] = {}
        """By kernel; those that nothing wants are missing."""
        self._to_load: dict[str, Game[Any]] = {}
        """What is wanted from a pool that is not up, by kernel."""
        self._to_compile: dict[str, Game[Any]] = {}
        """By kernel, the next one first."""
        self._compiled: set[str] = set()
        """The kernels that have been compiled since the start."""
        self._died: set[str] = set()
        """Those at whose loading the workers died."""
        self._wanted: set[str] = set()
        """The kernels that are to be loaded when they have been compiled."""
        self._work: asyncio.Task[None] | None = None
        self._under_way: tuple[str, asyncio.Task[str | None]] | None = None
        """The kernel that is being compiled."""
        self._stopped = False
        self.compiling: Compiling | None = None
        """What is being compiled, and how far that is."""

    def state(self, game: Game[Any]) -> CodeState | None:
        """Where a game's machine code is; None: it is not wanted."""
        return self._states.get(self._kernels.kernel_for(game) or "")

    def has_code(self, game: Game[Any]) -> bool:
        """Is there machine code of it, as far as is known?"""
        return self._kernels.kernel_for(game) is not None and self.state(game) is not CodeState.FAILED

    def want(self, game: Game[Any]) -> None:
        """Have it loaded, before all that nothing waits for."""
        kernel = self._kernels.kernel_for(game)
        if kernel is None or self._stopped:
            return
        match self._states.get(kernel):
            case None:
                self._load(kernel, game)
            case CodeState.COMPILING if kernel not in self._wanted:
                self._wanted.add(kernel)
                if kernel in self._to_compile:
                    self._compile_next(kernel, game)

    def compile_missing(self, games: Iterable[Game[Any]]) -> None:
        """Have compiled what the cache lacks of these, and load nothing."""
        by_kernel = {kernel: game for game in games if (kernel := self._kernels.kernel_for(game))}
        if by_kernel and not self._stopped:
            self._work = asyncio.create_task(self._compile_all(by_kernel))

    def took(self, event: Loaded | NotCompiled, game: Game[Any]) -> None:
        """The workers say what became of a game that was to be loaded."""
        kernel = self._kernels.kernel_for(game)
        if kernel is None or self._states.get(kernel) is not CodeState.LOADING:
            return
        if isinstance(event, NotCompiled):
            if kernel in self._compiled:
                self._fail(kernel, game, "What was compiled is not in the cache.")
            else:
                self._wanted.add(kernel)
                self._compile(kernel, game)
                self._compile_next(kernel, game)
        elif event.fault is None:
            self._states[kernel] = CodeState.READY
        else:
            self._fail(kernel, game, event.fault)
        self._on_change()

    def pool_changed(self) -> None:
        """The workers have been started, or have ended with all that they had loaded."""
        if self._pool.up:
            games, self._to_load = self._to_load, {}
            for game in games.values():
                self._pool.load(game.name)
        else:
            for kernel, state in list(self._states.items()):
                if state is CodeState.READY or (state is CodeState.LOADING and kernel not in self._died):
                    del self._states[kernel]
                    if state is CodeState.LOADING and kernel not in self._to_load:
                        self._died.add(kernel)
                elif state is CodeState.LOADING:
                    # Perhaps it is this code that kills them.
                    log.warning("a game can't be loaded: its plain rules serve", kernel=kernel)
                    self._states[kernel] = CodeState.FAILED
            self._to_load.clear()

    async def stop(self) -> None:
        """Load and compile nothing more."""
        self._stopped = True
        self._to_compile.clear()
        if self._work is not None:
            self._work.cancel()
            await asyncio.wait([self._work])

    def _load(self, kernel: str, game: Game[Any]) -> None:
        self._states[kernel] = CodeState.LOADING
        if self._pool.up:
            self._pool.load(game.name)
        else:
            self._to_load[kernel] = game
            self._pool.start()

    def _fail(self, kernel: str, game: Game[Any], fault: str) -> None:
        log.warning("a game can't be compiled: its plain rules serve", game=game.name, why=fault)
        self._states[kernel] = CodeState.FAILED

    def _compile(self, kernel: str, game: Game[Any]) -> None:
        self._states[kernel] = CodeState.COMPILING
        self._to_compile.setdefault(kernel, game)
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._compile_all({}))

    def _compile_next(self, kernel: str, game: Game[Any]) -> None:
        """Compile it before all others, and now if nothing waits for what is being compiled."""
        self._to_compile = {kernel: game, **self._to_compile}
        if self._under_way is not None and self._under_way[0] not in self._wanted:
            self._under_way[1].cancel()

    async def _compile_all(self, perhaps: dict[str, Game[Any]]) -> None:
        if perhaps:
            names = [game.name for game in perhaps.values()]
            missing = set(await self._compiler.missing(names))
            for kernel, game in perhaps.items():
                if game.name in missing and self._states.get(kernel) is None:
                    self._compile(kernel, game)
        while self._to_compile:
            kernel = next(iter(self._to_compile))
            game = self._to_compile.pop(kernel)
            compiling = asyncio.create_task(self._compiler.compile(game.name, self._compiled_more))
            self._under_way = kernel, compiling
            try:
                await asyncio.wait([compiling])
            except asyncio.CancelledError:
                # Its process ends first.
                compiling.cancel()
                await asyncio.wait([compiling])
                raise
            self._under_way = self.compiling = None
            if compiling.cancelled():
                self._to_compile[kernel] = game
                continue
            fault = compiling.result()
            self._compiled.add(kernel)
            if fault is not None:
                self._fail(kernel, game, fault)
            elif kernel in self._wanted:
                self._load(kernel, game)
            else:
                del self._states[kernel]
            self._wanted.discard(kernel)
            self._on_change()

    def _compiled_more(self, compiling: Compiling) -> None:
        self.compiling = compiling
        self._on_change()
