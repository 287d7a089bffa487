"""What an interface is: how a bot is found in a file, asked, and its answer made a move of ours."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Generic, TypeVar

from parlour_client.bots.position import Position
from parlour_protocol.words import say

Choose = Callable[[Position], Any]
"""Chooses a move: its name, perhaps with a report. Raises `WrongAnswer`."""

LONGEST_ANSWER = 100
MOST_SHOWN = 12
T = TypeVar("T")


def in_no_file(module: ModuleType) -> None:
    """Of a program: no file tells that it speaks this."""


@dataclass(frozen=True, slots=True)
class Interface:
    """One way to call a bot."""

    name: str
    games: tuple[str, ...]
    """Those that can be played by it; empty: all."""
    speak: Callable[[Any], Choose]
    """Makes a bot of ours of what was found in a file, or of a program's command."""
    find: Callable[[ModuleType], Any] = in_no_file
    """What in a file speaks it; None where nothing does."""
    argument: Callable[[ModuleType, Position], Any] | None = None
    """A position as the functions of such a file are given it; None where that isn't known."""
    is_program: bool = False
    """Is it spoken on standard input and output?"""

    def bot(self, found: Any) -> Choose:
        """A bot of ours; where nothing but passing is possible it isn't asked: few of them know of that."""
        ask = self.speak(found)

        def choose(position: Position) -> Any:
            passes = position.view.done_at()
            return passes[0] if passes and len(position.view.legal) == 1 else ask(position)

        return ask if self.name == "parlour" else choose


class WrongAnswer(Exception):
    """An answer that is no move here, told in the interface's own words."""

    def __init__(self, interface: str, answer: Any, possible: Mapping[Any, str]) -> None:
        self.illegal = any(type(answer) is type(one) for one in possible)
        """Has it the form of a move?"""
        shown = [str(one) for one in possible]
        super().__init__(
            say(
                "error.bot.answer",
                answer=repr(answer)[:LONGEST_ANSWER],
                wanted=say(f"bot.answer.{interface}"),
                possible=", ".join(shown[:MOST_SHOWN]) + (", ..." if len(shown) > MOST_SHOWN else ""),
            )
        )


def move_of(interface: str, answer: Any, possible: Mapping[Any, str]) -> str:
    """The move that an answer is, of those that are `possible`. Raises `WrongAnswer`."""
    if getattr(answer, "shape", None) == ():
        # One of numpy's numbers.
        answer = answer.item()
    try:
        return possible[tuple(answer) if isinstance(answer, list) else answer]
    except (KeyError, TypeError):
        raise WrongAnswer(interface, answer, possible) from None


def by_cell(position: Position) -> dict[tuple[int, int], str]:
    """The legal moves by row and column, counted from 0 at the top left."""
    width = len(position.view.columns)
    return {divmod(path[0], width): move for move, path in position.view.ways() if path}


def by_column(position: Position) -> dict[int, str]:
    """The legal moves by column, counted from 0 at the left."""
    return {column: move for (_, column), move in by_cell(position).items()}


def cell_of(position: Position, move: str) -> tuple[int, int] | None:
    """The row and column, from 0 at the top left, of a move that puts a piece; None for one that doesn't."""
    view = position.view
    for column, label in enumerate(view.columns):
        if move.startswith(label) and move.removeprefix(label) in view.rows:
            return view.rows.index(move.removeprefix(label)), column
    return None


def numbers(position: Position) -> list[list[int]]:
    """The rows of cells from the top: 0 where one is empty, else 1 or 2 for the side that began, or not."""
    values = {position.marks[0]: 1, position.marks[1]: 2}
    return [[values.get(cell, 0) for cell in row] for row in position.board]


def number(position: Position) -> int:
    """Ours of these."""
    return 1 + position.marks.index(position.mark)


class PerGame(Generic[T]):
    """What lives as long as a game: made anew where a position doesn't follow from the one before."""

    def __init__(self, make: Callable[[Position], T], end: Callable[[T], None] = lambda _: None) -> None:
        self._make, self._end = make, end
        self._one: T | None = None
        self._last: Position | None = None

    def at(self, position: Position) -> T:
        """The one for this position."""
        last, self._last = self._last, position
        goes_on = (
            last is not None
            and (last.game, last.mark) == (position.game, position.mark)
            and position.moves[: len(last.moves)] == last.moves != position.moves
        )
        if not goes_on:
            self.forget()
        if self._one is None:
            self._one = self._make(position)
        return self._one

    def forget(self) -> None:
        """End it: the next position has another."""
        if self._one is not None:
            self._end(self._one)
            self._one = None
