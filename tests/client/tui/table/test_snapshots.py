"""How the table looks, in both themes, at the smallest size and at a large one: pictures to look at.

`PICTURES=keep pytest tests/client/tui/table` draws them anew.
"""

from collections.abc import Callable
from dataclasses import replace

import pytest
from textual.pilot import Pilot

from parlour_client.tui.table.review import Review
from parlour_client.tui.themes import INK, PAPER
from parlour_protocol.to_client import Thinking
from parlour_protocol.views import ChatLine, ClockView, ResultView, RoomView, SeatView
from tests.client.tui.table.positions import COLUMNS, DISCS, NINE, WIDE, WON, candidate, report, room
from tests.client.tui.table.reviews import graded
from tests.client.tui.table.stage import VERSION, FixedStage

SIZES = [(80, 24), (160, 48)]
CHAT = [
    ChatLine("players", "Ada", "good luck", 0),
    ChatLine("players", "hard (bot)", "wow, 4 again [bold]", 0),
]
CLOCK = ClockView([252_000, 298_000])

ROOMS: dict[str, Callable[[], RoomView]] = {
    "connect4": lambda: room("connect4", "Connect Four", COLUMNS, chat=CHAT, clock=CLOCK),
    "tictactoe": lambda: room("tictactoe", "Tic-tac-toe", "b2 a1", report=None, chat=CHAT),
    "reversi": lambda: room("reversi", "Reversi", DISCS, clock=CLOCK),
    "ultimate": lambda: room("ultimate", "Ultimate tic-tac-toe", NINE),
    "wide": lambda: room("mnk:19,19,5", "Five in a row on 19x19", WIDE, report=None),
    "people": lambda: room(
        "gomoku",
        "Gomoku",
        "h8 h9 g8 i8",
        report=None,
        chat=CHAT,
        clock=CLOCK,
        seats=[SeatView("human", "Ada"), SeatView("human", "Ben")],
        online=[True, False],
        away=[None, 240.0],  # minutes: no picture takes so long that it is another one
    ),
    "closed": lambda: room(
        "connect4",
        "Connect Four",
        WON,
        phase="closed",
        result=ResultView("four in a row", 0),
        watching=0,
        chat=CHAT,
    ),
    "waiting": lambda: room(
        "tictactoe",
        "Tic-tac-toe",
        phase="waiting",
        to_move=None,
        report=None,
        seats=[SeatView("human", "Ada"), SeatView("open")],
    ),
    "won": lambda: room(
        "connect4",
        "Connect Four",
        WON,
        result=ResultView("four in a row", 0),
        wins=[1, 0],
        chat=CHAT,
        rematch=[1],
    ),
}

SnapCompare = Callable[..., bool]


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x48"])
@pytest.mark.parametrize("theme", [INK, PAPER])
def test_a_table(snap_compare: SnapCompare, theme: str, size: tuple[int, int]) -> None:
    assert snap_compare(FixedStage(ROOMS["connect4"](), theme), press=["right"], terminal_size=size)


@pytest.mark.parametrize(
    "game", ["tictactoe", "reversi", "ultimate", "wide", "won", "waiting", "people", "closed"]
)
def test_other_games_in_little_room(snap_compare: SnapCompare, game: str) -> None:
    assert snap_compare(FixedStage(ROOMS[game]()), press=["right"], terminal_size=(80, 24))


@pytest.mark.parametrize("game", ["reversi", "ultimate"])
def test_other_games_in_plenty_of_room(snap_compare: SnapCompare, game: str) -> None:
    assert snap_compare(FixedStage(ROOMS[game](), PAPER), press=["right"], terminal_size=(160, 48))


@pytest.mark.parametrize("size", [(60, 20), (100, 20), (40, 12)], ids=["60x20", "100x20", "40x12"])
def test_a_screen_that_is_too_small_shows_players_board_and_one_line(
    snap_compare: SnapCompare, size: tuple[int, int]
) -> None:
    people, game = ROOMS["people"](), ROOMS["connect4"]()
    view = replace(game, seats=people.seats, online=people.online, away=people.away)
    assert snap_compare(FixedStage(view), press=["right"], terminal_size=size)


@pytest.mark.parametrize("theme", [INK, PAPER])
def test_a_bot_that_thinks_and_its_costs_on_the_board(snap_compare: SnapCompare, theme: str) -> None:
    view = replace(ROOMS["connect4"](), to_move=1, report=None)
    candidates = [
        candidate("4", 12.3),
        candidate("3", 4.1),
        candidate("5", -2.0),
        candidate("2", -12.5, "at_most"),
        candidate("7", 0, "exact", result="draw"),
        candidate("1", 94, "exact", result="win", plies=6),
        candidate("6", -88, "exact", result="loss", plies=12),
    ]
    thinking = Thinking(view.room, VERSION, 1, report(candidates=candidates, finished=False))
    stage = FixedStage(view, theme, told=[thinking])
    assert snap_compare(stage, press=["h"], terminal_size=(80, 24))


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x48"])
@pytest.mark.parametrize("theme", [INK, PAPER])
def test_a_review(snap_compare: SnapCompare, theme: str, size: tuple[int, int]) -> None:
    stage = FixedStage(ROOMS["won"](), theme)

    async def look(pilot: Pilot[None]) -> None:
        await pilot.pause()
        stage.table.add_class("-reviewed")
        stage.table.query_one(Review).show(graded(), 6)
        await pilot.pause()

    assert snap_compare(stage, run_before=look, terminal_size=size)
