"""The compiler's own process: it does its work, tells why it can't, and holds nobody up at the end."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from parlour_server.analysis.kernel_compiler import KernelCompiler
from parlour_server.games import find_game
from parlour_server.games.mnk import TICTACTOE
from parlour_server.search import machine_code
from parlour_server.search.kernels import compiled, numba_modules
from parlour_server.search.kernels.numba_modules import available
from tests.analysis.searches import DEADLINE, until

pytestmark = pytest.mark.skipif(not available(), reason="there is no compiler here")

PACKAGE = {
    "stranger/__init__.py": """
        from parlour_server.games.mnk import MNK

        names = ("plain", "broken", "partly", "slow")
        PLAIN, BROKEN, PARTLY, SLOW = (MNK(4, 4, 4, name=name) for name in names)
        PLAIN.kernel = ""
        BROKEN.kernel = "stranger.broken_kernel"
        PARTLY.kernel = "stranger.partly_kernel"
        SLOW.kernel = "stranger.slow_kernel"
    """,
    "stranger/broken_kernel.py": "import numpy as np\nDTYPE = np.int64\ndef play(s, move):\n    nobody(s)\n",
    "stranger/partly_kernel.py": """
        import numpy as np

        DTYPE = np.int64

        def play(s, move):
            s[0] = move

        def undo(s, move):
            s[0] = 0

        def ended(s):
            return nobody(s)
    """,
    "stranger/slow_kernel.py": """
        import os
        import time
        from pathlib import Path

        import numpy as np

        DTYPE = np.int64
        Path(os.environ["PARLOUR_CACHE"], "began").touch()
        time.sleep(3600)
    """,
    "stranger-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: stranger\nVersion: 1.0\n",
    "stranger-1.0.dist-info/entry_points.txt": (
        "[parlour.games]\nplain = stranger:PLAIN\nbroken = stranger:BROKEN\n"
        "partly = stranger:PARTLY\nslow = stranger:SLOW\n"
    ),
}
"""A stranger's games: without a kernel, with one that makes no sense, with one that makes sense
at first, with one that takes for ever."""


@pytest.fixture(autouse=True)
def stranger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in PACKAGE.items():
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        lines = text.splitlines()
        file.write_text("\n".join(line.removeprefix(" " * 8) for line in lines) + "\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setenv("PARLOUR_CACHE", str(tmp_path / "cache"))


def ignore(done: int, of: int) -> None:
    """How far it is."""


def test_what_was_made_is_known_to_every_process(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not machine_code.is_kept(TICTACTOE)
    # Back to the cache of all tests, where others want the same, so that it is compiled but once.
    monkeypatch.undo()
    assert KernelCompiler().compile("tictactoe", ignore) is None
    assert machine_code.is_kept(TICTACTOE)
    assert KernelCompiler().missing(["tictactoe"]) == []


def test_a_solver_is_made_with_its_game() -> None:
    connect4 = find_game("connect4")
    for source in compiled._sources(connect4.kernel):
        folder = numba_modules.cache_folder() / source.digest
        folder.mkdir(parents=True)
        (folder / numba_modules.MADE).touch()
    assert compiled.is_kept(connect4)
    assert KernelCompiler().missing(["connect4"]) == ["connect4"]


def test_where_there_is_nothing_to_make_all_is_kept() -> None:
    assert KernelCompiler().missing(["plain"]) == []
    assert KernelCompiler().compile("plain", ignore) is None


def test_no_file_where_the_server_was_started_stands_in_for_a_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cwd").mkdir()
    (tmp_path / "cwd" / "random.py").write_text("raise SystemExit('this is not random')")
    monkeypatch.chdir(tmp_path / "cwd")
    assert KernelCompiler().compile("plain", ignore) is None


def test_where_nothing_can_be_kept_nothing_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("PARLOUR_CACHE", str(tmp_path / "file"))
    apart = KernelCompiler()
    assert apart.compile("slow", ignore) is None


def test_what_cannot_be_made_is_told_in_a_line() -> None:
    apart = KernelCompiler()
    why = apart.compile("broken", ignore)
    assert why is not None
    assert "broken_kernel" in why
    assert "\n" not in why
    assert apart.missing(["broken"]) == ["broken"]


def test_how_far_it_is_is_shown_and_what_was_compiled_is_kept() -> None:
    shown: list[tuple[int, int]] = []
    apart = KernelCompiler()
    assert apart.compile("partly", lambda done, of: shown.append((done, of))) is not None
    # The inner search has two functions more; the third is the one that fails.
    assert shown == [(0, 5), (1, 5), (2, 5), (3, 5)]
    shown.clear()
    assert apart.compile("partly", lambda done, of: shown.append((done, of))) is not None
    assert shown == [(0, 5), (1, 5)]


async def test_one_that_is_ended_ends_at_once() -> None:
    apart = KernelCompiler()
    work = asyncio.create_task(asyncio.to_thread(apart.compile, "slow", ignore))
    await until(Path(os.environ["PARLOUR_CACHE"], "began").exists)
    apart.stop()
    assert await work is not None
    assert apart.compile("plain", ignore) == "It was stopped."


def test_one_whose_server_has_ended_ends_too() -> None:
    command = [sys.executable, "-m", "parlour_server.analysis.kernel_compiler", "compile", "slow"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        # By then Ctrl-C is its parent's to answer.
        assert process.stdout.readline().split() == [b"0", b"2"]
        process.send_signal(signal.SIGINT)
        process.stdin.close()
        assert process.wait(DEADLINE) == 1
