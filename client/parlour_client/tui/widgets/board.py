"""The board: any position that a server describes, played by mouse, by arrow keys and enter, or by typing."""

import re
import time
from collections.abc import Collection, Container
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar

from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.timer import Timer

from parlour_client.render.board_cells import ROLES, Palette, Role, Scene, draw
from parlour_client.render.board_grid import Grid, fit
from parlour_client.tui.widgets import animation, cursor
from parlour_client.tui.widgets.animation import Motion
from parlour_client.tui.widgets.cursor import WAYS
from parlour_protocol import LONGEST_WORD
from parlour_protocol.views.boards import BoardView, Path
from parlour_protocol.views.reports import Report

FRAME_SECONDS = 1 / 40
BETWEEN = "-:x×>"
"""Characters that stand between two cells in the notation of many games."""
_NUMBERED = re.compile(f"[0-9]{{1,2}}([{BETWEEN}][0-9]{{0,2}})*")
"""A move, or its beginning, that numbers its cells, as draughts players do."""
_GROUNDS: tuple[Role, ...] = ("ground", "other-ground", "last")


class Board(ScrollView, can_focus=True):
    """Draws a position as large as it has room for, and tells by messages what its player wants.

    What is typed is kept in `typed` until it names a move: the screen shows it.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"board--{role}" for role in ROLES}

    @dataclass
    class Chosen(Message):
        """A legal move was chosen."""

        move: str

    @dataclass
    class Planned(Message):
        """A cell was chosen before one's turn: for an answer, or to take that back."""

        cell: int

    @dataclass
    class Entered(Message):
        """Something was typed to its end that is no legal move, or not clearly one."""

        text: str

    @dataclass
    class Picked(Message):
        """Of a move so much was chosen that it may become one of these; none: it was let go.

        Where nothing more can be chosen, each has a number before it, which the next key says.
        """

        moves: list[str]

    class NoMove(Message):
        """Enter was pressed behind a text that begins no move."""

    class Typed(Message):
        """What is being typed has changed."""

    def __init__(self, *, id: str | None = None, commands: Container[str] = ()) -> None:  # noqa: A002 (Textual's name)
        """`commands`: the keys that mean something else than a text."""
        super().__init__(id=id)
        self._commands = commands
        self.typed = ""
        self.listening = True
        """Whether keys are for the board, and not for a question that is asked elsewhere."""
        self.plans = False
        """May an answer be chosen before one's turn?"""
        self._planned: int | None = None
        self._armed = True
        """May enter play what is pointed at? Not behind a text, nor behind a move that is played by then."""
        self._asked: list[str] = []
        """The moves of which one is asked for."""
        self._unused = ""
        """What was typed that begins no move: a digit behind it, and all behind a blank, belongs to it."""
        self._view: BoardView | None = None
        self._yours = False
        self._marked: Collection[int] = ()
        self._cursor: int | None = None
        self._picked: Path = ()
        """What was chosen of a move by now: a piece, say; where it goes is chosen next."""
        self._hovered: int | None = None
        self._sent: tuple[int, str] | None = None
        """Where a move that is on its way to the server goes, and what it puts there."""
        self._report: Report | None = None
        self._grid: Grid | None = None
        self._lines: list[Strip] | None = None
        self._blank = Strip.blank(0)
        self._palette: Palette | None = None
        self._motion = Motion()
        self._moving_since = 0.0
        self._ticking: Timer | None = None

    # ------------------------------------------------------------ what is shown

    @property
    def view(self) -> BoardView | None:
        """The position that is shown."""
        return self._view

    @property
    def grid(self) -> Grid | None:
        """Where its cells stand."""
        return self._grid

    @property
    def drawn(self) -> bool:
        """Has what is shown been painted?"""
        return self._lines is not None

    @property
    def moving(self) -> bool:
        """Is something on its way?"""
        return self._ticking is not None

    def show(
        self,
        view: BoardView | None,
        *,
        yours: bool = False,
        animate: bool = True,
        marked: Collection[int] = (),
    ) -> None:
        """Show a position; what moved is seen to move, unless that is not wanted."""
        before, self._view = self._view, view
        self._marked = marked
        if self._yours and not yours:
            self._armed = True
        self._yours = yours
        self._sent, self._report = None, None
        if self._picked and (not yours or view is None or before is None or view.cells != before.cells):
            self._picked, self._asked = (), []
            self.post_message(self.Picked([]))
        if view is None:
            self._cursor = self._hovered = None
        else:
            # While others move the cursor rests where it is.
            self._cursor = cursor.kept(view, self._cursor, self._picked) if yours else self._cursor
        if not yours:
            self._type("")
        still = view is None or not animate or self.app.animation_level == "none"
        self._move(Motion() if still or view is None else animation.between(before, view))
        self._fit()
        if view is not None and view.last:
            self._bring_into_sight(view.last[0])

    def show_sent(self, move: str) -> None:
        """Show palely that a move is on its way to the server; empty: none is."""
        sent = self._ghost_of(move)
        if sent != self._sent:
            self._sent = sent
            self._redraw()

    def show_plan(self, cell: int | None, *, may: bool) -> None:
        """Show palely which answer is chosen before one's turn, and let one be chosen where that `may` be."""
        if (cell, may) != (self._planned, self.plans):
            self._planned, self.plans = cell, may
            self._redraw()

    def show_scores(self, report: Report | None) -> None:
        """Draw what each move is worth on its cell; None takes that away."""
        if report is not self._report:
            self._report = report
            self._redraw()

    @property
    def shows_scores(self) -> bool:
        """Are there scores on the board?"""
        return self._report is not None

    # ------------------------------------------------------------ drawing

    def _fit(self) -> None:
        size = self.container_size
        if self._view is None or not size.area:
            self._grid, self.virtual_size = None, Size(0, 0)
        else:
            self._grid = fit(self._view, size.width, size.height)
            self.virtual_size = Size(self._grid.width, self._grid.height)
        self._redraw()

    def _redraw(self) -> None:
        self._lines = None
        self.refresh()

    def on_resize(self) -> None:
        """The board grows and shrinks with its room."""
        self._fit()

    def notify_style_update(self) -> None:
        """Another theme has other colours."""
        super().notify_style_update()
        self._palette = None
        self._lines = None

    def _scene(self, view: BoardView) -> Scene:
        elapsed = time.monotonic() - self._moving_since
        row = self._motion.row(elapsed)
        falling = None if row is None or self._motion.falling is None else (self._motion.falling, row)
        ghost = self._sent
        if ghost is None and self._yours and self._hovered is not None:
            moves = view.moves_at(self._hovered, self._picked)
            ghost = self._ghost_of(moves[0]) if moves and (len(moves) == 1 or self._picked) else None
        if ghost is None and self._planned is not None and view.to_move is not None:
            landing = view.landing(self._planned)
            ghost = None if landing is None else (landing, view.marks[1 - view.to_move][0])
        target, moving = ghost or (None, "")
        return Scene(
            view,
            cursor=self._cursor if (self._yours or self.plans) and self.has_focus else None,
            picked=self._picked,
            ghost=target,
            moving=moving,
            yours=self._yours,
            falling=falling,
            pale=self._motion.pale,
            marked=self._marked,
            report=self._report,
        )

    def _ghost_of(self, move: str) -> tuple[int, str] | None:
        """Where a legal move goes, and what it puts there; None for another."""
        path = dict(self._view.ways()).get(move) if self._view else None
        if self._view is None or path is None:
            return None
        _, to = self._view.step_of(path)
        return None if to is None else (to, self._view.placed(path) or "")

    def _colours(self) -> Palette:
        if self._palette is None:
            found: dict[Role, Style] = {}
            for role in ROLES:
                style = self.get_component_rich_style(f"board--{role}")
                ground = role in _GROUNDS
                found[role] = (
                    Style(bgcolor=style.bgcolor) if ground else Style(color=style.color, bold=style.bold)
                )
            self._palette = found
        return self._palette

    def render_line(self, y: int) -> Strip:
        """A line of the widget, the board in its middle."""
        width = self.size.width
        if self._view is None or self._grid is None:
            return Strip.blank(width, self.rich_style)
        if self._lines is None:
            ground = self.rich_style
            drawn = draw(self._scene(self._view), self._grid, self._colours())
            self._lines = [Strip(line, self._grid.width).apply_style(ground) for line in drawn]
            self._blank = Strip.blank(width, ground)
        left, top = self._offset()
        line = y - top + self.scroll_offset.y
        if not 0 <= line < len(self._lines):
            return self._blank
        start = max(self.scroll_offset.x - left, 0)
        strip = self._lines[line].crop(start, start + width)
        return Strip.join(
            [self._blank.crop(0, left), strip, self._blank.crop(0, width - left - strip.cell_length)]
        )

    def _offset(self) -> tuple[int, int]:
        """How far the board stands from the upper left corner, where there is more room than it takes."""
        assert self._grid is not None
        return max(self.size.width - self._grid.width, 0) // 2, max(
            self.size.height - self._grid.height, 0
        ) // 2

    def _bring_into_sight(self, cell: int) -> None:
        if self._grid is not None:
            x, y = self._grid.place(cell)
            region = Region(x, y, self._grid.cell_width, self._grid.cell_height)
            self.scroll_to_region(region.grow((1, 2, 1, 2)), animate=False, force=True)

    # ------------------------------------------------------------ motion

    def _move(self, wanted: Motion) -> None:
        self._motion, self._moving_since = wanted, time.monotonic()
        if self._ticking is not None:
            self._ticking.stop()
            self._ticking = None
        if wanted.seconds:
            self._ticking = self.set_interval(FRAME_SECONDS, self._tick)

    def _tick(self) -> None:
        if time.monotonic() - self._moving_since >= self._motion.seconds:
            self._move(Motion())
        self._redraw()

    # ------------------------------------------------------------ mouse

    def _cell_of(self, event: events.MouseEvent) -> int | None:
        offset = event.get_content_offset(self)
        if offset is None or self._grid is None or self._view is None:
            return None
        left, top = self._offset()
        x, y = offset.x - left + self.scroll_offset.x, offset.y - top + self.scroll_offset.y
        cell = self._grid.cell_at(x, y)
        if cell is None and self._grid.ruling == "tray" and 0 <= y < self._grid.height:
            # Above and below a column means the column.
            cell = self._grid.column_at(x)
        return cell

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """A mark of the player's own shows palely where it would go."""
        self._hover(self._cell_of(event))

    def on_leave(self) -> None:
        """The mouse has gone elsewhere."""
        self._hover(None)

    def _hover(self, cell: int | None) -> None:
        if cell != self._hovered:
            self._hovered = cell
            if self._yours:
                self._redraw()

    def on_click(self, event: events.Click) -> None:
        """Play there."""
        cell = self._cell_of(event)
        if cell is not None:
            event.stop()
            self._choose(cell)

    def _choose(self, cell: int) -> None:
        if self._view is None:
            return
        if self.plans:
            if self._view.landing(cell) is not None:
                self.post_message(self.Planned(cell))
            return
        self._type("")
        before = self._picked
        picked, moves = self._view.choose(before, cell)
        if moves:
            self._pick(())
            if len(moves) == 1:
                self.post_message(self.Chosen(moves[0]))
            else:
                self._asked = moves
                self.post_message(self.Picked([f"{key} {move}" for key, move in enumerate(moves, start=1)]))
        elif self._yours and (picked or cell in before):
            self._pick(picked)
        else:
            self.post_message(self.Entered("".join(map(self._called, (*before, cell)))))

    def _pick(self, picked: Path) -> None:
        """Choose the piece that is to move, say, or nothing. A cursor goes on to what comes next, or back."""
        assert self._view is not None
        before, self._picked = self._picked, picked
        if self._cursor is not None and (picked or before):
            # One step back the cursor stands where that step was.
            near = before[len(picked)] if len(picked) < len(before) else picked[-1]
            self._cursor = cursor.kept(self._view, near, picked)
        if picked != before:
            at = len(picked)
            moves = [move for move, path in self._view.ways() if picked and path[:at] == picked]
            self.post_message(self.Picked(moves))
        self._redraw()

    def _called(self, cell: int) -> str:
        """A cell as its column and row are called: what a player who chose it means."""
        assert self._view is not None
        row, column = divmod(cell, max(len(self._view.columns), 1))
        return f"{self._view.columns[column]}{self._view.rows[row]}"

    # ------------------------------------------------------------ keys

    def on_focus(self) -> None:
        """The cursor shows while keys come here."""
        self._redraw()

    def on_blur(self) -> None:
        """And does not while they go elsewhere."""
        self._redraw()

    def on_key(self, event: events.Key) -> None:
        """Arrows and enter, or a move that is typed."""
        armed, self._armed = self._armed, True
        asked, self._asked = self._asked, []
        if asked:
            self.post_message(self.Picked([]))
        unused, self._unused = self._unused, ""
        if self._view is None or not self.listening:
            return
        text = event.character if event.is_printable and event.key not in self._commands else None
        if self.plans and (armed or event.key == "escape") and self._plan_by(event.key, text):
            event.stop()
            return
        if not self._yours:
            # Who writes to the others without `T` may finish when it is their turn.
            self._armed = text is None or (armed and text.isspace())
            return
        if text is not None and text in map(str, range(1, len(asked) + 1)):
            self.post_message(self.Chosen(asked[int(text) - 1]))
        elif event.key in WAYS:
            self._point(event.key)
        elif event.key == "space" and (unused or (self.typed and self.typed not in self._view.legal)):
            self._unused, self._armed = f"{unused or self.typed} ", False
            self._type("")
        elif unused and event.key == "enter":
            self.post_message(self.NoMove())
        elif event.key in ("enter", "space") and not (event.key == "space" and self.typed):
            if armed:
                self._enter()
        elif event.key == "backspace" and self.typed:
            self._type(self.typed[:-1])
        elif event.key == "escape" and self._picked and not self.typed:
            self._pick(self._picked[:-1])
        elif event.key == "escape" and (self.typed or self._cursor is not None):
            self._type("")
            self._cursor = None
            self._redraw()
        elif text is not None and not text.isspace():
            if not self._take(text, unused):
                self._armed = False
                return
        else:
            # Who writes to the others may come upon a letter that is a command.
            self._armed = not unused
            return
        event.stop()

    def _plan_by(self, key: str, text: str | None) -> bool:
        """Choose an answer before one's turn, or take it back: by the cursor, or a column by its number."""
        view = self._view
        assert view is not None
        if key in WAYS:
            self._point(key)
        elif key in ("enter", "space") and self._cursor is not None:
            self._choose(self._cursor)
        elif key == "escape" and self._planned is not None:
            self.post_message(self.Planned(self._planned))
        elif text is not None and text.isdigit() and text in view.legal:
            self._choose(dict(view.ways())[text][0])
        else:
            return False
        return True

    def _point(self, way: cursor.Way) -> None:
        assert self._view is not None
        self._type("")
        if self._cursor is None:
            self._cursor = cursor.start(self._view, self._picked)
        else:
            self._cursor = cursor.moved(self._view, self._cursor, way, self._picked)
        if self._cursor is not None:
            self._bring_into_sight(self._cursor)
        self._redraw()

    def _enter(self) -> None:
        assert self._view is not None
        if self.typed:
            text = self.typed
            self._type("")
            self._submit(text)
        elif self._cursor is not None:
            self._choose(self._cursor)
        elif len(self._view.legal) == 1:
            # A pass has no cell to point at.
            self.post_message(self.Chosen(self._view.legal[0]))
        else:
            self._point("right")

    def _submit(self, text: str) -> None:
        assert self._view is not None
        move = next((move for move in self._view.legal if move.casefold() == text.casefold()), None)
        self.post_message(self.Entered(text) if move is None else self.Chosen(move))

    def _take(self, sign: str, unused: str) -> bool:
        """Type a sign, behind what was `unused`; False where it is not for the board."""
        text = self.typed + sign
        begins = self.begins(sign)
        if " " in unused or (not self.typed and not sign.isdigit() and not begins):
            self._unused = f"{unused}{sign} " if sign.isupper() else (unused + sign)[:LONGEST_WORD]
            return False
        if unused and sign.isdigit():
            text = unused + sign
        elif sign in BETWEEN and self.typed[:1].isalpha() and not self._leads_on(text):
            # Some write it where we don't.
            return True
        elif begins and not self._leads_on(text) and not self._may_go_on(text):
            text = sign
        if len(text) > LONGEST_WORD:
            return True
        fitting = self._leads_on(text)
        if len(fitting) == 1 and fitting[0].casefold() == text.casefold():
            self._type("")
            self._armed = False
            self.post_message(self.Chosen(fitting[0]))
        elif not fitting and not self._may_go_on(text):
            # No more is to come that could help: it is refused at once.
            self._type("")
            self._armed = False
            self._unused = text if text[0].isalpha() else ""
            self.post_message(self.Entered(text))
        else:
            self._type(text)
        return True

    def begins(self, sign: str) -> bool:
        """Is this typed, as a move's beginning? A column's letter always is, whatever may be played there.

        A capital is a key of its own in every game, until something has been typed.
        """
        view = self._view
        if view is None or not self._yours or not self.listening or sign.isupper():
            return False
        return any(word.casefold().startswith(sign) for word in chain(view.columns, view.legal))

    def _may_go_on(self, text: str) -> bool:
        """Could more be typed behind this that makes it a move, or a cell's name?

        Of a move of several cells some write its two ends, and some its cells' numbers.
        """
        view = self._view
        assert view is not None
        text = text.casefold()
        if view.slides:
            if _NUMBERED.fullmatch(text) and not any(name.isdigit() for name in view.columns):
                return True
            starts = (self._called(cell).casefold() for cell in view.open_cells())
            text = next((text.removeprefix(one) for one in starts if text.startswith(one)), text)
            if not text:
                return True
        names = (f"{column}{row}".casefold() for column in view.columns for row in dict.fromkeys(view.rows))
        return any(name.startswith(text) and name != text for name in names)

    def _leads_on(self, text: str) -> list[str]:
        assert self._view is not None
        return [move for move in self._view.legal if move.casefold().startswith(text.casefold())]

    def _type(self, text: str) -> None:
        if text != self.typed:
            self.typed = text
            self.post_message(self.Typed())
