"""Connect Four solved: against plain alpha-beta, in a mirror, stopped halfway, and out of the book."""

import os
import random
import threading
from typing import Any

import numpy as np
import pytest

from parlour_protocol.views.reports import Candidate, Report
from parlour_server.games.connect4 import CONNECT_FOUR, Position
from parlour_server.games.game import Move
from parlour_server.search.algorithms.alphabeta import alphabeta
from parlour_server.search.algorithms.engine import engine
from parlour_server.search.connect4 import book, from_book, probe, solve
from parlour_server.search.connect4.exact import LOOK_AHEAD
from parlour_server.search.control import Control
from parlour_server.search.kernels import compiled
from scripts.connect4_book import open_columns, position_of

GAME = CONNECT_FOUR
SEED = int(os.environ.get("SEED", "1"))


@pytest.fixture(scope="module", autouse=True)
def code() -> Any:
    return compiled.solver(GAME)


def random_position(seed: int, stones: int) -> Position:
    """An unfinished position with this many stones, reached by legal moves."""
    rng = random.Random(seed)
    while True:
        position = GAME.initial()
        while position.mask.bit_count() < stones and not position.over:
            position = GAME.play(position, rng.choice(GAME.legal_moves(position)))
        if not position.over:
            return position


def found(report: Report) -> dict[str, tuple[object, ...]]:
    return {
        each.move: (each.score.points, each.score.kind, each.score.result, each.score.plies)
        for each in report.candidates
    }


def mirrored(position: Position) -> Position:
    key, swapped = book.canonical(position.mine, position.mask)
    mine, mask = position_of(key)
    if swapped:
        return Position(mine, mask)
    return Position(
        *(sum((stones >> 7 * at & 127) << 7 * (6 - at) for at in range(7)) for stones in position[:2])
    )


# ---------------------------------------------------------------- against an independent witness


@pytest.mark.parametrize("stones", [*range(31, 42)])
def test_every_score_and_distance_is_plain_alpha_betas(stones: int) -> None:
    for seed in range(12):
        position = random_position(100 * SEED + seed, stones)
        report = solve(position, control=Control(), every_move=True)
        plain = alphabeta(GAME, position, rng=random.Random(1), control=Control(), scores="every")
        known = {
            each.move: (each.score.points, each.score.result, each.score.plies) for each in plain.candidates
        }
        for each in report.candidates:
            assert each.score.kind == "exact"
            if each.move in known:
                assert (each.score.points, each.score.result, each.score.plies) == known[each.move]
        # Where moves are forced, the rules name one alone, and it is a best one.
        assert {each.move for each in report.candidates} == {
            GAME.format(position, move) for move in GAME.legal_moves(position)
        }
        assert report.candidates[0].score.points == plain.candidates[0].score.points
        assert report.best == report.candidates[0].move
        assert report.finished


@pytest.mark.parametrize("seed", range(20))
def test_every_move_agrees_with_the_position_behind_it(seed: int) -> None:
    position = random_position(seed, 20 + seed % 5)
    report = solve(position, control=Control(), every_move=True)
    scores = [each.score.points for each in report.candidates]
    assert scores == sorted(scores, reverse=True)
    for each in report.candidates:
        child = GAME.play(position, GAME.parse(position, each.move))
        if child.over:
            assert each.score.plies == 1
            continue
        behind = solve(child, control=Control()).candidates[0]
        assert each.score.result == (-behind.score).result
        assert each.score.plies == (behind.score.plies or 0) + 1
        if each.score.result == "draw":
            assert each.score.plies == GAME.plies_left(position)


@pytest.mark.parametrize("stones", [0, 1, 12, 18, 23, 24, 30, 36])
def test_a_mirror_changes_nothing(stones: int) -> None:
    position = random_position(SEED, stones)
    one = found(solve(position, control=Control(), nodes=3_000_000, every_move=True))
    other = found(solve(mirrored(position), control=Control(), nodes=3_000_000, every_move=True))
    for move, (score, kind, result, plies) in one.items():
        twin = other[str(8 - int(move))]
        if kind == twin[1] == "exact":
            assert twin == (score, kind, result, plies)


