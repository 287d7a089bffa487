"""The file that a command writes to: looked at before the work begins, and written when it is done."""

import os
from pathlib import Path
from typing import Literal

from parlour_client.sdk.errors import UsageError, unreadable
from parlour_protocol.words import say, spoken, system_fault

Form = Literal["json", "text", "pgn", "svg", "png", "gif", "csv"]
"""How a game is written down; csv is for all games of a match."""


def target(out: str | None, *, force: bool) -> Path | None:
    """The file that was named with --out; None for standard output. Raises `UsageError` where it can't be.

    One that exists is overwritten with `force` alone.
    """
    if out in (None, "-"):
        return None
    path = Path(str(out))
    try:
        if path.is_dir():
            raise UsageError(say("error.folder_to_write", file=repr(str(path))))
        if path.is_file() and not force:
            raise UsageError(say("error.out_exists", file=repr(str(path))))
        if not path.parent.is_dir():
            raise UsageError(say("error.no_folder", folder=repr(str(path.parent))))
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            raise UsageError(say("error.no_right_to_write", file=repr(str(path))))
    except OSError as error:
        raise unwritable(path, error) from None
    return path


def write(path: Path, content: str | bytes) -> None:
    """Write the file. Raises `UsageError`."""
    try:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    except OSError as error:
        raise unwritable(path, error) from None


def unwritable(path: Path, error: OSError) -> UsageError:
    """Why it can't be written, to be raised."""
    return UsageError(say("error.unwritable", file=repr(str(path)), why=spoken(system_fault(error))))


def lines_of(path: Path) -> list[str]:
    """The lines of a text file. Raises `UsageError`."""
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise unreadable(path, error) from None
    except UnicodeDecodeError as error:
        raise unreadable(path, str(error)) from None
