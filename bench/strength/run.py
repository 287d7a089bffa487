"""A run: which matches, how many games, in as many processes as there are cores."""

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from typing import Any

from bench import BenchError
from bench.strength.match import GAMES, Match, Pair, plain, play_pair
from bench.strength.perfect import OPPONENTS, Checked, check_game

KINDS = ("hard-medium", "medium-easy", "hard-mcts", "perfect")
"""What can be played: the pairs of players, and whether `perfect` is without fault."""

MCTS_GAMES = ("connect4", "reversi", "ultimate")
LEVEL_GOAL, MCTS_GOAL = 0.85, 0.90


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run plays."""

    kinds: tuple[str, ...]
    games: tuple[str, ...]
    pairs: int
    """Of each match."""
    perfect_games: int
    seed: int
    hard: str
    """How `hard` is written, for instance `hard:nodes=100000`."""
    medium: str
    easy: str
    mcts: str

    def matches(self) -> list[Match]:
        """Who meets whom at what, the matches that take longest first."""
        found = []
        if "hard-mcts" in self.kinds:
            found += [
                Match(game, self.hard, self.mcts, MCTS_GOAL) for game in MCTS_GAMES if game in self.games
            ]
        if "hard-medium" in self.kinds:
            found += [Match(game, self.hard, self.medium, LEVEL_GOAL) for game in self.games]
        if "medium-easy" in self.kinds:
            found += [Match(game, self.medium, self.easy, LEVEL_GOAL) for game in self.games]
        return found

    def opponents(self) -> list[tuple[str, int]]:
        """Whom `perfect` meets, and in how many games."""
        if "perfect" not in self.kinds or "connect4" not in self.games:
            return []
        share, rest = divmod(self.perfect_games, len(OPPONENTS))
        return [(name, share + (at < rest)) for at, name in enumerate(OPPONENTS)]


@dataclass(slots=True)
class Outcomes:
    """All that was played."""

    pairs: dict[Match, list[Pair]] = field(default_factory=dict)
    checked: dict[str, list[Checked]] = field(default_factory=dict)


Progress = Callable[[str, int, int], None]
"""Told of each row of work, how much of it is done, and of how much."""


def run(plan: Plan, progress: Progress) -> Outcomes:
    """Play everything, each pair in whichever process is free. Raises `BenchError`."""
    found = Outcomes()
    context = get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count() or 1, context, initializer=_quiet) as pool:
        try:
            for match in plan.matches():
                label = f"{match.game} {match.name}"
                found.pairs[match] = _all(
                    pool, partial(play_pair, match), plan.pairs, plan.seed, partial(progress, label)
                )
            for opponent, games in plan.opponents():
                found.checked[opponent] = _all(
                    pool,
                    partial(check_game, opponent),
                    games,
                    plan.seed,
                    partial(progress, f"perfect v {plain(opponent)}"),
                )
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in list((pool._processes or {}).values()):
                process.terminate()
            raise
    return found


def _all(
    pool: ProcessPoolExecutor,
    play: Callable[[int, int], Any],
    count: int,
    seed: int,
    progress: Callable[[int, int], None],
) -> list[Any]:
    """Every one of so many plays, in order."""
    jobs = [pool.submit(play, number, seed) for number in range(count)]
    progress(0, count)
    for done, job in enumerate(_finished(jobs), start=1):
        if (fault := job.exception()) is not None:
            raise BenchError(f"A game could not be played: {type(fault).__name__}: {fault}") from fault
        progress(done, count)
    return [job.result() for job in jobs]


def _finished(jobs: list[Future[Any]]) -> Iterator[Future[Any]]:
    return as_completed(jobs)


def _quiet() -> None:
    # Ctrl-C is for the parent, which ends us.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


__all__ = ["GAMES", "KINDS", "Outcomes", "Plan", "run"]
