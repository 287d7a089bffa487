"""What a connection asks to have thought about: each question is checked, searched, and answered once."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from parlour_server.games import find_game
from parlour_server.live.questions import SHOWN_CANDIDATES
from parlour_server.search.bots import analyse, parse_bot
from parlour_server.search.search import Control
from tests.live.house import House, Person, open_house


@pytest.fixture
async def house() -> AsyncIterator[House]:
    async with open_house() as house:
        yield house


def answer(house: House, person: Person, kind: str, **fields: Any) -> dict[str, Any]:
    """Ask, have it searched, and hear the answer."""
    asked = person.say(kind, **fields)
    house.desk.answer()
    (heard,) = person.answers(asked)
    return heard


async def test_a_move_that_was_played_is_graded(house: House) -> None:
    ada = await house.person()
    heard = answer(house, ada, "analyse", game="tictactoe", moves="a1,b2c3", played="A3")
    assert heard["moves"] == ["a1", "b2", "c3"]
    assert heard["grade"]["move"] == "a3"
    assert (heard["grade"]["grade"], heard["grade"]["exact"]) == ("blunder", True)
    assert heard["grade"]["reason"].startswith("threw away a draw: loses in ")
    assert heard["grade"]["better"] in ("b3", "a2", "c2", "b1")
    assert "grade" not in answer(house, ada, "analyse", game="tictactoe", moves="a1")


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"moves": "a1", "played": "a1"}, "illegal_move"),
        ({"moves": "a1", "played": "nothing"}, "illegal_move"),
        ({"moves": "a1 b1 a2 b2 a3", "played": "c3"}, "game_over"),
        ({"moves": "a1 b1 a1 c3"}, "illegal_move"),
        ({"game": "chess"}, "unknown_game"),
        ({"bot": "nobody"}, "unknown_bot"),
        ({"bot": "perfect:depth=-1"}, "bad_setting"),
        ({"bot": "engine:time=1e9"}, "bad_setting"),
    ],
)
async def test_what_can_not_be_analysed_is_refused(house: House, fields: dict[str, Any], code: str) -> None:
    ada = await house.person()
    refused = ada.ask("analyse", **{"game": "tictactoe", **fields})
    assert (refused["type"], refused["code"]) == ("refused", code)
    assert house.desk.wanted == []


async def test_progress_is_told_to_those_who_ask_for_it_under_a_name_of_its_own(house: House) -> None:
    ada = await house.person()
    game = find_game("tictactoe")
    report = analyse(game, game.initial(), parse_bot("minimax:depth=2"), control=Control())
    for wanted in (False, True):
        asked = ada.say("analyse", game="tictactoe", progress=wanted)
        search = house.desk.take()
        search.on_report(report)
        told = ada.of("progress")
        assert len(told) == wanted
        assert ada.answers(asked) == []
        search.on_done(report)
        assert len(ada.answers(asked)) == 1
    assert told[0]["about"] == asked
    assert len(told[0]["report"]["candidates"]) == SHOWN_CANDIDATES


async def test_a_tree_is_sent_whole_and_one_too_large_is_refused(house: House) -> None:
    ada = await house.person()
    heard = answer(house, ada, "tree", game="tictactoe", moves="a1 b2 c3 a3")
    assert (heard["type"], heard["depth"], heard["pruned"]) == ("game_tree", 5, True)
    assert "parent" not in heard["nodes"][0]
    assert all(node["parent"] < number for number, node in enumerate(heard["nodes"]) if number)
    whole = answer(house, ada, "tree", game="tictactoe", moves="a1 b2 c3 a3", prune=False)
    assert len(whole["nodes"]) > len(heard["nodes"])
    refused = answer(house, ada, "tree", game="tictactoe", depth=9, limit=50)
    assert refused["code"] == "too_large"
    assert "50 are the most" in refused["message"]
    assert ada.ask("tree", game="tictactoe", moves="a1 b1 a2 b2 a3")["code"] == "game_over"
    assert ada.ask("tree", game="tictactoe", depth=0)["code"] == "bad_message"
    assert ada.ask("tree", game="tictactoe", limit=1001)["code"] == "bad_message"


async def test_boards_of_any_size_have_the_same_limit(house: House) -> None:
    ada = await house.person()
    heard = answer(house, ada, "tree", game="mnk:19,19,5", depth=1, limit=1000)
    assert len(heard["nodes"]) == 362
    refused = answer(house, ada, "tree", game="mnk:19,19,5", depth=2, limit=1000)
    assert refused["code"] == "too_large"
    assert "at least 1,082 boards, and 1,000 are the most" in refused["message"]


async def test_a_race_runs_each_search_to_the_same_depth(house: House) -> None:
    ada = await house.person()
    first = answer(house, ada, "race", game="tictactoe", moves="a1 b2")
    assert (first["type"], first["entrant"], first["depth"]) == ("raced", "minimax", 7)
    assert ada.ask("race", game="tictactoe", entrant="engine")["code"] == "bad_message"
    for entrant in ("alphabeta", "deepening", "engine"):
        run = answer(house, ada, "race", game="tictactoe", moves="a1 b2", entrant=entrant, depth=7)
        assert run["report"]["nodes"] < first["report"]["nodes"]
        best = max(one["score"] for one in run["report"]["candidates"])
        assert best == first["report"]["candidates"][0]["score"]
    assert ada.ask("race", game="tictactoe", moves="a1 b1 a2 b2 a3")["code"] == "game_over"
    assert ada.ask("race", game="tictactoe", entrant="tortoise")["code"] == "bad_message"


async def test_one_question_at_a_time_whatever_it_is(house: House) -> None:
    ada = await house.person()
    ada.say("tree", game="tictactoe")
    for kind in ("analyse", "tree", "race"):
        refused = ada.ask(kind, game="tictactoe")
        assert (refused["code"], refused["retry_after"] > 0) == ("busy", True)
    house.desk.fail()
    assert answer(house, ada, "race", game="tictactoe", moves="a1 b2 c3")["type"] == "raced"
