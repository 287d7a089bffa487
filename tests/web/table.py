"""A table as a person at a browser sees it, and how they play there."""

import re
from collections.abc import Sequence

from playwright.async_api import Locator, Page, expect


class Table:
    """A page that shows a room's table."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.status = page.locator(".status")
        self.banner = page.locator(".banner")
        self.spoken = page.locator("#live")
        """What a screen reader was given to say."""
        self.players = page.locator(".player")
        self.chat = page.get_by_role("log")
        self.on_its_way = page.locator(".ghost")
        """The move that was sent and is not played yet."""

    def cell(self, name: str) -> Locator:
        """The cell of that name, as the game writes it."""
        return self.page.get_by_role("gridcell", name=re.compile(rf"^{re.escape(name)} "))

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    async def play(self, *cells: str) -> None:
        """Click on these cells, one after the other."""
        for cell in cells:
            await self.cell(cell).click()

    async def my_turn(self) -> None:
        await expect(self.status).to_have_text(re.compile("^Your turn"))

    async def has(self, cell: str, mark: str) -> None:
        """Wait until this stands there."""
        await expect(self.cell(cell)).to_have_accessible_name(
            re.compile(rf"^{re.escape(cell)} {re.escape(mark)}(,|$)")
        )

    async def say(self, words: str) -> None:
        await self.page.get_by_placeholder("Say something").fill(words)
        await self.page.keyboard.press("Enter")


async def play_by_turns(players: Sequence[Table], *moves: str, watching: Sequence[Table] = ()) -> None:
    """Play moves of tic-tac-toe, each on its player's page; all see it before the next."""
    for ply, move in enumerate(moves):
        player = players[ply % 2]
        await player.my_turn()
        await player.play(move)
        for one in (*players, *watching):
            await one.has(move, "XO"[ply % 2])
