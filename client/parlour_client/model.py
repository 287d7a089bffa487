"""The fold of what a server says of a room onto what a screen shows. Pure.

`RoomView` is what the server sends in a snapshot; each event after it is applied here, by the same
rules as the server's own. Nothing given is changed: a new view comes back. Times (`now`) are seconds of
one steady clock, whichever: a server tells how much time is left, and from then on it is counted here.
"""

from dataclasses import dataclass, replace
from typing import Any, assert_never

from parlour_protocol.ids import Seat, Version
from parlour_protocol.to_client import (
    ClocksWoken,
    DrawOffered,
    Event,
    GameAborted,
    GameFinished,
    GameStarted,
    MovePlayed,
    MovesTakenBack,
    NothingChanged,
    OfferDeclined,
    Presence,
    RematchOffered,
    RoomClosed,
    RoomCreated,
    RoomEvent,
    Said,
    SeatLeft,
    SeatTaken,
    Snapshot,
    TakebackOffered,
    Thinking,
    UnknownEvent,
)
from parlour_protocol.views import ChatLine, ClockView, Report, ResultView, RoomView, SeatView

RoomMessage = Snapshot | Event | Presence | Thinking
"""What tells of a room."""

LINES_KEPT = 100
"""As many lines of what was said are kept, as a server does."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A room as this viewer knows it."""

    version: Version
    """A move is made for this version: for the board that its player saw."""
    view: RoomView
    thinking: Thinking | None = None
    """What a bot thinks about the present position at this moment."""
    position_version: Version | None = None
    """The version at which the present position came to be; None: a snapshot doesn't tell."""
    clock_at: float = 0.0
    """When the players' time was told."""
    away_at: float = 0.0
    """When it was told for how long somebody has been away."""


def apply(shown: Shown | None, message: RoomMessage, now: float = 0.0) -> Shown | None:
    """What is shown after a message that came in `now`; None until a first snapshot has come.

    Events must come without gaps, as `connection` hands them up.
    """
    if isinstance(message, Snapshot):
        return Shown(message.version, message.view, clock_at=now, away_at=now)
    if shown is None:
        return None
    match message:
        case Event():
            return _after_event(shown, message, now)
        case Presence(online=online, watching=watching, away=away):
            view = replace(shown.view, online=online, watching=watching, away=away)
            return replace(shown, view=view, away_at=now)
        case Thinking(version=version):
            # One that was overtaken by the move it led to has nothing more to say. The position's version
            # may be older than the room's, which what is said or offered raises, too.
            since = shown.position_version
            present = version == since if since is not None else version <= shown.version
            return replace(shown, thinking=message) if present else shown
        case _:
            assert_never(message)


def as_of(shown: Shown, now: float) -> RoomView:
    """The room with the players' time, and for how long somebody has been away, as they are `now`."""
    view = shown.view
    clock, away = view.clock, view.away
    if clock is not None and clock.running is not None:
        gone = round(1000 * (now - shown.clock_at))
        left = max(0, clock.left[clock.running] - gone)
        clock = ClockView(_put(clock.left, clock.running, left), clock.running)
    if any(seconds is not None for seconds in away):
        away = [None if seconds is None else seconds + now - shown.away_at for seconds in away]
    return replace(view, clock=clock, away=away)


def _after_event(shown: Shown, message: Event, now: float) -> Shown:
    event = message.event
    view, clock_at = _after(shown.view, event, message.at), shown.clock_at
    if message.clock is not None:
        view, clock_at = replace(view, clock=message.clock), now
    since, thinking = shown.position_version, shown.thinking
    match event:
        case MovePlayed() | GameStarted() | MovesTakenBack():
            since, thinking = message.version, None
        case GameFinished() | GameAborted() | SeatTaken() | SeatLeft() | RoomClosed():
            thinking = None
        case _:
            pass
    return Shown(message.version, view, thinking, since, clock_at=clock_at, away_at=shown.away_at)


