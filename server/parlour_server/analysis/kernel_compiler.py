"""Compiling in a process of its own, which takes neither the server's time nor its memory.

A game's machine code is made there and left in the cache on the disk; the server only loads it. A server
whose cache has all of it starts no such process. One that ends in the meantime leaves it to its work.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from typing import Any

from parlour_server.games import find_game
from parlour_server.games.game import Game
from parlour_server.search import machine_code
from parlour_server.search.kernels.numba_modules import cache_folder

NICE = 5
"""By how much the compiler steps back behind others who want the same core."""

ALONE_SECONDS = 60
"""How long it goes on at most when its server has ended."""

LONGEST_ERROR = 300
"""How many characters of a compiler's error go into the log."""


class KernelCompiler:
    """Compiles one game at a time. May be used from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = threading.Event()

    def is_kept(self, game: Game[Any]) -> bool:
        """Is the game's machine code in the cache, as far as one can see?"""
        try:
            return machine_code.is_kept(game)
        except Exception:
            # Whatever is wrong with a stranger's kernel, its compiler will say.
            return False

    def compile(self, game: Game[Any]) -> str | None:
        """Make it and leave it in the cache: blocks for seconds. None when done; else why it could not be.

        Where nothing can be kept there is nothing to do: who loads it has to compile it.
        """
        if not _can_keep():
            return None
        with self._lock:
            if self._stopped.is_set():
                return "The server stops."
            # Its input closes with us, however we end. -P: no file where the server was started stands in for
            # a module.
            process = self._process = subprocess.Popen(  # noqa: S603 - our own module, and a game's name
                [sys.executable, "-P", "-m", __name__, game.name],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
        assert process.stderr is not None
        said = process.stderr.read().decode(errors="replace").strip()
        process.stderr.close()
        if self._stopped.is_set():
            # It goes on by itself, and nobody waits for what comes of it.
            process.returncode = 0
            return "The server stops."
        process.communicate()
        if process.returncode == 0:
            return None
        return said.splitlines()[-1] if said else f"The compiler ended with {process.returncode}."

    def stop(self) -> None:
        """Compile nothing more, and wait for nothing: what is being compiled may end by itself, soon.

        For many a command is over sooner than its server's compiler, and the next one would begin anew.
        """
        with self._lock:
            self._stopped.set()
            if self._process is not None and self._process.stdin is not None:
                self._process.stdin.close()


def _can_keep() -> bool:
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


# ---------------------------------------------------------------- the process


def main(name: str) -> int:
    """Compile one game. 0: done; 1: not possible, and a line says why."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_soon_after_parent, daemon=True).start()
    if hasattr(os, "nice"):  # not on Windows
        os.nice(NICE)
    game = find_game(name)
    try:
        machine_code.prepare(game)
    except Exception as error:
        print(" ".join(str(error).split())[:LONGEST_ERROR], file=sys.stderr)  # noqa: T201
        return 1
    return 0


def _end_soon_after_parent() -> None:
    os.read(0, 1)
    os.close(2)
    time.sleep(ALONE_SECONDS)
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
