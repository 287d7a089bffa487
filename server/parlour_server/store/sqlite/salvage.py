"""Reading from a damaged file what can still be read, without an end at the first bad page."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from parlour_protocol.words import Sentence
from parlour_server.store.port import Progress, StoreLocked, StoreUnusable
from parlour_server.store.sqlite.opening import is_damage, open_for_reading, open_for_writing
from parlour_server.store.sqlite.records import Row, find_row, rows_after

_SMALLEST_ROW = 32
"""Bytes. With the pages of the file it bounds the numbers that can follow the last one known."""
_SIZE = slice(28, 32)
_FREE_PAGES = slice(32, 40)
"""Where a file's first page has its own size in pages, and the list of free ones."""


def all_rows(database: sqlite3.Connection) -> Iterator[Row]:
    """All rows of the log that can be read, in the order of their numbers; past bad pages too."""
    last, end = 0, None
    while True:
        try:
            for row in rows_after(database, last):
                if not isinstance(row.number, int) or row.number <= last:
                    break
                yield row
                last = row.number
            else:
                return
        except (sqlite3.Error, MemoryError) as error:
            if isinstance(error, sqlite3.Error) and not is_damage(error):
                raise
        end = _end(database, last) if end is None else end
        # Behind the bad page: one number after the other, until one is found again.
        for number in range(last + 1, end + 1):
            try:
                found = find_row(database, number)
            except (sqlite3.Error, MemoryError):
                continue
            if found is not None and found.number == number:
                yield found
                last = number
                break
        else:
            return


def _end(database: sqlite3.Connection, last: int) -> int:
    """No row has a higher number."""
    highest = last
    for query in (
        "SELECT max(number) FROM events",
        "SELECT up_to FROM noted",
        "SELECT max(number) FROM heads",
    ):
        try:
            row = database.execute(query).fetchone()
        except sqlite3.Error:
            continue
        if row and isinstance(row[0], int):
            highest = max(highest, row[0])
    (pages,) = database.execute("PRAGMA page_count").fetchone()
    (size,) = database.execute("PRAGMA page_size").fetchone()
    most: int = last + pages * size // _SMALLEST_ROW
    return min(highest, most) if highest > last else most


def rows_of(database: sqlite3.Connection, table: str, key: str) -> list[tuple[Any, ...]]:
    """All rows of a small table that can be read: from its start to a bad page, and from its end to one."""
    found: dict[object, tuple[Any, ...]] = {}
    for order in ("ASC", "DESC"):
        try:
            for row in database.execute(f"SELECT * FROM {table} ORDER BY {key} {order}"):  # noqa: S608 - our own names
                found.setdefault(row[0], row)
            return list(found.values())
        except (sqlite3.Error, MemoryError):
            continue
    return list(found.values())


def refuse_if_in_use(path: Path) -> None:
    """Raises `StoreLocked`. A file that is damaged is in no server's use."""
    try:
        open_for_reading(path).close()
    except StoreLocked:
        raise
    except StoreUnusable:
        pass


def open_copy(path: Path, folder: Path) -> sqlite3.Connection:
    """Open a copy, in a folder of our own, of a file that may be damaged: what is written goes there.

    Where the first page can't be read it is made anew; the WAL may hold a damaged one, too.
    Raises `StoreUnusable` and `OSError`.
    """
    refusal: StoreUnusable | None = None
    for number, (renewed, with_wal) in enumerate(((False, True), (True, True), (True, False))):
        copy = folder / f"copy{number}.db"
        shutil.copyfile(path, copy)
        wal = path.with_name(f"{path.name}-wal")
        if with_wal and wal.exists():
            shutil.copyfile(wal, copy.with_name(f"{copy.name}-wal"))
        try:
            if renewed:
                _renew_first_page(copy, folder / f"fresh{number}.db")
            return open_for_writing(copy)
        except StoreUnusable as error:
            refusal = refusal or StoreUnusable(_of(path, copy, error.args[0]))
            copy.unlink()
    assert refusal is not None
    raise refusal


def _of(path: Path, copy: Path, sentence: Sentence) -> Sentence:
    """A sentence on a copy, of the file itself."""
    arguments = {
        name: _of(path, copy, value)
        if isinstance(value, Sentence)
        else value.replace(str(copy), str(path))
        if isinstance(value, str)
        else value
        for name, value in sentence.arguments.items()
    }
    return Sentence(sentence.id, **arguments)


def _renew_first_page(copy: Path, fresh: Path) -> None:
    """Every file of ours has the same tables in the same places: another's first page fits."""
    with closing(open_for_writing(fresh)):
        pass
    page = bytearray(fresh.read_bytes()[:4096])
    page[_SIZE] = (copy.stat().st_size // len(page)).to_bytes(4, "big")
    page[_FREE_PAGES] = bytes(8)
    with copy.open("r+b") as file:
        file.write(page)


def counted(rows: Iterator[Row], database: sqlite3.Connection, progress: Progress) -> Iterator[Row]:
    """The same rows; `progress` is called with the last number and the highest."""
    end = None
    for done, row in enumerate(rows):
        if done % 1_000 == 0:
            end = _end(database, row.number) if end is None else end
            progress(row.number, max(end, row.number))
        yield row
