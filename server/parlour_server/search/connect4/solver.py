"""Connect Four on 7x6, solved: the inner search, which numba compiles.

A position is three numbers: the stones of the side to move (`mine`), all stones (`mask`) and how many there
are. A column takes seven bits, the lowest cell first, and its seventh bit stays empty, so that no
line runs from one column into the next. Sum of `mine` and `mask`, a position's key, names it without
fail; see Tromp's and Pons' programs, which are built on the same numbers.

A score is the mover's: positive for a win, the more the sooner, as 1 + the stones that the winner has left
of its 21 after the last one; negative likewise for a loss; 0 for a draw.

The search is negamax with a null window, as a loop over frames of its own stack: is this position worth
so much? What keeps the tree small:
- only moves that don't lose at once are made, and a move that leaves two threats ends the search;
- the more threats a move makes the earlier it is tried, from the middle outward among equals;
- the table keeps both bounds of a position, and all children are looked up before any is searched,
  so that a position is looked up once and its memory is fetched meanwhile;
- two arguments of Allis (A Knowledge-Based Approach of Connect-Four, 1988) decide many positions without
  a search: see `most_by_following` and `least_by_odd_threat`.

`w` is working memory: the numbers below, then a frame for each ply.
"""

from parlour_server.search.connect4.prefetch import prefetch

NODES = 0
HITS = 1
CUTOFFS = 2
LIMIT = 3  # no more nodes than that
LOW = 4  # what a search has proven: in and out
HIGH = 5
BEST = 6  # the root's move that proved the lower bound, as its cell's bit
FRAMES = 8

# A frame: the position ...
MINE = 0
MASK = 1
THEIR_THREATS = 2
BETA = 3
START = 4  # nodes when it came
LEAST = 5  # the bounds known when it came
MOST = 6
VALUE = 7  # the best child's
COUNT = 8  # children still to be searched, and how many of them were
NEXT = 9
# ... and for each of its up to seven children
MOVE = 16
THREATS = 24
REPLIES = 32
KEY = 40
SLOT = 48
RANK = 56
CHILD_LEAST = 64
CHILD_MOST = 72
FRAME = 80
WORK = FRAMES + 43 * FRAME

BOTTOM = 0x40810204081
BOARD = BOTTOM * 0b111111
ODD = BOTTOM * 0b010101  # rows 1, 3 and 5
EVEN = BOTTOM * 0b101010
COLUMN = 0b1111111

STOPPED = 127
OPEN = 99  # not decided yet
MIRRORED_BELOW = 24  # later than that, mirrored twins hardly meet
KEY_MASK = (1 << 49) - 1
SCATTER = 0x1E3779B97F4A7C15
SMALL_SHIFT = 64 - 14
SMALL = 4096  # nodes of a search that needs no more of the table than that
EASY = 50_000


def popcount(x):
    """How many bits are set. The compiler knows this pattern and makes one instruction of it."""
    x = x - ((x >> 1) & 0x5555555555555555)
    x = (x & 0x3333333333333333) + ((x >> 2) & 0x3333333333333333)
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F
    return ((x * 0x0101010101010101) >> 56) & 127


def canonical(key):
    """One key for a position and its mirror image."""
    mirrored = (
        ((key & COLUMN) << 42)
        | ((key & (COLUMN << 7)) << 28)
        | ((key & (COLUMN << 14)) << 14)
        | (key & (COLUMN << 21))
        | ((key >> 14) & (COLUMN << 14))
        | ((key >> 28) & (COLUMN << 7))
        | ((key >> 42) & COLUMN)
    )
    return min(key, mirrored)


def threats(stones, mask):
    """The empty cells that would complete four of these stones."""
    found = (stones << 1) & (stones << 2) & (stones << 3)
    for step in (6, 7, 8):
        pair = (stones << step) & (stones << 2 * step)
        found |= pair & (stones << 3 * step)
        found |= pair & (stones >> step)
        pair = (stones >> step) & (stones >> 2 * step)
        found |= pair & (stones << step)
        found |= pair & (stones >> 3 * step)
    return found & (BOARD ^ mask)


def has_four(cells):
    """Are four of the cells in a row?"""
    pair = cells & (cells >> 1)
    found = pair & (pair >> 2)
    for step in (6, 7, 8):
        pair = cells & (cells >> step)
        found |= pair & (pair >> 2 * step)
    return found != 0


