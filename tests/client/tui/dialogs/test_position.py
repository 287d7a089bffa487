"""Where a game is to begin: moves played on a board, or pieces put on it; a real server says what can be."""

from textual.widgets import Input

from parlour_client.sdk.boards import Boards
from parlour_client.tui.dialogs.create import CreateDialog
from parlour_client.tui.dialogs.position import PositionScreen
from parlour_client.tui.widgets.board import Board
from tests.client.tui.harness import TerminalHarness, terminal_harness


async def opened(at: TerminalHarness, game: str, moves: str = "") -> PositionScreen:
    """The screen, from the dialog's button."""
    await at.connected()
    await at.press("n")
    base, _, variant = game.partition(":")
    dialog = at.app.screen
    assert isinstance(dialog, CreateDialog)
    dialog.query_one("#game").value = base  # type: ignore[attr-defined]
    await at.pilot.pause()
    dialog.query_one("#variant", Input).value = variant
    dialog.query_one("#moves", Input).value = moves
    await at.pilot.click("#position")
    await at.until(lambda: isinstance(at.app.screen, PositionScreen))
    assert isinstance(at.app.screen, PositionScreen)
    return at.app.screen


def field(at: TerminalHarness, name: str) -> str:
    return at.app.screen.query_one(f"#{name}", Input).value


async def click(at: TerminalHarness, cell: int) -> None:
    board = at.app.screen.query_one(Board)
    assert board.grid is not None
    x, y = board.grid.middle(cell)
    left, top = board._offset()
    await at.pilot.click(Board, offset=(x + left, y + top))


async def test_moves_are_played_on_the_preview_and_the_game_begins_after_them(server: str) -> None:
    async with terminal_harness(server) as at:
        await opened(at, "connect4", "4")
        await at.press("4")
        await at.shows("4 4")
        await click(at, 0)
        await at.shows("4 4 1")
        await at.press("U")
        await at.until(lambda: "4 4 1" not in at.shown())
        await at.press("D")
        await at.until(lambda: isinstance(at.app.screen, CreateDialog))
        assert (field(at, "variant"), field(at, "moves")) == ("", "4 4")
        await at.press("enter")
        await at.at_table()
        assert at.room.view.moves[:2] == ["4", "4"]


async def test_pieces_are_put_on_the_board_and_what_can_t_be_is_refused(server: str) -> None:
    async with terminal_harness(server) as at:
        await opened(at, "tictactoe")
        await at.press("P")
        await click(at, 0)
        await at.press(*"b2")
        assert field(at, "text") == "X../.X./... X"
        await at.press("D")
        await at.shows("as many X as O, or one more: here are 2 and 0")
        await at.press("P", "S")
        await click(at, 1)
        await at.press("M")
        await at.until(lambda: field(at, "text") == "xo1/1x1/3 o")
        await at.press(*"c1")
        await at.shows("c1")
        await at.press("D")
        await at.until(lambda: isinstance(at.app.screen, CreateDialog))
        assert (field(at, "variant"), field(at, "moves")) == ("@xo1/1x1/3 o", "c1")
        await at.press("enter")
        await at.at_table()
        assert at.room.view.game == "tictactoe@xo1/1x1/3 o"


async def test_pits_walls_and_edges_are_set_up(server: str) -> None:
    async with terminal_harness(server) as at:
        for game, keys, cell, text in (
            ("kalah", "", 6, "4,4,4,4,4,4/5,4,4,4,4,4 A [0,0]"),
            ("isolation:4@●.../..../..../...○ ●", "PP", 4, "●.../#.../..../...○ ●"),
            ("dots:1x1", "PP", 1, "+-+/.../+.+ A"),
        ):
            screen = await opened(at, game)
            await at.press("P", *keys)
            await click(at, cell)
            assert field(at, "text") == text
            await at.press("M")
            await at.until(lambda: screen._setup is None)  # noqa: B023
            await at.press("escape", "escape")
            await at.until(lambda: at.screen == "LobbyScreen")


async def test_what_a_position_says_beside_its_pieces_is_set_up(server: str) -> None:
    async with terminal_harness(server) as at:
        screen = await opened(at, "go")
        await at.press("P", *"c3", "S", "N", "end", "backspace", "7", "down", "right", "down", *"b3", "enter")
        assert field(at, "text") == "·····/·····/··●··/·····/····· ○ [7,1,b3]"
        await at.press("D")
        await at.until(lambda: isinstance(at.app.screen, CreateDialog))
        assert screen._answer.game == "go@5/5/2x2/5/5 o [7,1,b3]"


async def test_what_is_pasted_is_a_position(server: str) -> None:
    async with terminal_harness(server) as at:
        screen = await opened(at, "tictactoe")
        await at.type("3  X . O\n2  . X .\n1  . . .\n   a b c\nO")
        await at.until(lambda: screen._answer.position.texts()[0] == "X")
        await at.type("xxx/3/3 o")
        await at.shows("✗")
        await at.press("T", "end", "x", "enter")
        await at.shows("✗")
        await at.press("escape")
        await at.type("http://h/analysis#connect4=4")
        await at.shows("That is a position of another game: connect4.")
        await at.type("http://h/analysis#tictactoe@xo1/3/3%20x=b2,a1(c3*)")
        await at.until(lambda: screen._answer.moves == ["b2", "c3"])
        # The tray, and the side to move, are clicked.
        await at.press("P")
        await at.pilot.click("#tray", offset=(6, 0))
        assert screen._piece == 1
        await at.press("escape")
        assert isinstance(at.app.screen, CreateDialog)


async def test_each_answer_is_a_game_that_the_server_knows(server: str) -> None:
    async with terminal_harness(server) as at:
        await at.connected()
        assert at.app.parlour is not None
        for line in await at.app.parlour.games():
            answer = await Boards(at.app.parlour, line.name, "").last()
            assert answer.position.empty in answer.tray or answer.position.layout == "pits"
