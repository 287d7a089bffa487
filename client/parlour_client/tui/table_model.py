"""Everything that a table's screen draws itself from, at one model."""

from dataclasses import dataclass

from parlour_protocol.notices import Thinking
from parlour_protocol.views.reports import Report
from parlour_protocol.views.rooms import RoomView


@dataclass(frozen=True, slots=True)
class TableModel:
    """The state of a table: the room's, and what its player does."""

    view: RoomView
    """With its times as they are now."""
    open: frozenset[str] = frozenset()
    """The names of the actions that are open now."""
    version: int = 0
    server: str = ""
    """Its address, to invite a friend."""
    saved: bool = True
    """The server keeps its games when it ends."""
    lost: float | None = None
    """The connection is lost; the next attempt is in so many seconds."""
    reason: str = ""
    """Why it is lost, or what can be done about it, where that is known."""
    typing: str = ""
    """Who writes in the chat, in words."""
    ended: str = ""
    """Why the room's events are not followed any more."""
    question: str = ""
    refusal: str = ""
    typed: str = ""
    sent: str = ""
    """The latest command without an answer, in words."""
    ply: int | None = None
    """The earlier position that is shown: after so many moves; None: the present one."""
    reviewing: bool = False
    """The review takes the place of the bots' thinking."""
    earlier: bool = False
    """It is one of the room's earlier games, from their list."""
    thinking: Thinking | None = None
    """The search of the bot that is to move."""
    hint: Report | None = None
    """What each of the player's moves is worth, where they asked."""
    searched: Report | None = None
    """What is known of that while it is searched."""
    kept: Report | None = None
    """The report that was kept with the move that led to the earlier position."""


@dataclass(frozen=True, slots=True)
class Space:
    """The room that a part of the screen has to draw itself in."""

    width: int
    height: int
    small: bool = False
    """The screen is so small that it shows the board and little else."""
    footer: bool = True
    """The footer is shown."""
    parts: frozenset[str] = frozenset()
    """The names of the parts of the left column that are shown."""
