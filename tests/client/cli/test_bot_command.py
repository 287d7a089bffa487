"""`parlour bot`, as it is typed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from parlour_client.cli.app import main
from tests.client.bots.files import FIRST, write
from tests.client.terminal import command, environment, piped
from tests.support.fork_server import in_the_foreground
from tests.support.server_process import serving_in_thread

CLAIMS = "GAMES = ['tictactoe']\n"


def test_what_can_not_be_meant(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine, gone = str(write(tmp_path)), str(tmp_path / "gone.py")
    one_thing = "exactly one of --room CODE, --tournament CODE, --host-games GAME and --check"
    for words, said in {
        (mine,): one_thing,
        (mine, "--check", "--room", "KMRTQA"): one_thing,
        (gone, "--room", "KMRTQA"): "There is no file",
        (mine, "--room", "nonsense!"): "is not a room's code",
        (mine, "--host-games", "connect4", "--games", "0"): "A whole number from 1",
        (mine, "--check", "--move-seconds", "never"): "A number of seconds from 0.01",
        (
            mine,
            "--check",
            "--memory",
            "10M",
        ): "An amount of 64M or more is needed, such as 500M or 2G, not '10M'",
        (mine, "--check", "--memory", "much"): "An amount of 64M or more",
    }.items():
        assert main(["bot", *words]) == 2
        assert said in " ".join(capsys.readouterr().err.split())


def test_two_files_play_each_other_over_the_network(tmp_path: Path) -> None:
    host, guest = write(tmp_path, FIRST, "host.py"), write(tmp_path, FIRST, "guest.py")
    with serving_in_thread() as url:
        words = ("bot", str(host), "--host-games", "tictactoe", "--games", "2", "--server", url, "--json")
        with subprocess.Popen(
            command(*words),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(tmp_path),
            text=True,
            preexec_fn=in_the_foreground,
        ) as hosting:
            assert hosting.stdout is not None
            made = json.loads(hosting.stdout.readline())
            # A link needs no server's name.
            said, _ = piped(tmp_path, "bot", str(guest), "--room", made["link"], "--games", "2")
            reported, complained = hosting.communicate(timeout=30)
        assert (hosting.returncode, complained) == (0, "")
    first, second = [json.loads(line) for line in reported.splitlines()]
    # Whoever begins has the first cells, and each begins once.
    assert (first["opponent"], first["result"], second["result"]) == ("guest", "lost", "won")
    assert first["moves"] == second["moves"] == ["a3", "b3", "c3", "a2", "b2", "c2", "a1"]
    assert "Game 2 against host (bot): lost" in said


def test_a_file_is_checked_on_a_server_of_its_own(tmp_path: Path) -> None:
    raises = write(tmp_path, f"{CLAIMS}def choose(position):\n    return position.nonsense\n", "raises.py")
    said, complained = piped(tmp_path, "bot", str(raises), "--check", code=1)
    assert "tictactoe first failed" in " ".join(said.split())
    assert "checks failed: see the table." in complained
    assert "line 3: AttributeError" in " ".join(said.split())


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_ctrl_c_ends_it_with_its_bot(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    source = f"import os\nopen({str(pid)!r}, 'w').write(str(os.getpid()))\n{FIRST}"
    with serving_in_thread() as url:
        words = ("bot", str(write(tmp_path, source)), "--host-games", "tictactoe", "--server", url, "--json")
        with subprocess.Popen(
            command(*words),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(tmp_path),
            text=True,
            preexec_fn=in_the_foreground,
        ) as hosting:
            assert hosting.stdout is not None
            hosting.stdout.readline()
            hosting.send_signal(2)
            _, complained = hosting.communicate(timeout=30)
    assert (hosting.returncode, complained) == (130, "Stopped.\n")
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)
