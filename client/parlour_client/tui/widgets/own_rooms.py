"""One's own rooms: games to go back to, and games to look back on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import OptionList

from parlour_client.tui.letter_key import letter
from parlour_client.tui.widgets.room_list import ItemList, item
from parlour_protocol.views.lists import MET, OWN_ROOMS
from parlour_protocol.words import say

if TYPE_CHECKING:
    from parlour_protocol.views.records import Opponent, PastRoom


class OwnRooms(ItemList):
    """The player's rooms. Posts `Wanted` for enter or a click."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", "screen.key.open", key_display="enter"),
        letter("L", "games", "screen.key.games", tooltip="screen.does.games"),
        Binding("delete", "remove", "screen.key.remove", key_display="del", tooltip="screen.does.remove"),
        letter("Z", "restore", "screen.key.restore", tooltip="screen.does.restore"),
    ]

    @dataclass
    class Wanted(Message):
        """To that room: back to the game, or to look back on it."""

        past: "PastRoom"

    @dataclass
    class RemovalWanted(Message):
        """That room is to be left out of this list, or to be in it again."""

        code: str
        back: bool = False

    def __init__(self) -> None:
        super().__init__(markup=False)
        self._rooms: dict[str, PastRoom] = {}
        self._removed: list[str] = []
        """What was removed here, the last one last."""
        self.running = 0
        """How many there are to go back to."""

    def show(
        self, rooms: "Sequence[PastRoom]", titles: Mapping[str, str], met: "Sequence[Opponent]" = ()
    ) -> None:
        """These rooms, the last used first; below them the people who were met."""
        self._rooms = {past.room: past for past in rooms}
        running = [past for past in rooms if past.phase in ("waiting", "playing") and past.seated]
        self.running = len(running)
        # What was aborted before its first move is not worth a look, unless there were games before it.
        over = [
            past for past in rooms if past.phase in ("finished", "closed") and (past.moves or past.games > 1)
        ]
        self.put(
            [
                (say("screen.lobby.go_on"), {past.room: item(OWN_ROOMS, past, titles) for past in running}),
                (say("screen.lobby.look_back"), {past.room: item(OWN_ROOMS, past, titles) for past in over}),
                (say("page.lobby.met"), {f"met {at}": item(MET, one) for at, one in enumerate(met)}),
            ],
            say("screen.lobby.no_own"),
        )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Where somebody plays with us the room can't be removed."""
        if action == "restore":
            return bool(self._removed)
        past = self._rooms.get(self.code or "")
        if action == "games":
            return past is not None
        return past is not None and past.removable if action == "remove" else True

    def on_option_list_option_highlighted(self) -> None:
        """That one may be removed, or not."""
        self.refresh_bindings()

    def action_remove(self) -> None:
        """Leave out the room that is highlighted."""
        if self.code:
            self._removed.append(self.code)
            self.post_message(self.RemovalWanted(self.code))

    def action_restore(self) -> None:
        """Have the room back that was removed last."""
        self.post_message(self.RemovalWanted(self._removed.pop(), back=True))

    def has(self, code: str) -> bool:
        """Is this room one of them?"""
        return code in self._rooms

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Go there."""
        event.stop()
        if (past := self._rooms.get(event.option.id or "")) is not None:
            self.post_message(self.Wanted(past))
