"""The page reads boards, scores and lists as the protocol's own functions do."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from parlour_client.render.lists import phrase
from parlour_protocol.views.boards import BoardView
from parlour_protocol.views.boards import Path as Chosen
from parlour_protocol.views.lists import PAGE
from parlour_protocol.views.records import PastGame, PastRoom
from parlour_protocol.views.reports import Score
from parlour_protocol.views.rooms import ResultView, RoomLine, SeatView, Series
from tests.client.rooms import chess
from tests.client.tui.screens.positions import position
from tests.support.needs import node
from tests.web.core.page import write_served

READER = Path(__file__).with_name("views.mjs")

ADA, EASY, FREE = SeatView("human", "Ada"), SeatView("bot", "easy", "easy"), SeatView("open")
CHAINS = replace(
    chess(),
    legal=["a", "b", "c", "d", "e", "pass"],
    paths=[[12, 6, 4, 2], [12, 6, 0], [12, 10], [12, 10, 9], [12, 8, 6, 12], -1],
)
GAMES = ("tictactoe", "connect4", "ultimate", "reversi", "kalah", "checkers", "morris", "isolation", "dots")
TAKES = position("morris", "a7 b6 d7 b4")
BOARDS = [chess(), CHAINS, TAKES, *map(position, GAMES)]
FROM_A1 = position("isolation", "a1 g7")
MOVED: list[tuple[BoardView, BoardView, list[int]]] = [
    (FROM_A1, position("isolation", "a1 g7 a2"), [42, 35]),
    (position("breakthrough:5"), position("breakthrough:5", "a2b3"), [15, 11]),
    # Over the cells of its chain, which may end where it began.
    (
        CHAINS,
        replace(CHAINS, cells=["bR bN wR .".split(), *CHAINS.cells[1:3], ". wK . .".split()], last=[2, 12]),
        [12, 6, 4, 2],
    ),
    (CHAINS, replace(CHAINS, last=[12, 12]), [12, 8, 6, 12]),
    (FROM_A1, FROM_A1, []),
]
"""Positions before and after a move, and the cells that its piece is seen to go over."""
SCORES = [
    *(Score(99, "exact", "win"), Score(0, "exact", "draw"), Score(-99, "exact", "loss")),
    *(Score(points, "at_least") for points in (0, 1)),
    *(Score(2, chance=62), Score(3.5), Score(-1, "at_most")),
]
WON = ResultView("line", "three in a row", 0)
PAST = PastRoom("KMRTQA", "go", "go", "finished", [ADA, EASY], 2, 5, 0, 0, WON)
ROWS: list[tuple[str, Any]] = [
    ("ROOMS", RoomLine("KMRTQA", "tictactoe", "waiting", [ADA, FREE], 0, 0, 3, clock="5+3")),
    ("ROOMS", RoomLine("KMRTQA", "mnk", "playing", [EASY, ADA], 4, 2, 9, None, [2, 1], 4, Series(8, 10))),
    ("ROOMS", RoomLine("KMRTQA", "mnk", "waiting", [FREE, FREE], 0, 0, 1)),
    ("OWN_ROOMS", PAST),
    ("OWN_ROOMS", PastRoom("KMRTQA", "go", "go", "playing", [ADA, FREE], 1, 0, 0, 0)),
    ("OWN_ROOMS", PastRoom("KMRTQA", "go", "go", "finished", [ADA, EASY], 1, 7, 0, None, WON)),
    ("ROOM_GAMES", PastGame(2, [ADA, EASY], 1, 0, 5, WON, 0)),
    ("ROOM_GAMES", PastGame(3, [ADA, EASY], 0, 0, 1, goes_on=True)),
]


def prefixes(board: BoardView) -> list[Chosen]:
    """Everything that may be chosen of a move before it is whole, in an order."""
    return sorted({path[:at] for _, path in board.ways() for at in range(max(len(path), 1))})


def plain(value: Any) -> Any:
    """As it comes from a server."""
    return TypeAdapter(type(value)).dump_python(value, mode="json", exclude_none=True)


def test_the_page_agrees_with_python(tmp_path: Path) -> None:
    write_served(tmp_path)
    given = {
        "boards": [plain(one) for one in BOARDS],
        "prefixes": [prefixes(one) for one in BOARDS],
        "moved": [[plain(before), plain(after)] for before, after, _ in MOVED],
        "scores": [plain(one) for one in SCORES],
        "rows": [[name, plain(row)] for name, row in ROWS],
    }
    run = subprocess.run(
        [node(), str(READER), str(tmp_path)],
        input=json.dumps(given),
        capture_output=True,
        check=True,
        text=True,
        timeout=30,
    )
    found = json.loads(run.stdout)
    for board, read in zip(BOARDS, found["boards"], strict=True):
        assert read["moves"] == [board.moves_at(cell) for cell in range(len(board.texts()))]
        for chosen, chosen_there in zip(prefixes(board), read["chosen"], strict=True):
            for cell, (path, moves) in enumerate(chosen_there):
                assert (tuple(path), moves) == board.choose(chosen, cell)
        for (_, path), (step, text) in zip(board.ways(), read["steps"], strict=True):
            assert (tuple(step), text) == (board.step_of(path), board.placed(path))
        last_first = board.legal[::-1]
        first = {cell: last_first[place] for cell, place in board.first_at(last_first).items()}
        assert {int(cell): move for cell, move in read["first"].items()} == first
    assert found["ways"] == [way for *_, way in MOVED]
    assert found["scores"] == [score.share for score in SCORES]
    for (name, row), shown in zip(ROWS, found["rows"], strict=True):
        for column, words in zip(PAGE[name], shown, strict=True):
            # Each writes moments in its own way.
            assert column.kind == "moment" or words == phrase(column, row).plain, (name, column.name)
