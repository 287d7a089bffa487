"""Large answers in parts, each small enough to be encoded within a millisecond or two."""

from collections.abc import Sequence
from typing import TypeVar

from pydantic_core import to_json

PAGE_BYTES = 64 * 1024
"""A page is about so large: its last item may be beyond it, and it has one at least."""

T = TypeVar("T")


def page(items: Sequence[T], after: int) -> tuple[list[T], bool]:
    """What follows the first `after` items, as much as fits into one message; and is there more?"""
    size, end = 0, after
    while end < len(items) and size < PAGE_BYTES:
        size += len(to_json(items[end]))
        end += 1
    return list(items[after:end]), end < len(items)
