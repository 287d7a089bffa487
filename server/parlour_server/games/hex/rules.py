"""The rules of hex over numbers: see `parlour_server.search.kernels.arrays`.

The cell in row r and column c is bit r * (size + 1) + c of a set of cells, which fills some numbers of 61
bits: behind each row lies a column that is no cell, so that no step along a row leads into another one. Each
row lies half a cell further right. Side 0 joins the upper edge with the lower one, side 1 the left one with
the right one.
"""

STONES, SIZE, CELLS = 2, 8, 9
"""Where a position has side 0's stones, and side 1's behind them; how long an edge is; and all cells."""

LARGEST = 13
WORDS = 3
BITS = 61
POSITION = CELLS + WORDS
KEYED = 8
SWAP = LARGEST * LARGEST
"""The second side's first move may be to take over the stone: it is its own then, mirrored, so that it
stands to its edges as it did to the other's."""
MOST_MOVES = SWAP + 1
MOVE_NUMBERS = SWAP + 1
MOST_PLIES = SWAP + 2

WORD = (1 << BITS) - 1
FAR = 60
"""More than any distance that is looked for."""

BRIDGES = POSITION
NEAR = BRIDGES + 3 * WORDS
DISTANT = NEAR + WORDS * (FAR + 1)
RANKS = DISTANT + WORDS * (FAR + 1)
COUNTS = RANKS + WORDS * BITS
SCRATCH = COUNTS + FAR - POSITION
"""Where bridges lie, in each of three directions; the empty cells by their distance from an edge, and from
the other one; how good a move each cell is, and how many are as good."""


def up(lower, word, by):
    """A number of a set whose cells move up by some bits, fewer than 61, with the number below it."""
    return (word << by | lower >> BITS - by) & WORD


def down(word, higher, by):
    """The same down; with the number above it."""
    return word >> by | higher << BITS - by & WORD


def count(cells):
    """How many a number has."""
    pairs = cells - (cells >> 1 & 0x5555555555555555)
    fours = (pairs & 0x3333333333333333) + (pairs >> 2 & 0x3333333333333333)
    bytes_ = fours + (fours >> 4) & 0x0F0F0F0F0F0F0F0F
    half = bytes_ + (bytes_ >> 32)
    quarter = half + (half >> 16)
    return quarter + (quarter >> 8) & 0x7F


def bit_of(s, cell):
    """A cell's bit in a set."""
    return cell + cell // s[SIZE]


def stones(s):
    """How many stones lie on the board."""
    total = 0
    for at in range(STONES, STONES + 2 * WORDS):
        total += count(s[at])
    return total


def may_swap(s):
    """Is this the second side's first move?"""
    return (
        s[0] == 1
        and s[STONES + WORDS] | s[STONES + WORDS + 1] | s[STONES + WORDS + 2] == 0
        and stones(s) == 1
    )


def beside(s, a, b, c):
    """The neighbours of some cells, and what is no cell."""
    across = s[SIZE] + 1
    found0 = found1 = found2 = 0
    for by in (1, across - 1, across):
        found0 |= up(0, a, by) | down(a, b, by)
        found1 |= up(a, b, by) | down(b, c, by)
        found2 |= up(b, c, by) | down(c, 0, by)
    return found0, found1, found2


def find_bridges(s):
    """Write from which cells a bridge goes down: to a cell with which they share two empty neighbours.

    If one of these is taken the other one joins them.
    """
    across = s[SIZE] + 1
    a, b, c = empty(s)
    right0, right1, right2 = down(a, b, 1), down(b, c, 1), down(c, 0, 1)
    below0, below1, below2 = down(a, b, across), down(b, c, across), down(c, 0, across)
    left0, left1, left2 = down(a, b, across - 1), down(b, c, across - 1), down(c, 0, across - 1)
    s[BRIDGES], s[BRIDGES + 1], s[BRIDGES + 2] = right0 & below0, right1 & below1, right2 & below2
    s[BRIDGES + 3], s[BRIDGES + 4], s[BRIDGES + 5] = below0 & left0, below1 & left1, below2 & left2
    s[BRIDGES + 6], s[BRIDGES + 7], s[BRIDGES + 8] = (
        left0 & up(0, a, 1),
        left1 & up(a, b, 1),
        left2 & up(b, c, 1),
    )


