"""The engine: right against other searches, and the same over the rules as in machine code."""

import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from parlour_protocol.ids import Side
from parlour_protocol.views.reports import Report
from parlour_server.games import find_game
from parlour_server.games.game import Game, Move
from parlour_server.games.mnk import MNK, TICTACTOE, Position
from parlour_server.search.algorithms.alphabeta import alphabeta
from parlour_server.search.algorithms.engine import Deepening, engine
from parlour_server.search.algorithms.minimax import minimax
from parlour_server.search.control import Control
from parlour_server.search.kernels import compiled, numba_modules
from parlour_server.search.kernels.interpreted import interpreted_search
from parlour_server.search.kernels.witness import both_searches
from parlour_server.search.reports.lab import IDEAS, race
from tests.search.positions import Nim, one_ply_later, solution, unfinished
from tests.search.test_searches import check_line

COMPILED = [
    "tictactoe",
    "mnk:5,4,4",
    "gomoku",
    "gomoku:exact",
    "connect4",
    "ultimate",
    "reversi",
    "reversi:6",
]
"""Games with a kernel, of every kernel and kind."""


def find(game: Game[Any], position: Any, *, seed: int = 0, **settings: Any) -> Report:
    control = settings.pop("control", Control())
    return engine(game, position, rng=Random(seed), control=control, **settings)


def after(game: Game[Any], plies: int, seed: int) -> Any:
    """An unfinished position that a random game comes to."""
    chance = Random(seed)
    position = game.initial()
    for _ in range(plies):
        following = game.play(position, chance.choice(game.legal_moves(position)))
        if game.outcome(following) is not None:
            break
        position = following
    return position


# ---------------------------------------------------------------- against other searches


def test_it_knows_every_position_of_tictactoe() -> None:
    for position in Random(3).sample(unfinished(), 150):
        truth = solution(position)
        report = find(TICTACTOE, position, full=True)
        assert {found.move: found.score.points for found in report.candidates} == truth
        assert {found.score.kind for found in report.candidates} == {"exact"}
        assert report.best is not None
        assert truth[report.best] == max(truth.values())
        for found in report.candidates:
            won = {True: "win", False: "loss"}[found.score.points > 0] if found.score.points else "draw"
            assert (found.score.result, found.score.plies) == (
                won,
                100 - abs(found.score.points) if found.score.points else None,
            )


def test_without_full_the_best_moves_are_found_and_no_other_is_said_to_be_as_good() -> None:
    for position in Random(4).sample(unfinished(), 150):
        truth = solution(position)
        report = find(TICTACTOE, position)
        assert report.best is not None
        assert truth[report.best] == max(truth.values())
        for found in report.candidates:
            if found.score.kind == "exact":
                assert found.score.points == truth[found.move]
            elif found.score.kind == "at_most":
                assert found.score.points >= truth[found.move]


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", range(2))
def test_its_estimates_are_those_of_minimax(depth: int, seed: int) -> None:
    game = MNK(4, 4, 4)
    position = after(game, 3 + seed, seed)
    truth = minimax(game, position, rng=Random(0), control=Control(), depth=depth)
    report = find(game, position, depth=depth, full=True)
    assert {one.move: one.score.points for one in report.candidates} == {
        one.move: one.score.points for one in truth.candidates
    }


