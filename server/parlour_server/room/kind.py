"""The room as a kind of thing that is what its log says: its pure functions together."""

from parlour_server.aggregate import Aggregate
from parlour_server.log import ROOM as KIND
from parlour_server.room.decide import decide
from parlour_server.room.state import RoomState, effort, evolve


def _is_closed(state: RoomState) -> bool:
    return state.phase == "closed"


ROOM = Aggregate(KIND, "room", RoomState, decide, evolve, RoomState.answer, effort, _is_closed)
