"""`parlour game --check`: a game is tried step by step, and whatever it does is reported in a line."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from parlour_server.cli import app
from parlour_server.search.kernels.numba_modules import available
from tests.docs.markdown import page

GOOD = re.search(r"```python\n(.*?^GAME = .*?)```", page("docs/adding-a-game.md"), re.DOTALL | re.MULTILINE)


def tried(path: Path, *more: str) -> tuple[int, str]:
    ended = CliRunner().invoke(app, ["game", "--check", str(path), *more])
    return ended.exit_code, ended.output


@pytest.fixture
def good(tmp_path: Path) -> Path:
    assert GOOD is not None
    path = tmp_path / "mine.py"
    path.write_text(GOOD[1], "utf-8")
    return path


def test_a_game_that_keeps_the_contract_passes_every_step(good: Path) -> None:
    code, said = tried(good, "--json")
    assert code == 0
    steps = json.loads(said)
    assert [step["step"] for step in steps] == ["load", "contract", "variants", "searches", "speed"]
    assert all(step["passed"] for step in steps)
    assert re.fullmatch(r"[\d,]+", steps[-1]["detail"])


@pytest.mark.parametrize(
    ("find", "put", "said"),
    [
        (
            r"def legal_moves\(.*\n",
            r"\g<0>        1 / 0\n",
            r"mine\.py:\d+: ZeroDivisionError: ",
        ),
        (
            r"def evaluate\(.*\n",
            r"\g<0>        while True: pass\n",
            r"mine\.py:\d+: It has said nothing for 2 s",
        ),
        (r"name = .*", 'name = "Domineering"', r"mine\.py:\d+: 'Domineering' can't be typed"),
        (r"name = .*", 'name = "kalah"', r"mine\.py:\d+: another game is called kalah already"),
        (r"def parse\(.*\n", r"\g<0>        text + 1\n", r"mine\.py:\d+: parse raises TypeError for 'zz'"),
        (r"GAME = .*", "import os\nos._exit(3)", r"mine\.py: Its process ended with 3"),
        (r"GAME = .*", "raise SystemExit(1)", r"mine\.py:\d+: SystemExit: 1"),
        (r"GAME = .*", "", r"mine\.py: it makes no game: write GAME"),
        (r"import re", "def (:", r"mine\.py:\d+: SyntaxError"),
        (r"title = .*", 'title = ""', "its title is not a short line"),
    ],
)
def test_a_fault_is_told_with_its_line(good: Path, find: str, put: str, said: str) -> None:
    text, times = re.subn(find, put, good.read_text("utf-8"), count=1)
    assert times == 1
    good.write_text(text, "utf-8")
    code, told = tried(good, "--seconds", "2")
    assert code == 1
    assert "failed" in told
    assert re.search(said, told)
    assert "Traceback" not in told


LONG = """
from dataclasses import replace
from parlour_server.games.morris import Morris

class Long(Morris):
    usual = ()

    def outcome(self, position):
        end = super().outcome(position)
        return end and replace(end, {end})

GAME = Long()
GAME.name = "long"
GAME.max_plies = {plies}
"""
"""A game whose beginning, which is looked at closely, is sound."""


@pytest.mark.parametrize(
    ("end", "plies", "said"),
    [
        ("", 110, "a game goes on after 110 plies, its max_plies"),
        ("termination='filled'", 1500, "'filled' is no termination: write one of "),
    ],
)
def test_games_are_played_to_their_ends(tmp_path: Path, end: str, plies: int, said: str) -> None:
    path = tmp_path / "mine.py"
    path.write_text(LONG.format(end=end, plies=plies), "utf-8")
    code, told = tried(path)
    assert code == 1
    assert said in told


def test_rules_that_contradict_themselves_are_found_by_two_searches(good: Path) -> None:
    text = good.read_text("utf-8")
    # What a search shall look at leaves out what matters.
    good.write_text(text.replace("class ", "class ", 1) + ORDER, "utf-8")
    code, told = tried(good)
    assert code == 1
    assert "plies deep find" in told


ORDER = """
GAME.search_order = lambda position: GAME.legal_moves(position)[:1]
"""


SMALL_KALAH = """
from parlour_server.games.kalah import Kalah
GAME = Kalah(3, 2)
GAME.name, GAME.usual = "small_kalah", ()
"""


@pytest.mark.skipif(not available(), reason="there is no compiler here")
def test_machine_code_is_held_against_the_rules(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(SMALL_KALAH, "utf-8")
    code, said = tried(path, "--json")
    assert code == 0
    assert [step["step"] for step in json.loads(said)][-2:] == ["kernel", "speed"]


def test_a_file_that_is_not_there() -> None:
    code, said = tried(Path("none.py"))
    assert (code, said) == (2, "There is no file none.py.\n")
