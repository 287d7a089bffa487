"""The m,n,k games as `games/mnk.py` has them, of any size; Connect Four on sizes too large for 64 bits.

Every line, a run of k cells, knows how many stones each side has on it, so that a stone costs a look at the
lines through it, 4 k at most. A line is numbered by its direction and its first cell, and cells in rows
that are one longer than the board is wide: no line runs over that edge, as those that would are spoiled from
the start. What only the order of moves needs is brought up to date when moves are asked for, by the
one stone that was set since: most positions in a search are never asked.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

import numpy as np

from parlour_server.search.kernels import ORDERED, RANKED, SELECTIVE

DTYPE = np.int64
MOST_MOVES = 361
MOVE_NUMBERS = 361
MOST_PLIES = 361

ROOM = 400  # for the cells of a board of 19 by 19, each row with one to spare
LINES = 3216  # for its lines in four directions, and as many that would begin or end beyond it
TAKEN = 1 << 40  # keeps a cell below all others
SPOILED = 32  # added to a line's stones for each stone that keeps its side from filling it: more than any k

# Where things stand in a state. First what never changes,
WIDTH = 0
HEIGHT = 1
PITCH = 2  # from a cell to the one below it
K = 3
EXACT = 4
GRAVITY = 5
READS = 6  # are threats read?
TRIED = 7  # so many moves are tried at most where no threat decides; 0: all
SPAN = 8  # from a direction's lines to the next one's
MARGIN = 9  # from there to the line that begins in cell 0
RINGS = 10  # lines that lack so many stones or fewer are kept in rings
EVEN = 12
TEMPO = 13  # the mover's, the other's
STEPS = 15  # from a cell to the next on a line, for each direction
WORTH = 19  # a line's, by its stones
GAIN = 40  # and what one more makes of it
PULL = 61
SHARE = 82  # and those that draw at least this part of what the best one does
BONUS = 83  # a threat's worth in Connect Four, for each side and cell
CELL_OF = BONUS + 2 * ROOM  # by the rules' number
MOVE_OF = CELL_OF + ROOM  # and back
ORDER = MOVE_OF + ROOM  # moves in their usual order: where threats are read, of what looks alike
# then what does.
STONES = ORDER + ROOM
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
COUNTS = THREATS + 2 * ROOM  # a side's stones on each line, with SPOILED; then the other side's
DRAWS = COUNTS + 2 * LINES  # what each line has in DRAWN
CHANGES = DRAWS + LINES  # and what it should have besides: for a moment only
# Lines that lack one or two stones are linked in rings, four of them: see `head`.
NEXT = CHANGES + 24
BEFORE = NEXT + LINES + 4
GAPS = BEFORE + LINES + 4  # the two free cells of each line in a ring
NOW = GAPS + 2 * LINES  # which look for forks this is
NOTES = NOW + 1  # and what it has noted of each cell
ROW_MOST = NOTES + ROOM  # the most that lines draw to a cell of each row
STATE = ROW_MOST + 20

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
    s[MARGIN] = k * (pitch + 1)
    s[SPAN] = s[MARGIN] + (height + 1) * pitch + 2
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
        from parlour_server.games.connect4 import LASTING_THREAT, OPEN_LINE, THREAT

        worth = [OPEN_LINE] * (k + 1)
        s[TEMPO : TEMPO + 2] = 1
        s[RINGS] = 1
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
        s[RINGS] = 2
    s[WORTH : WORTH + k + 1] = worth
    s[GAIN : GAIN + k] = np.diff(worth)

    s[COUNTS : COUNTS + 2 * LINES] = 1024 * SPOILED
    for way, (down, right) in enumerate(((0, 1), (1, 0), (1, 1), (1, -1))):
        for row in range(height):
            for column in range(width):
                if row + down * (k - 1) < height and 0 <= column + right * (k - 1) < width:
                    line = way * s[SPAN] + s[MARGIN] + row * pitch + column
                    s[COUNTS + line] = s[COUNTS + LINES + line] = 0
                    s[SUMS] += worth[0]
                    s[SUMS + 1] += worth[0]
                    if threats is not None:
                        s[DRAWS + line] = 2 * pull[0]
                        first = DRAWN + row * pitch + column
                        s[first : first + k * steps[way] : steps[way]] += 2 * pull[0]
    s[NEXT + LINES : NEXT + LINES + 4] = s[BEFORE + LINES : BEFORE + LINES + 4] = range(LINES, LINES + 4)
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


# ---------------------------------------------------------------- threats


def head(side, lacking):
    """The ring of a side's own lines that lack one stone, or two."""
    return LINES + 2 * side + lacking - 1


def enter(s, line, start, step, side, lacking):
    """Put a line into its ring, with its free cells."""
    ring = head(side, lacking)
    after = s[NEXT + ring]
    s[NEXT + line], s[BEFORE + line] = after, ring
    s[NEXT + ring] = s[BEFORE + after] = line
    gap = GAPS + 2 * line
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
    after, before = s[NEXT + line], s[BEFORE + line]
    s[NEXT + before], s[BEFORE + after] = after, before
    if lacking == 1:
        threat = side * ROOM + s[GAPS + 2 * line]
        s[THREATS + threat] -= 1
        if s[THREATS + threat] == 0:
            s[SUMS + side] -= s[BONUS + threat]


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
    # Every cell of a gap notes its other end; who finds another one there has found a fork. Notes of
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


