"""Work on a log, done at once."""

from typing import TypeVar

from parlour_server.log import Steps

T = TypeVar("T")


def finish(steps: Steps[T]) -> T:
    """Do all steps at once."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: T = end.value
            return found
