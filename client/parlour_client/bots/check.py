"""`parlour bot --check`: a bot played through all that can happen to it, on a real server.

The other player at each table is this check, which moves at random, takes moves back and breaks the
bot's connection.
It also asks the bot about boards that no game of theirs has led to.
"""

import asyncio
import math
import random
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field

from websockets.asyncio.client import ClientConnection

from parlour_client.bots.errors import BotError, Illegal, TooSlow, short
from parlour_client.bots.host import connection_notices, show_waiting, tell_interface
from parlour_client.bots.limits import MEMORY
from parlour_client.bots.player import BotPlayer, verdict
from parlour_client.bots.position import Position
from parlour_client.bots.process import BotProcess, ChosenMove
from parlour_client.bots.rules import NoRules
from parlour_client.render.console import Screen
from parlour_client.render.progress import bar
from parlour_client.sdk.client import Client, connect
from parlour_client.sdk.connection import Connection
from parlour_client.sdk.dial import Environment, Socket, open_socket
from parlour_client.sdk.errors import ParlourError, Refused
from parlour_client.sdk.identity import GuestIdentity
from parlour_client.sdk.retry import with_retries
from parlour_client.sdk.room import Room
from parlour_protocol.ids import Seat, other
from parlour_protocol.views.lists import Column, Columns
from parlour_protocol.views.rooms import RoomView
from parlour_protocol.words import language, say

MOVE_SECONDS = 10.0
"""What a move may take, unless the person says otherwise."""
ENOUGH = 3
"""So many of its own moves the check makes in a game that need not be played to its end."""
ILLEGAL = "none-such"
GAMES, BOARDS = 4, 8
"""So many random games are played, and so many boards of each are asked about."""
ENOUGH_MOVES = 3.0
"""No more boards are asked about once that took as long as so many moves may take."""


@dataclass(frozen=True, slots=True)
class Row:
    """One check of one game."""

    game: str
    check: str
    passed: bool
    said: str
    slowest: float
    """The seconds that the bot's slowest move took."""
    interface: str
    """How the file is called."""


async def run(
    server: str,
    bot: str,
    screen: Screen,
    only: list[str] | None = None,
    move_seconds: float | None = None,
    memory: int = MEMORY,
) -> None:
    """Check a bot in all that it plays, or in some games `only`, and show the table.

    Its process may hold `memory` bytes.

    Raises `ParlourError` where a check failed, and `UsageError` for a file that can't be played with.
    """
    limit = move_seconds or MOVE_SECONDS
    async with BotProcess(bot, memory) as process:
        tell_interface(screen, process)
        line = CuttableConnection()
        identity = GuestIdentity(process.name)
        async with (
            connect(server, identity=GuestIdentity(say("command.check.judge"))) as judge,
            Client(Connection(server, identity, outside=Environment(open=line.open))) as parlour,
            connection_notices(judge, screen),
        ):
            known = [game.name for game in await judge.games()]
            process.check_games(known)
            for game in only or ():
                process.check(game)
            games = only or list(process.games) or known
            rows = list[Row]()
            with bar(screen, say("command.check.checks"), len(games) * len(CHECKS)) as progress:
                for game in games:
                    fixture = Fixture(judge, parlour, process, line, limit, game, show_waiting(screen))
                    for name, check in CHECKS.items():
                        progress(len(rows), title=f"{game}: {name}")
                        rows.append(await fixture.row(name, check))
                        progress(len(rows))
    screen.show_list(CHECKED, rows)
    failed = sum(not row.passed for row in rows)
    if failed:
        raise ParlourError(say("command.check.some_failed", count=failed, of=len(rows)))
    screen.note(say("command.check.all_passed", count=len(rows)))


CHECKED: Columns[Row] = (
    Column("game", "game"),
    Column("check"),
    Column(
        "result",
        of=lambda row: say(f"command.check.{'ok' if row.passed else 'failed'}"),
        tone=lambda row: "win" if row.passed else "loss",
    ),
    Column(
        "slowest",
        "figure",
        of=lambda row: say("span.seconds", number=language().number(row.slowest, 2)),
        tone=lambda _: "past",
    ),
    Column("", of=lambda row: row.said),
)


class CuttableConnection:
    """The bot's connection to the server, which can be cut."""

    def __init__(self) -> None:
        self._socket: Socket | None = None

    async def open(self, server: str, heartbeat: tuple[float, float]) -> Socket:
        """Dial, and remember the socket."""
        self._socket = await open_socket(server, heartbeat)
        return self._socket

    def cut(self) -> None:
        """Break it as a network does, without a closing handshake: it has to reconnect by itself."""
        assert isinstance(self._socket, ClientConnection)
        self._socket.transport.abort()


class Failed(Exception):
    """A check is not passed, and why."""


