"""Whatever goes wrong with a command, it is answered: the one place that turns an error into a refusal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from parlour_protocol.errors import Code
from parlour_protocol.words import Sentence
from parlour_server.analysis import log
from parlour_server.refusals import Refusal, internal_error

Refuse = Callable[[Refusal], None]
"""Answers a command that can't be done."""


@contextmanager
def refusing(refuse: Refuse, **facts: str) -> Iterator[None]:
    """Refuse a command where what is done for it raises. What is no refusal is logged, with these facts."""
    try:
        yield
    except Exception as error:
        refuse(refusal_of(error, **facts))


def refusal_of(error: Exception, **facts: str) -> Refusal:
    """The refusal of a command that has failed so. What is no refusal itself is logged, with these facts."""
    if isinstance(error, Refusal):
        return error
    # Only now: a query's process has no store.
    from parlour_server.store.port import StoreError

    if isinstance(error, StoreError):
        log.error("a command failed in the store", exc_info=None, reason=str(error), **facts)
        return Refusal(Code.INTERNAL, Sentence("refusal.not_looked_up"), retry_after=2.0)
    log.error("a command failed", exc_info=error, **facts)
    return internal_error()
