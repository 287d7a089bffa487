"""A small mancala: cells hold counts, sides have stores, and a side may move twice running."""

import re
from collections.abc import Sequence

from parlour_protocol.ids import Side
from parlour_protocol.views.boards import BoardView, Count
from parlour_server.games.game import Game, InvalidMove, Outcome

PITS, SEEDS = 3, 3
STORES = (PITS, 2 * PITS + 1)

Position = tuple[int, ...]
"""The first side's pits and its store, the second side's pits and its store, and the side to move."""


class Mancala(Game[Position]):
    """Sow a pit's seeds one by one, into your own store too: the last one there gives another move."""

    name = "mancala"
    title = "Mancala"
    summary = "Sow your seeds; the last one in your store gives you another move; more seeds win."
    sample = "a1 a2"
    alternates = False
    max_plies = 400
    notation = re.compile("[ab][1-3]")

    def initial(self) -> Position:
        return (*[SEEDS] * PITS, 0, *[SEEDS] * PITS, 0, 0)

    def to_move(self, position: Position) -> Side:
        return 1 if position[-1] else 0

    def legal_moves(self, position: Position) -> Sequence[int]:
        if self.outcome(position) is not None:
            return ()
        first = position[-1] * (PITS + 1)
        return [pit for pit in range(first, first + PITS) if position[pit]]

    def play(self, position: Position, move: int) -> Position:
        pits, side, at = list(position[:-1]), position[-1], move
        seeds, pits[move] = pits[move], 0
        while seeds:
            at = (at + 1) % len(pits)
            if at != STORES[1 - side]:
                pits[at] += 1
                seeds -= 1
        return (*pits, side if at == STORES[side] else 1 - side)

    def outcome(self, position: Position) -> Outcome | None:
        rows = position[:PITS], position[PITS + 1 : -2]
        if all(any(row) for row in rows):
            return None
        ours, theirs = (sum(row) + position[store] for row, store in zip(rows, STORES, strict=True))
        winner: Side | None = None if ours == theirs else 0 if ours > theirs else 1
        return Outcome(winner, f"{ours} seeds to {theirs}", "count")

    def evaluate(self, position: Position) -> int:
        ahead = 100 * (position[STORES[0]] - position[STORES[1]])
        return -ahead if position[-1] else ahead

    def parse(self, position: Position, text: str) -> int:
        if not self.notation.fullmatch(text.strip()):
            raise InvalidMove(f"{text} is no pit.")
        return "ab".index(text.strip()[0]) * (PITS + 1) + int(text.strip()[1]) - 1

    def format(self, position: Position, move: int) -> str:
        return f"{'ab'[move // (PITS + 1)]}{move % (PITS + 1) + 1}"

    def view(self, position: Position, last: int | None = None) -> BoardView:
        texts = [str(seeds) if seeds else "·" for seeds in position]
        legal = self.legal_moves(position)
        return BoardView(
            rows=["b", "a"],
            columns=["1", "2", "3"],
            cells=[texts[PITS + 1 : -2], texts[:PITS]],
            marks=[["A"], ["B"]],
            to_move=self.to_move(position) if legal else None,
            legal=[self.format(position, move) for move in legal],
            paths=[self._cell(move) for move in legal],
            last=[] if last is None else [self._cell(last)],
            empty="·",
            counts=[Count("store", [position[store] for store in STORES])],
        )

    def _cell(self, pit: int) -> int:
        return pit - PITS - 1 if pit > PITS else pit + PITS


MANCALA = Mancala()
