"""The commands `parlour data`: check the data file, copy it, save what can be saved of it."""

import json
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer
from pydantic import ValidationError

from parlour_protocol.local.server_info import IN_MEMORY, LOCKED
from parlour_server.settings import ServerSettings

if TYPE_CHECKING:
    from parlour_server.store.port import Progress, StoreLocked
    from parlour_server.store.sqlite.check import Findings
    from parlour_server.store.sqlite.repair import Repaired

app = typer.Typer(add_completion=False, help="Check, copy or mend the file that a server keeps its rooms in.")

MOST_SHOWN = 40
"""Rows of a table; with --json there are all."""

Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
File = Annotated[
    Path | None,
    typer.Argument(metavar="FILE", help="The data file; without one, that of `parlour serve`."),
]


@app.command(epilog="Example: parlour data check rooms.db")
def check(file: File = None, as_json: Json = False) -> None:
    """Check that all in a data file is as it was written: every record, every room, every list.

    Nothing is written. The server has to be stopped; of a running one check a copy: parlour data backup.
    The exit code is 1 where something is wrong.
    """
    from parlour_server.kinds import event_types
    from parlour_server.store.encoding import EventCodecs
    from parlour_server.store.port import StoreLocked, StoreUnusable
    from parlour_server.store.sqlite.check import check as check_file

    path = _named(file)
    try:
        with _bar("Checking", as_json) as progress:
            findings = check_file(path, progress, EventCodecs(event_types()))
    except StoreLocked as error:
        _fail_in_use(path, error)
    except StoreUnusable as error:
        _fail(str(error))
    if as_json:
        print(json.dumps(asdict(findings)))
    else:
        _show_findings(findings)
    if findings.faults:
        raise SystemExit(1)


