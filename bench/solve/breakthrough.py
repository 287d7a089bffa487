"""Breakthrough solved on small boards: who wins with best play, by a proof-number search.

    python -m bench.solve.breakthrough 5

The rules are written anew here. A position is seen by the side to move, whose pawns go up: two sets of
cells, from the lowest row on. As every move goes ahead no position comes twice, so that what is found of one
holds on every way to it (df-pn, Nagai 2002; of children that share descendants the hardest counts, not the
sum: Ueda 2008).
"""

import sys
from time import thread_time

import numpy as np
from numba import njit

SLOTS = 1 << 24
"""Of the table, two positions in each, with what is known of them."""
ENDLESS = 1 << 30
MOST_CHILDREN = 64


@njit("int64(int64)", cache=True)
def count(bits):  # type: ignore[no-untyped-def]
    """How many bits are set."""
    found = 0
    while bits != 0:
        bits &= bits - 1
        found += 1
    return found


@njit("int64(int64, int64)", cache=True)
def turned(cells, size):  # type: ignore[no-untyped-def]
    """The board by half a turn around its middle row: row by row from the other end."""
    row, found = (1 << size) - 1, 0
    for _ in range(size):
        found = found << size | (cells & row)
        cells >>= size
    return found


@njit("int64(int64, int64)", cache=True)
def mirrored(cells, size):  # type: ignore[no-untyped-def]
    """Left for right."""
    left, found = 0, 0
    for column in range(size):
        left |= 1 << column * size
    for column in range(size):
        found |= (cells >> column & left) << (size - 1 - column)
    return found


@njit("int64(int64, int64)", cache=True)
def beside(cells, size):  # type: ignore[no-untyped-def]
    """The cells to the left and to the right of these, in their own rows."""
    column = 0
    for row in range(size):
        column |= 1 << row * size
    return (cells & ~column) >> 1 | (cells & ~(column << (size - 1))) << 1


@njit("int64(int64, int64, int64)", cache=True)
def ended(mine, theirs, size):  # type: ignore[no-untyped-def]
    """1 where the side to move surely wins, -1 where it has lost, 0 where neither is seen at a glance.

    It wins where it comes through at once; or, where nobody threatens to, by a pawn that can't be taken.
    """
    row = (1 << size) - 1
    if mine == 0:
        return -1
    if mine >> size * (size - 2) != 0:
        return 1
    near = theirs >> size & row
    if near != 0:
        # One may be taken, two may not.
        return -1 if near & beside(mine & row, size) == 0 or near & (near - 1) != 0 else 0
    ahead = mine >> size * (size - 3) & row
    free = row & ~(theirs >> size * (size - 2))
    reached = beside(ahead, size) | (ahead & free)
    return 1 if reached & ~beside(theirs >> size * (size - 1), size) != 0 else 0


@njit("int64(int64, int64, int64, int64[::1], int64)", cache=True)
def children(mine, theirs, size, out, at):  # type: ignore[no-untyped-def]
    """Write the positions after each move, each as its key seen by the other side; give their number."""
    last, total = size * size, 0
    near = theirs >> size & (1 << size) - 1
    for cell in range(last - size - 1, -1, -1):
        if mine >> cell & 1 != 0:
            for aside in range(-1, 2):
                to = cell + size + aside
                if not 0 <= cell % size + aside < size or mine >> to & 1 != 0:
                    continue
                taken = theirs >> to & 1
                if aside == 0 and taken != 0:
                    continue
                # What comes through has to be taken.
                if near != 0 and (taken == 0 or to >= 2 * size):
                    continue
                a, b = theirs & ~(1 << to), mine ^ (1 << cell) | 1 << to
                key = turned(a, size) << last | turned(b, size)
                other = turned(mirrored(a, size), size) << last | turned(mirrored(b, size), size)
                out[at + total] = min(key, other)
                total += 1
    return total


