"""The games of a room: each can be seen again."""

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import OptionList, Static

from parlour_client.text import wording
from parlour_client.text.names import localised
from parlour_client.tui.dialogs.dialog import Dialog
from parlour_client.tui.widgets.room_list import ItemList, item
from parlour_protocol.views.lists import ROOM_GAMES
from parlour_protocol.views.records import PastGame, RoomHistory
from parlour_protocol.words import say


class GameList(ItemList):
    """A room's games."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", "screen.key.see", key_display="enter")
    ]


class GamesDialog(Dialog[None]):
    """Lists a room's games; `see` is called with the one that is chosen, and the list stays below it."""

    def __init__(self, history: RoomHistory, see: Callable[[PastGame], None]) -> None:
        super().__init__()
        self._history = history
        self._see = see
        self._list = GameList(markup=False)

    @property
    def heading(self) -> str:
        """Its title."""
        return say("screen.games.title", room=self._history.room)

    def content(self) -> ComposeResult:
        """The games, the last one first, and how they ended in all."""
        yield self._list
        if self._history.tally is not None:
            yield Static(wording.tally(self._history.tally), id="tally", markup=False)

    def on_mount(self) -> None:
        """Choose at once."""
        games = reversed(self._history.games)
        title = localised(self._history.title, self._history.title_said)
        self._list.put(
            [
                (
                    title,
                    {str(game.number): item(ROOM_GAMES, game) for game in games},
                )
            ],
            say("screen.games.none"),
        )
        if self._history.games:
            self._list.highlighted = self._list.get_option_index(str(self._history.default))
        self._list.focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """See that game."""
        event.stop()
        for game in self._history.games:
            if event.option.id == str(game.number):
                self._see(game)
