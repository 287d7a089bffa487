"""Hex: Piet Hein's game of 1942 and John Nash's of 1948, with the swap rule."""

import re
from collections.abc import Sequence
from types import ModuleType
from typing import ClassVar

from parlour_protocol.words import Sentence
from parlour_server.games.array_game import OVER, ArrayGame, Numbers
from parlour_server.games.game import (
    InvalidPosition,
    Move,
    Outcome,
    Rule,
    Setup,
    bad_size,
    read_square,
)
from parlour_server.games.hex import rules
from parlour_server.games.hex.rules import BITS, CELLS, LARGEST, SIZE, STONES, SWAP, WORD, WORDS

LEAST, USUAL = 3, 11
SWAPPED = "swap"
"""How one writes that the stone is taken over."""


class Hex(ArrayGame):
    """Hex on so many rows. Raises `ValueError` for other sizes."""

    code: ClassVar[ModuleType] = rules
    marks: ClassVar = [["●"], ["○"]]
    empty: ClassVar[str] = "·"
    layout: ClassVar = "hex"
    goals: ClassVar = ["ns", "we"]
    notation = re.compile("swap|[a-m](?:1[0-3]|[1-9])")
    variants = Sentence("game.sizes.square", game="hex", least=LEAST, most=LARGEST, example="hex:7")
    usual = ("11×11", "5×5", "7×7", "9×9", "13×13")

    def __init__(self, size: int = USUAL) -> None:
        if not LEAST <= size <= LARGEST:
            raise ValueError(bad_size(LEAST, LARGEST, size, size, "hex:7"))
        self.size = size
        self.name = "hex" if size == USUAL else f"hex:{size}"
        title = "title" if size == USUAL else "title_on"
        self.title = Sentence(f"game.hex.{title}", size=size)
        self.summary = Sentence("game.hex.summary")
        self.sample = SAMPLE if size == USUAL else ""
        self.rows = [str(row + 1) for row in range(size)]
        self.columns = [chr(ord("a") + column) for column in range(size)]
        self.max_plies = size * size + 1
        # By 100 games each 0.9 on 5x5 and 1.1 on 7x7, by 60 games 2.0 on 11x11; off by 10.3% at most.
        self.estimate_scale = size / 5.5
        cells = sum((1 << size) - 1 << row * (size + 1) for row in range(size))
        numbers = [0] * rules.POSITION
        numbers[SIZE] = size
        numbers[CELLS : CELLS + WORDS] = (cells >> word * BITS & WORD for word in range(WORDS))
        self._initial: Numbers = tuple(numbers)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the size alone."""
        return Hex, (self.size,)

    def variant(self, parameters: str) -> "Hex":
        """Read `SIZE`. Raises `ValueError`."""
        return Hex(read_square(parameters, self.variants))

    def initial(self) -> Numbers:
        """An empty board."""
        return self._initial

    def rules(self) -> Sequence[Rule]:
        """As in the contract."""
        small = Hex(5)
        won = "c3 d2 d3 c4 b4 b3 c2 a5 b5 d1 c1"
        return [
            Rule(Sentence("game.hex.rule.join", mark="●", other="○"), "", "", on=small),
            Rule(Sentence("game.hex.rule.won", mark="●"), won, "", on=small),
            Rule(Sentence("game.hex.rule.swap", mark="○"), "b4 swap", "d2", on=small),
            Rule(Sentence("game.hex.rule.bridge"), "c2 e3 b4", "b3 c3", on=small),
        ]

    def ending(self, position: Numbers) -> Outcome:
        """A side has joined its edges."""
        return Outcome(self.winner(position), Sentence("game.hex.joined"), "line")

    def path(self, position: Numbers, move: Move) -> Sequence[int]:
        """The stone's cell; a swap has none."""
        return [] if move == SWAP else [move]

    def unplaced(self, move: Move) -> str:
        """A swap."""
        return SWAPPED

    def legal_moves(self, position: Numbers) -> Sequence[Move]:
        """All empty cells, and a swap: without the order that a search wants, which takes long to find."""
        if position[OVER]:
            return ()
        taken = self.held(position, 0) | self.held(position, 1)
        swap = [SWAP] if self.code.may_swap(position) else []
        return [*(cell for cell in range(self.size**2) if cell not in taken), *swap]

    def held(self, position: Numbers, side: int) -> set[int]:
        """The cells with a side's stones."""
        words = position[STONES + side * WORDS : STONES + (side + 1) * WORDS]
        cells = sum(bits << at * BITS for at, bits in enumerate(words))
        return {cell for cell in range(self.size**2) if cells >> self.code.bit_of(position, cell) & 1}

    def texts(self, position: Numbers) -> Sequence[str]:
        """Whose stone lies on each cell."""
        texts = [self.empty] * self.size**2
        for side in (0, 1):
            for cell in self.held(position, side):
                texts[cell] = self.marks[side][0]
        return texts

    def place(self, setup: Setup) -> Numbers:
        """As many stones of both sides, or one more of the first's or, with a swap, the second's."""
        numbers = [*self._initial]
        numbers[0] = setup.side
        cells = [[at for at, text in enumerate(setup.texts) if text == marks[0]] for marks in self.marks]
        counts = {"first": len(cells[0]), "second": len(cells[1])}
        said = {"mark": self.marks[0][0], "other": self.marks[1][0]}
        more = len(cells[0]) - len(cells[1])
        if abs(more) > 1:
            raise InvalidPosition(Sentence("position.count", **said, **counts))
        if more and setup.side != (more > 0):
            to_move = self.marks[more > 0][0]
            raise InvalidPosition(Sentence("position.turn", **said, **counts, to_move=to_move))
        for side, held in enumerate(cells):
            for bit in (self.code.bit_of(numbers, cell) for cell in held):
                numbers[STONES + side * WORDS + bit // BITS] |= 1 << bit % BITS
        state = self._state(tuple(numbers))
        for side, held in enumerate(cells):
            if any(self.code.joined(state, side, cell) for cell in held):
                numbers[OVER] = 1 + side
        return tuple(numbers)

    def line(self, position: Numbers) -> list[int]:
        """A shortest chain of the winner's stones from edge to edge."""
        size, held = self.size, self.held(position, position[OVER] - 1)
        step = size if position[OVER] == 1 else 1
        chains = [[cell] for cell in sorted(held) if cell // step % size == 0]
        held -= {chain[0] for chain in chains}
        for chain in chains:
            row, column = divmod(chain[-1], size)
            if (row if position[OVER] == 1 else column) == size - 1:
                return chain
            for down, right in ((-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1), (0, -1)):
                cell = (row + down) * size + column + right
                if 0 <= column + right < size and cell in held:
                    held.remove(cell)
                    chains.append([*chain, cell])
        return []

    def note(self, position: Numbers) -> Sentence | None:
        """That the stone may be taken over, or was: the board alone shows neither."""
        if self.code.stones(position) != 1:
            return None
        return Sentence(f"game.hex.{'may_swap' if position[0] else 'swapped'}", mark="○")

    def refusal(self, position: Numbers, text: str) -> Sentence:
        """The cell is taken, or off the board, or it is too late to swap."""
        cell = text.lower()
        if cell == SWAPPED:
            return Sentence("game.hex.no_swap")
        if cell[0] not in self.columns or cell[1:] not in self.rows:
            return Sentence("game.move.off_board", cell=cell, column=self.columns[-1], row=self.size)
        return Sentence("game.move.taken", cell=cell)


SAMPLE = "e7 f2 b9 e4 d8 e5 b7 a10 d10 e8 g7 c9 f9 g8 f8 f7 g6 f6 h5 h4"
HEX = Hex()
