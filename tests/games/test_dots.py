"""Dots and boxes: its rules against OpenSpiel's, its values against a plain minimax of their own."""

import random
from functools import cache

import pyspiel
import pytest

from parlour_server.games.array_game import Numbers
from parlour_server.games.dots import DOTS, Dots
from parlour_server.games.game import IllegalMove, InvalidMove, Move
from parlour_server.search.algorithms.engine import engine
from parlour_server.search.control import Control
from parlour_server.search.kernels import compiled


def action_of(game: Dots, move: Move) -> int:
    """OpenSpiel's number of a line: row by row, those across first."""
    row, column = divmod(game.path((), move)[0], len(game.columns))
    if row % 2 == 0:
        return row // 2 * game.width + column // 2
    return (game.height + 1) * game.width + row // 2 * (game.width + 1) + column // 2


@pytest.mark.parametrize(("width", "height"), [(4, 4), (5, 4), (1, 3)])
def test_the_rules_are_openspiels(width: int, height: int) -> None:
    game = Dots(width, height)
    size = {"num_rows": height, "num_cols": width}
    theirs = pyspiel.load_game("dots_and_boxes", {**size, "utility_margin": True})
    dice = random.Random(1)
    for _ in range(12):
        state, position = theirs.new_initial_state(), game.initial()
        while game.outcome(position) is None:
            legal = {action_of(game, move): move for move in game.legal_moves(position)}
            assert {*legal} == {*state.legal_actions()}
            assert state.current_player() == game.to_move(position)
            action = dice.choice([*legal])
            state.apply_action(action)
            position = game.play(position, legal[action])
        assert state.is_terminal()
        first, second = game.counts(position)[0].of
        assert state.returns()[0] == first - second
        texts = [*game.texts(position)]
        assert (texts.count("A"), texts.count("B")) == (first, second)


class Plain:
    """How many boxes more than the other one the side to move gets, by trying all lines."""

    def __init__(self, width: int, height: int) -> None:
        boxes = [
            [(row, column, 0), (row + 1, column, 0), (row, column, 1), (row, column + 1, 1)]
            for row in range(height)
            for column in range(width)
        ]
        self.lines = sorted({line for box in boxes for line in box})
        self.boxes = [sum(1 << self.lines.index(line) for line in box) for box in boxes]

    @cache  # noqa: B019
    def best(self, drawn: int) -> int:
        values = [0] if drawn == (1 << len(self.lines)) - 1 else []
        for line in (1 << at for at in range(len(self.lines)) if not drawn >> at & 1):
            now = drawn | line
            closed = sum(1 for box in self.boxes if box & line and now & box == box)
            values.append(closed + self.best(now) if closed else -self.best(now))
        return max(values)

    def line_of(self, game: Dots, move: Move) -> int:
        row, column = divmod(game.path((), move)[0], len(game.columns))
        return 1 << self.lines.index((row // 2, column // 2, row % 2))


@pytest.mark.parametrize(
    ("width", "height", "plies", "games"),
    [(1, 1, 0, 1), (3, 1, 0, 1), (2, 2, 0, 1), (2, 2, 3, 30), (3, 2, 6, 12), (3, 3, 14, 8), (4, 4, 30, 12)],
)
def test_a_search_that_leaves_moves_out_finds_what_all_moves_are_worth(
    width: int, height: int, plies: int, games: int
) -> None:
    game, plain, dice = Dots(width, height), Plain(width, height), random.Random(plies)
    compiled.prepare(game)
    for _ in range(games):
        position, drawn = game.initial(), 0
        for _ in range(plies):
            move = dice.choice(game.legal_moves(position))
            position, drawn = game.play(position, move), drawn | plain.line_of(game, move)
        score = searched(game, position)
        side = 1 if game.to_move(position) == 0 else -1
        ahead = game.counts(position)[0].of
        assert score == plain.best(drawn) + side * (ahead[0] - ahead[1])


def searched(game: Dots, position: Numbers) -> int:
    """What the engine proves the position to be worth to the side to move."""
    report = engine(game, position, rng=random.Random(1), control=Control(compiled=True), full=True)
    score = report.candidates[0].score
    assert score.kind == "exact"
    return score.margin or 0


def test_who_closes_a_box_moves_again() -> None:
    small = Dots(2, 2)
    position, last = small.replay("b5 a4 d1 c4 b3")
    view = small.view(position, last)
    assert view.cells == ["+-+.+", "|A| .", "+-+.+", ". . .", "+.+-+"]
    assert (view.to_move, view.counts[0].of, view.last) == (0, [1, 0], [11])
    # One line may close two boxes.
    position, _ = small.replay("b5 a4 d5 e4 b3 d3 c4")
    assert small.counts(position)[0].of == [2, 0]


def test_what_is_no_line_is_refused() -> None:
    position, _ = DOTS.replay("b9")
    for text, error, why in [
        ("b9", IllegalMove, "The line at b9 is drawn already."),
        ("b8", IllegalMove, "b8 is no line"),
        ("a1", IllegalMove, "a1 is no line: .*such as b1"),
        ("z9", InvalidMove, "is not a move of this game"),
    ]:
        with pytest.raises(error, match=why):
            DOTS.parse(position, text)


@pytest.mark.parametrize("given", ["0,4", "7,4", "4,4,4", "big", "-1,3"])
def test_a_variant_that_there_is_not_is_refused_with_the_way_to_write_one(given: str) -> None:
    with pytest.raises(ValueError, match="dots:"):
        DOTS.variant(given)
