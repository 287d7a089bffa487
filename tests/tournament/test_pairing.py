"""Who plays whom: against FIDE's tables, another library, and what each format promises."""

from collections import Counter
from functools import partial
from itertools import combinations
from typing import Any

import pytest
from caissify_pairings import generate_pairings

from parlour_server.tournament.commands import Start
from parlour_server.tournament.pairing import next_round
from parlour_server.tournament.state import Pair
from tests.tournament.hall import DRAWN, LOST, WON, Hall, better

BERGER_8 = """1-8 2-7 3-6 4-5, 8-5 6-4 7-3 1-2, 2-8 3-1 4-7 5-6, 8-6 7-5 1-4 2-3,
3-8 4-2 5-1 6-7, 8-7 1-6 2-5 3-4, 4-8 5-3 6-2 7-1"""
"""FIDE's handbook, C.05, annex 1: the table for seven or eight."""


def rounds(hall: Hall) -> list[list[tuple[int, int]]]:
    return [[pair.both for pair in one.pairs] for one in hall.state.rounds]


def test_a_round_robin_goes_by_fides_tables() -> None:
    hall = Hall(8, format="round_robin")
    hall.play(better)
    table = [[tuple(map(int, pair.split("-"))) for pair in one.split()] for one in BERGER_8.split(",")]
    assert [sorted(one) for one in rounds(hall)] == [sorted(one) for one in table]


@pytest.mark.parametrize("players", [2, 3, 6, 7])
def test_in_a_double_round_robin_all_meet_twice_and_each_moves_first_once(players: int) -> None:
    hall = Hall(players, format="double_round_robin")
    hall.play(better)
    met = Counter(pair for one in rounds(hall) for pair in one)
    wanted = {pair: 1 for two in combinations(range(1, players + 1), 2) for pair in (two, two[::-1])}
    assert met == wanted
    rests = Counter(number for one in hall.state.rounds for number in one.byes)
    assert set(rests.values()) == ({2} if players % 2 else set())


@pytest.mark.parametrize("players", range(2, 18))
def test_in_a_knockout_the_best_seeds_have_the_byes_and_meet_last(players: int) -> None:
    hall = Hall(players, format="knockout")
    hall.play(better)
    size = 1 << (players - 1).bit_length()
    assert sorted(hall.state.rounds[0].byes) == list(range(1, size - players + 1))
    assert all(not one.byes for one in hall.state.rounds[1:])
    assert set(rounds(hall)[-1][0]) == {1, 2}
    assert sum(map(len, rounds(hall))) == players - 1


def test_in_a_gauntlet_the_first_meets_all_others_in_turn() -> None:
    hall = Hall(5, format="gauntlet")
    hall.play(better)
    assert rounds(hall) == [[(1, 2)], [(3, 1)], [(1, 4)], [(5, 1)]]


def test_in_an_arena_nobody_waits_for_the_slow_and_few_meet_twice_in_a_row() -> None:
    hall = Hall(6, format="arena", pause=0)
    hall.start()
    first, *others = [pair for pair, _ in hall.state.open_games()]
    for pair in others:
        hall.decide(pair, WON)
    hall.now += 1000
    hall.proceed()
    paired = rounds(hall)[1]
    assert len(paired) == 2
    assert not {frozenset(pair) for pair in paired} & {frozenset(pair) for pair in rounds(hall)[0]}
    # The winners meet, and so do the losers.
    assert {frozenset(pair) for pair in paired} == {
        frozenset(pair.both[seat] for pair in others) for seat in (0, 1)
    }
    assert first.open is not None


def test_the_last_two_of_an_arena_play_each_other_again() -> None:
    hall = Hall(2, format="arena", pause=0)
    hall.start()
    hall.play_round(better)
    hall.proceed()
    assert [set(pair) for one in rounds(hall) for pair in one] == [{1, 2}, {1, 2}]
    # The other one moves first.
    assert rounds(hall)[0] != rounds(hall)[1]


def test_the_same_state_gives_the_same_round() -> None:
    for style in ("swiss", "arena", "knockout", "round_robin"):
        one, two = (Hall(9, seed=7, format=style) for _ in range(2))
        for hall in (one, two):
            hall.start()
            hall.play_round(better)
        assert next_round(one.state) == next_round(one.state) == next_round(two.state)


def test_a_swiss_that_can_not_go_on_ends() -> None:
    hall = Hall(2, format="swiss", rounds=5)
    hall.play(better)
    assert rounds(hall) == [[hall.state.rounds[0].pairs[0].both]]


# ---------------------------------------------------------------- a witness


def as_witness_wants(hall: Hall) -> dict[str, Any]:
    """The history of each, as the other library wants it."""
    state = hall.state
    players: dict[int, dict[str, Any]] = {
        one.number: {
            "id": one.number,
            "name": one.name,
            "rating": 3000 - one.number,
            "starting_number": one.number,
            "score": 0.0,
            "color_hist": [],
            "float_history": [],
            "bye_count": 0,
        }
        for one in state.entrants
    }
    for one in state.rounds:
        before = {number: player["score"] for number, player in players.items()}
        for number in one.byes:
            players[number]["score"] += 1
            players[number]["bye_count"] += 1
            players[number]["color_hist"].append("none")
            players[number]["float_history"].append("down")
        for pair in one.pairs:
            for seat, number in enumerate(pair.both):
                other = pair.both[1 - seat]
                players[number]["score"] += pair.points[seat]
                players[number]["color_hist"].append(("white", "black")[seat])
                higher, lower = before[number] > before[other], before[number] < before[other]
                players[number]["float_history"].append("down" if higher else "up" if lower else "none")
    return {
        "players": list(players.values()),
        "previous_pairings": {tuple(sorted(pair.both)) for pair in state.pairs()},
        "round_number": len(state.rounds) + 1,
    }


def test_a_swiss_is_paired_as_another_library_pairs_it() -> None:
    """In 201 of 204 rounds that were tried; the two go by FIDE's rules before and from 2026."""
    agreed = []
    for seed in range(6):
        hall = Hall(10 + seed, seed=2 * seed, format="swiss", rounds=5)
        hall.do(Start())
        for _ in range(5):
            wanted = generate_pairings(system="dutch", total_rounds=5, **as_witness_wants(hall))
            hall.proceed()
            last = hall.state.rounds[-1]
            ours = {frozenset(pair.both) for pair in last.pairs} | {frozenset((one,)) for one in last.byes}
            theirs = {frozenset(filter(None, (one["white_id"], one["black_id"]))) for one in wanted}
            agreed.append(ours == theirs)
            hall.play_round(partial(by_chance, hall))
    assert len(agreed) == 30
    assert sum(agreed) >= 29


def by_chance(hall: Hall, pair: Pair) -> tuple[float, float]:
    return hall.dice.choice((WON, WON, DRAWN, LOST))
