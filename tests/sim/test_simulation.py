"""Whole servers with their people, from seed after seed, through crashes, cuts and full disks.

A seed that fails says so; `make soak SEED=...` replays it with all that happened.
"""

import os
import subprocess
import sys

import pytest

from tests.sim.simulation import Failed, run
from tests.support.server import ROOT

SEEDS = int(os.environ.get("SEEDS", "60"))
BLOCK = 30
"""As many seeds share one test case, so that several processes can share the cases."""
TAIL = 60


@pytest.mark.parametrize("first", range(0, SEEDS, BLOCK))
def test_nothing_is_lost_or_doubled_whatever_happens(first: int) -> None:
    events = lives = resent = clusters = 0
    for seed in range(first, first + BLOCK):
        try:
            ran = run(seed)
        except Failed as failed:
            tail = "\n".join(line[:300] for line in failed.trace[-TAIL:])
            pytest.fail(f"{failed}\n{tail}\nReplay it with: make soak SEED={seed}", pytrace=False)
        events, lives, resent = events + ran.events, lives + ran.lives, resent + ran.resent
        clusters += ran.nodes > 1
    # Else the runs were too calm to show anything.
    assert events > 20 * BLOCK
    assert lives > 1.5 * BLOCK
    assert resent > BLOCK
    assert clusters > 0


def test_another_process_with_other_hashes_runs_the_same() -> None:
    assert run(1).digest != run(2).digest
    here = " ".join(run(seed).digest for seed in range(20, 22))
    script = "from tests.sim.simulation import run; print(*(run(seed).digest for seed in range(20, 22)))"
    there = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "1", "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert there.stdout.strip() == here
