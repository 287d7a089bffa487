"""Play on a Parlour server: from a program of one's own, or from a terminal.

    from parlour_client import connect, connect_blocking

`connect` is for asyncio and `connect_blocking` for notebooks and plain scripts; `parlour_client.faults` has
all that they raise. What is named here is imported when it is first used: `parlour --help` needs none of it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from parlour_client.blocking import BlockingParlour, BlockingRoom, connect_blocking
    from parlour_client.faults import ConnectFailed, ConnectionEnded, Fault, Refused, UsageFault
    from parlour_client.identity import Guest, Kept
    from parlour_client.parlour import Parlour, connect
    from parlour_client.room import Room
    from parlour_protocol.views import Candidate, Report

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
    "Refused",
    "Report",
    "Room",
    "UsageFault",
    "connect",
    "connect_blocking",
]

_HOMES = {
    "parlour_client.blocking": ("BlockingParlour", "BlockingRoom", "connect_blocking"),
    "parlour_client.faults": ("ConnectFailed", "ConnectionEnded", "Fault", "Refused", "UsageFault"),
    "parlour_client.identity": ("Guest", "Kept"),
    "parlour_client.parlour": ("Parlour", "connect"),
    "parlour_client.room": ("Room",),
    "parlour_protocol.views": ("Candidate", "Report"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return __all__
