"""Runs the tests: `make test`. Where `CI` is set, what fails is run once more by itself.

A test that passes then is flaky: it is named in the last lines, as a thing to mend, and fails nothing. One
that fails twice does, and so do more than a few at once.
"""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.conftest import FAILED_FILE

MOST_AGAIN = 10
"""With more failures than this it is the change that is wrong."""
TESTS_FAILED = 1
"""The exit code by which pytest says so."""


def main(arguments: list[str]) -> int:
    """Run them; the exit code."""
    if not os.environ.get("CI"):
        return _pytest(arguments)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "failed"
        code = _pytest(arguments, {FAILED_FILE: str(file)})
        failed = file.read_text("utf-8").splitlines() if file.exists() else []
    if code != TESTS_FAILED or not 0 < len(failed) <= MOST_AGAIN:
        return code
    print(f"\nOnce more, each by itself: {len(failed)}", flush=True)
    broken = [test for test in failed if _pytest([test]) != 0]
    for test in failed:
        print(f"{'FAILED TWICE' if test in broken else 'FLAKY'} {test}")
    return TESTS_FAILED if broken else 0


def _pytest(arguments: list[str], environment: dict[str, str] | None = None) -> int:
    command = [sys.executable, "-m", "pytest", *arguments]
    return subprocess.run(command, check=False, env=os.environ | (environment or {})).returncode


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
