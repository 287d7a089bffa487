"""What a search should know of large boards in the m,n,k games: which moves matter, and who stands better.

All of it is read off the lines, the runs of k cells. A line is a side's own while the other side has no
stone on it (and, under the exact rule, the side itself has none just beyond its ends): such a line only can
win. It lacks as many stones as it has free cells. So

- a line that lacks one stone threatens to win at once: a "four" in gomoku;
- a line that lacks two can become one: its two free cells are a "gap". A cell in two gaps with different
  other ends is a "fork": a stone there threatens to win at two places, and one stone can't stop both. The
  open three of gomoku is the plainest case, two fours that cross another.

Hence, for the side to move:

1. It can win at once: that move is all that need be looked at.
2. The other side could win at once. Every other move loses with the next one, so that only the cell
   matters where it would; where there are several, one serves as well as another.
3. It has a fork. The other side can't win with its next move, for it has no line that lacks one stone (2),
   and can fill but one of the two cells where this side wins: no move is better, for none wins sooner (1).
4. The other side has forks. A move that neither makes a threat to win at once, which it does only in a gap
   of the mover's own, nor spoils each fork, leaves one: then the other side plays there, this side
   has no line that lacks one stone, fills one of two cells, and has lost in four plies. No move loses
   sooner, for the other side has no line that lacks one stone yet (2). So all others need no look. A fork
   is spoiled by a stone in the fork itself, or at one of its ends where it has but two: a line's free
   cells are its gap, so a stone anywhere else takes none of the lines away.
5. Else every free cell may matter. On boards of more than MOST_CELLS cells the MOST_TRIED that look
   best are tried, and `selective` says so: this alone leaves out what might matter.

Threat sequences are what gomoku is about: see Allis, van den Herik and Huntjens, Go-Moku Solved by New
Search Techniques (1996).
"""

from collections.abc import Sequence
from typing import NamedTuple

MOST_CELLS = 49
"""Up to this many cells no move is left out, but where that is safe."""

MOST_TRIED, LEAST_SHARE = 12, 8
"""On larger boards, where no threat decides, at most this number of moves are tried, and only those to which
lines draw at least one part in eight of what draws to the best."""

QUIET = 4
"""There neither side wins in so few plies: each wins at once by 1 and 2 alone, and in three by 3 and 4."""

WORTH = (0, 64, 16, 4)
"""What a side's own line counts for it in an estimate, by how many stones it lacks; less than that: 1."""

PULL = (0, 0, 216, 36, 6)
"""How much a line draws either side to its free cells, by how many stones it lacks; less than that: 3."""

FREE_PULL = 1
"""And a line without any stone."""

TEMPO = (5, 4)
"""How many times the side to move counts its lines, and how many times the other side does."""

EVEN = 200
"""The balance that is worth half the greatest estimate."""


class Reading(NamedTuple):
    """What the lines of one position say: the mover's first, then the other side's."""

    mine: int
    theirs: int
    worth: tuple[int, int]
    wins: tuple[int, int]
    """The cells where each side would win at once."""
    threats: tuple[int, int]
    """How many lines lack one stone: several may lack the same."""
    gaps: tuple[list[int], list[int]]


