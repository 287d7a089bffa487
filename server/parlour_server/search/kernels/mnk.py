"""The m,n,k games as `games/mnk.py` has them, of any size; Connect Four on sizes too large for 64 bits.

Every row, column and diagonal keeps each side's stones as a bit mask, with what lies beyond the board as if
both sides had stones there. What a stone changes follows, for each of the four directions, from the
masks around its cell alone: its pattern. A search meets few different patterns again and again, so what each
one changes is worked out once and remembered.

Here a line is a run of k cells, as in `threats.py`, and is numbered by its direction and its first cell.
What only the order of moves needs is brought up to date when moves are asked for, by the
stones that were set since: most positions in a search are never asked.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

import numpy as np

from parlour_server.games.connect4 import LASTING_THREAT, OPEN_LINE, THREAT
from parlour_server.search.kernels import ORDERED, RANKED, SELECTIVE

DTYPE = np.int64
MOST_MOVES = 361
MOVE_NUMBERS = 361
MOST_PLIES = 361

ROOM = 400  # for the cells of a board of 19 by 19, each row with one to spare
LINES = 4 * ROOM  # for its lines in four directions
TAKEN = 1 << 40  # keeps a cell below all others

# What a pattern changes is packed into one number, and the four directions' are added up:
GAINED = 1 << 20  # the worth that the mover's lines gain, with this added, as it may be less than 0
FIELD = 24  # bits of each: then the worth that the other side's lines lose,
WON = 2 * FIELD  # how many lines the stone fills (8 bits),
RINGED = WON + 8  # and whether lines enter or leave a ring.
# Then a number for each of its lines: what it draws more, and which ring it leaves and enters, 0 for none.
EVENT = 8  # bits: two for the ring that it leaves, two for the one that it enters, one for whose it is
WIDEST = 15  # cells on either side, or a pattern has no key of 63 bits and is not remembered
PATTERNS = 1 << 16  # numbers for them, a power of two

# Where things stand in a state. First what never changes,
WIDTH = 0
HEIGHT = 1
PITCH = 2  # from a cell to the one below it
K = 3
EXACT = 4
GRAVITY = 5
READS = 6  # are threats read?
TRIED = 7  # the most moves that are tried where no threat decides; 0: all
REACH = 8  # how far a stone's pattern reaches to either side
SLOT = 9  # the room that each takes: a power of two
EVEN = 12
TEMPO = 13  # the mover's, the other's
STEPS = 15  # from a cell to the next on a line, for each direction
WORTH = 19  # a line's, by its stones
PULL = 40
SHARE = 61  # and those that draw at least this part of what the best one does
RING = 62  # which ring such a line is in: that of those that lack one stone or two, or none (0)
BONUS = 83  # a threat's worth in Connect Four, for each side and cell
CELL_OF = BONUS + 2 * ROOM  # by the rules' number
MOVE_OF = CELL_OF + ROOM  # and back
ORDER = MOVE_OF + ROOM  # moves in their usual order: where threats are read, of what looks alike
THROUGH = ORDER + ROOM  # for each cell and direction, the mask through it, and the first bit of its pattern
# then what does.
STONES = THROUGH + 4 * ROOM
ENDED = STONES + 1
HASH = STONES + 2
SYNCED = STONES + 3
SUMS = STONES + 4  # of the worth of either side's lines
BOARD = SUMS + 2  # 1 where a stone lies
STACK = BOARD + ROOM  # the cells of all stones, in the order in which they came
SUMS_OF = STACK + ROOM  # and what SUMS were before each
HEIGHTS = SUMS_OF + 2 * ROOM  # stones in each column
# How much a cell's lines draw to it, but for the stones after SYNCED, times 1024; added to that, for cells to
# which they draw alike, how early those stand in ORDER. Where a stone lies, less TAKEN.
DRAWN = HEIGHTS + 20
THREATS = DRAWN + ROOM  # how many lines each side completes in a cell, where stones fall
MASKS = THREATS + 2 * ROOM  # a side's stones, for each direction and row; then the other side's
SIDE = 160  # of them for each side
SEEN = MASKS + 2 * SIDE  # the pattern that each stone met in each direction: the mover's bits, the other's
# Lines that lack one or two stones are linked in rings, four of them: see `head`. A line has a place of its
# own for each of the two, so that it finds back to where it left.
NEXT = SEEN + 8 * ROOM
BEFORE = NEXT + 2 * LINES + 4
GAPS = BEFORE + 2 * LINES + 4  # the two free cells of each line in a ring
LOGGED = GAPS + 4 * LINES  # what entered and left rings until each stone came
LOG = LOGGED + ROOM + 1
NOW = LOG + 4 * LINES  # which look for forks this is
NOTES = NOW + 1  # and what it has noted of each cell
ROW_MOST = NOTES + ROOM  # the most that lines draw to a cell of each row
KNOWN = ROW_MOST + 20  # patterns that were met: a key, what it changes in sum, and for each line
STATE = KNOWN + PATTERNS

# Zobrist keys for every stone (by the mixing function of splitmix64).
_mixed = np.arange(1, 2 * ROOM + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
_mixed = (_mixed ^ (_mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
_mixed = (_mixed ^ (_mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
STONE_KEYS = (_mixed ^ (_mixed >> np.uint64(31))).view(np.int64)


def load(game, position, s):
    """Write a position of the rules into a state."""
    s[:] = 0
    falls = not hasattr(game, "exact")
    width, height = game.width, game.height
    k, pitch, cells = 4 if falls else game.k, width + 1, width * height
    s[WIDTH], s[HEIGHT], s[PITCH], s[K] = width, height, pitch, k
    s[EXACT] = 0 if falls else int(game.exact)
    reach = s[REACH] = k - 1 + 2 * s[EXACT]
    s[SLOT] = 1 << int(k + 2 * s[EXACT] + 1).bit_length()
    steps = (1, pitch, pitch + 1, pitch - 1)
    s[STEPS : STEPS + 4] = steps
    padded = [row * pitch + column for row in range(height) for column in range(width)]
    s[CELL_OF : CELL_OF + cells] = padded
    for move, cell in enumerate(padded):
        s[MOVE_OF + cell] = move
    threats = None if falls else game.threats
    usual = game.search_order(game.initial()) if threats is None else threats.middle_first
    s[ORDER : ORDER + len(usual)] = usual
    if falls:
        worth = [OPEN_LINE] * (k + 1)
        s[TEMPO : TEMPO + 2] = 1
        s[RING + k - 1] = 1
        for cell in padded:
            lasting = (height - 1 - cell // pitch) % 2
            for side in (0, 1):
                lasts = height % 2 == 0 and lasting == side
                s[BONUS + side * ROOM + cell] = THREAT + (LASTING_THREAT if lasts else 0)
    elif threats is None:
        worth = [0, *(3**stones for stones in range(k - 1)), 0]
        s[EVEN] = 3 ** max(k - 2, 0)
        s[TEMPO : TEMPO + 2] = 1
    else:
        worth = threats.worth
        s[EVEN] = threats.even
        s[TEMPO : TEMPO + 2] = threats.tempo
        pull = [drawn * 1024 for drawn in threats.pull]
        s[PULL : PULL + k + 1] = pull
        s[DRAWN : DRAWN + ROOM] = -TAKEN
        for place, move in enumerate(usual):
            s[DRAWN + padded[move]] = 1023 - place
        s[READS], s[TRIED], s[SHARE] = 1, threats.tried, threats.share
        s[RING + k - 1], s[RING + k - 2] = 1, 2
    s[WORTH : WORTH + k + 1] = worth

    s[MASKS : MASKS + 2 * SIDE] = (1 << 62) - 1
    for cell in padded:
        row, column = divmod(cell, pitch)
        rows = (row, 40 + column, 80 + row - column + width - 1, 120 + row + column)
        for way, mask in enumerate(rows):
            first = row if way else column
            s[THROUGH + 4 * cell + way] = mask << 6 | first
            s[MASKS + mask] ^= 1 << int(first + reach)
            s[MASKS + SIDE + mask] = s[MASKS + mask]
    for way, (down, right) in enumerate(((0, 1), (1, 0), (1, 1), (1, -1))):
        for row in range(height):
            for column in range(width):
                if row + down * (k - 1) < height and 0 <= column + right * (k - 1) < width:
                    s[SUMS] += worth[0]
                    s[SUMS + 1] += worth[0]
                    if threats is not None:
                        first = DRAWN + row * pitch + column
                        s[first : first + k * steps[way] : steps[way]] += 2 * pull[0]
    for ring in range(2 * LINES, 2 * LINES + 4):
        s[NEXT + ring] = s[BEFORE + ring] = ring
    s[HASH] = STONE_KEYS[0]

    # Stones come in turn, as if they had been played, though not in the order in which they were.
    bits, mine, theirs = list(range(cells)), position.mine, 0
    if falls:
        bits = [column * (height + 1) + height - 1 - row for row in range(height) for column in range(width)]
        theirs = position.mine ^ position.mask
    else:
        theirs = position.theirs
    first, second = ([cell for cell in range(cells) if stones >> bits[cell] & 1] for stones in (mine, theirs))
    if len(first) + len(second) & 1:
        first, second = second, first
    for number in range(len(first) + len(second)):
        play(s, (second if number & 1 else first)[number >> 1])
    s[ENDED] = (0, 1, 1, 2)[position.over]
    if falls:
        s[GRAVITY] = 1
        for cell in first + second:
            s[HEIGHTS + cell % width] += 1


# ---------------------------------------------------------------- patterns


def stones_on(mine, closed, first, k, exact):
    """How many of a side's stones are on the line that begins with the bit `first`; -1: it can't fill it."""
    run = ((1 << k) - 1) << first
    if closed & run != 0 or (exact != 0 and mine & (run << 1 | run >> 1) & ~run != 0):
        return -1
    rest, count = mine & run, 0
    while rest != 0:
        rest &= rest - 1
        count += 1
    return count


def work_out(s, slot, own, other):
    """Write what a stone amid these bits changes: in sum, and for each line through its cell.

    Under the exact rule also for the lines that end just before the cell and begin just after it.
    """
    k, exact, reach = s[K], s[EXACT], s[REACH]
    mine, theirs = own & ~other, other & ~own
    gained, lost, won, ringed = GAINED, 0, 0, 0
    for i in range(k + 2 * exact):
        first = exact + i
        beside = first < 2 * exact or first > reach
        draws = event = 0
        count = stones_on(mine, other, first, k, exact)
        if count >= 0:
            gained -= s[WORTH + count]
            draws -= s[PULL + count]
            event = s[RING + count]
            if not beside:
                gained += s[WORTH + count + 1]
                draws += s[PULL + count + 1]
                event |= s[RING + count + 1] << 2
                won += count + 1 == k
        count = stones_on(theirs, own, first, k, exact)
        if count >= 0 and not beside:
            lost += s[WORTH + count]
            draws -= s[PULL + count]
            if s[RING + count] != 0:
                event = 16 | s[RING + count]
        if event != 0:
            ringed = 1
        s[slot + 2 + i] = draws << EVENT | event
    s[slot + 1] = gained | lost << FIELD | won << WON | ringed << RINGED


def pattern(s, way, own, other):
    """Where it is written what a stone amid these bits changes."""
    if s[REACH] > WIDEST:
        slot = KNOWN + way * s[SLOT]
        work_out(s, slot, own, other)
        return slot
    known = ~(own << 32 | other)  # never 0
    slot = KNOWN + ((known * 0x1E3779B97F4A7C15 >> 44) & (PATTERNS - 1) & -s[SLOT])
    if s[slot] != known:
        s[slot] = known
        work_out(s, slot, own, other)
    return slot


# ---------------------------------------------------------------- threats


def head(side, lacking):
    """The ring of a side's own lines that lack one stone, or two."""
    return 2 * LINES + 2 * side + lacking - 1


