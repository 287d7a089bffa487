"""Reversi: discs between the one just put down and another of its side are flipped; more discs win.

A position is two bitboards. The cell in row r and column c, counted from the top left, is bit 8r + c, and a
move is the number of its cell, or `PASS`. A smaller board lies in the middle of the 8x8 one, so that
every size shares rules, moves and masks. A side that can't flip anything passes, and that is a move of
its own; where neither side can, the game is over.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import compress
from typing import Any, NamedTuple

from parlour_protocol.ids import Side
from parlour_protocol.views.boards import BoardView, Count
from parlour_protocol.words import Sentence
from parlour_server.games.delta import BoardDelta
from parlour_server.games.game import (
    Game,
    IllegalMove,
    InvalidMove,
    Move,
    Outcome,
    Rule,
    Setup,
    characters,
    flags,
    quoted,
    read_size,
    row_of,
    stones_of,
    written,
)
from parlour_server.games.reversi_estimate import Estimate, set_of

SIZES = (6, 8)
PASS = 64
MARKS = ("●", "○")
FLIPPED = {8: ("f5 f4 e3 d6 c5", "d4 d5 e5"), 6: ("e4 e3 d2 c5 b4", "c3 c4 d4")}
"""By size: moves of which the last one flips discs in two directions, and those discs."""
PASSED = {8: "c4 c3 f5 b4 a4 a5 c2 a3 pass", 6: "d5 e3 f2 f3 e2 e1 b2 f1 pass"}
"""By size: moves that leave a side without one."""
PIECES = [[mark] for mark in MARKS]
EMPTY = "·"

MIDDLE_COLUMNS = 0x7E7E7E7E7E7E7E7E
"""Columns b to g: a run of discs that goes on across the side of the board must pass through none."""

WAYS = ((1, MIDDLE_COLUMNS), (8, -1), (7, MIDDLE_COLUMNS), (9, MIDDLE_COLUMNS))
"""Across, down, and both diagonals: by how many bits, and the cells where a run may go on."""

QUADRANTS = (0x000000000F0F0F0F, 0x00000000F0F0F0F0, 0x0F0F0F0F00000000, 0xF0F0F0F000000000)

ENDING = 16
"""With this number of empty cells or fewer, moves are tried in the order of how few replies they leave."""


class Position(NamedTuple):
    """A position as bitboards."""

    mine: int
    """The discs of the side to move."""
    theirs: int
    side: Side
    playable: int
    """The cells where the side to move can play; none where it must pass, or the game is over."""


CHANCES = {8: 7.1, 6: 3.7}
"""`estimate_scale` by size. 600 games each: 24,388 positions, off by 3.3%; 7,458 positions, off by 4.5%."""


class Reversi(Game[Position]):
    """Reversi on a board of 6x6 or 8x8. Raises `ValueError` for other sizes."""

    notation = re.compile(r"[a-z][0-9]{1,2}|pass|pa|--", re.IGNORECASE)
    margins = True
    variants = Sentence("game.sizes.some", game="reversi", sizes="6, 8", example="reversi:6")
    usual = ("8×8", "6×6")
    kernel = "parlour_server.search.kernels.reversi"

    def __init__(self, size: int = 8) -> None:
        if size not in SIZES:
            raise ValueError(f"reversi is played on a board of 6x6 or 8x8, not {size}x{size}")
        self.size = size
        self.estimate_scale = CHANCES[size]
        self.name = "reversi" if size == 8 else f"reversi:{size}"
        usual = size == 8
        self.title = Sentence("game.reversi.title") if usual else Sentence("game.reversi.title_on", size=size)
        self.summary = Sentence("game.reversi.summary")
        self.sample = "d3 c3 f5 e3 e2 f2" if size == 8 else ""
        # A pass never follows a pass.
        self.max_plies = 2 * (size * size - 4)
        first = (8 - size) // 2
        span = range(first, first + size)
        self.cells = [8 * row + column for row in span for column in span]
        self.board = set_of(self.cells)
        self._row = (1 << size) - 1
        self.estimate = Estimate(self.cells, size)
        self._targets = {cell: number for number, cell in enumerate(self.cells)}
        self._rows = [str(row + 1) for row in range(size)]
        self._columns = [chr(ord("a") + column) for column in range(size)]
        self._names = {
            cell: self._columns[number % size] + self._rows[number // size]
            for cell, number in self._targets.items()
        } | {PASS: "pass"}
        self._cell_names = [self._names.get(cell, "") for cell in range(64)]
        self._cell_targets = [self._targets.get(cell, -1) for cell in range(64)]
        self._by_name = {name: cell for cell, name in self._names.items()}
        black, white = 1 << 28 | 1 << 35, 1 << 27 | 1 << 36
        self._initial = Position(black, white, 0, self.reach(black, white))

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the size alone: the rest follows from it."""
        return Reversi, (self.size,)

    def rules(self) -> Sequence[Rule]:
        """As in the contract."""
        begins = self.view(self._initial)
        return [
            Rule(Sentence("game.reversi.rule.enclose", mark=MARKS[0]), "", " ".join(begins.legal)),
            Rule(Sentence("game.reversi.rule.flip"), *FLIPPED[self.size]),
            Rule(Sentence("game.reversi.rule.pass", mark=MARKS[0]), PASSED[self.size]),
            Rule(Sentence("game.reversi.rule.end")),
        ]

    def initial(self) -> Position:
        """Two discs of each side crosswise in the middle."""
        return self._initial

    def to_move(self, position: Position) -> Side:
        """The side to move, even if only to pass."""
        return position.side

    def legal_moves(self, position: Position) -> Sequence[Move]:
        """The cells that flip something, row by row from the top left; else a pass; none at the end."""
        if position.playable:
            return tuple(compress(range(64), flags(position.playable, 64)))
        return (PASS,) if self._other_can_play(position) else ()

    def play(self, position: Position, move: Move) -> Position:
        """Put a disc down and flip what it encloses, or pass."""
        mine, theirs, side, _ = position
        if move != PASS:
            flipped = flips(move, mine, theirs)
            mine, theirs = mine | flipped | 1 << move, theirs ^ flipped
        # A named tuple's own constructor is a call in Python, which a search would wait for.
        return tuple.__new__(Position, (theirs, mine, 0 if side else 1, self.reach(theirs, mine)))

    def outcome(self, position: Position) -> Outcome | None:
        """Won by more discs when neither side can move, drawn where they are equal, or None."""
        if position.playable or self._other_can_play(position):
            return None
        mine, theirs = position.mine.bit_count(), position.theirs.bit_count()
        reason = _reason(mine, theirs, mine + theirs == self.size**2)
        if mine == theirs:
            return Outcome(None, reason, "count")
        winner: Side = position.side if mine > theirs else 0 if position.side else 1
        return Outcome(winner, reason, "count")

    def margin(self, position: Position) -> int:
        """The difference of the discs."""
        return abs(position.mine.bit_count() - position.theirs.bit_count())

    def plies_left(self, position: Position) -> int:
        """As many as there are empty cells: passes don't count, and a search takes no depth for them."""
        return self._empty(position).bit_count()

    def reach(self, mine: int, theirs: int) -> int:
        """The cells where the first of two sets of discs can play."""
        found = 0
        for shift, inner in WAYS:
            between = theirs & inner
            up, down = between & mine << shift, between & mine >> shift
            up |= between & up << shift
            down |= between & down >> shift
            # Two cells at a time: six discs between two others are the most.
            pairs = between & between << shift
            up |= pairs & up << 2 * shift
            up |= pairs & up << 2 * shift
            pairs >>= shift
            down |= pairs & down >> 2 * shift
            down |= pairs & down >> 2 * shift
            found |= up << shift | down >> shift
        return found & self.board & ~(mine | theirs)

    def _other_can_play(self, position: Position) -> bool:
        return self.reach(position.theirs, position.mine) != 0

    def _empty(self, position: Position) -> int:
        return self.board & ~(position.mine | position.theirs)

    def variant(self, parameters: str) -> "Reversi":
        """Read a size, 6 or 8. Raises `ValueError`."""
        for size in SIZES:
            if read_size(parameters) == [size, size]:
                return REVERSI if size == REVERSI.size else Reversi(size)
        raise written(self.variants)

    # ------------------------------------------------------------ for searches

    def search_order(self, position: Position) -> Sequence[Move]:
        """Corners first, cells beside an empty corner last; near the end those that leave few replies."""
        playable = position.playable
        if not playable:
            return self.legal_moves(position)
        empty = self._empty(position)
        corners = playable & self.estimate.corners
        diagonal = playable & self.estimate.beside_diagonal(empty)
        beside = playable & self.estimate.beside(empty) & ~diagonal
        rest = playable & ~(corners | diagonal | beside)
        order = (*_bits(corners), *_bits(rest), *_bits(beside), *_bits(diagonal))
        if not self.ordered(position):
            return order
        return sorted(order, key=lambda move: self._replies(position, move, empty))

    def ordered(self, position: Position) -> bool:
        """Near the end, where what one can still do matters most."""
        return position.playable != 0 and self.plies_left(position) <= ENDING

    def _replies(self, position: Position, move: Move, empty: int) -> int:
        """How much the other side can do after a move; less in an odd region, to move last there."""
        flipped = flips(move, position.mine, position.theirs)
        replies = self.reach(position.theirs ^ flipped, position.mine | flipped | 1 << move)
        corners = replies & self.estimate.corners
        odd = sum((empty & quadrant).bit_count() & 1 for quadrant in QUADRANTS if quadrant >> move & 1)
        return 2 * (replies.bit_count() + corners.bit_count()) - odd

    def evaluate(self, position: Position) -> int:
        """The discs by which the side to move can be expected to win, times a hundred."""
        return self.estimate.evaluate(self.features(position), self.plies_left(position))

    def features(self, position: Position) -> tuple[int, ...]:
        """What an estimate is made of, as `Estimate.features` lists it."""
        mine, theirs, _, playable = position
        return self.estimate.features(mine, theirs, playable, self.reach(theirs, mine))

    # ------------------------------------------------------------ for people

    def check(self, position: Position, move: Move) -> None:
        """As in the contract; a number that is no cell's and no pass is an `InvalidMove`."""
        if move not in self._names:
            raise InvalidMove(Sentence("game.reversi.no_cell", number=str(move), passing=PASS))
        if position.playable >> move & 1:
            return
        legal = self.legal_moves(position)
        if not legal:
            super().check(position, move)
        if move == PASS and position.playable:
            raise IllegalMove(Sentence("game.reversi.no_pass"))
        if move != PASS and not position.playable:
            raise IllegalMove(_must_pass(position.side))
        if move != PASS and (position.mine | position.theirs) >> move & 1:
            raise IllegalMove(Sentence("game.move.taken", cell=self._names[move]))
        if move != PASS:
            raise IllegalMove(Sentence("game.reversi.flips_none", cell=self._names[move]))

    def parse(self, position: Position, text: str) -> Move:
        """Read a cell such as `d3`, columns from a, rows from 1 at the top; or `pass`, `pa`, `--`."""
        text = text.strip().lower()
        if text in self._by_name:
            return self._by_name[text]
        if text in ("pa", "--"):
            return PASS
        if self.notation.fullmatch(text) is None or not text.isascii():
            raise InvalidMove(Sentence("game.reversi.not_a_move", text=quoted(text), example="d3"))
        last = self._columns[-1]
        raise InvalidMove(Sentence("game.move.off_board", cell=text, column=last, row=self.size))

    def format(self, position: Position, move: Move) -> str:
        """Write a cell as its column's letter and its row's number, `d3`; or `pass`."""
        return self._names[move]

    def view(self, position: Position, last: Move | None = None) -> BoardView:
        """The board with ● for the first side and ○ for the second, and a note on who passes."""
        black, white = position[1::-1] if position.side else position[:2]
        board = characters(black, white, 64, EMPTY, *MARKS)
        cells: list[str | list[str]] = [
            board[start : start + self.size] for start in self.cells[:: self.size]
        ]
        return BoardView(self._rows, self._columns, cells, PIECES, empty=EMPTY, **self._shown(position, last))

    def as_rows(self, text: str) -> str:
        """The board of a game in GGF: `BO[8 -------- ... ---O*--- ... *]`, also without what is around it."""
        said = _GGF.fullmatch(text.upper())
        return f"{'/'.join(said[1].split())} {said[2]}".replace("*", "x") if said else text

    def place(self, setup: Setup) -> Position:
        """Any discs, with either side to move."""
        pair = stones_of(setup, MARKS, self._targets)
        mine, theirs = pair[setup.side], pair[1 - setup.side]
        return Position(mine, theirs, setup.side, self.reach(mine, theirs))

    def delta(self, before: Position, last: Move | None, move: Move, after: Position) -> BoardDelta:
        """All but the board's labels: a move flips discs in a few rows, and leaves other moves."""
        sets = self._shown(after, move)
        first, second = after[1::-1] if after.side else after[:2]
        # The side that has moved is the other one now, so that whose discs were whose turns round.
        flipped = before.mine ^ after.theirs | before.theirs ^ after.mine
        cells = []
        for row, shift in enumerate(self.cells[:: self.size]):
            if flipped >> shift & self._row:
                discs = first >> shift & self._row, second >> shift & self._row
                cells.append([row, 1, row_of(*discs, self.size, EMPTY, *MARKS)])
        # Where a side had just passed, or had to, there was a note before.
        if sets["note"] is None and PASS not in (last, move):
            del sets["note"], sets["note_said"]
        return BoardDelta(sets, {"cells": cells} if cells else {})

    def _shown(self, position: Position, last: Move | None) -> dict[str, Any]:
        """The parts of the board's view that moves change."""
        mine, theirs, side, playable = position
        black, white = (theirs, mine) if side else (mine, theirs)
        must_pass = not playable and self._other_can_play(position)
        note = None
        if must_pass:
            note = _must_pass(side)
        elif last == PASS:
            note = Sentence("game.reversi.passed", mark=MARKS[1 - side])
        free = flags(playable, 64)
        return {
            "to_move": side if playable or must_pass else None,
            "legal": ["pass"] if must_pass else list(compress(self._cell_names, free)),
            "paths": [-1] if must_pass else list(compress(self._cell_targets, free)),
            "last": [] if last is None or last == PASS else [self._targets[last]],
            "note": note,
            "note_said": None if note is None else note.said,
            "counts": [Count("discs", [black.bit_count(), white.bit_count()])],
        }


