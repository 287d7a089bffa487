"""How a match is shown: a table, sentences, and JSON."""

import pytest
from rich.table import Table

from parlour_client.cli.match_report import STANDINGS, as_json, live_title, sentences, standings
from parlour_client.matches.match import MOST_FAULTS, Tally
from parlour_client.matches.plan import Entrant, Plan
from parlour_client.render.tables import table
from parlour_client.sdk.sprt import Sprt
from parlour_protocol.ids import Seat
from parlour_protocol.views.records import Fault
from tests.client.render.test_board import drawn, lines


def played(*winners: Seat | None, sprt: Sprt | None = None) -> Tally:
    deep, easy = Entrant("deep", "deep"), Entrant("easy", "easy", timed=True)
    tally = Tally(Plan("connect4", (deep, easy), 20, 7, sprt=sprt))
    for number, winner in enumerate(winners):
        tally.result.add(number // 2, 0 if number % 2 == 0 else 1, winner, 10)
    tally.compiled[0].add(True)
    tally.random_plies, tally.openings = 2, {"a", "b"}
    return tally


def result_table(match: Tally, *, ascii_only: bool = False) -> Table:
    return table(STANDINGS, standings(match), ascii_only=ascii_only)


def test_a_row_for_each_bot_and_colour() -> None:
    shown = [row.split() for row in lines(result_table(played(0, 0, 0, None, 1)), 80)]
    assert shown[0] == ["bot", "games", "won", "drawn", "lost", "score"]
    assert [row[:7] for row in shown[1:] if row] == [
        ["deep", "5", "3", "1", "1", "70.0%", "█" * 14],
        ["moving", "first", "3", "2", "0", "1", "66.7%"],
        ["moving", "second", "2", "1", "1", "0", "75.0%"],
        ["easy", "5", "1", "1", "3", "30.0%", "█" * 6],
        ["moving", "first", "2", "0", "1", "1", "25.0%"],
        ["moving", "second", "3", "1", "0", "2", "33.3%"],
    ]
    # A colour that was not played has no row.
    assert len(lines(result_table(played(0)), 80)) == 5
    assert "#" in drawn(result_table(played(0), ascii_only=True))


def test_json_has_no_infinity() -> None:
    reported = as_json(played(0, 0, 0, 0), 4.0)
    assert (reported["elo"], reported["elo_95"][1], reported["normalised_elo"]) == (None, None, None)
    # Wilson's lower bound for two trials of two: 2 / (2 + 1.96 ** 2).
    assert reported["elo_95"][0] == pytest.approx(-113.4)
    assert reported["pairs"] == [0, 0, 0, 0, 2]
    assert (reported["timed"], reported["ran"]) == ([False, True], ["compiled", None])
    assert reported["first_began"] == {"first_wins": 2, "second_wins": 0, "draws": 0}
    assert live_title(played(0, 0)) == "+2 -0 =0"


def test_why_it_ended_and_whose_faults_there_were_is_said() -> None:
    tally = played(0, None, 0, 0, 1, 0, sprt=Sprt(0, 10))
    assert "not decided" in " ".join(sentences(tally, 2.0))
    reported = as_json(tally, 2.0)
    assert reported["sprt"]["verdict"] == "open"
    assert reported["sprt"]["bounds"] == [-2.944, 2.944]
    assert ", LLR " in live_title(tally)
    tally.benched, tally.end = 1, "benched"
    tally.faults = [Fault(1, "exception", "line 3: no idea")] * 2 + [Fault(1, "memory", "too much")]
    said = " ".join(sentences(tally, 2.0))
    assert f"easy is benched after {MOST_FAULTS} faults" in said
    assert "easy lost 2 games by faults of its own (exception). The first: line 3: no idea" in said
    assert "easy lost 1 game by a fault of its own (memory). too much" in said
    assert as_json(tally, 2.0)["faults"] == [
        {"bot": "deep", "count": 0},
        {"bot": "easy", "count": 3, "exception": 2, "memory": 1},
    ]
