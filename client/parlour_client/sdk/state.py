"""A client's copy of a room, folded from the server's messages: the one place that does so. Pure.

A snapshot has the room's view as plain data; each event and presence notice after it says what changes there,
and `parlour_protocol.fold` applies that, whatever the event. Times (`now`) are seconds of one steady clock,
whichever; moments in a view are the server's, and events and snapshots say what time it is there.
"""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import ValidationError

from parlour_protocol import TYPING_SECONDS
from parlour_protocol.events import ENDS_THOUGHT, NEW_POSITION, ChatPosted, Event, Snapshot, read_view
from parlour_protocol.fold import fold
from parlour_protocol.ids import SEATS, Seat, Version
from parlour_protocol.messages import RoomMessage
from parlour_protocol.notices import Presence, Thinking, Typing
from parlour_protocol.views.reports import Report, Score
from parlour_protocol.views.rooms import RoomView
from parlour_protocol.words import say, spoken, what_is_wrong


@dataclass(frozen=True, slots=True)
class ClientRoomState:
    """A room as of a version, as this viewer sees it."""

    version: Version
    """A move is made for this version: for the board that its player saw."""
    view: RoomView
    """The room as of the last message that changed it, its players' time, too."""
    data: dict[str, Any]
    """The view as plain data, for the next message to be folded into."""
    clock_offset: float
    """What is to be added to a local time, in milliseconds, for the server's."""
    thinking: Thinking | None = None
    """What a bot thinks about the present position at this moment."""
    position_version: Version | None = None
    """The version at which the present position came to be; None: it was in a snapshot."""
    typing: Mapping[str, float] = field(default_factory=dict)
    """Who writes in the viewer's chat, each until a local time: see `typists`."""


def first_state(snapshot: Snapshot, now: float) -> ClientRoomState:
    """The room as a snapshot has it, which came in `now`."""
    view = _shown_at(snapshot.at, read_view(snapshot.view))
    # Changes are folded in place, and who reads the snapshot later reads it as it came.
    return ClientRoomState(snapshot.version, view, deepcopy(snapshot.view), snapshot.at - 1000 * now)


def apply(state: ClientRoomState, message: RoomMessage, now: float) -> ClientRoomState:
    """The room after a message that came in `now`. Events come without gaps, as `protocol` delivers them.

    Raises `ValueError` for a change that does not fit the room.
    """
    match message:
        case Snapshot():
            return first_state(message, now)
        case Event():
            # Messages are late by what their way takes: the one that took least is the most right.
            offset = max(state.clock_offset, message.at - 1000 * now)
            event = message.event
            since = message.version if isinstance(event, NEW_POSITION) else state.position_version
            thinking = None if isinstance(event, ENDS_THOUGHT) else state.thinking
            typing = state.typing
            if isinstance(event, ChatPosted):
                typing = {name: until for name, until in typing.items() if name != event.name}
            view = _changed(state, message, message.at)
            return ClientRoomState(message.version, view, state.data, offset, thinking, since, typing)
        case Presence():
            return replace(state, view=_changed(state, message, round(1000 * now + state.clock_offset)))
        case Thinking(version=version):
            # One that was overtaken by the move it led to has nothing more to say. The position's version
            # may be older than the room's, which chat and offers raise, too.
            since = state.position_version
            present = version == since if since is not None else version <= state.version
            return replace(state, thinking=message) if present else state
        case Typing(name=name):
            return replace(state, typing={**_still(state.typing, now), name: now + TYPING_SECONDS})
        case _:
            # It changes nothing here.
            return state


def _changed(state: ClientRoomState, message: Event | Presence, at: int) -> RoomView:
    try:
        fold(state.data, message)
        return _shown_at(at, read_view(state.data))
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        field, wrong = ".".join(map(str, fault["loc"])), spoken(what_is_wrong(fault))
        why = say("refusal.wrong_field", field=field, why=wrong)
    except (LookupError, TypeError, ValueError) as error:
        why = repr(error)
    raise ValueError(say("error.change_misfit", why=why))


def as_of(state: ClientRoomState, now: float) -> RoomView:
    """The room at a moment: with the players' time as it is `now`."""
    view, thinking = state.view, state.thinking
    if thinking is not None and thinking.clock is not None:
        view = replace(view, clock=thinking.clock)
    return _shown_at(round(1000 * now + state.clock_offset), view)


def _shown_at(at: int, view: RoomView) -> RoomView:
    view, clock = replace(view, at=at), view.clock
    if clock is not None and clock.running is not None:
        left = list(clock.left)
        left[clock.running] = max(0, left[clock.running] - max(0, at - clock.since))
        view.clock = replace(clock, left=left, since=max(at, clock.since))
    return view


def typists(state: ClientRoomState, now: float) -> list[str]:
    """The names of those who write in the viewer's chat at a moment."""
    return list(_still(state.typing, now))


def _still(typing: Mapping[str, float], now: float) -> dict[str, float]:
    return {name: until for name, until in typing.items() if until > now}


def thought(state: ClientRoomState) -> Report | None:
    """The freshest report there is: of the search that runs, else of the last bot move."""
    return state.thinking.report if state.thinking is not None else state.view.report


def standing(state: ClientRoomState) -> tuple[Seat, Score] | None:
    """How good the game is for a seat, as the freshest report has it; None: nothing is known.

    By the best move while a bot thinks, else by the one that a bot chose last.
    """
    view, thinking = state.view, state.thinking
    if thinking is not None and thinking.report.candidates:
        return thinking.seat, thinking.report.candidates[0].score
    plays = [seat.kind == "bot" or bool(seat.stand_in or seat.program) for seat in view.seats]
    last = next((seat for seat in SEATS if plays[seat] and seat != view.to_move), view.to_move)
    if view.report is None or last is None or not plays[last] or (score := view.report.best_score) is None:
        return None
    return last, score
