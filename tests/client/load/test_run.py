from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from parlour_client.load.histogram import Histogram
from parlour_client.load.plan import OUTCOME, Outcome, Plan
from parlour_client.load.run import LoadResult, split

PLAN = Plan("ws://127.0.0.1:1", 10, 1.0, None, 0, bots=False, game="tictactoe")


@given(st.integers(1, 200), st.integers(1, 64), st.none() | st.floats(0.1, 1e5))
def test_every_room_and_every_move_belongs_to_one_process(
    rooms: int, processes: int, rate: float | None
) -> None:
    plans = split(replace(PLAN, rooms=rooms, moves_per_second=rate), min(processes, rooms))
    numbers = [number for one in plans for number in range(one.first_room, one.first_room + one.rooms)]
    assert numbers == list(range(rooms))
    assert max(one.rooms for one in plans) - min(one.rooms for one in plans) <= 1
    if rate is not None:
        rates = [one.moves_per_second or 0.0 for one in plans]
        assert abs(sum(rates) - rate) < rate * 1e-9


def result(*, busiest: float = 0.1, late: float = 0.0, waited: float = 0.01, used: float = 0.1) -> LoadResult:
    outcome = Outcome(rooms=1, seconds=1.0, busiest=busiest, cpu_seconds=used)
    outcome.late, outcome.latency = Histogram(), Histogram()
    outcome.late.add(late)
    outcome.latency.add(waited)
    return LoadResult(PLAN, 1, outcome, None)


def test_it_says_what_made_its_figures() -> None:
    assert result().bottleneck is None
    assert result(busiest=0.97).bottleneck == "load"
    assert result(late=0.006).bottleneck == "lateness"
    assert result(late=0.006, waited=1.0).bottleneck is None
    assert result(used=1000.0).bottleneck == "machine"


def test_what_is_lost_or_contradicted_is_not_sound() -> None:
    assert result().sound
    for name, value in (("faults", ["KMRTQA: wrong"]), ("missing", 1), ("rooms", 0)):
        found = result()
        setattr(found.outcome, name, value)
        assert not found.sound


def test_outcomes_of_processes_add_up_after_their_way_as_json() -> None:
    one = Outcome(moves=3, rooms=1, seconds=2.0, busiest=0.5)
    one.refused["busy"] += 2
    one.latency.add(0.5)
    there = OUTCOME.validate_json(OUTCOME.dump_json(one))
    assert there == one
    there.merge(Outcome(moves=4, rooms=2, seconds=3.0, busiest=0.25, faults=["x"]))
    assert (there.moves, there.rooms, there.seconds, there.busiest) == (7, 3, 3.0, 0.5)
    assert there.faults == ["x"] and there.refused == {"busy": 2}
