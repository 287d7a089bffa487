"""A lecture on a game tree, written as one HTML file: the server's page, and the trees that it shows."""

import json
from pathlib import Path
from typing import Any

from parlour_client.cli.output_file import write
from parlour_client.cli.trees import tree_json
from parlour_client.render import tree_text
from parlour_client.render.console import Screen
from parlour_client.render.progress import shown_progress
from parlour_client.sdk.commands import command
from parlour_client.sdk.errors import Refused
from parlour_client.sdk.queries import QueryClient
from parlour_client.sdk.retry import with_retries
from parlour_protocol import commands
from parlour_protocol.answers import GameTree
from parlour_protocol.errors import Code
from parlour_protocol.views.reports import TreeNode
from parlour_protocol.words import language, say

PLACEHOLDER = "{lecture}"
"""In the server's page: where the trees belong."""
SEARCHES: dict[str, dict[str, bool]] = {
    "alphabeta": {"prune": True, "order": False},
    "ordered": {"prune": True, "order": True},
    "minimax": {"prune": False},
}


async def write_lecture(
    client: QueryClient,
    screen: Screen,
    game: str,
    moves: str,
    *,
    depth: int | None,
    prune: bool,
    limit: int,
    target: Path,
) -> None:
    """Have a position searched in each of the ways, and write the lecture on that to `target`.

    It begins with alpha-beta, or without `prune` with plain minimax.

    Raises `UsageError` where it can't be written.
    """
    trees: dict[str, GameTree] = {}
    async with shown_progress(client, screen):
        for name, how in SEARCHES.items():
            fields = {"game": game, "moves": moves, "depth": depth, "limit": limit, **how}
            try:
                trees[name] = await _tree(client, fields)
            except Refused as refused:
                # What the others are compared with may be too much.
                if name != "minimax" or not prune or refused.code is not Code.TOO_LARGE:
                    raise
        page = await with_retries(
            lambda: client.request(command(commands.AskLecture, language=language().tag))
        )
    found = trees["alphabeta"]
    about = {
        "title": found.game,
        "moves": moves,
        "search": "alphabeta" if prune else "minimax",
        "trees": {name: tree_json(tree) for name, tree in trees.items()},
    }
    data = json.dumps(about, separators=(",", ":")).replace("<", "\\u003c")
    write(target, page.html.replace(PLACEHOLDER, data))
    screen.note(say("command.tree.lecture", summary=_summary(trees), file=str(target)))
    if screen.as_json:
        screen.emit({"file": str(target), "visited": {name: tree.visited for name, tree in trees.items()}})


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