def _after(view: RoomView, event: RoomEvent, at: int) -> RoomView:
    match event:
        case MovePlayed(seat=seat, move=move, position=position, to_move=to_move, report=report):
            return replace(
                view,
                position=position,
                to_move=to_move,
                moves=[*view.moves, move],
                report=report or view.report,
                # Whoever moves on has answered the other's offer.
                draw_offer=seat if view.draw_offer == seat else None,
                takeback_offer=None,
            )
        case GameFinished(reason=reason, wins=wins, draws=draws, winner=winner):
            return replace(_ended(view, ResultView(reason, winner)), wins=wins, draws=draws)
        case GameAborted():
            return _ended(view, ResultView("aborted", aborted=True))
        case GameStarted(number=number, starter=starter, to_move=to_move, position=position, moves=moves):
            return replace(
                view,
                phase="playing",
                game_number=number,
                starter=starter,
                to_move=to_move,
                position=position,
                moves=moves,
                started_with=len(moves),
                result=None,
                rematch=[],
                draw_offer=None,
                takeback_offer=None,
                report=None,
            )
        case MovesTakenBack(plies=plies, position=position, to_move=to_move):
            return replace(
                view,
                position=position,
                to_move=to_move,
                moves=view.moves[:-plies],
                draw_offer=None,
                takeback_offer=None,
                # It was of a move that is undone, or may have been.
                report=None,
            )
        case DrawOffered(seat=seat):
            return replace(view, draw_offer=seat)
        case TakebackOffered(seat=seat):
            return replace(view, takeback_offer=seat)
        case RematchOffered(seat=seat):
            return replace(view, rematch=sorted({*view.rematch, seat}))
        case OfferDeclined(offer=offer):
            return _without_offer(view, offer)
        case Said(channel=channel, name=name, text=text):
            if name is None or text is None:
                return view
            return replace(view, chat=[*view.chat, ChatLine(channel, name, text, at)][-LINES_KEPT:])
        case SeatTaken(seat=seat, who=who):
            return _seated(view, seat, who)
        case SeatLeft(seat=seat):
            # The tally was between these two.
            return replace(
                view,
                phase="waiting",
                seats=_put(view.seats, seat, SeatView("open")),
                online=_put(view.online, seat, False),
                away=_put(view.away, seat, None),
                you=None if view.you == seat else view.you,
                to_move=None,
                result=None,
                wins=[0, 0],
                draws=0,
                rematch=[],
            )
        case RoomClosed():
            return replace(view, phase="closed", to_move=None)
        case RoomCreated() | ClocksWoken() | NothingChanged() | UnknownEvent():
            return view
        case _:
            assert_never(event)


def _ended(view: RoomView, result: ResultView) -> RoomView:
    return replace(view, phase="finished", to_move=None, result=result, draw_offer=None, takeback_offer=None)


def _without_offer(view: RoomView, offer: str) -> RoomView:
    match offer:
        case "draw":
            return replace(view, draw_offer=None)
        case "takeback":
            return replace(view, takeback_offer=None)
        case _:
            return replace(view, rematch=[])


def _seated(view: RoomView, seat: Seat, who: SeatView) -> RoomView:
    before = view.seats[seat].kind
    seats = _put(view.seats, seat, who)
    if before == who.kind == "human":
        # A bot that stands in has come or gone: whether its player is here is another matter.
        return replace(view, seats=seats)
    view = replace(view, seats=seats, online=_put(view.online, seat, True), away=_put(view.away, seat, None))
    # A bot's seat that was taken over: the tally was between others.
    return view if before == "open" else replace(view, wins=[0, 0], draws=0)


def _put(items: list[Any], seat: Seat, item: Any) -> list[Any]:
    return [item if number == seat else old for number, old in enumerate(items)]


def thought(shown: Shown) -> Report | None:
    """The freshest report there is: of the search that runs, else of the last bot move."""
    return shown.thinking.report if shown.thinking is not None else shown.view.report
