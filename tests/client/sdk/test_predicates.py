"""Waiting for a state."""

import asyncio

import pytest

from parlour_client.sdk.predicates import StateWaiters


async def test_every_state_is_looked_at_however_fast_they_follow() -> None:
    waiting: StateWaiters[int] = StateWaiters()
    odd = asyncio.create_task(waiting.until(lambda number: number % 2 == 1))
    large = asyncio.create_task(waiting.until(lambda number: number > 3))
    await asyncio.sleep(0)
    for number in (2, 3, 4, 6):
        waiting.publish(number)
    assert (await odd, await large) == (3, 4)


async def test_it_ends_with_a_reason_and_a_wrong_question_is_its_askers_own() -> None:
    waiting: StateWaiters[int] = StateWaiters()
    asking = [
        asyncio.create_task(waiting.until(lambda number: 1 // number > 0)),
        asyncio.create_task(waiting.until(lambda number: number > 3)),
    ]
    await asyncio.sleep(0)
    waiting.publish(0)
    waiting.end(EOFError("no more"))
    with pytest.raises(ZeroDivisionError):
        await asking[0]
    with pytest.raises(EOFError, match="no more"):
        await asking[1]


async def test_who_gives_up_is_forgotten() -> None:
    waiting: StateWaiters[int] = StateWaiters()
    asking = asyncio.create_task(waiting.until(lambda number: number > 3))
    await asyncio.sleep(0)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert waiting._waiters == []
