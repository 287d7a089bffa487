"""The client's side of the protocol, without sockets, clocks or tasks: pure state.

    received text      -> `receive`       -> `take_deliveries`: messages and replies, in order
    commands to ask    -> `request`       -> `next_to_send`: what to write on the connection, in order
    a connection is up -> `connected`     -> subscriptions are renewed, unanswered commands sent again
    it is gone         -> `disconnected`
    waiting is over    -> `elapsed`       <- `take_delays`: what the server wants asked again later

A subscription hands up a room's events in order, without gaps or repeats: repeats are dropped, after a gap
a snapshot is asked for. A command keeps its id however often it is sent, and the server counts an id once.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from parlour_client.sdk.errors import Refused
from parlour_client.sdk.messages import SubscriptionLost
from parlour_client.sdk.sanitize import clean_json
from parlour_protocol import answers, codec, commands
from parlour_protocol.answers import Accepted, Answer, Welcome
from parlour_protocol.codec import BadMessage
from parlour_protocol.commands import SEARCHING, SEATING, SUBSCRIBING, Command, ToServer
from parlour_protocol.errors import RETRIED, Code
from parlour_protocol.events import Event, RoomClosed, Snapshot
from parlour_protocol.ids import CommandId, Version
from parlour_protocol.messages import Notice, RoomMessage, Signal, answer_type
from parlour_protocol.notices import Goodbye
from parlour_protocol.words import say

RETRY_SECONDS = 0.25
"""How long to wait where a refusal does not say."""
_UNTRACKED = (commands.Unsubscribe, commands.Cancel)
"""What the protocol itself sends, and whose answer means nothing to it."""


def _subscribes(command: Command[Any]) -> bool:
    """Does it subscribe to its room? One that makes a room does where it says who sits in it."""
    if isinstance(command, commands.CreateRoom):
        return command.seats is not None
    return isinstance(command, SUBSCRIBING)


@dataclass(frozen=True, slots=True)
class Reply:
    """A command's outcome: its answer, or the refusal that its caller is to be raised."""

    id: CommandId
    outcome: Answer | Refused


Delivery = RoomMessage | Notice | SubscriptionLost | answers.Refused | Reply
"""What is handed up. A refusal is one of a message that carried no readable id."""


@dataclass(frozen=True, slots=True)
class Delay:
    """Something to do in so many seconds on this connection: hand it to `elapsed` then."""

    seconds: float
    connection: int
    watch: commands.Subscribe | None = None
    """The subscription to ask for again; None: everything that was not answered."""


@dataclass(slots=True)
class _Pending:
    command: Command[Any]
    sent: bool = False
    """On this connection."""
    times: int = 0


