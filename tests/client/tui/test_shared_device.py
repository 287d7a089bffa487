"""Two people at one keyboard, from the dialog to the next game."""

from parlour_client.tui.dialogs.fields import Choice, Field
from tests.client.tui.harness import terminal_harness


async def test_the_keyboard_goes_from_hand_to_hand(server: str) -> None:
    async with terminal_harness(server, size=(60, 20)) as here:
        await here.connected()
        await here.press("N")
        await here.until(lambda: here.screen == "CreateDialog")
        dialog = here.app.screen
        dialog.query_one("#game", Choice).value = "tictactoe"
        assert not dialog.query_one("#guest", Field).parent.display  # type: ignore[union-attr]
        dialog.query_one("#opponent", Choice).value = "here"
        dialog.query_one("#guest", Field).value = "server"
        await here.pilot.pause()
        await here.press("enter")
        # A name that deceives is told of beside its field.
        await here.shows("✗ server would pass")
        dialog.query_one("#guest", Field).value = "ada"
        await here.press("enter")
        await here.shows("You are called that")
        dialog.query_one("#guest", Field).value = "Ben"
        await here.press("enter")
        await here.at_table()
        await here.shows("Ada to move (X).")
        for move, said in [("a1", "Pass the device to Ben (O)."), ("b2", "Pass the device to Ada (X).")]:
            await here.press(*move, "enter")
            await here.shows(said)
        await here.press("U")
        await here.shows("to Ben (O)")
        assert here.room.view.moves == ["a1"]
        # A draw is agreed to at once, and so is asked about.
        await here.press("D")
        await here.shows("Do you both agree to a draw?")
        await here.press("n", "D", "y")
        await here.shows("A draw was agreed.")
        await here.press("G")
        await here.shows("Ben to move (X).")
        await here.press("R")
        await here.shows("Does Ben resign this game? Y or N")
        await here.press("y")
        await here.shows("Ada wins by resignation.")
        assert here.room.view.wins == [1, 0]
