"""`parlour tournament run`, as it is typed."""

import json
import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("Windows has no ptys", allow_module_level=True)

from tests.client.bots.files import FIRST, write
from tests.client.terminal import run

WRONG = """\
title = "Class"
game = ["tictactoe", "conect4"]
format = "rr"
games = 0
typo = 1

[[bots]]
bot = "gone.py"

[[bots]]
bot = "mybot.py"
name = "Kim"

[[bots]]
bot = "easy"
name = "Kim"

[[bots]]
name = 5
"""
LIST = """\
title = "bots"
bots = [
    "easy",  # not "hard", [nor] this
    { bot = "gone.py", name = "Kim" },

    # a comment
    "hrad", "random:seed=1",
    '''medium''',
    { bot = 'perfect', name = "kim" }, 5,
]
"""


def test_a_folder_of_files_and_bots_plays_and_goes_on(tmp_path: Path) -> None:
    write(tmp_path, FIRST, "ada.py")
    write(tmp_path, FIRST.replace("[0]", "[-1]"), "ben.py")
    kept = tmp_path / "class.jsonl"
    bots = (str(tmp_path / "ada.py"), str(tmp_path / "ben.py"), "easy", "medium")
    options = ("--game", "tictactoe", "--games", "2", "--seed", "4", "--out", str(kept))
    out, err = run(tmp_path, "tournament", "run", *bots, *options, COLUMNS="120")
    assert "12 games written" in err
    head, first, *_ = out.splitlines()
    assert head.split() == [
        "rank",
        "bot",
        "points",
        "games",
        "won",
        "drawn",
        "lost",
        "score",
        "Elo",
        "results",
    ]
    assert first.split()[:2] == ["1", "medium"]
    assert "round robin: 12 games of tictactoe in 3 rounds, seed 4." in out
    records = [json.loads(line) for line in kept.read_text().splitlines()]
    assert [record["number"] for record in records] == sorted(record["number"] for record in records)
    # What was cut off is played again, to the same end.
    whole = kept.read_bytes()
    kept.write_bytes(b"".join(whole.splitlines(keepends=True)[:5]))
    again, err = run(tmp_path, "tournament", "run", *bots, *options, "--json")
    assert "The tournament goes on: 4 of its games are there already." in err
    assert kept.read_bytes() == whole
    found = json.loads(again)
    assert (found["over"], found["played"]) == (True, 12)
    assert {one["bot"]: one["file"] is None for one in found["standings"]} == {
        "ada": False,
        "ben": False,
        "easy": True,
        "medium": True,
    }
    assert len(found["boards"]) == 6
    # With more games it goes on, unless these decide who meets whom.
    out, _ = run(tmp_path, "tournament", "run", *bots, *options, "--games", "4", "--json")
    assert json.loads(out)["played"] == 24
    assert kept.read_bytes().startswith(whole)
    swiss = ("easy", "random", "--format", "swiss", "--seed", "1", "--out", str(tmp_path / "swiss.jsonl"))
    run(tmp_path, "tournament", "run", *swiss)
    _, err = run(tmp_path, "tournament", "run", *swiss, "--games", "4", code=2)
    assert "has 2 games for each pairing" in err
    # All of it again, and where that would be sought first.
    manifest = f"{kept}.manifest.json"
    same, _ = run(tmp_path, "tournament", "run", "--replay", manifest, "--jobs", "2")
    assert same == "All 24 games are the same, bit for bit.\n"
    _, err = run(tmp_path, "arena", "--replay", manifest, code=2)
    assert "parlour tournament run --replay" in err
    lines = kept.read_text().splitlines()
    record = json.loads(lines[2])
    record["moves"].pop()
    kept.write_text("\n".join([*lines[:2], json.dumps(record), *lines[3:]]) + "\n")
    _, err = run(tmp_path, "tournament", "run", "--replay", manifest, code=1)
    assert f"1 game of 24 is another one than in the file: game {record['number']}." in err