def above(cells):
    """Every cell above one of these in its column."""
    cells = (cells << 1) & BOARD
    cells |= (cells << 1) & BOARD
    cells |= (cells << 1) & BOARD
    cells |= (cells << 1) & BOARD
    return cells | ((cells << 1) & BOARD)


def most_by_following(first, second, second_threats, mask):
    """The most that the position can be worth to the first side if the second follows it up; or OPEN.

    The second side answers in the column where the first side played: so it gets the even cells, and the
    first the odd ones. Where a column's next cell is even, the second side answers in another such column,
    or plays there if it is to move; their number then fits. Thus the first side gets none but odd cells and
    next even ones. If it can't make four of those and its stones, it can't win. If the second side has an
    even threat that is not its column's next cell, it gets that cell at last, and nothing above it is played.
    """
    empty = BOARD ^ mask
    playable = (mask + BOTTOM) & BOARD
    sure = second_threats & EVEN & ~playable
    if has_four((first | (empty & ODD) | (playable & EVEN)) & ~above(sure)):
        return OPEN
    if sure == 0:
        return 0
    # The lower the threat, the more cells above it stay empty.
    if sure & (BOTTOM << 1):
        return -3
    if sure & (BOTTOM << 3):
        return -2
    return -1


def least_by_odd_threat(second, first_threats, mask):
    """The least that it is worth to the first side, with the second to move, by an odd threat; or -OPEN.

    The first side follows up too, but for the column of its threat, which it enters only to answer there. The
    other columns are full one day, with the second side to move: it must play the cell below
    the threat. Meanwhile it got odd cells of the other columns, next cells, and even cells below
    the threat. If it can't make four of those and its stones, the first side wins.
    """
    empty = BOARD ^ mask
    playable = (mask + BOTTOM) & BOARD
    least = -OPEN
    rest = first_threats & ODD & ~playable
    while rest:
        cell = rest & -rest
        rest ^= cell
        column = COLUMN
        while column & cell == 0:
            column <<= 7
        below = (cell - 1) & column & EVEN
        if not has_four(second | (empty & ((ODD & ~column) | below)) | playable):
            least = max(least, 2 if cell & (BOTTOM << 2) else 1)
    return least


