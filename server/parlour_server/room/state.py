"""A room's state, and `evolve`, which folds the log into it."""

from dataclasses import dataclass, field
from typing import Any, assert_never

from parlour_protocol.ids import Seat, Version, other
from parlour_protocol.views import Phase, Report, ResultView, RoomSettings
from parlour_server.games import find_game
from parlour_server.games.game import Game, Move
from parlour_server.room.events import (
    GameFinished,
    GameStarted,
    MovePlayed,
    Record,
    RematchOffered,
    RoomClosed,
    RoomCreated,
    SeatLeft,
    SeatTaken,
)

ANSWERS_KEPT = 64
"""As many commands of a room at least are remembered, so that a repeated one gets its first answer."""


@dataclass(frozen=True, slots=True)
class Seated:
    """Who sits there; `bot` holds a bot's settings in full."""

    player: str
    name: str
    bot: str | None = None


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
    to_move: Seat | None = None
    """The seat whose move it is; None when no game runs."""
    last_move: Move | None = None
    moves: list[Played] = field(default_factory=list)
    result: ResultView | None = None
    wins: list[int] = field(default_factory=lambda: [0, 0])
    draws: int = 0
    rematch: set[Seat] = field(default_factory=set)
    answers: dict[tuple[str, str], Version] = field(default_factory=dict)
    """The version that each of the last accepted commands led to, by player and command id."""

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

    def free_seats(self) -> list[Seat]:
        """The open seats."""
        seats: tuple[Seat, Seat] = (0, 1)
        return [seat for seat in seats if self.seats[seat] is None]

    def bots(self) -> int:
        """How many seats bots hold."""
        return sum(1 for seated in self.seats if seated is not None and seated.bot is not None)

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
        state.answers[record.by, record.command] = state.version
        if len(state.answers) > 4 * ANSWERS_KEPT:
            _forget_the_oldest(state)
    match event:
        case MovePlayed(seat=seat, move=text):
            rules = state.rules
            move = rules.parse(state.position, text)
            state.position = position = rules.play(state.position, move)
            state.to_move = state.starter if rules.to_move(position) == 0 else other(state.starter)
            state.last_move = move
            state.position_version = state.version
            state.moves.append(Played(seat, text, event.report))
        case GameFinished(winner=winner, reason=reason):
            state.phase = "finished"
            state.to_move = None
            state.result = ResultView(reason, winner)
            if winner is None:
                state.draws += 1
            else:
                state.wins[winner] += 1
        case GameStarted(starter=starter):
            state.phase = "playing"
            state.game_number += 1
            state.starter = starter
            state.position = state.rules.initial()
            state.to_move = starter
            state.position_version = state.version
            state.last_move = None
            state.moves = []
            state.result = None
            state.rematch = set()
        case RematchOffered(seat=seat):
            state.rematch.add(seat)
        case SeatTaken(seat=seat, player=player, name=name, bot=bot):
            state.seats[seat] = Seated(player, name, bot)
        case SeatLeft(seat=seat):
            # The tally was between these two; whoever comes next starts at nil.
            state.seats[seat] = None
            state.phase = "waiting"
            state.rematch = set()
            state.result = None
            state.wins, state.draws = [0, 0], 0
        case RoomCreated(game=game, settings=settings, owner=owner):
            state.game = find_game(game)
            state.settings = settings
            state.owner = owner
        case RoomClosed():
            state.phase = "closed"
            state.to_move = None
        case _:
            assert_never(event)


def _forget_the_oldest(state: RoomState) -> None:
    # Many at once: taking the oldest from a dictionary one by one walks over all that were taken before.
    state.answers = dict(list(state.answers.items())[-ANSWERS_KEPT:])
