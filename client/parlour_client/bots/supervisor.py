"""Runs a bot's process, holds it to its limits, and ends all that it has started.

    python -I -S supervisor.py ENOUGH TOO_MUCH BYTES FILE COMMAND...

A script that imports the standard library alone, so that it costs a few milliseconds. COMMAND inherits
standard input and output. What it writes to standard error goes through here, cut where it is too much;
FILE, an open one's number, keeps how much that was, for the next process of the same bot. ENOUGH is what is
said where it has printed all that is shown, TOO_MUCH where lines are left out.

When COMMAND ends, when our parent does (then nobody holds the other end of standard input), and on SIGTERM,
every descendant is killed. On Linux those are among them that left for a session of their own, since orphans
become our children (PR_SET_CHILD_SUBREAPER); elsewhere it is COMMAND's process group. Then this process ends
as COMMAND did.

Where all together hold more than BYTES of memory (on Linux), they are killed, and `{"memory": true}` follows
on standard output, on a line of its own; so they are where they are more than MOST_PROCESSES, and
`{"processes": true}` follows.
"""

import ctypes
import os
import select
import signal
import sys
import time
from contextlib import suppress

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
MOST_PROCESSES = 200
LOOK_SECONDS = 0.2
"""Between looks at the memory."""
AT_ONCE, A_SECOND, IN_ALL = 16 * 1024, 1024, 256 * 1024
"""What is shown of what is printed, in bytes."""
LONGEST_LINE = 4 * 1024
"""A longer one is taken as several."""
CHUNK = 64 * 1024


class Printed:
    """What a process prints, line by line, and no more of it than a terminal and its reader can take.

    Whole lines are passed on, or left out. In which pieces they come is of no importance.
    """

    def __init__(self, enough: str, too_much: str, now: float, before: str = "") -> None:
        """`before` is the `state` of the process before this one, where there was one."""
        self._enough, self._too_much = enough, too_much
        left, then, left_in_all, cut, ended = map(float, before.split() or (AT_ONCE, now, IN_ALL, 0, 0))
        self._left = left
        self._left_in_all = left_in_all
        self._then = then
        self._begun = b""
        """A line whose end has not come yet."""
        self._shown = 0
        """So many bytes of it are shown already."""
        self._cut = bool(cut)
        self._ended = bool(ended)
        """Nothing more is shown."""

    def state(self) -> str:
        """What may be printed yet, and what was said of it."""
        return f"{self._left} {self._then} {self._left_in_all} {self._cut:d} {self._ended:d}"

    def take(self, data: bytes, now: float) -> bytes:
        """What of it is to be shown, at `now` in seconds."""
        self._left = min(AT_ONCE, self._left + (now - self._then) * A_SECOND)
        self._then = now
        *whole, begun = (self._begun + data).split(b"\n")
        shown = []
        for line in whole:
            shown += [self._line(piece) for piece in _pieces(line)]
        *pieces, self._begun = _pieces(begun)
        shown += [self._line(piece) for piece in pieces]
        return b"".join(shown)

    def rest(self) -> bytes:
        """The beginning of a line that nothing follows for now: a question, say, or the last word."""
        begun = self._begun[self._shown :]
        if not self._room_for(begun):
            return b""
        self._shown = len(self._begun)
        return begun

    def _line(self, line: bytes) -> bytes:
        line, begun, self._shown = line[self._shown :] + b"\n", self._shown > 0, 0
        if self._room_for(line):
            return line
        sentence = ""
        if len(line) > self._left_in_all and not self._ended:
            self._ended = True
            sentence = f"[{self._enough}]\n"
        elif not self._ended and not self._cut:
            self._cut = True
            sentence = f"[{self._too_much}]\n"
        return (b"\n" if begun else b"") + sentence.encode()

    def _room_for(self, text: bytes) -> bool:
        """May it be shown? Then it counts."""
        if self._ended or len(text) > min(self._left, self._left_in_all):
            return False
        self._left -= len(text)
        self._left_in_all -= len(text)
        return True


def _pieces(line: bytes) -> list[bytes]:
    """A line in pieces that are not too long: one, as a rule, and the last one may be empty."""
    count = len(line) // LONGEST_LINE + 1
    return [line[number * LONGEST_LINE : (number + 1) * LONGEST_LINE] for number in range(count)]


class Stopped(Exception):
    """We were asked to end."""


def main() -> None:
    """Run the command, and end as it does."""
    enough, too_much, memory, file = *sys.argv[1:3], int(sys.argv[3]), int(sys.argv[4])
    os.set_inheritable(file, False)
    # Until all is ready for it.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    signal.signal(signal.SIGTERM, _stop)
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _become(sys.argv[5:], writing)
    os.close(writing)
    os.set_blocking(reading, False)
    # Its clock is the same for all processes.
    printed = Printed(enough, too_much, time.monotonic(), os.pread(file, CHUNK, 0).decode())
    status: int | None = None
    full = ""
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        status, full = _watch(child, memory, reading, printed)
    except Stopped:
        pass
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        status = _end_all(child, status)
        with suppress(OSError):
            _pass_on(reading, printed)
            _write(2, printed.rest())
        with suppress(OSError):
            os.ftruncate(file, 0)
            os.pwrite(file, printed.state().encode(), 0)
    if full:
        # Behind what may be half an answer.
        _write(1, f'\n{{"{full}": true}}\n'.encode())
    _end_as(status)


