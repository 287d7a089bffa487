"""Which of the registry's actions a room's server accepts from its viewer now, by the view's `may`."""

from parlour_client.text import wording
from parlour_client.text.actions import BY_NAME
from parlour_protocol.actions import DECLINE
from parlour_protocol.ids import other
from parlour_protocol.views.rooms import RoomView


def in_room(view: RoomView) -> frozenset[str]:
    """The names of the actions that are open; `view` has its times as of now."""
    listed = view.open_actions()
    found: set[str] = {action for action in listed if action in BY_NAME}
    offers = wording.standing_offers(view)
    if offers:
        if DECLINE[offers[0]] in listed:
            found.add("decline")
        if not offered_by_other(view):
            found -= set(offers)  # it was asked for already
        elif offers[0] in listed:
            # It is answered before anything else is offered. To ask for a rematch agrees to one, too.
            found = found - (set(DECLINE) - ({"rematch"} & set(offers))) | {"agree"}
    if not wording.may_claim(view):
        found.discard("claim")  # that opens with time
    return frozenset(found)


def offered_by_other(view: RoomView) -> bool:
    """Is there an offer of the other player's to answer? One's own can only be withdrawn."""
    if view.you is None:
        return False
    them = other(view.you)
    return them in (view.draw_offer, view.takeback_offer) or them in view.rematch
