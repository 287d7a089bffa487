"""Go on small boards: area scoring, no suicide, and no board comes twice (positional superko)."""

import re
from collections.abc import Sequence
from dataclasses import replace
from types import ModuleType
from typing import ClassVar

from parlour_protocol.views.boards import Count
from parlour_protocol.words import Sentence
from parlour_server.games.array_game import ArrayGame, Numbers
from parlour_server.games.game import (
    Extra,
    InvalidPosition,
    Move,
    Outcome,
    Rule,
    Setup,
    bad_size,
    read_square,
    stones_of,
)
from parlour_server.games.go import rules
from parlour_server.games.go.rules import (
    BLACK,
    FORBIDDEN,
    KOMI,
    LARGEST,
    PASSED,
    PASSING,
    PAST,
    PLIES,
    STRIDE,
    TAKEN,
    WHITE,
)

KOMIS = {3: 8, 4: 2, 5: 10}
"""What white gets in advance, by the board's size.

With best play black is ahead by 2 on 4x4, so that this is even; on 3x3 and 5x5 by all there is (van der Werf
2003), and no komi makes a game of that. On 5x5 it is by how much black was ahead after most games
between engines of 40,000 nodes a move: white wins if it lives in a corner. On 3x3 black has to take all.
"""
LEAST, USUAL = min(KOMIS), LARGEST


