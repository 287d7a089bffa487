"""All running games line by line: at a terminal, and through a server's end."""

import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("Windows has no ptys", allow_module_level=True)

from tests.client.terminal import Served, Terminal, piped  # it needs ptys


def two_bots(state: Path, address: str) -> str:
    """A room in which two bots play slowly."""
    bots = ["--bot", "random:seed=1", "--bot", "random:seed=2"]
    return piped(state, "create", *bots, "--pace", "60", "--server", address)[0].strip()


def test_it_waits_shows_and_comes_back_after_a_restart(tmp_path: Path) -> None:
    first = Served(tmp_path, data=":memory:")
    address = f"ws://127.0.0.1:{first.port}"
    try:
        with Terminal(tmp_path, "watch", "--all", "--server", address) as wall:
            wall.until("No game is being played.")
            wall.until(f"room {two_bots(tmp_path, address)}")
            wall.until("random (bot) to move")
            first.kill()
            wall.until("Connection lost.")
            second = Served(tmp_path, first.port, data=":memory:")
            try:
                wall.until("No game is being played.")
                wall.until(f"room {two_bots(tmp_path, address)}")
                wall.type("q\n")
                assert wall.end() == 0
            finally:
                second.kill()
    finally:
        first.kill()