def draw(s, cell):
    """Bring DRAWN up to what the lines through a cell should have in it."""
    k, exact = s[K], s[EXACT]
    number = k + 2 * exact
    for way in range(4):
        step = s[STEPS + way]
        line = way * s[SPAN] + s[MARGIN] + cell + exact * step
        changed = 0
        for i in range(CHANGES, CHANGES + number):
            count, pull = s[COUNTS + line], 0
            if count < SPOILED:
                pull = s[PULL + count]
            count = s[COUNTS + LINES + line]
            if count < SPOILED:
                pull += s[PULL + count]
            s[i] = pull - s[DRAWS + line]
            changed |= s[i]
            s[DRAWS + line] = pull
            line -= step
        if changed == 0:
            continue
        # From the first line's end to the last one's beginning: lines come, and k cells later they go.
        # Cells beyond the board have no line that could change.
        at = DRAWN + cell + (k - 1 + exact) * step
        total = 0
        for i in range(CHANGES, CHANGES + k):
            total += s[i]
            s[at] += total
            at -= step
        for i in range(CHANGES, CHANGES + number - 1):
            total -= s[i]
            if i + k < CHANGES + number:
                total += s[i + k]
            s[at] += total
            at -= step


def synchronise(s):
    """Bring DRAWN up to the last stone."""
    for i in range(s[SYNCED], s[STONES]):
        draw(s, s[STACK + i])
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
                # Written in any case and kept if it may be: which, nobody could guess, nor a processor.
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
    stones, k, exact = s[STONES], s[K], s[EXACT]
    side = stones & 1
    s[BOARD + cell] = 1
    s[DRAWN + cell] -= TAKEN
    s[STACK + stones] = cell
    s[SUMS_OF + 2 * stones], s[SUMS_OF + 2 * stones + 1] = s[SUMS], s[SUMS + 1]
    s[STONES] = stones + 1
    s[HASH] ^= STONE_KEYS[side * ROOM + cell]
    rings = s[RINGS]
    own, other = COUNTS + side * LINES, COUNTS + (1 - side) * LINES
    gained, lost, ended = 0, 0, 0
    for way in range(4):
        step = s[STEPS + way]
        line = way * s[SPAN] + s[MARGIN] + cell
        for back in range(k):
            count = s[own + line]
            s[own + line] = count + 1
            if count < SPOILED:
                gained += s[GAIN + count]
                lacked = k - count
                if lacked <= rings + 1:
                    if lacked <= rings:
                        leave(s, line, side, lacked)
                    if lacked > 1:
                        enter(s, line, cell - back * step, step, side, lacked - 1)
                    else:
                        ended = 1
            count = s[other + line]
            s[other + line] = count + SPOILED
            if count < SPOILED:
                lost += s[WORTH + count]
                if 0 < k - count <= rings:
                    leave(s, line, 1 - side, k - count)
            line -= step
        if exact != 0:
            # The line that ends just before the cell and the one that begins just after it: too long now.
            for _ in range(2):
                count = s[own + line]
                s[own + line] = count + SPOILED
                if count < SPOILED:
                    gained -= s[WORTH + count]
                    if 0 < k - count <= rings:
                        leave(s, line, side, k - count)
                line += (k + 1) * step
    s[SUMS + side] += gained
    s[SUMS + 1 - side] -= lost
    if ended == 0 and stones + 1 == s[WIDTH] * s[HEIGHT]:
        ended = 2
    s[ENDED] = ended


def undo(s, move):
    """The same backwards."""
    stones, k, exact = s[STONES] - 1, s[K], s[EXACT]
    cell = s[STACK + stones]
    side = stones & 1
    if s[GRAVITY] != 0:
        s[HEIGHTS + move] -= 1
    s[BOARD + cell] = 0
    s[DRAWN + cell] += TAKEN
    s[STONES] = stones
    s[HASH] ^= STONE_KEYS[side * ROOM + cell]
    s[ENDED] = 0
    rings = s[RINGS]
    own, other = COUNTS + side * LINES, COUNTS + (1 - side) * LINES
    for way in range(4):
        step = s[STEPS + way]
        line = way * s[SPAN] + s[MARGIN] + cell
        start = cell
        for _ in range(k):
            count = s[own + line] - 1
            s[own + line] = count
            if count < SPOILED:
                lacked = k - count
                if lacked <= rings + 1:
                    if lacked > 1:
                        leave(s, line, side, lacked - 1)
                    if lacked <= rings:
                        enter(s, line, start, step, side, lacked)
            count = s[other + line] - SPOILED
            s[other + line] = count
            if 0 < k - count <= rings:
                enter(s, line, start, step, 1 - side, k - count)
            line -= step
            start -= step
        if exact != 0:
            for _ in range(2):
                count = s[own + line] - SPOILED
                s[own + line] = count
                if 0 < k - count <= rings:
                    enter(s, line, start, step, side, k - count)
                line += (k + 1) * step
                start += (k + 1) * step
    s[SUMS], s[SUMS + 1] = s[SUMS_OF + 2 * stones], s[SUMS_OF + 2 * stones + 1]
    if s[SYNCED] > stones:
        draw(s, cell)
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
