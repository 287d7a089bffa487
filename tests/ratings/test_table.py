"""Ratings out of finished games: who is rated, in which order, and the same again each time."""

import json
import random

import pytest
from pydantic import TypeAdapter

from parlour_protocol.events import GameSummary, PlayerSummary
from parlour_protocol.ids import Seat
from parlour_server.ratings.glicko2 import Rating, rated, rested
from parlour_server.ratings.table import (
    RECENT,
    WEEK,
    Standing,
    Table,
    counted,
    handle_of,
    is_bot,
    key_of,
    ranked,
)
from parlour_server.store.finished_games import FinishedGame

ADA, BEN = PlayerSummary("p-ada", "Ada"), PlayerSummary("p-ben", "Ben")
HARD = PlayerSummary("bot:1", "hard", "hard")
CODE = PlayerSummary("p-ada", "Ada", program=True)


def game(
    first: PlayerSummary = ADA,
    second: PlayerSummary = BEN,
    winner: Seat | None = 0,
    *,
    at: int = 1_000,
    name: str = "connect4",
    counts: bool = True,
) -> FinishedGame:
    summary = GameSummary(name, 1, 0, 9, [first, second], rated=counts)
    return FinishedGame("KMRTQA", 9, at, "line", winner, summary)


def test_a_game_is_a_period_of_its_two_players() -> None:
    table = counted({}, 1, game())
    won = rated(Rating(), [(Rating(), 1.0)])
    ada, ben = table["connect4"]["p-ada"], table["connect4"]["p-ben"]
    assert (ada.rating, ada.deviation) == pytest.approx((won.rating, won.deviation), abs=1e-6)
    assert ada.rating + ben.rating == pytest.approx(3000, abs=1e-5)
    assert (ada.games, ada.numbers, ada.curve, ada.at) == (1, [1], [round(won.rating)], 1_000)
    # Both are rated by what they were before it.
    again = counted(table, 2, game(winner=None, at=1_000))["connect4"]["p-ada"]
    expected = rated(Rating(ada.rating, ada.deviation, ada.volatility), [(Rating(*_of(ben)), 0.5)])
    assert again.rating == pytest.approx(expected.rating, abs=1e-6)
    assert again.curve == [round(won.rating), round(again.rating)]


def _of(one: Standing) -> tuple[float, float, float]:
    return one.rating, one.deviation, one.volatility


def test_who_was_away_is_known_less() -> None:
    table = counted({}, 1, game())
    ada = table["connect4"]["p-ada"]
    later = counted(table, 2, game(second=HARD, at=1_000 + 52 * WEEK))["connect4"]["p-ada"]
    expected = rated(rested(Rating(*_of(ada)), 52), [(Rating(), 1.0)])
    assert later.deviation == pytest.approx(expected.deviation, abs=1e-6)
    # A clock that went back takes nothing off.
    before = counted(table, 2, game(second=HARD, at=0))["connect4"]["p-ada"]
    assert before.deviation == pytest.approx(rated(Rating(*_of(ada)), [(Rating(), 1.0)]).deviation, abs=1e-6)
    assert before.at == 1_000


def test_games_and_players_are_kept_apart_and_what_does_not_count_is_left_out() -> None:
    table = counted({}, 1, game(counts=False))
    assert table == {}
    for number, one in enumerate([game(), game(name="hex"), game(first=CODE), game(second=HARD)], 1):
        table = counted(table, number, one)
    assert {name: set(players) for name, players in table.items()} == {
        "connect4": {"p-ada", "p-ben", "program p-ada", "bot hard"},
        "hex": {"p-ada", "p-ben"},
    }
    assert table["connect4"]["p-ada"].games == 2
    assert [is_bot(key_of(one)) for one in (ADA, CODE, HARD)] == [False, True, True]


def test_a_table_is_not_changed_by_the_next_game() -> None:
    table = counted({}, 1, game())
    text = repr(table)
    counted(counted(table, 2, game()), 3, game(name="hex"))
    assert repr(table) == text


def test_the_best_come_first_and_who_is_hardly_known_last() -> None:
    players = {
        "p-new": Standing(2000, 300),
        "p-good": Standing(1700, 80),
        "p-fair": Standing(1600, 110),
        "bot easy": Standing(1900, 60),
    }
    assert ranked(players, bots=False) == ["p-good", "p-fair", "p-new"]
    assert ranked(players, bots=True) == ["bot easy"]
    assert handle_of("p-new") != handle_of("p-good") and "p-new" not in handle_of("p-new")


def test_it_is_the_same_to_the_last_digit_however_often_it_is_saved_on_the_way() -> None:
    chance = random.Random(5)
    people = [PlayerSummary(f"p-{number}", f"P{number}") for number in range(8)]
    games = []
    for number in range(400):
        first, second = chance.sample(people, 2)
        winner: Seat | None = chance.choice([0, 1, None])
        games.append(game(first, second, winner, at=number * 3_600_000, name=chance.choice(["hex", "go"])))
    tables = TypeAdapter(Table)
    at_once: Table = {}
    saved: Table = {}
    for number, one in enumerate(games, 1):
        at_once = counted(at_once, number, one)
        saved = counted(saved, number, one)
        if chance.random() < 0.3:
            saved = tables.validate_json(tables.dump_json(saved))
    assert tables.dump_json(saved) == tables.dump_json(at_once)
    ratings = [one for players in at_once.values() for one in players.values()]
    assert sum(one.games for one in ratings) == 800
    assert all(len(one.curve) == len(one.numbers) <= RECENT for one in ratings)
    assert json.loads(tables.dump_json(at_once))["hex"]["p-0"]["games"] > RECENT
