"""Chat at a table: its lines, what happened between them, and a field to write in."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from parlour_client.sdk.sanitize import clean
from parlour_client.text.names import localised, seat_name
from parlour_client.tui.widgets.text_field import TextField
from parlour_protocol import LONGEST_CHAT
from parlour_protocol.views.rooms import ChatLine, RoomView
from parlour_protocol.words import say

MOST_LINES = 200
"""As many lines of chat and news are kept."""


class ChatInput(TextField):
    """The field to write in, whose keys the footer shows."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "screen.key.say", key_display="enter")
    ]


class Chat(Vertical):
    """The lines, the newest last, and below them the one to write."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "done", "screen.key.back", key_display="esc")]

    @dataclass
    class Sent(Message):
        """A line is to be sent."""

        text: str

    class Writing(Message):
        """A line is being written."""

    class Done(Message):
        """The person goes back to the board."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id)
        self._lines: list[Content] = []
        self._shown: Sequence[ChatLine] = ()
        self._watched = False
        self._text = Static(id="lines", markup=False)
        self._scroll = VerticalScroll(self._text, id="said", can_focus=False)
        self._input = ChatInput(
            placeholder=say("screen.table.say_something"),
            max_length=LONGEST_CHAT,
            compact=True,
            select_on_focus=False,
        )

    def compose(self) -> ComposeResult:
        """The lines, and the field."""
        yield self._scroll
        yield self._input

    def on_mount(self) -> None:
        """What is new stays in sight."""
        self._scroll.anchor()
        self._redraw()

    def show(self, view: RoomView) -> None:
        """Add the lines that are new: each once, in order with the news."""
        fresh = _fresh(self._shown, view.chat)
        self._shown = view.chat
        silent = "say" not in view.open_actions()
        self._input.disabled, self._input.placeholder = (
            silent,
            ("" if silent else say("screen.table.say_something")),
        )
        if self._watched != (watches := view.you is None and not silent):
            self._watched = watches
            if watches:
                self.add_news(say("chat.read_by_spectators"))
        if fresh:
            self._add([chat_line(line, view) for line in fresh])

    def add_news(self, news: str) -> None:
        """Something that happened, in grey."""
        self._add([Content.styled(news, "$past")])

    def write(self) -> None:
        """Let the person write."""
        self._input.focus()

    def on_click(self) -> None:
        """A click anywhere in it lets the person write."""
        if not self._input.disabled:
            self.write()

    def give_back(self, text: str) -> None:
        """It was refused: put it back, unless something else is written by now."""
        if not self._input.value:
            self._input.value = text

    @property
    def lines(self) -> list[str]:
        """All lines, as plain text."""
        return [line.plain for line in self._lines]

    def _add(self, lines: list[Content]) -> None:
        self._lines = [*self._lines, *lines][-MOST_LINES:]
        self._redraw()

    def _redraw(self) -> None:
        self._text.update(Content("\n").join(self._lines))

    def on_input_changed(self, event: Input.Changed) -> None:
        """Say so, until it is empty again."""
        event.stop()
        if event.value.strip():
            self.post_message(self.Writing())

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Say it; an empty line leads back to the board."""
        event.stop()
        text = " ".join(clean(event.value).split())
        event.input.clear()
        if text:
            self.post_message(self.Sent(text))
        else:
            self.post_message(self.Done())

    def action_done(self) -> None:
        """Back to the board; what was written stays."""
        self.post_message(self.Done())


def chat_line(line: ChatLine, view: RoomView) -> Content:
    """A line of chat: a player's name in their colour. No markup in it is read."""
    names = [seat_name(seat) for seat in view.seats]
    name, style = line.name, "bold"
    if line.channel == "players" and name in names:
        style = ("$first-seat" if names.index(name) == view.starter else "$second-seat") + " bold"
    return Content.styled(f"{name}: ", style) + Content(localised(line.text, line.text_said))


def _fresh(before: Sequence[ChatLine], now: Sequence[ChatLine]) -> Sequence[ChatLine]:
    """The lines that were not there before, though the oldest may have gone."""
    for at in range(len(before)):
        if list(before[at:]) == list(now[: len(before) - at]):
            return now[len(before) - at :]
    return now
