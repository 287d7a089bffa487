"""A position as one line of text, and the game that begins there.

The line has the rows from the top, divided by `/`, then the sign of the side to move, then in brackets what
else a game's positions say (its `extras`):

    xo1/1x1/3 o                         tic-tac-toe
    8/8/8/3ox3/3xo3/8/8/8 x             reversi
    4,4,4,4,4,4/4,4,0,5,5,5 a [1,0]     kalah, where what stands in a cell is a number itself
    1xo2/x1xo1/1xo2/5/5 x [9,0,b4]      go: nine moves were made, the last was no pass, b4 is forbidden

A number is so many empty cells, as in chess' FEN. What is pasted from a screen is read, too: the rows on
lines of their own, with their labels or without; and so is what the field writes for a game (`as_rows`).

A game that begins elsewhere is named by its position, behind an `@`: `tictactoe@xo1/1x1/3 o`. So whatever
takes a game's name takes a position: a room, an analysis, a lecture, a match, a link. Moves count from there.
"""

import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any, NamedTuple

from parlour_protocol.ids import Side
from parlour_protocol.settings import SettingLine
from parlour_protocol.views.boards import VOID, BoardView
from parlour_protocol.words import Sentence
from parlour_server.games.game import Extra, Game, InvalidPosition, Rule, Setup, quoted

AT = "@"
"""Stands between a game's name and the position in which it begins."""

_NUMBER = re.compile(r"[0-9]+")
_EXTRAS = re.compile(r"\s*\[([^\[\]]*)\]\s*$")
_WRONG_SIDE = re.compile(r"/[^/\s]+\s+([^\W\d]+)$")
"""What stands behind the last row of a line, divided from it, and is no number."""
_EMPTY_SIGNS = ".·-_+"
"""What screens and people write for an empty cell."""


class _Form(NamedTuple):
    """How a game's positions are written."""

    view: BoardView
    """Of its beginning."""
    signs: Mapping[str, str]
    """By text what is written for it: the sides' own letters, one for each kind; and walls as they are."""

    @property
    def pits(self) -> bool:
        """Are its cells numbers?"""
        return self.view.layout == "pits"

    @property
    def edges(self) -> bool:
        """Is what is void a box that nobody has yet?"""
        return self.view.layout == "edges"

    @property
    def names(self) -> list[str]:
        """The cells by their labels."""
        return [column + row for row in self.view.rows for column in self.view.columns]

    def unknown(self, given: str, row: int) -> InvalidPosition:
        """Of what stands for nothing."""
        known = "0, 1, 2" if self.pits else ", ".join(self.signs.values())
        return InvalidPosition(
            Sentence("position.sign", sign=quoted(given), row=self.label(row), signs=known)
        )

    def label(self, row: int) -> str:
        """A row's label, else its number."""
        return self.view.rows[row] or str(row + 1)


def _form(game: Game[Any]) -> _Form:
    view = game.view(game.initial())
    letters = {
        text: letters[kind]
        for marks, letters in zip(view.marks, game.letters, strict=True)
        for kind, text in enumerate(marks)
    }
    return _Form(view, letters | {wall: wall for wall in game.walls})


def write(game: Game[Any], position: Any) -> str:
    """A position as a line of text. Raises `InvalidPosition` where the game can't be set up."""
    setup, form = game.setup(position), _form(game)
    width = len(form.view.columns)
    rows = [_row(setup.texts[at : at + width], form) for at in range(0, len(setup.texts), width)]
    side = form.signs[form.view.marks[setup.side][0]]
    extras = f" [{','.join(_written(game, setup))}]" if setup.extras else ""
    return f"{'/'.join(rows)} {side}{extras}"


def _written(game: Game[Any], setup: Setup) -> list[str]:
    """The extras one by one, a cell by its labels."""
    numbers = _numbers(game.extras())
    names = _form(game).names
    return [*map(str, setup.extras[:numbers]), *(names[cell] for cell in setup.extras[numbers:])]


def _numbers(extras: Sequence[Extra]) -> int:
    """How many of them are numbers."""
    return sum(extra.kind != "cells" for extra in extras)


def _row(texts: Sequence[str], form: _Form) -> str:
    if form.pits:
        return ",".join(texts)
    written, free = "", 0
    for text in texts:
        if text == form.view.empty or (text == VOID and form.edges):
            free += 1
        elif text != VOID:
            written += f"{free or ''}{form.signs[text]}"
            free = 0
    return f"{written}{free or ''}"


