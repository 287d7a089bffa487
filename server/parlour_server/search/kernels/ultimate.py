"""Ultimate tic-tac-toe as `games/ultimate.py` has it, on nine bits for each side and small board."""

import numpy as np

from parlour_server.games.ultimate import ANY, EVEN, FREEDOM, FULL, TEMPO, WINS, chance
from parlour_server.games.ultimate import COMPLETING as COMPLETIONS

DTYPE = np.int64
MOST_MOVES = 81
MOVE_NUMBERS = 81
MOST_PLIES = 81

# Where things stand in a state.
STONES = 0  # of the first side: nine bits for each small board; then those of the second
CONTENTS = 18  # the small boards as numbers of nine ternary digits: 1 the first side's stone, 2 the second's
OWNED = 27  # the small boards that the first side has won; then the second's
FINISHED = 29
SENT = 30  # the small board to play in, or ANY
TURN = 31
ENDED = 32
HASH = 33
PLY = 34
BEFORE = 35  # for each ply what SENT and HASH were
STATE = BEFORE + 2 * (MOST_PLIES + 1)

# ---------------------------------------------------------------- tables

# Of nine cells or boards: are three in a row, which free ones would complete three, the lowest, how many.
WON = np.array(WINS, np.int8)
COMPLETING = np.array(COMPLETIONS, np.int16)
LOWEST = np.array([max((cells & -cells).bit_length() - 1, 0) for cells in range(512)], np.int8)
SIZE = np.array([cells.bit_count() for cells in range(512)], np.int8)

# The rules' `chance` of either side, for every content of a small board.
POWER = (3 ** np.arange(9)).astype(np.int16)
_digits = np.arange(3**9)[:, None] // POWER % 3
_first, _second = (((_digits == side) << np.arange(9)).sum(axis=1).tolist() for side in (1, 2))
_sides = zip(_first, _second, strict=True)
CHANCES = np.array([(chance(one, other), chance(other, one)) for one, other in _sides], np.int16).reshape(-1)

