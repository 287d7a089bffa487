"""One connection's conversation: hello, then commands, each answered once.

    connected --hello--> known --lost--> gone
        |                  |
        +--deadline--------+--> closed

A message that can't be read is answered with its own code and the conversation goes on.
"""

from collections import Counter
from collections.abc import Callable, Collection, Coroutine, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import structlog

from parlour_protocol import PROTOCOL_VERSION, answers, commands, notices
from parlour_protocol.codec import (
    BadMessage,
    ToClient,
    decode_to_server,
    encode_accepted,
    encode_to_client,
    find_id,
)
from parlour_protocol.errors import CloseCode, Code
from parlour_protocol.ids import Version, parse_code
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views.records import GameRecord
from parlour_protocol.views.rooms import Limits
from parlour_server import __version__
from parlour_server.analysis.fair_queue import Requester
from parlour_server.games import UnknownGame, find_game
from parlour_server.games.game import Game, MoveError
from parlour_server.hosting.carry_codes import CarriedPlayer
from parlour_server.hosting.context import Context
from parlour_server.hosting.idle_shutdown import IdleShutdown
from parlour_server.hosting.limits.bans import ban_sentence
from parlour_server.hosting.limits.bucket import Bucket
from parlour_server.hosting.limits.rate_limits import Action, is_limited
from parlour_server.hosting.rooms.directory import Directory
from parlour_server.hosting.rooms.live_room import LiveRoom
from parlour_server.hosting.rooms.matchmaking import MatchRequest, Seeker
from parlour_server.hosting.rooms.requests import RoomRequest, not_looked_up
from parlour_server.room.commands import Create
from parlour_server.room.decide import role_of
from parlour_server.room.permissions import check, situation
from parlour_server.room.refusals import Refusal, internal_error
from parlour_server.room.state import Bot
from parlour_server.room.view import thought_views
from parlour_server.sessions import prices
from parlour_server.sessions.names import clean_chat, clean_name, hash_token
from parlour_server.sessions.outbox import Outbox
from parlour_server.sessions.pages import page
from parlour_server.sessions.qr_code import qr_rows
from parlour_server.sessions.queries import QUERIES, Queries, read_bot
from parlour_server.store.port import Player, StoreError, StoreFull

log = structlog.get_logger()

EARLY_MESSAGES = 64
"""How many messages may come in while a hello is being answered."""
SUBSCRIPTIONS = 64
NEWEST = 2**62
"""Later than all versions."""
MOST_UNANSWERED = 64
"""Commands in flight at which a connection is read no further until half of them are answered."""
DRAINING = "This server is about to restart: running games go on, and new ones can begin when it is back."
DRAINING_RETRY_SECONDS = 30.0
LOOK_UP_AGAIN_SECONDS = 1.0


