"""The list of rooms, as a player sees it: what is being played, here and at other nodes."""

from collections import Counter, defaultdict
from itertools import chain

from parlour_protocol.views.rooms import RoomLine
from parlour_server.hosting.actors.registry import Registry
from parlour_server.hosting.limits.rate_limits import is_limited
from parlour_server.hosting.rooms.live_room import LiveRoom
from parlour_server.room.view import room_line

MOST_LISTED = 100
LISTED = {"waiting": 0, "playing": 1, "finished": 2}
"""The phases of the rooms in the list, in its order."""


def list_rooms(rooms: Registry[LiveRoom]) -> list[RoomLine]:
    """What is being played: waiting rooms first, then running ones, the newest first of each.

    Empty ones come last. Where not all have a line, addresses take turns.
    """
    groups: dict[tuple[bool, int], list[LiveRoom]] = defaultdict(list)
    counts: Counter[tuple[bool, int, str]] = Counter()
    for room in reversed(list(rooms.awake())):
        if room.state.phase not in LISTED:
            continue
        key = not any(room.state.seats), LISTED[room.state.phase]
        # Where one address has thousands, most need not be looked at any further.
        if counts[*key, room.address] < MOST_LISTED and _is_listed(room):
            counts[*key, room.address] += 1
            groups[key].append(room)
    chosen = _in_turns(list(chain.from_iterable(groups[key] for key in sorted(groups))))
    lines = [room_line(room.state, room.audience.watching()) for room in chosen]
    others = [line for line in rooms.context.node.remote.lines() if rooms.get(line.room) is None]
    if others:
        lines = sorted(lines + others, key=_listed_at)[:MOST_LISTED]
    return lines


def line_of(rooms: Registry[LiveRoom], code: str) -> RoomLine | None:
    """A room as the list has it; None where it isn't in there."""
    room = rooms.get(code)
    if room is None:
        return rooms.context.node.remote.line(code)
    return room_line(room.state, room.audience.watching()) if _is_listed(room) else None


def _in_turns(rooms: list[LiveRoom]) -> list[LiveRoom]:
    """Those that have a line in the list: where not all can, one of each address, then a second and so on."""
    if len(rooms) <= MOST_LISTED:
        return rooms
    seen: Counter[str] = Counter()
    turns: dict[LiveRoom, int] = {}
    for room in rooms:
        turns[room] = seen[room.address]
        seen[room.address] += is_limited(room.address)
    chosen = set(sorted(rooms, key=turns.__getitem__)[:MOST_LISTED])
    return [room for room in rooms if room in chosen]


def _listed_at(line: RoomLine) -> tuple[bool, int]:
    return line.standing == "empty", LISTED[line.phase]


def _is_listed(room: LiveRoom) -> bool:
    state = room.state
    listed = state.phase in LISTED and state.settings.visibility == "public"
    return listed and not room.quarantined and not room.is_deserted