def link(s, place):
    """Put a line back where it was in its ring."""
    s[NEXT + s[BEFORE + place]] = s[BEFORE + s[NEXT + place]] = place


def unlink(s, place):
    """Take it out; it keeps its neighbours."""
    after, before = s[NEXT + place], s[BEFORE + place]
    s[NEXT + before], s[BEFORE + after] = after, before


def enter(s, line, side, lacking, start, step):
    """Put a line into a ring, with its free cells."""
    place, ring = line + (lacking - 1) * LINES, head(side, lacking)
    s[NEXT + place], s[BEFORE + place] = s[NEXT + ring], ring
    link(s, place)
    end = s[LOGGED + s[STONES]]
    s[LOG + end] = place << 2 | side << 1 | 1
    s[LOGGED + s[STONES]] = end + 1
    gap = GAPS + 2 * place
    cell = start
    while s[BOARD + cell] != 0:
        cell += step
    s[gap] = cell
    if lacking == 1:
        threat = side * ROOM + cell
        s[THREATS + threat] += 1
        if s[THREATS + threat] == 1:
            s[SUMS + side] += s[BONUS + threat]
    else:
        cell += step
        while s[BOARD + cell] != 0:
            cell += step
    s[gap + 1] = cell


def leave(s, line, side, lacking):
    """Take it out again."""
    place = line + (lacking - 1) * LINES
    unlink(s, place)
    end = s[LOGGED + s[STONES]]
    s[LOG + end] = place << 2 | side << 1
    s[LOGGED + s[STONES]] = end + 1
    if lacking == 1:
        threat = side * ROOM + s[GAPS + 2 * place]
        s[THREATS + threat] -= 1
        if s[THREATS + threat] == 0:
            s[SUMS + side] -= s[BONUS + threat]


