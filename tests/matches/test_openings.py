"""Openings of matches: balanced, different, and the same for a seed."""

from itertools import islice

import pytest

from parlour_server.games import find_game
from parlour_server.games.game import Game
from parlour_server.matches.openings import Opening, balanced_openings, is_balanced, usual_plies


def value(game: Game[object], position: object) -> int:
    """What a position is worth to the side that began: plain minimax, as a witness."""
    if game.outcome(position) is not None:
        return game.utility(position)
    values = [value(game, game.play(position, move)) for move in game.legal_moves(position)]
    return max(values) if game.to_move(position) == 0 else min(values)


def first(name: str, count: int, seed: int = 1, plies: int | None = None) -> list[Opening]:
    return list(islice(balanced_openings(find_game(name), seed, plies), count))


def test_they_are_all_that_both_sides_can_hold() -> None:
    game = find_game("tictactoe")
    openings = first("tictactoe", 23)
    reached = {game.replay(opening.moves)[0] for opening in openings}
    assert len(reached) == 23
    after_two = {
        game.play(before, move)
        for first_move in game.legal_moves(game.initial())
        for before in [game.play(game.initial(), first_move)]
        for move in game.legal_moves(before)
    }
    # Of the 72 positions after two plies so few are drawn; no other is begun with.
    assert reached <= {position for position in after_two if value(game, position) == 0}
    assert all(opening.balanced for opening in openings)
    # Then they come again.
    assert first("tictactoe", 2000)[-1] in first("tictactoe", 200)


@pytest.mark.parametrize("name", ["connect4", "reversi", "breakthrough", "kalah"])
def test_a_longer_match_begins_with_a_shorter_one_s(name: str) -> None:
    short, long = first(name, 3), first(name, 8)
    assert long[:3] == short
    game = find_game(name)
    assert len({game.replay(opening.moves)[0] for opening in long}) == 8
    assert all(len(game.read(opening.moves)) == usual_plies(game) for opening in long)
    assert first(name, 3, seed=2) != short


def test_what_is_lost_already_is_no_opening() -> None:
    game = find_game("connect4")
    assert not is_balanced(game, game.replay("4 1 4 1 4 7")[0])
    # Of the first moves only the third and the fifth column are drawn (Allis, 1988).
    assert [is_balanced(game, game.replay(str(column))[0]) for column in range(1, 8)] == [
        *(False, False, True, False, True, False, False)
    ]


def test_where_none_can_be_held_they_say_so() -> None:
    openings = first("isolation:3", 4)
    assert not any(opening.balanced for opening in openings)
    assert len({opening.moves for opening in openings}) == 4


def test_no_opening_at_all_where_games_are_over_by_then() -> None:
    assert first("tictactoe", 1, plies=20) == []
    assert first("tictactoe", 2, plies=0) == [Opening("tictactoe")] * 2


def test_plies_are_as_many_for_each_side_and_not_too_many() -> None:
    assert {
        name: usual_plies(find_game(name)) for name in ("tictactoe", "connect4", "gomoku", "reversi")
    } == {
        "tictactoe": 2,
        "connect4": 4,
        "gomoku": 2,
        "reversi": 6,
    }
