"""One's own rooms: games to go back to, and games to look back on."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList

from parlour_client.text.durations import moment
from parlour_client.text.sanitize import clean
from parlour_client.tui.widgets.room_list import Item, ItemList, player, players, title
from parlour_client.tui.worded import around
from parlour_protocol.words import say

if TYPE_CHECKING:
    from parlour_protocol.views.records import PastRoom


class OwnRooms(ItemList):
    """The player's rooms. Posts `Wanted` for enter or a click."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", "screen.key.open", key_display="enter"),
        Binding("l", "games", "screen.key.games", tooltip="screen.does.games"),
    ]

    class Wanted(Message):
        """To that room: back to the game, or to look back on it."""

        def __init__(self, past: "PastRoom") -> None:
            super().__init__()
            self.past = past

    def __init__(self) -> None:
        super().__init__(markup=False)
        self._rooms: dict[str, PastRoom] = {}
        self.running = 0
        """How many there are to go back to."""

    def show(self, rooms: "Sequence[PastRoom]", titles: Mapping[str, str]) -> None:
        """These rooms, the last used first."""
        self._rooms = {past.room: past for past in rooms}
        running = [past for past in rooms if past.phase in ("waiting", "playing") and past.you is not None]
        self.running = len(running)
        # What was aborted before its first move is not worth a look, unless there were games before it.
        over = [
            past for past in rooms if past.phase in ("finished", "closed") and (past.moves or past.games > 1)
        ]
        self.put(
            [
                (say("screen.lobby.go_on"), {past.room: past_item(past, titles) for past in running}),
                (say("screen.lobby.look_back"), {past.room: past_item(past, titles) for past in over}),
            ],
            say("screen.lobby.no_own"),
        )

    def has(self, code: str) -> bool:
        """Is this room one of them?"""
        return code in self._rooms

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Go there."""
        event.stop()
        if (past := self._rooms.get(event.option.id or "")) is not None:
            self.post_message(self.Wanted(past))


def past_item(past: "PastRoom", titles: Mapping[str, str]) -> Item:
    """A room: its code, the game and how it stands, then against whom and when."""
    shape, standing, style = standing_of(past)
    if past.you is None:
        against = players(past.seats)
    else:
        them = 1 - past.you
        other = player(past.seats[them], them)
        free = past.seats[them].kind == "open"
        against = [("\n", other if free else around("screen.lobby.past_against", name=other))]
    return [
        ("", Content.styled(f"{shape} ", style) + Content.styled(clean(past.room), "bold")),
        ("  ", Content(title(past.game, titles))),
        ("  ", Content.styled(standing, style)),
        *(
            [("  ", Content.styled(f"({say('count.game', count=past.games)})", "$past"))]
            if past.games > 1
            else []
        ),
        *against,
        ("  ", Content.styled(moment(past.at).removesuffix(" UTC"), "$past")),
    ]


def standing_of(past: "PastRoom") -> tuple[str, str, str]:
    """How a game stands for its player: a character of its own shape, words, and a style."""
    if past.phase == "waiting":
        return "○", say("stood.waiting"), "$notice"
    if past.phase == "playing":
        return "●", say("count.moves_made", count=past.moves), "$notice"
    result = past.result
    if result is None or result.termination == "aborted":
        return "×", say("stood.called_off"), "$past"
    if result.winner is None:
        return "=", say("stood.drawn"), "$drawn"
    if past.you is None:
        return "■", say("stood.won_by", name=clean(past.seats[result.winner].name)), "$past"
    if result.winner == past.you:
        return "+", say("stood.won"), "$win"
    return "−", say("stood.lost"), "$loss"
