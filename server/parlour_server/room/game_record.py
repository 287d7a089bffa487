"""A game as it was played, read off its room's log: what is exported, replayed and reviewed."""

from collections.abc import Sequence
from dataclasses import replace

from parlour_protocol.events import GameStarted, MovePlayed, MovesTakenBack, SeatTaken
from parlour_protocol.ids import Seat
from parlour_protocol.records import GameRecord, PastRoom, RecordedMove
from parlour_server.room.decide import bot_player
from parlour_server.room.log import LogRecord
from parlour_server.room.state import RoomState, evolve
from parlour_server.room.view import channel_of, seat_view, sees_thoughts


def game_record(
    code: str, log: Sequence[LogRecord], viewer: str, number: int | None = None
) -> GameRecord | None:
    """One of a room's games, the last one unless its number says another; None: there is none such."""
    state = RoomState(code)
    found: GameRecord | None = None
    for record in log:
        evolve(state, record)
        event = record.event
        if isinstance(event, GameStarted) and number in (None, state.game_number):
            found = _begun(state, record.at)
        if found is None or found.number != state.game_number:
            continue
        if isinstance(event, MovePlayed):
            left = None if state.clocks is None else state.clocks.left[event.seat]
            seated = state.seats[event.seat]
            stood_in = seated is not None and seated.bot is None and record.by == bot_player(event.seat)
            stand_in = seated.stand_in.settings if stood_in and seated and seated.stand_in else None
            found.moves.append(RecordedMove(event.seat, event.move, record.at, left, event.report, stand_in))
        elif isinstance(event, MovesTakenBack):
            del found.moves[-event.plies :]
        elif isinstance(event, SeatTaken) and state.phase == "playing":
            # A player who sits down after the game was no part of it.
            found.seats = [seat_view(seated) for seated in state.seats]
        if state.result is not None:
            found.result = replace(state.result)
    if found is None:
        return None
    seat = state.seat_of(viewer)
    # What the viewer may not see does not leave the room: a game that is over is judged by its room now.
    if not sees_thoughts(state, seat):
        for move in found.moves:
            move.report = None
    channel = channel_of(seat)
    found.chat = [line for line in state.chat if line.channel == channel]
    return found


def _begun(state: RoomState, at: int) -> GameRecord:
    return GameRecord(
        room=state.code,
        game=state.rules.name,
        title=state.rules.title,
        number=state.game_number,
        seats=[seat_view(seated) for seated in state.seats],
        starter=state.starter,
        settings=state.settings,
        started=at,
        moves=[RecordedMove(played.seat, played.move, 0) for played in state.moves],
        started_with=len(state.start),
    )


def past_room(code: str, log: Sequence[LogRecord], player: str) -> PastRoom:
    """A room, as one of those that its player may want to go back to."""
    state = RoomState(code)
    seats = [seat_view(seated) for seated in state.seats]
    you: Seat | None = None
    for record in log:
        evolve(state, record)
        # A seat that was left, or a closed room: as it was when last somebody sat there.
        if any(state.seats):
            seats, you = [seat_view(seated) for seated in state.seats], state.seat_of(player)
    return PastRoom(
        room=code,
        game=state.rules.name,
        title=state.rules.title,
        phase=state.phase,
        seats=seats,
        games=state.game_number,
        moves=len(state.moves),
        at=log[-1].at,
        you=you,
        result=state.result,
    )
