"""Where the keys are that the help screen lists."""

from collections.abc import Sequence
from typing import Any


def groups() -> Sequence[tuple[str, Sequence[type[Any]]]]:
    """Every screen that has keys, with its parts that have some."""
    from parlour_client.tui.app import ParlourApp
    from parlour_client.tui.dialogs.confirm import ConfirmDialog
    from parlour_client.tui.dialogs.dialog import Dialog
    from parlour_client.tui.dialogs.fields import Choice
    from parlour_client.tui.lobby.cards import Cards, GameCard
    from parlour_client.tui.lobby.rooms import RoomList
    from parlour_client.tui.lobby.screen import LobbyScreen
    from parlour_client.tui.table.screen import TableScreen

    return [
        ("The lobby", [GameCard, RoomList, LobbyScreen, Cards]),
        ("At a table", [TableScreen]),
        ("Dialogs", [Dialog, Choice, ConfirmDialog]),
        ("Everywhere", [ParlourApp]),
    ]
