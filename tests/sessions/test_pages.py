"""Large answers in parts."""

from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import to_json

from parlour_server.sessions.log_queries import PAGE_BYTES, page


@given(st.lists(st.integers(0, PAGE_BYTES + 10), max_size=20))
def test_the_parts_of_an_answer_are_all_of_it_and_none_is_too_large(sizes: list[int]) -> None:
    items = ["x" * size for size in sizes]
    found: list[str] = []
    more = True
    while more:
        part, more = page(items, len(found))
        assert part or not items
        # Only the last item may be beyond it.
        assert len(to_json(part[:-1])) <= PAGE_BYTES + 2 * len(part)
        found += part
    assert found == items


def test_what_begins_behind_the_end_is_empty() -> None:
    assert page(["a"], 5) == ([], False)
