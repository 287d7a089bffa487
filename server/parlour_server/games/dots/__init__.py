"""Dots and boxes: Édouard Lucas' pipopipette of 1889."""

import re
from collections.abc import Sequence
from types import ModuleType
from typing import ClassVar

from parlour_protocol.views.boards import VOID, Count
from parlour_protocol.words import Sentence
from parlour_server.games.array_game import OVER, ArrayGame, Numbers
from parlour_server.games.dots import rules
from parlour_server.games.dots.rules import ACROSS, AHEAD, BOXES, DOWN, DOWNWARD, LARGEST, OWNED
from parlour_server.games.game import (
    InvalidPosition,
    Move,
    Outcome,
    Rule,
    Setup,
    bad_size,
    read_size,
    written,
)

LEAST, USUAL = 1, 4


class Dots(ArrayGame):
    """Dots and boxes on so many boxes. Raises `ValueError` for other sizes."""

    code: ClassVar[ModuleType] = rules
    alternates: ClassVar[bool] = False
    margins: ClassVar[bool] = True
    marks: ClassVar = [["A"], ["B"]]
    empty: ClassVar[str] = "."
    layout: ClassVar = "edges"
    letters = ("a", "b")
    walls = "+-|"
    notation = re.compile("[a-m](?:1[0-3]|[1-9])")
    variants = Sentence("game.dots.variants", least=LEAST, most=LARGEST)
    usual = ("4,4", "2,2", "3,3", "5,4", "5,5")
    # 60 games of 20,000 nodes a move, 1,336 positions, off by 5.0%.
    estimate_scale = 3.8

    def __init__(self, width: int = USUAL, height: int = USUAL) -> None:
        if not (LEAST <= width <= LARGEST and LEAST <= height <= LARGEST):
            raise ValueError(bad_size(LEAST, LARGEST, width, height, "dots:3,3"))
        self.width, self.height, self.stride = width, height, width + 1
        usual = width == height == USUAL
        self.name = "dots" if usual else f"dots:{width},{height}"
        self.title = Sentence(f"game.dots.{'title' if usual else 'title_on'}", width=width, height=height)
        self.summary = Sentence("game.dots.summary")
        self.sample = SAMPLE if usual else ""
        self.rows = [str(2 * height + 1 - row) for row in range(2 * height + 1)]
        self.columns = [chr(ord("a") + column) for column in range(2 * width + 1)]
        self.max_plies = width * (height + 1) + height * (width + 1)
        boxes = sum((1 << width) - 1 << row * self.stride for row in range(height))
        self._initial: Numbers = (0, 0, 0, 0, 0, 0, boxes, self.stride)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the size alone."""
        return Dots, (self.width, self.height)

    def variant(self, parameters: str) -> "Dots":
        """Read `WIDTH,HEIGHT`, in boxes. Raises `ValueError`."""
        numbers = read_size(parameters)
        if len(numbers) != 2:
            raise written(self.variants)
        return Dots(*numbers)

    def initial(self) -> Numbers:
        """Dots alone."""
        return self._initial

    def legal_moves(self, position: Numbers) -> Sequence[Move]:
        """All lines that are not drawn: a search looks at fewer."""
        if position[1]:
            return ()
        out = [0] * rules.MOST_MOVES
        return sorted(out[: self.code.all_moves(position, out, 0)])

    def rules(self) -> Sequence[Rule]:
        """As in the contract."""
        return [
            Rule(Sentence("game.dots.rule.draw", mark="A"), "", "b5 d1 a4 e2", on=SMALL),
            Rule(Sentence("game.dots.rule.close", mark="A"), "b5 a4 d1 c4 b3", "b3", on=SMALL),
            Rule(Sentence("game.dots.rule.give", mark="B"), "b5 a4 d1 e2 c4", "b3", on=SMALL),
            Rule(Sentence("game.dots.rule.end")),
        ]

    def ending(self, position: Numbers) -> Outcome:
        """Who has more boxes has won."""
        (boxes,), winner = self.counts(position), self.winner(position)
        more, less = max(boxes.of), min(boxes.of)
        how = {"each": less} if winner is None else {"more": more, "less": less}
        return Outcome(winner, Sentence(f"game.dots.{'drawn' if winner is None else 'won'}", **how), "count")

    def path(self, position: Numbers, move: Move) -> Sequence[int]:
        """The line's cell: of rows and columns those with dots have even numbers."""
        if move >= DOWNWARD:
            row, column = divmod(move - DOWNWARD, self.stride)
            return [(2 * row + 1) * len(self.columns) + 2 * column]
        row, column = divmod(move, self.stride)
        return [2 * row * len(self.columns) + 2 * column + 1]

    def texts(self, position: Numbers) -> Sequence[str]:
        """Dots, the lines between them, and whose the boxes are."""
        closed, found = self.code.closed(position), []
        for row in range(len(self.rows)):
            for column in range(len(self.columns)):
                bit = 1 << row // 2 * self.stride + column // 2
                if row % 2 and column % 2:
                    owner = ("A" if position[OWNED] & bit else "B") if closed & bit else VOID
                    found.append(owner)
                elif row % 2:
                    found.append("|" if position[DOWN] & bit else self.empty)
                elif column % 2:
                    found.append("-" if position[ACROSS] & bit else self.empty)
                else:
                    found.append("+")
        return found

    def place(self, setup: Setup) -> Numbers:
        """Any lines, and the owners of the boxes that they close."""
        numbers = [*self._initial]
        numbers[0] = setup.side
        for move in self.legal_moves(self._initial):
            if setup.texts[self.path((), move)[0]] in "-|":
                place, at = (DOWN, move - DOWNWARD) if move >= DOWNWARD else (ACROSS, move)
                numbers[place] |= 1 << at
        closed, columns = self.code.closed(numbers), len(self.columns)
        for row in range(1, len(self.rows), 2):
            for column in range(1, columns, 2):
                bit = 1 << row // 2 * self.stride + column // 2
                owner = setup.texts[row * columns + column]
                if (owner in ("A", "B")) != bool(closed & bit):
                    raise InvalidPosition(Sentence("position.dots.owner"))
                numbers[OWNED] |= bit if owner == "A" else 0
        owned = numbers[OWNED].bit_count()
        numbers[AHEAD] = 2 * owned - closed.bit_count()
        if closed == numbers[BOXES]:
            numbers[OVER] = 1 if numbers[AHEAD] > 0 else 2 if numbers[AHEAD] < 0 else 3
        return tuple(numbers)

    def counts(self, position: Numbers) -> list[Count]:
        """The boxes of each side."""
        closed = self.code.closed(position).bit_count()
        return [Count("boxes", [(closed + position[AHEAD]) // 2, (closed - position[AHEAD]) // 2])]

    def refusal(self, position: Numbers, text: str) -> Sentence:
        """A line is drawn already, or a cell is none."""
        cell = text.lower()
        lines = {
            self.named(cell) for move in self.legal_moves(self.initial()) for cell in self.path((), move)
        }
        if cell in lines:
            return Sentence("game.dots.drawn_already", cell=cell)

        def far(line: str) -> tuple[int, int]:
            return abs(int(line[1:]) - int(cell[1:])), abs(ord(line[0]) - ord(cell[0]))

        return Sentence("game.dots.no_line", cell=cell, example=min(sorted(lines), key=far))


SMALL = Dots(2, 2)
"""Shows the rules."""
SAMPLE = "d5 e4 a4 b7 f3 b5 b9 e2 h9 e6 i6 h7 f7 b1 d1 f9 h3 b3 c4 d3 c2 a2 d9 i2 i4 e8 g8"
DOTS = Dots()
