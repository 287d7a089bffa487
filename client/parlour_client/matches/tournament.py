"""A tournament of bots that are here: each pairing is a match, all matches of a round are played at once.

All its pairs of games have one row of numbers, so that a killed tournament goes on as a match does.
"""

import importlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from parlour_client.matches.match import MOST_FAULTS, openings_of
from parlour_client.matches.pair import PlayedPair, Task
from parlour_client.matches.plan import PAIR, TournamentPlan
from parlour_client.matches.referee import Opening, Referee, referee
from parlour_client.matches.workers import Workers
from parlour_client.sdk.errors import UsageError
from parlour_client.sdk.in_process import SERVER
from parlour_client.sdk.match_result import Count
from parlour_protocol.views.records import FaultKind, GameRecord
from parlour_protocol.views.tournaments import TournamentView

MODULE = f"{SERVER}.matches.tournament"


class Rating(Protocol):
    """A rating in Elo, the average being 0, and how far it may be off."""

    elo: float
    reach: float


class Pairings(Protocol):
    """As much of the server's `matches.tournament.Pairings` as is used here."""

    rounds: int
    """How many there are at most."""

    @property
    def over(self) -> bool:
        """Has the last round been played?"""

    def open_pairs(self) -> list[tuple[int, int, int, int]]:
        """The round, the board and the entrants of each pairing that is being played."""

    def games_decided(self, round_: int, board: int) -> int:
        """How many games of a pairing are decided."""

    def decide(self, round_: int, board: int, points: list[float], benched: Iterable[int] = ()) -> None:
        """Count the next games of a pairing; who is benched now loses all that is left."""

    def view(self) -> TournamentView:
        """The standings."""

    def ratings(self) -> list[Rating]:
        """Everyone's rating."""


def pairings_of(plan: TournamentPlan) -> Pairings:
    """A tournament that begins. Raises `UsageError` for what can't be one."""
    new_pairings: Callable[..., Pairings] = importlib.import_module(MODULE).Pairings
    settings: dict[str, Any] = {"game": plan.plays[0], "format": plan.format, "rounds": plan.rounds}
    names = [one.name for one in plan.entrants]
    try:
        return new_pairings(settings, plan.games * len(plan.plays), names, plan.seed)
    except ValueError as error:
        raise UsageError(str(error)) from None


@dataclass(frozen=True, slots=True)
class _Pair:
    """A pair of games of a pairing."""

    round: int
    board: int
    first: int
    second: int
    index: int
    """Which of the pairing's, from 0."""


