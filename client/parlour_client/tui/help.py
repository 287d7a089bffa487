"""All keys of all screens, read off the screens themselves: a key that does something is listed here."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Footer, Static

SHOWN = {
    "question_mark": "?",
    "slash": "/",
    "escape": "esc",
    "space": "space",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "pageup": "page up",
    "pagedown": "page down",
}


@dataclass(frozen=True, slots=True)
class Group:
    """Keys under a heading: those of some classes, and what can be pressed, typed or clicked besides."""

    heading: str
    classes: Sequence[type[Any]]
    more: Sequence[tuple[str, str]] = ()


class HelpScreen(ModalScreen[None]):
    """Groups of keys with what they do."""

    DEFAULT_CSS = """
    HelpScreen { align: center middle; background: $background 60%; }
    HelpScreen > VerticalScroll {
        width: 100%;
        max-width: 116;
        height: auto;
        max-height: 100%;
        background: $surface;
        border: round $first-seat;
        border-title-color: $first-seat;
        border-title-style: bold;
        padding: 0 2;
    }
    HelpScreen Horizontal { height: auto; }
    HelpScreen .part { width: 1fr; height: auto; padding: 0 1 1 0; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,enter,f1", "leave", "Back", key_display="esc")
    ]

    def __init__(self, groups: Sequence[Group]) -> None:
        super().__init__()
        self._groups = groups

    def compose(self) -> ComposeResult:
        """The groups, spread over two columns of much the same height."""
        parts = [keys_of(group) for group in self._groups]
        left: list[Content] = []
        right: list[Content] = []
        for part in parts:
            shorter = left if _height(left) <= _height(right) else right
            shorter.append(part)
        with VerticalScroll() as frame:
            frame.border_title = "Keys"
            with Horizontal():
                for column in (left, right):
                    with Vertical(classes="part"):
                        yield Static(Content("\n\n").join(column))
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Arrows scroll."""
        self.query_one(VerticalScroll).focus()

    def action_leave(self) -> None:
        """Back to where we were."""
        self.dismiss(None)


def _height(parts: list[Content]) -> int:
    return sum(str(part).count("\n") + 2 for part in parts)


def keys_of(group: Group) -> Content:
    """A group: one line for each thing that can be done, with its keys before it."""
    lines = [Content.styled(group.heading, "bold $first-seat")]
    done: set[str] = set()
    for keys, what in chain(group.more, *(_keys(one) for one in group.classes)):
        if what not in done:
            done.add(what)
            lines.append(Content.assemble((f"{keys:>10}  ", "bold"), (what, "$past")))
    return Content("\n").join(lines)


def _keys(source: type[Any]) -> Iterator[tuple[str, str]]:
    """A class's own keys, with words."""
    words: dict[str, list[str]] = {}
    for binding in Binding.make_bindings(source.__dict__.get("BINDINGS", ())):
        if binding.description and not binding.system:
            shown = binding.key_display or SHOWN.get(binding.key, binding.key.replace("ctrl+", "^"))
            keys = words.setdefault(binding.tooltip or binding.description, [])
            if shown not in keys:
                keys.append(shown)
    for what, keys in words.items():
        yield " ".join(keys), what
