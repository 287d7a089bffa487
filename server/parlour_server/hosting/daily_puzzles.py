"""The puzzles that a server finds in the games that have ended there: one a day, for all of its nodes.

A projection of finished games. Each public game is read from its room's log and searched backwards from its
end, until a position makes a puzzle in which the player missed the right move. It is put down for the first
day after tomorrow that has none, so no day's puzzle changes once anybody may have asked for it, at whichever
node. Nothing is searched once there is one for each of the next `AHEAD` days; days without one have a puzzle
that came with the server.

Private games are left alone: who made such a room shared its moves with nobody else. Of a public one, whose
moves anybody could watch, the puzzle has the moves and no name, seat, room or time.
"""

import asyncio
from functools import partial
from typing import Any

import structlog
from pydantic import TypeAdapter

from parlour_protocol.views.records import GameRecord
from parlour_protocol.views.reports import Report
from parlour_server.analysis.fair_queue import Requester
from parlour_server.analysis.worker import Job
from parlour_server.games import find_game
from parlour_server.games.game import Game
from parlour_server.hosting.context import Context
from parlour_server.hosting.projections import Projection, ProjectionRunner
from parlour_server.hosting.puzzle_days import DAYS_KEPT, day_of
from parlour_server.room.game_record import game_record
from parlour_server.search.levels import parse_bot
from parlour_server.search.reports.puzzle import (
    LEAST_WRONG,
    Puzzle,
    is_early,
    missed,
    puzzle_of,
    unasked,
)
from parlour_server.search.thinking import repeatable
from parlour_server.store.finished_games import FinishedGame
from parlour_server.store.port import LogDamaged, StoreError

log = structlog.get_logger()

NAME = "puzzles"
AHEAD = 14
"""For so many days there may be puzzles to come."""
SEARCHED = 12
"""Positions of one game at most; each takes a second or two, mostly far less."""
BEGINS_AFTER = BEAT_SECONDS = 60.0
"""Seconds after the start, when people wait for other things; and between looks for other nodes' games."""

Days = dict[int, Puzzle]
"""The puzzles by their days."""


class DailyPuzzles:
    """Finds a server's puzzles, and tells each day's."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._known: dict[int, Puzzle | None] = {}
        """Of days that have begun, whose puzzles stay as they are."""
        self.runner = ProjectionRunner(Projection(NAME, dict, self._fold, TypeAdapter(Days)), context)

    async def of(self, day: int) -> Puzzle | None:
        """The puzzle of a day that has begun, if there is one. Raises `NotReadable`."""
        if day not in self._known:
            self._known = {one: found for one, found in self._known.items() if one >= self._today - DAYS_KEPT}
            self._known[day] = (await self.runner.state()).get(day)
        return self._known[day]

    async def run(self) -> None:
        """Find puzzles until it is cancelled."""
        await self._context.pause(BEGINS_AFTER)
        await self.runner.run(BEAT_SECONDS)

    async def _fold(self, days: Days, number: int, game: FinishedGame) -> Days:
        if game.termination == "aborted" or self._free_day(days) > self._today + AHEAD:
            return days
        found = await self._find(game)
        if found is None or any(one.moves == found.moves for one in days.values()):
            return days
        # Days may have gone by while others' searches came first.
        kept = {day: one for day, one in days.items() if day >= self._today - DAYS_KEPT}
        return {self._free_day(days): found, **kept}

    @property
    def _today(self) -> int:
        return day_of(self._context.now())

    def _free_day(self, days: Days) -> int:
        """The first day after tomorrow, and after all that have puzzles."""
        return max((self._today + 1, *days)) + 1

    async def _find(self, finished: FinishedGame) -> Puzzle | None:
        """The puzzle nearest to a game's end, if there is one in reach. Raises `StoreError`."""
        context, room = self._context, finished.room
        try:
            records = await context.store.read(room)
            work = partial(game_record, room, viewer="", number=finished.summary.number)
            record = await context.replay.run(work, records)
            if record is None or record.settings.visibility != "public":
                return None
            return await self._search(record)
        except Exception as error:
            if isinstance(error, StoreError) and not isinstance(error, LogDamaged):
                raise  # it can be read later
            # A damaged log, a game that is not installed any more: there are others.
            log.warning("no puzzle can be found in a game", room=room, exc_info=error)
            return None

    async def _search(self, record: GameRecord) -> Puzzle | None:
        game = find_game(record.game)
        bot = repeatable(game, parse_bot("perfect"), compiled=self._context.scheduler.has_code(game))
        moves = [one.move for one in record.moves]
        positions = [before for before, _, _ in game.follow(" ".join(moves))]
        for ply in reversed(range(record.started_with, len(positions))[-SEARCHED:]):
            position = positions[ply]
            if len(game.legal_moves(position)) <= LEAST_WRONG:
                continue
            job = Job(game.name, position, bot, 0, every_move=True, also=unasked(game, position))
            report = await self._analyse(game, job)
            if report is None or is_early(game, report):
                return None
            found = puzzle_of(game, " ".join(moves[:ply]), position, report)
            if found is not None and missed(game, position, report, moves[ply]):
                return found
        return None

    async def _analyse(self, game: Game[Any], job: Job) -> Report | None:
        """Search a position once nobody else's search waits; None where that failed."""
        answer: asyncio.Future[Report | None] = asyncio.get_running_loop().create_future()

        def done(report: Report | None) -> None:
            if not answer.done():
                answer.set_result(report)

        search = self._context.scheduler.search(job, Requester("idle"), done, lambda report: None)
        try:
            return await answer
        finally:
            search.cancel()
