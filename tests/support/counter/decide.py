"""What a command does to a counter."""

from parlour_protocol.errors import Code
from parlour_server.aggregate import Decision, Moment
from parlour_server.refusals import Refusal
from tests.support.counter.commands import Add, Close, CounterCommand
from tests.support.counter.events import Added, CounterClosed, CounterReset
from tests.support.counter.state import CounterState

MOST = 1000


def decide(state: CounterState, command: CounterCommand, moment: Moment) -> Decision:
    """Raises `Refusal` where it would count too far."""
    if state.closed:
        raise Refusal(Code.NOT_ALLOWED, "This counter counts no further.")
    if isinstance(command, Close):
        return Decision([CounterClosed()])
    if not isinstance(command, Add):
        return Decision([CounterReset()] if state.total else [])
    if not 0 <= state.total + command.amount <= MOST:
        raise Refusal(Code.NOT_ALLOWED, f"A counter counts from 0 to {MOST}.")
    return Decision([Added(command.amount)])
