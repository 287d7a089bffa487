"""Checkers: English draughts, with captures forced."""

import re
from collections.abc import Sequence
from dataclasses import replace
from types import ModuleType
from typing import ClassVar

from parlour_protocol.views.boards import VOID
from parlour_protocol.words import Sentence
from parlour_server.games.array_game import TURN, ArrayGame, Numbers
from parlour_server.games.checkers import rules
from parlour_server.games.checkers.rules import KINGS, LAST, PATIENCE, PIECES, QUIET, SQUARES, WAYS
from parlour_server.games.game import Extra, InvalidPosition, Move, Outcome, Rule, Setup, stones_of

MEN, CROWNED = ("●", "○"), ("◆", "◇")
EACH = 12

NUMBERED = [square for square in range(SQUARES) if rules.BOARD >> square & 1]
"""The rules' squares in the order of draughts players' numbers, which begin with 1."""
CELLS = {square: 8 * (at // 4) + 2 * (at % 4) + 1 - at // 4 % 2 for at, square in enumerate(NUMBERED)}

SQUARE_OF = {cell: square for square, cell in CELLS.items()}

CHAIN = "b6a5 a3b4 c7b6 b4c5 b6d4"
"""Behind it the other side takes two men with one move."""


class Checkers(ArrayGame):
    """Checkers on the usual board. Moves are written by the cells' names, which stand beside the board.

    Draughts players' numbers do not; moves in their notation (`11-15`, `22x15`) are read as well.
    """

    code: ClassVar[ModuleType] = rules
    marks: ClassVar = [[*kinds] for kinds in zip(MEN, CROWNED, strict=True)]
    kinds: ClassVar = ["man", "king"]
    above: ClassVar = 0
    empty: ClassVar[str] = "·"
    letters = ("bB", "wW")
    notation = re.compile("[a-h][1-8](?:[-x:×]?[a-h][1-8])+|[0-9]{1,2}(?:[-x:×][0-9]{1,2})+")
    name = "checkers"
    estimate_scale = 8.9
    sample = "f6e5 c3b4 g7f6 b4c5 d6b4 a3c5 b6d4"
    # A man takes at most seven steps; between two of them or two captures nothing happens so long at most.
    max_plies = (2 * EACH * 8 + 1) * PATIENCE

    def __init__(self) -> None:
        self.rows, self.columns = [*"87654321"], [*"abcdefgh"]
        self.title = Sentence("game.checkers.title")
        self.summary = Sentence("game.checkers.summary")

    def __reduce__(self) -> tuple[object, ...]:
        """There is one."""
        return Checkers, ()

    def initial(self) -> Numbers:
        """Twelve men a side, the first one's above."""
        first = sum(1 << square for square in NUMBERED[:EACH])
        return (0, 0, first, sum(1 << square for square in NUMBERED[-EACH:]), 0, 0)

    def ending(self, position: Numbers) -> Outcome:
        """Who can't move has lost, also where nothing is left to move."""
        winner = self.winner(position)
        if winner is None:
            return Outcome(None, Sentence("game.checkers.drawn", moves=PATIENCE // 2), "rules")
        if position[PIECES + 1 - winner] == 0:
            return Outcome(winner, Sentence("game.checkers.none_left"), "no_moves")
        return Outcome(winner, Sentence("game.reason.no_move"), "no_moves")

    def path(self, position: Numbers, move: Move) -> Sequence[int]:
        """The piece, and each square it comes to."""
        square = move // SQUARES % SQUARES
        squares, chain = [square], self.code.chain_of(position, move)
        for digit in range(chain.bit_length() - 3, -1, -2):
            square += 2 * WAYS[chain >> digit & 3]
            squares.append(square)
        return [CELLS[one] for one in (squares if chain else (square, move % SQUARES))]

    def moved(self, move: Move) -> Sequence[int]:
        """Where it came to, and from where."""
        return [CELLS[move % SQUARES], CELLS[move // SQUARES % SQUARES]]

    def parse(self, position: Numbers, text: str) -> Move:
        """Also by draughts players' numbers. Raises as in the contract."""
        numbers = [int(one) for one in text.translate(_APART).split()] if _PDN.fullmatch(text.strip()) else []
        if numbers and 1 <= min(numbers) <= max(numbers) <= len(NUMBERED):
            text = "".join(self.named(CELLS[NUMBERED[number - 1]]) for number in numbers)
        return super().parse(position, text)

    def refusal(self, position: Numbers, text: str) -> Sentence:
        """Not a piece of one's own; a jump that is forced, or goes on; or where no piece steps."""
        cells, names = (
            self.cells_in(text),
            [self.format(position, move) for move in self.legal_moves(position)],
        )
        start, end = (SQUARE_OF.get(cell) for cell in (cells[0], cells[-1]))
        if start is None or not position[PIECES + position[TURN]] >> start & 1:
            return self.not_yours(position, cells[0])
        if self.code.jumpers(position):
            typed = "".join(map(self.named, cells))
            longer = [name for name in names if name.startswith(typed)]
            goes_on = "goes_on" if longer else "must_jump"
            return Sentence(f"game.checkers.{goes_on}", mark=MEN[position[TURN]], move=(longer or names)[0])
        if end is not None and (position[PIECES] | position[PIECES + 1]) >> end & 1:
            return Sentence("game.move.taken", cell=self.named(cells[-1]))
        if end is not None and end - start in WAYS and not position[KINGS] >> start & 1:
            return Sentence("game.checkers.backward")
        return Sentence("game.checkers.step")

    def texts(self, position: Numbers) -> Sequence[str]:
        """The pieces on the dark squares. On the light ones nothing ever stands."""
        cells = [VOID] * len(self.rows) * len(self.columns)
        for square, cell in CELLS.items():
            marks = CROWNED if position[KINGS] >> square & 1 else MEN
            first, second = (position[PIECES + side] >> square & 1 for side in (0, 1))
            cells[cell] = marks[0] if first else marks[1] if second else self.empty
        return cells

    def as_rows(self, text: str) -> str:
        """Draughts players' own form, a FEN of PDN: `W:W21,22,K23:B1,2`, also with ranges such as `1-12`."""
        if ":" not in text:
            return text
        squares = ["."] * len(NUMBERED)
        if said := _FEN.fullmatch(text.upper()):
            pieces = [
                (king, side, range(int(first), int(last or first) + 1))
                for side, listed in _SIDE.findall(said[2])
                for king, first, last in _LISTED.findall(listed)
            ]
            numbers = [number for *_, span in pieces for number in span]
            if (
                all(span for *_, span in pieces)
                and len({*numbers}) == len(numbers)
                and {*numbers} <= {*range(1, len(NUMBERED) + 1)}
            ):
                for king, side, span in pieces:
                    for number in span:
                        squares[number - 1] = side if king else side.lower()
                rows = ["".join(squares[at : at + 4]) for at in range(0, len(squares), 4)]
                return f"{'/'.join(rows)} {said[1].lower()}"
        raise InvalidPosition(Sentence("position.pdn", last=len(NUMBERED), example="W:W21,K22:B1,2"))

    def extras(self) -> Sequence[Extra]:
        """The number of quiet plies."""
        return [Extra(Sentence("position.extra.quiet"), PATIENCE - 1)]

    def setup(self, position: Numbers) -> Setup:
        """With the number of quiet plies, if there were any."""
        return replace(super().setup(position), extras=position[QUIET : QUIET + 1] if position[QUIET] else ())

    def place(self, setup: Setup) -> Numbers:
        """Up to twelve pieces a side, and no man where it would be a king."""
        side, (quiet,) = setup.side, setup.extras
        men, kings = stones_of(setup, MEN, CELLS), stones_of(setup, CROWNED, CELLS)
        pieces = [man | king for man, king in zip(men, kings, strict=True)]
        if max(one.bit_count() for one in pieces) > EACH:
            raise InvalidPosition(Sentence("position.most", most=EACH))
        if men[0] & LAST[0] or men[1] & LAST[1]:
            raise InvalidPosition(Sentence("position.checkers.king"))
        rest = (*pieces, sum(kings), quiet)
        return (side, 0 if self.search_order((side, 0, *rest)) else 2 - side, *rest)

    def rules(self) -> Sequence[Rule]:
        """As in the contract."""
        mark, other = MEN
        return [
            Rule(Sentence("game.checkers.rule.step", mark=mark), "", "a5 c5 e5 g5"),
            Rule(Sentence("game.checkers.rule.jump", mark=other), "f6e5 a3b4 e5d4", "c5 e5"),
            Rule(Sentence("game.checkers.rule.chain"), CHAIN, "e5 c7"),
            Rule(Sentence("game.checkers.rule.king", mark=CROWNED[0], other=CROWNED[1])),
            Rule(Sentence("game.checkers.rule.end", moves=PATIENCE // 2)),
        ]


_PDN = re.compile("[0-9]{1,2}(?:[-x:×][0-9]{1,2})+")
_LISTED = re.compile("(K?)([0-9]{1,2})(?:-([0-9]{1,2}))?")
_SIDE = re.compile("([WB])([-K0-9,]*)")
_FEN = re.compile(r"([WB])((?::[WB](?:K?[0-9]{1,2}(?:-[0-9]{1,2})?(?:,(?!:|$)|(?=:|\.?$)))*){1,2})\.?")
_APART = str.maketrans("-x:×", "    ")

CHECKERS = Checkers()