def test_who_is_benched_is_said(tmp_path: Path) -> None:
    write(tmp_path, "def choose(position):\n    return 'z9'\n", "bad.py")
    words = (str(tmp_path / "bad.py"), "easy", "--games", "40", "--seed", "1")
    out, _ = run(tmp_path, "tournament", "run", *words, COLUMNS="120")
    assert "10 (benched)" in out
    assert "bad is benched after 10 faults" in out
    found = json.loads(run(tmp_path, "tournament", "run", *words, "--json")[0])
    assert [(one["bot"], one["benched"]) for one in found["standings"]] == [("easy", False), ("bad", True)]
    assert (found["over"], found["played"]) == (True, 10)


def test_a_file_says_it_all(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "class.toml").write_text(
        'title = "Class"\ngame = "tictactoe"\nformat = "swiss"\nrounds = 2\ngames = 2\nseed = 1\n'
        'bots = ["easy", "random", "medium", { bot = "mybot.py", name = "Kim" }]\n'
    )
    out, _ = run(tmp_path, "tournament", "run", str(tmp_path / "class.toml"), "--json")
    found = json.loads(out)
    assert (found["title"], found["format"], found["rounds"], found["played"]) == ("Class", "swiss", 2, 8)
    assert "Kim" in [one["bot"] for one in found["standings"]]
    out, _ = run(tmp_path, "tournament", "run", str(tmp_path / "class.toml"), "--rounds", "9")
    assert "It ended after round 3 of 9: nobody was left to meet." in out
    csv, _ = run(tmp_path, "tournament", "run", str(tmp_path / "class.toml"), "--csv")
    assert csv.startswith("rank,bot,points,games,")


def test_all_that_is_wrong_is_told_at_once_with_its_line(tmp_path: Path) -> None:
    write(tmp_path)
    file = tmp_path / "class.toml"
    file.write_text(WRONG)
    out, err = run(tmp_path, "tournament", "run", str(file), code=2)
    assert out == ""
    lines = err.splitlines()
    for line, said in {
        4: "games is from 1 to 1000.",
        5: "There is no typo here",
        18: "A bot is a text, or a table",
        2: "Did you mean connect4?",
        3: "'rr' is not one of round_robin",
        7: "There is no file",
    }.items():
        assert any(one.startswith(f"{file}, line {line}: ") and said in one for one in lines), (said, err)
    assert any(one.startswith(f"{file}, line 14: 2 bots are called Kim") for one in lines), err
    file.write_text("title = \n")
    assert "is no TOML: " in run(tmp_path, "tournament", "run", str(file), code=2)[1]
    file.write_text('game = []\nbots = ["easy", "random"]\n')
    assert "line 1: game: a list of games" in run(tmp_path, "tournament", "run", str(file), code=2)[1]
    file.write_text(LIST)
    err = run(tmp_path, "tournament", "run", str(file), code=2)[1]
    for line, said in ((4, "There is no file"), (7, "hrad"), (9, "2 bots are called kim"), (9, "A bot is a")):
        assert any(one.startswith(f"{file}, line {line}: ") and said in one for one in err.splitlines()), err
    file.write_text('game = "tictactoe"\n')
    err = run(tmp_path, "tournament", "run", str(file), code=2)[1]
    assert err == f"{file}: A tournament takes two bots at least.\n"
    err = run(tmp_path, "tournament", "run", "gone.py", "medum", "--game", "nogame", code=2)[1]
    assert all(said in err for said in ("nogame", "There is no file", "medum")), err
    write(tmp_path, FIRST, "kim.py")
    write(tmp_path, FIRST, "Kim.py")
    alike = (str(tmp_path / "kim.py"), str(tmp_path / "Kim.py"))
    assert "2 bots are called" in run(tmp_path, "tournament", "run", *alike, code=2)[1]
    kept = tmp_path / "kept.jsonl"
    kept.write_text("mine")
    many = ("easy", "random", "--format", "arena", "--out", str(kept), "--force")
    assert "not one of" in run(tmp_path, "tournament", "run", *many, code=2)[1]
    assert kept.read_text() == "mine"
    assert "two bots at least" in run(tmp_path, "tournament", "run", "easy", code=2)[1]
    assert "There is no file" in run(tmp_path, "tournament", "run", "gone.py", "easy", code=2)[1]
