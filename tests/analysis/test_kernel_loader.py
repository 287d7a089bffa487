"""Machine code is loaded when it is wanted; what the cache lacks is compiled before, one game at a time."""

import asyncio
from collections.abc import Callable

from structlog.testing import capture_logs

from parlour_protocol.views.reports import Compiling
from parlour_server.analysis.kernel_compiler import KernelCompiler
from parlour_server.analysis.kernel_loader import CodeState, KernelLoader
from parlour_server.analysis.pools import ThreadPool
from parlour_server.analysis.worker import Event, Loaded, NotCompiled
from parlour_server.games.mnk import MNK
from tests.analysis.searches import HandCompiler, HandKernels, until

A, B, C = (MNK(3, 3, 3, name=name) for name in "abc")
GAMES = {game.name: game for game in (A, B, C)}


class HandPool(ThreadPool):
    """Loads these games, which need not be known elsewhere; goes down and comes up when it is told to."""

    def __init__(self, on_event: Callable[[Event], None], kernels: HandKernels) -> None:
        super().__init__(1, on_event, kernels)
        self.kernels, self.started = kernels, 0
        self._report = on_event

    def start(self) -> None:
        self.started += 1

    def load(self, game: str) -> None:
        if game in self.kernels.kept:
            asyncio.get_running_loop().run_in_executor(None, self._prepare, game, asyncio.get_running_loop())
        else:
            asyncio.get_running_loop().call_soon(self._report, NotCompiled(game))

    def _prepare(self, game: str, loop: asyncio.AbstractEventLoop) -> None:
        fault = None
        try:
            self.kernels.prepare(GAMES[game])
        except RuntimeError as error:
            fault = str(error)
        loop.call_soon_threadsafe(self._report, Loaded(game, fault))


class WorkerHarness:
    """A loader with a pool, and what is called there."""

    def __init__(self, kernels: HandKernels, compiler: KernelCompiler | None = None) -> None:
        self.changes = 0
        self.pool = HandPool(self._took, kernels)
        self.loader = KernelLoader(kernels, self.pool, compiler or HandCompiler(kernels), self._changed)

    def _took(self, event: Event) -> None:
        assert isinstance(event, Loaded | NotCompiled)
        self.loader.took(event, GAMES[event.game])

    def _changed(self) -> None:
        self.changes += 1

    def states(self) -> list[CodeState | None]:
        return [self.loader.state(game) for game in (A, B, C)]


async def test_a_game_is_loaded_when_it_is_wanted_and_none_twice() -> None:
    kernels = HandKernels("a", "b")
    harness = WorkerHarness(kernels)
    kernels.let(2)
    for game in (A, C, A, MNK(3, 3, 3, name="a")):
        harness.loader.want(game)
    await until(lambda: harness.states() == [CodeState.READY, None, None])
    harness.loader.want(A)
    harness.loader.want(B)
    await until(lambda: harness.states() == [CodeState.READY, CodeState.READY, None])
    assert kernels.asked == ["a", "b"]
    assert harness.changes == 2


async def test_one_that_fails_is_not_tried_again() -> None:
    kernels = HandKernels("b", broken=["a"])
    harness = WorkerHarness(kernels)
    kernels.let(2)
    with capture_logs() as logs:
        harness.loader.want(A)
        await until(lambda: harness.loader.state(A) is CodeState.FAILED)
    assert [line["event"] for line in logs] == ["a game can't be compiled: its plain rules serve"]
    harness.loader.want(A)
    harness.loader.want(B)
    await until(lambda: harness.loader.state(B) is CodeState.READY)
    assert kernels.asked == ["a", "b"]


async def test_what_the_cache_lacks_is_compiled_first_those_that_are_wanted() -> None:
    kernels = HandKernels("a", "b", "c", kept=False)
    kernels.kept.add("b")
    compiler = HandCompiler(kernels)
    harness = WorkerHarness(kernels, compiler)
    harness.loader.compile_missing([A, B, C])
    await until(lambda: compiler.compiling == ["a"])
    assert harness.states() == [CodeState.COMPILING, None, CodeState.COMPILING]
    harness.loader.want(C)
    # Nothing waits for the other one: it makes way, and is not loaded later.
    await until(lambda: compiler.compiling == ["a", "c"])
    compiler.let(2)
    kernels.let(1)
    await until(lambda: harness.states() == [None, None, CodeState.READY])
    assert (compiler.compiling, kernels.asked) == (["a", "c", "a"], ["c"])


