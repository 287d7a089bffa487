"""What the disk alone takes to make a move durable."""

import os
from pathlib import Path
from time import perf_counter

from bench import BenchError

_RECORD = bytes(4096)
"""A page: what a commit writes at least."""


def sync_seconds(folder: Path, seconds: float) -> list[float]:
    """Append a page and `fdatasync` it, over and over; how long each took. Raises `BenchError`."""
    folder.mkdir(parents=True, exist_ok=True)
    took = []
    try:
        file = os.open(folder / "sync", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            end = perf_counter() + seconds
            while (start := perf_counter()) < end:
                os.write(file, _RECORD)
                os.fdatasync(file)
                took.append(perf_counter() - start)
        finally:
            os.close(file)
    except OSError as error:
        raise BenchError(f"The disk of {folder} can't be measured: {error.strerror}.") from None
    return took