def check_guesses(report: Report, truth: Report) -> int:
    """Every plain estimate is what a full window gives, and no bound is below it; how many are above it."""
    scores, loose = {one.move: one.score.points for one in truth.candidates}, 0
    for one in report.candidates:
        assert one.score.bound == ("at_most" if one.score.bound else None)
        assert one.score.bound is None or (one.score.kind, one.score.result) == ("estimate", None)
        if one.score.bound is None and one.score.kind == "estimate":
            assert one.score.points == scores[one.move]
        else:
            assert one.score.points >= scores[one.move]
            loose += one.score.points > scores[one.move]
    [best] = [one for one in report.candidates if one.move == report.best]
    assert (best.score.points, best.score.bound) == (max(scores.values()), None)
    assert {one.score.bound for one in truth.candidates} == {None}
    return loose


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_what_it_only_bounds_is_not_reported_as_an_estimate(depth: int) -> None:
    game, loose = MNK(4, 4, 4), 0
    for seed in range(5):
        position = after(game, 3 + seed, seed)
        truth = minimax(game, position, rng=Random(0), control=Control(), depth=depth)
        for search in (engine, alphabeta):
            report = search(game, position, rng=Random(0), control=Control(), depth=depth)
            loose += check_guesses(report, truth)
    assert (loose > 0) == (depth > 1)


@pytest.mark.parametrize("name", ["connect4", "ultimate", "reversi:6", "reversi"])
@pytest.mark.parametrize("seed", range(3))
def test_ends_are_those_of_alphabeta(name: str, seed: int) -> None:
    game = find_game(name)
    chance = Random(seed)
    position = game.initial()
    while game.plies_left(position) > 7:
        position = game.play(position, chance.choice(game.legal_moves(position)))
        if game.outcome(position) is not None:
            position = game.initial()
    truth = alphabeta(game, position, rng=Random(0), control=Control(), scores="every")
    report = find(game, position, full=True)
    judged = {one.move: one.score.points for one in report.candidates}
    worth = {one.move: one.score.points for one in truth.candidates}
    assert max(judged.values()) == max(worth.values())
    assert judged == worth
    assert all(one.score.kind == "exact" for one in report.candidates)


@pytest.mark.parametrize("seed", [1, 2, 4])
def test_no_end_is_farther_off_than_the_game_is_long(seed: int) -> None:
    """A table's scores are kept as seen from the position, and read as seen from the root."""
    game = find_game("connect4:4,4")
    position = after(game, 4, seed)
    reported = [one.score.plies for one in find(game, position).candidates if one.score.plies is not None]
    assert reported
    assert max(reported) <= game.plies_left(position)


def test_with_full_also_moves_that_no_search_would_try_are_judged() -> None:
    game = find_game("ultimate")
    chance = Random(2)
    judged = 0
    while judged < 3:
        position = after(game, 45, chance.randrange(1000))
        legal = game.legal_moves(position)
        if len(game.search_order(position)) == len(legal) or len(legal) > 20:
            continue
        report = find(game, position, full=True, depth=2)
        assert {one.move for one in report.candidates} == {game.format(position, move) for move in legal}
        tried = {game.format(position, move) for move in game.search_order(position)}
        scores = {one.move: one.score.points for one in report.candidates}
        assert max(scores.values()) == max(scores[move] for move in tried)
        judged += 1


REVERSI_WITH_PASSES = (
    "b3 b4 a5 c2 b1 e2 c5 b5 e5 a3 b2 e4 e3 c6 a6 e6 f1 a4 d5 e1 f4 c1 f3 a1 d1 a2 f6 d2 d6 b6 pass f5"
)


@pytest.mark.parametrize("plies", [27, 29, 30, 32])
def test_a_pass_costs_no_depth_at_the_root_either(plies: int) -> None:
    game = find_game("reversi:6")
    moves = " ".join(REVERSI_WITH_PASSES.split()[:plies])
    position, _ = game.replay(moves)
    truth = alphabeta(game, position, rng=Random(0), control=Control(), scores="every")
    for report in (find(game, position, full=True), find(game, position)):
        best = report.candidates[0]
        assert (best.score.points, best.score.kind) == (truth.candidates[0].score.points, "exact")
        assert best.score.margin == truth.candidates[0].score.margin
    entrants = [race(game, position, entrant, 12, Control()) for entrant in IDEAS]
    assert {report.candidates[0].score.points for report in entrants} == {truth.candidates[0].score.points}
    # Where the horizon comes before the end, no guess is called exact.
    for depth in (1, 2, 3):
        for entrant in IDEAS:
            [found] = race(game, position, entrant, depth, Control()).candidates
            assert found.score.kind == "estimate" or found.score.points == truth.candidates[0].score.points


