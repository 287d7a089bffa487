"""What `threats.py` leaves out must not matter: held against searches that leave nothing out."""

import random
from collections.abc import Iterator
from functools import cache
from itertools import islice

import pytest

from parlour_server.games.gomoku import GOMOKU
from parlour_server.games.mnk import MNK, Position
from parlour_server.games.threats import MOST_TRIED

# Large enough that threats are read, small enough to look at every move.
BOARDS = [MNK(6, 5, 4), MNK(7, 4, 4), MNK(6, 5, 4, exact=True), MNK(9, 3, 3), MNK(6, 6, 5)]
DEPTH = 4


@cache
def value(game: MNK, position: Position, depth: int) -> int:
    """With every move: 100 - n for a win in n plies, n - 100 for a loss, 0 where neither is near."""
    if game.outcome(position) is not None:
        return -100 if position.over in (1, 2) else 0
    if depth == 0:
        return 0
    best = max(-value(game, game.play(position, move), depth - 1) for move in game.legal_moves(position))
    return best - (best > 0) + (best < 0)


def positions(game: MNK, free: int) -> Iterator[Position]:
    """Unfinished positions with this many free cells, from games played at random."""
    for seed in range(600):
        dice = random.Random(seed)
        position = game.initial()
        while position.over == 0 and position.free.bit_count() > free:
            position = game.play(position, dice.choice(game.legal_moves(position)))
        if position.over == 0:
            yield position


@pytest.mark.parametrize("game", BOARDS, ids=lambda game: f"{game.name}{' exact' * game.exact}")
def test_no_move_that_is_left_out_is_better(game: MNK) -> None:
    threats = game.threats
    assert threats is not None
    forced = 0
    for free in (8, 10):
        for position in islice(positions(game, free), 60):
            order = list(game.search_order(position))
            assert not game.selective(position)
            assert len(set(order)) == len(order)
            legal = game.legal_moves(position)
            if len(order) == len(legal):
                continue
            forced += 1
            worth = {move: -value(game, game.play(position, move), DEPTH - 1) for move in legal}
            assert max(worth.values()) == max(worth[move] for move in order)
            if max(worth.values()) <= 0:
                # All others lose within the plies that the proof says.
                assert all(worth[move] < 0 for move in set(legal) - set(order))
    assert forced > 10


@pytest.mark.parametrize("game", BOARDS[:3], ids=lambda game: f"{game.name}{' exact' * game.exact}")
def test_a_win_in_three_is_one_move_and_urgent(game: MNK) -> None:
    wins = 0
    for position in islice(positions(game, 9), 100):
        others_threat = position._replace(mine=position.theirs, theirs=position.mine)
        if value(game, others_threat, 1) == 0 and value(game, position, 3) > 0:
            assert game.urgent(position)
            assert len(game.search_order(position)) == 1
            wins += 1
    assert wins > 3


def test_on_large_boards_the_best_looking_are_tried() -> None:
    position, _ = GOMOKU.replay("h8 i9 g7")
    order = list(GOMOKU.search_order(position))
    assert GOMOKU.selective(position)
    assert 1 < len(order) <= MOST_TRIED
    written = [GOMOKU.format(position, move) for move in order]
    assert {"f6", "i7", "g9"} & set(written[:6])
    assert "a1" not in written


def test_on_a_board_that_is_almost_full_none_is_left_out() -> None:
    # Columns in pairs, turned every other row: no side has more than two in a row.
    game = MNK(8, 8, 7)
    position = game.initial()
    cells = sorted(range(64), key=lambda cell: ((cell % 8 // 2 + cell // 8) % 2, cell))
    order = [cell for pair in zip(cells[:32], cells[32:], strict=True) for cell in pair]
    for cell in order[:-3]:
        position = game.play(position, cell)
    assert sorted(game.search_order(position)) == sorted(order[-3:])
    assert not game.selective(position)
    for cell in order[-3:]:
        assert game.outcome(position) is None
        position = game.play(position, cell)
    assert game.outcome(position) is not None


def test_the_first_stone_is_set_in_the_middle() -> None:
    first = list(GOMOKU.search_order(GOMOKU.initial()))
    assert GOMOKU.format(GOMOKU.initial(), first[0]) == "h8"


def test_a_threat_is_judged_as_if_it_had_been_answered() -> None:
    closed, _ = GOMOKU.replay("h8 g8 i8 a1 j8 a15 k8")
    assert not GOMOKU.urgent(closed)
    assert list(GOMOKU.search_order(closed)) == [GOMOKU.parse(closed, "l8")]
    opened, _ = GOMOKU.replay("h8 a8 i8 a1 j8 a15 k8")
    assert GOMOKU.urgent(opened)
    assert GOMOKU.evaluate(opened) < GOMOKU.evaluate(closed) < 0
