"""The command line: what it is for, and how it fails."""

import json
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.main import get_command

from parlour_client.cli import app as cli
from parlour_client.cli import help_text
from parlour_client.cli.options import searcher
from parlour_client.sdk.errors import UsageError
from parlour_client.sdk.local_server import named_server

COMMANDS = [
    "play",
    "create",
    "join",
    "watch",
    "rooms",
    "add-bot",
    "arena",
    "export",
    "replay",
    "history",
    "analyse",
    "review",
    "tree",
    "lab",
    "games",
    "bots",
    "schema",
    "serve",
    "admin",
    "top",
]


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No server but the one named, and no state and no games but our own."""
    monkeypatch.setenv("PARLOUR_STATE", str(tmp_path))
    monkeypatch.setenv("PARLOUR_DATA", str(tmp_path / "rooms.db"))
    monkeypatch.setenv("PARLOUR_PORT", "0")
    monkeypatch.setenv("PARLOUR_SERVER", "ws://127.0.0.1:9")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = cli.main(list(arguments))
    said = capsys.readouterr()
    assert "Traceback" not in said.out + said.err
    return code, said.out, said.err


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_says_first_what_for_and_last_how(capsys: pytest.CaptureFixture[str], command: str) -> None:
    code, out, _ = run(capsys, *command.split(), "--help")
    lines = out.rstrip().splitlines()
    assert code == 0
    assert not lines[0].startswith("Usage")
    assert lines[0].endswith((".", ":")) or len(lines[0]) > 60
    assert lines[-1].startswith(f"Example: parlour {command}")
    assert all(len(line) <= 80 for line in lines)
    assert re.findall(r"<[a-z\[\]]+( range)?>", out) == [], "a type of Python's"


def test_the_version_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "--version") == (0, f"parlour {version('parlour-client')}\n", "")


def test_all_commands_are_there(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys)
    for command in COMMANDS:
        assert f"\n  {command} " in out


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["watch"],
        ["watch", "KMRTQA", "--all"],
        ["watch", "--all", "--every", "0"],
        ["create", "--games", "0"],
        ["play", "--side", "middle"],
        ["play", "--starts", "never"],
        ["play", "--pace", "-1"],
        ["play", "--pace", "nan"],
        ["play", ""],
        ["play", "x" * 601],
        ["play", "tic\x1btactoe"],
        ["play", "--as", ""],
        ["play", "--as", "x" * 25],
        ["play", "--server", "ftp://example.org"],
        ["play", "--server", "ws://host:99999"],
        ["play", "--vs", ""],
        ["play", "--clock", "0+0"],
        ["play", "--clock", "\x1b[2J"],
        ["play", "--patience", "nan"],
        ["play", "--stand-in", ""],
        ["play", "--bot-after", "5"],
        ["play", "--quick", "--bot-after", "-1"],
        ["play", "--quick", "--bot-after", "5", "--vs", "human"],
        ["play", "--quick", "--side", "second"],
        ["play", "--quick", "--from", "KMRTQA"],
        ["play", "--from", "no such file"],
        ["play", "--from", "KMRTQA@"],
        ["play", "--from", "KMRTQA@last"],
        ["create", "--from", "/"],
        ["create", "--clock", "99999/move/x"],
        ["export"],
        ["export", "zz"],
        ["export", "KMRTQA", "--game", "0"],
        ["export", "KMRTQA", "--out", "/"],
        ["export", "KMRTQA", "--out", "no such folder/game.json"],
        ["replay"],
        ["replay", "nothing.json"],
        ["replay", "/dev/null"],
        ["replay", "K" * 50_000],
        ["join"],
        ["join", "zz"],
        ["join", "KMRTQ0"],
        ["join", "http://host/nothing"],
        ["join", "\x1b]52;c;cm0=\x07"],
        ["watch", "mailto:KMRTQA"],
        ["add-bot", "KMRTQA", "--bot", ""],
        ["arena", "tictactoe", "--games", "0"],
        ["arena", "tictactoe", "--games", "many"],
        ["analyse"],
        ["analyse", "tictactoe", "a" * 4001],
        ["analyse", "tictactoe", "a1 \udc80"],
        ["analyse", "tictactoe", "--depth", "-1"],
        ["analyse", "tictactoe", "--depth", "100"],
        ["analyse", "tictactoe", "--time", "1e9"],
        ["analyse", "tictactoe", "--time", "0"],
        ["analyse", "tictactoe", "--time", "\x1b[2J"],
        ["analyse", "tictactoe", "--depth", "9" * 5000],
        ["review", "/dev/null"],
        ["review", "NOSUCH"],
        ["review", "/"],
        ["arena", "tictactoe", "--games", "9" * 30],
        ["arena", "tictactoe", "--seed", "x"],
        ["analyse", "tictactoe", "--bot", "perfect:depth=3", "--depth", "3"],
        ["analyse", "tictactoe", "--bot", "hard: time=1", "--time", "2"],
        ["analyse", "tictactoe", "--file", "no such file"],
        ["analyse", "tictactoe", "a1", "--file", "-"],
        ["review"],
        ["review", "nothing.json"],
        ["review", "zz"],
        ["review", "K" * 50_000],
        ["review", "KMRTQA", "--depth", "0"],
        ["tree", "tictactoe", "--depth", "0"],
        ["tree", "tictactoe", "--limit", "1001"],
        ["tree", "tictactoe", "--out", "tree.png"],
        ["tree", "tictactoe", "--out", "no such folder/tree.svg"],
        ["lab"],
        ["lab", "tictactoe", "--depth", "none"],
        ["games", "--colour"],
    ],
    ids=lambda arguments: " ".join(arguments)[:30].encode("ascii", "replace").decode(),
)
def test_usage_faults(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    code, out, err = run(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert err.strip().isprintable()
    assert len(err) < 250


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--time", "nan"], "A number of seconds from 0.01 to 3,600 is needed, not 'nan'."),
        (["--time", "inf"], "A number of seconds from 0.01 to 3,600 is needed, not 'inf'."),
        (["--depth", "abc"], "A whole number from 1 to 99 is needed, not 'abc'."),
        (["--depth", "1.5"], "A whole number from 1 to 99 is needed, not '1.5'."),
        (["--file", "/"], "'/' is a folder: name a file"),
        (["a1 \x1b[31mb2"], "can't be seen: write moves such as b2"),
    ],
)
def test_a_wrong_value_is_refused_with_what_would_do(
    capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    code, out, err = run(capsys, "analyse", "tictactoe", *arguments)
    assert (code, out) == (2, "")
    assert words in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--clock", "x"], "Write minutes+seconds (5+3) or seconds a move (30/move)."),
        (["--clock", "500+0"], "Up to 180 minutes"),
        (["--clock", "0+0"], "A clock needs some time"),
        (["--patience", "1"], "A number of seconds from 5 to 86,400 is needed, not '1'."),
        (["connect4", "--from", "KMRTQA"], "leave 'connect4' out"),
        (["--as"], "See: parlour play --help"),
        (["--from", "KMRTQA@x"], "in KMRTQA@N, N is a number of moves, from 0"),
    ],
)
def test_a_wrong_setting_is_refused_with_what_would_do(
    capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    code, out, err = run(capsys, "play", *arguments)
    assert (code, out) == (2, "")
    assert words in err


def test_a_colon_without_a_setting_is_left_for_the_server_to_refuse() -> None:
    assert searcher("hard:", None, None) == "hard:"
    assert searcher("hard:", 3, None) == "hard:,depth=3"
    assert searcher("hard", 3, 0.5) == "hard:depth=3,time=0.5"


@pytest.mark.parametrize(
    "arguments",
    [["play"], ["join", "KMRTQA"], ["rooms", "--json"], ["games"], ["join", "http://127.0.0.1:9/KMRTQA"]],
)
def test_without_a_server_a_sentence(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (1, "")
    assert err.startswith("Could not reach ws://127.0.0.1:9: nothing is listening there.")


def test_the_environment_is_checked_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PARLOUR_SERVER", "not an address")
    code, _, err = run(capsys, "rooms")
    assert code == 2
    assert "not a server's address" in err


def test_a_bug_of_ours_is_a_sentence_and_a_file(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("parlour_client.cli.query.named_server", lambda asked: 1 / 0)
    code, out, err = run(capsys, "games")
    assert (code, out) == (1, "")
    assert "our bug" in err
    assert "ZeroDivisionError" in Path(err.strip().split(" in ")[-1].rstrip(".")).read_text()


@pytest.mark.parametrize("other", [["games", "--json"], ["rooms", "--follow"]])
def test_csv_and_another_way_of_printing_do_not_go_together(
    capsys: pytest.CaptureFixture[str], other: list[str]
) -> None:
    assert run(capsys, *other, "--csv") == (2, "", f"Choose one of {other[1]} and --csv.\n")


def test_schemas_are_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "schema")
    assert code == 0
    assert isinstance(json.loads(out), dict)
    code, out, _ = run(capsys, "schema", "--asyncapi")
    assert json.loads(out)["asyncapi"].startswith("3.")


def test_whoever_stops_reading_is_not_scolded() -> None:
    done = subprocess.run(
        f"{sys.executable} -m parlour_client schema | head -1",
        shell=True,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout == "{\n"
    assert done.stderr == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is full")
def test_a_full_disk_is_no_bug_of_ours() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "parlour_client", "schema"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.startswith("The system says: the disk is full.\n")


class Broken:
    """An entry point that can't be loaded."""

    name = "broken"

    def load(self) -> None:
        raise ImportError("no module named nothing")


