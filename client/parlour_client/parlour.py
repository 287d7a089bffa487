"""The way in: `connect` to a server as somebody, and get rooms to play in.

    import asyncio
    from parlour_client import connect

    async def main():
        async with connect("127.0.0.1:8765", "Ada") as parlour:
            room = await parlour.create("connect4", opponent="medium")
            async for message in room:
                if room.over:
                    break
                if room.your_turn:
                    await room.play(room.legal_moves[0])

    asyncio.run(main())

A lost line is taken up again by itself, as long as it takes: commands that were not answered are sent again
and count once, and rooms go on where they were. What can go wrong is one of `parlour_client.faults`:
`UsageFault` for what can't be meant, `ConnectFailed` where no server is found, `Refused` where it says no,
`ConnectionEnded` where a connection is over for good.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import suppress
from types import TracebackType
from typing import Any, Literal, Self, TypedDict, Unpack
from weakref import WeakSet

from parlour_client import records
from parlour_client.asking import checked, command
from parlour_client.connection import Connection
from parlour_client.dialogue import Back, Lost, RoomLost
from parlour_client.faults import ConnectionEnded, Fault, Refused, UsageFault
from parlour_client.identity import Guest, Identity, Kept, chosen_name, state_folder
from parlour_client.patience import patiently
from parlour_client.room import Room
from parlour_client.stream import Stream
from parlour_protocol import to_client, to_server
from parlour_protocol.ids import Seat, other, parse_link, room_link, server_address
from parlour_protocol.to_client import (
    Accepted,
    Event,
    Lobby,
    Presence,
    Progress,
    Replaced,
    Snapshot,
    Thinking,
    Welcome,
)
from parlour_protocol.to_server import AskedSettings
from parlour_protocol.views import BotLine, GameLine, GameRecord, PastRoom

log = logging.getLogger(__name__)

Notice = Lobby | Progress | Lost | Back | RoomLost | to_client.Refused
"""What belongs to no room. A refusal is one of a message that carried no readable id."""

UNDO_SECONDS = 2.0


class Settings(TypedDict, total=False):
    """What a room's maker may decide: see `parlour_protocol.views.RoomSettings` for each."""

    starts: Literal["first", "second", "random", "loser", "alternate"]
    reports: Literal["at_once", "after", "never"]
    hints: Literal["bots", "always", "never"]
    pace: float
    clock: str | None
    visibility: Literal["public", "private"]
    chat: bool
    takebacks: bool
    stand_in: str | None
    patience: float


def connect(
    url: str,
    name: str | None = None,
    *,
    keep: bool = False,
    token: str | None = None,
    identity: Identity | None = None,
) -> "Parlour":
    """A connection to be entered with `async with`, to the server at `url` (`host:port`, `ws://host:port`).

    Without more one is a guest, a new player each time. `keep=True` is the player that `parlour` itself is
    on this machine under that name, whose token stands in a file. `token` is a player's secret from before
    (`parlour.token`); an `identity` of one's own decides all of it. Without a name it is PARLOUR_NAME, or
    the login name.

    Raises `UsageFault` at once for what is no address or no name; entering it raises `ConnectFailed` and
    `Refused`.
    """
    server = server_address(url)
    if server is None:
        raise UsageFault(f"{url!r} is no server's address: ws://host:port or host:port is.")
    if identity is None:
        chosen = chosen_name(name)
        identity = Kept(state_folder(), server, chosen, log.warning) if keep else Guest(chosen)
        if token is not None:
            identity.keep(token)
    return Parlour(Connection(server, identity))


