"""Compute the opening book of Connect Four: `python scripts/connect4_book.py --help`.

The book holds what the solver would take too long for: of the positions that the perfect player can meet,
those that it can't solve from an empty table within a budget of nodes. To meet one, it has played the
book's moves, and its opponent whatever it liked, on either side. With `--all-to PLY` the book
also holds every position up to that ply, and with `--line MOVES` every position along a line and one move
beside it, so that an analysis scores all moves there at once.

The work goes from the empty board downward, ply by ply, since the book's moves decide what can be met. A
position's exact score bounds those behind it. Two threads share one large table, so that
positions solved earlier help later ones. The scores are the same in each run; which of several equal moves is
found may differ. Each result is appended to a file, from which a later run goes on:

    python scripts/connect4_book.py --work .book-work          compute, then write the book
    python scripts/connect4_book.py --work .book-work --write  write it from what there is
    python scripts/connect4_book.py --check 100                solve 100 of its positions again

A run needs 4 GB with the usual table.
"""

import argparse
import heapq
import random
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from parlour_server.games.connect4 import CONNECT_FOUR
from parlour_server.search.connect4 import book
from parlour_server.search.kernels import compiled

PRIVATE_BITS = 21
"""The table of a test from scratch: small, so that it is quickly emptied and a larger one does no worse."""

NO_LIMIT = 1 << 60

BOTTOM = 0x40810204081
BOARD = BOTTOM * 0b111111

LINES = ("4444422", "444444")
"""What people look at first."""


def write(path: Path, found: dict[int, tuple[int, int]]) -> str:
    """Write a book. Returns its checksum."""
    content = b"".join(
        (key << 9 | score + 32 << 3 | column).to_bytes(8, "little")
        for key, (score, column) in sorted(found.items())
    )
    path.write_bytes(content)
    return sha256(content).hexdigest()


def position_of(key: int) -> tuple[int, int]:
    """The stones of the side to move, and all stones."""
    mine = mask = 0
    for column in range(7):
        # h stones are 2 ** h - 1 as a bitboard, and those of one side are no more.
        content = (key >> 7 * column & book.COLUMN) + 1
        full = 1 << content.bit_length() - 1
        mask |= full - 1 << 7 * column
        mine |= content - full << 7 * column
    return mine, mask


def open_columns(mask: int) -> list[int]:
    """The columns with room."""
    return [column for column in range(7) if not mask >> 7 * column + 5 & 1]


def drop(mask: int, column: int) -> int:
    """All stones after one more in a column with room."""
    return mask | mask + (1 << 7 * column)


def winning_cells(stones: int, mask: int) -> int:
    """The cells in reach that would complete four of these stones."""
    cells = mask + BOTTOM & BOARD
    found = 0
    while cells:
        cell = cells & -cells
        cells ^= cell
        with_it = stones | cell
        for step in (1, 6, 7, 8):
            pairs = with_it & with_it >> step
            if pairs & pairs >> 2 * step:
                found |= cell
    return found


def wins_at_once(stones: int, mask: int) -> bool:
    """Can this side complete four, if it is to move?"""
    return winning_cells(stones, mask) != 0


@dataclass(slots=True)
class Solver:
    """One thread's memory for the solver."""

    code: Any
    stop: Any
    work: Any = field(init=False)
    private: Any = field(init=False)
    nodes: int = 0

    def __post_init__(self) -> None:
        self.work = np.zeros(self.code.WORK, np.int64)
        self.private = np.zeros(1 << PRIVATE_BITS, np.int64)

    def solve(self, key: int, table: Any, limit: int, least: int = -21) -> tuple[int, int] | None:
        """The score and the best column; None if it took too many nodes or was stopped."""
        mine, mask = position_of(key)
        work = self.work
        work[: self.code.FRAMES] = 0
        work[self.code.LIMIT] = limit
        work[self.code.LOW], work[self.code.HIGH] = least, 21
        shift = 64 - (len(table).bit_length() - 1)
        solved = self.code.solve(mine, mask, mask.bit_count(), work, table, shift, self.stop)
        self.nodes = int(work[self.code.NODES])
        if not solved:
            return None
        return int(work[self.code.LOW]), (int(work[self.code.BEST]).bit_length() - 1) // 7

    def from_scratch(self, key: int, budget: int) -> tuple[int, int] | None:
        """The same with a table that knows nothing yet."""
        self.private[:] = 0
        return self.solve(key, self.private, budget)


