"""The note that a server leaves beside its data file, by which programs on the same machine find it."""

import getpass
import json
import os
import sys
import tempfile
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

IN_MEMORY = ":memory:"
"""The name, in place of a data file's, by which a server keeps nothing."""
DATABASES = ("postgresql://", "postgres://")
"""How the URL of a database begins, in which a server keeps its rooms in place of a file."""
LOCKED = 75
"""The exit code of a server whose data file another one has: trying again may help (EX_TEMPFAIL)."""


def is_database(data: str) -> bool:
    """Is this the URL of a database rather than a file's name?"""
    return data.lower().startswith(DATABASES)


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """The server that has a data file open."""

    url: str
    """Where programs on the same machine reach it."""
    pid: int
    shared: bool = False
    """It ends when its last player has left."""
    addresses: list[str] = field(default_factory=list)
    """Where others on the network reach it, too."""
    admin: str | None = None
    """Where its host reaches it: the path of its admin socket."""


def note_path(data: Path) -> Path:
    """Where the note for a data file is."""
    return data.with_name(f"{data.name}.server")


def runtime_folder() -> Path:
    """A folder for what lives as long as a server: this account's alone, made where there is none.

    Raises `OSError` where it can't be made, or is another account's.
    """
    named = os.environ.get("XDG_RUNTIME_DIR")
    account = os.getuid() if sys.platform != "win32" else getpass.getuser()
    folder = Path(named) / "parlour" if named else Path(tempfile.gettempdir()) / f"parlour-{account}"
    folder.mkdir(mode=0o700, exist_ok=True)
    seen = folder.lstat()
    if sys.platform != "win32" and (seen.st_uid != account or seen.st_mode & 0o077 or folder.is_symlink()):
        raise PermissionError(f"{folder} is open to others")
    return folder


def port_file(port: int) -> Path:
    """Stands for a data file, where a server's note is to be found by its port. Raises `OSError`."""
    return runtime_folder() / str(port)


def write_note(data: Path, holder: ServerInfo) -> None:
    """Leave the note, whole or not at all. Raises `OSError`."""
    draft = note_path(data).with_suffix(f".{holder.pid}")
    draft.write_text(json.dumps(asdict(holder)), encoding="utf-8")
    draft.replace(note_path(data))


def read_note(data: Path) -> ServerInfo | None:
    """The server that has a data file open, or was killed with it; None where there is no note."""
    try:
        return ServerInfo(**json.loads(note_path(data).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def remove_note(data: Path) -> None:
    """Take our own note away; another server's stays."""
    held = read_note(data)
    if held is not None and held.pid == os.getpid():
        with suppress(OSError):
            note_path(data).unlink()
