"""Games are held to the contract: ours here, other people's when they are loaded."""

import pickle
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour_server.games import find_game
from parlour_server.games.contract import check
from parlour_server.games.game import BrokenContract, Game, GameIsOver, IllegalMove, MoveError, Rule
from parlour_server.games.mnk import MNK
from tests.support.games import GAMES, VARIANTS, random_game
from tests.support.mancala import MANCALA, Mancala

every_game = pytest.mark.parametrize("name", GAMES + VARIANTS)
seeds, plies = st.integers(0, 10**6), st.integers(0, 90)


@every_game
def test_our_games_keep_the_contract(name: str) -> None:
    game = find_game(name)
    check(game)
    assert len(game.read(game.sample)) >= 5 or game.name not in GAMES


@every_game
def test_a_game_is_sent_to_other_processes_in_few_bytes(name: str) -> None:
    game = find_game(name)
    sent = pickle.dumps(game)
    copy = pickle.loads(sent)
    assert len(sent) < 300
    assert type(copy) is type(game)
    assert (copy.name, copy.title, copy.summary) == (game.name, game.title, game.summary)
    assert copy.replay(game.sample) == game.replay(game.sample)


@every_game
@given(seeds, plies)
def test_positions_are_values(name: str, seed: int, plies: int) -> None:
    game = find_game(name)
    for (position, _), (same, _) in zip(
        random_game(game, seed, plies), random_game(game, seed, plies), strict=True
    ):
        copy = pickle.loads(pickle.dumps(position))
        assert copy == same == position
        assert type(copy) is type(position)
        assert hash(copy) == hash(position)


@every_game
@given(st.text())
def test_any_text_is_a_move_or_invalid(name: str, text: str) -> None:
    game = find_game(name)
    try:
        move = game.parse(game.initial(), text)
    except MoveError as error:
        assert len(str(error)) < 100
        assert str(error).isprintable()
    else:
        assert game.format(game.initial(), move)


@every_game
@given(seeds, plies, st.booleans())
def test_what_is_written_is_read_back(name: str, seed: int, plies: int, capitals: bool) -> None:
    game = find_game(name)
    path = random_game(game, seed, plies)
    position, _ = path[-1]
    for move in game.legal_moves(position):
        text = game.format(position, move)
        assert game.parse(position, f"  {text.upper() if capitals else text} ") == move
    words = [game.format(before, move) for (before, _), (_, move) in pairwise(path) if move is not None]
    assert game.replay(" ".join(words)) == path[-1]


@every_game
@given(seeds, plies)
def test_a_view_shows_the_position_and_where_moves_lead(name: str, seed: int, plies: int) -> None:
    game = find_game(name)
    position, last = random_game(game, seed, plies)[-1]
    view, outcome = game.view(position, last), game.outcome(position)
    board = view.texts()
    assert (view.to_move is None) == (outcome is not None)
    # The house that was sown is empty.
    assert view.layout == "pits" or view.empty not in {board[cell] for cell in view.last[:1]}
    winner = None if outcome is None else outcome.winner
    assert {board[cell] for cell in view.line} <= set() if winner is None else {view.marks[winner][0]}
    for move, target in zip(game.legal_moves(position), view.paths, strict=True):
        # A house of seeds is not empty, and a line is no side's.
        if not isinstance(target, int) or target == -1 or view.layout in ("pits", "edges"):
            continue
        after = game.view(game.play(position, move), move)
        if view.side_of(board[target]) == view.to_move:
            # A stone of one's own is taken away.
            assert (after.last, after.texts()[target]) == ([], view.empty)
        else:
            assert board[target] == view.empty
            assert (after.last, after.texts()[target]) == ([target], view.marks[view.to_move or 0][0])


# ---------------------------------------------------------------- a side that moves twice running


def test_a_side_moves_twice_running_where_the_game_says_so() -> None:
    check(MANCALA)
    position, last = MANCALA.replay("a1")
    view = MANCALA.view(position, last)
    assert (MANCALA.to_move(position), view.to_move, view.legal) == (0, 0, ["a2", "a3"])
    assert (view.cells, view.counts[0].of) == ([["3", "3", "3"], ["·", "4", "4"]], [1, 0])
    position, last = MANCALA.replay("a1 a2")
    view = MANCALA.view(position, last)
    assert (view.to_move, view.legal, view.paths) == (1, ["b1", "b2", "b3"], [0, 1, 2])
    with pytest.raises(IllegalMove, match="Move 2"):
        MANCALA.replay("a1 b1")


def test_such_a_game_is_played_to_its_end() -> None:
    twice = winners = 0
    for seed in range(20):
        path = [position for position, _ in random_game(MANCALA, seed)]
        sides = [MANCALA.to_move(position) for position in path]
        twice += sum(side == after for side, after in pairwise(sides))
        outcome = MANCALA.outcome(path[-1])
        assert outcome is not None and outcome.termination == "count"
        winners |= 1 << (2 if outcome.winner is None else outcome.winner)
        with pytest.raises(GameIsOver):
            MANCALA.result(path[-1], 0)
    assert twice > 20
    assert winners & 3 == 3


