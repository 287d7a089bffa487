"""The contract that every game meets, and the errors of moves.

A game is an object of small functions over a small immutable position. Moves are small integers, so
that a compiled twin of the rules can share them; people's notation is the game's business too. The
names used in class map onto it:

    initial state  `initial()`          actions(s)   `legal_moves(s)`       terminal(s)  `outcome(s)`
    player(s)      `to_move(s)`         result(s,a)  `result(s, a)`         utility(s)   `utility(s)`

`play` trusts its caller, as a search needs; `result` is the same with the checks that people need.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Generic, Literal, TypeVar

from parlour_protocol.ids import Side
from parlour_protocol.views.boards import BoardView
from parlour_protocol.views.rooms import GameTermination
from parlour_protocol.words import Sentence
from parlour_server.games.delta import BoardDelta

Move = int
"""What a move is to the rules: a small number of the game's own, such as a cell's."""

PositionT = TypeVar("PositionT")

PLIES_LOOKED_UP = 6
"""From how many plies before the end on all that can follow is gone through, in some 10 ms."""
CELL = re.compile(r"([A-Za-z])([0-9]{1,3})")
"""A cell as people write it: `b2`."""
FULL = Sentence("game.reason.full")
"""Why many games end in a draw."""
LONGEST_QUOTE = 16
"""How much of a stranger's text a sentence repeats."""


def quoted(text: str) -> str:
    """A stranger's text as a sentence may repeat it: in quotes, short, without control characters."""
    clean = "".join(one if one.isprintable() else "?" for one in text[:LONGEST_QUOTE])
    return f"'{clean}...'" if len(text) > LONGEST_QUOTE else f"'{clean}'"


def read_cell(text: str, cells: Mapping[str, Move], width: int, height: int, example: str) -> Move:
    """Read a cell as a column's letter and a row's number, given the names of all. Raises `InvalidMove`."""
    match = CELL.fullmatch(text.strip())
    if match is None:
        raise InvalidMove(Sentence("game.move.no_cell", text=quoted(text.strip()), example=example))
    name = f"{match[1].lower()}{int(match[2])}"
    if name not in cells:
        last = chr(ord("a") + width - 1)
        raise InvalidMove(Sentence("game.move.off_board", cell=name, column=last, row=height))
    return cells[name]


class InvalidPosition(ValueError):
    """A text is no position of the game, or none that can be. A sentence says why."""


@dataclass(frozen=True, slots=True)
class Setup:
    """A position as it is set up."""

    texts: tuple[str, ...]
    """Of all cells, row by row from the top, as in the game's view."""
    side: Side
    """The one to move."""
    extras: tuple[int, ...] = ()
    """The numbers of the game's `extras`, in their order."""


@dataclass(frozen=True, slots=True)
class Extra:
    """What a position says beside its cells and the side to move: a field where one is set up."""

    title: str
    """What it is called there: short. A `Sentence` is read in every language."""
    most: int = 0
    """Of a number, from 0."""
    kind: Literal["number", "switch", "cells"] = "number"
    """A number; 0 or 1; or the numbers of any cells, which come last and are written by their labels."""


def stones_of(setup: Setup, marks: Sequence[str], cells: Mapping[int, int] | None = None) -> list[int]:
    """Where each mark stands, as bits: a cell's number is its bit's, unless `cells` has it by its bit."""
    places = (cells or {bit: bit for bit in range(len(setup.texts))}).items()
    return [sum(1 << bit for bit, cell in places if setup.texts[cell] == mark) for mark in marks]


def stones_in_turn(
    setup: Setup, marks: Sequence[str], cells: Mapping[int, int] | None = None
) -> tuple[int, int]:
    """The same for a game in which each side puts one stone in turn and none is ever taken.

    Raises `InvalidPosition` where that can't have led to as many, or to the side that is said to be to move.
    """
    first, second = stones_of(setup, marks, cells)
    counts = {"first": first.bit_count(), "second": second.bit_count()}
    said = dict(zip(("mark", "other"), marks, strict=True))
    if counts["first"] - counts["second"] not in (0, 1):
        raise InvalidPosition(Sentence("position.count", **said, **counts))
    to_move = counts["first"] - counts["second"]
    if setup.side != to_move:
        raise InvalidPosition(Sentence("position.turn", **counts, **said, to_move=marks[to_move]))
    return first, second


def flags(cells: int, count: int) -> bytes:
    """The lowest bits of a bitboard, one byte each and the lowest first: 1 where it is set, else 0."""
    return f"{cells:0{count}b}"[::-1].encode().translate(_FLAGS)


