"""Events as the bytes that stand in a store: JSON, compressed where it is long."""

from collections.abc import Mapping
from typing import Annotated, Any
from zlib import compress, decompress

from pydantic import Field, TypeAdapter

from parlour_protocol.events import EVENTS, KnownEvent
from parlour_server.log import ROOM, kind_of

COMPRESSED_ABOVE = 400
"""Bytes. What is longer carries a bot's report: 1,300 to 1,800 bytes on average, 340 to 370 compressed."""
_LEVEL = 1
"""Within 20 us. The sixth takes a twentieth off the size."""
_PLAIN = ord("{")
"""What an event begins with that is not compressed."""

_StoredEvent = Annotated[KnownEvent, Field(discriminator="kind")]
_read_room_event = TypeAdapter[KnownEvent](_StoredEvent).validate_json
_to_json = {kind: TypeAdapter(kind).serializer.to_json for kind in EVENTS}


class EventCodecs:
    """Encodes the events of each kind of log and reads them again: those of rooms, and of more kinds.

    Each event of these has to be an object in JSON.
    """

    def __init__(self, more: Mapping[str, TypeAdapter[Any]] | None = None) -> None:
        more = more or {}
        self._readers = {ROOM: _read_room_event, **{kind: one.validate_json for kind, one in more.items()}}
        self._dumpers = {kind: one.dump_json for kind, one in more.items()}

    def knows(self, key: str) -> bool:
        """Are the events of this log of a kind that we know?"""
        return kind_of(key) in self._readers

    def encode(self, key: str, event: Any) -> bytes:
        """The bytes of an event of this log. Raises `KeyError` for a kind that we don't know."""
        to_json = _to_json.get(type(event)) or self._dumpers[kind_of(key)]
        json = to_json(event)
        return compress(json, _LEVEL) if len(json) > COMPRESSED_ABOVE else json

    def read(self, key: str, json: bytes | str) -> Any:
        """The event of its JSON. Raises `ValueError` for an event, or a kind of log, that we don't know."""
        read = self._readers.get(kind_of(key))
        if read is None:
            raise ValueError(f"there are no logs of the kind {kind_of(key)} in this version")
        return read(json)


ROOMS_ONLY = EventCodecs()


def event_json(stored: bytes) -> bytes:
    """The JSON of an event's bytes. Raises `zlib.error` where they are damaged."""
    return stored if stored[0] == _PLAIN else decompress(stored)
