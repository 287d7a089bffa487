"""The games that rooms play in benchmarks."""

import pytest

from bench.games import GAMES, POOL, cells, first_game, texts
from parlour_server.games import find_game


@pytest.mark.parametrize("name", GAMES)
def test_they_are_whole_games_and_differ(name: str) -> None:
    game = find_game(name)
    assert len(cells(name)) == POOL
    assert len({tuple(moves) for moves in cells(name)}) > POOL * 0.9
    for numbers, words in list(zip(cells(name), texts(name), strict=True))[:20]:
        position, _ = game.replay(" ".join(word.decode() for word in words))
        assert game.outcome(position) is not None
        assert len(numbers) == len(words)


def test_rooms_begin_with_different_ones() -> None:
    assert len({first_game() for _ in range(POOL)}) == POOL
