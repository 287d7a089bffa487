"""The keys that the help screen lists, read off the screens and widgets that bind them."""

from collections.abc import Sequence
from typing import Any

from textual.app import App

from parlour_client.tui.dialogs.dialog import Dialog
from parlour_client.tui.dialogs.fields import Choice
from parlour_client.tui.dialogs.wait import WaitDialog
from parlour_client.tui.screens.help import KeyGroup
from parlour_client.tui.screens.lobby import LobbyScreen
from parlour_client.tui.screens.table import TableScreen
from parlour_client.tui.widgets.game_cards import GameCard
from parlour_client.tui.widgets.review_curve import ReviewCurve
from parlour_client.tui.widgets.room_list import RoomList


def groups(app: type[App[Any]]) -> Sequence[KeyGroup]:
    """Every screen that has keys, with its widgets that have some; `app` has those of all screens."""
    lobby = [("arrows tab", "Move"), ("1 2 3", "To a column")]
    table = [
        ("arrows", "Point at a cell"),
        ("enter", "Play there, or as typed"),
        ("b2, 4", "Type a move"),
    ]
    return [
        # The longest first: so the columns come out even.
        KeyGroup("At a table", [TableScreen], table),
        KeyGroup("The lobby", [GameCard, RoomList, LobbyScreen], lobby),
        KeyGroup("Everywhere", [app]),
        KeyGroup("Dialogs", [Dialog, Choice, WaitDialog]),
        KeyGroup("In a review", [ReviewCurve]),
    ]
