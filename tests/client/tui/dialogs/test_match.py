"""A match, from its form to the table, on a real server."""

import asyncio

import pytest
from textual.widgets import Button, Input

from parlour_client import Room, connect
from parlour_client.tui.dialogs.fields import Choice, FormRow
from parlour_client.tui.dialogs.match import MatchDialog
from parlour_protocol.views.rooms import RoomView
from tests.client.tui.harness import TerminalHarness, terminal_harness


async def open_form(at: TerminalHarness, *, bot: str = "", after: str = "") -> MatchDialog:
    await at.connected()
    await at.press("m")
    form = at.app.screen
    assert isinstance(form, MatchDialog)
    form.query_one("#bot", Choice).value = bot
    if after:
        form.query_one("#after", Input).value = after
    await at.pilot.pause()
    return form


async def waits(at: TerminalHarness) -> str:
    """Wait until a seat is had; the code of its room."""
    await at.shows("A friend can join with the code")
    return at.shown().partition("with the code ")[2][:6]


def seconds_left(at: TerminalHarness) -> int:
    return int(at.shown().partition(" sits down in ")[2].partition(" s.")[0].replace(",", ""))


def faults(form: MatchDialog) -> list[str | None]:
    return [row.field.id for row in form.query(FormRow) if row.has_class("-wrong")]


def view(at: TerminalHarness) -> RoomView:
    return at.room.view


async def test_the_next_one_who_wants_the_same_game_and_clock_is_met(server: str) -> None:
    async with connect(server, "Ben") as ben, terminal_harness(server) as at:
        form = await open_form(at)
        form.query_one("#clock", Input).value = "5+3"
        await at.press("enter")
        code = await waits(at)
        assert "for Connect Four, 5+3 ..." in at.shown()
        assert "(bot)" not in at.shown().partition("Looking")[2].partition("Cancel")[0]
        other = await ben.quick("connect4")
        assert other.code != code
        met = await ben.quick("connect4", clock="5+3")
        assert met.code == code
        await at.at_table()
        assert (view(at).phase, view(at).you) == ("playing", 0)
        # Nothing lies between the table and the lobby.
        assert [type(screen).__name__ for screen in at.app.screen_stack] == ["LobbyScreen", "TableScreen"]


async def test_the_wait_is_counted_down_and_the_bot_can_be_had_at_once(server: str) -> None:
    async with terminal_harness(server) as at:
        await open_form(at, bot="random", after="3000")
        await at.press("enter")
        await waits(at)
        await at.shows("random (bot) sits down in ")
        first = seconds_left(at)
        await at.until(lambda: seconds_left(at) < first)
        # Its buttons are led to by arrows.
        focused = at.app.screen.focused
        assert isinstance(focused, Button) and focused.id == "cancel"
        assert "← → Move" in at.shown().splitlines()[-1]
        await at.press("left", "enter")
        await at.at_table()
        assert view(at).seats[1].kind == "bot"


async def test_who_cancels_leaves_no_room_and_is_back_in_the_form(server: str) -> None:
    async with connect(server, "Ben") as ben, terminal_harness(server) as at:
        form = await open_form(at)
        await at.press("enter")
        code = await waits(at)
        assert [line.room for line in (await ben.rooms()).rooms] == [code]
        await at.press("escape")
        await at.until(lambda: at.app.screen is form and form.query_one(".frame").display)
        await at.until(lambda: not [worker for worker in at.app.workers if worker.group == "ask"])
        assert (await ben.rooms()).rooms == []


async def test_who_cancels_before_the_answer_leaves_nothing(
    server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with terminal_harness(server) as at:
        form = await open_form(at)
        parlour = at.parlour
        asked, given_up = asyncio.Event(), asyncio.Event()

        async def never(*_: object, **__: object) -> Room:
            asked.set()
            try:
                await asyncio.Event().wait()
            finally:
                given_up.set()
            raise AssertionError

        monkeypatch.setattr(parlour, "quick", never)
        at.press_now("enter")
        await at.until(asked.is_set)
        await at.press("escape")
        await at.until(given_up.is_set)
        assert at.app.screen is form
        assert (await parlour.rooms()).rooms == []


async def test_what_is_wrong_stands_beside_its_field(server: str) -> None:
    async with terminal_harness(server) as at:
        form = await open_form(at, bot="medium")
        for name, wrong, right in (
            ("after", "3601", "30"),
            ("variant", "connect4:99,99", ""),
            ("bot_settings", "depth=x", ""),
        ):
            form.query_one(f"#{name}", Input).value = wrong
            await at.pilot.pause()
            await at.press("enter")
            await at.until(lambda: at.app.screen is form and bool(faults(form)))
            assert faults(form) == [name]
            assert form.focused is form.query_one(f"#{name}")
            form.query_one(f"#{name}", Input).value = right
            await at.pilot.pause()
            assert faults(form) == []
