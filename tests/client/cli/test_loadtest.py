"""`parlour loadtest`, as it is typed."""

import json
import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("Windows has no ptys", allow_module_level=True)

from parlour_client.cli.app import main
from tests.client.terminal import piped


def test_what_can_not_be_meant(capsys: pytest.CaptureFixture[str]) -> None:
    for words, said in {
        ("--rooms", "0"): "A whole number from 1 to 10,000",
        ("--seconds", "0"): "0.5",
        ("--moves-per-second", "0"): "A number from 0.1 to 1,000,000 is needed",
        ("--processes", "65"): "A whole number from 1 to 64",
        ("--server", "ws://127.0.0.1:1", "--data", "rooms.db"): "--data is for a server of our own",
        ("--server", "ftp://x"): "is not a server's address",
    }.items():
        assert main(["loadtest", *words]) == 2
        assert said in " ".join(capsys.readouterr().err.split())


def test_rooms_play_in_processes_of_their_own(tmp_path: Path, server: str) -> None:
    options = ("--rooms", "4", "--seconds", "1", "--processes", "2", "--spectators", "2", "--bots")
    out, err = piped(tmp_path, "loadtest", "--server", server, *options, "--json")
    found = json.loads(out)
    assert err == ""
    assert found["rooms_opened"] == 4 and found["spectators_opened"] == 8 and found["processes"] == 2
    assert found["latency_ms"]["p50"] > 0 and found["bot_answer_ms"]["p50"] > 0
    assert found["faults"] == [] and found["unanswered"] == 0 and found["refused"] == {}


def test_a_server_of_its_own_and_moves_at_set_times(tmp_path: Path) -> None:
    data = tmp_path / "rooms.db"
    options = ("--rooms", "2", "--seconds", "1", "--moves-per-second", "20", "--data", str(data))
    out, _ = piped(tmp_path, "loadtest", *options)
    assert "2 of 2 rooms played." in out and "20 were asked for" in out
    assert "checked: each accepted move stands there once" in " ".join(out.split())
    assert data.stat().st_size > 0
    _, err = piped(tmp_path, "loadtest", *options, code=2)
    assert "There is a file" in err
