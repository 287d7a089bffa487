"""Text to message and message to text: the door that strangers' bytes come in by.

Past it everything has a type. A message that can't be read raises `BadMessage`, which knows the
code, the sentence and, where it could be found, the id to answer with.
"""

import json
import re
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache, reduce
from json.encoder import encode_basestring
from operator import or_
from typing import Annotated, Any

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core import from_json, to_json

from parlour_protocol.answers import Answer, Refused
from parlour_protocol.commands import COMMANDS, TO_SERVER, ToServer
from parlour_protocol.errors import Code
from parlour_protocol.events import EVENTS, Event, MovePlayed, Snapshot, fields_marked
from parlour_protocol.ids import Version
from parlour_protocol.messages import Notice, RoomMessage, answer_type
from parlour_protocol.notices import NOTICES
from parlour_protocol.words import Sentence, what_is_wrong

ToClient = Answer | RoomMessage | Notice
"""What a server sends."""

ANSWERS: tuple[type[Any], ...] = (*dict.fromkeys(map(answer_type, COMMANDS)), Refused)
UNASKED: tuple[type[Any], ...] = (Event, Snapshot, *NOTICES)
TO_CLIENT = (*ANSWERS, *UNASKED)


def one_of(kinds: tuple[type[Any], ...], config: ConfigDict | None = None) -> TypeAdapter[Any]:
    """Reads a message of one of these kinds, by its `type`."""
    union: Any = Annotated[reduce(or_, kinds), Field(discriminator="type")]
    return TypeAdapter(union, config=config)


MAX_MESSAGE_BYTES = 16 * 1024
"""The most that a server takes in one message, unless it says otherwise in its welcome."""

_read_to_server = one_of(TO_SERVER, {"cache_strings": "keys"}).validator.validate_json
# Built when it is first read with: by a client, not on a server's way to being ready.
_to_client = one_of(TO_CLIENT, {"defer_build": True})


class _Writers(dict[type, Callable[..., bytes]]):
    """A serializer for each type of message, built when the first of them is written.

    Finding it by type costs less than asking a union of them all.
    """

    def __missing__(self, kind: type) -> Callable[..., bytes]:
        writer = self[kind] = TypeAdapter[Any](kind).serializer.to_json
        return writer


_message_writers = _Writers()
quoted = lru_cache(maxsize=4096)(to_json)
"""A text, such as a move's, as JSON."""

_fact_writers = {
    kind: (
        TypeAdapter[Any](kind).serializer.to_json,
        fields_marked(kind, "private") or None,
        fields_marked(kind, "private", "channel") or None,
    )
    for kind in EVENTS
}


class BadMessage(ValueError):
    """A message that can't be read.

    `refused` answers it: with the command's id where that could be found, and with the field that is wrong.
    """

    def __init__(self, refused: Refused) -> None:
        super().__init__(refused.message)
        self.refused = refused


def decode_to_server(text: str | bytes) -> ToServer:
    """Read what a client sent. Raises `BadMessage`."""
    try:
        message: ToServer = _read_to_server(text)
    except ValidationError as error:
        raise explain(error, text) from None
    return message


def encode_to_server(message: ToServer) -> str:
    """Write what a client sends."""
    return _message_writers[type(message)](message, exclude_none=True).decode()


def decode_to_client(text: str | bytes) -> ToClient | None:
    """Read what a server sent; None for a kind of message that this client is too old for.

    Raises `BadMessage` where a known message is malformed.
    """
    try:
        message: ToClient = _to_client.validate_json(text)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)[0]
        if found["type"] == "union_tag_invalid" and not found["loc"]:
            return None
        raise explain(error, text) from None
    return message


def encode_to_client(message: ToClient) -> bytes:
    """Write what a server sends. Trusts the message: it was built from types, not from strangers."""
    return _message_writers[type(message)](message, exclude_none=True)


def encode_accepted(command_id: str, room: str, version: Version) -> bytes:
    """Write an `Accepted`, the answer to every move, at a third of the cost of `encode_to_client`."""
    id_, key = encode_basestring(command_id), encode_basestring(room)
    return f'{{"id":{id_},"room":{key},"version":{version},"type":"accepted"}}'.encode()


