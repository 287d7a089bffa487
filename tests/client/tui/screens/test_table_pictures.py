"""How the table looks: each picture shows something that no other does."""

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from parlour_client.tui.themes import INK, PAPER
from parlour_protocol.notices import Thinking
from parlour_protocol.views.rooms import ChatLine, ClockView, ResultView, RoomView, SeatView
from tests.client.tui.screens.positions import AT, COLUMNS, DISCS, NINE, WIDE, WON, candidate, report, room
from tests.client.tui.screens.reviews import graded
from tests.client.tui.screens.stage import VERSION, FixedStage
from tests.client.tui.shots import LARGE, SMALL

CHAT = [
    ChatLine("players", "Ada", "good luck", 0),
    ChatLine("players", "hard (bot)", "wow, 4 again [bold]", 0),
]
CLOCK = ClockView([252_000, 298_000], AT)

ALONE: dict[str, Any] = {
    "seats": [SeatView("human", "Ada"), SeatView("human", "Ben")],
    "online": [True, False],
    "away": [None, 240.0],  # minutes: no picture takes so long that it is another one
}

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
        **ALONE,
    ),
    "connect4 alone": lambda: room("connect4", "Connect Four", COLUMNS, chat=CHAT, clock=CLOCK, **ALONE),
    "connect4 on turn": lambda: room(
        "connect4", "Connect Four", COLUMNS, chat=CHAT, clock=CLOCK, to_move=1, report=None
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
        result=ResultView("line", "four in a row", 0),
        wins=[1, 0],
        chat=CHAT,
        offers={"rematch": 1},
    ),
}

SnapCompare = Callable[..., bool]


@pytest.mark.parametrize(
    ("game", "theme", "size"),
    [
        ("connect4", INK, SMALL),
        ("connect4", PAPER, LARGE),
        ("ultimate", PAPER, LARGE),
        ("tictactoe", INK, SMALL),
        ("reversi", INK, SMALL),
        ("ultimate", INK, SMALL),
        ("wide", INK, SMALL),
        ("won", INK, SMALL),
        ("waiting", INK, SMALL),
        ("people", PAPER, SMALL),
    ],
    ids=lambda value: value if isinstance(value, str) else "x".join(map(str, value)),
)
def test_a_table(snap_compare: SnapCompare, game: str, theme: str, size: tuple[int, int]) -> None:
    assert snap_compare(FixedStage(ROOMS[game](), theme), press=["right"], terminal_size=size)


@pytest.mark.parametrize("size", [(60, 20), (40, 12)], ids=["60x20", "40x12"])
def test_a_screen_that_is_too_small_shows_players_board_and_one_line(
    snap_compare: SnapCompare, size: tuple[int, int]
) -> None:
    assert snap_compare(FixedStage(ROOMS["connect4 alone"]()), press=["right"], terminal_size=size)


def test_a_bot_that_thinks_and_its_evaluations_on_the_board(snap_compare: SnapCompare) -> None:
    view = ROOMS["connect4 on turn"]()
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
    assert snap_compare(FixedStage(view, reported=[thinking]), press=["H"], terminal_size=SMALL)


@pytest.mark.parametrize(("theme", "size"), [(INK, SMALL), (PAPER, LARGE)], ids=["80x24", "160x48"])
def test_a_review(snap_compare: SnapCompare, theme: str, size: tuple[int, int]) -> None:
    stage = FixedStage(ROOMS["won"](), theme)

    async def look(pilot: Pilot[None]) -> None:
        await pilot.pause()
        model = stage.table.model
        model.reviewing, model.review, model.marked = True, graded(), 6
        stage.table.changed()
        await pilot.pause()

    assert snap_compare(stage, run_before=look, terminal_size=size)