@dataclass(frozen=True, slots=True)
class Fixture:
    """What a game's checks need: the other player, and the bot's client, process and connection."""

    judge: Client
    parlour: Client
    process: BotProcess
    line: CuttableConnection
    limit: float
    game: str
    tell: Callable[[Refused, float], None]
    """Hears why the server has us wait, and for how long."""
    boards: list[Position] = field(default_factory=list)
    """Those that its games came to where it was not asked: the other one was to move."""

    async def row(self, name: str, check: "Check") -> Row:
        """Make one check, and tell how it went."""
        player: BotPlayer | None = None
        theirs: Room | None = None
        seat: Seat = 1 if name == "second" else 0
        try:
            theirs = await self._with_retries(lambda: self._table(name, seat))
            code = theirs.code
            seated = await self._with_retries(lambda: self.parlour.join(code, seat, program=True))
            player = BotPlayer(seated, self.process, _hush, self.limit)
            dice = random.Random(f"{self.game} {name}")  # noqa: S311 - the same game each time
            said, passed = await check(CheckGame(self, player, theirs, dice)), True
        except (Failed, ParlourError) as failed:
            said, passed = str(failed), False
        finally:
            if theirs is not None:
                with suppress(ParlourError):
                    if theirs.view.phase == "playing":
                        await theirs.resign()
                    await theirs.close()
        slowest = 0.0 if player is None else round(player.slowest, 3)
        return Row(self.game, name, passed, said, slowest, self.process.interface)

    async def _table(self, name: str, seat: Seat) -> Room:
        clock = f"{max(1, math.ceil(self.limit))}/move" if name == "clock" else None
        return await self.judge.create(
            self.game,
            seat=other(seat),
            starts="first",
            reports="never",
            pace=0.0,
            clock=clock,
            visibility="private",
        )

    async def _with_retries(self, ask: Callable[[], Awaitable[Room]]) -> Room:
        return await with_retries(ask, math.inf, self.tell)


def _hush(error: BotError) -> None:
    """The table tells of it."""


@dataclass(frozen=True, slots=True)
class CheckGame:
    """A game of one check: the bot in its seat, and the room from the other side of the table."""

    fixture: Fixture
    player: BotPlayer
    room: Room
    dice: random.Random

    async def game(
        self, moves: int | None = None, before: Callable[[int], Awaitable[None]] | None = None
    ) -> None:
        """Play to the end, or resign after so many moves of ours; `before` each something may happen."""
        # Where one of them can't go on, the other would wait for ever.
        both = [asyncio.create_task(self.player.play()), asyncio.create_task(self._judge(moves, before))]
        try:
            await asyncio.gather(*both)
        finally:
            for one in both:
                one.cancel()
            await asyncio.gather(*both, return_exceptions=True)

    async def _judge(self, moves: int | None, before: Callable[[int], Awaitable[None]] | None) -> None:
        made = 0
        while await self.room.wait_for_turn():
            if made == moves:
                await self.room.resign()
                break
            if before is not None:
                await before(made)
            if self.room.your_turn:
                now = asyncio.get_running_loop().time()
                self.fixture.boards.append(Position.of_room(self.room.state, now))
                await self.room.play(self.dice.choice(self.room.legal_moves))
            made += 1

    @property
    def over(self) -> RoomView:
        """The bot's view of the game that is over."""
        finished = self.player.room.finished
        assert finished is not None
        return finished.view

    def faultless(self) -> None:
        """Raise `Failed` where the bot had a fault."""
        if self.player.errors:
            error = self.player.errors[0]
            raise Failed(say("command.check.fault", kind=error.called, error=str(error)))


Check = Callable[[CheckGame], Awaitable[str]]


async def _whole_game(play: CheckGame) -> str:
    """From the first move to the last."""
    await play.game()
    play.faultless()
    moves = say("count.move", count=len(play.room.view.moves))
    return say(
        "command.check.whole_game", verdict=say(f"command.bot.verdict.{verdict(play.over)}"), moves=moves
    )


async def _taken_back(play: CheckGame) -> str:
    """A position comes again, one that is shorter than the last."""

    async def once(made: int) -> None:
        if made == 1:
            count = len(play.room.view.moves)
            await play.room.ask_takeback()
            await play.room.until(lambda shown: len(shown.view.moves) < count)

    await play.game(ENOUGH, once)
    play.faultless()
    return say("command.check.taken_back")


async def _with_clock(play: CheckGame) -> str:
    """Its time runs."""
    await play.game(ENOUGH)
    play.faultless()
    return say("command.check.in_time", clock=play.room.view.settings.clock or "")


async def _cut_off(play: CheckGame) -> str:
    """Its line breaks, while it waits and while it thinks, and comes back."""
    cut = play.fixture.line.cut

    async def thinking(process: BotProcess, position: Position, limit: float | None) -> ChosenMove:
        cut()
        return await process.choose(position, limit)

    async def waiting(made: int) -> None:
        if made == 2:
            cut()

    play.player.process = _Tampered(play.fixture.process, thinking)
    await play.game(ENOUGH + 1, waiting)
    play.faultless()
    return say("command.check.cut")