@dataclass(slots=True)
class Result:
    """What was found on one position."""

    key: int
    score: int
    column: int
    nodes: int
    """From scratch; more than the budget if that was spent."""
    seconds: float

    def __str__(self) -> str:
        # The full stop tells a whole line from one that a crash cut short.
        return f"{self.key} {self.score} {self.column} {self.nodes} {self.seconds:.3f} ."


def read(path: Path) -> dict[int, Result]:
    """The results of earlier runs."""
    found = {}
    for line in path.read_text().splitlines() if path.exists() else []:
        words = line.split()
        if len(words) == 6 and words[5] == ".":
            key, score, column, nodes = (int(word) for word in words[:4])
            found[key] = Result(key, score, column, nodes, float(words[4]))
    return found


def replies(key: int, column: int) -> list[int]:
    """The positions after this move and any answer, unless the game ends or can be ended at once."""
    mine, mask = position_of(key)
    found = []
    after = drop(mask, column)
    mine, theirs = mine ^ mask, mine | after ^ mask
    wins = winning_cells(mine, after)
    for answer in open_columns(after):
        final = drop(after, answer)
        if (final ^ after) & wins or wins_at_once(theirs, final) or not open_columns(final):
            continue
        found.append(book.canonical(theirs, final)[0])
    return found


def children(key: int) -> list[int]:
    """The positions after every move, unless the game ends or can be ended at once."""
    mine, mask = position_of(key)
    found = []
    wins = winning_cells(mine, mask)
    for column in open_columns(mask):
        after = drop(mask, column)
        if not (after ^ mask) & wins and not wins_at_once(mine ^ mask, after):
            found.append(book.canonical(mine ^ mask, after)[0])
    return found


