"""`parlour arena`, as it is typed."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("Windows has no ptys", allow_module_level=True)

from parlour_client.cli.app import main
from tests.client.bots.files import FIRST, write
from tests.client.terminal import Terminal, environment, run

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
RANDOM = ("--first", "random", "--second", "random")


def arena(state: Path, *options: str, code: int = 0) -> tuple[str, str]:
    return run(state, "arena", *options, code=code)


def test_what_can_not_be_meant(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine, kept, lines = str(write(tmp_path)), tmp_path / "games.jsonl", tmp_path / "openings.txt"
    kept.touch()
    lines.write_text("b2 a1  # the centre\n\nb2 b2\nb9\n")
    for words, said in {
        ("--first", str(tmp_path / "gone.py")): "There is no file",
        ("--first", "bot.txt", "--move-seconds", "5"): "its name must end in .py",
        ("--first", "nobody"): "nobody",
        ("--move-seconds", "5"): "--move-seconds is for your own files, and none plays here.",
        ("--memory", "2G"): "--first hard:time=1",
        ("--random-plies", "41"): "A whole number from 0 to 40",
        ("--random-plies", "20"): "After 20 random moves most games of tictactoe are over",
        ("--jobs", "0"): "A whole number from 1 to 64",
        ("--out", "-"): "name a file with --out",
        ("--out", str(kept)): "exists already",
        ("--first", mine, "--memory", "1K"): "An amount of 64M or more",
        ("--sprt", "5,0"): "Two differences in Elo, the smaller one first",
        ("--sprt", "0,5,0.6,0.05"): "above 0 and below 0.5",
        ("--sprt", "0,300"): "normalised takes differences up to 200 points",
        ("--sprt", "0,5", "--sprt-model", "elo"): "normalised, logistic, bayesian",
        ("--openings", str(lines)): "openings.txt, line 4: ",
        ("--openings", str(lines), "--random-plies", "2"): "Choose one of --openings and --random-plies",
        ("--openings", str(tmp_path / "gone.txt")): "gone.txt",
        ("--replay", str(tmp_path / "gone.manifest.json")): "gone.manifest.json",
        ("--replay", str(lines)): "no manifest of a match",
    }.items():
        assert main(["arena", "tictactoe", *words]) in (1, 2), words
        assert said in " ".join(capsys.readouterr().err.split()), words


def test_a_library_s_warning_is_not_for_who_plays(tmp_path: Path) -> None:
    # So it is under nohup and some supervisors: Python then finds no exit code of the bot's process.
    options = ("--first", str(write(tmp_path)), "--second", "random", "--games", "2")
    done = subprocess.run(
        [sys.executable, "-m", "parlour_client", "arena", "tictactoe", *options],
        preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stderr == ""


def test_a_match_is_the_same_for_a_seed(tmp_path: Path) -> None:
    tallies = []
    for jobs in ("1", "2"):
        kept = tmp_path / f"{jobs}.jsonl"
        options = ("--games", "11", "--seed", "3", "--json", "--jobs", jobs)
        out, err = arena(tmp_path, "tictactoe", *RANDOM, *options, "--out", str(kept))
        assert err == f"Games come in pairs: 12 are played.\n12 games written to {kept}.\n"
        tally = json.loads(out)
        assert tally.pop("seconds") > 0
        assert all(tally.pop("ms_a_move"))
        tallies.append(tally)
    assert tallies[0] == tallies[1]
    test = ("--games", "100", "--seed", "3", "--sprt", "100,200")
    out, _ = arena(tmp_path, "tictactoe", *RANDOM, *test)
    assert "the first is 100 points stronger rather than 200 (normalised Elo;" in " ".join(out.split())
    # The same file, to the last byte.
    assert (tmp_path / "1.jsonl").read_bytes() == (tmp_path / "2.jsonl").read_bytes()
    assert list(tally) == [
        *("game", "first", "second", "games", "first_wins", "second_wins", "draws", "moves", "seed"),
        *("random_plies", "openings", "balanced", "first_began", "second_began", "pairs"),
        *("score", "score_95", "elo", "elo_95", "normalised_elo", "normalised_elo_95"),
        *("likely_superior", "sprt", "ended", "faults", "interfaces", "timed", "ran"),
    ]
    assert tally["first_wins"] + tally["second_wins"] + tally["draws"] == tally["games"] == 12
    assert sum(tally["pairs"]) == 6
    again, _ = arena(tmp_path, "--replay", f"{tmp_path}/2.jsonl.manifest.json")
    assert again == "All 12 games are the same, bit for bit.\n"


def test_a_match_as_a_table_with_its_games_kept(tmp_path: Path, server: str) -> None:
    kept = tmp_path / "games.jsonl"
    options = ("--first", "perfect", "--second", "perfect", "--games", "4", "--random-plies", "0")
    out, err = arena(tmp_path, "tictactoe", *options, "--out", str(kept))
    assert re.search(r"perfect +4 +0 +4 +0 +50.0%", out)
    assert "4 games of tictactoe, 36 moves" in out
    assert "opening" not in out
    assert f"4 games written to {kept}." in err
    records = [json.loads(line) for line in kept.read_text().splitlines()]
    assert [record["number"] for record in records] == [1, 2, 3, 4]
    # With the bots' thoughts, so that a replay shows them.
    assert all(move["report"]["nodes"] for move in records[0]["moves"])
    shown, _ = run(tmp_path, "replay", f"{kept}#2@9", "--json", "--server", server)
    assert json.loads(shown.splitlines()[-1])["ply"] == 9
    reviewed, _ = run(tmp_path, "review", f"{kept}#3", "--json", "--server", server)
    assert len(json.loads(reviewed)["moves"]) == 9
    again, _ = run(tmp_path, "review", str(kept), "--game", "3", "--json", "--server", server)
    assert json.loads(again)["points"] == json.loads(reviewed)["points"]
    # All of them: for other programs, and for spreadsheets.
    pgn, _ = run(tmp_path, "export", str(kept), "--format", "pgn")
    assert pgn.count('[Game "tictactoe"]') == 4
    csv, _ = run(tmp_path, "export", str(kept), "--format", "csv")
    assert csv.splitlines()[:2] == [
        "number,game,first,second,outcome,winner,fault,plies,opening",
        "1,tictactoe,perfect,perfect,board_full,,,9,",
    ]
    # A file's game needs no server.
    assert json.loads(run(tmp_path, "export", f"{kept}#2")[0]) == records[1]
    assert "perfect (bot)" in run(tmp_path, "export", str(kept), "--game", "2", "--format", "text")[0]


def test_ctrl_c_shows_and_keeps_the_games_so_far(tmp_path: Path) -> None:
    kept = tmp_path / "games.jsonl"
    options = ("--games", "1000000", "--out", str(kept))
    with Terminal(tmp_path, "arena", "tictactoe", *RANDOM, *options) as ada:
        ada.until("Elo")
        ada.type("\x03")
        assert ada.end() == 130
        # The bar has left its line when the result comes, whatever the terminal wrote behind it.
        bars = [line for line in re.split(r"[\r\n]+", ESCAPES.sub("", ada.shown)) if "━" in line]
        assert bars
        assert all(len(line.removesuffix("^C")) <= 78 for line in bars)
        shown = " ".join(ESCAPES.sub("", ada.shown).split())
    assert "random scores" in shown
    assert "Stopped." in shown
    records = [json.loads(line) for line in kept.read_text().splitlines()]
    (count,) = re.findall(r"([0-9,]+) games? of tictactoe, [0-9,]+ moves in ", shown)
    assert int(count.replace(",", "")) == len(records)
    assert all(record["result"] for record in records)


def test_a_killed_match_goes_on_to_the_same_end(tmp_path: Path) -> None:
    mine = str(
        write(tmp_path, "import time\n" + FIRST.replace("    return", "    time.sleep(0.02)\n    return"))
    )
    bots = ("--first", mine, "--second", "random")
    match = ("tictactoe", *bots, "--games", "12", "--seed", "5", "--jobs", "2")
    whole, parts = tmp_path / "whole.jsonl", tmp_path / "parts.jsonl"
    arena(tmp_path, *match, "--out", str(whole))
    started = subprocess.Popen(
        [sys.executable, "-m", "parlour_client", "arena", *match, "--out", str(parts)],
        env=environment(tmp_path),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    while not parts.exists() or not parts.read_bytes():
        assert started.poll() is None
        time.sleep(0.01)
    os.kill(started.pid, signal.SIGSTOP)
    # Before the bots are looked at.
    _, err = arena(tmp_path, *match, "--second", "medum", "--out", str(parts), "--force", code=2)
    assert "is being written by another command" in err
    os.kill(started.pid, signal.SIGKILL)
    started.wait()
    assert len(parts.read_bytes()) < len(whole.read_bytes())
    _, err = arena(tmp_path, *match, "--out", str(parts))
    assert "The match goes on: " in err
    assert parts.read_bytes() == whole.read_bytes()
    # What is whole is not played again.
    _, err = arena(tmp_path, *match, "--out", str(parts))
    assert "The match goes on: 12 of its games are there already." in err
    write(tmp_path, FIRST)
    _, err = arena(tmp_path, *match, "--out", str(parts), code=2)
    assert "mybot.py has changed" in err
    _, err = arena(tmp_path, "--replay", f"{parts}.manifest.json", code=2)
    assert "mybot.py has changed" in err


def test_a_replay_names_the_game_that_differs(tmp_path: Path) -> None:
    kept = tmp_path / "games.jsonl"
    arena(tmp_path, "tictactoe", *RANDOM, "--games", "4", "--seed", "1", "--out", str(kept))
    lines = kept.read_text().splitlines()
    record = json.loads(lines[2])
    record["moves"].pop()
    kept.write_text("\n".join([*lines[:2], json.dumps(record), lines[3]]) + "\n")
    _, err = arena(tmp_path, "--replay", f"{kept}.manifest.json", code=1)
    assert "1 game of 4 is another one than in the file: game 3." in err


def test_a_seed_that_can_not_promise_anything_is_said(tmp_path: Path) -> None:
    def warned(*bots: str) -> str:
        options = ("--games", "2", "--seed", "1", "--random-plies", "0")
        return arena(tmp_path, "connect4", "--first", bots[0], "--second", bots[1], *options)[1]

    assert (
        "minimax:depth=1,time=0.01 is stopped by time in connect4, so the same seed may not give the same "
        "match again. Bound it otherwise, as in minimax:depth=6.\n"
    ) in warned("random", "minimax:depth=1,time=0.01")
    assert "as in hard:nodes=100000." in warned("hard:time=0.01", "random")
    assert "stopped by time" not in warned("hard:nodes=100", "random")