def change_rings(s, way, slot, cell, side):
    """Let the lines of a pattern enter and leave rings as it says."""
    step = s[STEPS + way]
    start = cell + (s[EXACT] - s[REACH]) * step
    line = way * ROOM
    for i in range(slot + 2, slot + 2 + s[K] + 2 * s[EXACT]):
        event = s[i] & ((1 << EVENT) - 1)
        if event != 0:
            if event & 3 != 0:
                leave(s, line + start, side ^ event >> 4, event & 3)
            if event >> 2 & 3 != 0:
                enter(s, line + start, side, event >> 2 & 3, start, step)
        start += step


def restore_rings(s, begin, end):
    """Take back what was logged from `begin` on, the last first."""
    for i in range(LOG + end - 1, LOG + begin - 1, -1):
        place = s[i] >> 2
        if s[i] & 1 != 0:
            unlink(s, place)
        else:
            link(s, place)
        if place < LINES:
            threat = THREATS + (s[i] >> 1 & 1) * ROOM + s[GAPS + 2 * place]
            s[threat] += 1 - 2 * (s[i] & 1)


def first_gap(s, side):
    """The cell with the lowest number where the side wins, or -1."""
    ring = head(side, 1)
    lowest = -1
    line = s[NEXT + ring]
    while line != ring:
        if lowest < 0 or s[GAPS + 2 * line] < lowest:
            lowest = s[GAPS + 2 * line]
        line = s[NEXT + line]
    return lowest


