"""`parlour bot --check`: bots that are sound, and bots that raise, sleep and play illegally."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

from parlour_client.bots import check
from parlour_client.render.console import Screen
from parlour_client.sdk.dial import Socket
from parlour_client.sdk.errors import ParlourError, UsageError
from tests.client.bots.files import FIRST, write
from tests.support.server import serving

CLAIMS = "GAMES = ['tictactoe']\n"


async def checked(
    path: Path, capsys: pytest.CaptureFixture[str], seconds: float | None = None
) -> tuple[list[dict[str, Any]], str]:
    """The rows, and what is raised in the end."""
    raised = ""
    async with serving() as url:
        try:
            await check.run(url, str(path), Screen(as_json=True), move_seconds=seconds)
        except UsageError:
            raise
        except ParlourError as fault:
            raised = str(fault)
    return json.loads(capsys.readouterr().out), raised


async def test_a_sound_bot_passes_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows, raised = await checked(write(tmp_path, CLAIMS + FIRST), capsys)
    assert raised == ""
    assert [row["check"] for row in rows] == list(check.CHECKS)
    assert all(row["passed"] for row in rows), rows
    assert {row["game"] for row in rows} == {"tictactoe"}


@pytest.mark.parametrize(
    ("choose", "failing", "said"),
    [
        # As the second side alone.
        (
            "if len(position.moves) % 2: raise KeyError('lost')",
            {"second"},
            "exception: mybot.py, line 3: KeyError: 'lost'",
        ),
        (
            "if len(position.moves) > 3: return 'z9'",
            {"first", "second"},
            "illegal move: choose returned 'z9'",
        ),
        (
            "if len(position.moves) == 4: import time; time.sleep(9)",
            {"first"},
            "too slow: It took longer than the 0.5 s",
        ),
    ],
)
async def test_a_faulty_bot_fails_where_it_is_faulty(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    choose: str,
    failing: set[str],
    said: str,
) -> None:
    whole_games = {name: check.CHECKS[name] for name in ("first", "second")}
    monkeypatch.setattr(check, "CHECKS", whole_games)
    source = f"{CLAIMS}def choose(position):\n    {choose}\n    return position.legal_moves[0]\n"
    rows, raised = await checked(write(tmp_path, source), capsys, 0.5)
    failed = {row["check"]: row["said"] for row in rows if not row["passed"]}
    assert failing == failed.keys()
    assert all(said in failed[name] for name in failing), failed
    assert {row["interface"] for row in rows} == {"parlour"}
    assert all(row["slowest"] >= 0.5 for row in rows if "too slow" in row["said"])
    assert raised == f"{len(failed)} of 2 checks failed: see the table."


@pytest.mark.parametrize(
    ("choose", "failing", "said"),
    [
        ("if position.moves[1:2] == ['b2']: return 'z9'", "illegal", r"'z9'.*The moves before: \S+ b2"),
        ("if position.moves[1:2] == ['b2']: 1 / 0", "illegal", r"1 / 0`\)\. The moves before: \S+ b2"),
        (
            "if len(position.moves) == 6: import time; time.sleep(9)",
            "late",
            r"too slow: .*The moves before: ",
        ),
        # It lives in the middle of one game, and never sees that another has begun.
        (
            "if not position.moves: position.game in seen and 1 / 0; seen.append(position.game)",
            "late",
            "ZeroDivisionError",
        ),
    ],
)
async def test_boards_of_no_game_and_the_game_after_a_fault_show_more(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    choose: str,
    failing: str,
    said: str,
) -> None:
    monkeypatch.setattr(check, "CHECKS", {failing: check.CHECKS[failing]})
    source = f"{CLAIMS}seen = []\ndef choose(position):\n    {choose}\n    return position.legal_moves[0]\n"
    rows, _ = await checked(write(tmp_path, source), capsys, 0.3)
    failed = {row["check"]: row["said"] for row in rows if not row["passed"]}
    assert failing in failed, rows
    assert re.search(said, failed[failing]), failed


async def test_a_check_that_can_not_be_made_is_a_failed_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def not_followed(sitting: check.CheckGame) -> str:
        await sitting.player.room.unwatch()
        await sitting.game()
        return "it never comes to this"

    monkeypatch.setattr(check, "CHECKS", {"alone": not_followed, "first": check.CHECKS["first"]})
    path = write(tmp_path, "GAMES = ['poker', 'tictactoe']\n" + FIRST)
    async with asyncio.timeout(20):
        rows, raised = await checked(path, capsys)
    assert [row["passed"] for row in rows] == [False, False, False, True]
    assert "There is no game 'poker'" in rows[0]["said"]
    assert "is no longer subscribed to" in rows[2]["said"]
    assert raised == "3 of 4 checks failed: see the table."


async def test_a_misspelt_game_is_named_before_all_checks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UsageError, match="names 'connect-4': write 'connect4'"):
        await checked(write(tmp_path, "GAMES = ['connect-4']\n" + FIRST), capsys)


async def test_the_line_is_cut_while_it_waits_and_while_it_thinks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[check.CuttableConnection] = []

    class Line(check.CuttableConnection):
        async def open(self, server: str, heartbeat: tuple[float, float]) -> Socket:
            lines.append(self)
            return await super().open(server, heartbeat)

    monkeypatch.setattr(check, "CuttableConnection", Line)
    monkeypatch.setattr(check, "CHECKS", {"reconnect": check.CHECKS["reconnect"]})
    ((row,), _) = await checked(write(tmp_path, CLAIMS + FIRST), capsys)
    assert (row["passed"], row["said"]) == (True, "played on after its line was cut, twice")
    assert len(lines) == 3


def test_the_table_is_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        check.Row("tictactoe", "first", True, "won in 7 moves", 0.01, "parlour"),
        check.Row("connect4", "late", False, "too slow", 3.5, "cs50"),
    ]
    Screen().show_list(check.CHECKED, rows)
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["tictactoe", "first", "ok", "0.01", "s", "won", "in", "7", "moves"]
    assert lines[2].split()[:5] == ["connect4", "late", "failed", "3.50", "s"]


async def test_no_file_no_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError, match="no function choose"):
        await checked(write(tmp_path, "x = 1"), capsys)
