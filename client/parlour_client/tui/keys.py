"""Where the keys are that the help screen lists."""

from collections.abc import Sequence

from parlour_client.tui.help import Group


def groups() -> Sequence[Group]:
    """Every screen that has keys, with its parts that have some."""
    from parlour_client.tui.app import ParlourApp
    from parlour_client.tui.dialogs.dialog import Dialog
    from parlour_client.tui.dialogs.fields import Choice
    from parlour_client.tui.lobby.cards import GameCard
    from parlour_client.tui.lobby.rooms import RoomList
    from parlour_client.tui.lobby.screen import LobbyScreen
    from parlour_client.tui.table.review import Review
    from parlour_client.tui.table.screen import TableScreen

    lobby = [("arrows tab", "Move"), ("1 2 3", "To a column")]
    table = [
        ("arrows", "Point at a cell"),
        ("enter", "Play there, or as typed"),
        ("b2, 4", "Type a move"),
        ("h enter", "A key that is a column, too"),
    ]
    return [
        # The longest first: so the columns come out even.
        Group("At a table", [TableScreen], table),
        Group("The lobby", [GameCard, RoomList, LobbyScreen], lobby),
        Group("Everywhere", [ParlourApp]),
        Group("Dialogs", [Dialog, Choice]),
        Group("In a review", [Review]),
    ]
