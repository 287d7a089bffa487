"""Nine men's morris over numbers: see `parlour_server.search.kernels.arrays`.

The board is three rings of eight points, the outermost first, each point a bit. In a ring they go round from
a corner on: corners have even numbers, middles odd ones. Men are sets of such bits.
"""

FLYING, HAND, MEN, QUIET = 2, 3, 5, 7
"""Where a position says whether a side with three men may fly; how many men each side has yet to place; where
its men stand; and how many plies ago a man was placed or removed."""

EACH = 9
"""How many men a side has."""
LEAST = 3
"""With fewer a side has lost; with as many it may fly."""
PLACING, KEPT = 24, 24
"""What a move has instead of where it comes from, if it places a man; and of what it removes, if it closes no
mill."""
PATIENCE = 100
"""After so many plies with no man removed the game is a draw."""

POSITION = 8
KEYED = 7
# There are 32 ways from point to point, each with a man of nine to remove.
MOST_MOVES = 32 * EACH
MOVE_NUMBERS = 25 * 24 * 25

ALL = (1 << 24) - 1
CORNERS = 0x555555
OUTER_MIDDLES = 0xAA


def next_of(points):
    """The points one further round."""
    return ((points << 1) & 0xFEFEFE) | ((points >> 7) & 0x010101)


def before(points):
    """The points one back."""
    return ((points >> 1) & 0x7F7F7F) | ((points << 7) & 0x808080)


def beside(points):
    """All points next to some of these."""
    middles = points & ~CORNERS
    return next_of(points) | before(points) | (middles << 8 & ALL) | middles >> 8


def in_mills(men):
    """Those of a side's men that stand in mills."""
    following = before(men)
    first = men & following & before(following) & CORNERS
    second = next_of(first)
    across = men & men >> 8 & men >> 16 & OUTER_MIDDLES
    return first | second | next_of(second) | across | across << 8 | across << 16


def closing(men):
    """The points where one man more makes a mill."""
    following, previous = before(men), next_of(men)
    around = following & previous & ~CORNERS
    around |= (following & before(following) | previous & next_of(previous)) & CORNERS
    outer, middle, inner = men & OUTER_MIDDLES, men >> 8 & OUTER_MIDDLES, men >> 16 & OUTER_MIDDLES
    return around | middle & inner | (outer & inner) << 8 | (outer & middle) << 16


def count(points):
    """How many there are."""
    pairs = points - (points >> 1 & 0x555555)
    fours = (pairs & 0x333333) + (pairs >> 2 & 0x333333)
    return ((fours + (fours >> 4) & 0x0F0F0F) * 0x010101 >> 16) & 0xFF


def reached(s, side, point):
    """The free points where a man can go from there."""
    free = ALL & ~(s[MEN] | s[MEN + 1])
    if s[FLYING] != 0 and count(s[MEN + side]) == LEAST:
        return free
    return beside(1 << point) & free


def removable(men):
    """Those of the other side's men that a mill may remove: outside of mills, if there are any."""
    outside = men & ~in_mills(men)
    return outside if outside != 0 else men


def moves(s, out, at):
    """Those that close a mill first."""
    side = s[0]
    mine = s[MEN + side]
    targets = removable(s[MEN + 1 - side])
    placing = s[HAND + side] > 0
    total = 0
    for mills in range(1, -1, -1):
        for start in range(PLACING if placing else 0, PLACING + 1 if placing else 24):
            if placing:
                rest, ends = mine, ALL & ~(s[MEN] | s[MEN + 1])
            elif mine >> start & 1 == 0:
                continue
            else:
                rest, ends = mine & ~(1 << start), reached(s, side, start)
            close = closing(rest)
            ends &= close if mills == 1 else ~close
            for end in range(24):
                if ends >> end & 1 == 0:
                    continue
                move = (start * 24 + end) * 25
                if mills == 0:
                    out[at + total] = move + KEPT
                    total += 1
                else:
                    for removed in range(24):
                        if targets >> removed & 1 != 0:
                            out[at + total] = move + removed
                            total += 1
    return total


def can_move(s, side):
    """Has a side a man to place, or one that can go somewhere?"""
    if s[HAND + side] > 0:
        return True
    men, free = s[MEN + side], ALL & ~(s[MEN] | s[MEN + 1])
    ends = free if s[FLYING] != 0 and count(men) == LEAST else beside(men) & free
    return ends != 0


def play(s, move):
    """Place or move a man, and remove one of the other side's where that closes a mill."""
    side = s[0]
    other = 1 - side
    removed = move % 25
    end = move // 25 % 24
    start = move // 600
    s[MEN + side] |= 1 << end
    if start == PLACING:
        s[HAND + side] -= 1
    else:
        s[MEN + side] &= ~(1 << start)
        s[QUIET] += 1
    if removed != KEPT:
        s[MEN + other] &= ~(1 << removed)
        s[QUIET] = 0
    s[0] = other
    if count(s[MEN + other]) + s[HAND + other] < LEAST or not can_move(s, other):
        s[1] = 1 + side
    elif s[QUIET] == PATIENCE:
        s[1] = 3


def strength(s, side):
    """What a side's men are worth: their number, their freedom, mills and what is about to be one."""
    men = s[MEN + side]
    free = ALL & ~(s[MEN] | s[MEN + 1])
    threats = closing(men) & free
    return (
        300 * (count(men) + s[HAND + side])
        + 10 * count(beside(men) & free)
        + 20 * count(in_mills(men))
        + 40 * count(threats)
    )


def evaluate(s):
    """By how much the side to move is stronger."""
    side = s[0]
    return strength(s, side) - strength(s, 1 - side)
