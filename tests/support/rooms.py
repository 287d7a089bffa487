"""A room to try commands on: given events, when a command, then events."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from parlour_protocol import commands
from parlour_protocol.actions import Offer, PlainAction
from parlour_protocol.events import GameStarted, KnownEvent, MovePlayed, RoomCreated, SeatTaken
from parlour_protocol.ids import Seat, Version
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views.reports import Report
from parlour_server.aggregate import Decision
from parlour_server.log import LogRecord
from parlour_server.room.commands import SERVER, BotMove, Chance, CommandContext, RoomCommand
from parlour_server.room.decide import decide
from parlour_server.room.state import Bot, RoomState, evolve
from parlour_server.room.view import PresenceState

ADA, BEN, EVE = "p-ada", "p-ben", "p-eve"
NAMES = {ADA: "Ada", BEN: "Ben", EVE: "Eve"}
DRAW = "a1 b1 c1 b2 a2 c2 b3 a3 c3".split()
FIRST_WINS = "a1 b1 a2 b2 a3".split()
ROOM = "KMRTQA"
HERE = PresenceState([True, True], 1, [None, None])


def first(bound: int) -> int:
    """A chance that always falls on zero."""
    return 0


def created(settings: RoomSettings | None = None, owner: str = ADA) -> list[KnownEvent]:
    return [RoomCreated("tictactoe", settings or RoomSettings(), owner=owner)]


def started(settings: RoomSettings | None = None) -> list[KnownEvent]:
    """Ada in the first seat, Ben in the second, Ada to move."""
    seats: list[KnownEvent] = [SeatTaken(0, "Ada", player=ADA), SeatTaken(1, "Ben", player=BEN)]
    return [*created(settings), *seats, GameStarted(0)]


def moves(words: Iterable[str], starter: int = 0) -> list[KnownEvent]:
    """Moves in turn, the starter's first."""
    return [MovePlayed(0 if (ply + starter) % 2 == 0 else 1, word) for ply, word in enumerate(words)]


@dataclass
class Asked:
    """A command with the facts that go with it."""

    command: RoomCommand
    name: str | None = None
    bot: Bot | None = None
    lag: int = 0
    away: int | None = None
    """Milliseconds for which everybody else has been away."""
    here: bool = True

    @property
    def label(self) -> str:
        return getattr(self.command, "type", type(self.command).__name__)


def sit(name: str, seat: Seat | None = None, *, program: bool = False) -> Asked:
    return Asked(commands.TakeSeat(id="c", room=ROOM, seat=seat, program=program), name)


def take_over(name: str, seat: Seat | None = None) -> Asked:
    return Asked(commands.TakeOver(id="c", room=ROOM, seat=seat), name)


def add_bot(bot: str, seed: int = 1) -> Asked:
    return Asked(commands.AddBot(id="c", room=ROOM, bot=bot), bot=Bot(bot, seed))


def play(move: str, version: Version, report: Any = None, *, lag: int = 0) -> Asked:
    return Asked(commands.PlayMove(id="c", room=ROOM, move=move, version=version, report=report), lag=lag)


def bot_move(move: str, version: Version, report: Report | None = None) -> Asked:
    return Asked(BotMove(move, version, report or Report("easy", [])))


def act(action: PlainAction) -> Asked:
    return Asked(commands.PlayerAction(id="c", room=ROOM, type=action))


def decline(offer: Offer) -> Asked:
    return Asked(commands.Decline(id="c", room=ROOM, offer=offer))


def claim(
    what: Literal["win", "draw", "bot"], away: int | None = None, bot: str = "medium", seed: int = 5
) -> Asked:
    command = commands.Claim(id="c", room=ROOM, what=what, bot=bot)
    return Asked(command, bot=Bot(bot, seed), away=away)


def say(name: str, text: str, *, here: bool = True) -> Asked:
    return Asked(commands.Say(id="c", room=ROOM, text=text), name, here=here)


class Table:
    """A room's state with `decide` and `evolve` joined: what a server does, without one."""

    def __init__(self, events: Iterable[KnownEvent] = (), chance: Chance = first) -> None:
        self.state = RoomState(ROOM)
        self.chance = chance
        self.log: list[LogRecord] = []
        self.now = 1_000
        """Milliseconds; a test sets it on, and every event takes one."""
        self.take(events)

    def take(self, events: Iterable[KnownEvent], by: str = "", command: str | None = None) -> None:
        for event in events:
            self.fold(LogRecord(event, at=self.now, by=by, command=command))

    def fold(self, record: LogRecord) -> None:
        self.now += 1
        self.log.append(record)
        evolve(self.state, record)

    def do(
        self, asked: Asked | RoomCommand, by: str = SERVER, command_id: str | None = None
    ) -> list[KnownEvent]:
        """Decide, and let it happen. Raises `Refusal`."""
        decision = self._decide(asked, by)
        for event in decision.events:
            applied = decision.applied if isinstance(event, MovePlayed) else None
            self.fold(LogRecord(event, self.now, by, command_id, applied))
        return list(decision.events)

    def try_out(self, asked: Asked | RoomCommand, by: str = SERVER) -> list[KnownEvent]:
        """Decide only."""
        return list(self._decide(asked, by).events)

    def _decide(self, asked: Asked | RoomCommand, by: str) -> Decision:
        if not isinstance(asked, Asked):
            asked = Asked(asked)
        name = asked.name or NAMES.get(by, "")
        facts = CommandContext(by, self.now, self.chance, name, asked.bot, asked.here, asked.lag)
        if asked.away is not None:
            seat, since = self.state.seat_of(by), self.now - asked.away
            facts.away_since = (None if seat == 0 else since, None if seat == 1 else since)
        return decide(self.state, asked.command, facts)