class Parlour:
    """A player's place on a server: rooms, lists, analyses, and what belongs to no room.

    Made by `connect`, and entered. Its methods raise `Refused` where the server says no, and
    `ConnectionEnded` once the connection is over for good.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.url = connection.server
        self.connected = False
        """Is the line up at this moment? What is asked meanwhile waits until it is."""
        self.request = connection.request
        """Any command of `parlour_protocol.to_server`, for which there is no method here."""
        self._rooms: dict[str, Room] = {}
        self._followers: list[_Follower] = []
        self._undoing: set[asyncio.Task[None]] = set()
        self._streams: WeakSet[Stream[Notice]] = WeakSet()
        self._ended = False
        self._error: BaseException | None = None
        self._reader: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        await self._connection.__aenter__()
        self.connected = True
        self._reader = asyncio.create_task(self._read())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Hang up: every stream ends. Seats stay taken."""
        await self._connection.close()
        if self._reader is not None:
            await self._reader

    @property
    def welcome(self) -> Welcome:
        """The server's last welcome: who we are there, and its limits."""
        return self._connection.welcome

    @property
    def name(self) -> str:
        """The name that others see."""
        return self.welcome.name

    @property
    def token(self) -> str | None:
        """Our secret on this server, which proves who we are. Show it to nobody."""
        return self._connection.identity.token()

    def link(self, room: Room) -> str:
        """The link that seats a friend."""
        return room_link(self.url, room.code)

    # ------------------------------------------------------------ rooms

    async def create(
        self,
        game: str,
        *,
        opponent: str | None = None,
        seat: Seat | None = 0,
        moves: str = "",
        settings: AskedSettings | None = None,
        **chosen: Unpack[Settings],
    ) -> Room:
        """Make a room and sit down in it, with a bot across the table, or wait for somebody.

        `opponent` is a bot's settings, `medium` or `minimax:depth=4`. With `seat=None` nobody sits down and
        the room is looked on at. `moves` lead to the position where its games begin. What else may be
        decided: see `Settings`, or give all of it as `settings`.
        """
        asked = _settings(settings, chosen)
        made = await self._make(command(to_server.CreateRoom, game=game, settings=asked, moves=moves))
        try:
            if opponent is not None:
                # First, so that whoever sits down finds a game that has begun.
                across = None if seat is None else other(seat)
                await self.request(command(to_server.AddBot, room=made.room, bot=opponent, seat=across))
            if seat is None:
                return await self.watch(made.room)
            return await self._follow(command(to_server.TakeSeat, room=made.room, seat=seat))
        except BaseException:
            # What could not be made whole must not stay behind.
            await self._unmake(made)
            raise

    async def _make(self, asked: to_server.CreateRoom) -> Accepted:
        """A room, which whoever gives up waiting for it does not leave behind."""
        making = asyncio.create_task(self.request(asked))
        try:
            return await asyncio.shield(making)
        except asyncio.CancelledError:
            making.add_done_callback(self._undo)
            raise

    def _undo(self, making: asyncio.Task[Accepted]) -> None:
        if not making.cancelled() and making.exception() is None:
            undoing = asyncio.create_task(self._unmake(making.result()))
            self._undoing.add(undoing)
            undoing.add_done_callback(self._undoing.discard)

    async def _unmake(self, made: Accepted) -> None:
        with suppress(Fault, TimeoutError):
            async with asyncio.timeout(UNDO_SECONDS):
                await self.request(command(to_server.CloseRoom, room=made.room))

    async def join(self, code: str, seat: Seat | None = None, *, program: bool = False) -> Room:
        """Take a free seat, or come back to ours. A code as people write it, or a link to a room here.

        What plays by itself says that it is a `program`: others then see it marked as a bot.
        """
        return await self._follow(
            command(to_server.TakeSeat, room=self._code(code), seat=seat, program=program)
        )

    async def watch(self, code: str) -> Room:
        """Look on."""
        return await self._follow(command(to_server.Watch, room=self._code(code)))

    async def quick(
        self, game: str, *, settings: AskedSettings | None = None, **chosen: Unpack[Settings]
    ) -> Room:
        """A seat with whoever wants the same, or one to wait in for the next who does."""
        asked = _settings(settings, chosen)
        return await self._follow(command(to_server.QuickMatch, game=game, settings=asked))

    def _code(self, text: str) -> str:
        link = parse_link(text)
        if link is None:
            raise UsageFault(f"{text[:80]!r} is no room's code, which has six letters like KMRTQA.")
        if link.server not in (None, self.url):
            raise UsageFault(f"That room is on {link.server}, and this is {self.url}: connect there.")
        return link.code

    async def _follow(self, asked: to_server.TakeSeat | to_server.Watch | to_server.QuickMatch) -> Room:
        # From before the answer: a room may be over and gone before we get round to it.
        follower = _Follower()
        self._followers.append(follower)
        try:
            accepted: Accepted = await self.request(asked)
            room = await follower.room(accepted, self._rooms.get(accepted.room))
        finally:
            self._followers.remove(follower)
        await room.fresh(accepted.version)
        return room

    # ------------------------------------------------------------ questions

    async def rooms(self, *, follow: bool = False) -> to_client.Rooms:
        """What is being played, and by how many players; with `follow`, changes come as `Lobby` notices."""
        return await self.request(command(to_server.ListRooms, follow=follow))

    async def games(self) -> list[GameLine]:
        """The games that the server knows."""
        return (await self.request(command(to_server.ListGames))).games

    async def bots(self) -> list[BotLine]:
        """The bots that it can seat."""
        return (await self.request(command(to_server.ListBots))).bots

    async def history(self) -> list[PastRoom]:
        """The rooms in which we have played, the last used first."""
        return (await self.request(command(to_server.AskHistory))).rooms

    async def record(self, code: str, number: int | None = None) -> GameRecord:
        """A whole game of a room as it was played, the last one unless its number says another."""
        if number is not None and number < 1:
            raise UsageFault("A room's games are counted from 1.")
        return await records.fetch(self._connection, self._code(code), number)

    async def analyse(
        self, game: str, moves: str = "", *, bot: str = "perfect", played: str | None = None
    ) -> to_client.Analysis:
        """Score every move of a position, and grade the one that was played."""
        return await patiently(
            lambda: self.request(command(to_server.Analyse, game=game, moves=moves, bot=bot, played=played))
        )

    # ------------------------------------------------------------ what belongs to no room

    def notices(self) -> AsyncIterator[Notice]:
        """A stream of what belongs to no room, from now on, for `async for`; each call has its own.

        It ends when the connection is closed, and raises what ended it otherwise. Of searches' progress and
        of changes in the lobby only so much waits for a reader: who falls 1024 notices behind is
        told so by a `ConnectionEnded`, and asks for the list again.
        """
        stream: Stream[Notice] = Stream(_fell_behind)
        if self._ended:
            stream.end(self._error)
        self._streams.add(stream)
        return stream

    async def _read(self) -> None:
        """The one reader of the connection: hand on what comes in, and end everything when it ends."""
        error: BaseException | None = None
        try:
            async for heard in self._connection:
                match heard:
                    case Snapshot() | Event() | Presence() | Thinking() | Replaced():
                        self._tell_room(heard)
                    case Lost() | Back():
                        self.connected = isinstance(heard, Back)
                        for room in self._rooms.values():
                            room.take(heard)
                        self._tell(heard)
                    case RoomLost(room=code, refusal=refusal):
                        lost = Refused(refusal)
                        if code in self._rooms:
                            self._rooms[code].end(lost)
                        for follower in self._followers:
                            follower.lose(code, lost)
                        self._tell(heard)
                    case _:
                        self._tell(heard)
        except Exception as ended:
            error = ended
        self.connected = False
        self._ended, self._error = True, error
        for room in list(self._rooms.values()):
            room.end(error)
        for stream in self._streams:
            stream.end(error)
        for follower in self._followers:
            follower.end(error)

    def _tell_room(self, heard: Snapshot | Event | Presence | Thinking | Replaced) -> None:
        room = self._rooms.get(heard.room)
        if room is not None:
            room.take(heard)
        elif isinstance(heard, Snapshot) and self._followers:
            # One that nobody waits for is of a room that was let go of a moment ago.
            room = self._rooms[heard.room] = Room(self._connection, heard, self._rooms.pop)
        if room is not None:
            for follower in self._followers:
                follower.find(room)

    def _tell(self, heard: Notice) -> None:
        for stream in self._streams:
            stream.put(heard)


