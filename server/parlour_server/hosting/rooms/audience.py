"""The subscribers of a room: what they are sent, and which of its players are here, or away since when."""

from collections.abc import Callable, Iterator
from typing import Any

from pydantic_core import to_json

from parlour_protocol import notices
from parlour_protocol.codec import encode_event, encode_fact, encode_move, encode_snapshot, encode_to_client
from parlour_protocol.events import (
    ChatPosted,
    GameFinished,
    GameStarted,
    MovePlayed,
    OfferMade,
    SeatLeft,
    SeatTaken,
    StandInLeft,
    StandInSeated,
)
from parlour_protocol.ids import Seat, Version
from parlour_protocol.messages import RoomNotice
from parlour_protocol.views.permissions import refusal_of
from parlour_protocol.views.rooms import Channel
from parlour_server.hosting.actors.log_actor import LogActor
from parlour_server.hosting.connections import Connection
from parlour_server.hosting.context import Timer
from parlour_server.log import LogRecord
from parlour_server.room.chat import ChatPlace, channel_of
from parlour_server.room.decide import chat_author, role_of
from parlour_server.room.permissions import situation
from parlour_server.room.state import RoomState
from parlour_server.room.view import (
    PresenceState,
    PublicView,
    ViewChange,
    asker_change,
    asks,
    chat_change,
    chat_place,
    hears_since,
    newcomer_fields,
    room_fields,
    seat_change,
    shows_thoughts,
    spectator_came,
)

PRESENCE_DELAY = 0.05
"""Seconds in which comings and goings are gathered into one notice."""

AWAY_GRACE = 4.0
"""Seconds in which a player may come back before the others see that they were away: a page is loaded anew.

No room's patience is shorter.
"""

ARRIVAL_SECONDS = 1.0
"""How long a node may take to post that a player has sat down there: see `posts.POST_SECONDS`."""

LAG_STEP = 50

COMINGS_KEPT = 1024
"""Of how many subscribers at most it is remembered since when they have been here."""


_CLAIMS_CHANGE = (StandInSeated, StandInLeft, GameStarted, GameFinished)
"""Events after which another player may claim than before, or none."""


