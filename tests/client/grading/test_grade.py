"""Students' files marked: good ones, ones with the usual bugs, hostile ones, and what is written of them."""

import asyncio
import csv
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from parlour_client.cli.app import main
from parlour_client.grading import exports, grader
from parlour_client.grading.grader import Class, Graded, copies, grade
from parlour_client.grading.proofs import Proofs
from parlour_client.grading.report import document
from parlour_client.grading.rubric import NAMES, Rubric, Test, read
from parlour_client.grading.tests import TESTS
from parlour_client.sdk.errors import UsageError
from tests.client.bots import engines
from tests.client.bots.files import FIRST, write
from tests.client.terminal import piped

QUICK = tuple(Test(name, 10, positions=3, games=2) for name in NAMES)
ALPHABETA = """

def alphabeta(board, alpha=-2, beta=2, top=True):
    if terminal(board):
        return None if top else utility(board)
    ours = player(board) == X
    best, chosen = (-2 if ours else 2), None
    for action in sorted(actions(board)):
        found = alphabeta(result(board, action), alpha, beta, False)
        if found > best if ours else found < best:
            best, chosen = found, action
        if not top and (best >= beta if ours else best <= alpha):
            return best
        if ours:
            alpha = max(alpha, best)
        else:
            beta = min(beta, best)
    return chosen if top else best
"""
BEST = "best = max if player(board) == X else min"


@pytest.fixture(scope="module")
def proofs() -> Proofs:
    return Proofs("tictactoe", 1)


def marked(folder: Path, source: str, proofs: Proofs, *tests: Test, name: str = "student.py") -> Graded:
    """One file's marks."""
    path = write(folder, source, name)
    rubric = Rubric("tictactoe", tests=tests or QUICK)
    return asyncio.run(grade(Class(path), path, rubric, proofs, None, 2**28))


def of(graded: Graded, test: str) -> Any:
    return next(one for one in graded.results if one.test.name == test)


def test_a_good_file_earns_everything_and_the_same_each_time(tmp_path: Path, proofs: Proofs) -> None:
    first = marked(tmp_path, engines.CS50 + ALPHABETA, proofs)
    assert (first.points, first.most, first.interface) == (90, 90, "cs50"), exports.as_json(first)
    assert "Calls of its functions: minimax " in of(first, "alphabeta").said[0]
    watched = [one for one in of(first, "speed").asked if one.visited is not None]
    assert 1000 < watched[0].visited > watched[-1].visited
    assert first.right == 1
    chosen = [test for test in QUICK if test.name in ("random", "best")]
    again = marked(tmp_path, engines.CS50 + ALPHABETA, proofs, *chosen)
    for one in again.results:
        one.seconds = of(first, one.test.name).seconds
        assert one == of(first, one.test.name)
    assert set(NAMES) == set(TESTS)


def test_the_usual_bugs_are_named_in_a_sentence(tmp_path: Path, proofs: Proofs) -> None:
    best, value, utility = (Test(name, 4, positions=12) for name in ("best", "value", "utility"))
    twice = engines.CS50.replace(BEST, BEST.replace("== X", "== O"))
    said = of(marked(tmp_path, twice, proofs, best), "best")
    assert "does it minimise where it should maximise?" in said.said[0]
    assert said.blunders
    worth = engines.CS50.replace("    return best(sorted", "    return value(board)\n    return best(sorted")
    fault = of(marked(tmp_path, worth, proofs, best), "best").faults["no move"]
    assert fault[0] == 12
    assert "minimax(board) has to return (row, column)" in fault[1]
    signs = engines.CS50.replace("{X: 1, O: -1, None: 0}", "{X: 1, O: 1, None: 0}")
    wrong = marked(tmp_path, signs, proofs, utility, value)
    assert "It gave 1 for a loss for the side that began." in of(wrong, "utility").said
    assert 0 < of(wrong, "utility").points < 4
    assert of(wrong, "value").points < 4
    undone = engines.CS50.replace("after = [list(row) for row in board]", "after = board")
    assert of(marked(tmp_path, undone, proofs, best), "best").points < 4
    late = of(marked(tmp_path, FIRST, proofs, Test("best", 4, positions=40)), "best")
    assert any("later than it could" in one for one in late.said)
    # Nothing in it that `value` could be asked of.
    assert marked(tmp_path, FIRST, proofs, value, utility, Test("alphabeta", 2)).most == 0


