"""The line on top of a table: the game, the room, who watches, and whether we are connected. Pure."""

from textual.content import Content

from parlour_client.text.names import localised
from parlour_client.text.ratings import choice
from parlour_client.tui.table_model import Space, TableModel
from parlour_protocol.views.rooms import RoomView
from parlour_protocol.words import say

WIDE = 100
"""From so many columns on the room's version is shown."""


def draw(model: TableModel, space: Space) -> Content:
    """What doesn't fit gives way on the left."""
    view = model.view
    left = Content.assemble(
        ("Parlour", "$first-seat bold"),
        (f"  {localised(view.title, view.title_said)}", "bold"),
        (f"  {say('screen.table.room', room=view.room)}", "$past"),
    )
    facts = [said] if (said := choice(view)) else []
    if view.watching:
        facts.append(say("count.watching", count=view.watching))
    if space.width + 2 >= WIDE:
        version = str(model.version)
        facts.append(
            say("screen.table.saved", version=version) if model.saved else say("screen.table.not_saved")
        )
    right = Content.styled("   ".join([*facts, ""]), "$past")
    if model.earlier:
        right += Content.styled(f"■ {say('table.game_number', number=view.game_number)}", "$past")
    elif view.phase == "closed" or (model.ended and model.lost is None):
        right += Content.styled(f"■ {say('screen.table.closed')}", "$past")
    else:
        right += connection(up=model.lost is None)
    width = max(space.width, 10)
    left = left.truncate(max(width - right.cell_length - 1, 0), ellipsis=True)
    return left + " " * max(width - left.cell_length - right.cell_length, 0) + right


def window_title(view: RoomView) -> str:
    """The terminal's window: a dot where it is one's turn, the game, the room."""
    mine = "● " if view.your_turn and not view.shared else ""
    return f"{mine}{localised(view.title, view.title_said)} {view.room}"


def connection(*, up: bool) -> Content:
    """Whether we are connected."""
    if up:
        return Content.styled(f"● {say('connection.connected')}", "$win")
    return Content.styled(f"○ {say('connection.not_connected')}", "$notice bold")
