"""A lecture is written: the trees of real searches in the server's page, as data alone."""

import json
from pathlib import Path
from typing import Any, TypeVar

import pytest

from parlour_client.cli.app import main
from parlour_client.cli.lecture import Scene, read_scenes, write_lecture
from parlour_client.render.console import Screen
from parlour_client.sdk.errors import Refused, UsageError
from parlour_client.sdk.in_process import InProcessClient
from parlour_protocol import answers
from parlour_protocol.commands import AskTree, Command
from parlour_protocol.errors import Code

T = TypeVar("T")


async def written(target: Path, *scenes: Scene, client: InProcessClient | None = None) -> dict[str, Any]:
    """What the file that was written is about."""
    async with client or InProcessClient() as asking:
        await write_lecture(asking, Screen(), scenes, depth=None, limit=60, prune=True, target=target)
    page = target.read_text(encoding="utf-8")
    data = page.split('<script type="application/json" id="lecture">')[1].split("</script>")[0]
    assert "<" not in data
    found: dict[str, Any] = json.loads(data)
    return found


async def test_the_three_searches_agree_and_best_play_is_there_to_its_end(tmp_path: Path) -> None:
    about = await written(tmp_path / "x.html", Scene("tictactoe", "a1 b2"))
    (scene,) = about["scenes"]
    assert (scene["title"], scene["moves"], about["search"]) == ("tictactoe", "a1 b2", "alphabeta")
    trees = scene["trees"]
    assert set(trees) == {"alphabeta", "ordered", "minimax"}
    assert len({tree["nodes"][0]["score"]["points"] for tree in trees.values()}) == 1
    assert trees["ordered"]["visited"] < trees["alphabeta"]["visited"] < trees["minimax"]["visited"]
    for tree in trees.values():
        nodes, at = tree["nodes"], 0
        assert all(node.get("parent", -1) < number for number, node in enumerate(nodes))
        while nodes[at]["below"]:
            # One child of a node on the line of best play is on it, too.
            (at,) = [number for number, node in enumerate(nodes) if node.get("parent") == at and node["best"]]
        assert nodes[at]["end"] == "draw"


class Impatient(InProcessClient):
    """One whose server's time is over before plain minimax has gone through the tree."""

    async def request(self, asked: Command[T]) -> T:
        if isinstance(asked, AskTree) and not asked.prune:
            raise Refused(answers.Refused(Code.TOO_LARGE, "The search of that tree took too long.", asked.id))
        return await super().request(asked)


async def test_what_plain_minimax_takes_too_long_for_is_shown_without_it(tmp_path: Path) -> None:
    about = await written(tmp_path / "x.html", Scene("tictactoe", "a1 b2 c3"), client=Impatient())
    assert set(about["scenes"][0]["trees"]) == {"alphabeta", "ordered"}


async def test_a_position_that_is_over_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="The game is over"):
        await written(tmp_path / "x.html", Scene("tictactoe", "a1 b1 a2 b2 a3"))
    assert not (tmp_path / "x.html").exists()


async def test_a_file_of_positions_is_one_lecture(tmp_path: Path) -> None:
    file = tmp_path / "lesson.txt"
    file.write_text(
        "# Week 3\n\ntictactoe a3 b2 c2 b1 b3 c3 | Three moves from the end\n"
        "http://127.0.0.1:8765/learn#numbers:(3,12)(2,4)=\n"
    )
    scenes = read_scenes(file)
    about = await written(tmp_path / "x.html", *scenes)
    assert [(one["title"], one["moves"], one["caption"]) for one in about["scenes"]] == [
        ("tictactoe", "a3 b2 c2 b1 b3 c3", "Three moves from the end"),
        ("numbers:(3,12)(2,4)", "", ""),
    ]
    file.write_text("tictactoe\n\ntictactoe a1 a1 | Wrong\n")
    with pytest.raises(UsageError, match=r"lesson\.txt, line 3: .*a1"):
        await written(tmp_path / "y.html", *read_scenes(file))
    assert not (tmp_path / "y.html").exists()
    file.write_text("# Nothing\n")
    with pytest.raises(UsageError, match="names no position"):
        read_scenes(file)


def test_a_lecture_of_several_positions_is_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "lesson.txt"
    file.write_text("tictactoe a3 b2 c2 b1 b3 c3\n")
    for options in (
        ["--out", str(tmp_path / "x.svg")],
        [],
        ["--out", str(tmp_path / "x.html"), "--bot", "b.py"],
    ):
        assert main(["tree", str(file), *options]) == 2
        assert "ends in .html" in " ".join(capsys.readouterr().err.split())
