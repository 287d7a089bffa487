"""`parlour puzzle`: shown and solved line by line, or given as data with its answer."""

import json
import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("Windows has no ptys", allow_module_level=True)

from parlour_client.cli.puzzle import answered
from parlour_client.sdk.in_process import InProcessClient
from parlour_protocol.answers import Puzzle
from tests.client.terminal import Terminal, piped, run


async def of_today(game: str) -> Puzzle:
    async with InProcessClient() as client:
        return await client.puzzle(game)


def test_it_is_data_to_a_program(tmp_path: Path) -> None:
    out, _ = run(tmp_path, "puzzle", "connect4", "--json")
    puzzle = json.loads(out)
    assert puzzle["game"] == "connect4"
    right = [one["move"] for one in puzzle["candidates"] if one["score"]["result"] == puzzle["find"]]
    assert len(right) == 1
    assert puzzle["only"]
    again, _ = run(tmp_path, "puzzle", "connect4", "--json", "--day", puzzle["day"])
    assert again == out
    earlier, _ = run(tmp_path, "puzzle", "connect4", "--json", "--day", puzzle["before"])
    assert earlier != out


def test_a_server_has_the_same_one(tmp_path: Path, server: str) -> None:
    here, _ = run(tmp_path, "puzzle", "reversi", "--json")
    there, _ = run(tmp_path, "puzzle", "reversi", "--json", "--server", server)
    assert json.loads(here) == json.loads(there)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["gomoku:exact"], "There are no puzzles of gomoku:exact yet"),
        (["chess"], "chess"),
        (["--day", "1999-01-01"], "Choose a day from"),
        (["--day", "hello"], "Choose a day from"),
    ],
)
def test_what_there_is_none_of_is_said_in_a_sentence(tmp_path: Path, words: list[str], says: str) -> None:
    _, said = run(tmp_path, "puzzle", *words, code=2)
    assert says in said


async def test_every_line_has_an_answer() -> None:
    puzzle = await of_today("tictactoe")
    right, wrong = puzzle.candidates[0].move, puzzle.candidates[-1].move
    said, over = answered(puzzle, f" {right.upper()} ")
    assert (said.startswith(f"Right! {right}: "), over) == (True, True)
    said, over = answered(puzzle, wrong)
    assert (said.startswith(f"Not this one. {wrong}: "), over) == (True, False)
    said, over = answered(puzzle, "a")
    assert (said.startswith(f"The answer: {right} ("), over) == (True, True)
    assert said.endswith(f"Best play: {' '.join(puzzle.line)}")
    assert puzzle.line[0] == right
    for nonsense in ("", "z9", "hello there"):
        said, over = answered(puzzle, nonsense)
        assert (said.startswith("Type a move as the board names it"), over) == (True, False)


async def test_a_person_solves_it(tmp_path: Path) -> None:
    puzzle = await of_today("tictactoe")
    right, wrong = puzzle.candidates[0].move, puzzle.candidates[-1].move
    with Terminal(tmp_path, "puzzle", "tictactoe") as terminal:
        terminal.until("your move, a: answer, q: quit >")
        assert "Find the only move" in terminal.shown
        terminal.type(f"{wrong}\n")
        terminal.until("Not this one.")
        terminal.type(f"{right}\n")
        terminal.until("Right!")
        assert terminal.end() == 0


async def test_a_pipe_answers_it_line_by_line(tmp_path: Path) -> None:
    puzzle = await of_today("tictactoe")
    right, wrong = puzzle.candidates[0].move, puzzle.candidates[-1].move
    out, _ = piped(tmp_path, "puzzle", "tictactoe", typed=f"{wrong}\nz9\n{right}\n{wrong}\n")
    said = [out.index(words) for words in ("Find the", "Not this one.", "Type a move", f"Right! {right}")]
    assert said == sorted(said)
    assert out.count("Not this one.") == 1, "it is over once it is solved"
    unsolved, _ = piped(tmp_path, "puzzle", "tictactoe", typed=f"{wrong}\n")
    assert unsolved.rstrip().splitlines()[-1].startswith("Not this one.")
