"""Bots as they come: each interface found in a file or told, played from both sides, and wrong answers."""

import json
import random
from pathlib import Path

import pytest

from parlour_client.bots.entrant import Own, beside, own, with_interface
from parlour_client.bots.errors import BotError, Illegal, NotAMove, Raised
from parlour_client.bots.interfaces import NAMES, PROGRAMS, interface
from parlour_client.bots.position import Position
from parlour_client.bots.process import BotProcess
from parlour_client.sdk.errors import UsageError
from tests.client.bots import engines
from tests.client.bots.files import write
from tests.client.terminal import piped

FOUND = {
    "cs50": (engines.CS50, "tictactoe"),
    "kaggle": (engines.KAGGLE, "connect4:5,4"),
    "aiplayer": (engines.AIPLAYER, "connect4"),
    "toronto": (engines.TORONTO, "reversi:6"),
}
TOLD = {
    "gtp": (engines.GTP, "go"),
    "gomocup": (engines.GOMOCUP, "gomoku"),
    "ugi": (engines.UGI.replace("DIALECT", "ugi").replace("GAME", "kalah"), "kalah"),
    "uci": (engines.UGI.replace("DIALECT", "uci").replace("GAME", "checkers"), "checkers"),
    "nboard": (engines.NBOARD, "reversi:6"),
}


async def play(process: BotProcess, game: str, side: int, dice: random.Random, plies: int = 40) -> int:
    """A game against chance, or its first moves; how many the bot made. Raises `BotError`."""
    position, made = Position.begin(game), 0
    while not position.over and len(position.moves) < plies:
        move = dice.choice(position.legal_moves)
        if position.to_move == position.marks[side]:
            asked = Position(game, position.view, position.moves, mark=position.to_move)
            move, made = (await process.choose(asked, 20)).move, made + 1
        position = position.play(move)
    return made


def test_what_an_entrant_means() -> None:
    assert own("hard:depth=3") is None
    assert own("mybot.py") == Own(None, ("mybot.py",))
    assert own("cs50:a/b c.py") == Own("cs50", ("a/b c.py",))
    engine = own("gtp:gnugo --mode 'g t p'")
    assert engine is not None
    assert (engine.words, engine.file) == (("gnugo", "--mode", "g t p"), None)
    assert own("gtp:") is None
    with pytest.raises(ValueError, match="quotation"):
        own("gtp:gnugo '")
    assert with_interface("a.py", "cs50") == "cs50:a.py"
    assert with_interface("hard", "cs50") == "hard"
    assert with_interface("ugi:a b", "cs50") == "ugi:a b"
    assert beside(Path("x"), "cs50:a.py") == "cs50:x/a.py"
    assert beside(Path("x"), "easy") == "easy"


def test_the_table_is_whole() -> None:
    for name in NAMES:
        assert (interface(name).name, interface(name).is_program) == (name, name in PROGRAMS)


@pytest.mark.parametrize("name", FOUND)
async def test_a_file_is_found_out_and_plays_both_sides(name: str, tmp_path: Path) -> None:
    source, game = FOUND[name]
    path = write(tmp_path, source, f"{name}_bot.py")
    async with BotProcess(path) as process:
        assert (process.interface, process.games) == (name, interface(name).games)
        for side in (0, 1):
            assert await play(process, game, side, random.Random(side)) > 2
        assert not process.plays("go")
    async with BotProcess(f"{name}:{path}") as process:
        assert process.interface == name


@pytest.mark.parametrize("name", TOLD)
async def test_an_engine_plays_both_sides(name: str, tmp_path: Path) -> None:
    source, game = TOLD[name]
    async with BotProcess(f"{name}:{write(tmp_path, source, 'toy.py')}") as process:
        assert (process.interface, process.name) == (name, "toy")
        for side in (0, 1):
            # Of go's, some moves that chance makes take stones: the points are free again.
            assert await play(process, game, side, random.Random(side), plies=8) == 4


