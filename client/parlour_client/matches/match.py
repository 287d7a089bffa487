"""A match: pair after pair, until all are played or something ends it before.

Pairs are counted in the order of their numbers, not of their completion: what ends a match, and its result,
are the same on any number of workers.
"""

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, field
from typing import Literal

from parlour_client.matches.pair import PlayedPair, Task
from parlour_client.matches.plan import Plan
from parlour_client.matches.referee import Opening, Referee
from parlour_client.matches.workers import Workers
from parlour_client.sdk.errors import UsageError
from parlour_client.sdk.match_result import MatchResult
from parlour_protocol.ids import SEATS, Seat
from parlour_protocol.views.records import Fault
from parlour_protocol.words import say

MOST_FAULTS = 10
"""With so many an entrant is benched: what it still loses says nothing about its play."""

End = Literal["played", "sprt", "benched", "stopped"]
"""All games were played; the test was decided; an entrant was benched; or it was stopped from outside."""


@dataclass(slots=True)
class Tally:
    """A match as far as it is counted."""

    plan: Plan
    result: MatchResult = field(default_factory=MatchResult)
    faults: list[Fault] = field(default_factory=list)
    openings: set[str] = field(default_factory=set)
    """Those that were played, each once."""
    random_plies: int = 0
    balanced: bool = True
    """Could both sides still hold every opening?"""
    seconds: list[float] = field(default_factory=lambda: [0.0, 0.0])
    """What all of an entrant's moves took that were made now, and below how many these were."""
    moves: list[int] = field(default_factory=lambda: [0, 0])
    compiled: tuple[set[bool], set[bool]] = field(default_factory=lambda: (set(), set()))
    """Whether the bots' moves were found by machine code, as far as there is some for them."""
    end: End = "stopped"
    benched: Seat | None = None
    _early: dict[int, PlayedPair] = field(default_factory=dict)
    """By number, pairs that wait for one before them."""
    counted: int = 0
    """How many pairs are counted: all before this number."""

    @property
    def over(self) -> bool:
        """Is there nothing more to be played?"""
        return self.end != "stopped"

    @property
    def ratio(self) -> float | None:
        """The test's log-likelihood ratio, where there is a test."""
        sprt = self.plan.sprt
        return None if sprt is None else sprt.ratio(self.result.pairs, self.result.all)

    def add(self, pair: PlayedPair) -> None:
        """Take a pair, and count all that no other one is missing before."""
        self._early[pair.number] = pair
        while not self.over and self.counted in self._early:
            self._count(self._early.pop(self.counted))
            self.counted += 1
            self.end = self._end()

    def _count(self, pair: PlayedPair) -> None:
        for record in pair.records:
            winner = None if record.result is None else record.result.winner
            own = record.moves[record.started_with :]
            self.result.add(pair.number, record.starter, winner, len(own))
            self.openings.add(
                f"{record.game} {' '.join(one.move for one in record.moves[: record.started_with])}"
            )
            self.random_plies = record.started_with
            if record.fault is not None:
                self.faults.append(record.fault)
            for move in own:
                if move.report is not None and move.report.compiled is not None:
                    self.compiled[move.seat].add(move.report.compiled)
        for seat in SEATS:
            self.seconds[seat] += pair.seconds[seat]
            self.moves[seat] += pair.moves[seat]

    def _end(self) -> End:
        for seat in SEATS:
            if sum(fault.seat == seat for fault in self.faults) >= MOST_FAULTS:
                self.benched = seat
                return "benched"
        ratio = self.ratio
        if ratio is not None and self.plan.sprt is not None and self.plan.sprt.verdict(ratio) != "open":
            return "sprt"
        return "played" if self.counted == self.plan.pairs else "stopped"


def openings_of(referee: Referee, plan: Plan) -> Iterator[Opening]:
    """A match's openings, one a pair, without end. Raises `UsageError` where there are none."""
    source = plan.openings
    if source.lines:
        while True:
            yield from map(referee.opening, source.lines)
    yield from referee.openings(plan.seed, source.plies)
    raise UsageError(say("error.too_many_opening_moves", plies=source.plies or 0, game=plan.game))


def tasks_of(referee: Referee, plan: Plan) -> Iterator[Task]:
    """All pairs of a match, as they are to be played. Raises `UsageError` where there are no openings."""
    numbered = zip(range(plan.pairs), openings_of(referee, plan), strict=False)
    return (Task(plan, number, opening) for number, opening in numbered)


def play_match(
    referee: Referee,
    plan: Plan,
    workers: Workers,
    tally: Tally,
    done: Container[int],
    played: Callable[[PlayedPair], None],
) -> None:
    """Play all pairs of a match that are not done, until the tally says that it is over.

    `played` is called with each pair as soon as it is over. Raises `UsageError`, and what a pair raises.
    """
    tasks = (task for task in tasks_of(referee, plan) if task.number not in done)
    workers.play(lambda: tasks, played, lambda: tally.over)
