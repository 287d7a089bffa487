"""Ultimate tic-tac-toe: nine small boards make a large one; three of them in a row win.

Where in its small board a stone is put says in which small board the answer has to be: a side that is sent
to a finished one, won or full, chooses freely.

Small boards are numbered row by row from the top left, and so are the cells in each. A move is nine
times its board plus its cell, and bit number `move` of a position's stones.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from parlour_protocol.ids import Side
from parlour_protocol.views.boards import BoardView, Count, Groups, Row
from parlour_protocol.words import Sentence
from parlour_server.games.delta import BoardDelta
from parlour_server.games.game import (
    CELL,
    Extra,
    Game,
    IllegalMove,
    InvalidMove,
    InvalidPosition,
    Move,
    Outcome,
    Rule,
    Setup,
    characters,
    read_cell,
    stones_in_turn,
)

FULL = 0b111_111_111
"""Nine cells, or nine boards, as bits."""

ANY = 9
"""Where a board's number is asked for: any that is not finished."""

THREES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
_BOARDS = [f"{row}_{column}" for row in ("top", "middle", "bottom") for column in ("left", "middle", "right")]
PLACES = [Sentence(f"game.ultimate.place.{board}") for board in _BOARDS]
_THREE_BOARDS = Sentence("game.reason.boards")
MARKS = ("X", "O")
WON = "a9 b7 d3 c7 h2 f4 g3 a7 b3 e7 e3 d9 f3 g7 c3 i7 i1 a6 a3"
"""A game in which the first side wins three small boards in a row."""
CLOSED = "i2 i4 i3 i7 i1"
"""Moves of which the last one wins the board that it leads to."""
EMPTY = "."
DRAWN = "="

CERTAIN = 4096
"""The chance to win a small board that is won already."""

EVEN = 1 << 36
"""The advantage, as a sum of products of three chances, that is worth half the limit of an estimate."""

TEMPO = 1 << 30
"""The advantage of being the one to move."""

FREEDOM = 1 << 34
"""The further advantage of being free to choose the board."""


class Position(NamedTuple):
    """A position as bits. Turns need no field of their own: the stones tell whose it is."""

    mine: int
    """The stones of the side to move: 81 bits."""
    theirs: int
    my_boards: int
    """The small boards that the side to move has won: nine bits."""
    their_boards: int
    finished: int
    """The small boards that are won or full."""
    board: int
    """In which small board to play: its number, or `ANY`."""
    over: int = 0
    """0 while the game goes on, 1 and 2 where the first or second side has won, 3 for a draw."""


