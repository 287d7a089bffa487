"""A puzzle on the full screen: tried with keys, answered in words and on the board, and another one."""

from parlour_client import connect
from parlour_client.tui.screens.puzzle import PuzzleScreen
from parlour_client.tui.widgets.board import Board
from tests.client.tui.harness import terminal_harness


async def test_the_puzzle_of_the_day_is_solved_by_keys(server: str) -> None:
    async with connect(server) as anyone, terminal_harness(server) as at:
        today = await anyone.puzzle()
        right, wrong = today.candidates[0].move, today.candidates[-1].move
        await at.connected()
        await at.press("p")
        await at.shows(f"{today.game} · Puzzle of {today.day}", "Find the only move", "A Answer", "N Another")
        board = at.app.screen.query_one(Board)
        await at.press(*wrong, "enter")
        await at.shows(f"Not this one. {wrong}: ")
        assert board.shows_scores
        await at.press(*right, "enter")
        await at.shows(f"Right! {right}: ")
        assert board.view == today.solved
        await at.press("N")
        assert today.before is not None
        await at.shows(f"Puzzle of {today.before}")
        await at.press("A")
        await at.shows("The answer: ")
        await at.press("Q")
        await at.until(lambda: at.screen == "LobbyScreen")
        assert at.reported() == []


async def test_what_is_no_move_is_said(server: str) -> None:
    async with terminal_harness(server) as at:
        await at.connected()
        await at.press("p")
        await at.until(lambda: isinstance(at.app.screen, PuzzleScreen))
        await at.press("z", "9", "enter")
        await at.shows("Type a move as the board names it")
