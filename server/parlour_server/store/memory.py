"""The store in memory: the clearest one, for tests and for games that need not outlive the server."""

from collections.abc import Sequence

from parlour_protocol.ids import Version
from parlour_server.room.events import Record, RoomClosed
from parlour_server.store.port import Done, Player, VersionConflict


class MemoryStore:
    """Keeps everything until the process ends. Closed rooms are forgotten at once."""

    def __init__(self) -> None:
        self._rooms: dict[str, list[Record]] = {}
        self._players: dict[str, Player] = {}

    def append(self, room: str, expected: Version, records: Sequence[Record], done: Done) -> None:
        """See `Store.append`. Durable at once, as far as memory is."""
        log = self._rooms.get(room, [])
        if len(log) != expected:
            done(VersionConflict(f"room {room} stands at {len(log)}, not at {expected}"))
            return
        if isinstance(records[-1].event, RoomClosed):
            self._rooms.pop(room, None)
        elif not log:
            self._rooms[room] = list(records)
        else:
            log.extend(records)
        done(None)

    async def read(self, room: str, after: Version = 0) -> list[Record]:
        """See `Store.read`."""
        return self._rooms.get(room, [])[after:]

    async def open_rooms(self) -> list[str]:
        """See `Store.open_rooms`."""
        return list(self._rooms)

    async def add_player(self, token_hash: str, player: Player) -> None:
        """See `Store.add_player`."""
        self._players[token_hash] = player

    async def find_player(self, token_hash: str) -> Player | None:
        """See `Store.find_player`."""
        return self._players.get(token_hash)

    async def close(self) -> None:
        """Nothing to let go of."""
