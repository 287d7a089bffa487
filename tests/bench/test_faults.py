"""Three nodes over one PostgreSQL through a fault of almost every kind: see `bench.faults`."""

import itertools
import random
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from bench.faults.picture import draw
from bench.faults.run import DATABASE_KILLED, KINDS, Size, drawn, run, table
from tests.support import postgres

SIZE = Size(people=4, watched=1, mixed=1, bots=1, games=2, thinks=(0.05, 0.2))
BLOWS = [
    [DATABASE_KILLED],
    ["kill -9 of a node", "database cut off silently", "people cut off with a reset"],
]


@pytest.fixture
def own_postgres() -> Iterator[postgres.Server]:
    """A PostgreSQL that may be killed."""
    # Its files are another account's, and pytest would keep them.
    with (
        tempfile.TemporaryDirectory(prefix="parlour-cluster-") as folder,
        postgres.running(Path(folder)) as server,
    ):
        yield server


async def test_nothing_is_lost_or_doubled_whatever_befalls_the_nodes(
    own_postgres: postgres.Server, tmp_path: Path
) -> None:
    outcome = await run(
        own_postgres,
        tmp_path,
        seed=15,
        blows=BLOWS,
        size=SIZE,
        span=0.15,
        options=("--search-executor", "thread", "--search-workers", "1"),
    )
    assert [fault.kind for fault in outcome.faults] == [kind for blow in BLOWS for kind in blow]
    assert f"{outcome.rooms} rooms, {SIZE.games * outcome.rooms} games" in table(outcome)


def test_a_run_is_drawn() -> None:
    drawing = draw([(0.5, 0.01), (1.5, 0.3)], [(1.0, 1.2, "SIGTERM")], 3.0)
    ElementTree.fromstring(drawing)
    assert ">SIGTERM<" in drawing


def test_of_each_kind_come_about_as_many_faults() -> None:
    blows = drawn(200, random.Random(1), list(KINDS))
    assert Counter(itertools.chain.from_iterable(blows)) == dict.fromkeys(KINDS, 20)
    assert {len(blow) for blow in blows} == {1, 2}
    assert [blow for blow in blows if DATABASE_KILLED in blow] == [[DATABASE_KILLED]] * 20
