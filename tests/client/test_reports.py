"""What a report prints for scripts."""

import json
from dataclasses import asdict

from parlour_client.reports import analysis_json
from parlour_client.thoughts import report_lines
from parlour_protocol.to_client import Analysis
from parlour_protocol.views import BoardView, Candidate, Report


def test_moves_that_a_stopped_search_left_out_are_told_as_unknown() -> None:
    board = BoardView(["1"], ["a", "b", "c"], ["..."], ["X", "O"], 0, ["a1", "b1", "c1"], [0, 1, 2])
    judged = Candidate("b1", 0, "exact", "draw", 3)
    answer = Analysis("id", "row", board, Report("minimax", [judged], "b1", nodes=7))
    fields = dict.fromkeys(("score", "kind", "plies", "margin"))
    unknown = {**fields, "result": "unknown", "exact": False}
    assert analysis_json(answer)["candidates"] == [
        {**asdict(judged), "exact": True},
        {"move": "a1", **unknown},
        {"move": "c1", **unknown},
    ]


def test_an_analysis_is_printed_with_all_that_its_report_says() -> None:
    board = BoardView(["1"], ["a", "b"], [".."], ["X", "O"], 0, ["a1", "b1"], [0, 1])
    candidates = [
        Candidate("a1", 12, "at_least", "unknown"),
        Candidate("b1", -3.5, "estimate", "unknown"),
    ]
    report = Report("perfect", candidates, "a1", ["a1", "b1"], 7, 2, 1, 4, 0.5, True, compiled=False)
    printed = json.loads(json.dumps(analysis_json(Analysis("id", "row", board, report, moves=["c1"]))))
    assert printed["moves"] == ["c1"]
    kinds = [(one["kind"], one["exact"]) for one in printed["candidates"]]
    assert kinds == [("at_least", False), ("estimate", False)]
    for name, value in asdict(report).items():
        assert name == "candidates" or printed[name] == value


def test_what_ran_without_machine_code_and_out_of_time_says_so() -> None:
    def said(compiled: bool | None, *, finished: bool) -> int:
        return len(report_lines(Report("perfect", [], nodes=9, compiled=compiled, finished=finished)))

    assert said(False, finished=False) == 2
    assert said(False, finished=True) == said(True, finished=False) == said(None, finished=False) == 1


def test_a_finished_position_has_no_candidates() -> None:
    board = BoardView(["1"], ["a"], ["X"], ["X", "O"])
    answer = Analysis("id", "row", board, Report("minimax", [], finished=True), "first")
    printed = analysis_json(answer)
    assert (printed["candidates"], printed["to_move"], printed["outcome"]) == ([], None, "first")
