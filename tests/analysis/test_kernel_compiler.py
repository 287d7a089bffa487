"""The compiler's own process: it does its work, tells why it can't, and holds up no end."""

import asyncio
import os
import signal
import sys
import textwrap
from pathlib import Path
from typing import NoReturn

import pytest

from parlour_protocol.views.reports import Compiling
from parlour_server.analysis import kernel_compiler, worker_process
from parlour_server.analysis.kernel_compiler import KernelCompiler
from parlour_server.analysis.worker import Job
from parlour_server.analysis.worker_process import WorkerProcess
from parlour_server.games import find_game
from parlour_server.games.mnk import TICTACTOE
from parlour_server.search.kernels import compiled, numba_modules
from parlour_server.search.kernels.numba_modules import available
from tests.analysis.searches import until

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


def ignore(compiling: Compiling) -> None:
    """How far it is."""


async def compile_game(game: str) -> str | None:
    return await KernelCompiler().compile(game, ignore)


async def missing(game: str) -> list[str]:
    return await KernelCompiler().missing([game])


async def test_what_was_made_is_known_to_every_process(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not compiled.is_kept(TICTACTOE)
    # Back to the cache of all tests, where others want the same, so that it is compiled but once.
    monkeypatch.undo()
    assert await compile_game("tictactoe") is None
    assert compiled.is_kept(TICTACTOE)
    assert await missing("tictactoe") == []


async def test_a_solver_is_made_with_its_game() -> None:
    connect4 = find_game("connect4")
    *kernel, solver = compiled._sources(connect4.kernel)
    for source in kernel:
        folder = numba_modules.cache_folder() / source.digest
        folder.mkdir(parents=True)
        (folder / numba_modules.MADE).touch()
    assert solver.name.endswith("_solver")
    assert await missing("connect4") == ["connect4"]
    (numba_modules.cache_folder() / solver.digest).mkdir()
    (numba_modules.cache_folder() / solver.digest / numba_modules.MADE).touch()
    assert await missing("connect4") == []


async def test_where_nothing_can_be_kept_nothing_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("PARLOUR_CACHE", str(tmp_path / "file"))
    assert await compile_game("slow") is None


async def test_what_cannot_be_made_is_reported_in_a_line() -> None:
    why = await compile_game("broken")
    assert why is not None
    assert "broken_kernel" in why
    assert "\n" not in why
    assert await missing("broken") == ["broken"]


async def test_how_far_it_is_is_shown_and_what_was_compiled_is_kept() -> None:
    shown: list[Compiling] = []
    assert await KernelCompiler().compile("partly", shown.append) is not None
    # The inner search has two functions more; the third is the one that fails.
    assert shown == [Compiling("partly", done, 5) for done in range(4)]
    shown.clear()
    assert await KernelCompiler().compile("partly", shown.append) is not None
    assert shown == [Compiling("partly", done, 5) for done in range(2)]


async def begun() -> None:
    """Until the slow one is being compiled."""
    await until(Path(os.environ["PARLOUR_CACHE"], "began").exists)


async def test_one_that_is_ended_ends_at_once_and_leaves_no_process() -> None:
    work = asyncio.create_task(compile_game("slow"))
    await begun()
    assert compilers(os.getpid())
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert not compilers(os.getpid())


async def test_one_that_dies_and_one_that_cannot_begin_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    work = asyncio.create_task(compile_game("slow"))
    await begun()
    for process in compilers(os.getpid()):
        os.kill(process, signal.SIGKILL)
    assert await work == "Its compiler failed: the worker died"

    def start(*arguments: str) -> NoReturn:
        raise BlockingIOError("no room for another process")

    monkeypatch.setattr(worker_process, "_start", start)
    monkeypatch.setattr(worker_process, "START_AGAIN_SECONDS", 0.0)
    assert await compile_game("slow") == "Its compiler failed: it can't be started"


async def test_one_that_dies_as_it_gets_its_work_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    class Dying(WorkerProcess):
        def submit(self, job: Job, ticket: int, slot: int) -> None:
            assert self._process is not None
            assert self._process.stdin is not None
            # As its thread does once it has ended.
            self._process.stdin.close()
            super().submit(job, ticket, slot)

    class Broken(WorkerProcess):
        def submit(self, job: Job, ticket: int, slot: int) -> None:
            raise RuntimeError("no way in")

    monkeypatch.setattr(kernel_compiler, "WorkerProcess", Dying)
    assert await compile_game("slow") == "Its compiler failed: the worker died"
    monkeypatch.setattr(kernel_compiler, "WorkerProcess", Broken)
    assert await compile_game("slow") == "Its compiler failed: no way in"
    assert await missing("plain") == []
    assert not compilers(os.getpid())


async def test_one_that_takes_for_ever_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_compiler, "LONGEST_SECONDS", 1.0)
    assert await compile_game("slow") == "Its compiler failed: it takes too long"
    assert await missing("plain") == []
    assert not compilers(os.getpid())


async def test_one_whose_server_has_ended_ends_too() -> None:
    script = """
        import asyncio
        from parlour_server.analysis.kernel_compiler import KernelCompiler

        asyncio.run(KernelCompiler().compile("slow", print))
    """
    server = await asyncio.create_subprocess_exec(sys.executable, "-c", textwrap.dedent(script))
    await begun()
    (process,) = compilers(server.pid)
    # Ctrl-C is its parent's to answer.
    os.kill(process, signal.SIGINT)
    await asyncio.sleep(0.1)
    assert compilers(server.pid) == [process]
    server.kill()
    await server.wait()
    await until(lambda: not Path(f"/proc/{process}").exists())


def compilers(parent: int) -> list[int]:
    """The processes that compile for this one."""
    children = Path(f"/proc/{parent}/task").glob("*/children")
    found = [int(child) for file in children for child in file.read_text().split()]
    return [child for child in found if b"compiler" in Path(f"/proc/{child}/cmdline").read_bytes()]
