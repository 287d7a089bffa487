"""`parlour compile`: a line for each game, what is there already is left alone, and faults are sentences."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from parlour_protocol.views.reports import Compiling
from parlour_server.analysis.kernel_compiler import KernelCompiler, Progress
from parlour_server.cli import app
from parlour_server.search.kernels import numba_modules

pytestmark = pytest.mark.skipif(not numba_modules.available(), reason="there is no compiler here")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PARLOUR_CACHE", str(tmp_path))
    return tmp_path / "kernels"


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was compiled, in no time: reversi can't be."""
    games: list[str] = []

    async def compile_game(self: KernelCompiler, game: str, progress: Progress) -> str | None:
        progress(Compiling(game, 1, 11))
        games.append(game)
        return "No memory." if game == "reversi" else None

    monkeypatch.setattr(KernelCompiler, "compile", compile_game)
    is_kept = "parlour_server.search.kernels.compiled.is_kept"
    monkeypatch.setattr(is_kept, lambda game: game.name in ("gomoku", *games))
    return games


def run(*arguments: str) -> tuple[int, str, str]:
    ended = CliRunner().invoke(app, ["compile", *arguments])
    return ended.exit_code, ended.stdout, ended.stderr


def test_each_game_has_a_line_and_the_last_says_where_the_code_is(compiled: list[str], folder: Path) -> None:
    code, said, _ = run("connect4", "gomoku")
    assert code == 0
    first, second, last = said.splitlines()
    assert first.startswith("connect4: compiled in ")
    assert (second, last) == ("gomoku: compiled already.", f"Compiled code is kept in {folder}")
    assert compiled == ["connect4"]
    code, said, _ = run("connect4")
    assert (code, said.splitlines()[-1]) == (
        0,
        f"There was nothing to do. Compiled code is kept in {folder}",
    )


def test_without_names_all_games_are_compiled_and_one_that_fails_stops_no_other(
    compiled: list[str], folder: Path
) -> None:
    code, said, _ = run("--json")
    reported = json.loads(said)
    assert (code, reported["folder"]) == (1, str(folder))
    results = {one["game"]: one["result"] for one in reported["games"]}
    assert results["reversi"] == "failed"
    assert results["gomoku"] == "kept"
    assert {results[game] for game in ("connect4", "ultimate", "tictactoe")} == {"compiled"}
    assert {one["error"] for one in reported["games"] if one["result"] == "failed"} == {"No memory."}


def test_what_can_not_be_done_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    code, said, complained = run("chess")
    assert (code, said) == (2, "")
    assert complained.startswith("There is no game 'chess'.")
    monkeypatch.setattr(numba_modules, "can_keep", lambda: False)
    code, said, complained = run()
    assert (code, said) == (1, "")
    assert "PARLOUR_CACHE" in complained
    monkeypatch.setattr(numba_modules, "available", lambda: False)
    code, said, complained = run()
    assert (code, said) == (1, "")
    assert "pip install './server[fast]'" in complained
