"""What a viewer sees of a room. Whether a bot's thoughts are shown is decided here, in `sees_thoughts`."""

from dataclasses import dataclass
from typing import assert_never

from parlour_protocol import to_client
from parlour_protocol.ids import Seat
from parlour_protocol.views import BoardView, Channel, ClockView, RoomLine, RoomView, SeatView, ThoughtView
from parlour_server.room.events import (
    ClocksWoken,
    DrawOffered,
    GameAborted,
    GameFinished,
    GameStarted,
    MovePlayed,
    MovesTakenBack,
    NothingChanged,
    OfferDeclined,
    Record,
    RematchOffered,
    RoomClosed,
    RoomCreated,
    Said,
    SeatLeft,
    SeatTaken,
    StandInLeft,
    StandInSeated,
    TakebackOffered,
)
from parlour_server.room.state import RoomState, Seated


def sees_thoughts(state: RoomState, viewer: Seat | None) -> bool:
    """May this viewer see how the bots think, now? Spectators (None) always do.

    The one place where a report is let out; what it refuses never leaves the server.
    """
    if viewer is None:
        return True
    match state.settings.reports:
        case "at_once":
            return True
        case "after":
            return state.phase != "playing"
        case "never":
            return False
        case _:
            assert_never(state.settings.reports)


def may_ask_hint(state: RoomState) -> bool:
    """May the players ask for hints?"""
    match state.settings.hints:
        case "always":
            return True
        case "never":
            return False
        case "bots":
            return state.bots() > 0
        case _:
            assert_never(state.settings.hints)


def channel_of(viewer: Seat | None) -> Channel:
    """With whom a viewer talks, and whom they hear."""
    return "spectators" if viewer is None else "players"


def event_view(state: RoomState, record: Record, *, thoughts: bool) -> to_client.Event:
    """The wire's form of a record, right after it was folded into `state`.

    `thoughts` says whether a bot's report is part of it.
    """
    return _event(state, record, _room_event(state, record, thoughts))


def unheard(state: RoomState, record: Record) -> to_client.Event:
    """What was said, for those who may not hear it: a version without a word."""
    assert isinstance(record.event, Said)
    return _event(state, record, to_client.Said(record.event.channel))


def _event(state: RoomState, record: Record, event: to_client.RoomEvent) -> to_client.Event:
    # Positional, here and below: one of these is built for every move of every room.
    clock = None if state.clocks is None else clock_view(state, record.at)
    return to_client.Event(state.code, state.version, record.at, event, clock)


def clock_view(state: RoomState, now: int) -> ClockView | None:
    """The players' time as of now."""
    clocks = state.clocks
    if clocks is None:
        return None
    return ClockView([max(0, clocks.remaining(0, now)), max(0, clocks.remaining(1, now))], clocks.running)


def _room_event(state: RoomState, record: Record, thoughts: bool) -> to_client.RoomEvent:
    event = record.event
    match event:
        case MovePlayed(seat=seat, move=move, report=report):
            board = state.rules.view(state.position, state.last_move)
            # Nobody moves in a decided position, though that the game is over is the next event's news.
            to_move = None if board.to_move is None else state.to_move
            return to_client.MovePlayed(seat, move, board, to_move, report if thoughts else None)
        case GameFinished(winner=winner, reason=reason):
            return to_client.GameFinished(reason, list(state.wins), state.draws, winner)
        case GameStarted(starter=starter):
            board = state.rules.view(state.position, state.last_move)
            # The present position's side to move: a game may begin in the middle of another.
            to_move = starter if state.to_move is None else state.to_move
            moves = [played.move for played in state.moves]
            return to_client.GameStarted(state.game_number, starter, to_move, board, moves)
        case RematchOffered(seat=seat):
            return to_client.RematchOffered(seat)
        case DrawOffered(seat=seat):
            return to_client.DrawOffered(seat)
        case TakebackOffered(seat=seat):
            return to_client.TakebackOffered(seat)
        case OfferDeclined(seat=seat, offer=offer):
            return to_client.OfferDeclined(seat, offer)
        case MovesTakenBack(seat=seat, plies=plies):
            board = state.rules.view(state.position, state.last_move)
            return to_client.MovesTakenBack(seat, plies, board, state.to_move)
        case GameAborted(seat=seat):
            return to_client.GameAborted(seat)
        case StandInSeated(seat=seat) | StandInLeft(seat=seat):
            return to_client.SeatTaken(seat, seat_view(state.seats[seat]))
        case ClocksWoken():
            return to_client.ClocksWoken()
        case Said(channel=channel, name=name, text=text):
            return to_client.Said(channel, name, text)
        case SeatTaken(seat=seat):
            return to_client.SeatTaken(seat, seat_view(state.seats[seat]))
        case SeatLeft(seat=seat):
            return to_client.SeatLeft(seat)
        case RoomCreated(game=game, settings=settings):
            return to_client.RoomCreated(game, state.rules.title, settings)
        case NothingChanged():
            return to_client.NothingChanged()
        case RoomClosed(reason=reason):
            return to_client.RoomClosed(reason)
        case _:
            assert_never(event)


