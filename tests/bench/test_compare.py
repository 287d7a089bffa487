"""An idea for the search beside a revision: the same code finds the same, what differs is named."""

from contextlib import nullcontext
from pathlib import Path

import pytest
from rich.console import Console

from bench import BenchError
from bench.search import compare
from bench.search.cli import main
from bench.search.compare import Compared, Searched

pytest.importorskip("numba")


def test_a_tree_beside_itself_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compare, "_checkout", lambda revision: nullcontext(compare._ROOT))
    monkeypatch.setattr(compare, "DEPTHS", {"connect4": 4})
    monkeypatch.setattr(compare, "PLIES", {"connect4": (0, 6)})
    steps: list[str] = []
    (found,) = compare.compare("HEAD", ["connect4"], 2, lambda what, count: lambda: steps.append(what))
    assert (found.positions, found.differing, len(found.ratios)) == (2, [], 2)
    assert found.nodes == found.before_nodes > 0
    assert len(steps) == 2 + 2 * 2


def done() -> None:
    """A step."""


def test_what_differs_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    line = Compared("connect4", 4, 1)
    place = compare.Place("connect4", "4 4", 4)
    compare._round(
        line,
        [place],
        0,
        lambda _: Searched(200, 0.2, "4: draw"),
        lambda _: Searched(100, 0.1, "3: win"),
        done,
    )
    assert (line.before_nodes, line.nodes, line.ratios) == (200, 100, [0.5])
    compare.show("HEAD", Console(width=80), [line])
    assert "connect4, 4 4: 4: draw, now 3: win" in capsys.readouterr().out


def test_each_comes_first_by_turns() -> None:
    order: list[str] = []

    def search(name: str) -> compare.Search:
        def one(place: compare.Place) -> Searched:
            order.append(name)
            return Searched(1, 1.0, "")

        return one

    line, places = Compared("connect4", 4, 1), [compare.Place("connect4", "", 4)]
    for number in (0, 1):
        compare._round(line, places, number, search("before"), search("after"), done)
    assert order == ["before", "after", "after", "before"]


def test_a_revision_that_is_not_there_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--compare", "no-such-revision", "--games", "connect4"]) == 1
    assert "There is no no-such-revision here" in capsys.readouterr().err


def test_a_tree_that_breaks_says_how(tmp_path: Path) -> None:
    broken = tmp_path / "server/parlour_server"
    broken.mkdir(parents=True)
    (broken / "__init__.py").write_text("raise RuntimeError('an idea too far')")
    with pytest.raises(BenchError, match="an idea too far"), compare._searcher(tmp_path):
        pass
