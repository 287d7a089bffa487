"""A server that is killed at one of its writes: `python -m tests.e2e.dying NUMBER before|after OPTION...`"""

import os
import signal
import sys
from typing import Any

from parlour_server.cli import main
from parlour_server.store.gathered import Append
from parlour_server.store.sqlite import committing, store


def die_at(number: int, when: str) -> None:
    """Have the write of that number be this process's last, or its end come right before it."""
    commit, written = committing.commit, 0

    def killed(file: Any, batch: Any) -> Any:
        nonlocal written
        # New players are saved the same way; it is the rooms' writes that are counted.
        if not any(isinstance(one, Append) for one in batch):
            return commit(file, batch)
        written += 1
        if written == number and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        outcomes = commit(file, batch)
        if written == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return outcomes

    store.commit = killed  # type: ignore[attr-defined]


if __name__ == "__main__":
    _, number, when, *options = sys.argv
    sys.argv[1:] = options
    die_at(int(number), when)
    main()
