"""Compiling in a process of its own, which takes neither the server's time nor its memory.

A game's machine code is made there and left in the cache on the disk, from which workers load it. The
process can be ended at any moment: each function that has been compiled by then is kept, and the next process
goes on from there.
"""

import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence

from parlour_server.analysis.child_process import start_module
from parlour_server.games import find_game
from parlour_server.search import machine_code
from parlour_server.search.kernels.numba_modules import can_keep, counted

NICE = 15
"""By how much the compiler steps back behind others who want the same core."""

LONGEST_SECONDS = 300.0
"""How long a game may take: far longer than any, so that what hangs keeps no other game waiting for ever."""

LONGEST_ERROR = 300
"""How many characters of a compiler's error go into the log."""

Progress = Callable[[int, int], None]
"""Called with how many functions have been compiled, and of how many."""


class KernelCompiler:
    """Runs one process at a time. Its methods block, but for `stop`; they may be called in any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False

    def compile(self, game: str, progress: Progress) -> str | None:
        """Make a game's machine code and leave it in the cache: seconds. None when done, or where nothing can
        be kept; else why it could not be made."""
        if not can_keep():
            return None

        def take(line: bytes) -> None:
            done, of = map(int, line.split())
            progress(done, of)

        return self._run(["compile", game], take)

    def missing(self, games: Sequence[str]) -> list[str]:
        """The games among these whose machine code is not in the cache: tenths of a second."""
        found: list[str] = []
        self._run(["missing", *games], lambda line: found.append(line.decode().strip()))
        return found

    def stop(self) -> None:
        """Compile nothing more, and end what is being compiled; does not wait for it."""
        with self._lock:
            self._stopped = True
            if self._process is not None:
                self._process.kill()

    def _run(self, arguments: list[str], take: Callable[[bytes], None]) -> str | None:
        """Run the process to its end. None: all went well; else what was wrong."""
        with tempfile.TemporaryFile("w+", errors="replace") as errors:
            with self._lock:
                if self._stopped:
                    return "It was stopped."
                process = self._process = start_module(__name__, *arguments, stderr=errors)
            with process:
                too_long = threading.Timer(LONGEST_SECONDS, process.kill)
                too_long.daemon = True
                too_long.start()
                assert process.stdout is not None
                for line in process.stdout:
                    take(line)
            too_long.cancel()
            if process.returncode == 0:
                return None
            errors.seek(0)
            said = errors.read().strip()
        return said.splitlines()[-1] if said else f"The compiler ended with {process.returncode}."


# ---------------------------------------------------------------- the process


def main(what: str, names: Sequence[str]) -> int:
    """Compile games, and write how far that is; or write which are missing. 1: a line says what is wrong."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if hasattr(os, "nice"):  # not on Windows
        os.nice(NICE)
    try:
        for name in names:
            if what == "compile":
                _compile(name)
            elif not machine_code.is_kept(find_game(name)):
                print(name, flush=True)  # noqa: T201
    except Exception as error:
        print(" ".join(str(error).split())[:LONGEST_ERROR], file=sys.stderr)  # noqa: T201
        return 1
    return 0


def _compile(name: str) -> None:
    game = find_game(name)
    of = machine_code.functions(game)

    def progress(done: int) -> None:
        print(done, of, flush=True)  # noqa: T201

    progress(0)
    with counted(progress):
        machine_code.prepare(game)


def _end_with_parent() -> None:
    os.read(0, 1)
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
