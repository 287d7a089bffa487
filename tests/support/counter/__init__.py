"""A shared counter: a second kind of thing that is what its log says, as pure functions and no more."""

from pydantic import TypeAdapter

from parlour_server.aggregate import Aggregate
from tests.support.counter.decide import decide
from tests.support.counter.events import CounterEvent
from tests.support.counter.state import CounterState, answer, evolve

_EVENTS = TypeAdapter[CounterEvent](CounterEvent)


def _is_closed(state: CounterState) -> bool:
    return state.closed


COUNTER = Aggregate(
    "counter", "counter", CounterState, decide, evolve, answer, is_over=_is_closed, events=_EVENTS
)
