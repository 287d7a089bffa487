"""One file under one test: asked, called, and its faults counted."""

from contextlib import suppress
from dataclasses import dataclass, field, replace

from parlour_client.bots.errors import BotError, Illegal
from parlour_client.bots.position import Position
from parlour_client.bots.process import BotProcess, Called
from parlour_client.grading.proofs import Proofs
from parlour_client.grading.rubric import Test
from parlour_protocol.views.records import FaultKind
from parlour_protocol.views.reports import Score


@dataclass(frozen=True, slots=True)
class Blunder:
    """A move that gave something away, in the position after `moves`."""

    moves: tuple[str, ...]
    played: str
    leads_to: Score
    best: str
    best_leads_to: Score


@dataclass(frozen=True, slots=True)
class Asked:
    """What a move cost that it was asked for after so many plies."""

    ply: int
    seconds: float
    visited: int | None = None
    """Positions that the file's own functions looked at; None where they weren't watched."""


@dataclass(slots=True)
class Result:
    """What came of one test."""

    test: Test
    share: float | None = None
    """Of its points, from 0 to 1; None where the test can't be made of such a file."""
    said: list[str] = field(default_factory=list)
    """What is to be said of it, in sentences."""
    faults: dict[FaultKind, tuple[int, str]] = field(default_factory=dict)
    """By kind how many there were, and what was wrong the first time."""
    blunders: list[Blunder] = field(default_factory=list)
    seconds: float = 0.0
    asked: list[Asked] = field(default_factory=list, compare=False)
    """Its moves' costs."""

    @property
    def points(self) -> float:
        """What it earned."""
        return round(self.test.points * (self.share or 0), 2)

    @property
    def passed(self) -> bool:
        """Is it all that there was to be earned?"""
        return self.share is None or self.share >= 1


class Trial:
    """A file under a test. What it shows is counted at once, so that it counts where time is up."""

    def __init__(self, process: BotProcess, proofs: Proofs, test: Test, result: Result) -> None:
        self.process, self.proofs, self.test, self.result = process, proofs, test, result
        self.shown, self.of = 0.0, 0

    def count(self, of: int) -> None:
        """So much there is to be shown."""
        self.of = of
        self.result.share = 0.0

    def earn(self, share: float = 1) -> None:
        """One thing of these was shown, or a part of it."""
        self.shown += share
        self.result.share = min(1.0, self.shown / self.of)

    def say(self, sentence: str) -> None:
        """Say this of it, once."""
        if sentence not in self.result.said:
            self.result.said.append(sentence)

    async def ask(self, position: Position, key: str) -> tuple[str, float] | None:
        """The move that it chooses, and its seconds; None where it had a fault, which is counted.

        What it draws from chance follows from the class' seed and `key`.
        """
        try:
            choice = await self.process.choose(position, self.test.move_seconds, f"{self.proofs.seed}/{key}")
            self.result.asked.append(Asked(len(position.moves), choice.seconds))
            move = choice.move.strip().casefold()
            for legal in position.legal_moves:
                if legal.casefold() == move:
                    return legal, choice.seconds
            raise Illegal(choice.move, position.legal_moves)
        except BotError as error:
            self._fault(error)
            return None

    async def watch(self, position: Position, at: int, limit: float) -> None:
        """Note for the move asked for as number `at` how many positions are looked at for it.

        Being watched makes a file slow, so that no fault counts. It is begun anew, since it may have kept
        what it found.
        """
        with suppress(BotError):
            await self.process.stop()
            visited = (await self.process.trace(position, 1, limit)).visited
            # One that is given no boards can't be watched.
            if visited > 1:
                self.result.asked[at] = replace(self.result.asked[at], visited=visited)

    async def call(self, function: str, position: Position) -> Called | None:
        """What a function of the file gives; None where there is none, or for a fault, which is counted."""
        try:
            return await self.process.call(function, position, self.test.move_seconds)
        except BotError as error:
            self._fault(error)
            return None

    def _fault(self, error: BotError) -> None:
        count, first = self.result.faults.get(error.kind, (0, str(error)))
        self.result.faults[error.kind] = (count + 1, first)