def several_gaps(s, side, gap):
    """Does the side win in another cell too?"""
    ring = head(side, 1)
    line = s[NEXT + ring]
    while line != ring:
        if s[GAPS + 2 * line] != gap:
            return True
        line = s[NEXT + line]
    return False


def first_fork(s, side, stone):
    """The side's fork with the lowest number, if the other side had a `stone` (-1: none) there; or -1."""
    ring = head(side, 2)
    line = s[NEXT + ring]
    if line == ring:
        return -1
    # Every cell of a gap notes its other end; a different note there makes it a fork. Notes of
    # earlier calls are lower numbers.
    s[NOW] += 1024
    now = s[NOW]
    lowest = -1
    while line != ring:
        ends = s[GAPS + 2 * line] + s[GAPS + 2 * line + 1]
        if s[GAPS + 2 * line] != stone and s[GAPS + 2 * line + 1] != stone:
            for end in range(2):
                cell = s[GAPS + 2 * line + end]
                note = now + ends - cell
                if s[NOTES + cell] < now:
                    s[NOTES + cell] = note
                elif s[NOTES + cell] != note and (lowest < 0 or cell < lowest):
                    lowest = cell
        line = s[NEXT + line]
    return lowest


# ---------------------------------------------------------------- what draws to a cell


def draw(s, stone, sign):
    """Add what the lines through a stone draw more since it lies there, or (-1) take it away again."""
    k, exact = s[K], s[EXACT]
    number = k + 2 * exact
    for way in range(4):
        step = s[STEPS + way]
        seen = SEEN + 8 * stone + 2 * way
        lines = pattern(s, way, s[seen], s[seen + 1]) + 2
        # From the first line's beginning to the last one's end: lines come, and k cells later they go.
        # Cells beyond the board have no line that could change.
        at = DRAWN + s[STACK + stone] - (k - 1 + exact) * step
        total = 0
        for i in range(lines, lines + k):
            total += sign * (s[i] >> EVENT)
            s[at] += total
            at += step
        for i in range(lines + k, lines + number + k - 1):
            total -= sign * (s[i - k] >> EVENT)
            if i < lines + number:
                total += sign * (s[i] >> EVENT)
            s[at] += total
            at += step


