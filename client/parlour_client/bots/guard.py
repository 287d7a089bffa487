"""Keeps a file that is graded from what a bot has no need of: programs, the network, files of others.

    python -m parlour_client.bots.guard FOLDER FILE

runs a program so. An audit hook of Python's: a file is told in its own line what it may not do. It holds up
mistakes and simple tricks. Who means harm gets around it, by machine code say: that is for `bwrap` to hold
up, or for a machine of its own.
"""

import os
import runpy
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from parlour_protocol.words import say

PROGRAMS = (
    "subprocess.",
    "os.system",
    "os.exec",
    "os.fork",
    "os.posix_spawn",
    "os.spawn",
    "pty.spawn",
    "os.kill",
    "os.startfile",
)
NETWORK = ("socket.connect", "socket.bind", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname")
CHANGES = (
    *("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.truncate", "os.chmod", "os.chown", "os.link"),
    *("os.symlink", "os.utime", "shutil."),
)
TWO_ENDED = ("os.rename", "os.link", "os.symlink", "shutil.move", "shutil.copy", "shutil.unpack_archive")
"""Of these changes the second argument names a path, too."""
LISTS = ("os.listdir", "os.scandir", "os.chdir")
SEARCHES = ("parlour_server.search", "parlour_server.analysis", "parlour_server.matches")
GUARDED = "PARLOUR_GUARDED"
"""In the environment: a file has no business beyond its own folder, which stands there."""
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


_ours = False
"""Is it our own program that is being started, or ended?"""


@contextmanager
def permitted() -> Iterator[None]:
    """We start a program ourselves, or end it."""
    global _ours
    _ours = True
    try:
        yield
    finally:
        _ours = False


def install(folder: str) -> None:
    """From here on this process is held to it. `folder` is where the file may read and write."""

    def real(path: Any) -> str:
        return os.path.normcase(os.path.realpath(os.fsdecode(path)))

    own = real(folder)
    readable = tuple(
        real(one)
        for one in (
            own,
            *filter(None, sys.path),
            sys.prefix,
            sys.base_prefix,
            "/usr",
            "/proc",
            "/sys",
            "/dev",
            "/etc",
        )
    )

    def inside(path: Any, roots: Sequence[str]) -> bool:
        if isinstance(path, int) or path is None:
            return True
        found = real(path)
        return any(found == root or found.startswith(root + os.sep) for root in roots)

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        kind = None
        if event == "open":
            path, _, flags = arguments
            if flags is not None and flags & WRITING:
                kind = None if inside(path, (own, os.devnull)) else "write"
            elif not inside(path, readable):
                kind = "read"
        elif event == "import":
            kind = "search" if arguments[0].startswith(SEARCHES) else None
        elif event.startswith(PROGRAMS):
            kind = None if _ours else "program"
        elif event in NETWORK:
            kind = "network"
        elif event.startswith(CHANGES):
            ends = arguments[: 2 if event.startswith(TWO_ENDED) else 1]
            kind = None if all(inside(end, (own,)) for end in ends) else "write"
        elif event in LISTS:
            kind = None if inside(arguments[0], readable) else "read"
        if kind is not None:
            raise PermissionError(say(f"error.bot.guard.{kind}"))

    sys.addaudithook(watch)


if __name__ == "__main__":
    _, folder, file = sys.argv
    install(folder)
    sys.argv, sys.path[0] = [file], os.path.dirname(file)  # noqa: PTH120
    runpy.run_path(file, run_name="__main__")
