"""Reversi's compiled twin (`games/reversi.py`): the same bitboards, masks and weights, as 64-bit numbers.

Runs of discs are found by parallel prefix fills (Kogge and Stone, 1973), as chess programs use them for
sliding pieces: a run doubles its length with each step. The four ways that a run can go are one
vector's numbers, if only the compiler finds a loop whose length it can't know: so the length stands in the
state. Counting bits the long way round is what compilers know as one instruction.
"""

import numpy as np

from parlour_server.games.reversi import ENDING, PASS
from parlour_server.games.reversi_estimate import LIMIT, UNIT
from parlour_server.search.kernels import ORDERED

FEATURES = 12

MOST_MOVES = 60
MOVE_NUMBERS = 65
MOST_PLIES = 120

# Where a state keeps what.
MINE = 0
THEIRS = 1
PLAYABLE = 2
HEIGHT = 3  # of the stack
BOARD = 4
CORNERS = 5
DIAGONAL = 6
ROWS = 7
COLUMNS = 8
BESIDE_IN_ROWS = 9
BESIDE_IN_COLUMNS = 10
EDGES = 11
WAYS = 12  # how many ways a run can go: see SHIFTS
FLIPS = 13  # for each way
ROOTS = 17
WEIGHTS = ROOTS + 65  # a row for each number of empty cells
STACK = WEIGHTS + 61 * FEATURES  # three numbers for each move that was played
STATE = STACK + 3 * (MOST_PLIES + 8)
DTYPE = np.uint64

ZERO = np.uint64(0)
ONE = np.uint64(1)
SEVEN = np.uint64(7)
EIGHT = np.uint64(8)
NINE = np.uint64(9)
NOT_LAST_COLUMN = np.uint64(0x7F7F7F7F7F7F7F7F)
NOT_FIRST_COLUMN = np.uint64(0xFEFEFEFEFEFEFEFE)
SHIFTS = np.array([1, 8, 7, 9], np.uint64)
INNER = np.array([0x7E7E7E7E7E7E7E7E, 0xFFFFFFFFFFFFFFFF, 0x7E7E7E7E7E7E7E7E, 0x7E7E7E7E7E7E7E7E], np.uint64)
FIFTHS = np.uint64(0x5555555555555555)
THIRDS = np.uint64(0x3333333333333333)
NIBBLES = np.uint64(0x0F0F0F0F0F0F0F0F)
BYTES = np.uint64(0x0101010101010101)
TOP_BYTE = np.uint64(56)
TWO = np.uint64(2)
FOUR = np.uint64(4)
LEFT_HALF = np.uint64(0x0F0F0F0F0F0F0F0F)
UPPER_HALF = np.uint64(0x00000000FFFFFFFF)


def load(game, position, s):
    """Write a position into s, with the masks and weights of its board."""
    masks = game.estimate
    s[MINE], s[THEIRS], s[PLAYABLE], s[HEIGHT] = position.mine, position.theirs, position.playable, 0
    s[BOARD], s[CORNERS], s[DIAGONAL] = game.board, masks.corners, masks.diagonal
    s[ROWS], s[COLUMNS], s[EDGES] = masks.rows, masks.columns, masks.edges
    s[BESIDE_IN_ROWS], s[BESIDE_IN_COLUMNS] = masks.beside_in_rows, masks.beside_in_columns
    s[WAYS] = SHIFTS.size
    s[ROOTS:WEIGHTS] = masks.roots
    weights = np.array(masks.weights, np.int64).reshape(-1)
    # Negative ones go in as their two's complement.
    s[WEIGHTS : WEIGHTS + weights.size] = weights.view(np.uint64)


# ---------------------------------------------------------------- bits


def count(cells):
    """How many bits are set."""
    cells = cells - ((cells >> ONE) & FIFTHS)
    cells = (cells & THIRDS) + ((cells >> TWO) & THIRDS)
    cells = (cells + (cells >> FOUR)) & NIBBLES
    return np.int64((cells * BYTES) >> TOP_BYTE)


def lowest(cells):
    """The number of the lowest bit that is set."""
    return count((cells & (~cells + ONE)) - ONE)


def runs(way, discs, theirs):
    """The discs of theirs in an unbroken run from any of `discs`, one way along and the other."""
    shift = SHIFTS[way]
    through = theirs & INNER[way]
    twice = shift + shift
    pairs = through & (through << shift)
    lower_pairs = pairs >> shift
    up = through & (discs << shift)
    down = through & (discs >> shift)
    up |= through & (up << shift)
    down |= through & (down >> shift)
    up |= pairs & (up << twice)
    down |= lower_pairs & (down >> twice)
    up |= pairs & (up << twice)
    down |= lower_pairs & (down >> twice)
    return up, down


