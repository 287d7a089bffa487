"""Breakthrough's rules over numbers: see `parlour_server.search.kernels.arrays`.

Cells are numbered row by row from the top, SIZE of them a row. Side 0's pawns go up, side 1's down.
"""

SIZE, PAWNS, CELLS = 2, 3, 5
"""Where a position says how long a row is; how many pawns each side has; and where its cells begin: 0 where
one is empty, else 1 more than the side whose pawn stands there."""

LARGEST = 8
POSITION = CELLS + LARGEST * LARGEST
MOST_MOVES = 6 * LARGEST
FROM = LARGEST * LARGEST
"""A move is the cell of its pawn times this, and the cell it goes to."""
MOVE_NUMBERS = FROM * FROM

WORTH = (0, 600, 480, 380, 320, 290, 280, 310)
"""Of a pawn so many rows before the last. One that has stayed at home guards it."""


def moves(s, out, at):
    """What takes comes first, and then who has come furthest."""
    side, size = s[0], s[SIZE]
    mine, theirs, last = 1 + side, 2 - side, size * size - 1
    ahead = size if side != 0 else -size
    count = 0
    for taking in range(1, -1, -1):
        for i in range(last + 1):
            cell = last - i if side != 0 else i
            if s[CELLS + cell] == mine:
                for aside in range(-1, 2):
                    if 0 <= cell % size + aside < size:
                        to = cell + ahead + aside
                        there = s[CELLS + to]
                        if (there == theirs and aside != 0) if taking != 0 else there == 0:
                            out[at + count] = cell * FROM + to
                            count += 1
    return count


def play(s, move):
    """Step, or take."""
    side, size = s[0], s[SIZE]
    start, end = move // FROM, move % FROM
    if s[CELLS + end] != 0:
        s[PAWNS + 1 - side] -= 1
    s[CELLS + start] = 0
    s[CELLS + end] = 1 + side
    s[0] = 1 - side
    if end // size == (size - 1) * side or s[PAWNS + 1 - side] == 0:
        s[1] = 1 + side


def evaluate(s):
    """What the pawns are worth by their rows; or that one comes through with this move or the next."""
    side, size = s[0], s[SIZE]
    ahead, lost = 0, 0
    for cell in range(size * size):
        owner = s[CELLS + cell] - 1
        if owner >= 0:
            left = cell // size if owner == 0 else size - 1 - cell // size
            if left == 1:
                if owner == side:
                    return 4800
                if not threatened(s, cell):
                    lost = 1
            ahead += WORTH[left] if owner == side else -WORTH[left]
    return -4800 if lost != 0 else max(-4700, min(4700, ahead))


def threatened(s, cell):
    """May a pawn be taken?"""
    size, owner = s[SIZE], s[CELLS + cell]
    row, column = divmod(cell, size)
    row += -1 if owner == 1 else 1
    at = CELLS + row * size + column
    return (column > 0 and s[at - 1] == 3 - owner) or (column < size - 1 and s[at + 1] == 3 - owner)
