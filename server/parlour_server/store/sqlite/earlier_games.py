"""Lists the games of a file that were finished before games were listed: see `store.earlier_games`."""

import structlog

from parlour_server.store.earlier_games import ENDS, PROGRESS, SUMMED_UP, Replay
from parlour_server.store.finished_games import FinishedGame
from parlour_server.store.port import Checkpoint, NotReadable
from parlour_server.store.sqlite.open_file import OpenFile
from parlour_server.store.sqlite.reading import Turns, read_log
from parlour_server.store.sqlite.records import Head
from parlour_server.store.sqlite.side_tables import read_checkpoint, write_checkpoint, write_game_row

log = structlog.get_logger()

SCANNED_AT_ONCE = 1_000
"""Events that are looked through while nothing else is done."""

_ENDS = """
SELECT number, room, version FROM events
WHERE number > ? AND number <= ? AND instr(event, ?) AND NOT instr(event, ?) AND NOT instr(room, ':')
ORDER BY number
"""


def list_earlier_games(file: OpenFile) -> Turns[int]:
    """List what is still to be listed; how many games these were."""
    if file.database.execute("SELECT 1 FROM checkpoints WHERE name = ?", (PROGRESS,)).fetchone() is None:
        return 0
    listed, replay, forgotten = 0, Replay(), file.forgotten
    after = read_checkpoint(file.database, PROGRESS).after
    while after < file.heads.last_number:
        yield
        up_to = after + SCANNED_AT_ONCE
        games: list[FinishedGame] = []
        for number, room, version in file.database.execute(_ENDS, (after, up_to, ENDS, SUMMED_UP)).fetchall():
            try:
                head = Head(version, number, 0)
                _, records = yield from read_log(file, room, replay.version(room), head)
            except NotReadable as error:
                log.warning("an earlier game is not listed", room=room, reason=str(error))
                continue
            game = (yield from replay.game(room, records)) if records else None
            games += [] if game is None else [game]
        if file.forgotten != forgotten:
            # What was read may hold the name of a player who was forgotten meanwhile.
            replay, forgotten = Replay(), file.forgotten
            continue
        after = up_to
        with file.transaction():
            for game in games:
                write_game_row(file.database, None, game)
            write_checkpoint(file.database, PROGRESS, Checkpoint(after, ""))
        listed += len(games)
    with file.transaction():
        file.database.execute("DELETE FROM checkpoints WHERE name = ?", (PROGRESS,))
    log.info("all earlier games are listed", games=listed)
    return listed
