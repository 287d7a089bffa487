"""The line on top of a table: the game, the room, who watches, and whether we are connected. Pure."""

from textual.content import Content

from parlour_client.text.sanitize import clean
from parlour_client.tui.moment import Moment, Space

WIDE = 100
"""From so many columns on the room's version is shown."""


def draw(moment: Moment, space: Space) -> Content:
    """What doesn't fit gives way on the left."""
    view = moment.view
    left = Content.assemble(
        ("Parlour", "$first-seat bold"),
        (f"  {clean(view.title)}", "bold"),
        (f"  room {clean(view.room)}", "$past"),
    )
    facts = [f"{view.watching} watching"] if view.watching else []
    if space.width + 2 >= WIDE:
        facts.append(f"saved v{moment.version}" if moment.saved else "not saved")
    right = Content.styled("   ".join([*facts, ""]), "$past")
    if moment.earlier:
        right += Content.styled(f"■ game {view.game_number}", "$past")
    elif view.phase == "closed" or (moment.ended and moment.lost is None):
        right += Content.styled("■ closed", "$past")
    elif moment.lost is None:
        right += Content.styled("● connected", "$win")
    else:
        right += Content.styled("○ not connected", "$notice bold")
    width = max(space.width, 10)
    left = left.truncate(max(width - right.cell_length - 1, 0), ellipsis=True)
    return left + " " * max(width - left.cell_length - right.cell_length, 0) + right
