"""A room's state, and `evolve`, which folds the log into it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, assert_never

from parlour_protocol.actions import OFFERS, Offer
from parlour_protocol.clocks import parse_time_control
from parlour_protocol.events import (
    BotAwaited,
    ChatPosted,
    ClocksResumed,
    ClocksStopped,
    GameFinished,
    GameStarted,
    KnownEvent,
    MovePlayed,
    MovesTakenBack,
    OfferDeclined,
    OfferMade,
    RoomClosed,
    RoomCreated,
    SeatLeft,
    SeatRenamed,
    SeatTaken,
    StandInLeft,
    StandInSeated,
)
from parlour_protocol.ids import SEATS, Seat, Version
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views.rooms import Channel, ChatLine, Phase, ResultView, Series, Turn, Unrated
from parlour_server.games import find_game
from parlour_server.games.game import Game, Move
from parlour_server.log import Applied, LogRecord
from parlour_server.room.chat import Talk
from parlour_server.room.clocks import Clocks

ANSWERS_KEPT = 64
"""How many accepted commands of each player a room keeps at least: a repeated one gets its first answer."""
AUTHORS_KEPT = 256
"""Of how many people at most; always of its owner and of the seated players."""


@dataclass(frozen=True, slots=True)
class Bot:
    """A bot's settings as people write them, and the seed of its random choices."""

    settings: str
    seed: int


@dataclass(frozen=True, slots=True)
class Seated:
    """A seat's player, or its bot."""

    player: str
    name: str
    bot: Bot | None = None
    """The bot that this is; None: a player's seat."""
    stand_in: Bot | None = None
    """The bot that plays while the player is away."""
    program: bool = False
    """Is the player a program?"""
    relieved: Bot | None = None
    """The bot whose seat the player took over: it has that back when the player leaves."""
    shared: bool = False
    """Is it one of two seats of one player, at whose device two people sit?"""

    @property
    def acting_bot(self) -> Bot | None:
        """The bot that finds this seat's moves; None: its player does."""
        return self.bot or self.stand_in


@dataclass(frozen=True, slots=True)
class Asker:
    """A spectator who asks the room's owner for a bot's seat."""

    player: str
    name: str


@dataclass(frozen=True, slots=True)
class Awaited:
    """The bot that takes the free seat from a moment on, in milliseconds since 1970, unless a player does."""

    bot: Bot
    at: int


