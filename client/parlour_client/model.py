"""The fold of what a server says of a room onto what a screen shows. Pure.

`RoomView` is what the server sends in a snapshot; each event after it is applied here, by the same
rules as the server's own. Nothing given is changed: a new view comes back.
"""

from dataclasses import dataclass, replace
from typing import Any, assert_never

from parlour_protocol.ids import Seat, Version
from parlour_protocol.to_client import (
    Event,
    GameFinished,
    GameStarted,
    MovePlayed,
    Presence,
    RematchOffered,
    RoomClosed,
    RoomCreated,
    RoomEvent,
    SeatLeft,
    SeatTaken,
    Snapshot,
    Thinking,
    UnknownEvent,
)
from parlour_protocol.views import Report, ResultView, RoomView, SeatView

RoomMessage = Snapshot | Event | Presence | Thinking
"""What tells of a room."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A room as this viewer knows it."""

    version: Version
    """A move is made for this version: for the board that its player saw."""
    view: RoomView
    thinking: Thinking | None = None
    """What a bot thinks about the present position at this moment."""


def apply(shown: Shown | None, message: RoomMessage) -> Shown | None:
    """What is shown after a message; None until a first snapshot has come.

    Events must come without gaps, as `connection` hands them up.
    """
    if isinstance(message, Snapshot):
        return Shown(message.version, message.view)
    if shown is None:
        return None
    match message:
        case Event(version=version, event=event):
            return Shown(version, _after(shown.view, event))
        case Presence(online=online, watching=watching):
            return replace(shown, view=replace(shown.view, online=online, watching=watching))
        case Thinking():
            # One that was overtaken by the move it led to has nothing more to say.
            return replace(shown, thinking=message) if message.version == shown.version else shown
        case _:
            assert_never(message)


def _after(view: RoomView, event: RoomEvent) -> RoomView:
    match event:
        case MovePlayed(move=move, position=position, to_move=to_move, report=report):
            return replace(
                view,
                position=position,
                to_move=to_move,
                moves=[*view.moves, move],
                report=report or view.report,
            )
        case GameFinished(reason=reason, wins=wins, draws=draws, winner=winner):
            return replace(
                view,
                phase="finished",
                to_move=None,
                result=ResultView(reason, winner),
                wins=wins,
                draws=draws,
            )
        case GameStarted(number=number, starter=starter, to_move=to_move, position=position):
            return replace(
                view,
                phase="playing",
                game_number=number,
                starter=starter,
                to_move=to_move,
                position=position,
                moves=[],
                result=None,
                rematch=[],
                report=None,
            )
        case RematchOffered(seat=seat):
            return replace(view, rematch=sorted({*view.rematch, seat}))
        case SeatTaken(seat=seat, who=who):
            return replace(view, seats=_put(view.seats, seat, who), online=_put(view.online, seat, True))
        case SeatLeft(seat=seat):
            # The tally was between these two.
            return replace(
                view,
                phase="waiting",
                seats=_put(view.seats, seat, SeatView("open")),
                online=_put(view.online, seat, False),
                you=None if view.you == seat else view.you,
                to_move=None,
                result=None,
                wins=[0, 0],
                draws=0,
                rematch=[],
            )
        case RoomClosed():
            return replace(view, phase="closed", to_move=None)
        case RoomCreated() | UnknownEvent():
            return view
        case _:
            assert_never(event)


def _put(items: list[Any], seat: Seat, item: Any) -> list[Any]:
    return [item if number == seat else old for number, old in enumerate(items)]


def thought(shown: Shown) -> Report | None:
    """The freshest report there is: of the search that runs, else of the last bot move."""
    return shown.thinking.report if shown.thinking is not None else shown.view.report