def encode_event(room: str, version: Version, at: int, event: bytes, changes: bytes) -> bytes:
    """Write an `Event` from its parts: what `encode_fact` wrote, and `set` and `splice`, each before a comma.

    A whole message would cost twice as much, and the same event goes to viewers who see different changes.
    """
    return b'{"room":"%b","version":%d,"at":%d,"event":%b,%b"type":"event"}' % (
        room.encode(),
        version,
        at,
        event,
        changes,
    )


def encode_move(room: str, version: Version, at: int, event: MovePlayed, changes: bytes) -> bytes:
    """As `encode_event`, for the event that most are: `encode_fact` and all at once."""
    return (
        b'{"room":"%b","version":%d,"at":%d,"event":{"seat":%d,"move":%b,"kind":"move_played"},%b"type":"event"}'
        % (room.encode(), version, at, event.seat, quoted(event.move), changes)
    )


def encode_snapshot(room: str, version: Version, at: int, *views: bytes) -> bytes:
    """Write a `Snapshot` from its view's parts, each a JSON object: most is the same for many viewers."""
    view = b",".join(part[1:-1] for part in views)
    return b'{"room":"%b","version":%d,"at":%d,"view":{%b},"type":"snapshot"}' % (
        room.encode(),
        version,
        at,
        view,
    )


def encode_fact(event: Any, *, channel: bool = False) -> bytes:
    """Write an event's own part, without what is private; what is of a channel with `channel` alone."""
    writer, hidden, silent = _fact_writers[type(event)]
    return writer(event, exclude_none=True, exclude=hidden if channel else silent)


def explain(error: ValidationError, text: str | bytes) -> BadMessage:
    """Turn pydantic's list of errors into one sentence about the first."""
    found = error.errors(include_url=False, include_input=False)[0]
    kind, command_id = found["type"], find_id(text)
    if kind == "json_invalid":
        return BadMessage(Refused(Code.NOT_JSON, Sentence("refusal.not_json"), command_id))
    if kind in ("union_tag_invalid", "union_tag_not_found") and not found["loc"]:
        known = found.get("ctx", {}).get("expected_tags", "").replace("'", "")
        said = Sentence("refusal.unknown_type", known=known) if known else Sentence("refusal.no_type")
        return BadMessage(Refused(Code.UNKNOWN_TYPE, said, command_id))
    # Bounded and free of control characters, since a path may hold what the stranger wrote.
    where = ".".join(str(part) for part in found["loc"][1:])[:60]
    where = "".join(one if one.isprintable() else "?" for one in where)
    if kind == "extra_forbidden":
        said = Sentence("refusal.no_such_field", field=where)
    elif kind == "missing":
        said = Sentence("refusal.missing_field", field=where)
    else:
        why = what_is_wrong(found)
        said = (
            Sentence("refusal.wrong_field", field=where, why=why)
            if where
            else Sentence("refusal.wrong_message", why=why)
        )
    return BadMessage(Refused(Code.BAD_MESSAGE, said, command_id, field=where or None))


def snapshot_of(text: str | bytes) -> str | None:
    """The room that a message, which is not read further, is a snapshot of; None if it is none."""
    data = _fields(text)
    room = data.get("room") if data.get("type") == "snapshot" else None
    return room if isinstance(room, str) else None


def find_id(text: str | bytes) -> str | None:
    """The command's id, for the answer to a message that is not read further; None if it shows none."""
    found = _fields(text).get("id")
    return found if isinstance(found, str) and _ID.fullmatch(found) else None


_ID = re.compile("[^\0\ud800-\udfff]{1,64}")


def _fields(text: str | bytes) -> dict[str, Any]:
    """What stands in a message that is not read further; nothing where it is no JSON object."""
    # The second reads what is JSON, but no text: half of a character that takes two escapes.
    for read in (from_json, json.loads):
        with suppress(ValueError, RecursionError):
            data: Any = read(text)
            return data if isinstance(data, dict) else {}
    return {}
