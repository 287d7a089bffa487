"""A file in a process of its own: its moves, its faults, and its end."""

import asyncio
import os
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from parlour_client.bots import process as processes
from parlour_client.bots.errors import Broken, Died, NotAMove, Raised, TooSlow
from parlour_client.bots.position import Position
from parlour_client.bots.process import BotProcess
from parlour_client.sdk.errors import UsageError
from parlour_protocol.views.reports import ProgramCandidate, Score
from tests.client.bots.files import write

MANY = """
import asyncio
import os
import sys
import time
from parlour_client import Candidate, Report, Score
import helper

GAMES = ["tictactoe", "connect4"]
NAME = "many"
calls = 0

def fail():
    raise ValueError("no idea")

async def later(move):
    await asyncio.sleep(0)
    return move

def choose(position):
    global calls
    calls += 1
    print("a word for the person", file=sys.stdout)
    match len(position.moves):
        case 0: return helper.best(position)
        case 1: return "b2", Report([Candidate("b2", Score(3.5))], ["b2"], nodes=calls)
        case 2: fail()
        case 3: return 7
        case 4: return "b2", "a report"
        case 5:
            print("a last word")
            time.sleep(60)
        case 6: os._exit(3)
        case 7: return later("c3")
        case 8: return "b2", Report([Candidate("b2", Score(float("nan")))])
        case 9: sys.exit()
"""
MOVES = "a1 b1 c1 a2 b2 c2 b3 a3 c3".split()


def after(plies: int) -> Position:
    return Position("tictactoe", Position.begin("tictactoe").view, MOVES[:plies])


async def test_what_a_file_says_and_what_can_go_wrong_with_it(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, "def best(position):\n    return position.legal_moves[0]\n", "helper.py")
    async with BotProcess(write(tmp_path, MANY)) as bot:
        assert (bot.name, bot.games) == ("many", ("tictactoe", "connect4"))
        assert bot.plays("connect4:9,7")
        assert not bot.plays("reversi")

        assert (await bot.choose(after(0))).move == "a3"
        reported = await bot.choose(after(1))
        assert reported.report is not None
        assert (reported.move, reported.report.nodes) == ("b2", 2)
        assert reported.report.candidates == [ProgramCandidate("b2", Score(3.5))]
        assert (await bot.choose(after(7))).move == "c3"

        with pytest.raises(Raised, match=r"mybot.py, line 14: ValueError: no idea \(in `raise") as raised:
            await bot.choose(after(2))
        assert (raised.value.line, raised.value.kind) == (14, "exception")
        with pytest.raises(NotAMove, match="choose returned 7, of type int"):
            await bot.choose(after(3))
        with pytest.raises(NotAMove, match="a report"):
            await bot.choose(after(4))
        with pytest.raises(Raised, match="line 35: Candidate: score: It has to be a number"):
            await bot.choose(after(8))
        with pytest.raises(Raised, match="line 36: SystemExit"):
            await bot.choose(after(9))
        # None of that cost it its memory.
        counted = (await bot.choose(after(1))).report
        assert counted is not None
        assert counted.nodes == 9

        # It would sleep for a minute.
        with pytest.raises(TooSlow, match=r"longer than the 0\.2 s"):
            await bot.choose(after(5), limit=0.2)
        with pytest.raises(Died, match="exit code 3"):
            await bot.choose(after(6))
        # After those another process takes its place.
        fresh = (await bot.choose(after(1))).report
        assert fresh is not None
        assert fresh.nodes == 1
        printed = capfd.readouterr().err
        assert "a word for the person" in printed
        # Even of a process that was ended.
        assert "a last word" in printed


async def test_a_thought_nobody_waits_for_is_ended(tmp_path: Path) -> None:
    async with BotProcess(write(tmp_path, "def choose(position):\n    while True: pass\n")) as bot:
        thinking = asyncio.create_task(bot.choose(after(0)))
        await asyncio.sleep(0.1)
        process = bot._process
        assert process is not None
        thinking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await thinking
        assert process.returncode is not None


async def test_what_is_no_bot_is_refused_with_the_reason(tmp_path: Path) -> None:
    for path, said in (
        (write(tmp_path, "import os\nos._exit(1)\n", "ends.py"), "ended its own process"),
        (write(tmp_path, "", "empty.py"), "no function choose"),
        (tmp_path / "nothing.py", "There is no file"),
        (tmp_path, "is a folder: name a file in it"),
    ):
        with pytest.raises(UsageError, match=said):
            async with BotProcess(path):
                pass


async def test_a_file_is_named_with_its_line_wherever_it_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "import os\ndef choose(position):\n    os.chdir('/')\n    raise KeyError('lost')\n")
    monkeypatch.chdir(tmp_path)
    async with BotProcess(Path("mybot.py")) as bot:
        with pytest.raises(Raised, match=r"mybot.py, line 4: KeyError"):
            await bot.choose(after(0))


