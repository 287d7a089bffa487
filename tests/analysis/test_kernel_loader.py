"""Compiled code is made in the background: one game at a time, first the one that somebody waits for."""

import threading

from parlour_protocol.views.reports import Compiling
from parlour_server.analysis.kernel_loader import KernelLoader
from parlour_server.games.mnk import MNK
from tests.analysis.searches import HandCompiler, HandKernels, until

A, B, C = (MNK(3, 3, 3, name=name) for name in "abc")


async def idle(warmer: KernelLoader) -> None:
    await until(lambda: not warmer.working)


async def test_games_are_prepared_one_after_another_in_one_thread_apart() -> None:
    threads = []

    class Watched(HandKernels):
        def prepare(self, game: object, /) -> None:
            threads.append(threading.current_thread())
            super().prepare(game)  # type: ignore[arg-type]

    kernels, told = Watched("a", "b"), []
    warmer = KernelLoader(kernels, lambda: told.append(len(kernels.ready)))
    warmer.prepare([A, C, B, A])
    kernels.let(2)
    await idle(warmer)
    # One that has no kernel is passed over, and none is prepared twice.
    assert (kernels.asked, told) == (["a", "b"], [1, 2])
    assert len(set(threads)) == 1
    assert threads[0].daemon


async def test_who_waits_is_served_next() -> None:
    kernels = HandKernels("a", "b", "c")
    warmer = KernelLoader(kernels, lambda: None)
    warmer.prepare([A, B, C])
    await until(lambda: kernels.asked == ["a"])
    warmer.load_next(C)
    warmer.load_next(C)
    kernels.let(3)
    await idle(warmer)
    assert kernels.asked == ["a", "c", "b"]


async def test_who_waits_longer_asks_for_no_more() -> None:
    # Each move of each room asks again, and two games may share a kernel.
    kernels = HandKernels("a", "b", "c")
    warmer = KernelLoader(kernels, lambda: None)
    warmer.prepare([A])
    await until(lambda: kernels.asked == ["a"])
    for _ in range(3):
        for game in (B, C, MNK(3, 3, 3, name="b")):
            warmer.load_next(game)
    warmer.prepare([B, C])
    assert list(warmer._wanted) == ["a", "b", "c"]
    kernels.let(3)
    await idle(warmer)
    assert kernels.asked == ["a", "b", "c"]


async def test_it_begins_again_when_something_is_wanted_later() -> None:
    kernels = HandKernels("a", "b")
    warmer = KernelLoader(kernels, lambda: None)
    kernels.let(2)
    for game in (A, B):
        assert warmer.may_become_ready(game)
        warmer.load_next(game)
        await idle(warmer)
        assert not warmer.may_become_ready(game)
    assert kernels.ready == {"a", "b"}


async def test_one_that_fails_is_not_tried_again_and_keeps_no_other_waiting() -> None:
    kernels = HandKernels("b", broken=["a"])
    warmer = KernelLoader(kernels, lambda: None)
    kernels.let(2)
    warmer.prepare([A, B, A])
    await idle(warmer)
    warmer.load_next(A)
    await idle(warmer)
    assert (kernels.asked, kernels.ready) == (["a", "b"], {"b"})
    assert not warmer.may_become_ready(A)


async def test_a_compiler_that_breaks_down_keeps_no_other_waiting() -> None:
    class Breaking:
        """Finds no memory for the first."""

        def is_kept(self, game: object, /) -> bool:
            return False

        def compile(self, game: object, progress: object, /) -> str | None:
            if game is A:
                raise BlockingIOError("no room for another process")
            return None

        def interrupt(self, game: object, /) -> None:
            """Nothing runs."""

        def stop(self) -> None:
            """Nothing runs."""

    kernels = HandKernels("a", "b")
    warmer = KernelLoader(kernels, lambda: None, Breaking())
    kernels.let(2)
    warmer.prepare([A, B])
    await idle(warmer)
    assert kernels.ready == {"b"}
    assert not warmer.may_become_ready(A)


async def test_one_that_nobody_waits_for_gives_way_and_goes_on_later() -> None:
    kernels, compiler = HandKernels("a", "b", "c"), HandCompiler()
    warmer = KernelLoader(kernels, lambda: None, compiler)
    kernels.let(3)
    warmer.prepare([A, B])
    await until(lambda: compiler.compiling == ["a"])
    warmer.load_next(C)
    await until(lambda: compiler.compiling == ["a", "c"])
    # Those that are waited for keep their order, and interrupt nobody of their kind.
    warmer.load_next(B)
    assert compiler.compiling == ["a", "c"]
    compiler.let(3)
    await idle(warmer)
    assert compiler.compiling == ["a", "c", "b", "a"]
    assert kernels.asked == ["c", "b", "a"]


async def test_one_that_comes_to_be_waited_for_is_not_interrupted() -> None:
    kernels, compiler = HandKernels("a", "b"), HandCompiler()
    warmer = KernelLoader(kernels, lambda: None, compiler)
    kernels.let(2)
    warmer.prepare([A, B])
    await until(lambda: compiler.compiling == ["a"])
    warmer.load_next(A)
    warmer.load_next(B)
    compiler.let(2)
    await idle(warmer)
    assert compiler.compiling == ["a", "b"]


async def test_between_two_of_them_there_is_nothing_to_interrupt() -> None:
    kernels, compiler = HandKernels("a", "b"), HandCompiler()
    kernels.let(2)
    compiler.let(2)
    # Called in the loader's thread, when the one is done and the other not begun.
    warmer = KernelLoader(kernels, lambda: warmer.load_next(B), compiler)
    warmer.prepare([A])
    await idle(warmer)
    assert compiler.compiling == ["a", "b"]


async def test_what_is_compiled_is_shown_with_its_game() -> None:
    kernels, compiler, shown = HandKernels("a"), HandCompiler(), list[Compiling]()
    warmer = KernelLoader(kernels, lambda: None, compiler, shown.append)
    warmer.prepare([A])
    await until(lambda: bool(compiler.compiling))
    compiler.tell(2, 11)
    assert shown == [Compiling("a", 2, 11)]
    warmer.stop()
    await idle(warmer)


async def test_one_that_was_stopped_begins_nothing_more() -> None:
    kernels = HandKernels("a", "b")
    warmer = KernelLoader(kernels, lambda: None)
    warmer.prepare([A, B])
    await until(lambda: kernels.asked == ["a"])
    warmer.stop()
    warmer.load_next(B)
    kernels.let(2)
    await idle(warmer)
    warmer.prepare([B])
    assert not warmer.working
    assert kernels.asked == ["a"]
