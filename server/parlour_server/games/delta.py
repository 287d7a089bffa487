"""What a move changes on a board: found by comparing two views, for a game that doesn't say it itself."""

from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any

from parlour_protocol.views.boards import BoardView

SPLICED = 8
"""Lists of no more items than this are sent whole: a cut would take as much to say."""


@dataclass(slots=True)
class BoardDelta:
    """How one board becomes another. The keys are fields of `BoardView`, or paths in it: `groups.active`."""

    sets: dict[str, Any]
    """What is replaced, with its new value."""
    splices: dict[str, list[list[Any]]]
    """The lists that are cut, with their cuts in order: where, how many items go, then those that come."""


def compare(before: BoardView, now: BoardView) -> BoardDelta:
    """The delta between two boards of the same size."""
    delta = BoardDelta({}, {})
    for name, was, item in zip(_NAMES, _items(before), _items(now), strict=True):
        if was is item or was == item:
            continue
        if type(item) is list and type(was) is list:
            if len(item) == len(was) - 1 > 1:
                # A move was played, and is not legal any more: the others are as they were.
                at = _alike(was, item, len(item))
                if was[at + 1 :] == item[at:]:
                    delta.splices[name] = [[at, 1]]
                    continue
            if len(was) > SPLICED:
                delta.splices[name] = [splice_of(was, item)]
                continue
        delta.sets[name] = item
    return delta


def splice_of(before: list[Any], now: list[Any]) -> list[Any]:
    """The one cut that makes a list from another."""
    least = min(len(before), len(now))
    head = _alike(before, now, least)
    rest = least - head
    tail = _alike(before[::-1], now[::-1], rest)
    return [head, len(before) - head - tail, *now[head : len(now) - tail]]


def _alike(one: list[Any], another: list[Any], most: int) -> int:
    """How many items two lists begin with in common, at most. Halving compares slices, which C does."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == another[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


_NAMES = tuple(one.name for one in fields(BoardView))
_items = attrgetter(*_NAMES)
