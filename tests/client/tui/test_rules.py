"""How a game is played, on the full screen: at its card, and at its table."""

from functools import partial

from parlour_client.tui.game_request import GameRequest
from parlour_client.tui.launch_request import LaunchRequest
from parlour_client.tui.screens.rules import Picture, RulesScreen
from tests.client.tui.harness import place, terminal_harness


async def test_a_card_and_a_table_tell_how_their_game_is_played(server: str) -> None:
    async with terminal_harness(server, size=(80, 24)) as at:
        await at.connected()
        await at.press("i")
        await at.shows(": how to play", "begins", "esc Back")
        await at.press("escape")
        await at.shows("I Rules")
    opening = LaunchRequest(partial(place, server), first=GameRequest("reversi:6", "random").get)
    async with terminal_harness(opening, size=(80, 24)) as at:
        await at.at_table()
        await at.press("I")
        await at.shows("Reversi on 6x6: how to play", "where ● may play first.")
        # It comes but once, and goes as all sheets do.
        await at.press("I", "q")
        await at.until(lambda: at.screen == "TableScreen")


def fits(picture: Picture) -> bool:
    """Is a board as high as its room, and no wider?"""
    grid, room = picture.grid, picture.size
    return grid is not None and room.width >= grid.width and room.height == grid.height


def all_fit(sheet: RulesScreen) -> bool:
    return all(map(fits, sheet.query(Picture)))


async def test_every_point_is_to_be_seen_at_any_size(server: str) -> None:
    async with terminal_harness(server, size=(80, 24)) as at:
        await at.connected()
        for game in ("connect4", "ultimate", "kalah", "hex", "morris"):
            sheet = RulesScreen(await at.parlour.rules(game))
            at.app.push_screen(sheet)
            for size in ((80, 24), (40, 12)):
                await at.pilot.resize_terminal(*size)
                assert len(sheet.query(Picture)) >= 3
                await at.until(partial(all_fit, sheet))
            at.app.pop_screen()
