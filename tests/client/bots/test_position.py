"""What `choose` is given, held against the rules of every game."""

import json
import random
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from importlib.metadata import EntryPoint

import pytest

from parlour_client.bots import rules
from parlour_client.bots.position import Outcome, Position
from parlour_client.bots.rules import NoRules, rules_of
from parlour_server.games import all_games, find_game

GAMES = [*(game.name for game in all_games()), "connect4:9,7", "mnk:4,4,3", "reversi:6"]


@pytest.mark.parametrize("name", GAMES)
def test_a_game_looked_ahead_is_the_game_itself(name: str) -> None:
    game, dice = find_game(name), random.Random(name)
    state, last = game.initial(), None
    position = Position.begin(name)
    played: list[str] = []
    while not position.over:
        seen = game.view(state, last)
        assert position.board == [list(row) for row in seen.cells]
        assert position.legal_moves == seen.legal
        assert position.to_move == seen.marks[game.to_move(state)][0]
        assert position.moves == played
        assert position.outcome is None
        # What a server would tell of it is the same position.
        reported = Position.from_json(json.loads(json.dumps(position.as_json())))
        assert reported == position
        assert hash(reported) == hash(position)
        assert reported.legal_moves == position.legal_moves
        name_of_move = dice.choice(position.legal_moves)
        before = position
        position = position.play(name_of_move)
        assert position != before
        last = game.parse(state, name_of_move)
        state = game.play(state, last)
        played.append(name_of_move)
    outcome = game.outcome(state)
    assert outcome is not None
    winner = None if outcome.winner is None else position.marks[outcome.winner]
    assert position.outcome == Outcome(winner, outcome.reason)
    assert (position.legal_moves, position.to_move, position.view.to_move) == ([], None, None)


def test_nothing_in_it_can_be_changed() -> None:
    position = Position.begin("tictactoe", "b2")
    position.legal_moves.clear()
    position.moves.append("c3")
    changes: list[Callable[[], object]] = [
        lambda: setattr(position, "mark", "X"),
        lambda: setattr(position, "board", []),
        lambda: position.board[0].__setitem__(0, "X"),
        lambda: position.board.append([]),
    ]
    for change in changes:
        with pytest.raises(
            AttributeError, match=r"can't be changed\. position\.play\(move\) gives the one after"
        ):
            change()
    for copied in ([list(row) for row in position.board], deepcopy(position.board)):
        copied[0][0] = "X"
        copied.append(copied.pop(0)[:])
    assert len(position.legal_moves) == 8
    assert position.board[0] == [".", ".", "."]
    assert position.moves == ["b2"]
    position.play("a1")
    assert position.moves == ["b2"]


def test_a_wrong_move_is_refused_with_the_right_ones() -> None:
    position = Position.begin("tictactoe", "b2 a1")
    for wrong in ("b2", "z9", "", "B3"):
        with pytest.raises(ValueError, match=r"is no legal move here\. Legal moves: a3 b3 c3"):
            position.play(wrong)
    over = Position.begin("tictactoe", "a1 b1 a2 b2 a3")
    with pytest.raises(ValueError, match="the game is over"):
        over.play("c3")


def test_minimax_is_a_few_lines_and_may_remember() -> None:
    """The sum of it all: tic-tac-toe is a draw, and from here it is won."""

    @cache
    def value(position: Position) -> int:
        if position.outcome is not None:
            winner = position.outcome.winner
            return 0 if winner is None else 1 if winner == position.mark else -1
        values = [value(position.play(move)) for move in position.legal_moves]
        return max(values) if position.to_move == position.mark else min(values)

    assert value(Position.begin("tictactoe")) == 0
    assert value(Position.begin("tictactoe", "b2 b1")) == 1
    # Each position was looked at once, whichever way led to it.
    assert value.cache_info().currsize < 2 * 5478


def test_without_the_rules_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    reported = Position.begin("tictactoe", "b2").as_json()
    broken = [EntryPoint("tictactoe", "nowhere:NOTHING", rules.GROUP)]
    monkeypatch.setattr(rules, "entry_points", lambda group: broken)
    rules_of.cache_clear()
    position = Position.from_json(reported)
    # What the server told is there all the same.
    assert position.board[1] == [".", "X", "."]
    assert len(position.legal_moves) == 8
    assert (position.to_move, position.mark, position.over, position.outcome) == ("O", "O", False, None)
    with pytest.raises(NoRules, match=r"pip install \./protocol \./server"):
        position.play("a1")
    monkeypatch.undo()
    rules_of.cache_clear()
    for unknown in ("chess", "connect4:nonsense"):
        with pytest.raises(NoRules, match=unknown.partition(":")[0]):
            rules_of(unknown)
