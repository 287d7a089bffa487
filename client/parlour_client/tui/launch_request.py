"""What the full screen begins with: a server, a name, and perhaps a table."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parlour_client.sdk.local_server import ServerTarget
    from parlour_client.sdk.seek import Seek
    from parlour_client.tui.app_port import OpenRoom


@dataclass(frozen=True, slots=True)
class LaunchRequest:
    """What the full screen begins with."""

    place: "Callable[[], AbstractContextManager[ServerTarget]]"
    """The server to talk to, for as long as it is entered. Entering may take long. Raises `ParlourError`."""
    name: str | None = None
    """The name chosen with --as."""
    first: "OpenRoom | None" = None
    """The way to the table that is opened at once; None: the lobby."""
    taken: str = ""
    """What is shown while that is under way."""
    seek: "Seek | None" = None
    """The game that somebody is sought for at once."""
    wall: float | None = None
    """All running games are shown, each for so many seconds, in place of the lobby; None: they are not."""
    tournament: str | None = None
    """The code of the tournament that is shown at once."""
    joins: bool = False
    """Does one take part in it by that?"""

    @property
    def asks(self) -> bool:
        """Is more asked for than the lobby?"""
        return any(one is not None for one in (self.first, self.seek, self.wall, self.tournament))
