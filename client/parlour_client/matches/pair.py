"""One pair of a match: two games from one opening, the first begun by one entrant, the second by the other.

It follows from the plan, the pair's number and its opening alone, so it may be played anywhere, and again.
"""

import asyncio
import atexit
import threading
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import lru_cache

from parlour_client.bots.errors import BotError, Illegal
from parlour_client.matches.plan import PAIR, Plan
from parlour_client.matches.players import Player, player
from parlour_client.matches.referee import Opening, Referee, referee
from parlour_protocol.ids import SEATS, Seat, other
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views.records import Fault, GameRecord, RecordedMove
from parlour_protocol.views.rooms import ResultView, SeatView
from parlour_protocol.words import Sentence, made_of

SETTINGS = RoomSettings(starts="alternate", pace=0, reports="after")


@dataclass(slots=True)
class PlayedPair:
    """A pair's games, and what the entrants' moves took."""

    number: int
    """Counted from 0."""
    records: list[GameRecord]
    seconds: list[float] = field(default_factory=lambda: [0.0, 0.0], compare=False)
    """What all moves of each entrant took; not the same when it is played again."""
    moves: list[int] = field(default_factory=lambda: [0, 0])


@dataclass(frozen=True, slots=True)
class Task:
    """A pair that is to be played."""

    plan: Plan
    number: int
    opening: Opening


def play_pairs(tasks: Sequence[Task]) -> tuple[list[PlayedPair], float]:
    """Play pairs, in this process and what it has started for files; and the seconds that took.

    Raises `ParlourError`.
    """
    begun = time.perf_counter()
    with _one_at_a_time:
        return _runner().run(_play(tasks)), time.perf_counter() - begun


def close_tables() -> None:
    """End all that was started for files here, and their loop: the next pair starts them again.

    A process that is forked later would share the loop's selector, and take its bots' answers for its own.
    """
    with _one_at_a_time:
        if _runner.cache_info().currsize:
            with _runner() as runner:
                runner.run(_close_tables(0))
            _runner.cache_clear()


atexit.register(close_tables)


async def _play(tasks: Sequence[Task]) -> list[PlayedPair]:
    pairs = []
    for task in tasks:
        table = _tables.pop(task.plan, None) or _Table(task.plan)
        # The one used last stands last.
        _tables[task.plan] = table
        await _close_tables(KEPT)
        pairs.append(await table.play(task.number, task.opening))
    return pairs


async def _close_tables(kept: int) -> None:
    while len(_tables) > kept:
        await _tables.pop(next(iter(_tables))).stack.aclose()


class _Table:
    """A match's referee and players, which stay for its next pair."""

    def __init__(self, plan: Plan) -> None:
        self.stack = AsyncExitStack()
        self._plan = plan
        self._referee: Referee = referee(plan.game)
        self._referee.prepare()
        first, second = (player(self.stack, self._referee, plan, one) for one in plan.entrants)
        self._players: tuple[Player, Player] = (first, second)

    async def play(self, number: int, opening: Opening) -> PlayedPair:
        """Play the pair of this number."""
        pair = PlayedPair(number, [])
        for starter in SEATS:
            pair.records.append(await self._game(pair, starter, opening))
        return pair

    async def _game(self, pair: PlayedPair, starter: Seat, opening: Opening) -> GameRecord:
        plan, game = self._plan, self._referee.begin(opening)
        seats = (starter, other(starter))
        """By side."""
        begun = len(game.moves)
        moves = [
            RecordedMove(seats[side], move, 0) for side, move in zip(game.sides, game.moves, strict=True)
        ]
        number = pair.number * PAIR + starter + 1
        fault = None
        while game.result is None and fault is None:
            seat, before = seats[game.to_move], len(game.moves)
            try:
                choice = await self._players[seat].choose(game, seat, plan.seed_of(number, seat))
                if not game.play(choice.move):
                    raise Illegal(choice.move, game.view().legal)
            except BotError as error:
                fault = Fault(seat, error.kind, str(error), error.trace)
            else:
                pair.seconds[seat] += choice.seconds
                pair.moves[seat] += 1
                moves.append(RecordedMove(seat, game.moves[before], 0, report=choice.report))
        return GameRecord(
            room="",
            game=game.name,
            title=self._referee.title,
            number=number,
            seats=[SeatView("bot", one.name, one.name if one.digest else one.bot) for one in plan.entrants],
            starter=starter,
            settings=SETTINGS,
            started=0,
            moves=moves,
            started_with=begun,
            result=_lost(fault) if fault else _by_seat(game.result, seats),
            fault=fault,
        )


def _by_seat(result: ResultView | None, seats: tuple[Seat, Seat]) -> ResultView | None:
    """A game's result, its winner no side but a seat."""
    if result is not None and result.winner is not None:
        result.winner = seats[result.winner]
    return result


def _lost(fault: Fault) -> ResultView:
    reason = Sentence("game.reason.bot_failed")
    return ResultView("bot_failure", reason, other(fault.seat), made_of(reason))


KEPT = 4
"""Matches whose processes wait for their next pair, where several are played in turn."""

_tables: dict[Plan, _Table] = {}
_one_at_a_time = threading.Lock()
"""A cluster's worker may call from several threads."""


@lru_cache(maxsize=1)
def _runner() -> asyncio.Runner:
    """The loop that files' processes live on, one for this process."""
    return asyncio.Runner()
