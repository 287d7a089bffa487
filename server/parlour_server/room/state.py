"""A room's state, and `evolve`, which folds the log into it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, assert_never

from parlour_protocol.clocks import parse_time_control
from parlour_protocol.ids import Seat, Version, other
from parlour_protocol.views import ChatLine, Phase, Report, ResultView, RoomSettings
from parlour_server.games import find_game
from parlour_server.games.game import Game, Move
from parlour_server.room.clocks import Clocks
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

ANSWERS_KEPT = 64
"""So many commands of each of its people a room remembers at least: a repeated one gets its first answer."""
AUTHORS_KEPT = 256
"""Of so many people at most, and always of its owner and of those who sit there."""
LINES_KEPT = 100
"""As many lines of what was said are shown to who comes late."""
FREE_PLIES = 2
"""Nobody's clock runs before each has made a first move; until then a game can be aborted."""


@dataclass(frozen=True, slots=True)
class Seated:
    """Who sits there; `bot` holds a bot's settings in full."""

    player: str
    name: str
    bot: str | None = None
    stand_in: str | None = None
    """The settings of the bot that plays while its player is away."""
    program: bool = False
    """Is the player a program?"""

    @property
    def mind(self) -> str | None:
        """The bot that is to find this seat's moves; None: a person does."""
        return self.bot or self.stand_in


@dataclass(slots=True)
class Played:
    """A move of the present game. Not frozen, since one is made for every move played."""

    seat: Seat
    move: str
    report: Report | None


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
    game_number: int = 0
    starter: Seat = 0
    position: Any = None
    position_version: Version = 0
    """The version at which the present position came to be: an older move is stale."""
    seats_version: Version = 0
    """The version at which somebody last sat down or stood up: to them the room looks otherwise since."""
    to_move: Seat | None = None
    """The seat whose move it is; None when no game runs."""
    last_move: Move | None = None
    start: tuple[str, ...] = ()
    """The moves to the position where games begin here."""
    moves: list[Played] = field(default_factory=list)
    """Of the present game, those of `start` among them."""
    result: ResultView | None = None
    wins: list[int] = field(default_factory=lambda: [0, 0])
    draws: int = 0
    rematch: set[Seat] = field(default_factory=set)
    draw: Seat | None = None
    """The seat that offers a draw."""
    takeback: Seat | None = None
    """The seat that asks for its last move back."""
    clocks: Clocks | None = None
    chat: list[ChatLine] = field(default_factory=list)
    answers: dict[str, dict[str, Version]] = field(default_factory=dict)
    """The version that each of the last accepted commands led to, by player and by command id."""

    @property
    def rules(self) -> Game[Any]:
        """The game's rules; a room that exists has some."""
        assert self.game is not None, "the room has not been created"
        return self.game

    def seat_of(self, player: str) -> Seat | None:
        """Where a player sits; None: nowhere."""
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

    def played(self) -> int:
        """How many moves of the present game were made here."""
        return len(self.moves) - len(self.start)

    def free_seats(self) -> list[Seat]:
        """The open seats."""
        seats: tuple[Seat, Seat] = (0, 1)
        return [seat for seat in seats if self.seats[seat] is None]

    def bots(self) -> int:
        """How many seats bots hold."""
        return sum(1 for seated in self.seats if seated is not None and seated.bot is not None)

    def minds(self) -> int:
        """For how many seats bots play, be it for a while."""
        return sum(1 for seated in self.seats if seated is not None and seated.mind is not None)

    def legal_moves(self) -> list[str]:
        """The legal moves as people write them; none when no game runs."""
        if self.phase != "playing":
            return []
        rules, position = self.rules, self.position
        return [rules.format(position, move) for move in rules.legal_moves(position)]


