"""Which actions are open at a table now: keys, footer, help and status line all ask here.

What is named nowhere is closed. The room's own actions are those that its server lists in the view's `may`;
`at_table` adds what the screen itself can do.
"""

from parlour_client.text import wording
from parlour_client.text.actions import BY_NAME
from parlour_protocol.actions import DECLINE
from parlour_protocol.ids import other
from parlour_protocol.views import RoomView


def in_room(view: RoomView) -> frozenset[str]:
    """The registry's actions that the server accepts from this viewer now; `view` has its times as of now."""
    listed = view.open_actions()
    found: set[str] = {action for action in listed if action in BY_NAME}
    offers = wording.standing_offers(view)
    if offers and offers[0] in listed and offered_by_other(view):
        found.add("agree")
    if offers and DECLINE[offers[0]] in listed:
        found.add("decline")
    if not wording.may_claim(view):
        found.discard("claim")  # that opens with time
    return frozenset(found)


def at_table(
    view: RoomView,
    *,
    ended: bool = False,
    ply: int | None = None,
    evaluated: bool = False,
    earlier: bool = False,
) -> frozenset[str]:
    """The names of all actions that are open: the room's, and what the screen does by itself.

    `ended`: the room's events are not followed any more. `ply`: an earlier position is shown, and
    `evaluated` where it is known what its moves are worth. `earlier`: the game is an earlier one of its
    room, from their list.
    """
    here = {"quit", "help", "dismiss"}
    if view.moves:
        here |= {"back", "forward", "start"}
        if view.phase in ("finished", "closed"):
            here.add("review")
    if ply is not None:
        here.add("now")
    if view.game_number > 1 and not earlier:
        here.add("games")
    if ended:
        return frozenset(here | ({"hint"} if ply is not None and evaluated else set()))
    room = in_room(view)
    if evaluated if ply is not None else _sees_evaluations(view):
        return room | here | {"hint"}
    return (room - {"hint"}) | here


def offered_by_other(view: RoomView) -> bool:
    """Is there an offer of the other player's to answer? One's own can only be withdrawn."""
    if view.you is None:
        return False
    them = other(view.you)
    return them in (view.draw_offer, view.takeback_offer) or them in view.rematch


def _sees_evaluations(view: RoomView) -> bool:
    """A hint on one's own turn, where the room gives them; on a bot's turn what it thinks."""
    if "hint" in view.open_actions():
        return True
    if view.phase != "playing" or view.to_move is None or view.to_move == view.you:
        return False
    mover = view.seats[view.to_move]
    bots_turn = mover.kind == "bot" or mover.stand_in is not None
    return bots_turn and (view.you is None or view.settings.reports == "at_once")
