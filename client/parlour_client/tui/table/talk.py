"""Talk at a table: what was said and what happened, and a line to say something."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from parlour_client import sentences
from parlour_client.clean import clean
from parlour_client.tui.entry import Entry
from parlour_protocol import LONGEST_SAYING
from parlour_protocol.views import ChatLine, RoomView

PLACEHOLDER = "t: say something"
MOST_LINES = 200
"""As many lines of talk and news are kept."""


class Writing(Entry):
    """The line to write, whose keys the footer shows."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "submit", "Say", key_display="enter")]


class Talk(Vertical):
    """The lines, the newest last, and below them the one to write."""

    DEFAULT_CSS = """
    Talk {
        height: 1fr; width: 1fr;
        & #said { height: 1fr; scrollbar-size-vertical: 1; }
        & #said Static { width: 1fr; height: auto; }
        & Input { height: 1; border: none; padding: 0; background: $surface; }
        & Input:focus { background: $panel; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "done", "Back", key_display="esc")]

    class Said(Message):
        """Something is to be said."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Done(Message):
        """Whoever wrote goes back to the board."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id)
        self._lines: list[Content] = []
        self._heard: Sequence[ChatLine] = ()
        self._told = Static(id="lines", markup=False)
        self._said = VerticalScroll(self._told, id="said", can_focus=False)
        self._input = Writing(
            placeholder=PLACEHOLDER, max_length=LONGEST_SAYING, compact=True, select_on_focus=False
        )

    def compose(self) -> ComposeResult:
        """What was said, and the line to write."""
        yield self._said
        yield self._input

    def on_mount(self) -> None:
        """What is new stays in sight."""
        self._said.anchor()
        self._redraw()

    def show(self, view: RoomView) -> None:
        """Take up what was said since: each line once, in order with the news."""
        fresh = _fresh(self._heard, view.chat)
        self._heard = view.chat
        silent = not view.settings.chat or view.phase == "closed"
        self._input.disabled, self._input.placeholder = silent, "" if silent else PLACEHOLDER
        if fresh:
            self._add([said(line, view) for line in fresh])

    def tell(self, news: str) -> None:
        """Something that happened, in grey."""
        self._add([Content.styled(clean(news), "$past")])

    def write(self) -> None:
        """Let the person write."""
        self._input.focus()

    def give_back(self, text: str) -> None:
        """It was not said: write on it, unless something else is written by now."""
        if not self._input.value:
            self._input.value = text

    @property
    def lines(self) -> list[str]:
        """All that is told, as plain text."""
        return [line.plain for line in self._lines]

    def _add(self, lines: list[Content]) -> None:
        self._lines = [*self._lines, *lines][-MOST_LINES:]
        self._redraw()

    def _redraw(self) -> None:
        self._told.update(Content("\n").join(self._lines))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Say it; an empty line leads back to the board."""
        event.stop()
        text = " ".join(clean(event.value).split())
        event.input.clear()
        if text:
            self.post_message(self.Said(text))
        else:
            self.post_message(self.Done())

    def action_done(self) -> None:
        """Back to the board; what was written stays."""
        self.post_message(self.Done())


def said(line: ChatLine, view: RoomView) -> Content:
    """A line of talk: a player's name in their colour. No markup in it is read."""
    names = [sentences.seat_name(seat) for seat in view.seats]
    name, style = clean(line.name), "bold"
    if line.channel == "players" and name in names:
        style = ("$first-seat" if names.index(name) == view.starter else "$second-seat") + " bold"
    return Content.styled(f"{name}: ", style) + Content(clean(line.text))


def _fresh(heard: Sequence[ChatLine], now: Sequence[ChatLine]) -> Sequence[ChatLine]:
    """The lines that were not there before, though the oldest may have gone."""
    for at in range(len(heard)):
        if list(heard[at:]) == list(now[: len(heard) - at]):
            return now[len(heard) - at :]
    return now
