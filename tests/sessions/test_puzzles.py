"""Puzzles over a connection: a day's is the same for everybody, and all that it takes comes at once."""

from datetime import UTC, datetime
from typing import Any

import pytest

from parlour_server.hosting.puzzle_days import DAYS_KEPT
from parlour_server.search.reports.puzzle import shipped
from tests.hosting.harness import HostingHarness, Person, settle


async def ask(person: Person, **fields: Any) -> dict[str, Any]:
    asked = person.say("puzzle", **fields)
    await settle()
    (received,) = person.answers(asked)
    return received


def today(harness: HostingHarness) -> str:
    return datetime.fromtimestamp(harness.context.now() / 1000, UTC).date().isoformat()


async def test_a_days_puzzle_is_the_same_for_everybody(harness: HostingHarness) -> None:
    ada, ben = await harness.person(), await harness.person("Ben")
    one, other = await ask(ada), await ask(ben)
    del one["id"], other["id"]
    assert one == other
    assert one["day"] == today(harness)
    assert one["moves"] == one["position"].get("moves", one["moves"])
    right = [each["move"] for each in one["candidates"] if each["score"].get("result") == one["find"]]
    assert len(right) == 1
    assert {each["move"] for each in one["candidates"]} == set(one["position"]["legal"])
    assert all(each["score"]["kind"] == "exact" for each in one["candidates"])
    assert one["solved"] != one["position"]
    assert one["solved"]["to_move"] != one["position"]["to_move"]


async def test_one_goes_back_from_day_to_day_and_no_farther(harness: HostingHarness) -> None:
    ada = await harness.person()
    found = [await ask(ada)]
    while (before := found[-1].get("before")) is not None:
        found.append(await ask(ada, day=before))
    assert len(found) == DAYS_KEPT + 1
    assert len({" ".join(one["moves"]) for one in found}) > DAYS_KEPT // 2
    assert await ask(ada, day=found[3]["day"]) | {"id": ""} == found[3] | {"id": ""}
    assert {one["game"] for one in found} >= {"tictactoe", "connect4", "reversi", "ultimate"}


async def test_one_that_is_asked_for_before_midnight_is_of_that_day(
    harness: HostingHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = await harness.person()
    asked_on, of = today(harness), harness.directory.puzzles.of

    async def late(day: int) -> Any:
        found = await of(day)
        harness.clock.seconds += 86_400
        return found

    monkeypatch.setattr(harness.directory.puzzles, "of", late)
    assert (await ask(ada))["day"] == asked_on


@pytest.mark.parametrize("game", sorted({one.game for one in shipped()}))
async def test_a_game_has_one_each_day(harness: HostingHarness, game: str) -> None:
    ada = await harness.person()
    found = await ask(ada, game=game)
    assert found["game"] == game


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"day": "2999-01-01"}, "bad_message"),
        ({"day": "1999-01-01"}, "bad_message"),
        ({"day": "2026-13-01"}, "bad_message"),
        ({"day": "yesterday"}, "bad_message"),
        ({"game": "chess"}, "unknown_game"),
        ({"game": "mnk:19,19,5"}, "unknown_game"),
        ({"moves": "a1"}, "bad_message"),
        ({"game": "tictactoe", "moves": "a1", "day": "2026-01-01"}, "bad_message"),
        ({"game": "tictactoe", "moves": "a1 a1"}, "illegal_move"),
        ({"game": "tictactoe", "moves": "a1 b1 a2 b2 a3"}, "game_over"),
    ],
)
async def test_what_is_no_puzzle_is_refused(
    harness: HostingHarness, fields: dict[str, Any], code: str
) -> None:
    ada = await harness.person()
    refused = await ask(ada, **fields)
    assert (refused["type"], refused["code"]) == ("refused", code)
    assert harness.scheduler.wanted == []


async def test_a_position_becomes_a_puzzle_where_every_move_is_proven(harness: HostingHarness) -> None:
    ada = await harness.person()
    asked = ada.say("puzzle", game="tictactoe", moves="b2 a1")
    harness.scheduler.answer()
    (received,) = ada.answers(asked)
    # Seven moves keep the draw; there is none that loses, so nothing is to be found.
    assert (received["type"], received["code"]) == ("refused", "not_allowed")
    asked = ada.say("puzzle", game="tictactoe", moves="b2 b1")
    harness.scheduler.answer()
    (received,) = ada.answers(asked)
    assert (received["find"], received["only"]) == ("win", False)
    assert "day" not in received
    assert "before" not in received


async def test_a_review_says_where_a_puzzle_is_and_the_puzzle_is_there(harness: HostingHarness) -> None:
    ada = await harness.person()
    asked = ada.say("review", game="tictactoe", moves="a1 b2 c3 a3 c1 c2 b1")
    while harness.scheduler.wanted:
        harness.scheduler.answer()
    (review,) = ada.answers(asked)
    missed = [one["ply"] for one in review["moves"] if one.get("puzzle")]
    assert missed == [one["ply"] for one in review["moves"] if one["grade"]["grade"] == "blunder"] == [4]
    asked = ada.say("puzzle", game="tictactoe", moves="a1 b2 c3")
    harness.scheduler.answer()
    (received,) = ada.answers(asked)
    assert received["find"] == "draw"
    assert "a3" not in [one["move"] for one in received["candidates"] if one["score"]["result"] == "draw"]
