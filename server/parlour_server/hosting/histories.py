"""What was played, read from the store: a player's rooms, a room's games, one game as it was played."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import structlog

from parlour_protocol.errors import Code
from parlour_protocol.events import GameStarted
from parlour_protocol.ids import parse_code
from parlour_protocol.records import GameRecord, PastRoom, RoomHistory
from parlour_server.games import UnknownGame
from parlour_server.hosting.folding import beside
from parlour_server.room.game_record import game_record, past_room, room_history
from parlour_server.room.log import LogRecord
from parlour_server.room.refusals import Refusal, no_such_room
from parlour_server.store.port import Store, StoreError

log = structlog.get_logger()

MOST_PAST = 50
"""Rooms in a player's history: the last used ones."""

T = TypeVar("T")


class Histories:
    """Answers from the logs. Raises `Refusal` for what isn't there, or can't be read just now."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def rooms_of(self, player: str) -> list[PastRoom]:
        """A player's rooms, the last used first; those that can't be read are left out."""
        found = []
        try:
            for code in await self._store.rooms_of(player, MOST_PAST):
                try:
                    records = await self._store.read(code)
                    found.append(await beside(records, partial(past_room, code, records, player)))
                except Exception as error:
                    log.warning("a room of somebody's can't be read", room=code, exc_info=error)
        except StoreError as error:
            log.error("a player's rooms can't be read", exc_info=error)
            said = "Your rooms can't be read just now."
            raise Refusal(Code.INTERNAL, said, retry_after=2.0) from error
        return found

    async def games_of(self, room: str, viewer: str) -> RoomHistory:
        """The games that were begun in a room."""
        code = parse_code(room) or room
        return await self._read(code, lambda records: room_history(code, records, viewer))

    async def game(self, room: str, viewer: str, number: int | None) -> GameRecord:
        """A game of a room; without a number, `default_game`."""
        code = parse_code(room) or room

        def found(records: Sequence[LogRecord]) -> tuple[GameRecord | None, int]:
            begun = sum(isinstance(record.event, GameStarted) for record in records)
            return game_record(code, records, viewer, number), begun

        record, begun = await self._read(code, found)
        if record is not None:
            return record
        if not begun:
            raise Refusal(Code.NOT_PLAYING, "No game has begun in this room yet.")
        raise Refusal(Code.UNKNOWN_ROOM, f"This room has no game {number}: its last one is game {begun}.")

    async def _read(self, code: str, work: Callable[[Sequence[LogRecord]], T]) -> T:
        """What a room's whole log comes to."""
        try:
            records = await self._store.read(code)
            if records:
                return await beside(records, partial(work, records))
        except UnknownGame as error:
            raise Refusal(Code.UNKNOWN_GAME, str(error)) from None
        except Exception as error:
            log.error("a record can't be made", room=code, exc_info=error)
            said = "This room can't be read just now."
            raise Refusal(Code.INTERNAL, said, retry_after=2.0) from error
        raise no_such_room()
