"""The lines of a dialog: a name, something to choose or to type, and what is right or wrong with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import OptionList, Static

from parlour_client.tui.widgets.text_field import TextField


class Choice(Widget, can_focus=True):
    """One of several values, on one line: left and right change it, enter is for the dialog."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "turn(-1)", show=False),
        Binding("right,space", "turn(1)", "screen.key.change", key_display="← →"),
        Binding("enter", "enter", "screen.key.play", key_display="enter"),
    ]

    value: reactive[str] = reactive("")

    @dataclass
    class Changed(Message):
        """Another value was chosen."""

        choice: "Choice"

        @property
        def control(self) -> "Choice":
            """The widget, for `on`."""
            return self.choice

    class Entered(Message):
        """Enter was pressed."""

    def __init__(
        self,
        options: Sequence[tuple[str, str]],
        value: str | None = None,
        *,
        id: str | None = None,  # noqa: A002
    ) -> None:
        """`options` are values, each with its words."""
        super().__init__(id=id)
        self.options = list(options)
        """The values, each with its words."""
        known = [one for one, _ in options]
        self.set_reactive(Choice.value, value if value in known else (known[0] if known else ""))

    def render(self) -> Content:
        """The value between its arrows."""
        words = dict(self.options).get(self.value, "")
        arrow = "bold $first-seat" if self.has_focus else "$past"
        room = max(1, self.size.width - 4)
        return Content.assemble(("‹ ", arrow), Content(words).truncate(room, ellipsis=True), (" ›", arrow))

    def watch_value(self) -> None:
        """Post `Changed`."""
        self.post_message(self.Changed(self))

    def action_turn(self, by: int) -> None:
        """The next value, or the one before."""
        known = [one for one, _ in self.options]
        if known:
            self.value = known[(known.index(self.value) + by) % len(known)]

    def action_enter(self) -> None:
        """Post `Entered`."""
        self.post_message(self.Entered())

    def on_click(self, event: events.Click) -> None:
        """The left arrow goes back, everything else on."""
        self.action_turn(-1 if event.x < 2 else 1)


class ChoiceList(OptionList):
    """All values below each other; enter chooses one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", "screen.key.choose", key_display="enter")
    ]


class FormRow(Horizontal):
    """A field with its name before it and a note behind it; a fault stands in the note's place."""

    def __init__(self, name: str, field: Widget, note: str = "") -> None:
        super().__init__()
        self._label = name
        self.field = field
        self._note = note
        self.set_class(not self._told.plain, "-noteless")

    def compose(self) -> ComposeResult:
        """Name, field, note."""
        yield Static(self._label, classes="name", markup=False)
        yield self.field
        yield Static(self._told, classes="note", markup=False)

    def rename(self, name: str) -> None:
        """Call it something else."""
        self.query_one(".name", Static).update(Content(name))

    def note(self, text: str) -> None:
        """What is to be known of the field; no fault. Its usual values stand first, to be clicked."""
        self._note = text
        self.set_class(not self._told.plain, "-noteless")
        self.right()

    @property
    def _told(self) -> Content:
        field = self.field
        usual = [
            # By its number: what a stranger's game calls usual is no markup.
            Content.from_markup(f"[@click=screen.usual('{field.id}',{number})]$words[/]", words=words)
            for number, (_, words) in enumerate(field.usual if isinstance(field, UsualField) else ())
        ]
        return Content("  ").join([*usual, *([Content(self._note)] if self._note else [])])

    def wrong(self, sentence: str) -> None:
        """What is wrong with it."""
        self.add_class("-wrong")
        self.query_one(".note", Static).update(Content(f"✗ {sentence}"))

    def right(self) -> None:
        """Nothing is wrong with it any more."""
        self.remove_class("-wrong")
        self.query_one(".note", Static).update(self._told)


class Field(TextField):
    """A field for a word, on one line, which arrows lead out of."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "app.focus_previous", show=False),
        Binding("down", "app.focus_next", "screen.key.move", key_display="↑ ↓"),
    ]


class UsualField(Field):
    """A field with values that are usual: while one of them stands in it, left and right bring the others."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "turn(-1)", show=False),
        Binding("right", "turn(1)", "screen.key.change", key_display="← →"),
    ]

    usual: Sequence[tuple[str, str]] = ()
    """Values, each with its words; the first is an empty one."""

    def action_turn(self, by: int) -> None:
        """The next usual value, or the one before; in another text the cursor moves."""
        known = [value for value, _ in self.usual]
        if self.value in known:
            self.choose((known.index(self.value) + by) % len(known))
        elif by < 0:
            self.action_cursor_left()
        else:
            self.action_cursor_right()

    def choose(self, number: int) -> None:
        """Have this one of the usual values stand there."""
        self.value, _ = self.usual[number]
        self.cursor_position = len(self.value)


def typed(id: str | None = None, placeholder: str = "", value: str = "", longest: int = 64) -> Field:  # noqa: A002
    """A field to type a word into."""
    return Field(value, placeholder, id=id, compact=True, max_length=longest)
