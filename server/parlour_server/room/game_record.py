"""Games as they were played, read off their room's log: what is listed, exported, replayed and reviewed."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from parlour_protocol.events import (
    ChatPosted,
    GameFinished,
    GameStarted,
    MovePlayed,
    MovesTakenBack,
    RoomClosed,
    SeatRenamed,
    SeatTaken,
)
from parlour_protocol.ids import Seat, Version, other
from parlour_protocol.views.records import GameRecord, PastGame, PastRoom, RecordedMove, RoomHistory, Tally
from parlour_protocol.views.rooms import ChatLine, Phase, ResultView
from parlour_server.log import LogRecord, Steps
from parlour_server.room.chat import CHAT_KEPT, channel_of
from parlour_server.room.decide import bot_player
from parlour_server.room.state import RoomState, effort, evolve
from parlour_server.room.view import seat_view, shows_thoughts


def default_game(log: Sequence[LogRecord]) -> Steps[int]:
    """The game that is meant by no number; 0: there is none.

    The last that was not aborted and has moves or an end; else the last that was not aborted, else the last.
    """
    # Of each game: was it not aborted, has it moves, its number.
    games: list[tuple[bool, bool, int]] = [(False, False, 0)]
    for record in log:
        yield 1
        if isinstance(record.event, GameStarted):
            games.append((True, False, len(games)))
        elif isinstance(record.event, MovePlayed):
            games[-1] = (True, True, games[-1][2])
        elif isinstance(record.event, GameFinished):
            # One that was given up without a move has an end to look at.
            games[-1] = (record.event.termination != "aborted", True, games[-1][2])
    return max(games)[2]


def game_record(
    code: str,
    log: Sequence[LogRecord],
    viewer: str,
    number: int | None = None,
    came: Version | None = None,
) -> Steps[GameRecord | None]:
    """One of a room's games, `default_game` unless its number says another; None: there is none such.

    Of its talk the viewer gets what was said in their presence: by players while the viewer sat there, by
    spectators while the viewer was one: once they had said something, or left a seat, or after the version
    `came` at which they came.
    """
    wanted = (yield from default_game(log)) if number is None else number
    if not wanted:
        return None
    state = RoomState(code)
    found: GameRecord | None = None
    chat: list[ChatLine] = []
    spoke = False
    for version, record in enumerate(_folded(state, log, wanted), start=1):
        yield effort(state, record.event)
        event = record.event
        if isinstance(event, ChatPosted):
            channel = channel_of(state.seat_of(viewer))
            spoke = spoke or (record.by == viewer and channel == "spectators")
            there = channel == "players" or spoke or viewer in state.stood_up
            there = there or (came is not None and version > came)
            if there and event.channel == channel and max(state.game_number, 1) == wanted:
                chat.append(ChatLine(event.channel, event.name, event.text, record.at, event.text_said))
        if state.game_number != wanted:
            continue
        if found is None:
            found = _begun(state, record.at)
        if isinstance(event, MovePlayed):
            left = None if state.clocks is None else state.clocks.left[event.seat]
            seated = state.seats[event.seat]
            stood_in = seated is not None and seated.bot is None and record.by == bot_player(event.seat)
            stand_in = seated.stand_in.settings if stood_in and seated and seated.stand_in else None
            found.moves.append(RecordedMove(event.seat, event.move, record.at, left, event.report, stand_in))
        elif isinstance(event, MovesTakenBack):
            del found.moves[-event.plies :]
        elif isinstance(event, SeatTaken | SeatRenamed) and state.phase == "playing":
            # A player who sits down after the game was no part of it.
            found.seats = [seat_view(seated) for seated in state.seats]
        if state.result is not None:
            found.result = replace(state.result)
    if found is None:
        return None
    # What is hidden does not leave the room.
    if not shows_thoughts(state, wanted):
        for move in found.moves:
            move.report = None
    found.chat = chat[-CHAT_KEPT:]
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


def room_history(code: str, log: Sequence[LogRecord], viewer: str) -> Steps[RoomHistory]:
    """The games that were begun in a room."""
    state, listed = RoomState(code), _GameList(viewer)
    for record in _folded(state, log):
        yield effort(state, record.event)
        listed.take(state, record)
    games = listed.games
    if games:
        games[-1].goes_on = state.phase == "playing"
    played = any(game.you is not None for game in games)
    return RoomHistory(
        room=code,
        game=state.rules.name,
        title=state.rules.title,
        phase=state.phase,
        games=games,
        default=(yield from default_game(log)),
        tally=tally(games) if played else None,
    )


def tally(games: Sequence[PastGame]) -> Tally:
    """How the viewer's own games ended."""
    counted = Tally()
    for game in games:
        if game.you is not None and game.result is not None:
            counted.count(game.result.termination, game.result.winner, game.you)
    return counted


