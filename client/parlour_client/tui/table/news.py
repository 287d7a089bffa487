"""What happened at a table, in a sentence for the lines of talk. Pure."""

from parlour_client import sentences
from parlour_client.clean import clean
from parlour_client.model import RoomMessage
from parlour_client.tui.table.players import SEATS
from parlour_protocol.ids import Seat
from parlour_protocol.to_client import (
    ClocksWoken,
    DrawOffered,
    Event,
    GameAborted,
    GameFinished,
    GameStarted,
    MovesTakenBack,
    OfferDeclined,
    Presence,
    RematchOffered,
    RoomClosed,
    SeatLeft,
    SeatTaken,
    TakebackOffered,
)
from parlour_protocol.views import RoomView


def news(before: RoomView, now: RoomView, heard: RoomMessage) -> list[str]:
    """What a message tells beyond moves and talk."""
    match heard:
        case Event(event=SeatTaken(seat=seat)):
            return [_seated(before, now, seat)]
        case Event(event=SeatLeft(seat=seat)):
            return [f"{sentences.name_of(before, seat)} has left."]
        case Event(event=GameStarted(number=number)):
            return [f"Game {number}: {sentences.players(now)}."]
        case Event(event=MovesTakenBack(seat=seat, plies=plies)):
            return [sentences.taken_back(now, seat, plies)]
        case Event(event=GameFinished() | GameAborted()):
            return [sentences.result(now)]
        case Event(event=DrawOffered(seat=seat)):
            return [f"{_who(now, seat)} a draw."]
        case Event(event=TakebackOffered(seat=seat)):
            you = seat == now.you
            return [
                "You ask for a move back." if you else f"{sentences.name_of(now, seat)} asks for a move back."
            ]
        case Event(event=RematchOffered(seat=seat)):
            you = seat == now.you
            return [
                "You ask for a rematch." if you else f"{sentences.name_of(now, seat)} asks for a rematch."
            ]
        case Event(event=OfferDeclined(seat=seat, offer=offer)):
            return [sentences.declined(before, seat, offer)]
        case Event(event=ClocksWoken()):
            return ["The server was down; the clocks go on."]
        case Event(event=RoomClosed(reason=reason)):
            return [f"The room is closed: {clean(reason)}."]
        case Presence():
            return [
                sentences.presence(now, seat)
                for seat in SEATS
                if seat != now.you
                and now.seats[seat].kind == "human"
                and before.online[seat] != now.online[seat]
            ]
        case _:
            return []


def _who(view: RoomView, seat: Seat) -> str:
    return "You offer" if seat == view.you else f"{sentences.name_of(view, seat)} offers"


def _seated(before: RoomView, now: RoomView, seat: Seat) -> str:
    was, who = before.seats[seat], now.seats[seat]
    if was.kind == who.kind == "human":
        if who.stand_in is not None:
            return f"{clean(who.stand_in)} (bot) plays for {clean(who.name)} until they are back."
        return "You play on yourself." if seat == now.you else f"{clean(who.name)} plays on."
    if was.kind == "bot":
        return f"{clean(who.name)} takes the seat of {sentences.name_of(before, seat)}."
    return "You sit down." if seat == now.you else f"{sentences.name_of(now, seat)} sits down."
