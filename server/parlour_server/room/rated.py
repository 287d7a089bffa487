"""Which games of a rated room count for ratings."""

from parlour_protocol.views.permissions import gives_hints
from parlour_protocol.views.rooms import Termination, Unrated
from parlour_server.room.state import RoomState


def why_unrated(state: RoomState, termination: Termination) -> Unrated | None:
    """Why the present game doesn't count where it ends so now; None: it does."""
    first, second = state.seats
    assert first is not None and second is not None, "a game has two players"
    if termination == "aborted" or termination == "bot_failure":
        return termination
    if first.shared:
        return "shared"
    if first.bot is not None and second.bot is not None and first.bot.settings == second.bot.settings:
        return "same_bot"
    if state.start:
        return "position"
    if state.disturbed is not None:
        return state.disturbed
    # What a program asks for is its own affair.
    people = any(one.bot is None and not one.program for one in (first, second))
    bots = any(one.bot is not None for one in (first, second))
    if people and gives_hints(state.settings.hints, bots=bots):
        return "hints"
    return None
