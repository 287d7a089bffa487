"""What others wrote is shown as it stands, or not at all: nothing in it has any effect."""

from dataclasses import replace
from typing import Any

from parlour_client.tui.widgets.chat import Chat
from parlour_protocol.events import ChatPosted, OfferMade
from parlour_protocol.notices import Thinking
from parlour_protocol.views.rooms import ChatLine, SeatView
from tests.client.tui.screens.positions import AT, COLUMNS, event, position, report, room
from tests.client.tui.screens.stage import VERSION, FixedStage
from tests.support.waiting import within

MARKUP = "[bold]B[/bold][@click=app.bell]x[/]"
BAD = [chr(code) for code in (*range(32), *range(127, 160), 0x202E, 0x202C, 0x2066, 0x2069, 0x200B, 0xFEFF)]


def table(text: str) -> FixedStage:
    """A table where everything that others may write is this."""
    view = room(
        "connect4",
        text,
        COLUMNS,
        seats=[SeatView("human", text), SeatView("bot", text, text)],
        chat=[ChatLine("players", text, text, AT)],
        report=report(bot=text, line=[text], best=text),
    )
    assert view.position is not None
    view.position.note = text
    chatted = replace(view, chat=[*view.chat, *view.chat])
    said = event(VERSION + 1, ChatPosted("players", text, text), chatted)
    asked = event(VERSION + 2, OfferMade(1, "rematch"), replace(chatted, offers={"rematch": 1}))
    thinking = Thinking(view.room, VERSION, 1, report(bot=text, line=[text]))
    return FixedStage(view, reported=[said, asked, thinking])


async def test_markup_is_shown_and_never_read() -> None:
    stage = table(MARKUP)
    rung: list[Any] = []
    stage.bell = lambda: rung.append(True)  # type: ignore[method-assign]
    async with stage.run_test(size=(160, 48)) as pilot:
        await pilot.pause()
        seen = stage.seen()
        # In the headline, in the players' names, in talk and in the thoughts.
        assert seen.count("[bold]B[/bold]") >= 4
        talk = stage.table.query_one(Chat)
        assert f"{MARKUP}: {MARKUP}" in talk.lines
        rung.clear()  # what was asked has rung it
        for y, line in enumerate(seen.splitlines()):
            start = line.find("[@click")
            if start >= 0:
                await pilot.click(offset=(start + 2, y))
        assert rung == []


async def test_a_move_that_no_command_can_carry_is_reported_and_not_sent() -> None:
    board = replace(position("tictactoe"), legal=["b" * 500], paths=[4])
    stage = FixedStage(room("tictactoe", "Tic-tac-toe", position=board))
    async with stage.run_test() as pilot:
        await pilot.press("right", "enter")
        await within(10, lambda: "✗ move is wrong" in stage.said)
