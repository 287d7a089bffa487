"""Where processes that run a module are spawned: forked off one that has imported what they need.

Each is a process of its own still, with its own session, files, environment and end. Only the time is saved
that Python takes to load what every one of them needs, which is most of what such a short life costs.
"""

import fcntl
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Literal, NoReturn, TextIO

NUMBER = struct.Struct("i")
SERVER = (
    *("parlour_server.cli", "parlour_server.app", "parlour_server.store.sqlite", "uvloop"),
    *("tests.support.warm", "parlour_client.cli.app"),
)
"""What a server needs, and the command that starts one."""


def in_the_foreground() -> None:
    """Handle SIGINT and SIGHUP as in a terminal's foreground, in a child process before it runs its program.

    It inherits what the tests were started to ignore: SIGHUP under `nohup`, SIGINT in a script's background.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


class Spawned:
    """`python -m module` with these arguments: its standard input, output and error are the three files.

    A terminal among them is its controlling one.
    """

    def __init__(
        self,
        module: str,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        files: tuple[int, int, int],
        needs: tuple[str, ...] = SERVER,
    ) -> None:
        self._line, theirs = socket.socketpair()
        with theirs:
            with _one_at_a_time:  # lest two threads start a fork server each
                orders = _fork_server(needs)[0]
            socket.send_fds(orders, [b"!"], [*files, theirs.fileno()])
        order = [module, arguments, dict(environment), str(Path.cwd())]
        self._line.sendall(json.dumps(order).encode() + b"\n")
        self.pid = self._receive()
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Its exit code, once it has ended; minus the signal's number where one ended it."""
        if self.returncode is None and select.select([self._line], [], [], 0)[0]:
            self.wait()
        return self.returncode

    def wait(self, seconds: float | None = None) -> int:
        """Wait for its end; its exit code. Raises `TimeoutError`."""
        if self.returncode is None:
            self._line.settimeout(seconds)
            self.returncode = self._receive()
            self._line.close()
        return self.returncode

    def kill(self) -> None:
        """End it with nothing said before."""
        self.send_signal(signal.SIGKILL)

    def send_signal(self, number: int) -> None:
        """Nothing where it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def _receive(self) -> int:
        (number,) = NUMBER.unpack(self._line.recv(NUMBER.size, socket.MSG_WAITALL))
        return int(number)


_one_at_a_time = Lock()


@cache
def _fork_server(needs: tuple[str, ...]) -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """This process's fork server, which ends with its line to us."""
    ours, theirs = socket.socketpair()
    with theirs:
        command = [sys.executable, "-m", "tests.support.fork_server", str(theirs.fileno()), *needs]
        fork_server = subprocess.Popen(
            command, cwd=Path(__file__).parents[2], stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()]
        )
    return ours, fork_server


# ---------------------------------------------------------------- in the fork server


def _bear(orders: socket.socket) -> None:
    """Fork for every order, for as long as orders may come."""
    # Those who keep the others tell nothing when they end, and are not waited for.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while (order := socket.recv_fds(orders, 1, 4))[0]:
        files = order[1]
        if os.fork() == 0:
            orders.close()
            _keep(socket.socket(fileno=files.pop()), files)
        for file in files:
            os.close(file)


def _keep(line: socket.socket, files: list[int]) -> NoReturn:
    """Fork once more; tell that process's number, wait for it, and tell how it ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    module, arguments, environment, folder = json.loads(line.makefile().readline())
    pid = os.fork()
    if pid == 0:
        line.close()
        os.chdir(folder)
        born_with = _python_path()
        os.environ.clear()
        os.environ.update(environment)
        # Python would have read it at its start.
        sys.path[:] = [*_python_path(), *(folder for folder in sys.path if folder not in born_with)]
        _live(module, arguments, files)
    for file in files:
        os.close(file)
    with suppress(OSError):  # nobody may be there any more
        line.sendall(NUMBER.pack(pid))
        line.sendall(NUMBER.pack(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])))
    os._exit(0)


def _python_path() -> list[str]:
    return [folder for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder]


def _live(module: str, arguments: list[str], files: list[int]) -> NoReturn:
    """Be `python -m module`, and end as it does."""
    os.setsid()
    in_the_foreground()
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    if os.isatty(0):
        # So that Ctrl-C is the terminal's own.
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    sys.stdin, sys.stdout, sys.stderr = _opened(0, "r"), _opened(1, "w"), _opened(2, "w", "backslashreplace")
    sys.argv[1:] = arguments
    runpy.run_module(module, run_name="__main__", alter_sys=True)
    sys.exit()


def _opened(number: int, mode: Literal["r", "w"], errors: str = "strict") -> TextIO:
    return open(number, mode, buffering=1 if os.isatty(number) else -1, errors=errors, closefd=False)


if __name__ == "__main__":
    for name in sys.argv[2:]:
        importlib.import_module(name)
    gc.freeze()
    _bear(socket.socket(fileno=int(sys.argv[1])))