@dataclass(slots=True)
class Played:
    """A tournament as far as it is played."""

    plan: TournamentPlan
    pairings: Pairings
    counts: list[Count]
    """Every entrant's games."""
    faults: list[dict[FaultKind, int]]
    first_fault: dict[tuple[int, FaultKind], str] = field(default_factory=dict)
    counted: set[int] = field(default_factory=set)
    """The numbers of the pairs that count."""
    benched: set[int] = field(default_factory=set)
    """The entrants that failed so often that they play no more."""
    _early: dict[int, PlayedPair] = field(default_factory=dict)
    """By number, pairs that were played, and wait for one before them."""

    @classmethod
    def begin(cls, plan: TournamentPlan) -> "Played":
        """Before the first game. Raises `UsageError`."""
        entrants = len(plan.entrants)
        return cls(plan, pairings_of(plan), [Count() for _ in range(entrants)], [{} for _ in range(entrants)])

    @property
    def games(self) -> int:
        """How many games are counted."""
        return sum(count.games for count in self.counts) // 2

    @property
    def expected(self) -> int:
        """How many games there will be at least, if none is left out."""
        each = self.plan.games * len(self.plan.plays)
        return each * (len(self.plan.entrants) - 1 if self.plan.format == "knockout" else self._pairings)

    @property
    def _pairings(self) -> int:
        return self.pairings.rounds * self._boards

    @property
    def _boards(self) -> int:
        return 1 if self.plan.format == "gauntlet" else len(self.plan.entrants) // 2

    def number(self, task: _Pair) -> int:
        """A pair's number in the tournament, from 0: the first of all pairings, then the second, and so on.

        So it is the same however many games a pairing has.
        """
        return task.index * self._pairings + (task.round - 1) * self._boards + task.board - 1

    def index(self, number: int) -> int:
        """Which of its pairing's the pair of this number is, from 0."""
        return number // self._pairings

    def missing(self) -> Iterator[_Pair]:
        """The pairs of this round that are neither counted nor waiting, in the order of their numbers."""
        for round_, board, first, second in self.pairings.open_pairs():
            begun = self.pairings.games_decided(round_, board) // PAIR
            usual = self.plan.games * len(self.plan.plays) // PAIR
            # What is drawn beyond the usual is played pair by pair.
            for index in range(begun, max(usual, begun + 1)):
                task = _Pair(round_, board, first, second, index)
                if self.number(task) not in self._early:
                    yield task

    def add(self, pair: PlayedPair) -> None:
        """Take a pair, and count all that no other one is missing before.

        They are counted board by board, not in the order of their completion: who is benched, and when, is
        the same on any number of workers.
        """
        self._early[pair.number] = pair
        while self._count_next():
            pass

    def _count_next(self) -> bool:
        if self.pairings.over:
            return False
        round_, board, first, second = self.pairings.open_pairs()[0]
        both = (first, second)
        index = self.pairings.games_decided(round_, board) // PAIR
        pair = self._early.pop(self.number(_Pair(round_, board, *both, index)), None)
        if pair is None:
            return False
        self.counted.add(pair.number)
        for record in pair.records:
            self._count(record, both)
        benched = [one for one in both if sum(self.faults[one].values()) >= MOST_FAULTS]
        self.benched.update(benched)
        self.pairings.decide(round_, board, [_points(record) for record in pair.records], benched)
        return True

    def _count(self, record: GameRecord, both: tuple[int, int]) -> None:
        points = _points(record)
        count = Count(int(points == 1), int(points == 0.5), int(points == 0))
        self.counts[both[0]] += count
        self.counts[both[1]] += count.reversed()
        if record.fault is not None:
            culprit, kind = both[record.fault.seat], record.fault.kind
            self.faults[culprit][kind] = self.faults[culprit].get(kind, 0) + 1
            self.first_fault.setdefault((culprit, kind), record.fault.error)


def _points(record: GameRecord) -> float:
    winner = None if record.result is None else record.result.winner
    return 0.5 if winner is None else float(winner == 0)


class _Openings:
    """The openings of each game: every pairing plays the same ones."""

    def __init__(self, plan: TournamentPlan) -> None:
        self._plan = plan
        self._referees: dict[str, Referee] = {game: referee(game) for game in plan.plays}
        self._drawing: dict[str, Iterator[Opening]] = {}
        self._drawn: dict[str, list[Opening]] = {game: [] for game in plan.plays}

    def task(self, pair: _Pair, numbered: int) -> Task:
        """What is to be played for a pair of this number."""
        plays = self._plan.plays
        turn, number = divmod(pair.index, len(plays))
        game = plays[number]
        if game not in self._drawing:
            self._referees[game].prepare()
            self._drawing[game] = openings_of(self._referees[game], self._plan.pairing(game, 0, 1))
        drawn = self._drawn[game]
        while len(drawn) <= turn:
            drawn.append(next(self._drawing[game]))
        return Task(self._plan.pairing(game, pair.first, pair.second), numbered, drawn[turn])


def play_tournament(played: Played, workers: Workers, over: Callable[[PlayedPair], None]) -> None:
    """Play all that is missing; `over` is to add each pair. Raises what a pair raises."""
    openings = _Openings(played.plan)

    def missing() -> Iterator[Task]:
        return (openings.task(one, played.number(one)) for one in played.missing())

    workers.play(missing, over)


def tasks_of(plan: TournamentPlan, pairs: Iterable[PlayedPair]) -> Iterator[Task]:
    """What is to be played for these pairs again."""
    openings, begun = _Openings(plan), Played.begin(plan)
    numbers = {one.name: number for number, one in enumerate(plan.entrants)}
    for pair in pairs:
        first, second = (numbers.get(seat.name) for seat in pair.records[0].seats)
        if first is not None and second is not None:
            task = _Pair(0, 0, first, second, begun.index(pair.number))
            yield openings.task(task, pair.number)
