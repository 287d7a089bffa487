"""Hints from server to server that logs have grown: the payloads of NOTIFY.

A payload is the name of the node that appended, then a line for each log: `KEY:VERSION`, and after tabs
the records that led there, where other nodes follow the log and the line is not long: when, by whom, the
command's id and the event. PostgreSQL sends a hint as it commits, so what it says is what stands.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from pydantic_core import from_json, to_json

from parlour_protocol.ids import Version
from parlour_server.log import AnyRecord, LogRecord
from parlour_server.store.encoding import EventCodecs

CHANNEL = "parlour"
PAYLOAD_BYTES = 7_900
"""PostgreSQL takes 7,999 at most."""
LINE_BYTES = 1_500
"""A longer one goes without its records."""
_PLAIN = b"{"


class Hint(NamedTuple):
    """One node's news of some rooms."""

    node: str
    rooms: dict[str, Version]
    """The version that each stands at now, or `cluster.REWRITTEN`."""
    records: dict[str, list[AnyRecord]]
    """Those that led there, of some of them."""


def line(room: str, version: Version, records: Sequence[AnyRecord] = (), events: Sequence[bytes] = ()) -> str:
    """A room's line; `events` are those of the records, encoded."""
    head = f"{room}:{version}"
    if not records or not all(event.startswith(_PLAIN) for event in events):
        return head
    parts = [head]
    for record, event in zip(records, events, strict=True):
        parts += (str(record.at), record.by, to_json(record.command).decode(), event.decode())
    whole = "\t".join(parts)
    # Of text that is not ASCII each character may take four bytes.
    return whole if (len(whole) if whole.isascii() else 4 * len(whole)) <= LINE_BYTES else head


def parcels(lines: Iterable[str], node: str) -> list[int]:
    """For each line the number of the payload that it goes into, so that none is too long."""
    numbers, number, length = [], 0, len(node)
    for text in lines:
        size = 1 + (len(text) if text.isascii() else 4 * len(text))
        if length + size > PAYLOAD_BYTES:
            number, length = number + 1, len(node)
        length += size
        numbers.append(number)
    return numbers


def parse(payload: str, codecs: EventCodecs, wanted: Callable[[str], bool] = lambda key: True) -> Hint:
    """Decode a payload, as far as its logs are wanted. Raises `ValueError` for one that is not ours."""
    node, *lines = payload.split("\n")
    hint = Hint(node, {}, {})
    for text in lines:
        head, *fields = text.split("\t")
        room, _, version = head.rpartition(":")
        if not wanted(room):
            continue
        hint.rooms[room] = int(version)
        if fields:
            hint.records[room] = [
                LogRecord(codecs.read(room, event), int(at), by, from_json(command))
                for at, by, command, event in zip(*[iter(fields)] * 4, strict=True)
            ]
    return hint