def flips(cell: Move, mine: int, theirs: int) -> int:
    """The discs of theirs that a disc of mine, put on this cell, encloses."""
    disc = 1 << cell
    found = 0
    for shift, inner in WAYS:
        between = theirs & inner
        if up := between & disc << shift:
            for _ in range(5):
                up |= between & up << shift
            if mine & up << shift:
                found |= up
        if down := between & disc >> shift:
            for _ in range(5):
                down |= between & down >> shift
            if mine & down >> shift:
                found |= down
    return found


@lru_cache(maxsize=8192)
def _reason(mine: int, theirs: int, full: bool) -> Sentence:
    """Why a game is over. A search ends many: the same words are made once."""
    early = "" if full else "_early"
    if mine == theirs:
        return Sentence(f"game.reversi.drawn{early}", each=mine)
    return Sentence(f"game.reversi.won{early}", more=max(mine, theirs), less=min(mine, theirs))


def _must_pass(side: Side) -> Sentence:
    return Sentence("game.reversi.must_pass", mark=MARKS[side])


def _bits(cells: int) -> Iterator[int]:
    """The numbers of the bits that are set, from the lowest."""
    while cells:
        lowest = cells & -cells
        yield lowest.bit_length() - 1
        cells ^= lowest


_GGF = re.compile(r"(?:BO\[\s*)?[0-9]+\s(.+)\s([*O])\s*\]?;?")

REVERSI = Reversi()