def reach(s, mine, theirs):
    """The cells where the first of two sets of discs can play."""
    found = ZERO
    for way in range(np.int64(s[WAYS])):
        up, down = runs(way, mine, theirs)
        found |= (up << SHIFTS[way]) | (down >> SHIFTS[way])
    return found & s[BOARD] & ~(mine | theirs)


def flips(s, disc, mine, theirs):
    """The discs of theirs that a disc of mine encloses, put on an empty cell."""
    for way in range(np.int64(s[WAYS])):
        up, down = runs(way, disc, theirs)
        up = up if mine & (up << SHIFTS[way]) != ZERO else ZERO
        down = down if mine & (down >> SHIFTS[way]) != ZERO else ZERO
        s[FLIPS + way] = up | down
    return s[FLIPS] | s[FLIPS + 1] | s[FLIPS + 2] | s[FLIPS + 3]


# ---------------------------------------------------------------- the rules


def play(s, move):
    """Play a legal move."""
    mine, theirs = s[MINE], s[THEIRS]
    top = STACK + 3 * np.int64(s[HEIGHT])
    s[top], s[top + 1], s[top + 2] = mine, theirs, s[PLAYABLE]
    s[HEIGHT] += ONE
    if move != PASS:
        disc = ONE << np.uint64(move)
        flipped = flips(s, disc, mine, theirs)
        mine |= flipped | disc
        theirs ^= flipped
    s[MINE], s[THEIRS] = theirs, mine
    s[PLAYABLE] = reach(s, theirs, mine)


def undo(s, move):
    """Take the last move back."""
    s[HEIGHT] -= ONE
    top = STACK + 3 * np.int64(s[HEIGHT])
    s[MINE], s[THEIRS], s[PLAYABLE] = s[top], s[top + 1], s[top + 2]


def ended(s):
    """Over when neither side can move: more discs win."""
    if s[PLAYABLE] != ZERO or reach(s, s[THEIRS], s[MINE]) != ZERO:
        return 0
    ahead = count(s[THEIRS]) - count(s[MINE])
    return 1 if ahead > 0 else 2 if ahead == 0 else 3


def margin(s):
    """The difference of the discs."""
    return abs(count(s[THEIRS]) - count(s[MINE]))


def plies_left(s):
    """The empty cells."""
    return count(s[BOARD] & ~(s[MINE] | s[THEIRS]))


def urgent(s):
    """Never: an estimate sees what it sees."""
    return 0


def key(s):
    """A hash of the two sides' discs as the side to move sees them: nothing else counts."""
    hashed = s[MINE] * np.uint64(0x9E3779B97F4A7C15)
    hashed = ((hashed ^ (hashed >> np.uint64(32))) + s[THEIRS]) * np.uint64(0xD6E8FEB86659FD93)
    hashed = (hashed ^ (hashed >> np.uint64(29))) * np.uint64(0xA0761D6478BD642F)
    return np.int64(hashed | ONE)


# ---------------------------------------------------------------- the order of moves


def beside_diagonal(s, empty):
    """The cells within the board that touch an empty corner."""
    corners = s[CORNERS] & empty
    return s[DIAGONAL] & ((corners << NINE) | (corners >> NINE) | (corners << SEVEN) | (corners >> SEVEN))


def beside(s, empty):
    """The cells of the edges that touch an empty corner."""
    corners = s[CORNERS] & empty
    return (s[BESIDE_IN_ROWS] & ((corners << ONE) | (corners >> ONE))) | (
        s[BESIDE_IN_COLUMNS] & ((corners << EIGHT) | (corners >> EIGHT))
    )


def spread(cells, out, at):
    """Write the numbers of the bits, from the lowest; return where the next goes."""
    while cells != ZERO:
        out[at] = lowest(cells)
        cells &= cells - ONE
        at += 1
    return at


