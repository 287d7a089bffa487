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
GUESS = Candidate("b2", Score(3.5))


def run(entrant: Entrant, nodes: int, best: Candidate | None = DRAW, *, finished: bool = True) -> Raced:
    board = BoardView(["1"], ["a"], ["."], [["X"], ["O"]])
    report = Report(
        entrant, [best] if best else [], best.move if best else None, nodes=nodes, finished=finished
    )
    return Raced("id", "tictactoe", board, entrant, 9, report)


PLAIN_GUESS = run("alphabeta", 500, Candidate("b2", Score(-0.14, chance=48.6)))
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
    assert "Each of the 6 searches may take up to 60 s. Ctrl-C shows what is there" in " ".join(err.split())


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


def test_all_agree_and_the_saving_is_reported() -> None:
    said = " ".join(verdict([PLAIN, PRUNED, TABLE]))
    assert "All find the same value, 9 plies deep: a draw." in said
    assert "268 times fewer" in said


def test_an_order_that_costs_is_explained() -> None:
    costs = "what cuts off comes later in that guess."
    assert verdict([run("alphabeta", 12), run("ordering", 16)])[-1].endswith(costs)
    assert not any(said.endswith(costs) for said in verdict([run("alphabeta", 16), run("ordering", 12)]))


def test_a_bound_is_reported_as_one() -> None:
    bound = Candidate("b2", Score(97, "at_least", "win", 3))
    said = " ".join(verdict([run("minimax", 900, bound), run("alphabeta", 90, bound)]))
    assert "9 plies deep: the side to move wins in at most 3." in said


def test_who_was_stopped_is_reported_and_does_not_count() -> None:
    stopped = run("minimax", 9_000_000, None, finished=False)
    said = " ".join(verdict([stopped, PRUNED, TABLE]))
    assert "Plain minimax took too long and was stopped" in said
    assert "All find the same value" in said
    (every,) = verdict([stopped, run("table", 9, None, finished=False)])
    assert every.startswith("Plain minimax and transposition table took too long and were stopped:")
    assert "9,000,000+" in drawn(table([stopped, PRUNED]), 100)


def test_a_disagreement_is_not_hidden() -> None:
    wrong = run("table", 10, Candidate("b2", Score(5, "exact", "draw")))
    assert not same_value([PLAIN, wrong])
    assert "do not agree" in " ".join(verdict([PLAIN, wrong]))


def test_the_engine_counts_where_its_value_is_proven() -> None:
    assert same_value([PLAIN, run("engine", 10, GUESS)])
    assert not same_value([PLAIN, run("engine", 10, Candidate("b2", Score(95, "exact", "win", 5)))])


def test_an_engine_that_estimates_the_same_is_not_said_to_differ() -> None:
    plain = run("minimax", 900, Candidate("b2", Score(-0.14, chance=48.6)))
    same, other = (
        run("engine", 90, Candidate("b2", Score(points, chance=chance)))
        for points, chance in ((-0.1, 49.0), (0.4, 54.0))
    )
    assert "All find the same value" in verdict([plain, PLAIN_GUESS, same])[0]
    assert "its estimate differs" in " ".join(verdict([plain, PLAIN_GUESS, other]))


@pytest.mark.parametrize("width", [80, 60])
def test_the_table_fits(width: int) -> None:
    names: tuple[Entrant, ...] = get_args(Entrant)
    runs = [run(entrant, 12_345_678) for entrant in names]
    rows = drawn(table(runs, width), width).splitlines()
    assert all(len(row) <= width for row in rows)
    assert "…" not in "".join(rows)
    assert len(rows) == (8 if width == 80 else 7)


def test_numbers_that_do_not_fit_are_rounded_and_not_cut() -> None:
    runs = [run(entrant, 8_055_202, None, finished=False) for entrant in get_args(Entrant)]
    for one in runs:
        one.report.cutoffs, one.report.table_hits, one.report.seconds = 2_818_529, 376_201, 9.5
    rows = drawn(table(runs), 80)
    assert "…" not in rows and "8.1 M+" in rows and "376 k" in rows
    assert "8,055,202+" in drawn(table(runs, 100), 100)


def test_the_table_says_what_its_bars_show() -> None:
    first, second, *_ = drawn(table([PLAIN]), 80).replace(" \n", "\n").splitlines()
    assert (first.strip(), second.endswith("(log scale)")) == ("positions", True)


def test_json_has_every_run() -> None:
    reported = json.loads(json.dumps(as_json([PLAIN, run("minimax", 5, None, finished=False)])))
    assert (reported["depth"], reported["same_value"]) == (9, True)
    assert [one["nodes"] for one in reported["runs"]] == [549_946, 5]
    assert reported["runs"][1]["score"] is None
