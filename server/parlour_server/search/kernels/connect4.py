"""Connect Four on 7x6 as `games/connect4.py` has it, on the same bitboards."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

import numpy as np

from parlour_server.games.connect4 import LASTING_THREAT, MOST, OPEN_LINE, THREAT

DTYPE = np.int64
MOST_MOVES = 7
MOVE_NUMBERS = 7
MOST_PLIES = 42

# Where things stand in a state.
MINE = 0
MASK = 1
STONES = 2
ENDED = 3
PATH = 4  # for each number of stones, the threats of the side to move and of the other
STATE = PATH + 2 * 43

BOTTOM = 0x40810204081
BOARD = BOTTOM * 0b111111
ODD = BOTTOM * 0b010101
EVEN = BOTTOM * 0b101010
COLUMN = 0b111111
SCATTER = 0x1E3779B97F4A7C15


def load(game, position, s):
    """Write a position of the rules into a state."""
    s[MINE] = position.mine
    s[MASK] = position.mask
    s[STONES] = position.mask.bit_count()
    s[ENDED] = (0, 1, 1, 2)[position.over]
    here = PATH + 2 * s[STONES]
    # The rules' own: a function of this module would be compiled when it is first called.
    s[here] = game.threats(position.mine, position.mask)
    s[here + 1] = game.threats(position.mine ^ position.mask, position.mask)


def popcount(x):
    """How many bits are set. The compiler knows this pattern and makes one instruction of it."""
    x = x - ((x >> 1) & 0x5555555555555555)
    x = (x & 0x3333333333333333) + ((x >> 2) & 0x3333333333333333)
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F
    return ((x * 0x0101010101010101) >> 56) & 127


def threats(stones, mask):
    """The empty cells that would complete four of these stones."""
    found = (stones << 1) & (stones << 2) & (stones << 3)
    for step in (6, 7, 8):
        pair = (stones << step) & (stones << 2 * step)
        found |= pair & ((stones << 3 * step) | (stones >> step))
        pair = (stones >> step) & (stones >> 2 * step)
        found |= pair & ((stones << step) | (stones >> 3 * step))
    return found & (BOARD ^ mask)


def play(s, move):
    mine = s[MINE]
    mask = s[MASK]
    here = PATH + 2 * s[STONES]
    stone = (mask + (1 << 7 * move)) & (COLUMN << 7 * move)
    s[MINE] = mine ^ mask
    mask |= stone
    s[MASK] = mask
    s[STONES] += 1
    if s[here] & stone:
        s[ENDED] = 1
    elif mask == BOARD:
        s[ENDED] = 2
    else:
        s[ENDED] = 0
        s[here + 2] = s[here + 1] & ~stone
        s[here + 3] = threats(mine | stone, mask)


def undo(s, move):
    # Below the lowest free cell of the column.
    mask = s[MASK]
    stone = ((mask + (1 << 7 * move)) >> 1) & (COLUMN << 7 * move)
    mask ^= stone
    s[MASK] = mask
    s[MINE] = s[MINE] ^ mask
    s[STONES] -= 1
    s[ENDED] = 0


def ended(s):
    return s[ENDED]


def moves(s, out, at):
    here = PATH + 2 * s[STONES]
    playable = (s[MASK] + BOTTOM) & BOARD
    must = s[here] & playable
    if must == 0:
        must = s[here + 1] & playable
    count = 0
    for order in range(7):
        aside = (order + 1) >> 1
        column = 3 - aside if order & 1 else 3 + aside
        cells = COLUMN << 7 * column
        if must & cells:
            out[at] = column
            return 1
        if must == 0 and playable & cells:
            out[at + count] = column
            count += 1
    return count


def prospects(room, threats, lasting):
    """What a side's lines and threats are worth; `room` is its stones and the empty cells."""
    lines = 0
    for step in (1, 6, 7, 8):
        pairs = room & (room >> step)
        lines += popcount(pairs & (pairs >> 2 * step))
    return OPEN_LINE * lines + THREAT * popcount(threats) + LASTING_THREAT * popcount(threats & lasting)


def evaluate(s):
    mine = s[MINE]
    here = PATH + 2 * s[STONES]
    first = s[STONES] & 1 == 0
    # A side has room wherever the other has no stone.
    balance = prospects(BOARD ^ mine ^ s[MASK], s[here], ODD if first else EVEN) - prospects(
        BOARD ^ mine, s[here + 1], EVEN if first else ODD
    )
    return max(-MOST, min(MOST, balance))


def urgent(s):
    here = PATH + 2 * s[STONES]
    return 1 if (s[here] | s[here + 1]) & (s[MASK] + BOTTOM) != 0 else 0


def plies_left(s):
    return 42 - s[STONES]


def margin(s):
    return 0


def key(s):
    # The sum names the position; one more, so that the empty board's is not 0.
    k = (s[MINE] + s[MASK] + 1) * SCATTER
    return (k ^ (k >> 32)) * SCATTER
