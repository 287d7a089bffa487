"""Numbers as bars."""

from hypothesis import given
from hypothesis import strategies as st

from parlour_client.text.sparkline import BARS, sparkline


@given(st.lists(st.floats(0, 1e9)), st.integers(0, 40))
def test_it_is_as_wide_as_asked_and_what_is_not_nothing_shows(values: list[float], width: int) -> None:
    shown = sparkline(values, width)
    assert len(shown) == width
    assert set(shown) <= set(BARS)
    last = values[-width:] if width else []
    assert [bar != " " for bar in shown[width - len(last) :]] == [value > 0 for value in last]