def characters(first: int, second: int, count: int, empty: str, one: str, other: str) -> str:
    """One character for each of the lowest bits, the lowest first; none of the three may be a digit.

    `one` stands where the first bitboard has its bit set, `other` where the second has. A view is made of
    every move of every room: bits read as hexadecimal digits take a tenth of the time of a loop over cells.
    """
    digits = int(f"{first:b}", 16) + 2 * int(f"{second:b}", 16)
    return f"{digits:0{count}x}"[::-1].replace("0", empty).replace("1", one).replace("2", other)


row_of = lru_cache(maxsize=4096)(characters)
"""As `characters`, for a row: few of them differ."""

_FLAGS = bytes.maketrans(b"01", b"\x00\x01")


def bad_size(least: int, most: int, width: int, height: int, example: str) -> Sentence:
    """Why there is no variant of that size."""
    given = {"width": str(width), "height": str(height)}
    return Sentence("game.size", least=least, most=most, example=example, **given)


def written(variants: str) -> ValueError:
    """How one writes a game's variants, for who has written something else."""
    return ValueError(Sentence("game.write", variants=variants))


_SIZE = re.compile(r"[0-9]{1,99}(?:(?:\s*(?:[,x×*]|by)\s*|\s+)[0-9]{1,99})*")


def read_size(parameters: str) -> list[int]:
    """The numbers of a board's size as people write it: `8,7`, `8x7`, `8 × 7`, `8 by 7`; `7` is a square.

    Empty where it is anything else.
    """
    text = parameters.strip()
    if _SIZE.fullmatch(text) is None:
        return []
    numbers = [int(number) for number in re.findall(r"[0-9]+", text)]
    return numbers if len(numbers) > 1 else numbers * 2


def read_square(parameters: str, variants: str) -> int:
    """The size of a square board. Raises `ValueError` with how one writes the game's `variants`."""
    match read_size(parameters):
        case [width, height] if width == height:
            return width
        case _:
            raise written(variants)


def read_sized(parameters: str, word: str, usual: Sequence[int]) -> tuple[list[int], bool]:
    """The numbers of a size, and whether a word stands behind them, or alone: `5x4, knight`.

    The numbers are the usual ones for a word alone, and none where there is anything else.
    """
    size, found, rest = parameters.lower().partition(word)
    size = size.strip().rstrip(",")
    numbers = read_size(size) if size or not found else [*usual]
    return [] if rest.strip() else numbers, bool(found)


class MoveError(ValueError):
    """A move that can't be played; the position stands as it was."""


class InvalidMove(MoveError):
    """No such move in this game: off the board, or not to be read at all."""


class IllegalMove(MoveError):
    """A move of this game, but not now: the cell is taken, say."""


class GameIsOver(MoveError):
    """The game has ended: no move is legal."""


class BrokenContract(ValueError):
    """A game that doesn't do what the contract asks; a sentence says what."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a finished game ended: the winning side, None for a draw, and why, in words and as data.

    Words that are a `Sentence`, as of Parlour's own games, are read in every language; so are a game's title,
    its summary and its variants.
    """

    winner: Side | None
    reason: str
    termination: GameTermination


@dataclass(frozen=True, slots=True)
class Rule:
    """A point of a game's rules: a few short sentences, and a position that shows it."""

    text: str
    """A `Sentence` is read in every language."""
    moves: str | None = None
    """The moves that lead to that position, as people write them; None: there is none to show."""
    marked: str = ""
    """What is marked on it: legal moves, each where it goes, or cells by their labels, such as `d4`."""
    on: "Game[Any] | None" = None
    """The game whose board is shown, where that is not the game itself: a smaller one of its kind, say."""


