"""A file in a process of its own: its moves, its faults, and its end."""

import asyncio
import time
from pathlib import Path

import pytest

from parlour_client.bot.faults import BotFault, Died, NotAMove, Raised, TooSlow
from parlour_client.bot.mind import Choice, Mind
from parlour_client.bot.position import Position
from parlour_client.faults import UsageFault
from parlour_protocol.to_server import GivenCandidate
from tests.client.bot.files import write

MANY = """
import asyncio
import os
import sys
import time
from parlour_client import Candidate, Report
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
        case 1: return "b2", Report([Candidate("b2", 3.5)], ["b2"], nodes=calls)
        case 2: fail()
        case 3: return 7
        case 4: return "b2", "a report"
        case 5:
            print("a last word")
            time.sleep(60)
        case 6: os._exit(3)
        case 7: return later("c3")
        case 8: return "b2", Report([Candidate("b2", float("nan"))])
        case 9: sys.exit()
"""
MOVES = "a1 b1 c1 a2 b2 c2 b3 a3 c3".split()


def after(plies: int) -> Position:
    return Position("tictactoe", Position.begin("tictactoe").view, MOVES[:plies])


async def test_what_a_file_says_and_what_can_go_wrong_with_it(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, "def best(position):\n    return position.legal_moves[0]\n", "helper.py")
    async with Mind(write(tmp_path, MANY)) as mind:
        assert (mind.name, mind.games) == ("many", ("tictactoe", "connect4"))
        assert mind.plays("connect4:9,7")
        assert not mind.plays("reversi")

        assert (await mind.choose(after(0))).move == "a3"
        reported = await mind.choose(after(1))
        assert reported.report is not None
        assert (reported.move, reported.report.nodes) == ("b2", 2)
        assert reported.report.candidates == [GivenCandidate("b2", 3.5)]
        assert (await mind.choose(after(7))).move == "c3"

        with pytest.raises(Raised, match=r"mybot.py, line 14: ValueError: no idea \(in `raise") as raised:
            await mind.choose(after(2))
        assert (raised.value.line, raised.value.kind) == (14, "exception")
        with pytest.raises(NotAMove, match="choose returned 7, of type int"):
            await mind.choose(after(3))
        with pytest.raises(NotAMove, match="a report"):
            await mind.choose(after(4))
        with pytest.raises(Raised, match="line 35: Candidate: score: Input should be a finite number"):
            await mind.choose(after(8))
        with pytest.raises(Raised, match="line 36: SystemExit"):
            await mind.choose(after(9))
        # None of that cost it its memory.
        counted = (await mind.choose(after(1))).report
        assert counted is not None
        assert counted.nodes == 9

        begun = time.monotonic()
        with pytest.raises(TooSlow, match=r"longer than the 0\.2 s"):
            await mind.choose(after(5), limit=0.2)
        assert time.monotonic() - begun < 5
        with pytest.raises(Died, match="exit code 3"):
            await mind.choose(after(6))
        # After those another process takes its place.
        fresh = (await mind.choose(after(1))).report
        assert fresh is not None
        assert fresh.nodes == 1
        printed = capfd.readouterr().err
        assert "a word for the person" in printed
        # Even of a process that was ended.
        assert "a last word" in printed


async def test_a_thought_nobody_waits_for_is_ended(tmp_path: Path) -> None:
    async with Mind(write(tmp_path, "def choose(position):\n    while True: pass\n")) as mind:
        thinking = asyncio.create_task(mind.choose(after(0)))
        await asyncio.sleep(0.1)
        process = mind._process
        assert process is not None
        thinking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await thinking
        assert process.returncode is not None


async def test_a_file_that_ends_its_own_process_or_has_no_choose(tmp_path: Path) -> None:
    for source, said in {
        "import os\nos._exit(1)\n": "ended its own process",
        "": "no function choose",
    }.items():
        with pytest.raises(UsageFault, match=said):
            async with Mind(write(tmp_path, source)):
                pass


async def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageFault, match="There is no file"):
        async with Mind(tmp_path / "nothing.py"):
            pass


def test_a_fault_shows_no_strange_sign() -> None:
    fault: BotFault = Raised("mybot.py", 3, "ValueError: \x1b[2J\u202e" + "x" * 1000)
    assert str(fault).isprintable()
    assert len(str(fault)) < 300
    assert Choice("b2", None, 0.1).move == "b2"