def read(game: Game[Any], text: str) -> Any:
    """The position that a text says. Raises `InvalidPosition`."""
    if type(game).place is Game.place:
        raise InvalidPosition(Sentence("position.not_here", game=game.title))
    return game.place(_read_setup(game, game.as_rows(text.strip())))


def tray(game: Game[Any]) -> list[str]:
    """What may be put into a cell of a position that is set up: pieces, walls that may be built, nothing."""
    view = game.view(game.initial())
    if type(game).place is Game.place or view.layout == "pits":
        return []
    walls = [wall for wall in game.walls if wall not in view.texts()]
    # An edge is drawn as it lies, whichever sign stands for it.
    return [*view.marks[0], *view.marks[1], *(walls[:1] if view.layout == "edges" else walls), view.empty]


def fields(game: Game[Any], position: Any) -> list[SettingLine]:
    """What else is asked of who sets a position up: the game's extras, as they are in this one."""
    if type(game).place is Game.place:
        return []
    extras, setup = game.extras(), game.setup(position)
    count = _numbers(extras)
    values = [*setup.extras[:count], *[0] * (count - len(setup.extras))]
    cells = " ".join(_written(game, setup)[count:])
    lines = []
    for number, extra in enumerate(extras):
        about = "" if extra.kind == "switch" else _about(game, extra)
        line = partial(SettingLine, str(number), extra.title, about)
        match extra.kind:
            case "number":
                lines.append(line("number", values[number], least=0, greatest=extra.most, whole=True))
            case "switch":
                lines.append(line("switch", bool(values[number])))
            case "cells":
                lines.append(line("text", cells))
    return lines


def _about(game: Game[Any], extra: Extra) -> Sentence:
    if extra.kind == "cells":
        return Sentence("position.extra.cells", example=" ".join(_form(game).names[:2]))
    return Sentence("position.extra.number", most=1 if extra.kind == "switch" else extra.most)


def _read_extras(game: Game[Any], text: str) -> tuple[int, ...]:
    """What stands in the brackets: 0 for each number that isn't said. Raises `InvalidPosition`."""
    extras, found = game.extras(), list[int]()
    words = re.split(r"[,\s]+", text.strip(", \n\t")) if text.strip(", \n\t") else []
    for number, word in enumerate(words):
        extra = extras[min(number, len(extras) - 1)] if extras else None
        if extra is None or (number >= len(extras) and extra.kind != "cells"):
            titles = [one.title for one in extras]
            if not titles:
                raise InvalidPosition(Sentence("position.extra.none", game=game.title))
            raise InvalidPosition(Sentence("position.extra.many", count=len(words), titles=titles))
        names = [str(one) for one in range(1 + extra.most)] if extra.kind == "number" else ["0", "1"]
        if extra.kind == "cells":
            names = _form(game).names
            # Which cell it is was written as a number once.
            word = names[int(word)] if word.isdecimal() and int(word[:4]) < len(names) else word.lower()
        if word not in names:
            given = quoted(word)
            why = Sentence("position.extra.wrong", title=extra.title, given=given, how=_about(game, extra))
            raise InvalidPosition(why)
        found.append(names.index(word))
    return *found, *[0] * (_numbers(extras) - len(found))


def _read_setup(game: Game[Any], text: str) -> Setup:
    form, extras = _form(game), ""
    if match := _EXTRAS.search(text):
        text, extras = text[: match.start()], match[1]
    lines, side = _lines(text, form)
    wrong = _WRONG_SIDE.search(text)
    if side is None and wrong and len(lines) == len(form.view.rows):
        first, second = (form.signs[marks[0]] for marks in form.view.marks)
        raise InvalidPosition(Sentence("position.side", sign=quoted(wrong[1]), first=first, second=second))
    if len(lines) != len(form.view.rows):
        raise InvalidPosition(Sentence("position.rows", rows=len(form.view.rows), count=len(lines)))
    cells = [cell for number, line in enumerate(lines) for cell in _cells(line, number, form)]
    return Setup(
        tuple(cells), _side_by_count(cells, form.view) if side is None else side, _read_extras(game, extras)
    )


