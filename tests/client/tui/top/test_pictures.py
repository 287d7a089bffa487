"""How `parlour top` looks: on the smallest screen, the usual one and a wide one."""

from textual.screen import Screen

from parlour_client.tui.themes import INK, PAPER
from parlour_client.tui.top.screen import TopScreen
from tests.client.tui.screens.stage import Stage
from tests.client.tui.shots import Album
from tests.client.tui.top.looks import look


class TopStage(Stage):
    """The screen with looks that stay as they are."""

    def __init__(self) -> None:
        super().__init__()
        self.top = TopScreen(lambda request: None)

    def get_default_screen(self) -> Screen[None]:
        return self.top


async def shown(album: Album, theme: str, size: tuple[int, int], *keys: str) -> None:
    stage = TopStage()
    async with stage.run_test(size=size) as pilot:
        for number in range(24):
            stage.top.show(look(number))
        await pilot.pause()
        await pilot.press(*keys)
        await album.compare(pilot, theme, size)


async def test_rooms(album: Album) -> None:
    await shown(album, PAPER, (80, 24))


async def test_addresses_on_the_smallest_screen(album: Album) -> None:
    await shown(album, INK, (60, 20), "3")


async def test_a_wide_screen(album: Album) -> None:
    await shown(album, INK, (120, 40))


async def test_a_ban(album: Album) -> None:
    await shown(album, INK, (80, 24), "2", "b")
