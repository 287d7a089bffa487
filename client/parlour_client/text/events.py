"""What happened in a room, in sentences for one viewer: the same ones in every front end. Pure."""

from typing import assert_never

from parlour_client.sdk.messages import Disconnected
from parlour_client.sdk.state import RoomMessage
from parlour_client.text import wording
from parlour_client.text.reports import compiling_title
from parlour_client.text.sanitize import clean
from parlour_protocol.events import (
    ChatPosted,
    ClocksResumed,
    ClocksStopped,
    Event,
    GameFinished,
    GameStarted,
    MovePlayed,
    MovesTakenBack,
    OfferDeclined,
    OfferMade,
    RoomClosed,
    RoomCreated,
    RoomEvent,
    SeatLeft,
    SeatTaken,
    Snapshot,
    StandInLeft,
    StandInSeated,
    UnknownEvent,
)
from parlour_protocol.ids import SEATS, Seat
from parlour_protocol.notices import Presence, Thinking
from parlour_protocol.views.reports import Compiling, Report
from parlour_protocol.views.rooms import RoomView

ANNOUNCED_ATTEMPTS = frozenset({0, 4, 8, 16, 32, 64, 128, 256})
"""The attempts to reconnect that get a line, so that a night offline fills no screen."""


def event_lines(before: RoomView, now: RoomView, message: RoomMessage, *, typing: bool = False) -> list[str]:
    """The sentences for a message, from the room before and after it; none where it has nothing to say.

    Moves and chat have theirs, too: a front end that shows those elsewhere leaves them out. With `typing`
    an offer's sentence says which words answer it, for a client in which commands are typed.
    """
    match message:
        case Event(event=event):
            return list(filter(None, [_sentence(before, now, event, typing=typing)]))
        case Presence():
            return [
                wording.presence(now, seat)
                for seat in SEATS
                if seat != now.you
                and now.seats[seat].kind == "human"
                and (before.away_since[seat] is None) != (now.away_since[seat] is None)
            ]
        case Thinking(seat=seat, report=Report(compiling=Compiling() as compiling)):
            return [f"{wording.mover_of(now, seat)} is about to think. {compiling_title(compiling)} ..."]
        case Thinking(seat=seat, report=Report(queued=int() as queued)):
            return [wording.waits_to_think(now, seat, queued)]
        case Thinking(seat=seat):
            return [f"{wording.mover_of(now, seat)} is thinking ..."]
        case Snapshot():
            return []
        case _:
            assert_never(message)


def _sentence(before: RoomView, now: RoomView, event: RoomEvent, *, typing: bool) -> str:
    match event:
        case SeatTaken(seat=seat) | StandInSeated(seat=seat) | StandInLeft(seat=seat):
            return _seat_taken(before, now, seat)
        case SeatLeft(seat=seat):
            return f"{wording.name_of(before, seat)} has left."
        case GameStarted():
            return f"Game {now.game_number}: {wording.players(now)}."
        case MovePlayed(seat=seat, move=move):
            return wording.moved(now, seat, move)
        case MovesTakenBack(seat=seat, plies=plies):
            return wording.taken_back(now, seat, plies)
        case GameFinished():
            return wording.result(now)
        case OfferMade(seat=seat, offer="draw"):
            return wording.draw_offered(now, seat, typing=typing)
        case OfferMade(seat=seat, offer="takeback"):
            return wording.takeback_offered(now, seat, typing=typing)
        case OfferMade(seat=seat):
            return (wording.rematch(now) if typing else "") or wording.rematch_offered(now, seat)
        case OfferDeclined(seat=seat, offer=offer):
            return wording.declined(before, seat, offer)
        case ClocksResumed():
            return "The clocks go on."
        case ClocksStopped():
            return "The clocks stand still until the player to move is back, for 30 s at most."
        case ChatPosted(name=name, text=text):
            # A viewer who does not read that channel gets neither.
            return f"{clean(name)}: {clean(text)}" if name else ""
        case RoomClosed(reason=reason):
            return f"The room is closed: {clean(reason)}."
        case RoomCreated() | UnknownEvent():
            return ""
        case _:
            assert_never(event)


def _seat_taken(before: RoomView, now: RoomView, seat: Seat) -> str:
    was, who = before.seats[seat], now.seats[seat]
    if was.kind == who.kind == "human":
        if who.stand_in is not None:
            return f"{clean(who.stand_in)} (bot) plays for {wording.seat_name(who)} until they are back."
        return "You play on yourself." if seat == now.you else f"{wording.seat_name(who)} plays on."
    if was.kind == "bot":
        return f"{clean(who.name)} takes the seat of {wording.name_of(before, seat)}."
    return "You sit down." if seat == now.you else f"{wording.name_of(now, seat)} sits down."


def connection_lost(lost: Disconnected, kept: str = "") -> str:
    """That the connection is lost, and when the next attempt is; `kept` says what waits meanwhile."""
    when = f"in {wording.seconds(lost.retry_in)}" if lost.retry_in >= 0.1 else "now"
    reason = f" {clean(lost.reason)}" if lost.reason else ""
    return f"Connection lost.{reason} Trying again {when}{kept}."


CONNECTED_AGAIN = "Connected again."