def past_room(code: str, log: Sequence[LogRecord], player: str) -> Steps[PastRoom]:
    """A room, as one of those that its player may want to go back to.

    Where players left after games, it is as it was with the last that ended and wasn't aborted.
    """
    state, listed = RoomState(code), _GameList(player)
    seats = [seat_view(seated) for seated in state.seats]
    you: Seat | None = None
    result: ResultView | None = None
    wins, draws = [0, 0], 0
    sat = there = False
    # Whose turn it is follows from the moves of the game that runs.
    for record in _folded(state, log, _running_game(log)):
        yield effort(state, record.event)
        listed.take(state, record)
        there = state.seat_of(player) is not None
        sat = sat or there
        if sat and not there:
            you = None
            continue
        if isinstance(record.event, GameFinished) and record.event.termination != "aborted":
            result, wins, draws = state.result, list(state.wins), state.draws
        if all(state.seats) or (any(state.seats) and result is None):
            seats, you = [seat_view(seated) for seated in state.seats], _own_seat(state, player)
    left = sat and not there
    over = left or (state.phase == "waiting" and result is not None)
    phase: Phase = "finished" if over and state.phase != "closed" else state.phase
    return PastRoom(
        room=code,
        game=state.rules.name,
        title=state.rules.title,
        phase=phase,
        seats=seats,
        games=len(listed.games),
        moves=listed.games[-1].moves if listed.games else 0,
        at=log[-1].at,
        you=you,
        result=result,
        wins=wins[::-1] if you == 1 else wins,
        draws=draws,
        tally=tally(listed.games),
        your_turn=True if you is not None and you == state.to_move else None,
        # Where another person plays they would wait for a player who has forgotten the room.
        removable=phase in ("finished", "closed") or you is None or seats[other(you)].kind == "bot",
    )


def _running_game(log: Sequence[LogRecord]) -> int | None:
    """The number of the game that goes on; None: none does."""
    kinds = (GameStarted, GameFinished, RoomClosed)
    last = next((record.event for record in reversed(log) if isinstance(record.event, kinds)), None)
    if not isinstance(last, GameStarted):
        return None
    return sum(isinstance(record.event, GameStarted) for record in log)


def _own_seat(state: RoomState, viewer: str) -> Seat | None:
    """The seat for which a game is won or lost: none where one plays both, at one device."""
    return None if state.shared else state.seat_of(viewer)


class _GameList:
    """A room's games as its log goes by, for one viewer."""

    def __init__(self, viewer: str) -> None:
        self._viewer = viewer
        self.games: list[PastGame] = []

    def take(self, state: RoomState, record: LogRecord) -> None:
        """Take a record that was folded into `state`."""
        match record.event:
            case GameStarted():
                seats = [seat_view(seated) for seated in state.seats]
                game = PastGame(state.game_number, seats, state.starter, record.at, len(state.start))
                game.you = _own_seat(state, self._viewer)
                self.games.append(game)
            case MovePlayed():
                self.games[-1].moves += 1
            case MovesTakenBack(plies=plies):
                self.games[-1].moves -= plies
            case SeatTaken() | SeatRenamed() if state.phase == "playing":
                self.games[-1].seats = [seat_view(seated) for seated in state.seats]
                self.games[-1].you = _own_seat(state, self._viewer)
            case GameFinished() if state.result is not None:
                self.games[-1].result = replace(state.result)
            case _:
                pass


def _folded(state: RoomState, log: Sequence[LogRecord], wanted: int | None = None) -> Iterator[LogRecord]:
    """Each record of a log once it is folded; but moves are folded in the wanted game alone.

    They take nearly all the time, and change nothing that is asked about the other games.
    """
    for record in log:
        move = isinstance(record.event, MovePlayed | MovesTakenBack)
        if not move or state.game_number == wanted:
            evolve(state, record)
        yield record
