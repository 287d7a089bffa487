"""The help screen has what there is, and nothing else."""

from textual.binding import Binding
from textual.containers import VerticalScroll

from parlour_client.tui.app import ParlourApp
from parlour_client.tui.screens.all_keys import groups
from parlour_client.tui.screens.help import HelpScreen, keys_of
from tests.client.tui.harness import Nowhere, terminal_harness


def test_every_key_that_says_what_it_does_is_listed() -> None:
    for group in groups(ParlourApp):
        listed = [what for _, what in keys_of(group)]
        for source in group.classes:
            for binding in Binding.make_bindings(source.__dict__.get("BINDINGS", ())):
                words = binding.tooltip or binding.description
                assert not words or words in listed, (source, binding)


async def test_it_comes_and_goes_by_a_key_and_all_of_it_can_be_reached() -> None:
    with Nowhere() as opening:
        async with terminal_harness(opening) as at:
            for key in ("escape", "question_mark", "q"):
                await at.press("question_mark")
                assert isinstance(at.app.screen, HelpScreen)
                # It comes but once.
                await at.press("f1", key)
                await at.until(lambda: at.screen == "LobbyScreen")
            await at.press("f1")
            assert "The lobby" in at.shown()
            all_of_it = at.app.screen.query_one(VerticalScroll)
            await at.press("end")
            await at.until(lambda: all_of_it.scroll_offset.y == all_of_it.max_scroll_y > 0)
            # In little room they stand below each other, and no word is broken.
            await at.pilot.resize_terminal(40, 12)
            await at.press("home")
            await at.shows("Agree to what is  ")
