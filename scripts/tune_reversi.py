"""Fit the weights of reversi's estimate to games that the engine plays against itself.

    python scripts/tune_reversi.py --games 4000 --depth 5            print new weights for 8x8
    python scripts/tune_reversi.py --size 6 --games 4000 --depth 5   and for 6x6

Each game begins with random moves, so that all kinds of positions come up, and is then played by the
engine at a fixed depth, exactly near its end. Every position from there on is a sample: its features,
and by how many discs the side to move won in the end. A linear regression (least squares with a small
ridge, after Buro, Improving Heuristic Mini-Max Search by Supervised Learning, 2002) finds weights at a few
numbers of empty cells; between these they are interpolated, in the fit as in the game.

The weights go into `server/parlour_server/games/reversi_estimate.py`. At last the new weights play a match
against those that stand there, both sides of each opening. The games are played with the weights that stand
there too, or `--afresh` with a plain guess; then the same seed gives the same weights.
"""

# ruff: noqa: S311, T201 - chance that can be repeated, and a script that tells what it does

import argparse
import random
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
from numpy.typing import NDArray

from parlour_server.games.game import Move
from parlour_server.games.reversi import Position, Reversi
from parlour_server.games.reversi_estimate import UNIT, interpolated
from parlour_server.search.algorithms.engine import Deepening
from parlour_server.search.control import Control
from parlour_server.search.kernels import compiled
from parlour_server.search.kernels.compiled import compiled_search

ANCHORS = {8: (0, 8, 16, 24, 32, 40, 48, 60), 6: (0, 6, 12, 18, 24, 32)}
"""Numbers of empty cells for which weights are fitted."""

LAST_EXACT = 9
"""With so many empty cells the game is played exactly, whatever the depth."""

FARTHEST = 40
"""A win by more discs counts as one by so many: how much more says little about the position."""

GUESS = (0, 0, 300, 100, 600, 16000, 6000, -8000, -3000, 1000, 4000, 0)

RIDGE = 50.0
SLOTS = 1 << 14
MATCH_PAIRS = 200

Rows = dict[int, tuple[int, ...]]
Sample = tuple[int, tuple[int, ...], int]
"""Empty cells, features, and the discs by which the side to move won."""


def game_with(size: int, weights: Rows | None = None) -> Reversi:
    """Reversi, with other weights if given; its machine code is ready."""
    game = Reversi(size)
    if weights is not None:
        game.estimate.weights = interpolated(weights)
    compiled.prepare(game)
    return game


def choose(game: Reversi, position: Position, depth: int, rng: random.Random) -> Move:
    """The engine's move at this depth."""
    legal = game.legal_moves(position)
    if len(legal) == 1:
        return legal[0]
    machine = compiled_search(game, position, slots=SLOTS)
    search = Deepening(game, position, machine, rng=rng, control=Control(), full=False, bot="tune")
    exact = game.plies_left(position) <= LAST_EXACT
    best = search.run(None if exact else depth, None).best
    assert best is not None
    return game.parse(position, best)


def opening(game: Reversi, rng: random.Random, longest: int) -> Position:
    """A position after some random moves."""
    position = game.initial()
    for _ in range(rng.randrange(4, longest)):
        legal = game.legal_moves(position)
        if legal:
            position = game.play(position, rng.choice(legal))
    return position


def won_by(game: Reversi, position: Position) -> int:
    """By how many discs the first side has won."""
    margin = game.margin(position)
    return margin if game.utility(position) > 0 else -margin


def play(number: int, size: int, depth: int, seed: int, afresh: bool) -> list[Sample]:
    """One game's samples."""
    rng = random.Random(f"{seed} {number}")
    game = game_with(size, dict.fromkeys(ANCHORS[size], GUESS) if afresh else None)
    position = opening(game, rng, size * size // 2)
    path = []
    while game.outcome(position) is None:
        path.append(position)
        position = game.play(position, choose(game, position, depth, rng))
    result = won_by(game, position)
    return [
        (game.plies_left(one), game.features(one), -result if game.to_move(one) else result)
        for one in path
        if one.playable
    ]


def fit(samples: Sequence[Sample], anchors: Sequence[int]) -> Rows:
    """The weights at each anchor."""
    empty = np.array([sample[0] for sample in samples], np.float64)
    features = np.array([sample[1] for sample in samples], np.float64)
    results = np.clip([sample[2] for sample in samples], -FARTHEST, FARTHEST) * 100.0 * UNIT
    # A position between two anchors belongs to each of them, by how near it is.
    shares = [np.interp(empty, anchors, row) for row in np.eye(len(anchors))]
    columns = np.concatenate([features * share[:, None] for share in shares], axis=1)
    # Features are of different sizes: the ridge has to bear on them alike.
    scale = np.tile(np.sqrt((features**2).mean(axis=0)), len(anchors))
    columns /= scale
    normal = columns.T @ columns + RIDGE * np.eye(columns.shape[1])
    solution = np.linalg.solve(normal, columns.T @ results) / scale
    error = columns @ (solution * scale) - results
    print(f"{len(samples):,} positions, off by {np.sqrt((error**2).mean()) / 100 / UNIT:.2f} discs")
    rows: NDArray[np.int64] = np.rint(solution).astype(np.int64).reshape(len(anchors), -1)
    return {anchor: tuple(row.tolist()) for anchor, row in zip(anchors, rows, strict=True)}


def match(pair: int, size: int, depth: int, seed: int, weights: Rows) -> list[int]:
    """The discs by which the new weights won, on either side of one opening."""
    rng = random.Random(f"{seed} match {pair}")
    new, old = game_with(size, weights), game_with(size)
    start = opening(new, rng, 12)
    results = []
    for side in (0, 1):
        position = start
        while new.outcome(position) is None:
            game = new if new.to_move(position) == side else old
            position = new.play(position, choose(game, position, depth, rng))
        results.append(-won_by(new, position) if side else won_by(new, position))
    return results


def main() -> None:
    """Play, fit, print, and play the match."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", type=int, default=8, choices=sorted(ANCHORS))
    parser.add_argument("--games", type=int, default=4000)
    parser.add_argument("--depth", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--afresh", action="store_true", help="begin from a plain guess")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    given = parser.parse_args()
    with ProcessPoolExecutor(given.jobs) as pool:
        playing = partial(play, size=given.size, depth=given.depth, seed=given.seed, afresh=given.afresh)
        samples: list[Sample] = []
        for number, found in enumerate(pool.map(playing, range(given.games), chunksize=10), start=1):
            samples += found
            if number % 500 == 0:
                print(f"{number} games", flush=True)
        weights = fit(samples, ANCHORS[given.size])
        print(f"    {given.size}: {{")
        for anchor, row in weights.items():
            print(f"        {anchor}: {row},")
        print("    },", flush=True)
        versus = partial(match, size=given.size, depth=given.depth, seed=given.seed, weights=weights)
        results = [discs for pair in pool.map(versus, range(MATCH_PAIRS)) for discs in pair]
    points = sum(1 if discs > 0 else 0.5 if discs == 0 else 0 for discs in results)
    print(f"against the weights that stand: {points} of {len(results)}, {np.mean(results):+.1f} discs a game")


if __name__ == "__main__":
    main()
