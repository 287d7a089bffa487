"""English draughts over numbers: see `parlour_server.search.kernels.arrays`.

Squares are bits, numbered row by row from the top left, with a bit left out behind every second row: so every
step is by four or five bits, and what leaves the board falls on a bit that is none. Side 0 goes down.

A chain of jumps is a number: its ways, indexes of WAYS, are digits to the base of four behind a 1.
"""

PIECES, KINGS, QUIET = 2, 4, 5
"""Where a position says which squares each side has; on which of them kings stand; and for how many plies no
man has moved and nothing was taken."""

POSITION = 6
KEYED = 5
BOARD = 0b1111_1111_0_1111_1111_0_1111_1111_0_1111_1111
WAYS = (4, 5, -4, -5)
LAST = (0b1111 << 31, 0b1111)
"""Where each side's men become kings."""
SQUARES = 36
PLACE = tuple({2**square % 37: square for square in range(SQUARES)}.get(rest, 0) for rest in range(37))
"""A bit's square by what is left when it is divided by 37: no two leave the same."""

# No piece has more than 16 chains of jumps, and no more than 9 of them end on one square.
MOST_MOVES = 12 * 16
MOVE_NUMBERS = 9 * SQUARES * SQUARES
"""A move is from where to where, and the how maniest of the chains that lead there."""

PATIENCE = 80
"""After so many quiet plies the game is drawn."""

MAN = (
    *(330, 320, 330, 310), *(300, 302, 302, 302), 0, *(304, 308, 308, 302), *(304, 310, 310, 306),
    0, *(312, 318, 318, 310), *(318, 324, 324, 322), 0, *(334, 336, 336, 332), *(0, 0, 0, 0),
)  # fmt: skip
"""What one of side 0 is worth on each square."""
KING = (
    *(400, 400, 400, 410), *(405, 420, 420, 420), 0, *(420, 440, 440, 420), *(410, 445, 445, 420),
    0, *(420, 445, 445, 410), *(420, 440, 440, 420), 0, *(420, 420, 420, 405), *(410, 400, 400, 400),
)  # fmt: skip


def shifted(bits, by):
    """Bits moved up, or down by less than nothing."""
    return bits << by if by > 0 else bits >> -by


def jumpers(s):
    """The pieces that can take."""
    side = s[0]
    mine, theirs = s[PIECES + side], s[PIECES + 1 - side]
    empty = BOARD & ~(mine | theirs)
    found = 0
    for i in range(4):
        movers = mine if i // 2 == side else mine & s[KINGS]
        found |= movers & shifted(theirs & shifted(empty, -WAYS[i]), -WAYS[i])
    return found


def jumped(s, start, chain):
    """Where a piece is behind its jumps, as a bit, and what they leave of the other side's pieces."""
    at, theirs = 1 << start, s[PIECES + 1 - s[0]]
    rest = chain
    digits = 0
    while rest > 1:
        rest >>= 2
        digits += 2
    while digits > 0:
        digits -= 2
        way = WAYS[chain >> digits & 3]
        theirs &= ~shifted(at, way)
        at = shifted(at, 2 * way)
    return at, theirs


def next_chain(s, start, chain):
    """The chain of jumps of a piece behind this one, 0 behind the last; the first is behind 0."""
    side = s[0]
    king = s[KINGS] >> start & 1
    empty = BOARD & ~(s[PIECES] | s[PIECES + 1]) | 1 << start
    at, theirs = jumped(s, start, chain)
    # What ends is done with; else the ways are tried from here on.
    i = 4 if chain > 0 else 0
    chain = max(chain, 1)
    ends = False
    while True:
        if i < 4:
            over = shifted(at, WAYS[i]) & theirs
            to = shifted(over, WAYS[i]) & empty
            if to != 0 and (king != 0 or i // 2 == side):
                at, theirs, chain, ends = to, theirs ^ over, chain * 4 + i, True
                # A man that becomes a king stays there.
                i = 4 if king == 0 and to & LAST[side] != 0 else 0
            else:
                i += 1
        elif ends:
            return chain
        elif chain == 1:
            return 0
        else:
            i = chain & 3
            at = shifted(at, -2 * WAYS[i])
            theirs |= shifted(at, WAYS[i])
            chain >>= 2
            i += 1


def chain_of(s, move):
    """A move's chain of jumps; 0 of a step."""
    nth, start, end = move // (SQUARES * SQUARES), move // SQUARES % SQUARES, move % SQUARES
    # Jumps lead by an even number of rows: never as far as a step.
    if abs(end - start) == 4 or abs(end - start) == 5:
        return 0
    chain = next_chain(s, start, 0)
    while True:
        if jumped(s, start, chain)[0] == 1 << end:
            if nth == 0:
                return chain
            nth -= 1
        chain = next_chain(s, start, chain)


def steps(s, i):
    """Where pieces can step to in one of the ways."""
    side = s[0]
    mine = s[PIECES + side]
    movers = mine if i // 2 == side else mine & s[KINGS]
    return shifted(movers, WAYS[i]) & BOARD & ~(s[PIECES] | s[PIECES + 1])


def moves(s, out, at):
    """Jumps, each with its whole chain; steps where there is none."""
    count = 0
    left = jumpers(s)
    if left != 0:
        while left != 0:
            start = PLACE[(left & -left) % 37]
            left &= left - 1
            first = count
            chain = next_chain(s, start, 0)
            while chain != 0:
                move = start * SQUARES + PLACE[jumped(s, start, chain)[0] % 37]
                for i in range(first, count):
                    if out[at + i] == move:
                        move += SQUARES * SQUARES
                out[at + count] = move
                count += 1
                chain = next_chain(s, start, chain)
        return count
    for i in range(4):
        left = steps(s, i)
        while left != 0:
            end = PLACE[(left & -left) % 37]
            left &= left - 1
            out[at + count] = (end - WAYS[i]) * SQUARES + end
            count += 1
    return count


def play(s, move):
    """Step, or jump along a chain. Whose turn it is and can't move has lost."""
    side = s[0]
    start, end = move // SQUARES % SQUARES, move % SQUARES
    chain = chain_of(s, move)
    king = s[KINGS] >> start & 1
    if chain != 0:
        s[PIECES + 1 - side] = jumped(s, start, chain)[1]
    s[PIECES + side] = s[PIECES + side] & ~(1 << start) | 1 << end
    kings = s[KINGS] & ~(1 << start) & (s[PIECES] | s[PIECES + 1])
    if king != 0 or (1 << end) & LAST[side] != 0:
        kings |= 1 << end
    s[KINGS] = kings
    s[QUIET] = s[QUIET] + 1 if king != 0 and chain == 0 else 0
    s[0] = 1 - side
    if jumpers(s) == 0 and steps(s, 0) | steps(s, 1) | steps(s, 2) | steps(s, 3) == 0:
        s[1] = 1 + side
    elif s[QUIET] >= PATIENCE:
        s[1] = 3


def evaluate(s):
    """What the pieces are worth where they stand. Who is ahead would rather have few on the board.

    It is blind where a piece hangs. To follow that costs more than it brings (12.5 of 40 games), as a lone
    capture costs no depth anyway.
    """
    kings, ahead, count = s[KINGS], 0, 0
    for side in range(2):
        left, sign = s[PIECES + side], 1 if side == s[0] else -1
        while left != 0:
            bit = left & -left
            left ^= bit
            square = PLACE[bit % 37]
            own = square if side == 0 else 34 - square
            ahead += sign * (MAN[own] if kings & bit == 0 else KING[own])
            count += 1
    return max(-4800, min(4800, ahead * (40 - count) // 16))
