"""Which actions are open at a table now, and why others are not: all that shows or takes keys asks here.

What is named nowhere is closed. The room's own actions are those of `text.open_actions`; `at_table` adds what
the screen itself can do.
"""

from parlour_client.text.open_actions import in_room, why_closed
from parlour_client.tui.table_model import TableModel
from parlour_protocol.actions import OFFERS
from parlour_protocol.views.rooms import RoomView
from parlour_protocol.words import say

OF_THE_MOMENT = frozenset(
    {"abort", "resign", "claim", *(offer for offer, terms in OFFERS.items() if terms.phase == "playing")}
)
"""What is decided with the present position in view."""


def at_table(model: TableModel) -> frozenset[str]:
    """The names of all actions that are open: the room's, and what the screen does by itself."""
    view, ply, ended, earlier = model.view, model.ply, bool(model.ended), model.earlier
    here = {"quit", "help"}
    if model.lost is None:
        here.add("rules")
    if model.over_the_game or earlier or ply is not None:
        here.add("dismiss")
    if ply is not None:
        here.add("now")
    if model.lost is not None:
        return frozenset(here)
    if view.game_number > 1 and not earlier:
        here.add("games")
    if not earlier and not ended and view.phase != "closed":
        here.add("carry")
    if view.moves:
        here |= {"back", "start"}
        if ply is not None:
            here.add("forward")
        if view.phase in ("finished", "closed"):
            here.add("review")
    if model.report is not None if ply is not None else not ended and _sees_evaluations(view):
        here.add("hint")
    room = frozenset[str]() if ended else in_room(view) - {"hint"}
    return (room if ply is None else room - OF_THE_MOMENT) | here


def why_closed_here(name: str, model: TableModel) -> str:
    """Why an action that is not open can't be done; empty where the status line says so already."""
    view = model.view
    if model.lost is not None or (name == "play" and view.phase != "playing"):
        return ""
    if model.earlier and name != "review":
        return say("screen.table.earlier_game")
    if model.ply is not None and name == "hint":
        return say("screen.table.not_evaluated")
    if model.ply is not None and name in in_room(view):
        return say("screen.table.earlier")
    if model.ended and view.phase != "closed" and name != "review":
        return model.ended
    return why_closed(name, view)


def _sees_evaluations(view: RoomView) -> bool:
    """A hint on one's own turn, where the room gives them; on a bot's turn what it thinks."""
    if "hint" in view.open_actions():
        return True
    if view.phase != "playing" or view.to_move is None or view.your_turn:
        return False
    mover = view.seats[view.to_move]
    bots_turn = mover.kind == "bot" or mover.stand_in is not None
    return bots_turn and view.shows_thoughts
