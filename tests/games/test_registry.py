from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from types import SimpleNamespace

import pytest

import parlour_server.games as registry
from parlour_server.games import UnknownGame, all_games, broken_games, find_game
from parlour_server.games.mnk import MNK, TICTACTOE

OURS = EntryPoint("tictactoe", "parlour_server.games.mnk:TICTACTOE", registry.GROUP)
Install = Callable[..., None]


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


@pytest.mark.parametrize("name", ["chess", "", "x" * 10_000, "\x1b[2J"])
def test_an_unknown_game_is_answered_with_the_known_ones(name: str) -> None:
    with pytest.raises(UnknownGame, match=r"^There is no game '.*'\. Choose one of: tictactoe") as caught:
        find_game(name)
    assert len(str(caught.value)) < 100
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


def test_nobody_can_take_the_name_of_a_game_that_ships(install: Install) -> None:
    install(offers("a-first", lambda: MNK(4, 4, 4, name="tictactoe")), OURS)
    assert find_game("tictactoe") is TICTACTOE
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