class Session:
    """One connection. The net calls `receive` and its kin, and `lost`; all else follows."""

    def __init__(
        self,
        context: Context,
        directory: Directory,
        outbox: Outbox,
        attendance: IdleShutdown | None = None,
        address: str = "",
        connection: str = "",
    ) -> None:
        self.player = ""
        """The player's public id; empty before the hello."""
        self.address = address
        """Where the peer connects from: everyone who shares it shares its limits. Empty: not known."""
        self.connection = connection
        """The connection's name in the log."""
        self.name = ""
        self._token_hash = ""
        """Of the player's token."""
        self.send = outbox.send
        """Sends an encoded message; bound here, since every move of every room goes this way."""
        self.lag = outbox.lag
        """See `Subscriber.lag`."""
        self._context = context
        self._counters = context.counters
        self._directory = directory
        self._outbox = outbox
        self._attendance = attendance
        """Of a shared server."""
        self.since = context.monotonic()
        """When the connection was opened, in seconds."""
        self.refused: Counter[Code] | None = None
        """What was refused on it; None: nothing so far."""
        self._rooms: dict[str, LiveRoom] = {}
        self._subscribing: dict[str, LiveRoom] = {}
        """Rooms to subscribe to once the command with this id has been accepted."""
        self._greeting = False
        self._early: list[commands.ToServer] = []
        self._queries = Queries(context.scheduler, self.say, self._refuse, self._asker, self._charge)
        self._reads = False
        """Is a log being read for it?"""
        self._put_off: dict[str, list[commands.ToServer]] = {}
        """What is for rooms that are being fetched, by their codes."""
        self._unanswered = 0
        self._paused = False
        self._too_fast = False
        """Is it about to be cut, so that nothing more is taken?"""
        self._gone = False
        self.buckets: dict[Action, Bucket] = {}
        """See `Limited`."""
        self._rates = context.rate_limits
        self._messages = self._rates.bucket("message", self)
        self._deadline = context.later(context.limits.hello_seconds, self._hello_is_late)
        context.connections.add(self)

    def _asker(self) -> Requester:
        return Requester("question", self.player, self.address)

    # ------------------------------------------------------------ in and out

    def say(self, message: ToClient) -> None:
        """Send a message."""
        encoded = encode_to_client(message)
        self.send(encoded)
        self._charge(prices.KIBIBYTE * (len(encoded) >> 10))

    def receive(self, text: str) -> None:
        """Take one text message."""
        if not self._may_speak(text):
            return
        try:
            message = decode_to_server(text)
        except BadMessage as error:
            self._say_refused(answers.Refused(error.code, error.message, error.id, field=error.field))
            return
        self._counters.commands[message.type] += 1
        if self._greeting:
            self._receive_early(message)
        else:
            self._dispatch(message)

    def receive_binary(self) -> None:
        """Take one binary message: refused, since the protocol is text."""
        if self._may_speak(""):
            self._say_refused(answers.Refused(Code.BINARY, "Send text frames: the protocol is JSON text."))

    def receive_frame(self) -> bool:
        """Count a control frame or a fragment like a message. False: over the limit, not to be answered."""
        return self._may_speak("")

    def lost(self) -> None:
        """The connection has ended."""
        self._gone = True
        self._context.connections.remove(self)
        self._deadline.cancel()
        self._queries.close()
        self._directory.lobby.unsubscribe(self)
        if self.player:
            self._directory.lobby.went(self.player)
            if self._attendance is not None:
                self._attendance.went(self)
        for room in self._rooms.values():
            room.unsubscribe(self)
        self._rooms.clear()

    @property
    def rooms(self) -> Collection[str]:
        """The codes of the rooms subscribed to."""
        return self._rooms

    def end(self, why: Literal["kicked", "banned"], message: str) -> None:
        """Say goodbye with a sentence, and end the connection: its player is not to come back by itself."""
        self._goodbye(why, message, CloseCode.TURNED_AWAY)

    def _may_speak(self, text: str) -> bool:
        """Count a message. Over the limit it is refused; a peer that keeps being over it is cut."""
        if self._too_fast:
            return False
        wait = self._messages.take(self._context.monotonic())
        if not wait:
            return True
        try:
            self._rates.take("warning", self)
        except Refusal as last:
            self._too_fast = True
            # After the answers to what was within the limit.
            self._in_turn(partial(self._goodbye, "too_fast", last.message, 1008))
        else:
            refusal = self._rates.refusal("message", wait)
            self._say_refused(
                answers.Refused(refusal.code, refusal.message, find_id(text), retry_after=refusal.retry_after)
            )
        return False

    def _goodbye(
        self, why: Literal["too_fast", "no_hello", "kicked", "banned"], message: str, close_code: int
    ) -> None:
        self._counters.connections_cut[why] += 1
        self.say(notices.Goodbye(why, message))
        self._outbox.close(close_code, message)

    def _log(self, event: str, error: Exception | None = None, **facts: str) -> None:
        """Log what went wrong on this connection, with whose it is."""
        whose = {"connection": self.connection, "address": self.address, "player": self.player}
        log.error(event, exc_info=error, **whose, **facts)

    # ------------------------------------------------------------ hello

    def _hello_is_late(self) -> None:
        if not self.player:
            seconds = self._context.limits.hello_seconds
            self._goodbye("no_hello", f"No hello came within {seconds:g} seconds.", CloseCode.NO_HELLO)

    def _receive_early(self, message: commands.ToServer) -> None:
        if len(self._early) < EARLY_MESSAGES:
            self._early.append(message)
        else:
            self._refuse(message.id, Refusal(Code.HELLO_FIRST, "Wait for the welcome before you send on."))

    async def _greet(self, hello: commands.Hello) -> None:
        try:
            welcome = await self._welcome(hello)
        except Refusal as refusal:
            self._refuse(hello.id, refusal)
            if refusal.code is Code.BANNED:
                self.end("banned", refusal.message)
        except StoreError as error:
            self._log("a player can't be looked up", reason=str(error))
            said = "The server can't look you up just now. Try again in a moment."
            self._refuse(hello.id, Refusal(Code.INTERNAL, said, retry_after=LOOK_UP_AGAIN_SECONDS))
        except Exception as error:
            self._log("a hello failed", error)
            self._refuse(hello.id, internal_error())
        else:
            # One commit may have brought hundreds.
            await self._context.arrivals.turn()
            self.player, self.name = welcome.player, welcome.name
            self._deadline.cancel()
            self._counters.sessions += 1
            if not self._gone:
                self._directory.lobby.came(self.player)
                if self._attendance is not None:
                    self._attendance.came(self)
            self.say(welcome)
        self._greeting = False
        early, self._early = self._early, []
        for message in early:
            if self._gone:
                break
            # One of them may be another hello.
            if self._greeting:
                self._receive_early(message)
            else:
                self._dispatch(message)

    async def _welcome(self, hello: commands.Hello) -> answers.Welcome:
        """Find the player, or make one. Raises `Refusal`."""
        if PROTOCOL_VERSION not in hello.protocols:
            raise Refusal(
                Code.UNSUPPORTED_PROTOCOL,
                f"This server speaks protocol {PROTOCOL_VERSION}, and your client does not. "
                "Install one that fits.",
            )
        name, token, carried = hello.name, hello.token, hello.carry is not None
        if not carried or name:
            name = clean_name(name)
        self._check_bans("", name)
        if hello.carry is not None:
            if token is not None:
                raise Refusal(Code.BAD_MESSAGE, "Say hello with a token or with a carry code, not with both.")
            # Last, since it can be done once.
            one = await self._redeem(hello.carry)
            name, token = name or one.name, one.token
        new = token is None
        if token is None:
            self._rates.take("new_player", self)
            token = self._context.new_token()
            player = await self._add_player(token, name)
        else:
            known = await self._context.store.find_player(hash_token(token))
            if known is None:
                raise _unknown_carry() if carried else _wrong_token()
            player = known
            self._check_bans(player.id, name)
        self._token_hash, limits = hash_token(token), self._context.limits
        return answers.Welcome(
            id=hello.id,
            protocol=PROTOCOL_VERSION,
            server=f"parlour {__version__}",
            player=player.id,
            name=name,
            limits=Limits(
                limits.message_bytes, limits.messages_per_second, limits.burst, limits.heartbeat_seconds
            ),
            token=token if new or carried else None,
            address=self._context.address,
            saved=self._context.saved,
            shared=self._attendance is not None,
        )

    async def _add_player(self, token: str, name: str) -> Player:
        """Make a new player. Raises `Refusal`."""
        player = Player(self._context.new_player_id(), name)
        try:
            await self._context.store.add_player(hash_token(token), player, self._context.now())
        except StoreFull as error:
            log.error("a player was not saved", reason=str(error))
            said = "This server has no room for new players just now. Try later."
            raise Refusal(Code.SERVER_FULL, said, retry_after=60.0) from error
        except StoreError as error:
            self._log("a player was not saved", reason=str(error))
            said = "The server could not save you as a player. Try again in a moment."
            raise Refusal(Code.NOT_SAVED, said, retry_after=2.0) from error
        self._counters.players_new += 1
        return player

    async def _redeem(self, code: str) -> CarriedPlayer:
        """Use up a carry code. Raises `Refusal`."""
        self._rates.check("wrong_code", self)
        carried = await self._directory.carry_codes.redeem(code)
        if carried is None:
            self._rates.charge("wrong_code", self)
            raise _unknown_carry()
        return carried

    def _check_bans(self, player: str, name: str) -> None:
        """Raises `Refusal` for one who is banned."""
        bans = self._context.bans
        ban = bans.of_player(player, name) or bans.of_address(self.address)
        if ban is not None:
            raise Refusal(Code.BANNED, ban_sentence(ban, self._context.now()))

    # ------------------------------------------------------------ commands

    def _dispatch(self, message: commands.ToServer) -> None:
        if self.player:
            room = getattr(message, "room", None) if type(message) in _FOR_A_ROOM else None
            try:
                here = room in self._rooms and not self._put_off
                if room is not None and not here and self._has_to_wait(room, message):
                    return
            except Refusal as refusal:
                self._refuse(message.id, refusal)
            else:
                self._try(message)
        elif isinstance(message, commands.Hello):
            self._greeting = True
            self._context.spawn(self._greet(message))
        else:
            self._refuse(message.id, Refusal(Code.HELLO_FIRST, "Say hello first."))

    def _has_to_wait(self, room: str, message: commands.ToServer) -> bool:
        """Is the room that it is for still to be fetched, or are others before it that wait for the same?

        Raises `Refusal` where it may be a guess, after many that were wrong.
        """
        seen = 0
        if type(message) is commands.Subscribe:
            # Another node may have shown them more than is known here.
            seen = NEWEST if message.since is None else message.since
        code = self._directory.code_to_load(room, seen)
        if code is None and self._put_off:
            code = parse_code(room)
            if code not in self._put_off:
                code = None
        if code is None:
            if room not in self._rooms and self._directory.is_secret(room, self.player):
                # After many wrong codes a right one must not be told from another.
                self._rates.check("wrong_code", self)
            return False
        if code not in self._put_off:
            if type(message) is commands.Unsubscribe:
                # Nobody is subscribed to a room that sleeps: it isn't fetched for that.
                return False
            self._rates.check("wrong_code", self)
            self._put_off[code] = []
            self._context.spawn(self._fetch(code))
        self._put_off[code].append(message)
        self._count_unanswered()
        return True

    async def _fetch(self, code: str) -> None:
        """Have a room fetched from the store, and go on with what was put off for it."""
        refused: Refusal | None = None
        try:
            self._rates.take("query", self, prices.FETCH)
            self._charge(prices.RECORD * await self._directory.fetch(code, self.address))
            if self._directory.code_to_load(code):
                self._rates.charge("wrong_code", self)
        except Refusal as refusal:
            refused = refusal
        except Exception as error:
            self._log("a room was not fetched", error, room=code)
            refused = internal_error()
        for message in self._put_off.pop(code):
            self._unanswered -= 1
            if self._gone:
                continue
            if refused is not None:
                self._refuse(message.id, refused)
            else:
                self._try(message)
        if self._paused:
            self._release()

    def _try(self, message: commands.ToServer) -> None:
        """Answer a command, or pass it on to its room. Where many ask, a query waits while moves go on."""
        if type(message) in _QUERIES:
            self._in_turn(partial(self._answer, message), prices.PRICES[type(message)])
        else:
            self._answer(message)

    def _in_turn(self, work: Callable[[], object], price: float = 0.0) -> None:
        """Do it after the queries that wait in this address's line; at once where none wait."""
        line = self.address if is_limited(self.address) else self.connection
        self._context.queries.run(work, price, line)

    def _answer(self, message: commands.ToServer) -> None:
        if self._gone:
            return
        try:
            if self._context.drain_until is not None:
                self._check_draining(message)
            price = prices.PRICES[type(message)]
            if price:
                self._rates.take("query", self, price)
            _HANDLERS[type(message)](self, message)
        except Refusal as refusal:
            self._refuse(message.id, refusal)
        except Exception as error:
            # Ours, not the sender's; but what state this conversation is in, nobody knows.
            self._log("a session failed", error, message=message.type)
            self._outbox.close(1011, "a fault of the server's; come back")

    def _check_draining(self, message: commands.ToServer) -> None:
        """Raises `Refusal` for what may begin a game, since the server is about to stop."""
        rematch = isinstance(message, commands.PlayerAction) and message.type == "rematch"
        if rematch or type(message) in _MAY_BEGIN_A_GAME:
            raise Refusal(Code.BUSY, DRAINING, retry_after=DRAINING_RETRY_SECONDS)

    def _charge(self, price: float) -> None:
        """Pay what an answer has cost beyond that."""
        if price:
            self._rates.charge("query", self, price)

    def _charge_for_records(self, count: int) -> None:
        self._charge(prices.RECORD * count)

    def _submit(self, message: commands.TableCommand, bot: Bot | None = None) -> LiveRoom:
        """Pass a command on to its room; gives that. Raises `Refusal`."""
        # The room that one plays in is one that one subscribed to.
        room = self._rooms.get(message.room) or self._directory.find(message.room)
        self._count_unanswered()
        room.submit(RoomRequest(message, self.player, message.id, self._replied, self.name, bot))
        return room

    def _sit(self, message: commands.TakeSeat | commands.TakeOver) -> None:
        room = self._directory.find(message.room)
        self._check_subscriptions(room)
        self._subscribing[message.id] = room
        self._submit(message)

    def _add_bot(self, message: commands.AddBot) -> None:
        room = self._submit(message, self._seeded(message.bot))
        # It will want its compiled code soon.
        self._context.scheduler.expect(room.state.rules, read_bot(message.bot))

    def _claim(self, message: commands.Claim) -> None:
        self._submit(message, self._seeded(message.bot))

    def _say(self, message: commands.Say) -> None:
        text = clean_chat(message.text)
        if not self._directory.find(message.room).has_accepted(self.player, message.id):
            self._rates.take("chat", self)
        self._submit(message.model_copy(update={"text": text}))

    def _create(self, message: commands.CreateRoom) -> None:
        game, settings = _asked(message)
        try:
            moves = tuple(game.read(message.moves))
            position = game.replay(message.moves)[0]
        except MoveError as error:
            raise Refusal(Code.INVALID_MOVE, str(error), field="moves") from None
        if game.outcome(position) is not None:
            said = "The game is over after these moves: leave some of them out."
            raise Refusal(Code.GAME_OVER, said, field="moves")
        self._count_unanswered()
        self._directory.create(
            Create(game.name, settings, moves), self.player, message.id, self._replied, self.address
        )

    def _quick(self, message: commands.QuickMatch) -> None:
        game, settings = _asked(message)
        if settings.visibility != "public":
            said = "A quick match needs a public room: anybody may come."
            raise Refusal(Code.BAD_SETTING, said, field="settings.visibility")
        self._count_unanswered()
        wanted = MatchRequest(game.name, settings)
        seeker = Seeker(self._replied, self._subscribing.__setitem__, lambda: self._gone, self.address)
        self._directory.matchmaking.seek(wanted, self.player, self.name, message.id, seeker)

    def _seeded(self, text: str) -> Bot:
        """A bot's settings, checked, with a seed of its own. Raises `Refusal`."""
        # It is drawn now and kept in the log, so that a restart changes no choice.
        spec = read_bot(text)
        seed = self._context.chance(2**31) if spec.seed is None else spec.seed
        return Bot(str(replace(spec, seed=None)), seed)

    def _thoughts(self, message: commands.AskThoughts) -> None:
        room = self._directory.find_open(message.room)
        thoughts = thought_views(room.state)
        part, more = page(thoughts, message.after)
        self.say(answers.Thoughts(message.id, room.code, part, more))

    def _rooms_list(self, message: commands.ListRooms) -> None:
        lobby = self._directory.lobby
        self.say(answers.Rooms(message.id, self._directory.list(), lobby.players))
        (lobby.subscribe if message.subscribe else lobby.unsubscribe)(self)

    def _query(self, message: commands.ToServer) -> None:
        self._queries.answer(message)

    def _close_server(self, message: commands.CloseServer) -> None:
        attendance = self._attendance
        if attendance is None:
            raise Refusal(Code.NOT_ALLOWED, "This server ends when its host stops it, and not before.")
        others = attendance.others(self.player)
        closing = attendance.close(self, force=message.force)
        self.say(answers.Closing(message.id, closing, others, attendance.saved_in))

    def _carry(self, message: commands.CarryPlayer) -> None:
        if hash_token(message.token) != self._token_hash:
            raise Refusal(Code.WRONG_TOKEN, "That is not the token of the player who asks.")
        self._context.spawn(self._open_carry_code(message))

    async def _open_carry_code(self, message: commands.CarryPlayer) -> None:
        try:
            code = await self._directory.carry_codes.open(self.player, self.name, message.token)
        except StoreError as error:
            self._log("a carry code was not opened", reason=str(error))
            self._refuse(message.id, not_looked_up())
        else:
            self.say(answers.Carried(message.id, code, self._context.limits.carry_seconds))

    def _qr_code(self, message: commands.AskQrCode) -> None:
        self.say(answers.QrCode(message.id, list(qr_rows(message.text))))

    def _hello_again(self, message: commands.Hello) -> None:
        raise Refusal(Code.HELLO_TWICE, "You have said hello already.")

    # ------------------------------------------------------------ the store

    def _ask_record(self, message: commands.AskRecord) -> None:
        self._read_logs(message, self._record(message))

    def _ask_review(self, message: commands.AskReview) -> None:
        if message.room is not None:
            self._read_logs(message, self._review(message, message.room))
        else:
            self._queries.answer(message)

    def _ask_history(self, message: commands.AskHistory) -> None:
        self._read_logs(message, self._history(message))

    def _ask_room_games(self, message: commands.AskRoomGames) -> None:
        self._read_logs(message, self._room_games(message))

    async def _record(self, message: commands.AskRecord) -> None:
        """Answer with as much of a game as fits into one message."""
        found = await self._game(message.room, message.number)
        moves, more = page(found.moves, message.after)
        if not more:
            self._directory.histories.fetched(self.player, found)
        self.say(answers.Record(message.id, replace(found, moves=moves), more))

    async def _review(self, message: commands.AskReview, room: str) -> None:
        """Have a room's game reviewed."""
        found = await self._game(room, message.number)
        self._directory.histories.fetched(self.player, found)
        if not self._gone:
            self._queries.review(message, found)

    async def _game(self, room: str, number: int | None) -> GameRecord:
        return await self._directory.histories.game(room, self.player, number, self._charge_for_records)

    async def _history(self, message: commands.AskHistory) -> None:
        histories = self._directory.histories
        found, more = await histories.rooms_of(self.player, message.after, self._charge_for_records)
        self.say(answers.History(message.id, found, more))

    async def _room_games(self, message: commands.AskRoomGames) -> None:
        histories = self._directory.histories
        found = await histories.games_of(message.room, self.player, self._charge_for_records)
        games, more = page(found.games, message.after)
        self.say(answers.RoomGames(message.id, replace(found, games=games), more))

    def _read_logs(self, message: commands.ToServer, work: Coroutine[Any, Any, None]) -> None:
        """Answer from the store: one such question at a time, since a log may be long. Raises `Refusal`."""
        if self._reads:
            work.close()
            raise Refusal(Code.BUSY, "Your last query is still being looked up.", retry_after=0.5)
        try:
            if type(message) is not commands.AskHistory:  # which names no room
                self._rates.check("wrong_code", self)
        except Refusal:
            work.close()
            raise
        self._reads = True
        self._context.spawn(self._answer_from_logs(message.id, work))

    async def _answer_from_logs(self, command_id: str, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except Refusal as refusal:
            if refusal.code is Code.UNKNOWN_ROOM:
                self._rates.charge("wrong_code", self)
            self._refuse(command_id, refusal)
        finally:
            self._reads = False

    # ------------------------------------------------------------ subscriptions

    def _subscribe(self, message: commands.Subscribe) -> None:
        room = self._directory.find_open(message.room)
        seated = room.state.seat_of(self.player) is not None
        new = self not in room.audience.subscribers
        if not seated and new and room.audience.watching() >= self._context.limits.spectators:
            raise Refusal(Code.BUSY, "As many watch this room as may. Try later.", retry_after=30.0)
        self._check_subscriptions(room)
        self.say(answers.Accepted(message.id, room.code, room.state.version))
        self._subscribe_to(room, message.since)

    def _check_subscriptions(self, room: LiveRoom) -> None:
        if room.code not in self._rooms and len(self._rooms) >= SUBSCRIPTIONS:
            raise Refusal(Code.NOT_ALLOWED, f"One connection subscribes to {SUBSCRIPTIONS} rooms at most.")

    def _subscribe_to(self, room: LiveRoom, since: Version | None) -> None:
        if room.state.phase == "closed":
            # Somebody sat down here once, and asks again: nothing more is to come.
            room.subscribe(self, None)
            room.unsubscribe(self)
            return
        self._rooms[room.code] = room
        room.subscribe(self, since)

    def dismissed(self, room: str) -> None:
        """A room has ended the subscription: see `Subscriber`."""
        self._rooms.pop(room, None)

    def _unsubscribe(self, message: commands.Unsubscribe) -> None:
        room = self._directory.find(message.room)
        self._rooms.pop(room.code, None)
        room.unsubscribe(self)
        self.say(answers.Accepted(message.id, room.code, room.state.version))

    # ------------------------------------------------------------ replies

    def _replied(self, command_id: str, room: str, version: Version, refusal: Refusal | None) -> None:
        """A room has accepted a command, or refused it: see `ReplyCallback`."""
        self._unanswered -= 1
        if self._paused:
            self._release()
        if refusal is not None:
            self._subscribing.pop(command_id, None)
            self._refuse(command_id, refusal, room or None, version if room else None)
        elif not self._gone:
            self.send(encode_accepted(command_id, room, version))
            if self._subscribing:
                seated = self._subscribing.pop(command_id, None)
                if seated is not None:
                    # A spectator who has sat down is up to date; their other connections are replaced now.
                    since = seated.state.version if seated.code in self._rooms else None
                    self._subscribe_to(seated, since)

    def _refuse(
        self, command_id: str, refusal: Refusal, room: str | None = None, version: Version | None = None
    ) -> None:
        if self.refused is None:
            self.refused = Counter()
        self.refused[refusal.code] += 1
        self._say_refused(
            answers.Refused(
                refusal.code,
                refusal.message,
                command_id,
                room,
                version,
                refusal.legal,
                refusal.retry_after,
                refusal.field,
            )
        )

    def _say_refused(self, refused: answers.Refused) -> None:
        self._counters.refusals[refused.code] += 1
        self.say(refused)

    def _count_unanswered(self) -> None:
        """Read no further from a peer that sends faster than its rooms answer."""
        self._unanswered += 1
        if self._unanswered >= MOST_UNANSWERED and not self._paused:
            self._paused = True
            self._outbox.pause()

    def _release(self) -> None:
        if self._unanswered <= MOST_UNANSWERED // 2 and not self._gone:
            self._paused = False
            self._outbox.resume()

    def _hint(self, message: commands.AskHint) -> None:
        state = self._directory.find_open(message.room).state
        check("hint", situation(state), role_of(state, self.player))
        self._queries.hint(message, state)


def _wrong_token() -> Refusal:
    said = "This server doesn't know that token. Say hello without one to begin as a new player."
    return Refusal(Code.WRONG_TOKEN, said)


def _unknown_carry() -> Refusal:
    said = "That code was used already, is too old, or was never given. Ask the other device for a new one."
    return Refusal(Code.UNKNOWN_CARRY, said)


def _asked(message: commands.CreateRoom | commands.QuickMatch) -> tuple[Game[Any], RoomSettings]:
    """The game and the settings that were asked for. Raises `Refusal`."""
    try:
        game = find_game(message.game)
    except UnknownGame as error:
        raise Refusal(Code.UNKNOWN_GAME, str(error), field="game") from None
    if message.settings.stand_in is not None:
        read_bot(message.settings.stand_in, "settings.stand_in")
    return game, RoomSettings(**message.settings.model_dump())


_FOR_A_ROOM = frozenset(one for one in commands.COMMANDS if issubclass(one, commands.RoomCommand))
_MAY_BEGIN_A_GAME = frozenset({commands.CreateRoom, commands.QuickMatch, commands.TakeSeat, commands.AddBot})
# By type: asking whether it is an instance of a pydantic class costs as much as reading a small message.

_QUERIES = frozenset(QUERIES) | {
    commands.AskHint,
    commands.AskHistory,
    commands.AskRecord,
    commands.AskRoomGames,
    commands.AskThoughts,
    commands.ListRooms,
}
"""What changes nothing but for `Cancel`, which follows what it cancels."""

_HANDLERS: Mapping[type, Callable[[Session, Any], object]] = {
    commands.PlayMove: Session._submit,
    commands.PlayerAction: Session._submit,
    commands.TakeSeat: Session._sit,
    commands.TakeOver: Session._sit,
    commands.AddBot: Session._add_bot,
    commands.Claim: Session._claim,
    commands.Say: Session._say,
    commands.Hello: Session._hello_again,
    commands.CarryPlayer: Session._carry,
    commands.AskQrCode: Session._qr_code,
    commands.CreateRoom: Session._create,
    commands.QuickMatch: Session._quick,
    commands.Subscribe: Session._subscribe,
    commands.Unsubscribe: Session._unsubscribe,
    commands.AskHint: Session._hint,
    commands.AskThoughts: Session._thoughts,
    commands.AskRecord: Session._ask_record,
    commands.AskHistory: Session._ask_history,
    commands.CloseServer: Session._close_server,
    commands.AskRoomGames: Session._ask_room_games,
    commands.ListRooms: Session._rooms_list,
    **dict.fromkeys(QUERIES, Session._query),
    commands.AskReview: Session._ask_review,
}
"""What answers each command, or passes it on to its room."""
