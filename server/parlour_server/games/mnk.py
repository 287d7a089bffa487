"""The m,n,k games: k in a row wins on a board of any width and height. Tic-tac-toe is 3,3,3.

How a search finds its way on a larger board stands in `threats.py`.

A position is two bitboards. Cell i is bit i, and a move is the number of its cell, counted row by
row from the top left as in `BoardView`.
"""

from collections.abc import Sequence
from itertools import compress
from typing import NamedTuple

from parlour_protocol.ids import Side
from parlour_protocol.views.boards import BoardView
from parlour_protocol.words import Sentence
from parlour_server.games.delta import BoardDelta
from parlour_server.games.game import (
    CELL,
    FULL,
    Game,
    IllegalMove,
    InvalidMove,
    InvalidPosition,
    Move,
    Outcome,
    Rule,
    Setup,
    bad_size,
    characters,
    flags,
    read_cell,
    read_size,
    row_of,
    stones_in_turn,
    written,
)
from parlour_server.games.threats import QUIET, Threats

LARGEST = 19
"""The widest and the highest board, as in gomoku."""

LEAST = 3
"""The least width, height and k that people may ask for; anything less is won at once, or never."""

PLAIN_CELLS = 25
"""Up to this many cells a search looks at every move; on larger boards threats say which ones matter."""

CACHED_CELLS = 12
"""Up to this many cells every set of free ones keeps its list of moves: at most 4,096 of them."""

IN_WORDS = {3: "three", 4: "four", 5: "five", 6: "six"}
"""The lengths of rows that are written in words."""
MARKS = ("X", "O")
EMPTY = "."

CHANCES, CHANCES_PLAIN = 18.1, 46.4
"""`estimate_scale` with threats, from 600 games of gomoku, 12,595 positions, off by 1.1%; and on small
boards, where most games are drawn, from 600 on 5x5, 3,049 positions, off by 5.5%."""


class Position(NamedTuple):
    """A position as bitboards. Turns need no field of their own: the stones tell whose it is."""

    mine: int
    """The stones of the side to move."""
    theirs: int
    free: int
    """The empty cells."""
    over: int = 0
    """0 while the game goes on, 1 and 2 where the first or second side has won, 3 for a draw."""


