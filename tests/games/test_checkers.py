"""Checkers: its rules against OpenSpiel's and the published counts, both notations, and its positions."""

import random
from typing import Any

import pyspiel
import pytest

from parlour_protocol.ids import Side
from parlour_protocol.views.boards import VOID
from parlour_server.games import UnknownGame, find_game
from parlour_server.games.array_game import Numbers
from parlour_server.games.checkers import CHECKERS
from parlour_server.games.checkers.rules import PATIENCE, QUIET
from parlour_server.games.game import IllegalMove, InvalidMove, Setup
from tests.support.games import perft

THEIRS = pyspiel.load_game("checkers")


def test_how_many_ways_there_are_to_begin() -> None:
    assert perft(CHECKERS, CHECKERS.initial(), 5) == [7, 49, 302, 1_469, 7_361]


def turned(written: str) -> str:
    """A move on a board that is turned by half: there the first side sits below."""
    return "".join(
        "hgfedcba"["abcdefgh".index(one)] if one.isalpha() else str(9 - int(one)) for one in written
    )


def followed(state: Any, side: int, written: str = "") -> dict[str, Any]:
    """All moves of a side, where each jump of a chain is a ply: as we write them, with where they lead."""
    if state.is_terminal() or state.current_player() != side:
        return {written: state}
    found: dict[str, Any] = {}
    for action in state.legal_actions():
        step = turned(state.action_to_string(action))
        found |= followed(state.child(action), side, written + (step[2:] if written else step))
    return found


def test_the_rules_are_openspiels() -> None:
    dice, chains, ends = random.Random(2), 0, set()
    for _ in range(60):
        position, state = CHECKERS.initial(), THEIRS.new_initial_state()
        while not state.is_terminal():
            assert CHECKERS.outcome(position) is None
            theirs = followed(state, CHECKERS.to_move(position))
            legal = {CHECKERS.format(position, move): move for move in CHECKERS.legal_moves(position)}
            assert legal.keys() == theirs.keys()
            written = dice.choice(sorted(theirs))
            chains += len(written) > 6
            state, position = theirs[written], CHECKERS.play(position, legal[written])
        # There a game is drawn earlier.
        if state.returns()[0]:
            assert CHECKERS.utility(position) == state.returns()[0]
        ends.add(state.returns()[0])
    assert chains > 5
    assert {1, -1} <= ends


def placed(first: str, second: str, *, side: Side = 0, quiet: int = 0) -> Numbers:
    """A position with these pieces; kings are written in capitals."""
    texts = list(CHECKERS.texts(CHECKERS.initial()))
    texts = [text if text == VOID else CHECKERS.empty for text in texts]
    for one, names in enumerate((first, second)):
        for name in names.split():
            texts["abcdefgh".index(name[0].lower()) + 8 * (8 - int(name[1]))] = (
                CHECKERS.marks[one][1 if name.isupper() else 0]
            )  # fmt: skip
    return CHECKERS.place(Setup(tuple(texts), side, (quiet,)))


def written(position: Numbers) -> set[str]:
    """The legal moves there."""
    return {CHECKERS.format(position, move) for move in CHECKERS.legal_moves(position)}


def test_a_chain_goes_on_to_its_end() -> None:
    # No stop on d6, and whoever can take has to.
    assert written(placed("b8 h8", "c7 c5 e5")) == {"b8d6b4", "b8d6f4"}


def test_a_man_that_becomes_a_king_stops() -> None:
    position = placed("e3", "d2 f2 b2")
    assert written(position) == {"e3c1", "e3g1"}
    after = CHECKERS.play(position, CHECKERS.parse(position, "e3c1"))
    assert CHECKERS.view(after).texts()[7 * 8 + 2] == "◆"


def test_a_king_jumps_back_and_round_to_where_it_began() -> None:
    position = placed("E3", "d4 d6 f6 f4 A1")
    assert written(position) == {"e3c5e7g5e3", "e3g5e7c5e3"}
    # Either way is a move of its own; what both take is the same.
    first, second = (CHECKERS.play(position, move) for move in CHECKERS.legal_moves(position))
    assert first == second
    assert CHECKERS.texts(first).count("◇") == 1
    assert CHECKERS.texts(first).count("○") == 0
    with pytest.raises(IllegalMove, match="The jump goes on"):
        CHECKERS.parse(position, "e3c5")


def test_moves_are_read_as_draughts_players_write_them() -> None:
    position, numbers = CHECKERS.initial(), "11-15 22-18 15x22 25x18 8-11 29-25"
    assert CHECKERS.read(numbers) == ["f6e5", "c3d4", "e5c3", "b2d4", "g7f6", "a1b2"]
    assert CHECKERS.parse(position, " 9:13 ") == CHECKERS.parse(position, "b6-a5")
    for wrong in ("11-33", "0-4", "11", "11-", "99-99"):
        with pytest.raises(InvalidMove, match="is not a move of this game"):
            CHECKERS.parse(position, wrong)


@pytest.mark.parametrize(
    ("moves", "why"),
    [
        ("c3d4", "● has no piece on c3."),
        ("e5d4", "● has no piece on e5."),
        ("a8b7", "● has no piece on a8."),
        ("b8a7", "a7 is taken."),
        ("f6e5 c3d4 b6a5", "● has to jump: e5c3, for example."),
        ("b6a5 a3b4 c7b6 b4c5 b6d4 c3e5", "The jump goes on: c3e5c7."),
        ("f6e5 a3b4 e5f6", "A man steps forward only. A king steps backward, too."),
        ("f6d4", "Pieces step diagonally, to the next dark square."),
    ],
)
def test_a_wrong_move_is_refused_with_its_reason(moves: str, why: str) -> None:
    *before, last = moves.split()
    position, _ = CHECKERS.replay(" ".join(before))
    with pytest.raises(IllegalMove) as refused:
        CHECKERS.parse(position, last)
    assert str(refused.value) == why


def test_forty_quiet_moves_of_each_side_are_a_draw() -> None:
    position = placed("B8", "G1", quiet=PATIENCE - 2)
    position = CHECKERS.play(position, CHECKERS.parse(position, "b8a7"))
    assert CHECKERS.outcome(position) is None
    # A search knows a position whatever the counter says.
    assert CHECKERS.search_key(position) == CHECKERS.search_key((*position[:QUIET], 0))
    position = CHECKERS.play(position, CHECKERS.parse(position, "g1h2"))
    outcome = CHECKERS.outcome(position)
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (None, "40 moves each without a jump or a man's step")


@pytest.mark.parametrize(
    ("position", "why"),
    [
        ("4/4/4/4/4/4/4/b3 b", "A man on the last row is a king"),
        ("w3/4/4/4/4/4/4/B3 b", "A man on the last row is a king"),
        ("bbbb/bbbb/bbbb/b3/4/4/4/3w b", "No side has more than 12 pieces"),
        ("B3/4/4/4/4/4/4/3w b [80]", "A whole number from 0 to 79"),
        ("4/4/4/4/4/4/4/3w b", "The game is over there: all pieces were taken"),
        ("w3/bb2/b3/4/4/4/4/4 w", "A man on the last row"),
    ],
)
def test_a_position_that_can_t_be_is_refused(position: str, why: str) -> None:
    with pytest.raises(UnknownGame, match=why):
        find_game(f"checkers@{position}")
