"""Konane: its rules against a naive walk over a dictionary of stones."""

from typing import Any

import pytest

from parlour_server.games.game import IllegalMove, InvalidPosition
from parlour_server.games.konane import KONANE, MARKS, Konane
from parlour_server.games.positions import read, write
from tests.support.games import perft, random_game

Cell = tuple[int, int]
Stones = dict[Cell, int]
"""By column and row, from the lower left corner: whose stone stands there."""
WAYS = ((1, 0), (0, 1), (-1, 0), (0, -1))


def full(size: int) -> Stones:
    return {(x, y): (x + y) % 2 for x in range(size) for y in range(size)}


def found(stones: Stones, size: int, side: int, ply: int) -> list[tuple[Cell, ...]]:
    """All moves: a stone to take away, or where from and where to."""
    if ply == 0:
        some = {0, size // 2 - 1, size // 2, size - 1}
        return [((at, at),) for at in some]
    if ply == 1:
        ((x, y),) = {*full(size)} - {*stones}
        return [(cell,) for right, up in WAYS if (cell := (x + right, y + up)) in stones]
    moves: list[tuple[Cell, ...]] = []
    for (x, y), owner in stones.items():
        for right, up in WAYS:
            for jumps in range(1, size):
                over = (x + right * (2 * jumps - 1), y + up * (2 * jumps - 1))
                end = (x + right * 2 * jumps, y + up * 2 * jumps)
                inside = 0 <= end[0] < size and 0 <= end[1] < size
                if owner != side or stones.get(over) != 1 - side or not inside or end in stones:
                    break
                moves.append(((x, y), end))
    return moves


def after(stones: Stones, move: tuple[Cell, ...]) -> Stones:
    (x, y), *ends = move
    left = {cell: side for cell, side in stones.items() if cell != (x, y)}
    for across, along in ends:
        for column in range(min(x, across), max(x, across) + 1):
            for row in range(min(y, along), max(y, along) + 1):
                left.pop((column, row), None)
        left[across, along] = stones[x, y]
    return left


@pytest.mark.parametrize(("size", "plies"), [(4, 8), (6, 6), (8, 5)])
def test_the_moves_are_those_of_a_naive_walk(size: int, plies: int) -> None:
    counts = [0] * plies

    def count(stones: Stones, ply: int) -> None:
        moves = found(stones, size, ply % 2, ply)
        counts[ply] += len(moves)
        if ply + 1 < plies:
            for move in moves:
                count(after(stones, move), ply + 1)

    count(full(size), 0)
    game = Konane(size)
    assert perft(game, game.initial(), plies) == counts


@pytest.mark.parametrize("size", [4, 6, 8])
def test_whole_games_are_those_of_the_naive_rules(size: int) -> None:
    game, winners = Konane(size), set()
    for seed in range(12):
        stones, path = full(size), random_game(game, seed)
        for ply, (position, _) in enumerate(path):
            shown = {
                (at % size, size - 1 - at // size): MARKS.index(text)
                for at, text in enumerate(game.texts(position))
                if text != game.empty
            }
            assert shown == stones
            moves = {
                "".join(chr(97 + x) + str(y + 1) for x, y in move)
                for move in found(stones, size, ply % 2, ply)
            }
            assert {game.format(position, move) for move in game.legal_moves(position)} == moves
            if moves:
                made: Any = game.format(position, path[ply + 1][1] or 0)
                cells = tuple((ord(made[at]) - 97, int(made[at + 1]) - 1) for at in range(0, len(made), 2))
                stones = after(stones, cells)
        outcome = game.outcome(path[-1][0])
        assert outcome is not None
        assert outcome.winner == 1 - (len(path) - 1) % 2
        winners.add(outcome.winner)
    assert winners == {0, 1}


@pytest.mark.parametrize(
    ("moves", "typed", "why"),
    [
        ("", "b2", "remove one of your stones from a corner or the middle, such as"),
        ("d4", "e5", "remove one of your stones next to the free cell, such as"),
        ("d4 d5", "a2a4", "● has no piece on a2"),
        ("d4 d5", "f4", "Say where it jumps to, as well, such as"),
        ("d4 d5", "f4h4", "h4 is taken"),
        ("d4 d5", "f2-d4", "is no jump: a jump goes straight over one ○"),
    ],
)
def test_a_refusal_names_the_rule(moves: str, typed: str, why: str) -> None:
    with pytest.raises(IllegalMove, match=why):
        KONANE.parse(KONANE.replay(moves)[0], typed)


def test_a_stone_jumps_over_several() -> None:
    position, last = KONANE.replay(KONANE.sample)
    view = KONANE.view(position, last)
    cells = dict(zip((KONANE.named(at) for at in range(64)), view.texts(), strict=True))
    assert [cells[name] for name in ("b4", "c4", "d4", "e4", "f4")] == [".", ".", ".", ".", "●"]
    assert [KONANE.named(cell) for cell in view.last] == ["f4", "b4"]


def test_a_position_is_set_up() -> None:
    game = Konane(4)
    text = "oxox/xo1o/o3/x1xo x"
    position = read(game, text)
    assert write(game, position) == text
    with pytest.raises(InvalidPosition, match="is a cell for ●"):
        read(game, "oxox/xoxo/oxox/ooxo x")
    outcome = game.outcome(read(game, "4/4/4/xo2 o"))
    assert outcome is not None
    assert (outcome.winner, outcome.termination) == (0, "no_moves")


@pytest.mark.parametrize("given", ["", "5", "6,8", "10", "big"])
def test_a_variant_that_there_is_not_is_refused(given: str) -> None:
    with pytest.raises(ValueError, match="Write konane:SIZE, one of 4, 6, 8"):
        KONANE.variant(given)


def test_variants_are_named_alike() -> None:
    assert [KONANE.variant(one).name for one in ("8", "6x6", "4,4")] == ["konane", "konane:6", "konane:4"]
