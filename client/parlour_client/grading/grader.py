"""Grades one file at a time, each test in a process of its own: a bad file costs its own marks alone."""

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from statistics import mean

from parlour_client.bots.entrant import with_interface
from parlour_client.bots.errors import BotError
from parlour_client.bots.guard import GUARDED
from parlour_client.bots.process import BotProcess, Cell
from parlour_client.grading.proofs import Proofs
from parlour_client.grading.rubric import Rubric, Test
from parlour_client.grading.tests import TESTS
from parlour_client.grading.trial import Asked, Result, Trial
from parlour_client.sdk.errors import ParlourError, unreadable
from parlour_client.sdk.sanitize import clean
from parlour_protocol.words import say

KEPT = ("PATH", "LANG", "LC_ALL", "PARLOUR_LANG", "SYSTEMROOT")
"""Of the environment, all that such a file is shown."""
LARGEST = 4 * 2**20
MOVE_SECONDS = 5.0
"""What a move may take in the class' tournament."""


@dataclass(slots=True)
class Graded:
    """A file and its marks."""

    file: str
    name: str
    interface: str = ""
    results: list[Result] = field(default_factory=list)

    @property
    def points(self) -> float:
        """What it earned."""
        return round(sum(one.points for one in self.results), 2)

    @property
    def right(self) -> float | None:
        """The share of right moves where only some are right; None where it wasn't asked."""
        return next((one.share for one in self.results if one.test.name == "best"), None)

    @property
    def asked(self) -> list[Asked]:
        """All the moves that it was asked for and gave."""
        return [one for result in self.results for one in result.asked]

    @property
    def seconds(self) -> float | None:
        """What a move took on average."""
        return mean(one.seconds for one in self.asked) if self.asked else None

    @property
    def visited(self) -> float | None:
        """How many positions it looked at for a move on average, where that could be watched."""
        known = [one.visited for one in self.asked if one.visited is not None]
        return mean(known) if known else None

    @property
    def most(self) -> float:
        """What could be earned with such a file."""
        return sum(one.test.points for one in self.results if one.share is not None)


class Class:
    """A folder's files as they were when it was read: what one does to the folder changes no mark.

    They stand in the folder, or where none does, in folders of their own with what they need. What is to
    stand `beside` all of them is copied with each, and not marked.
    """

    def __init__(self, folder: Path, beside: Sequence[Path] = ()) -> None:
        self.folder = folder if folder.is_dir() else folder.parent
        self._beside = {path.name: path.read_bytes() for path in beside}
        found = [folder] if folder.is_file() else self._found("*.py") or self._found("*/*.py")
        self.sources = {path: _source(path) for path in found}

    def _found(self, pattern: str) -> list[Path]:
        found = sorted(path for path in self.folder.glob(pattern) if path.is_file())
        return [path for path in found if path.name not in self._beside]

    def label(self, path: Path) -> str:
        """What a file is called here."""
        return path.relative_to(self.folder).as_posix()

    def copied(self, path: Path, folder: str) -> Path:
        """A copy of a file, and of what it may import, in a folder by its real name."""
        copy = Path(folder).resolve() / path.name
        own = {one.name: source for one, source in self.sources.items() if one.parent == path.parent}
        beside = own if path.parent != self.folder else {}
        for name, source in {**beside, **self._beside, path.name: self.sources[path]}.items():
            copy.with_name(name).write_bytes(source)
        return copy

    def restore(self) -> list[str]:
        """Put back what was changed since, and name it."""
        changed = []
        for path, source in self.sources.items():
            if len(source) < LARGEST and (not path.is_file() or path.read_bytes() != source):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(source)
                changed.append(self.label(path))
        return changed


def _source(path: Path) -> bytes:
    """A file's beginning, which is all of a usual one. Raises `UsageError`."""
    try:
        with path.open("rb") as file:
            return file.read(LARGEST)
    except OSError as error:
        raise unreadable(path, error) from None