class Audience:
    """The subscribers of one room. What is sent is encoded once for all who see the same."""

    def __init__(self, room: LogActor[RoomState, Any], presence_changed: Callable[[], None]) -> None:
        self.subscribers: dict[Connection, bool] = {}
        """All connections that get what happens, a person's several, too; each with whether it is present."""
        self._room, self._code, self._context = room, room.key, room.context
        self._presence_changed = presence_changed
        """Called when what the subscribers know of each other's presence has changed."""
        self._loaded_at = self._context.now()
        self.left_at: dict[str, int] = {}
        """When each seated player who is away was last here, or did something here, in ms since 1970."""
        self._public: PublicView | None = None
        """What they all see, as it was last sent; None while there are none."""
        self._came: dict[str, Version] = {}
        """The versions at which players first subscribed: spectators read what was said from then on."""
        self._fields: dict[tuple[Seat | None, bool, bool, Version], bytes] = {}
        """Of snapshots of one version: by the viewer's seat, whether the viewer owns the room or asks for a
        seat, and since when they read its chat."""
        self._fields_version: Version = 0
        self._timer: Timer | None = None
        self._grace: Timer | None = None
        self._stopped = False
        self._arriving: dict[str, Timer] = {}
        """Players who have sat down at another node, which has not posted yet that they are there."""

    # ------------------------------------------------------------ who is here

    def __bool__(self) -> bool:
        return bool(self.subscribers)

    @property
    def attended(self) -> bool:
        """Are people connected, here or at another node?"""
        return bool(self.subscribers) or self._context.node.remote.attended(self._code) is not None

    def has(self, player: str) -> bool:
        """Is a player connected, subscribed, and present?"""
        here = any(present and one.player == player for one, present in self.subscribers.items())
        return here or player in self._arriving or self._context.node.remote.has(self._code, player)

    def expect(self, player: str, decided: Callable[[], None]) -> None:
        """Count a player as connected for as long as their node may take to post it; then call `decided`."""

        def decide() -> None:
            del self._arriving[player]
            decided()

        if player not in self._arriving and not self._stopped:
            self._arriving[player] = self._context.later(ARRIVAL_SECONDS, decide)

    def came(self, player: str) -> Version | None:
        """The version at which a player first subscribed; None: never, or not that is known."""
        return self._came.get(player)

    def watching(self) -> int:
        """How many spectators are connected."""
        return self.watching_here() + self._context.node.remote.watching(self._code)

    def watching_here(self) -> int:
        """How many of them are connected to this node."""
        return len({one.player for one in self._spectators() if self.subscribers[one]})

    def crowd(self) -> int:
        """How many connections watch, as far as that is known: what a room has to send to."""
        return sum(1 for _ in self._spectators()) + self._context.node.remote.watching(self._code)

    def _spectators(self) -> Iterator[Connection]:
        state = self._room.state
        return (one for one in self.subscribers if state.seat_of(one.player) is None)

    def walls_here(self) -> bool:
        """Are there subscribers here that count as nobody's presence?"""
        return not all(self.subscribers.values())

    def seated_here(self) -> dict[str, int]:
        """The seated players who are connected to this node, with their lags, rounded up: in milliseconds."""
        state = self._room.state
        here: dict[str, int] = {}
        for one, present in self.subscribers.items():
            if present and state.seat_of(one.player) is not None:
                here[one.player] = max(here.get(one.player, 0), -(-one.lag() // LAG_STEP) * LAG_STEP)
        return here

    def lag_of(self, player: str) -> int:
        """The longest lag of a player's connections, in milliseconds."""
        here = max((one.lag() for one in self.subscribers if one.player == player), default=0)
        return max(here, self._context.node.remote.lag_of(self._code, player))

    def address_of(self, player: str) -> str:
        """Where a player is connected from; empty where that is not known."""
        return next((one.address for one in self.subscribers if one.player == player), "")

    def presence(self) -> PresenceState:
        """Presence, as viewers see it: who has only just gone is still there."""
        now, grace = self._context.now(), 1000 * AWAY_GRACE
        away = [since if since is not None and now - since >= grace else None for since in self.away()]
        seats = self._room.state.seats
        online = [seat is not None and since is None for seat, since in zip(seats, away, strict=True)]
        return PresenceState(online, self.watching(), away)

    # ------------------------------------------------------------ who is away

    def returned(self, player: str) -> None:
        """A player has connected, or stood up."""
        self.left_at.pop(player, None)

    def left(self, player: str) -> None:
        """A player has disconnected, or sat down without being connected."""
        if self._room.state.seat_of(player) is not None:
            self.left_at[player] = self._context.now()

    def look_who_is_away(self) -> None:
        """Find it out anew, after events folded unpublished, or elsewhere."""
        for seated in self._room.state.seats:
            if seated is None or seated.bot is not None:
                continue
            if self.has(seated.player):
                self.returned(seated.player)
            else:
                self.left_at.setdefault(seated.player, self._context.now())

    def away_since(self, seat: Seat) -> int | None:
        """Since when a seat's player is away, in milliseconds since 1970; None: here, or there is none."""
        seated = self._room.state.seats[seat]
        if seated is None or seated.bot is not None or self.has(seated.player):
            return None
        # Since the room was loaded, if they never came: that the server was down is no fault of theirs.
        return self.left_at.get(seated.player, self._loaded_at)

    def away(self) -> list[int | None]:
        """`away_since` for both seats."""
        return [self.away_since(0), self.away_since(1)]

    # ------------------------------------------------------------ coming and going

    def add(self, subscriber: Connection, since: Version | None, *, present: bool) -> None:
        """Send a subscriber everything from now on; first a snapshot, unless it is up to date."""
        state = self._room.state
        if self._public is None:
            self._public = PublicView(state)
        if subscriber.player not in self._came:
            if len(self._came) >= COMINGS_KEPT:
                gone = (one for one in self._came if all(here.player != one for here in self.subscribers))
                self._came.pop(next(gone, ""), None)
            self._came[subscriber.player] = spectator_came(state, subscriber.player)
        self.subscribers[subscriber] = present
        # What spectators read before, from another server say, need not be what they read from now on.
        other_chat = state.seat_of(subscriber.player) is None and state.chat["spectators"].lines
        if since != state.version or other_chat:
            self.send_snapshot(subscriber)
        self.presence_changed()

    def remove(self, subscriber: Connection) -> None:
        """Send a subscriber nothing more."""
        del self.subscribers[subscriber]
        self.presence_changed()
        if not self.subscribers:
            self._public = None
            self._fields = {}

    def dismiss(self) -> None:
        """End all subscriptions: nothing more is to come."""
        subscribers, self.subscribers = self.subscribers, {}
        self._public = None
        for one in subscribers:
            one.dismissed(self._code)

    def stop(self) -> None:
        """Send no presence any more."""
        self._stopped = True
        for arrival in self._arriving.values():
            arrival.cancel()
        if self._grace is not None:
            self._grace.cancel()
        if self._timer is not None:
            self._timer.cancel()

    # ------------------------------------------------------------ sending

    def publish(self, record: LogRecord) -> None:
        """Send everyone what was just folded into the state, to each as much as they may see."""
        self._fields = {}
        if not self.subscribers:
            return
        state, event = self._room.state, record.event
        assert self._public is not None, "there is one as long as there are subscribers"
        if type(event) is MovePlayed:
            # Most events are moves, which everyone sees alike.
            moved = self._public.move(state, event)
            self.send(encode_move(self._code, state.version, record.at, event, moved))
            return
        if type(event) is ChatPosted:
            self._publish_chat(state, record, event)
            return
        change = self._public.change(state, event)
        common = self._encode(state, record, change)
        if type(event) is SeatTaken or type(event) is SeatLeft:
            # A player who leaves, or gives a bot its seat back, is a spectator from now on.
            stands = type(event) is SeatLeft or state.stood_up.get(record.by) == state.version
            player = event.player if type(event) is SeatTaken and not stands else record.by
            for one in self.subscribers:
                mine = one.player == player
                own = seat_change(state, player, self._came[player], change) if mine else change
                one.send(self._encode(state, record, own) if mine else common)
            self.presence_changed()
        elif type(event) is OfferMade and event.name is not None:
            for one in self.subscribers:
                one.send(self._encode(state, record, asker_change(state, one.player, change)))
        else:
            for one in self.subscribers:
                one.send(common)
            if type(event) in _CLAIMS_CHANGE and any(self.away()):
                self.presence_changed()

    def _publish_chat(self, state: RoomState, record: LogRecord, event: ChatPosted) -> None:
        """Send a line to those whose channel it is; the others learn that the room has a version more."""
        messages: dict[ChatPlace | None, bytes] = {}
        for one in self.subscribers:
            place = chat_place(state, event, one.player, self._came[one.player])
            if place not in messages:
                messages[place] = self._encode(
                    state, record, chat_change(state, event, place), reads=place is not None
                )
            one.send(messages[place])

    def _encode(
        self, state: RoomState, record: LogRecord, change: ViewChange, *, reads: bool = False
    ) -> bytes:
        fact = encode_fact(record.event, channel=reads)
        return encode_event(self._code, state.version, record.at, fact, change.encoded())

    def send_snapshot(self, subscriber: Connection) -> None:
        """Send one subscriber all of the room."""
        subscriber.send(self._snapshot(self._fields_for(self._room.state, subscriber.player)))

    def newcomer_snapshot(self) -> bytes:
        """All of the room, as a page shows it before it is connected."""
        return self._snapshot(to_json(newcomer_fields(self._room.state)))

    def _snapshot(self, fields: bytes) -> bytes:
        state = self._room.state
        presence = to_json(self.presence().view(state))
        return encode_snapshot(self._code, state.version, self._context.now(), fields, presence)

    def _fields_for(self, state: RoomState, player: str) -> bytes:
        """What a player sees, encoded once for all who see the same: a hundred may come at once."""
        if self._fields_version != state.version:
            self._fields, self._fields_version = {}, state.version
        came = self._came[player]
        since = hears_since(state, player, came)
        viewer = state.seat_of(player), player == state.owner, asks(state, player), since
        if viewer not in self._fields:
            self._fields[viewer] = to_json(room_fields(state, player, came))
        return self._fields[viewer]

    def start_afresh(self) -> None:
        """Send everyone a snapshot: the state was folded anew."""
        self._public = PublicView(self._room.state) if self.subscribers else None
        self._fields = {}
        for one in self.subscribers:
            self.send_snapshot(one)

    def send_thinking(self, notice: notices.Thinking) -> None:
        """Send what a bot thinks, where the room shows it; what comes before its first thought, always."""
        thoughtless = not notice.report.nodes and not notice.report.candidates
        if thoughtless or shows_thoughts(self._room.state):
            self.send_notice(notice)

    def show_typing(self, player: str, name: str) -> None:
        """Let those who read a player's chat know that they write there, where they may."""
        state = self._room.state
        role = role_of(state, player)
        if refusal_of("say", situation(state), role) is None:
            channel, shown = chat_author(state, role, name)
            self.send_notice(notices.Typing(self._code, channel, shown), channel, but=player)

    def send_notice(self, notice: RoomNotice, channel: Channel | None = None, but: str = "") -> None:
        """Send a notice to everyone here and at other nodes, or to those alone who read a channel.

        The player `but` does not get it.
        """
        self.send(encode_to_client(notice), channel, but)
        self._context.node.relay(notice, channel, but)

    def send(self, message: bytes, channel: Channel | None = None, but: str = "") -> None:
        """Send everyone here the same: see `send_notice`."""
        if channel is None and not but:
            for one in self.subscribers:
                one.send(message)
            return
        state = self._room.state
        for one in self.subscribers:
            if one.player != but and channel in (None, channel_of(state.seat_of(one.player))):
                one.send(message)

    def presence_changed(self) -> None:
        """Send everyone the presence, soon."""
        if self._timer is None and not self._stopped:
            self._timer = self._context.later(PRESENCE_DELAY, self._send_presence)

    def _send_presence(self) -> None:
        self._timer = None
        self._presence_changed()
        if self.subscribers:
            changed = self.presence().view(self._room.state)
            self.send(encode_to_client(notices.Presence(self._code, changed)))
            self._await_grace()

    def _await_grace(self) -> None:
        """Send the presence again once somebody's grace has passed."""
        now, grace = self._context.now(), 1000 * AWAY_GRACE
        left = [since + grace - now for since in self.away() if since is not None and since + grace > now]
        if self._grace is None and left:

            def passed() -> None:
                self._grace = None
                self.presence_changed()

            self._grace = self._context.later(min(left) / 1000, passed)