def test_a_broken_package_takes_nothing_down(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [Broken()])
    group = get_command(cli.app)
    assert isinstance(group, help_text.ParlourGroup)
    monkeypatch.setattr("typer.main.get_command", lambda app: group)
    code, out, err = run(capsys, "--help")
    assert code == 0
    assert "play" in out
    assert "'broken' can't be loaded" in err


def test_a_server_of_our_own_needs_the_server(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("PARLOUR_SERVER")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    code, out, err = run(capsys, "play")
    assert (code, out) == (1, "")
    assert "--server" in err
    assert "pip install ./server" in err


def test_addresses_are_found_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    assert named_server("example.org:80") == "ws://example.org:80"
    assert named_server(None) == "ws://127.0.0.1:9"
    monkeypatch.delenv("PARLOUR_SERVER")
    assert named_server(None) is None
    with pytest.raises(UsageError):
        named_server("ws://")


MARKED = """
import sys
from parlour_protocol.words import ENGLISH, Catalogue, choice

def mark(id_, text):
    # What stands in a sentence's places is outside.
    return text if id_.startswith("language.") else f"«{text.replace('{{', '»{{').replace('}}', '}}«')}»"

marked = {id_: mark(id_, text) for id_, text in ENGLISH.sentences.items()}
choice._spoken[:] = [Catalogue("en", marked, ENGLISH)]
from parlour_client.cli import app

for arguments in sys.argv[1:]:
    app.main(arguments.split())
"""
"""Runs commands in a language in which each sentence stands between marks."""


SENTENCE = re.compile(r"[A-Za-z]{2,},? [a-z]{2,}")


def marked(*commands: str) -> str:
    """What these commands print, without all that the catalogue says."""
    command = [sys.executable, "-c", MARKED, *commands]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    # What is too long for the list of commands loses its end.
    shown = re.sub(r"^  [a-z-]+ +«[^«»\n]*\.$", "", done.stdout + done.stderr, flags=re.MULTILINE)
    return re.sub("«[^«»]*»", "", shown)


def test_all_of_help_comes_from_the_catalogue() -> None:
    shown = marked(*(f"{command} --help" for command in COMMANDS if command != "serve"))
    commands = re.compile(r"^parlour|^  +[a-z-]+ +\S|<.*>| \[OPTIONS\]")
    lines = [line for line in shown.splitlines() if SENTENCE.search(line) and not commands.search(line)]
    assert lines == []


def test_what_is_wrong_with_a_command_line_is_said_by_the_catalogue() -> None:
    wrong = ["plya", "admin nope", "play --vss", "play --vs", "play a b", "review", "play --side up"]
    shown = marked(*wrong, "play --games 0", "play --clock x", "play --pace -1", "play --plain=1")
    # Too many words are answered with how the command is written, too.
    assert shown.count("parlour") == len(wrong) + 1 + 4
    assert not SENTENCE.search(re.sub(r"parlour( admin)?( [a-z]+)?", "", shown)), shown
