"""A tree of numbers, as textbooks draw it: nothing to play at a table, but to be searched.

Each side chooses a branch in turn, and the leaf that they come to says what that is worth to the side that
began. The tree is the game's variant, each of its inner nodes but the first one in brackets. A number
before a bracket is what that node looks like to a search that ends there: `5(3,12)-2(8,9)`.
"""

import re
from collections.abc import Sequence
from typing import ClassVar

from parlour_protocol.ids import Side
from parlour_protocol.views.boards import BoardView
from parlour_protocol.words import Sentence
from parlour_server.games.game import Game, InvalidMove, Move, Outcome, quoted

LARGEST = 50
"""No leaf is worth more: beyond that a search would take it for a win."""

TEXTBOOK = "(3,12,8)(2,4,6)(14,5,2)"
"""See the chapter "Adversarial Search and Games" of Russell and Norvig, Artificial Intelligence."""

_TOKEN = re.compile(r"-?[0-9]{1,2}\(|[()]|-?[0-9]{1,2}(?![0-9])|[\s,]+")
_APART = re.compile(r"(\)),(?=-?[0-9]*\()")
"""The comma after a bracket, which is needed before a leaf alone."""
_MARKS = ("Max", "Min")

Path = tuple[int, ...]
"""A node: which branch is taken at each of those above it."""


class Numbers(Game[Path]):
    """A tree whose leaves are numbers. A position is the path to a node."""

    name = "numbers"
    title = summary = "Numbers"
    playable: ClassVar[bool] = False
    margins: ClassVar[bool] = True
    notation = re.compile(r"[a-z]+[0-9]+")

    def __init__(self, text: str = TEXTBOOK) -> None:
        """Raises `ValueError` for what is no tree."""
        self._leaves = dict[Path, int]()
        self._branches = dict[Path, int]()
        self._estimates = dict[Path, int]()
        self._read(text)
        # Letters are given from the top down, row by row: a1, a2, a3 lead from the first node.
        inner = sorted(self._branches, key=lambda path: (len(path), path))
        self._letters = {path: _letters(number) for number, path in enumerate(inner)}
        self.max_plies = max(map(len, self._leaves))
        written = self._written(())[1:-1]
        if written != TEXTBOOK:
            self.name = f"{self.name}:{written}"

    def _read(self, text: str) -> None:
        open_nodes: list[Path] = [()]
        self._branches[()] = 0
        at = 0
        while at < len(text):
            token = _TOKEN.match(text, at)
            if token is None or not open_nodes:
                raise _no_tree()
            at, word = token.end(), token[0]
            if word == ")":
                if not self._branches[open_nodes.pop()]:
                    raise _no_tree()
            elif not re.match(r"[\s,]", word):
                above = open_nodes[-1]
                node = (*above, self._branches[above])
                self._branches[above] += 1
                value = int(word.rstrip("(") or 0)
                if abs(value) > LARGEST:
                    raise _no_tree()
                if not word.endswith("("):
                    self._leaves[node] = value
                    continue
                open_nodes.append(node)
                self._branches[node] = 0
                if word != "(":
                    self._estimates[node] = value
        if open_nodes != [()] or not self._branches[()]:
            raise _no_tree()

    def _written(self, path: Path) -> str:
        if path in self._leaves:
            return str(self._leaves[path])
        below = [self._written((*path, branch)) for branch in range(self._branches[path])]
        seems = self._estimates.get(path, "")
        return _APART.sub(r"\1", f"{seems}({','.join(below)})")

    def variant(self, parameters: str) -> "Numbers":
        """Another tree. Raises `ValueError` with a sentence that says how it is written."""
        return Numbers(parameters)

    def initial(self) -> Path:
        return ()

    def to_move(self, position: Path) -> Side:
        return 1 if len(position) & 1 else 0

    def legal_moves(self, position: Path) -> Sequence[Move]:
        return range(self._branches.get(position, 0))

    def play(self, position: Path, move: Move) -> Path:
        return (*position, move)

    def outcome(self, position: Path) -> Outcome | None:
        if position not in self._leaves:
            return None
        return Outcome(None, Sentence("game.numbers.leaf"), "rules")

    def worth(self, position: Path) -> int:
        return self._leaves[position]

    def evaluate(self, position: Path) -> int:
        value = 100 * self._estimates.get(position, 0)
        return -value if self.to_move(position) else value

    def parse(self, position: Path, text: str) -> Move:
        for move in self.legal_moves(position):
            if self.format(position, move) == text:
                return move
        raise InvalidMove(Sentence("game.numbers.no_branch", text=quoted(text)))

    def format(self, position: Path, move: Move) -> str:
        return f"{self._letters[position]}{move + 1}"

    def view(self, position: Path, last: Move | None = None) -> BoardView:
        to_move = None if position in self._leaves else self.to_move(position)
        legal = [self.format(position, move) for move in self.legal_moves(position)]
        return BoardView([], [], [], [[mark] for mark in _MARKS], to_move, legal, [-1] * len(legal))


def _no_tree() -> ValueError:
    return ValueError(Sentence("game.numbers.example", most=LARGEST, example=TEXTBOOK))


def _letters(number: int) -> str:
    return (_letters(number // 26 - 1) if number >= 26 else "") + chr(ord("a") + number % 26)


NUMBERS = Numbers()
