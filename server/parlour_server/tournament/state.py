"""A tournament's state, and `evolve`, which folds the log into it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import assert_never

from parlour_protocol.ids import Version
from parlour_protocol.tournaments import Phase, TournamentSettings
from parlour_server.log import LogRecord
from parlour_server.tournament.events import (
    EntrantJoined,
    EntrantRenamed,
    EntrantReturned,
    EntrantWithdrew,
    GameAnnulled,
    GameDecided,
    How,
    RoundPaired,
    TableMade,
    TournamentCreated,
    TournamentEnded,
    TournamentEvent,
    TournamentStarted,
)

MOST_EXTRA = 2
"""How many more games a knock-out's pairing has that stands even; then the one who entered first goes on."""

Key = tuple[int, int, int]
"""Of a game: its round, its board, and its number there, all from 1."""


@dataclass(slots=True)
class Entrant:
    """Somebody who takes part. Numbers go by the order of joining, and are the seeds."""

    number: int
    player: str
    name: str
    bot: str | None
    program: bool
    since: int
    """The round before which they came; 0: before the first."""
    withdrawn: bool = False


@dataclass(slots=True)
class Game:
    """A game of a pairing: the room where it was played, and how it counts."""

    number: int
    first: int
    """Who moves first in it, and has its room's first seat."""
    room: str = ""
    begun_at: int = 0
    points: tuple[float, float] | None = None
    """By the order of the pair; None: it runs."""
    how: How = "played"
    annulled: bool = False


@dataclass(slots=True)
class Pair:
    """Two who play each other in a round, and their games."""

    round: int
    board: int
    first: int
    second: int
    games: list[Game] = field(default_factory=list)
    done: bool = False

    @property
    def both(self) -> tuple[int, int]:
        """Their numbers."""
        return self.first, self.second

    @property
    def counted(self) -> list[Game]:
        """The games that are decided, and count."""
        return [game for game in self.games if game.points is not None and not game.annulled]

    @property
    def open(self) -> Game | None:
        """The game that is to be played, or is being played."""
        return None if self.done else self.games[-1]

    @property
    def forfeited(self) -> bool:
        """Was it decided otherwise than by playing? A game that was decides its whole pairing."""
        return any(game.how != "played" for game in self.counted)

    @property
    def sums(self) -> tuple[float, float]:
        """The points of its games."""
        points = [game.points for game in self.counted if game.points is not None]
        return sum(one for one, _ in points), sum(other for _, other in points)

    @property
    def points(self) -> tuple[float, float]:
        """What it gives to each, once it is done; 0 to both where neither came."""
        forfeit = next((game.points for game in self.counted if game.how != "played"), None)
        if forfeit is not None:
            return forfeit
        first, second = self.sums
        if first == second:
            return 0.5, 0.5
        return (1.0, 0.0) if first > second else (0.0, 1.0)

    @property
    def winner(self) -> int | None:
        """Who goes on in a knock-out: if it stands even, who entered first; None: nobody came."""
        first, second = self.points
        if first == second:
            return None if first == 0 else min(self.both)
        return self.first if first > second else self.second

    def open_next(self, settings: TournamentSettings) -> None:
        """Open its next game, if it has another: each moves first in turn, whatever was annulled."""
        self.done = self.is_decided(settings)
        if not self.done:
            self.games.append(Game(len(self.games) + 1, self.both[len(self.counted) % 2]))

    def is_decided(self, settings: TournamentSettings) -> bool:
        """Has it no further game?"""
        played, (first, second) = len(self.counted), self.sums
        if self.forfeited:
            return True
        if played < settings.games:
            return False
        return settings.format != "knockout" or first != second or played >= settings.games + MOST_EXTRA


@dataclass(slots=True)
class Round:
    """The pairs of a round, and who has a bye."""

    number: int
    pairs: list[Pair]
    byes: list[int]
    at: int

    @property
    def done(self) -> bool:
        """Are all its games decided?"""
        return all(pair.done for pair in self.pairs)


