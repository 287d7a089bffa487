"""The games that rooms play: at random, each another one, so that no cache of whole games helps a server."""

import itertools
import random
from functools import cache

from parlour_server.games import find_game

GAMES = ("tictactoe", "mnk:7,7,4", "connect4", "reversi", "gomoku", "ultimate")
"""A game of every kind. In each the sides take turns, a pass being a move."""
POOL = 200
"""So many different games of each are played in turn."""

_starts = itertools.count()


@cache
def cells(name: str) -> list[list[int]]:
    """Many games as the rules number their moves."""
    game, dice = find_game(name), random.Random(f"games of {name}")
    found = []
    for _ in range(POOL):
        position, moves = game.initial(), list[int]()
        while game.outcome(position) is None:
            moves.append(dice.choice(list(game.legal_moves(position))))
            position = game.play(position, moves[-1])
        found.append(moves)
    return found


@cache
def texts(name: str) -> list[list[bytes]]:
    """The same as people write them."""
    game = find_game(name)
    position = game.initial()
    # How a move is written depends on no position in any of these games.
    return [[game.format(position, move).encode() for move in moves] for moves in cells(name)]


def first_game() -> int:
    """Where in the pool the next room begins: no two neighbours play alike."""
    return 7 * next(_starts) % POOL
