"""What the tests of all games share: counting moves, games at random, and OpenSpiel beside our rules."""

import random
from collections.abc import Iterator
from typing import Any

import pyspiel

from parlour_server.games import all_games
from parlour_server.games.game import Game, Move, PositionT

GAMES = [game.name for game in all_games()]
VARIANTS = [
    "breakthrough:5",
    "connect4:4,9",
    "dots:5,2",
    "go:3",
    "go:4",
    "gomoku:exact",
    "hex:4",
    "isolation:5,4,knight",
    "kalah:3,1",
    "kalah:3,2,empty",
    "konane:4",
    "konane:6",
    "mnk:3,4,3",
    "mnk:19,19,5",
    "morris:flying",
    "reversi:6",
]


def perft(game: Game[PositionT], position: PositionT, plies: int) -> list[int]:
    """How many ways there are to play one ply, two, and so on up to so many."""
    counts = [0] * plies

    def walk(position: PositionT, ply: int) -> None:
        moves = game.legal_moves(position)
        counts[ply] += len(moves)
        if ply + 1 < plies:
            for move in moves:
                walk(game.play(position, move), ply + 1)

    walk(position, 0)
    return counts


def random_game(game: Game[PositionT], seed: int, plies: int = 400) -> list[tuple[PositionT, Move | None]]:
    """Positions of a game played at random, each with the move that led to it."""
    rng = random.Random(seed)
    path: list[tuple[PositionT, Move | None]] = [(game.initial(), None)]
    while len(path) <= plies and game.outcome(path[-1][0]) is None:
        move = rng.choice(game.legal_moves(path[-1][0]))
        path.append((game.play(path[-1][0], move), move))
    return path


def random_positions(game: Game[PositionT], seed: int, plies: int = 400) -> list[PositionT]:
    """The same without the moves."""
    return [position for position, _ in random_game(game, seed, plies)]


def beside_openspiel(
    game: Game[PositionT], name: str, games: int, *, every_result: bool = True
) -> Iterator[tuple[PositionT, Any]]:
    """Random games by our rules and by OpenSpiel's, held against each other: each position with its state.

    With `every_result` all three must occur.
    """
    witness = pyspiel.load_game(name)
    rng = random.Random(1)
    ends = set()
    for _ in range(games):
        position, state = game.initial(), witness.new_initial_state()
        while not state.is_terminal():
            assert game.outcome(position) is None
            assert game.to_move(position) == state.current_player()
            assert list(game.legal_moves(position)) == state.legal_actions()
            yield position, state
            move = rng.choice(state.legal_actions())
            position = game.play(position, move)
            state.apply_action(move)
        check_end(game, position, state)
        yield position, state
        ends.add(game.utility(position))
    assert ends == {1, 0, -1} or not every_result


def check_end(game: Game[PositionT], position: PositionT, state: Any) -> None:
    """A finished game has the result that OpenSpiel gives it, and nothing is left to play."""
    assert game.outcome(position) is not None
    assert not game.legal_moves(position)
    assert not game.search_order(position)
    assert [game.utility(position), -game.utility(position)] == state.returns()