def test_a_move_that_was_played_is_judged_where_the_search_would_pass_it_over() -> None:
    game = find_game("gomoku")
    position, _ = game.replay("h8 i9 h9 h7")
    corner = game.parse(position, "a1")
    assert corner not in game.search_order(position)
    report = find(game, position, full=True, depth=1, also=[corner])
    assert report.candidates[-1].move == "a1"
    assert len(report.candidates) < 20


def test_an_odd_game_without_a_kernel() -> None:
    game = Nim(11)
    report = find(game, game.initial(), full=True)
    truth = minimax(game, game.initial(), rng=Random(0), control=Control())
    assert {one.move: (one.score.points, one.score.result) for one in report.candidates} == {
        one.move: (one.score.points, one.score.result) for one in truth.candidates
    }
    check_line(game, game.initial(), report)


class Narrow(MNK):
    """A game in which a search looks at a few moves of one side alone, and not at the best."""

    quiet = 0

    def __init__(self, *size: int, side: Side) -> None:
        super().__init__(*size)
        self.side = side

    def search_order(self, position: Position) -> Sequence[Move]:
        return self.legal_moves(position)[: 4 if self.selective(position) else None]

    def selective(self, position: Position) -> bool:
        return self.to_move(position) == self.side and len(self.legal_moves(position)) > 4


def true_scores(game: MNK, position: Position) -> dict[str, int]:
    """What each move is worth, by the rules alone: a win in n plies is worth 100 - n."""

    @cache
    def after(position: Position, move: Move) -> int:
        following = game.play(position, move)
        outcome = game.outcome(following)
        if outcome is not None:
            return 0 if outcome.winner is None else 99
        return one_ply_later(-max(after(following, answer) for answer in game.legal_moves(following)))

    return {game.format(position, move): after(position, move) for move in game.legal_moves(position)}


def hasty(*size: int, exact: bool = False) -> MNK:
    """A small board on which moves are left out as on a large one, and more of them."""
    game = MNK(*size, exact=exact)
    assert game.threats is not None
    game.threats.tried = 3
    return game


@pytest.mark.parametrize(
    "game",
    [
        MNK(5, 5, 4),
        *(Narrow(*size, side=side) for size in ((4, 4, 3), (4, 4, 4), (5, 5, 4)) for side in (0, 1)),
        *(hasty(6, 6, 4), hasty(7, 6, 4, exact=True), hasty(7, 6, 5)),
    ],
    ids=lambda game: f"{type(game).__name__}-{game.name}",
)
def test_no_score_is_said_to_be_more_than_it_is_where_moves_are_left_out(game: MNK) -> None:
    chance, kinds = Random(1), set()
    for empty in (9, 8, 7, 6):
        position = game.initial()
        while game.plies_left(position) > empty:
            position = game.play(position, chance.choice(game.legal_moves(position)))
            if game.outcome(position) is not None:
                position = game.initial()
        truth = true_scores(game, position)
        for depth in (1, 2, 3, 4, 5, 7, None):
            for full in (False, True):
                for found in find(game, position, depth=depth, full=full).candidates:
                    true = truth[found.move]
                    kinds.add(found.score.kind)
                    assert found.score.kind != "exact" or found.score.points == true
                    assert found.score.kind != "at_least" or found.score.points <= true
                    assert found.score.kind != "at_most" or found.score.points >= true
                    assert found.score.result != "win" or true > 0
                    assert found.score.result != "loss" or true < 0
                    assert found.score.result != "draw" or true == 0
    assert "exact" in kinds


