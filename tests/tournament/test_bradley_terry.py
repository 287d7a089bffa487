"""Ratings by the Bradley-Terry model: held against another library, and against chances that are known."""

from math import log10
from random import Random

import choix
import numpy as np
import pytest

from parlour_server.tournament.bradley_terry import ELO, ratings


def test_they_are_those_of_another_library() -> None:
    random = Random(4)
    strength = [random.gauss(0, 1) for _ in range(6)]
    points: dict[tuple[int, int], float] = {}
    won: list[tuple[int, int]] = []
    for one in range(6):
        for other in range(one):
            for _ in range(30):
                chance = 1 / (1 + np.exp(strength[other] - strength[one]))
                pair = (one, other) if random.random() < chance else (other, one)
                won.append(pair)
                points[pair] = points.get(pair, 0) + 1
    likeliest = choix.opt_pairwise(6, won)
    found = ratings(6, points, drawn_before=1e-9)
    assert [one.elo for one in found] == pytest.approx(
        [ELO * (one - likeliest.mean()) for one in likeliest], abs=0.01
    )


def test_two_who_meet_have_the_difference_of_their_score() -> None:
    first, second = ratings(2, {(0, 1): 75, (1, 0): 25}, drawn_before=1e-9)
    assert first.elo - second.elo == pytest.approx(400 * log10(3), abs=0.01)
    assert ratings(2, {(0, 1): 75, (1, 0): 25})[0].elo < first.elo


def test_who_won_everything_has_a_rating_and_so_has_who_never_played() -> None:
    found = ratings(4, {(0, 1): 10, (1, 2): 10, (0, 2): 10})
    assert [one.elo for one in found[:3]] == sorted((one.elo for one in found[:3]), reverse=True)
    assert found[0].elo < 1000
    assert found[3].elo == pytest.approx(-sum(one.elo for one in found[:3]), abs=0.01)
    assert found[3].reach > 500
    assert ratings(0, {}) == []


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    random, held, runs = Random(2), 0, 150
    strength = [0.8, 0.2, -0.2, -0.8]
    for _ in range(runs):
        points: dict[tuple[int, int], float] = {}
        for one in range(4):
            for other in range(one):
                chance = 1 / (1 + np.exp(strength[other] - strength[one]))
                for _ in range(40):
                    pair = (one, other) if random.random() < chance else (other, one)
                    points[pair] = points.get(pair, 0) + 1
        rated = ratings(4, points)[0]
        held += abs(rated.elo - ELO * strength[0]) <= rated.reach
    assert held / runs > 0.93