class Protocol:
    """One client's conversation with a server, across connections. `new_id` draws fresh command ids."""

    def __init__(self, new_id: Callable[[], str]) -> None:
        self._new_id = new_id
        self._subscriptions: dict[str, Version | None] = {}
        """Each room with the last version received; None: a snapshot is on its way."""
        self._absent: set[str] = set()
        """Rooms that were subscribed to as not present."""
        self._pending: dict[CommandId, _Pending] = {}
        self._given_up: dict[CommandId, Command[Any]] = {}
        """Subscribing commands sent on this connection whose answer nobody waits for any more."""
        self._uncollected: dict[CommandId, tuple[Command[Any], str]] = {}
        """Those that were accepted, with their new room, and whose caller has not got the answer yet."""
        self._watches: dict[CommandId, commands.Subscribe] = {}
        """The protocol's own requests for rooms on this connection that are not answered."""
        self._snapshots_due: set[str] = set()
        """Rooms of which a snapshot was asked for and has not come: the next connection asks again."""
        self._outbox: deque[ToServer] = deque()
        self._deliveries: list[Delivery] = []
        self._delays: list[Delay] = []
        self._connection = 0
        self._up = False
        self._slowed = False
        """Everything unanswered is to be sent again after a delay that runs."""
        self.goodbye: Goodbye | None = None
        """The server's farewell on this connection."""

    # ------------------------------------------------------------ what the caller does

    @property
    def subscriptions(self) -> dict[str, Version | None]:
        """Each room that is subscribed to, with its last version; None until its snapshot has come."""
        return dict(self._subscriptions)

    def request(self, command: Command[Any]) -> None:
        """Ask the server something; a `Reply` with the command's id is delivered once."""
        self._pending[command.id] = _Pending(command)
        if self._up:
            self._send_pending()

    def signal(self, signal: Signal) -> None:
        """Say what wants no answer: now or, where there is no connection, not at all."""
        if self._up:
            self._outbox.append(signal)

    def abandon(self, command: CommandId) -> None:
        """Nobody waits for this answer any more: it is not sent again, and what it leads to is undone.

        A search that was asked for is stopped.
        """
        pending = self._pending.pop(command, None)
        if pending is not None and pending.times and _subscribes(pending.command):
            self._given_up[command] = pending.command
        elif pending is not None and pending.times and self._up and isinstance(pending.command, SEARCHING):
            self._outbox.append(commands.Cancel(id=self._new_id(), search=command))
        elif (uncollected := self._uncollected.pop(command, None)) is not None:
            self.undo(*uncollected)

    def collected(self, command: CommandId) -> None:
        """The caller has got the answer: what it leads to is theirs."""
        self._uncollected.pop(command, None)

    def undo(self, command: Command[Any], room: str) -> None:
        """Undo a subscribing command that was accepted: free its seat while no game runs, and unsubscribe.

        A room that it made is closed.
        """
        self._subscriptions.pop(room, None)
        if isinstance(command, commands.CreateRoom):
            self.request(commands.PlayerAction(id=self._new_id(), room=room, type="close"))
        # A game that has begun refuses to be left: that seat stays, as one whose player is away.
        if isinstance(command, SEATING) and not self._asked_again(room, command):
            self.request(commands.PlayerAction(id=self._new_id(), room=room, type="leave"))
        self._left_meanwhile(room, command)

    def connected(self) -> None:
        """A connection has said welcome: renew the subscriptions, then send what was not answered."""
        self._connection += 1
        self._up, self._slowed, self.goodbye = True, False, None
        self._outbox.clear()
        self._watches.clear()
        self._given_up.clear()
        self._snapshots_due &= self._subscriptions.keys()
        for room, version in self._subscriptions.items():
            self._watch(room, None if room in self._snapshots_due else version)
        for pending in self._pending.values():
            pending.sent = False
        self._send_pending()

    def disconnected(self) -> None:
        """The connection is gone. What was not answered waits for the next one."""
        self._up = False
        self._outbox.clear()

    def elapsed(self, delay: Delay) -> None:
        """A delay is over. One of an earlier connection means nothing: the next one has asked anew."""
        if delay.connection != self._connection or not self._up:
            return
        if delay.watch is not None:
            # It may have been left meanwhile.
            if delay.watch.room in self._subscriptions:
                self._watch(delay.watch.room, delay.watch.since)
            return
        self._slowed = False
        for pending in self._pending.values():
            pending.sent = False
        self._send_pending()
        rooms, self._watches = {watch.room for watch in self._watches.values()}, {}
        for room in rooms:
            self._watch(room, None)

    # ------------------------------------------------------------ what is to be done

    def next_to_send(self) -> ToServer | None:
        """The next message to write, which then counts as sent; None while there is none."""
        while self._outbox:
            message = self._outbox.popleft()
            if isinstance(message, Signal):
                return message
            pending = self._pending.get(message.id)
            if pending is not None:
                pending.times += 1
            elif message.id not in self._watches and not isinstance(message, _UNTRACKED):
                continue  # its caller has given it up
            return message
        return None

    def take_deliveries(self) -> list[Delivery]:
        """What has come in since the last call, in order."""
        taken, self._deliveries = self._deliveries, []
        return taken

    def take_delays(self) -> list[Delay]:
        """What is to be handed to `elapsed` later, since the last call."""
        taken, self._delays = self._delays, []
        return taken

    def _send_pending(self) -> None:
        """Send what this connection has not carried yet, in order."""
        for pending in self._pending.values():
            if not pending.sent:
                pending.sent = True
                self._outbox.append(pending.command)

    def _watch(self, room: str, since: Version | None) -> None:
        """Ask for a room's events since a version, or for a snapshot."""
        if since is None:
            self._snapshots_due.add(room)
        present = room not in self._absent
        watch = commands.Subscribe(id=self._new_id(), room=room, since=since, present=present)
        self._watches[watch.id] = watch
        self._outbox.append(watch)

    # ------------------------------------------------------------ what comes in

    def receive(self, text: str | bytes) -> None:
        """Take a message from the connection. One that can't be read is answered for, or skipped."""
        try:
            message = codec.decode_to_client(clean_json(text))
        except BadMessage as error:
            if error.refused.id is None:
                self._unreadable(text, error)
                return
            # Its caller needs an answer all the same.
            why = say("error.answer_unreadable", why=str(error))
            message = answers.Refused(Code.INTERNAL, why, id=error.refused.id)
        match message:
            case Snapshot() | Event():
                self._versioned(message)
            case Goodbye():
                self.goodbye = message
            case None | Welcome():
                pass
            case answers.Refused(id=None, code=Code.TOO_FAST):
                # Refused unread, so nobody can say what it was: after a delay everything is sent again.
                if not self._slowed:
                    self._slowed = True
                    self._delays.append(Delay(message.retry_after or RETRY_SECONDS, self._connection))
            case answers.Refused(id=None):
                self._deliveries.append(message)
            case _ if isinstance(message, Answer):
                self._answer(message)
            case _:
                self._deliveries.append(message)

    def _versioned(self, message: Event | Snapshot) -> None:
        match self._judge(message):
            case "deliver":
                self._deliveries.append(message)
                if isinstance(message, Snapshot) and not self._awaits_snapshot(message.room):
                    self._snapshots_due.discard(message.room)
            case "resync":
                self._watch(message.room, None)
            case "drop":
                pass

    def _judge(self, message: Event | Snapshot) -> Literal["deliver", "drop", "resync"]:
        """Note a message's version, and say what is to be done with it; resync: ask for a snapshot."""
        room, version = message.room, message.version
        if room not in self._subscriptions:
            return "drop"
        known = self._subscriptions[room]
        if isinstance(message, Snapshot):
            if known is not None and version < known:
                return "drop"
            self._subscriptions[room] = version
            return "deliver"
        if known is None or version <= known:
            return "drop"
        if version > known + 1:
            self._subscriptions[room] = None
            return "resync"
        self._subscriptions[room] = version
        if isinstance(message.event, RoomClosed):
            del self._subscriptions[room]
        return "deliver"

    def _unreadable(self, text: str | bytes, error: BadMessage) -> None:
        """An event that is lost so leaves a gap, which a snapshot heals; a snapshot's room is given up."""
        room = codec.snapshot_of(text)
        if room is not None and room in self._subscriptions:
            del self._subscriptions[room]
            reason = say("error.room_unreadable", why=str(error))
            self._deliveries.append(SubscriptionLost(room, answers.Refused(Code.INTERNAL, reason)))

    def _answer(self, answer: Answer) -> None:
        command_id = answer.id
        assert command_id is not None
        watch = self._watches.pop(command_id, None)
        if watch is not None:
            self._watch_answered(watch, answer)
            return
        pending = self._pending.pop(command_id, None)
        if pending is None:
            given_up = self._given_up.pop(command_id, None)
            # In a room that was subscribed to before, the state shows what has come of it.
            if given_up and isinstance(answer, Accepted) and answer.room not in self._subscriptions:
                self.undo(given_up, answer.room)
            return
        if not isinstance(answer, (answers.Refused, answer_type(type(pending.command)))):
            misfit = say("error.answer_misfit")
            answer = answers.Refused(Code.INTERNAL, misfit, id=command_id)
        outcome = Refused(answer) if isinstance(answer, answers.Refused) else answer
        self._deliveries.append(Reply(command_id, outcome))
        # People write a room's code in their own way; the answer has it as all that follows will.
        match pending.command, outcome:
            case command, Accepted(room=room) if _subscribes(command):
                if getattr(command, "present", True):
                    self._absent.discard(room)
                else:
                    self._absent.add(room)
                if room not in self._subscriptions:
                    self._subscriptions[room] = None
                    self._uncollected[command_id] = command, room
                if pending.times > 1:
                    # A repeated command gets its first answer again, but its snapshot may have been lost
                    # with the connection before.
                    self._watch(room, None)
            case commands.Unsubscribe(), Accepted(room=room):
                self._subscriptions.pop(room, None)

    def _watch_answered(self, watch: commands.Subscribe, answer: Answer) -> None:
        if isinstance(answer, answers.Refused) and answer.code in RETRIED:
            delay = Delay(answer.retry_after or RETRY_SECONDS, self._connection, watch)
            self._delays.append(delay)
        elif isinstance(answer, answers.Refused):
            self._subscriptions.pop(watch.room, None)
            self._deliveries.append(SubscriptionLost(watch.room, answer))
        elif watch.room not in self._subscriptions:
            self._left_meanwhile(watch.room)

    def _awaits_snapshot(self, room: str) -> bool:
        """Is a snapshot asked for, and the answer, which goes before it, not here yet?"""
        return any(watch.room == room and watch.since is None for watch in self._watches.values())

    def _left_meanwhile(self, room: str, command: Command[Any] | None = None) -> None:
        """A room that was left while it was asked for: the server has us subscribed once more."""
        if self._asked_again(room, command):
            if command is None and room not in self._subscriptions:
                # What was asked for may have been its events alone.
                self._watch(room, None)
            self._subscriptions.setdefault(room, None)
        else:
            self._outbox.append(commands.Unsubscribe(id=self._new_id(), room=room))

    def _asked_again(self, room: str, command: Command[Any] | None) -> bool:
        """Does a command under way lead to this room, as this one did? A quick match may lead there again."""
        for other in (pending.command for pending in self._pending.values()):
            if isinstance(other, SUBSCRIBING) and getattr(other, "room", None) == room:
                return True
            if command is None or isinstance(command, commands.CreateRoom):
                continue
            if other == command.model_copy(update={"id": other.id}):
                return True
        return False
