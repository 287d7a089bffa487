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

A lost connection reconnects by itself, as long as it takes: commands that were not answered are sent again
and are idempotent, and subscriptions resume where they were. What can go wrong is one of
`parlour_client.sdk.errors`:
`UsageError` for what can't be meant, `ConnectionFailed` where no server is found, `Refused` where it says no,
`ConnectionLost` where a connection is over for good.
"""

import asyncio
import logging
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self, Unpack
from weakref import WeakSet

from parlour_client.sdk import pagination, records
from parlour_client.sdk.commands import checked, command
from parlour_client.sdk.connection import Connection
from parlour_client.sdk.data_file import player_realm
from parlour_client.sdk.errors import ConnectionLost, Refused, UsageError
from parlour_client.sdk.identity import GuestIdentity, Identity, StoredIdentity, chosen_name, state_folder
from parlour_client.sdk.messages import Disconnected, Reconnected, SubscriptionLost
from parlour_client.sdk.room import Room
from parlour_client.sdk.room_settings import Settings
from parlour_client.sdk.seats import seat_choice
from parlour_client.sdk.tournaments import TournamentClient
from parlour_protocol import answers, commands
from parlour_protocol.answers import Accepted, Answer, Welcome
from parlour_protocol.commands import AskedSettings, Command
from parlour_protocol.errors import Code
from parlour_protocol.events import Snapshot
from parlour_protocol.ids import Seat, parse_link, room_link, server_address
from parlour_protocol.messages import RoomMessage, Signal
from parlour_protocol.views.records import GameRecord, Opponent, PastRoom, RoomHistory
from parlour_protocol.views.rooms import Limits
from parlour_protocol.words import say

log = logging.getLogger(__name__)

UNDO_SECONDS = 2.0


def connect(
    url: str,
    name: str | None = None,
    *,
    keep: bool = False,
    token: str | None = None,
    identity: Identity | None = None,
) -> "Client":
    """A connection to be entered with `async with`, to the server at `url` (`host:port`, `ws://host:port`).

    Without more one is a guest, a new player each time. `keep=True` is the player that `parlour` itself is
    on this machine under that name, whose token stands in a file. `token` is a player's secret from before
    (`parlour.token`): with it one is that player or, where the server does not know it, refused. An
    `identity` of one's own decides all of it. Without a name it is PARLOUR_NAME, or the login name.

    Raises `UsageError` at once for what is no address or no name, and for a `token` unlike the one kept;
    entering it raises `ConnectionFailed` and `Refused`.
    """
    server = server_address(url)
    if server is None:
        raise UsageError(say("error.no_address", text=repr(url)))
    if identity is None:
        chosen = chosen_name(name)
        if not keep:
            identity = GuestIdentity(chosen, token)
        else:
            identity = StoredIdentity(state_folder(), player_realm(server), chosen, log.warning, token)
            if token is not None and identity.keep(token) != token:
                raise UsageError(say("error.other_player_kept", name=chosen, server=server))
    return Client(Connection(server, identity))


class Client(TournamentClient):
    """A player's connection to a server: rooms, lists, analyses, and what belongs to no room.

    Made by `connect`, and entered. Its methods raise `Refused` where the server says no, and
    `ConnectionLost` once the connection is over for good.
    """

    def __init__(self, connection: Connection) -> None:
        super().__init__()
        self._connection = connection
        self.url = connection.server
        self.connected = False
        """Is the connection up at this moment? What is asked meanwhile waits until it is."""
        self._rooms: dict[str, Room] = {}
        self._handed_out: WeakSet[Room] = WeakSet()
        self._entries: list[_Entry] = []
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
        """Disconnect: every stream ends. Seats stay taken."""
        await self._connection.close()
        if self._reader is not None:
            await self._reader

    @property
    def welcome(self) -> Welcome:
        """The server's last welcome: who we are there, and its limits."""
        return self._connection.welcome

    @property
    def limits(self) -> Limits:
        """How much the server takes, and how fast."""
        return self.welcome.limits

    async def _request(self, command: Command[Any]) -> Answer:
        return await self._connection.request(command)

    def signal(self, signal: Signal) -> None:
        """Say what wants no answer: it is lost where we are not connected."""
        self._connection.signal(signal)

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
        return room_link(self.public_url, room.code)

    @property
    def public_url(self) -> str:
        """Where others reach the server: by its own word, else where we have reached it."""
        return self.welcome.address or self.url

    async def carry(self) -> answers.Carried:
        """Open the way for another device to become this player: by a code, good once and for a short while.

        `parlour_protocol.ids.carry_link` makes a link of it. Anyone who opens it becomes the player.
        """
        return await self.request(command(commands.CarryPlayer, token=self.token or ""))

    async def rename(self, name: str) -> None:
        """Be called otherwise from now on, also where one sits. Raises `Refused` where it can't be.

        A stored identity is found under the name it was made with, and goes by the new one.
        """
        renamed = await self.request(command(commands.RenamePlayer, name=name))
        self.welcome.name = renamed.name
        self._connection.identity.rename(renamed.name)

    async def close_server(self, *, force: bool = False) -> answers.Closing | None:
        """End a shared server before leaving it, unless others are there; `force`: also then.

        None where the server is not shared: it ends when its host stops it.
        """
        if not self.welcome.shared:
            return None
        return await self.request(command(commands.CloseServer, force=force))

    # ------------------------------------------------------------ rooms

    async def create(
        self,
        game: str,
        *,
        opponent: str | None = None,
        seat: Seat | None = 0,
        seats: Sequence[str] | None = None,
        program: bool = False,
        moves: str = "",
        settings: AskedSettings | None = None,
        **chosen: Unpack[Settings],
    ) -> Room:
        """Make a room and sit down in it, with a bot across the table, or wait for somebody.

        `opponent` is a bot's settings, `medium` or `minimax:depth=4`, or `here:Ben`, somebody at this device:
        one plays for both then. With `seat=None` one watches, and it has the first seat. Or `seats` say who
        sits in each: `me`, `open`, or an opponent. A `program` is marked as a bot. `moves` lead to the
        position where its games begin. What else may be decided: see `Settings`, or give all of it as
        `settings`.

        All of it stands, or nothing: where this is cancelled, the room is closed again.
        """
        if seats is None:
            across, own = opponent or "open", "open" if seat is None else "me"
            seats = (own, across) if seat == 0 else (across, own)
        choices = [seat_choice(one) for one in seats]
        given = _settings(settings, chosen)
        return await self._enter(
            command(
                commands.CreateRoom, game=game, settings=given, moves=moves, seats=choices, program=program
            )
        )

    async def join(self, code: str, seat: Seat | None = None, *, program: bool = False) -> Room:
        """Take a free seat, or come back to ours. A code as people write it, or a link to a room here.

        What plays by itself says that it is a `program`: others then see it marked as a bot.
        """
        sit = command(commands.TakeSeat, room=self._code(code), seat=seat, program=program)
        try:
            return await self._enter(sit)
        except Refused as refused:
            if refused.code is not Code.ALREADY_SEATED:
                raise
            room = await self._enter(command(commands.Subscribe, room=sit.room))
            mine = room.view.seats[room.seat] if room.seat is not None else None
            if seat not in (None, room.seat) or (program and (mine is None or not mine.program)):
                # We sit here, but otherwise.
                raise
            return room

    async def watch(self, code: str, *, present: bool = True) -> Room:
        """Subscribe to a room as a spectator.

        One that is not `present`, such as a wall of boards, is not counted as one.
        """
        return await self._enter(command(commands.Subscribe, room=self._code(code), present=present))

    async def enter(self, code: str) -> Room:
        """Take a free seat, or come back to ours; where others have both, watch."""
        try:
            return await self.join(code)
        except Refused as refused:
            if refused.code is not Code.ROOM_FULL:
                raise
        return await self.watch(code)

    async def quick(
        self,
        game: str,
        *,
        bot: str | None = None,
        bot_after: float = 30.0,
        settings: AskedSettings | None = None,
        **chosen: Unpack[Settings],
    ) -> Room:
        """A seat with the next person who wants the same, or one to wait in for them.

        Where no one has come in `bot_after` seconds, the bot does. Where this is cancelled, the seat is left
        again, unless a game has begun there.
        """
        given = _settings(settings, chosen)
        return await self._enter(
            command(commands.QuickMatch, game=game, settings=given, bot=bot, bot_after=bot_after)
        )

    def _code(self, text: str) -> str:
        link = parse_link(text)
        if link is None:
            raise UsageError(say("error.no_code", text=repr(text[:80])))
        if link.server not in (None, self.url, self.public_url):
            raise UsageError(say("error.room_elsewhere", server=str(link.server), here=self.url))
        return link.code

    async def add_bot(self, code: str, bot: str, seat: Seat | None = None) -> Accepted:
        """Put one of the server's bots in a room's free seat."""
        return await self.request(command(commands.AddBot, room=self._code(code), bot=bot, seat=seat))

    async def _enter(self, request: Command[Accepted]) -> Room:
        # From before the answer: a room may be over and gone before we get round to it.
        entry = _Entry()
        self._entries.append(entry)
        try:
            accepted = await self.request(request)
            entry.code = accepted.room
            room = await entry.room(accepted, self._rooms.get(accepted.room))
            await room.until(lambda state: state.version >= accepted.version or room.ended)
        except asyncio.CancelledError:
            if entry.code is not None:
                self._give_back(request, entry.code, entry)
            raise
        finally:
            self._entries.remove(entry)
        self._handed_out.add(room)
        return room

    def _give_back(self, request: Command[Any], code: str, entry: "_Entry") -> None:
        """Leave a room whose entry was given up, unless another has it or waits for it."""
        room = self._rooms.get(code)
        if room in self._handed_out or any(one.code == code for one in self._entries if one is not entry):
            return
        if room is not None:
            room.end()
        self._connection.undo(request, code)

    # ------------------------------------------------------------ lists and records

    async def rooms(self, *, subscribe: bool = False) -> answers.Rooms:
        """What is being played, and by how many players; `subscribe`: changes come as `Lobby` notices."""
        return await self.request(command(commands.ListRooms, subscribe=subscribe))

    async def met(self) -> list[Opponent]:
        """The people whom we played, and how all games against each ended for us; whom we met last first."""
        return (await self.request(command(commands.AskHistory))).met

    async def ratings(self, game: str | None = None) -> answers.Ratings:
        """In which games players are rated; and who is, in a game that is named."""
        return await self.request(command(commands.AskRatings, game=game))

    async def rating(self, game: str, player: str) -> answers.PlayerRating:
        """A player's rating in a game, by their name or their key, with the last games."""
        return await self.request(command(commands.AskRating, game=game, player=player))

    async def history(self) -> list[PastRoom]:
        """The rooms in which we have played, the last used first."""
        return (await pagination.history(self)).rooms

    async def remove(self, code: str) -> str:
        """Leave a room out of our history: one that is over, or where we play a bot. Gives its code."""
        return (await self.request(command(commands.RemoveRoom, room=self._code(code)))).room

    async def restore(self, code: str) -> str:
        """Have a room that was removed in our history again. Gives its code."""
        return (await self.request(command(commands.RemoveRoom, room=self._code(code), back=True))).room

    async def room_history(self, code: str) -> RoomHistory:
        """The games that were begun in a room, over or not."""
        return (await pagination.room_games(self, self._code(code))).history

    async def record(self, code: str, number: int | None = None) -> GameRecord:
        """A whole game of a room as it was played.

        Without a number, the last with moves that was not aborted.
        """
        if number is not None and number < 1:
            raise UsageError(say("error.bad_game_number"))
        return await records.fetch(self, self._code(code), number)

    async def _read(self) -> None:
        """The one reader of the connection: route what comes in, and end everything when it ends."""
        error: BaseException | None = None
        try:
            async for message in self._connection:
                match message:
                    case RoomMessage():
                        self._route(message)
                    case Disconnected() | Reconnected():
                        self.connected = isinstance(message, Reconnected)
                        for room in self._rooms.values():
                            room.take(message)
                        self._publish(message)
                    case SubscriptionLost(room=code, refusal=refusal):
                        lost = Refused(refusal)
                        if code in self._rooms:
                            self._rooms[code].end(lost)
                        for entry in self._entries:
                            entry.lose(code, lost)
                        self._publish(message)
                    case _:
                        self._publish(message)
        except Exception as ended:
            error = ended
        self.connected = False
        self._end(error)
        for room in list(self._rooms.values()):
            room.end(error)
        for entry in self._entries:
            entry.end(error)

    def _route(self, message: RoomMessage) -> None:
        room = self._rooms.get(message.room)
        if room is not None:
            room.take(message)
        elif isinstance(message, Snapshot) and self._entries:
            # One that nobody waits for is of a room that was unsubscribed a moment ago.
            room = self._rooms[message.room] = Room(self._connection, message, self._rooms.pop)
        if room is not None:
            for entry in self._entries:
                entry.find(room)


