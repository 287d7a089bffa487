"""A stream for one reader: in order, bounded, and ended with a reason."""

import asyncio

import pytest

from parlour_client.sdk.stream import Stream


def ends(stream: Stream[int]) -> None:
    stream.end(ValueError("full"))


def begins_again(stream: Stream[int]) -> None:
    stream.begin_again(99)


async def test_it_is_read_in_order_and_waited_for() -> None:
    stream: Stream[int] = Stream(ends)
    stream.put(1)
    assert await anext(stream) == 1
    waiting = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(0)
    assert not waiting.done()
    stream.put(2)
    assert await waiting == 2


async def test_what_came_before_the_end_is_still_read() -> None:
    stream: Stream[int] = Stream(ends)
    stream.put(1)
    stream.end(KeyError("gone"))
    stream.end()
    stream.put(2)
    assert await anext(stream) == 1
    with pytest.raises(KeyError, match="gone"):
        await anext(stream)
    quiet: Stream[int] = Stream(ends)
    quiet.end()
    assert [item async for item in quiet] == []


async def test_an_end_wakes_whoever_waits() -> None:
    stream: Stream[int] = Stream(ends)
    waiting = asyncio.ensure_future(anext(stream, None))
    await asyncio.sleep(0)
    stream.end()
    assert await waiting is None


async def test_it_holds_so_much_and_no_more() -> None:
    full: Stream[int] = Stream(ends, most=2)
    for number in range(4):
        full.put(number)
    assert [await anext(full), await anext(full)] == [0, 1]
    with pytest.raises(ValueError, match="full"):
        await anext(full)
    renewed: Stream[int] = Stream(begins_again, most=2)
    for number in range(4):
        renewed.put(number)
    # What did not fit is told by what it begins again with.
    assert [await anext(renewed), await anext(renewed)] == [99, 3]
