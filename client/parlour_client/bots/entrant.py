"""What takes part in a match: a bot of the server's, or one's own: a file, or a program that a command runs.

mybot.py                        a file; how it is called is found out
cs50:tictactoe.py               a file that is called as CS50's are
gtp:gnugo --mode gtp            a program, spoken to on its standard input and output
"""

import os
import shlex
from dataclasses import dataclass
from pathlib import Path

from parlour_client.bots.interfaces import NAMES, PROGRAMS


@dataclass(frozen=True, slots=True)
class Own:
    """A bot of one's own, and how it is spoken to."""

    interface: str | None
    """None: that is found out."""
    words: tuple[str, ...]
    """A file's path alone, or a command with its arguments."""

    @property
    def file(self) -> Path | None:
        """The file; None where it is a command."""
        return Path(self.words[0]) if len(self.words) == 1 and self.words[0].endswith(".py") else None

    @property
    def is_command(self) -> bool:
        """Is it a program that is to be run, and no file of Python's?"""
        return self.interface in PROGRAMS and self.file is None

    @property
    def path(self) -> Path:
        """The file, or the program that the command runs."""
        return Path(self.words[0])


def own(entrant: str) -> Own | None:
    """One's own bot that a text names; None where a bot of the server's was meant.

    Raises `ValueError` for a command with a quotation mark too few.
    """
    name, colon, rest = entrant.partition(":")
    if not colon or name not in NAMES or not rest.strip():
        return Own(None, (entrant,)) if entrant.endswith(".py") else None
    if name not in PROGRAMS or (rest.endswith(".py") and Path(rest).is_file()):
        return Own(name, (rest,))
    # On Windows a backslash parts folders.
    words = (
        shlex.split(rest) if os.name != "nt" else [word.strip('"') for word in shlex.split(rest, posix=False)]
    )
    return Own(name, tuple(words))


def with_interface(entrant: str, interface: str | None) -> str:
    """The entrant with this interface before it, unless it names its own."""
    found = None if interface is None else own(entrant)
    return entrant if found is None or found.interface is not None else f"{interface}:{entrant}"


def beside(folder: Path, entrant: str) -> str:
    """The same entrant where its file is named from a folder."""
    found = own(entrant)
    if found is None or found.file is None:
        return entrant
    return with_interface(str(folder / found.path), found.interface)