CHOOSE = "def choose(position):\n    while True: "
FORGED = "[os.write(fd, b'{\"x\": 1}\\n') for fd in (3, 4, 5) if os.path.exists(f'/proc/self/fd/{fd}')]\n"
"""Writes an answer of its own, wherever answers go."""
HOSTILE = {
    "loop": (f"{CHOOSE}pass\n", "too slow"),
    # Not without end: whoever runs this may be root, whom no limit of the system's holds.
    "bomb": (
        "import ctypes\ndef choose(position):\n    for _ in range(9):\n        ctypes.CDLL(None).fork()\n"
        "    while True: pass\n",
        "died|too slow",
    ),
    "gigabyte": (f"import os\n{CHOOSE}os.write(2, b'x' * 10**6)\n", "too slow"),
    "delete": ("import shutil\nshutil.rmtree(FOLDER)\n", "broken"),
    "write": ("open(FOLDER + '/good.py', 'w').write('')\n", "broken"),
    "sleep": ("import time\ntime.sleep(99)\n", ""),
    "memory": (f"x = []\n{CHOOSE}x.append(b'x' * 10**7)\n", "memory"),
    "fork": (f"import os\n{CHOOSE}os.fork()\n", "exception"),
    "list": ("import os\nos.listdir(FOLDER)\n", "broken"),
    "answer": (f"import os\n{FORGED}", "broken"),
    "forge": (f"import os\ndef choose(position):\n    {FORGED}    return 'a1'\n", "died"),
    "replace": ("import os\nopen('own', 'w').close()\nos.replace('own', FOLDER + '/good.py')\n", "broken"),
    "leave": (f"import os\n{CHOOSE}os._exit(0)\n", "died"),
    "cheat": (f"import subprocess\n{CHOOSE}subprocess.run('parlour')\n", "exception"),
    "search": ("from parlour_server.search import thinking\n", "broken"),
    "network": (f"import socket\n{CHOOSE}socket.create_connection(('127.0.0.1', 9))\n", "exception"),
}


@pytest.mark.parametrize("shut_in", [True, False])
def test_hostile_files_cost_themselves_alone(
    shut_in: bool, tmp_path: Path, proofs: Proofs, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not shut_in:
        # A machine without bubblewrap, or a container in which it may do nothing.
        monkeypatch.setattr(grader, "has_bubblewrap", lambda: False)
    folder = tmp_path / "class"
    folder.mkdir()
    write(folder, FIRST, "good.py")
    legal = Test("legal", 2, positions=1, move_seconds=20)
    for name, (source, kind) in list(HOSTILE.items())[slice(None) if shut_in else slice(1, 5)]:
        hostile = source.replace("FOLDER", repr(str(folder)))
        test = replace(legal, seconds=0.5) if name == "sleep" else legal
        if "too slow" in kind:
            test = replace(legal, move_seconds=0.5)
        graded = marked(folder, hostile, proofs, test, name=f"{name}.py")
        faults = set(graded.results[0].faults)
        assert graded.points == 0, name
        assert faults <= set(kind.split("|")), (name, faults)
        assert faults or graded.results[0].said, name
        assert (folder / "good.py").read_text() == FIRST, name
    assert marked(folder, FIRST, proofs, legal).points == 2
    assert not [one for one in Path("/proc").glob("[0-9]*/cmdline") if f"{tmp_path}" in _text(one)]


def _text(path: Path) -> str:
    try:
        return path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def test_a_changed_folder_is_put_back(tmp_path: Path) -> None:
    path = write(tmp_path)
    files = Class(tmp_path)
    path.write_text("gone")
    assert files.restore() == ["mybot.py"]
    assert (path.read_text(), files.restore()) == (FIRST, [])


def test_a_file_that_can_not_be_loaded_is_of_no_interface(tmp_path: Path, proofs: Proofs) -> None:
    only = Test("legal", 2, positions=1)
    assert marked(tmp_path, "1 / 0\n", proofs, only).interface == ""
    assert marked(tmp_path, engines.CS50, proofs, only).interface == "cs50"


def test_what_is_no_file_is_left_out(tmp_path: Path) -> None:
    path = write(tmp_path)
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "gone.py").symlink_to(tmp_path / "nowhere.py")
    assert [*Class(tmp_path).sources] == [path]


def test_programs_are_guarded_as_files_are(tmp_path: Path) -> None:
    legal = Test("legal", 2, positions=5)
    rubric, proofs = Rubric(tests=(legal,)), Proofs("reversi:6", 1)
    cheat = engines.TORONTO.replace("def select_move", "import os\n\n\ndef select_move").replace(
        "size = len(board)", "os.system('true')\n    size = len(board)"
    )
    results = []
    for name, source in (("fair.py", engines.TORONTO), ("cheat.py", cheat)):
        path = write(tmp_path, source, name)
        graded = asyncio.run(grade(Class(path), path, rubric, proofs, None, 2**28))
        results.append(graded.results[0])
    assert [one.points for one in results] == [2, 0], results
    assert "may not start programs" in results[1].faults["exception"][1]


def test_files_that_import_what_they_were_given(tmp_path: Path, proofs: Proofs) -> None:
    imports = f"from given import VALUE\nimport own\n{FIRST}"
    for student, own in (("ada", "pass\n"), ("ben", "1 / 0\n")):
        (tmp_path / student).mkdir()
        write(tmp_path / student, imports, "agent.py")
        write(tmp_path / student, own, "own.py")
    given = write(tmp_path, "VALUE = 1\n", "given.py")
    files = Class(tmp_path, [given])
    assert [files.label(path) for path in files.sources] == [
        *("ada/agent.py", "ada/own.py", "ben/agent.py", "ben/own.py"),
    ]
    rubric = Rubric(tests=(Test("loads", 1),))
    ada, ben = (
        asyncio.run(grade(files, tmp_path / student / "agent.py", rubric, proofs, None, 2**28))
        for student in ("ada", "ben")
    )
    assert (ada.points, ben.points) == (1, 0)
    assert "ZeroDivisionError" in ben.results[0].faults["broken"][1]
    with copies(files, ["ada/agent.py", "ben/agent.py"]) as made:
        assert [path.with_name("own.py").read_text() for path in made.values()] == ["pass\n", "1 / 0\n"]


