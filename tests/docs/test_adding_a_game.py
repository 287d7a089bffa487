"""docs/adding-a-game.md: the game shown there is a whole one, and installing it is all that it takes."""

import pickle
import random
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import parlour_server.games as registry
from parlour_server.games.game import Game, GameIsOver, IllegalMove, InvalidMove
from parlour_server.search.bots import analyse, parse_bot
from parlour_server.search.search import Control
from tests.docs import commands
from tests.docs.markdown import ROOT, anchors, blocks, links, page
from tests.support.client import player
from tests.support.server import serving

PAGE = page("docs/adding-a-game.md")


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Game[Any]]:
    """The page's game, installed as the page says."""
    (source,), (project,) = blocks(PAGE, "python"), blocks(PAGE, "toml")
    told = tomllib.loads(project)["project"]
    (tmp_path / "takeaway.py").write_text(source, encoding="utf-8")
    info = tmp_path / f"parlour_takeaway-{told['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {told['name']}\nVersion: {told['version']}\n", encoding="utf-8"
    )
    points = "".join(f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in found.items())
                     for group, found in told["entry-points"].items())  # fmt: skip
    (info / "entry_points.txt").write_text(points, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    registry._registry.cache_clear()
    yield registry.find_game("takeaway")
    monkeypatch.undo()
    registry._registry.cache_clear()
    sys.modules.pop("takeaway", None)


def random_game(game: Game[Any], dice: random.Random) -> list[Any]:
    """The positions of a game played at random, the last one over."""
    positions = [game.initial()]
    while game.outcome(positions[-1]) is None:
        move = dice.choice(list(game.legal_moves(positions[-1])))
        positions.append(game.play(positions[-1], move))
    return positions


def test_random_games_keep_the_contract(game: Game[Any]) -> None:
    assert registry.broken_games() == []
    for seed in range(50):
        positions = random_game(game, random.Random(seed))
        assert len(positions) - 1 <= game.max_plies
        for ply, position in enumerate(positions[:-1]):
            assert game.to_move(position) == ply % 2
            assert abs(game.evaluate(position)) <= 50
            assert pickle.loads(pickle.dumps(position)) == position
            assert hash(position) is not None
            view = game.view(position)
            assert view.to_move == ply % 2
            assert len(view.cells[0]) == len(view.columns)
            for move, written, target in zip(
                game.legal_moves(position), view.legal, view.targets, strict=True
            ):
                assert game.format(position, move) == written
                assert game.parse(position, written) == move
                assert 0 <= target < len(view.columns)
        over = positions[-1]
        assert (game.view(over).to_move, game.view(over).legal, list(game.legal_moves(over))) == (
            None,
            [],
            [],
        )
        with pytest.raises(GameIsOver):
            game.result(over, 1)


def test_its_errors_are_told_apart(game: Game[Any]) -> None:
    for text in ("", "0", "4", "12", "one", "\x1b"):
        with pytest.raises(InvalidMove):
            game.parse(game.initial(), text)
    with pytest.raises(IllegalMove):
        game.replay("3 3 2 2")


def test_minimax_and_alphabeta_agree_on_every_position(game: Game[Any]) -> None:
    seen = {position for seed in range(200) for position in random_game(game, random.Random(seed))[:-1]}
    assert len(seen) > 50
    for position in seen:
        scores = []
        for bot in ("minimax", "alphabeta"):
            report = analyse(game, position, parse_bot(bot), control=Control())
            assert report.finished
            scores.append({one.move: (one.score, one.kind, one.result) for one in report.candidates})
        assert scores[0] == scores[1]
        assert len(scores[0]) == len(game.legal_moves(position))
    # Whoever leaves a multiple of four wins.
    best = analyse(game, game.initial(), parse_bot("minimax"), control=Control())
    assert (best.best, best.candidates[0].result) == ("1", "win")


async def test_it_is_played_on_a_server_by_people_and_bots(game: Game[Any]) -> None:
    dice = random.Random(1)
    async with serving() as url, player(url) as ada:
        assert game.name in [line["name"] for line in (await ada.ask("games"))["games"]]
        room = (await ada.ask("create", game=game.name, settings={"starts": "first", "pace": 0}))["room"]
        await ada.ask("sit", room=room, seat=0)
        await ada.ask("add_bot", room=room, bot="perfect:seed=1", seat=1)
        for _ in range(5):
            now = await ada.event("game_started")
            while True:
                position = now["event"]["position"]
                if not position["legal"]:
                    break
                if position["to_move"] == 0:
                    move = dice.choice(position["legal"])
                    answer = await ada.ask("play", room=room, version=now["version"], move=move)
                    assert answer["type"] == "accepted", answer
                now = await ada.event("move_played")
            end = await ada.event("game_finished")
            assert end["event"]["reason"] == "the last counter"
            await ada.ask("rematch", room=room)
        refused = await ada.ask(
            "play", room=room, version=(await ada.event("game_started"))["version"], move="7"
        )
        assert (refused["code"], refused["legal"]) == ("invalid_move", ["1", "2", "3"])


@pytest.mark.parametrize("words", commands.shown(PAGE), ids=" ".join)
def test_every_command_shown_is_one(words: list[str]) -> None:
    commands.check(words)


def test_links_lead_somewhere() -> None:
    assert "the-board" in anchors(page("docs/protocol.md"))
    for link in links(PAGE):
        assert (ROOT / "docs" / link.partition("#")[0]).exists(), link