class Ultimate(Game[Position]):
    """Ultimate tic-tac-toe, with a free choice for a side that is sent to a finished board."""

    name = "ultimate"
    title = Sentence("game.ultimate.title")
    summary = Sentence("game.ultimate.summary")
    sample = "e5 e4 d3 c7 g2 b6"
    max_plies = 81
    # 600 games, 22,071 positions, off by 3.8%.
    estimate_scale = 16.0
    kernel = "parlour_server.search.kernels.ultimate"
    notation = CELL

    def rules(self) -> Sequence[Rule]:
        """As in the contract."""
        return [
            Rule(Sentence("game.ultimate.rule.rows", mark=MARKS[0]), WON),
            Rule(Sentence("game.ultimate.rule.sent", mark=MARKS[0]), "f6", "f6"),
            Rule(Sentence("game.ultimate.rule.closed"), CLOSED),
            Rule(Sentence("game.ultimate.rule.draw")),
        ]

    def initial(self) -> Position:
        """The empty board: the first move may go anywhere."""
        return Position(0, 0, 0, 0, 0, ANY)

    def to_move(self, position: Position) -> Side:
        """The side to move: the second where the number of stones is odd."""
        return 1 if (position.mine | position.theirs).bit_count() & 1 else 0

    def legal_moves(self, position: Position) -> Sequence[Move]:
        """The free cells of the board to play in; where that is any, of one board after the other."""
        if position.over:
            return ()
        taken = position.mine | position.theirs
        if position.board != ANY:
            return _cells(position.board, taken >> 9 * position.board & FULL)
        boards = [board for board in range(9) if not position.finished >> board & 1]
        return tuple(move for board in boards for move in _cells(board, taken >> 9 * board & FULL))

    def play(self, position: Position, move: Move) -> Position:
        """Put a stone of the side to move on a free cell."""
        mine, theirs, my_boards, their_boards, finished, _, _ = position
        board, cell = divmod(move, 9)
        mine |= 1 << move
        stones = mine >> 9 * board & FULL
        over = 0
        if WINS[stones]:
            my_boards |= 1 << board
            finished |= 1 << board
            if WINS[my_boards]:
                over = 2 if (mine | theirs).bit_count() % 2 == 0 else 1
        elif stones | theirs >> 9 * board & FULL == FULL:
            finished |= 1 << board
        if finished == FULL and not over:
            over = 3
        sent = ANY if finished >> cell & 1 else cell
        # A named tuple's own constructor is a call in Python, which a search would wait for.
        return tuple.__new__(Position, (theirs, mine, their_boards, my_boards, finished, sent, over))

    def outcome(self, position: Position) -> Outcome | None:
        """Won by three small boards in a row, drawn when no board is left to play in, or None."""
        return OUTCOMES[position.over]

    def plies_left(self, position: Position) -> int:
        """As many as there are free cells in unfinished boards."""
        taken = position.mine | position.theirs
        for board in range(9):
            if position.finished >> board & 1:
                taken |= FULL << 9 * board
        return 81 - taken.bit_count()

    # ------------------------------------------------------------ for searches

    def search_order(self, position: Position) -> Sequence[Move]:
        """Wins of small boards first, then other moves, last those that let the answer go anywhere.

        Where a move wins the game, it alone. Moves that let the other side win it at once are left out;
        where all do, the first one stands for them.
        """
        mine, theirs, my_boards, their_boards, finished, board, over = position
        if over:
            return ()
        boards = [board] if board != ANY else [one for one in range(9) if not finished >> one & 1]
        win = _winning_move(mine, theirs, COMPLETING[my_boards], boards)
        if win >= 0:
            return (win,)
        lost = 0
        """The boards where the other side, sent there, wins the game."""
        for one in range(9):
            if (COMPLETING[their_boards] & ~finished) >> one & 1 and _winning_cells(theirs, mine, one):
                lost |= 1 << one
        wins: list[Move] = []
        others: list[Move] = []
        generous: list[Move] = []
        for one in boards:
            # A move in the very board where they would win may change that: it is tried.
            elsewhere = lost & ~(1 << one)
            losing = elsewhere | finished if elsewhere else 0
            winning = _winning_cells(mine, theirs, one)
            for move in _cells(one, (mine | theirs) >> 9 * one & FULL):
                cell = 1 << move - 9 * one
                if losing & cell:
                    continue
                (wins if winning & cell else generous if finished & cell else others).append(move)
        found = wins + others + generous
        return found or self.legal_moves(position)[:1]

    def urgent(self, position: Position) -> bool:
        """Can the side to move win the game at once?"""
        mine, theirs, my_boards, _, finished, board, _ = position
        decisive = COMPLETING[my_boards] & ~finished
        if not decisive:
            return False
        boards = range(9) if board == ANY else [board]
        return _winning_move(mine, theirs, decisive, boards) >= 0

    def evaluate(self, position: Position) -> int:
        """Each line of three small boards counts for a side as much as its chance to win all of them.

        A chance is `chance`'s, as if both sides put stones at random. Being to move counts a little, being
        free to choose where counts more.
        """
        mine, theirs = position.mine, position.theirs
        pairs = [(mine >> 9 * board & FULL, theirs >> 9 * board & FULL) for board in range(9)]
        ours = [chance(one, other) for one, other in pairs]
        others = [chance(other, one) for one, other in pairs]
        balance = TEMPO + (FREEDOM if position.board == ANY else 0)
        for a, b, c in THREES:
            balance += ours[a] * ours[b] * ours[c] - others[a] * others[b] * others[c]
        size = abs(balance)
        estimate = 4800 * size // (size + EVEN)
        return estimate if balance > 0 else -estimate

    # ------------------------------------------------------------ for people

    def check(self, position: Position, move: Move) -> None:
        """As in the contract; a number that is no cell's is an `InvalidMove`."""
        if not 0 <= move < 81:
            raise InvalidMove(Sentence("game.move.no_number", number=str(move), last=80))
        if position.over:
            super().check(position, move)
        board, name = move // 9, NAMES[move]
        if position.board not in (ANY, board):
            into = _INTO[position.board]["note"]
            raise IllegalMove(Sentence("game.ultimate.elsewhere", cell=name, into=into))
        if position.finished >> board & 1:
            won = (position.my_boards | position.their_boards) >> board & 1
            id_ = "game.ultimate.won" if won else "game.ultimate.full"
            raise IllegalMove(Sentence(id_, cell=name, place=PLACES[board]))
        if (position.mine | position.theirs) >> move & 1:
            raise IllegalMove(Sentence("game.move.taken", cell=name))

    def parse(self, position: Position, text: str) -> Move:
        """Read a cell such as `e5`: columns a to i, rows from 1 at the bottom."""
        return read_cell(text, BY_NAME, 9, 9, "e5")

    def format(self, position: Position, move: Move) -> str:
        """Write a cell as its column's letter and its row's number, `e5`."""
        return NAMES[move]

    def view(self, position: Position, last: Move | None = None) -> BoardView:
        """The whole grid; a small board that is won is filled with its winner's marks."""
        side = self.to_move(position)
        return BoardView(
            ROWS,
            COLUMNS,
            cells=[row for band in range(3) for row in _band(position, side, band)],
            marks=PIECES,
            line=_winning_line(position),
            empty=EMPTY,
            groups=Groups(3, 3, _owners(position, side), _active(position)),
            counts=_counts(position, side),
            **self._next_move(position, last),
        )

    def extras(self) -> Sequence[Extra]:
        """In which small board to play, from 1, or 0: any."""
        return [Extra(Sentence("position.extra.board"), 9)]

    def setup(self, position: Position) -> Setup:
        """With the marks in a small board that is won."""
        texts = [EMPTY] * 81
        side = self.to_move(position)
        for stones, mark in ((position.mine, MARKS[side]), (position.theirs, MARKS[1 - side])):
            for move in range(81):
                if stones >> move & 1:
                    texts[CELLS[move]] = mark
        return Setup(tuple(texts), side, (0 if position.board == ANY else position.board + 1,))

    def place(self, setup: Setup) -> Position:
        """As many X as O, or one more; no small board that both have won."""
        pair = stones_in_turn(setup, MARKS, dict(enumerate(CELLS)))
        won = [sum(1 << board for board in range(9) if WINS[one >> 9 * board & FULL]) for one in pair]
        both = won[0] & won[1]
        if both:
            place = PLACES[both.bit_length() - 1]
            raise InvalidPosition(Sentence("position.ultimate.both", place=place))
        taken = pair[0] | pair[1]
        full = sum(1 << board for board in range(9) if taken >> 9 * board & FULL == FULL)
        finished, (mine, theirs) = won[0] | won[1] | full, (setup.side, 1 - setup.side)
        if WINS[won[mine]]:
            raise InvalidPosition(Sentence("position.over_before", mark=MARKS[mine]))
        over = 1 + theirs if WINS[won[theirs]] else 3 if finished == FULL else 0
        into = setup.extras[0] - 1
        if into >= 0 and finished >> into & 1 and not over:
            raise InvalidPosition(Sentence("position.ultimate.into"))
        board = ANY if into < 0 else into
        return Position(pair[mine], pair[theirs], won[mine], won[theirs], finished, board, over)

    def delta(self, before: Position, last: Move | None, move: Move, after: Position) -> BoardDelta:
        """The rows of the board that was played in, and where to play next."""
        side, band = self.to_move(after), move // 27
        sets = {**self._next_move(after, move), "groups.active": _active(after)}
        if after.over:
            sets["line"] = _winning_line(after)
        if after.finished != before.finished:
            sets["groups.owners"], sets["counts"] = _owners(after, side), _counts(after, side)
        return BoardDelta(sets, {"cells": [[3 * band, 3, *_band(after, side, band)]]})

    def _next_move(self, position: Position, last: Move | None) -> dict[str, Any]:
        """The parts of a view that say which side is to move, and where."""
        moves = self.legal_moves(position)
        return {
            "to_move": None if position.over else self.to_move(position),
            "legal": [NAMES[move] for move in moves],
            "paths": [CELLS[move] for move in moves],
            "last": [] if last is None else [CELLS[last]],
            **(_OVER if position.over else _where_to_play(position, last)),
        }


