"""Which of the room's actions are open at a table, and why others are not: by the server's own rules."""

from parlour_client.text.actions import BY_NAME
from parlour_protocol.views.permissions import ACTIONS, why_not
from parlour_protocol.views.rooms import RoomView
from parlour_protocol.words import say


def in_room(view: RoomView) -> frozenset[str]:
    """The names of the actions that are open; `view` has its times as of now."""
    listed = view.open_actions()
    found: set[str] = {action for action in listed if action in BY_NAME}
    if why_not(view, "claim") is not None:
        found.discard("claim")  # that opens with time
    if "take_over" in found:
        found.discard("seat")  # the owner need not ask
    if "say" in listed:
        found.add("quick")
    if listed & set(view.offers_to_answer()):
        found.add("agree")
    return frozenset(found)


def why_closed(name: str, view: RoomView) -> str:
    """Why the action of this name can't be done now; `play` is to make a move.

    `view` has its times as of now.
    """
    if name == "review":
        return say("closed.not_over" if view.moves else "closed.no_moves")
    if name == "games":
        return say("closed.only_game")
    if name == "carry":
        return say("refusal.room_closed")
    if name == "quick":
        return why_closed("say", view)
    if name == "agree":
        closed = why_not(view, "decline")
        return say("refusal.not_offered" if closed is None else closed.id)
    closed = next((why_not(view, action) for action in ACTIONS if action == name), None)
    return say("closed.not_now" if closed is None else closed.id)
