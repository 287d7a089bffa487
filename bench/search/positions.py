"""Positions to measure on, from seeded games between weak engines: much like those of real games."""

from collections.abc import Callable
from random import Random
from typing import Any

from parlour_server.games.game import Game, Move
from parlour_server.search.algorithms.engine import engine
from parlour_server.search.control import Control

RANDOM_PLIES = 4
"""A game begins with so many random moves, or no two would differ."""

DEPTH = 2
"""How far the players look."""


def middle(game: Game[Any], plies: int, seed: int) -> tuple[list[Move], Any]:
    """The moves and the position after so many plies of the first game that lasts longer."""
    return sought(game, seed, lambda position, ply: ply == plies)


def sought(game: Game[Any], seed: int, wanted: Callable[[Any, int], bool]) -> tuple[list[Move], Any]:
    """The first unfinished position that is wanted, and the moves to it, in one game after another.

    `wanted` takes a position and the number of plies that led to it.
    """
    dice = Random(f"{seed}/{game.name}")
    while True:
        position = game.initial()
        moves: list[Move] = []
        while game.outcome(position) is None:
            if wanted(position, len(moves)):
                return moves, position
            move = _choose(game, position, dice, random_move=len(moves) < RANDOM_PLIES)
            position = game.play(position, move)
            moves.append(move)


def _choose(game: Game[Any], position: Any, dice: Random, *, random_move: bool) -> Move:
    if random_move:
        return dice.choice(game.legal_moves(position))
    report = engine(game, position, rng=dice, control=Control(compiled=True), depth=DEPTH)
    assert report.best is not None
    return game.parse(position, report.best)
