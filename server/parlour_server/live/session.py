"""One connection's conversation: hello, then commands, each answered once.

    connected --hello--> known --lost--> gone
        |                  |
        +--deadline--------+--> closed

A message that can't be read is answered with its own code and the conversation goes on.
"""

from collections.abc import Coroutine
from functools import partial
from typing import Any, Literal, assert_never, get_args

import structlog

from parlour_protocol import PROTOCOL_VERSION, to_client, to_server
from parlour_protocol.codec import BadMessage, decode_to_server, encode_to_client, find_id
from parlour_protocol.errors import CloseCode, Code
from parlour_protocol.ids import Version, parse_code
from parlour_protocol.to_client import ToClient
from parlour_protocol.views import GameLine, Limits, RoomSettings
from parlour_server import __version__
from parlour_server.games import UnknownGame, all_games, find_game
from parlour_server.games.game import Game, MoveError
from parlour_server.live.bucket import Bucket
from parlour_server.live.directory import Directory
from parlour_server.live.long_logs import beside
from parlour_server.live.outbox import Outbox
from parlour_server.live.players import clean_name, clean_saying, hash_token
from parlour_server.live.questions import Questions, read_bot
from parlour_server.live.quick import Wanted
from parlour_server.live.request import Request
from parlour_server.live.room import LiveRoom
from parlour_server.live.world import World
from parlour_server.room.commands import (
    Abort,
    Claim,
    Close,
    Command,
    Create,
    Decline,
    Leave,
    OfferDraw,
    OfferRematch,
    OfferTakeback,
    Play,
    Resign,
    Say,
    SeatBot,
    Sit,
    TakeOver,
)
from parlour_server.room.record import game_record, past_room
from parlour_server.room.refusals import Refusal
from parlour_server.room.views import may_ask_hint, thought_views
from parlour_server.search.bots import list_bots, with_seed
from parlour_server.store.port import Player, StoreError

log = structlog.get_logger()

EARLY_MESSAGES = 64
"""How many messages may come in while a hello is being answered."""
ROOMS_FOLLOWED = 64
MOST_UNANSWERED = 64
"""Commands in flight at which a connection is read no further until half of them are answered."""
SAYINGS_PER_SECOND = 1.0
SAYINGS_AT_ONCE = 5
RECORD_MOVES = 40
"""How many moves of a game are sent at once: with a bot's thoughts each takes some kilobytes."""
MOST_PAST = 50
"""How many of a player's rooms are told, the last used ones."""
FOR_A_ROOM = (
    *get_args(to_server.RoomCommand),
    to_server.Watch,
    to_server.AskHint,
    to_server.AskThoughts,
)
"""What is for a room that may have to be fetched first."""
WARNINGS = 40
"""Messages over the limit that are refused; who sends twice as fast as they may is soon cut."""


