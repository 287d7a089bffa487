"""A seek: a game against the next player who wants the same, or after a while against a bot."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parlour_client.sdk.client import Client
    from parlour_client.sdk.room import Room
    from parlour_protocol.commands import AskedSettings


@dataclass(frozen=True, slots=True)
class Seek:
    """What is played, and which bot sits down where nobody has come `after` so many seconds."""

    game: str
    settings: "AskedSettings | None" = None
    bot: str | None = None
    after: float = 0.0

    async def start(self, client: "Client") -> "Room":
        """Take a seat to wait in, or to play at once. Raises `Refused`, for a bot that can't be as well."""
        return await client.quick(self.game, bot=self.bot, bot_after=self.after, settings=self.settings)

    async def call_bot(self, room: "Room") -> None:
        """Seat the bot now, unless somebody comes in the same moment: all the better. Raises `Refused`."""
        from parlour_client.sdk.errors import Refused
        from parlour_protocol.errors import Code

        try:
            await room.add_bot(self.bot or "")
        except Refused as refused:
            if refused.code not in (Code.ROOM_FULL, Code.SEAT_TAKEN):
                raise

    async def withdraw(self, room: "Room") -> None:
        """Leave no room behind where nobody waits any more, and keep no opponent waiting."""
        from parlour_client.sdk.client import UNDO_SECONDS
        from parlour_client.sdk.errors import ParlourError

        # Where somebody has just come the room is theirs, too, and can't be closed: they see us leave it.
        steps = (room.close, room.abort, room.leave, room.unwatch)
        with suppress(TimeoutError):
            async with asyncio.timeout(UNDO_SECONDS):
                for step in steps:
                    with suppress(ParlourError):
                        await step()
                    if room.ended:
                        return
