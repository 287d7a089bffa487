"""Which game is meant: one in a room, or one that is written down."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # so that a command line can be read without the wire's types
    from parlour_protocol.views.records import GameRecord


@dataclass(frozen=True, slots=True)
class Source:
    """Where a game is: in a `room` on a `server` (None: the usual one), or here with its `moves`."""

    server: str | None
    room: str | None = None
    number: int | None = None
    """Which of the room's games; None: the last that was not aborted."""
    game: str | None = None
    moves: str = ""
    record: "GameRecord | None" = None
    """All that is known of it, where that was exported."""
    ply: int | None = None
    """The position that is meant: the one after so many moves; None: the last."""
