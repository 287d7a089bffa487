"""One connection's conversation: hello, then commands, each answered once.

    connected --hello--> known --lost--> gone
        |                  |
        +--deadline--------+--> closed

A message that can't be read is answered with its own code and the conversation goes on.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping
from functools import partial
from typing import Any, Literal, get_args

import structlog

from parlour_protocol import answers, commands, notices
from parlour_protocol.actions import OFFERS
from parlour_protocol.codec import (
    BadMessage,
    ToClient,
    decode_to_server,
    encode_accepted,
    encode_to_client,
    find_id,
)
from parlour_protocol.errors import CloseCode, Code
from parlour_protocol.ids import Version, other
from parlour_protocol.views.records import GameRecord
from parlour_protocol.words import Sentence
from parlour_server.analysis.fair_queue import Requester
from parlour_server.hosting.actors.requests import ReplyCallback, no_reply
from parlour_server.hosting.context import Context
from parlour_server.hosting.idle_shutdown import IdleShutdown
from parlour_server.hosting.limits.rate_limits import Action, Bucket, is_limited
from parlour_server.hosting.rooms.directory import Directory
from parlour_server.hosting.rooms.live_room import LiveRoom
from parlour_server.hosting.rooms.matchmaking import Seeker
from parlour_server.hosting.rooms.requests import RoomRequest
from parlour_server.hosting.rooms.room_list import list_rooms
from parlour_server.hosting.tournaments.registry import Tournaments
from parlour_server.refusals import Refusal
from parlour_server.room.commands import Rename
from parlour_server.room.decide import role_of
from parlour_server.room.permissions import check
from parlour_server.room.state import Bot
from parlour_server.room.view import thought_views
from parlour_server.sessions import prices, ratings
from parlour_server.sessions.fetching import Fetching
from parlour_server.sessions.greeting import Greeting, check_ban
from parlour_server.sessions.log_queries import LOG_QUERIES, page
from parlour_server.sessions.names import clean_chat, clean_name, hash_token
from parlour_server.sessions.outbox import Outbox
from parlour_server.sessions.qr_code import qr_rows
from parlour_server.sessions.queries import QUERIES, SEARCHES, Queries, read_bot, read_game
from parlour_server.sessions.requested import requested_bot, requested_match, requested_room
from parlour_server.sessions.tournaments import TournamentDesk
from parlour_server.store.port import Player

log = structlog.get_logger()

SUBSCRIPTIONS = 64
MOST_UNANSWERED = 64
"""Commands in flight at which a connection is read no further until half of them are answered."""
DRAINING_RETRY_SECONDS = 30.0


class Session:
    """One connection. The net calls `receive` and its kin, and `lost`; all else follows."""

    def __init__(
        self,
        context: Context,
        directory: Directory,
        tournaments: Tournaments,
        outbox: Outbox,
        idle_shutdown: IdleShutdown | None = None,
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
        """See `Connection.lag`."""
        self._context = context
        self._counters = context.counters
        self._directory = directory
        self._outbox = outbox
        self._idle_shutdown = idle_shutdown
        """Of a shared server."""
        self.since = context.monotonic()
        """When the connection was opened, in seconds."""
        self.refused: Counter[Code] | None = None
        """What was refused on it; None: nothing so far."""
        self._rooms: dict[str, LiveRoom] = {}
        self._queries = Queries(
            context.scheduler,
            self.say,
            self._refuse,
            self._requester,
            self._charge,
            context.now,
            context.limits.rated,
        )
        self._reads = False
        """Is a log being read for it?"""
        self._received_at = 0
        """When the command came in that was put off and is answered now; 0: it has just come in."""
        self._fetching = Fetching(directory)
        self._unanswered = 0
        self._paused = False
        self._too_fast = False
        """Is it about to be cut, so that nothing more is taken?"""
        self._gone = False
        self.buckets: dict[Action, Bucket] = {}
        """See `Limited`."""
        self._rates = context.rate_limits
        self._messages = self._rates.bucket("message", self)
        self._tournaments = TournamentDesk(tournaments, self._rates)
        self._greeting: Greeting | None = Greeting(
            context,
            directory.carry_codes,
            self,
            shared=idle_shutdown is not None,
            facts=self._facts,
            refuse=self._refuse,
            cut=self._goodbye,
            welcomed=self._welcomed,
            go_on=self._try,
        )
        """None: the connection has a player, or has ended."""
        context.connections.add(self)

    def _requester(self) -> Requester:
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
            # By type: asking whether it is an instance of a pydantic class costs as much as reading it.
            message: Any = decode_to_server(text)
        except BadMessage as error:
            self._say_refused(error.refused)
            return
        self._counters.commands[message.type] += 1
        if (take := _SIGNALS.get(type(message))) is not None:
            take(self, message)
        elif self._greeting is None:
            self._try(message)
        else:
            self._greeting.receive(message)

    def receive_binary(self) -> None:
        """Take one binary message: refused, since the protocol is text."""
        if self._may_speak(""):
            self._refuse(None, Refusal(Code.BINARY, Sentence("refusal.binary")))

    def receive_frame(self) -> bool:
        """Count a control frame or a fragment like a message. False: over the limit, not to be answered."""
        return self._may_speak("")

    def lost(self) -> None:
        """The connection has ended."""
        self._gone = True
        self._context.connections.remove(self)
        if self._greeting is not None:
            self._greeting.close()
            self._greeting = None
        self._queries.close()
        self._tournaments.close(self)
        self._directory.lobby.unsubscribe(self)
        if self.player:
            self._directory.lobby.went(self.player)
            self._tournaments.came_or_went(self.player)
            if self._idle_shutdown is not None:
                self._idle_shutdown.went(self)
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
            self._refuse(find_id(text), self._rates.refusal("message", wait))
        return False

    def _goodbye(
        self, why: Literal["too_fast", "no_hello", "kicked", "banned"], message: str, close_code: int
    ) -> None:
        self._counters.connections_cut[why] += 1
        self.say(notices.Goodbye(why, message))
        self._outbox.close(close_code, message)

    @property
    def _facts(self) -> dict[str, str]:
        """Whose connection it is, for the log."""
        return {"connection": self.connection, "address": self.address, "player": self.player}

    def _welcomed(self, welcome: answers.Welcome, token_hash: str) -> None:
        """The connection has a player from now on."""
        self._greeting = None
        self.player, self.name, self._token_hash = welcome.player, welcome.name, token_hash
        self._counters.sessions += 1
        self._directory.lobby.came(self.player)
        self._tournaments.came_or_went(self.player)
        if self._idle_shutdown is not None:
            self._idle_shutdown.came(self)
        self.say(welcome)

    # ------------------------------------------------------------ commands

    def _answer_later(self, message: commands.Command[Any], work: Coroutine[Any, Any, None]) -> None:
        """Answer a command after this turn. Whatever goes wrong, it is answered."""
        refuse = partial(self._refuse, message.id)
        self._context.spawn(work, refuse, message=message.type, **self._facts)

    def _try(self, message: commands.Command[Any]) -> None:
        """Answer a command, pass it on to its room, or put it off until that is fetched."""
        room = getattr(message, "room", None) if type(message) in _FOR_A_ROOM else None
        if room is not None and (room not in self._rooms or self._fetching.waiting):
            try:
                here = room in self._rooms
                if self._fetching.put_off(self, room, message, self._fetched, subscribed=here):
                    self._count_unanswered()
                    return
            except Exception as error:
                self._failed(message, error)
                return
        self._go_on(message)

    def _go_on(self, message: commands.Command[Any]) -> None:
        """Answer a command, or pass it on to its room. Where many ask, a query waits while moves go on."""
        if type(message) in _QUERIES:
            self._in_turn(partial(self._answer, message), prices.PRICES[type(message)])
        else:
            self._answer(message)

    def _in_turn(self, work: Callable[[], float | None], price: float = 0.0) -> None:
        """Do it after the queries that wait in this address's line; at once where none wait."""
        line = self.address if is_limited(self.address) else self.connection
        self._context.queries.run(work, price, line)

    def _answer(self, message: commands.Command[Any]) -> float | None:
        """Answer it; gives how much less than its price that was."""
        if self._gone:
            return prices.PRICES[type(message)]
        if type(message) in SEARCHES and (busy := self._queries.busy(message.id)):
            self._refuse(message.id, busy)
            return prices.PRICES[type(message)] - prices.REFUSAL
        try:
            if self._context.drain_until is not None:
                self._check_draining(message)
            price = prices.PRICES[type(message)]
            if price:
                self._rates.take("query", self, price)
            _HANDLERS[type(message)](self, message)
        except Exception as error:
            self._failed(message, error)
        return None

    def _failed(self, message: commands.Command[Any], error: Exception) -> None:
        if isinstance(error, Refusal):
            self._refuse(message.id, error)
        else:
            # Ours, not the sender's; but it is not known what state this conversation is in.
            log.error("a session failed", exc_info=error, message=message.type, **self._facts)
            self._outbox.close(1011, "a fault of the server's; come back")

    def _fetched(self, message: commands.Command[Any], received_at: int, refusal: Refusal | None) -> None:
        """Go on with a command that was put off: see `GoOn`."""
        self._unanswered -= 1
        if refusal is not None:
            self._refuse(message.id, refusal)
        else:
            self._received_at = received_at
            self._go_on(message)
            self._received_at = 0
        if self._paused:
            self._release()

    def _check_draining(self, message: commands.Command[Any]) -> None:
        """Raises `Refusal` for what may begin a game, since the server is about to stop."""
        again = message.type in _BEGIN_ANOTHER_GAME
        if again or type(message) in _MAY_BEGIN_A_GAME:
            raise Refusal(Code.BUSY, Sentence("refusal.draining"), retry_after=DRAINING_RETRY_SECONDS)

    def _charge(self, price: float) -> None:
        """Pay what an answer has cost beyond that."""
        if price:
            self._rates.charge("query", self, price)

    def _charge_records(self, count: int) -> None:
        self._charge(prices.RECORD * count)

    def _submit(
        self, message: commands.TableCommand, bot: Bot | None = None, reply: ReplyCallback | None = None
    ) -> LiveRoom:
        """Pass a command on to its room; gives that. Raises `Refusal`."""
        # The room that one plays in is one that one subscribed to.
        room = self._rooms.get(message.room) or self._directory.find(message.room)
        self._count_unanswered()
        room.submit(
            RoomRequest(
                message,
                self.player,
                message.id,
                reply or self._replied,
                self.name,
                bot,
                received_at=self._received_at,
            )
        )
        return room

    def _sit(self, message: commands.TakeSeat | commands.TakeOver) -> None:
        room = self._directory.find(message.room)
        self._check_subscriptions(room)
        self._submit(message, reply=partial(self._seated, room))

    def _seated(
        self, room: LiveRoom, command_id: str, code: str, version: Version, refusal: Refusal | None
    ) -> None:
        self._goes_on(command_id, code, version, refusal)
        if refusal is None:
            self._enter(room)

    def _enter(self, room: LiveRoom) -> None:
        """Subscribe to a room where the player sits, as was just replied."""
        if not self._gone:
            # A spectator who has sat down is up to date.
            self._subscribe_to(room, room.state.version if room.code in self._rooms else None)

    def _act(self, message: commands.PlayerAction) -> None:
        again = message.type in _BEGIN_ANOTHER_GAME
        self._submit(message, reply=self._goes_on if again else None)

    def _goes_on(self, command_id: str, code: str, version: Version, refusal: Refusal | None) -> None:
        """Another game may follow: the room is listed again, if it was removed."""
        self._replied(command_id, code, version, refusal)
        if refusal is None:
            self._list_again(code)

    def _list_again(self, code: str) -> None:
        """Also for the one opposite, if a game has begun: they may have offered it and removed the room."""
        state, removed = self._directory.find(code).state, self._directory.histories.removed
        seats = state.seats if state.phase == "playing" else []
        opposite = {seat.player for seat in seats if seat is not None and seat.bot is None}
        for player in {self.player, *opposite}:
            self._context.spawn(removed.change(player, code, removed=False))

    def _head_to_head(self, message: commands.AskHeadToHead) -> None:
        state = self._directory.find(message.room).state
        seat = state.seat_of(self.player)
        opposite = None if seat is None else state.seats[other(seat)]
        if opposite is None or opposite.bot is not None or opposite.player == self.player:
            raise Refusal(Code.NOT_ALLOWED, Sentence("refusal.nobody_opposite"))
        self._answer_later(message, self._count_games(message, opposite.player))

    async def _count_games(self, message: commands.AskHeadToHead, opposite: str) -> None:
        tally = await self._directory.histories.between(self.player, opposite, self._charge_records)
        self.say(answers.HeadToHead(message.id, message.room, tally))

    def _add_bot(self, message: commands.AddBot) -> None:
        room = self._submit(message, requested_bot(message.bot, self._context))
        # It will want its compiled code soon.
        self._context.scheduler.expect(room.state.rules, read_bot(message.bot))

    def _claim(self, message: commands.Claim) -> None:
        self._submit(message, requested_bot(message.bot, self._context))

    def _say(self, message: commands.Say) -> None:
        if message.quick is not None and message.text is not None:
            raise Refusal(Code.BAD_MESSAGE, Sentence("refusal.text_or_quick"), field="text")
        text = clean_chat(message.text or "") if message.quick is None else None
        if not self._directory.find(message.room).has_accepted(self.player, message.id):
            self._rates.take("chat", self)
        self._submit(message.model_copy(update={"text": text}))

    def _create(self, message: commands.CreateRoom) -> None:
        create = requested_room(message, self._context, self.name)
        if message.seats is not None:
            self._check_subscriptions()
        for one in create.seats:
            if isinstance(one, Bot):
                self._context.scheduler.expect(read_game(create.game), read_bot(one.settings))
        self._count_unanswered()
        request = RoomRequest(create, self.player, message.id, self._replied, self.name)
        enter = None if message.seats is None else self._enter
        self._directory.creation.create(request, self.address, enter)

    def _quick(self, message: commands.QuickMatch) -> None:
        wanted = requested_match(message)
        bot = after = None
        if message.bot is not None:
            bot, after = requested_bot(message.bot, self._context), message.bot_after
        self._count_unanswered()
        seeker = Seeker(self._replied, self._enter, lambda: self._gone, self.address)
        self._directory.matchmaking.seek(wanted, self.player, self.name, message.id, seeker, bot, after)

    def _thoughts(self, message: commands.AskThoughts) -> None:
        room = self._directory.find_open(message.room)
        thoughts = thought_views(room.state)
        part, more = page(thoughts, message.after)
        self.say(answers.Thoughts(message.id, room.code, part, more))

    def _rooms_list(self, message: commands.ListRooms) -> None:
        lobby = self._directory.lobby
        self.say(answers.Rooms(message.id, list_rooms(self._directory), lobby.players))
        (lobby.subscribe if message.subscribe else lobby.unsubscribe)(self)

    def _create_tournament(self, message: commands.CreateTournament) -> None:
        self._count_unanswered()
        self._answer_later(message, self._tournaments.create(self, message, self._replied))

    def _show_tournament(self, message: commands.AskTournament) -> None:
        self._answer_later(message, self._tournaments.show(self, message))

    def _list_tournaments(self, message: commands.ListTournaments) -> None:
        self._answer_later(message, self._tournaments.list(self, message))

    def _act_in_tournament(self, message: commands.InTournament) -> None:
        self._count_unanswered()
        self._answer_later(message, self._tournaments.act(self, message, self._replied))

    def _query(self, message: commands.Command[Any]) -> None:
        if type(message) in LOG_QUERIES and getattr(message, "room", None) is not None:
            self._ask_logs(message)
        elif isinstance(message, commands.AskPuzzle) and message.moves is None:
            self._answer_later(message, self._daily_puzzle(message))
        else:
            self._queries.answer(message)

    async def _daily_puzzle(self, message: commands.AskPuzzle) -> None:
        day = self._queries.puzzle_day(message)
        found = await self._directory.puzzles.of(day)
        if not self._gone:
            self._queries.puzzle_of(day, message, found)

    def _ratings(self, message: commands.AskRatings) -> None:
        kept = self._directory.ratings
        self._answer_later(
            message, self._rated(ratings.ratings(kept, message, self.player, self._charge_records))
        )

    def _rating(self, message: commands.AskRating) -> None:
        kept = self._directory.ratings
        self._answer_later(
            message, self._rated(ratings.rating(kept, message, self.player, self._charge_records))
        )

    def _room_ratings(self, message: commands.AskRoomRatings) -> None:
        kept, state = self._directory.ratings, self._directory.find(message.room).state
        self._answer_later(
            message, self._rated(ratings.room_ratings(kept, message, state, self._charge_records))
        )

    async def _rated(
        self, answer: Awaitable[answers.Ratings | answers.PlayerRating | answers.RoomRatings]
    ) -> None:
        self.say(await answer)

    def _close_server(self, message: commands.CloseServer) -> None:
        idle_shutdown = self._idle_shutdown
        if idle_shutdown is None:
            raise Refusal(Code.NOT_ALLOWED, Sentence("refusal.host_ends_it"))
        others = idle_shutdown.others(self.player)
        closing = idle_shutdown.close(self, force=message.force)
        self.say(answers.Closing(message.id, closing, others, idle_shutdown.saved_in))

    def _carry(self, message: commands.CarryPlayer) -> None:
        if hash_token(message.token) != self._token_hash:
            raise Refusal(Code.WRONG_TOKEN, Sentence("refusal.foreign_token"))
        self._answer_later(message, self._open_carry_code(message))

    async def _open_carry_code(self, message: commands.CarryPlayer) -> None:
        code = await self._directory.carry_codes.open(Player(self.player, self.name))
        self.say(answers.Carried(message.id, code, self._context.limits.carry_seconds))

    def _rename(self, message: commands.RenamePlayer) -> None:
        name = clean_name(message.name)
        check_ban(self._context, self.player, name, self.address)
        before, self.name = self.name, name
        self._answer_later(message, self._rename_seats(message.id, before, name))

    async def _rename_seats(self, command_id: str, before: str, name: str) -> None:
        for room in await self._directory.rooms_of(self.player, self.address):
            self._charge(prices.FETCH)
            room.submit(RoomRequest(Rename(before), self.player, command_id, no_reply, name))
        await self._tournaments.rename(self, command_id)
        self.say(answers.Renamed(command_id, name))

    def _qr_code(self, message: commands.AskQrCode) -> None:
        self.say(answers.QrCode(message.id, list(qr_rows(message.text))))

    def _hello_again(self, message: commands.Hello) -> None:
        raise Refusal(Code.HELLO_TWICE, Sentence("refusal.hello_twice"))

    # ------------------------------------------------------------ signals

    def _show_typing(self, message: commands.ShowTyping) -> None:
        # One that does not read the room has nothing to say there, and none is looked for.
        room = self._rooms.get(message.room)
        if room is not None and not self._rates.bucket("typing", self).take(self._context.monotonic()):
            room.audience.show_typing(self.player, self.name)

    # ------------------------------------------------------------ logs

    def _ask_logs(self, message: commands.Command[Any]) -> None:
        """Answer from the store: one such query at a time, since a log may be long. Raises `Refusal`."""
        if self._reads:
            raise Refusal(Code.BUSY, Sentence("refusal.still_looking_up"), retry_after=0.5)
        if type(message) is not commands.AskHistory:  # which names no room
            self._rates.check("wrong_code", self)
        self._reads = True
        self._answer_later(message, self._read_logs(message))

    async def _read_logs(self, message: commands.Command[Any]) -> None:
        try:
            ask = LOG_QUERIES[type(message)]
            answer = await ask(self._directory.histories, self.player, message, self._charge_records)
        except Refusal as refusal:
            if refusal.code is Code.UNKNOWN_ROOM:
                self._rates.charge("wrong_code", self)
            raise
        finally:
            self._reads = False
        if not isinstance(answer, GameRecord):
            self.say(answer)
        elif not self._gone:
            self._queries.answer(message, answer)

    # ------------------------------------------------------------ subscriptions

    def _subscribe(self, message: commands.Subscribe) -> None:
        room = self._directory.find_open(message.room)
        seated = room.state.seat_of(self.player) is not None
        new = self not in room.audience.subscribers
        if not seated and new and room.audience.crowd() >= self._context.limits.spectators:
            raise Refusal(Code.BUSY, Sentence("refusal.too_many_watch"), retry_after=30.0)
        self._check_subscriptions(room)
        self.say(answers.Accepted(message.id, room.code, room.state.version))
        self._subscribe_to(room, message.since, present=message.present)

    def _check_subscriptions(self, room: LiveRoom | None = None) -> None:
        if (room is None or room.code not in self._rooms) and len(self._rooms) >= SUBSCRIPTIONS:
            raise Refusal(Code.NOT_ALLOWED, Sentence("refusal.subscriptions", most=SUBSCRIPTIONS))

    def _subscribe_to(self, room: LiveRoom, since: Version | None, *, present: bool = True) -> None:
        if room.state.phase == "closed":
            # A player sat down here once, and asks again: nothing more is to come.
            room.subscribe(self, None)
            room.unsubscribe(self)
            return
        self._rooms[room.code] = room
        room.subscribe(self, since, present=present)

    def dismissed(self, room: str) -> None:
        """A room has ended the subscription: see `Connection`."""
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
            self._refuse(command_id, refusal, room or None, version if room else None)
        elif not self._gone:
            self.send(encode_accepted(command_id, room, version))

    def _refuse(
        self,
        command_id: str | None,
        refusal: Refusal,
        room: str | None = None,
        version: Version | None = None,
    ) -> None:
        self._say_refused(refusal.answer(command_id, room, version))

    def _say_refused(self, refused: answers.Refused) -> None:
        if self.refused is None:
            self.refused = Counter()
        self.refused[refused.code] += 1
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
        room = self._directory.find_open(message.room)
        check("hint", room.state, role_of(room.state, self.player))
        self._queries.hint(message, room.state)


