"""`parlour bot --check`: a bot played through all that can happen to it, on a real server.

The other player at each table is this check, which moves at random, takes moves back and cuts the bot's line.
"""

import asyncio
import math
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.table import Table
from rich.text import Text

from parlour_client.bot.faults import BotFault, Illegal, TooSlow
from parlour_client.bot.mind import Choice, Mind
from parlour_client.bot.player import Player, verdict
from parlour_client.bot.position import Position
from parlour_client.clean import clean
from parlour_client.connection import Connection
from parlour_client.dialing import Outside, Socket, open_socket
from parlour_client.draw import plain
from parlour_client.faults import Fault, Refused
from parlour_client.identity import Guest
from parlour_client.parlour import Parlour, connect
from parlour_client.room import Room
from parlour_client.scores import LOSS, PAST, WIN
from parlour_client.screen import Screen
from parlour_protocol.ids import Seat, other
from parlour_protocol.views import RoomView

MOVE_SECONDS = 10.0
"""What a move may take, unless the person says otherwise."""
ENOUGH = 3
"""So many of its own moves the check makes in a game that need not be played to its end."""
ILLEGAL = "no such move"


@dataclass(frozen=True, slots=True)
class Row:
    """One check of one game."""

    game: str
    check: str
    passed: bool
    said: str
    slowest: float
    """The seconds that the bot's slowest move took."""


async def run(server: str, path: Path, screen: Screen, move_seconds: float | None = None) -> None:
    """Check a file, and show the table.

    Raises `Fault` where a check failed, and `UsageFault` for a file that can't be played with.
    """
    limit = move_seconds or MOVE_SECONDS
    async with Mind(path) as mind:
        line = Line()
        identity = Guest(mind.name)
        async with (
            connect(server, identity=Guest("the check")) as judge,
            Parlour(Connection(server, identity, outside=Outside(open=line.open))) as parlour,
        ):
            games = list(mind.games) or [game.name for game in await judge.games()]
            rows = []
            bench = Bench(judge, parlour, mind, line, limit)
            for number, game in enumerate(games):
                for name, check in CHECKS.items():
                    # What a fault leads to has nothing to do with the game.
                    if number == 0 or name not in ("illegal", "late"):
                        rows.append(await bench.row(game, name, check))
                        if not screen.as_json and screen.err.is_terminal:
                            screen.note(f"{clean(game)}, {name}: {'ok' if rows[-1].passed else 'failed'}")
    if screen.as_json:
        screen.emit([asdict(row) for row in rows])
    else:
        screen.say(table(rows))
    failed = sum(not row.passed for row in rows)
    if failed:
        raise Fault(f"{failed} of {len(rows)} checks failed: see the table.")
    screen.note(f"All {len(rows)} checks passed.")


def table(rows: list[Row]) -> Table:
    """The rows for people."""
    shown = Table(box=None, pad_edge=False, header_style=PAST, padding=(0, 2, 0, 0))
    for head in ("game", "check", "result"):
        shown.add_column(head, no_wrap=True)
    shown.add_column("slowest", justify="right", no_wrap=True)
    shown.add_column("", overflow="fold")
    for row in rows:
        result = Text("ok", WIN) if row.passed else Text("failed", LOSS)
        slowest = Text(f"{row.slowest:.2f} s", PAST)
        shown.add_row(plain(row.game), row.check, result, slowest, plain(row.said))
    return shown


class Line:
    """The bot's line to the server, which can be cut."""

    def __init__(self) -> None:
        self._socket: Socket | None = None

    async def open(self, server: str, heartbeat: tuple[float, float]) -> Socket:
        """Dial, and remember the line."""
        self._socket = await open_socket(server, heartbeat)
        return self._socket

    async def cut(self) -> None:
        """End the line: the connection has to come back by itself."""
        if self._socket is not None:
            await self._socket.close()


class Failed(Exception):
    """A check is not passed, and why."""


@dataclass(frozen=True, slots=True)
class Bench:
    """What a check needs: the other player, the bot's place on the server, its mind and its line."""

    judge: Parlour
    parlour: Parlour
    mind: Mind
    line: Line
    limit: float

    async def row(self, game: str, name: str, check: "Check") -> Row:
        """Make one check, and tell how it went."""
        seat: Seat = 1 if name == "second" else 0
        clock = f"{max(1, math.ceil(self.limit))}/move" if name == "clock" else None
        theirs = await self.judge.create(
            game, seat=None, starts="first", reports="never", pace=0.0, clock=clock, visibility="private"
        )
        player = Player(
            await self.parlour.join(theirs.code, seat, program=True), self.mind, _hush, self.limit
        )
        if name in FAULTY:
            player.mind = FAULTY[name](self.mind)
        try:
            await theirs.sit(other(seat))
            dice = random.Random(f"{game} {name}")  # noqa: S311 - the same game each time
            said, passed = await check(Sitting(self, player, theirs, dice)), True
        except Failed as failed:
            said, passed = str(failed), False
        finally:
            with suppress(Refused):
                await theirs.close()
        return Row(game, name, passed, said, round(player.slowest, 3))