def empty(s):
    """The cells without a stone."""
    return (
        s[CELLS] & ~(s[STONES] | s[STONES + WORDS]),
        s[CELLS + 1] & ~(s[STONES + 1] | s[STONES + WORDS + 1]),
        s[CELLS + 2] & ~(s[STONES + 2] | s[STONES + WORDS + 2]),
    )


def reached(s, a, b, c):
    """The neighbours of some cells, where bridges from them lead to, and what is no cell."""
    across = s[SIZE] + 1
    found0, found1, found2 = beside(s, a, b, c)
    at = BRIDGES
    for by in (across + 1, 2 * across - 1, across - 2):
        low, middle, high = s[at], s[at + 1], s[at + 2]
        found0 |= up(0, a & low, by) | down(a, b, by) & low
        found1 |= up(a & low, b & middle, by) | down(b, c, by) & middle
        found2 |= up(b & middle, c & high, by) | down(c, 0, by) & high
        at += 3
    return found0, found1, found2


def border(s, side, far):
    """The cells at one of a side's edges."""
    a, b, c = s[CELLS], s[CELLS + 1], s[CELLS + 2]
    by = s[SIZE] + 1 if side == 0 else 1
    if far == 0:
        return a & ~up(0, a, by), b & ~up(a, b, by), c & ~up(b, c, by)
    return a & ~down(a, b, by), b & ~down(b, c, by), c & ~down(c, 0, by)


def joined_to(s, side, far):
    """The cells at one of a side's edges, and those to which bridges lead from it."""
    along, away = (1, s[SIZE] + 1) if side == 0 else (s[SIZE] + 1, 1)
    edge0, edge1, edge2 = border(s, side, far)
    a, b, c = empty(s)
    a, b, c = a & edge0, b & edge1, c & edge2
    if far == 0:
        a, b, c = a & down(a, b, along), b & down(b, c, along), c & down(c, 0, along)
        return edge0 | up(0, a, away), edge1 | up(a, b, away), edge2 | up(b, c, away)
    a, b, c = a & up(0, a, along), b & up(a, b, along), c & up(b, c, along)
    return edge0 | down(a, b, away), edge1 | down(b, c, away), edge2 | down(c, 0, away)


def measure(s, side, far, found, whole):
    """Write which empty cells a side joins to one of its edges with 1, 2, ... stones; how far it came.

    It is taken to hold all its bridges. Unless the `whole` board is asked for that ends with the stones that
    join both edges.
    """
    own = STONES + side * WORDS
    own0, own1, own2 = s[own], s[own + 1], s[own + 2]
    free0, free1, free2 = empty(s)
    goal0, goal1, goal2 = joined_to(s, side, 1 - far)
    next0, next1, next2 = joined_to(s, side, far)
    seen0 = seen1 = seen2 = distance = 0
    while distance < FAR:
        new0, new1, new2 = next0 & own0 & ~seen0, next1 & own1 & ~seen1, next2 & own2 & ~seen2
        while new0 | new1 | new2 != 0:
            seen0, seen1, seen2 = seen0 | new0, seen1 | new1, seen2 | new2
            more0, more1, more2 = reached(s, new0, new1, new2)
            next0, next1, next2 = next0 | more0, next1 | more1, next2 | more2
            new0, new1, new2 = more0 & own0 & ~seen0, more1 & own1 & ~seen1, more2 & own2 & ~seen2
        if whole == 0 and seen0 & goal0 | seen1 & goal1 | seen2 & goal2 != 0:
            break
        new0, new1, new2 = next0 & free0 & ~seen0, next1 & free1 & ~seen1, next2 & free2 & ~seen2
        if new0 | new1 | new2 == 0:
            break
        seen0, seen1, seen2 = seen0 | new0, seen1 | new1, seen2 | new2
        distance += 1
        at = found + WORDS * distance
        s[at], s[at + 1], s[at + 2] = new0, new1, new2
        if whole == 0 and new0 & goal0 | new1 & goal1 | new2 & goal2 != 0:
            break
        next0, next1, next2 = reached(s, new0, new1, new2)
    return distance


