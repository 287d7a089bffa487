"""Reviews asked for at once end one after the other; places that are shown only fall."""

import asyncio
import contextlib
from dataclasses import dataclass, field
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from parlour_protocol.views.reports import Report, ReviewedMove
from parlour_server.analysis.fair_queue import Requester, RequesterKind
from parlour_server.analysis.game_review import ReviewRun
from parlour_server.analysis.pools import WorkerPool
from parlour_server.analysis.scheduler import TURN_SECONDS, SearchScheduler
from parlour_server.analysis.worker import Ended, Job, run
from parlour_server.games import find_game
from parlour_server.search.control import Control
from parlour_server.search.levels import parse_bot
from tests.sim.loop import SimulatedLoop

GAME = find_game("tictactoe")
LONGEST = 1000.0
"""Simulated seconds in which all end."""
MOVES = ["b2", "a1", "a2", "c2", "b1", "b3"]


@dataclass(eq=False)
class Asked:
    """A review that is asked for, and how far it is."""

    address: str
    player: str
    moves: int
    seconds: float
    """How long each of its positions takes."""
    ended: bool = False
    turns: int = 0
    """How many turns it has begun."""
    turn: float = 0.0
    """Seconds of a worker's time that it has had in its present turn."""
    shown: list[int] = field(default_factory=list)
    """The places in its present turn."""

    @property
    def holds_turn(self) -> bool:
        return self.turn > 0 and not self.ended


class HandPool(WorkerPool):
    """Answers when as many simulated seconds are over as the review's positions take."""

    can_end_workers = False

    def __init__(self, scheduler: "HandScheduler", asked: list[Asked]) -> None:
        self._scheduler, self._asked = scheduler, asked

    up = True

    def start(self) -> None: ...

    def stop(self, slot: int) -> None: ...

    def kill(self) -> None: ...

    def ending(self) -> None: ...

    def load(self, game: str) -> None: ...

    async def close(self) -> bool:
        return True

    def submit(self, job: Job, ticket: int, slot: int) -> None:
        assert job.bot.seed is not None
        one = self._asked[job.bot.seed]
        others = [other for other in self._asked if other.address == one.address and other is not one]
        # As many hold a turn as there are workers.
        assert sum(other.holds_turn for other in others) < self._scheduler.workers
        if not one.turns:
            # No player at its address has a second turn before its first.
            assert all(other.turns <= 1 for other in others)
        one.turns += one.turn == 0
        one.turn += one.seconds
        ended = Ended(ticket, run(job, Control()))
        asyncio.get_running_loop().call_later(one.seconds, self._answer, one, ended)

    def _answer(self, one: Asked, ended: Ended) -> None:
        if one.turn >= TURN_SECONDS:
            one.turn, one.shown = 0.0, []
        self._scheduler.happened(ended)


class HandScheduler(SearchScheduler):
    """The real one, with such a pool."""

    def __init__(self, workers: int, asked: list[Asked]) -> None:
        super().__init__(kind="thread", workers=workers, longest=60)
        self._plain = [HandPool(self, asked)] * (workers + 1)
        self.happened = self._happened


async def review_all(workers: int, asked: list[Asked]) -> None:
    scheduler = HandScheduler(workers, asked)
    all_done = asyncio.Event()

    def ask(number: int, one: Asked) -> None:
        def done(reviewed: list[ReviewedMove] | None) -> None:
            assert reviewed is not None
            assert len(reviewed) == one.moves
            one.ended = True
            if all(other.ended for other in asked):
                all_done.set()

        def show(report: Report) -> None:
            if report.queued is not None:
                one.shown.append(report.queued)
                assert all(after < before for before, after in pairwise(one.shown))

        bot = parse_bot(f"minimax:depth=2,seed={number}")
        requester = Requester("question", one.player, one.address)
        moves = " ".join(MOVES[: one.moves])
        ReviewRun(scheduler, requester, GAME, moves, bot, lambda *_: None, done, show).start()

    for number, one in enumerate(asked):
        ask(number, one)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(LONGEST):
            await all_done.wait()
    await scheduler.close()


async def shown_to_one_who_is_overtaken() -> list[int | None]:
    """The places of a question: two are before it, and bots that people wait for come in between."""
    asked = [Asked(f"{number}", "ada", 1, 3.0) for number in range(6)]
    scheduler, done, shown = HandScheduler(1, asked), asyncio.Event(), list[int | None]()

    def search(number: int, kind: RequesterKind) -> None:
        def answered(report: Report | None) -> None:
            if number == 2:
                done.set()

        def show(report: Report) -> None:
            if number == 2:
                shown.append(report.queued)

        job = Job(GAME.name, GAME.initial(), parse_bot(f"minimax:depth=2,seed={number}"), 0)
        scheduler.search(job, Requester(kind, "ada", asked[number].address), answered, show)

    for number in range(3):
        search(number, "question")
    await asyncio.sleep(1)
    for number in range(3, 6):
        search(number, "seat")
    await done.wait()
    await scheduler.close()
    return shown


def test_no_place_that_is_shown_rises_when_others_come_in_between() -> None:
    with contextlib.closing(SimulatedLoop()) as loop:
        assert loop.run_until_complete(shown_to_one_who_is_overtaken()) == [1, 0, None]
        assert loop.faults == []


def simulate(workers: int, asked: list[Asked]) -> None:
    loop = SimulatedLoop()
    with contextlib.closing(loop):
        loop.run_until_complete(review_all(workers, asked))
        assert [fault.get("exception") for fault in loop.faults] == []
        assert all(one.ended for one in asked)


reviews = st.builds(
    Asked,
    st.sampled_from("xy"),
    st.sampled_from("abcdefgh"),
    st.integers(1, len(MOVES)),
    st.sampled_from([0.125, 1.0, 3.0, 12.0]),
)


@given(st.integers(1, 2), st.lists(reviews, min_size=1, max_size=8, unique_by=lambda one: one.player))
def test_a_review_keeps_its_turn_for_a_while_and_its_place_only_falls(
    workers: int, asked: list[Asked]
) -> None:
    simulate(workers, asked)
