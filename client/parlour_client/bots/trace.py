"""A bot's own search, watched: which positions its functions are called with, and what they give.

While `choose` runs, each call of a function of the file that is given a board of this game is a visit of that
position, however such a file writes its boards. A number that it returns is the position's value; of two
numbers one is, and the other a move. Nothing in the file has to be changed for that.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

from parlour_client.bots.position import Position
from parlour_protocol import MOST_POINTS

Cells = tuple[int, ...]
SIGNS = {
    None: 0,
    0: 0,
    "": 0,
    " ": 0,
    ".": 0,
    "-": 0,
    "_": 0,
    "X": 1,
    "x": 1,
    1: 1,
    "O": 2,
    "o": 2,
    2: 2,
    -1: 2,
}
"""What files write into cells, as 0 (empty), 1 and 2 for the side that began and the other one."""


class Trace:
    """The visits of one search: the first `most` positions, and how many there were in all."""

    def __init__(self, path: str, position: Position, most: int) -> None:
        self._path, self._most = path, most
        rows = position.board
        self._height, self._width = len(rows), len(rows[0])
        first, second = position.marks
        self._signs = {**SIGNS, position.empty: 0, first: 1, second: 2}
        self._root = self._cells(position)
        self.visited = 0
        self.nodes: list[dict[str, Any]] = []
        """Each by its `parent`'s number, its `cells`, and the `numbers` that were returned last."""
        self._known: dict[tuple[int | None, Cells], int] = {}
        self._open: list[tuple[FrameType, int]] = []

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch all that is called meanwhile."""
        sys.setprofile(self._watch)
        try:
            yield
        finally:
            sys.setprofile(None)

    def _watch(self, frame: FrameType, event: str, given: Any) -> None:
        if event == "call" and frame.f_code.co_filename == self._path:
            code = frame.f_code
            names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            found = next(filter(None, (self._cells(frame.f_locals.get(name)) for name in names)), None)
            if found is not None:
                self._enter(frame, found)
        elif event == "return" and self._open and self._open[-1][0] is frame:
            _, number = self._open.pop()
            # What is called first, with the position itself, gives a move.
            is_move = not self._open and self.nodes[number]["cells"] == self._root
            numbers = [] if is_move else _numbers(given)
            if numbers and number >= 0:
                self.nodes[number]["numbers"] = numbers

    def _enter(self, frame: FrameType, cells: Cells) -> None:
        parent = self._open[-1][1] if self._open else None
        if parent is not None and parent >= 0 and self.nodes[parent]["cells"] == cells:
            # Another question about the same position, such as whether it is over.
            self._open.append((frame, parent))
            return
        number = self._known.get((parent, cells))
        if number is None:
            self.visited += 1
            number = -1
            if len(self.nodes) < self._most and parent != -1:
                number = len(self.nodes)
                self._known[parent, cells] = number
                self.nodes.append({"parent": parent, "cells": cells, "numbers": []})
        self._open.append((frame, number))

    def _cells(self, given: Any) -> Cells | None:
        """The cells of a board, from the top left; None for anything else."""
        if isinstance(given, Position):
            given = given.board
        if hasattr(given, "tolist"):
            given = given.tolist()
        if not isinstance(given, list | tuple) or not given:
            return None
        rows: Sequence[Any] = given
        if len(given) == self._height and all(isinstance(row, list | tuple | str) for row in given):
            if any(len(row) != self._width for row in given):
                return None
            rows = [cell for row in given for cell in row]
        if len(rows) != self._height * self._width:
            return None
        try:
            return tuple(self._signs[cell] for cell in rows)
        except (KeyError, TypeError):
            return None


def _numbers(given: Any) -> list[float]:
    """The number, or both, in what was returned; none where it is something else."""
    several = given if isinstance(given, tuple | list) and len(given) <= 3 else (given,)
    plain = [one.item() if getattr(one, "shape", None) == () else one for one in several]
    found = [one for one in plain if isinstance(one, int | float) and not isinstance(one, bool)]
    return [max(-MOST_POINTS, min(MOST_POINTS, one)) for one in found if one == one][:2]
