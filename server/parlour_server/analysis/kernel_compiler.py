"""Compiling in a process of its own, which takes neither the server's time nor its memory.

A game's machine code is made there and left in the cache on the disk; the server only loads it. A server
whose cache has all of it starts no such process. It can be ended at any moment: each function that has been
compiled by then is kept, and the next process goes on from there.
"""

import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from typing import Any

from parlour_server.games import find_game
from parlour_server.games.game import Game
from parlour_server.search import machine_code
from parlour_server.search.kernels.numba_modules import cache_folder, counted

NICE = 5
"""By how much the compiler steps back behind others who want the same core."""

LONGEST_SECONDS = 300.0
"""How long a game may take: far longer than any, so that what hangs keeps nobody waiting for ever."""

LONGEST_ERROR = 300
"""How many characters of a compiler's error go into the log."""

Progress = Callable[[int, int], None]
"""Called with how many functions have been compiled, and of how many."""


class CompilerStopped(Exception):
    """It was ended before it was done, by `interrupt` or `stop`."""


class KernelCompiler:
    """Compiles one game at a time. May be used from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._game = ""
        """The game that the process compiles."""
        self._interrupted = ""
        """The game that is to give way to another."""
        self._stopped = False

    def is_kept(self, game: Game[Any]) -> bool:
        """Is the game's machine code in the cache, as far as one can see?"""
        try:
            return machine_code.is_kept(game)
        except Exception:
            # Whatever is wrong with a stranger's kernel, its compiler will say.
            return False

    def compile(self, game: Game[Any], progress: Progress) -> str | None:
        """Make it and leave it in the cache: blocks for seconds. None when done; else why it could not be.

        Where nothing can be kept there is nothing to do: who loads it has to compile it. Raises
        `CompilerStopped`.
        """
        if not can_keep():
            return None
        with tempfile.TemporaryFile() as errors:
            with self._begin(game, errors) as process:
                assert process.stdout is not None
                too_long = threading.Timer(LONGEST_SECONDS, process.kill)
                too_long.daemon = True
                too_long.start()
                for line in process.stdout:
                    match line.split():
                        case [done, of] if done.isdigit() and of.isdigit():
                            progress(int(done), int(of))
            too_long.cancel()
            with self._lock:
                self._process = None
                interrupted, self._interrupted = self._interrupted == game.name, ""
                if process.returncode and (self._stopped or interrupted):
                    raise CompilerStopped
            if process.returncode == 0:
                return None
            errors.seek(0)
            said = errors.read().decode(errors="replace").strip()
        return said.splitlines()[-1] if said else f"The compiler ended with {process.returncode}."

    def _begin(self, game: Game[Any], errors: Any) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._stopped or self._interrupted == game.name:
                self._interrupted = ""
                raise CompilerStopped
            self._game = game.name
            # Its input closes with us, however we end. -P: no file where the server was started stands in for
            # a module.
            self._process = subprocess.Popen(  # noqa: S603 - our own module, and a game's name
                [sys.executable, "-P", "-m", __name__, game.name],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
            )
            return self._process

    def interrupt(self, game: Game[Any]) -> None:
        """End the compiling of this game, which is to go on later; does not wait for it."""
        with self._lock:
            self._interrupted = game.name
            if self._process is not None and self._game == game.name:
                self._process.kill()

    def stop(self) -> None:
        """Compile nothing more, and end what is being compiled; does not wait for it."""
        with self._lock:
            self._stopped = True
            if self._process is not None:
                self._process.kill()


def can_keep() -> bool:
    """May we write to the cache?"""
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


# ---------------------------------------------------------------- the process


def main(name: str) -> int:
    """Compile one game, and write how far it is. 0: done; 1: not possible, and a line says why."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if hasattr(os, "nice"):  # not on Windows
        os.nice(NICE)
    game = find_game(name)
    try:
        of = machine_code.functions(game)

        def progress(done: int) -> None:
            print(done, of, flush=True)  # noqa: T201

        progress(0)
        with counted(progress):
            machine_code.prepare(game)
    except Exception as error:
        print(" ".join(str(error).split())[:LONGEST_ERROR], file=sys.stderr)  # noqa: T201
        return 1
    return 0


def _end_with_parent() -> None:
    os.read(0, 1)
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
