"""The store in one SQLite file: WAL, synchronous=FULL, one thread, group commit.

All work on the file happens on one thread of its own, in the order in which it was asked for. The
thread takes whatever has gathered while the last commit was under way and commits it as one: under
load the price of FULL is shared by many moves, and alone a move waits for one fsync.

The log is written only at its end. An index by room would have every move dirty a page of its own, and
pages are what a commit costs; so each event names the one before it in its room, and where each room's
last event stands (its head) is known in memory and noted in the file once in a while. A start reads
the notes, and the log from there on.

Each event has a checksum over itself and the one before it in its room. So what a disk has changed, lost or
swapped is seen when it is read; what else stands in the file follows from the events, or is checked against
them. `check`, `repair` and `backup` are the commands of `parlour data`.

One process holds the file (`locking_mode=EXCLUSIVE`): that is what makes its memory the truth, and two
servers on one file would each run the bots.
"""

from parlour_server.store.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
