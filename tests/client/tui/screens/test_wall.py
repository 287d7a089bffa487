"""All running games on the full screen, one after the other."""

from functools import partial

import pytest

from parlour_client import connect
from parlour_client.sdk import tournaments
from parlour_client.sdk.client import Client
from parlour_client.sdk.room import Room
from parlour_client.tui.launch_request import LaunchRequest
from tests.client.tui.harness import place, terminal_harness
from tests.support.proxy import between


async def bots(owner: Client, game: str, **settings: float) -> Room:
    room = await owner.create(game, seat=None, **settings)  # type: ignore[arg-type]
    for seed in (1, 2):
        await room.add_bot(f"random:seed={seed}")
    return room


async def test_running_games_are_shown_and_waited_for(server: str) -> None:
    async with (
        connect(server, "Ben") as ben,
        terminal_harness(LaunchRequest(partial(place, server), "Ada", wall=0.2)) as here,
    ):
        await here.shows("No game is being played", "Connected")
        first = await bots(ben, "tictactoe", pace=60.0)
        await here.shows(f"room {first.code}", "random (bot)", "to move (X).")
        second = await bots(ben, "connect4", pace=60.0, games=3)
        await here.shows(f"room {second.code}", "Game 1 of 3")
        await here.shows(f"room {first.code}")
        await here.press("q")
        await here.until(lambda: not here.app.is_running)
        assert here.app.fault is None


async def test_a_tournament_that_is_under_way_is_shown_until_it_is_over(
    server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LOOK_SECONDS", "WINNER_SECONDS"):
        monkeypatch.setattr(tournaments, name, 0.1)
    async with (
        connect(server, "Ben") as ben,
        terminal_harness(LaunchRequest(partial(place, server), "Ada", wall=0.2), size=(120, 40)) as here,
    ):
        await here.shows("No game is being played", "Connected")
        # The second is under way before the first is over: it takes its place at once.
        codes = []
        for title in ("Friday cup", "Second cup"):
            code = await ben.create_tournament(title, "tictactoe", format="round_robin")
            codes.append(code)
            for bot in ("random", "easy"):
                await ben.enter_bot(code, bot)
            await ben.join_tournament(code)
            await ben.start_tournament(code)
            await here.shows("Friday cup", "Ben", "running", "· · ·")
        monkeypatch.setattr(tournaments, "WINNER_SECONDS", 600)
        await ben.end_tournament(codes[0])
        await here.shows("Second cup", "Ben", "running", "· · ·")
        monkeypatch.setattr(tournaments, "WINNER_SECONDS", 0.1)
        await ben.end_tournament(codes[1])
        await here.until(lambda: here.screen == "WallScreen")
        await here.press("q")
        await here.until(lambda: not here.app.is_running)
        assert here.app.fault is None


async def test_a_lost_connection_is_shown_until_it_is_back(server: str) -> None:
    async with connect(server, "Ben") as ben, between(server) as proxy:
        room = await bots(ben, "tictactoe", pace=60.0)
        async with terminal_harness(LaunchRequest(partial(place, proxy.url), "Ada", wall=60.0)) as here:
            await here.shows(f"room {room.code}", "● Connected")
            proxy.refuse = True
            proxy.cut()
            await here.shows("○ Not connected")
            # Nobody has a seat here that could be kept.
            assert "your seat" not in here.shown()
            proxy.refuse = False
            await here.shows(f"room {room.code}", "● Connected")
