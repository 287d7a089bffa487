"""Who plays a match's games: a bot of the server's, or a file in a process of its own."""

import hashlib
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import Protocol

from parlour_client.bots.errors import Broken
from parlour_client.bots.position import Position
from parlour_client.bots.process import BotProcess
from parlour_client.matches.plan import Entrant, Plan, digest_of
from parlour_client.matches.referee import GameInPlay, Referee
from parlour_client.sdk.errors import UsageError
from parlour_protocol.ids import Seat
from parlour_protocol.views.reports import Report
from parlour_protocol.words import say


@dataclass(frozen=True, slots=True)
class Choice:
    """A move that was chosen, what was thought, and the seconds that it took."""

    move: str
    report: Report | None
    seconds: float


class Player(Protocol):
    """An entrant that plays."""

    async def choose(self, game: GameInPlay, seat: Seat, seed: str) -> Choice:
        """Choose a move in a game that goes on. Raises `BotError`."""


def player(stack: AsyncExitStack, referee: Referee, plan: Plan, entrant: Entrant) -> Player:
    """An entrant's player, who is there until the stack is closed."""
    if entrant.digest is None:
        return BuiltIn(referee, entrant.bot)
    return FilePlayer(stack, plan, entrant)


class BuiltIn:
    """A bot of the server's."""

    def __init__(self, referee: Referee, bot: str) -> None:
        self._bot = referee.bot(bot)

    async def choose(self, game: GameInPlay, seat: Seat, seed: str) -> Choice:
        """Choose a move; nothing else runs meanwhile."""
        begun = time.perf_counter()
        drawn = int.from_bytes(hashlib.sha256(seed.encode()).digest()[:4]) >> 1
        report = game.think(self._bot, drawn)
        # A bot that is out of time before it has looked at a move plays the first legal one, as at a table.
        move = report.best if report.best is not None else game.view().legal[0]
        # The time alone differs from run to run.
        return Choice(move, replace(report, seconds=0.0), time.perf_counter() - begun)


class FilePlayer:
    """A file in a process of its own, which is started at the first move, and again after it has died."""

    def __init__(self, stack: AsyncExitStack, plan: Plan, entrant: Entrant) -> None:
        self._stack, self._plan, self._entrant = stack, plan, entrant
        self._process: BotProcess | None = None
        self._checked: GameInPlay | None = None
        """The last game before which its file was looked at."""

    async def choose(self, game: GameInPlay, seat: Seat, seed: str) -> Choice:
        """Choose a move, within the limits of the match. Raises `BotError`."""
        if self._checked is not game:
            self._check()
            self._checked = game
        view = game.view()
        mark = view.marks[game.to_move][0]
        position = Position(game.name, view, list(game.moves), seat=seat, mark=mark)
        asked = (position, self._plan.move_seconds, f"{seed}/{len(game.moves)}")
        try:
            chosen = await (await self._started()).choose(*asked)
        except Broken:
            # Its start may have failed for reasons of the machine's.
            chosen = await (await self._started()).choose(*asked)
        report = chosen.report
        if report is None:
            return Choice(chosen.move, None, chosen.seconds)
        own = replace(report.report(), bot=self._entrant.name, best=chosen.move, seconds=0.0)
        return Choice(chosen.move, own, chosen.seconds)

    def _check(self) -> None:
        """Raise `UsageError` where the file is another one than when the match began."""
        if digest_of(self._entrant.bot) != self._entrant.digest:
            raise UsageError(say("error.bot_changed_now", bot=self._entrant.bot))

    async def _started(self) -> BotProcess:
        """Its process. Raises `Broken`."""
        if self._process is None:
            process = BotProcess(self._entrant.bot, self._plan.memory)
            try:
                self._process = await self._stack.enter_async_context(process)
            except UsageError as error:
                raise Broken(str(error)) from None
        return self._process
