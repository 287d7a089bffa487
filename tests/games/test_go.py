"""Go: its rules against OpenSpiel's and against counts of all legal positions, and who wins on 3x3."""

import random
from itertools import product
from typing import Any

import pyspiel
import pytest

from parlour_server.games.array_game import Numbers
from parlour_server.games.game import IllegalMove, InvalidMove, Move
from parlour_server.games.go import GO, Go, rules
from parlour_server.games.go.rules import BLACK, PASSING, POINTS, STRIDE, WHITE
from parlour_server.search.algorithms.engine import engine
from parlour_server.search.control import Control
from parlour_server.search.kernels import compiled


@pytest.mark.parametrize("size", [3, 4, 5])
def test_the_rules_are_openspiels(size: int) -> None:
    game, dice = Go(size), random.Random(size)
    settings = {"board_size": size, "komi": float(game.komi), "max_game_length": 1000}
    theirs = pyspiel.load_game("go", settings)
    passing = size * size

    def action_of(move: Move) -> int:
        """Its rows count from below."""
        return passing if move == PASSING else (size - 1 - move // STRIDE) * size + move % STRIDE

    finished = 0
    for _ in range(25):
        state, position = theirs.new_initial_state(), game.initial()
        while game.outcome(position) is None and not state.is_terminal():
            legal = {action_of(move): move for move in game.legal_moves(position)}
            # What only OpenSpiel allows brings a board again: that ends its game.
            assert {*legal} <= {*state.legal_actions()}
            assert all(state.child(one).is_terminal() for one in {*state.legal_actions()} - {*legal})
            action = dice.choice([one for one in legal if one != passing or dice.random() < 0.3] or [passing])
            state.apply_action(action)
            position = game.play(position, legal[action])
        if state.is_terminal() and game.outcome(position) is not None:
            finished += 1
            assert state.returns()[0] == game.utility(position)
    assert finished > 5


def numbers(size: int, black: int = 0, white: int = 0, side: int = 0) -> list[int]:
    """A position without a past, also on boards that are too small to play on."""
    position = [0] * rules.POSITION
    position[0], position[BLACK], position[WHITE] = side, black, white
    position[POINTS] = sum((1 << size) - 1 << row * STRIDE for row in range(size))
    return position


def reachable(size: int) -> set[tuple[int, int]]:
    """All boards that play leads to, whatever was before. With colours exchanged they are reachable, too."""
    seen = {(0, 0)}
    rest = [*seen]
    run: Any = rules
    while rest:
        black, white = rest.pop()
        position = numbers(size, black, white)
        for stone in (1 << at for at in range(PASSING) if position[POINTS] >> at & 1):
            if not (black | white) & stone and run.breathes(position, stone):
                after = [*position]
                run.play(after, stone.bit_length() - 1)
                for board in ((after[BLACK], after[WHITE]), (after[WHITE], after[BLACK])):
                    if board not in seen:
                        seen.add(board)
                        rest.append(board)
    return seen


def all_legal(size: int) -> set[tuple[int, int]]:
    """All boards on which each group has a liberty, found by filling each point in each way."""
    cells = [(row, column) for row in range(size) for column in range(size)]
    beside = {
        (row, column): [
            (row + down, column + right)
            for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0))
            if (row + down, column + right) in cells
        ]
        for row, column in cells
    }
    found = set()
    for colours in product(".XO", repeat=len(cells)):
        board = dict(zip(cells, colours, strict=True))
        free = {cell for cell in cells if any(board[near] == "." for near in beside[cell])}
        growing = True
        while growing:
            more = {
                cell
                for cell in cells
                if cell not in free
                and any(near in free and board[near] == board[cell] for near in beside[cell])
            }
            free |= more
            growing = bool(more)
        if all(cell in free or board[cell] == "." for cell in cells):
            sides = ("X", "O")
            bits = [
                sum(1 << row * STRIDE + column for row, column in cells if board[row, column] == side)
                for side in sides
            ]
            found.add((bits[0], bits[1]))
    return found


@pytest.mark.parametrize(("size", "count"), [(1, 1), (2, 57), (3, 12_675)])
def test_play_leads_to_all_legal_positions_and_to_no_other(size: int, count: int) -> None:
    boards = reachable(size)
    assert len(boards) == count
    assert boards == all_legal(size)


def searched(game: Go, position: Numbers) -> tuple[str, str | None]:
    compiled.prepare(game)
    report = engine(game, position, rng=random.Random(1), control=Control(compiled=True), nodes=2_000_000)
    return report.candidates[0].score.kind, report.candidates[0].score.result


def test_on_3x3_the_middle_wins_all() -> None:
    small = Go(3)
    assert searched(small, small.replay("b2")[0]) == ("exact", "loss")


def test_on_5x5_nothing_else_than_that_the_middle_wins_is_ever_proven() -> None:
    assert searched(GO, GO.replay("c3")[0]) in [("estimate", None), ("exact", "loss"), ("at_most", "loss")]


def test_on_5x5_a_search_begins_in_the_middle() -> None:
    compiled.prepare(GO)
    for nodes in (1_000, 10_000, 100_000):
        report = engine(GO, GO.initial(), rng=random.Random(1), control=Control(compiled=True), nodes=nodes)
        assert report.best == "c3"


def test_no_board_comes_twice() -> None:
    before, _ = GO.replay("b3 c3 a2 d2 b1 c1 pass b2")
    position, _ = GO.replay("b3 c3 a2 d2 b1 c1 pass b2 c2")
    assert (GO.texts(before)[16], GO.texts(position)[16]) == ("○", GO.empty)
    with pytest.raises(IllegalMove, match="b2 would make the board as it was before"):
        GO.parse(position, "b2")
    # With a stone more on each side it is another board.
    later, _ = GO.replay("b3 c3 a2 d2 b1 c1 pass b2 c2 e5 a5")
    assert GO.texts(GO.play(later, GO.parse(later, "b2")))[17] == GO.empty


def test_points_are_counted_at_the_end() -> None:
    position, _ = GO.replay("c3 pass")
    assert (GO.counts(position)[0].of, GO.view(position).note) == (
        [25, 10],
        "○ has passed. If you pass, too, the game is over.",
    )
    outcome = GO.outcome(GO.replay("c3 pass pass")[0])
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (0, "25 points to 10")
    assert Go(4).counts(Go(4).initial())[0].of == [0, 2]
    assert GO.outcome(GO.replay("pass pass")[0]) is not None


def test_what_is_no_move_now_is_refused() -> None:
    small = Go(4)
    position, _ = small.replay("a2 d4 b1")
    for text, error, why in [
        ("a2", IllegalMove, "a2 is taken."),
        ("a1", IllegalMove, "A stone on a1 would have no liberty."),
        ("e1", IllegalMove, "e1 is off the board: columns a to d, rows 1 to 4."),
        ("f1", InvalidMove, "is not a move of this game"),
    ]:
        with pytest.raises(error, match=why):
            small.parse(position, text)


@pytest.mark.parametrize("given", ["2", "6", "5,4", "large", "9×9", "-3"])
def test_a_variant_that_there_is_not_is_refused_with_the_way_to_write_one(given: str) -> None:
    with pytest.raises(ValueError, match="go:4"):
        GO.variant(given)