class MNK(Game[Position]):
    """The m,n,k game of one width, height and k. Raises `ValueError` for sizes that can't be.

    More than k in a row win too, unless the rule is `exact`.
    """

    notation = CELL
    quiet = QUIET

    def __init__(
        self,
        width: int,
        height: int,
        k: int,
        *,
        exact: bool = False,
        name: str = "",
        title: str = "",
        summary: str = "",
        sample: str = "",
    ) -> None:
        if not (1 <= width <= LARGEST and 1 <= height <= LARGEST):
            raise ValueError(f"width and height must be from 1 to {LARGEST}, not {width} and {height}")
        if k < 1:
            raise ValueError(f"k must be at least 1, not {k}")
        length = IN_WORDS.get(k, "longer")
        row = Sentence(f"game.row.{length}", length=k)
        self.width, self.height, self.k, self.exact = width, height, k, exact
        self.name = name or f"mnk:{width},{height},{k}"
        self.title = title or Sentence(f"game.mnk.title.{length}", length=k, width=width, height=height)
        self.summary = summary or Sentence(f"game.mnk.summary.{length}", length=k)
        self.sample = sample
        self._row_said = row
        self._made_of = (width, height, k, exact, name, title, summary, sample)
        # The compiled twin knows what people may ask for, and no less.
        self.kernel = "parlour_server.search.kernels.mnk" if min(width, height, k) >= LEAST else ""
        self.max_plies = width * height
        self._names = [
            f"{chr(ord('a') + column)}{height - line}" for line in range(height) for column in range(width)
        ]
        self._by_name = {name: cell for cell, name in enumerate(self._names)}
        self._rows = [str(line) for line in range(height, 0, -1)]
        self._columns = [chr(ord("a") + column) for column in range(width)]
        self._marks = [[mark] for mark in MARKS]
        self._cells = range(width * height)
        self._row = (1 << width) - 1
        self._initial = Position(0, 0, (1 << width * height) - 1)
        self._outcomes = (
            None,
            Outcome(0, row, "line"),
            Outcome(1, row, "line"),
            Outcome(None, FULL, "board_full"),
        )
        self._lines = _lines(width, height, k)
        self._masks = _masks(self._lines)
        # Under the exact rule a row is none while a further stone of its side lies at either end.
        self._beyond = [_beyond(line, width, height) if exact else 0 for line in self._lines]
        through: list[list[int]] = [[] for _ in self._cells]
        for line, mask in zip(self._lines, self._masks, strict=True):
            for cell in line:
                through[cell].append(mask)
        self._beyond_of = dict(zip(self._masks, self._beyond, strict=True))
        self._masks_through = [tuple(masks) for masks in through]
        self.threats: Threats | None = None
        if width * height > PLAIN_CELLS and k >= LEAST and self._lines:
            middle_first = sorted(self._cells, key=self._off_centre)
            self.threats = Threats(self._lines, self._masks, self._beyond, middle_first)
        self.estimate_scale = CHANCES_PLAIN if self.threats is None else CHANCES
        self._one_short: int = 3 ** max(min(k, LARGEST) - 2, 0)
        # The more lines run through a cell the better it is: the middle first.
        self._middle_first = sorted(self._cells, key=lambda cell: -len(self._masks_through[cell]))
        self._moves: dict[int, tuple[Move, ...]] = {}
        self._searched: dict[int, tuple[Move, ...]] = {}

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the sizes alone: tables are quicker made again than sent to another process."""
        return _rebuild, (type(self), *self._made_of)

    def _off_centre(self, cell: Move) -> int:
        """How far a cell is from the middle of the board: the square of it, doubled along each way."""
        row, column = divmod(cell, self.width)
        return (2 * row - self.height + 1) ** 2 + (2 * column - self.width + 1) ** 2

    def rules(self) -> Sequence[Rule]:
        """As in the contract; a large board's rows are shown on a smaller one."""
        width, height, k = min(self.width, self.k + 2), min(self.height, self.k + 2), self.k
        small = MNK(width, height, k, exact=self.exact)
        straight = [height // 2 * width + column for column in range(width)]
        if k > width:
            straight = [line * width + width // 2 for line in range(height)]
        slanting = [line * (width + 1) for line in range(k)] if k <= min(width, height) else straight[:k]
        won, gap = small._alternating(slanting), small._names[straight[k - 1]]
        row = self._row_said
        found = [
            Rule(Sentence("game.rule.put", mark=MARKS[0]), " ".join(won[:3]), on=small),
            Rule(Sentence("game.rule.row", row=row), " ".join(won), on=small),
            Rule(Sentence("game.rule.gap"), " ".join(small._alternating(straight[: k - 1])), gap, small),
        ]
        if self.exact:
            # The last one in the middle: so it never is a row of five.
            longer = [*straight[: k - 2], *straight[k - 1 : k + 1], straight[k - 2]]
            marked = " ".join(small._names[cell] for cell in longer)
            moves = " ".join(small._alternating(longer))
            found.append(Rule(Sentence("game.rule.not_longer", row=row), moves, marked, small))
        elif k < max(self.width, self.height):
            found.append(Rule(Sentence("game.rule.longer")))
        full = "b2 a1 c1 a3 a2 c2 b3 b1 c3" if (self.width, self.height, k) == (3, 3, 3) else None
        return [*found, Rule(Sentence("game.rule.full"), full)]

    def _alternating(self, cells: Sequence[int]) -> list[str]:
        """Moves that give the first side these cells, and the second one others around the middle."""

        def off(cell: int) -> int:
            row, column = divmod(cell, self.width)
            return abs(2 * row - self.height + 1) + abs(2 * column - self.width + 1)

        # Nor on the rest of their line, if it is a straight one.
        line = {*cells, *range(cells[0], cells[0] + self.width)}
        others = sorted((cell for cell in self._cells if cell not in line), key=off)
        played = [cell for pair in zip(cells, others, strict=False) for cell in pair][: 2 * len(cells) - 1]
        return [self._names[cell] for cell in played]

    def initial(self) -> Position:
        """The empty board."""
        return self._initial

    def to_move(self, position: Position) -> Side:
        """The side to move: the second where the number of stones is odd."""
        return 1 if (position.mine | position.theirs).bit_count() & 1 else 0

    def legal_moves(self, position: Position) -> Sequence[Move]:
        """The free cells, row by row from the top left."""
        if position.over:
            return ()
        moves = self._moves.get(position.free)
        return self._list(position.free, self._cells, self._moves) if moves is None else moves

    def search_order(self, position: Position) -> Sequence[Move]:
        """The free cells, those with the most lines first; on larger boards as `threats.py` says."""
        if position.over:
            return ()
        if self.threats is not None:
            return self.threats.order(position.mine, position.theirs, position.free)
        moves = self._searched.get(position.free)
        return self._list(position.free, self._middle_first, self._searched) if moves is None else moves

    def selective(self, position: Position) -> bool:
        """True on large boards, unless a threat leaves few moves to look at."""
        if self.threats is None or position.over:
            return False
        return self.threats.selective(position.mine, position.theirs, position.free)

    def ordered(self, position: Position) -> bool:
        """True on larger boards: lines tell more than what was good in other positions."""
        return self.threats is not None

    def urgent(self, position: Position) -> bool:
        """Can a side win at once, or make two threats at once, and is more than one answer needed?"""
        if self.threats is None or position.over:
            return False
        return self.threats.urgent(position.mine, position.theirs)

    def _list(self, free: int, order: Sequence[Move], known: dict[int, tuple[Move, ...]]) -> Sequence[Move]:
        moves = tuple(cell for cell in order if free >> cell & 1)
        if self.max_plies <= CACHED_CELLS:
            known[free] = moves
        return moves

    def play(self, position: Position, move: Move) -> Position:
        """Put a stone of the side to move on a free cell."""
        mine, theirs, free, _ = position
        stone = 1 << move
        mine |= stone
        free ^= stone
        for mask in self._masks_through[move]:
            if mine & mask == mask and not (self.exact and mine & self._beyond_of[mask]):
                # The winner has as many stones as the other side if it moved second, else one more.
                over = 2 if mine.bit_count() == theirs.bit_count() else 1
                return tuple.__new__(Position, (theirs, mine, free, over))
        # A named tuple's own constructor is a call in Python: a search would spend a tenth of its time there.
        return tuple.__new__(Position, (theirs, mine, free, 0 if free else 3))

    def outcome(self, position: Position) -> Outcome | None:
        """Won by k in a row, drawn when the board is full, or None."""
        return self._outcomes[position.over]

    def can_win(self, position: Position, side: Side) -> bool:
        """Is there a line without a stone of the other side's?"""
        others = position.theirs if side == self.to_move(position) else position.mine
        return any(not others & mask for mask in self._masks) and super().can_win(position, side)

    def plies_left(self, position: Position) -> int:
        """As many as there are free cells."""
        return position.free.bit_count()

    def check(self, position: Position, move: Move) -> None:
        """As in the contract; a number that is no cell's is an `InvalidMove`."""
        if not 0 <= move < self.max_plies:
            raise InvalidMove(Sentence("game.move.no_number", number=str(move), last=self.max_plies - 1))
        if position.over:
            super().check(position, move)
        elif not position.free >> move & 1:
            raise IllegalMove(Sentence("game.move.taken", cell=self._names[move]))

    def evaluate(self, position: Position) -> int:
        """Each line that only one side can still fill counts for it, threefold for each further stone.

        A single line that lacks one stone is worth about half the limit, and no sum reaches it. On larger
        boards much the same: see `threats.py`.
        """
        mine, theirs, _, _ = position
        if self.threats is not None:
            return self.threats.evaluate(mine, theirs)
        balance: int = 0
        for mask in self._masks:
            own, other = mine & mask, theirs & mask
            if own and not other:
                balance += 3 ** (own.bit_count() - 1)
            elif other and not own:
                balance -= 3 ** (other.bit_count() - 1)
        size = abs(balance)
        estimate = 4800 * size // (size + self._one_short)
        return estimate if balance > 0 else -estimate

    def parse(self, position: Position, text: str) -> Move:
        """Read a cell such as `b2`: columns from a, rows from 1 at the bottom."""
        known = self._by_name.get(text)
        return read_cell(text, self._by_name, self.width, self.height, "b2") if known is None else known

    def format(self, position: Position, move: Move) -> str:
        """Write a cell as its column's letter and its row's number, `b2`."""
        return self._names[move]

    def view(self, position: Position, last: Move | None = None) -> BoardView:
        """The board with X for the first side and O for the second."""
        side = self.to_move(position)
        first, second = position[:2] if side == 0 else position[1::-1]
        width, count = self.width, self.max_plies
        board = characters(first, second, count, EMPTY, *MARKS)
        free = flags(0 if position.over else position.free, count)
        return BoardView(
            self._rows,
            self._columns,
            [board[at : at + width] for at in range(0, count, width)],
            self._marks,
            None if position.over else side,
            list(compress(self._names, free)),
            list(compress(self._cells, free)),
            last=[] if last is None else [last],
            line=self._winning_line(position),
            empty=EMPTY,
        )

    def place(self, setup: Setup) -> Position:
        """As many X as O, or one more; a row of the side that moved last ends the game."""
        first, second = stones_in_turn(setup, MARKS)
        mine, theirs = (second, first) if setup.side else (first, second)
        if self._has_row(mine):
            raise InvalidPosition(Sentence("position.over_before", mark=MARKS[setup.side]))
        free = self._initial.free & ~(mine | theirs)
        won = 1 + (1 - setup.side) if self._has_row(theirs) else 0 if free else 3
        return Position(mine, theirs, free, won)

    def _has_row(self, stones: int) -> bool:
        return any(
            stones & mask == mask and not stones & beyond
            for mask, beyond in zip(self._masks, self._beyond, strict=True)
        )

    def delta(self, before: Position, last: Move | None, move: Move, after: Position) -> BoardDelta:
        """One stone more in its row, and one legal move less."""
        mine, theirs, _, over = after
        width = self.width
        row = move // width
        mine, theirs = mine >> row * width & self._row, theirs >> row * width & self._row
        side = self.to_move(after)
        first, second = (theirs, mine) if side else (mine, theirs)
        cells = [[row, 1, row_of(first, second, width, EMPTY, *MARKS)]]
        if over:
            ends = {"to_move": None, "legal": [], "paths": [], "last": [move]}
            return BoardDelta({**ends, "line": self._winning_line(after)}, {"cells": cells})
        gone = [[(before.free & (1 << move) - 1).bit_count(), 1]]
        return BoardDelta({"to_move": side, "last": [move]}, {"cells": cells, "legal": gone, "paths": gone})

    def _winning_line(self, position: Position) -> list[Move]:
        """The first line that won, if the last move completed several."""
        if position.over in (1, 2):
            for line, mask, beyond in zip(self._lines, self._masks, self._beyond, strict=True):
                if position.theirs & mask == mask and not position.theirs & beyond:
                    return list(line)
        return []


def _lines(width: int, height: int, k: int) -> list[tuple[Move, ...]]:
    """Every run of k cells: across, down, and both diagonals, each from its upper or left end."""
    # With k = 1 every direction names the same cell.
    ways = [(0, 1), (1, 0), (1, 1), (1, -1)] if k > 1 else [(0, 1)]
    lines = []
    for down, right in ways:
        for row in range(height):
            for column in range(width):
                end_row, end_column = row + down * (k - 1), column + right * (k - 1)
                if end_row < height and 0 <= end_column < width:
                    start, step = row * width + column, down * width + right
                    lines.append(tuple(range(start, start + step * k, step)))
    return lines


def _masks(lines: Sequence[tuple[Move, ...]]) -> list[int]:
    """Each line as a bitboard.

    Those of one direction are one shape that is moved: players may ask for a large board, with 1,000 lines.
    """
    shapes: dict[Move, int] = {}
    masks = []
    for line in lines:
        step = line[1] - line[0] if len(line) > 1 else 0
        shape = shapes.get(step)
        if shape is None:
            shape = shapes[step] = sum(1 << cell - line[0] for cell in line)
        masks.append(shape << line[0])
    return masks


def _beyond(line: tuple[Move, ...], width: int, height: int) -> int:
    """The cells on the board that would make a line longer by one, as a bitboard."""
    (row, column), (next_row, next_column) = divmod(line[0], width), divmod(line[1], width)
    down, right = next_row - row, next_column - column
    ends = [(row - down, column - right), (row + down * len(line), column + right * len(line))]
    return sum(1 << y * width + x for y, x in ends if 0 <= y < height and 0 <= x < width)


def _rebuild(
    kind: type[MNK],
    width: int,
    height: int,
    k: int,
    exact: bool,
    name: str,
    title: str,
    summary: str,
    sample: str,
) -> MNK:
    return kind(width, height, k, exact=exact, name=name, title=title, summary=summary, sample=sample)


SMALL, ROW, LONG_ROW = 8, 4, 5
"""So many in a row win on boards up to this size, and on larger ones, where nobody says how many."""


class AnyMNK(MNK):
    """The game that has all sizes as its variants: `mnk:7,7,4`."""

    variants = Sentence("game.mnk.variants", least=LEAST, most=LARGEST)
    usual = ("5×5", "4×4", "7×7", "9×9")

    def variant(self, parameters: str) -> MNK:
        """Read `WIDTH,HEIGHT,K`; K may be left out, see `ROW`. Raises `ValueError`."""
        size = read_size(parameters)
        if not 2 <= len(size) <= 3:
            raise written(self.variants)
        longest = max(size[:2])
        width, height, k = (*size, min(longest, ROW if longest <= SMALL else LONG_ROW))[:3]
        if not (LEAST <= width <= LARGEST and LEAST <= height <= LARGEST):
            raise ValueError(bad_size(LEAST, LARGEST, width, height, "mnk:7,7,4"))
        if not LEAST <= k <= max(width, height):
            id_ = "game.mnk.k" if longest > LEAST else "game.mnk.one_k"
            raise ValueError(
                Sentence(id_, width=width, height=height, least=LEAST, most=longest, given=str(k))
            )
        if (width, height, k) == (self.width, self.height, self.k):
            return self
        return MNK(width, height, k)


TICTACTOE = MNK(3, 3, 3, name="tictactoe", title=Sentence("game.tictactoe.title"), sample="b2 b1 a2 b3 c3 c1")

ANY = AnyMNK(
    5,
    5,
    4,
    name="mnk",
    summary=Sentence("game.mnk.any"),
    sample="c3 c2 b3 c4 b4 e3",
)