def _band(position: Position, side: Side, band: int) -> list[Row]:
    """Three rows: those of three small boards; one that is won is filled with its winner's marks."""
    mine, theirs, my_boards, their_boards, *_ = position
    for board in range(3 * band, 3 * band + 3):
        whole = FULL << 9 * board
        if my_boards >> board & 1:
            mine, theirs = mine | whole, theirs & ~whole
        elif their_boards >> board & 1:
            mine, theirs = mine & ~whole, theirs | whole
    three = (1 << 27) - 1
    mine, theirs = mine >> 27 * band & three, theirs >> 27 * band & three
    shown = characters(mine, theirs, 27, EMPTY, MARKS[side], MARKS[1 - side])
    # Nine characters are a small board, and three of them a row of it.
    return [shown[at : at + 3] + shown[at + 9 : at + 12] + shown[at + 18 : at + 21] for at in (0, 3, 6)]


def _counts(position: Position, side: Side) -> list[Count]:
    won = position.my_boards.bit_count(), position.their_boards.bit_count()
    return [Count("boards", [won[side], won[1 - side]])]


def _owners(position: Position, side: Side) -> list[Row]:
    """The winner of each small board, as a mark; `DRAWN` for a full one, `EMPTY` for one in play."""
    won = position.my_boards | position.their_boards
    owners = characters(position.my_boards, position.their_boards, 9, EMPTY, MARKS[side], MARKS[1 - side])
    if position.finished != won:
        owners = "".join([DRAWN if position.finished & ~won & 1 << at else owners[at] for at in range(9)])
    return [owners[:3], owners[3:6], owners[6:]]