def synchronise(s):
    """Bring DRAWN up to the last stone."""
    for stone in range(s[SYNCED], s[STONES]):
        draw(s, stone, 1)
    s[SYNCED] = s[STONES]


# ---------------------------------------------------------------- which moves


def add(out, at, n, ranked):
    """Write a rank unless it stands there among the first `n`; their number."""
    for i in range(at, at + n):
        if out[i] == ranked:
            return n
    out[at + n] = ranked
    return n + 1


def rank_of(s, cell):
    """A free cell's move, and how much lines draw to it."""
    return s[DRAWN + cell] << 16 | s[MOVE_OF + cell]


def completing(s, side):
    """The first column where a falling stone wins for a side, or -1."""
    for i in range(s[WIDTH]):
        move = s[ORDER + i]
        row = s[HEIGHT] - 1 - s[HEIGHTS + move]
        if row >= 0 and s[THREATS + side * ROOM + row * s[PITCH] + move] != 0:
            return move
    return -1


def every_move(s, out, at):
    """Where no threats are read: all in their usual order, or a column where a falling stone wins, alone."""
    n = 0
    if s[GRAVITY] != 0:
        for whose in range(2):
            out[at] = completing(s, (s[STONES] & 1) ^ whose)
            if out[at] >= 0:
                return 1
        for i in range(s[WIDTH]):
            move = s[ORDER + i]
            if s[HEIGHTS + move] < s[HEIGHT]:
                out[at + n] = move
                n += 1
        return n
    for i in range(s[WIDTH] * s[HEIGHT]):
        move = s[ORDER + i]
        if s[BOARD + s[CELL_OF + move]] == 0:
            out[at + n] = move
            n += 1
    return n


def answers(s, out, at, fork):
    """Where the other side has forks: what spoils them all, and threats of the mover's own."""
    side = s[STONES] & 1
    n = 0
    for whose in range(2):
        owner = side ^ whose
        ring = head(owner, 2)
        line = s[NEXT + ring]
        while line != ring:
            gap = GAPS + 2 * line
            if whose == 0 or s[gap] == fork or s[gap + 1] == fork:
                for end in range(2):
                    cell = s[gap + end]
                    if whose == 0 or first_fork(s, owner, cell) < 0:
                        n = add(out, at, n, rank_of(s, cell))
            line = s[NEXT + line]
    if n == 0:
        n = add(out, at, n, rank_of(s, fork))
    return n * RANKED + n


def best_moves(s, out, at):
    """Where no threat decides: the cells to which lines draw the most."""
    width, pitch = s[WIDTH], s[PITCH]
    free = width * s[HEIGHT] - s[STONES]
    most, least, limit = 0, 0, free
    for row in range(s[HEIGHT]):
        start = DRAWN + row * pitch
        top = 0
        for i in range(start, start + width):
            top = max(top, s[i])
        s[ROW_MOST + row] = top
        most = max(most, top)
    if s[TRIED] != 0:
        least, limit = most // 1024 // s[SHARE] * 1024, s[TRIED]
    n = 0
    for row in range(s[HEIGHT]):
        if s[ROW_MOST + row] >= least:
            start = row * pitch
            for cell in range(start, start + width):
                # Written in any case, and overwritten unless it may stay: a branch would be guessed wrong.
                out[at + n] = rank_of(s, cell)
                n += s[DRAWN + cell] >= least
    count = min(n, limit)
    return n * RANKED + (count + SELECTIVE if count < free else count)


# ---------------------------------------------------------------- the contract