def test_a_win_that_is_found_ends_a_search_also_where_moves_are_left_out() -> None:
    game = find_game("gomoku")
    compiled.prepare(game)
    # A stone where two pairs cross makes two open threes.
    position, _ = game.replay("h8 a1 j8 a15 i10 o1 i11 o15")
    report = find(game, position, control=Control(compiled=True))
    assert game.selective(position)
    assert (report.best, report.finished, report.depth) == ("i8", True, 5)
    best = report.candidates[0]
    assert (best.score.result, best.score.kind, best.score.plies) == ("win", "exact", 5)


# ---------------------------------------------------------------- plain Python


def test_positions_that_the_table_has_no_room_for_are_forgotten() -> None:
    machine = interpreted_search(Nim(20), (20, 0), lambda: False, slots=1 << 4)

    def key(heap: int) -> int:
        machine.state[:] = [(heap, 0)]
        return int(machine.code.key(machine.state))

    keys = [key(heap) for heap in range(20, 10, -1)]
    assert len(set(keys)) == 10
    assert [key(heap) for heap in range(14, 10, -1)] == keys[-4:]
    assert key(20) not in keys


def test_moves_that_no_entry_of_the_table_has_room_for_are_refused() -> None:
    machine = interpreted_search(Nim(20), (20, 0), lambda: False)
    assert [machine.number(move) for move in range(65_535)] == list(range(65_535))
    with pytest.raises(ValueError, match=r"^nim has more than 65,535 moves"):
        machine.number(65_535)


def test_a_position_with_more_moves_than_there_is_room_for_is_refused() -> None:
    class Wide(Nim):
        def search_order(self, position: tuple[int, int]) -> Sequence[int]:
            return range(1, 20_001)

    game = Wide(30_000)
    game.max_plies = 100
    with pytest.raises(ValueError, match=r"^a position of nim has 20,000 moves"):
        find(game, (30_000, 0), depth=2)


# ---------------------------------------------------------------- machine code


