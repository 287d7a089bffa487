"""Games that are functions over numbers: machine code does what they do, and people's moves are read."""

import random
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parlour_server.games import find_game
from parlour_server.games.array_game import ArrayGame
from parlour_server.games.game import GameIsOver, IllegalMove, InvalidMove
from parlour_server.games.kalah import KALAH, Kalah
from parlour_server.search.algorithms.engine import Deepening, engine
from parlour_server.search.control import Control
from parlour_server.search.kernels import compiled, numba_modules
from parlour_server.search.kernels.witness import both_searches
from parlour_server.search.turns import PASS, in_turns
from tests.support.games import GAMES, VARIANTS, random_game

ARRAY_GAMES = [game for game in map(find_game, GAMES + VARIANTS) if isinstance(game, ArrayGame)]

every_game = pytest.mark.parametrize("game", ARRAY_GAMES, ids=lambda game: game.name)
LONGEST = 80
"""Plies after which a random game is broken off."""


@every_game
def test_machine_code_plays_takes_back_and_judges_as_the_rules_do(game: ArrayGame) -> None:
    compiled.prepare(game)
    dice = random.Random(game.name)
    out: Any = np.zeros(game.code.MOST_MOVES + 1, np.int64)
    for _ in range(6):
        padded, position = in_turns(game, game.initial())
        search = compiled.compiled_search(padded, position, slots=2)
        code, state = search.code, search.state
        path: list[tuple[Any, Any, int]] = []
        while padded.outcome(position) is None and len(path) < LONGEST:
            order = [*padded.search_order(position)]
            assert [search.move(int(number)) for number in out[: code.moves(state, out, 0)]] == order
            assert code.evaluate(state) == padded.evaluate(position)
            assert code.urgent(state) == padded.urgent(position)
            move = dice.choice(order)
            path.append((position, state[: game.code.POSITION].copy(), move))
            position = padded.play(position, move)
            number = code.PASS if move == PASS else move
            before = int(code.key(state))
            code.play(state, number)
            assert code.key(state) not in (before, 0)
            again = compiled.compiled_search(padded, position, slots=2)
            assert code.key(again.state) == code.key(state)
        if (outcome := padded.outcome(position)) is not None:
            relative = 2 if outcome.winner is None else 3 if outcome.winner == padded.to_move(position) else 1
            assert code.ended(state) == relative
            assert not game.margins or code.margin(state) == padded.margin(position)
        for _, numbers, move in reversed(path):
            code.undo(state, code.PASS if move == PASS else move)
            assert [*state[: game.code.POSITION]] == [*numbers]


@every_game
def test_compiled_and_interpreted_searches_are_one(game: ArrayGame) -> None:
    compiled.prepare(game)
    for seed in (1, 2):
        position = random_game(game, seed, 6)[-1][0]
        if game.outcome(position) is None:
            padded, begun = in_turns(game, position)
            reports = [
                Deepening(
                    padded, begun, machine, rng=random.Random(1), control=Control(), full=False, bot="engine"
                ).run(None, 600)
                for machine in both_searches(padded, begun)
            ]
            assert reports[0] == reports[1]
            assert reports[0].nodes > 1


@every_game
def test_a_position_is_of_plain_numbers_and_a_search_knows_it_by_fewer(game: ArrayGame) -> None:
    for position, _ in random_game(game, 3):
        assert {type(number) for number in position} == {int}
        assert len(position) == game.code.POSITION
        assert game.search_key(position) == position[: getattr(game.code, "KEYED", len(position))]


@every_game
def test_moves_are_read_as_people_write_them(game: ArrayGame) -> None:
    for position, _ in random_game(game, 4, 30):
        for move in game.legal_moves(position):
            path, written = game.path(position, move), game.format(position, move)
            if len(path) > 1:
                names = [game.named(cell) for cell in path]
                for sign in ("-", "x", ":"):
                    assert game.parse(position, sign.join(names).upper()) == move
            assert game.first_word(position, written + "zzz") == written


@every_game
def test_what_is_no_move_is_told_from_what_is_none_now(game: ArrayGame) -> None:
    for text in ("", "?", "z99", "a" * 500, "a1?"):
        with pytest.raises(InvalidMove, match="is not a move of this game: write it like"):
            game.parse(game.initial(), text)
    path = random_game(game, 5)
    over, last = path[-1]
    assert last is not None
    written = game.format(path[-2][0], last)
    with pytest.raises(GameIsOver):
        game.parse(over, written)
    # The last move may have been legal all along; of the first ones some aren't any more.
    words = {game.format(before, move) for (before, _), (_, move) in pairwise(path[:6]) if move is not None}
    refused = set()
    for position, _ in path[:-1]:
        for text in (written, *words):
            try:
                game.parse(position, text)
            except IllegalMove as error:
                refused.add(str(error))
    assert refused


def test_rules_may_call_their_numbers_as_they_like(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = numba_modules.source_text(KALAH.kernel)
    for name, like_an_engine_s in (("PITS", "TOP"), ("LARGEST", "STATE"), ("HOUSES", "PASS")):
        text = re.sub(rf"\b{name}\b", like_an_engine_s, text)
    (tmp_path / "likely_names.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    game = Kalah()
    game.kernel = "likely_names"
    found = []
    for one in (KALAH, game):
        compiled.prepare(one)
        control = Control(compiled=True)
        found.append(engine(one, one.initial(), rng=random.Random(1), control=control, nodes=20_000))
    assert found[0] == found[1]
    assert found[0].compiled
