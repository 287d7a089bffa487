"""Another name for oneself, from the lobby: refused with a sentence at the field, or taken everywhere."""

from tests.client.tui.harness import terminal_harness


async def test_a_name_is_asked_for_until_the_server_takes_it(server: str) -> None:
    async with terminal_harness(server) as at:
        await at.connected()
        await at.press("A")
        await at.shows("Other players see it")
        await at.press("ctrl+u")
        await at.type("medium")
        await at.press("enter")
        await at.shows("✗ medium would pass")
        await at.press("ctrl+u")
        await at.type("Adele")
        await at.press("enter")
        await at.shows("Adele at ws://", "You are called Adele now.")
        assert at.app.parlour is not None
        assert at.app.parlour.name == "Adele"
