"""The rules of go on small boards over numbers: see `parlour_server.search.kernels.arrays`.

The point in row r and column c is bit 6 * r + c of a side's stones: beside and below the board lies a column
and a row without points, so that no shift brings a stone to where it has no neighbour. Both sides' stones
make one number of 60 bits, which is how a board is remembered.
"""

BLACK, WHITE, PASSED, FORBIDDEN, TAKEN, PLIES, POINTS, KOMI, PAST = 2, 3, 4, 5, 6, 7, 8, 9, 10
"""Where a position has the stones; whether the last move was a pass; where a stone may not be put, since the
board would be one that was; whether one was ever taken; how many moves were made; the board's points; what
white gets in advance; and all boards that were, one for each move."""

LARGEST = 5
STRIDE = LARGEST + 1
LONGEST = 4 * LARGEST * LARGEST
"""No game has more moves: the board is counted as it is then."""
POSITION = PAST + LONGEST
KEYED = 6
"""So a search knows of the boards that were what they forbid now, and not what they will forbid later: that
can make a score wrong, and a proof, where a fight goes in a longer circle than a ko's."""
PASSING = STRIDE * LARGEST
"""The number of a pass."""
MOST_MOVES = LARGEST * LARGEST + 1
MOVE_NUMBERS = PASSING + 1
MOST_PLIES = LONGEST + 2


def count(bits):
    """How many bits are set."""
    bits -= (bits >> 1) & 0x5555555555555555
    bits = (bits & 0x3333333333333333) + ((bits >> 2) & 0x3333333333333333)
    bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0F
    return (bits & 255) + (bits >> 8 & 255) + (bits >> 16 & 255) + (bits >> 24 & 255)


def beside(points):
    """The points and their neighbours, also off the board."""
    return points | points << 1 | points >> 1 | points << STRIDE | points >> STRIDE


def inside(points):
    """The points with all four neighbours."""
    return points & points << 1 & points >> 1 & points << STRIDE & points >> STRIDE


def spread(points, within):
    """All that can be reached from points inside of others."""
    before = 0
    while before != points:
        before = points
        points = beside(points) & within
    return points


def taken(others, empty, stone):
    """The other side's stones that have no liberty left once a stone is put; `empty` is without it."""
    touched = beside(stone) & others
    found = 0
    while touched != 0:
        group = spread(touched & -touched, others)
        touched &= ~group
        if beside(group) & empty == 0:
            found |= group
    return found


def in_atari(stones, empty):
    """A side's stones in groups with one liberty or less, and those liberties."""
    found = liberties = 0
    while stones != 0:
        group = spread(stones & -stones, stones)
        stones &= ~group
        free = beside(group) & empty
        if free & (free - 1) == 0:
            found |= group
            liberties |= free
    return found, liberties


def breathes(s, stone):
    """Would the stones that the side to move puts together on an empty point have a liberty?"""
    own, others = s[BLACK + s[0]], s[WHITE - s[0]]
    empty = s[POINTS] & ~(own | others | stone)
    return beside(spread(stone, own | stone)) & empty != 0 or taken(others, empty, stone) != 0


def board_after(s, stone):
    """The board with a stone on an empty point, as one number."""
    side = s[0]
    own, others = s[BLACK + side] | stone, s[WHITE - side]
    others &= ~taken(others, s[POINTS] & ~(own | others), stone)
    return own | others << 30 if side == 0 else others | own << 30


def forbidden(s):
    """The empty points on which a stone would make a board that was."""
    found = 0
    rest = s[POINTS] & ~(s[BLACK] | s[WHITE])
    while rest != 0:
        stone = rest & -rest
        rest ^= stone
        board, again = board_after(s, stone), 0
        for at in range(PAST, PAST + s[PLIES]):
            again += s[at] == board
        if again != 0:
            found |= stone
    return found


def moves(s, out, at):
    """What takes stones, then the rest from the middle on, one's own eyes, a pass."""
    own, others = s[BLACK + s[0]], s[WHITE - s[0]]
    empty = s[POINTS] & ~(own | others | s[FORBIDDEN])
    first, eyes = at, 0
    _, hot = in_atari(others, empty)
    rest = empty
    while rest != 0:
        stone = rest & -rest
        rest ^= stone
        if beside(stone) & s[POINTS] & ~own == stone:
            eyes |= stone
    inner = inside(s[POINTS])
    for rank in range(4):
        if rank == 0:
            rest = hot
        elif rank == 1:
            rest = empty & inner & ~hot & ~eyes
        elif rank == 2:
            rest = empty & ~inner & ~hot & ~eyes
        else:
            rest = empty & eyes & ~hot
        while rest != 0:
            stone = rest & -rest
            rest ^= stone
            if breathes(s, stone):
                out[at] = count(stone - 1)
                at += 1
    out[at] = PASSING
    return at + 1 - first


def play(s, move):
    """Put a stone and take what has no liberty left, or pass."""
    side = s[0]
    s[PAST + s[PLIES]] = s[BLACK] | s[WHITE] << 30
    s[PLIES] += 1
    if move == PASSING:
        if s[PASSED] == 1:
            finish(s)
        s[PASSED] = 1
    else:
        s[PASSED] = 0
        stone = 1 << move
        others = s[WHITE - side]
        s[BLACK + side] |= stone
        captured = taken(others, s[POINTS] & ~(s[BLACK] | s[WHITE]), stone)
        if captured != 0:
            s[WHITE - side] = others & ~captured
            s[TAKEN] = 1
    s[0] = 1 - side
    if s[TAKEN] != 0:
        # There is a stone more each time: no board comes again before one is taken.
        s[FORBIDDEN] = forbidden(s)
    if s[PLIES] == 4 * count(s[POINTS]) and s[1] == 0:
        finish(s)


def area(s):
    """How many points are black's and white's: stones, and what is empty and only one side reaches."""
    empty = s[POINTS] & ~(s[BLACK] | s[WHITE])
    black, white = spread(s[BLACK], s[BLACK] | empty), spread(s[WHITE], s[WHITE] | empty)
    return count(black & ~white), count(white & ~black)


def finish(s):
    """Count the board."""
    black, white = area(s)
    ahead = black - white - s[KOMI]
    s[1] = 1 if ahead > 0 else 2 if ahead < 0 else 3


def evaluate(s):
    """Stones, twice those off the edge, and their liberties; what can be taken at once is taken.

    On boards this small the side lives that has the better stones: where territory lies can't be told before.
    Fitted to the results of 500 games.
    """
    side = s[0]
    own, others = s[BLACK + side], s[WHITE - side]
    empty = s[POINTS] & ~(own | others)
    # The side to move takes what it can.
    dead, _ = in_atari(others, empty)
    weak, _ = in_atari(own, empty)
    alive = others & ~dead
    inner = inside(s[POINTS])
    middle = inside(inner)
    ahead = count(own) - count(alive) + count(own & inner) - count(alive & inner)
    central = count(own & middle) - count(alive & middle)
    free = count(beside(own) & empty) - count(beside(alive) & empty)
    komi = s[KOMI] if side == 0 else -s[KOMI]
    guess = 100 * (ahead + central) + 30 * (free - count(weak)) - 50 * komi + 85
    return max(-4800, min(4800, guess))


def plies_left(s):
    """As many as the longest game still has."""
    return 4 * count(s[POINTS]) - s[PLIES]
