"""A room without a server, and what one would send to a viewer: made by the server's own view code."""

from collections.abc import Iterable

from parlour_protocol import notices
from parlour_protocol.codec import decode_to_client, encode_event, encode_fact, encode_to_client
from parlour_protocol.events import ChatPosted, Event, KnownEvent, MovePlayed, SeatLeft, SeatTaken, Snapshot
from parlour_server.log import LogRecord
from parlour_server.room.view import (
    PresenceState,
    PublicView,
    ViewChange,
    chat_change,
    chat_place,
    room_view,
    seat_change,
)
from tests.support.rooms import ADA, HERE, Table


class Feed(Table):
    """A table, and the messages to one viewer since these events."""

    def __init__(self, events: Iterable[KnownEvent], viewer: str = ADA) -> None:
        self._public: PublicView | None = None
        super().__init__(events)
        self._public = PublicView(self.state)
        self._viewer = viewer
        self._unread: list[Event] = []

    def fold(self, record: LogRecord) -> None:
        super().fold(record)
        if self._public is not None:
            self._unread.append(self._message(self._public, record))

    def _message(self, public: PublicView, record: LogRecord) -> Event:
        event, reads, moved = record.event, False, b""
        change = ViewChange({}, {})
        if isinstance(event, ChatPosted):
            place = chat_place(self.state, event, self._viewer, 0)
            change, reads = chat_change(self.state, event, place), place is not None
        elif isinstance(event, MovePlayed):
            moved = public.move(self.state, event)
        else:
            change = public.change(self.state, event)
            if self._viewer == _who_changed_seat(record):
                change = seat_change(self.state, self._viewer, 0, change)
        fact = encode_fact(event, channel=reads)
        message = decode_to_client(
            encode_event(self.state.code, self.state.version, record.at, fact, moved or change.encoded())
        )
        assert isinstance(message, Event)
        return message

    def unread(self) -> list[Event]:
        """The events' messages since the last call."""
        unread, self._unread = self._unread, []
        return unread

    def snapshot(self, presence: PresenceState = HERE) -> Snapshot:
        """The room as it is."""
        view = room_view(self.state, self._viewer, presence)
        sent = encode_to_client(Snapshot(self.state.code, self.state.version, self.now, view))
        message = decode_to_client(sent)
        assert isinstance(message, Snapshot)
        return message

    def presence(self, presence: PresenceState) -> notices.Presence:
        """Who is connected."""
        sent = encode_to_client(notices.Presence(self.state.code, presence.view(self.state)))
        message = decode_to_client(sent)
        assert isinstance(message, notices.Presence)
        return message


def _who_changed_seat(record: LogRecord) -> str | None:
    """The player who sat down or stood up."""
    event = record.event
    if isinstance(event, SeatTaken):
        return event.player
    return record.by if isinstance(event, SeatLeft) else None
