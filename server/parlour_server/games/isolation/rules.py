"""Isolation over numbers: see `parlour_server.search.kernels.arrays`.

Cells are bits, each row of the board beginning nine bits behind the one below: the two bits between rows are
never free, so that no step leaves the board at the side.
"""

KNIGHTS, FREE, PLACES = 2, 3, 4
"""Where a position says whether pieces step as knights do; on which cells nobody has been; and where each
side's piece stands."""

STRIDE = 9
NOWHERE = 63
"""Where a piece stands that is yet to be placed."""

POSITION = 6
MOST_MOVES = 49
MOVE_NUMBERS = 61
MOST_PLIES = 49

QUEENS_STEPS = (1, 8, 9, 10)
KNIGHTS_STEPS = (7, 11, 17, 19)


def count(cells):
    """How many there are."""
    pairs = cells - (cells >> 1 & 0x5555555555555555)
    fours = (pairs & 0x3333333333333333) + (pairs >> 2 & 0x3333333333333333)
    bytes_ = fours + (fours >> 4) & 0x0F0F0F0F0F0F0F0F
    half = bytes_ + (bytes_ >> 32)
    quarter = half + (half >> 16)
    return quarter + (quarter >> 8) & 0x7F


def steps(cells, free, knights):
    """Where pieces on some cells can go."""
    found = 0
    if knights != 0:
        for by in KNIGHTS_STEPS:
            found |= cells << by | cells >> by
        return found & free
    for by in QUEENS_STEPS:
        ahead, back = cells << by & free, cells >> by & free
        while ahead != 0:
            found |= ahead
            ahead = ahead << by & free
        while back != 0:
            found |= back
            back = back >> by & free
    return found


def targets(s, side):
    """Where a side can go: anywhere with its first move."""
    place = s[PLACES + side]
    return s[FREE] if place == NOWHERE else steps(1 << place, s[FREE], s[KNIGHTS])


def moves(s, out, at):
    """The cells, each a move."""
    ends = targets(s, s[0])
    total = 0
    for cell in range(MOVE_NUMBERS):
        if ends >> cell & 1 != 0:
            out[at + total] = cell
            total += 1
    return total


def play(s, move):
    """Put or move the piece: nobody can go to its cell any more."""
    side = s[0]
    s[PLACES + side] = move
    s[FREE] &= ~(1 << move)
    s[0] = 1 - side
    if targets(s, 1 - side) == 0:
        s[1] = 1 + side


def evaluate(s):
    """By how many cells more the side to move comes to first: also to those that both come to at once.

    Once neither can come to where the other one can, the one with more cells wins, nearly always.
    """
    side, free, knights = s[0], s[FREE], s[KNIGHTS]
    mine, theirs = targets(s, side), targets(s, 1 - side)
    first, others = mine, theirs & ~mine
    rounds, before = 0, 0
    while mine | theirs != before and (rounds < 2 or mine & theirs == 0):
        before = mine | theirs
        mine |= steps(mine, free, knights)
        theirs |= steps(theirs, free, knights)
        first |= mine & ~others
        others |= theirs & ~first
        rounds += 1
    if mine & theirs == 0:
        return max(-4000, min(4000, 400 * (count(mine) - count(theirs)) - 200))
    return 50 * (count(first) - count(others))


def plies_left(s):
    """Each takes a cell."""
    return count(s[FREE])
