"""Play on a Parlour server: from a program of one's own, or from a terminal.

    from parlour_client import connect, connect_blocking

`connect` is for asyncio and `connect_blocking` for notebooks and plain scripts; `parlour_client.faults` has
all that they raise. What is named here is imported when it is first used: `parlour --help` needs none of it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from parlour_client.blocking import BlockingParlour, BlockingRoom, connect_blocking
    from parlour_client.bot.position import Position
    from parlour_client.faults import ConnectFailed, ConnectionEnded, Fault, Refused, UsageFault
    from parlour_client.identity import Guest, Kept
    from parlour_client.parlour import Parlour, connect
    from parlour_client.room import Room
    from parlour_protocol.to_server import GivenCandidate as Candidate
    from parlour_protocol.to_server import GivenReport as Report

__all__ = [
    "BlockingParlour",
    "BlockingRoom",
    "Candidate",
    "ConnectFailed",
    "ConnectionEnded",
    "Fault",
    "Guest",
    "Kept",
    "Parlour",
    "Position",
    "Refused",
    "Report",
    "Room",
    "UsageFault",
    "connect",
    "connect_blocking",
]

_HOMES = {
    "parlour_client.blocking": ("BlockingParlour", "BlockingRoom", "connect_blocking"),
    "parlour_client.bot.position": ("Position",),
    "parlour_client.faults": ("ConnectFailed", "ConnectionEnded", "Fault", "Refused", "UsageFault"),
    "parlour_client.identity": ("Guest", "Kept"),
    "parlour_client.parlour": ("Parlour", "connect"),
    "parlour_client.room": ("Room",),
}
_HOME = {name: (home, name) for home, names in _HOMES.items() for name in names} | {
    # What a program says of its own thinking; what everybody is told of it is in `parlour_protocol.views`.
    "Candidate": ("parlour_protocol.to_server", "GivenCandidate"),
    "Report": ("parlour_protocol.to_server", "GivenReport"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home, own_name = _HOME[name]
    return getattr(import_module(home), own_name)


def __dir__() -> list[str]:
    return __all__
