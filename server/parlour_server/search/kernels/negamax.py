"""The engine's inner search: alpha-beta with principal variation search over any game's kernel.

One source serves twice. `compiled.py` puts it into one module with a game's kernel and has
numba compile both; `interpreted.py` runs it as it stands, over the rules of a game that has no kernel. So
it keeps to what numba understands: functions, numbers and arrays. The names of a kernel's contract
(`play`, `undo`, `ended`, ...) and `slot_of` are the kernel's; here they only seem to be missing.

The search is fail-soft and negamax. See Marsland and Campbell, Parallel Search of Strongly Ordered Game
Trees (1982), for principal variation search; Breuker, Memory versus Search in Games (1998), for tables of
two-deep buckets; Akl and Newborn (1977) for killer moves; Schaeffer (1989) for the history heuristic.

    s        the kernel's state
    w        the engine's working memory, numbers in the regions named below
    table    positions known already, each a key and what is known (score, depth, bound and best move, packed
             into a number), in buckets of two: the first keeps the deeper search, the second the newer
    stop     one byte, set from outside to end the search

Scores are hundredths of a point for the side to move.
"""

NODES = 0
CUTOFFS = 1
HITS = 2
NODE_LIMIT = 3
NEXT_POLL = 4
STOPPED = 5
TOP = 6  # the score of a win now
STEP = 7  # by how much a win loses worth with each ply; 0 where the margin counts
THREAT_LIMIT = 8  # the ply beyond which no threat is followed any further
SLOTS = 9  # numbers in the table, less one: a mask
SELECTED = 10  # 1 once a position was met whose moves were not all looked at
KILLERS = 16  # two for each ply, one more than their numbers
HISTORY = KILLERS + 2 * (MOST_PLIES + 2)  # for each side, by move
MOVES = HISTORY + 2 * MOVE_NUMBERS  # MOST_MOVES for each ply; with their ranks above bit 16
LINES = MOVES + MOST_MOVES * (MOST_PLIES + 3)  # a triangle of principal variations, each after its length
WORK = LINES + (MOST_PLIES + 2) * (MOST_PLIES + 2)

POLL_EVERY = 1024
INFINITE = 1_000_000
CERTAIN = 5_000  # beyond it a score is a proven win or loss
OFFSET = 1 << 20  # makes every score positive
EXACT, AT_LEAST, AT_MOST = 0, 1, 2
HASH_RANK = 1 << 62
KILLER_RANK = 1 << 29


def ended_score(s, w, end, ply):
    """The score of an end for the side that moved last, `ply` plies from the root."""
    if end == 2:
        return 0
    worth = w[TOP] - ply * w[STEP]
    if w[STEP] == 0:
        worth = CERTAIN + 100 * margin(s)
    return worth if end == 1 else -worth


