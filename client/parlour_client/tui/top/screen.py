"""What `parlour top` shows: numbers on top, tables below, and what to do with the row that is chosen."""

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from parlour_client.render.admin import ADDRESSES, PLAYERS, ROOMS
from parlour_client.text import durations
from parlour_client.tui.dialogs.confirm import ConfirmDialog
from parlour_client.tui.letter_key import letter
from parlour_client.tui.top.gauges import Gauges
from parlour_client.tui.top.history import Look
from parlour_client.tui.top.tables import RankedTable, rate
from parlour_client.tui.widgets.banner import Banner
from parlour_client.tui.widgets.footer import Footer
from parlour_protocol.local.admin import (
    AddressRow,
    AdminRequest,
    Ban,
    CloseRoom,
    Done,
    Kick,
    PlayerRow,
    RoomRow,
)
from parlour_protocol.words import say

WIDE = 110
"""Narrower terminals show one table at a time."""
TABLES = ("rooms", "players", "addresses")
BANS: dict[str, float | None] = {"hour": 3600.0, "day": 86_400.0, "ever": None}
"""Seconds."""


class TopScreen(Screen[None]):
    """A server's numbers and tables. `do` has a request done, and says what came of it."""

    HORIZONTAL_BREAKPOINTS = [(0, "-one"), (WIDE, "-three")]  # noqa: RUF012 - textual declares it so

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1", "table('rooms')", "screen.key.rooms", show=False),
        Binding("2", "table('players')", "screen.key.players", show=False),
        Binding("3", "table('addresses')", "screen.key.addresses", show=False),
        Binding("tab", "next_table", "screen.key.next_table"),
        letter("S", "sort", "screen.key.sort"),
        letter("K", "kick", "screen.key.kick"),
        letter("C", "close", "screen.key.close_room"),
        letter("B", "ban", "screen.key.ban"),
        letter("Q", "app.leave", "screen.key.quit"),
    ]

    def __init__(self, do: Callable[[AdminRequest[Done]], None]) -> None:
        super().__init__()
        self._do = do
        self._gauges = Gauges()
        self._rooms: RankedTable[RoomRow] = RankedTable("rooms", "room")
        self._players: RankedTable[PlayerRow] = RankedTable("players", "player")
        self._addresses: RankedTable[AddressRow] = RankedTable("addresses", "address")

    def compose(self) -> ComposeResult:
        """From top to bottom."""
        yield Static(say("connection.connecting"), id="server", markup=False)
        yield self._gauges
        with Container(id="tables"):
            yield self._rooms
            with Vertical(id="people"):
                yield self._players
                yield self._addresses
        yield Footer()

    def on_mount(self) -> None:
        """The rooms come first."""
        self.action_table("rooms")

    # ------------------------------------------------------------ what is shown

    def show(self, look: Look) -> None:
        """Show another look at the server."""
        self.query(Banner).remove()
        history, status = self._gauges.history, look.status
        history.add(look)
        up = say("screen.top.up", span=durations.span(status.uptime))
        node = say("screen.top.node", node=status.node, count=status.nodes)
        node = f"{node}  " if status.nodes > 1 else ""
        self.query_one("#server", Static).update(
            Content.assemble(
                ("Parlour", "bold"),
                f"  {status.url}",
                (f"  {node}{up}  {status.data}", "$past"),
            )
        )
        self._gauges.refresh(layout=True)
        self._fill(look)

    def _fill(self, look: Look) -> None:
        history, status = self._gauges.history, look.status
        self._rooms.put((*ROOMS[:2], rate(history), *ROOMS[2:]), look.rooms, status.rooms)
        players = status.players if status.nodes == 1 else len(look.players)
        self._players.put(PLAYERS, look.players, players)
        self._addresses.put(ADDRESSES, look.addresses, len(look.addresses))
        self.refresh_bindings()

    def reword(self) -> None:
        """The tables; the rest is said anew with the next look."""
        if (look := self._gauges.history.last) is not None:
            self._fill(look)

    def lost(self, sentence: str) -> None:
        """Say that the server doesn't answer."""
        Banner.show(self, sentence)

    # ------------------------------------------------------------ what can be done

    @property
    def _table(self) -> str:
        """The table that has the focus."""
        focused = self.focused
        return focused.id if focused is not None and focused.id in TABLES else "rooms"

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What can be done depends on the table."""
        match action:
            case "kick":
                return self._table == "players" and self._players.chosen is not None
            case "close":
                return self._table == "rooms" and self._rooms.chosen is not None
            case "ban":
                return self._banned() is not None
        return True

    def action_table(self, name: str) -> None:
        """Show a table, and work with it."""
        for one in TABLES:
            self.query_one(f"#{one}").set_class(one == name, "-active")
        self.query_one("#people").set_class(name != "rooms", "-active")
        self.query_one(f"#{name}").focus()
        self.refresh_bindings()

    def action_next_table(self) -> None:
        """The table after this one."""
        self.action_table(TABLES[(TABLES.index(self._table) + 1) % len(TABLES)])

    def action_sort(self) -> None:
        """Sort the table by another column."""
        self.query_one(f"#{self._table}", RankedTable).sort_by_the_next()
        if (look := self._gauges.history.last) is not None:
            self._fill(look)

    def action_kick(self) -> None:
        """Disconnect the player who is chosen."""
        player = self._players.chosen
        if player is None:
            return
        said = say("screen.top.kick.about", name=self._called(player))
        self._ask("kick", said, ["kick"], lambda _: Kick(player=player))

    def action_close(self) -> None:
        """Close the room that is chosen."""
        room = self._rooms.chosen
        if room is None:
            return
        said = say("screen.top.close.about", room=room)
        self._ask("close", said, ["close"], lambda _: CloseRoom(room=room))

    def action_ban(self) -> None:
        """Keep out the player, or the address, that is chosen."""
        who = self._banned()
        if who is None:
            return
        said = (
            say("screen.top.ban.address", address=who)
            if self._table == "addresses"
            else say("screen.top.ban.player", name=self._called(who))
        )
        self._ask("ban", said, list(BANS), lambda way: Ban(who=who, seconds=BANS[way]))

    def _banned(self) -> str | None:
        """Who would be banned: a player's id, or an address."""
        match self._table:
            case "players":
                return self._players.chosen
            case "addresses":
                return self._addresses.chosen or None
        return None

    def _called(self, player: str) -> str:
        look = self._gauges.history.last
        names = [] if look is None else [row.name for row in look.players if row.player == player]
        return names[0] if names else player

    def _ask(
        self, what: str, sentence: str, ways: list[str], request: Callable[[str], AdminRequest[Done]]
    ) -> None:
        """`what` is the group of the sentences that stand on the dialog."""

        def answered(way: str | None) -> None:
            if way is not None:
                self._do(request(way))

        labels = {way: say(f"screen.top.{what}.{way}") for way in ways}
        self.app.push_screen(ConfirmDialog(say(f"screen.top.{what}.title"), sentence, labels), answered)
