"""People at their terminals: through the real client they do everything that can be done, at random.

A person has one identity and may have several terminals at a time, one after the other, or one that is
killed. Every terminal keeps a diary of what it sent and received.
"""

import asyncio
import random
from copy import deepcopy
from typing import TYPE_CHECKING, Any, get_args

from parlour_client.sdk.connection import Connection
from parlour_client.sdk.dial import Environment, Socket
from parlour_client.sdk.errors import ConnectionFailed, ConnectionLost, Refused
from parlour_client.sdk.identity import GuestIdentity
from parlour_client.sdk.messages import SubscriptionLost
from parlour_protocol import commands
from parlour_protocol.actions import OFFERS, PlainAction
from parlour_protocol.answers import Accepted
from parlour_protocol.events import Event, RoomClosed, Snapshot
from parlour_protocol.fold import fold
from parlour_protocol.ids import Version
from parlour_protocol.notices import Presence
from tests.support.history import Client

if TYPE_CHECKING:
    from tests.sim.simulation import Simulation

BOTS = ("random", "random", "alphabeta:depth=2")
SEATS: tuple[commands.SeatChoice, ...] = ("me", "open", *(commands.AskedBot(bot=bot) for bot in BOTS))
CLOCKS = (None, None, None, "0.1+1", "0.2+0", "4/move")
GAMES = ("tictactoe",) * 5 + ("connect4",)
AT_OTHER_TIMES = frozenset({"close"})
SELDOM = (
    *("draw", "takeback", "takeback", "claim"),
    *(action for action in get_args(PlainAction) if action not in AT_OTHER_TIMES),
)
"""What somebody who plays does now and then, one as often as another."""
MOST_ROOMS = 2
"""How many rooms a terminal is in at a time."""


def acting(view: dict[str, Any]) -> int | None:
    """The seat that a viewer acts for: at one device, whoever's turn it is."""
    if view["owner"] and "shared" in view["seats"][0]:
        return int(view.get("turn", {"seat": 0})["seat"])
    return view.get("you")


class Person:
    """Somebody with a name."""

    def __init__(self, simulation: "Simulation", name: str) -> None:
        self.simulation, self.name = simulation, name
        self.identity = GuestIdentity(name)
        self.dice = random.Random(f"{simulation.seed}/{name}")
        self.terminals: list[Terminal] = []
        self._ids = 0

    def new_id(self) -> str:
        """An id for a command, unlike any other of this person's."""
        self._ids += 1
        return f"{self.name}-{self._ids}"

    def sit_down(self, rooms: list[str]) -> None:
        """Open a terminal, and go to these rooms first."""
        terminal = Terminal(self, f"{self.name}.{len(self.terminals) + 1}", rooms)
        self.terminals.append(terminal)
        terminal.start()