_FOR_A_ROOM = frozenset(one for one in commands.COMMANDS if issubclass(one, commands.RoomCommand))
_BEGIN_ANOTHER_GAME = frozenset(name for name, offer in OFFERS.items() if offer.phase == "finished")
_MAY_BEGIN_A_GAME = frozenset(
    {
        commands.CreateTournament,
        commands.StartTournament,
        commands.CreateRoom,
        commands.QuickMatch,
        commands.TakeSeat,
        commands.AddBot,
    }
)
# By type: asking whether it is an instance of a pydantic class costs as much as reading a small message.

_QUERIES = frozenset(QUERIES) | {
    commands.AskHeadToHead,
    commands.AskHint,
    commands.AskHistory,
    commands.AskRecord,
    commands.AskRoomGames,
    commands.AskThoughts,
    commands.ListRooms,
    commands.ListTournaments,
    commands.AskTournament,
    commands.AskRatings,
    commands.AskRating,
    commands.AskRoomRatings,
}
"""What changes nothing but for `Cancel`, which follows what it cancels."""

_HANDLERS: Mapping[type, Callable[[Session, Any], object]] = {
    commands.PlayMove: Session._submit,
    commands.PlayerAction: Session._act,
    commands.Decline: Session._submit,
    commands.TakeSeat: Session._sit,
    commands.TakeOver: Session._sit,
    commands.AddBot: Session._add_bot,
    commands.Claim: Session._claim,
    commands.Say: Session._say,
    commands.Hello: Session._hello_again,
    commands.CarryPlayer: Session._carry,
    commands.RenamePlayer: Session._rename,
    commands.AskQrCode: Session._qr_code,
    commands.CreateRoom: Session._create,
    commands.QuickMatch: Session._quick,
    commands.Subscribe: Session._subscribe,
    commands.Unsubscribe: Session._unsubscribe,
    commands.AskHint: Session._hint,
    commands.AskHeadToHead: Session._head_to_head,
    commands.AskThoughts: Session._thoughts,
    commands.CloseServer: Session._close_server,
    commands.ListRooms: Session._rooms_list,
    commands.AskRatings: Session._ratings,
    commands.AskRating: Session._rating,
    commands.AskRoomRatings: Session._room_ratings,
    commands.CreateTournament: Session._create_tournament,
    commands.AskTournament: Session._show_tournament,
    commands.ListTournaments: Session._list_tournaments,
    **dict.fromkeys(get_args(commands.InTournament), Session._act_in_tournament),
    **dict.fromkeys(LOG_QUERIES, Session._ask_logs),
    **dict.fromkeys(QUERIES, Session._query),
}
"""What answers each command, or passes it on to its room."""

_SIGNALS: Mapping[type, Callable[[Session, Any], None]] = {commands.ShowTyping: Session._show_typing}
"""What is done with each message that wants no answer."""
