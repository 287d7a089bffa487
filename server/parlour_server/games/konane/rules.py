"""Konane over numbers: see `parlour_server.search.kernels.arrays`.

A side's stones always stand on cells of one colour, side 0's on those of the lower left corner. Cells of one
colour are bits, those of a row side by side, from the lowest row up and each row's five bits behind the one
before: the bit between rows is no cell. So the cells at both sides of one have, among those of the other
colour, its own bit and the next one, or its own and the one before, by turns from row to row.
"""

SIZE, BOARD, STONES = 2, 3, 4
"""Where a position says how wide the board is; which bits are cells; and where each side's stones stand."""

STRIDE = 5
LARGEST = 8
ROW = 0b11111
SHIFTED = (ROW << 5 | ROW << 15 | ROW << 25 | ROW << 35, ROW | ROW << 10 | ROW << 20 | ROW << 30)
"""For each side the rows in which the cell to the right of a bit has the next one."""

POSITION = 6
# A stone can come to three other cells of its row and to three of its column.
MOST_MOVES = 32 * 6
MOVE_NUMBERS = 64 * 64
MOST_PLIES = 64

RIGHT, LEFT, UP, DOWN = 0, 1, 2, 3
ACROSS, ALONG = (1, -1, 0, 0), (0, 0, 1, -1)


def count(cells):
    """How many there are."""
    pairs = cells - (cells >> 1 & 0x5555555555)
    fours = (pairs & 0x3333333333) + (pairs >> 2 & 0x3333333333)
    bytes_ = fours + (fours >> 4) & 0x0F0F0F0F0F
    half = bytes_ + (bytes_ >> 16) + (bytes_ >> 32)
    return half + (half >> 8) & 0x3F


def jumpers(s, side, cells, way):
    """Which of these cells a stone of a side can jump from, one way."""
    others = s[STONES + 1 - side]
    free = s[BOARD] & ~s[STONES + side]
    shifted = SHIFTED[side]
    if way == UP:
        return cells & others >> STRIDE & free >> 2 * STRIDE
    if way == DOWN:
        return cells & others << STRIDE & free << 2 * STRIDE
    if way == RIGHT:
        return cells & (others & ~shifted | others >> 1 & shifted) & free >> 1
    return cells & (others << 1 & ~shifted | others & shifted) & free << 1


def landed(cells, way):
    """Where they come to from there."""
    if way == UP:
        return cells << 2 * STRIDE
    if way == DOWN:
        return cells >> 2 * STRIDE
    return cells << 1 if way == RIGHT else cells >> 1


def removable(s, side):
    """The stones to be taken away first: side 0's in a corner or the middle, then one beside the hole."""
    size, board = s[SIZE], s[BOARD]
    found = 0
    for bit in range(STRIDE * LARGEST):
        if board >> bit & 1 == 0:
            continue
        row = bit // STRIDE
        column = 2 * (bit % STRIDE) + ((row + side) & 1)
        if side == 0:
            ends = row == column and (row == 0 or row == size - 1)
            middle = row == column and (row == size // 2 or row == size // 2 - 1)
            fits = ends or middle
        else:
            fits = False
            for way in range(4):
                beside, across = row + ALONG[way], column + ACROSS[way]
                if 0 <= beside < size and 0 <= across < size:
                    fits = fits or s[STONES] >> (beside * STRIDE + across // 2) & 1 == 0
        if fits:
            found |= 1 << bit
    return found


def opening(s):
    """Is no stone gone yet, or but one?"""
    return count(s[STONES]) + count(s[STONES + 1]) >= s[SIZE] * s[SIZE] - 1


def moves(s, out, at):
    """From each stone each way as far as it can jump; to begin, the stones that can be taken away."""
    side = s[0]
    total = 0
    if opening(s):
        found = removable(s, side)
        for bit in range(STRIDE * LARGEST):
            if found >> bit & 1 != 0:
                cell = number_of(bit, side)
                out[at + total] = 65 * cell
                total += 1
        return total
    stones = s[STONES + side]
    for way in range(4):
        first = jumpers(s, side, stones, way)
        for bit in range(STRIDE * LARGEST):
            if first >> bit & 1 == 0:
                continue
            start = number_of(bit, side)
            end, jumping = start, 1 << bit
            while jumping != 0:
                end += 2 * (ACROSS[way] + LARGEST * ALONG[way])
                out[at + total] = 64 * start + end
                total += 1
                jumping = jumpers(s, side, landed(jumping, way), way)
    return total


def number_of(bit, side):
    """The number of a cell that has a side's bit: eight times its row, plus its column."""
    row = bit // STRIDE
    return LARGEST * row + 2 * (bit % STRIDE) + ((row + side) & 1)


def bit_of(cell):
    """The other way round."""
    return 1 << (cell // LARGEST * STRIDE + cell % LARGEST // 2)


def play(s, move):
    """Jump, and remove what was jumped over; or take the stone away."""
    side = s[0]
    other = 1 - side
    start, end = move // 64, move % 64
    s[STONES + side] &= ~bit_of(start)
    if end != start:
        s[STONES + side] |= bit_of(end)
        by = LARGEST if (end - start) % LARGEST == 0 else 1
        if end < start:
            by = -by
        for over in range(start + by, end, 2 * by):
            s[STONES + other] &= ~bit_of(over)
    s[0] = other
    if not opening(s) and freedom(s, other) == 0:
        s[1] = 1 + side


def freedom(s, side):
    """In how many ways a side's stones can jump, each as far as it will."""
    stones = s[STONES + side]
    found = 0
    for way in range(4):
        found += count(jumpers(s, side, stones, way))
    return found


def movable(s, side):
    """How many of a side's stones can jump."""
    stones = s[STONES + side]
    found = 0
    for way in range(4):
        found |= jumpers(s, side, stones, way)
    return count(found)


def evaluate(s):
    """By how many ways to jump, and stones that can, the side to move has more."""
    side = s[0]
    return 50 * (freedom(s, side) - freedom(s, 1 - side)) + 50 * (movable(s, side) - movable(s, 1 - side))


def plies_left(s):
    """Each removes a stone."""
    return count(s[STONES]) + count(s[STONES + 1])
