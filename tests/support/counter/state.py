"""The state of a counter, and its fold."""

from dataclasses import dataclass, field

from parlour_protocol.ids import Version
from parlour_server.log import LogRecord
from tests.support.counter.events import Added, CounterClosed, CounterEvent, CounterReset


@dataclass(slots=True)
class CounterState:
    key: str
    version: Version = 0
    total: int = 0
    closed: bool = False
    answers: dict[tuple[str, str], Version] = field(default_factory=dict)


def evolve(state: CounterState, record: LogRecord[CounterEvent]) -> None:
    state.version += 1
    if record.command is not None:
        state.answers[record.by, record.command] = state.version
    match record.event:
        case Added(amount):
            state.total += amount
        case CounterReset():
            state.total = 0
        case CounterClosed():
            state.closed = True


def answer(state: CounterState, by: str, command: str) -> Version | None:
    return state.answers.get((by, command))
