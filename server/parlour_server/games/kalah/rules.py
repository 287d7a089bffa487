"""Kalah's rules over numbers: see `parlour_server.search.kernels.arrays`.

Pits are numbered counterclockwise, the way seeds are sown: side 0's, its store, side 1's, its store. A move
is the number of the house that is sown.
"""

HOUSES, EMPTY_CAPTURE, PITS = 2, 3, 4
"""Where a position says how many houses a side has; whether a last seed in an empty house of one's own is
taken though nothing lies opposite it; and where its pits begin."""

LARGEST = 6
POSITION = PITS + 2 * (LARGEST + 1)
MOST_MOVES = LARGEST
MOVE_NUMBERS = 2 * (LARGEST + 1)


def moves(s, out, at):
    """A side's houses from its store on: what ends there moves again, and leaves the others as they are."""
    houses = s[HOUSES]
    first = PITS + s[0] * (houses + 1)
    count = 0
    for house in range(houses - 1, -1, -1):
        if s[first + house] > 0:
            out[at + count] = first + house - PITS
            count += 1
    return count


def play(s, move):
    """Sow a house."""
    side, houses = s[0], s[HOUSES]
    first = PITS + side * (houses + 1)
    store, around = first + houses, 2 * houses + 2
    others = PITS + (1 - side) * (houses + 1)
    skipped = others + houses
    at = PITS + move
    seeds = s[at]
    s[at] = 0
    while seeds > 0:
        at += 1
        if at == PITS + around:
            at = PITS
        if at != skipped:
            s[at] += 1
            seeds -= 1
    if at != store:
        s[0] = 1 - side
        if first <= at < store and s[at] == 1:
            opposite = others + (store - 1 - at)
            if s[opposite] > 0 or s[EMPTY_CAPTURE] != 0:
                s[store] += 1 + s[opposite]
                s[at] = 0
                s[opposite] = 0
    ours = theirs = 0
    for house in range(houses):
        ours += s[first + house]
        theirs += s[others + house]
    if ours == 0 or theirs == 0:
        # What is left belongs to whose houses it lies in.
        for house in range(houses):
            s[first + house] = 0
            s[others + house] = 0
        s[store] += ours
        s[skipped] += theirs
        mine, other = s[store], s[skipped]
        s[1] = 3 if mine == other else 1 + side if mine > other else 2 - side


def evaluate(s):
    """By how many seeds the side to move is ahead in its store, and a little for what lies in its houses."""
    houses, side = s[HOUSES], s[0]
    first, others = PITS + side * (houses + 1), PITS + (1 - side) * (houses + 1)
    ahead = 8 * (s[first + houses] - s[others + houses])
    for house in range(houses):
        ahead += s[first + house] - s[others + house]
    return 15 * ahead


def margin(s):
    """By how many seeds it was won."""
    houses = s[HOUSES]
    return abs(s[PITS + houses] - s[PITS + 2 * houses + 1])
