"""A lecture on a game tree, written as one HTML file: the server's page, and the trees that it shows."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from parlour_client.cli.output_file import lines_of, write
from parlour_client.cli.trees import tree_json
from parlour_client.render import tree_text
from parlour_client.render.console import Screen
from parlour_client.render.progress import shown_progress
from parlour_client.sdk.commands import command
from parlour_client.sdk.errors import Refused, UsageError
from parlour_client.sdk.queries import QueryClient
from parlour_client.sdk.retry import with_retries
from parlour_client.sdk.source import linked_position
from parlour_protocol import LECTURE, commands
from parlour_protocol.answers import GameTree
from parlour_protocol.errors import Code
from parlour_protocol.views.reports import TreeNode
from parlour_protocol.words import language, say

SEARCHES: dict[str, dict[str, bool]] = {
    "alphabeta": {"prune": True, "order": False},
    "ordered": {"prune": True, "order": True},
    "minimax": {"prune": False},
}


@dataclass(frozen=True, slots=True)
class Scene:
    """A position of a lecture, and what is said of it."""

    game: str
    moves: str = ""
    caption: str = ""
    where: tuple[str, int] | None = None
    """The file and the line that name it, where they do."""


def read_scenes(path: Path) -> list[Scene]:
    """The positions of a lecture, one a line: a game and its moves, or a link, and behind a `|` a caption.

    Blank lines and what begins with `#` are left out. Raises `UsageError` where there are none.
    """
    scenes = []
    for number, line in enumerate(lines_of(path), 1):
        text, _, caption = line.partition("|")
        game, _, moves = text.strip().partition(" ")
        if game and not game.startswith("#"):
            game, moves = linked_position(text) or (game, moves.strip())
            scenes.append(Scene(game, moves, caption.strip(), (str(path), number)))
    if not scenes:
        raise UsageError(say("error.no_scenes", file=str(path)))
    return scenes


async def write_lecture(
    client: QueryClient,
    screen: Screen,
    scenes: Sequence[Scene],
    *,
    depth: int | None,
    prune: bool,
    limit: int,
    target: Path,
) -> None:
    """Have positions searched in each of the ways, and write the lecture on them to `target`.

    It begins with alpha-beta, or without `prune` with plain minimax.

    Raises `UsageError` where it can't be written.
    """
    searched = []
    async with shown_progress(client, screen):
        for scene in scenes:
            try:
                searched.append(await _searched(client, scene, depth, limit, needed=not prune))
            except Refused as refused:
                if scene.where is None:
                    raise
                file, line = scene.where
                raise UsageError(say("error.line", file=file, line=line, why=str(refused))) from None
        page = await with_retries(
            lambda: client.request(command(commands.AskLecture, language=language().tag))
        )
    about = {
        "search": "alphabeta" if prune else "minimax",
        "scenes": [
            {
                "title": trees["alphabeta"].game,
                "moves": scene.moves,
                "caption": scene.caption,
                "trees": {name: tree_json(tree) for name, tree in trees.items()},
            }
            for scene, trees in zip(scenes, searched, strict=True)
        ],
    }
    data = json.dumps(about, separators=(",", ":")).replace("<", "\\u003c")
    write(target, page.html.replace(LECTURE, data))
    for trees in searched:
        screen.note(say("command.tree.lecture", summary=_summary(trees), file=str(target)))
    if screen.as_json:
        visited = [{name: tree.visited for name, tree in trees.items()} for trees in searched]
        screen.emit({"file": str(target), "visited": visited})


async def _searched(
    client: QueryClient, scene: Scene, depth: int | None, limit: int, *, needed: bool
) -> dict[str, GameTree]:
    """A position's trees; is plain minimax `needed`, or may it be too much?"""
    trees: dict[str, GameTree] = {}
    for name, how in SEARCHES.items():
        fields = {"game": scene.game, "moves": scene.moves, "depth": depth, "limit": limit, **how}
        try:
            trees[name] = await _tree(client, fields)
        except Refused as refused:
            # What the others are compared with may be too much.
            if name != "minimax" or needed or refused.code is not Code.TOO_LARGE:
                raise
    return trees


async def _tree(client: QueryClient, fields: dict[str, Any]) -> GameTree:
    """As many levels as the limit allows; and the line of best play to its end, with what lies beside it."""
    tree = await _asked(client, fields, levels=99)
    fields = {**fields, "depth": tree.depth}
    path: list[str] = []
    at = 0
    while True:
        node = tree.nodes[at]
        if node.below and not any(child.parent == at for child in tree.nodes):
            opened = await _asked(client, fields, levels=1, path=list(path), alpha=node.alpha, beta=node.beta)
            _graft(tree.nodes, at, opened.nodes)
        following = [n for n, child in enumerate(tree.nodes) if child.parent == at and child.best]
        if not following:
            return tree
        at = following[0]
        path.append(tree.nodes[at].move or "")


async def _asked(client: QueryClient, fields: dict[str, Any], **more: Any) -> GameTree:
    return await with_retries(lambda: client.request(command(commands.AskTree, **fields, **more)))


def _graft(nodes: list[TreeNode], at: int, opened: list[TreeNode]) -> None:
    """Put the nodes below a node, which is the first of them, behind the others."""
    shift = len(nodes) - 1
    for child in opened[1:]:
        child.parent = at if child.parent == 0 else shift + (child.parent or 0)
        nodes.append(child)


def _summary(trees: dict[str, GameTree]) -> str:
    found, plain = trees["alphabeta"], trees.get("minimax")
    positions = say("count.position", count=found.visited)
    depth, value = found.depth, tree_text.value_text(found.nodes[0])
    if plain is None:
        return say("command.tree.visited", positions=positions, depth=depth, value=value)
    return say(
        "command.tree.visited_plain", positions=positions, depth=depth, plain=plain.visited, value=value
    )