def test_the_line_leads_to_what_is_promised() -> None:
    for seed in range(30):
        position = random_position(seed, 26)
        report = solve(position, control=Control())
        best = report.candidates[0]
        assert report.line[0] == report.best == best.move
        for move in report.line:
            position = GAME.result(position, GAME.parse(position, move))
        assert best.score.plies == len(report.line)
        assert position.over == (3 if best.score.result == "draw" else 1 if best.score.plies % 2 else 2)


# ---------------------------------------------------------------- stopped


HARD = "1435"
"""Off the book, and not solved in a moment."""


def test_a_search_that_is_not_wanted_ends_at_once() -> None:
    position, _ = GAME.replay(HARD)
    flag = bytearray(b"\1")
    report = solve(position, control=Control(flag=flag), every_move=True)
    assert not report.finished
    assert report.nodes <= 2048
    assert len(report.candidates) == 7
    assert report.best is not None


def test_a_flag_stops_it_on_the_way() -> None:
    position, _ = GAME.replay(HARD)
    flag = bytearray(1)
    timer = threading.Timer(0.1, lambda: flag.__setitem__(0, 1))
    timer.start()
    report = solve(position, control=Control(flag=flag), every_move=True)
    assert not report.finished
    # It would have found every move's score, seconds later.
    assert any(found.score.kind != "exact" for found in report.candidates)


def test_without_a_flag_it_asks() -> None:
    position, _ = GAME.replay(HARD)
    asked = iter([False] * 6)
    report = solve(position, control=Control(stopped=lambda: next(asked, True)), every_move=True)
    assert not report.finished
    assert report.nodes < 2_000_000


def test_what_is_not_solved_in_time_is_judged_by_looking_ahead() -> None:
    compiled.prepare(GAME)
    position, _ = GAME.replay("12")
    control = Control(compiled=True)
    report = solve(position, control=control, nodes=4_000_000, every_move=True)
    assert report == solve(position, control=control, nodes=4_000_000, every_move=True)
    assert report.depth >= 8
    guessed = engine(GAME, position, rng=random.Random(0), control=control, nodes=LOOK_AHEAD, full=True)
    scores = {one.move: one.score.points for one in guessed.candidates}
    reported = [one for one in report.candidates if one.score.kind == "estimate"]
    assert reported
    assert all(one.score.points == scores[one.move] for one in reported)


@pytest.mark.parametrize("seed", range(25))
def test_what_is_known_by_then_is_true(seed: int) -> None:
    position = random_position(seed, 14 + seed % 8)
    exact = found(solve(position, control=Control(), every_move=True))
    for nodes in (1_500, 10_000, 60_000, 300_000):
        report = solve(position, control=Control(), nodes=nodes, every_move=True)
        assert report.finished
        assert report == solve(position, control=Control(), nodes=nodes, every_move=True)
        assert {each.move for each in report.candidates} == set(exact)
        for each in report.candidates:
            agrees(each, exact[each.move])


def agrees(each: Candidate, truth: tuple[object, ...]) -> None:
    score, _, result, plies = truth
    assert isinstance(score, int)
    match each.score.kind:
        case "exact":
            assert (each.score.points, each.score.result, each.score.plies) == (score, result, plies)
        case "at_least":
            assert each.score.points <= score
        case "at_most":
            assert each.score.points >= score
        case "estimate":
            assert -48 <= each.score.points <= 48
    if each.score.result is not None:
        assert each.score.result == result


def test_reports_come_while_it_thinks() -> None:
    position = random_position(3, 16)
    shown: list[Report] = []
    report = solve(position, control=Control(publish=shown.append), every_move=True)
    assert len(shown) >= 3
    assert not any(each.finished for each in shown)
    assert all(len(each.candidates) == len(report.candidates) for each in shown)
    exact = [sum(each.score.kind == "exact" for each in some.candidates) for some in shown]
    assert exact == sorted(exact)


# ---------------------------------------------------------------- the book


def test_the_book_is_the_one_that_belongs_here() -> None:
    assert len(book.entries()) > 1_000
    assert book.PATH.stat().st_size == 8 * len(book.entries())


