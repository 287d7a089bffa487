"""Make the puzzles that come with the server, out of games that bots play against each other.

    python scripts/make_puzzles.py --each 40      of each game, into puzzles.json

Each game begins with random moves, is then played by `medium`, which goes wrong now and then, and is searched
from its last position backwards for as long as every legal move can be proven. What makes a puzzle says
`parlour_server.search.reports.puzzle`. The same seed gives the same puzzles.
"""

# ruff: noqa: S311, T201 - chance that can be repeated, and a script that tells what it does

import argparse
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from parlour_server.games import all_games
from parlour_server.games.game import Game
from parlour_server.search.control import Control
from parlour_server.search.kernels import compiled
from parlour_server.search.kernels.inner_search import TableMemory
from parlour_server.search.levels import parse_bot, with_seed
from parlour_server.search.reports import puzzle
from parlour_server.search.reports.puzzle import PUZZLES, Puzzle, puzzle_of
from parlour_server.search.thinking import analyse, repeatable, think

SEARCHED = 14
"""Positions of one game at most."""
FRUITLESS = 200
"""After so many games without a new puzzle a game has no more of them."""
OPENING, LARGE_OPENING = (1, 5), (6, 24)
"""So many random moves each game begins with, and on a board that is too large to be searched to its end."""
QUICK, SAMPLE = "engine:nodes=20000", 5
"""With what a position of a large board is looked at first, and at about how many of its moves."""
LONGEST = 60
"""Moves to a puzzle's position: of longer games few would know how they got there."""


def puzzles(game: Game[Any], rng: random.Random, each: int) -> Iterator[Puzzle]:
    """As many puzzles of a game as were asked for, if there are so many; at most one of each bots' game."""
    if compiled.kernel_for(game) is not None:
        compiled.prepare(game)
    control = Control(compiled=compiled.kernel_for(game) is not None, memory=TableMemory())
    seen: set[Any] = set()
    fruitless = 0
    while len(seen) < each and fruitless < FRUITLESS:
        fruitless += 1
        for position, one in found(game, rng, control):
            if position not in seen:
                seen.add(position)
                fruitless = 0
                yield one
                break


def found(game: Game[Any], rng: random.Random, control: Control) -> Iterator[tuple[Any, Puzzle]]:
    """The puzzles of one game of bots', the farthest from its end first."""
    played = with_moves(game, rng, control)
    bot = repeatable(game, parse_bot("perfect"), compiled=control.compiled)
    makes = []
    for position, moves in played[: -1 - SEARCHED : -1]:
        if len(game.legal_moves(position)) <= puzzle.LEAST_WRONG:
            continue
        if game.selective(game.initial()) and not promising(game, position, control):
            continue
        report = analyse(game, position, bot, control=control, also=puzzle.unasked(game, position))
        if puzzle.is_early(game, report):
            break
        one = puzzle_of(game, moves, position, report)
        if one is not None and len(moves.split()) <= LONGEST:
            makes.append((position, one))
    yield from reversed(makes)


def promising(game: Game[Any], position: Any, control: Control) -> bool:
    """Does a quick look find a win, and all other moves lost? Of 200 moves that is seldom so."""
    quick = parse_bot(QUICK)
    first = think(game, position, quick, move_number=0, control=control)
    if first.best_score is None or first.best_score.result != "win" or len(first.line) < 2:
        return False
    for move in game.legal_moves(position)[:: len(game.legal_moves(position)) // SAMPLE]:
        answer = think(game, game.play(position, move), quick, move_number=0, control=control).best_score
        if game.format(position, move) != first.best and (answer is None or answer.result != "win"):
            return False
    return True


def with_moves(game: Game[Any], rng: random.Random, control: Control) -> list[tuple[Any, str]]:
    """The positions of a game of bots', each with the moves that lead there."""
    medium = with_seed(parse_bot("medium"), rng.randrange(1 << 30))
    position, moves, line = game.initial(), list[str](), []
    large = game.selective(position)
    opening = rng.randint(*(LARGE_OPENING if large else OPENING))
    while game.outcome(position) is None:
        line.append((position, " ".join(moves)))
        if len(moves) < opening:
            move = rng.choice(game.search_order(position) if large else game.legal_moves(position))
        else:
            best = think(game, position, medium, move_number=len(moves), control=control).best
            assert best is not None
            move = game.parse(position, best)
        moves.append(game.format(position, move))
        position = game.play(position, move)
    return line


def main() -> None:
    """Make them, and write them down."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--each", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path(puzzle.__file__).with_name("puzzles.json"))
    given = parser.parse_args()
    every = []
    for game in all_games():
        made = list(puzzles(game, random.Random(f"{given.seed} {game.name}"), given.each))
        print(f"{game.name}: {len(made)}", flush=True)
        every += made
    # So that each day has another game than the one before, mostly.
    random.Random(given.seed).shuffle(every)
    lines = (PUZZLES.dump_json([one]).decode()[1:-1] for one in every)
    given.out.write_text("[\n" + ",\n".join(lines) + "\n]\n")
    print(f"{len(every)} puzzles, {given.out.stat().st_size:,} bytes, in {given.out}")


if __name__ == "__main__":
    main()
