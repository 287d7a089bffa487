"""The commands `parlour data`: check the data file, copy it, save what can be saved of it."""

import json
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TypeVar

import typer
from pydantic import ValidationError

from parlour_protocol.local.server_info import LOCKED
from parlour_protocol.words import Sentence, language, say, spoken, system_fault, translated
from parlour_server.settings import ServerSettings, explain

if TYPE_CHECKING:
    from parlour_server.store.port import Progress, StoreLocked, StoreUnusable
    from parlour_server.store.sqlite.check import Findings
    from parlour_server.store.sqlite.repair import Repaired

CommandT = TypeVar("CommandT", bound=Callable[..., Any])

app = typer.Typer(add_completion=False, help=say("data.help"))

MOST_SHOWN = 40
"""Rows of a table; with --json there are all."""

Json = Annotated[bool, typer.Option("--json", help=say("option.json"))]
File = Annotated[
    Path | None,
    typer.Argument(metavar="FILE", help=say("data.option.file")),
]


def _command(name: str, example: str) -> Callable[[CommandT], CommandT]:
    return app.command(help=say(f"data.{name}.help"), epilog=say("help.example", example=example))


@_command("check", "parlour data check rooms.db")
def check(file: File = None, as_json: Json = False) -> None:
    """Check that all in a data file is as it was written."""
    from parlour_server.kinds import event_types
    from parlour_server.store.encoding import EventCodecs
    from parlour_server.store.port import StoreLocked, StoreUnusable
    from parlour_server.store.sqlite.check import check as check_file

    path = _named(file)
    try:
        with progress_bar(say("data.bar.check"), shown=not as_json) as progress:
            findings = check_file(path, progress, EventCodecs(event_types()))
    except StoreLocked as error:
        fail_in_use(path, error)
    except StoreUnusable as error:
        _fail_unusable(path, error)
    if as_json:
        print(json.dumps(asdict(findings)))
    else:
        _show_findings(findings)
    if findings.faults:
        raise SystemExit(1)


@_command("backup", "parlour data backup /mnt/copies/rooms-monday.db")
def backup(
    to: Annotated[Path, typer.Argument(metavar="TO", help=say("data.option.to"))],
    data: Annotated[Path | None, typer.Option(metavar="FILE", help=say("data.option.data"))] = None,
    as_json: Json = False,
) -> None:
    """Copy a data file, also while its server runs, and check the copy."""
    from parlour_server.kinds import event_types
    from parlour_server.store.encoding import EventCodecs
    from parlour_server.store.port import NotSaved, StoreLocked, StoreUnusable
    from parlour_server.store.sqlite.backup import copy_file
    from parlour_server.store.sqlite.check import check as check_file

    path = _named(data)
    try:
        with progress_bar(say("data.bar.copy"), shown=not as_json) as progress:
            try:
                copy_file(path, to, progress)
            except StoreLocked as error:
                _copy_by_server(path, to, error, progress)
        with progress_bar(say("data.bar.check_copy"), shown=not as_json) as progress:
            findings = check_file(to, progress, EventCodecs(event_types()))
    except (NotSaved, StoreUnusable) as error:
        fail(spoken(error))
    if as_json:
        print(json.dumps(asdict(findings)))
    else:
        print(say("admin.backed_up", data=str(path), to=str(to)))
        _show_findings(findings)
    if findings.faults:
        raise SystemExit(1)


