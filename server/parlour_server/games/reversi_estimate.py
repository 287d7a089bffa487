"""What a position of reversi is worth: features counted on bitboards, and their weights.

The features are those that programs have looked at since Rosenbloom, A World-Championship-Level Othello
Program (1982): mobility, potential mobility, corners and the cells beside them, edges, parity. The
weights were fitted to the results of games that the engine played against itself: `scripts/tune_reversi.py`.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import isqrt

LIMIT = 4800
"""No estimate is beyond it."""

ROOTS = tuple(isqrt(256 * moves) for moves in range(65))
"""Sixteen times the square root: the first moves that a side has matter more than the last."""

UNIT = 16
"""How much weight makes a hundredth of a disc."""

_GUESS = (0, 0, 300, 100, 600, 16000, 6000, -8000, -3000, 1000, 4000, 0)

# For each size of board, and for so many empty cells: the weights of the features, in their order.
WEIGHTS: dict[int, dict[int, tuple[int, ...]]] = {
    8: {0: _GUESS, 60: _GUESS},
    6: {0: _GUESS, 32: _GUESS},
}


class Estimate:
    """The cells of a board that matter, as bitboards, and what follows from them."""

    def __init__(self, cells: Sequence[int], size: int) -> None:
        first, last = cells[0] // 8, cells[-1] // 8
        ends, nearly = (first, last), (first + 1, last - 1)
        places = [(cell, cell // 8, cell % 8) for cell in cells]
        self.board = set_of(cells)
        self.corners = set_of(cell for cell, row, column in places if row in ends and column in ends)
        self.aslant = set_of(cell for cell, row, column in places if row in nearly and column in nearly)
        self.rows = set_of(cell for cell, row, _ in places if row in ends)
        self.columns = set_of(cell for cell, _, column in places if column in ends)
        self.beside_in_rows = set_of(cell for cell, row, column in places if row in ends and column in nearly)
        self.beside_in_columns = set_of(
            cell for cell, row, column in places if row in nearly and column in ends
        )
        self.edges = (self.rows | self.columns) & ~(
            self.corners | self.beside_in_rows | self.beside_in_columns
        )
        self.roots = ROOTS
        self.weights = interpolated(WEIGHTS[size])
        """A row for each number of empty cells."""

    def evaluate(self, features: Sequence[int], empty: int) -> int:
        """A sum of the features, weighted by how many cells are empty: hundredths of a disc."""
        pairs = zip(self.weights[empty], features, strict=True)
        return max(-LIMIT, min(LIMIT, sum(weight * feature for weight, feature in pairs) // UNIT))

    def features(self, mine: int, theirs: int, playable: int, replies: int) -> tuple[int, ...]:
        """What counts, most of it mine less theirs, given both sides' discs and where they can play."""
        empty = self.board & ~(mine | theirs)
        aslant, beside = self.beside_aslant(empty), self.beside(empty)

        def more(cells: int) -> int:
            return (mine & cells).bit_count() - (theirs & cells).bit_count()

        return (
            1,  # having the move
            1 - 2 * (empty.bit_count() & 1),  # who will move last
            playable.bit_count() - replies.bit_count(),  # mobility
            ROOTS[playable.bit_count()] - ROOTS[replies.bit_count()],
            # Empty cells beside their discs are moves to come.
            (_around(theirs) & empty).bit_count() - (_around(mine) & empty).bit_count(),
            more(self.corners),
            (playable & self.corners).bit_count() - (replies & self.corners).bit_count(),
            more(aslant),  # players call them X squares
            more(beside),  # and these C squares
            more(self.edges),
            self.anchored(mine).bit_count() - self.anchored(theirs).bit_count(),
            more(self.board),
        )

    def beside_aslant(self, empty: int) -> int:
        """The cells within the board that touch an empty corner."""
        free = self.corners & empty
        return self.aslant & (free << 9 | free >> 9 | free << 7 | free >> 7)

    def beside(self, empty: int) -> int:
        """The cells of the edges that touch an empty corner."""
        free = self.corners & empty
        in_rows, in_columns = free << 1 | free >> 1, free << 8 | free >> 8
        return self.beside_in_rows & in_rows | self.beside_in_columns & in_columns

    def anchored(self, discs: int) -> int:
        """The discs that stand in an unbroken row of their own from a corner: none can flip them."""
        found = discs & self.corners
        for shift, line in ((1, self.rows), (8, self.columns)):
            up = down = discs & self.corners
            for _ in range(7):
                up |= discs & line & up << shift
                down |= discs & line & down >> shift
            found |= up | down
        return found


def set_of(cells: Iterable[int]) -> int:
    """A bitboard of these cells."""
    return sum(1 << cell for cell in cells)


def interpolated(anchors: dict[int, tuple[int, ...]]) -> list[tuple[int, ...]]:
    """A row of weights for every number of empty cells, from the rows of a few, the least being 0."""
    rows = []
    for low, high in pairwise(sorted(anchors)):
        for empty in range(low, high):
            pairs = zip(anchors[low], anchors[high], strict=True)
            rows.append(tuple((a * (high - empty) + b * (empty - low)) // (high - low) for a, b in pairs))
    return [*rows, anchors[max(anchors)]]


def _around(discs: int) -> int:
    """These cells and all that touch them (beyond the board too)."""
    wide = discs | (discs & ~0x8080808080808080) << 1 | (discs & ~0x0101010101010101) >> 1
    return wide | wide << 8 | wide >> 8
