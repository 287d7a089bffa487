"""What a report prints for scripts."""

import json
from dataclasses import asdict
from typing import Any

import pytest

from parlour_client.cli.reports import analyse, analysis_json, explained
from parlour_client.render.analysis import report_lines
from parlour_client.render.console import Screen
from parlour_client.render.progress import effort
from parlour_client.text.scores import leads_to
from parlour_protocol.answers import Analysis
from parlour_protocol.views.boards import BoardView
from parlour_protocol.views.reports import Candidate, Report, Score, UnfinishedRound
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


def test_moves_that_a_stopped_search_left_out_are_reported_as_unknown() -> None:
    board = BoardView(["1"], ["a", "b", "c"], ["..."], [["X"], ["O"]], 0, ["a1", "b1", "c1"], [0, 1, 2])
    judged = Candidate("b1", Score(0, "exact", "draw", 3))
    answer = Analysis("id", "row", board, Report("minimax", [judged], "b1", nodes=7))
    unknown = {"score": None, "exact": False}
    assert analysis_json(answer)["candidates"] == [
        {**asdict(judged), "exact": True},
        {"move": "a1", **unknown},
        {"move": "c1", **unknown},
    ]


def test_an_analysis_is_printed_with_all_that_its_report_says() -> None:
    board = BoardView(["1"], ["a", "b"], [".."], [["X"], ["O"]], 0, ["a1", "b1"], [0, 1])
    candidates = [
        Candidate("a1", Score(12, "at_least")),
        Candidate("b1", Score(-3.5)),
    ]
    report = Report("perfect", candidates, "a1", ["a1", "b1"], 7, 2, 1, 4, 0.5, True, compiled=False)
    printed = json.loads(json.dumps(analysis_json(Analysis("id", "row", board, report, moves=["c1"]))))
    assert printed["moves"] == ["c1"]
    kinds = [(one["score"]["kind"], one["exact"]) for one in printed["candidates"]]
    assert kinds == [("at_least", False), ("estimate", False)]
    for name, value in asdict(report).items():
        assert name == "candidates" or printed[name] == value


def test_what_ran_without_machine_code_and_out_of_time_says_so() -> None:
    def said(compiled: bool | None, *, finished: bool) -> int:
        return len(report_lines(Report("perfect", [], nodes=9, compiled=compiled, finished=finished)))

    assert said(False, finished=False) == 2
    assert said(False, finished=True) == said(True, finished=False) == said(None, finished=False) == 1


def test_how_it_ran_and_where_it_was_cut_stands_in_the_report() -> None:
    def said(**more: Any) -> str:
        report = Report("hard", [], nodes=9, seconds=5.0, **more)
        return " ".join(str(line) for line in report_lines(report))

    assert said(compiled=True).startswith("hard looked at 9 positions in 5.00 s (compiled)")
    assert said(compiled=False).startswith("hard looked at 9 positions in 5.00 s (in plain Python)")
    assert said() == "hard looked at 9 positions in 5.00 s"
    assert said(cut_after=5.0).endswith("It was stopped at this server's limit of 5 s.")
    assert said(best="7", weakened=True).endswith("It chose 7 at random: it plays weaker on purpose.")


def test_moves_that_were_cut_off_say_which_one_they_are_no_better_than() -> None:
    cut = Candidate("a1", Score(0, "at_most"), no_better_than="b2")
    assert leads_to(cut) == "no better than b2 (cut off)"
    assert leads_to(Candidate("b2", Score(0, "exact", "draw"))) == "a draw"


def test_a_finished_position_has_no_candidates() -> None:
    board = BoardView(["1"], ["a"], ["X"], [["X"], ["O"]])
    answer = Analysis("id", "row", board, Report("minimax", [], finished=True), "first")
    printed = analysis_json(answer)
    assert (printed["candidates"], printed["to_move"], printed["outcome"]) == ([], None, "first")


def said(*candidates: Candidate, nodes: int, unfinished: UnfinishedRound | None = None) -> str:
    board = BoardView(["1"], ["a", "b"], [".."], [["X"], ["O"]], 0, ["a1", "b1"], [0, 1])
    report = Report("perfect", list(candidates), "a1", ["a1"], nodes, depth=42, finished=True)
    report.unfinished = unfinished
    return "\n".join(line.plain for line in explained(Analysis("id", "row", board, report)))


def test_an_analysis_explains_what_is_on_its_board() -> None:
    proven = Candidate("a1", Score(98, "exact", "win", 2))
    words = said(proven, Candidate("b1", Score(3.25, chance=71)), nodes=9)
    legend = "W2: wins in 2; ~71: 71% to win, by estimate; * the chosen move."
    assert f"On the board: {legend}" in words
    assert "chance" not in said(proven, nodes=9)


def test_a_choice_of_a_deeper_round_is_explained() -> None:
    first, chosen = (Candidate(move, Score(0, chance=chance)) for move, chance in (("b1", 62), ("a1", 60)))
    deeper = [Candidate("a1", Score(0, chance=54)), Candidate("b1", Score(0, chance=41))]
    words = said(first, chosen, nodes=9, unfinished=UnfinishedRound(43, deeper, chosen=True))
    assert "a1 was chosen at depth 43, unfinished: a1 54% to win, b1 41% to win." in words
    # It stands beside scores of the complete round, and so it is one of them.
    assert "gives it 60% to win" in words
    same = said(first, chosen, nodes=9, unfinished=UnfinishedRound(43, deeper))
    assert "Depth 43, unfinished: a1 54% to win, b1 41% to win." in same
    assert "unfinished" not in said(first, chosen, nodes=9)


def test_what_is_known_from_a_book_took_no_effort() -> None:
    proven = Candidate("a1", Score(58, "exact", "win", 42))
    assert "from its book" in said(proven, nodes=1)
    assert "depth 42" not in said(proven, nodes=1)
    assert "depth 42, 9 positions" in said(proven, nodes=9)


def test_one_position_is_reported_in_the_singular() -> None:
    assert effort(Report("perfect", [], nodes=1)) == "1 position"
    assert effort(Report("perfect", [], nodes=2)) == "2 positions"
