"""Kalah, the mancala of two rows: William Julius Champion's game of 1940."""

import re
from collections.abc import Sequence
from dataclasses import replace
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
    read_sized,
    written,
)
from parlour_server.games.kalah import rules
from parlour_server.games.kalah.rules import LARGEST, PITS

LEAST_HOUSES, MOST_SEEDS = 3, 10
EMPTY_TOO = "empty"
"""Ends the name of the variant in which an empty house opposite doesn't keep a seed from being taken."""


class Kalah(ArrayGame):
    """Kalah with so many houses a side and so many seeds in each. Raises `ValueError` for others."""

    code: ClassVar = rules
    alternates: ClassVar[bool] = False
    margins: ClassVar[bool] = True
    marks: ClassVar = [["A"], ["B"]]
    empty: ClassVar[str] = "0"
    letters = ("a", "b")
    layout: ClassVar = "pits"
    above: ClassVar = 1
    notation = re.compile("[ab][1-6]")
    variants = Sentence("game.kalah.variants", least=LEAST_HOUSES, houses=LARGEST, seeds=MOST_SEEDS)
    usual = ("6,4", "6,5", "6,6", "4,3", "6,4,empty")
    # 300 games, 7,351 positions, off by 1.4%.
    estimate_scale = 3.7

    def __init__(self, houses: int = 6, seeds: int = 4, *, empty: bool = False) -> None:
        if not (LEAST_HOUSES <= houses <= LARGEST and 1 <= seeds <= MOST_SEEDS):
            raise written(self.variants)
        self.houses, self.seeds, self.empty_too = houses, seeds, empty
        usual = (houses, seeds, empty) == (6, 4, False)
        self.name = "kalah" if usual else f"kalah:{houses},{seeds}{f',{EMPTY_TOO}' if empty else ''}"
        title = "title" if usual else "title_empty" if empty else "title_of"
        self.title = Sentence(f"game.kalah.{title}", houses=houses, seeds=seeds)
        self.summary = Sentence("game.kalah.summary")
        self.sample = "a3 a6 b6 a1 b4" if usual else ""
        self.rows, self.columns = ["b", "a"], [str(number + 1) for number in range(houses)]
        # A ply takes each of its seeds on by a house at least, on a way of so many until it is in a store.
        self.max_plies = 2 * houses * seeds * (houses + 1)
        side = [*[seeds] * houses, 0]
        numbers = [0, 0, houses, int(empty), *side, *side]
        self._initial: Numbers = (*numbers, *[0] * (rules.POSITION - len(numbers)))

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the sizes alone."""
        return _rebuild, (self.houses, self.seeds, self.empty_too)

    def variant(self, parameters: str) -> "Kalah":
        """Read `HOUSES,SEEDS`, and `empty` behind it. Raises `ValueError`."""
        numbers, empty = read_sized(parameters, EMPTY_TOO, (6, 4))
        # A single number would be read as a square's.
        if len(numbers) != 2 or len(re.findall("[0-9]+", parameters)) == 1:
            raise written(self.variants)
        return Kalah(*numbers, empty=empty)

    def initial(self) -> Numbers:
        """As many seeds in each house."""
        return self._initial

    def rules(self) -> Sequence[Rule]:
        """As in the contract."""
        capture = "capture_empty" if self.empty_too else "capture"
        return [
            Rule(Sentence("game.kalah.rule.sow"), "a1", "a1", KALAH),
            Rule(Sentence("game.kalah.rule.again"), "a3", "a3", KALAH),
            Rule(Sentence(f"game.kalah.rule.{capture}"), "a5 b6 a1", "a5", KALAH),
            Rule(Sentence("game.kalah.rule.end")),
        ]

    def ending(self, position: Numbers) -> Outcome:
        """Who has more seeds has won."""
        (count,), winner = self.counts(position), self.winner(position)
        stores = count.of
        how = {"each": min(stores)} if winner is None else {"more": max(stores), "less": min(stores)}
        return Outcome(winner, Sentence(f"game.kalah.{'drawn' if winner is None else 'won'}", **how), "count")

    def path(self, position: Numbers, move: Move) -> Sequence[int]:
        """The house's cell: the first side's lie below, from the left, the other's above, from the right."""
        return [self.houses + move if move < self.houses else 2 * self.houses - move]

    def named(self, cell: int) -> str:
        """The row's letter comes first."""
        row, column = divmod(cell, self.houses)
        return self.rows[row] + self.columns[column]

    def texts(self, position: Numbers) -> Sequence[str]:
        """How many seeds lie in each house."""
        below = position[PITS : PITS + self.houses]
        above = position[PITS + self.houses + 1 : PITS + 2 * self.houses + 1]
        return [str(seeds) for seeds in (*reversed(above), *below)]

    def extras(self) -> Sequence[Extra]:
        """The seeds in the stores."""
        return [
            Extra(Sentence("position.extra.store", mark=mark), 2 * LARGEST * MOST_SEEDS)
            for (mark,) in self.marks
        ]

    def setup(self, position: Numbers) -> Setup:
        """With all of these."""
        (count,) = self.counts(position)
        return replace(super().setup(position), extras=tuple(count.of))

    def place(self, setup: Setup) -> Numbers:
        """Any seeds, if there are no more of them than could lie there."""
        seeds, houses = [int(text) for text in setup.texts], self.houses
        stores = setup.extras
        if sum(seeds) + sum(stores) > 2 * LARGEST * MOST_SEEDS:
            raise InvalidPosition(Sentence("position.kalah.seeds", most=2 * LARGEST * MOST_SEEDS))
        above, below = seeds[:houses][::-1], seeds[houses:]
        numbers = [setup.side, 0, houses, int(self.empty_too), *below, stores[0], *above, stores[1]]
        position = (*numbers, *[0] * (rules.POSITION - len(numbers)))
        if not any(below) or not any(above):
            raise InvalidPosition(Sentence("position.kalah.empty"))
        return position

    def counts(self, position: Numbers) -> list[Count]:
        """The seeds in the stores."""
        return [Count("seeds", [position[PITS + self.houses], position[PITS + 2 * self.houses + 1]])]


def _rebuild(houses: int, seeds: int, empty: bool) -> Kalah:
    return Kalah(houses, seeds, empty=empty)


KALAH = Kalah()
