"""Trees as pictures, as data and in a terminal: whole, and with nothing of a stranger's in their code."""

import json
import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from parlour_client.cli import trees
from parlour_client.render import tree_dot, tree_svg
from parlour_protocol.answers import GameTree
from parlour_server.games import find_game
from parlour_server.search.control import Control
from parlour_server.search.reports.tree import Tree, grow

SVG = "{http://www.w3.org/2000/svg}"
EVIL = '<script>alert("x")</script>&'


def tree(name: str, moves: str = "", *, depth: int | None = None, prune: bool = True) -> GameTree:
    """A real search's tree."""
    game = find_game(name)
    position, last = game.replay(moves)
    grown = grow(game, position, depth=depth, prune=prune, limit=400, control=Control())
    assert isinstance(grown, Tree)
    return GameTree("id", name, game.view(position, last), grown.depth, prune, grown.nodes)


SMALL = tree("tictactoe", "a1 b2 c3 a3")
FORMS = [
    SMALL,
    tree("tictactoe", "a1 b2 c3 a3", prune=False),
    tree("tictactoe", depth=1),
    tree("reversi", depth=2),
    tree("gomoku", "h8 h9", depth=1, prune=False),
    tree("hex:4", "b2", depth=1),
    tree("kalah:4,3", "a1", depth=1),
    tree("ultimate", "e5", depth=1),
]


def hostile() -> GameTree:
    """A tree whose every word is a stranger's."""
    found = tree("tictactoe", "a1 b2", depth=1)
    found.game = EVIL
    found.position.marks = [[EVIL], [EVIL]]
    for node in found.nodes:
        node.move, node.cells, node.pruned, node.cut, node.cut_at = (
            EVIL,
            ['<&"'] * 3,
            [EVIL] * 9,
            "beta",
            1,
        )
    found.nodes[0].move = None
    return found


def texts(picture: str) -> list[str]:
    return [text.text or "" for text in ElementTree.fromstring(picture).iter(f"{SVG}text")]


def frames(picture: ElementTree.Element) -> list[ElementTree.Element]:
    """Those of whole boards, not of the small ones within."""
    found = [one for one in picture.iter(f"{SVG}rect") if one.get("fill") == "none"]
    return [one for one in found if one.get("rx") == "3"]


@pytest.mark.parametrize("found", FORMS, ids=lambda found: f"{found.game}-{len(found.nodes)}")
def test_a_picture_stands_alone_and_holds_all_boards(found: GameTree) -> None:
    picture = tree_svg.document(found, "a title")
    root = ElementTree.fromstring(picture)
    assert root.tag == f"{SVG}svg"
    assert "a title" in texts(picture)
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags <= {
        "svg",
        "title",
        "defs",
        "pattern",
        "rect",
        "path",
        "text",
        "circle",
        "polyline",
        "polygon",
    }
    assert "http" not in picture.replace("http://www.w3.org/2000/svg", "")
    assert len(frames(root)) == len(found.nodes)
    width, height = float(root.get("width", "")), float(root.get("height", ""))
    for element in root.iter(f"{SVG}rect"):
        if element.get("x") is not None:
            assert float(element.get("x", "")) >= 0
            assert float(element.get("x", "")) + float(element.get("width", "")) <= width + 1
            assert float(element.get("y", "")) + float(element.get("height", "")) <= height + 1


def test_no_two_boards_of_a_level_touch() -> None:
    for found in FORMS:
        root = ElementTree.fromstring(tree_svg.document(found, ""))
        rows: dict[str, list[tuple[float, float]]] = {}
        for element in frames(root):
            at, wide = float(element.get("x", "")), float(element.get("width", ""))
            rows.setdefault(element.get("y", ""), []).append((at, at + wide))
        for row in rows.values():
            row.sort()
            assert all(left[1] < right[0] for left, right in pairwise(row))


def test_a_picture_shows_moves_values_cuts_and_levels() -> None:
    said = texts(tree_svg.document(SMALL, ""))
    # Nobody moves in the last row, where all games have ended.
    assert (said.count("maximises"), said.count("minimises")) == (3, 2)
    assert {"X to move", "O to move"} <= set(said)
    moves = [node.move for node in SMALL.nodes[1:]]
    assert all(said.count(move) >= moves.count(move) for move in set(moves) if move)
    cuts = [node for node in SMALL.nodes if node.cut]
    assert len([text for text in said if text.startswith(("α = ", "β = "))]) == len(cuts) > 0
    assert any(text.startswith("≤ −98") for text in said)
    assert "97" in said


def test_boards_of_other_layouts_are_drawn_as_elsewhere() -> None:
    six_sided = ElementTree.fromstring(tree_svg.document(tree("hex:4", "b2", depth=1), ""))
    boards = len(frames(six_sided))
    assert len([*six_sided.iter(f"{SVG}polygon")]) == 16 * boards
    found = tree("kalah:4,3", "a2", depth=1)
    stores = [str(number) for node in found.nodes for number in (node.counts or [])[0].of]
    assert sorted(stores) == [*"00001122"]
    houses = [house for node in found.nodes for row in node.cells for house in row]
    # Each board shows its own.
    said = texts(tree_svg.document(found, ""))
    assert all(said.count(number) >= (stores + houses).count(number) > 0 for number in "012")
    assert not any(node.counts for node in tree("reversi", depth=1).nodes)


def test_words_of_strangers_are_only_words() -> None:
    found = hostile()
    picture = tree_svg.document(found, EVIL)
    assert {element.tag for element in ElementTree.fromstring(picture).iter()} >= {f"{SVG}text"}
    assert "<script" not in picture
    graph = tree_dot.document(found, EVIL)
    # Every quote within a string is escaped, so strings end where they should.
    assert all(re.sub(r'\\.|"(?:\\.|[^"\\])*"', "", line).count('"') == 0 for line in graph.splitlines())


def test_a_graph_has_every_node_and_edge() -> None:
    graph = tree_dot.document(SMALL, "title")
    assert graph.startswith("digraph tree {")
    assert graph.rstrip().endswith("}")
    assert len(re.findall(r"^  n\d+ \[label=", graph, re.MULTILINE)) == len(SMALL.nodes)
    assert len(re.findall(r"^  n\d+ -> n\d+ ", graph, re.MULTILINE)) == len(SMALL.nodes) - 1
    assert graph.count("-> p") == len([node for node in SMALL.nodes if node.pruned])


def test_data_is_what_the_server_sent() -> None:
    reported = json.loads(json.dumps(trees.tree_json(SMALL)))
    assert list(reported) == ["game", "position", "depth", "pruned", "nodes", "visited", "cutoffs"]
    assert len(reported["nodes"]) == len(SMALL.nodes)
    assert "parent" not in reported["nodes"][0]
    assert reported["nodes"][1]["parent"] == 0
