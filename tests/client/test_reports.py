"""What a report prints for scripts."""

from parlour_client.reports import analysis_json
from parlour_protocol.to_client import Analysis
from parlour_protocol.views import BoardView, Candidate, Report


def test_moves_that_a_stopped_search_left_out_are_told_as_unknown() -> None:
    board = BoardView(["1"], ["a", "b", "c"], ["..."], ["X", "O"], 0, ["a1", "b1", "c1"], [0, 1, 2])
    judged = Candidate("b1", 0, "exact", "draw", 3)
    answer = Analysis("id", "row", board, Report("minimax", [judged], "b1", nodes=7))
    assert analysis_json(answer)["candidates"] == [
        {"move": "b1", "score": 0, "exact": True, "result": "draw", "plies": 3},
        {"move": "a1", "score": None, "exact": False, "result": "unknown", "plies": None},
        {"move": "c1", "score": None, "exact": False, "result": "unknown", "plies": None},
    ]


def test_a_finished_position_has_no_candidates() -> None:
    board = BoardView(["1"], ["a"], ["X"], ["X", "O"])
    answer = Analysis("id", "row", board, Report("minimax", [], finished=True), "first")
    printed = analysis_json(answer)
    assert (printed["candidates"], printed["to_move"], printed["outcome"]) == ([], None, "first")
