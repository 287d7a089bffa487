"""What the command lines share: how options are read, and that a run ends as a whole."""

import argparse
import re
import signal
from collections.abc import Callable
from types import FrameType

MOST = 10**9


def end_on_sigterm() -> None:
    """Let SIGTERM do what Ctrl-C does: else processes that the run started would go on without it."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)


def count(text: str) -> int:
    """A whole number from 1 up."""
    if re.fullmatch("[0-9]{1,10}", text) is None or not 1 <= int(text) <= MOST:
        raise argparse.ArgumentTypeError(f"a whole number from 1 to {MOST:,}, please, not {text!r}")
    return int(text)


def some(known: tuple[str, ...]) -> Callable[[str], tuple[str, ...]]:
    """Reads some of the known names, divided by commas, which a game's name may hold too."""
    one = "|".join(map(re.escape, known))

    def read(text: str) -> tuple[str, ...]:
        if re.fullmatch(rf"({one})(,\s*({one}))*", text) is None:
            raise argparse.ArgumentTypeError(f"choose from {', '.join(known)}, divided by commas")
        chosen = re.findall(one, text)
        return tuple(name for name in known if name in chosen)

    return read
