"""How a match is shown: a table, sentences, and JSON."""

import pytest
from rich.table import Table

from parlour_client.render.match_result import STANDINGS, PlayedMatch, difference, sentences, standings
from parlour_client.render.tables import table
from parlour_client.sdk.match_result import MatchResult
from parlour_protocol.ids import Seat
from tests.client.render.test_board import drawn, lines

DECIDED: list[Seat | None] = [0, None] * 20


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


def test_one_game_of_one_move_is_counted_in_the_singular() -> None:
    match = played(0)
    match.result.moves = 1
    assert "1 game of connect4, 1 move in 4.00 s" in " ".join(sentences(match))


def test_what_it_means_in_words() -> None:
    said = " ".join(sentences(played(*DECIDED)))
    assert said.startswith("deep scores 75.0% against easy, 95% between ")
    assert "Elo +191, 95% between +" in said
    assert "40 games of connect4, 400 moves in 4.00 s (10.0 games/s), seed 7." in said
    assert "Each opening of 2 random moves is played twice, with colours swapped." in said
    odd = " ".join(sentences(played(*DECIDED, 0)))
    assert "is played twice, with colours swapped; 1 was played only once." in odd
    assert "The opening of 2 random moves was played only once." in sentences(played(0))
    assert "deep: compiled." in said
    assert "easy: " not in said
    assert "do not show" not in said
    assert "These games do not show which of the two is stronger." in sentences(played(0, 1))


def test_elo_without_a_bound() -> None:
    assert difference(0.55, 0.5, 0.6) == "Elo +35, 95% between 0 and +70."
    assert difference(1.0, 0.8, 1.0) == "Elo: with 95% confidence more than +241."
    assert difference(0.0, 0.0, 0.2) == "Elo: with 95% confidence less than -241."


def test_json_has_no_infinity() -> None:
    reported = played(0, 0, 0, 0).as_json()
    assert (reported["elo"], reported["elo_95"][1]) == (None, None)
    # Wilson's lower bound for two trials of two: 2 / (2 + 1.96 ** 2).
    assert reported["elo_95"][0] == pytest.approx(-113.4)
    assert reported["pairs"] == [0, 0, 0, 0, 2]
    assert (reported["timed"], reported["ran"]) == ([False, True], ["compiled", None])
    assert reported["first_began"] == {"first_wins": 2, "second_wins": 0, "draws": 0}
