"""Hex solved without a swap: from which openings the first side wins.

    python -m bench.solve.hex 4 5

The rules are written anew here; of those that are played by only the order of moves is taken. A side whose
opponent wins against one move on certain cells alone need not try a move elsewhere: the same answers win
against that (Hayward's "must-play" regions).
"""

import sys
from collections.abc import Callable
from functools import cache
from time import thread_time

import numpy as np

from parlour_server.games.hex import Hex
from parlour_server.games.hex.rules import BITS, STONES, SWAP, WORDS
from parlour_server.search.kernels import compiled

Order = Callable[[int, int, int], list[int]]
"""The cells to try, from the stones of the side to move, of the other one, and which side moves."""


def winning_openings(size: int, order: Order | None = None) -> tuple[set[int], int]:
    """The cells from which the first side wins, and how many positions that took to find."""
    cells = [1 << cell for cell in range(size * size)]
    beside = [_beside(size, cell) for cell in range(size * size)]
    upper, left = sum(cells[:size]), sum(cells[::size])
    edges = [(upper, upper << size * (size - 1)), (left, left << size - 1)]

    def joined(held: int, side: int) -> bool:
        seen = fresh = held & edges[side][0]
        while fresh:
            cell = fresh & -fresh
            more = beside[cell.bit_length() - 1] & held & ~seen
            seen, fresh = seen | more, fresh ^ cell | more
        return bool(seen & edges[side][1])

    @cache
    def solve(mine: int, theirs: int, side: int) -> tuple[bool, int]:
        """Does the side to move win, and on which cells does the winner have to answer?"""
        free = [cell for cell in cells if not (mine | theirs) & cell]
        for cell in free:
            if joined(mine | cell, side):
                return True, cell
        must, used = sum(free), 0
        for cell in free:
            if joined(theirs | cell, 1 - side):
                must, used = must & cell, used | cell
        for place in order(mine, theirs, side) if order is not None and must else range(size * size):
            if must & cells[place]:
                wins, needed = solve(theirs, mine | cells[place], 1 - side)
                if not wins:
                    return True, needed | cells[place]
                must, used = must & needed, used | needed
        return False, used

    # By half a turn of the board an opening becomes the one as far from the end.
    last = size * size - 1
    found = {cell for cell in range(last // 2 + 1) if not solve(0, cells[cell], 1)[0]}
    return found | {last - cell for cell in found}, solve.cache_info().currsize


def _beside(size: int, cell: int) -> int:
    row, column = divmod(cell, size)
    around = ((-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1), (0, -1))
    return sum(
        1 << (row + down) * size + column + right
        for down, right in around
        if 0 <= row + down < size and 0 <= column + right < size
    )


def by_distance(size: int) -> Order:
    """The order in which the engine tries moves."""
    game = Hex(size)
    compiled.prepare(game)
    initial = game.initial()
    code = compiled.compiled_search(game, initial, slots=4).code
    out = np.zeros(code.MOST_MOVES, np.int64)

    def order(mine: int, theirs: int, side: int) -> list[int]:
        state = np.zeros(code.STATE, np.int64)
        state[: len(initial)] = initial
        state[0] = side
        for held, its in ((mine, side), (theirs, 1 - side)):
            for cell in range(size * size):
                if held >> cell & 1:
                    bit = cell + cell // size
                    state[STONES + its * WORDS + bit // BITS] |= 1 << bit % BITS
        return [int(move) for move in out[: code.moves(state, out, 0)] if move != SWAP]

    return order


def main() -> None:
    """Solve and print."""
    for size in map(int, sys.argv[1:]):
        begun = thread_time()
        found, positions = winning_openings(size, by_distance(size))
        print(f"{size}x{size}: {positions:,} positions, {thread_time() - begun:.1f} s")
        for row in range(size):
            marks = ["*" if row * size + column in found else "." for column in range(size)]
            print(" " * row + " ".join(marks))


if __name__ == "__main__":
    main()
