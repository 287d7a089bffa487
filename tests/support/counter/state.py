"""The state of a counter, and its fold."""

from dataclasses import dataclass, field

from parlour_protocol.ids import Version
from parlour_server.log import LogRecord
from tests.support.counter.events import Added, CounterEvent


@dataclass(slots=True)
class CounterState:
    key: str
    version: Version = 0
    total: int = 0
    answers: dict[tuple[str, str], Version] = field(default_factory=dict)


def evolve(state: CounterState, record: LogRecord[CounterEvent]) -> None:
    state.version += 1
    if record.command is not None:
        state.answers[record.by, record.command] = state.version
    state.total = state.total + record.event.amount if isinstance(record.event, Added) else 0


def answer(state: CounterState, by: str, command: str) -> Version | None:
    return state.answers.get((by, command))
