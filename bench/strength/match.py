"""Matches of pairs: two games from one random opening, in which the players change sides."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from random import Random
from typing import Any

from bench.strength.players import Effort, Player, player
from parlour_server.games import find_game
from parlour_server.games.game import Game, Move
from parlour_server.matches.openings import Opening, balanced_openings
from parlour_server.search.control import SHORT_GAME
from parlour_server.search.kernels.compiled import prepare

GAMES = (
    *(
        "tictactoe",
        "mnk:7,7,4",
        "gomoku",
        "connect4",
        "ultimate",
        "reversi",
        "kalah",
        "hex",
        "go",
        "isolation",
    ),
    *("isolation", "dots", "breakthrough", "checkers", "morris", "konane"),
)


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


def random_opening(game: Game[Any], plies: int, dice: Random) -> list[Move]:
    """Random moves that leave the game going on."""
    while True:
        position, moves = game.initial(), list[Move]()
        while len(moves) < plies and game.outcome(position) is None:
            moves.append(dice.choice(game.legal_moves(position)))
            position = game.play(position, moves[-1])
        if game.outcome(position) is None:
            return moves


@cache
def _openings(game: Game[Any], seed: int) -> tuple[Iterator[Opening], list[Opening]]:
    """Those of a match, and those of them that were drawn."""
    if game.max_plies > SHORT_GAME:
        prepare(game)
    return balanced_openings(game, seed), []


def _balanced_opening(game: Game[Any], number: int, seed: int) -> list[Move]:
    """The opening of a pair: one that neither side has lost, which would tell nothing about the players."""
    drawing, drawn = _openings(game, seed)
    drawn += islice(drawing, max(0, number + 1 - len(drawn)))
    return [move for _, move, _ in game.follow(drawn[number].moves)]


def play_pair(match: Match, number: int, seed: int) -> Pair:
    """Both games of one pair. The same number and seed give the same opening, and the same dice."""
    game = find_game(match.game)
    start = _balanced_opening(game, number, seed)
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
