"""Compiled code is made in the background: one game at a time, first the one that somebody waits for."""

import sys
import threading

from parlour_server.games.mnk import MNK
from parlour_server.live.warming import TURN_SECONDS, Warmer
from tests.live.desk import HandKernels, until

A, B, C = (MNK(3, 3, 3, name=name) for name in "abc")


async def idle(warmer: Warmer) -> None:
    await until(lambda: not warmer.working)


async def test_games_are_prepared_one_after_another_in_one_thread_apart() -> None:
    threads = []

    class Watched(HandKernels):
        def prepare(self, game: object, /) -> None:
            threads.append(threading.current_thread())
            super().prepare(game)  # type: ignore[arg-type]

    kernels, told = Watched("a", "b"), []
    warmer = Warmer(kernels, lambda: told.append(len(kernels.ready)))
    warmer.prepare([A, C, B, A])
    kernels.let(2)
    await idle(warmer)
    # One that has no kernel is passed over, and none is prepared twice.
    assert (kernels.asked, told) == (["a", "b"], [1, 2])
    assert len(set(threads)) == 1
    assert threads[0].daemon


async def test_who_waits_is_served_next() -> None:
    kernels = HandKernels("a", "b", "c")
    warmer = Warmer(kernels, lambda: None)
    warmer.prepare([A, B, C])
    await until(lambda: kernels.asked == ["a"])
    warmer.hasten(C)
    warmer.hasten(C)
    kernels.let(3)
    await idle(warmer)
    assert kernels.asked == ["a", "c", "b"]


async def test_who_waits_longer_asks_for_no_more() -> None:
    # Each move of each room asks again, and two games may share a kernel.
    kernels = HandKernels("a", "b", "c")
    warmer = Warmer(kernels, lambda: None)
    warmer.prepare([A])
    await until(lambda: kernels.asked == ["a"])
    for _ in range(3):
        for game in (B, C, MNK(3, 3, 3, name="b")):
            warmer.hasten(game)
    warmer.prepare([B, C])
    assert list(warmer._wanted) == ["b", "c"]
    kernels.let(3)
    await idle(warmer)
    assert kernels.asked == ["a", "b", "c"]


async def test_it_begins_again_when_something_is_wanted_later() -> None:
    kernels = HandKernels("a", "b")
    warmer = Warmer(kernels, lambda: None)
    kernels.let(2)
    for game in (A, B):
        assert warmer.hopes_for(game)
        warmer.hasten(game)
        await idle(warmer)
        assert not warmer.hopes_for(game)
    assert kernels.ready == {"a", "b"}


async def test_one_that_fails_is_not_tried_again_and_keeps_no_other_waiting() -> None:
    kernels = HandKernels("b", broken=["a"])
    warmer = Warmer(kernels, lambda: None)
    kernels.let(2)
    warmer.prepare([A, B, A])
    await idle(warmer)
    warmer.hasten(A)
    await idle(warmer)
    assert (kernels.asked, kernels.ready) == (["a", "b"], {"b"})
    assert not warmer.hopes_for(A)


async def test_a_compiler_that_breaks_down_keeps_no_other_waiting() -> None:
    class Breaking:
        """Finds no memory for the first."""

        def is_kept(self, game: object, /) -> bool:
            return False

        def compile(self, game: object, /) -> str | None:
            if game is A:
                raise BlockingIOError("no room for another process")
            return None

        def stop(self) -> None:
            """Nothing runs."""

    kernels = HandKernels("a", "b")
    warmer = Warmer(kernels, lambda: None, Breaking())
    kernels.let(2)
    warmer.prepare([A, B])
    await idle(warmer)
    assert kernels.ready == {"b"}
    assert not warmer.hopes_for(A)


async def test_one_that_was_stopped_begins_nothing_more() -> None:
    kernels = HandKernels("a", "b")
    warmer = Warmer(kernels, lambda: None)
    warmer.prepare([A, B])
    await until(lambda: kernels.asked == ["a"])
    warmer.stop()
    warmer.hasten(B)
    kernels.let(2)
    await idle(warmer)
    warmer.prepare([B])
    assert not warmer.working
    assert kernels.asked == ["a"]


async def test_threads_take_shorter_turns_while_it_works() -> None:
    usual = sys.getswitchinterval()
    kernels = HandKernels("a")
    warmer = Warmer(kernels, lambda: None)
    warmer.prepare([A])
    await until(lambda: bool(kernels.asked))
    assert sys.getswitchinterval() == TURN_SECONDS < usual
    kernels.let()
    await idle(warmer)
    assert sys.getswitchinterval() == usual
