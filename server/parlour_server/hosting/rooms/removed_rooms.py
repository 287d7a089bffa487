"""The rooms that players have removed from the lists of their own.

A player's list is a state of its own in the store, under a name with their id: so it is the same at every
node, outlives a restart, and is forgotten with the player. The rooms themselves know nothing of it.
"""

from pydantic import TypeAdapter

from parlour_server.store.port import REMOVED_ROOMS, Checkpoint, NotSaved, Store

MOST_REMOVED = 500
"""Of more the one that was removed first is listed again, if it is still there."""
TRIES = 5
"""How often a list is read again since somebody, the same player elsewhere, has changed it meanwhile."""

_codes = TypeAdapter(list[str])


class RemovedRooms:
    """Which rooms each player has removed."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def of(self, player: str) -> list[str]:
        """Their codes, the last removed last. Raises `StoreError`."""
        return _read(await self._store.checkpoint(_name(player)))

    async def change(self, player: str, room: str, *, removed: bool) -> None:
        """Remove a room, or list it again. Raises `StoreError`."""
        for _ in range(TRIES):
            stands = await self._store.checkpoint(_name(player))
            codes = _read(stands)
            if (room in codes) == removed:
                return
            codes = [*codes, room][-MOST_REMOVED:] if removed else [one for one in codes if one != room]
            new = Checkpoint(stands.after + 1, _codes.dump_json(codes).decode())
            if await self._store.move_checkpoint(_name(player), stands.after, new):
                return
        raise NotSaved("A player's list was changed again and again meanwhile.")


def _name(player: str) -> str:
    return REMOVED_ROOMS + player


def _read(checkpoint: Checkpoint) -> list[str]:
    return _codes.validate_json(checkpoint.state) if checkpoint.after else []
