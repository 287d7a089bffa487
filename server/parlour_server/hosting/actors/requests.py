"""A command on its way to an actor, and the callback that gets its reply."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from parlour_protocol.ids import Version
from parlour_server.refusals import Refusal

ReplyCallback = Callable[[str, str, Version, Refusal | None], None]
"""Called once with the command's id, the log's key and version, and why it was refused.

None: it is accepted, and durable. The key is empty where there is no log.
"""


@dataclass(slots=True)
class Request:
    """A command with its author."""

    command: Any
    by: str
    id: str
    reply: ReplyCallback
    received_at: int = field(default=0, kw_only=True)
    """When it came in, in milliseconds since 1970; 0: just now, and always for the server's own."""
    caught_up: bool = field(default=False, kw_only=True)
    """Has the log been read on for this one already?"""

    def note_received(self, at: int) -> None:
        """It came in at that time at the latest, and has to wait.

        For a command of the server's own, which has no author, it does not matter when it was first given:
        what it asks is decided as of when its turn comes.
        """
        if self.by:
            self.received_at = self.received_at or at


def no_reply(command_id: str, key: str, version: Version, refusal: Refusal | None) -> None:
    """For commands whose author needs no reply."""
