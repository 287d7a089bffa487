"""Hints from server to server that a room's log has grown: the payloads of NOTIFY.

A payload is the name of the node that appended, and `ROOM:VERSION` for each room; version 0 says that its log
was rewritten at the same versions.
"""

from collections.abc import Iterable
from typing import NamedTuple

CHANNEL = "parlour"
PAYLOAD_BYTES = 7_900
"""PostgreSQL takes 7,999 at most. Codes and names of nodes are ASCII."""


class Hint(NamedTuple):
    """What one node says of some rooms."""

    node: str
    rooms: dict[str, int]
    """The version that each stands at now, or `cluster.REWRITTEN`."""


def payloads(node: str, rooms: Iterable[tuple[str, int]]) -> list[str]:
    """As few payloads as hold these rooms and their versions; none for no room."""
    found: list[str] = []
    parts, length = [node], len(node)
    for room, version in rooms:
        part = f"{room}:{version}"
        if length + len(part) >= PAYLOAD_BYTES:
            found.append(" ".join(parts))
            parts, length = [node], len(node)
        parts.append(part)
        length += len(part) + 1
    return [*found, " ".join(parts)] if len(parts) > 1 else found


def parse(payload: str) -> Hint:
    """A hint from its payload. Raises `ValueError` for one that is not ours."""
    node, *parts = payload.split(" ")
    pairs = (part.split(":") for part in parts)
    return Hint(node, {room: int(version) for room, version in pairs})
