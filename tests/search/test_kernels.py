"""The compiled twins of the games, held against the rules."""

import random
from functools import cache
from typing import Any

import numpy as np
import pytest

from parlour_server.games.connect4 import CONNECT_FOUR, ConnectFour
from parlour_server.games.game import Game
from parlour_server.games.gomoku import GOMOKU
from parlour_server.games.mnk import MNK, TICTACTOE
from parlour_server.games.reversi import REVERSI, Reversi
from parlour_server.games.ultimate import ULTIMATE
from parlour_server.search.kernels import ORDERED, RANKED, SELECTIVE, compiled
from parlour_server.search.kernels.compiled import compiled_search

MNK_GAMES: list[Game[Any]] = [
    *(TICTACTOE, MNK(4, 5, 4), MNK(6, 6, 3), MNK(7, 7, 4), MNK(3, 19, 3), MNK(8, 8, 4, exact=True)),
    *(MNK(9, 9, 7), GOMOKU, GOMOKU.variant("exact"), MNK(19, 5, 6, exact=True), MNK(19, 19, 5)),
    *(MNK(19, 19, 19), ConnectFour(7, 6), ConnectFour(5, 4), ConnectFour(8, 7), ConnectFour(9, 9)),
]
GAMES: list[tuple[Game[Any], Game[Any], int]] = [
    *((TICTACTOE, game, 1 if game.max_plies > 50 else 4) for game in MNK_GAMES),
    (CONNECT_FOUR, CONNECT_FOUR, 20),
    *((REVERSI, game, 10) for game in (REVERSI, Reversi(6))),
    (ULTIMATE, ULTIMATE, 20),
]
"""The game whose kernel it is, the game that is played, and how many random games."""
LONGEST = 80
"""Plies after which a random game is broken off."""


@cache
def code_of(game: Game[Any]) -> Any:
    """A kernel's functions as machine code."""
    compiled.prepare(game)
    return compiled_search(game, game.initial(), slots=2).code


def loaded(code: Any, game: Game[Any], position: Any) -> Any:
    state = np.zeros(code.STATE, code.DTYPE)
    code.load(game, position, state)
    return state


def written(code: Any, state: Any) -> tuple[list[int], bool, bool]:
    """The moves, whether there might be others, and whether their order is to be kept."""
    out = np.full(code.MOST_MOVES + 4, -1, np.int64)
    ranked, number = divmod(code.moves(state, out, 3), RANKED)
    ordered = number >= ORDERED
    number -= ORDERED * ordered
    selective = number >= SELECTIVE
    number -= SELECTIVE * selective
    assert out[2] == -1
    moves = out[3 : 3 + (ranked or number)].tolist()
    if ranked:
        assert len({move >> 16 for move in moves}) == ranked >= number
        moves = [move & 65535 for move in sorted(moves, reverse=True)]
    return moves[:number], selective, ordered


def compare(code: Any, game: Game[Any], position: Any, state: Any) -> None:
    """Every function says of the state what the rules say of the position."""
    assert code.key(state) == code.key(loaded(code, game, position)) != 0
    assert code.plies_left(state) == game.plies_left(position)
    outcome = game.outcome(position)
    if outcome is not None:
        won = 3 if outcome.winner == game.to_move(position) else 1
        assert code.ended(state) == (2 if outcome.winner is None else won)
        assert code.margin(state) == (game.margin(position) if game.margins else 0)
        return
    assert code.ended(state) == 0
    assert code.evaluate(state) == game.evaluate(position)
    assert code.urgent(state) == int(game.urgent(position))
    order = list(game.search_order(position))
    assert written(code, state) == (order, game.selective(position), game.ordered(position))


def test_every_game_that_people_may_ask_for_has_the_kernel() -> None:
    assert {game.kernel for game in MNK_GAMES if game.name != "connect4"} == {TICTACTOE.kernel}
    assert MNK(2, 5, 2).kernel == ""


