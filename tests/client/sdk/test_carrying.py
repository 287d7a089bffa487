"""A player goes to another device by a link, on a real server."""

import pytest

from parlour_client import Refused, connect
from parlour_client.sdk.carrying import carry_seat, take_over
from parlour_client.sdk.connection import Connection
from parlour_client.sdk.identity import GuestIdentity
from parlour_protocol.errors import Code
from parlour_protocol.ids import parse_link
from parlour_server.sessions.qr_code import qr_rows


async def test_a_link_makes_another_device_the_player_once(server: str) -> None:
    async with connect(server, "Ada") as ada:
        room = await ada.create("tictactoe")
        seat = await carry_seat(ada, room.code)
        link = parse_link(seat.link)
        assert link is not None and link.carry is not None
        assert (link.server, link.code, seat.seconds) == (server, room.code, 120.0)
        # Nobody scans what leads to this machine alone.
        assert seat.rows is None
        welcome = await take_over(server, link.carry)
        assert (welcome.player, welcome.name) == (ada.welcome.player, "Ada")
        # Each device has a token of its own.
        assert welcome.token not in (None, ada.token)
        with pytest.raises(Refused) as refused:
            await take_over(server, link.carry)
        assert refused.value.code is Code.UNKNOWN_CARRY


async def test_where_others_reach_the_server_the_link_is_drawn(server: str) -> None:
    async with connect(server, "Ada") as ada:
        ada.welcome.address = "ws://192.0.2.1:8765"
        seat = await carry_seat(ada, "KMRTQA")
        assert seat.link.startswith("http://192.0.2.1:8765/KMRTQA#carry=")
        assert seat.rows == list(qr_rows(seat.link))
        # One that no code has room for is for people to send.
        ada.welcome.address = f"ws://{'x' * 200}"
        assert (await carry_seat(ada, "KMRTQA")).rows is None


async def test_a_name_may_be_given_with_it(server: str) -> None:
    async with connect(server, "Ada") as ada:
        code = (await ada.carry()).code
        welcome = await take_over(server, code, "Ada L.")
        assert welcome.name == "Ada L."
        async with Connection(server, GuestIdentity("Ada", welcome.token)) as again:
            assert again.welcome.player == ada.welcome.player
