"""A bot's file as it is loaded, and what it returns."""

import sys
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from unittest.mock import Mock

import pytest

from parlour_client.bots.file import Unusable, load, read
from parlour_protocol.views.reports import ProgramReport
from parlour_server.sessions.names import clean_name
from tests.client.bots.files import write


@pytest.fixture(autouse=True)
def own_modules() -> Iterator[None]:
    """What a file brings with it stays in its own process, and leaves this one again."""
    path, modules = list(sys.path), set(sys.modules)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        del sys.modules[name]


def test_a_file_needs_no_more_than_choose(tmp_path: Path) -> None:
    bot = load(write(tmp_path, "def choose(position): return 'b2'"))
    assert (bot.name, bot.games) == ("mybot", ())
    named = load(write(tmp_path, "NAME = 'deep'\nGAMES = ['connect4']\nchoose = print"))
    assert (named.name, named.games) == ("deep", ("connect4",))


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("bot.py", "my_bot"),
        ("my-bot.py", "my_bot"),
        ("Server.py", "my_Server"),
        ("the bot 2.py", "the_bot_2"),
        ("_you.py", "my_you"),
        ("žabac.py", "žabac"),
    ],
)
def test_a_file_s_name_gives_one_that_every_server_takes(tmp_path: Path, file: str, name: str) -> None:
    bot = load(write(tmp_path, "def choose(position): return 'b2'", file))
    assert bot.name == clean_name(bot.name) == name


def test_modules_beside_it_and_dataclasses_are_its_own(tmp_path: Path) -> None:
    write(tmp_path, "MOVE = 'b2'", "beside_it.py")
    source = """
from __future__ import annotations
from dataclasses import dataclass
import beside_it

@dataclass
class Move:
    name: str

def choose(position):
    return Move(beside_it.MOVE).name
"""
    assert load(write(tmp_path, source)).choose(None) == "b2"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("x = 1\n", r"mybot.py has no function choose\(position\)"),
        ("choose = 3\n", "has no function choose"),
        ("def choose(position):\n    return (\n", r"mybot.py, line 2: '\(' was never closed"),
        ("import nonsense_that_is_nowhere\n", "mybot.py, line 1: ModuleNotFoundError"),
        ("x = 0\n1 / x\n", r"mybot.py, line 2: ZeroDivisionError: division by zero \(in `1 / x`\)"),
        ("raise SystemExit\n", "mybot.py, line 1: SystemExit"),
        ("x = 0\0\n", "mybot.py: source code string cannot contain null bytes"),
        ("GAMES = 'connect4'\ndef choose(position): ...\n", "GAMES in mybot.py must be a list"),
        ("GAMES = [1]\ndef choose(position): ...\n", "GAMES in mybot.py must be a list"),
        ("NAME = ' '\ndef choose(position): ...\n", "NAME in mybot.py must be a text, such as"),
        ("NAME = 3\ndef choose(position): ...\n", "NAME in mybot.py must be a text, such as"),
    ],
)
def test_what_can_not_be_played_with_is_reported_with_its_line(
    tmp_path: Path, source: str, said: str
) -> None:
    with pytest.raises(Unusable, match=said):
        load(write(tmp_path, source))


def test_what_is_not_a_python_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Unusable, match="not a Python file"):
        load(write(tmp_path, name="mybot.txt"))
    with pytest.raises(Unusable, match="There is no file"):
        load(tmp_path / "nothing.py")
    with pytest.raises(Unusable, match=r"random\.py would .* Python's own module random\. .* my_random\.py"):
        load(write(tmp_path, name="random.py"))
    # As root any file can be read.
    monkeypatch.setattr(
        SourceFileLoader, "get_data", Mock(side_effect=PermissionError(13, "Permission denied"))
    )
    with pytest.raises(Unusable, match=r"mybot\.py' can't be read: this account is not allowed to"):
        load(write(tmp_path))


def test_what_choose_may_return() -> None:
    report = ProgramReport(nodes=7)
    assert read("b2") == ("b2", None)
    assert read(("b2", report)) == ("b2", report)
    assert read(("b2", None)) == ("b2", None)
    for odd in (None, 7, ("b2",), ("b2", "a report"), ("b2", report, 1), b"b2"):
        assert read(odd) is None
