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

# For each size of board and number of empty cells: the weights of the features, in their order. Made by
# `tune_reversi.py --afresh --depth 4 --games 2500` and `--size 6 --afresh --depth 4 --games 2000`; they beat
# that plain guess by 272 to 128 games (13.9 discs a game) and by 230.5 to 169.5 (5.1).
WEIGHTS: dict[int, dict[int, tuple[int, ...]]] = {
    8: {
        0: (1458, -2169, 4901, 406, -253, -3392, -2678, -2203, -1365, -1330, 1443, 1434),
        8: (-1335, -4105, 4745, 351, -2011, 781, 5612, -476, -2500, -1082, 2234, 353),
        16: (-2765, -4362, 2640, 230, -468, 5026, 4984, -3120, -2481, -251, 2106, -163),
        24: (-3013, -4211, 473, 387, 944, 8632, 3114, -2945, 303, 534, 2143, -502),
        32: (-2270, -4219, 393, 230, 846, 12328, 6783, -5692, -762, 1252, 2224, -699),
        40: (-2664, -4046, 168, 332, 776, 11259, 1866, -13481, -2280, 2181, 3145, -869),
        48: (-1136, -3344, -677, 288, 975, 16039, -4753, -18907, -4335, 850, 1933, 284),
        60: (4173, -592, 115, 32, -1398, 1570, 4378, -6538, -1731, 91, 61, 584),
    },
    6: {
        0: (1932, -984, 3509, 293, -33, -1352, -388, -35, -577, -845, 912, 1397),
        6: (-374, -1998, 4038, 182, -1122, -455, 2584, -41, -2104, -1420, 2560, 594),
        12: (-369, -2441, 2573, 109, -592, 3524, 5022, -634, -1827, -497, 3493, -364),
        18: (57, -1740, 1596, 44, 152, 10123, 4283, -3570, -2185, 663, 3751, -587),
        24: (1137, -623, 889, 35, 90, 21536, 185, -15211, -7611, 899, 1688, 183),
        32: (2121, 6842, -151, -55, 76, 4238, 10605, -17545, -4550, 1164, 274, 341),
    },
}


class Estimate:
    """The cells of a board that matter, as bitboards, and what follows from them."""

    def __init__(self, cells: Sequence[int], size: int) -> None:
        first, last = cells[0] // 8, cells[-1] // 8
        ends, nearly = (first, last), (first + 1, last - 1)
        places = [(cell, cell // 8, cell % 8) for cell in cells]
        self.board = set_of(cells)
        self.corners = set_of(cell for cell, row, column in places if row in ends and column in ends)
        self.diagonal = set_of(cell for cell, row, column in places if row in nearly and column in nearly)
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
        diagonal, beside = self.beside_diagonal(empty), self.beside(empty)

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
            more(diagonal),  # players call them X squares
            more(beside),  # and these C squares
            more(self.edges),
            self.anchored(mine).bit_count() - self.anchored(theirs).bit_count(),
            more(self.board),
        )

    def beside_diagonal(self, empty: int) -> int:
        """The cells within the board that touch an empty corner."""
        free = self.corners & empty
        return self.diagonal & (free << 9 | free >> 9 | free << 7 | free >> 7)

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
