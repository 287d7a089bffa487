"""The way to another device, from the table."""

import re

from parlour_client import connect
from parlour_client.sdk.carrying import take_over
from parlour_protocol.ids import parse_link
from parlour_protocol.qr_text import half_blocks
from parlour_server.sessions.qr_code import qr_rows
from tests.client.tui.harness import TerminalHarness, terminal_harness


async def link_shown(at: TerminalHarness) -> str:
    """Have the dialog shown, whole on the smallest screen; its link."""
    await at.press("P")
    await at.shows("Play on elsewhere", "#carry=")
    found = re.search(r"http\S+#carry=\w+", at.shown())
    assert found is not None
    return found[0]


async def test_a_link_opens_the_seat_in_a_browser(server: str) -> None:
    async with (
        connect(server, "Ben") as ben,
        terminal_harness(server, first=lambda parlour: parlour.create("tictactoe")) as at,
    ):
        await at.at_table()
        link = parse_link(await link_shown(at))
        assert "in a browser on this machine" in at.shown()
        assert link is not None and link.carry is not None
        assert (link.server, link.code) == (ben.url, at.room.code)
        carried = await take_over(server, link.carry)
        assert carried.player == at.parlour.welcome.player
        assert carried.token is not None and carried.token != at.parlour.token
        await at.press("escape")
        await at.at_table()


async def test_its_qr_code_fits_a_small_terminal(server: str) -> None:
    async with terminal_harness(server, first=lambda parlour: parlour.create("tictactoe")) as at:
        await at.at_table()
        at.parlour.welcome.address = "ws://192.168.100.100:8765"
        link = await link_shown(at)
        drawn = half_blocks(qr_rows(link))
        shown = at.shown()
        assert all(line.strip() in shown for line in drawn)
        assert "Scan this" in shown
