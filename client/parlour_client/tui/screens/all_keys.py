"""The keys that the help screen lists, read off the screens and widgets that bind them."""

from collections.abc import Sequence
from typing import Any

from textual.app import App

from parlour_client.tui.dialogs.dialog import Dialog
from parlour_client.tui.dialogs.fields import Choice
from parlour_client.tui.dialogs.wait import WaitDialog
from parlour_client.tui.screen_app import ScreenApp
from parlour_client.tui.screens.help import KeyGroup
from parlour_client.tui.screens.lobby import LobbyScreen
from parlour_client.tui.screens.table import TableScreen
from parlour_client.tui.screens.tournament import TournamentScreen
from parlour_client.tui.widgets.game_cards import GameCard
from parlour_client.tui.widgets.review_curve import ReviewCurve
from parlour_client.tui.widgets.room_list import RoomList


def groups(app: type[App[Any]]) -> Sequence[KeyGroup]:
    """Every screen that has keys, with its widgets that have some; `app` has those of all screens."""
    lobby = [("↑↓←→ tab", "screen.key.move"), ("1 2 3", "screen.does.columns")]
    table = [
        ("↑↓←→", "screen.does.point"),
        ("enter", "screen.does.play"),
        ("b2, 4", "screen.does.type"),
    ]
    return [
        # The longest first: so the columns come out even.
        KeyGroup("screen.help.table", [TableScreen], table),
        KeyGroup("screen.help.lobby", [GameCard, RoomList, LobbyScreen], lobby),
        KeyGroup("screen.help.tournament", [TournamentScreen]),
        KeyGroup("screen.help.everywhere", [ScreenApp, app]),
        KeyGroup("screen.help.dialogs", [Dialog, Choice, WaitDialog]),
        KeyGroup("screen.help.review", [ReviewCurve]),
    ]
