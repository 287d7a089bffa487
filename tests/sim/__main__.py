"""Simulate seeds without end, or so many of them, or for so long: see `make soak`.

The environment tells what: SEED (this one alone, with its whole trace), SEEDS, MINUTES, FIRST.
"""

import os
import sys
import time

from tests.sim.simulation import Failed, run

TAIL = 80


def main() -> int:
    """The exit code: 0 if no seed failed."""
    try:
        seed, seeds, first = (_number(name) for name in ("SEED", "SEEDS", "FIRST"))
        minutes = float(os.environ.get("MINUTES") or 0)
    except ValueError as error:
        print(f"SEED, SEEDS, FIRST and MINUTES are numbers: {error}.", file=sys.stderr)
        return 2
    if seed is not None:
        return _replay(seed)
    # Without a first seed, others than the tests': a soak should see something new.
    start = first if first is not None else time.time_ns() // 1_000_000_000 * 1000
    until = time.monotonic() + 60 * minutes if minutes else None
    return _soak(start, seeds, until)


def _number(name: str) -> int | None:
    text = os.environ.get(name)
    return int(text) if text else None


def _replay(seed: int) -> int:
    try:
        print(run(seed, watch=print))
    except Failed as failed:
        print(failed)
        return 1
    return 0


def _soak(start: int, seeds: int | None, until: float | None) -> int:
    began = time.monotonic()
    done = events = commands = lives = 0
    while (seeds is None or done < seeds) and (until is None or time.monotonic() < until):
        try:
            ran = run(start + done)
        except Failed as failed:
            print(f"\n{failed}", *(line[:300] for line in failed.trace[-TAIL:]), sep="\n")
            print(f"\nSeed {failed.seed} failed. Replay it with: make soak SEED={failed.seed}")
            return 1
        except KeyboardInterrupt:
            break
        done += 1
        events, commands, lives = events + ran.events, commands + ran.commands, lives + ran.lives
        if done % 20 == 0 or done == seeds:
            _progress(
                start, done, began, f"{events} events, {commands} commands, {lives} lives of the server"
            )
    print(f"\nNo fault in the {done} seeds from {start} on.")
    return 0


def _progress(start: int, done: int, began: float, what: str) -> None:
    rate = done / (time.monotonic() - began)
    line = f"{done} seeds from {start} on, {rate:.0f} a second: {what}"
    print(f"\r{line}" if sys.stdout.isatty() else line, end="" if sys.stdout.isatty() else "\n", flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