async def test_toronto_s_older_form_and_what_ended_a_program(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    old = write(tmp_path, engines.TORONTO.replace("NEW = True", "NEW = False"), "old.py")
    async with BotProcess(old) as process:
        assert await play(process, "reversi:6", 1, random.Random(1)) > 2
    broken = write(tmp_path, engines.TORONTO.replace("for j in", "board.nothing\n    for j in"), "broken.py")
    async with BotProcess(broken) as process:
        with pytest.raises(
            Raised, match=r"broken.py, line \d+: .*AttributeError: 'tuple' .* 'nothing'"
        ) as raised:
            await play(process, "reversi:6", 0, random.Random(1))
        assert raised.value.line == 1 + broken.read_text().split("\n").index("    board.nothing")
        assert "Traceback" in capfd.readouterr().err


BEST = "return best(sorted(actions(board))"
WRONG: dict[str, tuple[str, str, type[BotError], str]] = {
    "an occupied cell": (
        engines.CS50.replace(BEST, f"return (2, 5)\n    {BEST}"),
        "tictactoe",
        Illegal,
        r"was \(2, 5\)\. minimax\(board\) .* \(row, column\) of a free cell.* here: \(0, 0\), \(0, 1\)",
    ),
    "an exception": (
        engines.CS50.replace(BEST, f"board.undo()\n    {BEST}"),
        "tictactoe",
        Raised,
        r"student.py, line \d+: AttributeError: 'list' .* 'undo'",
    ),
    "nothing": (
        engines.CS50.replace(BEST, f"return\n    {BEST}"),
        "tictactoe",
        NotAMove,
        "The answer was None. minimax",
    ),
    "the value for the move": (
        engines.CS50.replace(BEST, f"return value(board)\n    {BEST}"),
        "tictactoe",
        NotAMove,
        "The answer was 0. minimax",
    ),
    "a column that is none": (
        engines.KAGGLE.replace("[-1]", "[-1] + 9"),
        "connect4",
        Illegal,
        "a column that isn't full.* here: 0, 1, 2, 3, 4, 5, 6",
    ),
    "numpy's number": (
        engines.AIPLAYER.replace("== 0)[0]", "== 0)[0] + 9"),
        "connect4",
        Illegal,
        r"The answer was 9\. The method",
    ),
    "row and column exchanged": (
        engines.TORONTO.replace("return i, j", "return i + 6, j"),
        "reversi:6",
        Illegal,
        "was '8 1'.*of a legal move",
    ),
}


@pytest.mark.parametrize("case", WRONG)
async def test_a_wrong_answer_is_told_in_the_interface_s_own_words(case: str, tmp_path: Path) -> None:
    source, game, kind, said = WRONG[case]
    async with BotProcess(write(tmp_path, source, "student.py")) as process:
        with pytest.raises(kind, match=said):
            await play(process, game, 0, random.Random(1))


async def test_what_an_engine_does_not_take(tmp_path: Path) -> None:
    for source, name, game, said in (
        (engines.GTP, "gtp", "go:4", r'To "boardsize 4" it answered "\? unacceptable size"'),
        (engines.GOMOCUP.replace("<= 20", "< 9"), "gomocup", "gomoku", 'To "START 15" it answered "ERROR'),
    ):
        async with BotProcess(f"{name}:{write(tmp_path, source, 'toy.py')}") as process:
            with pytest.raises(BotError, match=said):
                await play(process, game, 0, random.Random(1))
    with pytest.raises(UsageError, match="there is nothing in it for minimax"):
        async with BotProcess(f"cs50:{write(tmp_path)}"):
            pass
    with pytest.raises(UsageError, match="no_such_engine can't be started"):
        async with BotProcess("gtp:no_such_engine"):
            pass


def test_a_match_of_two_interfaces_as_it_is_typed(tmp_path: Path) -> None:
    student = write(tmp_path, engines.CS50, "student.py")
    source = engines.UGI.replace("DIALECT", "ugi").replace("GAME", "tictactoe")
    words = ("--first", str(student), "--second", f"ugi:{write(tmp_path, source, 'toy.py')}")
    match = ("arena", "tictactoe", *words, "--games", "4", "--seed", "1")
    said, notes = piped(tmp_path, *match, "--json")
    found = json.loads(said)
    assert (found["interfaces"], found["second_wins"], found["faults"][0]["count"]) == (["cs50", "ugi"], 0, 0)
    assert "student is called by minimax(board), as in CS50." in notes
    for wrong, of in (
        (("arena", "connect4", "--first", str(student)), "student.py plays tictactoe, and not connect4"),
        (("arena", "--first", "gtp:no-such-engine -x"), "There is no program 'no-such-engine' here"),
        (("arena", "--first", "ugi:'"), "a quotation mark is missing"),
        (("arena", "--first", str(student), "--interface", "cs51"), "one of: parlour, aiplayer, cs50"),
        (("bot", str(student), "--host-games", "go", "--game", "go"), "--game goes with --check"),
    ):
        assert of in " ".join(piped(tmp_path, *wrong, code=2)[1].split())
