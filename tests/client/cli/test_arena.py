"""`parlour arena`, as it is typed."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("Windows has no ptys", allow_module_level=True)

from parlour_client.cli.app import main
from tests.client.bots.files import write
from tests.client.terminal import Terminal, piped

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
RANDOM = ("--first", "random", "--second", "random")


def test_what_can_not_be_meant(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine, kept = str(write(tmp_path)), tmp_path / "games.jsonl"
    kept.touch()
    for words, said in {
        ("--first", str(tmp_path / "gone.py")): "There is no file",
        ("--first", "bot.txt", "--move-seconds", "5"): "its name must end in .py",
        ("--move-seconds", "5"): "--move-seconds is for your own files, and none plays here.",
        ("--memory", "2G"): "--first hard:time=1",
        ("--random-plies", "41"): "A whole number from 0 to 40",
        ("--jobs", "0"): "A whole number from 1 to 64",
        ("--out", "-"): "name a file with --out",
        ("--out", str(kept)): "exists already",
        ("--first", mine, "--memory", "1K"): "An amount of 64M or more",
    }.items():
        assert main(["arena", "tictactoe", *words]) == 2
        assert said in " ".join(capsys.readouterr().err.split())


def test_a_library_s_warning_is_not_for_who_plays(tmp_path: Path, server: str) -> None:
    # So it is under nohup and some supervisors: Python then finds no exit code of the bot's process.
    options = ("--first", str(write(tmp_path)), "--second", "random", "--games", "2", "--server", server)
    done = subprocess.run(
        [sys.executable, "-m", "parlour_client", "arena", "tictactoe", *options],
        preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stderr == ""


def test_a_match_is_the_same_for_a_seed(tmp_path: Path, server: str) -> None:
    def open_rooms() -> set[str]:
        listed = json.loads(piped(tmp_path, "rooms", "--server", server, "--json")[0])
        return {room["room"] for room in listed if room["phase"] != "closed"}

    # Other tests have theirs on this server.
    before, tallies, games = open_rooms(), [], []
    for jobs in ("1", "3"):
        kept = tmp_path / f"{jobs}.jsonl"
        options = ("--games", "12", "--seed", "3", "--server", server, "--json", "--jobs", jobs)
        out, err = piped(tmp_path, "arena", "tictactoe", *RANDOM, *options, "--out", str(kept))
        assert err == f"12 games written to {kept}.\n"
        records = [json.loads(line) for line in kept.read_text().splitlines()]
        assert [record["number"] for record in records] == list(range(1, 13))
        games.append([[move["move"] for move in record["moves"]] for record in records])
        tally = json.loads(out)
        assert tally.pop("seconds") > 0
        tallies.append(tally)
    assert tallies[0] == tallies[1]
    assert games[0] == games[1]
    assert list(tally) == [
        *("game", "first", "second", "games", "first_wins", "second_wins", "draws", "moves", "seed"),
        *("random_plies", "first_began", "second_began", "pairs", "score", "score_95", "elo", "elo_95"),
        *("timed", "ran"),
    ]
    assert tally["first_wins"] + tally["second_wins"] + tally["draws"] == tally["games"] == 12
    assert sum(tally["pairs"]) == 6
    assert open_rooms() <= before


def test_a_match_as_a_table_with_its_games_kept(tmp_path: Path, server: str) -> None:
    kept = tmp_path / "games.jsonl"
    options = ("--first", "perfect", "--second", "perfect", "--games", "3", "--random-plies", "0")
    out, err = piped(tmp_path, "arena", "tictactoe", *options, "--server", server, "--out", str(kept))
    assert re.search(r"perfect +3 +0 +3 +0 +50.0%", out)
    assert "3 games of tictactoe, 27 moves" in out
    assert "opening" not in out
    assert f"3 games written to {kept}." in err
    records = [json.loads(line) for line in kept.read_text().splitlines()]
    assert [record["number"] for record in records] == [1, 2, 3]
    # With the bots' thoughts, so that a replay shows them.
    assert all(move["report"]["nodes"] for move in records[0]["moves"])
    shown, _ = piped(tmp_path, "replay", f"{kept}#2@9", "--json", "--server", server)
    assert json.loads(shown.splitlines()[-1])["ply"] == 9
    reviewed, _ = piped(tmp_path, "review", f"{kept}#3", "--json", "--server", server)
    assert len(json.loads(reviewed)["moves"]) == 9
    again, _ = piped(tmp_path, "review", str(kept), "--game", "3", "--json", "--server", server)
    assert json.loads(again)["points"] == json.loads(reviewed)["points"]
    # A file's game needs no server.
    assert json.loads(piped(tmp_path, "export", f"{kept}#2")[0]) == records[1]
    assert "perfect (bot)" in piped(tmp_path, "export", str(kept), "--game", "2", "--format", "text")[0]


def test_ctrl_c_shows_and_keeps_the_games_so_far(tmp_path: Path, server: str) -> None:
    kept = tmp_path / "games.jsonl"
    options = ("--games", "1000000", "--server", server, "--out", str(kept))
    with Terminal(tmp_path, "arena", "tictactoe", *RANDOM, *options) as ada:
        ada.until("games/s")
        ada.type("\x03")
        assert ada.end() == 130
        # The bar has left its line when the result comes, whatever the terminal wrote behind it.
        assert re.search(r"\x1b\[1A\x1b\[2K(\x1b\[[0-9;]*m)*bot ", ada.shown)
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


def test_a_seed_that_can_not_promise_anything_is_said(tmp_path: Path, server: str) -> None:
    def warned(*bots: str) -> str:
        options = ("--games", "1", "--seed", "1", "--random-plies", "0", "--server", server)
        return piped(tmp_path, "arena", "connect4", "--first", bots[0], "--second", bots[1], *options)[1]

    assert warned("random", "minimax:depth=1,time=0.01") == (
        "minimax:depth=1,time=0.01 is stopped by time in connect4, so the same seed may not give the same "
        "match again. Bound it otherwise, as in minimax:depth=6.\n"
    )
    assert "as in hard:nodes=100000." in warned("hard:time=0.01", "random")
    assert warned("hard:nodes=100", "random") == ""
