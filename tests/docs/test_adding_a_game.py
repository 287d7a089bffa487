"""docs/adding-a-game.md: the game shown there is a whole one, and installing it is all that it takes."""

import json
import os
import random
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import parlour_server.games as registry
from parlour_client.sdk.local_server import Child
from parlour_server.games.contract import check_ends
from parlour_server.games.game import Game, IllegalMove, InvalidMove
from parlour_server.search.kernels.compiled import kernel_for
from tests.client.terminal import piped
from tests.docs.markdown import ROOT, blocks, named, page, tables
from tests.support.client import player
from tests.support.games import perft
from tests.support.server import serving

PAGE = page("docs/adding-a-game.md")
LONGEST_EXAMPLE = 80


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds what pip would install from the page's two files."""
    (source, rules), (project,) = blocks(PAGE, "python"), blocks(PAGE, "toml")
    source = source.replace("Game, InvalidMove,", "Game, InvalidMove, Rule,")
    source = source.replace("\n\n\nGAME =", f"\n\n{rules}\n\nGAME =")
    reported = tomllib.loads(project)["project"]
    folder = tmp_path_factory.mktemp("site")
    (folder / "domineering.py").write_text(source, encoding="utf-8")
    info = folder / f"{reported['name'].replace('-', '_')}-{reported['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {reported['name']}\nVersion: {reported['version']}\n", encoding="utf-8"
    )
    points = "".join(f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in found.items())
                     for group, found in reported["entry-points"].items())  # fmt: skip
    (info / "entry_points.txt").write_text(points, encoding="utf-8")
    return folder


@pytest.fixture
def game(package: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Game[Any]]:
    """The page's game, installed for this process."""
    monkeypatch.syspath_prepend(package)
    registry._registry.cache_clear()
    yield registry.find_game("domineering")
    monkeypatch.undo()
    registry._registry.cache_clear()
    sys.modules.pop("domineering", None)


