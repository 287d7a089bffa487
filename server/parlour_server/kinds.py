"""The kinds of things that are what their logs say: each is registered here, and nowhere else.

From this follow what the stores can encode, whose rules `parlour data check` tries, and which actors run.
"""

from typing import Any

from pydantic import TypeAdapter

from parlour_server import log
from parlour_server.aggregate import Aggregate
from parlour_server.log import kind_of
from parlour_server.room.decide import decide
from parlour_server.room.state import RoomState, effort, evolve
from parlour_server.tournament import TOURNAMENT


def _is_closed(state: RoomState) -> bool:
    return state.phase == "closed"


ROOM = Aggregate(log.ROOM, "room", RoomState, decide, evolve, RoomState.answer, effort, _is_closed)

KINDS: tuple[Aggregate[Any], ...] = (ROOM, TOURNAMENT)


def find_kind(key: str) -> Aggregate[Any] | None:
    """The kind of which a log is, by its key; None: it is not known to this version."""
    return next((one for one in KINDS if one.kind == kind_of(key)), None)


def event_types() -> dict[str, TypeAdapter[Any]]:
    """The types of the events of each kind, for stores: see `EventCodecs`."""
    return {one.kind: one.events for one in KINDS if one.events is not None}