class _Entry:
    """A request for a room, and what has come of rooms since then."""

    def __init__(self) -> None:
        self.code: str | None = None
        """The room that the answer named; None until it has come."""
        self._found: dict[str, Room | BaseException] = {}
        self._ended: BaseException | None = None
        self._news = asyncio.Event()

    def find(self, room: Room) -> None:
        """A message of a room has come."""
        self._found[room.code] = room
        self._news.set()

    def lose(self, code: str, error: BaseException) -> None:
        """A subscription is lost."""
        self._found[code] = error
        self._news.set()

    def end(self, error: BaseException | None) -> None:
        """The connection is over."""
        self._ended = error or ConnectionLost(say("error.closed"))
        self._news.set()

    async def room(self, accepted: Accepted, known: Room | None) -> Room:
        """The room that the answer names, as soon as there is one. Raises why there is none."""
        while True:
            found = self._found.get(accepted.room, known)
            if isinstance(found, BaseException):
                raise found
            # One that has ended may be this one, over already, or one that was unsubscribed before.
            if found is not None and (not found.ended or found.version >= accepted.version):
                return found
            if self._ended is not None:
                raise self._ended
            self._news.clear()
            await self._news.wait()


def _settings(given: AskedSettings | None, chosen: Settings) -> AskedSettings:
    """Settings as they are asked for. Raises `UsageError`."""
    values: dict[str, Any] = {} if given is None else given.model_dump(exclude_unset=True)
    return checked(AskedSettings, {**values, **chosen})
