"""Long answers, which come in parts."""

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from parlour_client.sdk.errors import Refused
from parlour_client.sdk.pagination import collect
from parlour_protocol.answers import Refused as RefusedMessage
from parlour_protocol.errors import Code


@dataclass
class Part:
    items: list[int]
    more: bool


@given(st.lists(st.integers(1, 5), max_size=6))
async def test_all_parts_are_fetched_one_behind_the_other(sizes: list[int]) -> None:
    items = list(range(sum(sizes)))
    left = list(sizes)

    async def ask(after: int) -> Part:
        end = after + (left.pop(0) if left else 0)
        return Part(items[after:end], end < len(items))

    last, found = await collect(ask, lambda part: part.items)
    assert (found, last.more, left) == (items, False, [])


async def test_a_part_that_has_to_wait_is_asked_for_again() -> None:
    refusals = [Refused(RefusedMessage(Code.TOO_FAST, "Wait.", retry_after=0.001)) for _ in range(2)]

    async def ask(after: int) -> Part:
        if after and refusals:
            raise refusals.pop()
        return Part([after], after < 2)

    _, found = await collect(ask, lambda part: part.items)
    assert (found, refusals) == ([0, 1, 2], [])


async def test_an_empty_part_is_the_last_whatever_it_says() -> None:
    async def ask(after: int) -> Part:
        return Part([], True)

    assert (await collect(ask, lambda part: part.items))[1] == []