def board_view(state: RoomState) -> BoardView | None:
    """The present position; None before the first game."""
    if state.position is None:
        return None
    return state.rules.view(state.position, state.last_move)


def seat_view(seated: Seated | None) -> SeatView:
    """A seat, without its player's identity."""
    if seated is None:
        return SeatView("open")
    if seated.bot is None:
        stand_in = None if seated.stand_in is None else public_bot(seated.stand_in)
        return SeatView("human", seated.name, stand_in=stand_in, program=True if seated.program else None)
    return SeatView("bot", seated.name, public_bot(seated.bot))


def public_bot(bot: str) -> str:
    """A bot's settings without its seed: whoever knows that could foretell its choices."""
    name, _, settings = bot.partition(":")
    kept = [setting for setting in settings.split(",") if setting and not setting.startswith("seed=")]
    return f"{name}:{','.join(kept)}" if kept else name


@dataclass(slots=True)
class Around:
    """Who is here, and what time it is: all of a view that the log doesn't tell."""

    online: list[bool]
    watching: int
    away: list[float | None]
    now: int
    """Milliseconds since 1970."""


def room_view(state: RoomState, viewer: str, around: Around) -> RoomView:
    """The whole room for one player (a spectator, where they have no seat)."""
    seat = state.seat_of(viewer)
    channel = channel_of(seat)
    # A resigned position still has a side to move by the rules; to_move is the room's word on it.
    report = None
    if sees_thoughts(state, seat):
        report = next((played.report for played in reversed(state.moves) if played.report is not None), None)
    return RoomView(
        room=state.code,
        game=state.rules.name,
        title=state.rules.title,
        settings=state.settings,
        seats=[seat_view(seated) for seated in state.seats],
        phase=state.phase,
        online=around.online,
        watching=around.watching,
        away=around.away,
        game_number=state.game_number,
        starter=state.starter,
        to_move=state.to_move,
        position=board_view(state),
        moves=[played.move for played in state.moves],
        result=state.result,
        wins=list(state.wins),
        draws=state.draws,
        rematch=sorted(state.rematch),
        draw_offer=state.draw,
        takeback_offer=state.takeback,
        clock=clock_view(state, around.now),
        chat=[line for line in state.chat if line.channel == channel],
        started_with=len(state.start),
        you=seat,
        owner=viewer == state.owner,
        report=report,
    )


def room_line(state: RoomState, watching: int) -> RoomLine:
    """The room in the list of what is being played."""
    return RoomLine(
        room=state.code,
        game=state.rules.name,
        phase=state.phase,
        seats=[seat_view(seated) for seated in state.seats],
        moves=len(state.moves),
        watching=watching,
        version=state.version,
        clock=state.settings.clock,
    )


def thought_views(state: RoomState, viewer: Seat | None) -> list[ThoughtView]:
    """The reports kept with the present game's moves, as many as the viewer may see."""
    if not sees_thoughts(state, viewer):
        return []
    return [
        ThoughtView(ply, played.seat, played.move, played.report)
        for ply, played in enumerate(state.moves, start=1)
        if played.report is not None
    ]
