"""What a search and its caller tell each other: to stop, how it gets on, what it may use."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from parlour_protocol.views.reports import Report
from parlour_server.search.kernels.inner_search import TableMemory

POLL_EVERY = 64
"""Positions between two looks at whether to stop, in plain Python."""

SHORT_GAME = 9
"""Plies: games that are no longer are searched to their end."""


class Stopped(Exception):
    """Raised inside a search that was stopped; its report so far stands."""


@dataclass(slots=True)
class Control:
    """What a search gets from its caller: a clock, a stop flag, and where its reports go."""

    stopped: Callable[[], bool] = lambda: False
    """Asked every few nodes: true once the search is no longer wanted."""
    publish: Callable[[Report], None] = lambda report: None
    """Takes a report in the making, after each root move."""
    due: Callable[[], bool] = lambda: True
    """Would a report be shown now? Making one takes a while, and most are too soon after the last."""
    clock: Callable[[], float] = lambda: 0.0
    """Seconds from any fixed moment."""
    flag: Any = None
    """A writable buffer of one byte: not 0 once the search is no longer wanted. Machine code looks at it,
    every 1,024 nodes, since it can't ask `stopped`."""
    compiled: bool = False
    """May machine code be used, where it is ready?"""
    memory: TableMemory | None = None
    """A table to be used again, where one worker searches one position after the other."""