@contextmanager
def copies(files: Class, labels: Container[str]) -> Iterator[dict[str, Path]]:
    """Copies of these files of a class, for its tournament; what is started meanwhile is guarded."""
    with tempfile.TemporaryDirectory(prefix="parlour-", ignore_cleanup_errors=True) as made:
        found = {}
        for number, path in enumerate(files.sources):
            if files.label(path) in labels:
                folder = Path(made).resolve() / str(number)
                folder.mkdir()
                found[files.label(path)] = files.copied(path, str(folder))
        os.environ[GUARDED] = str(Path(made).resolve())
        try:
            yield found
        finally:
            del os.environ[GUARDED]


SHUT_IN = (
    *("bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/"),
    *("--dev", "/dev", "--proc", "/proc"),
)


@cache
def has_bubblewrap() -> bool:
    """Can files be shut in by the system? In many a container it is there, but may not do it."""
    if sys.platform != "linux" or shutil.which("bwrap") is None:
        return False
    tried = subprocess.run([*SHUT_IN, "true"], capture_output=True, check=False)  # noqa: S603 - our own words
    return tried.returncode == 0


def cell(folder: Path, hidden: Path) -> Cell:
    """Where a file is shut in: a folder of its own; the class' is `hidden` where the machine can do that."""
    hidden = hidden.resolve()
    environment = {key: os.environ[key] for key in KEPT if key in os.environ}
    environment |= {GUARDED: str(folder), "HOME": str(folder), "TMPDIR": str(folder)}
    environment |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    environment["PYTHONHASHSEED"] = "0"
    before: tuple[str, ...] = ()
    if has_bubblewrap():
        where = str(folder)
        before = (
            *SHUT_IN,
            "--tmpfs",
            str(hidden),
            *_shown_again(hidden),
            "--bind",
            where,
            where,
            "--chdir",
            where,
        )
    return Cell(folder, before, environment)


def _shown_again(hidden: Path) -> Iterator[str]:
    """What Python and Parlour themselves need of a hidden folder, as where it is the checkout."""
    needed = {Path(one).resolve() for one in (sys.prefix, sys.base_prefix, *filter(None, sys.path))}
    for path in sorted(needed):
        if path != hidden and path.is_relative_to(hidden) and path.exists():
            yield from ("--ro-bind", str(path), str(path))


async def grade(
    files: Class,
    path: Path,
    rubric: Rubric,
    proofs: Proofs,
    interface: str | None,
    memory: int,
    began: Callable[[str], None] = lambda _: None,
) -> Graded:
    """Mark one file, whatever it does."""
    graded = Graded(clean(files.label(path)), clean(path.stem))
    dead = False
    for test in rubric.tests:
        began(test.name)
        result = Result(test)
        graded.results.append(result)
        if dead:
            result.share = 0.0
            continue
        begun = time.perf_counter()
        with tempfile.TemporaryDirectory(prefix="parlour-", ignore_cleanup_errors=True) as made:
            copy = files.copied(path, made)
            process = BotProcess(
                with_interface(str(copy), interface), memory, cell(copy.parent, files.folder)
            )
            loaded = await _test(process, proofs, test, result)
            if loaded:
                graded.interface, graded.name = process.interface, process.name
            dead = not loaded and test.name == "loads"
        result.seconds = round(time.perf_counter() - begun, 2)
    return graded


async def _test(process: BotProcess, proofs: Proofs, test: Test, result: Result) -> bool:
    """One test, within its time; False where the file couldn't be loaded."""
    loaded = False
    try:
        async with asyncio.timeout(test.seconds), process:
            process.check(proofs.game)
            loaded = True
            await TESTS[test.name](Trial(process, proofs, test, result))
    except TimeoutError:
        result.share = result.share or 0.0
        result.said.append(say("grading.time_up", seconds=f"{test.seconds:g}"))
    except BotError as error:
        result.share = result.share or 0.0
        result.faults[error.kind] = (1, str(error))
    except ParlourError as error:
        result.share = 0.0
        result.faults["broken"] = (1, str(error))
    return loaded
