"""The list of a room's games, and the way there and back."""

from parlour_client.sdk.client import Client
from parlour_client.sdk.room import Room
from tests.client.tui.harness import TerminalHarness, terminal_harness


def room(at: TerminalHarness) -> Room:
    found = at.app.room
    assert found is not None
    return found


async def play_and_abort(parlour: Client) -> Room:
    """Our player loses a game by resigning, and aborts the rematch."""
    played = await parlour.create("tictactoe", opponent="random:seed=1", starts="first")
    await played.play("b2")
    await played.wait_for_turn()
    await played.resign()
    await played.rematch()
    await played.until(lambda state: state.view.game_number == 2)
    await played.abort()
    return played


def last_line(at: TerminalHarness) -> str:
    return at.shown().rstrip().splitlines()[-1]


async def at_finished_table(at: TerminalHarness) -> None:
    """To a table at which the second game was aborted."""
    await at.connected()
    at.app.open_table("to the table", play_and_abort)
    await at.at_table()
    await at.shows("The game was aborted")


async def test_an_earlier_game_is_seen_and_left_the_way_it_was_come_to(server: str) -> None:
    async with terminal_harness(server) as at:
        await at_finished_table(at)
        await at.press("L")
        await at.shows(
            "Games in room", "2  Aborted.", "1  random (bot) wins by resignation.", "You won 0, lost 1"
        )
        await at.shows("enter See it", "esc Back")
        # The game that was played to its end is the chosen one.
        await at.press("enter")
        await at.shows("■ Game 1", "Game 1. random (bot) wins")
        assert "Q Games" in last_line(at)
        await at.press("home")
        await at.shows("The beginning (of 2 moves)")
        await at.press("escape")
        await at.shows("Game 1. random (bot) wins")
        await at.press("V")
        await at.shows("perfect")
        await at.press("escape")
        await at.until(lambda: "perfect" not in at.shown())
        await at.press("escape")
        await at.until(lambda: at.screen == "GamesDialog")
        await at.press("escape")
        await at.at_table()
        assert "● Connected" in at.shown()
        assert "Q Lobby" in last_line(at)
        await at.press("Q")
        await at.until(lambda: at.screen == "LobbyScreen")


async def test_the_lobby_lists_a_rooms_games(server: str) -> None:
    async with terminal_harness(server) as at:
        await at_finished_table(at)
        await at.press("Q")
        await at.until(lambda: at.screen == "LobbyScreen")
        await at.press("3")
        await at.shows("Look back")
        await at.press("l")
        await at.shows("Games in room", "1  random (bot) wins by resignation.")
        await at.press("enter")
        await at.shows("■ Game 1")
        await at.press("Q")
        await at.until(lambda: at.screen == "GamesDialog")
        await at.press("escape")
        await at.until(lambda: at.screen == "LobbyScreen")
