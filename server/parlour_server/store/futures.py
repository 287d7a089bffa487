"""Answers to those who wait for a store."""

import asyncio
from typing import TypeVar

T = TypeVar("T")


def settle(future: asyncio.Future[T], result: T, error: BaseException | None) -> None:
    """Give a future its result, or the error if there is one; nothing where it is settled already."""
    if future.done():
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)