class _Follower:
    """Somebody who has asked for a room, and what has come of rooms since then."""

    def __init__(self) -> None:
        self._found: dict[str, Room | BaseException] = {}
        self._ended: BaseException | None = None
        self._news = asyncio.Event()

    def find(self, room: Room) -> None:
        """Something was told of a room."""
        self._found[room.code] = room
        self._news.set()

    def lose(self, code: str, error: BaseException) -> None:
        """A room can't be followed."""
        self._found[code] = error
        self._news.set()

    def end(self, error: BaseException | None) -> None:
        """Nothing more will be told."""
        self._ended = error or ConnectionEnded("The connection was closed.")
        self._news.set()

    async def room(self, accepted: Accepted, known: Room | None) -> Room:
        """The room that the answer names, as soon as there is one. Raises why there is none."""
        while True:
            found = self._found.get(accepted.room, known)
            if isinstance(found, BaseException):
                raise found
            # One that has ended may be this one, over already, or one that we let go of before.
            if found is not None and (not found.ended or found.is_fresh(accepted.version)):
                return found
            if self._ended is not None:
                raise self._ended
            self._news.clear()
            await self._news.wait()


def _fell_behind(stream: Stream[Notice]) -> None:
    stream.end(ConnectionEnded("Too many notices were left unread: ask for a new stream, and for the list."))


def _settings(given: AskedSettings | None, chosen: Settings) -> AskedSettings:
    """Settings as they are asked for. Raises `UsageFault`."""
    asked: dict[str, Any] = {} if given is None else given.model_dump(exclude_unset=True)
    return checked(AskedSettings, {**asked, **chosen})