def _active(position: Position) -> list[int]:
    """The small boards in which the next move may be made."""
    if position.over:
        return []
    if position.board != ANY:
        return [position.board]
    return [board for board in range(9) if not position.finished >> board & 1]


def _where_to_play(position: Position, last: Move | None) -> dict[str, Any]:
    """The parts of a view that say so to people."""
    if position.board != ANY:
        return _INTO[position.board]
    return _ANYWHERE if last is None else _FINISHED[last % 9]


def _winning_line(position: Position) -> list[int]:
    """The cells of the first three small boards that won in a row."""
    if position.over in (1, 2):
        for three in THREES:
            if all(position.their_boards >> board & 1 for board in three):
                return [CELLS[9 * board + cell] for board in three for cell in range(9)]
    return []


# ---------------------------------------------------------------- small boards


@cache
def _cells(board: int, taken: int) -> tuple[Move, ...]:
    """The moves in a small board of which these cells are taken."""
    return tuple(9 * board + cell for cell in range(9) if not taken >> cell & 1)


def _winning_cells(mine: int, theirs: int, board: int) -> int:
    """The free cells of a small board that complete three of mine."""
    return COMPLETING[mine >> 9 * board & FULL] & ~(theirs >> 9 * board)


def _winning_move(mine: int, theirs: int, decisive: int, boards: Sequence[int]) -> Move:
    """The first move that wins one of the decisive boards among these; -1 where none does."""
    for board in boards:
        if decisive >> board & 1:
            winning = _winning_cells(mine, theirs, board)
            if winning:
                return 9 * board + (winning & -winning).bit_length() - 1
    return -1


@cache
def chance(mine: int, theirs: int) -> int:
    """How often, of `CERTAIN` times, stones put at random by either side win a small board for me.

    Each stone is as likely to be mine as theirs, in any free cell. The quotients are rounded down.
    """
    if WINS[mine]:
        return CERTAIN
    free = FULL & ~(mine | theirs)
    if WINS[theirs] or not free:
        return 0
    total = 0
    for cell in range(9):
        if free >> cell & 1:
            total += chance(mine | 1 << cell, theirs) + chance(mine, theirs | 1 << cell)
    return total // (2 * free.bit_count())


def _completing(stones: int) -> int:
    """The cells without a stone that would make three in a row."""
    found = 0
    for three in THREES:
        lacking = [cell for cell in three if not stones >> cell & 1]
        if len(lacking) == 1:
            found |= 1 << lacking[0]
    return found


WINS = [any(all(stones >> cell & 1 for cell in three) for three in THREES) for stones in range(512)]
"""Are there three in a row among these nine cells, or boards?"""

COMPLETING = [_completing(stones) for stones in range(512)]

CELLS = [
    (3 * (board // 3) + cell // 3) * 9 + 3 * (board % 3) + cell % 3 for board in range(9) for cell in range(9)
]
"""Each move's cell in a view, which counts over the whole grid."""

ROWS = list("987654321")
COLUMNS = list("abcdefghi")
PIECES = [[mark] for mark in MARKS]
NAMES = [f"{'abcdefghi'[cell % 9]}{9 - cell // 9}" for cell in CELLS]


def _note(sentence: Sentence) -> dict[str, Any]:
    return {"note": sentence, "note_said": sentence.said}


# Made once: nearly every move shows one.
_INTO = [_note(Sentence(f"game.ultimate.into.{board}")) for board in _BOARDS]
_FINISHED = [_note(Sentence(f"game.ultimate.finished.{board}")) for board in _BOARDS]
_ANYWHERE = _note(Sentence("game.ultimate.anywhere"))
_OVER = {"note": None, "note_said": None}
BY_NAME = {name: move for move, name in enumerate(NAMES)}
OUTCOMES = (
    None,
    Outcome(0, _THREE_BOARDS, "line"),
    Outcome(1, _THREE_BOARDS, "line"),
    Outcome(None, Sentence("game.reason.no_board"), "board_full"),
)

ULTIMATE = Ultimate()