class Terminal:
    """One client program, until it is closed or killed."""

    def __init__(self, person: Person, name: str, rooms: list[str]) -> None:
        self.person, self.name = person, name
        self.simulation = person.simulation
        self.dice = random.Random(f"{self.simulation.seed}/{name}")
        self.context = self.simulation.loop.new_process(name)
        self.diaries: list[Client] = []
        self.shown: dict[str, dict[str, Any]] = {}
        """The view of each room: its last snapshot, into which all changes since were folded."""
        self.connection: Connection | None = None
        self.server = ""
        """The life of the server that it connected to last."""
        self.alive = True
        """It was not killed, and did not end."""
        self.asking: dict[asyncio.Task[None], commands.Command[Any]] = {}
        self._rooms = rooms
        self._past: list[commands.Command[Any]] = []

    def start(self) -> None:
        """Begin to live."""
        self.simulation.loop.create_task(self._live(), context=self.context)

    def kill(self) -> None:
        """End as if the power failed."""
        self.simulation.trace.note(self.name, "is killed")
        self.alive = False
        for link in list(self.simulation.network.links.values()):
            if link.context is self.context:
                link.client_died()
        self.simulation.loop.kill(self.name)

    async def close(self) -> None:
        """Hang up."""
        if self.connection is not None:
            await self.simulation.loop.create_task(self.connection.close(), context=self.context)
        self.alive = False

    @property
    def at_rest(self) -> bool:
        """Is it connected, has everything been answered, and all that it subscribed to been shown?"""
        if not self.alive:
            return True
        connection = self.connection
        return (
            connection is not None
            and not self.asking
            and self.simulation.network.is_connected(self.context)
            and all(self.is_up_to_date(room, version) for room, version in connection.subscriptions.items())
        )

    def is_up_to_date(self, room: str, version: Version | None) -> bool:
        """Does it show all of a room, of which its connection has received up to that version?"""
        shown = self.shown.get(room)
        if shown is None or shown["version"] != version:
            return False
        # Once closed, a room may be forgotten.
        return version == self.simulation.version(room) or shown["phase"] == "closed"

    def follows(self, room: str) -> bool:
        """Is it to be notified of all that happens there?"""
        return self.connection is not None and room in self.connection.subscriptions

    # ------------------------------------------------------------ the line

    async def _open(self, server: str, heartbeat: tuple[float, float]) -> Socket:
        socket = await self.simulation.network.open(self.name, self.context)
        self.server = socket.host.name
        return socket

    async def _live(self) -> None:
        """Connect, as often as it takes; then act and listen until the line is over for good."""
        while self.connection is None:
            diary = Client(self.name, life=lambda: self.server)
            connection = Connection(
                "simulated",
                self.person.identity,
                journal=diary.journal,
                pause=lambda longest: self.dice.uniform(0, longest),
                outside=Environment(self._open, self.person.new_id),
            )
            try:
                await connection.__aenter__()
            except (ConnectionFailed, Refused):
                await asyncio.sleep(self.dice.uniform(0.5, 3))
            else:
                self.diaries.append(diary)
                self.connection = connection
        acting = asyncio.create_task(self._act())
        try:
            await self._listen(self.connection, self.diaries[-1])
        except (ConnectionLost, ConnectionFailed, Refused) as ended:
            self.simulation.trace.note(self.name, f"ended: {ended}")
        finally:
            self.alive = False
            acting.cancel()

    async def _listen(self, connection: Connection, diary: Client) -> None:
        async for received in connection:
            diary.saw(received)
            match received:
                case Snapshot(room=room, view=view):
                    self.shown[room] = deepcopy(view)
                case Event(room=room) | Presence(room=room) if room in self.shown:
                    fold(self.shown[room], deepcopy(received))
                    if isinstance(received, Event) and isinstance(received.event, RoomClosed):
                        self.shown.pop(room)
                case SubscriptionLost(room=room):
                    self.shown.pop(room, None)
                case _:
                    pass

    # ------------------------------------------------------------ what people do

    async def _act(self) -> None:
        for room in self._rooms:
            again: Any = commands.TakeSeat if self.dice.random() < 0.7 else commands.Subscribe
            self._ask(again(id=self.person.new_id(), room=room))
        while True:
            await asyncio.sleep(self.dice.expovariate(1 / self.simulation.pace))
            if self.simulation.evening:
                return
            if len(self.asking) < 8:
                command = self._choose()
                if command is not None:
                    self._ask(command)

    def _ask(self, command: Any) -> None:
        if any(asked.id == command.id for asked in self.asking.values()):
            return  # it is on its way already
        self._past.append(command)
        del self._past[:-20]
        task = asyncio.get_running_loop().create_task(self._request(command))
        self.asking[task] = command
        task.add_done_callback(self.asking.pop)

    async def seek(self, command: commands.QuickMatch) -> str:
        """The room that a quick match leads to, as often as it takes."""
        assert self.connection is not None
        while True:
            work = self.connection.request(command)
            try:
                return (await self.simulation.loop.create_task(work, context=self.context)).room
            except Refused as refused:
                await asyncio.sleep(refused.refusal.retry_after or 0)

    async def _request(self, command: Any) -> None:
        assert self.connection is not None
        try:
            answer = await self.connection.request(command)
        except (Refused, ConnectionLost, ConnectionFailed):
            return
        if not isinstance(answer, Accepted):
            return
        if isinstance(command, commands.CreateRoom):
            self.simulation.rooms.append(answer.room)
            if command.seats is None and self.dice.random() < 0.8:
                self._ask(commands.TakeSeat(id=self.person.new_id(), room=answer.room))
        elif isinstance(command, commands.QuickMatch) and answer.room not in self.simulation.rooms:
            self.simulation.rooms.append(answer.room)

    def _choose(self) -> Any:
        dice, new_id = self.dice, self.person.new_id
        here = [room for room in self.shown if self.follows(room)]
        if not here or (len(here) < MOST_ROOMS and dice.random() < 0.1):
            return self._go_somewhere()
        room = dice.choice(here)
        chance = dice.random()
        if chance < 0.04 and self._past:
            return dice.choice(self._past)
        if chance < 0.08:
            return commands.Unsubscribe(id=new_id(), room=room)
        if chance < 0.10:
            return dice.choice(
                (
                    commands.AskRecord(id=new_id(), room=room),
                    commands.AskHistory(id=new_id()),
                    commands.ListRooms(id=new_id(), subscribe=dice.random() < 0.5),
                    commands.AskThoughts(id=new_id(), room=room),
                )
            )
        if chance < 0.18:
            return commands.Say(id=new_id(), room=room, text=f"word {dice.randrange(1000)}")
        if chance < 0.20:
            return commands.Subscribe(id=new_id(), room=room, present=dice.random() < 0.8)
        if chance < 0.22:
            return self._go_somewhere()
        return self._play(room)

    def _go_somewhere(self) -> Any:
        dice, new_id, rooms = self.dice, self.person.new_id, self.simulation.rooms
        chance = dice.random()
        if rooms and chance < 0.6:
            room = dice.choice(rooms)
            return dice.choice(
                (
                    commands.TakeSeat(id=new_id(), room=room),
                    commands.TakeSeat(id=new_id(), room=room, seat=dice.choice((0, 1))),
                    commands.Subscribe(id=new_id(), room=room, present=dice.random() < 0.8),
                )
            )
        if chance < 0.75:
            return commands.QuickMatch(
                id=new_id(),
                game="tictactoe",
                settings=commands.AskedSettings(pace=0.0),
                bot=dice.choice((None, *BOTS)),
                bot_after=dice.choice((0.0, 1.0, 20.0)),
            )
        if len(rooms) >= 4:
            return None
        settings = commands.AskedSettings(
            starts=dice.choice(("first", "alternate", "loser", "random")),
            reports=dice.choice(("at_once", "after", "never")),
            pace=dice.choice((0.0, 0.3)),
            clock=dice.choice(CLOCKS),
            visibility=dice.choice(("public", "private")),
            chat=dice.random() < 0.9,
            takebacks=dice.random() < 0.8,
            take_over=dice.choice(("nobody", "owner", "asked", "anyone")),
            stand_in=dice.choice((None, None, "random")),
            patience=5.0,
        )
        seats = None if dice.random() < 0.4 else [dice.choice(SEATS), dice.choice(SEATS)]
        if dice.random() < 0.1:
            seats = ["me", commands.AskedGuest(guest="Guest")]
        return commands.CreateRoom(id=new_id(), game=dice.choice(GAMES), settings=settings, seats=seats)

    def _play(self, room: str) -> Any:
        """Something that has to do with the game."""
        dice, new_id, view = self.dice, self.person.new_id, self.shown[room]
        if acting(view) is None:
            return dice.choice(
                (
                    commands.TakeSeat(id=new_id(), room=room),
                    commands.TakeOver(id=new_id(), room=room),
                    commands.AddBot(id=new_id(), room=room, bot=dice.choice(BOTS)),
                    commands.PlayerAction(type="rematch", id=new_id(), room=room),
                    commands.PlayerAction(type="seat", id=new_id(), room=room),
                    commands.Decline(offer="seat", id=new_id(), room=room),
                    None,
                )
            )
        chance = dice.random()
        if chance < 0.25:
            seldom: Any = dice.choice(SELDOM)
            if seldom == "claim":
                what: Any = dice.choice(("win", "draw", "bot"))
                return commands.Claim(id=new_id(), room=room, what=what, bot="random")
            return commands.PlayerAction(type=seldom, id=new_id(), room=room)
        if chance < 0.30:
            return commands.Decline(offer=dice.choice([*OFFERS]), id=new_id(), room=room)
        if chance < 0.31 and view["owner"]:
            return commands.PlayerAction(type="close", id=new_id(), room=room)
        if view["phase"] == "waiting":
            if dice.random() < 0.4:
                return commands.AddBot(id=new_id(), room=room, bot=dice.choice(BOTS))
            return None
        if view["phase"] == "finished":
            if chance < 0.4:
                return commands.PlayerAction(type="leave", id=new_id(), room=room)
            return commands.PlayerAction(type="rematch", id=new_id(), room=room)
        return self._move(room, view)

    def _move(self, room: str, view: dict[str, Any]) -> Any:
        dice = self.dice
        if "turn" not in view or not view["position"]["legal"]:
            return None
        mine = view["turn"]["seat"] == acting(view)
        if not mine and dice.random() < 0.9:
            return None
        version = view["version"]
        if dice.random() < 0.05:
            version = max(0, version + dice.randint(-4, 1))
        move = dice.choice(view["position"]["legal"])
        return commands.PlayMove(id=self.person.new_id(), room=room, version=version, move=move)
