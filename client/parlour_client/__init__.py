"""Play on a Parlour server: from a program of one's own, or from a terminal.

    from parlour_client import connect, connect_blocking

`connect` is for asyncio and `connect_blocking` for notebooks and plain scripts; all that
they raise is in `parlour_client.sdk.errors`. What is named here is imported when it is first used: `parlour
--help` needs none of it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from parlour_client.bots.position import Position
    from parlour_client.sdk.blocking import BlockingClient, BlockingRoom, connect_blocking
    from parlour_client.sdk.client import Client, connect
    from parlour_client.sdk.errors import ConnectionFailed, ConnectionLost, ParlourError, Refused, UsageError
    from parlour_client.sdk.identity import GuestIdentity, StoredIdentity
    from parlour_client.sdk.room import Room
    from parlour_protocol.views.reports import ProgramCandidate as Candidate
    from parlour_protocol.views.reports import ProgramReport as Report
    from parlour_protocol.views.reports import Score

__all__ = [
    "BlockingClient",
    "BlockingRoom",
    "Candidate",
    "Client",
    "ConnectionFailed",
    "ConnectionLost",
    "GuestIdentity",
    "ParlourError",
    "Position",
    "Refused",
    "Report",
    "Room",
    "Score",
    "StoredIdentity",
    "UsageError",
    "connect",
    "connect_blocking",
]

_HOMES = {
    "parlour_client.sdk.blocking": ("BlockingClient", "BlockingRoom", "connect_blocking"),
    "parlour_client.bots.position": ("Position",),
    "parlour_client.sdk.errors": (
        "ConnectionFailed",
        "ConnectionLost",
        "ParlourError",
        "Refused",
        "UsageError",
    ),
    "parlour_client.sdk.identity": ("GuestIdentity", "StoredIdentity"),
    "parlour_client.sdk.client": ("Client", "connect"),
    "parlour_client.sdk.room": ("Room",),
}
_HOME = {name: (home, name) for home, names in _HOMES.items() for name in names} | {
    # What a program says of its own thinking; what others get of it is in `parlour_protocol.views.reports`.
    "Candidate": ("parlour_protocol.views.reports", "ProgramCandidate"),
    "Report": ("parlour_protocol.views.reports", "ProgramReport"),
    "Score": ("parlour_protocol.views.reports", "Score"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home, own_name = _HOME[name]
    return getattr(import_module(home), own_name)


def __dir__() -> list[str]:
    return __all__
