"""Games that a server finished before stores listed them: an earlier version summed nothing up.

They are listed once, in the order in which they ended, by a store that was made then: in small batches while
the server goes on, and with how far it came in the same transaction. Games that end meanwhile stand among
them, since what has a number keeps it.
"""

from collections.abc import Generator, Sequence
from dataclasses import replace

import structlog

from parlour_protocol.events import GameFinished, kind_of
from parlour_protocol.ids import Version
from parlour_server.log import LogRecord
from parlour_server.room.decide import summary_of
from parlour_server.room.state import RoomState, evolve
from parlour_server.store.finished_games import FinishedGame, finished_in

log = structlog.get_logger()

PROGRESS = "earlier games"
"""The checkpoint that tells how far the list has come. It stands while there are games to be listed."""
ENDS = f'"kind":"{kind_of(GameFinished)}"'.encode()
"""What stands in the JSON of the event with which a game ends."""
SUMMED_UP = b'"summary":{'
"""What stands there where the game was listed at once."""
ROOMS_KEPT = 32
"""Rooms whose games are not read from their beginning when another one of theirs is listed."""
REPLAYED_AT_ONCE = 50
"""Records, within a millisecond or two."""


class Replay:
    """Replays rooms as far as each of their games' ends."""

    def __init__(self) -> None:
        self._states: dict[str, RoomState] = {}
        """The last used one last."""

    def version(self, room: str) -> Version:
        """After which version the records of a room are wanted."""
        state = self._states.get(room)
        return 0 if state is None else state.version

    def game(self, room: str, records: Sequence[LogRecord]) -> Generator[None, None, FinishedGame | None]:
        """The game that ends with the last of a room's next records; None: they can't be replayed here."""
        state = self._states.pop(room, None) or RoomState(room)
        try:
            *before, last = records
            for number, record in enumerate(before, 1):
                evolve(state, record)
                if number % REPLAYED_AT_ONCE == 0:
                    yield
            assert isinstance(last.event, GameFinished)
            ended = replace(last.event, summary=summary_of(state, len(state.moves)))
            game = next(finished_in(room, state.version, [replace(last, event=ended)]))
            evolve(state, last)
        except Exception as error:
            log.warning("an earlier game is not listed", room=room, reason=str(error))
            return None
        self._states[room] = state
        if len(self._states) > ROOMS_KEPT:
            del self._states[next(iter(self._states))]
        return game
