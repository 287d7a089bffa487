import random

import pyspiel
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour_protocol.ids import Side
from parlour_protocol.views.boards import Groups
from parlour_server.games.game import GameIsOver, IllegalMove, Move, Outcome
from parlour_server.games.ultimate import ANY, CERTAIN, ULTIMATE, Position, chance
from tests.support.games import check_end, perft, random_game

GAME = ULTIMATE


def random_position(seed: int, plies: int) -> tuple[Position, Move | None]:
    return random_game(GAME, seed, plies)[-1]


# ---------------------------------------------------------------- against independent witnesses


def test_perft() -> None:
    # Deeper in the kernel's test.
    assert perft(GAME, GAME.initial(), 5) == [81, 720, 6_336, 55_080, 473_256]


def test_random_games_agree_with_openspiel() -> None:
    witness = pyspiel.load_game("ultimate_tic_tac_toe")
    rng = random.Random(1)
    ends = set()
    for _ in range(300):
        position, state = GAME.initial(), witness.new_initial_state()
        while not state.is_terminal():
            assert GAME.outcome(position) is None
            assert GAME.to_move(position) == state.current_player()
            # There, the side that may choose the board does so in a turn of its own.
            free = all("Choose" in state.action_to_string(action) for action in state.legal_actions())
            assert free == (position.board == ANY)
            if free:
                theirs = [
                    9 * board + cell
                    for board in state.legal_actions()
                    for cell in state.child(board).legal_actions()
                ]
            else:
                theirs = [9 * position.board + cell for cell in state.legal_actions()]
            assert list(GAME.legal_moves(position)) == theirs
            move = rng.choice(theirs)
            if free:
                state.apply_action(move // 9)
            state.apply_action(move % 9)
            position = GAME.play(position, move)
        check_end(GAME, position, state)
        ends.add(GAME.utility(position))
    assert ends == {1, 0, -1}


# ---------------------------------------------------------------- the rules by hand


# X takes the top left board, along row 8; then O sends X there.
SENT_HOME = "b8 d6 a8 a6 c8 g6"


def test_who_is_sent_to_a_won_board_goes_anywhere() -> None:
    position, last = GAME.replay(SENT_HOME)
    assert position.board == ANY
    view = GAME.view(position, last)
    assert view.cells == [
        "XXX......", "XXX......", "XXX......",
        "O..O..O..", ".........", ".........",
        ".........", ".........", ".........",
    ]  # fmt: skip
    assert view.note == "The top left board is finished: the next move may go into any open one."
    assert view.groups == Groups(3, 3, ["X..", "...", "..."], list(range(1, 9)))
    assert len(view.legal) == 72 - 3
    with pytest.raises(IllegalMove, match=r"^a9 is in the top left board, which is won\. Play in any open"):
        GAME.check(position, GAME.parse(position, "a9"))


def ended_game(winner: Side | None) -> tuple[Position, Move | None]:
    for seed in range(1000):
        position, last = random_position(seed, 81)
        won = Outcome(winner, "three boards in a row", "line")
        drawn = Outcome(None, "no board is left to play in", "board_full")
        if GAME.outcome(position) == (drawn if winner is None else won):
            return position, last
    raise AssertionError("no such game was found")


@pytest.mark.parametrize("winner", [0, 1])
def test_three_boards_in_a_row_win_and_are_shown(winner: Side) -> None:
    position, last = ended_game(winner)
    view = GAME.view(position, last)
    assert (view.to_move, view.legal, view.paths, view.note) == (None, [], [], None)
    assert len(set(view.line)) == 27
    board = "".join(view.texts())
    assert {board[cell] for cell in view.line} == {view.marks[winner][0]}
    # Three whole boards, in a row.
    boards = sorted({cell // 27 * 3 + cell % 9 // 3 for cell in view.line})
    assert len(boards) == 3
    assert boards[1] - boards[0] == boards[2] - boards[1]
    with pytest.raises(GameIsOver, match=r"^The game is over: three boards in a row\.$"):
        GAME.result(position, 0)


def test_a_draw_has_no_line() -> None:
    position, last = ended_game(None)
    view = GAME.view(position, last)
    assert (view.line, view.to_move, view.note) == ([], None, None)
    assert view.groups is not None
    assert "." not in "".join(owner for row in view.groups.owners for owner in row)
    assert view.groups.active == []


# ---------------------------------------------------------------- moves that can't be


def test_a_taken_cell() -> None:
    with pytest.raises(IllegalMove, match=r"^Move 2 \('E5'\): e5 is taken\.$"):
        GAME.replay("e5 E5")


def test_the_wrong_board_says_which_is_right() -> None:
    with pytest.raises(IllegalMove) as caught:
        GAME.replay("e5 d4 i9")
    assert str(caught.value) == (
        "Move 3 ('i9'): i9 is in another board. The next move goes into the bottom left board: a1 to c3."
    )


def test_a_finished_board_is_named_as_won_or_full() -> None:
    said = set()
    for seed in range(60):
        for position, _ in random_game(GAME, seed):
            if position.over or position.board != ANY:
                continue
            for board in range(9):
                if position.finished >> board & 1:
                    with pytest.raises(IllegalMove) as caught:
                        GAME.result(position, 9 * board + 4)
                    said.add(str(caught.value))
    assert "e5 is in the middle board, which is won. Play in any open one." in said
    assert "e5 is in the middle board, which is full. Play in any open one." in said


# ---------------------------------------------------------------- views


def test_the_view_of_a_game_under_way() -> None:
    position, last = GAME.replay("e5 d4")
    view = GAME.view(position, last)
    assert (view.rows, view.columns) == (list("987654321"), list("abcdefghi"))
    assert view.cells == [
        ".........", ".........", ".........",
        ".........", "....X....", "...O.....",
        ".........", ".........", ".........",
    ]  # fmt: skip
    assert (view.marks, view.empty, view.to_move) == ([["X"], ["O"]], ".", 0)
    assert (view.last, view.line) == ([5 * 9 + 3], [])
    assert view.legal == ["a3", "b3", "c3", "a2", "b2", "c2", "a1", "b1", "c1"]
    assert view.paths == [54, 55, 56, 63, 64, 65, 72, 73, 74]
    assert view.note == "The next move goes into the bottom left board: a1 to c3."
    assert view.groups == Groups(3, 3, ["...", "...", "..."], [6])


@given(st.integers(0, 10**6), st.integers(0, 81))
def test_views_fit_their_positions(seed: int, plies: int) -> None:
    position, last = random_position(seed, plies)
    view = GAME.view(position, last)
    board = "".join(view.texts())
    assert len(board) == 81
    assert view.groups is not None
    owners = "".join(owner for row in view.groups.owners for owner in row)
    for group, owner in enumerate(owners):
        cells = [
            (group // 3 * 3 + row) * 9 + group % 3 * 3 + column for row in range(3) for column in range(3)
        ]
        shown = {board[cell] for cell in cells}
        finished = position.finished >> group & 1
        assert (owner == ".") == (not finished)
        if owner in "XO":
            assert shown == {owner}
        elif owner == "=":
            assert shown == {"X", "O"}
        else:
            assert "." in shown
    for written, path in view.ways():
        assert [board[cell] for cell in path] == [view.empty]
        move = GAME.parse(position, written)
        assert move in GAME.legal_moves(position)
        assert move // 9 in view.groups.active
    if last is not None:
        assert board[view.last[0]] != view.empty
    if not position.over and position.board == ANY and last is not None and plies > 0:
        assert view.note is not None
        assert view.note.endswith("board is finished: the next move may go into any open one.")


# ---------------------------------------------------------------- positions and searches


def wins(position: Position) -> bool:
    """Has the side to move a move that wins the game?"""
    return any(GAME.play(position, move).over in (1, 2) for move in GAME.legal_moves(position))


@given(st.integers(0, 10**6), st.integers(20, 81))
def test_what_searches_leave_out_is_never_better(seed: int, plies: int) -> None:
    position, _ = random_position(seed, plies)
    legal, ordered = set(GAME.legal_moves(position)), list(GAME.search_order(position))
    assert GAME.selective(position) is False
    assert position.over or GAME.urgent(position) is wins(position)
    assert len(set(ordered)) == len(ordered)
    assert set(ordered) <= legal
    if position.over:
        assert not ordered
    elif wins(position):
        assert len(ordered) == 1
        assert GAME.play(position, ordered[0]).over in (1, 2)
    else:
        assert ordered
        assert all(wins(GAME.play(position, move)) for move in legal - set(ordered))


@given(st.integers(0, 10**6), st.integers(0, 81))
def test_no_more_plies_are_left_than_free_cells(seed: int, plies: int) -> None:
    path = random_game(GAME, seed)
    for ply, (position, _) in enumerate(path):
        assert len(path) - 1 - ply <= GAME.plies_left(position) <= 81 - ply
    assert GAME.plies_left(GAME.initial()) == 81


@given(st.integers(0, 10**6), st.integers(0, 80))
def test_estimates_are_bounded_and_fair(seed: int, plies: int) -> None:
    position, _ = random_position(seed, plies)
    assert abs(GAME.evaluate(position)) <= 4800
    swapped = position._replace(
        mine=position.theirs,
        theirs=position.mine,
        my_boards=position.their_boards,
        their_boards=position.my_boards,
    )
    # To be on move is worth something to either side.
    assert 0 <= GAME.evaluate(position) + GAME.evaluate(swapped) <= 4800
    assert abs(GAME.evaluate(swapped)) <= 4800


def test_chances_of_a_small_board() -> None:
    assert chance(0b000_000_111, 0b011_011_000) == CERTAIN
    assert chance(0b011_011_000, 0b000_000_111) == 0
    # Full, and neither side's: a draw.
    assert chance(0b101_100_011, 0b010_011_100) == chance(0b010_011_100, 0b101_100_011) == 0
    # The last free cell would complete three of mine and none of theirs.
    assert chance(0b001_100_011, 0b110_011_000) == CERTAIN // 2
    assert chance(0b110_011_000, 0b001_100_011) == 0
    assert chance(1 << 4, 0) > chance(1 << 0, 0) > chance(1 << 1, 0) > chance(0, 0) > chance(0, 1 << 4)
