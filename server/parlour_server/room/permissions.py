"""Which actions are open in a room's state: by the rules that every client has, `views.permissions`."""

from parlour_protocol.actions import Action
from parlour_protocol.views.permissions import (
    BetweenMoves,
    Role,
    SeatKind,
    Situation,
    between_moves,
    refusal_of,
)
from parlour_protocol.views.permissions import situation as interned
from parlour_protocol.words import Sentence
from parlour_server.refusals import Refusal
from parlour_server.room.state import RoomState, Seated


def situation(state: RoomState) -> Situation:
    """What of a state the rules look at; it is kept in the state until that changes."""
    found: Situation | None = state.situation
    if found is None:
        if state.between_moves is None:
            state.between_moves = _between_moves(state)
        turn, offers, (first, second) = state.turn, state.offers, state.made
        found = state.situation = interned(
            state.between_moves,
            None if turn is None else turn.seat,
            tuple(offers.items()) if offers else (),
            first > 0,
            second > 0,
        )
    return found


def check(action: Action, state: RoomState, role: Role) -> None:
    """Raise the `Refusal` of the first rule that an action breaks."""
    closed = refusal_of(action, situation(state), role)
    if closed is not None:
        raise Refusal(closed.code, Sentence(closed.id))


def _between_moves(state: RoomState) -> BetweenMoves:
    settings, (first, second) = state.settings, state.seats
    return between_moves(
        state.phase,
        (_kind(first), _kind(second)),
        state.seat_of(state.owner),
        settings.chat,
        settings.takebacks,
        settings.hints,
        settings.take_over,
        state.tournament is not None,
    )


def _kind(seated: Seated | None) -> SeatKind:
    if seated is None:
        return "open"
    if seated.bot is not None:
        return "bot"
    if seated.shared:
        return "shared"
    if seated.stand_in is not None:
        return "stand_in"
    return "person" if seated.relieved is None else "relief"
