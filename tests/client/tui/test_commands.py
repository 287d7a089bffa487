"""What each command opens on the full screen: the screen itself is taken away, all before it is as it is."""

import asyncio
from collections.abc import Callable
from contextlib import ExitStack

import pytest

from parlour_client import connect
from parlour_client.cli import app as cli
from parlour_client.sdk.room import Room
from parlour_client.tui import start_up
from parlour_client.tui.app import ParlourApp
from parlour_client.tui.launch_request import LaunchRequest
from tests.support.server import serving

Opened = Callable[..., LaunchRequest]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Opened:
    """Runs a command as at a terminal; what the full screen was opened with."""
    monkeypatch.setenv("PARLOUR_SERVER", "ws://127.0.0.1:9")
    monkeypatch.delenv("PARLOUR_PLAIN", raising=False)
    monkeypatch.setattr(start_up, "_is_tty", lambda stream: True)
    monkeypatch.setenv("TERM", "xterm")
    begun: list[LaunchRequest] = []
    monkeypatch.setattr(start_up, "run", begun.append)

    def run(*arguments: str) -> LaunchRequest:
        assert cli.main(list(arguments)) == 0, capsys.readouterr().err
        return begun.pop()

    return run


@pytest.mark.parametrize(
    "arguments", ["", "play", "play --as Ben", "play --server localhost:7", "play --as Ben --server h:7"]
)
def test_where_nothing_is_said_of_a_game_the_lobby_opens(opened: Opened, arguments: str) -> None:
    begun = opened(*arguments.split())
    assert begun.first is None
    assert begun.name == ("Ben" if "Ben" in arguments else None)
    with begun.place() as place:
        assert place.server == {"localhost": "ws://localhost:7", "h:7": "ws://h:7"}.get(
            next((part for part in ("localhost", "h:7") if part in arguments), ""), "ws://127.0.0.1:9"
        )


async def at(begun: LaunchRequest, name: str = "Ada") -> Room:
    """The room that is opened first, on a real server."""
    assert begun.first is not None
    async with serving() as url, connect(url, name) as parlour:
        room = await begun.first(parlour)
        assert room.view.you is not None
        return room


def test_a_game_with_all_that_was_said_of_it(opened: Opened) -> None:
    begun = opened(
        *"play mnk:4,4,3 --vs easy --side second --clock 5+3 --no-chat --private --starts loser".split()
    )
    assert begun.taken == "mnk:4,4,3 against easy ..."
    view = asyncio.run(at(begun)).view
    assert (view.game, view.you, view.seats[0].bot) == ("mnk:4,4,3", 1, "easy")
    decided = view.settings
    assert (decided.clock, decided.chat, decided.visibility) == ("5+3", False, "private")
    assert decided.starts == "loser"


def test_nothing_moves_where_that_is_not_wanted(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    for arguments in ("", "--no-animation", "play --no-animation", "--no-animation play reversi"):
        monkeypatch.setenv("PARLOUR_ANIMATION", "1")
        begun = opened(*arguments.split())
        assert (begun.first is None) == ("reversi" not in arguments)
        with ExitStack() as stack:
            level = ParlourApp(begun, stack).animation_level
        assert level == ("none" if arguments else "full")


def test_a_position_to_play_on_from(opened: Opened, tmp_path_factory: pytest.TempPathFactory) -> None:
    kept = tmp_path_factory.mktemp("games") / "game.json"
    kept.write_text('{"game": "tictactoe", "moves": "b2 a1 c3"}')
    room = asyncio.run(at(opened("play", "--from", f"{kept}@2", "--vs", "human")))
    assert room.view.game == "tictactoe"


def test_a_code_or_a_link_leads_to_its_room(opened: Opened) -> None:
    async def there(command: str) -> tuple[int | None, bool]:
        async with serving() as url, connect(url, "Ben") as ben, connect(url, "Ada") as ada:
            room = await ben.create("tictactoe")
            begun = opened(command, ben.link(room))
            with begun.place() as place:
                assert place.server == url
            assert begun.first is not None
            found = await begun.first(ada)
            return found.seat, found.code == room.code

    assert asyncio.run(there("join")) == (1, True)
    assert asyncio.run(there("watch")) == (None, True)


@pytest.mark.parametrize(
    "arguments", ["play --plain", "play --json", "join KMRTQA --plain", "watch KMRTQA --json"]
)
def test_lines_are_reported_where_lines_are_wanted(
    opened: Opened, capsys: pytest.CaptureFixture[str], arguments: str
) -> None:
    # It goes to the server at once, and there is none.
    assert cli.main(arguments.split()) == 1
    assert "Could not reach ws://127.0.0.1:9" in capsys.readouterr().err


def test_plain_may_stand_before_the_command_too(
    opened: Opened, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Kept, so that it is as it was after this test.
    monkeypatch.setenv("PARLOUR_PLAIN", "0")
    assert cli.main(["--plain"]) == 1
    assert "Could not reach" in capsys.readouterr().err
    monkeypatch.setenv("PARLOUR_PLAIN", "0")
    assert cli.main(["--plain", "play"]) == 1
    assert "Could not reach" in capsys.readouterr().err


def test_without_a_terminal_parlour_alone_shows_what_there_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PARLOUR_PLAIN", raising=False)
    assert cli.main([]) == 0
    assert "Usage: parlour" in capsys.readouterr().out
