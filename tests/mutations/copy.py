"""A copy of the checkout that bugs are put into, one at a time."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_cache_path

from tests.mutations.table import Mutation
from tests.support.fork_server import in_the_foreground
from tests.support.server import ROOT

TEST_SECONDS = 120
"""One test that takes longer hangs, and has failed."""


class Stale(Exception):
    """The text to be replaced does not occur exactly once, or what stands there then is no Python."""


def mutated(mutation: Mutation, root: Path = ROOT) -> str:
    """The mutated file's text. Raises `Stale`."""
    try:
        text = (root / mutation.file).read_text("utf-8")
    except FileNotFoundError:
        raise Stale(f"there is no {mutation.file}") from None
    pattern = r"\s+".join(map(re.escape, mutation.find.split()))
    found = list(re.finditer(pattern, text))
    if len(found) != 1:
        raise Stale(f"occurs {len(found)} times in {mutation.file}")
    start, end = found[0].span()
    text = text[:start] + mutation.put + text[end:]
    try:
        compile(text, mutation.file, "exec")
    except SyntaxError as error:
        raise Stale(f"line {error.lineno} does not compile then: {error.msg}") from None
    return text


@dataclass(slots=True)
class Ran:
    """What a run of pytest came to."""

    failed: str | None = None
    """The first test that failed."""
    problem: str | None = None
    """Why it says nothing: no tests there, or not done in time."""


class Copy:
    """The checkout's files as they are now, committed or not, in a folder that is thrown away."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "parlour"
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout
        for name in filter(None, listed.split("\0")):
            source, target = ROOT / name, self.root / name
            if source.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target)
        packages = [str(self.root / part) for part in ("protocol", "server", "client", ".")]
        cache = folder / "cache"
        kernels = Path(os.environ.get("PARLOUR_CACHE") or user_cache_path("parlour")) / "kernels"
        if kernels.exists():
            shutil.copytree(kernels, cache / "kernels")
        # Before the editable install, which leads to the checkout.
        self._environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(packages),
            "PARLOUR_CACHE": str(cache),
        }
        self._written = time.time()

    def write(self, file: str, text: str) -> None:
        """Write a file, at a second of its own: Python knows by that whether its bytecode is stale."""
        path = self.root / file
        path.write_text(text, "utf-8")
        self._written += 2
        os.utime(path, (self._written, self._written))

    def check_import(self, file: str) -> None:
        """Make sure that tests import this file of the copy's."""
        module = ".".join(Path(file).with_suffix("").parts[1:]).removesuffix(".__init__")
        script = f"import importlib.util; print(importlib.util.find_spec({module!r}).origin)"
        origin = self.run([sys.executable, "-c", script], 60)
        assert origin is not None
        assert origin.strip() == str(self.root / file), f"{module} comes from {origin}"

    def test(self, paths: Sequence[str], seconds: float) -> Ran:
        """Run tests until the first fails."""
        paths = [path if path.startswith("-") else f"tests/{path}" for path in paths]
        command = [sys.executable, "-m", "pytest", "-x", "-m", "not exe", "--timeout", str(TEST_SECONDS)]
        printed = self.run([*command, "-p", "tests.mutations.unshrunk", *paths], seconds)
        if printed is None:
            return Ran(problem=f"not done in {seconds:.0f} s")
        failure = re.search(r"^(?:FAILED|ERROR) (?:tests/)?(.+?)(?: - .*)?$", printed, re.MULTILINE)
        if failure is not None:
            return Ran(failed=failure[1])
        if not re.search(r"^\d+ passed", printed, re.MULTILINE):
            return Ran(problem=printed.strip().splitlines()[-1] if printed.strip() else "nothing printed")
        return Ran()

    def run(self, command: Sequence[str], seconds: float) -> str | None:
        """Run a command in the copy; what it printed, or None if it took too long."""
        process = subprocess.Popen(
            command,
            cwd=self.root,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            preexec_fn=in_the_foreground,
        )
        try:
            return process.communicate(timeout=seconds)[0]
        except subprocess.TimeoutExpired:
            return None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
