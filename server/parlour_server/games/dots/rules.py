"""The rules of dots and boxes over numbers: see `parlour_server.search.kernels.arrays`.

Lines and boxes are bits of three sets, in each of which the one in row r and column c is bit r * stride + c:
lines across, of which a box's own is the one above it; lines down, its own on its left; and boxes. There is
a column more than boxes, so that no shift brings a line into another row.
"""

ACROSS, DOWN, AHEAD, OWNED, BOXES, STRIDE = 2, 3, 4, 5, 6, 7
"""Where a position has the lines that are drawn, by how many boxes side 0 is ahead, which boxes are its own,
all boxes there are, and by how much a row's bits lie above those of the one before."""

LARGEST = 6
POSITION = 8
KEYED = 5
MOST_MOVES = 2 * LARGEST * (LARGEST + 1)
DOWNWARD = LARGEST * (LARGEST + 2)
"""The number of the first line down; those across begin with 0."""
MOVE_NUMBERS = DOWNWARD + LARGEST * (LARGEST + 1)
MOST_PLIES = 2 * MOST_MOVES + 2


def count(bits):
    """How many bits are set."""
    bits -= (bits >> 1) & 0x5555555555555555
    bits = (bits & 0x3333333333333333) + ((bits >> 2) & 0x3333333333333333)
    bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0F
    total = 0
    while bits > 0:
        total += bits & 255
        bits >>= 8
    return total


def lowest(bits):
    """The place of the lowest bit."""
    return count((bits & -bits) - 1)


def closed(s):
    """The boxes with four sides."""
    return s[ACROSS] & (s[ACROSS] >> s[STRIDE]) & s[DOWN] & (s[DOWN] >> 1)


def almost(s):
    """The boxes with three sides: each may be taken."""
    up, low, left, right = s[ACROSS], s[ACROSS] >> s[STRIDE], s[DOWN], s[DOWN] >> 1
    return (up & low & (left ^ right) | (up ^ low) & left & right) & s[BOXES]


def halfway(s):
    """The boxes with two sides: a third one gives them away."""
    up, low, left, right = s[ACROSS], s[ACROSS] >> s[STRIDE], s[DOWN], s[DOWN] >> 1
    return (up & low & ~(left | right) | ~(up | low) & left & right | (up ^ low) & (left ^ right)) & s[BOXES]


def way_out(s, box, entered):
    """The move that draws a missing side of a box, given as a bit, other than one that is a move, too."""
    at, stride = lowest(box), s[STRIDE]
    if s[ACROSS] & box == 0 and at != entered:
        return at
    if s[ACROSS] & box << stride == 0 and at + stride != entered:
        return at + stride
    if s[DOWN] & box == 0 and DOWNWARD + at != entered:
        return DOWNWARD + at
    return DOWNWARD + at + 1


def beyond(s, box, move):
    """The box on the other side of a line, as a bit; 0 where the board ends there."""
    at, stride = lowest(box), s[STRIDE]
    if move == at:
        return box >> stride
    if move == at + stride:
        return box << stride & s[BOXES]
    if move == DOWNWARD + at:
        return box >> 1 & s[BOXES]
    return box << 1 & s[BOXES]


def moves(s, out, at):
    """Where boxes can be taken, the one or two moves that may be best; else all, those that give none first.

    What can be taken is always taken first, but for the last two of a row that is open at one end, or the
    last four of one that is open at both: there one may give them up, and needn't move elsewhere. It is
    enough to do that in one place, where it costs less. See Barker and Korf, Solving Dots-And-Boxes (2012).
    """
    taken = almost(s)
    if taken == 0:
        return all_moves(s, out, at)
    half, rest = halfway(s), taken
    choices = costs = take = give = 0
    while rest > 0:
        box = rest & -rest
        rest ^= box
        first = way_out(s, box, -1)
        second = beyond(s, box, first)
        if second & half == 0:
            out[at] = first
            return 1
        between = way_out(s, second, first)
        third = beyond(s, second, between)
        cost = 2
        if third & taken != 0:
            out[at] = first
            return 1
        if third & half != 0:
            fourth = beyond(s, third, way_out(s, third, between))
            if fourth & taken == 0:
                out[at] = first
                return 1
            rest &= ~fourth
            cost = 4
        choices += 1
        if cost > costs:
            costs, take, give = cost, first, between
    out[at] = take
    if choices > 1:
        return 1
    out[at + 1] = give
    return 2


def all_moves(s, out, at):
    """All lines that may be drawn, those first that give no box away."""
    half, stride = halfway(s), s[STRIDE]
    across = (s[BOXES] | s[BOXES] << stride) & ~s[ACROSS]
    down = (s[BOXES] | s[BOXES] << 1) & ~s[DOWN]
    giving_across, giving_down = across & (half | half << stride), down & (half | half << 1)
    first = at
    for giving in range(2):
        bits = giving_across if giving == 1 else across & ~giving_across
        while bits > 0:
            out[at] = lowest(bits)
            bits &= bits - 1
            at += 1
        bits = giving_down if giving == 1 else down & ~giving_down
        while bits > 0:
            out[at] = DOWNWARD + lowest(bits)
            bits &= bits - 1
            at += 1
    return at - first


def play(s, move):
    """Draw a line: who closes a box moves again."""
    before = closed(s)
    if move >= DOWNWARD:
        s[DOWN] |= 1 << move - DOWNWARD
    else:
        s[ACROSS] |= 1 << move
    now = closed(s)
    won = now ^ before
    if won == 0:
        s[0] = 1 - s[0]
        return
    if s[0] == 0:
        s[AHEAD] += count(won)
        s[OWNED] |= won
    else:
        s[AHEAD] -= count(won)
    if now == s[BOXES]:
        s[1] = 1 if s[AHEAD] > 0 else 2 if s[AHEAD] < 0 else 3


def evaluate(s):
    """By how many boxes the side to move is ahead, and who will have to give the rest away.

    That is who moves when all lines left give a box away; before, it hangs on how many don't.
    """
    half, stride = halfway(s), s[STRIDE]
    across = (s[BOXES] | s[BOXES] << stride) & ~s[ACROSS] & ~(half | half << stride)
    down = (s[BOXES] | s[BOXES] << 1) & ~s[DOWN] & ~(half | half << 1)
    safe = count(across) + count(down)
    rest = count(s[BOXES] & ~closed(s))
    ahead = s[AHEAD] if s[0] == 0 else -s[AHEAD]
    return 100 * ahead + (-50 * rest if safe == 0 else 60 * rest // (2 + safe) * (2 * (safe & 1) - 1))


def urgent(s):
    """A box can be taken."""
    return 1 if almost(s) != 0 else 0


def plies_left(s):
    """As many as there are lines to draw."""
    across, down = s[BOXES] | s[BOXES] << s[STRIDE], s[BOXES] | s[BOXES] << 1
    return count(across & ~s[ACROSS]) + count(down & ~s[DOWN])


def margin(s):
    """By how many boxes it was won."""
    return abs(s[AHEAD])
