"""What was played, read from the store: a player's rooms, a room's games, one game as it was played."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import structlog

from parlour_protocol.errors import Code
from parlour_protocol.events import GameStarted, MovePlayed
from parlour_protocol.ids import Version, parse_code
from parlour_protocol.views.records import GameRecord, Opponent, PastRoom, RoomHistory, Tally
from parlour_protocol.words import Sentence
from parlour_server.games import UnknownGame
from parlour_server.hosting.context import Context
from parlour_server.hosting.cooperative_replay import free
from parlour_server.hosting.rooms.removed_rooms import MOST_REMOVED, RemovedRooms
from parlour_server.log import LogRecord, Steps
from parlour_server.refusals import Refusal, no_such_room
from parlour_server.room.game_record import game_record, past_room, room_history
from parlour_server.store.port import StoreError

log = structlog.get_logger()

MOST_PAST = 50
"""Rooms in a player's history: the last used ones."""
MOST_BETWEEN = 500
"""Games of two players that are counted: the last ones."""
PAST_AT_ONCE = 10
"""How many of them are read for one answer."""
GAMES_KEPT = 4
"""How many games are kept while they are fetched in parts: each part would else be read from the log."""

T = TypeVar("T")

Read = Callable[[int], None]
"""Called with the number of records that were read, by `records_read`: what an answer has cost."""
CANDIDATES_OF_A_RECORD = 9
"""So many of the moves in a bot's report take as long to read as a record without one."""

_Game = tuple[str, str, int]
"""A room, a viewer, and the number of a game."""


