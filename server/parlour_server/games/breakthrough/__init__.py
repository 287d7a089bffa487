"""Breakthrough: Dan Troyka's game of 2000, in which the first pawn on the far row wins."""

import re
from collections.abc import Sequence
from typing import ClassVar

from parlour_protocol.words import Sentence
from parlour_server.games.array_game import TURN, ArrayGame, Numbers
from parlour_server.games.breakthrough import rules
from parlour_server.games.breakthrough.rules import CELLS, FROM, LARGEST, PAWNS
from parlour_server.games.game import InvalidPosition, Move, Outcome, Rule, Setup, read_square, written

LEAST = 5
MARKS = ("●", "○")


class Breakthrough(ArrayGame):
    """Breakthrough on a square board, with two rows of pawns a side. Raises `ValueError` for other sizes."""

    code: ClassVar = rules
    marks: ClassVar = [[mark] for mark in MARKS]
    empty: ClassVar[str] = "·"
    above: ClassVar = 1
    letters = ("w", "b")
    notation = re.compile("([a-h][1-8])[-x:×]?([a-h][1-8])")
    variants = Sentence(
        "game.sizes.square", game="breakthrough", least=LEAST, most=LARGEST, example="breakthrough:6"
    )
    usual = ("8×8", "6×6", "5×5")
    estimate_scale = 5.4

    def __init__(self, size: int = LARGEST) -> None:
        if not LEAST <= size <= LARGEST:
            raise written(self.variants)
        self.size = size
        usual = size == LARGEST
        self.name = "breakthrough" if usual else f"breakthrough:{size}"
        self.title = Sentence(f"game.breakthrough.{'title' if usual else 'title_on'}", size=size)
        self.summary = Sentence("game.breakthrough.summary")
        self.sample = "d2d3 e7e6 e2e3 d7c6 d3e4 c6b5 c2c3 e6d5" if usual else ""
        self.rows = [str(size - row) for row in range(size)]
        self.columns = [*"abcdefgh"[:size]]
        # Each pawn may come to the row before the last, and then one wins.
        self.max_plies = 2 * size * (2 * size - 5) + 1
        pawns = 2 * size
        cells = [*[2] * pawns, *[0] * (size * size - 2 * pawns), *[1] * pawns]
        self._initial = self._position(0, 0, cells)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the size alone."""
        return Breakthrough, (self.size,)

    def variant(self, parameters: str) -> "Breakthrough":
        """Read a size. Raises `ValueError`."""
        return Breakthrough(read_square(parameters, self.variants))

    def _position(self, side: int, over: int, cells: Sequence[int]) -> Numbers:
        beyond = [0] * (LARGEST**2 - self.size**2)
        return (side, over, self.size, cells.count(1), cells.count(2), *cells, *beyond)

    def initial(self) -> Numbers:
        """Two rows of pawns for each side, one above and one below."""
        return self._initial

    def ending(self, position: Numbers) -> Outcome:
        """A pawn has come through, or none is left that could stop it."""
        if 0 in position[PAWNS:CELLS]:
            return Outcome(self.winner(position), Sentence("game.breakthrough.none_left"), "no_moves")
        return Outcome(self.winner(position), Sentence("game.breakthrough.won"), "goal")

    def path(self, position: Numbers, move: Move) -> Sequence[int]:
        """From where to where."""
        return divmod(move, FROM)

    def texts(self, position: Numbers) -> Sequence[str]:
        """A mark for each pawn."""
        marks = (self.empty, *MARKS)
        return [marks[one] for one in position[CELLS : CELLS + self.size**2]]

    def as_rows(self, text: str) -> str:
        """As chess programs write it, which call the pawns P and p, and count moves."""
        said = _FEN.fullmatch(text)
        return said[1].replace("P", "w").replace("p", "b") + said[2] if said else text

    def place(self, setup: Setup) -> Numbers:
        """Any pawns, no more than a side begins with; the side to move has not won."""
        size, cells = self.size, [(self.empty, *MARKS).index(text) for text in setup.texts]
        if max(cells.count(1), cells.count(2)) > 2 * size:
            raise InvalidPosition(Sentence("position.most", most=2 * size))
        through = (1 in cells[:size], 2 in cells[-size:])
        won = [through[side] or 2 - side not in cells for side in (0, 1)]
        if won[setup.side]:
            raise InvalidPosition(Sentence("position.over_before", mark=MARKS[setup.side]))
        return self._position(setup.side, 2 - setup.side if won[1 - setup.side] else 0, cells)

    def rules(self) -> Sequence[Rule]:
        """As in the contract, on the smallest board."""
        small, mark = Breakthrough(LEAST), MARKS[0]
        take = Sentence("game.breakthrough.rule.take", mark=mark, left="b3", right="d4")
        return [
            Rule(Sentence("game.breakthrough.rule.step", mark=mark), "", "c2b3 c2c3 c2d3", small),
            Rule(take, "c2c3 b4b3", "b3 d4", small),
            Rule(Sentence("game.breakthrough.rule.end"), "c2c3 b4b3 c3d4 b3a2 d4e5", "e5", small),
        ]

    def refusal(self, position: Numbers, text: str) -> Sentence:
        """Not a pawn of one's own; straight onto another one; or too far."""
        cells = self.cells_in(text)
        if len(cells) != 2:
            return super().refusal(position, text)
        start, end = cells
        ahead = -1 if position[TURN] == 0 else 1
        if position[CELLS + start] != 1 + position[TURN]:
            return self.not_yours(position, start)
        if end == start + ahead * self.size:
            return Sentence("game.breakthrough.straight", cell=self.named(end))
        if position[CELLS + end] == 1 + position[TURN]:
            return Sentence("game.move.taken", cell=self.named(end))
        return Sentence("game.breakthrough.one_row")


_FEN = re.compile(r"([Pp1-8/]+)( [wb])(?: -)*(?: [0-9]+)*")

BREAKTHROUGH = Breakthrough()
