"""Games whose rules are functions over a few numbers, written once.

The same functions are run as they stand for rooms and lists, and compiled with the engine for searches:
what they have to be is said in `parlour_server.search.kernels.arrays`. This class makes a game of them, and
gives people what they need of it: moves as they are written, and a board.
"""

import re
from abc import abstractmethod
from collections.abc import Hashable, Iterator, Sequence
from types import ModuleType
from typing import ClassVar

from parlour_protocol.ids import Both, Side
from parlour_protocol.views.boards import BoardView, Count, Layout, Row
from parlour_protocol.words import Sentence
from parlour_server.games.game import (
    Game,
    GameIsOver,
    IllegalMove,
    InvalidMove,
    Move,
    MoveError,
    Outcome,
    quoted,
)

Numbers = tuple[int, ...]
"""A position: first the side to move, then how it ended (see `OVER`), then the game's own numbers."""

TURN, OVER = 0, 1
"""Where the side to move stands; and 0 while the game goes on, 1 and 2 where side 0 or side 1 has won, 3 for
a draw."""

_JOINERS = str.maketrans("", "", "-:x×>")
"""What people write between the cells of a move."""


class ArrayGame(Game[Numbers]):
    """A game made of a module of functions over numbers.

    A game of it says how it begins, which cells each move's path has, what stands in the cells, and how it
    ended in words. The rest is here.
    """

    code: ClassVar[ModuleType]
    """The rules."""
    rows: list[str]
    """The labels of the board's rows, from the top down."""
    columns: list[str]
    marks: ClassVar[Both[list[str]]]
    """As in `BoardView`, and so are these:"""
    empty: ClassVar[str] = "."
    kinds: ClassVar[list[str] | None] = None
    layout: ClassVar[Layout | None] = None
    joins: ClassVar[list[list[int]] | None] = None
    goals: ClassVar[Both[str] | None] = None
    above: ClassVar[Side | None] = None

    def __init_subclass__(cls) -> None:
        """The rules are the compiled twin, too."""
        super().__init_subclass__()
        if "code" in vars(cls):
            cls.kernel = cls.code.__name__

    # ------------------------------------------------------------ what a game of it says

    @abstractmethod
    def path(self, position: Numbers, move: Move) -> Sequence[int]:
        """The cells that one chooses for a legal move, in turn; none for a pass."""

    @abstractmethod
    def texts(self, position: Numbers) -> Sequence[str]:
        """What stands in each cell, row by row from the top."""

    @abstractmethod
    def ending(self, position: Numbers) -> Outcome:
        """How a finished game ended: its winner is `winner`'s."""

    def moved(self, move: Move) -> Sequence[int]:
        """The cells of a move that was made, the one moved to first: its path the other way round.

        To be said anew where a path depends on its position.
        """
        return self.path(self.initial(), move)[::-1]

    def unplaced(self, move: Move) -> str:
        """How a move without a cell is written."""
        return "pass"

    def refusal(self, position: Numbers, text: str) -> Sentence:
        """Why what looks like a move is none now."""
        return Sentence("game.move.illegal", move=quoted(text))

    def line(self, position: Numbers) -> list[int]:
        """The cells that won."""
        return []

    def counts(self, position: Numbers) -> list[Count]:
        """What the sides have beside the board."""
        return []

    def note(self, position: Numbers) -> Sentence | None:
        """A sentence on what just happened, where the board alone doesn't show it."""
        return None

    # ------------------------------------------------------------ the rules

    @staticmethod
    def winner(position: Numbers) -> Side | None:
        """Who has won; None for a draw."""
        return 0 if position[OVER] == 1 else 1 if position[OVER] == 2 else None

    def to_move(self, position: Numbers) -> Side:
        """The side to move."""
        return 1 if position[TURN] else 0

    def legal_moves(self, position: Numbers) -> Sequence[Move]:
        """The legal moves by their numbers."""
        return sorted(self.search_order(position))

    def search_order(self, position: Numbers) -> Sequence[Move]:
        """The legal moves as the rules list them."""
        if position[OVER]:
            return ()
        out = [0] * self.code.MOST_MOVES
        return out[: self.code.moves(self._state(position), out, 0)]

    def play(self, position: Numbers, move: Move) -> Numbers:
        """The position after a legal move."""
        numbers = self._state(position)
        self.code.play(numbers, move)
        return tuple(numbers[: len(position)])

    def outcome(self, position: Numbers) -> Outcome | None:
        """How the game ended, or None."""
        return self.ending(position) if position[OVER] else None

    def evaluate(self, position: Numbers) -> int:
        """As the rules estimate it."""
        return int(self.code.evaluate(self._state(position)))

    def urgent(self, position: Numbers) -> bool:
        """As the rules say, if they do."""
        ask = getattr(self.code, "urgent", None)
        return ask is not None and ask(self._state(position)) != 0

    def plies_left(self, position: Numbers) -> int:
        """As the rules say, if they do."""
        ask = getattr(self.code, "plies_left", None)
        return self.max_plies if ask is None else int(ask(self._state(position)))

    def margin(self, position: Numbers) -> int:
        """As the rules say, if they do."""
        ask = getattr(self.code, "margin", None)
        return 0 if ask is None else int(ask(self._state(position)))

    def _state(self, position: Numbers) -> list[int]:
        """What the rules work on: a copy, and behind it what they ask for."""
        return [*position, *[0] * getattr(self.code, "SCRATCH", 0)]

    def search_key(self, position: Numbers) -> Hashable:
        """Its first numbers, as many as the rules' KEYED says, if it does."""
        return position[: getattr(self.code, "KEYED", len(position))]

    # ------------------------------------------------------------ moves as people write them

    def named(self, cell: int) -> str:
        """A cell's name: its column's, then its row's."""
        row, column = divmod(cell, len(self.columns))
        return self.columns[column] + self.rows[row]

    def cells_in(self, text: str) -> list[int]:
        """The cells that a text names which matches the game's notation."""
        names = {self.named(cell): cell for cell in range(len(self.rows) * len(self.columns))}
        found = re.findall("|".join(sorted(names, key=len, reverse=True)), text.lower())
        return [names[name] for name in found]

    def not_yours(self, position: Numbers, cell: int) -> Sentence:
        """That the side to move has no piece in a cell."""
        mark = self.marks[self.to_move(position)][0]
        return Sentence("game.move.not_yours", mark=mark, cell=self.named(cell))

    def format(self, position: Numbers, move: Move) -> str:
        """The names of its path's cells, one behind the other."""
        return self._written(move, self.path(position, move))

    def _written(self, move: Move, path: Sequence[int]) -> str:
        return "".join(map(self.named, path)) or self.unplaced(move)

    def parse(self, position: Numbers, text: str) -> Move:
        """Read a legal move: its cells with or without signs between them, or only where it comes from and
        ends where no other one does the same.

        Raises `InvalidMove` for what is no move of this game; `IllegalMove` for one that is not legal now.
        """
        moves = {self.format(position, move): move for move in self.legal_moves(position)}
        typed = text.strip()
        plain = typed.lower().translate(_JOINERS)
        found = moves.get(typed.lower(), moves.get(plain))
        if found is not None:
            return found
        ends = [move for move in moves.values() if plain and self._ends(move) == plain]
        if len(ends) == 1:
            return ends[0]
        raise self._not_legal(position, typed, [*moves])

    def _ends(self, move: Move) -> str:
        """A move by where it comes from, if from anywhere, and where it ends."""
        cells = self.moved(move)
        return "".join(map(self.named, (*cells[:0:-1][:1], *cells[:1])))

    def _not_legal(self, position: Numbers, typed: str, legal: Sequence[str]) -> MoveError:
        outcome = self.outcome(position)
        if self.notation.fullmatch(typed.lower().translate(_JOINERS)) is None:
            start = self.initial()
            example = legal[len(legal) // 2] if legal else self.format(start, self.legal_moves(start)[0])
            return InvalidMove(Sentence("game.move.no_path", text=quoted(typed), example=example))
        if outcome is not None:
            return GameIsOver(Sentence("game.move.over", reason=outcome.reason))
        return IllegalMove(self.refusal(position, typed))

    def first_word(self, position: Numbers, text: str) -> str:
        """The longest legal move that a text without gaps begins with."""
        plain = text.lower()
        fitting = [
            written
            for move in self.legal_moves(position)
            if plain.startswith(written := self.format(position, move))
        ]
        return text[: max(map(len, fitting))] if fitting else super().first_word(position, text)

    # ------------------------------------------------------------ the board

    def view(self, position: Numbers, last: Move | None = None) -> BoardView:
        """The board, with its legal moves."""
        paths = {move: self.path(position, move) for move in self.legal_moves(position)}
        note = self.note(position)
        return BoardView(
            rows=self.rows,
            columns=self.columns,
            cells=[*self._rows(self.texts(position))],
            marks=self.marks,
            to_move=None if position[OVER] else self.to_move(position),
            legal=[self._written(move, path) for move, path in paths.items()],
            paths=[*map(_sent, paths.values())],
            last=[] if last is None else [*self.moved(last)],
            line=self.line(position) if position[OVER] else [],
            empty=self.empty,
            note=note,
            note_said=None if note is None else note.said,
            counts=self.counts(position),
            kinds=self.kinds,
            layout=self.layout,
            joins=self.joins,
            goals=self.goals,
            above=self.above,
        )

    def _rows(self, texts: Sequence[str]) -> Iterator[Row]:
        width = len(self.columns)
        for at in range(0, len(texts), width):
            row = texts[at : at + width]
            yield "".join(row) if all(len(text) == 1 for text in row) else [*row]


def _sent(path: Sequence[int]) -> int | list[int]:
    return [*path] if len(path) > 1 else path[0] if path else -1
