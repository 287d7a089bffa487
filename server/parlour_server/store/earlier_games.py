"""Games that a server finished before stores listed them: an earlier version summed nothing up.

They are listed once, in the order in which they ended, as a store of that version is brought to this one.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import structlog

from parlour_protocol.events import GameFinished, kind_of
from parlour_server.log import LogRecord
from parlour_server.room.decide import summary_of
from parlour_server.room.state import RoomState, evolve
from parlour_server.store.finished_games import FinishedGame, finished_in

log = structlog.get_logger()

ENDS = f'"kind":"{kind_of(GameFinished)}"'.encode()
"""What stands in the JSON of the event with which a game ends."""
SUMMED_UP = b'"summary":{'
"""What stands there where the game was listed at once."""


def earlier_games(room: str, records: Iterable[LogRecord]) -> Iterator[FinishedGame]:
    """The games of a room that were not listed as they ended, as far as its log can be read here."""
    state = RoomState(room)
    try:
        for record in records:
            if isinstance(record.event, GameFinished) and record.event.summary is None:
                ended = replace(record.event, summary=summary_of(state, len(state.moves)))
                yield from finished_in(room, state.version, [replace(record, event=ended)])
            evolve(state, record)
    except Exception as error:
        log.warning("earlier games are not listed", room=room, reason=str(error))
