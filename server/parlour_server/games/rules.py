"""A game's rules with the positions that show them, as they are sent."""

from dataclasses import replace
from functools import lru_cache
from typing import Any

from parlour_protocol.views.boards import BoardView
from parlour_protocol.views.rooms import RulePoint
from parlour_protocol.words import Sentence
from parlour_server.games.game import BrokenContract, Game, Rule

KEPT = 16
"""Games whose rules were asked for last, variants too."""


@lru_cache(maxsize=KEPT)
def rule_points(game: Game[Any]) -> list[RulePoint]:
    """The points of a game's rules, and at their end how moves are written.

    Raises `MoveError` and `BrokenContract` where they can't be shown.
    """
    return [*(_point(rule.on or game, rule) for rule in game.rules()), _written(game)]


def _written(game: Game[Any]) -> RulePoint:
    """With the first and the last move of the sample: where they differ in kind, these do."""
    start = game.initial()
    moves = game.read(game.sample) or [game.format(start, game.legal_moves(start)[0])]
    return RulePoint(Sentence("game.rules_written", moves=", ".join(dict.fromkeys([moves[0], moves[-1]]))))


def _point(shown: Game[Any], rule: Rule) -> RulePoint:
    if rule.moves is None:
        return RulePoint(rule.text)
    position = shown.view(*shown.replay(rule.moves))
    marked = [_cell(position, word) for word in rule.marked.split()]
    # What else is to be seen in the position the rule says; where to play next, small boards show.
    # Stores are a part of the board, other numbers stand beside it.
    counts = position.counts if position.layout == "pits" else []
    position = replace(position, note=None, note_said=None, counts=counts)
    if position.groups is None:
        position = replace(position, legal=[], paths=[])
    return RulePoint(rule.text, position, marked)


def _cell(position: BoardView, word: str) -> int:
    """The cell of a legal move, or of a column's and a row's label."""
    width, goes = len(position.columns), dict(position.ways())
    named = (
        row * width + column
        for row, down in enumerate(position.rows)
        for column, across in enumerate(position.columns)
        if word in (across + down, down + across)
    )
    cell = goes[word][-1] if goes.get(word) else next(named, -1)
    if cell < 0:
        raise BrokenContract(f"its rules mark {word}, which is neither a cell nor a legal move there")
    return cell
