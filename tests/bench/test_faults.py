"""The picture of a run, and what faults are drawn: see `bench.faults`."""

import itertools
import random
from collections import Counter
from xml.etree import ElementTree

from bench.faults.picture import draw
from bench.faults.run import DATABASE_KILLED, KINDS, drawn


def test_a_run_is_drawn() -> None:
    drawing = draw([(0.5, 0.01), (1.5, 0.3)], [(1.0, 1.2, "SIGTERM")], 3.0)
    ElementTree.fromstring(drawing)
    assert ">SIGTERM<" in drawing


def test_of_each_kind_come_about_as_many_faults() -> None:
    blows = drawn(200, random.Random(1), list(KINDS))
    assert Counter(itertools.chain.from_iterable(blows)) == dict.fromkeys(KINDS, 20)
    assert {len(blow) for blow in blows} == {1, 2}
    assert [blow for blow in blows if DATABASE_KILLED in blow] == [[DATABASE_KILLED]] * 20
