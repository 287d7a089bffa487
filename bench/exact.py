"""Exact Connect Four for measurements: the server's solver, without its opening book."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from parlour_server.games.connect4 import CONNECT_FOUR
from parlour_server.search.kernels import compiled
from scripts.connect4_book import drop, open_columns, wins_at_once

LOG_SLOTS = 24
"""The table has two to this power entries: 128 MB."""

LEAST, MOST = -21, 21


class Node(NamedTuple):
    """A position as the solver knows it: the stones of the side to move, and all stones."""

    mine: int
    mask: int


@dataclass(frozen=True, slots=True)
class Solved:
    """A position's score for the side to move, and what it took to find."""

    score: int
    nodes: int


class Exact:
    """The solver with a table of its own, which keeps what it has learned until `clear`."""

    def __init__(self, log_slots: int = LOG_SLOTS) -> None:
        self._code = compiled.solver(CONNECT_FOUR)
        self._shift = 64 - log_slots
        self._table = np.zeros(1 << log_slots, np.int64)
        self._work = np.zeros(self._code.WORK, np.int64)
        self._stop = np.zeros(1, np.uint8)

    def clear(self) -> None:
        """Forget every position."""
        self._table[:] = 0

    def solve(self, node: Node) -> Solved:
        """The exact score of an unfinished position."""
        code, work = self._code, self._work
        work[code.NODES], work[code.LIMIT] = 0, 1 << 60
        work[code.LOW], work[code.HIGH] = LEAST, MOST
        stones = node.mask.bit_count()
        done = code.solve(node.mine, node.mask, stones, work, self._table, self._shift, self._stop)
        assert done, "nothing stops it"
        return Solved(int(work[code.LOW]), int(work[code.NODES]))

    def sign(self, node: Node) -> int:
        """1 where the side to move wins, 0 for a draw, -1 for a loss. Finished positions too."""
        mine, mask = node
        theirs, stones = mine ^ mask, mask.bit_count()
        if _four(theirs):
            return -1
        if wins_at_once(mine, mask):
            return 1
        after = [drop(mask, column) for column in open_columns(mask)]
        if after and all(wins_at_once(theirs, all_stones) for all_stones in after):
            return -1
        # With two cells left or fewer nobody wins any more.
        if stones >= 40 or self._at_least(0, node):
            return 1 if stones < 40 and self._at_least(1, node) else 0
        return -1

    def _at_least(self, beta: int, node: Node) -> bool:
        """Is the position worth so much? It must be undecided for two plies."""
        code, work = self._code, self._work
        work[code.NODES], work[code.LIMIT] = 0, 1 << 60
        stones = node.mask.bit_count()
        value = code.prove(node.mine, node.mask, stones, beta, work, self._table, self._shift, self._stop)
        return bool(value >= beta)


def _four(stones: int) -> bool:
    for step in (1, 6, 7, 8):
        pairs = stones & stones >> step
        if pairs & pairs >> 2 * step:
            return True
    return False


def read(moves: str) -> Node:
    """The position after moves in columns 1 to 7, which must be legal."""
    mine = mask = 0
    for sign in moves:
        mine ^= mask
        mask |= mask + (1 << 7 * (int(sign) - 1))
    return Node(mine, mask)
