"""What a race shows."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import cast, get_args

import pytest

from parlour_client.cli import lab
from parlour_client.cli.lab import as_json, same_value, table, verdict
from parlour_client.render import progress
from parlour_client.render.console import Screen
from parlour_client.sdk.in_process import InProcessClient
from parlour_client.sdk.messages import Notice
from parlour_client.sdk.queries import QueryClient
from parlour_protocol import commands
from parlour_protocol.answers import Board, Raced
from parlour_protocol.views.boards import BoardView
from parlour_protocol.views.reports import Candidate, Entrant, Report, Score
from parlour_server.sessions import queries
from tests.client.cli.stopping import stopped_once
from tests.client.render.test_board import drawn

DRAW = Candidate("b2", Score(0, "exact", "draw"))


def run(entrant: Entrant, nodes: int, best: Candidate | None = DRAW, *, finished: bool = True) -> Raced:
    board = BoardView(["1"], ["a"], ["."], [["X"], ["O"]])
    report = Report(
        entrant, [best] if best else [], best.move if best else None, nodes=nodes, finished=finished
    )
    return Raced("id", "tictactoe", board, entrant, 9, report)


PLAIN, PRUNED, TABLE = run("minimax", 549_946), run("alphabeta", 20_866), run("table", 2_054)


async def test_what_is_there_is_shown_where_the_race_is_stopped(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lab, "SILENT_SECONDS", 0.0)
    waits, answers = asyncio.Event(), iter([PLAIN, PRUNED])

    async def request(asked: object) -> Raced | Board:
        if isinstance(asked, commands.AskBoard):
            return Board("id", "tictactoe", PLAIN.position, [])
        if (answer := next(answers, None)) is None:
            waits.set()
            await asyncio.Event().wait()
        assert answer is not None
        return answer

    async def nothing() -> AsyncIterator[Notice]:
        return
        yield

    client = cast("QueryClient", SimpleNamespace(request=request, notices=nothing))
    race = asyncio.create_task(lab.race(client, Screen(), "tictactoe", "", 9))
    await asyncio.wait_for(waits.wait(), 20)
    await asyncio.sleep(0)
    race.cancel()
    with pytest.raises(asyncio.CancelledError):
        await race
    out, err = capsys.readouterr()
    assert "549,946" in out and "All find the same value, 9 plies deep: a draw." in out
    assert "Each of the 9 searches may take up to 60 s. Ctrl-C shows what is there" in " ".join(err.split())


async def test_a_search_that_is_stopped_shows_how_far_it_has_come(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "SILENT_SECONDS", 0.0)
    await stopped_once(
        lambda report: report.left is not None, lambda client: lab.race(client, Screen(), "gomoku", "", 9)
    )
    out, err = capsys.readouterr()
    assert re.search(r"plain minimax +\? +[0-9,]+\+", out)
    # In a pipe, too, it is told how long that would take.
    assert re.search(
        r"minimax: [0-9.]+ k? ?positions.*, about [0-9,]+ days left \.\.\.", " ".join(err.split())
    )


async def test_no_search_of_a_race_goes_on_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "LONGEST_RACE", 0.3)
    async with InProcessClient() as client, asyncio.timeout(60):
        for entrant in ("minimax", "engine"):
            asked = commands.Race(id=entrant, game="gomoku", entrant=entrant, depth=40)
            assert not (await client.request(asked)).report.finished


def test_about_as_many_positions_are_not_called_fewer() -> None:
    assert "fewer" not in " ".join(verdict([PLAIN, run("table", 540_000)]))
    assert "1.5 times fewer" in " ".join(verdict([run("minimax", 3), run("table", 2)]))


def test_a_disagreement_is_not_hidden() -> None:
    wrong = run("table", 10, Candidate("b2", Score(5, "exact", "draw")))
    assert not same_value([PLAIN, wrong])
    assert "do not agree" in " ".join(verdict([PLAIN, wrong]))


@pytest.mark.parametrize("width", [80, 60])
def test_the_table_fits(width: int) -> None:
    names: tuple[Entrant, ...] = get_args(Entrant)
    runs = [run(entrant, 12_345_678) for entrant in names]
    rows = drawn(table(runs, width), width).splitlines()
    assert all(len(row) <= width for row in rows)
    assert "…" not in "".join(rows)
    assert len(rows) == (11 if width == 80 else 10)


def test_json_has_every_run() -> None:
    reported = json.loads(json.dumps(as_json([PLAIN, run("minimax", 5, None, finished=False)])))
    assert (reported["depth"], reported["same_value"]) == (9, True)
    assert [one["nodes"] for one in reported["runs"]] == [549_946, 5]
    assert reported["runs"][1]["score"] is None