def prove(mine, mask, stones, beta, w, table, shift, stop):
    """Is the position worth `beta`? A bound of its score: at least that, or at most a smaller number.

    The side to move can't win at once, and has a move that doesn't lose at once. `table` has
    2 ** (64 - `shift`) entries. Returns STOPPED when `stop` was set or the nodes were spent. The move that
    proved it is left in BEST.
    """
    nodes = w[NODES]
    hits = w[HITS]
    cutoffs = w[CUTOFFS]
    last_slot = (1 << (64 - shift)) - 2
    frame = FRAMES
    their_threats = threats(mine ^ mask, mask)
    my_threats = threats(mine, mask)
    playable = (mask + BOTTOM) & BOARD
    forced = playable & their_threats
    moves = (forced if forced else playable) & ~(their_threats >> 1)
    least = -21
    most = 21
    while True:
        # A position comes in. What the table has on it was seen by its parent.
        nodes += 1
        if nodes & 1023 == 0 and (stop[0] != 0 or nodes >= w[LIMIT]):
            w[NODES] = nodes
            w[HITS] = hits
            w[CUTOFFS] = cutoffs
            return STOPPED
        value = OPEN
        if stones >= 40:
            value = 0
        elif -((40 - stones) >> 1) >= beta:
            value = -((40 - stones) >> 1)
        elif (41 - stones) >> 1 < beta:
            value = (41 - stones) >> 1
        elif frame > FRAMES:
            # At the root a move is wanted, not only a value.
            theirs = mine ^ mask
            if stones & 1 == 0:
                bound = most_by_following(mine, theirs, their_threats, mask)
                if bound != OPEN:
                    most = min(most, bound)
                    if bound < beta:
                        value = bound
            else:
                bound = most_by_following(theirs, mine, my_threats, mask)
                if bound != OPEN:
                    least = max(least, -bound)
                    if -bound >= beta:
                        value = -bound
                else:
                    bound = least_by_odd_threat(mine, their_threats, mask)
                    if bound != -OPEN:
                        most = min(most, -bound)
                        if -bound < beta:
                            value = -bound

        if value == OPEN:
            w[frame + MINE] = mine
            w[frame + MASK] = mask
            w[frame + THEIR_THREATS] = their_threats
            w[frame + BETA] = beta
            w[frame + START] = nodes
            w[frame + LEAST] = least
            w[frame + MOST] = most
            theirs = mine ^ mask
            found = 0
            for order in range(7):
                # Columns 4, 3, 5, 2, 6, 1, 7.
                aside = (order + 1) >> 1
                move = moves & (COLUMN << 7 * (3 - aside if order & 1 else 3 + aside))
                if move == 0:
                    continue
                after = mask | move
                made = threats(mine | move, after)
                replies = (after + BOTTOM) & BOARD
                forced = replies & made
                # All answers that don't lose at once; of two threats only one can be met.
                replies = (forced if forced else replies) & ~(made >> 1)
                if replies == 0 or forced & (forced - 1) != 0:
                    # The other side can't stop the win.
                    value = (41 - stones) >> 1
                    if frame == FRAMES:
                        w[BEST] = move
                    break
                key = theirs + after
                if stones + 1 < MIRRORED_BELOW:
                    key = canonical(key)
                slot = ((key * SCATTER) >> shift) & last_slot
                prefetch(table, slot)
                child = frame + found
                w[child + MOVE] = move
                w[child + THREATS] = made
                w[child + REPLIES] = replies
                w[child + KEY] = key
                w[child + SLOT] = slot
                found += 1
            if value == OPEN:
                best = -OPEN
                kept = 0
                for child in range(frame, frame + found):
                    key = w[child + KEY]
                    slot = w[child + SLOT]
                    entry = table[slot]
                    if (entry >> 12) & KEY_MASK != key:
                        entry = table[slot + 1]
                    least = -21
                    most = 21
                    if (entry >> 12) & KEY_MASK == key:
                        least = ((entry >> 6) & 63) - 32
                        most = (entry & 63) - 32
                        hits += 1
                    if -most >= beta:
                        value = -most
                        if frame == FRAMES:
                            w[BEST] = w[child + MOVE]
                        break
                    if -least < beta:
                        best = max(best, -least)
                        continue
                    # Sorted in: a place never lies beyond its child's own.
                    move = w[child + MOVE]
                    made = w[child + THREATS]
                    replies = w[child + REPLIES]
                    rank = popcount(made)
                    at = frame + kept
                    while at > frame and w[at - 1 + RANK] < rank:
                        w[at + MOVE] = w[at - 1 + MOVE]
                        w[at + THREATS] = w[at - 1 + THREATS]
                        w[at + REPLIES] = w[at - 1 + REPLIES]
                        w[at + RANK] = w[at - 1 + RANK]
                        w[at + CHILD_LEAST] = w[at - 1 + CHILD_LEAST]
                        w[at + CHILD_MOST] = w[at - 1 + CHILD_MOST]
                        at -= 1
                    w[at + MOVE] = move
                    w[at + THREATS] = made
                    w[at + REPLIES] = replies
                    w[at + RANK] = rank
                    w[at + CHILD_LEAST] = least
                    w[at + CHILD_MOST] = most
                    kept += 1
                if value == OPEN:
                    w[frame + VALUE] = best
                    w[frame + COUNT] = kept
                    w[frame + NEXT] = 0
                else:
                    cutoffs += 1

        # Up, as long as positions are decided; then down into the next child.
        while True:
            if value != OPEN:
                if frame == FRAMES:
                    w[NODES] = nodes
                    w[HITS] = hits
                    w[CUTOFFS] = cutoffs
                    return value
                frame -= FRAME
                stones -= 1
                value = -value
                if value > w[frame + VALUE]:
                    w[frame + VALUE] = value
                if value < w[frame + BETA]:
                    value = OPEN
                else:
                    cutoffs += 1
                    if frame == FRAMES:
                        w[BEST] = w[frame + w[frame + NEXT] - 1 + MOVE]
            if value == OPEN and w[frame + NEXT] < w[frame + COUNT]:
                child = frame + w[frame + NEXT]
                w[frame + NEXT] += 1
                move = w[child + MOVE]
                my_threats = w[frame + THEIR_THREATS] & ~move
                their_threats = w[child + THREATS]
                moves = w[child + REPLIES]
                least = w[child + CHILD_LEAST]
                most = w[child + CHILD_MOST]
                mask = w[frame + MASK]
                mine = w[frame + MINE] ^ mask
                mask |= move
                beta = 1 - w[frame + BETA]
                frame += FRAME
                stones += 1
                break

            least = w[frame + LEAST]
            most = w[frame + MOST]
            if value == OPEN:
                value = w[frame + VALUE]
                most = min(most, value)
            else:
                least = max(least, value)
            key = w[frame + MINE] + w[frame + MASK]
            if stones < MIRRORED_BELOW:
                key = canonical(key)
            # The first entry of a bucket is for what took the most nodes, the second for the rest.
            work = nodes - w[frame + START]
            rank = (work >= 32) + (work >= 512) + (work >= 16384)
            entry = (rank << 61) | (key << 12) | ((least + 32) << 6) | (most + 32)
            slot = ((key * SCATTER) >> shift) & last_slot
            old = table[slot]
            if (old >> 12) & KEY_MASK == key:
                table[slot] = entry
            elif (table[slot + 1] >> 12) & KEY_MASK == key:
                table[slot + 1] = entry
            elif rank >= old >> 61:
                table[slot + 1] = old
                table[slot] = entry
            else:
                table[slot + 1] = entry