class Build:
    """The work to be done, shared by the threads."""

    def __init__(
        self, folder: Path, budget: int, all_to: int, lines: Sequence[str], bits: int, *, only_known: bool
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / "results.txt"
        self.budget, self.all_to, self.lines, self.only_known = budget, all_to, lines, only_known
        self.known = read(self.path)
        self.code = compiled.solver(CONNECT_FOUR)
        self.table = np.zeros(1 << bits, np.int64)
        self.stop = np.zeros(1, np.uint8)
        self.waiting: list[tuple[int, int, int, int, bool]] = []
        self.seen: set[tuple[int, bool]] = set()
        self.wanted: set[int] = set()
        """These go into the book however cheap they are."""
        self.entries: dict[int, Result] = {}
        self.busy = 0
        self.change = threading.Condition()
        self.cheap: Counter[int] = Counter()
        self.met: Counter[int] = Counter()
        self.start = time.monotonic()

    def push(self, key: int, least: int, *, met: bool) -> None:
        """Add a position. Can the perfect player meet it with the move?"""
        if (key, met) not in self.seen:
            self.seen.add((key, met))
            stones = position_of(key)[1].bit_count()
            heapq.heappush(self.waiting, (stones, len(self.seen), key, least, met))

    def run(self, threads: int) -> None:
        """Work until nothing is left to be done, or until stopped."""
        self.push(0, -21, met=True)
        for key in children(0):
            self.push(key, -21, met=True)
        for line in self.lines:
            mine = mask = 0
            for move in ["", *line]:
                if move:
                    mine, mask = mine ^ mask, drop(mask, int(move) - 1)
                key = book.canonical(mine, mask)[0]
                for wanted in (key, *children(key)):
                    self.wanted.add(wanted)
                    self.push(wanted, -21, met=False)
        workers = [threading.Thread(target=self._work) for _ in range(threads)]
        with self.path.open("a") as self.file:
            for worker in workers:
                worker.start()
            shown = 0.0
            while any(worker.is_alive() for worker in workers):
                time.sleep(0.2)
                if time.monotonic() - shown > 20:
                    shown = time.monotonic()
                    self.show()
        self.show()

    def show(self) -> None:
        """How far the work has come, by plies."""
        with self.change:
            waiting = Counter(stones for stones, *_ in self.waiting)
            say(
                f"{time.monotonic() - self.start:.0f} s: {len(self.entries)} positions in the book "
                f"{dict(sorted(self.met.items()))}, cheap {dict(sorted(self.cheap.items()))}, "
                f"waiting {dict(sorted(waiting.items()))}"
            )

    def _work(self) -> None:
        solver = Solver(self.code, self.stop)
        while not self.stop[0]:
            with self.change:
                while not self.waiting and self.busy:
                    self.change.wait()
                if not self.waiting:
                    self.change.notify_all()
                    return
                stones, _, key, least, met = heapq.heappop(self.waiting)
                known = self.known.get(key)
                self.busy += 1
            result = known if known or self.only_known else self._solve(solver, key, least)
            with self.change:
                self.busy -= 1
                if result is not None:
                    if known is None:
                        self.known[key] = result
                        self.file.write(f"{result}\n")
                        self.file.flush()
                    self._take(result, stones, met)
                self.change.notify_all()

    def _solve(self, solver: Solver, key: int, least: int) -> Result | None:
        start = time.monotonic()
        found = solver.from_scratch(key, self.budget)
        nodes = solver.nodes
        if found is None and not self.stop[0]:
            found = solver.solve(key, self.table, NO_LIMIT, least)
            nodes += solver.nodes
        return Result(key, *found, nodes, time.monotonic() - start) if found else None

    def _take(self, result: Result, stones: int, met: bool) -> None:
        cheap = result.nodes < self.budget
        if cheap and stones > self.all_to and result.key not in self.wanted:
            self.cheap[stones] += 1
            return
        if result.key not in self.entries:
            self.entries[result.key] = result
            self.met[stones] += 1
        if met:
            for key in replies(result.key, result.column):
                self.push(key, result.score, met=True)
        if stones < self.all_to:
            for key in children(result.key):
                self.push(key, -21, met=False)


def check(count: int, seed: int) -> None:
    """Solve a random part of the book again, each position from an empty table."""
    solver = Solver(compiled.solver(CONNECT_FOUR), np.zeros(1, np.uint8))
    table = np.zeros(1 << 26, np.int64)
    rng = random.Random(seed)  # noqa: S311 - a choice that is meant to repeat
    keys = sorted(book.entries())
    for key in rng.sample(keys, min(count, len(keys))):
        table[:] = 0
        score, column = book.entries()[key]
        found = solver.solve(key, table, NO_LIMIT)
        nodes = solver.nodes
        mine, mask = position_of(key)
        after = drop(mask, column)
        kept = solver.solve(book.canonical(mine ^ mask, after)[0], table, NO_LIMIT)
        right = found is not None and kept is not None and found[0] == score == -kept[0]
        verdict = "right" if right else "WRONG"
        say(f"{mask.bit_count()} stones, key {key}: {score}, {nodes / 1e6:.1f} million nodes, {verdict}")
        if not right:
            raise SystemExit(1)


def say(text: str) -> None:
    """To whoever watches."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    """Compute, write or check."""
    parser = argparse.ArgumentParser(description="The opening book of Connect Four.")
    add = parser.add_argument
    add("--work", type=Path, default=Path(".book-work"), help="the folder of the results so far")
    add("--budget", type=int, default=1_000_000, help="nodes that the solver may take by itself")
    add("--all-to", type=int, default=1, help="up to this ply every position is in the book")
    add("--line", action="append", default=list(LINES), help="one more line of columns from 1 to 7")
    add("--bits", type=int, default=29, help="the table has 2 ** BITS entries of 8 bytes")
    add("--threads", type=int, default=2, help="how many to use")
    add("--out", type=Path, default=book.PATH, help="the book")
    add("--write", action="store_true", help="compute nothing: write the book as far as it is known")
    add("--check", type=int, metavar="N", help="solve N positions of the book again")
    add("--seed", type=int, default=1, help="which ones")
    given = parser.parse_args()
    if given.check is not None:
        check(given.check, given.seed)
        return
    build = Build(given.work, given.budget, given.all_to, given.line, given.bits, only_known=given.write)
    for kind in (signal.SIGTERM, signal.SIGINT):
        signal.signal(kind, lambda *_: build.stop.fill(1))
    build.run(given.threads)
    if build.stop[0]:
        say("Stopped; the next run goes on from here.")
        return
    entries = {key: (found.score, found.column) for key, found in build.entries.items()}
    checksum = write(given.out, entries)
    say(f"{len(build.entries)} positions in {given.out}; book.CHECKSUM is {checksum}")


if __name__ == "__main__":
    main()
