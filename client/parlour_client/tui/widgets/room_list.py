"""What is being played, as it changes: rooms that wait for somebody first, then those that run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.strip import Strip
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from parlour_client.text.names import NO_TITLES, game_name
from parlour_client.tui.letter_key import letter
from parlour_protocol.views.lists import ROOMS, Columns, RowT
from parlour_protocol.words import say

if TYPE_CHECKING:
    from parlour_protocol.views.rooms import RoomLine
    from parlour_protocol.views.tournaments import TournamentLine

GROUPS = ("waiting", "playing", "finished", "empty")
Item = Sequence[tuple[str, Content]]
"""Parts, each with what stands between it and the one before on a line; a line's end: it begins one."""

MARGINS = 3
"""Columns of the list that are no text: a blank on either side, and the scrollbar."""


def flowed(item: Item, width: int) -> Content:
    """An item in lines of this width: nothing is cut that fits on a line of its own."""
    lines = [Content("")]
    for glue, part in item:
        beside = Content(glue) + part
        if glue != "\n" and lines[-1].cell_length + beside.cell_length <= width:
            lines[-1] += beside
        else:
            lines.append(Content(f"  {glue.lstrip()}") + part)
    return Content("\n").join(lines)


class ItemList(OptionList):
    """A list of items of a few lines under headings, that keeps its place while it changes."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"items--chosen"}

    @dataclass
    class GamesWanted(Message):
        """The games of that room are to be listed."""

        code: str

    _groups: Sequence[tuple[str, Mapping[str, Item]]] = ()
    _empty = ""

    def put(self, groups: Sequence[tuple[str, Mapping[str, Item]]], empty: str) -> None:
        """Show groups of items, which codes lead to, each under its heading; `empty` where there are none."""
        self._groups, self._empty = groups, empty
        self.remove_class("-waiting")
        self._show()

    def on_resize(self) -> None:
        """There is more room, or less, for each item."""
        self._show()

    def _show(self) -> None:
        width = max(1, self.size.width - MARGINS)
        highlighted = self.highlighted_option
        kept, place = (highlighted.id if highlighted else None), self.scroll_offset
        options: list[Option | None] = []
        for heading, items in self._groups:
            if items:
                options.append(Option(Content.styled(heading, "$past underline"), disabled=True))
                options.extend(Option(flowed(item, width), id=code) for code, item in items.items())
        if not options:
            options.append(Option(Content.styled(self._empty, "$past"), disabled=True))
        self.set_class(not any(option and option.id for option in options), "-empty")
        self.set_options(options)
        codes = [option.id for option in self.options]
        if kept is not None and kept in codes:
            self.highlighted = codes.index(kept)
            self.scroll_to(*place, animate=False)
        else:
            self.highlighted = next((at for at, code in enumerate(codes) if code), None)

    def wait(self, sentence: str) -> None:
        """Say why there is nothing here yet."""
        self.put([], sentence)
        self.add_class("-waiting")

    def render_line(self, y: int) -> Strip:
        """The item that is chosen has a bar before it, as a card has: it shows without colours, too."""
        strip = super().render_line(y)
        items = [segment.style.meta.get("option") for segment in strip if segment.style is not None]
        if not self.has_focus or self.highlighted is None or self.highlighted not in items:
            return strip
        bar = Segment("█", self.get_component_rich_style("items--chosen"))
        return Strip.join([Strip([bar], 1), strip.crop(1)])

    def action_games(self) -> None:
        """List the games of the room that is highlighted."""
        if self.code:
            self.post_message(self.GamesWanted(self.code))

    @property
    def code(self) -> str | None:
        """The item that is highlighted."""
        return self.highlighted_option.id if self.highlighted_option else None


class RoomList(ItemList):
    """The server's rooms, below its tournaments. Posts `Wanted` for enter, a click, or `w`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", "screen.key.join", key_display="enter", tooltip="screen.does.join"),
        Binding("enter", "watch", "screen.key.watch", key_display="enter", tooltip="screen.does.join"),
        letter("W", "watch", "screen.key.watch"),
        letter("L", "games", "screen.key.games", tooltip="screen.does.games"),
    ]

    @dataclass
    class Wanted(Message):
        """To that room: to sit down there if one can, or to watch."""

        code: str
        sit: bool

    def __init__(self) -> None:
        super().__init__(markup=False)
        self._phases: dict[str, str] = {}

    def show(
        self,
        rooms: "Sequence[RoomLine]",
        titles: Mapping[str, str],
        tournaments: "Sequence[TournamentLine]" = (),
    ) -> None:
        """These rooms and tournaments; `titles` has the games' names for people."""
        self._phases = {line.room: line.phase for line in rooms}
        cups = {}
        if tournaments:
            from parlour_client.render.tournament import TOURNAMENTS

            # No code is a room's and a tournament's; what a server says is not trusted.
            cups = {
                line.tournament: item(TOURNAMENTS, line, titles)
                for line in tournaments
                if line.tournament not in self._phases
            }
        self.put(
            [
                (say("page.tournament.list"), cups),
                *(
                    (
                        say(f"standing.{standing}"),
                        {
                            line.room: item(ROOMS, line, titles, grouped=True)
                            for line in rooms
                            if line.standing == standing
                        },
                    )
                    for standing in GROUPS
                ),
            ],
            say("screen.lobby.no_rooms"),
        )
        self.refresh_bindings()

    def on_option_list_option_highlighted(self) -> None:
        """Enter may do something else here."""
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only a room that waits can be joined; a tournament is no room."""
        phase = self._phases.get(self.code or "")
        return phase == "waiting" if action == "select" else action != "games" or phase is not None

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """A room that waits is joined, any other one watched."""
        event.stop()
        if code := event.option.id:
            self.post_message(self.Wanted(code, sit=self._phases.get(code) == "waiting"))

    def action_watch(self) -> None:
        """Watch, also where a seat is free."""
        if self.code:
            self.post_message(self.Wanted(self.code, sit=False))


def item(
    columns: Columns[RowT], row: RowT, titles: Mapping[str, str] = NO_TITLES, *, grouped: bool = False
) -> Item:
    """A row of a list in two lines, behind the shape of how it stands; `grouped`: its heading says that."""
    from parlour_client.render.lists import pieces, standing
    from parlour_client.text.scores import PAST
    from parlour_client.tui.themed import themed

    parts: list[tuple[str, Content]] = []
    for line in (1, 2):
        here = len(parts)
        for column in columns:
            if column.line != line or (grouped and column.kind == "standing"):
                continue
            for number, text in enumerate(filter(None, pieces(column, row))):
                glue = " – " if number else "\n" if here and len(parts) == here else "  " if parts else ""
                if column.kind == "game":
                    text = Text(game_name(column.value(row), titles))
                elif column.is_fact and not text.style:
                    text.style = PAST
                parts.append((glue, themed(text)))
    if any(column.kind == "standing" for column in columns):
        shape, words = standing(row)
        parts[0] = ("", themed(Text(f"{shape} ", words.style)) + parts[0][1])
    return parts