@_command("repair", "parlour data repair rooms.db --into saved.db")
def repair(
    file: Annotated[Path, typer.Argument(metavar="FILE", help=say("data.option.damaged"))],
    into: Annotated[Path, typer.Option(metavar="NEW", help=say("data.option.into"))],
    as_json: Json = False,
) -> None:
    """Save what can be saved of a damaged data file into a new one, and say what can't be."""
    from parlour_server.store.port import NotSaved, StoreLocked, StoreUnusable
    from parlour_server.store.sqlite.repair import repair as repair_file

    path = _named(file)
    try:
        with progress_bar(say("data.bar.save"), shown=not as_json) as progress:
            repaired = repair_file(path, into.absolute(), progress)
    except StoreLocked as error:
        fail_in_use(path, error)
    except (NotSaved, StoreUnusable) as error:
        fail(spoken(error))
    except OSError as error:
        fail(say("store.unusable", file=str(error.filename or into), why=spoken(system_fault(error))))
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
        raise NotSaved(Sentence("data.no_admin", locked=str(locked)))
    server = {"server": holder.url, "process": str(holder.pid)}
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
                    case Refused() as refused:
                        raise NotSaved(translated(refused.said, refused.message, language()))
    except (OSError, ValueError) as error:
        why = system_fault(error) if isinstance(error, OSError) else str(error)
        raise NotSaved(Sentence("data.not_asked", **server, why=why)) from error
    raise NotSaved(Sentence("data.ended_connection", **server))


def _show_findings(findings: "Findings") -> None:
    found = {name: getattr(findings, name) for name in ("file", "bytes", "rooms", "records", "players")}
    print(say("data.found", **found))
    for why, rooms in findings.not_installed.items():
        print(say("data.not_tried", count=rooms, why=spoken(why)))
    if not findings.faults:
        print(say("data.nothing_wrong"))
        return
    rows = [(spoken(fault.where), spoken(fault.what)) for fault in findings.faults]
    _table((say("data.head.where"), say("data.head.wrong")), rows)
    print(say("data.to_save", file=findings.file))
    print(say("data.or_restore"))


def _show_repaired(repaired: "Repaired") -> None:
    saved = {"rooms": repaired.whole, "players": repaired.players, "records": repaired.records}
    print(say("data.saved", file=repaired.into, **saved))
    if repaired.cut:
        rows = [
            (
                one.room,
                say("data.saved_records", kept=one.kept, known=one.known)
                if one.kept
                else say("data.saved_nothing"),
            )
            for one in repaired.cut
        ]
        _table((say("data.head.room"), say("data.head.saved")), rows)
    if repaired.damaged_players:
        print(say("data.players_lost", number=repaired.damaged_players))
    print(say("data.then"))


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
        print(say("data.more", count=len(rows) - MOST_SHOWN))


@contextmanager
def progress_bar(title: str, *, shown: bool = True) -> Iterator["Progress"]:
    """A bar on standard error, where that is a terminal; gives what moves it."""
    if not (shown and sys.stderr.isatty()):
        yield lambda done, of: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)


def _named(file: Path | None) -> Path:
    try:
        # A URL that was taken for a path has lost a slash.
        settings = (
            ServerSettings() if file is None else ServerSettings(data=str(file).replace(":/", "://", 1))
        )
    except ValidationError as error:
        fail(spoken(explain(error, {} if file is None else {"data": file})), code=2)
    if settings.database is not None:
        fail(say("data.postgres"), code=2)
    path = settings.data_file
    if path is None:
        fail(say("data.in_memory"), code=2)
    return path


def fail_in_use(path: Path, error: "StoreLocked") -> NoReturn:
    """Say which server has a file, and end this process."""
    from parlour_protocol.local.server_info import read_note

    holder = read_note(path)
    if holder is None:
        fail(spoken(error), LOCKED)
    fail(say("store.in_use_now", file=str(path), server=holder.url, process=str(holder.pid)), LOCKED)


def _fail_unusable(path: Path, error: "StoreUnusable") -> NoReturn:
    said = str(error)
    if isinstance(said, Sentence) and said.id == "store.damaged":
        # Its usual advice is to check the file.
        fail(say("store.damaged", file=str(path), advice=say("data.to_save", file=str(path))))
    fail(spoken(said))


def fail(sentence: str, code: int = 1) -> NoReturn:
    """Say why on standard error, and end this process."""
    print(sentence, file=sys.stderr)
    raise SystemExit(code)