@dataclass(slots=True)
class RoomState:
    """All that is true of a room at one version. Changed by `evolve` alone.

    It is folded in place: a state is its room's own, and copying it for each move would cost more
    than all the rest of the fold.
    """

    code: str
    version: Version = 0
    game: Game[Any] | None = None
    settings: RoomSettings = field(default_factory=RoomSettings)
    owner: str = ""
    seats: list[Seated | None] = field(default_factory=lambda: [None, None])
    phase: Phase = "waiting"
    awaited: Awaited | None = None
    """While a player waits alone, and has asked for a bot."""
    game_number: int = 0
    starter: Seat = 0
    position: Any = None
    position_version: Version = 0
    """The version at which the present position came to be: an older move is stale."""
    turn: Turn | None = None
    """Whose move it is; None when no game runs. Replaced as a whole, never changed."""
    last_move: Move | None = None
    start: tuple[str, ...] = ()
    """The moves to the position where games begin here."""
    tournament: str | None = None
    """The code of the tournament of which its one game is."""
    rated: bool = False
    """Do its games count for ratings, where nothing stands against it?"""
    disturbed: Unrated | None = None
    """What has happened in the present game for which it can't count."""
    moves: list[MovePlayed] = field(default_factory=list)
    """Of the present game, those of `start` among them."""
    result: ResultView | None = None
    finished_at: Version = 0
    """The version at which the last game ended."""
    wins: list[int] = field(default_factory=lambda: [0, 0])
    draws: int = 0
    offers: dict[Offer, Seat] = field(default_factory=dict)
    """What stands offered, and by which seat. Replaced as a whole, never changed."""
    asker: Asker | None = None
    """Who was the last to ask for a bot's seat."""
    made: list[int] = field(default_factory=lambda: [0, 0])
    """How many moves each seat has made in the present game."""
    clocks: Clocks | None = None
    chat: dict[Channel, Talk] = field(default_factory=lambda: {"players": Talk(), "spectators": Talk()})
    asked_at: Version = 0
    """The version of the last event that a person or a program asked for, other than a move."""
    seated_at: list[Version] = field(default_factory=lambda: [0, 0])
    """The version at which each seat was taken last: its player reads what was said from then on."""
    first_lines: dict[str, Version] = field(default_factory=dict)
    """The version of each spectator's first line; of the last `AUTHORS_KEPT` to begin."""
    stood_up: dict[str, Version] = field(default_factory=dict)
    """The version at which players left a seat, and so became spectators; of the last `AUTHORS_KEPT`."""
    answers: dict[str, dict[str, Version]] = field(default_factory=dict)
    """The version that each of the last accepted commands led to, by player and by command id."""
    situation: Any = field(default=None, compare=False)
    """What `permissions.situation` found at this version, if it was asked."""
    between_moves: Any = field(default=None, compare=False)
    """As much of it as no move changes."""

    @property
    def rules(self) -> Game[Any]:
        """The game's rules; a room that exists has some."""
        assert self.game is not None, "the room has not been created"
        return self.game

    def seat_of(self, player: str) -> Seat | None:
        """Where a player sits, first where they have both seats; None: nowhere."""
        first, second = self.seats
        if first is not None and first.player == player:
            return 0
        if second is not None and second.player == player:
            return 1
        return None

    def answer(self, player: str, command: str) -> Version | None:
        """The version that a command of this id has led to; None: it was not accepted, or long ago."""
        answers = self.answers.get(player)
        return None if answers is None else answers.get(command)

    def side_to_move(self) -> Seat:
        """The seat of the side to move in the present position, by the game's rules."""
        assert self.game is not None, "the room has not been created"
        side = self.game.to_move(self.position)
        return self.starter if side == 0 else 1 if self.starter == 0 else 0

    @property
    def is_early(self) -> bool:
        """Has a side still to make its first move? Until then no clock runs, and the game can be aborted."""
        return not all(self.made)

    def free_seats(self) -> list[Seat]:
        """The open seats."""
        return [seat for seat in SEATS if self.seats[seat] is None]

    @property
    def shared(self) -> bool:
        """Do two people play here at one device, as one player?"""
        first = self.seats[0]
        return first is not None and first.shared

    @property
    def to_move(self) -> Seat | None:
        """The seat whose move it is; None when no game runs."""
        return None if self.turn is None else self.turn.seat

    @property
    def bot_to_move(self) -> bool:
        """Does a bot find the next move?"""
        seated = None if self.turn is None else self.seats[self.turn.seat]
        return seated is not None and seated.acting_bot is not None

    def all_bots(self) -> bool:
        """Do bots play for both seats, be it for a while?"""
        return all(seated is not None and seated.acting_bot is not None for seated in self.seats)

    def series(self) -> Series | None:
        """Which of their games two bots play; None where they play one, or people sit here."""
        if self.settings.games == 1 or any(seat is None or seat.bot is None for seat in self.seats):
            return None
        number = sum(self.wins) + self.draws + (self.phase == "playing")
        # Their owner may ask for more games than were agreed on.
        return Series(number, max(number, self.settings.games))

    def awaits_next_game(self) -> bool:
        """Is a game over, and the next one of two bots to begin by itself?"""
        series = self.series() if self.phase == "finished" else None
        return series is not None and series.goes_on

    def legal_moves(self) -> list[str]:
        """The legal moves as people write them; none when no game runs."""
        if self.phase != "playing":
            return []
        rules, position = self.rules, self.position
        return [rules.format(position, move) for move in rules.legal_moves(position)]