async def _illegal(play: CheckGame) -> str:
    """It plays no illegal move on any board; and one costs it one game."""
    asked = await _boards_asked(play)
    if asked.wrong:
        raise Failed(asked.wrong)

    async def illegally(process: BotProcess, position: Position, limit: float | None) -> ChosenMove:
        return ChosenMove(ILLEGAL, None, 0.0)

    await _after_an_error(play, illegally, Illegal, asked)
    return say("command.check.illegal", count=asked.boards)


async def _late(play: CheckGame) -> str:
    """It moves in time on every board; and a thought that is broken off costs it one game."""
    asked = await _boards_asked(play)
    if asked.late:
        raise Failed(asked.late)

    async def too_long(process: BotProcess, position: Position, limit: float | None) -> ChosenMove:
        # Its own thought, broken off before it can be done: its process is started anew.
        return await process.choose(position, 0.0)

    await _after_an_error(play, too_long, TooSlow, asked)
    return say("command.check.late", count=asked.boards)


async def _after_an_error(play: CheckGame, instead: "Instead", kind: type[BotError], asked: "Asked") -> None:
    """Let it have a fault in the middle of a game, and play the next. Raises `Failed`."""
    player = play.player
    player.process = _Tampered(play.fixture.process, instead)
    await play.game()
    if [type(error) for error in player.errors] != [kind] or verdict(play.over) != "lost":
        play.faultless()
        raise Failed(say("command.check.no_cost"))
    player.begin()
    await asyncio.gather(play.room.rematch(), player.next_game(ask=True))
    await play.room.until(lambda shown: shown.view.phase == "playing")
    await play.game(ENOUGH)
    play.faultless()
    player.slowest = max(player.slowest, asked.slowest)


@dataclass(slots=True)
class Asked:
    """What the bot had to say to many boards."""

    boards: int = 0
    wrong: str = ""
    """The first fault that had nothing to do with time."""
    late: str = ""
    slowest: float = 0.0


async def _boards_asked(play: CheckGame) -> Asked:
    """Ask about the boards of the games so far where the other one was to move, and of random games."""
    fixture, asked, begun = play.fixture, Asked(), time.monotonic()
    boards = [*random_boards(fixture.game, play.dice), *fixture.boards]
    play.dice.shuffle(boards)
    for position in boards:
        if time.monotonic() - begun > ENOUGH_MOVES * fixture.limit or (asked.wrong and asked.late):
            break
        asked.boards += 1
        legal = position.legal_moves
        try:
            choice = await fixture.process.choose(position, fixture.limit)
            if choice.move.strip().casefold() not in [move.casefold() for move in legal]:
                raise Illegal(choice.move, legal)
            asked.slowest = max(asked.slowest, choice.seconds)
        except BotError as error:
            # What Python says of an error has no full stop.
            why = f"{error}".removesuffix(".") + "."
            moves = short(" ".join(position.moves)) or say("command.check.no_moves")
            said = say("command.check.fault_at", kind=error.called, error=why, moves=moves)
            if isinstance(error, TooSlow):
                asked.late = asked.late or said
            else:
                asked.wrong = asked.wrong or said
    return asked


def random_boards(game: str, dice: random.Random) -> list[Position]:
    """Boards that random games come to, as a server tells them; none where the rules are not installed."""
    boards: list[Position] = []
    for _ in range(GAMES):
        try:
            position = Position.begin(game)
        except NoRules:
            return []
        passed = []
        while not position.over:
            passed.append(position)
            position = position.play(dice.choice(position.legal_moves))
        boards += dice.sample(passed, min(BOARDS, len(passed)))
    return [Position(game, board.view, board.moves, seat=1 if board.view.to_move else 0) for board in boards]


CHECKS: dict[str, Check] = {
    "first": _whole_game,
    "second": _whole_game,
    "takeback": _taken_back,
    "clock": _with_clock,
    "reconnect": _cut_off,
    "illegal": _illegal,
    "late": _late,
}
"""Each by its name, in the order in which they are made."""

Instead = Callable[[BotProcess, Position, float | None], Awaitable[ChosenMove]]


class _Tampered(BotProcess):
    """The same bot; but its second move comes about in another way, when it has a game to think of."""

    def __init__(self, process: BotProcess, instead: Instead) -> None:
        super().__init__(process.path)
        self._original = process
        self._instead = instead
        self._asked = 0

    async def choose(
        self, position: Position, limit: float | None = None, seed: str | None = None
    ) -> ChosenMove:
        self._asked += 1
        if self._asked == 2:
            return await self._instead(self._original, position, limit)
        return await self._original.choose(position, limit, seed)