@pytest.mark.parametrize("name", COMPILED)
@pytest.mark.parametrize(("plies", "depth", "full"), [(0, 3, True), (9, 3, False)])
def test_machine_code_visits_the_nodes_that_the_rules_do(
    name: str, plies: int, depth: int, full: bool
) -> None:
    game = find_game(name)
    compiled.prepare(game)
    assert compiled.is_ready(game)
    position = after(game, min(plies, game.max_plies // 2), plies)
    reports = []
    for machine in both_searches(game, position):
        search = Deepening(game, position, machine, rng=Random(1), control=Control(), full=full, bot="engine")
        reports.append(search.run(depth, None))
    assert reports[0] == reports[1]
    assert reports[0].nodes > 1


def test_nodes_bound_a_search_and_repeat_it() -> None:
    game = find_game("reversi")
    compiled.prepare(game)
    reports = [
        find(game, game.initial(), nodes=40_000, control=Control(compiled=True), seed=5) for _ in range(2)
    ]
    assert reports[0] == reports[1]
    assert 39_000 < reports[0].nodes < 41_100
    assert reports[0].finished


@pytest.mark.skipif(not numba_modules.available(), reason="there is no compiler here")
@pytest.mark.parametrize(
    ("name", "moves", "full"), [("connect4:9,7", "5", True), ("mnk", "", False), ("reversi", "", True)]
)
def test_moves_are_ranked_by_the_last_complete_round(name: str, moves: str, full: bool) -> None:
    game = find_game(name)
    compiled.prepare(game)
    position, _ = game.replay(moves)
    apart = changed = 0
    for nodes in range(2_000, 150_000, 8_000):
        report = find(game, position, nodes=nodes, full=full, control=Control(compiled=True))
        complete = find(game, position, depth=report.depth, full=full, control=Control(compiled=True))
        scores = {one.move: one.score for one in complete.candidates}
        found = {one.move: one.score for one in report.candidates}
        assert found.keys() == scores.keys()
        # What the round after it proved, and no more than that, takes the place of an estimate.
        assert all(found[move] == scores[move] or found[move].result for move in found)
        points = [one.score.points for one in report.candidates]
        assert points == sorted(points, reverse=True)
        best, round_ = report.best_score, report.unfinished
        assert best is not None
        assert (best.points < points[0]) == (round_ is not None and round_.chosen)
        if round_ is not None:
            apart += 1
            changed += round_.chosen
            assert round_.depth > report.depth
            assert 0 < len(round_.candidates) < len(found)
            assert not round_.chosen or report.best == round_.candidates[0].move
    assert apart
    if (name, full) == ("connect4:9,7", True):
        assert changed


def test_a_flag_stops_machine_code() -> None:
    game = find_game("reversi")
    compiled.prepare(game)
    flag = bytearray(1)
    timer = threading.Timer(0.3, lambda: flag.__setitem__(0, 1))
    timer.start()
    # Without the flag this would take far too long.
    report = find(game, game.initial(), control=Control(compiled=True, flag=flag))
    timer.join()
    assert not report.finished
    assert report.best is not None
    assert report.depth >= 1
    assert report.nodes > 1024


def test_reports_come_while_it_searches() -> None:
    seen: list[Report] = []
    game = find_game("connect4")
    find(game, game.initial(), depth=4, control=Control(publish=seen.append))
    assert [report.depth for report in seen if report.depth] == sorted(
        report.depth for report in seen if report.depth
    )
    assert {report.depth for report in seen} >= {1, 2, 3, 4}
    assert not any(report.finished for report in seen)


def test_a_damaged_file_in_the_cache_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARLOUR_CACHE", str(tmp_path))
    path = tmp_path / "there.py"
    path.write_text("")
    numba_modules._write(path, "whole = 1\n")
    assert path.read_text() == "whole = 1\n"
    date = path.stat().st_mtime_ns
    numba_modules._write(path, "whole = 1\n")
    assert path.stat().st_mtime_ns == date
    assert list(tmp_path.iterdir()) == [path]


def test_machine_code_is_taken_from_no_folder_that_others_may_write_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PARLOUR_CACHE", str(tmp_path))
    folder = numba_modules._folder("0123456789abcdef")
    assert folder.parent == tmp_path / "kernels"
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o777)
    other = numba_modules._folder("0123456789abcdef")
    assert other != folder
    assert other == numba_modules._folder("0123456789abcdef")


@pytest.mark.skipif(not numba_modules.available(), reason="there is no compiler here")
def test_numbers_are_of_the_kind_that_a_source_names_in_its_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "kinds" / "odd.py"
    source.parent.mkdir()
    (tmp_path / "kinds" / "__init__.py").write_text("")
    # Not what a comment says.
    source.write_text(
        "import numpy as np\n# DTYPE = np.uint64\nDTYPE = np.int64\ndef first(s): return s[0]\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PARLOUR_CACHE", str(tmp_path))
    signatures = {"first": "{dtype}({dtype}[::1])"}
    assert not numba_modules.is_kept(numba_modules.read_source("kinds.odd", signatures))
    module = numba_modules.make(numba_modules.read_source("kinds.odd", signatures))
    assert [str(kind.dtype) for (kind,) in module.first.signatures] == ["int64"]
    assert numba_modules.is_kept(numba_modules.read_source("kinds.odd", signatures))
    source.write_text("import numpy as np\nDTYPE = np.uint64\n")
    assert not numba_modules.is_kept(numba_modules.read_source("kinds.odd", signatures))
    # A stranger's rules may be a file that is in no package.
    (tmp_path / "odd_alone.py").write_text("def first(s): return s[0]\n")
    alone = numba_modules.make(numba_modules.read_source("odd_alone", {"first": "int64(int64[::1])"}))
    assert alone.first.signatures


@pytest.mark.skipif(not numba_modules.available(), reason="there is no compiler here")
@pytest.mark.skipif(sys.platform == "win32", reason="each compiles for itself there")
def test_two_processes_at_once_compile_but_once(tmp_path: Path) -> None:
    (tmp_path / "slow").mkdir()
    (tmp_path / "slow" / "__init__.py").write_text("")
    (tmp_path / "slow" / "kernel.py").write_text(
        "import time\nimport numpy as np\ntime.sleep(1)\ndef first(s):\n    return s[0]\n"
    )
    script = (
        "from parlour_server.search.kernels import compiled, numba_modules\n"
        "source = numba_modules.read_source('slow.kernel', {'first': 'int64(int64[::1])'})\n"
        "module = numba_modules.make(source)\n"
        "print(sum(module.first.stats.cache_misses.values()))\n"
    )
    here = {**os.environ, "PARLOUR_CACHE": str(tmp_path), "PYTHONPATH": str(tmp_path)}
    both = [
        subprocess.Popen([sys.executable, "-c", script], env=here, stdout=subprocess.PIPE) for _ in range(2)
    ]
    assert sorted(int(process.communicate()[0]) for process in both) == [0, 1]


@pytest.mark.skipif(not numba_modules.available(), reason="there is no compiler here")
@pytest.mark.parametrize("nodes", [*range(600, 12_000, 1_200), 30_000])
def test_a_round_that_is_cut_short_plays_nothing_that_it_has_proven_lost(nodes: int) -> None:
    game = find_game("connect4")
    compiled.prepare(game)
    # In the first what looks best for long turns out to be lost.
    for moves in ("5323133221655151162", "532313322165515116", "44444432266", "1212655"):
        position, _ = game.replay(moves)
        report = find(game, position, control=Control(compiled=True), nodes=nodes)
        results = {candidate.score.result for candidate in report.candidates}
        chosen = report.best_score
        assert chosen is not None
        assert chosen.result != "loss" or results == {"loss"}


def test_a_game_may_be_as_long_as_it_likes() -> None:
    class Endless(MNK):
        """Tic-tac-toe whose author is not sure how long it lasts."""

        def __init__(self) -> None:
            super().__init__(3, 3, 3)
            self.max_plies = 12_000

    game = Endless()
    for position in Random(5).sample(unfinished(), 20):
        usual = find(TICTACTOE, position, full=True)
        found = find(game, position, full=True)
        reported = [(one.move, one.score.kind, one.score.result, one.score.plies) for one in found.candidates]
        assert reported == [
            (one.move, one.score.kind, one.score.result, one.score.plies) for one in usual.candidates
        ]


@pytest.mark.skipif(not numba_modules.available(), reason="there is no compiler here")
@pytest.mark.parametrize(
    ("name", "kernel", "says"),
    [
        ("backwards", "DTYPE = np.int64\ndef ended(s):\n    return s[-1]\n", "Line 4 counts an index from"),
        ("wide", "MOVE_NUMBERS = 70_000\n", "MOVE_NUMBERS may be 65,535 at most, not 70,000"),
        ("broken", "DTYPE = np.int64\n", r"broken\.kernel"),
        (
            "taken",
            "POSITION = 2\ndef engine_key(s):\n    return 1\n",
            "engine_key is a name of the engine's own",
        ),
    ],
)
def test_a_kernel_that_cannot_be_compiled_says_so_and_the_rules_serve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, kernel: str, says: str
) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text("")
    (tmp_path / name / "kernel.py").write_text(f"import numpy as np\n{kernel}")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PARLOUR_CACHE", str(tmp_path))
    game = MNK(3, 3, 3)
    game.kernel = f"{name}.kernel"
    with pytest.raises(numba_modules.CompileFailed, match=says):
        compiled.prepare(game)
    assert not compiled.is_ready(game)
    assert find(game, game.initial(), control=Control(compiled=True), depth=2).best is not None