class Game(ABC, Generic[PositionT]):
    """A two-player game of perfect information, as functions of a position.

    Positions are immutable, hashable, equal when the same, and can be pickled. So can the game. Sides
    are 0, which moves first, and 1. They move in turn unless `alternates` is false; where a side can't move
    but the game goes on, its one legal move is a pass.
    """

    name: str
    """What one types to play it."""
    title: str
    summary: str
    """A line on what it is and how it is won."""
    variants: ClassVar[str] = ""
    """What else `variant` reads, for people: how it is written, and an example. Empty where there is none."""
    usual: ClassVar[tuple[str, ...]] = ()
    """What of that is chosen most, in the words that `variant` reads; first what is the game itself."""
    sample: str = ""
    """A few moves, as people write them: the position that shows what the game looks like."""
    alternates: ClassVar[bool] = True
    """Do the sides move in turn without exception? Where not, a side may be to move after its own move."""
    playable: ClassVar[bool] = True
    """Can it be played at a table, or only be searched?"""
    max_plies: int
    """No game is longer: bounds the scores of wins and losses."""
    margins: ClassVar[bool] = False
    """Does it matter by how much one wins, as with the discs of reversi? See `margin`."""
    estimate_scale: float = 15.0
    """How many points ahead, by `evaluate`, make a chance to win of 73%: the scale of a logistic curve,
    fitted to played games by `scripts/fit_chances.py`."""
    quiet: ClassVar[int] = 0
    """Where the game is `selective` neither side can force a win in so few plies."""
    kernel: str = ""
    """The module of the game's compiled twin, if it has one: see `parlour_server.search.kernels`."""
    notation: ClassVar[re.Pattern[str]]
    """Matches one move as people write it, so that `a1b2` can be read as two."""

    letters: ClassVar[tuple[str, str]] = ("x", "o")
    """What a position's text has for each side's kinds of pieces, in the order of its marks."""
    walls: ClassVar[str] = ""
    """Signs that stand in cells and are no side's, such as `#`: a position's text has them as they are."""

    def rules(self) -> Sequence[Rule]:
        """The rules, point by point, as a person reads them who has never played: a screen at most."""
        return [Rule(self.summary, self.sample)]

    @abstractmethod
    def initial(self) -> PositionT:
        """The position in which the game begins."""

    @abstractmethod
    def to_move(self, position: PositionT) -> Side:
        """The side to move (in a finished game the side whose move it would be)."""

    @abstractmethod
    def legal_moves(self, position: PositionT) -> Sequence[Move]:
        """Every legal move, in a fixed order; none when the game is over."""

    @abstractmethod
    def play(self, position: PositionT, move: Move) -> PositionT:
        """The position after a legal move. The caller vouches for it: nothing is checked."""

    @abstractmethod
    def outcome(self, position: PositionT) -> Outcome | None:
        """How the game ended, or None while it goes on."""

    @abstractmethod
    def evaluate(self, position: PositionT) -> int:
        """A guess at an unfinished position for the side to move, in hundredths of a point.

        0 is even; no guess is beyond -4800 and 4800, which leaves room below every win.
        """

    @abstractmethod
    def parse(self, position: PositionT, text: str) -> Move:
        """Read a move as people write it, legal or not. Raises `InvalidMove`."""

    @abstractmethod
    def format(self, position: PositionT, move: Move) -> str:
        """Write a move as people do. What `parse` reads back."""

    @abstractmethod
    def view(self, position: PositionT, last: Move | None = None) -> BoardView:
        """The position for the wire; `last` is the move that led to it."""

    def delta(self, before: PositionT, last: Move | None, move: Move, after: PositionT) -> BoardDelta | None:
        """What a move changes on the board: what makes `view(after, move)` of `view(before, last)`.

        None, as here: the two are drawn and compared, which is most of what a move costs.
        """
        return None

    def extras(self) -> Sequence[Extra]:
        """What a position that is set up says beside its cells and the side to move."""
        return ()

    def setup(self, position: PositionT) -> Setup:
        """The position taken apart, as it is written: see `positions.py`."""
        view = self.view(position)
        return Setup(tuple(view.texts()), self.to_move(position))

    def place(self, setup: Setup) -> PositionT:
        """The position that is set up so: what `setup` takes apart. Raises `InvalidPosition`.

        Its cells hold what the view's may, and its extras are within their bounds, 0 where they weren't said.
        Whether such a position can be, this has to say; and whether the game is over in it.
        A game that doesn't say how can't be set up: see `positions.py`.
        """
        raise NotImplementedError

    def as_rows(self, text: str) -> str:
        """A position in the form that the field has for this game, as `positions.py` reads one; else the text
        as it is. Raises `InvalidPosition` for what is meant as such a form and is none.
        """
        return text

    def variant(self, parameters: str) -> "Game[Any]":
        """The game on another board or with another rule: what follows a colon, as in `reversi:6`.

        The variant's own name is written the same way each time, so that a log finds the game again; what
        spells the game itself out gives the game itself. It may be asked for by strangers: it must be
        quick to make. Raises `ValueError` with a sentence that says what would do.
        """
        raise ValueError(Sentence("game.no_variants", game=self.name))

    def search_order(self, position: PositionT) -> Sequence[Move]:
        """The legal moves as a search should try them, the likely best first: it cuts off the more.

        Their fixed order unless a game knows better. It may leave out moves that lose at once or are
        surely no better than one that it names; where it leaves out others too, `selective` must say so.
        """
        return self.legal_moves(position)

    def selective(self, position: PositionT) -> bool:
        """Does `search_order` leave out moves here that might be the best ones after all?

        What such a position loses is never called proven, and how soon it wins no further than `quiet` says.
        """
        return False

    def ordered(self, position: PositionT) -> bool:
        """Is `search_order` better here than what a search learns in other positions?

        It then tries no move out of turn but the one that was best when it last came here.
        """
        return False

    def urgent(self, position: PositionT) -> bool:
        """Is `evaluate` blind here, since a threat hangs over the board? A search then looks further."""
        return False

    def search_key(self, position: PositionT) -> Hashable:
        """What a search knows a position by, beside the side to move: the position, unless parts of it hardly
        matter, such as a counter for a draw.
        """
        return position

    def plies_left(self, position: PositionT) -> int:
        """An upper bound for how many plies the game can still last: a search as deep is exact.

        Plies without a choice, such as passes, need not count: no depth is spent on them.
        """
        return self.max_plies

    def margin(self, position: PositionT) -> int:
        """By how much a finished game was won, for a game with `margins`; at most 999."""
        return 0

    def worth(self, position: PositionT) -> int:
        """What a finished game without a winner is worth to the side that began, in points."""
        return 0

    def can_win(self, position: PositionT, side: Side) -> bool:
        """Could this side still win, if the other one helped it? If not, the other's lack of time is a draw.

        Looked up where so little is left that this is soon done; before that a yes may be too generous.
        """
        return self.plies_left(position) > PLIES_LOOKED_UP or self._can_reach_a_win(position, side)

    def _can_reach_a_win(self, position: PositionT, side: Side) -> bool:
        outcome = self.outcome(position)
        if outcome is not None:
            return outcome.winner == side
        moves = self.legal_moves(position)
        return any(self._can_reach_a_win(self.play(position, move), side) for move in moves)

    def result(self, position: PositionT, move: Move) -> PositionT:
        """The position after a move that may be wrong. Raises `MoveError`; the position stays."""
        self.check(position, move)
        return self.play(position, move)

    def check(self, position: PositionT, move: Move) -> None:
        """Raise `GameIsOver` or `IllegalMove`, with a sentence for people, unless the move is legal."""
        outcome = self.outcome(position)
        if outcome is not None:
            raise GameIsOver(Sentence("game.move.over", reason=outcome.reason))
        if move not in self.legal_moves(position):
            raise IllegalMove(Sentence("game.move.illegal", move=self.format(position, move)))

    def utility(self, position: PositionT) -> int:
        """A finished game's worth to the side that moved first: 1 won, -1 lost, 0 drawn.

        Raises `ValueError` for a position that is not finished.
        """
        outcome = self.outcome(position)
        if outcome is None:
            raise ValueError("utility is for finished games")
        if outcome.winner is None:
            return 0
        return 1 if outcome.winner == 0 else -1

    def replay(self, text: str) -> tuple[PositionT, Move | None]:
        """Play a whole string of moves from the start: the position, and the last move if any.

        Moves may be divided by spaces, commas or nothing. Raises `MoveError`, which says which move
        was wrong.
        """
        position, last = self.initial(), None
        for _, move, after in self.follow(text):
            position, last = after, move
        return position, last

    def read(self, text: str) -> list[str]:
        """The moves of such a string one by one, as the game writes them. Raises `MoveError`."""
        return [self.format(before, move) for before, move, _ in self.follow(text)]

    def follow(self, text: str) -> Iterator[tuple[PositionT, Move, PositionT]]:
        """Each move of such a string, between the positions before and after it. Raises `MoveError`."""
        position, number = self.initial(), 0
        # One move at a time: `replay` stops at the first fault, however long the text is.
        for chunk in re.finditer(r"[^\s,]+", text):
            rest = chunk[0]
            while rest:
                number += 1
                word = self.first_word(position, rest)
                try:
                    move = self.parse(position, word)
                    if rest != chunk[0] and not any(map(self.notation.match, (rest, rest.lower()))):
                        # As in `a1xb2`, where that is no move: `parse` forgives a sign before a cell.
                        raise InvalidMove(Sentence("game.move.divided"))
                    after = self.result(position, move)
                except MoveError as error:
                    wrong = Sentence("game.move.numbered", number=number, move=quoted(word), why=str(error))
                    raise type(error)(wrong) from None
                yield position, move, after
                position, rest = after, rest[len(word) :]

    def first_word(self, position: PositionT, text: str) -> str:
        """What of a text without gaps is its first move: as much as fits the notation, or all of it.

        What fits none `parse` is to name the fault of.
        """
        match = self.notation.match(text)
        return match[0] if match and match[0] else text
