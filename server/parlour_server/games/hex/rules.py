"""The rules of hex over numbers: see `parlour_server.search.kernels.arrays`.

The cell in row r and column c is bit r * size + c of a side's stones, which fill some numbers of 60 bits.
Each row lies half a cell further right. Side 0 joins the upper edge with the lower one, side 1 the left one
with the right one.
"""

STONES, SIZE = 2, 8
"""Where a position has side 0's stones, and side 1's behind them; and how long an edge is."""

LARGEST = 13
WORDS = 3
POSITION = 9
KEYED = 8
SWAP = LARGEST * LARGEST
"""The second side's first move may be to take over the stone: it is its own then, mirrored, so that it
stands to its edges as it did to the other's."""
MOST_MOVES = SWAP + 1
MOVE_NUMBERS = SWAP + 1
MOST_PLIES = SWAP + 2
BITS = 60

EMPTY, WALL = 0, 3
FAR = 60
"""More than any distance."""

ROOM = (LARGEST + 2) * (LARGEST + 4)
BOARD, OURS, THEIRS, OTHER, QUEUE = (POSITION + ROOM * at for at in range(5))
SCRATCH = 8 * ROOM
"""The cells as 0 where they are empty, 1 and 2 for the sides, and a wall around; distances; a queue."""


def stones(s):
    """How many stones lie on the board."""
    count = 0
    for at in range(STONES, STONES + 2 * WORDS):
        bits = s[at]
        while bits > 0:
            bits &= bits - 1
            count += 1
    return count


def may_swap(s):
    """Is this the second side's first move?"""
    return (
        s[0] == 1
        and stones(s) == 1
        and s[STONES + WORDS] | s[STONES + WORDS + 1] | s[STONES + WORDS + 2] == 0
    )


def fill(s):
    """Write the cells to the board, with two rows of wall above and below and a column on both sides."""
    size = s[SIZE]
    width = size + 2
    for at in range(BOARD, BOARD + width * (size + 4)):
        s[at] = WALL
    for cell in range(size * size):
        word, bit = STONES + cell // BITS, cell % BITS
        at = (cell // size + 2) * width + cell % size + 1
        s[BOARD + at] = (s[word] >> bit & 1) + 2 * (s[word + WORDS] >> bit & 1)


def distances(s, found, side, far):
    """How many stones a side needs to join each cell to one of its edges, if it holds all its bridges.

    A bridge goes to a cell that shares two empty neighbours with the one before: if one of them is taken
    the other joins them. The edge itself counts as stones.
    """
    size = s[SIZE]
    width, own = size + 2, side + 1
    around = (-width, 1 - width, 1, width, width - 1, -1, -width)
    for at in range(found, found + ROOM):
        s[at] = FAR
    head = tail = QUEUE + 2 * ROOM
    for i in range(size + 1):
        if side == 0:
            at = (size + 2) * width + i if far == 1 else width + i + 1
        else:
            at = (i + 2) * width - 1 if far == 1 else (i + 2) * width
        s[found + at] = 0
        s[tail] = at
        tail += 1
    while head < tail:
        at = s[head]
        head += 1
        now = s[found + at]
        for k in range(6):
            beside = at + around[k]
            to = beside
            for bridge in range(2):
                if bridge == 1:
                    if s[BOARD + beside] != EMPTY or s[BOARD + at + around[k + 1]] != EMPTY:
                        break
                    to = beside + around[k + 1]
                what = s[BOARD + to]
                if what == EMPTY:
                    if s[found + to] > now + 1:
                        s[found + to] = now + 1
                        s[tail] = to
                        tail += 1
                elif what == own and s[found + to] > now:
                    s[found + to] = now
                    head -= 1
                    s[head] = to


def needed(s, found, side):
    """For each cell how many stones a side needs to join its edges by way of it."""
    distances(s, found, side, 0)
    distances(s, OTHER, side, 1)
    for at in range(ROOM):
        # The stone on the cell itself was counted twice.
        s[found + at] += s[OTHER + at] - (1 if s[BOARD + at] == EMPTY else 0)


def moves(s, out, at):
    """The cells that help both sides most come first."""
    size, first = s[SIZE], at
    if may_swap(s):
        out[at] = SWAP
        at += 1
    fill(s)
    needed(s, OURS, 0)
    needed(s, THEIRS, 1)
    width, most = size + 2, 2 * size + 4
    left = size * size - stones(s)
    for rank in range(most + 1):
        if left == 0:
            break
        for cell in range(size * size):
            place = (cell // size + 2) * width + cell % size + 1
            if s[BOARD + place] == EMPTY and min(most, s[OURS + place] + s[THEIRS + place]) == rank:
                out[at] = cell
                at += 1
                left -= 1
    return at - first


def play(s, move):
    """Put a stone, or take over the one there is."""
    side, size = s[0], s[SIZE]
    s[0] = 1 - side
    if move == SWAP:
        for cell in range(size * size):
            word, bit = STONES + cell // BITS, cell % BITS
            if s[word] >> bit & 1 == 1:
                s[word] = 0
                mirrored = cell % size * size + cell // size
                s[STONES + WORDS + mirrored // BITS] = 1 << mirrored % BITS
                break
        return
    s[STONES + side * WORDS + move // BITS] |= 1 << move % BITS
    if joined(s, side, move):
        s[1] = 1 + side


def joined(s, side, move):
    """Does the stone just put join its side's edges?"""
    size, own = s[SIZE], STONES + side * WORDS
    seen0 = seen1 = seen2 = 0
    reached = 0
    s[QUEUE] = move
    depth = 1
    if move < BITS:
        seen0 = 1 << move
    elif move < 2 * BITS:
        seen1 = 1 << move - BITS
    else:
        seen2 = 1 << move - 2 * BITS
    while depth > 0:
        depth -= 1
        cell = s[QUEUE + depth]
        row, column = cell // size, cell % size
        along = row if side == 0 else column
        reached |= (1 if along == 0 else 0) | (2 if along == size - 1 else 0)
        for k in range(6):
            down = (-1, -1, 0, 1, 1, 0)[k]
            right = (0, 1, 1, 0, -1, -1)[k]
            if 0 <= row + down < size and 0 <= column + right < size:
                to = cell + down * size + right
                word, bit = to // BITS, 1 << to % BITS
                if (
                    s[own + word] & bit != 0
                    and (seen0 if word == 0 else seen1 if word == 1 else seen2) & bit == 0
                ):
                    if word == 0:
                        seen0 |= bit
                    elif word == 1:
                        seen1 |= bit
                    else:
                        seen2 |= bit
                    s[QUEUE + depth] = to
                    depth += 1
    return reached == 3


def evaluate(s):
    """By how many stones the side to move is nearer to joining its edges, and in how many ways."""
    fill(s)
    total = 0
    for side in range(2):
        needed(s, OURS, side)
        ways, least = 0, FAR
        for at in range(ROOM):
            if s[OURS + at] < least:
                least, ways = s[OURS + at], 0
            if s[OURS + at] == least and s[BOARD + at] == EMPTY:
                ways += 1
        score = -200 * least + 4 * min(ways, 40)
        total += score if side == s[0] else -score
    return total + 100


def plies_left(s):
    """As many as there are empty cells, and a swap."""
    count = stones(s)
    return s[SIZE] * s[SIZE] - count + (1 if count == 0 or may_swap(s) else 0)