def _lines(text: str, form: _Form) -> tuple[list[str], Side | None]:
    """The rows, and the side to move where it is said behind them."""
    sides: dict[str, Side] = {}
    for side in (0, 1):
        mark = form.view.marks[side][0]
        sides[form.signs[mark].lower()] = sides[mark.lower()] = 1 if side else 0
    if "\n" in text:
        return _pasted(text, form, sides)
    board, _, last = text.rpartition(" ")
    if board and last.lower() in sides:
        return board.strip().split("/"), sides[last.lower()]
    return text.split("/"), None


def _pasted(text: str, form: _Form, sides: Mapping[str, Side]) -> tuple[list[str], Side | None]:
    """The same as it stands on a screen: a row's label before its cells, the columns' below or above them."""
    view = form.view
    columns = [*filter(None, view.columns)]
    lines = [words for line in text.splitlines() if (words := line.split()) and words != columns]
    side = sides.get(lines[-1][0].lower()) if len(lines) > len(view.rows) else None
    if side is not None:
        del lines[-1]
    for words, label in zip(lines, view.rows, strict=False):
        if len(words) > 1 and words[0] == label:
            del words[0]
    between = "," if form.pits else ""
    return [between.join(words) for words in lines], side


def _cells(line: str, row: int, form: _Form) -> Iterator[str]:
    """What stands in the cells of a row: as many as it has."""
    width = len(form.view.columns)
    texts = form.view.texts()[row * width : (row + 1) * width]
    voids = [text == VOID and not form.edges for text in texts]
    found = [*_given(line.strip(), row, form)]
    wanted = width - sum(voids)
    if len(found) != wanted:
        label = form.label(row)
        raise InvalidPosition(Sentence("position.row", row=label, cells=wanted, count=len(found)))
    given = iter(found)
    return iter([VOID if void else next(given) for void in voids])


def _given(line: str, row: int, form: _Form) -> Iterator[str]:
    if form.pits:
        for word in re.split(r"[,\s]+", line):
            if not _NUMBER.fullmatch(word) or len(word) > 3:
                raise form.unknown(word, row)
            yield str(int(word))
        return
    empty = form.view.empty
    by_sign = {sign: text for text, sign in form.signs.items()} | {text: text for text in form.signs}
    at = 0
    while at < len(line):
        sign = line[at]
        if match := _NUMBER.match(line, at):
            if len(match[0]) > 3:
                raise form.unknown(match[0], row)
            yield from [empty] * int(match[0])
            at = match.end()
            continue
        text = by_sign.get(sign) or by_sign.get(sign.swapcase())
        if text is None and sign != empty and sign not in _EMPTY_SIGNS:
            raise form.unknown(sign, row)
        yield empty if text is None else text
        at += 1


def _side_by_count(cells: Sequence[str], view: BoardView) -> Side:
    """Where it isn't said: the first side with as many pieces, the second where the first has one more."""
    first, second = (sum(text in marks for text in cells) for marks in view.marks)
    return 1 if first == second + 1 else 0


# ---------------------------------------------------------------- games that begin elsewhere


def begin_at(game: Game[Any], text: str) -> Game[Any]:
    """The game from such a position on; itself where that is its beginning.

    Raises `InvalidPosition`, also for a position in which it is over.
    """
    position = read(game, text)
    if position == game.initial():
        return game
    if (outcome := game.outcome(position)) is not None:
        raise InvalidPosition(Sentence("position.over", reason=outcome.reason))
    found = copy.copy(game)
    found.__class__ = _elsewhere(type(game))
    found.origin, found.start = game, position  # type: ignore[attr-defined]
    found.name = f"{game.name}{AT}{write(game, position)}"
    found.title = Sentence("position.title", game=game.title)
    found.sample = ""
    return found


class _Elsewhere:
    """What is other about a game that begins elsewhere."""

    origin: Game[Any]
    start: Any

    def __reduce__(self) -> tuple[object, ...]:
        return begin_at, (self.origin, write(self.origin, self.start))

    def initial(self) -> Any:
        """The position in which it begins."""
        return self.start

    def rules(self) -> Sequence[Rule]:
        """Those of the game, with pictures of its usual beginning."""
        return [replace(rule, on=rule.on or self.origin) for rule in self.origin.rules()]

    def variant(self, parameters: str) -> Game[Any]:
        """There are none of a position."""
        raise ValueError(Sentence("game.no_variants", game=self.origin.name))


@cache
def _elsewhere(kind: type[Game[Any]]) -> Any:
    # As the one base of a class of its own, which an object can be turned into.
    own = {name: method for name, method in vars(_Elsewhere).items() if callable(method)}
    return type(kind.__name__, (kind,), own)
