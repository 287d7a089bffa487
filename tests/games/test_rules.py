"""What tells how games are played: positions that can be reached, and that show what is said of them."""

from typing import Any

import pytest

from parlour_protocol.views.boards import BoardView
from parlour_protocol.words import Sentence
from parlour_server.games import all_games, find_game
from parlour_server.games.contract import LONGEST_RULE
from parlour_server.games.game import BrokenContract, Game, Rule
from parlour_server.games.mnk import MNK
from parlour_server.games.rules import rule_points

VARIANTS = (
    *("mnk:3,3,3", "mnk:19,19,5", "mnk:19,19,19", "mnk:3,19,19", "mnk:19,3,4", "mnk:4,5,4"),
    *("gomoku:exact", "connect4:4,4", "connect4:9,9", "connect4:5,4", "reversi:6"),
)
LARGEST = 9
"""Cells a row of a picture that fits beside others."""


def of(game: Game[Any], id_: str) -> tuple[BoardView, list[str]]:
    """The position that shows a rule, and what is marked on it, by its labels."""
    (point,) = [one for one in rule_points(game) if isinstance(one.text, Sentence) and one.text.id == id_]
    view = point.position
    assert view is not None
    width = len(view.columns)
    return view, [view.columns[cell % width] + view.rows[cell // width] for cell in point.marked]


@pytest.mark.parametrize("name", [*(game.name for game in all_games()), *VARIANTS])
def test_every_game_tells_how_it_is_played_with_small_pictures(name: str) -> None:
    points = rule_points(find_game(name))
    pictures = [point.position for point in points if point.position is not None]
    assert 3 <= len(pictures) <= 4
    for point in points:
        assert point.text_said is not None
        assert len(point.text) <= LONGEST_RULE
    for view in pictures:
        assert len(view.columns) <= LARGEST or name.endswith(",19,19")
        assert view.groups is not None or not view.legal


@pytest.mark.parametrize(
    ("name", "moves"), [("dots", "d5, g8"), ("morris", "d6, d7f4"), ("mnk:19,19,5", "a19")]
)
def test_the_rules_end_with_how_moves_are_written(name: str, moves: str) -> None:
    assert rule_points(find_game(name))[-1].text == f"Moves are written like this: {moves}."


@pytest.mark.parametrize("name", ["tictactoe", "mnk", "gomoku", *VARIANTS[:7]])
def test_a_row_wins_and_one_that_lacks_a_cell_is_met_there(name: str) -> None:
    game = find_game(name)
    assert isinstance(game, MNK)
    won, _ = of(game, "game.rule.row")
    assert len(won.line) == game.k
    gap, (marked,) = of(game, "game.rule.gap")
    assert (gap.to_move, gap.texts().count("X")) == (1, game.k - 1)
    # Had it been the first side's turn, it would have won there.
    (rule,) = [
        one for one in game.rules() if isinstance(one.text, Sentence) and one.text.id == "game.rule.gap"
    ]
    assert rule.on is not None and rule.moves is not None
    position, _ = rule.on.replay(rule.moves)
    turned = position._replace(mine=position.theirs, theirs=position.mine)
    after = rule.on.play(turned, rule.on.parse(turned, marked))
    assert after.over


def test_of_exact_rows_a_longer_one_wins_nothing() -> None:
    view, marked = of(find_game("gomoku:exact"), "game.rule.not_longer")
    assert (len(marked), view.line, view.to_move) == (6, [], 1)
    ids = [one.text.id for one in rule_points(find_game("gomoku")) if isinstance(one.text, Sentence)]
    assert "game.rule.longer" in ids


def test_discs_that_are_marked_have_just_turned() -> None:
    for name in ("reversi", "reversi:6"):
        game = find_game(name)
        view, marked = of(game, "game.reversi.rule.flip")
        (rule,) = [one for one in game.rules() if one.marked and one.moves]
        before = game.view(*game.replay(" ".join(rule.moves.split()[:-1]))) if rule.moves else view
        changed = [
            view.columns[cell % len(view.columns)] + view.rows[cell // len(view.columns)]
            for cell, (old, new) in enumerate(zip(before.texts(), view.texts(), strict=True))
            if old != new and old != view.empty
        ]
        assert sorted(changed) == sorted(marked)
        _, first = of(game, "game.reversi.rule.enclose")
        assert sorted(first) == sorted(game.view(game.initial()).legal)


def test_a_small_board_that_is_chosen_and_one_that_is_closed() -> None:
    game = find_game("ultimate")
    won, _ = of(game, "game.ultimate.rule.rows")
    assert len(won.line) == 27
    sent, marked = of(game, "game.ultimate.rule.sent")
    assert sent.groups is not None
    assert (marked, sent.groups.active) == (["f6"], [2])
    closed, _ = of(game, "game.ultimate.rule.closed")
    assert closed.groups is not None
    assert closed.groups.active == [0, 1, 2, 3, 4, 5, 6, 7]


class Plain(MNK):
    """A stranger's game, which says nothing of its rules."""

    def rules(self) -> list[Rule]:
        return list(Game.rules(self))


def test_without_rules_the_summary_stands_there_with_the_sample() -> None:
    point, _ = rule_points(Plain(3, 3, 3, summary="Three in a row.", sample="b2 a1"))
    assert (point.text, point.text_said) == ("Three in a row.", None)
    assert point.position is not None
    assert point.position.texts().count("X") == 1


def test_what_is_marked_has_to_be_a_cell() -> None:
    class Wrong(MNK):
        def rules(self) -> list[Rule]:
            return [Rule("Here.", "", "z9")]

    with pytest.raises(
        BrokenContract, match="its rules mark z9, which is neither a cell nor a legal move there"
    ):
        rule_points(Wrong(3, 3, 3))