class Threats:
    """The lines of one board, read for the side to move. Sets of cells are bitboards, cell i bit i."""

    def __init__(
        self,
        lines: Sequence[Sequence[int]],
        masks: Sequence[int],
        beyond: Sequence[int],
        middle_first: Sequence[int],
    ) -> None:
        """The lines as cells and as bitboards; `beyond` says for each where its own side would spoil it.

        `middle_first` are all cells: of those to which lines draw alike, the first there goes first.
        """
        k = len(lines[0])
        self.k, self.cells, self.middle_first = k, len(middle_first), middle_first
        self._lines = list(zip(masks, beyond, strict=True))
        self._cells_of = lines
        self.even, self.tempo = EVEN, TEMPO
        self.tried, self.share = (0, 1) if self.cells <= MOST_CELLS else (MOST_TRIED, LEAST_SHARE)
        missing = [min(k - stones, len(PULL)) for stones in range(k + 1)]
        self.worth = [0] + [WORTH[lacks] if lacks < len(WORTH) else 1 for lacks in missing[1:]]
        self.pull = [FREE_PULL] + [PULL[lacks] if lacks < len(PULL) else 3 for lacks in missing[1:]]
        # A search asks several things about a position before it goes on to the next one.
        self._last = Reading(0, 0, (0, 0), (0, 0), (0, 0), ([], []))

    def order(self, mine: int, theirs: int, free: int) -> Sequence[int]:
        """The moves worth a look, the likely best first."""
        forced = self._forced(mine, theirs)
        if forced and not forced & (forced - 1):
            return (forced.bit_length() - 1,)
        pull = self._pull_of(mine, theirs)
        cells = [cell for cell in self.middle_first if (forced or free) >> cell & 1]
        cells.sort(key=lambda cell: -pull[cell])
        if forced or not self.tried:
            return cells
        least = pull[cells[0]] // self.share
        return [cell for cell in cells[: self.tried] if pull[cell] >= least]

    def selective(self, mine: int, theirs: int, free: int) -> bool:
        """Does `order` leave out moves that might matter?"""
        if not self.tried or self._forced(mine, theirs):
            return False
        return free.bit_count() > self.tried or len(self.order(mine, theirs, free)) < free.bit_count()

    def urgent(self, mine: int, theirs: int) -> bool:
        """Is more to come than one stone that has to be answered? That one `evaluate` knows."""
        read = self._read(mine, theirs)
        if read.wins[0]:
            return True
        block = read.wins[1]
        if block:
            several = block & (block - 1)
            return several != 0 or bool(_forks([gap for gap in read.gaps[1] if not gap & block]))
        return bool(_forks(read.gaps[0]) or _forks(read.gaps[1]))

    def evaluate(self, mine: int, theirs: int) -> int:
        """The own lines of both sides, the fuller the better, with a premium for being to move.

        Where the other side threatens to win, that line will be filled, and then it is to move again.
        """
        read = self._read(mine, theirs)
        own, other = read.worth
        for_mover, for_other = self.tempo
        if read.wins[1]:
            other -= read.threats[1] * self.worth[-2]
            for_mover, for_other = for_other, for_mover
        balance = for_mover * own - for_other * other
        size = abs(balance)
        estimate = 4800 * size // (size + self.even)
        return estimate if balance > 0 else -estimate

    def _forced(self, mine: int, theirs: int) -> int:
        """The cells to look at where a threat decides, as the cases 1 to 4 above; else none."""
        read = self._read(mine, theirs)
        for wins in read.wins:
            if wins:
                return wins & -wins
        forks = _forks(read.gaps[0])
        if forks:
            return min(forks)
        forks = _forks(read.gaps[1])
        if not forks:
            return 0
        answers = -1
        for cell, ends in forks.items():
            answers &= cell | ends if ends.bit_count() == 2 else cell
        for gap in read.gaps[0]:
            answers |= gap
        return answers or min(forks)

    def _read(self, mine: int, theirs: int) -> Reading:
        last = self._last
        if last.mine == mine and last.theirs == theirs:
            return last
        worth, wins, threats = [0, 0], [0, 0], [0, 0]
        gaps: tuple[list[int], list[int]] = ([], [])
        for mask, beyond in self._lines:
            stones, others = mine & mask, theirs & mask
            if stones:
                if others or mine & beyond:
                    continue
                side = 0
            elif others and not theirs & beyond:
                side, stones = 1, others
            else:
                continue
            lacks = self.k - stones.bit_count()
            worth[side] += self.worth[-1 - lacks]
            if lacks == 1:
                wins[side] |= mask ^ stones
                threats[side] += 1
            elif lacks == 2:
                gaps[side].append(mask ^ stones)
        read = Reading(mine, theirs, (worth[0], worth[1]), (wins[0], wins[1]), (threats[0], threats[1]), gaps)
        self._last = read
        return read

    def _pull_of(self, mine: int, theirs: int) -> list[int]:
        """How much the lines through each cell, of both sides, draw to it."""
        pull = [0] * self.cells
        for (mask, beyond), line in zip(self._lines, self._cells_of, strict=True):
            stones, others = mine & mask, theirs & mask
            if stones and others:
                continue
            drawn = 0
            if not others and not mine & beyond:
                drawn += self.pull[stones.bit_count()]
            if not stones and not theirs & beyond:
                drawn += self.pull[others.bit_count()]
            for cell in line:
                pull[cell] += drawn
        return pull


def _forks(gaps: list[int]) -> dict[int, int]:
    """Each cell where a stone threatens to win at two places or more, with those places."""
    ends: dict[int, int] = {}
    for gap in gaps:
        low = gap & -gap
        high = gap ^ low
        ends[low] = ends.get(low, 0) | high
        ends[high] = ends.get(high, 0) | low
    return {cell: places for cell, places in ends.items() if places & (places - 1)}
