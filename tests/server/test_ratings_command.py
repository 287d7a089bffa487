"""`parlour ratings rebuild`: what it says, and what it refuses."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from parlour_client.cli.app import main
from parlour_server.hosting.ratings import NAME
from parlour_server.store.sqlite import SqliteStore
from tests.hosting.test_ratings import play

Capture = pytest.CaptureFixture[str]


def rebuild(capture: Capture, *options: str) -> tuple[int, str, str]:
    try:
        code = main(["ratings", "rebuild", *options])
    except SystemExit as error:
        code = int(error.code or 0)
    return (code, *capture.readouterr())


async def _with_games(path: Path, numbers: Sequence[int]) -> None:
    store = await SqliteStore.open(path)
    for number in numbers:
        await play(store, number)
    await store.close()


async def _saved(path: Path) -> str:
    store = await SqliteStore.open(path)
    found = await store.checkpoint(NAME)
    await store.close()
    return found.state


def test_ratings_are_made_out_of_a_file_and_again(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "rooms.db"
    asyncio.run(_with_games(path, range(14)))
    code, said, complained = rebuild(capsys, "--data", str(path))
    assert (code, complained) == (0, "")
    assert said == f"{path}: ratings made anew out of rated games: 12, ratings: 11.\n"
    before = asyncio.run(_saved(path))
    assert json.loads(rebuild(capsys, "--data", str(path), "--json")[1])["games"] == 12
    assert asyncio.run(_saved(path)) == before != ""


def test_what_can_not_be_is_said_in_a_sentence(tmp_path: Path, capsys: Capture) -> None:
    missing = tmp_path / "none.db"
    assert rebuild(capsys, "--data", str(missing)) == (2, "", f"There is no file {missing}.\n")
    assert not missing.exists()
    code, _, complained = rebuild(capsys, "--data", ":memory:")
    assert (code, "keeps nothing" in complained) == (2, True)
    assert rebuild(capsys, "--data", "mysql://there")[0] == 2
    other = tmp_path / "notes.txt"
    other.write_text("no data file")
    code, _, complained = rebuild(capsys, "--data", str(other))
    assert code == 1
    assert "Traceback" not in complained and str(other) in complained


def test_a_file_that_a_server_has_is_left_alone(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "rooms.db"

    async def held() -> tuple[int, str, str]:
        store = await SqliteStore.open(path)
        try:
            return await asyncio.to_thread(rebuild, capsys, "--data", str(path))
        finally:
            await store.close()

    code, _, complained = asyncio.run(held())
    assert code == 75
    assert str(path) in complained


def test_its_help_says_what_it_is_for(capsys: Capture) -> None:
    code, said, _ = rebuild(capsys, "--help")
    assert code == 0
    assert said.lstrip().startswith("Make the ratings anew") and "Example: parlour ratings rebuild" in said
