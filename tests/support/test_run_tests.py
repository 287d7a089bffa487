"""What fails once is named as flaky, and what fails twice is red."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.server import ROOT

FLAKY = """
from pathlib import Path

def test_now_and_then():
    seen = Path({seen!r})
    if not seen.exists():
        seen.touch()
        raise AssertionError

def test_never():
    assert {passes}
"""


@pytest.mark.parametrize("passes", [True, False])
def test_what_fails_is_run_once_more_by_itself(tmp_path: Path, passes: bool) -> None:
    file = tmp_path / "test_it.py"
    file.write_text(FLAKY.format(seen=str(tmp_path / "seen"), passes=passes))
    command = [sys.executable, "-m", "scripts.run_tests", "-p", "tests.conftest", file.name]
    environment = os.environ | {"CI": "1", "PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, check=False, encoding="utf-8"
    )
    last = run.stdout.splitlines()[-1 if passes else -2 :]
    assert run.returncode == (0 if passes else 1), run.stdout
    assert last[0].startswith("FLAKY ")
    assert last[0].endswith("::test_now_and_then")
    assert passes or last[1].startswith("FAILED TWICE ")
