"""A game that is wanted: from a dialog, a card or a command line, to a room."""

import asyncio
import secrets
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from parlour_client.sdk.client import Client
    from parlour_client.sdk.room import Room
    from parlour_client.sdk.source import Source
    from parlour_client.tui.app_port import Then
    from parlour_protocol.ids import Seat

FRIEND = "a friend"
ANYBODY = "anyone"
PEOPLE = (FRIEND, ANYBODY)
"""Opponents that are no bots; no bot's name has a space."""


Side = Literal["first", "second", "random", "none"]


@dataclass(frozen=True, slots=True)
class GameRequest:
    """A game against somebody. `settings` are those of `RoomSettings` that differ from the usual."""

    game: str
    opponent: str
    """A bot with its settings, or one of `PEOPLE`."""
    side: Side = "first"
    """One's own seat; with `none` one watches, and the opponent has the first one."""
    settings: dict[str, Any] = field(default_factory=dict)
    source: "Source | None" = None
    """The game whose position it is played on from."""
    other: str = ""
    """The bot in the second seat, where one watches."""

    async def get(self, parlour: "Client") -> "Room":
        """Make the room, or find one, and sit down, or watch. Raises `ParlourError`."""
        if self.opponent == ANYBODY:
            return await parlour.quick(self.game, **self.settings)
        game, moves = self.game, ""
        if self.source is not None:
            from parlour_client.sdk.records import beginning

            game, moves = await beginning(parlour, self.source)
        bot = None if self.opponent == FRIEND else self.opponent
        if self.side == "none":
            room = await parlour.create(game, opponent=bot, seat=None, moves=moves, **self.settings)
            return await self._seat_other(room)
        seat: Seat = secrets.choice((0, 1)) if self.side == "random" else 1 if self.side == "second" else 0
        return await parlour.create(game, opponent=bot, seat=seat, moves=moves, **self.settings)

    async def _seat_other(self, room: "Room") -> "Room":
        try:
            await room.add_bot(self.other, 1)
        except BaseException:
            # What could not be made whole must not stay behind.
            await self.undo(room)
            raise
        return room

    async def undo(self, room: "Room") -> None:
        """Leave no room behind that nobody will see, and keep no opponent waiting."""
        from parlour_client.sdk.client import UNDO_SECONDS
        from parlour_client.sdk.errors import ParlourError

        met = self.opponent == ANYBODY and room.view.phase != "waiting"
        # A room that somebody else is in stays theirs; they see us leave it.
        steps = (room.abort, room.leave, room.unwatch) if met else (room.close,)
        with suppress(TimeoutError):
            async with asyncio.timeout(UNDO_SECONDS):
                for step in steps:
                    with suppress(ParlourError):
                        await step()

    def __str__(self) -> str:
        if self.side == "none":
            return f"{self.game}: {self.opponent} against {self.other}"
        return f"{self.game} against {self.opponent}"


def bot_after(seconds: float, bot: str) -> "Then":
    """What is done at a table where one waits: after so many seconds without anybody this bot sits down."""

    async def then(room: "Room") -> None:
        from parlour_client.sdk.errors import Refused
        from parlour_protocol.errors import Code

        await asyncio.sleep(seconds)
        if room.ended or room.view.phase != "waiting" or room.seat is None:
            return
        try:
            await room.add_bot(bot)
        except Refused as refused:
            # Somebody came in the same moment: all the better.
            if refused.code not in (Code.ROOM_FULL, Code.SEAT_TAKEN):
                raise

    return then
