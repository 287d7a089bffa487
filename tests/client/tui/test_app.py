"""The way from a command line to a lobby or a table and out again, on a real server."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import pytest
from textual.widgets import Button, Static

from parlour_client import connect
from parlour_client.sdk.client import Client
from parlour_client.sdk.errors import ConnectionFailed, Refused, ServerClosed
from parlour_client.sdk.local_server import ServerTarget
from parlour_client.sdk.seek import Seek
from parlour_client.tui.game_request import FRIEND, GameRequest
from parlour_client.tui.launch_request import LaunchRequest
from parlour_client.tui.screens.table import TableScreen
from parlour_client.tui.widgets.banner import Banner
from parlour_protocol.local.admin import Announce, Kick
from tests.client.tui.harness import Nowhere, TerminalHarness, place, terminal_harness
from tests.support.keeper import serving_to_its_keeper
from tests.support.proxy import between
from tests.support.server import free_port, serving

AGAINST_RANDOM = GameRequest("tictactoe", "random").get


async def test_the_lobby_is_there_before_the_server_is(server: str) -> None:
    looked_for = Nowhere(server)
    async with connect(server, "Ben") as ben:
        room = await ben.create("tictactoe")
        with looked_for as opening:
            async with terminal_harness(opening) as at:
                assert "Connecting ..." in at.shown()
                assert at.screen == "LobbyScreen"
                # Nothing blocks, and a code that is typed is not forgotten.
                await at.press("n", "m", "slash")
                await at.type(room.code)
                await at.press("enter")
                await at.shows(f"To room {room.code} ...")
                looked_for.let_go()
                await at.at_table()
                assert at.room.code == room.code


async def test_where_no_server_is_it_says_so_and_tries_again_when_asked_to() -> None:
    port = free_port()
    async with terminal_harness(f"ws://127.0.0.1:{port}") as at:
        await at.shows("nothing is listening there", "R tries again", "R Try again")
        for column in "231":
            await at.press(column)
            await at.shows("nothing is listening there")
        async with serving(port=port):
            await at.press("r")
            await at.connected()
            assert "Try again" not in at.shown()
            await at.press("enter")
            await at.at_table()
        # One that began anew knows no game of before.
        async with serving(port=port):
            await at.shows("This server no longer has that game.", "■ Closed")
            await at.app.action_leave()


async def test_what_was_asked_for_and_can_not_be_had_ends_it_with_the_reason(server: str) -> None:
    nowhere = partial(place, "ws://127.0.0.1:9")
    no_room = LaunchRequest(partial(place, server), first=lambda client: client.join("KMRTQA"))
    for opening, fault, words in (
        (no_room, Refused, "no such"),
        (LaunchRequest(nowhere, first=GameRequest("connect4", FRIEND).get), ConnectionFailed, "nothing"),
        (seeking(server, bot="nobody", after=9), Refused, "nobody"),
    ):
        async with terminal_harness(opening) as at:
            await at.until(lambda: not at.app.is_running)
            assert isinstance(at.app.fault, fault)
            assert words in str(at.app.fault)


class Hosted:
    """A shared server that this terminal has started."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.left = False

    def __enter__(self) -> ServerTarget:
        return ServerTarget(self._url, host=True)

    def __exit__(self, *_: object) -> None:
        self.left = True


async def test_a_shared_server_ends_with_the_last_screen() -> None:
    ends: list[bool] = []
    async with serving(when_empty=lambda: ends.append(True)) as url:
        hosted = Hosted(url)
        async with terminal_harness(
            LaunchRequest(lambda: hosted, first=GameRequest("tictactoe", "random").get)
        ) as at:
            await at.at_table()
            await at.press("ctrl+q")
            await at.until(lambda: not at.app.is_running)
            assert at.app.farewell == ["Goodbye. The server has ended, and its games with it."]
            assert ends == [True]
            assert not hosted.left
        assert hosted.left


@asynccontextmanager
async def with_a_guest(ends: list[bool]) -> AsyncIterator[tuple[TerminalHarness, Client]]:
    """A host at a table, and a guest on the same server."""
    async with serving(when_empty=lambda: ends.append(True)) as url, connect(url, "Bo") as bo:
        opening = LaunchRequest(lambda: Hosted(url), first=GameRequest("tictactoe", FRIEND).get)
        async with terminal_harness(opening, size=(60, 20)) as at:
            await at.at_table()
            yield at, bo


