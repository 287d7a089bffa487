"""The store in memory: the clearest one, for tests and for games that need not outlive the server."""

from collections.abc import Collection, Sequence
from itertools import islice
from pathlib import Path

from parlour_protocol.events import RoomClosed, SeatTaken
from parlour_protocol.ids import Version
from parlour_protocol.words import Sentence
from parlour_server.log import AnyRecord, LogRecord, closes, is_room
from parlour_server.store.anonymise import anonymous
from parlour_server.store.entries import ENTERED, Entries
from parlour_server.store.finished_games import FinishedGame, without_player
from parlour_server.store.port import (
    MORE_TOKENS,
    REMOVED_ROOMS,
    Checkpoint,
    Done,
    Found,
    NotSaved,
    Player,
    Progress,
    Store,
    VersionConflict,
)


class MemoryStore(Store):
    """Keeps everything until the process ends."""

    def __init__(self) -> None:
        self._rooms: dict[str, list[LogRecord]] = {}
        self._others: dict[str, list[AnyRecord]] = {}
        """The logs of other kinds."""
        self._used: dict[str, None] = {}
        """The last used room last."""
        self._came: dict[tuple[str, str], str] = {}
        """Where a player's command led to, by the player and its id."""
        self._players: dict[str, Player] = {}
        self._more_tokens: dict[str, dict[str, None]] = {}
        """The hashes of those that each player has beside the first one, the oldest first."""
        self._visitors: dict[str, int] = {}
        """Players who have done nothing so far, and when they came."""
        self._games: list[FinishedGame] = []
        self._games_of: dict[str, list[int]] = {}
        """Which of them each player has played."""
        self._checkpoints: dict[str, Checkpoint] = {}

    def append(self, key: str, expected: Version, records: Sequence[AnyRecord], done: Done) -> None:
        """See `Store.append`. Durable at once, as far as memory is."""
        room = is_room(key)
        logs = self._rooms if room else self._others
        log = logs.get(key, [])
        if len(log) != expected:
            done(VersionConflict(f"log {key} stands at {len(log)}, not at {expected}"))
            return
        log.extend(records)
        logs[key] = log
        if room:
            self._used.pop(key, None)
            self._used[key] = None
            if not ENTERED.isdisjoint([type(record.event) for record in records]):
                self._enter(key, expected, records)
        done(None)

    def _enter(self, room: str, expected: Version, records: Sequence[LogRecord]) -> None:
        entries = Entries()
        entries.add(room, expected, records)
        self._came.update({(player, command): room for player, command, room in entries.came})
        for player, _ in entries.visits:
            self._visitors.pop(player, None)
        for number, game in enumerate(entries.games, len(self._games)):
            for one in game.summary.players:
                self._games_of.setdefault(one.player, []).append(number)
        self._games += entries.games

    def _logs(self, key: str) -> dict[str, list[AnyRecord]]:
        return self._rooms if is_room(key) else self._others

    async def read(self, key: str, after: Version = 0) -> list[AnyRecord]:
        return self._logs(key).get(key, [])[after:]

    async def open_rooms(self, since: int = 0) -> list[str]:
        return [
            room
            for room, log in self._rooms.items()
            if not isinstance(log[-1].event, RoomClosed) and log[-1].at >= since
        ]

    async def open_others(self) -> list[str]:
        return [key for key, log in self._others.items() if not closes(log[-1].event)]

    def room_by(self, player: str, command: str, found: Found) -> None:
        found(self._came.get((player, command)), None)

    async def rooms_of(self, player: str, most: int) -> list[str]:
        return [room for room in reversed(self._used) if _sat(self._rooms[room], player)][:most]

    async def finished_games(self, after: int, most: int) -> list[tuple[int, FinishedGame]]:
        return list(enumerate(self._games[after : after + most], after + 1))

    async def games_between(self, player: str, other: str | None, most: int) -> list[FinishedGame]:
        own = (self._games[number] for number in reversed(self._games_of.get(player, [])))
        return list(islice((game for game in own if game.is_between(player, other)), most))

    async def checkpoint(self, name: str) -> Checkpoint:
        return self._checkpoints.get(name, Checkpoint())

    async def move_checkpoint(self, name: str, before: int, new: Checkpoint) -> bool:
        if (await self.checkpoint(name)).after != before:
            return False
        self._checkpoints[name] = new
        return True

    async def prune(self, before: int, spared: Collection[str] = ()) -> list[str]:
        old = [room for room, log in self._rooms.items() if log[-1].at < before and room not in spared]
        for room in old:
            del self._rooms[room], self._used[room]
        self._came = {wish: room for wish, room in self._came.items() if room in self._rooms}
        return old

    def note_alive(self, at: int) -> None:
        """See `Store.note_alive`. What dies with us needs no note."""

    async def last_alive(self) -> int:
        return 0

    async def add_player(self, token_hash: str, player: Player, at: int) -> None:
        self._players[token_hash] = player
        self._visitors[player.id] = at

    async def add_token(self, token_hash: str, player: str) -> bool:
        known = next((one for one in self._players.values() if one.id == player), None)
        if known is None:
            return False
        self._players[token_hash] = known
        more = self._more_tokens.setdefault(player, {})
        more.pop(token_hash, None)
        more[token_hash] = None
        if len(more) > MORE_TOKENS:
            oldest = next(iter(more))
            del more[oldest], self._players[oldest]
        self._visitors.pop(player, None)
        return True

    async def find_player(self, token_hash: str) -> Player | None:
        return self._players.get(token_hash)

    async def forget_visitors(self, before: int, spared: Collection[str] = ()) -> int:
        gone = {player for player, at in self._visitors.items() if at < before} - set(spared)
        self._forget(gone)
        return len(gone)

    async def players_named(self, name: str) -> list[Player]:
        return list({one.id: one for one in self._players.values() if one.name == name}.values())

    async def forget_player(self, player: str) -> list[str]:
        self._forget({player})
        changed = []
        for room, log in self._rooms.items():
            without = [anonymous(record, player) for record in log]
            if any(new is not old for new, old in zip(without, log, strict=True)):
                self._rooms[room] = without
                changed.append(room)
        for number in self._games_of.pop(player, []):
            self._games[number] = without_player(self._games[number], player)
        return changed

    async def backup(self, to: Path, progress: Progress) -> None:
        raise NotSaved(Sentence("store.in_memory"))

    def _forget(self, players: Collection[str]) -> None:
        self._players = {key: one for key, one in self._players.items() if one.id not in players}
        for player in players:
            self._visitors.pop(player, None)
            self._more_tokens.pop(player, None)
            self._checkpoints.pop(REMOVED_ROOMS + player, None)

    async def used(self) -> int:
        return 0

    async def check(self) -> None:
        """Memory is always there to save in."""

    async def close(self) -> None:
        """Nothing to close."""


def _sat(log: list[LogRecord], player: str) -> bool:
    events = [record.event for record in log if isinstance(record.event, SeatTaken)]
    return any(event.player == player and event.bot is None for event in events)
