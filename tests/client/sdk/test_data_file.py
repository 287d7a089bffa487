"""Who has the data file open, and whether they still run."""

import os
import subprocess
import sys

import pytest

from parlour_client.sdk.data_file import is_running


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")
def test_a_process_that_its_parent_has_not_asked_after_has_ended() -> None:
    child = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
    assert is_running(child.pid)
    assert child.stdin is not None
    child.stdin.close()
    # Its number is not free yet.
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert not is_running(child.pid)
    child.wait()
    assert not is_running(child.pid)
