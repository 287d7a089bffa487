"""Connect Four: stones fall to the lowest free cell of their column, and four in a row wins.

Boards from 4x4 to 9x9. A position is two bitboards in which a column takes one bit more than it is high,
the lowest cell first: the bit between two columns stays empty, so that a line of set bits is a line on
the board. A move is its column's number, from 0 on the left; people count from 1.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from parlour_protocol.ids import Side
from parlour_protocol.views.boards import BoardView, Row
from parlour_protocol.words import Sentence
from parlour_server.games.delta import BoardDelta
from parlour_server.games.game import (
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
    quoted,
    read_size,
    stones_in_turn,
    written,
)

SMALLEST, LARGEST = 4, 9
_FOUR = Sentence("game.row.four")
MARKS = ("●", "○")
PIECES = [[mark] for mark in MARKS]
EMPTY = "·"

OPEN_LINE = 12
"""What a line of four cells that a side can still fill is worth in an estimate, in hundredths of a point."""

THREAT = 90
"""What an empty cell that completes four is worth."""

LASTING_THREAT = 110
"""And how much more in a row in which the other side will have to play below it: odd rows for the first
side, even ones for the second, as the columns fill up (on boards of an even height)."""

MOST = 4800
"""No estimate is higher."""


class Position(NamedTuple):
    """A position as bitboards. Turns need no field of their own: the stones tell whose it is."""

    mine: int
    """The stones of the side to move."""
    mask: int
    """All stones."""
    over: int = 0
    """0 while the game goes on, 1 and 2 where the first or second side has won, 3 for a draw."""


class ConnectFour(Game[Position]):
    """Connect Four on one size of board. Raises `ValueError` for sizes that can't be."""

    notation = re.compile(r"[0-9]")
    # 600 games, 9,568 positions, off by 2.5%.
    estimate_scale = 1.7
    variants = Sentence(
        "game.sizes.wide", game="connect4", least=SMALLEST, most=LARGEST, example="connect4:8,7"
    )
    usual = ("7×6", "6×5", "8×7", "9×7")

    def __init__(self, width: int = 7, height: int = 6) -> None:
        if not (SMALLEST <= width <= LARGEST and SMALLEST <= height <= LARGEST):
            raise ValueError(bad_size(SMALLEST, LARGEST, width, height, "connect4:8,7"))
        self.width, self.height = width, height
        usual = (width, height) == (7, 6)
        self.name = "connect4" if usual else f"connect4:{width},{height}"
        if usual:
            self.title = Sentence("game.connect4.title")
        else:
            self.title = Sentence("game.connect4.title_on", width=width, height=height)
        self.summary = Sentence("game.connect4.summary")
        self.sample = "4 2 2 4 3 6" if usual else ""
        self.max_plies = width * height
        # The twin of the usual size needs 64 bits; the other counts lines, on any size.
        self.kernel = f"parlour_server.search.kernels.{'connect4' if usual else 'mnk'}"
        self._stride = height + 1
        # Neighbours upward, down to the right, to the right, and up to the right.
        self._ways = (1, height, height + 1, height + 2)
        self._bottom = sum(1 << column * self._stride for column in range(width))
        self._top = self._bottom << height - 1
        self._board = self._bottom * ((1 << height) - 1)
        self._column = [((1 << height) - 1) << column * self._stride for column in range(width)]
        odd = sum(1 << row for row in range(0, height, 2)) * self._bottom
        self._lasting = (odd, self._board ^ odd) if height % 2 == 0 else (0, 0)
        # The middle first: more lines run through it. Of two columns as far out, the left one.
        self._middle_first = sorted(range(width), key=lambda column: abs(2 * column - width + 1))
        self._labels = [str(column + 1) for column in range(width)]
        self._no_labels = [""] * height

    def __reduce__(self) -> tuple[object, ...]:
        return ConnectFour, (self.width, self.height)

    def rules(self) -> Sequence[Rule]:
        """As in the contract."""
        middle = (self.width + 1) // 2
        return [
            Rule(
                Sentence("game.connect4.rule.drop", mark=MARKS[0]),
                f"{middle} {middle} {middle - 1}",
                f"{middle} {middle + 1}",
            ),
            Rule(Sentence("game.rule.row", row=_FOUR), "1 2 2 3 4 3 3 4 4 1 4"),
            Rule(Sentence("game.rule.gap"), "2 1 2 3 2", "2"),
            Rule(Sentence("game.connect4.rule.full"), "1 1 " * (self.height // 2) + "1 " * (self.height % 2)),
        ]

    def initial(self) -> Position:
        """The empty board."""
        return Position(0, 0)

    def to_move(self, position: Position) -> Side:
        """The side to move: the second where the number of stones is odd."""
        return 1 if position.mask.bit_count() & 1 else 0

    def legal_moves(self, position: Position) -> Sequence[Move]:
        """The columns that have room, from the left."""
        if position.over:
            return ()
        return [column for column, cells in enumerate(self._column) if cells & ~position.mask]

    def search_order(self, position: Position) -> Sequence[Move]:
        """The columns that have room, from the middle outward; a move that wins or that is forced, alone."""
        mine, mask, over = position
        if over:
            return ()
        playable = mask + self._bottom
        must = self.threats(mine, mask) & playable or self.threats(mine ^ mask, mask) & playable
        if must:
            # Of several wins one will do, and of several threats no more than one can be met.
            return [next(column for column in self._middle_first if self._column[column] & must)]
        return [column for column in self._middle_first if self._column[column] & ~position.mask]

    def play(self, position: Position, move: Move) -> Position:
        """Drop a stone of the side to move into a column with room."""
        mine, mask, _ = position
        # Adding a column's lowest bit carries up to its lowest free cell.
        stone = (mask + (1 << move * self._stride)) & self._column[move]
        if self._four(mine | stone):
            over = 2 if mask.bit_count() & 1 else 1
        else:
            over = 3 if mask | stone == self._board else 0
        return Position(mine ^ mask, mask | stone, over)

    def _four(self, stones: int) -> bool:
        for step in self._ways:
            pairs = stones & stones >> step
            if pairs & pairs >> 2 * step:
                return True
        return False

    def outcome(self, position: Position) -> Outcome | None:
        """Won by four in a row, drawn when the board is full, or None."""
        match position.over:
            case 0:
                return None
            case 3:
                return Outcome(None, FULL, "board_full")
            case _:
                return Outcome(0 if position.over == 1 else 1, _FOUR, "line")

    def variant(self, parameters: str) -> "ConnectFour":
        """Read `WIDTH,HEIGHT`. Raises `ValueError`."""
        size = read_size(parameters)
        if len(size) != 2:
            raise written(self.variants)
        width, height = size
        return self if (width, height) == (self.width, self.height) else ConnectFour(width, height)

    def check(self, position: Position, move: Move) -> None:
        """As in the contract; a number that is no column's is an `InvalidMove`."""
        if not 0 <= move < self.width:
            raise InvalidMove(Sentence("game.move.no_column", column=str(move + 1), last=self.width))
        if position.over:
            super().check(position, move)
        elif not self._column[move] & ~position.mask:
            raise IllegalMove(Sentence("game.move.full_column", column=move + 1))

    def evaluate(self, position: Position) -> int:
        """Lines that a side can still fill, and its threats: those count double that last to the end."""
        mine, mask, _ = position
        side = self.to_move(position)
        balance = self._prospects(mine, mask, side) - self._prospects(mine ^ mask, mask, 0 if side else 1)
        return max(-MOST, min(MOST, balance))

    def _prospects(self, stones: int, mask: int, side: Side) -> int:
        room = stones | self._board ^ mask
        lines = 0
        for step in self._ways:
            pairs = room & room >> step
            lines += (pairs & pairs >> 2 * step).bit_count()
        threats = self.threats(stones, mask)
        lasting = threats & self._lasting[side]
        return OPEN_LINE * lines + THREAT * threats.bit_count() + LASTING_THREAT * lasting.bit_count()

    def threats(self, stones: int, mask: int) -> int:
        """The empty cells that would complete four of these stones, within reach or not yet."""
        found = stones << 1 & stones << 2 & stones << 3
        for step in self._ways[1:]:
            pair = stones << step & stones << 2 * step
            found |= pair & (stones << 3 * step | stones >> step)
            pair = stones >> step & stones >> 2 * step
            found |= pair & (stones << step | stones >> 3 * step)
        return found & (self._board ^ mask)

    def urgent(self, position: Position) -> bool:
        """Can either side complete four with the next stone?"""
        mine, mask, _ = position
        threats = self.threats(mine, mask) | self.threats(mine ^ mask, mask)
        return threats & mask + self._bottom != 0

    def can_win(self, position: Position, side: Side) -> bool:
        """Is there a line of four without a stone of the other side's?"""
        mine, mask, _ = position
        others = mine ^ mask if side == self.to_move(position) else mine
        return self._four(self._board ^ others) and super().can_win(position, side)

    def plies_left(self, position: Position) -> int:
        """One for each free cell."""
        return self.max_plies - position.mask.bit_count()

    def parse(self, position: Position, text: str) -> Move:
        """Read a column's number, from 1 on the left."""
        text = text.strip()
        # Other scripts have digits too.
        if not re.fullmatch("[0-9]{1,3}", text):
            raise InvalidMove(Sentence("game.move.not_a_column", text=quoted(text), last=self.width))
        if not 1 <= int(text) <= self.width:
            raise InvalidMove(Sentence("game.move.no_column", column=str(int(text)), last=self.width))
        return int(text) - 1

    def format(self, position: Position, move: Move) -> str:
        """Write a column as its number, from 1 on the left."""
        return self._labels[move] if 0 <= move < self.width else str(move + 1)

    def view(self, position: Position, last: Move | None = None) -> BoardView:
        """The board from above down. A legal move's target is the cell in which its stone comes to rest."""
        mine, mask, over = position
        side = self.to_move(position)
        first = mine if side == 0 else mine ^ mask
        board = characters(first, mask ^ first, self.width * self._stride, EMPTY, *MARKS)
        rows: list[Row] = [board[row :: self._stride] for row in range(self.height - 1, -1, -1)]
        legal = self.legal_moves(position)
        return BoardView(
            self._no_labels,
            self._labels,
            rows,
            PIECES,
            None if over else side,
            [self._labels[column] for column in legal],
            [self._cell(column, self._fallen(mask, column)) for column in legal],
            last=[] if last is None else [self._cell(last, self._fallen(mask, last) - 1)],
            line=self._winning_line(position) if over else [],
            empty=EMPTY,
            layout="tray",
        )

    def place(self, setup: Setup) -> Position:
        """As many stones of the first side as of the other, or one more, none above a free cell."""
        places = {
            column * self._stride + self.height - 1 - row: row * self.width + column
            for row in range(self.height)
            for column in range(self.width)
        }
        pair = stones_in_turn(setup, MARKS, places)
        mask = pair[0] | pair[1]
        # A stone rests on the floor or on another one.
        if mask & ~(mask << 1 | self._bottom):
            raise InvalidPosition(Sentence("position.floats"))
        mine, theirs = pair[setup.side], pair[1 - setup.side]
        if self._four(mine):
            raise InvalidPosition(Sentence("position.over_before", mark=MARKS[setup.side]))
        won = 1 + (1 - setup.side) if self._four(theirs) else 3 if mask == self._board else 0
        return Position(mine, mask, won)

    def delta(self, before: Position, last: Move | None, move: Move, after: Position) -> BoardDelta:
        """One stone more in its row. Its column's move has another target, or is none any more."""
        mine, mask, over = after
        side = self.to_move(after)
        first = mine if side == 0 else mine ^ mask
        board = characters(first, mask ^ first, self.width * self._stride, EMPTY, *MARKS)
        row = self._fallen(mask, move) - 1
        cell = self._cell(move, row)
        cells = [[self.height - 1 - row, 1, board[row :: self._stride]]]
        if over:
            ends = {"to_move": None, "legal": [], "paths": [], "last": [cell]}
            return BoardDelta({**ends, "line": self._winning_line(after)}, {"cells": cells})
        sets = {"to_move": side, "last": [cell]}
        # Of the columns to the left only those with room count among the moves.
        place = (~before.mask & self._top & (1 << move * self._stride) - 1).bit_count()
        if row + 1 == self.height:
            gone = [[place, 1]]
            return BoardDelta(sets, {"cells": cells, "legal": gone, "paths": gone})
        return BoardDelta(sets, {"cells": cells, "paths": [[place, 1, cell - self.width]]})

    def _fallen(self, mask: int, column: int) -> int:
        """How many stones lie in a column."""
        return (mask & self._column[column]).bit_count()

    def _cell(self, column: int, row: int) -> int:
        """A cell's number in a view, for a row counted from the bottom."""
        return (self.height - 1 - row) * self.width + column

    def _winning_line(self, position: Position) -> list[int]:
        """The first line that won, if the last move completed several, from its lower or left end."""
        stones = position.mine ^ position.mask
        for step in self._ways:
            pairs = stones & stones >> step
            starts = pairs & pairs >> 2 * step
            if starts:
                start = (starts & -starts).bit_length() - 1
                return [self._cell(*divmod(start + i * step, self._stride)) for i in range(4)]
        return []


CONNECT_FOUR = ConnectFour()
