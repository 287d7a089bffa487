"""The one file for machines without Python, on a server: `make exe` builds it and runs this."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("Windows has no ptys", allow_module_level=True)

from parlour_client.sdk.local_server import Child
from tests.client.terminal import PATIENCE, Terminal, environment
from tests.support.server import ROOT


@pytest.fixture(scope="module")
def exe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file, where nothing of ours lies beside it."""
    built = ROOT / "dist" / "parlour"
    assert built.exists(), "There is no dist/parlour: make exe builds it, and runs this test."
    return Path(shutil.copy(built, tmp_path_factory.mktemp("exe")))


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    child = Child()
    try:
        yield child.address()
    finally:
        child.stop()


@pytest.mark.exe
def test_it_plays_and_shows_the_full_screen_without_python(exe: Path, url: str, tmp_path: Path) -> None:
    alone = {name: value for name, value in environment(tmp_path).items() if not name.startswith("PYTHON")}
    alone["PATH"] = os.devnull

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(exe), *arguments], capture_output=True, text=True, timeout=PATIENCE, env=alone, check=False
        )

    games = run("games", "--json", "--server", url)
    assert "connect4" in [game["name"] for game in json.loads(games.stdout)], games.stderr
    # It has no server in it, and says so.
    missing = run("play", "tictactoe")
    assert (missing.returncode, missing.stdout) == (1, "")
    assert "name one with --server" in missing.stderr
    assert run("serve").returncode == 2
    with Terminal(tmp_path, program=[str(exe)], PARLOUR_PLAIN="0", PARLOUR_SERVER=url) as ada:
        ada.until("Connect Four")
        ada.until("vs medium (bot)")
        ada.type("\r")
        ada.until("Your move")
        ada.type("4\r")
        ada.until("medium (bot) thought")
        # All screens are in it: a dialog, the keys, the lobby's lists.
        ada.type("Q")
        ada.until("3 yours (1)")
        ada.type("?")
        ada.until("At a table")
        ada.type("\x1b")
        ada.until("vs medium (bot)")
        ada.type("n")
        ada.until("A new room")
        ada.type("\x03")
        assert ada.end() == 0
        assert "Goodbye." in ada.shown
        assert "Traceback" not in ada.shown