def solve(mine, mask, stones, w, table, shift, stop):
    """Find an unfinished position's score within LOW and HIGH, and a move that reaches it, in BEST.

    Returns 1, or 0 where it was stopped: LOW and HIGH tell what was proven by then.
    """
    playable = (mask + BOTTOM) & BOARD
    low = w[LOW]
    high = w[HIGH]
    w[BEST] = 0
    wins = threats(mine, mask) & playable
    if wins:
        w[BEST] = wins & -wins
        w[LOW] = (43 - stones) >> 1
        w[HIGH] = w[LOW]
        return 1
    their_threats = threats(mine ^ mask, mask)
    forced = playable & their_threats
    moves = (forced if forced else playable) & ~(their_threats >> 1)
    if forced & (forced - 1) or moves == 0:
        moves = forced if forced else playable
        w[BEST] = moves & -moves
        w[LOW] = -((42 - stones) >> 1)
        w[HIGH] = w[LOW]
        return 1
    if moves & (moves - 1) == 0:
        w[BEST] = moves
    if stones >= 40:
        w[BEST] = moves & -moves
        w[LOW] = 0
        w[HIGH] = 0
        return 1
    sure = -((40 - stones) >> 1)
    low = max(low, sure)
    high = min(high, (41 - stones) >> 1)
    # Small searches stay in a small part of the table, which is in the processor's cache.
    limit = w[LIMIT]
    start = w[NODES]
    small = True
    while low < high or (w[BEST] == 0 and low > sure):
        spent = w[NODES] - start
        if low == high:
            beta = low  # the score is known: which move has it?
        elif spent < EASY:
            # Most easy positions are won or lost soon: halve the span towards 0.
            beta = (low + high) >> 1
            if beta <= 0 and low // 2 < beta:
                beta = -(-low >> 1)
            elif beta >= 0 and high // 2 > beta:
                beta = high >> 1
            beta += 1
        elif low < 0 and high >= 0:
            beta = 0
        elif low <= 0 and high > 0:
            beta = 1
        else:
            beta = ((low + high) >> 1) + 1
        if small:
            w[LIMIT] = min(limit, start + SMALL)
            value = prove(mine, mask, stones, beta, w, table, max(shift, SMALL_SHIFT), stop)
            w[LIMIT] = limit
            if value == STOPPED and stop[0] == 0 and w[NODES] < limit:
                small = False
                continue
        else:
            value = prove(mine, mask, stones, beta, w, table, shift, stop)
        if value == STOPPED:
            w[LOW] = low
            w[HIGH] = high
            return 0
        if value >= beta:
            low = max(low, value)
        else:
            high = value
    if w[BEST] == 0:
        # Every move that doesn't lose at once is as good.
        for order in range(7):
            aside = (order + 1) >> 1
            move = moves & (COLUMN << 7 * (3 - aside if order & 1 else 3 + aside))
            if move != 0:
                w[BEST] = move
                break
    w[LOW] = low
    w[HIGH] = low
    return 1
