"""Ratings on the full screen: from the lobby by a key, and on by enter."""

from parlour_client import connect
from tests.client.tui.harness import terminal_harness
from tests.support.rated import some_ratings
from tests.support.server import serving


async def test_ratings_lead_from_games_to_players() -> None:
    async with serving(rated=True) as url, connect(url, "Ada") as ada, connect(url, "Ben") as ben:
        await some_ratings(ada, ben)
        async with terminal_harness(url) as at:
            await at.connected()
            await at.press("s")
            await at.shows("Ratings", "people", "tictactoe")
            await at.press("enter")
            await at.shows("Ratings – tictactoe", "People", "Ada", "Bots", "easy (bot)", "not sure yet")
            await at.press("enter")
            await at.shows("Ada in tictactoe: 1", "Against whom", "The last games", "+162")
            await at.press("escape")
            await at.shows("Ratings – tictactoe")
            await at.press("tab", "enter")
            await at.shows("(bot) in tictactoe")
            await at.press("escape", "escape", "escape")
            await at.until(lambda: at.screen == "LobbyScreen")
            assert at.reported() == []


async def test_a_server_that_rates_nobody_shows_no_ratings(server: str) -> None:
    async with terminal_harness(server) as at:
        await at.connected()
        await at.press("s")
        assert (at.screen, at.reported()) == ("LobbyScreen", [])
