"""A tournament on the full screen: found in the lobby, run by its host, and played in."""

from functools import partial

from textual.widgets import Input

from parlour_client import connect
from parlour_client.tui.dialogs.fields import Choice
from parlour_client.tui.dialogs.tournament import TournamentDialog
from parlour_client.tui.launch_request import LaunchRequest
from parlour_client.tui.screens.table import TableScreen
from parlour_client.tui.screens.tournament import TournamentScreen
from tests.client.tui.harness import place, terminal_harness


async def test_its_host_runs_it_and_is_led_to_each_game_and_back(server: str) -> None:
    async with connect(server, "Ben") as ben, terminal_harness(server) as at:
        await at.connected()
        await at.press("c")
        form = at.app.screen
        assert isinstance(form, TournamentDialog)
        assert not form.rows["minutes"].display
        for name, value in (("title", "Friday cup"), ("clock", "fast"), ("pause", "0.2"), ("rounds", "3")):
            form.query_one(f"#{name}", Input).value = value
        for name, value in (("game", "tictactoe"), ("format", "round_robin")):
            form.query_one(f"#{name}", Choice).value = value
        await at.press("enter")
        await at.shows("✗ clock is wrong.")
        # What other formats have is neither asked nor sent.
        assert not form.rows["rounds"].display
        form.query_one("#clock", Input).value = ""
        await at.press("enter")
        await at.shows("Friday cup", "round robin", "How others join", "Hosted by Ada")
        assert isinstance(at.app.screen, TournamentScreen)
        code = at.app.screen.view.tournament
        await at.press("a", "enter")
        await at.until(lambda: at.screen == "TournamentScreen" and "(bot)" in at.shown())
        await at.press("x")
        await at.shows("A game that runs is lost.")
        await at.press("left", "enter")
        await at.shows("(bot) (left)")
        await at.press("j")
        await ben.join_tournament(code)
        # The host's own name stands above, too.
        await at.until(lambda: at.shown().count("Ada") > 1 and "Ben" in at.shown())
        await at.press("b")
        # Who takes part is led to the table, and comes back here.
        await at.at_table()
        assert at.room.view.tournament == code
        await at.press("Q")
        await at.shows("Friday cup", "Ada – Ben", "running")
        await at.press("t")
        await at.at_table()
        await at.press("Q")
        await at.until(lambda: isinstance(at.app.screen, TournamentScreen))
        await at.press("tab", "d")
        await at.shows("Round 1, board 1", "Lost by both")
        await at.press("left", "left", "enter")
        await at.shows("forfeit")
        await at.press("p")
        # It is played again, and so is led to.
        await at.at_table()
        assert at.room.view.phase == "playing"
        await at.press("Q")
        await at.press("e")
        await at.shows("Games that run no longer count.")
        await at.press("left", "enter")
        await at.shows("The host has ended it early.")
        await at.press("Q")
        await at.until(lambda: at.screen == "LobbyScreen")
        assert at.reported() == []


async def test_a_spectator_sees_games_that_run_and_looks_at_one(server: str) -> None:
    async with connect(server, "Ben") as ben:
        code = await ben.create_tournament("Cup", "connect4", format="round_robin")
        await ben.join_tournament(code)
        await ben.enter_bot(code, "random")
        await ben.start_tournament(code)
        async for view in ben.follow_tournament(code):
            if view.room is not None:
                break
        assert view.room is not None
        room = await ben.join(view.room)
        opening = LaunchRequest(partial(place, server), "Ada", tournament=code)
        async with terminal_harness(opening, size=(120, 40)) as at:
            await at.shows("Cup", "random (bot)", "· · · · · · ·")
            await room.until(lambda state: state.view.your_turn)
            await room.play("4")
            # Both have moved, and beside that there is the mark of the connection.
            await at.until(lambda: sum(at.shown().count(mark) for mark in "●○") >= 3)
            await at.press("enter")
            await at.at_table()
            assert isinstance(at.app.screen, TableScreen)
            await at.press("Q")
            await at.shows("Cup", "· · · · · · ·")
            await at.press("enter")
            await at.at_table()
            # That it is over is said at a table, too.
            await ben.end_tournament(code)
            await at.until(lambda: any("ended it early" in one for one in at.reported()))
