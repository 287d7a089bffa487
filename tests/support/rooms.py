"""A room to try commands on: given events, when a command, then events."""

from collections.abc import Callable, Iterable

from parlour_protocol.views import RoomSettings
from parlour_server.room.commands import Command
from parlour_server.room.decide import Chance, decide
from parlour_server.room.events import Event, GameStarted, MovePlayed, Record, RoomCreated, SeatTaken
from parlour_server.room.state import RoomState, evolve

ADA, BEN, EVE = "p-ada", "p-ben", "p-eve"
DRAW = "a1 b1 c1 b2 a2 c2 b3 a3 c3".split()
FIRST_WINS = "a1 b1 a2 b2 a3".split()


def first(bound: int) -> int:
    """A chance that always falls on zero."""
    return 0


def created(settings: RoomSettings | None = None, owner: str = ADA) -> list[Event]:
    return [RoomCreated("tictactoe", settings or RoomSettings(), owner)]


def started(settings: RoomSettings | None = None) -> list[Event]:
    """Ada in the first seat, Ben in the second, Ada to move."""
    seats: list[Event] = [SeatTaken(0, ADA, "Ada"), SeatTaken(1, BEN, "Ben")]
    return [*created(settings), *seats, GameStarted(0)]


def moves(words: Iterable[str], starter: int = 0) -> list[Event]:
    """Moves in turn, the starter's first."""
    return [MovePlayed(0 if (ply + starter) % 2 == 0 else 1, word) for ply, word in enumerate(words)]


class Table:
    """A room's state with `decide` and `evolve` joined: what a server does, without one."""

    def __init__(self, events: Iterable[Event] = (), chance: Chance = first) -> None:
        self.state = RoomState("KMRTQA")
        self.chance = chance
        self.log: list[Record] = []
        self.now = 1_000
        """Milliseconds; a test sets it on, and every event takes one."""
        self.take(events)

    def take(self, events: Iterable[Event], by: str = "", command: str | None = None) -> None:
        for event in events:
            record = Record(event, at=self.now, by=by, command=command)
            self.now += 1
            self.log.append(record)
            evolve(self.state, record)

    def do(self, command: Command, by: str, command_id: str | None = None) -> list[Event]:
        """Decide, and let it happen. Raises `Refusal`."""
        events = decide(self.state, command, by, self.chance, self.now)
        self.take(events, by, command_id)
        return events

    def try_out(self, command: Command, by: str) -> list[Event]:
        """Decide only."""
        return decide(self.state, command, by, self.chance, self.now)


Given = Callable[[], Table]
