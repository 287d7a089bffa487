"""Names that could be taken for one another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour_server.room.look_alikes import look_alike


@pytest.mark.parametrize(
    ("one", "another"),
    [
        ("Ada", "ada"),
        ("Ada", "Аdа"),
        ("Сора", "Copa"),
        ("Ida", "lda"),
        ("Ida", "ida"),
        ("B0b", "BOb"),
        ("Tom", "Torn"),
        ("Ada 2", "Ada2"),
        ("A.d.a", "Ada"),
    ],
)
def test_these_could_be_taken_for_each_other(one: str, another: str) -> None:
    assert look_alike(one, another)
    assert look_alike(another, one)


@pytest.mark.parametrize(
    ("one", "another"), [("Ada", "Ben"), ("Ada", "Ádá"), ("Ada", "Ada 2"), ("Ольга", "Olga")]
)
def test_these_could_not(one: str, another: str) -> None:
    assert not look_alike(one, another)


@given(st.text(alphabet=st.characters(categories=["L", "N"]), min_size=1, max_size=24))
def test_a_name_looks_like_itself_in_any_case(name: str) -> None:
    assert look_alike(name, name)
    assert look_alike(name, name.lower())
