"""A new room, from the dialog to the table, on a real server."""

import asyncio

import pytest
from textual.widgets import Button, Input

from parlour_client import Room
from parlour_client.tui.dialogs.create import CreateDialog
from parlour_client.tui.dialogs.fields import Choice, Field, FormRow
from parlour_client.tui.game_request import GameRequest
from parlour_protocol.views.rooms import RoomView
from tests.client.tui.harness import TerminalHarness, terminal_harness


async def open_dialog(at: TerminalHarness) -> CreateDialog:
    await at.connected()
    await at.press("n")
    assert isinstance(at.app.screen, CreateDialog)
    return at.app.screen


def choose(dialog: CreateDialog, name: str, value: str) -> None:
    dialog.query_one(f"#{name}", Choice).value = value


def write(dialog: CreateDialog, name: str, text: str) -> None:
    dialog.query_one(f"#{name}", Input).value = text


def faults(dialog: CreateDialog) -> dict[str, str]:
    """What stands beside which field."""
    return {
        str(line.field.id): str(line.query_one(".note").render())
        for line in dialog.query(FormRow)
        if line.has_class("-wrong")
    }


def view(at: TerminalHarness) -> RoomView:
    return at.room.view


async def test_all_that_is_chosen_is_the_rooms(server: str) -> None:
    async with terminal_harness(server) as at:
        dialog = await open_dialog(at)
        assert dialog.game_request() == GameRequest("connect4", "medium")
        choose(dialog, "game", "mnk")
        await at.pilot.pause()
        write(dialog, "variant", " mnk:4,4,3 ")
        choose(dialog, "opponent", "minimax")
        write(dialog, "bot", "depth=2, seed=7")
        choose(dialog, "side", "second")
        write(dialog, "clock", "5+3")
        for name, value in {
            "visibility": "private",
            "takebacks": "no",
            "chat": "no",
            "stand_in": "easy",
        }.items():
            choose(dialog, name, value)
        await at.pilot.click("#play")
        await at.at_table()
        # The dialog is gone: behind the table lies the lobby.
        assert [type(screen).__name__ for screen in at.app.screen_stack] == ["LobbyScreen", "TableScreen"]
        shown = view(at)
        # A seed is nobody's business: it would tell what comes.
        assert (shown.game, shown.you, shown.seats[0].bot) == ("mnk:4,4,3", 1, "minimax:depth=2")
        decided = shown.settings
        assert (decided.clock, decided.visibility, decided.stand_in) == ("5+3", "private", "easy")
        assert (decided.takebacks, decided.chat) == (False, False)


async def test_two_bots_play_each_other_and_one_looks_on(server: str) -> None:
    async with terminal_harness(server) as at:
        dialog = await open_dialog(at)
        shown = {name: dialog.query_one(f"#{name}").parent for name in ("side", "other", "other_bot")}
        assert not shown["other"].display  # type: ignore[union-attr]
        choose(dialog, "opponent", "minimax")
        choose(dialog, "side", "none")
        await at.shows("First seat", "Second seat")
        choose(dialog, "other", "random")
        write(dialog, "bot", "depth=1")
        # What is wrong with either stands beside it.
        write(dialog, "other_bot", "depth=x")
        write(dialog, "bot", "")
        await at.press("enter")
        await at.until(lambda: list(faults(dialog)) == ["other_bot"])
        # However long the dialog has become, arrows lead through it.
        await at.pilot.resize_terminal(80, 16)
        for name in dialog.asked():
            await at.press("down")
            field, rows = dialog.query_one(f"#{name}"), dialog.query_one(".rows")
            assert dialog.focused is field
            # A dialog scrolls on its next refresh, not within the key's own turn.
            await at.until(lambda: rows.region.contains_region(field.region))  # noqa: B023
            assert dialog.region.contains_region(rows.region)
        parlour = at.parlour
        assert (await parlour.rooms()).rooms == []
        write(dialog, "other_bot", "")
        write(dialog, "bot", "depth=1")
        assert str(dialog.game_request()) == "connect4: minimax:depth=1 against random ..."
        dialog.query_one("#side").focus()
        await at.press("enter")
        await at.at_table()
        assert view(at).you is None
        assert [seat.bot for seat in view(at).seats] == ["minimax:depth=1", "random"]
        await at.until(lambda: view(at).phase == "playing")