class Go(ArrayGame):
    """Go on so many rows. Raises `ValueError` for other sizes."""

    code: ClassVar[ModuleType] = rules
    marks: ClassVar = [["●"], ["○"]]
    empty: ClassVar[str] = "·"
    layout: ClassVar = "points"
    notation = re.compile("pass|[a-e][1-5]")
    variants = Sentence("game.sizes.square", game="go", least=LEAST, most=LARGEST, example="go:4")
    usual = ("5×5", "4×4", "3×3")
    # 200 games, 3,722 positions, off by 5.2%.
    estimate_scale = 3.5

    def __init__(self, size: int = USUAL) -> None:
        if not LEAST <= size <= LARGEST:
            raise ValueError(bad_size(LEAST, LARGEST, size, size, "go:4"))
        self.size, self.komi = size, KOMIS[size]
        self.name = "go" if size == USUAL else f"go:{size}"
        self.title = Sentence("game.go.title", size=size)
        self.summary = Sentence("game.go.summary")
        self.sample = SAMPLE if size == USUAL else ""
        self.rows = [str(size - row) for row in range(size)]
        self.columns = [chr(ord("a") + column) for column in range(size)]
        cells = range(size * size)
        lines = [
            *(cells[row * size :][:size] for row in range(size)),
            *(cells[at::size] for at in range(size)),
        ]
        self.joins = [[*line] for line in lines]  # type: ignore[misc]
        self.max_plies = 4 * size * size
        points = sum((1 << size) - 1 << row * STRIDE for row in range(size))
        numbers = [0] * rules.POSITION
        numbers[rules.POINTS], numbers[KOMI] = points, self.komi
        self._initial: Numbers = tuple(numbers)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the size alone."""
        return Go, (self.size,)

    def variant(self, parameters: str) -> "Go":
        """Read `SIZE`. Raises `ValueError`."""
        return Go(read_square(parameters, self.variants))

    def initial(self) -> Numbers:
        """An empty board."""
        return self._initial

    def rules(self) -> Sequence[Rule]:
        """As in the contract."""
        black, white = (marks[0] for marks in self.marks)
        small = self if self.size == USUAL else GO
        return [
            Rule(Sentence("game.go.rule.put", mark=black), "c3 d3 c4", "c3 c4", on=small),
            Rule(Sentence("game.go.rule.take", mark=black), "c3 c2 d2 a1 b2 a2", "c1", on=small),
            Rule(Sentence("game.go.rule.ko", mark=white), "b3 c3 a2 d2 b1 c1 pass b2 c2", "b2", on=small),
            Rule(Sentence("game.go.rule.end", mark=white, komi=self.komi)),
        ]

    def ending(self, position: Numbers) -> Outcome:
        """Who has more points has won."""
        (points,), winner = self.counts(position), self.winner(position)
        more, less = max(points.of), min(points.of)
        how = {"each": less} if winner is None else {"more": more, "less": less}
        return Outcome(winner, Sentence(f"game.go.{'drawn' if winner is None else 'won'}", **how), "count")

    def path(self, position: Numbers, move: Move) -> Sequence[int]:
        """The stone's point; a pass has none."""
        return [] if move == PASSING else [move // STRIDE * self.size + move % STRIDE]

    def texts(self, position: Numbers) -> Sequence[str]:
        """Whose stone lies on each point."""
        return [
            "●" if position[BLACK] & bit else "○" if position[WHITE] & bit else self.empty
            for bit in map(self.bit, range(self.size**2))
        ]

    def bit(self, cell: int) -> int:
        """A point in the sets of stones."""
        return 1 << cell // self.size * STRIDE + cell % self.size

    def extras(self) -> Sequence[Extra]:
        """How many moves were made, whether the last one was a pass, and where no stone may be put."""
        return [
            Extra(Sentence("position.extra.moves"), self.max_plies - 1),
            Extra(Sentence("position.extra.passed"), kind="switch"),
            Extra(Sentence("position.extra.forbidden"), kind="cells"),
        ]

    def setup(self, position: Numbers) -> Setup:
        """With all of these."""
        cells = [cell for cell in range(self.size**2) if position[FORBIDDEN] & self.bit(cell)]
        return replace(super().setup(position), extras=(position[PLIES], position[PASSED], *cells))

    def place(self, setup: Setup) -> Numbers:
        """Any stones whose groups have liberties."""
        plies, passed, *forbidden = setup.extras
        cells = sorted({*forbidden})
        if len(cells) > plies or any(setup.texts[cell] != self.empty for cell in cells):
            raise InvalidPosition(Sentence("position.go.forbidden"))
        numbers = [*self._initial]
        numbers[0], numbers[PLIES], numbers[PASSED] = setup.side, plies, passed
        bits = {self.bit(cell).bit_length() - 1: cell for cell in range(self.size**2)}
        numbers[BLACK], numbers[WHITE], empty = stones_of(setup, ("●", "○", self.empty), bits)
        for cell, text in enumerate(setup.texts):
            stones = numbers[BLACK if text == "●" else WHITE]
            group = self.code.spread(self.bit(cell), stones)
            if text != self.empty and not self.code.beside(group) & empty:
                raise InvalidPosition(Sentence("position.go.liberty", cell=self.named(cell)))
        # Of the boards that were it is enough to know those that forbid something.
        for at, cell in enumerate(cells):
            numbers[PAST + at] = self.code.board_after(numbers, self.bit(cell))
        numbers[TAKEN], numbers[FORBIDDEN] = int(bool(cells)), sum(map(self.bit, cells))
        return tuple(numbers)

    def counts(self, position: Numbers) -> list[Count]:
        """The points that each side would have if the game ended now, white's with komi."""
        black, white = self.code.area(position)
        return [Count("points", [black, white + self.komi])]

    def note(self, position: Numbers) -> Sentence | None:
        """That the other side has just passed."""
        if position[PASSED] and not position[1]:
            return Sentence("game.go.passed", mark=self.marks[1 - position[0]][0])
        return None

    def refusal(self, position: Numbers, text: str) -> Sentence:
        """The point is off the board or taken, or the rules forbid a stone there."""
        point = text.lower()
        if point[0] not in self.columns or point[1:] not in self.rows:
            return Sentence("game.move.off_board", cell=point, column=self.columns[-1], row=self.size)
        stone = self.bit(self.rows.index(point[1:]) * self.size + self.columns.index(point[0]))
        if (position[BLACK] | position[WHITE]) & stone:
            return Sentence("game.move.taken", cell=point)
        alive = self.code.breathes(position, stone)
        return Sentence(f"game.go.{'repeated' if alive else 'suicide'}", cell=point)


SAMPLE = "c3 c2 d2 b3 b2 c4 d4 d3"
GO = Go()
