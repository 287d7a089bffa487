"""The positions at which a match's games begin."""

import pytest

from parlour_client import UsageError, connect
from parlour_client.bots.openings import Openings
from tests.support.server import serving


async def drawn(game: str, plies: int | None, seed: int, count: int) -> list[str]:
    async with serving() as url, connect(url, "Ada") as client:
        openings = Openings(client, game, plies, seed, count)
        return [" ".join(await openings.draw()) for _ in range(count)]


async def test_they_follow_from_the_seed_and_differ() -> None:
    first = await drawn("tictactoe", None, 1, 30)
    assert first == await drawn("tictactoe", None, 1, 30)
    assert first != await drawn("tictactoe", None, 2, 30)
    assert len(set(first)) == 30
    assert {len(moves.split()) for moves in first} == {2}


@pytest.mark.parametrize(
    ("game", "count", "plies"),
    # 9 * 8 openings of two moves, 7 * 7, and 4 * 3.
    [
        ("tictactoe", 72, 2),
        ("tictactoe", 73, 4),
        ("connect4", 49, 2),
        ("connect4", 50, 4),
        ("reversi", 12, 2),
    ],
)
async def test_they_are_as_long_as_it_takes(game: str, count: int, plies: int) -> None:
    async with serving() as url, connect(url, "Ada") as client:
        openings = Openings(client, game, None, 1, count)
        await openings.draw()
        assert openings.plies == plies


async def test_no_game_is_over_before_it_begins_and_no_position_comes_twice() -> None:
    # Five moves end some games; and one position is reached by other orders of its moves, too.
    found = await drawn("tictactoe", 5, 3, 60)
    positions = {tuple(sorted(moves.split()[::2]) + sorted(moves.split()[1::2])) for moves in found}
    assert len(positions) == 60
    for moves in found:
        mine = moves.split()[::2]
        assert len({move[0] for move in mine}) > 1
        assert len({move[1] for move in mine}) > 1


async def test_where_there_are_no_more_they_come_again() -> None:
    found = await drawn("tictactoe", 1, 1, 12)
    assert len(set(found[:9])) == 9
    assert await drawn("tictactoe", 0, 1, 2) == ["", ""]


async def test_games_that_are_over_by_then_are_refused() -> None:
    with pytest.raises(UsageError, match="After 9 random moves most games of tictactoe are over"):
        await drawn("tictactoe", 9, 1, 1)
