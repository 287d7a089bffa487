"""A move stands on the screen as soon as it is heard of, moving pieces or not, and input never waits."""

import pytest

from parlour_client.tui.widgets import animation
from parlour_protocol.notices import Thinking
from tests.client.tui.screens.positions import move_played, position, report, room
from tests.client.tui.screens.stage import VERSION, FixedStage
from tests.support.waiting import within

PLAYED = "a19 c17 e15 g13 i11 k9 m7 o5".split()


def seen_marks(stage: FixedStage) -> int:
    """How many crosses and rings are on the screen, of two lines each."""
    return stage.seen().count("▀▄▀") + stage.seen().count("╭───╮")


def drawn(stage: FixedStage) -> bool:
    """Look at the screen; is the board on it as it is now?"""
    return bool(stage.seen()) and stage.board.drawn


async def test_each_move_that_is_received_of_is_drawn() -> None:
    stage = FixedStage(room("mnk:19,19,5", "Five in a row", ""))
    stage.animation_level = "full"
    async with stage.run_test(size=(160, 48)) as pilot:
        await pilot.pause()
        for number in range(len(PLAYED)):
            moves = " ".join(PLAYED[: number + 1])
            now = room("mnk:19,19,5", "Five in a row", moves)
            stage.room.take(move_played(VERSION + 1 + number, 0, now))
            await within(5, lambda: stage.board.view == now.position and drawn(stage))  # noqa: B023
            assert seen_marks(stage) == number + 1


async def test_a_falling_piece_is_on_its_way_and_the_next_move_can_be_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # For as long as the test likes.
    monkeypatch.setattr(animation, "FALL_SECONDS", 600)
    monkeypatch.setattr(animation, "LONGEST_FALL", 600)
    stage = FixedStage(room("connect4", "Connect Four", ""))
    async with stage.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        stage.animation_level = "full"
        board = position("connect4", "4")
        stage.room.take(move_played(VERSION + 1, 1, room("connect4", "Connect Four", "4", to_move=0)))
        # Waiting for the piece would be waiting for its timer.
        await within(5, lambda: stage.board.view == board)
        assert stage.board.moving
        await pilot.press("3")
        assert "3 is on its way" in stage.said
        monkeypatch.setattr(animation, "LONGEST_FALL", 0)
        await within(10, lambda: not stage.board.moving)


async def test_what_a_bot_thinks_moves_while_it_thinks_and_on_the_board_too() -> None:
    stage = FixedStage(room("connect4", "Connect Four", "4", report=None))
    async with stage.run_test(size=(100, 30)) as pilot:
        await pilot.press("H")
        for depth in (3, 9, 14):
            stage.room.take(Thinking("KMRTQA", VERSION, 1, report(depth=depth, finished=False)))
            await within(10, lambda: f"depth {depth} " in stage.seen())  # noqa: B023
            assert "hard (bot) is thinking" in stage.seen()
            assert stage.board.shows_scores
            assert "loses in 12" in stage.seen().split("hard (bot) is thinking")[1]