def evolve(state: RoomState, record: Record) -> None:
    """Fold one record into the state. Never refuses: what stands in the log has happened."""
    event = record.event
    state.version += 1
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
        case MovePlayed(seat=seat, move=text):
            _move(state, seat, text, event.report)
            state.position_version = state.version
            if state.draw != seat:
                # Whoever moves on has answered the other's offer.
                state.draw = None
            state.takeback = None
            if state.clocks is not None:
                state.clocks.moved(seat, record.at, event.lag)
                _run_clock(state, record.at)
        case GameFinished(winner=winner, reason=reason):
            _end(state, record.at)
            state.result = ResultView(reason, winner)
            if winner is None:
                state.draws += 1
            else:
                state.wins[winner] += 1
        case GameStarted(starter=starter):
            _start(state, starter, record.at)
        case Said(channel=channel, name=name, text=text):
            state.chat.append(ChatLine(channel, name, text, record.at))
            heard = [line for line in state.chat if line.channel == channel]
            if len(heard) > LINES_KEPT:
                state.chat.remove(heard[0])
        case RematchOffered(seat=seat):
            state.rematch.add(seat)
        case DrawOffered(seat=seat):
            state.draw = seat
        case TakebackOffered(seat=seat):
            state.takeback = seat
        case OfferDeclined(offer=offer):
            match offer:
                case "draw":
                    state.draw = None
                case "takeback":
                    state.takeback = None
                case "rematch":
                    state.rematch = set()
                case _:
                    assert_never(offer)
        case MovesTakenBack(plies=plies):
            _set_up(state, [played.move for played in state.moves[:-plies]])
            state.position_version = state.version
            state.draw = state.takeback = None
            _run_clock(state, record.at)
            _take_increments_back(state, plies)
        case ClocksWoken(spent=spent):
            assert state.clocks is not None
            state.clocks.wake(record.at, spent)
        case StandInSeated(seat=seat, bot=bot):
            _change_stand_in(state, seat, bot)
        case StandInLeft(seat=seat):
            _change_stand_in(state, seat, None)
        case GameAborted():
            _end(state, record.at)
            state.result = ResultView("aborted", aborted=True)
        case SeatTaken(seat=seat, player=player, name=name, bot=bot, program=program):
            if state.seats[seat] is not None:
                state.wins, state.draws = [0, 0], 0
            state.seats[seat] = Seated(player, name, bot, program=program)
            state.seats_version = state.version
        case SeatLeft(seat=seat):
            # The tally was between these two; whoever comes next starts at nil.
            state.seats[seat] = None
            state.seats_version = state.version
            state.phase = "waiting"
            state.rematch = set()
            state.result = None
            state.wins, state.draws = [0, 0], 0
        case RoomCreated(game=game, settings=settings, owner=owner):
            state.game = find_game(game)
            state.settings = settings
            state.owner = owner
            state.start = tuple(event.moves)
        case NothingChanged():
            pass
        case RoomClosed():
            state.phase = "closed"
            state.to_move = None
        case _:
            assert_never(event)


def _start(state: RoomState, starter: Seat, at: int) -> None:
    state.phase = "playing"
    state.game_number += 1
    state.starter = starter
    state.moves = []
    _set_up(state, state.start)
    state.position_version = state.version
    state.result = None
    state.rematch = set()
    state.draw = state.takeback = None
    control = state.settings.clock
    state.clocks = None if control is None else Clocks.full(parse_time_control(control))
    _run_clock(state, at)


def _set_up(state: RoomState, moves: Sequence[str]) -> None:
    """Play the present game's moves up to here once more, keeping what was thought of them."""
    reports = [played.report for played in state.moves]
    state.position = state.rules.initial()
    state.last_move = None
    state.moves = []
    state.to_move = state.starter
    for ply, text in enumerate(moves):
        _move(state, state.to_move, text, reports[ply] if ply < len(reports) else None)


def _move(state: RoomState, seat: Seat, text: str, report: Report | None) -> None:
    rules = state.rules
    move = rules.parse(state.position, text)
    state.position = position = rules.play(state.position, move)
    state.to_move = state.starter if rules.to_move(position) == 0 else other(state.starter)
    state.last_move = move
    state.moves.append(Played(seat, text, report))


def _run_clock(state: RoomState, at: int) -> None:
    if state.clocks is not None:
        state.clocks.run(state.to_move if state.played() >= FREE_PLIES else None, at)


def _take_increments_back(state: RoomState, plies: int) -> None:
    """What was added for moves that are undone: else a player could take back and move for ever more time."""
    clocks = state.clocks
    if clocks is None or clocks.control.per_move:
        return
    for ply in range(state.played(), state.played() + plies):
        if ply >= FREE_PLIES:
            seat = state.starter if (ply + len(state.start)) % 2 == 0 else other(state.starter)
            left = clocks.left[seat]
            # Who has thought for long since then loses no game by it.
            clocks.left[seat] = max(min(left, 1000), left - clocks.control.increment)


def _end(state: RoomState, at: int) -> None:
    state.phase = "finished"
    state.to_move = None
    state.draw = state.takeback = None
    if state.clocks is not None:
        state.clocks.run(None, at)


def _change_stand_in(state: RoomState, seat: Seat, bot: str | None) -> None:
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
