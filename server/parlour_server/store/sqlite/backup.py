"""A copy of the file, made while the server goes on."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

from parlour_protocol.words import Sentence, system_fault
from parlour_server.store.port import NotSaved, Progress
from parlour_server.store.sqlite.opening import open_for_reading

PAGES_AT_ONCE = 64
"""Of 4 KiB: what is copied while nothing else is done, within a millisecond."""


def copy(source: sqlite3.Connection, to: Path, progress: Progress, between: Callable[[], None]) -> None:
    """Copy a database to a new file, whole or not at all.

    `between` is called after every few pages, and may use the connection: what it writes is in the copy too.
    It may raise `NotSaved`, and ends the copy by it. Raises `NotSaved`.
    """
    draft = to.with_name(f"{to.name}.part")
    try:
        if to.exists():
            raise NotSaved(Sentence("store.file_exists", file=str(to)))
        draft.unlink(missing_ok=True)
        os.close(os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))

        def step(status: int, left: int, pages: int) -> None:
            progress(pages - left, pages)
            between()

        with closing(sqlite3.connect(draft, isolation_level=None)) as target:
            # Nothing to roll back to: half a copy is none.
            target.execute("PRAGMA journal_mode = OFF")
            target.execute("PRAGMA synchronous = OFF")
            source.backup(target, pages=PAGES_AT_ONCE, progress=step)
    except NotSaved:
        _discard(draft)
        raise
    except (sqlite3.Error, OSError) as error:
        _discard(draft)
        raise NotSaved(Sentence("store.no_copy", file=str(to), why=_reason(error))) from error


def _discard(draft: Path) -> None:
    with suppress(OSError):
        draft.unlink(missing_ok=True)


def copy_file(path: Path, to: Path, progress: Progress) -> None:
    """Copy a file that no server has open. Raises `StoreUnusable` and `NotSaved`."""
    with closing(open_for_reading(path)) as source:
        copy(source, to, progress, lambda: None)
    publish(to)


def publish(to: Path) -> None:
    """Give the finished copy its name, once it is on the disk. Raises `NotSaved`."""
    draft = to.with_name(f"{to.name}.part")
    try:
        with draft.open("rb") as file:
            os.fsync(file.fileno())
        try:
            os.link(draft, to)
            draft.unlink()
        except FileExistsError:
            raise
        except OSError:
            # Some file systems, of sticks mostly, know no links.
            draft.rename(to)
    except OSError as error:
        _discard(draft)
        raise NotSaved(Sentence("store.no_copy", file=str(to), why=_reason(error))) from error


def _reason(error: sqlite3.Error | OSError) -> str:
    if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_FULL:
        return Sentence("system.disk_full")
    return system_fault(error) if isinstance(error, OSError) else str(error)
