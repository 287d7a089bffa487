"""Matches: what a score says, and that pairs are fair and repeat themselves."""

from argparse import ArgumentTypeError

import pytest

from bench.options import some
from bench.strength.match import GAMES, Match, play_pair
from bench.strength.players import Effort
from parlour_server.games import all_games, find_game


def test_a_pair_changes_sides_and_repeats_itself() -> None:
    match = Match("tictactoe", "alphabeta", "random")
    pair, again = play_pair(match, 3, 7), play_pair(match, 3, 7)
    assert (pair.opening, pair.results, pair.games) == (again.opening, again.results, again.games)
    assert all(game[:2] == pair.opening for game in pair.games)
    moves = sum(len(game) - 2 for game in pair.games)
    assert pair.first.moves + pair.second.moves == moves


def test_results_are_the_first_players() -> None:
    results = [play_pair(Match("tictactoe", "alphabeta", "random"), n, 1).results for n in range(10)]
    reverse = [play_pair(Match("tictactoe", "random", "alphabeta"), n, 1).results for n in range(10)]
    assert sum(map(sum, results)) > 14
    assert sum(map(sum, reverse)) < 6


def test_every_game_is_matched_also_one_whose_sides_move_twice_running() -> None:
    assert {name.partition(":")[0] for name in GAMES} == {game.name for game in all_games()}
    pair = play_pair(Match("kalah", "alphabeta:depth=3", "random"), 1, 1)
    for moves in pair.games:
        position, _ = find_game("kalah").replay(" ".join(moves))
        assert find_game("kalah").outcome(position) is not None
    assert sum(pair.results) == 2


@pytest.mark.parametrize("name", ["connect4", "reversi", "ultimate"])
def test_openspiels_search_plays_our_games_to_their_end(name: str) -> None:
    pair = play_pair(Match(name, "mcts:3", "random"), 1, 1)
    game = find_game(name)
    for moves in pair.games:
        position, _ = game.replay(" ".join(moves))
        assert game.outcome(position) is not None
    assert pair.first.nodes >= 3 * pair.first.moves


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