def test_a_damaged_book_is_refused(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged = tmp_path / "book.bin"
    content = bytearray(book.PATH.read_bytes())
    content[100] ^= 1
    damaged.write_bytes(content)
    monkeypatch.setattr(book, "PATH", damaged)
    book.entries.cache_clear()
    try:
        with pytest.raises(book.DamagedBook):
            book.entries()
        # The solver goes on without it.
        with pytest.warns(UserWarning, match="without its opening book"):
            assert probe(GAME.initial()) is None
    finally:
        monkeypatch.undo()
        book.entries.cache_clear()


def test_every_entry_is_a_position_with_a_legal_move() -> None:
    for key, (score, column) in book.entries().items():
        mine, mask = position_of(key)
        assert book.canonical(mine, mask) == (key, False)
        assert column in open_columns(mask)
        assert -21 <= score <= 21
        assert mask.bit_count() - mine.bit_count() - mine.bit_count() in (0, 1)


def test_a_random_part_of_the_book_is_right() -> None:
    # The later ones: those near the empty board take minutes (scripts/connect4_book.py --check).
    late = [key for key in sorted(book.entries()) if position_of(key)[1].bit_count() >= 9]
    for key in random.Random(SEED).sample(late, 3):
        position = Position(*position_of(key))
        score, column = book.entries()[key]
        assert score == solved(position)
        assert score == -solved(GAME.play(position, column))


def solved(position: Position) -> int:
    """The solver's score, from an empty table and without the book."""
    code = compiled.solver(GAME)
    work = np.zeros(code.WORK, np.int64)
    work[code.LIMIT], work[code.LOW], work[code.HIGH] = 1 << 60, -21, 21
    stones = position.mask.bit_count()
    table = np.zeros(1 << 22, np.int64)
    assert code.solve(position.mine, position.mask, stones, work, table, 64 - 22, np.zeros(1, np.uint8))
    return int(work[code.LOW])


@pytest.mark.parametrize("side", [0, 1])
def test_whatever_the_opponent_plays_the_answer_is_near(side: int) -> None:
    rng = random.Random(f"{SEED}/{side}")
    for _ in range(6):
        position = GAME.initial()
        worth = None
        while not position.over:
            if GAME.to_move(position) == side:
                report = solve(position, control=Control(), nodes=3_000_000)
                best = report.candidates[0]
                assert best.score.kind == "exact"
                assert worth is None or best.score.points >= worth
                # Two plies on, the same end is two plies nearer.
                worth = best.score.points + 2 * ((best.score.points > 0) - (best.score.points < 0))
                move = GAME.parse(position, best.move)
            else:
                move = reply(rng, position)
            position = GAME.play(position, move)
        assert position.over != (2 if side == 0 else 1) or worth is None or worth < 0


def reply(rng: random.Random, position: Position) -> Move:
    """Any move, but more often one that takes what is offered: so games last."""
    forced = GAME.search_order(position)
    return rng.choice(forced if rng.random() < 0.8 else GAME.legal_moves(position))


def test_the_empty_board() -> None:
    report = solve(GAME.initial(), control=Control(), every_move=True)
    assert report.best == "4"
    assert report.finished
    assert [
        (each.move, each.score.kind, each.score.result, each.score.plies) for each in report.candidates
    ] == [
        ("4", "exact", "win", 41),
        ("3", "exact", "draw", 42),
        ("5", "exact", "draw", 42),
        ("2", "exact", "loss", 42),
        ("6", "exact", "loss", 42),
        ("1", "exact", "loss", 40),
        ("7", "exact", "loss", 40),
    ]


# ---------------------------------------------------------------- the rest


def test_a_finished_position_can_not_be_solved() -> None:
    over, _ = GAME.replay("1212121")
    with pytest.raises(ValueError, match="the game is over"):
        solve(over, control=Control())


@pytest.mark.parametrize("moves", ["", "4", "44", "4444", "444444"])
def test_what_the_book_shows_alone_is_what_is_found_with_the_solver(moves: str) -> None:
    position, _ = GAME.replay(moves)
    alone = from_book(position, control=Control(), every_move=True)
    assert alone is not None
    whole = solve(position, control=Control(), every_move=True)
    assert (alone.best, found(alone), alone.finished) == (whole.best, found(whole), True)
    assert whole.line[: len(alone.line)] == alone.line


def test_the_book_is_silent_about_what_it_does_not_know() -> None:
    position, _ = GAME.replay("1")
    chosen = from_book(position, control=Control())
    assert chosen is not None
    assert chosen.best == solve(position, control=Control()).best
    assert from_book(position, control=Control(), every_move=True) is None
    assert from_book(random_position(3, 20), control=Control()) is None