def moves(s, out, at):
    """The cells that help both sides most come first."""
    size, first = s[SIZE], at
    if may_swap(s):
        out[at] = SWAP
        at += 1
    find_bridges(s)
    across, most = size + 1, 2 * size + 4
    for place in range(RANKS, RANKS + size * across):
        s[place] = 4 * most
    for way in range(4):
        distance = measure(s, way // 2, way % 2, NEAR, 1)
        for near in range(1, min(distance, most) + 1):
            for word in range(WORDS):
                cells, begin = s[NEAR + WORDS * near + word], RANKS + BITS * word
                while cells != 0:
                    s[begin + count((cells & -cells) - 1)] -= most - near
                    cells &= cells - 1
    for rank in range(most + 2):
        s[COUNTS + rank] = 0
    free0, free1, free2 = empty(s)
    for cell in range(size * size):
        bit = cell + cell // size
        word = bit // BITS
        if (free0 if word == 0 else free1 if word == 1 else free2) >> bit % BITS & 1 != 0:
            # Its stone was counted twice for each side.
            rank = min(most, s[RANKS + bit] - 2)
            s[RANKS + bit] = rank
            s[COUNTS + rank + 1] += 1
        else:
            s[RANKS + bit] = -1
    for rank in range(most + 1):
        s[COUNTS + rank + 1] += s[COUNTS + rank]
    total = s[COUNTS + most + 1]
    for cell in range(size * size):
        rank = s[RANKS + cell + cell // size]
        if rank >= 0:
            out[at + s[COUNTS + rank]] = cell
            s[COUNTS + rank] += 1
    return at + total - first


def play(s, move):
    """Put a stone, or take over the one there is."""
    side = s[0]
    s[0] = 1 - side
    if move == SWAP:
        for cell in range(s[SIZE] * s[SIZE]):
            bit = bit_of(s, cell)
            if s[STONES + bit // BITS] >> bit % BITS & 1 == 1:
                s[STONES + bit // BITS] = 0
                mirrored = bit_of(s, cell % s[SIZE] * s[SIZE] + cell // s[SIZE])
                s[STONES + WORDS + mirrored // BITS] = 1 << mirrored % BITS
                break
        return
    bit = bit_of(s, move)
    s[STONES + side * WORDS + bit // BITS] |= 1 << bit % BITS
    if joined(s, side, move):
        s[1] = 1 + side


def joined(s, side, move):
    """Does the stone on a cell join its side's edges?"""
    own, bit = STONES + side * WORDS, bit_of(s, move)
    own0, own1, own2 = s[own], s[own + 1], s[own + 2]
    stone = 1 << bit % BITS
    new0 = stone if bit < BITS else 0
    new1 = stone if BITS <= bit < 2 * BITS else 0
    new2 = stone if bit >= 2 * BITS else 0
    seen0 = seen1 = seen2 = 0
    while new0 | new1 | new2 != 0:
        seen0, seen1, seen2 = seen0 | new0, seen1 | new1, seen2 | new2
        new0, new1, new2 = beside(s, new0, new1, new2)
        new0, new1, new2 = new0 & own0 & ~seen0, new1 & own1 & ~seen1, new2 & own2 & ~seen2
    for far in range(2):
        edge0, edge1, edge2 = border(s, side, far)
        if seen0 & edge0 | seen1 & edge1 | seen2 & edge2 == 0:
            return False
    return True


def evaluate(s):
    """By how many stones the side to move is nearer to joining its edges, and in how many ways."""
    find_bridges(s)
    total = 0
    for side in range(2):
        least = measure(s, side, 0, NEAR, 0)
        measure(s, side, 1, DISTANT, 0)
        ways0 = ways1 = ways2 = 0
        for near in range(1, least + 1):
            one, other = NEAR + WORDS * near, DISTANT + WORDS * (least + 1 - near)
            ways0 |= s[one] & s[other]
            ways1 |= s[one + 1] & s[other + 1]
            ways2 |= s[one + 2] & s[other + 2]
        ways = count(ways0) + count(ways1) + count(ways2)
        score = -200 * least + 4 * min(ways, 40)
        total += score if side == s[0] else -score
    return total + 100


def plies_left(s):
    """As many as there are empty cells, and a swap."""
    total = stones(s)
    return s[SIZE] * s[SIZE] - total + (1 if total == 0 or may_swap(s) else 0)