async def test_of_those_that_are_missing_the_wanted_ones_come_first() -> None:
    kernels = HandKernels("a", "b", "c", kept=False)
    compiler = HandCompiler(kernels)
    harness = WorkerHarness(kernels, compiler)
    harness.loader.compile_missing([A, B, C])
    await until(lambda: compiler.compiling == ["a"])
    harness.loader.want(C)
    compiler.let(3)
    kernels.let(1)
    await until(lambda: compiler.compiling == ["a", "c", "b", "a"])
    await harness.loader.stop()


async def test_a_compiler_that_breaks_down_keeps_no_other_waiting() -> None:
    kernels = HandKernels("a", "b", kept=False)

    class Breaking(HandCompiler):
        """Finds no memory for the first."""

        async def compile(self, game: str, progress: object) -> str | None:
            if game == "a":
                return "no room for another process"
            self._kernels.kept.add(game)
            return None

    harness = WorkerHarness(kernels, Breaking(kernels))
    kernels.let(2)
    harness.loader.want(A)
    harness.loader.want(B)
    await until(lambda: harness.states() == [CodeState.FAILED, CodeState.READY, None])


async def test_one_that_is_compiled_and_yet_not_kept_has_failed() -> None:
    kernels = HandKernels("a", kept=False)

    class Losing(HandCompiler):
        """Leaves nothing in the cache."""

        async def compile(self, game: str, progress: object) -> str | None:
            self.compiling.append(game)
            return None

    compiler = Losing(kernels)
    harness = WorkerHarness(kernels, compiler)
    harness.loader.want(A)
    await until(lambda: harness.loader.state(A) is CodeState.FAILED)
    assert compiler.compiling == ["a"]


async def test_what_is_compiled_is_shown_with_its_game() -> None:
    kernels = HandKernels("a", kept=False)
    compiler = HandCompiler(kernels)
    harness = WorkerHarness(kernels, compiler)
    harness.loader.want(A)
    await until(lambda: bool(compiler.compiling))
    compiler.tell(2, 11)
    await until(lambda: harness.loader.compiling == Compiling("a", 2, 11))
    await harness.loader.stop()


async def test_one_that_was_stopped_begins_nothing_more() -> None:
    kernels = HandKernels("a", "b", kept=False)
    compiler = HandCompiler(kernels)
    harness = WorkerHarness(kernels, compiler)
    harness.loader.want(A)
    await until(lambda: compiler.compiling == ["a"])
    harness.loader.want(B)
    await harness.loader.stop()
    harness.loader.want(C)
    assert (compiler.compiling, kernels.asked) == (["a"], [])


async def test_workers_that_died_load_it_again_once_it_is_wanted() -> None:
    kernels = HandKernels("a")
    kernels.let(9)
    harness = WorkerHarness(kernels)
    harness.pool.up = False
    harness.loader.want(A)
    assert (harness.pool.started, kernels.asked) == (1, [])
    harness.pool.up = True
    harness.loader.pool_changed()
    await until(lambda: harness.loader.state(A) is CodeState.READY)
    harness.pool.up = False
    harness.loader.pool_changed()
    assert harness.loader.state(A) is None
    harness.pool.up = True
    harness.loader.want(A)
    await until(lambda: harness.loader.state(A) is CodeState.READY)


async def test_code_at_whose_loading_the_workers_die_is_given_up() -> None:
    kernels = HandKernels("a")
    harness = WorkerHarness(kernels)
    for state in (None, CodeState.FAILED):
        harness.pool.up = True
        harness.loader.want(A)
        harness.pool.up = False
        harness.loader.pool_changed()
        assert harness.loader.state(A) is state
    kernels.let(2)
