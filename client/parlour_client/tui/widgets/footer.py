"""The keys that matter now, on the last line."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.widget import Widget

from parlour_client.tui.worded import said
from parlour_protocol.words import say

if TYPE_CHECKING:
    from textual.screen import Screen


LAST = 2
"""So many keys always stay."""
ALL_KEYS = "question_mark"
"""The key that leads to all others: where some have no room it says how many."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key as it is shown."""

    key: str
    shown: str
    does: str
    enabled: bool

    @property
    def width(self) -> int:
        """How many columns it takes, with the blanks around."""
        return cell_len(f" {self.shown} {self.does} ")


class Footer(Widget, can_focus=False):
    """The keys of whatever has the focus and of the screen; they can be clicked, too.

    One widget that draws them all: Textual's own has one for each key, and makes all of them anew whenever
    a key comes or goes, which costs as much as the rest of a move.
    """

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"footer--key", "footer--does", "footer--off"}

    def __init__(self, makes_way: Sequence[str] = ()) -> None:
        """`makes_way`: the keys that go first where there is no room for all, from its end on."""
        super().__init__()
        self._makes_way = makes_way
        self._keys: list[Key] = []

    def on_mount(self) -> None:
        """From now on the keys may change."""
        self.screen.bindings_updated_signal.subscribe(self, self._look)

    def _look(self, screen: "Screen[object]") -> None:
        if not self.app.app_focus or not self.is_attached or screen is not self.screen:
            return
        found: dict[str, Key] = {}
        for _, binding, enabled, _ in screen.active_bindings.values():
            if binding.show:
                shown = self.app.get_key_display(binding)
                found.setdefault(binding.action, Key(binding.key, shown, said(binding.description), enabled))
        keys = list(found.values())
        if keys != self._keys:
            self._keys = keys
            self.refresh()

    def render(self) -> Text:
        """All keys that fit. The last two always stay: they lead to all others, and out."""
        key_style, does_style, off_style = (
            self.get_component_rich_style(name) for name in ("footer--key", "footer--does", "footer--off")
        )
        line = Text(no_wrap=True, overflow="crop", end="")
        for key in self._fitting():
            line.append(f" {key.shown} ", key_style if key.enabled else off_style)
            line.append(f"{key.does} ", does_style if key.enabled else off_style)
        return line

    def _fitting(self) -> list[Key]:
        # The first to go at the end.
        places = {key: place for place, key in enumerate(self._makes_way)}
        going = sorted(self._keys[:-LAST], key=lambda key: places.get(key.key, -1))
        keys, gone = self._keys, 0
        while going and sum(key.width for key in keys) > self.size.width:
            one, gone = going.pop(), gone + 1
            more = say("screen.key.more", count=gone)
            keys = [replace(key, does=more) if key.key == ALL_KEYS else key for key in keys if key is not one]
        return keys

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """A key that is clicked is pressed."""
        right = 0
        for key in self._fitting():
            right += key.width
            if event.x < right:
                if key.enabled:
                    self.app.simulate_key(key.key)
                else:
                    self.app.bell()
                return
