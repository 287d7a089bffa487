"""docs/writing-a-bot.md: every block of code on it runs, and does what is said of it; so do the examples."""

import random
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from parlour_client.bots import errors
from parlour_client.bots.file import BotFile, load, read
from parlour_client.bots.position import Position
from tests.docs.markdown import ROOT, blocks, named, page, tables
from tests.support.server_process import serving_in_thread

PAGE = page("docs/writing-a-bot.md")
BLOCKS = blocks(PAGE, "python")
BOTS = [block for block in BLOCKS if "def choose" in block]
PROGRAMS = [block for block in BLOCKS if "127.0.0.1" in block]
RANDOM, AHEAD, MINIMAX, ALPHABETA, REPORTING = range(5)
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.fixture(autouse=True)
def own_modules() -> Iterator[None]:
    """What a file brings with it leaves this process again."""
    path, modules = list(sys.path), set(sys.modules)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        if name in {"mybot", *(example.stem for example in EXAMPLES)}:
            del sys.modules[name]


def bot(folder: Path, source: str) -> BotFile:
    path = folder / "mybot.py"
    path.write_text(source, encoding="utf-8")
    return load(path)


def chosen(choose: Callable[[Position], Any], position: Position) -> str:
    found = read(choose(position))
    assert found is not None
    assert found[0] in position.legal_moves
    return found[0]


def play(choose: Callable[[Position], Any], game: str, dice: random.Random, side: int) -> int:
    """Points of a game against chance: 1 won, -1 lost."""
    position, mark = Position.begin(game), ""
    while not position.over:
        if len(position.moves) % 2 == side:
            # As a server would tell it.
            reported = Position(game, position.view, position.moves)
            mark = reported.mark
            position = position.play(chosen(choose, reported))
        else:
            position = position.play(dice.choice(position.legal_moves))
    assert position.outcome is not None
    winner = position.outcome.winner
    return 0 if winner is None else 1 if winner == mark else -1


# ---------------------------------------------------------------- bots


@pytest.mark.parametrize("number", range(len(BOTS)))
def test_a_bot_plays_whole_games_of_what_it_claims(tmp_path: Path, number: int) -> None:
    mine = bot(tmp_path, BOTS[number])
    dice = random.Random(number)
    for game in mine.games or ("tictactoe", "connect4"):
        for side in (0, 1):
            if (number, side) != (MINIMAX, 0):
                play(mine.choose, game, dice, side)


def test_each_is_better_than_the_one_before(tmp_path: Path) -> None:
    points = []
    for number in (RANDOM, AHEAD, ALPHABETA):
        mine, dice = bot(tmp_path, BOTS[number]), random.Random(1)
        random.seed(1)
        points.append(sum(play(mine.choose, "tictactoe", dice, side) for side in [0, 1] * 15))
    assert points[RANDOM] + 5 < points[1]
    assert points[1] <= points[2] + 3


def test_one_move_ahead_wins_and_does_not_lose_at_once(tmp_path: Path) -> None:
    choose = bot(tmp_path, BOTS[AHEAD]).choose
    assert chosen(choose, Position.begin("tictactoe", "a1 b1 a2 b2")) == "a3"
    assert chosen(choose, Position.begin("tictactoe", "a1 b1 c3 b2")) == "b3"


@pytest.mark.parametrize("number", [MINIMAX, ALPHABETA])
def test_a_bot_that_looks_ahead_finds_the_win_and_sees_the_loss(tmp_path: Path, number: int) -> None:
    choose = bot(tmp_path, BOTS[number]).choose
    assert chosen(choose, Position.begin("tictactoe", "a1 b1 a2 b2")) == "a3"
    assert chosen(choose, Position.begin("tictactoe", "b2 a1 a3")) == "c1"
    if number == MINIMAX:
        for seed in range(6):
            assert play(choose, "tictactoe", random.Random(seed), 1) >= 0


def test_alphabeta_sees_four_moves_ahead(tmp_path: Path) -> None:
    choose = bot(tmp_path, BOTS[ALPHABETA]).choose
    # Three in a row with both ends free is won in three.
    assert chosen(choose, Position.begin("connect4", "4 4 3 3")) in ("2", "5")
    # And one's own three must be met at once.
    assert chosen(choose, Position.begin("connect4", "1 4 1 3 1")) == "1"


def test_a_report_names_its_candidates_best_first(tmp_path: Path) -> None:
    found = read(bot(tmp_path, BOTS[REPORTING]).choose(Position.begin("tictactoe")))
    assert found is not None
    assert found[1] is not None
    assert (found[0], found[1].candidates[0].score.points, len(found[1].candidates)) == ("b2", 4, 9)


def test_a_position_is_made_without_a_server(capsys: pytest.CaptureFixture[str]) -> None:
    (source,) = [block for block in BLOCKS if block not in BOTS + PROGRAMS]
    exec(compile(source, "page", "exec"), {})
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "connect4, ○ to move:"
    assert shown[-1].split() == list("··●●···")


# ---------------------------------------------------------------- examples


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_plays_every_game(path: Path) -> None:
    mine, dice = load(path), random.Random(1)
    for game in ("tictactoe", "connect4", "reversi:6", "ultimate"):
        position = Position.begin(game)
        for _ in range(8):
            position = position.play(dice.choice(position.legal_moves))
            if position.over:
                break
        else:
            chosen(mine.choose, Position(game, position.view, position.moves))
    assert play(mine.choose, "tictactoe", dice, 1) in (-1, 0, 1)


def test_the_minimax_example_never_loses_and_takes_the_fastest_win() -> None:
    choose = load(ROOT / "examples/minimax_bot.py").choose
    assert chosen(choose, Position.begin("tictactoe", "a1 b1 a2 b2")) == "a3"
    begun = time.process_time()
    for seed in range(4):
        assert play(choose, "tictactoe", random.Random(seed), 1) >= 0
    assert time.process_time() - begun < 30


def test_the_reporting_example_reports() -> None:
    found = read(load(ROOT / "examples/reporting_bot.py").choose(Position.begin("tictactoe", "a1 b1 a2 b2")))
    assert found is not None
    move, report = found
    assert report is not None
    assert move == report.candidates[0].move == "a3"
    assert report.candidates[0].score.points == 50
    assert report.nodes > 0


# ---------------------------------------------------------------- programs


@pytest.mark.parametrize("source", PROGRAMS, ids=["asyncio", "blocking"])
def test_a_program_plays_a_game(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    with serving_in_thread() as url:
        exec(compile(source.replace("127.0.0.1:8765", url), "page", "exec"), {"__name__": "page"})
    assert "ResultView(termination=" in capsys.readouterr().out


# ---------------------------------------------------------------- what is said


def test_every_part_of_a_position_is_reported() -> None:
    reported = named(tables(PAGE)["Of a position"])
    public = {name for name in dir(Position) if not name.startswith("_")}
    assert {name.partition("(")[0] for name in reported} == public - {
        "begin",
        "of_room",
        "as_json",
        "from_json",
    }


def test_every_fault_is_reported() -> None:
    kinds = {kind.kind for kind in errors.BotError.__subclasses__()}
    assert set(named(tables(PAGE)["Fault"])) == kinds