async def test_a_file_that_was_broken_meanwhile_costs_a_game_until_it_is_mended(tmp_path: Path) -> None:
    path = write(tmp_path)
    async with BotProcess(path) as bot:
        await bot.stop()
        broken = {"def choose(": r"line 1: '\(' was never closed", "": "no function choose"}
        for source, said in broken.items():
            path.write_text(source)
            with pytest.raises(Broken, match=said):
                await bot.choose(after(0))
        path.unlink()
        with pytest.raises(Broken, match="There is no file"):
            await bot.choose(after(0))
        write(tmp_path)
        assert (await bot.choose(after(0))).move == "a3"


async def test_a_choice_given_up_while_the_process_starts_leaves_nothing_unread(tmp_path: Path) -> None:
    path = write(tmp_path, "import time\ntime.sleep(0.3)\ndef choose(position):\n    return 'b2'\n")
    async with BotProcess(path) as bot:
        await bot.stop()
        thinking = asyncio.create_task(bot.choose(after(0)))
        await asyncio.sleep(0.1)
        thinking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await thinking
        assert (await bot.choose(after(0))).move == "b2"


async def test_what_it_draws_for_a_move_follows_from_a_seed(tmp_path: Path) -> None:
    source = """
import random
random.random()
def choose(position):
    return str(random.random())
"""
    async with BotProcess(write(tmp_path, source)) as bot:
        first = [(await bot.choose(after(0), seed=seed)).move for seed in ("a", "b", "a/1")]
        await bot.stop()
        # Another process has drawn less before.
        again = [(await bot.choose(after(0), seed=seed)).move for seed in ("a", "b", "a/1")]
        unseeded = [(await bot.choose(after(0))).move for _ in range(2)]
    assert first == again
    assert len({*first, *unseeded}) == 5


LARGE = """
from parlour_client import Candidate, Report, Score

class Proud:
    def __repr__(self):
        raise ValueError("no words for me")

def choose(position):
    match len(position.moves):
        case 0: return "b2 " * 2_000_000
        case 1: raise ValueError("b2 " * 2_000_000)
        case 2: return ["b2"] * 2_000_000
        case 3: return Proud()
        case 4:
            report = Report()
            report.candidates.extend([Candidate("b2", Score(1))] * 100_000)
            return "b2", report
        case 5: return "b2"
"""


async def test_what_is_very_long_is_cut(tmp_path: Path) -> None:
    async with BotProcess(write(tmp_path, LARGE)) as bot:
        assert (await bot.choose(after(0))).move.startswith("b2 b2 b2")
        with pytest.raises(Raised, match=r"line 11: ValueError: b2 b2 .*\.\.\. \(in"):
            await bot.choose(after(1))
        with pytest.raises(NotAMove, match=r"\['b2', 'b2'.*, of type list: a move as text is wanted"):
            await bot.choose(after(2))
        with pytest.raises(Raised, match="line 6: ValueError: no words for me"):
            await bot.choose(after(3))
        with pytest.raises(Raised, match="Report: candidates: It can have at most 64 entries"):
            await bot.choose(after(4))
        process = bot._process
        assert (await bot.choose(after(5))).move == "b2"
        # None of that cost it its process.
        assert bot._process is process


async def test_what_can_not_be_read_is_reported_and_the_process_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A file that closes what it did not open, and then writes where our answers go.
    source = """
import os
def choose(position):
    if len(position.moves) < 2:
        os.write(3, [b"nonsense\\n", b"x" * 100_000][len(position.moves)])
    return "b2"
"""
    monkeypatch.setattr(processes, "LONGEST_LINE", 10_000)
    async with BotProcess(write(tmp_path, source)) as bot:
        for plies in (0, 1):
            with pytest.raises(Died, match="answered what can't be read"):
                await bot.choose(after(plies))
            assert bot._process is None
        assert (await bot.choose(after(2))).move == "b2"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows neither forks nor groups")
async def test_its_children_end_with_it_and_are_not_received(tmp_path: Path) -> None:
    # One that was started, one that sleeps, and one that comes back out of `choose` as well.
    source = f"""
import os, subprocess, sys, time
def note(pid):
    with open({str(tmp_path / "pids")!r}, "a") as file: file.write(f"{{pid}} ")
def choose(position):
    if len(position.moves) == 2:
        os._exit(3)
    note(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]).pid)
    if (child := os.fork()) == 0:
        time.sleep(60)
    note(child)
    os.fork()
    return position.legal_moves[len(position.moves)]
"""
    async with BotProcess(write(tmp_path, source)) as bot:
        assert [(await bot.choose(after(plies))).move for plies in (0, 1)] == ["a3", "b3"]
        # Its end is noticed, though its children live on with what it had opened; and then they end, too.
        with pytest.raises(Died, match="exit code 3"):
            await bot.choose(after(2), limit=20)
        pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
        assert len(pids) == 4
        assert await asyncio.to_thread(all_end, pids)


def all_end(pids: list[int]) -> bool:
    """Do these end within a moment?"""
    until = time.monotonic() + 30
    while any(runs(pid) for pid in pids) and time.monotonic() < until:
        time.sleep(0.02)
    return not any(runs(pid) for pid in pids)


def runs(pid: int) -> bool:
    """Does this process run? One that only waits to be buried does not."""
    with suppress(OSError):
        os.kill(pid, 0)
        status = Path(f"/proc/{pid}/stat")
        return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"
    return False
