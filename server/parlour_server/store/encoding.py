"""Events as the bytes that stand in a store: JSON, compressed where it is long."""

from typing import Annotated
from zlib import compress, decompress

from pydantic import Field, TypeAdapter

from parlour_protocol.events import EVENTS, KnownEvent

COMPRESSED_ABOVE = 400
"""Bytes. What is longer carries a bot's report: 1,300 to 1,800 bytes on average, 340 to 370 compressed."""
_LEVEL = 1
"""Within 20 us. The sixth takes a twentieth off the size."""
_PLAIN = ord("{")
"""What an event begins with that is not compressed."""

_StoredEvent = Annotated[KnownEvent, Field(discriminator="kind")]
_to_json = {kind: TypeAdapter(kind).serializer.to_json for kind in EVENTS}

read_event = TypeAdapter[KnownEvent](_StoredEvent).validate_json
"""The event of its JSON. Raises `ValueError` for one that we don't know."""


def encode_event(event: KnownEvent) -> bytes:
    """The bytes of an event."""
    json = _to_json[type(event)](event)
    return compress(json, _LEVEL) if len(json) > COMPRESSED_ABOVE else json


def event_json(stored: bytes) -> bytes:
    """The JSON of an event's bytes. Raises `zlib.error` where they are damaged."""
    return stored if stored[0] == _PLAIN else decompress(stored)
