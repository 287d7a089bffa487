"""A game tree, asked for and written where it was wanted: as a picture, as data, or here."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from parlour_client.cli.output_file import write
from parlour_client.render import tree_dot, tree_svg, tree_text
from parlour_client.render.console import Screen
from parlour_client.render.progress import shown_progress
from parlour_client.sdk.errors import UsageError
from parlour_client.sdk.queries import QueryClient
from parlour_client.sdk.requests import new_id
from parlour_client.sdk.retry import with_retries
from parlour_protocol import commands
from parlour_protocol.answers import GameTree
from parlour_protocol.words import say

SECONDS = 60.0
"""What a bot's move may take whose search is drawn: being watched takes time."""
TALLEST = 120
"""A tree of more lines than this is not drawn in a terminal."""


async def tree(
    client: QueryClient,
    screen: Screen,
    game: str,
    moves: str,
    *,
    depth: int | None,
    prune: bool,
    limit: int,
    target: Path | None,
) -> None:
    """Have a position searched, and write the tree to `target`, or draw it here where it fits.

    Raises `UsageError` where it can't be written.
    """
    async with shown_progress(client, screen):
        answer = await with_retries(
            lambda: client.request(
                commands.AskTree(id=new_id(), game=game, moves=moves, depth=depth, prune=prune, limit=limit)
            )
        )
    _show(screen, answer, moves, target)


async def own(screen: Screen, bot: str, game: str, moves: str, *, limit: int, target: Path | None) -> None:
    """Draw the tree that a bot's own functions search. Raises `UsageError`, and what the bot does wrong."""
    from parlour_client.bots.host import tell_interface
    from parlour_client.bots.own_tree import own_tree
    from parlour_client.bots.position import Position
    from parlour_client.bots.process import BotProcess

    try:
        begun = Position.begin(game, moves)
    except ValueError as error:
        raise UsageError(str(error)) from None
    if begun.over:
        raise UsageError(say("error.game_is_over"))
    root = Position(begun.game, begun.view, begun.moves, mark=begun.to_move or "", limit=SECONDS)
    async with BotProcess(bot) as process:
        process.check(root.game)
        tell_interface(screen, process)
        answer, strays = await own_tree(process, root, limit, SECONDS)
    if strays:
        screen.note(say("command.tree.strays", count=strays))
    elif answer.visited > len(answer.nodes):
        screen.note(say("command.tree.first_only", count=len(answer.nodes), of=answer.visited))
    _show(screen, answer, moves, target)


def _show(screen: Screen, answer: GameTree, moves: str, target: Path | None) -> None:
    if target is not None:
        _write(answer, f"{answer.game} {moves}".strip(), target)
        screen.note(say("command.tree.written", summary=summary(answer), file=str(target)))
    if screen.as_json:
        screen.emit(tree_json(answer))
    elif target is None:
        lines = tree_text.outline(answer, ascii_only=screen.ascii_only)
        if len(lines) > TALLEST and screen.out.is_terminal:
            screen.say(say("command.tree.too_large", summary=summary(answer)))
        else:
            screen.say("", *lines, "", summary(answer))


def _write(answer: GameTree, title: str, target: Path) -> None:
    drawn: dict[str, Callable[[], str]] = {
        ".svg": lambda: tree_svg.document(answer, title),
        ".dot": lambda: tree_dot.document(answer, title),
        ".json": lambda: json.dumps(tree_json(answer), indent=1) + "\n",
    }
    write(target, drawn[target.suffix]())


def summary(answer: GameTree) -> str:
    """The tree in a sentence or two."""
    boards = say("command.tree.boards", count=len(answer.nodes))
    depth, value = answer.depth, tree_text.value_text(answer.nodes[0])
    if not answer.pruned:
        return say("command.tree.summary", boards=boards, depth=depth, value=value)
    cut = sum(len(node.pruned) for node in answer.nodes)
    return say("command.tree.summary_pruned", boards=boards, depth=depth, count=cut, value=value)


def tree_json(answer: GameTree) -> dict[str, Any]:
    """The tree as `--out tree.json` and `--json` have it: as on the wire, without the command's id."""
    values = asdict(answer, dict_factory=_without_none)
    return {key: value for key, value in values.items() if key not in ("id", "type")}


def _without_none(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return {key: value for key, value in pairs if value is not None}