def evolve(state: RoomState, record: LogRecord) -> None:
    """Fold one record into the state. Never refuses: what stands in the log has happened."""
    event = record.event
    state.version += 1
    state.situation = None
    if type(event) is not MovePlayed:
        state.between_moves = None
        if record.by and ":" not in record.by:
            state.asked_at = state.version
    if record.command is not None:
        # One command may cause several events: its answer is the last one's version.
        answers = state.answers.get(record.by)
        if answers is None:
            answers = _first_answer(state, record.by)
        answers[record.command] = state.version
        if len(answers) > 4 * ANSWERS_KEPT:
            # Many at once: taking the oldest from a dictionary one by one walks over all taken before.
            state.answers[record.by] = dict(list(answers.items())[-ANSWERS_KEPT:])
    match event:
        case MovePlayed(seat=seat):
            over = _move(state, event, record.applied)
            state.made[seat] += 1
            if state.offers:
                # Who moves has answered the other's offers; of their own some stand on.
                state.offers = {
                    offer: by
                    for offer, by in state.offers.items()
                    if OFFERS[offer].phase is None or (by == seat and OFFERS[offer].outlives_own_move)
                }
            _next_turn(state, record.at, over=over)
            if state.clocks is not None:
                state.clocks.moved(seat, record.at, event.lag)
                _run_clock(state, record.at)
        case GameFinished(termination=termination, winner=winner, reason=reason, reason_said=said):
            state.phase = "finished"
            state.turn = None
            state.offers = _lasting(state)
            state.finished_at = state.version
            state.result = ResultView(termination, reason, winner, said, event.unrated)
            if state.clocks is not None:
                state.clocks.run(None, record.at)
            if winner is not None:
                state.wins[winner] += 1
            elif termination != "aborted":
                state.draws += 1
        case GameStarted(starter=starter):
            _start(state, starter, record.at)
        case ChatPosted(channel=channel, name=name, text=text, text_said=said):
            state.chat[channel].post(state.version, ChatLine(channel, name, text, record.at, said))
            if channel == "spectators" and record.by not in state.first_lines:
                if len(state.first_lines) >= AUTHORS_KEPT:
                    del state.first_lines[next(iter(state.first_lines))]
                state.first_lines[record.by] = state.version
        case OfferMade(seat=seat, offer=offer, name=name):
            state.offers = {**state.offers, offer: seat}
            if name is not None:
                state.asker = Asker(record.by, name)
        case OfferDeclined(offer=offer):
            state.offers = _without(state, offer)
        case MovesTakenBack(plies=plies):
            state.disturbed = state.disturbed or "takeback"
            undone = state.moves[-plies:]
            _set_up(state, state.moves[:-plies])
            for played in undone:
                state.made[played.seat] -= 1
            state.offers = _lasting(state)
            _next_turn(state, record.at)
            _run_clock(state, record.at)
            if state.clocks is not None:
                made = list(state.made)
                for played in undone:
                    # A first move takes no time, nor does what the other side plays before its own.
                    if all(made):
                        state.clocks.taken_back(played.seat)
                    made[played.seat] += 1
        case ClocksStopped(spent=spent):
            assert state.clocks is not None
            state.clocks.stop(record.at, spent)
        case ClocksResumed():
            assert state.clocks is not None
            state.clocks.resume(record.at, event.rested)
        case StandInSeated(seat=seat, bot=bot, seed=seed):
            state.disturbed = state.disturbed or "stand_in"
            _change_stand_in(state, seat, Bot(bot, seed or 0))
        case StandInLeft(seat=seat):
            _change_stand_in(state, seat, None)
        case SeatTaken(seat=seat):
            before = state.seats[seat]
            if before is not None:
                state.wins, state.draws = [0, 0], 0
                state.disturbed = state.disturbed or "taken_over"
            if state.offers.get("seat") == seat:
                state.offers = _without(state, "seat")
            _stand_up(state, seat)
            bot_seated = None if event.bot is None else Bot(event.bot, event.seed or 0)
            relieved = None if before is None else before.bot
            state.seats[seat] = Seated(
                event.player, event.name, bot_seated, program=event.program, relieved=relieved
            )
            state.seated_at[seat] = state.version
            first, second = state.seats
            if first is not None and second is not None and first.player == second.player:
                state.seats = [replace(first, shared=True), replace(second, shared=True)]
        case BotAwaited(bot=bot, at=at, seed=seed):
            state.awaited = Awaited(Bot(bot, seed or 0), at)
        case SeatRenamed(seat=seat, name=name):
            renamed = state.seats[seat]
            assert renamed is not None
            state.seats[seat] = replace(renamed, name=name)
        case SeatLeft(seat=seat):
            _stand_up(state, seat)
            # The tally was between these two; the next pair starts at nil.
            state.seats[seat] = state.awaited = None
            state.phase = "waiting"
            state.offers = {}
            state.result = None
            state.wins, state.draws = [0, 0], 0
        case RoomCreated(game=game, settings=settings, owner=owner):
            state.game = find_game(game)
            state.settings = settings
            state.owner = owner
            state.start = tuple(event.moves)
            state.tournament = event.tournament
            state.rated = event.rated
        case RoomClosed():
            state.phase = "closed"
            state.offers = {}
            state.turn = state.awaited = None
            if state.clocks is not None:
                state.clocks.run(None, record.at)
        case _:
            assert_never(event)


