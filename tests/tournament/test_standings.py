"""Standings, tie-breaks and cross tables, worked out by hand."""

from parlour_server.tournament.commands import Forfeit, Withdraw
from parlour_server.tournament.standings import cross_table, standings
from parlour_server.tournament.state import Pair
from tests.tournament.hall import DRAWN, LOST, WON, Hall, Points, better


def test_tie_breaks_are_those_of_a_table_that_was_worked_out_by_hand() -> None:
    # 1 beats 2, 2 beats 3, 3 beats 1, all beat 4 but 3, who draws.
    won = {(1, 2), (2, 3), (3, 1), (1, 4), (2, 4)}

    def result(pair: Pair) -> Points:
        return WON if pair.both in won else LOST if pair.both[::-1] in won else DRAWN

    hall = Hall(4, format="round_robin")
    hall.play(result)
    lines = standings(hall.state)
    assert [(one.rank, one.number, one.points, one.sonneborn_berger) for one in lines] == [
        (1, 1, 2.0, 2.5),
        (2, 2, 2.0, 2.0),
        (3, 3, 1.5, 2.25),
        (4, 4, 0.5, 0.75),
    ]
    assert [one.buchholz for one in lines] == [4.0, 4.0, 4.5, 5.5]
    heads, rows = cross_table(hall.state, lines)
    assert heads == ["1", "2", "3", "4"]
    assert rows[2] == ["1", "0", "x", "½"]


def test_direct_encounters_part_those_who_are_even_and_a_circle_shares_a_rank() -> None:
    hall = Hall(3, format="round_robin")
    won = {(1, 2), (2, 3), (3, 1)}
    hall.play(lambda pair: WON if pair.both in won else LOST)
    assert [(one.rank, one.number, one.direct) for one in standings(hall.state)] == [
        (1, 1, 1.0),
        (1, 2, 1.0),
        (1, 3, 1.0),
    ]
    two = Hall(2, format="double_round_robin")
    two.play(lambda pair: WON if pair.round == 1 else DRAWN)
    ahead = two.state.rounds[0].pairs[0].first
    assert [(one.rank, one.number) for one in standings(two.state)] == [(1, ahead), (2, 3 - ahead)]


def test_a_bye_is_a_win_against_ones_equal_in_a_swiss_and_a_rest_elsewhere() -> None:
    for style, points in (("swiss", 1.0), ("round_robin", 0.0)):
        hall = Hall(3, format=style)
        hall.start()
        (bye,) = hall.state.rounds[0].byes
        line = next(one for one in standings(hall.state) if one.number == bye)
        assert (line.points, line.wins) == (points, 0)
        assert (line.buchholz, line.sonneborn_berger) == (points, points)


def test_an_arenas_points_double_after_two_wins_in_a_row_until_one_does_not_win() -> None:
    hall = Hall(2, format="arena", pause=0, minutes=60)
    hall.start()
    points = []
    for result in (WON, WON, WON, DRAWN, WON):
        (pair,) = [pair for pair, _ in hall.state.open_games()]
        hall.decide(pair, result if pair.first == 1 else result[::-1])
        hall.now += 1000
        hall.proceed()
        line = next(one for one in standings(hall.state) if one.number == 1)
        points.append((line.points, line.streak))
    assert points == [(2.0, False), (4.0, True), (8.0, True), (10.0, False), (12.0, False)]


def test_a_knockout_is_ordered_by_how_far_one_came() -> None:
    hall = Hall(5, format="knockout")
    hall.play(better)
    assert [one.rank for one in standings(hall.state)] == [1, 2, 3, 3, 5]
    assert [one.number for one in standings(hall.state)] == [1, 2, 3, 4, 5]
    assert cross_table(hall.state, standings(hall.state))[1][0] == ["*", "+4", "+2"]


def test_a_forfeit_counts_and_a_game_that_runs_does_not() -> None:
    hall = Hall(4, format="swiss", rounds=2)
    hall.start()
    first, second = hall.state.rounds[0].pairs
    hall.do(Forfeit(1, 1, first.first))
    hall.do(Withdraw(second.second))
    assert [(one.number, one.points) for one in standings(hall.state)[:2]] == sorted(
        [(first.second, 1.0), (second.first, 1.0)]
    )
    rows = cross_table(hall.state, standings(hall.state))[1]
    assert sorted(row[0][0] for row in rows) == ["+", "+", "-", "-"]
