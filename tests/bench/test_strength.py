"""Matches: what a score says, and that pairs are fair and repeat themselves."""

from argparse import ArgumentTypeError
from random import Random

import pytest

from bench.options import some
from bench.strength.match import GAMES, OPENING_PLIES, Match, opening, play_pair
from bench.strength.players import Effort, player
from parlour_server.games import find_game


@pytest.mark.parametrize("name", GAMES)
def test_openings_leave_the_game_going_on_and_no_win_on_the_spot(name: str) -> None:
    game = find_game(name)
    for seed in range(10):
        position = game.initial()
        moves = opening(game, OPENING_PLIES[name], Random(seed))
        assert len(moves) == OPENING_PLIES[name]
        for move in moves:
            assert move in game.legal_moves(position)
            position = game.play(position, move)
        assert game.outcome(position) is None
        for move in game.legal_moves(position):
            outcome = game.outcome(game.play(position, move))
            assert outcome is None or outcome.winner != game.to_move(position)


def test_a_pair_changes_sides_and_repeats_itself() -> None:
    match = Match("tictactoe", "alphabeta", "random")
    pair, again = play_pair(match, 3, 7), play_pair(match, 3, 7)
    assert (pair.opening, pair.results, pair.games) == (again.opening, again.results, again.games)
    assert all(game[:1] == pair.opening for game in pair.games)
    # The side that moved second after the opening moves first in the game's own count.
    moves = sum(len(game) - 1 for game in pair.games)
    assert pair.first.moves + pair.second.moves == moves


def test_results_are_the_first_players() -> None:
    results = [play_pair(Match("tictactoe", "alphabeta", "random"), n, 1).results for n in range(10)]
    reverse = [play_pair(Match("tictactoe", "random", "alphabeta"), n, 1).results for n in range(10)]
    assert sum(map(sum, results)) > 17
    assert sum(map(sum, reverse)) < 3


@pytest.mark.parametrize("name", ["connect4", "reversi", "ultimate"])
def test_openspiels_search_plays_our_games_to_their_end(name: str) -> None:
    pair = play_pair(Match(name, "mcts:3", "random"), 1, 1)
    game = find_game(name)
    for moves in pair.games:
        position, _ = game.replay(" ".join(moves))
        assert game.outcome(position) is not None
    assert pair.first.nodes >= 3 * pair.first.moves


def test_openspiels_search_takes_a_win() -> None:
    game = find_game("connect4")
    position, _ = game.replay("1 2 1 2 1 2")
    moves = [int(sign) - 1 for sign in "121212"]
    assert player("mcts:200", 1).choose(game, position, moves) == 0
    assert player("mcts-python:200", 1).choose(game, position, moves) == 0


def test_efforts_add_up() -> None:
    total, more = Effort(), Effort()
    total.add(0.5, 10)
    more.add(1.5, 20)
    total.merge(more)
    assert total == Effort(moves=2, seconds=2.0, longest=1.5, nodes=30)


def test_lists_are_read_with_commas_in_names() -> None:
    read = some(GAMES)
    assert read("reversi,mnk:7,7,4, gomoku") == ("mnk:7,7,4", "gomoku", "reversi")
    with pytest.raises(ArgumentTypeError, match="choose from"):
        read("reversi,chess")