def effort(state: RoomState, event: KnownEvent) -> int:
    """How much work it was to fold an event into the state just now: 1 for most, more for replayed moves."""
    return 1 + len(state.moves) if isinstance(event, GameStarted | MovesTakenBack) else 1


def _start(state: RoomState, starter: Seat, at: int) -> None:
    state.phase = "playing"
    state.awaited = None
    state.game_number += 1
    state.starter = starter
    state.made = [0, 0]
    # A bot that plays for somebody goes on with the next game.
    stands_in = any(seated is not None and seated.stand_in is not None for seated in state.seats)
    state.disturbed = "stand_in" if stands_in else None
    _set_up(state, [])
    for move in state.start:
        _move(state, MovePlayed(state.side_to_move(), move), None)
    _next_turn(state, at)
    state.result = None
    state.offers = _lasting(state)
    control = state.settings.clock
    state.clocks = None if control is None else Clocks.full(parse_time_control(control))
    _run_clock(state, at)


def plies_back(state: RoomState, seat: Seat) -> int:
    """How many plies lead back to where this seat made its last move; 0: it has made none."""
    back = enumerate(reversed(state.moves), 1)
    return next((plies for plies, played in back if played.seat == seat), 0)


def _lasting(state: RoomState) -> dict[Offer, Seat]:
    """The offers that no game's course ends."""
    return {offer: seat for offer, seat in state.offers.items() if OFFERS[offer].phase is None}


def _without(state: RoomState, offer: Offer) -> dict[Offer, Seat]:
    return {one: seat for one, seat in state.offers.items() if one != offer}


def _set_up(state: RoomState, moves: Sequence[MovePlayed]) -> None:
    """Play these moves once more, from the beginning of the game."""
    state.position = state.rules.initial()
    state.last_move = None
    state.moves = []
    for played in moves:
        _move(state, played, None)


def _move(state: RoomState, event: MovePlayed, applied: Applied | None) -> bool:
    """Play a move; is the game over then?"""
    if applied is None or applied.before is not state.position:
        rules = state.rules
        move = rules.parse(state.position, event.move)
        after = rules.play(state.position, move)
        applied = Applied(state.position, move, after, rules.outcome(after) is not None)
    state.last_move, state.position = applied.move, applied.after
    state.moves.append(event)
    return applied.over


def _next_turn(state: RoomState, at: int, *, over: bool = False) -> None:
    """Begin the turn of the side to move in a new position; none, where the game is over."""
    state.position_version = state.version
    # Where the game is over its end is the next event.
    state.turn = None if over else Turn(state.side_to_move(), at)


def _stand_up(state: RoomState, seat: Seat) -> None:
    """A seat's player, if it has one, is a spectator from now on."""
    seated = state.seats[seat]
    if seated is None or seated.bot is not None:
        return
    # What they said before they sat down tells no more since when they have been a spectator.
    state.first_lines.pop(seated.player, None)
    state.stood_up.pop(seated.player, None)
    if len(state.stood_up) >= AUTHORS_KEPT:
        del state.stood_up[next(iter(state.stood_up))]
    state.stood_up[seated.player] = state.version


def _run_clock(state: RoomState, at: int) -> None:
    if state.clocks is not None:
        state.clocks.run(None if state.is_early else state.to_move, at)


def _change_stand_in(state: RoomState, seat: Seat, bot: Bot | None) -> None:
    seated = state.seats[seat]
    assert seated is not None
    state.seats[seat] = replace(seated, stand_in=bot)


def _first_answer(state: RoomState, player: str) -> dict[str, Version]:
    if len(state.answers) >= AUTHORS_KEPT:
        guests = (one for one in state.answers if one != state.owner and state.seat_of(one) is None)
        del state.answers[next(guests)]
    answers: dict[str, Version] = {}
    state.answers[player] = answers
    return answers