async def test_a_host_who_leaves_is_asked_about_the_server() -> None:
    ends: list[bool] = []
    async with with_a_guest(ends) as (at, _):
        await at.press("ctrl+c")
        await at.shows("Close the server?", "Bo is still connected.", "Leave it running", "Close it", "Stay")
        await at.shows("enter Press", "esc Stay", "← → Move")
        await at.press("escape")
        await at.until(lambda: at.screen == "TableScreen")
        await at.press("ctrl+c")
        await at.until(lambda: at.screen == "CloseServerDialog")
        await at.press("right", "right", "enter")
        await at.until(lambda: at.screen == "TableScreen")
        await at.press("ctrl+c")
        await at.until(lambda: at.screen == "CloseServerDialog")
        await at.press("right", "enter")
        await at.until(lambda: not at.app.is_running)
        assert ends == [True]
        assert at.app.farewell == ["Goodbye. The server has ended, and its games with it."]
        assert at.app.fault is None


@pytest.mark.parametrize("key", ["enter", "ctrl+c"])
async def test_what_is_not_closed_stays_open(key: str) -> None:
    ends: list[bool] = []
    async with with_a_guest(ends) as (at, bo):
        await at.press("ctrl+c")
        await at.until(lambda: at.screen == "CloseServerDialog")
        await at.press(key)
        await at.until(lambda: not at.app.is_running)
        assert at.app.farewell[0] == "Goodbye. The server stays open for Bo."
        assert ends == []
        assert bo.connected


async def test_a_bug_of_ours_is_no_traceback_across_the_terminal(
    server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ZeroDivisionError):
        async with terminal_harness(server) as at:
            await at.connected()
            at.app.call_next(lambda: 1 / 0)
            await at.until(lambda: not at.app.is_running)
            assert isinstance(at.app.fault, ZeroDivisionError)
    shown = capsys.readouterr()
    assert "Traceback" not in shown.out + shown.err


async def test_a_key_that_comes_twice_leaves_once(server: str) -> None:
    async with terminal_harness(server) as at:
        await at.connected()
        for opened in ("n", "ctrl+g", "f1"):
            await at.press(opened)
            await at.until(lambda: at.screen != "LobbyScreen")
            for _ in range(3):
                at.app.screen.call_later(at.app.screen.run_action, "leave")
            await at.until(lambda: at.screen == "LobbyScreen")
        await at.press("n")
        await at.until(lambda: at.screen == "CreateDialog")
        back = at.app.screen.query_one("#leave", Button)
        back.press()
        back.press()
        await at.until(lambda: at.screen == "LobbyScreen")
        at.app.open_table("", GameRequest("tictactoe", "random").get)
        await at.at_table()
        table = at.app.screen
        assert isinstance(table, TableScreen)
        for _ in range(3):
            table.call_later(table.leave)
        await at.until(lambda: at.screen == "LobbyScreen")
        assert at.app.is_running


async def test_what_is_under_way_is_asked_for_once_and_something_else_takes_its_place(server: str) -> None:
    async with between(server) as proxy, connect(server, "Ben") as ben, terminal_harness(proxy.url) as at:
        await at.connected()
        proxy.swallow()
        for _ in range(2):
            await at.press("enter")
            await at.shows(" against medium ...")
        tables = [worker for worker in at.app.workers if worker.group == "table"]
        assert len(tables) == 1
        at.app.open_table("tictactoe ...", GameRequest("tictactoe", "random").get)
        await at.until(lambda: tables[0].is_finished)
        assert "tictactoe ..." in at.shown()
        proxy.go_on()
        await at.at_table()
        assert "..." not in str(at.app.lobby.query_one("#doing", Static).render())
        # What was made for the first one is closed again.
        listed = []
        for _ in range(500):
            listed = [line.game for line in (await ben.rooms()).rooms]
            if listed == ["tictactoe"]:
                break
            await asyncio.sleep(0.02)
        assert listed == ["tictactoe"]


async def test_a_table_that_was_just_left_takes_no_other_with_it(server: str) -> None:
    async with (
        connect(server, "Ben") as ben,
        terminal_harness(server, first=AGAINST_RANDOM) as at,
    ):
        other = await ben.create("tictactoe")
        await at.at_table()
        left = at.room
        room = await at.parlour.join(other.code)
        # Both in one breath: somebody leaves, and what was asked for before is there.
        at.app.screen.dismiss()
        at.app.show(room)
        await at.until(lambda: left.ended)
        assert at.room is room
        assert (at.screen, room.ended) == ("TableScreen", False)


# ---------------------------------------------------------------- the connection


async def test_a_lost_line_is_reported_on_every_screen_and_so_is_its_return(server: str) -> None:
    async with between(server) as proxy, terminal_harness(proxy.url) as at:
        await at.connected()
        await at.press("n")
        proxy.refuse = True
        proxy.cut()
        await at.shows("Connection lost. Trying again")
        await at.press("question_mark" if at.screen == "LobbyScreen" else "f1")
        await at.until(lambda: bool(at.app.screen.query(Banner)))
        assert all(screen.query(Banner) for screen in at.app.screen_stack)
        # What is asked meanwhile is done when the line is back.
        await at.press("escape", "escape", "enter")
        proxy.refuse = False
        await at.at_table()
        await at.until(lambda: not any(screen.query(Banner) for screen in at.app.screen_stack))


