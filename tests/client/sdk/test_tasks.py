"""Work that runs at the same time, and ends together."""

import asyncio

import pytest

from parlour_client.sdk.tasks import first_done


class Forever:
    """Work that is never done; it notes that it was cancelled."""

    def __init__(self) -> None:
        self.cancelled = False

    async def run(self) -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        return "never"


async def giving(value: str) -> str:
    return value


async def failing() -> str:
    raise ValueError("no")


async def test_the_first_that_is_done_counts_and_the_others_are_cancelled() -> None:
    slow, helper = Forever(), Forever()
    assert await first_done(slow.run(), giving("quick"), beside=[helper.run()]) == "quick"
    assert slow.cancelled
    assert helper.cancelled


async def test_of_two_that_are_done_at_once_the_first_in_order_counts() -> None:
    assert await first_done(giving("one"), giving("two")) == "one"
    with pytest.raises(ValueError, match="no"):
        await first_done(failing(), giving("two"))


async def test_an_error_is_raised_after_the_others_are_cancelled() -> None:
    slow = Forever()
    with pytest.raises(ValueError, match="no"):
        await first_done(slow.run(), failing())
    assert slow.cancelled


async def test_what_runs_beside_ends_the_rest_only_by_an_error() -> None:
    gate = asyncio.Event()

    async def opens() -> None:
        gate.set()

    async def waits() -> str:
        await gate.wait()
        return "done"

    assert await first_done(waits(), beside=[opens()]) == "done"
    slow = Forever()
    with pytest.raises(ValueError, match="no"):
        await first_done(slow.run(), beside=[failing()])
    assert slow.cancelled


async def test_cancelling_it_cancels_everything() -> None:
    slow, helper = Forever(), Forever()
    task = asyncio.create_task(first_done(slow.run(), beside=[helper.run()]))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert slow.cancelled
    assert helper.cancelled
