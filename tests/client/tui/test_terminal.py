"""The full screen at a real terminal: opened by `parlour`, played at by keys, left as it was found."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("Windows has no ptys", allow_module_level=True)

import pty

from parlour_client.sdk.local_server import Child
from parlour_client.tui import start_up
from tests.client.terminal import PATIENCE, Terminal, environment

FULL = {"PARLOUR_PLAIN": "0"}
ALTERNATE_ON, ALTERNATE_OFF = "\x1b[?1049h", "\x1b[?1049l"

HELP = """
from parlour_client.cli.app import main
assert main(["--help"]) == 0
"""
NOISE = """
import os, subprocess, sys
from parlour_client.tui.start_up import screen_to_ourselves
with screen_to_ourselves():
    os.write(2, b"resource_tracker: leaked")
    subprocess.run([sys.executable, "-c", "import sys; sys.exit('resource_tracker: leaked')"])
    print("painted", file=sys.__stderr__)
print("afterwards", file=sys.__stderr__)
"""
"""A library and a child process write while Textual paints."""
FIRST_PAINT = """
import parlour_client.cli.app
import parlour_client.tui.app
"""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    child = Child()
    try:
        yield child.address()
    finally:
        child.stop()


def test_parlour_alone_opens_plays_by_keys_and_leaves_the_terminal_as_it_was(
    tmp_path: Path, url: str
) -> None:
    with Terminal(tmp_path, **FULL, PARLOUR_SERVER=url) as ada:
        ada.until(ALTERNATE_ON)
        ada.until("Connecting")
        ada.until("Connect Four")
        ada.until("vs medium (bot)")
        assert ada.modes_now() != ada.modes
        ada.type("\r")
        ada.until("Your move")
        ada.type("4\r")
        ada.until("medium (bot) thought")
        ada.type("\x03")
        assert ada.end() == 0
        before, _, after = ada.shown.rpartition(ALTERNATE_OFF)
        assert before
        assert "  parlour join http" in after.partition("Goodbye. Your seat is kept. Come back with:")[2]
        assert ada.modes_now() == ada.modes
        assert "Traceback" not in ada.shown


def test_what_others_write_to_standard_error_stays_off_the_screen() -> None:
    done = subprocess.run([sys.executable, "-c", NOISE], capture_output=True, check=True, timeout=PATIENCE)
    assert done.stderr == b"painted\nafterwards\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["join", "nothing"], "is not a room's code"),
        (["watch", "KMRTQA", "--clock", "5+3"], "No such option"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_what_is_wrong_with_a_command_is_reported_before_the_screen_opens(
    tmp_path: Path, arguments: list[str], sentence: str
) -> None:
    with Terminal(tmp_path, *arguments, **FULL) as ada:
        assert ada.end() == 2
        assert ALTERNATE_ON not in ada.shown
        assert sentence in " ".join(ada.shown.split())


@pytest.mark.parametrize(
    ("settings", "pipe", "options", "full"),
    [
        ({}, None, {}, True),
        ({"PARLOUR_PLAIN": "0"}, None, {}, True),
        ({"PARLOUR_PLAIN": "1"}, None, {}, False),
        ({"TERM": "dumb"}, None, {}, False),
        ({}, "stdin", {}, False),
        ({}, "stdout", {}, False),
        ({}, "__stderr__", {}, False),
        ({}, None, {"plain": True}, False),
        ({}, None, {"as_json": True}, False),
    ],
)
def test_the_full_screen_is_for_people_at_terminals_who_want_it(
    monkeypatch: pytest.MonkeyPatch,
    settings: dict[str, str],
    pipe: str | None,
    options: dict[str, bool],
    full: bool,
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("PARLOUR_PLAIN", raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as terminal, Path(os.devnull).open("w") as elsewhere:
        for stream in ("stdin", "stdout", "__stderr__"):
            monkeypatch.setattr(sys, stream, elsewhere if stream == pipe else terminal)
        assert start_up.wanted(**options) is full
    os.close(ours)


@pytest.mark.parametrize(
    ("begun", "heavy"),
    [
        ("import parlour_client.cli.app", {"rich", "pydantic", "websockets", "asyncio"}),
        (HELP, {"textual"}),
        (
            FIRST_PAINT,
            {"pydantic", "websockets", "parlour_protocol.views.rooms", "parlour_client.sdk.connection"},
        ),
    ],
    ids=["commands", "help", "first paint"],
)
def test_nothing_is_loaded_before_it_is_needed(tmp_path: Path, begun: str, heavy: set[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"{begun}\nimport sys\nprint(*sys.modules, sep='\\n', file=sys.stderr)"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env=environment(tmp_path),
        check=True,
    )
    loaded = set(done.stderr.split())
    assert "parlour_client.cli.app" in loaded
    assert not heavy & loaded
