"""Isolation: move the one piece, leave a hole behind, and shut the other one in."""

import re
from collections.abc import Sequence
from typing import ClassVar

from parlour_protocol.words import Sentence
from parlour_server.games.array_game import ArrayGame, Numbers
from parlour_server.games.game import (
    InvalidPosition,
    Move,
    Outcome,
    Rule,
    Setup,
    bad_size,
    read_sized,
    stones_of,
    written,
)
from parlour_server.games.isolation import rules
from parlour_server.games.isolation.rules import FREE, NOWHERE, PLACES, STRIDE

LEAST, LARGEST = 3, 7
MARKS = ("●", "○")
HOLE = "#"
SIZES = Sentence("game.sizes.wide", game="isolation", least=LEAST, most=LARGEST, example="isolation:5,5")
KNIGHT = "knight"
"""Ends the name of the variant in which pieces step as knights do."""

BEGUN = "d4 e6"
WENT = ("d4 e6 d7 c4 c6", "d4 e6 b5 c5 d6")
"""A few moves by each kind of steps."""


class Isolation(ArrayGame):
    """Isolation on a board of this size, by a queen's steps or a knight's. Raises `ValueError` for others."""

    code: ClassVar = rules
    marks: ClassVar = [[mark] for mark in MARKS]
    walls: ClassVar = HOLE
    notation = re.compile("[a-g][1-7]")
    variants = Sentence("game.isolation.variants", sizes=SIZES)
    # 200 games, 4,609 positions, off by 9.8%: who is to move tips a close game.
    estimate_scale = 6.0
    usual = ("7x7", "5x5", "7x7,knight", "5x5,knight")

    def __init__(self, width: int = LARGEST, height: int = LARGEST, *, knight: bool = False) -> None:
        if not (LEAST <= width <= LARGEST and LEAST <= height <= LARGEST):
            raise ValueError(bad_size(LEAST, LARGEST, width, height, "isolation:5x5"))
        self.width, self.height, self.knight = width, height, knight
        large = width == height == LARGEST
        given = [*([] if large else [f"{width},{height}"]), *([KNIGHT] if knight else [])]
        self.name = ":".join(["isolation", *filter(None, [",".join(given)])])
        title = "title" if not given else "title_knight" if knight else "title_on"
        self.title = Sentence(f"game.isolation.{title}", width=width, height=height)
        self.summary = Sentence("game.isolation.summary")
        self.sample = WENT[knight] if large else ""
        self.rows = [str(height - row) for row in range(height)]
        self.columns = [chr(ord("a") + column) for column in range(width)]
        self.max_plies = width * height
        # The rules' bits, cell by cell.
        self._bits = [STRIDE * row + column for row in reversed(range(height)) for column in range(width)]

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the variant alone."""
        return _rebuild, (self.width, self.height, self.knight)

    def variant(self, parameters: str) -> "Isolation":
        """Read `WIDTH,HEIGHT`, `knight`, or both. Raises `ValueError`."""
        numbers, knight = read_sized(parameters, KNIGHT, (LARGEST, LARGEST))
        if len(numbers) != 2:
            raise written(self.variants)
        return Isolation(*numbers, knight=knight)

    def initial(self) -> Numbers:
        """An empty board."""
        return (0, 0, int(self.knight), sum(1 << bit for bit in self._bits), NOWHERE, NOWHERE)

    def rules(self) -> Sequence[Rule]:
        """As in the contract."""
        steps, shown = KNIGHT if self.knight else "queen", BOARDS[self.knight]
        begun, _ = shown.replay(BEGUN)
        goes = " ".join(shown.view(begun).legal)
        return [
            Rule(Sentence("game.isolation.rule.place", mark=MARKS[0]), BEGUN, on=shown),
            Rule(Sentence(f"game.isolation.rule.{steps}", mark=MARKS[0]), BEGUN, goes, on=shown),
            Rule(Sentence("game.isolation.rule.hole", hole=HOLE), WENT[self.knight], on=shown),
            Rule(Sentence("game.isolation.rule.lost")),
        ]

    def ending(self, position: Numbers) -> Outcome:
        """Who can't move has lost."""
        return Outcome(self.winner(position), Sentence("game.reason.no_move"), "no_moves")

    def path(self, position: Numbers, move: Move) -> Sequence[int]:
        """Where to: each side has but one piece."""
        return [self._bits.index(move)]

    def texts(self, position: Numbers) -> Sequence[str]:
        """The pieces, and the holes."""
        texts = [self.empty if position[FREE] >> bit & 1 else HOLE for bit in self._bits]
        for mark, place in zip(MARKS, position[PLACES:], strict=True):
            if place != NOWHERE:
                texts[self._bits.index(place)] = mark
        return texts

    def place(self, setup: Setup) -> Numbers:
        """At most one piece a side, and any holes."""
        cells = {bit: cell for cell, bit in enumerate(self._bits)}
        *pieces, free = stones_of(setup, (*MARKS, self.empty), cells)
        for mark, piece in zip(MARKS, pieces, strict=True):
            if piece.bit_count() > 1:
                raise InvalidPosition(Sentence("position.isolation.one", mark=mark))
        places = [piece.bit_length() - 1 if piece else NOWHERE for piece in pieces]
        rest = (int(self.knight), free, *places)
        stuck = not self.search_order((setup.side, 0, *rest))
        return (setup.side, 2 - setup.side if stuck else 0, *rest)

    def refusal(self, position: Numbers, text: str) -> Sentence:
        """Why the piece can't go there."""
        cells = dict(zip(map(self.named, range(self.max_plies)), self.texts(position), strict=True))
        to = text.lower()
        if to not in cells:
            return Sentence("game.move.off_board", cell=to, column=self.columns[-1], row=self.height)
        if cells[to] == HOLE:
            return Sentence("game.isolation.hole", cell=to)
        if cells[to] != self.empty:
            return Sentence("game.move.taken", cell=to)
        place = self.named(self._bits.index(position[PLACES + self.to_move(position)]))
        return Sentence(f"game.isolation.far_{KNIGHT if self.knight else 'queen'}", cell=to, place=place)


def _rebuild(width: int, height: int, knight: bool) -> Isolation:
    return Isolation(width, height, knight=knight)


ISOLATION = Isolation()
BOARDS = (ISOLATION, Isolation(knight=True))
"""On which the rules are shown."""