def play(s, move):
    """A stone in a cell; where stones fall, in a column."""
    if s[GRAVITY] != 0:
        row = s[HEIGHT] - 1 - s[HEIGHTS + move]
        s[HEIGHTS + move] += 1
        cell = row * s[PITCH] + move
    else:
        cell = s[CELL_OF + move]
    stones = s[STONES]
    side = stones & 1
    s[BOARD + cell] = 1
    s[DRAWN + cell] -= TAKEN
    s[STACK + stones] = cell
    s[SUMS_OF + 2 * stones], s[SUMS_OF + 2 * stones + 1] = s[SUMS], s[SUMS + 1]
    s[LOGGED + stones + 1] = s[LOGGED + stones]
    s[STONES] = stones + 1
    s[HASH] ^= STONE_KEYS[side * ROOM + cell]
    own, other = MASKS + side * SIDE, MASKS + (1 - side) * SIDE
    reach = s[REACH]
    around = (2 << 2 * reach) - 1
    seen = SEEN + 8 * stones
    changes = 0
    for way in range(4):
        mask, first = s[THROUGH + 4 * cell + way] >> 6, s[THROUGH + 4 * cell + way] & 63
        s[seen + 2 * way] = s[own + mask] >> first & around
        s[seen + 2 * way + 1] = s[other + mask] >> first & around
        s[own + mask] |= 1 << (first + reach)
        slot = pattern(s, way, s[seen + 2 * way], s[seen + 2 * way + 1])
        changes += s[slot + 1]
        if s[slot + 1] >> RINGED != 0:
            change_rings(s, way, slot, cell, side)
    s[SUMS + side] += (changes & ((1 << FIELD) - 1)) - 4 * GAINED
    s[SUMS + 1 - side] -= changes >> FIELD & ((1 << FIELD) - 1)
    if changes >> WON & 255 != 0:
        s[ENDED] = 1
    else:
        s[ENDED] = 2 if stones + 1 == s[WIDTH] * s[HEIGHT] else 0


def undo(s, move):
    """The same backwards."""
    stones = s[STONES] - 1
    cell = s[STACK + stones]
    side = stones & 1
    if s[GRAVITY] != 0:
        s[HEIGHTS + move] -= 1
    s[BOARD + cell] = 0
    s[DRAWN + cell] += TAKEN
    s[HASH] ^= STONE_KEYS[side * ROOM + cell]
    s[ENDED] = 0
    restore_rings(s, s[LOGGED + stones], s[LOGGED + stones + 1])
    s[STONES] = stones
    for way in range(4):
        through = s[THROUGH + 4 * cell + way]
        s[MASKS + side * SIDE + (through >> 6)] ^= 1 << ((through & 63) + s[REACH])
    s[SUMS], s[SUMS + 1] = s[SUMS_OF + 2 * stones], s[SUMS_OF + 2 * stones + 1]
    if s[SYNCED] > stones:
        draw(s, stones, -1)
        s[SYNCED] = stones


def ended(s):
    """1 where the last stone has won, 2 on a full board."""
    return s[ENDED]


def moves(s, out, at):
    """As the rules order them."""
    if s[READS] == 0:
        return every_move(s, out, at)
    side = s[STONES] & 1
    lone = -1
    for case in range(4):
        # Wins of the mover's, wins of the other side's, then forks.
        owner = side ^ (case & 1)
        lone = first_gap(s, owner) if case < 2 else first_fork(s, owner, -1)
        if lone >= 0:
            break
    if lone >= 0 and case < 3:
        out[at] = s[MOVE_OF + lone]
        return ORDERED + 1
    synchronise(s)
    return ORDERED + (best_moves(s, out, at) if lone < 0 else answers(s, out, at, lone))


def evaluate(s):
    """The worth of both sides' lines, seen by the mover."""
    side = s[STONES] & 1
    own, other, tempo = s[SUMS + side], s[SUMS + 1 - side], 0
    if s[READS] != 0:
        ring = head(1 - side, 1)
        line = s[NEXT + ring]
        while line != ring:
            other -= s[WORTH + s[K] - 1]
            tempo = 1
            line = s[NEXT + line]
    balance = s[TEMPO + tempo] * own - s[TEMPO + 1 - tempo] * other
    size = abs(balance)
    estimate = min(size, 4800) if s[EVEN] == 0 else 4800 * size // (size + s[EVEN])
    return estimate if balance > 0 else -estimate


def urgent(s):
    """Is more to come than one stone that has to be answered?"""
    if s[READS] != 0:
        side = s[STONES] & 1
        if first_gap(s, side) >= 0:
            return 1
        block = first_gap(s, 1 - side)
        if block >= 0:
            return 1 if several_gaps(s, 1 - side, block) or first_fork(s, 1 - side, block) >= 0 else 0
        return 1 if first_fork(s, side, -1) >= 0 or first_fork(s, 1 - side, -1) >= 0 else 0
    if s[GRAVITY] != 0 and (completing(s, 0) >= 0 or completing(s, 1) >= 0):
        return 1
    return 0


def plies_left(s):
    """One for each free cell."""
    return s[WIDTH] * s[HEIGHT] - s[STONES]


def margin(s):
    """It doesn't count."""
    return 0


def key(s):
    """Zobrist's."""
    return s[HASH] if s[HASH] != 0 else 1