def value(s, w, table, stop, depth, ply, alpha, beta):
    """The score of an unfinished position, searched `depth` plies deep; 0 once `w[STOPPED]`.

    Between alpha and beta it is exact for this depth, from beta upward a lower bound, from alpha
    downward an upper one.
    """
    if depth <= 0:
        depth = 1  # a threat hangs over the board
    if w[NODES] >= w[NEXT_POLL]:
        w[NEXT_POLL] = min(w[NODES] + POLL_EVERY, w[NODE_LIMIT])
        if stop[0] != 0 or w[NODES] >= w[NODE_LIMIT]:
            w[STOPPED] = 1
    if w[STOPPED] != 0:
        return 0

    # No win can come sooner than with the next move, so no more than that need be hoped for.
    if w[STEP] != 0:
        soonest = w[TOP] - (ply + 1) * w[STEP]
        if soonest <= alpha:
            return soonest

    principal = beta - alpha > 1
    known = k = slot = 0
    if depth > 1:
        k = key(s)
        slot = slot_of(k, w[SLOTS])
        if table[slot] == k:
            known = table[slot + 1]
        elif table[slot + 2] == k:
            known = table[slot + 3]
    table_move = -1
    if known != 0:
        w[HITS] += 1
        table_move = (known & 65535) - 1
        if not principal and ((known >> 18) & 511) >= depth:
            score = (known >> 27) - OFFSET
            # Distances are kept as seen from the position, and are wanted as seen from the root.
            if score > CERTAIN:
                score -= ply * w[STEP]
            elif score < -CERTAIN:
                score += ply * w[STEP]
            bound = (known >> 16) & 3
            if (
                bound == EXACT
                or (bound == AT_LEAST and score >= beta)
                or (bound == AT_MOST and score <= alpha)
            ):
                return score

    first = MOVES + ply * MOST_MOVES
    count = moves(s, w, first)
    end = first + count // RANKED
    count %= RANKED
    ranked = end > first
    ordered = count >= ORDERED
    if ordered:
        count -= ORDERED
    selective = count >= SELECTIVE
    if selective:
        count -= SELECTIVE
        w[SELECTED] = 1
    # A lone move leaves no choice, and so costs no depth.
    deeper = depth if count == 1 and ply + depth < MOST_PLIES else depth - 1

    # How promising a move is, unless the kernel knows: the killers come first, then what cut most often
    # elsewhere. No two have the same rank: of equals the first there is the first.
    side = ply & 1
    killers = KILLERS + 2 * ply
    if not ranked and count > 1 and depth > 1:
        history = HISTORY + side * MOVE_NUMBERS
        end = first + count
        for at in range(first, end):
            move = w[at]
            rank = 0
            if not ordered:
                if move + 1 == w[killers]:
                    rank = KILLER_RANK + 1
                elif move + 1 == w[killers + 1]:
                    rank = KILLER_RANK
                else:
                    rank = min(w[history + move], KILLER_RANK - 1)
            w[at] = rank << 32 | (end - at) << 16 | move
        ranked = True
    if ranked and table_move >= 0:
        for at in range(first, end):
            if w[at] & 65535 == table_move:
                w[at] += HASH_RANK

    line = LINES + ply * (MOST_PLIES + 2)
    w[line] = 0
    lower = alpha
    best = -INFINITE
    best_move = -1
    before = 2 * HASH_RANK - 1
    for tried in range(count):
        if ranked:
            # The most promising of the rest. Most positions need but the first, so sorting would be waste.
            top = -1
            for at in range(first, end):
                rest = w[at]
                top = max(top, rest if rest < before else -1)
            before = top
            move = top & 65535
        else:
            move = w[first + tried]

        play(s, move)
        w[NODES] += 1
        over = ended(s)
        if over != 0:
            score = ended_score(s, w, over, ply + 1)
            w[line + MOST_PLIES + 2] = 0
        elif deeper <= 0 and (ply + 1 >= w[THREAT_LIMIT] or urgent(s) == 0):
            score = -evaluate(s)
            w[line + MOST_PLIES + 2] = 0
        elif tried == 0:
            score = -value(s, w, table, stop, deeper, ply + 1, -beta, -lower)
        else:
            # Any other move is likely no better: a window without room asks just that.
            score = -value(s, w, table, stop, deeper, ply + 1, -lower - 1, -lower)
            if lower < score < beta:
                score = -value(s, w, table, stop, deeper, ply + 1, -beta, -lower)
        undo(s, move)
        if w[STOPPED] != 0:
            return 0

        if score > best:
            best = score
            best_move = move
            if score > lower:
                lower = score
                if principal:
                    below = line + MOST_PLIES + 2
                    length = w[below]
                    w[line] = length + 1
                    w[line + 1] = move
                    for i in range(1, length + 1):
                        w[line + 1 + i] = w[below + i]
                if lower >= beta:
                    w[CUTOFFS] += 1
                    if w[killers] != move + 1:
                        w[killers + 1] = w[killers]
                        w[killers] = move + 1
                    w[HISTORY + side * MOVE_NUMBERS + move] += depth * depth
                    break

    if selective and best < -CERTAIN:
        # A move that was left out might have held: a loss is likely, and not proven.
        best = ply - CERTAIN

    if depth <= 1:
        return best
    if best >= beta:
        bound = AT_LEAST
    elif best > alpha:
        bound = EXACT
    else:
        bound = AT_MOST
    kept = best
    if best > CERTAIN:
        kept += ply * w[STEP]
    elif best < -CERTAIN:
        kept -= ply * w[STEP]
    entry = (kept + OFFSET) << 27 | depth << 18 | bound << 16 | (best_move + 1)
    if table[slot] != k and ((table[slot + 1] >> 18) & 511) > depth:
        slot += 2
    table[slot] = k
    table[slot + 1] = entry
    return best