@dataclass(slots=True)
class TournamentState:
    """All that is true of a tournament at one version. Changed by `evolve` alone."""

    key: str
    version: Version = 0
    title: str = ""
    settings: TournamentSettings = field(default_factory=lambda: TournamentSettings(game="tictactoe"))
    host: str = ""
    host_name: str = ""
    seed: int = 0
    phase: Phase = "joining"
    entrants: list[Entrant] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)
    started_at: int = 0
    changed_at: int = 0
    """When the last game was decided, or the tournament started: a pause counts from then."""
    early: bool = False
    """Did the host end it?"""
    answers: dict[tuple[str, str], Version] = field(default_factory=dict)

    def entrant_of(self, player: str) -> Entrant | None:
        """As whom a player takes part, or took."""
        return next((one for one in self.entrants if one.player == player), None)

    def entrant(self, number: int) -> Entrant | None:
        """The one with this number."""
        return self.entrants[number - 1] if 0 < number <= len(self.entrants) else None

    def active(self) -> list[int]:
        """The numbers of all who are to be paired."""
        return [one.number for one in self.entrants if not one.withdrawn]

    def pairs(self) -> Iterator[Pair]:
        """All pairs of all rounds."""
        for one in self.rounds:
            yield from one.pairs

    def pair(self, round_: int, board: int) -> Pair | None:
        """The pair at a board."""
        if not 0 < round_ <= len(self.rounds) or not 0 < board <= len(self.rounds[round_ - 1].pairs):
            return None
        return self.rounds[round_ - 1].pairs[board - 1]

    def open_games(self) -> list[tuple[Pair, Game]]:
        """The games that are to be played, or are being played."""
        if self.phase != "playing":
            return []
        return [(pair, pair.open) for pair in self.pairs() if pair.open is not None]

    def playing(self) -> set[int]:
        """The numbers of all who have an open game."""
        return {number for pair, _ in self.open_games() for number in pair.both}

    @property
    def is_arena(self) -> bool:
        """Is everyone paired who is free, until time is up?"""
        return self.settings.format == "arena"

    @property
    def ends_at(self) -> int | None:
        """From when on an arena begins no more games."""
        return (
            self.started_at + 60_000 * self.settings.minutes
            if self.is_arena and self.phase != "joining"
            else None
        )

    @property
    def due_at(self) -> int | None:
        """From when on the next round is due, in milliseconds since 1970; None: games of this one run.

        Of an arena: as soon as two are free.
        """
        if self.phase != "playing":
            return None
        if self.is_arena:
            return self.started_at
        if self.rounds and not self.rounds[-1].done:
            return None
        return self.changed_at + (round(1000 * self.settings.pause) if self.rounds else 0)


def evolve(state: TournamentState, record: LogRecord[TournamentEvent]) -> None:
    """Fold one record into the state. Never refuses: what stands in the log has happened."""
    state.version += 1
    if record.command is not None:
        state.answers[record.by, record.command] = state.version
    event = record.event
    match event:
        case TournamentCreated():
            state.title, state.settings, state.seed = event.title, event.settings, event.seed
            state.host, state.host_name = event.host, event.host_name
        case EntrantJoined():
            number = len(state.entrants) + 1
            since = len(state.rounds)
            state.entrants.append(Entrant(number, event.player, event.name, event.bot, event.program, since))
        case EntrantReturned(entrant=number):
            state.entrants[number - 1].withdrawn = False
        case EntrantRenamed(entrant=number, name=name):
            state.entrants[number - 1].name = name
        case EntrantWithdrew(entrant=number):
            state.entrants[number - 1].withdrawn = True
        case TournamentStarted():
            state.phase = "playing"
            state.started_at = state.changed_at = record.at
        case RoundPaired(pairs=pairs, byes=byes):
            number = len(state.rounds) + 1
            made = [Pair(number, board, *both, [Game(1, both[0])]) for board, both in enumerate(pairs, 1)]
            state.rounds.append(Round(number, made, list(byes), record.at))
        case TableMade():
            game = _game(state, event)
            game.room, game.begun_at = event.room, record.at
        case GameDecided():
            game = _game(state, event)
            game.points, game.how = event.points, event.how
            state.changed_at = record.at
            _pair(state, event).open_next(state.settings)
        case GameAnnulled():
            _game(state, event).annulled = True
            _pair(state, event).open_next(state.settings)
        case TournamentEnded(early=early):
            state.phase, state.early = "over", early
        case _:
            assert_never(event)


def _pair(state: TournamentState, event: TableMade | GameDecided | GameAnnulled) -> Pair:
    return state.rounds[event.round - 1].pairs[event.board - 1]


def _game(state: TournamentState, event: TableMade | GameDecided | GameAnnulled) -> Game:
    return _pair(state, event).games[event.number - 1]


def answer(state: TournamentState, by: str, command: str) -> Version | None:
    """The version that an author's command of this id has led to."""
    return state.answers.get((by, command))