# ---------------------------------------------------------------- breaches


class Draughty(MNK):
    """Tic-tac-toe, for a method or a field of it to be broken."""

    def __init__(self) -> None:
        super().__init__(3, 3, 3, name="draughty", title="Draughty")

    def __reduce__(self) -> tuple[object, ...]:
        return Draughty, ()


def seen(**change: Any) -> dict[str, Any]:
    """A view with these fields changed; a function is given the field."""

    def view(self: Game[Any], position: Any, last: int | None = None) -> Any:
        whole = MNK.view(self, position, last)  # type: ignore[arg-type]
        now = {name: made(getattr(whole, name)) if callable(made) else made for name, made in change.items()}
        return replace(whole, **now)

    return {"view": view}


def giving(name: str, made: Callable[[Any], Any]) -> dict[str, Any]:
    """A method whose answer is changed."""
    return {name: lambda self, *given: made(getattr(MNK, name)(self, *given))}


BREACHES: list[tuple[dict[str, Any], str]] = [
    ({"title": ""}, "its title is not a short line"),
    ({"summary": "two\nlines"}, "its summary is not one line"),
    ({"sample": "b2 b2"}, "its sample can't be played: Move 2 ('b2'): b2 is taken."),
    (giving("to_move", lambda side: 1 - side), "side 1 is to move first"),
    (giving("to_move", lambda side: 0), "a side moves twice running, and `alternates` is true"),
    (giving("to_move", lambda side: 2), "the side to move is 2, neither 0 nor 1"),
    (giving("legal_moves", lambda moves: ()), "a position has legal moves and an outcome, or neither"),
    (giving("legal_moves", lambda moves: [*moves, *moves]), "a legal move is listed twice"),
    (giving("outcome", lambda end: end and replace(end, termination="luck")), "'luck' is no termination"),
    (giving("outcome", lambda end: end and replace(end, reason="")), "an outcome has no reason"),
    (giving("evaluate", lambda guess: 5000), "an estimate is beyond -4800 and 4800"),
    (giving("format", lambda text: text * 90), "is not one word"),
    (giving("format", lambda text: f"{text}?"), "doesn't match its notation"),
    (giving("parse", lambda move: 0), "is not read back as the same move"),
    (giving("view", lambda view: None), "its view is no BoardView"),
    (seen(cells=["...", "..."]), "a view can't be drawn: its cells are not one for each row and column"),
    (seen(cells=[["....."] * 3] * 3), "a text in it is not 1 to 4 characters long"),
    (seen(marks=[["X"], ["X"]]), "two of its marks are the same, or one is `empty`"),
    (seen(marks=[["X"], []]), "its marks are not two lists, each with a side's own sign first"),
    (seen(paths=lambda cells: [9 for _ in cells]), "a path is neither a cell of it nor -1"),
    (seen(paths=[]), "its legal moves do not each have a path"),
    (seen(paths=lambda cells: [[at] for at in cells]), "a path of several cells has less than two of them"),
    (seen(last=[9]), "its last move or its line is not a cell of it"),
    (seen(line=[-1]), "its last move or its line is not a cell of it"),
    (seen(legal=lambda moves: moves[::-1]), "a view's moves are not the legal ones"),
    ({"rules": lambda game: [Rule("Here.", "b2 b2")]}, "its rules can't be shown: Move 2 ('b2'): b2 is"),
    ({"rules": lambda game: []}, "its rules are not 1 to 12 points"),
    ({"rules": lambda game: [Rule("")]}, "a point of its rules is not one line"),
    (seen(to_move=1), "a view says that 1 is to move, and it is 0"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "breach"), BREACHES, ids=[breach for _, breach in BREACHES])
def test_a_breach_is_named(change: dict[str, Any], breach: str) -> None:
    check(Draughty())
    methods = {name: value for name, value in change.items() if callable(value)}
    game = type("Broken", (Draughty,), methods)()
    vars(game).update({name: value for name, value in change.items() if name not in methods})
    with pytest.raises(BrokenContract) as caught:
        check(game)
    assert breach in str(caught.value)


@pytest.mark.parametrize(
    ("change", "breach"),
    [
        ({"alternates": True}, "a side moves twice running, and `alternates` is true"),
        ({"max_plies": 2}, "a game goes on after 2 plies, its max_plies"),
    ],
)
def test_what_a_game_says_of_its_plies_is_held_against_them(change: dict[str, Any], breach: str) -> None:
    with pytest.raises(BrokenContract, match=breach):
        check(type("Broken", (Mancala,), change)())