async def test_what_is_wrong_stands_beside_its_field_and_all_else_stays(server: str) -> None:
    async with terminal_harness(server) as at:
        dialog = await open_dialog(at)
        for name, wrong, said, right in (("clock", "soon", "5+3", ""), ("pace", "61", "60", "0.5")):
            write(dialog, name, wrong)
            await at.press("enter")
            assert list(faults(dialog)) == [name]
            assert said in faults(dialog)[name]
            assert dialog.focused is dialog.query_one(f"#{name}")
            write(dialog, name, right)
            await at.pilot.pause()
            assert faults(dialog) == {}
        # What only the server can know is told in the same way.
        for name, wrong, right in (("variant", "connect4:99,99", ""), ("bot", "depth=x", "seed=1")):
            write(dialog, name, wrong)
            await at.press("enter")
            await at.until(lambda: bool(faults(dialog)))
            assert list(faults(dialog)) == [name]
            assert str(dialog.query_one("#play", Button).label) == "Play"
            write(dialog, name, right)
            await at.pilot.pause()
        # What no field is about stands below them.
        parlour, at.app.parlour = at.app.parlour, None
        await at.press("enter")
        await at.shows("We are not connected yet")
        assert faults(dialog) == {}
        at.app.parlour = parlour
        await at.press("enter")
        await at.at_table()
        assert view(at).settings.pace == 0.5


async def test_who_leaves_while_it_is_asked_gives_it_up(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the client closes the room, where there is one: see `tests/client/sdk/test_client.py`."""
    async with terminal_harness(server) as at:
        dialog = await open_dialog(at)
        parlour = at.parlour
        asked: list[str] = []
        given_up = asyncio.Event()

        async def never(game: str, **_: object) -> Room:
            asked.append(game)
            try:
                await asyncio.Event().wait()
            finally:
                given_up.set()
            raise AssertionError

        monkeypatch.setattr(parlour, "create", never)
        # It is asked for but once.
        at.press_now("enter")
        at.press_now("enter")
        await at.until(lambda: bool(asked))
        dialog.action_leave()
        await at.until(given_up.is_set)
        assert len(asked) == 1
        assert (await parlour.rooms()).rooms == []
        assert (at.screen, at.reported(), at.app.is_running) == ("LobbyScreen", [], True)


async def test_usual_values_are_turned_to_clicked_or_typed(server: str) -> None:
    async with terminal_harness(server, size=(60, 20)) as at:
        dialog = await open_dialog(at)
        choose(dialog, "game", "connect4")
        clock, variant = (dialog.query_one(f"#{name}", Field) for name in ("clock", "variant"))
        clock.focus()
        await at.shows("none  1+0  3+2  5+3  10+5")
        await at.press("right", "right")
        assert dialog.game_request().settings == {"clock": "3+2"}
        await at.press("left", "left", "left")
        assert clock.value == "10+5"
        # Among words that are not usual the arrows move the cursor.
        await at.press("backspace", "left", "9")
        assert clock.value == "109+"
        clock.value = "5 3"
        variant.focus()
        await at.shows("7×6  6×5  8×7  9×7")
        note = variant.parent.query_one(".note")  # type: ignore[union-attr]
        await at.pilot.click(note, offset=(14, 0))
        assert variant.value == "8×7"
        variant.value = "8 by 7"
        write(dialog, "moves", "4 4")
        await at.pilot.click("#play")
        await at.at_table()
        shown = view(at)
        assert (shown.game, shown.settings.clock) == ("connect4:8,7", "5+3")
        assert (shown.moves[:2], shown.started_with) == (["4", "4"], 2)
