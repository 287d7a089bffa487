"""Who can still win, with all the other's help: against every game that can follow."""

import random
from functools import cache
from typing import Any

import pytest

from parlour_protocol.ids import Side
from parlour_server.games import find_game
from parlour_server.games.game import PLIES_LOOKED_UP

SIDES: tuple[Side, Side] = (0, 1)


def who_can_win(name: str) -> Any:
    """Plays out every game there is from a position; gives the sides that win any of them."""
    game = find_game(name)

    @cache
    def winners(position: Any) -> frozenset[Side]:
        outcome = game.outcome(position)
        if outcome is not None:
            return frozenset(() if outcome.winner is None else (outcome.winner,))
        found: frozenset[Side] = frozenset()
        for move in game.legal_moves(position):
            found |= winners(game.play(position, move))
            if len(found) == 2:
                break
        return found

    return winners


def test_in_tictactoe_it_is_exactly_so() -> None:
    game, winners = find_game("tictactoe"), who_can_win("tictactoe")
    waiting, seen, hopeless = [game.initial()], set(), 0
    while waiting:
        position = waiting.pop()
        if position in seen or game.outcome(position) is not None:
            continue
        seen.add(position)
        for side in SIDES:
            assert game.can_win(position, side) == (side in winners(position))
            hopeless += side not in winners(position)
        waiting += [game.play(position, move) for move in game.legal_moves(position)]
    assert len(seen) > 4_000
    assert hopeless > 1_000


@pytest.mark.parametrize("name", ["connect4", "mnk:4,4,4", "mnk:5,4,4", "reversi:6", "ultimate"])
def test_elsewhere_a_win_that_is_there_is_never_denied_and_near_the_end_it_is_exactly_so(name: str) -> None:
    game, winners, dice = find_game(name), who_can_win(name), random.Random(4)
    denied = exact = 0
    for _ in range(30):
        game_so_far = [game.initial()]
        while game.outcome(game_so_far[-1]) is None:
            after = [game.play(game_so_far[-1], move) for move in game.legal_moves(game_so_far[-1])]
            # Games that are long: the side that can avoid it wins none.
            long = [position for position in after if game.outcome(position) is None]
            game_so_far.append(dice.choice(long or after))
        for position in game_so_far[:-1]:
            # Of what lies further back only those can be gone through that have few moves left.
            if game.plies_left(position) > PLIES_LOOKED_UP + 2:
                continue
            for side in SIDES:
                reported, true = game.can_win(position, side), side in winners(position)
                assert reported or not true
                if game.plies_left(position) <= PLIES_LOOKED_UP:
                    assert reported == true
                    exact += 1
                denied += not reported
    assert exact > 10
    assert denied > 0


@pytest.mark.parametrize("name", ["connect4", "gomoku", "mnk:7,7,4"])
def test_at_the_beginning_both_can_win(name: str) -> None:
    game = find_game(name)
    assert game.can_win(game.initial(), 0)
    assert game.can_win(game.initial(), 1)


def test_a_side_without_a_free_line_can_win_no_more_long_before_the_end() -> None:
    game = find_game("mnk:4,4,4")
    position, _ = game.replay("a1 a2 b3 b2 c2 c4 d4 d3")
    assert game.plies_left(position) > PLIES_LOOKED_UP
    # The first side's stones stand in each row, each column and both diagonals.
    assert (game.can_win(position, 0), game.can_win(position, 1)) == (True, False)