def _hush(fault: BotFault) -> None:
    """The table tells of it."""


@dataclass(frozen=True, slots=True)
class Sitting:
    """A game of one check: the bot in its seat, and the room from the other side of the table."""

    bench: Bench
    player: Player
    room: Room
    dice: random.Random

    async def game(
        self, moves: int | None = None, before: Callable[[int], Awaitable[None]] | None = None
    ) -> None:
        """Play to the end, or resign after so many moves of ours; `before` each something may happen."""
        playing = asyncio.create_task(self.player.play())
        try:
            made = 0
            while await self.room.wait_for_turn():
                if made == moves:
                    await self.room.resign()
                    break
                if before is not None:
                    await before(made)
                if self.room.your_turn:
                    await self.room.play(self.dice.choice(self.room.legal_moves))
                made += 1
            await playing
        finally:
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)

    @property
    def over(self) -> RoomView:
        """The bot's view of the game that is over."""
        finished = self.player.room.finished
        assert finished is not None
        return finished.view

    def faultless(self) -> None:
        """Raise `Failed` where the bot had a fault."""
        if self.player.faults:
            fault = self.player.faults[0]
            raise Failed(f"{fault.kind}: {fault}")


Check = Callable[[Sitting], Awaitable[str]]


async def _whole_game(sitting: Sitting) -> str:
    """From the first move to the last."""
    await sitting.game()
    sitting.faultless()
    return f"{verdict(sitting.over)} in {len(sitting.room.view.moves)} moves"


async def _taken_back(sitting: Sitting) -> str:
    """A position comes again, one that is shorter than the last."""

    async def once(made: int) -> None:
        if made == 1:
            count = len(sitting.room.view.moves)
            await sitting.room.ask_takeback()
            await sitting.room.until(lambda shown: len(shown.view.moves) < count)

    await sitting.game(ENOUGH, once)
    sitting.faultless()
    return "chose again after a move was taken back"


async def _with_clock(sitting: Sitting) -> str:
    """Its time runs."""
    await sitting.game(ENOUGH)
    sitting.faultless()
    clock = sitting.room.view.settings.clock
    return f"moved in time at {clock}"


async def _cut_off(sitting: Sitting) -> str:
    """Its line breaks, and comes back."""

    async def once(made: int) -> None:
        if made == 1:
            await sitting.bench.line.cut()

    await sitting.game(ENOUGH + 1, once)
    sitting.faultless()
    return "played on after its line was cut"


async def _after_an_illegal_move(sitting: Sitting) -> str:
    """What is illegal is refused, and costs one game."""
    return await _after_a_fault(sitting, Illegal, "an illegal move")


async def _after_a_late_one(sitting: Sitting) -> str:
    """A thought that takes too long is ended, and costs one game."""
    return await _after_a_fault(sitting, TooSlow, "a move that took too long")


async def _after_a_fault(sitting: Sitting, kind: type[BotFault], what: str) -> str:
    await sitting.game()
    player = sitting.player
    if not player.faults or not isinstance(player.faults[0], kind) or verdict(sitting.over) != "lost":
        sitting.faultless()
        raise Failed(f"{what} did not cost it the game")
    player.begin()
    await asyncio.gather(sitting.room.rematch(), player.next_game(ask=True))
    await sitting.room.until(lambda shown: shown.view.phase == "playing")
    await sitting.game(1)
    sitting.faultless()
    return f"{what} costs it one game, and it plays the next"


CHECKS: dict[str, Check] = {
    "first": _whole_game,
    "second": _whole_game,
    "takeback": _taken_back,
    "clock": _with_clock,
    "reconnect": _cut_off,
    "illegal": _after_an_illegal_move,
    "late": _after_a_late_one,
}
"""Each by its name, in the order in which they are made."""


class _Faulty(Mind):
    """The same bot, which has a fault the first time that it is asked."""

    def __init__(self, mind: Mind) -> None:
        super().__init__(mind.path)
        self._mind = mind
        self._asked = False

    async def choose(self, position: Position, limit: float | None = None) -> Choice:
        first, self._asked = not self._asked, True
        return await (self.fault(position) if first else self._mind.choose(position, limit))

    async def fault(self, position: Position) -> Choice:
        """The fault."""
        raise NotImplementedError


class _PlaysIllegally(_Faulty):
    async def fault(self, position: Position) -> Choice:
        return Choice(ILLEGAL, None, 0.0)


class _TakesTooLong(_Faulty):
    async def fault(self, position: Position) -> Choice:
        # The bot's own thought, ended before it can be done: its process is started anew.
        return await self._mind.choose(position, 0.0)


FAULTY: dict[str, type[_Faulty]] = {"illegal": _PlaysIllegally, "late": _TakesTooLong}
