import asyncio
import re
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest

import parlour_server.games as registry
from parlour_protocol import commands
from parlour_server.games import UnknownGame, all_games, broken_games, find_game
from parlour_server.games.game import Game
from parlour_server.games.gomoku import GOMOKU
from parlour_server.games.mnk import ANY, MNK, TICTACTOE
from parlour_server.games.numbers import NUMBERS
from parlour_server.query_server import QueryServer

OURS = EntryPoint("tictactoe", "parlour_server.games.mnk:TICTACTOE", registry.GROUP)
Install = Callable[..., None]

BROKEN_GAME = """
from tests.support.mancala import Mancala

class Silent(Mancala):
    name = "silent"
    alternates = True

GAME = Silent()
"""


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Pretend that packages with these entry points are installed."""

    def pretend(*found: object) -> None:
        monkeypatch.setattr(registry, "entry_points", lambda group: found)
        registry._registry.cache_clear()

    yield pretend
    monkeypatch.undo()
    registry._registry.cache_clear()


def offers(name: str, load: Callable[[], object]) -> object:
    return SimpleNamespace(name=name, value=f"{name}.rules:GAME", load=load)


def fails() -> object:
    raise ImportError("no module named draughts")


@pytest.mark.parametrize("name", ["tictactoe", "TicTacToe", " TICTACTOE "])
def test_games_are_found_by_name(name: str) -> None:
    assert find_game(name) is TICTACTOE


def test_what_ships_is_whole() -> None:
    assert TICTACTOE in all_games()
    assert broken_games() == []


@pytest.mark.parametrize("name", ["poker", "", "x" * 10_000, "\x1b[2J"])
def test_an_unknown_game_is_answered_with_the_known_ones(name: str) -> None:
    with pytest.raises(UnknownGame, match=r"^There is no game '.*'\. Choose one of: .*tictactoe") as caught:
        find_game(name)
    assert len(str(caught.value)) < 200
    assert str(caught.value).isprintable()


def test_a_strangers_game_is_found(install: Install) -> None:
    gomoku = MNK(15, 15, 5, name="gomoku")
    install(offers("gomoku", lambda: gomoku), OURS)
    assert find_game("Gomoku") is gomoku
    assert all_games() == [TICTACTOE, gomoku]


def test_broken_games_take_no_other_down(install: Install) -> None:
    def leaves() -> object:
        raise SystemExit(3)

    nameless = MNK(4, 4, 4, name="a\nb")
    install(
        offers("draughts", fails),
        offers("exits", leaves),
        offers("number", lambda: 42),
        offers("shouting", lambda: nameless),
        OURS,
    )
    assert all_games() == [TICTACTOE]
    assert {broken.entry_point: broken.reason for broken in broken_games()} == {
        "draughts": "ImportError: no module named draughts",
        "exits": "SystemExit: 3",
        "number": "TypeError: number.rules:GAME is no instance of Game",
        "shouting": "ValueError: 'a?b' can't be typed as a game's name",
    }
    with pytest.raises(UnknownGame, match=r"'draughts' can't be loaded here\. Its host sees why"):
        find_game("draughts")


def test_a_game_that_breaks_the_contract_is_refused_with_its_file(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "silent_mancala.py"
    source.write_text(BROKEN_GAME, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    install(EntryPoint("silent", "silent_mancala:GAME", registry.GROUP), OURS)
    assert all_games() == [TICTACTOE]
    (broken,) = broken_games()
    assert (broken.entry_point, broken.file) == ("silent", str(source))
    assert broken.reason == "a side moves twice running, and `alternates` is true"


ENDLESS = """
from tests.support.mancala import Mancala

class Endless(Mancala):
    name = "endless"

    def legal_moves(self, position):
        while True:
            try:
                sum(range(100))
            except {caught}:
                pass
            # Here it may be interrupted, whatever it catches.
            sum(range(1000))

