"""What a bot's process may use, and that nothing of it stays: by its supervisor."""

import os
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour_client.bots.errors import Died, OutOfMemory
from parlour_client.bots.position import Position
from parlour_client.bots.process import SUPERVISOR, BotProcess, printing_sentences
from parlour_client.bots.supervisor import A_SECOND, AT_ONCE, LONGEST_LINE, Printed
from parlour_client.sdk.errors import UsageError
from tests.client.bots.files import FIRST, write
from tests.client.bots.test_process import all_end

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere less is known of processes")

START = Position.begin("tictactoe")
DETACHED = """
import os, subprocess, sys
def choose(position):
    sleep = [sys.executable, "-S", "-c", "import time; time.sleep(600)"]
    with open("{pids}", "a") as file:
        for _ in range(3):
            # In a session of its own, and by a parent that ends at once: nobody's child.
            if os.fork() == 0:
                print(subprocess.Popen(sleep, start_new_session=True).pid, file=file, flush=True)
                os._exit(0)
            os.wait()
    return position.legal_moves[0]
"""


def noted(path: Path) -> list[int]:
    return [int(pid) for pid in path.read_text().split()]


async def test_what_has_left_its_session_ends_with_it(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    async with BotProcess(write(tmp_path, DETACHED.format(pids=pids))) as bot:
        await bot.choose(START)
        assert len(noted(pids)) == 3
    # It is over when the bot is: nothing here has to wait.
    assert not [pid for pid in noted(pids) if Path(f"/proc/{pid}").exists()]


async def test_they_end_as_well_where_the_process_ends_by_itself(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    source = DETACHED.format(pids=pids).replace("return position.legal_moves[0]", "os._exit(3)")
    async with BotProcess(write(tmp_path, source)) as bot:
        with pytest.raises(Exception, match=r"\(exit code 3\)"):
            await bot.choose(START)
        assert len(noted(pids)) == 3
        assert not [pid for pid in noted(pids) if Path(f"/proc/{pid}").exists()]


@pytest.mark.parametrize("killed", ["parlour", "supervisor"])
def test_nothing_stays_where_we_are_killed(tmp_path: Path, killed: str) -> None:
    pids = tmp_path / "pids"
    bot = write(
        tmp_path, DETACHED.format(pids=pids) + f"open({str(pids)!r}, 'a').write(f'{{os.getpid()}} ')\n"
    )
    program = f"""
import asyncio, json
from pathlib import Path
from parlour_client.bots.position import Position
from parlour_client.bots.process import BotProcess
async def main():
    async with BotProcess(Path({str(bot)!r})) as bot:
        if {killed == "parlour"}:
            await bot.choose(Position.begin("tictactoe"))
        print(bot._process.pid, flush=True)
        await asyncio.Event().wait()
asyncio.run(main())
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        supervisor = int(process.stdout.readline())
        os.kill(process.pid if killed == "parlour" else supervisor, signal.SIGKILL)
        ended = all_end([supervisor, *noted(pids)])
        process.kill()
    assert ended
    assert len(noted(pids)) == (4 if killed == "parlour" else 1)


def test_nothing_stays_where_the_bot_can_not_notice_our_end(tmp_path: Path) -> None:
    # It holds the interpreter's lock, so that no other thread of its process runs.
    source = """
import ctypes, os
from pathlib import Path
def choose(position):
    begun = Path(__file__).with_name("begun")
    begun.write_text(str(os.getpid()))
    begun.rename(begun.with_name("pid"))
    ctypes.PyDLL(None).sleep(600)
"""
    program = f"""
import asyncio
from pathlib import Path
from parlour_client.bots.position import Position
from parlour_client.bots.process import BotProcess
async def main():
    async with BotProcess(Path({str(write(tmp_path, source))!r})) as bot:
        thinking = asyncio.create_task(bot.choose(Position.begin("tictactoe")))
        while not Path({str(tmp_path / "pid")!r}).exists():
            await asyncio.sleep(0.01)
        print("begun", flush=True)
        await thinking
asyncio.run(main())
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        process.kill()
        assert all_end(noted(tmp_path / "pid"))


async def test_too_much_memory_is_reported_as_that(tmp_path: Path) -> None:
    # Not all at once, and not by one process alone.
    source = """
import subprocess, sys
def choose(position):
    if len(position.moves) == 0:
        return position.legal_moves[0]
    hold = "held = bytearray(80_000_000); import time; time.sleep(600)"
    held = [subprocess.Popen([sys.executable, "-S", "-c", hold]) for _ in range(2)]
    held[0].wait()
"""
    async with BotProcess(write(tmp_path, source), memory=150 * 2**20) as bot:
        assert (await bot.choose(START)).move == "a3"
        with pytest.raises(OutOfMemory) as full:
            await bot.choose(START.play("b2"))
        assert (
            str(full.value) == "mybot.py used more than 150 MB of memory and was ended. --memory allows more."
        )
        # It plays on, in another process.
        assert (await bot.choose(START)).move == "a3"
    greedy = write(tmp_path, "held = bytearray(300_000_000)\nwhile True: pass\n" + FIRST, "greedy.py")
    with pytest.raises(UsageError, match=r"greedy\.py used more than 150 MB"):
        async with BotProcess(greedy, memory=150 * 2**20):
            pass


async def test_what_a_bot_prints_is_shown_in_whole_lines(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source = """
import sys
print("loaded")
def choose(position):
    print("no end yet", end="", file=sys.stderr, flush=True)
    print(" and now")
    for number in range(20_000):
        print(f"line {number}.")
    return position.legal_moves[0]
"""
    async with BotProcess(write(tmp_path, source)) as bot:
        await bot.choose(START)
    shown = capfd.readouterr().err
    assert shown.startswith("loaded\nno end yet and now\nline 0.\nline 1.\n")
    lines = shown.splitlines()[2:]
    sentences = [line for line in lines if line.startswith("[")]
    assert sentences == [
        "[mybot.py prints more than 16 KB at once, or 1 KB a second on average: lines are left out]"
    ]
    numbers = [int(line.removeprefix("line ").removesuffix(".")) for line in lines if line not in sentences]
    assert all(before < after for before, after in pairwise(numbers))
    assert AT_ONCE // 20 < len(numbers) < 20_000


async def test_a_process_that_is_started_again_may_not_print_all_again(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source = """
import os
def choose(position):
    for number in range(5_000):
        print(f"line {number}.")
    os._exit(3)
"""
    async with BotProcess(write(tmp_path, source)) as bot:
        for _ in range(3):
            with pytest.raises(Died):
                await bot.choose(START)
    shown = capfd.readouterr().err
    assert shown.startswith("line 0.\n")
    assert shown.count("lines are left out]") == 1


def test_the_end_of_a_process_is_the_supervisors(tmp_path: Path) -> None:
    def code(source: str) -> int:
        with TemporaryFile() as file:
            own = [sys.executable, "-I", "-S", str(SUPERVISOR), *SENTENCES, str(2**30), str(file.fileno())]
            whole = [*own, sys.executable, "-c", source]
            with subprocess.Popen(whole, stdin=subprocess.PIPE, pass_fds=[file.fileno()]) as process:
                return process.wait(60)

    assert code("") == 0
    assert code("import os; os._exit(7)") == 7
    assert code("import os; os.kill(os.getpid(), 15)") == -15


# ---------------------------------------------------------------- what is printed, without a process

SENTENCES = printing_sentences("mybot.py")


def test_lines_are_left_out_once_it_is_too_much() -> None:
    printed = Printed(*SENTENCES, 0.0)
    line = b"x" * 999 + b"\n"
    shown = printed.take(line * 30, 0.0)
    kept, sentence = shown[: shown.index(b"[")], shown[shown.index(b"[") :]
    assert len(kept) == AT_ONCE // 1000 * 1000
    assert sentence.startswith(b"[mybot.py prints more")
    assert sentence.endswith(b"]\n")
    assert sentence.count(b"\n") == 1
    assert printed.take(line, 0.0) == b""
    # After a second there is room for more, and it is said no second time.
    assert printed.take(line * 100, 2.0) == line * ((2 * A_SECOND + AT_ONCE % 1000) // 1000)


def test_a_line_without_an_end_is_shown_when_nothing_follows() -> None:
    printed = Printed(*SENTENCES, 0.0)
    assert printed.take(b"a\nWhat ", 0.0) == b"a\n"
    assert printed.rest() == b"What "
    assert printed.rest() == b""
    assert printed.take(b"now?\nb", 0.0) == b"now?\n"
    assert printed.rest() == b"b"


@given(
    text=st.lists(st.sampled_from([b"a", b"\n", b"bc\n", b"x" * LONGEST_LINE, b"y" * 100_000]), max_size=12),
    cuts=st.lists(st.integers(0, 500_000), max_size=10),
)
def test_in_which_pieces_it_comes_is_of_no_importance(text: list[bytes], cuts: list[int]) -> None:
    data = b"".join(text)
    whole, pieces = Printed("", "", 0.0), Printed("", "", 0.0)
    expected = whole.take(data, 0.0) + whole.rest()
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    found = b"".join(pieces.take(data[start:end], 0.0) for start, end in pairwise(places)) + pieces.rest()
    assert found == expected
