"""Fit how likely a side is to win with so many points, by games that the engine plays against itself.

    python scripts/fit_chances.py                            every game that estimates, 400 games each
    python scripts/fit_chances.py connect4 --games 2000      one game

Each game begins with random moves, so that all kinds of positions come up, and both sides then search the
same number of positions for each move. Wherever the engine's best move has an estimate, its points and how
the game ended for that side are a sample: 1 for a win, half for a draw. Fitted is the one number of a
logistic curve,

    chance = 1 / (1 + exp(-points / scale))

by the greatest likelihood. Printed with it is how far the chances are off: the samples are put into ten
groups by their chance, and the mean of each group's chance is compared with its results. The same seed gives
the same numbers. They go into the games' `estimate_scale`.
"""

# ruff: noqa: S311, T201 - chance that can be repeated, and a script that prints what it finds

import argparse
import random
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parlour_server.games import find_game
from parlour_server.games.game import Game
from parlour_server.search.algorithms.engine import engine
from parlour_server.search.control import Control
from parlour_server.search.kernels import compiled

GAMES = (
    "breakthrough",
    "checkers",
    "connect4",
    "dots",
    "go",
    "gomoku",
    "hex",
    "isolation",
    "kalah",
    "konane",
    "mnk",
    "mnk:7,7,4",
    "morris",
    "reversi",
    "reversi:6",
    "ultimate",
)
LONGEST_OPENING = 12
"""Random moves before a game, at most; on small boards a third of their cells."""
SEED = 1
GROUPS = 10
STEPS = 60

Sample = tuple[float, float]
"""The points of the side to move, and what it got in the end."""


def play(number: int, name: str, nodes: int) -> list[Sample]:
    """One game's samples."""
    rng = random.Random(f"{SEED} {name} {number}")
    game = find_game(name)
    compiled.prepare(game)
    position = _opening(game, rng)
    seen: list[tuple[int, float]] = []
    while game.outcome(position) is None:
        found = engine(game, position, rng=rng, control=Control(compiled=True), nodes=nodes)
        assert found.best is not None
        best = found.candidates[0].score
        if best.kind == "estimate":
            seen.append((game.to_move(position), best.points))
        position = game.play(position, game.parse(position, found.best))
    for_first = (game.utility(position) + 1) / 2
    return [(points, 1 - for_first if side else for_first) for side, points in seen]


def _opening(game: Game[Any], rng: random.Random) -> Any:
    """A position after some random moves in which the game still goes on."""
    longest = min(LONGEST_OPENING, game.max_plies // 3)
    while True:
        position = game.initial()
        for _ in range(rng.randrange(1, longest + 1)):
            if game.outcome(position) is None:
                position = game.play(position, rng.choice(game.legal_moves(position)))
        if game.outcome(position) is None:
            return position


def fit(samples: Sequence[Sample]) -> tuple[float, float]:
    """The scale of the greatest likelihood, and by how much of a chance it is off in the mean."""
    points, results = np.array(samples, np.float64).T
    # The log-likelihood is concave in 1 / scale: a golden section finds its one peak.
    low, high, ratio = 0.001, 5.0, (5**0.5 - 1) / 2
    for _ in range(STEPS):
        one, two = high - ratio * (high - low), low + ratio * (high - low)
        if _likelihood(points * one, results) > _likelihood(points * two, results):
            high = two
        else:
            low = one
    chances = 1 / (1 + np.exp(-points * low))
    order = np.argsort(chances)
    off = [
        abs(float(chances[group].mean() - results[group].mean())) for group in np.array_split(order, GROUPS)
    ]
    return 1 / low, sum(off) / len(off)


def _likelihood(logits: NDArray[np.float64], results: NDArray[np.float64]) -> float:
    return float((results * logits - np.logaddexp(0, logits)).sum())


def _samples(name: str, games: int, nodes: int, pool: ProcessPoolExecutor) -> Iterator[Sample]:
    for found in pool.map(partial(play, name=name, nodes=nodes), range(games), chunksize=5):
        yield from found


def main() -> None:
    """Play, fit and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("game", nargs="*", default=GAMES)
    parser.add_argument("--games", type=int, default=400, help="how many of each")
    parser.add_argument("--nodes", type=int, default=20_000, help="positions searched for each move")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    given = parser.parse_args()
    with ProcessPoolExecutor(given.jobs) as pool:
        for name in given.game:
            samples = list(_samples(name, given.games, given.nodes, pool))
            scale, off = fit(samples)
            counted = f"{given.games:,} games, {len(samples):,} positions"
            print(f"{name:<10} {counted}: scale {scale:.1f}, off by {off:.1%}", flush=True)


if __name__ == "__main__":
    main()