GAME = Endless()
"""


@pytest.mark.parametrize("caught", ["Exception", "BaseException"])
@pytest.mark.parametrize("in_thread", [False, True])
def test_a_game_that_loops_for_ever_is_left_out(
    caught: str,
    in_thread: bool,
    install: Install,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    name = f"endless_{caught.lower()}_{in_thread}".lower()
    source = tmp_path / f"{name}.py"
    source.write_text(ENDLESS.format(caught=caught), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(registry, "TRIAL_SECONDS", 0.3)
    install(EntryPoint("endless", f"{name}:GAME", registry.GROUP), OURS)
    if in_thread:
        thread = Thread(target=all_games)
        thread.start()
        thread.join()
    assert all_games() == [TICTACTOE]
    why = "it says nothing for 0.3 s; it may loop for ever"
    assert broken_games() == [registry.BrokenGame("endless", str(source), why)]

    async def lists_games() -> None:
        server = QueryServer(lambda answer: None)
        server.receive(commands.ListGames(id="1"))
        await server.close()

    asyncio.run(lists_games())
    assert capsys.readouterr().err == (
        f"A game can't be loaded: entry_point endless, file {source}, reason {why}.\n"
    )


def test_where_no_module_was_found_the_entry_point_is_named(install: Install) -> None:
    install(offers("draughts", fails), OURS)
    assert [broken.file for broken in broken_games()] == ["draughts.rules:GAME"]


@pytest.mark.parametrize("ours", [TICTACTOE, NUMBERS])
def test_nobody_can_take_the_name_of_a_game_that_ships(ours: Game[Any], install: Install) -> None:
    install(offers("a-first", lambda: MNK(4, 4, 4, name=ours.name)), OURS)
    assert find_game(ours.name) is ours
    assert [broken.entry_point for broken in broken_games()] == ["a-first"]


def test_the_list_is_made_once(install: Install) -> None:
    loads = []

    def load() -> object:
        loads.append("tictactoe")
        return TICTACTOE

    install(offers("counted", load))
    find_game("tictactoe")
    all_games()
    assert len(loads) == 1


# ---------------------------------------------------------------- variants


@pytest.mark.parametrize("text", ["mnk:7,7,4", "MNK:07,7,4", " mnk : 7, 7 ,4 "])
def test_a_variant_has_one_name_however_it_is_written(text: str) -> None:
    game = find_game(text)
    assert (game.name, game.title) == ("mnk:7,7,4", "Four in a row on 7x7")
    assert find_game(game.name).initial() == game.initial()


def test_what_spells_a_game_out_is_the_game_itself() -> None:
    assert find_game("mnk:5,5,4") is ANY
    assert find_game("mnk") is ANY
    assert find_game("gomoku") is GOMOKU
    assert find_game("gomoku:exact").name == "gomoku:exact"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("mnk:", "Write mnk:WIDTH,HEIGHT,K from 3 to 19, such as mnk:7,7,4 or mnk:7x7."),
        ("mnk:3,", "Write mnk:WIDTH,HEIGHT,K from 3 to 19, such as mnk:7,7,4 or mnk:7x7."),
        ("mnk:3,3,3,3", "Write mnk:WIDTH,HEIGHT,K from 3 to 19, such as mnk:7,7,4 or mnk:7x7."),
        ("mnk:a,b,c", "Write mnk:WIDTH,HEIGHT,K from 3 to 19, such as mnk:7,7,4 or mnk:7x7."),
        ("mnk:-3,3,3", "Write mnk:WIDTH,HEIGHT,K from 3 to 19, such as mnk:7,7,4 or mnk:7x7."),
        ("mnk:３,3,3", "Write mnk:WIDTH,HEIGHT,K from 3 to 19, such as mnk:7,7,4 or mnk:7x7."),
        ("mnk:" + "9" * 5000, "Write mnk:WIDTH,HEIGHT,K from 3 to 19, such as mnk:7,7,4 or mnk:7x7."),
        ("mnk:2,0,9", "A board is from 3 to 19 wide and high, not 2 by 0: mnk:7,7,4 is one."),
        (
            "mnk:99999999999,3,3",
            "A board is from 3 to 19 wide and high, not 99999999999 by 3: mnk:7,7,4 is one.",
        ),
        (
            "mnk:99999999999999999999,3,3",
            "A board is from 3 to 19 wide and high, not 99999999999999999999 by 3: mnk:7,7,4 is one.",
        ),
        ("mnk:7,6,2", "On a board of 7 by 6 K is from 3 to 7, not 2."),
        ("mnk:6,7,8", "On a board of 6 by 7 K is from 3 to 7, not 8."),
        ("mnk:3,3,4", "On a board of 3 by 3 K is 3, not 4."),
        ("gomoku:", "Write gomoku:exact, where a longer row doesn't win."),
        ("gomoku:19", "Write gomoku:exact, where a longer row doesn't win."),
        ("tictactoe:4", "tictactoe has no variants."),
        ("mnk:7,7,4:", "Write mnk:WIDTH,HEIGHT,K from 3 to 19, such as mnk:7,7,4 or mnk:7x7."),
    ],
)
def test_a_variant_that_cannot_be_is_refused_with_what_would_do(text: str, sentence: str) -> None:
    with pytest.raises(UnknownGame) as caught:
        find_game(text)
    assert str(caught.value) == sentence


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_a_game_shows_its_variants_and_they_are_there(game: Game[Any]) -> None:
    has_some = type(game).variant is not Game.variant
    assert bool(game.variants) == has_some
    named = [word for word in re.findall(rf"{game.name}:[^\s]*[a-z0-9]", game.variants) if word.islower()]
    assert bool(named) == has_some
    for name in named:
        assert find_game(find_game(name).name).name == find_game(name).name != game.name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        *((f"connect4:{size}", "connect4:8,7") for size in ("8x7", "8×7", "8 by 7", "8 X 7", "8 7", "8*7")),
        ("connect4:7x6", "connect4"),
        ("connect4:8", "connect4:8,8"),
        ("connect4: connect4:8,7 ", "connect4:8,7"),
        ("connect4:connect4", "connect4"),
        ("mnk:5x5", "mnk"),
        ("mnk:7", "mnk:7,7,4"),
        ("mnk:3x3", "mnk:3,3,3"),
        ("mnk:9 by 9", "mnk:9,9,5"),
        ("mnk:7x7x5", "mnk:7,7,5"),
        ("reversi:6x6", "reversi:6"),
        ("reversi:8", "reversi"),
        ("gomoku:15x15", "gomoku"),
    ],
)
def test_a_size_is_understood_as_people_write_it(text: str, name: str) -> None:
    assert find_game(text).name == name


@pytest.mark.parametrize(
    "text", ["connect4:8x", "connect4:x8", "connect4:8xx7", "connect4:8x7x6", "reversi:6x8"]
)
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(UnknownGame):
        find_game(text)


@pytest.mark.parametrize("game", all_games())
def test_what_is_usual_is_there_and_the_first_is_the_game_itself(game: Game[Any]) -> None:
    found = [game.variant(one).name for one in game.usual]
    assert found[:1] in ([], [game.name])
    assert len(set(found)) == len(found)
    assert bool(game.usual) == bool(game.variants)


def test_strangers_can_not_fill_the_memory_with_variants() -> None:
    registry._variant.cache_clear()
    for width in range(3, 20):
        for height in range(3, 20):
            find_game(f"mnk:{width},{height},3")
    assert registry._variant.cache_info().currsize == registry.VARIANTS_KEPT
