"""Matches of pairs: two games from one random opening, in which the players change sides."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from bench.strength.players import Effort, Player, player
from parlour_server.games import find_game
from parlour_server.games.game import Game, Move
from parlour_server.search.algorithms.engine import engine
from parlour_server.search.control import SHORT_GAME, Control
from parlour_server.search.kernels.compiled import kernel_for, prepare

OPENING_PLIES = {
    "tictactoe": 1,
    "mnk:7,7,4": 4,
    "gomoku": 4,
    "connect4": 4,
    "ultimate": 4,
    "reversi": 6,
    "kalah": 2,
    "hex": 2,
    "go": 2,
    "isolation": 2,
    "dots": 4,
    "breakthrough": 4,
    "checkers": 4,
    "morris": 4,
    "konane": 4,
}
"""How many plies are played at random before a pair begins."""

OPENING_NODES = 20_000
"""How long it is looked for a side that has won already."""

GAMES = tuple(OPENING_PLIES)


@dataclass(frozen=True, slots=True)
class Match:
    """Who meets whom, at what, and how much of the points the first is to score."""

    game: str
    first: str
    second: str
    goal: float | None = None

    @property
    def name(self) -> str:
        """As it is chosen on the command line and told in tables."""
        return f"{plain(self.first)}-{plain(self.second)}"


def plain(text: str) -> str:
    """A player's name without its settings."""
    return text.partition(":")[0]


@dataclass(slots=True)
class Pair:
    """How two games from one opening went, for the match's first player."""

    opening: list[str]
    results: list[float]
    """1 won, 0.5 drawn, 0 lost: as the side that moves first in the game, then as the other."""
    games: list[list[str]]
    """The moves of each, opening included."""
    first: Effort = field(default_factory=Effort)
    second: Effort = field(default_factory=Effort)


def opening(game: Game[Any], plies: int, dice: Random, *, fair: bool = True) -> list[Move]:
    """Random moves that leave the game going on and, to be fair, neither side a win that a short search sees.

    Else one side should win both games of a pair, which would tell nothing about the players.
    """
    while True:
        position, moves = game.initial(), []
        for _ in range(plies):
            move = dice.choice(game.legal_moves(position))
            position = game.play(position, move)
            moves.append(move)
            if game.outcome(position) is not None:
                break
        if game.outcome(position) is None and not (fair and _decided(game, position)):
            return moves


def _decided(game: Game[Any], position: Any) -> bool:
    ready = game.max_plies > SHORT_GAME and kernel_for(game) is not None
    if ready:
        prepare(game)
    report = engine(game, position, rng=Random(1), control=Control(compiled=ready), nodes=OPENING_NODES)
    return report.candidates[0].score.result in ("win", "loss")


def play_pair(match: Match, number: int, seed: int) -> Pair:
    """Both games of one pair. The same number and seed give the same opening, and the same dice."""
    game = find_game(match.game)
    dice = Random(f"{seed}/{match.game}/{number}")
    start = opening(game, OPENING_PLIES[match.game], dice)
    pair = Pair(_written(game, start), [], [])
    for first_side in (0, 1):
        first, second = (player(text, 2 * number + first_side) for text in (match.first, match.second))
        seats = (first, second) if first_side == 0 else (second, first)
        moves, utility = play(game, start, seats)
        pair.results.append((1 + (utility if first_side == 0 else -utility)) / 2)
        pair.games.append(_written(game, moves))
        pair.first.merge(first.effort)
        pair.second.merge(second.effort)
    return pair


def play(game: Game[Any], start: Sequence[Move], seats: Sequence[Player]) -> tuple[list[Move], int]:
    """A game from an opening to its end: its moves, and its worth to the side that moves first."""
    moves, position = [], game.initial()
    for move in start:
        position = game.play(position, move)
        moves.append(move)
    while game.outcome(position) is None:
        move = seats[game.to_move(position)].choose(game, position, moves)
        game.check(position, move)
        position = game.play(position, move)
        moves.append(move)
    return moves, game.utility(position)


def _written(game: Game[Any], moves: Sequence[Move]) -> list[str]:
    written, position = [], game.initial()
    for move in moves:
        written.append(game.format(position, move))
        position = game.play(position, move)
    return written