def sort_by_replies(s, out, at, end, empty):
    """The fewest replies first, corners counting double; a move into an odd region is worth half a reply."""
    mine, theirs = s[MINE], s[THEIRS]
    for i in range(at, end):
        move = out[i]
        disc = ONE << np.uint64(move)
        flipped = flips(s, disc, mine, theirs)
        replies = reach(s, theirs ^ flipped, mine | flipped | disc)
        columns = LEFT_HALF if disc & LEFT_HALF != ZERO else ~LEFT_HALF
        lines = UPPER_HALF if disc & UPPER_HALF != ZERO else ~UPPER_HALF
        odd = count(empty & columns & lines) & 1
        worth = 2 * (count(replies) + count(replies & s[CORNERS])) - odd
        # The move rides along in the lower bits while it finds its place.
        entry = (worth + 1) << 8 | move
        place = i
        while place > at and out[place - 1] >> 8 > worth + 1:
            out[place] = out[place - 1]
            place -= 1
        out[place] = entry
    for i in range(at, end):
        out[i] &= 255


def moves(s, out, at):
    """Corners first, cells beside an empty corner last; near the end those that leave few replies."""
    playable = s[PLAYABLE]
    if playable == ZERO:
        out[at] = PASS
        return 1
    empty = s[BOARD] & ~(s[MINE] | s[THEIRS])
    corners = playable & s[CORNERS]
    diagonal = playable & beside_diagonal(s, empty)
    along = playable & beside(s, empty)
    end = spread(corners, out, at)
    end = spread(playable & ~(corners | diagonal | along), out, end)
    end = spread(along, out, end)
    end = spread(diagonal, out, end)
    if count(empty) > ENDING:
        return end - at
    sort_by_replies(s, out, at, end, empty)
    return end - at + ORDERED


# ---------------------------------------------------------------- the estimate


def around(discs):
    """These cells and all that touch them."""
    wide = discs | ((discs & NOT_LAST_COLUMN) << ONE) | ((discs & NOT_FIRST_COLUMN) >> ONE)
    return wide | (wide << EIGHT) | (wide >> EIGHT)


def fill_up(start, through, shift):
    """All of `through` that an unbroken run links to `start`, towards the higher bits, and `start`."""
    start |= through & (start << shift)
    through &= through << shift
    start |= through & (start << (shift + shift))
    through &= through << (shift + shift)
    return start | through & (start << (shift + shift + shift + shift))


def fill_down(start, through, shift):
    """The same towards the lower bits."""
    start |= through & (start >> shift)
    through &= through >> shift
    start |= through & (start >> (shift + shift))
    through &= through >> (shift + shift)
    return start | through & (start >> (shift + shift + shift + shift))


def anchored(s, discs):
    """The discs in an unbroken row of their own from a corner."""
    corners = discs & s[CORNERS]
    if corners == ZERO:
        return 0
    rows, columns = discs & s[ROWS], discs & s[COLUMNS]
    return count(
        fill_up(corners, rows, ONE)
        | fill_down(corners, rows, ONE)
        | fill_up(corners, columns, EIGHT)
        | fill_down(corners, columns, EIGHT)
    )


def evaluate(s):
    """The discs by which the side to move can be expected to win, times a hundred."""
    mine, theirs, playable = s[MINE], s[THEIRS], s[PLAYABLE]
    empty = s[BOARD] & ~(mine | theirs)
    left = count(empty)
    replies = reach(s, theirs, mine)
    row = WEIGHTS + FEATURES * left
    can, could = count(playable), count(replies)
    corners, edges = s[CORNERS], s[EDGES]
    total = np.int64(s[row]) + np.int64(s[row + 1]) * (1 - 2 * (left & 1))
    total += np.int64(s[row + 2]) * (can - could)
    total += np.int64(s[row + 3]) * (np.int64(s[ROOTS + can]) - np.int64(s[ROOTS + could]))
    total += np.int64(s[row + 4]) * (count(around(theirs) & empty) - count(around(mine) & empty))
    total += np.int64(s[row + 6]) * (count(playable & corners) - count(replies & corners))
    if corners & empty != ZERO:
        diagonal, along = beside_diagonal(s, empty), beside(s, empty)
        total += np.int64(s[row + 7]) * (count(mine & diagonal) - count(theirs & diagonal))
        total += np.int64(s[row + 8]) * (count(mine & along) - count(theirs & along))
    if corners & ~empty != ZERO:
        total += np.int64(s[row + 5]) * (count(mine & corners) - count(theirs & corners))
        total += np.int64(s[row + 10]) * (anchored(s, mine) - anchored(s, theirs))
    total += np.int64(s[row + 9]) * (count(mine & edges) - count(theirs & edges))
    total += np.int64(s[row + 11]) * (count(mine) - count(theirs))
    return max(-LIMIT, min(LIMIT, total // UNIT))
