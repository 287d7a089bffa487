"""What a report prints for scripts."""

import json
from dataclasses import asdict

import pytest

from parlour_client.cli.reports import analyse, analysis_json
from parlour_client.render.console import Screen
from parlour_protocol.answers import Analysis
from parlour_protocol.views.boards import BoardView
from parlour_protocol.views.reports import Candidate, Report, Score
from tests.client.cli.stopping import stopped_once


async def test_an_analysis_that_is_stopped_shows_what_it_found(
    capsys: pytest.CaptureFixture[str],
) -> None:
    await stopped_once(
        lambda report: report.candidates,
        lambda client: analyse(client, Screen(), "gomoku", "h8", "engine:time=60"),
    )
    out, _ = capsys.readouterr()
    assert "The search was stopped" in out or "most promising" in out


def test_an_analysis_is_printed_with_all_that_its_report_says() -> None:
    board = BoardView(["1"], ["a", "b"], [".."], [["X"], ["O"]], 0, ["a1", "b1"], [0, 1])
    candidates = [
        Candidate("a1", Score(12, "at_least")),
        Candidate("b1", Score(-3.5)),
    ]
    report = Report(
        "perfect",
        candidates,
        "a1",
        ["a1", "b1"],
        7,
        2,
        1,
        depth=4,
        seconds=0.5,
        finished=True,
        compiled=False,
    )
    printed = json.loads(json.dumps(analysis_json(Analysis("id", "row", board, report, moves=["c1"]))))
    assert printed["moves"] == ["c1"]
    kinds = [(one["score"]["kind"], one["exact"]) for one in printed["candidates"]]
    assert kinds == [("at_least", False), ("estimate", False)]
    for name, value in asdict(report).items():
        assert name == "candidates" or printed[name] == value