@app.command(epilog="Example: parlour data backup /mnt/copies/rooms-monday.db")
def backup(
    to: Annotated[Path, typer.Argument(metavar="TO", help="The new file.")],
    data: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The data file. Default: that of `parlour serve`.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Copy a data file, also while its server runs, and check the copy.

    To restore it, stop the server and put it in the data file's place.
    """
    from parlour_server.kinds import event_types
    from parlour_server.store.encoding import EventCodecs
    from parlour_server.store.port import NotSaved, StoreLocked, StoreUnusable
    from parlour_server.store.sqlite.backup import copy_file
    from parlour_server.store.sqlite.check import check as check_file

    path = _named(data)
    try:
        with _bar("Copying", as_json) as progress:
            try:
                copy_file(path, to, progress)
            except StoreLocked as error:
                _copy_by_server(path, to, error, progress)
        with _bar("Checking the copy", as_json) as progress:
            findings = check_file(to, progress, EventCodecs(event_types()))
    except (NotSaved, StoreUnusable) as error:
        _fail(str(error))
    if as_json:
        print(json.dumps(asdict(findings)))
    else:
        print(f"{path} is copied to {to}.")
        _show_findings(findings)
    if findings.faults:
        raise SystemExit(1)


@app.command(epilog="Example: parlour data repair rooms.db --into saved.db")
def repair(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The damaged file; it stays as it is.")],
    into: Annotated[Path, typer.Option(metavar="NEW", help="The new file, for what can be saved.")],
    as_json: Json = False,
) -> None:
    """Save what can be saved of a damaged data file into a new one, and say what can't be.

    Rooms are saved whole, or up to their last record before the damage, without the last command there. It
    takes twice the file's size next to the new one.
    """
    from parlour_server.store.port import NotSaved, StoreLocked, StoreUnusable
    from parlour_server.store.sqlite.repair import repair as repair_file

    path = _named(file)
    try:
        with _bar("Saving", as_json) as progress:
            repaired = repair_file(path, into.absolute(), progress)
    except StoreLocked as error:
        _fail_in_use(path, error)
    except (NotSaved, StoreUnusable) as error:
        _fail(str(error))
    except OSError as error:
        _fail(f"{error.filename or into} can't be used: {error.strerror or error}.")
    if as_json:
        print(json.dumps(asdict(repaired)))
    else:
        _show_repaired(repaired)
    if not repaired.records and repaired.cut:
        raise SystemExit(1)


def _copy_by_server(path: Path, to: Path, locked: "StoreLocked", progress: "Progress") -> None:
    """Have the server that holds a file copy it. Raises `NotSaved`."""
    from parlour_protocol.answers import Refused
    from parlour_protocol.local import admin
    from parlour_protocol.local.server_info import read_note
    from parlour_server.store.port import NotSaved

    holder = read_note(path)
    if holder is None or holder.admin is None:
        raise NotSaved(f"{locked} Its server takes no admin commands, so no copy can be made of it now.")
    unreachable = f"The server at {holder.url} (process {holder.pid}) can't be asked for a copy"
    try:
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(holder.admin)
            line.sendall(admin.encode_line(admin.Backup(to=str(to.absolute()))))
            for answered in line.makefile("rb"):
                match admin.decode_answer(answered):
                    case admin.Progress(done=done, of=of):
                        progress(done, of)
                    case admin.Done():
                        return
                    case Refused(message=message):
                        raise NotSaved(message)
    except (OSError, ValueError) as error:
        raise NotSaved(f"{unreachable}: {error}.") from error
    raise NotSaved(f"{unreachable}: it has ended the connection.")


def _show_findings(findings: "Findings") -> None:
    print(
        f"{findings.file}: {findings.bytes:,} bytes, {findings.rooms:,} rooms with "
        f"{findings.records:,} whole records, {findings.players:,} players."
    )
    for said, rooms in findings.not_installed.items():
        print(f"The rules of {rooms} {'room was' if rooms == 1 else 'rooms were'} not tried: {said}")
    if not findings.faults:
        print("Nothing is wrong.")
        return
    _table(("Where", "What is wrong"), [(fault.where, fault.what) for fault in findings.faults])
    print(f"To save what can be saved: parlour data repair {findings.file} --into NEW")
    print("Or restore a copy. Until then damaged rooms can't be played in; all others can.")


def _show_repaired(repaired: "Repaired") -> None:
    print(
        f"Saved into {repaired.into}: {repaired.whole:,} whole rooms, {repaired.players:,} players, "
        f"{repaired.records:,} records in all."
    )
    if repaired.cut:
        rows = [
            (one.room, f"{one.kept} of {one.known} records" if one.kept else "nothing")
            for one in repaired.cut
        ]
        _table(("Damaged room", "Saved of it"), rows)
    if repaired.damaged_players:
        print(f"Players who can't be saved, and begin anew: {repaired.damaged_players}")
    print("To go on with it, put it in the place of the damaged one, without an old -wal file next to it.")


def _table(heads: tuple[str, str], rows: Sequence[tuple[str, str]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*heads, box=None, pad_edge=False)
    for row in rows[:MOST_SHOWN]:
        # What stands in a damaged file may be anything.
        table.add_row(*(Text("".join(c if c.isprintable() else "?" for c in cell)) for cell in row))
    Console(highlight=False).print(table)
    if len(rows) > MOST_SHOWN:
        print(f"... and {len(rows) - MOST_SHOWN:,} more: --json lists all.")


@contextmanager
def _bar(what: str, as_json: bool) -> Iterator["Progress"]:
    """A bar on a terminal's standard error."""
    if as_json or not sys.stderr.isatty():
        yield lambda done, of: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(what, total=None)
        yield lambda done, of: shown.update(task, completed=done, total=of)


def _named(file: Path | None) -> Path:
    try:
        # A URL that was taken for a path has lost a slash.
        settings = (
            ServerSettings() if file is None else ServerSettings(data=str(file).replace(":/", "://", 1))
        )
    except ValidationError as error:
        _fail(f"The settings are wrong: {error.errors(include_url=False)[0]['msg']}.", code=2)
    if settings.database is not None:
        _fail(
            "Games in PostgreSQL are kept with its own tools: pg_dump copies a database, and says so where a "
            "page's checksum is wrong; psql or pg_restore reads the copy again.",
            code=2,
        )
    path = settings.data_file
    if path is None:
        _fail(f"PARLOUR_DATA is {IN_MEMORY}: such a server keeps nothing. Name a file.", code=2)
    return path


def _fail_in_use(path: Path, error: "StoreLocked") -> NoReturn:
    from parlour_protocol.local.server_info import read_note

    holder = read_note(path)
    if holder is None:
        _fail(str(error), LOCKED)
    _fail(
        f"{path} is in use by the server at {holder.url} (process {holder.pid}). Stop it first, or check a "
        "copy: parlour data backup TO",
        LOCKED,
    )


def _fail(sentence: str, code: int = 1) -> NoReturn:
    print(sentence, file=sys.stderr)
    raise SystemExit(code)