async def test_at_a_table_the_loss_is_reported_once(server: str) -> None:
    async with between(server) as proxy, terminal_harness(proxy.url, first=AGAINST_RANDOM) as at:
        await at.at_table()
        proxy.refuse = True
        proxy.cut()
        await at.shows("Connection lost")
        assert not at.app.screen.query(Banner)
        assert at.shown().count("Connection lost") == 1
        proxy.refuse = False
        await at.until(lambda: "Connected again." in at.reported())
        # It covers nothing of what is said below the board.
        await at.until(lambda: "Connected again." in at.shown().splitlines()[1])
        # Who leaves while it is lost hears what became of their move.
        proxy.refuse = True
        proxy.cut()
        await at.shows("Connection lost")
        await at.press("b", "2")
        await at.shows("b2 is on its way, once the")
        await at.press("ctrl+c")
        await at.until(lambda: not at.app.is_running)
        assert at.app.farewell[0] == "What you did last was not sent: the connection is lost."
        assert at.app.farewell[1].startswith("Goodbye.")


async def test_nothing_of_a_lost_line_is_left_once_one_is_on_another_server(
    server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with (
        serving() as elsewhere,
        between(server) as proxy,
        terminal_harness(proxy.url, first=AGAINST_RANDOM) as at,
    ):
        await at.at_table()
        await at.press("Q")
        await at.shows("3 yours (1)")
        lost = at.parlour
        # It takes its time to hang up.
        hang_up, close = asyncio.Event(), lost.close

        async def slowly() -> None:
            await close()
            await hang_up.wait()

        monkeypatch.setattr(lost, "close", slowly)
        proxy.refuse = True
        proxy.cut()
        await at.until(lambda: bool(at.app.screen.query(Banner)))
        assert at.app.go_to(elsewhere) == ""
        await at.until(lambda: not at.app.screen.query(Banner))
        assert at.app.room is None
        await at.connected()
        assert "3 yours (1)" not in at.shown()
        hang_up.set()
        await at.pilot.pause()
        assert at.parlour.url == elsewhere
        await at.press("enter")
        await at.at_table()


# ---------------------------------------------------------------- codes and links


async def test_a_room_can_be_asked_for_from_anywhere(server: str) -> None:
    async with (
        connect(server, "Ben") as ben,
        terminal_harness(server, first=AGAINST_RANDOM) as at,
    ):
        room = await ben.create("tictactoe")
        await at.at_table()
        left = at.room
        await at.press("ctrl+g")
        assert at.screen == "JoinDialog"
        await at.type("nothing")
        await at.press("enter")
        await at.shows("'nothing' is not a room's")
        await at.press(*["backspace"] * 7)
        assert "✗" not in at.shown()
        # A server that nobody runs is no reason to leave a game.
        await at.type(f"127.0.0.1:{free_port()}")
        await at.press("enter")
        await at.until(lambda: "You are still where you were." in at.reported()[-1])
        assert "nothing is listening there" in at.reported()[-1]
        assert (at.screen, at.app.room, left.ended) == ("TableScreen", left, False)
        await at.press("ctrl+g")
        await at.type(room.code)
        await at.press("enter")
        await at.until(lambda: at.room.code == room.code and at.screen == "TableScreen")
        # The table that was left is followed no more.
        assert len(at.app.screen_stack) == 2
        await at.until(lambda: left.ended)
        # Whoever asks for the one where they are stays there.
        await at.press("ctrl+g")
        await at.type(room.code)
        table = at.app.screen_stack[1]
        await at.press("enter")
        await at.until(lambda: at.app.screen is table)
        assert not at.room.ended


# ---------------------------------------------------------------- game requests


def seeking(server: str, **seek: Any) -> LaunchRequest:
    """The full screen as `parlour play --quick` opens it."""
    return LaunchRequest(partial(place, server), "Ada", seek=Seek("tictactoe", **seek))


async def test_what_the_host_announces_is_shown_and_who_is_kicked_reads_why() -> None:
    async with serving_to_its_keeper() as (url, keeper), terminal_harness(url) as at:
        await at.connected()
        await keeper.ask(Announce(text="Back at nine."))
        await at.shows("The host says: Back at nine.")
        await keeper.ask(Kick(player="Ada"))
        await at.until(lambda: not at.app.is_running)
        assert isinstance(at.app.fault, ServerClosed)
        assert str(at.app.fault) == "The host of this server has ended your connection."
