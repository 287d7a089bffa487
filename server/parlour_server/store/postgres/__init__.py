"""The store in a PostgreSQL database, for one server or for several: any of them may append to any room.

The key (room, version) of the log decides who was first; the other reads on and decides again. Each server
writes by one connection, with one transaction under way. What comes meanwhile waits and is then committed
together, in one statement and one round trip, with a hint to the other servers in it (NOTIFY): the log is
the truth, and a hint that is lost costs time and nothing else.

Where the connection is lost while a commit is under way, no one is answered until it is known what became of
it: see `writer`. PostgreSQL's pages have checksums, so the records have none of their own here.
"""