# Zobrist keys for every stone and for the board to play in (by the mixing function of splitmix64).
_mixed = np.arange(1, 162 + 10 + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
_mixed = (_mixed ^ (_mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
_mixed = (_mixed ^ (_mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
STONE_KEYS = (_mixed ^ (_mixed >> np.uint64(31))).view(np.int64)
SENT_KEYS = STONE_KEYS[162:].copy()


def load(game, position, s):
    """Write a position of the rules into a state."""
    s[:] = 0
    side = game.to_move(position)
    s[TURN] = side
    for whose, stones, boards in (
        (side, position.mine, position.my_boards),
        (1 - side, position.theirs, position.their_boards),
    ):
        s[OWNED + whose] = boards
        for move in range(81):
            if stones >> move & 1:
                s[STONES + 9 * whose + move // 9] |= 1 << move % 9
                s[CONTENTS + move // 9] += (1 + whose) * POWER[move % 9]
                s[HASH] ^= STONE_KEYS[81 * whose + move]
    s[FINISHED] = position.finished
    s[SENT] = position.board
    s[HASH] ^= SENT_KEYS[position.board]
    s[ENDED] = (0, 1, 1, 2)[position.over]
    s[PLY] = (position.mine | position.theirs).bit_count()


def play(s, move):
    side = s[TURN]
    board = move // 9
    cell = move - 9 * board
    before = BEFORE + 2 * s[PLY]
    s[before] = s[SENT]
    s[before + 1] = s[HASH]
    own = STONES + 9 * side + board
    stones = s[own] | 1 << cell
    s[own] = stones
    s[CONTENTS + board] += (1 + side) * POWER[cell]
    finished = s[FINISHED]
    if WON[stones] != 0:
        owned = s[OWNED + side] | 1 << board
        finished |= 1 << board
        s[OWNED + side] = owned
        s[FINISHED] = finished
        if WON[owned] != 0:
            s[ENDED] = 1
        elif finished == FULL:
            s[ENDED] = 2
    elif stones | s[STONES + 9 - 9 * side + board] == FULL:
        finished |= 1 << board
        s[FINISHED] = finished
        if finished == FULL:
            s[ENDED] = 2
    sent = ANY if finished >> cell & 1 != 0 else cell
    s[HASH] ^= STONE_KEYS[81 * side + move] ^ SENT_KEYS[s[SENT]] ^ SENT_KEYS[sent]
    s[SENT] = sent
    s[TURN] = 1 - side
    s[PLY] += 1


def undo(s, move):
    side = 1 - s[TURN]
    board = move // 9
    cell = move - 9 * board
    s[TURN] = side
    s[PLY] -= 1
    before = BEFORE + 2 * s[PLY]
    s[SENT] = s[before]
    s[HASH] = s[before + 1]
    s[STONES + 9 * side + board] ^= 1 << cell
    s[CONTENTS + board] -= (1 + side) * POWER[cell]
    # A board that could be played in was open, and the game went on.
    s[OWNED + side] &= ~(1 << board)
    s[FINISHED] &= ~(1 << board)
    s[ENDED] = 0


def ended(s):
    return s[ENDED]


def winning_move(s, boards):
    """The first move that wins the game in one of these boards; -1 where none does."""
    side = s[TURN]
    decisive = COMPLETING[s[OWNED + side]] & boards
    while decisive != 0:
        board = LOWEST[decisive]
        decisive &= decisive - 1
        winning = COMPLETING[s[STONES + 9 * side + board]] & ~s[STONES + 9 - 9 * side + board]
        if winning != 0:
            return 9 * board + LOWEST[winning]
    return -1


def open_boards(s):
    """The small boards to play in, as bits."""
    return FULL & ~s[FINISHED] if s[SENT] == ANY else 1 << s[SENT]


def moves(s, out, at):
    boards = open_boards(s)
    win = winning_move(s, boards)
    if win >= 0:
        out[at] = win
        return 1
    side = s[TURN]
    mine = STONES + 9 * side
    theirs = STONES + 9 - 9 * side
    finished = s[FINISHED]
    lost = 0
    decisive = COMPLETING[s[OWNED + 1 - side]] & ~finished
    while decisive != 0:
        board = LOWEST[decisive]
        decisive &= decisive - 1
        if COMPLETING[s[theirs + board]] & ~s[mine + board] != 0:
            lost |= 1 << board
    end = at
    # First wins of small boards, then other moves, then those that let the answer go anywhere.
    for rank in range(3):
        rest = boards
        while rest != 0:
            board = LOWEST[rest]
            rest &= rest - 1
            cells = FULL & ~(s[mine + board] | s[theirs + board])
            elsewhere = lost & ~(1 << board)
            if elsewhere != 0:
                cells &= ~(elsewhere | finished)
            if rank == 0:
                cells &= COMPLETING[s[mine + board]]
            else:
                cells &= ~COMPLETING[s[mine + board]]
                cells &= ~finished if rank == 1 else finished
            while cells != 0:
                out[end] = 9 * board + LOWEST[cells]
                end += 1
                cells &= cells - 1
    if end == at:
        # Every move loses at once: one stands for all.
        board = LOWEST[boards]
        out[at] = 9 * board + LOWEST[FULL & ~(s[mine + board] | s[theirs + board])]
        return 1
    return end - at


def urgent(s):
    return 1 if winning_move(s, open_boards(s)) >= 0 else 0


def evaluate(s):
    # The chances of the first side and of the second in each small board.
    a0, b0 = CHANCES[2 * s[CONTENTS]], CHANCES[2 * s[CONTENTS] + 1]
    a1, b1 = CHANCES[2 * s[CONTENTS + 1]], CHANCES[2 * s[CONTENTS + 1] + 1]
    a2, b2 = CHANCES[2 * s[CONTENTS + 2]], CHANCES[2 * s[CONTENTS + 2] + 1]
    a3, b3 = CHANCES[2 * s[CONTENTS + 3]], CHANCES[2 * s[CONTENTS + 3] + 1]
    a4, b4 = CHANCES[2 * s[CONTENTS + 4]], CHANCES[2 * s[CONTENTS + 4] + 1]
    a5, b5 = CHANCES[2 * s[CONTENTS + 5]], CHANCES[2 * s[CONTENTS + 5] + 1]
    a6, b6 = CHANCES[2 * s[CONTENTS + 6]], CHANCES[2 * s[CONTENTS + 6] + 1]
    a7, b7 = CHANCES[2 * s[CONTENTS + 7]], CHANCES[2 * s[CONTENTS + 7] + 1]
    a8, b8 = CHANCES[2 * s[CONTENTS + 8]], CHANCES[2 * s[CONTENTS + 8] + 1]
    # The four lines through the middle, then the four along the edges.
    first = a4 * (a0 * a8 + a2 * a6 + a1 * a7 + a3 * a5)
    first += a0 * (a1 * a2 + a3 * a6) + a8 * (a2 * a5 + a6 * a7)
    first -= b4 * (b0 * b8 + b2 * b6 + b1 * b7 + b3 * b5)
    first -= b0 * (b1 * b2 + b3 * b6) + b8 * (b2 * b5 + b6 * b7)
    balance = (first if s[TURN] == 0 else -first) + TEMPO
    if s[SENT] == ANY:
        balance += FREEDOM
    size = abs(balance)
    estimate = 4800 * size // (size + EVEN)
    return estimate if balance > 0 else -estimate


def plies_left(s):
    left = 0
    rest = FULL & ~s[FINISHED]
    while rest != 0:
        board = LOWEST[rest]
        rest &= rest - 1
        left += 9 - SIZE[s[STONES + board]] - SIZE[s[STONES + 9 + board]]
    return left


def margin(s):
    return 0


def key(s):
    return s[HASH] if s[HASH] != 0 else 1
