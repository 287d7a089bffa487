"""The table of mutations keeps up with the code."""

import pytest

from tests.mutations.copy import mutated
from tests.mutations.table import MUTATIONS, Mutation
from tests.support.server import ROOT


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_a_mutation_applies_once_and_compiles(mutation: Mutation) -> None:
    assert mutated(mutation) != (ROOT / mutation.file).read_text("utf-8")
    assert all((ROOT / "tests" / path).exists() for path in mutation.tests.split())


def test_names_are_their_own() -> None:
    assert len({mutation.name for mutation in MUTATIONS}) == len(MUTATIONS) >= 44