def test_a_rubric_is_told_all_that_is_wrong_by_line(tmp_path: Path) -> None:
    rubric = write(
        tmp_path,
        'game = "go"\nlevel = 3\n\n[tests.best]\npoints = "many"\ngames = 0\nhidden = 1\n\n[tests.luck]\n',
        "r.toml",
    )
    with pytest.raises(UsageError) as wrong:
        read(rubric)
    said = "\n".join(wrong.value.sentences)
    for part in ("line 2", "line 5", "games is from 1 to 1000", "line 7", "no test 'luck'"):
        assert part in said, said
    rubric.write_text("[tests]\n")
    with pytest.raises(UsageError, match="at least one test"):
        read(rubric)
    rubric.write_text('seed = 3\n[tests.best]\npoints = 7\nfunctions = ["f"]\n')
    found = read(rubric)
    assert (found.seed, [(one.name, one.points, one.functions) for one in found.tests]) == (
        3,
        [("best", 7, ("f",))],
    )


def test_what_is_written_of_the_marks(tmp_path: Path, proofs: Proofs) -> None:
    tests = (Test("loads", 1), Test("best", 4, positions=6, hidden=True), Test("value", 2))
    graded = marked(tmp_path, FIRST, proofs, *tests, name="<b>.py")
    scope = json.loads(exports.gradescope(graded))
    assert scope["score"] == sum(one["score"] for one in scope["tests"]) == graded.points
    assert [(one["max_score"], one["status"], one["visibility"]) for one in scope["tests"]] == [
        (1, "passed", "visible"),
        (4, "failed", "hidden"),
    ]
    assert set(scope) == {"score", "execution_time", "output", "visibility", "tests", "leaderboard"}
    fifty = json.loads(exports.classroom50(graded))
    assert fifty["tests"][0] == {"test-name": "loads", "passed": True, "score": 1, "max-score": 1}
    assert (fifty["score"], fifty["max-score"]) == (graded.points, 5)
    rows = list(csv.reader(exports.spreadsheet([graded]).splitlines()))
    assert rows[0] == ["file", "name", "points", "of", "loads", "best", "value"]
    assert rows[1][4:] == ["1.0", str(graded.results[1].points), ""]
    page = document("tictactoe", [graded])
    assert "analysis#" not in page
    assert "http://127.0.0.1:1/analysis#tictactoe=" in document(
        "tictactoe", [graded], server="http://127.0.0.1:1"
    )
    assert "&lt;b&gt;.py" in page
    assert "<b>.py" not in page
    assert "parlour analyse tictactoe" in page
    page = page.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not any(word in page for word in ("http", "<script", "src=", "@import", "url("))


def test_a_folder_as_it_is_typed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "class"
    folder.mkdir()
    for name, source in (("good.py", engines.CS50), ("first.py", FIRST), ("broken.py", "x = (\n")):
        write(folder, source, name)
    rubric = write(tmp_path, "[tests.loads]\n[tests.legal]\npositions = 4\n", "r.toml")
    report, marks = tmp_path / "r.html", tmp_path / "m.csv"
    options = ("--rubric", str(rubric), "--report", str(report), "--csv", str(marks), "--tournament")
    said, notes = piped(tmp_path, "grade", str(folder), *options, PATH=os.environ["PATH"], code=1)
    assert "broken.py: 0/3 (loads 0/1, legal 0/2)\n  loads: broken (1): broken.py, line 1: '('" in said
    assert "first.py: 3/3" in said
    assert "1 of 3 files has not earned all points." in notes
    assert "Everybody against everybody" in report.read_text()
    assert len(marks.read_text().splitlines()) == 4
    one = ("grade", str(folder / "first.py"), "--rubric", str(rubric), "--only", "loads", "--json")
    assert main([*one, "--gradescope", str(tmp_path / "g.json")]) == 0
    assert json.loads(capsys.readouterr().out)["tests"][0]["passed"]
    assert json.loads((tmp_path / "g.json").read_text())["tests"][0]["score"] == 1
    for wrong, of_it in (
        ((str(tmp_path / "none"),), "There is no folder called"),
        ((str(folder), "--only", "luck"), "There is no test 'luck'"),
        ((str(folder), "--gradescope", str(tmp_path / "h.json")), "--gradescope is for one file"),
        ((str(folder), "--report", str(report)), "--force"),
    ):
        assert main(["grade", *wrong]) == 2
        assert of_it in " ".join(capsys.readouterr().err.split()), wrong