@pytest.fixture
def installed(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page's game, installed for the processes that a test starts, and for those that they start."""
    monkeypatch.setenv("PYTHONPATH", found_first(package))


@pytest.fixture(scope="module")
def server(package: Path) -> Iterator[str]:
    """The address of a server with the page's game."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", found_first(package))
        child = Child()
    try:
        yield child.address()
    finally:
        child.stop()


def found_first(package: Path) -> str:
    """The path of Python's modules with that folder at its head."""
    others = os.environ.get("PYTHONPATH")
    return os.pathsep.join([str(package), *([others] if others else [])])


# ---------------------------------------------------------------- the game as it is shown


def test_the_example_is_short() -> None:
    source, _ = blocks(PAGE, "python")
    assert len(source.splitlines()) <= LONGEST_EXAMPLE


def test_random_games_keep_the_contract(game: Game[Any]) -> None:
    assert registry.broken_games() == []
    check_ends(game)


def test_its_moves_are_counted_alike_by_a_naive_walk(game: Game[Any]) -> None:
    def ways(free: frozenset[tuple[int, int]], down: int, plies: int) -> int:
        """How many ways there are to play so many plies on these cells."""
        if plies == 0:
            return 1
        laid = ({(row, column), (row + down, column + 1 - down)} for row, column in free)
        return sum(ways(free - both, 1 - down, plies - 1) for both in laid if both <= free)

    board = frozenset((row, column) for row in range(6) for column in range(6))
    counts = [30, 800, 19360]
    assert [ways(board, 1, plies) for plies in (1, 2, 3)] == counts
    assert perft(game, game.initial(), 3) == counts


def test_its_errors_are_distinguished(game: Game[Any]) -> None:
    for text in ("", "b2", "b2b7", "g2g3", "b3b2b1", "b3c3", "f2a1", "\x1b"):
        with pytest.raises(InvalidMove):
            game.parse(game.initial(), text)
    for moves in ("b3b2 b2c2", "b3b2 c4d4 c5c4"):
        with pytest.raises(IllegalMove, match="is not a legal move here"):
            game.replay(moves)


# ---------------------------------------------------------------- as a third party's package


def test_no_file_of_ours_knows_it() -> None:
    ours = [path for part in ("server", "client", "protocol") for path in (ROOT / part).rglob("*.py")]
    assert len(ours) > 50
    assert not [path for path in ours if "domineering" in path.read_text(encoding="utf-8").lower()]
    assert "domineering" not in page("server/pyproject.toml")


def test_it_is_listed(installed: None, tmp_path: Path) -> None:
    said, _ = piped(tmp_path, "games", "--json")
    (line,) = [line for line in json.loads(said) if line["name"] == "domineering"]
    assert line["title"] == "Domineering"


def test_its_rules_are_shown(installed: None, tmp_path: Path) -> None:
    said, _ = piped(tmp_path, "games", "domineering")
    assert said.startswith("Domineering: how to play\n")
    assert "Who has no room for another domino has lost." in said
    assert " 3 .  +  .  .  .  ." in said and " 5 .  .  +  +  .  ." in said


@pytest.mark.parametrize("bot", ["easy", "hard:nodes=300", "minimax:depth=2"])
def test_every_bot_plays_it_in_the_arena(installed: None, tmp_path: Path, bot: str) -> None:
    said, _ = piped(
        tmp_path,
        *("arena", "domineering", "--first", bot, "--second", "random"),
        *("--games", "2", "--seed", "1", "--json"),
    )
    table = json.loads(said)
    assert (table["game"], table["games"], table["draws"]) == ("domineering", 2, 0)
    assert table["first_wins"] + table["second_wins"] == 2


def test_it_is_analysed(server: str, tmp_path: Path) -> None:
    options = ["--bot", "minimax:depth=2", "--json", "--server", server]
    said, _ = piped(tmp_path, "analyse", "domineering", "b3b2 c5d5", *options)
    candidates = json.loads(said)["candidates"]
    assert len(candidates) == 23
    wrong = "b3b2 c5d5 zz a3a2"
    _, complained = piped(tmp_path, "analyse", "domineering", wrong, "--server", server, code=2)
    assert "Move 3 ('zz'): 'zz' is no domino of V" in " ".join(complained.split())


async def test_it_is_played_on_a_server_by_people_and_bots(game: Game[Any]) -> None:
    assert kernel_for(game) is None
    dice = random.Random(1)
    async with serving() as url, player(url) as ada:
        assert game.name in [line["name"] for line in (await ada.ask("games"))["games"]]
        room = (await ada.ask("create", game=game.name, settings={"starts": "first", "pace": 0}))["room"]
        await ada.ask("sit", room=room, seat=0)
        await ada.ask("add_bot", room=room, bot="easy:seed=1", seat=1)
        for _ in range(3):
            now, moves = await ada.event("game_started"), list[str]()
            while True:
                position = (await ada.ask("board", game=game.name, moves=" ".join(moves)))["position"]
                if not position["legal"]:
                    break
                if position["to_move"] == 0:
                    move = dice.choice(position["legal"])
                    answer = await ada.ask("play", room=room, version=now["version"], move=move)
                    assert answer["type"] == "accepted", answer
                now = await ada.event("move_played")
                moves.append(now["event"]["move"])
            end = await ada.event("game_finished")
            assert end["event"]["reason"] == "no room for another domino"
            await ada.ask("rematch", room=room)
        refused = await ada.ask(
            "play", room=room, version=(await ada.event("game_started"))["version"], move="b2b9"
        )
        assert refused["code"] == "invalid_move"
        assert "b3b2" in refused["legal"]


# ---------------------------------------------------------------- the page


def test_the_whole_contract_is_reported() -> None:
    must = " ".join(row[1] for row in tables(PAGE)["What it is in class"])
    may = " ".join(named(tables(PAGE)["Here"]))
    assert set(Game.__abstractmethods__) <= set(re.findall(r"\w+", must))
    assert not set(Game.__abstractmethods__) & set(re.findall(r"\w+", may))
    names = {name for name in [*vars(Game), *Game.__annotations__] if not name.startswith("_")}
    # What the contract does for everybody: no game has to.
    names -= {"replay", "read", "follow", "utility", "result"}
    assert names <= set(re.findall(r"\w+", must + may))