class Histories:
    """Answers from the logs. Raises `Refusal` for what isn't there, or can't be read just now.

    One log is in memory at a time: it may be large, and there are many who ask.
    """

    def __init__(self, context: Context, came: Callable[[str, str], Version | None]) -> None:
        self._context = context
        self._came = came
        """The version at which a player first subscribed to a room, if that is known."""
        self._store, self._replay = context.store, context.replay
        self.removed = RemovedRooms(context.store)
        self._turn = asyncio.Lock()
        self._kept: dict[_Game, tuple[Version, GameRecord]] = {}
        """The version of the log that each was read from; the one asked for last comes last."""

    async def rooms_of(self, player: str, after: int, read: Read) -> tuple[list[PastRoom], bool]:
        """A player's rooms after the first `after`, the last used first; and are there more?

        Those that can't be read are left out.
        """
        try:
            removed = set(await self.removed.of(player))
            codes = await self._store.rooms_of(player, MOST_PAST + len(removed))
        except StoreError as error:
            log.error("a player's rooms can't be read", exc_info=error)
            raise Refusal(Code.INTERNAL, Sentence("refusal.history_unreadable"), retry_after=2.0) from error
        codes = [code for code in codes if code not in removed][:MOST_PAST]
        end = after + PAST_AT_ONCE
        found = []
        for code in codes[after:end]:
            try:
                async with self._turn:
                    records = await self._store.read(code)
                    read(records_read(records))
                    found.append(await self._replay.run(partial(past_room, code, player=player), records))
            except Exception as error:
                log.warning("a room of a player's history can't be read", room=code, exc_info=error)
        return found, end < len(codes)

    async def remove(self, room: str, player: str, read: Read, *, back: bool = False) -> str:
        """Leave a room out of its player's rooms, or take it in again; gives its code."""
        code = parse_code(room) or room
        if code not in await self._store.rooms_of(player, MOST_PAST + MOST_REMOVED):
            raise no_such_room()
        past, _ = await self._read(code, partial(past_room, code, player=player), read)
        if not past.removable and not back:
            raise Refusal(Code.NOT_ALLOWED, Sentence("refusal.not_removable"))
        await self.removed.change(player, code, removed=not back)
        return code

    async def between(self, player: str, other: str, read: Read) -> Tally:
        """How a player's last games against another one ended."""
        games = await self._store.games_between(player, other, MOST_BETWEEN)
        read(len(games))
        tally = Tally()
        for game in games:
            game.count_for(player, tally)
        return tally

    async def met(self, player: str, read: Read) -> list[Opponent]:
        """How a player's last games against each person ended, whom they met last first."""
        games = await self._store.games_between(player, None, MOST_BETWEEN)
        read(len(games))
        found: dict[str, Opponent] = {}
        for game in games:
            (their,) = (one for one in game.summary.players if one.player != player)
            game.count_for(player, found.setdefault(their.player, Opponent(name=their.name, at=game.at)))
        return [one for one in found.values() if one.wins + one.losses + one.draws][:MOST_PAST]

    async def games_of(self, room: str, viewer: str, read: Read) -> RoomHistory:
        """The games that were begun in a room."""
        code = parse_code(room) or room
        history, _ = await self._read(code, partial(room_history, code, viewer=viewer), read)
        return history

    async def game(self, room: str, viewer: str, number: int | None, read: Read) -> GameRecord:
        """A game of a room; without a number, `default_game`."""
        code = parse_code(room) or room
        if number is not None and (record := await self._find(code, viewer, number)) is not None:
            return record
        work = partial(_game, code, viewer=viewer, number=number, came=self._came(code, viewer))
        found, version = await self._read(code, work, read)
        record, begun = found
        if record is not None:
            self._keep(code, viewer, record, version)
            return record
        if not begun:
            raise Refusal(Code.NOT_PLAYING, Sentence("refusal.no_game_yet"))
        raise Refusal(
            Code.UNKNOWN_ROOM, Sentence("refusal.no_such_game_of_room", number=number or 0, last=begun)
        )

    def fetched(self, viewer: str, record: GameRecord) -> None:
        """A game has been sent as a whole, or is not needed any more: it is emptied."""
        self._drop((record.room, viewer, record.number))

    def _keep(self, code: str, viewer: str, record: GameRecord, version: Version) -> None:
        self._drop((code, viewer, record.number))
        if len(self._kept) == GAMES_KEPT:
            self._drop(next(iter(self._kept)))
        self._kept[code, viewer, record.number] = version, record

    def _drop(self, key: _Game) -> None:
        _, record = self._kept.pop(key, (0, None))
        if record is not None:
            self._context.spawn(free(record.moves))

    async def _find(self, code: str, viewer: str, number: int) -> GameRecord | None:
        """A game that is kept, unless something has happened in its room since it was read."""
        key = code, viewer, number
        version, record = self._kept.get(key, (0, None))
        if record is None:
            return None
        try:
            later = await self._store.read(code, version)
        except StoreError:
            return None  # reading all of it will say so
        # It may have been dropped meanwhile.
        return None if later or self._kept.get(key, (0, None))[1] is not record else record

    async def _read(
        self, code: str, work: Callable[[Sequence[LogRecord]], Steps[T]], read: Read
    ) -> tuple[T, Version]:
        """What a room's whole log comes to, and its version."""
        try:
            async with self._turn:
                records = await self._store.read(code)
                if version := len(records):
                    read(records_read(records))
                    return await self._replay.run(work, records), version
        except UnknownGame as error:
            raise Refusal(Code.UNKNOWN_GAME, str(error)) from None
        except Exception as error:
            log.error("a record can't be made", room=code, exc_info=error)
            raise Refusal(Code.INTERNAL, Sentence("refusal.unreadable"), retry_after=2.0) from error
        raise no_such_room()


def records_read(records: Sequence[LogRecord]) -> int:
    """How many records these count as: those with a report for more than one, by its length."""
    reports = (one.event.report for one in records if isinstance(one.event, MovePlayed))
    candidates = sum(len(report.candidates) for report in reports if report is not None)
    return len(records) + candidates // CANDIDATES_OF_A_RECORD


def _game(
    code: str, records: Sequence[LogRecord], viewer: str, number: int | None, came: Version | None
) -> Steps[tuple[GameRecord | None, int]]:
    """A game, and how many were begun."""
    record = yield from game_record(code, records, viewer, number, came)
    if record is not None:
        return record, record.number
    begun = 0
    for one in records:
        yield 1
        begun += isinstance(one.event, GameStarted)
    return None, begun
