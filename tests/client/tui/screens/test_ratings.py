"""Ratings on the full screen: from the lobby by a key, and on by enter."""

from parlour_client import connect
from parlour_client.tui.room_openers import watch
from tests.client.tui.harness import terminal_harness
from tests.support.rated import play_rated, resign_rated, some_ratings, until_rated
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
        await at.press("n")
        await at.shows("A new room")
        assert not at.app.screen.query("#rated")
        # Nor is what somebody asks for all the same.
        room = await at.parlour.create("tictactoe", seats=("me", "random"), rated=False)
        assert room.view.settings.rated


async def test_a_table_shows_ratings_and_what_a_game_changed() -> None:
    async with serving(rated=True) as url, connect(url, "Ada") as ada, connect(url, "Ben") as ben:
        await play_rated(ada, ben)
        await until_rated(ada, 1)
        room = await ada.create("tictactoe")
        there = await ben.join(room.code)
        async with terminal_harness(url, first=watch(room.code), size=(120, 40)) as at:
            await at.shows("rated", "Ada  1662?", "Ben  1338?")
            assert "casual" not in at.shown()
            await resign_rated(room, there)
            await at.shows("Ratings: Ada 1", "(-2", "(+2")
            await at.press("Q")
            await at.connected()
            await at.press("n")
            await at.shows("A new room")
            assert at.app.screen.query("#rated")
        casual = await ada.create("tictactoe", rated=False)
        there = await ben.join(casual.code)
        async with terminal_harness(url, first=watch(casual.code)) as at:
            await at.shows("casual")
            assert "rated" not in at.shown()
            await resign_rated(casual, there)
            await at.shows("wins")
        assert [one.games for one in (await ada.ratings()).games] == [2]