@pytest.mark.parametrize(
    ("of", "game", "games"),
    GAMES,
    ids=lambda one: f"{one.name}{' exact' * getattr(one, 'exact', 0)}" if isinstance(one, Game) else "",
)
def test_every_function_agrees_with_the_rules(of: Game[Any], game: Game[Any], games: int) -> None:
    code, dice, ends = code_of(of), random.Random(game.name), set()
    for _ in range(games):
        position = game.initial()
        state = loaded(code, game, position)
        path: list[tuple[Any, int]] = []
        care = dice.choice((0.6, 1.0))
        while game.outcome(position) is None and len(path) < LONGEST:
            compare(code, game, position, state)
            compare(code, game, position, loaded(code, game, position))
            # Good moves make threats and long games; bad ones make positions that good play never shows.
            good = list(game.search_order(position))[:6]
            move = dice.choice(good if dice.random() < care else list(game.legal_moves(position)))
            path.append((position, move))
            position = game.play(position, move)
            code.play(state, move)
            if len(path) > 4 and dice.random() < 0.2:
                for _ in range(dice.randrange(1, 4)):
                    position, move = path.pop()
                    code.undo(state, move)
        compare(code, game, position, state)
        ends.add(code.ended(state))
        for position, move in reversed(path):
            code.undo(state, move)
            if dice.random() < 0.3:
                compare(code, game, position, state)
        assert written(code, state) == written(code, loaded(code, game, game.initial()))
    assert games < 30 or {1, 2} <= ends


@pytest.mark.parametrize("game", [CONNECT_FOUR, REVERSI, ULTIMATE, GOMOKU], ids=lambda game: game.name)
def test_keys_show_positions_apart_and_know_them_again(game: Game[Any]) -> None:
    code, chance = code_of(TICTACTOE if game is GOMOKU else game), random.Random(1)
    seen: dict[int, Any] = {}
    while len(seen) < 8_000:
        position = game.initial()
        state = loaded(code, game, position)
        while game.outcome(position) is None:
            # The colours don't matter in reversi, only who is to move.
            known = position[:2] if game is REVERSI else position
            assert seen.setdefault(int(code.key(state)), known) == known
            move = chance.choice(game.legal_moves(position))
            position = game.play(position, move)
            code.play(state, move)
    # Their upper bits choose places in a table: few positions may share one.
    assert len({key >> 24 & (1 << 20) - 1 for key in seen}) > 0.98 * len(seen)
    assert len({key >> 40 for key in seen}) > 0.98 * len(seen)


def test_two_lines_with_one_stone_end_it_once() -> None:
    game, code = MNK(5, 5, 3), code_of(TICTACTOE)
    before, _ = game.replay("a1 e5 b1 d5 c2 a5 c3 a4")
    state = loaded(code, game, before)
    code.play(state, game.parse(before, "c1"))
    assert code.ended(state) == 1
    code.undo(state, game.parse(before, "c1"))
    compare(code, game, before, state)


def test_the_way_to_a_position_leaves_no_trace_in_its_key() -> None:
    code, keys = code_of(ULTIMATE), set()
    for moves in ("b8 d6 a8 a6", "a8 a6 b8 d6"):
        position, state = ULTIMATE.initial(), loaded(code, ULTIMATE, ULTIMATE.initial())
        for text in moves.split():
            move = ULTIMATE.parse(position, text)
            position = ULTIMATE.play(position, move)
            code.play(state, move)
        keys.add(int(code.key(state)))
    assert len(keys) == 1
    # The same stones with another board to play in are another position.
    assert int(code.key(loaded(code, ULTIMATE, position._replace(board=4)))) not in keys


@pytest.mark.parametrize(
    ("game", "counts"),
    [
        (TICTACTOE, [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]),
        (REVERSI, [4, 12, 56, 244, 1396, 8200, 55092]),
    ],
    ids=["tictactoe", "reversi"],
)
def test_perft(game: Game[Any], counts: list[int]) -> None:
    """Where a kernel writes every legal move."""
    code, found = code_of(game), [0] * len(counts)
    out = np.zeros(len(counts) * code.MOST_MOVES, np.int64)
    state = loaded(code, game, game.initial())

    def walk(ply: int) -> None:
        if code.ended(state):
            return
        at = ply * code.MOST_MOVES
        number = int(code.moves(state, out, at)) % ORDERED
        found[ply] += number
        for move in out[at : at + number].tolist() if ply + 1 < len(counts) else ():
            code.play(state, move)
            walk(ply + 1)
            code.undo(state, move)

    walk(0)
    assert found == counts
