"""Starts a module of ours in a process of its own, with a pipe each way."""

import os
import subprocess
import sys
from typing import IO


def start_module(name: str, *arguments: str, stderr: IO[str] | None = None) -> subprocess.Popen[bytes]:
    """Start it: its input closes with us, however we end. Raises `OSError`."""
    # The same modules as here. -P: no file where the server was started stands in for one of them.
    paths = os.pathsep.join(path for path in sys.path if path)
    return subprocess.Popen(  # noqa: S603 - our own modules, and games' names
        [sys.executable, "-P", "-m", name, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        env={**os.environ, "PYTHONPATH": paths},
        # Ctrl-C in a terminal goes to every process of the group in front.
        process_group=0,
    )