@njit("int64(int64, int64[::1])", cache=True)
def find(key, table):  # type: ignore[no-untyped-def]
    """The place of a position in the table; -1: it isn't there."""
    slot = ((key * -7046029254386353131) >> 20 & (len(table) // 4 - 1)) * 4
    if table[slot] == key:
        return slot
    return slot + 2 if table[slot + 2] == key else -1


@njit("void(int64, int64, int64, int64[::1])", cache=True)
def keep(key, proof, disproof, table):  # type: ignore[no-untyped-def]
    """Keep what is known of a position: the harder one of two stays, and the last one."""
    slot = ((key * -7046029254386353131) >> 20 & (len(table) // 4 - 1)) * 4
    if table[slot] != key:
        solved = table[slot + 1] >> 32 == 0 or table[slot + 1] & 0xFFFFFFFF == 0
        if table[slot] == 0 or not solved:
            table[slot + 2], table[slot + 3] = table[slot], table[slot + 1]
        else:
            slot += 2
    table[slot], table[slot + 1] = key, proof << 32 | disproof


@njit("void(int64, int64, int64, int64, int64, int64[::1], int64[::1], int64[::1])", cache=True)
def search(key, proof, disproof, size, ply, out, table, nodes):  # type: ignore[no-untyped-def]
    """Search below a position until its proof or disproof number reaches its bound."""
    last = size * size
    mine, theirs = key >> last, key & (1 << last) - 1
    first = ply * 3 * MOST_CHILDREN
    total = children(mine, theirs, size, out, first)
    nodes[0] += 1
    while True:
        # The easiest child to refute is looked at; all have to be proven against us.
        best, least, second, hardest, open_ones = -1, ENDLESS, ENDLESS, 0, 0
        for i in range(total):
            child = out[first + i]
            won = ended(child >> last, child & (1 << last) - 1, size)
            its_proof, its_disproof = 1, 1
            if won != 0:
                its_proof, its_disproof = (0, ENDLESS) if won > 0 else (ENDLESS, 0)
            else:
                slot = find(child, table)
                if slot >= 0:
                    its_proof, its_disproof = table[slot + 1] >> 32, table[slot + 1] & 0xFFFFFFFF
            if its_proof != 0:
                open_ones += 1
            hardest = max(hardest, its_proof)
            if its_disproof < least:
                best, second, least = i, least, its_disproof
            elif its_disproof < second:
                second = its_disproof
        found_proof = least
        found_disproof = 0 if open_ones == 0 else min(ENDLESS, hardest + open_ones - 1)
        if found_proof == 0:
            found_disproof = ENDLESS
        if found_disproof == 0:
            found_proof = ENDLESS
        if found_proof >= proof or found_disproof >= disproof:
            keep(key, found_proof, found_disproof, table)
            return
        search(
            out[first + best],
            min(ENDLESS, disproof - (open_ones - 1)),
            min(proof, second + max(1, second // 4)),
            size,
            ply + 1,
            out,
            table,
            nodes,
        )


def solve(mine: int, theirs: int, size: int, slots: int = SLOTS) -> tuple[bool, int]:
    """Does the side to move win, and how many positions did that take?"""
    last = size * size
    won = ended(mine, theirs, size)
    if won:
        return bool(won > 0), 0
    table, nodes = np.zeros(4 * slots, np.int64), np.zeros(1, np.int64)
    out = np.zeros(3 * MOST_CHILDREN * 4 * last, np.int64)
    key = mine << last | theirs
    search(key, ENDLESS, ENDLESS, size, 0, out, table, nodes)
    return bool(table[find(key, table) + 1] >> 32 == 0), int(nodes[0])


def main() -> None:
    """Solve and print."""
    for size in map(int, sys.argv[1:]):
        begun = thread_time()
        home = (1 << 2 * size) - 1
        won, nodes = solve(home, home << size * (size - 2), size)
        side = "first" if won else "second"
        print(f"{size}x{size}: the {side} side wins ({nodes:,} positions, {thread_time() - begun:.0f} s)")


if __name__ == "__main__":
    main()
