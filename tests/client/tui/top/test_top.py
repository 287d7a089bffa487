"""`parlour top` over a real server: what it shows, what it does, what happens when that is gone."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from parlour_client.cli import app as cli
from parlour_client.tui.top.app import TopApp
from parlour_client.tui.top.tables import RankedTable
from tests.support.client import player
from tests.support.server import serving
from tests.support.waiting import within

PATIENCE = 20.0


class Top:
    """The screen as its keeper sees it."""

    def __init__(self, app: TopApp, pilot: Pilot[None]) -> None:
        self.app, self.pilot = app, pilot

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    def shown(self) -> str:
        return "\n".join(strip.text for strip in self.app.screen._compositor.render_strips())

    async def until(self, happens: Callable[[], bool]) -> None:
        await within(PATIENCE, happens)
        await self.pilot.pause()

    async def shows(self, *words: str) -> None:
        await self.until(lambda: all(word in self.shown() for word in words))

    def said(self) -> list[str]:
        return [notification.message for notification in self.app._notifications]

    def table(self, name: str) -> RankedTable[object]:
        return self.app.top.query_one(f"#{name}", RankedTable)


@asynccontextmanager
async def top(data: Path, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Top]:
    app = TopApp(str(data), None, 0.1)
    async with app.run_test(size=size, notifications=True) as pilot:
        yield Top(app, pilot)
        app.action_leave()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "rooms.db"


async def test_it_shows_who_is_there_and_closes_a_room(data: Path) -> None:
    async with serving(data=str(data)) as url, player(url, "Ada") as ada, top(data) as keeper:
        room = (await ada.ask("create", game="tictactoe"))["room"]
        await ada.ask("sit", room=room)
        await keeper.shows("rooms 1", room, "Ada - free", url)
        await keeper.press("c")
        await keeper.shows(f"Room {room} is closed for good.")
        await keeper.press("escape", "c", "left", "enter")
        assert (await ada.event("room_closed"))["event"]["reason"] == "the host of the server closed it"
        await keeper.until(lambda: f"Room {room} is closed. Its log stays." in keeper.said())


async def test_a_player_is_kicked_and_an_address_banned(data: Path) -> None:
    async with (
        serving(data=str(data)) as url,
        player(url, "Ada") as ada,
        player(url, "Ben") as ben,
        top(data) as keeper,
    ):
        await keeper.press("2")
        await keeper.until(lambda: keeper.table("players").row_count == 2)
        await keeper.press("down")
        kicked = {"Ada": ada, "Ben": ben}[keeper.app.top._called(keeper.table("players").chosen or "")]
        await keeper.press("k", "left", "enter")
        goodbye = await kicked.until(lambda message: message["type"] == "goodbye")
        assert goodbye["code"] == "kicked"
        await keeper.until(lambda: keeper.table("players").row_count == 1)
        await keeper.press("3")
        await keeper.until(lambda: keeper.table("addresses").chosen == "127.0.0.1")
        await keeper.press("b")
        await keeper.shows("For an hour", "For a day", "For good")
        await keeper.press("right", "enter")
        left = ben if kicked is ada else ada
        goodbye = await left.until(lambda message: message["type"] == "goodbye")
        assert goodbye["message"] == "The host of this server has shut you out for 60 min."


async def test_the_row_stays_chosen_and_the_tables_are_sorted_anew(data: Path) -> None:
    async with serving(data=str(data)) as url, player(url, "Ada") as ada, top(data, (120, 40)) as keeper:
        rooms = [(await ada.ask("create", game="tictactoe"))["room"] for _ in range(3)]
        await ada.ask("subscribe", room=rooms[1])
        table = keeper.table("rooms")
        await keeper.until(lambda: table.row_count == 3)
        await keeper.press("down")
        chosen = table.chosen
        await keeper.press("s")
        await keeper.shows("watch ▾")
        await keeper.until(lambda: next(iter(table.rows)).value == rooms[1])
        assert table.chosen == chosen


async def test_gone_it_says_so_and_back_it_goes_on(data: Path) -> None:
    async with AsyncExitStack() as until_later:
        server = AsyncExitStack()
        await server.enter_async_context(serving(data=str(data)))
        keeper = await until_later.enter_async_context(top(data))
        await keeper.shows("rooms 0")
        await server.aclose()
        await keeper.shows("Looking for it again")
        await until_later.enter_async_context(serving(data=str(data)))
        await keeper.until(lambda: "Looking for it again" not in keeper.shown())


async def test_where_no_server_is_there_is_no_screen(data: Path) -> None:
    async with top(data) as keeper:
        await keeper.until(lambda: keeper.app.fault is not None)
    assert str(keeper.app.fault) == f"There is no file {data}: name the data file of a running server."


def test_without_a_terminal_there_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["top"]) == 2
    said = capsys.readouterr().err
    assert said == "This needs a terminal's full screen. `parlour admin status` shows the numbers once.\n"
