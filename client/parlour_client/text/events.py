"""What happened in a room, in sentences for one viewer: the same ones in every front end. Pure."""

from dataclasses import fields
from typing import assert_never

from parlour_client.text import wording
from parlour_client.text.names import bot_name, localised, seat_name
from parlour_client.text.reports import compiling_title
from parlour_protocol.events import (
    BotAwaited,
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
    SeatRenamed,
    SeatTaken,
    StandInLeft,
    StandInSeated,
    UnknownEvent,
)
from parlour_protocol.ids import SEATS, Seat
from parlour_protocol.messages import RoomMessage, RoomNotice
from parlour_protocol.notices import Presence, Thinking, Typing
from parlour_protocol.views.reports import Compiling, Report
from parlour_protocol.views.rooms import RoomView
from parlour_protocol.words import ENGLISH, say

ANNOUNCED_ATTEMPTS = frozenset({0, 4, 8, 16, 32, 64, 128, 256})
"""The attempts to reconnect that get a line, so that a night offline fills no screen."""


def event_lines(before: RoomView, now: RoomView, message: RoomMessage, *, typing: bool = False) -> list[str]:
    """The sentences for a message, from the room before and after it; none where it has nothing to say.

    Moves and chat have theirs, too: a front end that shows those elsewhere leaves them out. With `typing`
    an offer's sentence says which words answer it, for a client in which commands are typed.
    """
    match message:
        case Event(event=event):
            said = [_sentence(before, now, event, typing=typing), lapsed(before, now, event)]
            return list(filter(None, said))
        case Presence():
            return [
                wording.presence(now, seat)
                for seat in SEATS
                if seat != now.you
                and not now.shared
                and now.seats[seat].kind == "human"
                and (before.away_since[seat] is None) != (now.away_since[seat] is None)
            ]
        case Thinking(seat=seat, report=Report(compiling=Compiling() as compiling)):
            name = wording.mover_of(now, seat)
            return [say("search.about_to_think", name=name, compiling=compiling_title(compiling))]
        case Thinking(seat=seat, report=Report(queued=int() as queued)):
            return [wording.waits_to_think(now, seat, queued)]
        case Thinking(seat=seat):
            return [say("search.thinking", name=wording.mover_of(now, seat))]
        case Typing():
            return []  # shown for as long as it lasts
        case RoomNotice():
            return list(filter(None, [_notice(now, message)]))
        case _:
            return []


def calls(before: RoomView, now: RoomView, message: RoomMessage) -> bool:
    """Does this want a player who may look elsewhere: their turn, a start, what the other one asks?"""
    if not isinstance(message, Event):
        return False
    match message.event:
        case OfferMade(offer=offer):
            return offer in now.offers_to_answer()
        case GameStarted():
            return now.you is not None
        case _:
            return now.you is not None and now.your_turn and now.to_move != before.to_move


def lapsed(before: RoomView, now: RoomView, event: RoomEvent) -> str:
    """That a move has left no offer where one stood; empty where that is not so."""
    if isinstance(event, MovePlayed) and now.phase == "playing" and before.offers.keys() - now.offers:
        return say("event.offer_lapsed")
    return ""


def _notice(view: RoomView, notice: RoomNotice) -> str:
    """The sentence of a notice that the catalogue has one for."""
    if (id_ := f"notice.{notice.type}") not in ENGLISH:
        return ""
    given = {one.name: getattr(notice, one.name) for one in fields(notice)}
    seat = given.get("seat")
    return say(id_, **given, **({} if seat is None else {"name": wording.name_of(view, seat)}))


def _sentence(before: RoomView, now: RoomView, event: RoomEvent, *, typing: bool) -> str:
    match event:
        case SeatTaken(seat=seat) | StandInSeated(seat=seat) | StandInLeft(seat=seat):
            return _seat_taken(before, now, seat)
        case SeatRenamed(seat=seat, name=name):
            reader = "you" if seat == now.you else "them"
            return say(f"event.seat_renamed.{reader}", before=wording.name_of(before, seat), name=name)
        case SeatLeft(seat=seat):
            return say("event.seat_left", name=wording.name_of(before, seat))
        case BotAwaited(bot=bot):
            return say("event.bot_awaited", name=bot_name(bot))
        case GameStarted():
            who = "you" if now.starter == now.you else "them"
            name = wording.name_of(now, now.starter)
            return say(f"event.game_started.{who}", number=now.game_number, name=name)
        case MovePlayed(seat=seat, move=move):
            return wording.moved(now, seat, move)
        case MovesTakenBack(seat=seat, plies=plies):
            return wording.taken_back(now, seat, plies)
        case GameFinished():
            return wording.result(now)
        case OfferMade(seat=seat, offer=offer):
            return wording.offered(now, offer, seat, typing=typing)
        case OfferDeclined(seat=seat, offer=offer):
            return wording.declined(before, seat, offer)
        case ClocksResumed():
            return say("event.clocks_resumed")
        case ClocksStopped():
            return say("event.clocks_stopped")
        case ChatPosted(name=name, text=text, text_said=said):
            # A viewer who does not read that channel gets neither.
            return say("event.chat", name=name, text=localised(text, said)) if name else ""
        case RoomClosed(reason=reason):
            return say("table.closed_because", reason=reason)
        case RoomCreated() | UnknownEvent():
            return ""
        case _:
            assert_never(event)


def _seat_taken(before: RoomView, now: RoomView, seat: Seat) -> str:
    was, who, name = before.seats[seat], now.seats[seat], wording.name_of(now, seat)
    reader = "you" if seat == now.you else "them"
    if was.kind == "bot":
        return say("event.seat_taken.from_bot", name=name, bot=seat_name(was))
    if was.kind == who.kind == "human":
        if who.stand_in is not None:
            return say("event.stand_in.begins", bot=who.stand_in, name=name)
        return say(f"event.stand_in.ends_{reader}", name=name)
    return say(f"event.seat_taken.{reader}", name=name)


def connection_lost(retry_in: float, reason: str = "", *, seated: bool = False) -> str:
    """That the connection is lost, and when the next attempt is; `seated`: a seat is kept meanwhile."""
    sentence = _LOST[bool(reason), retry_in >= 0.1]
    said = say(sentence, span=wording.seconds(retry_in), reason=reason)
    return f"{said} {say('connection.seat_kept')}" if seated else said


_LOST = {
    (False, False): "connection.lost_now",
    (False, True): "connection.lost_in",
    (True, False): "connection.lost_because_now",
    (True, True): "connection.lost_because_in",
}
