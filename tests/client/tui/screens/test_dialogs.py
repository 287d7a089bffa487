"""What can't be undone is asked about first; an answer is one key, and any other key means no."""

from typing import Any

from parlour_protocol.events import GameFinished
from parlour_protocol.views.rooms import ResultView, RoomView, SeatView
from tests.client.tui.screens.positions import event, move_played, position, room
from tests.client.tui.screens.stage import VERSION, FixedStage
from tests.support.waiting import within


def alone(**changed: Any) -> RoomView:
    """Ada's room, whose other player has stayed away."""
    seats = [SeatView("human", "Ada"), SeatView("human", "Ben")]
    return room(
        "gomoku",
        "Gomoku",
        "h8",
        **{"seats": seats, "online": [True, False], "away": [None, 70.0], "report": None, **changed},
    )


async def test_a_claim_is_a_key_and_then_which() -> None:
    stage = FixedStage(alone())
    async with stage.run_test() as pilot:
        assert "C" in stage.keys
        for key, said in (
            ("x", "Ben has been away"),
            ("escape", "Ben has been away"),
            ("w", "claiming the win"),
            ("d", "claiming a draw"),
            ("b", "calling a bot"),
        ):
            assert "C claims the game." in stage.said
            await pilot.press("C")
            assert stage.said == "Claim W the win, D a draw, or B have a bot play on?"
            await pilot.pause()
            assert " W The win  D A draw  B A bot  esc Back" in stage.seen()
            await pilot.press(key)
            assert said in stage.said
            assert stage.screen is stage.table
            if "Ben" not in said:
                stage.pop_screen()
                await stage.seat(alone())


async def test_while_a_question_stands_no_letter_is_taken_for_a_move() -> None:
    # n is a column of this board, and it is Ada's turn.
    stage = FixedStage(alone(to_move=0))
    async with stage.run_test() as pilot:
        await pilot.press("R")
        assert stage.said == "Resign this game? Y or N"
        await pilot.press("n")
        assert "Give" not in stage.said and "▏" not in stage.said
        await pilot.press("n")
        assert stage.said.startswith("Your move: n▏")


async def test_a_question_that_has_no_meaning_any_more_is_not_asked() -> None:
    stage = FixedStage(alone(to_move=0))
    async with stage.run_test() as pilot:
        await pilot.press("R")
        won = ResultView("resignation", "resignation", 0)
        over = alone(phase="finished", to_move=None, result=won, wins=[1, 0])
        stage.room.take(event(VERSION + 1, GameFinished("resignation", 0, "resignation", 1), over))
        await within(10, stage.has_shown)
        assert stage.said.startswith("You win by resignation.")
        await pilot.press("y")
        assert "giving" not in stage.said


async def test_without_animations_nothing_moves() -> None:
    stage = FixedStage(room("connect4", "Connect Four", ""))
    async with stage.run_test():
        board = position("connect4", "4")
        stage.room.take(move_played(VERSION + 1, 1, room("connect4", "Connect Four", "4")))
        await within(10, stage.has_shown)
        assert stage.board.view == board
        assert not stage.board.moving