class Session:
    """One connection. The net calls `receive`, `receive_binary` and `lost`; all else follows."""

    def __init__(self, world: World, directory: Directory, outbox: Outbox) -> None:
        self.player = ""
        """The player's public id; empty before the hello."""
        self._name = ""
        self.send = outbox.send
        """Sends an encoded message; bound here, since every move of every room goes this way."""
        self.lag = outbox.lag
        """See `Member.lag`."""
        self._world = world
        self._directory = directory
        self._outbox = outbox
        self._rooms: dict[str, LiveRoom] = {}
        self._seats_asked: dict[str, LiveRoom] = {}
        """Rooms to follow once the command with this id has been accepted."""
        self._greeting = False
        self._early: list[to_server.ToServer] = []
        self._questions = Questions(world.desk, self.say, self._refuse)
        self._reads = False
        """Is a log being read for it?"""
        self._put_off: dict[str, list[to_server.ToServer]] = {}
        """What is for rooms that are being fetched, by their codes."""
        self._unanswered = 0
        self._paused = False
        self._gone = False
        limits, now = world.limits, world.monotonic()
        self._messages = Bucket(limits.messages_per_second, limits.burst, now)
        sayings = SAYINGS_PER_SECOND if limits.messages_per_second else 0.0
        self._sayings = Bucket(sayings, SAYINGS_AT_ONCE, now)
        self._over_limit = Bucket(limits.messages_per_second, WARNINGS, now)
        self._deadline = world.later(world.limits.hello_seconds, self._hello_is_late)

    # ------------------------------------------------------------ in and out

    def say(self, message: ToClient) -> None:
        """Send a message."""
        self.send(encode_to_client(message))

    def receive(self, text: str) -> None:
        """Take one text message."""
        if not self._may_speak(text):
            return
        try:
            message = decode_to_server(text)
        except BadMessage as error:
            self.say(to_client.Refused(error.code, error.message, error.id))
            return
        if self._greeting:
            self._receive_early(message)
        else:
            self._dispatch(message)

    def receive_binary(self) -> None:
        """Take one binary message: refused, since the protocol is text."""
        if self._may_speak(""):
            self.say(to_client.Refused(Code.BINARY, "Send text frames: the protocol is JSON text."))

    def lost(self) -> None:
        """The connection has ended."""
        self._gone = True
        self._deadline.cancel()
        self._questions.cancel()
        self._directory.lobby.leave(self)
        if self.player:
            self._directory.lobby.went(self.player)
        for room in self._rooms.values():
            room.unfollow(self)
        self._rooms.clear()

    def _may_speak(self, text: str) -> bool:
        """Take a token from the bucket. Over the limit a message is refused, and in the end all are."""
        wait = self._messages.take(self._world.monotonic())
        if not wait:
            return True
        if self._over_limit.take(self._world.monotonic()):
            self._goodbye("too_fast", "You kept sending too fast.", 1008)
        else:
            said = "You send faster than this server takes it. Wait a moment."
            self.say(to_client.Refused(Code.TOO_FAST, said, find_id(text), retry_after=wait))
        return False

    def _goodbye(self, why: Literal["too_fast", "no_hello"], message: str, close_code: int) -> None:
        self.say(to_client.Goodbye(why, message))
        self._outbox.close(close_code, message)

    # ------------------------------------------------------------ hello

    def _hello_is_late(self) -> None:
        if not self.player:
            seconds = self._world.limits.hello_seconds
            self._goodbye("no_hello", f"No hello came within {seconds:g} seconds.", CloseCode.NO_HELLO)

    def _receive_early(self, message: to_server.ToServer) -> None:
        if len(self._early) < EARLY_MESSAGES:
            self._early.append(message)
        else:
            self._refuse(message.id, Refusal(Code.HELLO_FIRST, "Wait for the welcome before you send on."))

    async def _greet(self, hello: to_server.Hello) -> None:
        try:
            welcome = await self._welcome(hello)
        except Refusal as refusal:
            self._refuse(hello.id, refusal)
        except Exception as error:
            log.error("a hello failed", exc_info=error)
            self._refuse(
                hello.id, Refusal(Code.INTERNAL, "That is a fault of the server's.", retry_after=1.0)
            )
        else:
            self.player, self._name = welcome.player, welcome.name
            self._deadline.cancel()
            if not self._gone:
                self._directory.lobby.came(self.player)
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

    async def _welcome(self, hello: to_server.Hello) -> to_client.Welcome:
        """Find the player, or make one. Raises `Refusal`."""
        if PROTOCOL_VERSION not in hello.protocols:
            raise Refusal(
                Code.UNSUPPORTED_PROTOCOL,
                f"This server speaks protocol {PROTOCOL_VERSION}, and your client does not. "
                "Install one that fits.",
            )
        name = clean_name(hello.name)
        store, limits, token = self._world.store, self._world.limits, None
        if hello.token is not None:
            player = await store.find_player(hash_token(hello.token))
            if player is None:
                raise Refusal(
                    Code.WRONG_TOKEN,
                    "This server doesn't know that token. Say hello without one to begin as a new player.",
                )
        else:
            token = self._world.new_token()
            player = Player(self._world.new_player_id(), name)
            try:
                await store.add_player(hash_token(token), player)
            except StoreError as error:
                log.error("a player was not saved", reason=str(error))
                said = "The server could not save you as a player. Try again in a moment."
                raise Refusal(Code.NOT_SAVED, said, retry_after=2.0) from error
        return to_client.Welcome(
            id=hello.id,
            protocol=PROTOCOL_VERSION,
            server=f"parlour {__version__}",
            player=player.id,
            name=name,
            limits=Limits(
                limits.message_bytes, limits.messages_per_second, limits.burst, limits.heartbeat_seconds
            ),
            token=token,
        )

    # ------------------------------------------------------------ commands

    def _dispatch(self, message: to_server.ToServer) -> None:
        if self.player:
            if not isinstance(message, FOR_A_ROOM) or not self._has_to_wait(message.room, message):
                self._try_to_obey(message)
        elif isinstance(message, to_server.Hello):
            self._greeting = True
            self._world.spawn(self._greet(message))
        else:
            self._refuse(message.id, Refusal(Code.HELLO_FIRST, "Say hello first."))

    def _has_to_wait(self, room: str, message: to_server.ToServer) -> bool:
        """Is the room that it is for still to be fetched, or are others before it that wait for the same?"""
        code = self._directory.absent(room)
        if code is None and self._put_off:
            code = parse_code(room)
            if code not in self._put_off:
                return False
        if code is None:
            return False
        if code not in self._put_off:
            self._put_off[code] = []
            self._world.spawn(self._fetch(code))
        self._put_off[code].append(message)
        self._count_unanswered()
        return True

    async def _fetch(self, code: str) -> None:
        """Have a room fetched from the store, and go on with what was put off for it."""
        refused: Refusal | None = None
        try:
            await self._directory.fetch(code)
        except Refusal as refusal:
            refused = refusal
        except Exception as error:
            log.error("a room was not fetched", room=code, exc_info=error)
            refused = Refusal(Code.INTERNAL, "That is a fault of the server's.", retry_after=1.0)
        for message in self._put_off.pop(code):
            self._unanswered -= 1
            if self._gone:
                continue
            if refused is not None:
                self._refuse(message.id, refused)
            else:
                self._try_to_obey(message)
        if self._paused:
            self._release()

    def _try_to_obey(self, message: to_server.ToServer) -> None:
        try:
            self._obey(message)
        except Refusal as refusal:
            self._refuse(message.id, refusal)
        except Exception as error:
            # Ours, not the sender's; but what state this conversation is in, nobody knows.
            log.error("a session failed", message=message.type, exc_info=error)
            self._outbox.close(1011, "a fault of the server's; come back")

    def _obey(self, message: to_server.ToServer) -> None:
        """Do what was asked, or pass it on to the room. Raises `Refusal`."""
        match message:
            case to_server.PlayMove():
                report = None if message.report is None else message.report.report()
                self._submit(message, Play(message.move, message.version, report))
            case to_server.TakeSeat(seat=seat, program=program):
                self._sit(message, Sit(self._name, seat, program))
            case to_server.TakeOver(seat=seat):
                self._sit(message, TakeOver(self._name, seat))
            case to_server.OfferDraw():
                self._submit(message, OfferDraw())
            case to_server.AskTakeback():
                self._submit(message, OfferTakeback())
            case to_server.Decline(offer=offer):
                self._submit(message, Decline(offer))
            case to_server.Abort():
                self._submit(message, Abort())
            case to_server.Claim():
                self._claim(message)
            case to_server.Say(text=text):
                self._say(message, clean_saying(text))
            case to_server.QuickMatch():
                self._quick(message)
            case to_server.AskRecord():
                self._read_logs(self._record(message))
            case to_server.AskHistory():
                self._read_logs(self._history(message))
            case to_server.AskBoard():
                self._questions.board(message)
            case to_server.Watch():
                self._watch(message)
            case to_server.AddBot(bot=bot, seat=seat):
                self._submit(message, SeatBot(self._seeded(bot), seat))
            case to_server.Resign():
                self._submit(message, Resign())
            case to_server.Rematch():
                self._submit(message, OfferRematch())
            case to_server.LeaveSeat():
                self._submit(message, Leave())
            case to_server.CloseRoom():
                self._submit(message, Close("its owner closed it"))
            case to_server.CreateRoom():
                self._create(message)
            case to_server.Unwatch(room=code):
                self._unwatch(message.id, code)
            case to_server.AskHint():
                self._hint(message)
            case to_server.AskThoughts(room=code):
                room = self._directory.find_open(code)
                thoughts = thought_views(room.state, room.state.seat_of(self.player))
                self.say(to_client.Thoughts(message.id, room.code, thoughts))
            case to_server.ListRooms(follow=follow):
                lobby = self._directory.lobby
                self.say(to_client.Rooms(message.id, self._directory.list(), lobby.players))
                (lobby.enter if follow else lobby.leave)(self)
            case to_server.ListGames():
                games = [GameLine(one.name, one.title, one.summary, one.variants) for one in all_games()]
                self.say(to_client.Games(message.id, games))
            case to_server.ListBots():
                compiles = self._world.desk.compiles
                self.say(to_client.Bots(message.id, list_bots(all_games(), compiled=compiles)))
            case to_server.Analyse():
                self._questions.analyse(message)
            case to_server.AskTree():
                self._questions.tree(message)
            case to_server.Race():
                self._questions.race(message)
            case to_server.Hello():
                raise Refusal(Code.HELLO_TWICE, "You have said hello already.")
            case _:
                assert_never(message)

    def _submit(self, message: to_server.RoomCommand, command: Command) -> None:
        room = self._directory.find(message.room)
        self._count_unanswered()
        room.submit(Request(command, self.player, message.id, self))

    def _sit(self, message: to_server.TakeSeat | to_server.TakeOver, command: Sit | TakeOver) -> None:
        room = self._directory.find(message.room)
        self._may_follow(room)
        self._seats_asked[message.id] = room
        self._submit(message, command)

    def _say(self, message: to_server.Say, text: str) -> None:
        if not self._directory.find(message.room).has_obeyed(self.player, message.id):
            wait = self._sayings.take(self._world.monotonic())
            if wait:
                said = "You talk faster than people read. Wait a moment."
                raise Refusal(Code.TOO_FAST, said, retry_after=wait)
        self._submit(message, Say(self._name, text))

    def _create(self, message: to_server.CreateRoom) -> None:
        game, settings = _asked(message)
        try:
            moves = tuple(game.read(message.moves))
            position = game.replay(message.moves)[0]
        except MoveError as error:
            raise Refusal(Code.INVALID_MOVE, str(error)) from None
        if game.outcome(position) is not None:
            raise Refusal(Code.GAME_OVER, "The game is over after these moves: leave some of them out.")
        self._count_unanswered()
        self._directory.create(Create(game.name, settings, moves), self.player, message.id, self)

    def _quick(self, message: to_server.QuickMatch) -> None:
        game, settings = _asked(message)
        if settings.visibility != "public":
            raise Refusal(Code.BAD_SETTING, "Whoever wants just anybody needs a public room.")
        self._count_unanswered()
        self._directory.seek(Wanted(game.name, settings), self._name, self, message.id)

    @property
    def gone(self) -> bool:
        """Has the connection ended?"""
        return self._gone

    def matched(self, command_id: str, room: LiveRoom) -> None:
        """A seat was found: see `Seeker`."""
        self._seats_asked[command_id] = room

    def _claim(self, message: to_server.Claim) -> None:
        self._submit(message, Claim(message.what, bot=self._seeded(message.bot)))

    def _seeded(self, bot: str) -> str:
        """A bot's settings, checked, with a seed of its own. Raises `Refusal`."""
        # It is drawn now and kept in the log, so that a restart changes no choice.
        return str(with_seed(read_bot(bot), self._world.chance(2**31)))

    async def _record(self, message: to_server.AskRecord) -> None:
        """Answer with as much of a game as fits into one message."""
        try:
            code = parse_code(message.room) or message.room
            log_ = await self._world.store.read(code)
            last = await beside(log_, partial(game_record, code, log_, self.player)) if log_ else None
            found = last
            if last is not None and message.number not in (None, last.number):
                found = await beside(log_, partial(game_record, code, log_, self.player, message.number))
        except UnknownGame as error:
            self._refuse(message.id, Refusal(Code.UNKNOWN_GAME, str(error)))
            return
        except Exception as error:
            log.error("a record can't be made", room=message.room, exc_info=error)
            self._refuse(
                message.id, Refusal(Code.INTERNAL, "This room can't be read just now.", retry_after=2.0)
            )
            return
        finally:
            self._reads = False
        if not log_:
            said = "There is no such room here. Look at the code once more."
            self._refuse(message.id, Refusal(Code.UNKNOWN_ROOM, said))
            return
        if last is None:
            self._refuse(message.id, Refusal(Code.NOT_PLAYING, "No game has begun in this room yet."))
            return
        if found is None:
            said = f"This room has no game {message.number}: its last one is game {last.number}."
            self._refuse(message.id, Refusal(Code.UNKNOWN_ROOM, said))
            return
        rest = found.moves[message.after :]
        found.moves = rest[:RECORD_MOVES]
        self.say(to_client.Record(message.id, found, more=len(rest) > RECORD_MOVES))

    async def _history(self, message: to_server.AskHistory) -> None:
        found = []
        try:
            for code in await self._world.store.rooms_of(self.player, MOST_PAST):
                try:
                    log_ = await self._world.store.read(code)
                    found.append(await beside(log_, partial(past_room, code, log_, self.player)))
                except Exception as error:
                    log.warning("a room of somebody's can't be read", room=code, exc_info=error)
        except StoreError as error:
            log.error("a player's rooms can't be read", exc_info=error)
            said = "Your rooms can't be read just now."
            self._refuse(message.id, Refusal(Code.INTERNAL, said, retry_after=2.0))
            return
        finally:
            self._reads = False
        self.say(to_client.History(message.id, found))

    def _read_logs(self, work: Coroutine[Any, Any, None]) -> None:
        """Answer from the store: one such question at a time, since a log may be long. Raises `Refusal`."""
        if self._reads:
            work.close()
            raise Refusal(Code.BUSY, "Your last question is still being looked up.", retry_after=0.5)
        self._reads = True
        self._world.spawn(work)

    def _watch(self, message: to_server.Watch) -> None:
        room = self._directory.find_open(message.room)
        seated = room.state.seat_of(self.player) is not None
        if not seated and self not in room.members and room.watching() >= self._world.limits.spectators:
            raise Refusal(Code.BUSY, "As many look on as may. Try later.", retry_after=30.0)
        self._may_follow(room)
        self.say(to_client.Accepted(message.id, room.code, room.state.version))
        self._follow(room, message.since)

    def _may_follow(self, room: LiveRoom) -> None:
        if room.code not in self._rooms and len(self._rooms) >= ROOMS_FOLLOWED:
            raise Refusal(Code.NOT_ALLOWED, f"One connection follows {ROOMS_FOLLOWED} rooms at most.")

    def _follow(self, room: LiveRoom, since: Version | None) -> None:
        if room.state.phase == "closed":
            # Somebody sat down here once, and asks again: nothing more is to come.
            room.show_snapshot(self)
            return
        self._rooms[room.code] = room
        room.follow(self, since)

    def dismissed(self, room: str) -> None:
        """A room that was followed is closed: see `Member`."""
        self._rooms.pop(room, None)

    def _unwatch(self, command_id: str, code: str) -> None:
        room = self._directory.find(code)
        self._rooms.pop(room.code, None)
        room.unfollow(self)
        self.say(to_client.Accepted(command_id, room.code, room.state.version))

    # ------------------------------------------------------------ answers

    def accepted(self, command_id: str, room: str, version: Version) -> None:
        """A room has obeyed: see `Asker`."""
        self._unanswered -= 1
        if self._paused:
            self._release()
        if self._gone:
            return
        self.send(encode_to_client(to_client.Accepted(command_id, room, version)))
        if self._seats_asked:
            seated = self._seats_asked.pop(command_id, None)
            if seated is not None:
                # Who looked on before they sat down has seen it all; their other connections let go now.
                self._follow(seated, seated.state.version if seated.code in self._rooms else None)

    def refused(self, command_id: str, room: str, version: Version, refusal: Refusal) -> None:
        """A room has refused: see `Asker`."""
        self._unanswered -= 1
        if self._paused:
            self._release()
        self._seats_asked.pop(command_id, None)
        self._refuse(command_id, refusal, room or None, version if room else None)

    def _refuse(
        self, command_id: str, refusal: Refusal, room: str | None = None, version: Version | None = None
    ) -> None:
        self.say(
            to_client.Refused(
                refusal.code, refusal.message, command_id, room, version, refusal.legal, refusal.retry_after
            )
        )

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

    def _hint(self, message: to_server.AskHint) -> None:
        room = self._directory.find_open(message.room)
        state = room.state
        seat = state.seat_of(self.player)
        if seat is None:
            raise Refusal(Code.NOT_SEATED, "You look on here: hints are for the players.")
        if not may_ask_hint(state):
            raise Refusal(Code.NO_HINTS, "There are no hints in this room.")
        if state.phase != "playing":
            raise Refusal(Code.NOT_PLAYING, "No game is running here.")
        if seat != state.to_move:
            raise Refusal(Code.NOT_YOUR_TURN, "Hints are for whoever is to move.")
        self._questions.hint(message, state)


def _asked(message: to_server.CreateRoom | to_server.QuickMatch) -> tuple[Game[Any], RoomSettings]:
    """The game and the settings that were asked for. Raises `Refusal`."""
    try:
        game = find_game(message.game)
    except UnknownGame as error:
        raise Refusal(Code.UNKNOWN_GAME, str(error)) from None
    if message.settings.stand_in is not None:
        read_bot(message.settings.stand_in)
    return game, RoomSettings(**message.settings.model_dump())