def _stop(*_: object) -> None:
    # Once: the next one must not disturb the end.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Stopped


def _become(command: list[str], errors: int) -> None:
    """Be the command, in a session of its own."""
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        os.setsid()
        # Should we be killed ourselves, it does not stay.
        _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        os.dup2(errors, 2)
        os.execv(command[0], command)  # noqa: S606 - our own interpreter, our own arguments
    finally:
        os._exit(127)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _watch(child: int, memory: int, errors: int, printed: Printed) -> tuple[int | None, str]:
    """Wait until it ends, our parent does, or it holds too much memory or processes.

    Gives its wait status (None where it runs still), and what of these was too much.
    """
    poll = select.poll()
    # Of standard input, which is COMMAND's, its end alone is of interest.
    poll.register(0, 0)
    poll.register(errors, select.POLLIN)
    # The end of a child is a byte to wake up by.
    waking, woken = os.pipe()
    os.set_blocking(waking, False)
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    poll.register(waking, select.POLLIN)
    looked = 0.0
    while True:
        # What ended before we listened shows here.
        found = _reaped(child)
        if found is not None:
            return found, ""
        ready = dict(poll.poll(LOOK_SECONDS * 1000))
        if 0 in ready:
            return None, ""
        if waking in ready:
            with suppress(BlockingIOError):
                os.read(waking, CHUNK)
        if errors in ready and not _pass_on(errors, printed):
            poll.unregister(errors)
        if errors not in ready:
            _write(2, printed.rest())
        if time.monotonic() - looked >= LOOK_SECONDS:
            looked = time.monotonic()
            pids = _descendants(os.getpid())
            if len(pids) > MOST_PROCESSES:
                return None, "processes"
            if _memory(pids) > memory:
                return None, "memory"


def _pass_on(errors: int, printed: Printed) -> bool:
    """Show what was printed, as far as it may be; False at its end."""
    for _ in range(16):
        try:
            data = os.read(errors, CHUNK)
        except BlockingIOError:
            return True
        if not data:
            return False
        _write(2, printed.take(data, time.monotonic()))
    return True


def _write(file: int, data: bytes) -> None:
    # A reader who has left is no reason to stop.
    with suppress(OSError):
        while data:
            data = data[os.write(file, data) :]


def _reaped(child: int) -> int | None:
    """Bury all that ended; the child's wait status, where it was among them."""
    status = None
    with suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            if found[0] == child:
                status = found[1]
    return status


def _end_all(child: int, status: int | None) -> int:
    """Kill every descendant, until none is left; the child's wait status."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    while True:
        # Their children become ours, and are found the next time.
        for pid in _children(os.getpid()):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        try:
            pid, found = os.waitpid(-1, 0)
        except ChildProcessError:
            return status or 0
        if pid == child:
            status = found


def _end_as(status: int) -> None:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        with suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 1)


# ---------------------------------------------------------------- processes, by /proc


def _children(pid: int) -> list[int]:
    """Its children; none where the system has no /proc."""
    # The list that the system keeps of them is quicker to read than all processes there are.
    if LISTED:
        lists = [_text(f"/proc/{pid}/task/{task}/children") for task in _entries(f"/proc/{pid}/task")]
        return [int(child) for listed in lists for child in listed.split()]
    return [int(name) for name in _entries("/proc") if name.isdecimal() and _parent(name) == pid]


def _parent(name: str) -> int | None:
    fields = _text(f"/proc/{name}/stat").rpartition(")")[2].split()
    return int(fields[1]) if fields else None


def _descendants(pid: int) -> list[int]:
    """Its children, their children, and so on."""
    found = _children(pid)
    for one in found:
        found += _children(one)
    return found


def _memory(pids: list[int]) -> int:
    """The bytes that these processes hold together."""
    held = sum(_resident(pid) for pid in pids)
    # What several share is counted for each of them.
    return held if len(pids) < 2 else min(held, sum(_share(pid) for pid in pids))


def _resident(pid: int) -> int:
    pages = _text(f"/proc/{pid}/statm").split()
    return int(pages[1]) * os.sysconf("SC_PAGE_SIZE") if pages else 0


def _share(pid: int) -> int:
    """Its resident memory, with what it shares divided among those who share it."""
    for line in _text(f"/proc/{pid}/smaps_rollup").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return _resident(pid)


def _entries(folder: str) -> list[str]:
    with suppress(OSError):
        return os.listdir(folder)  # noqa: PTH208
    return []


def _text(path: str) -> str:
    """What stands there; nothing where its process has ended."""
    with suppress(OSError), open(path) as file:  # noqa: PTH123 - pathlib takes time to load
        return file.read()
    return ""


LISTED = os.path.exists(f"/proc/self/task/{os.getpid()}/children")  # noqa: PTH110


if __name__ == "__main__":
    main()
