"""How a match is shown: a table, sentences, and JSON."""

import pytest
from rich.table import Table

from parlour_client.render.match_result import STANDINGS, PlayedMatch, standings
from parlour_client.render.tables import table
from parlour_client.sdk.match_result import MatchResult
from parlour_protocol.ids import Seat
from tests.client.render.test_board import drawn, lines


def played(*winners: Seat | None, names: tuple[str, str] = ("deep", "easy")) -> PlayedMatch:
    result = MatchResult()
    for number, winner in enumerate(winners):
        result.add(number // 2, 0 if number % 2 == 0 else 1, winner, 10)
    return PlayedMatch("connect4", names, 7, result, 2, 4.0, (False, True), ({True}, set()))


def result_table(match: PlayedMatch, *, ascii_only: bool = False) -> Table:
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
    reported = played(0, 0, 0, 0).as_json()
    assert (reported["elo"], reported["elo_95"][1]) == (None, None)
    # Wilson's lower bound for two trials of two: 2 / (2 + 1.96 ** 2).
    assert reported["elo_95"][0] == pytest.approx(-113.4)
    assert reported["pairs"] == [0, 0, 0, 0, 2]
    assert (reported["timed"], reported["ran"]) == ([False, True], ["compiled", None])
    assert reported["first_began"] == {"first_wins": 2, "second_wins": 0, "draws": 0}
