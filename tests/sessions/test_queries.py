"""What a connection asks to have thought about: each question is checked, searched, and answered once."""

import asyncio
from base64 import b64decode
from itertools import pairwise
from typing import Any

import pytest

from parlour_protocol import commands
from parlour_protocol.views.reports import Candidate, Compiling, Report, Score
from parlour_server.games import all_games, find_game
from parlour_server.hosting.limits.turn_queue import QUERIES_AT_ONCE, TurnQueue
from parlour_server.search.control import Control
from parlour_server.search.levels import parse_bot
from parlour_server.search.thinking import analyse
from parlour_server.sessions import prices
from parlour_server.sessions.queries import MOST_CHARACTERS, SHOWN_CANDIDATES
from tests.hosting.harness import HostingHarness, Person, seated, settle, table


def answer(harness: HostingHarness, person: Person, kind: str, **fields: Any) -> dict[str, Any]:
    """Ask, have it searched, and receive the answer."""
    asked = person.say(kind, **fields)
    harness.scheduler.answer()
    (received,) = person.answers(asked)
    return received


async def test_a_move_that_was_played_is_graded(harness: HostingHarness) -> None:
    ada = await harness.person()
    received = answer(harness, ada, "analyse", game="tictactoe", moves="a1,b2c3", played="A3")
    assert received["moves"] == ["a1", "b2", "c3"]
    assert received["grade"]["move"] == "a3"
    assert (received["grade"]["grade"], received["grade"]["exact"]) == ("blunder", True)
    assert received["grade"]["reason"].startswith("threw away a draw (loses in ")
    assert received["grade"]["better"] in ("b3", "a2", "c2", "b1")
    assert "grade" not in answer(harness, ada, "analyse", game="tictactoe", moves="a1")


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
async def test_what_can_not_be_analysed_is_refused(
    harness: HostingHarness, fields: dict[str, Any], code: str
) -> None:
    ada = await harness.person()
    refused = ada.ask("analyse", **{"game": "tictactoe", **fields})
    assert (refused["type"], refused["code"]) == ("refused", code)
    assert harness.scheduler.wanted == []


@pytest.mark.parametrize(
    ("kind", "fields", "wrong"),
    [
        ("create", {"game": "chess"}, "game"),
        ("create", {"moves": "a1 a1"}, "moves"),
        ("create", {"moves": "a1 b1 a2 b2 a3"}, "moves"),
        ("create", {"settings": {"stand_in": "nobody"}}, "settings.stand_in"),
        ("create", {"settings": {"stand_in": "minimax:depth=0"}}, "settings.stand_in"),
        ("quick", {"settings": {"visibility": "private"}}, "settings.visibility"),
        ("check_bot", {"bot": "nobody"}, "bot"),
        ("analyse", {"moves": "a1 a1"}, "moves"),
        ("analyse", {"played": "nothing"}, "played"),
        ("board", {"game": "chess"}, "game"),
    ],
)
async def test_a_refusal_names_the_field_that_is_wrong(
    harness: HostingHarness, kind: str, fields: dict[str, Any], wrong: str
) -> None:
    ada = await harness.person()
    refused = ada.ask(kind, **{"game": "tictactoe", **fields})
    assert (refused["type"], refused["field"]) == ("refused", wrong)


async def test_games_are_listed_with_what_a_room_can_be_set_to(harness: HostingHarness) -> None:
    ada = await harness.person()
    listed = ada.ask("games")
    assert [line["name"] for line in listed["games"]] == [game.name for game in all_games()]
    (clock,) = [line for line in listed["settings"] if line["name"] == "clock"]
    assert (clock["kind"], clock["title"], "default" in clock) == ("text", "Clock", False)


async def test_progress_is_asked_to_those_who_ask_for_it_under_a_name_of_its_own(
    harness: HostingHarness,
) -> None:
    ada = await harness.person()
    game = find_game("tictactoe")
    report = analyse(game, game.initial(), parse_bot("minimax:depth=2"), control=Control())
    for wanted in (False, True):
        asked = ada.say("analyse", game="tictactoe", progress=wanted)
        search = harness.scheduler.take()
        search.on_report(report)
        reported = ada.of("progress")
        assert len(reported) == wanted
        assert ada.answers(asked) == []
        search.on_done(report)
        assert len(ada.answers(asked)) == 1
    assert reported[0]["about"] == asked
    assert len(reported[0]["report"]["candidates"]) == 9


async def test_progress_names_so_many_moves_that_it_fits_into_a_small_message(
    harness: HostingHarness,
) -> None:
    ada = await harness.person()
    ada.say("analyse", game="mnk:19,19,5", progress=True)
    candidates = [Candidate(f"m{number}", Score(-number)) for number in range(361)]
    harness.scheduler.take().on_report(Report("perfect", candidates))
    (reported,) = ada.of("progress")
    assert [one["move"] for one in reported["report"]["candidates"]] == [
        one.move for one in candidates[:SHOWN_CANDIDATES]
    ]


async def test_an_analysis_may_go_on_while_nobody_waits(harness: HostingHarness) -> None:
    ada = await harness.person()
    room = await table(harness, ada, await harness.person("Ben"), hints="always")
    for asked, fields in (("analyse", {"game": "tictactoe"}), ("hint", {"room": room})):
        ada.say(asked, **fields)
        search = harness.scheduler.take()
        assert search.job.lasting == (asked == "analyse")
        search.on_done(Report("perfect", []))


async def test_a_hint_shows_its_progress_where_that_is_asked_for(harness: HostingHarness) -> None:
    ada, _ben, room = await seated(harness, hints="always")
    game = find_game("tictactoe")
    report = analyse(game, game.initial(), parse_bot("minimax:depth=2"), control=Control())
    for wanted in (False, True):
        asked = ada.say("hint", room=room, progress=wanted)
        search = harness.scheduler.take()
        search.on_report(report)
        assert len(ada.of("progress")) == wanted
        search.on_done(report)
        (received,) = ada.answers(asked)
        assert received["type"] == "hint"
    (notice,) = ada.of("progress")
    assert (notice["about"], len(notice["report"]["candidates"])) == (asked, 9)


async def test_a_search_is_cancelled_and_another_one_begins_at_once(harness: HostingHarness) -> None:
    ada = await harness.person()
    first = ada.say("analyse", game="tictactoe", progress=True)
    assert ada.ask("cancel", search="another")["type"] == "cancelled"
    assert ada.answers(first) == []
    (search,) = harness.scheduler.wanted
    assert ada.ask("cancel", search=first)["type"] == "cancelled"
    assert not search.wanted
    assert harness.scheduler.wanted == []
    (refused,) = ada.answers(first)
    assert (refused["type"], refused["code"]) == ("refused", "cancelled")
    assert answer(harness, ada, "analyse", game="tictactoe")["type"] == "analysis"
    # What is over needs no cancelling.
    assert ada.ask("cancel", search=first)["type"] == "cancelled"
    assert len(ada.answers(first)) == 1


async def test_a_review_that_is_cancelled_looks_at_no_more_positions(harness: HostingHarness) -> None:
    ada = await harness.person()
    asked = ada.say("review", game="tictactoe", moves=LOST, progress=True)
    harness.scheduler.answer()
    ada.ask("cancel", search=asked)
    assert harness.scheduler.wanted == []
    assert [one["code"] for one in ada.answers(asked)] == ["cancelled"]


async def test_a_review_is_cancelled_while_its_game_is_read_from_the_store(harness: HostingHarness) -> None:
    ada, _ben, room = await seated(harness)
    asked = ada.say("review", room=room)
    ada.ask("cancel", search=asked)
    await settle()
    assert harness.scheduler.wanted == []
    assert [one["code"] for one in ada.answers(asked)] == ["cancelled"]


async def test_playouts_are_sent_with_their_tree(harness: HostingHarness) -> None:
    ada = await harness.person()
    found = answer(harness, ada, "playouts", game="tictactoe", moves="a1 b2", playouts=5)
    assert (found["type"], len(found["played"]), len(found["nodes"])) == ("playouts", 5, 6)
    over = ada.say("playouts", game="tictactoe", moves="a1 b1 a2 b2 a3")
    assert ada.answers(over)[0]["code"] == "game_over"


async def test_a_tree_is_sent_whole_and_one_too_large_is_refused(harness: HostingHarness) -> None:
    ada = await harness.person()
    received = answer(harness, ada, "tree", game="tictactoe", moves="a1 b2 c3 a3")
    assert (received["type"], received["depth"], received["pruned"]) == ("game_tree", 5, True)
    assert "parent" not in received["nodes"][0]
    assert all(node["parent"] < number for number, node in enumerate(received["nodes"]) if number)
    whole = answer(harness, ada, "tree", game="tictactoe", moves="a1 b2 c3 a3", prune=False)
    assert len(whole["nodes"]) > len(received["nodes"])
    refused = answer(harness, ada, "tree", game="tictactoe", depth=9, limit=50)
    assert refused["code"] == "too_large"
    assert "50 are the most" in refused["message"]
    assert ada.ask("tree", game="tictactoe", moves="a1 b1 a2 b2 a3")["code"] == "game_over"
    assert ada.ask("tree", game="tictactoe", depth=0)["code"] == "bad_message"
    assert ada.ask("tree", game="tictactoe", limit=1001)["code"] == "bad_message"


async def test_a_large_tree_is_opened_node_by_node(harness: HostingHarness) -> None:
    ada = await harness.person()
    root = answer(harness, ada, "tree", game="tictactoe", levels=1, order=False)
    assert (root["depth"], root["visited"], len(root["nodes"])) == (9, 20_866, 10)
    second = root["nodes"][2]
    assert (second["move"], second["alpha"], "beta" in second) == ("b3", 0, False)
    fields = {"path": ["b3"], "alpha": second["alpha"], "levels": 1, "depth": root["depth"], "order": False}
    opened = answer(harness, ada, "tree", game="tictactoe", **fields)
    assert opened["position"] == root["position"]
    assert opened["nodes"][0]["score"] == second["score"]
    assert opened["visited"] - 1 == opened["nodes"][0]["below"] == second["below"]
    assert ada.ask("tree", game="tictactoe", path=["b2", "b2"])["code"] == "illegal_move"
    assert ada.ask("tree", game="tictactoe", path=["z9"])["code"] == "illegal_move"
    refused = ada.ask("tree", game="tictactoe", prune=False, levels=1, alpha=0)
    assert (refused["code"], "no window" in refused["message"]) == ("bad_message", True)


async def test_boards_of_any_size_have_the_same_limit(harness: HostingHarness) -> None:
    ada = await harness.person()
    received = answer(harness, ada, "tree", game="mnk:19,19,5", depth=1, limit=1000)
    assert len(received["nodes"]) == 362
    refused = answer(harness, ada, "tree", game="mnk:19,19,5", depth=2, limit=1000)
    assert refused["code"] == "too_large"
    assert "at least 1,082 boards, and 1,000 are the most" in refused["message"]


async def test_a_race_runs_each_search_to_the_same_depth(harness: HostingHarness) -> None:
    ada = await harness.person()
    first = answer(harness, ada, "race", game="tictactoe", moves="a1 b2")
    assert (first["type"], first["entrant"], first["depth"]) == ("raced", "minimax", 7)
    assert ada.ask("race", game="tictactoe", entrant="engine")["code"] == "bad_message"
    for entrant in ("alphabeta", "deepening", "engine"):
        run = answer(harness, ada, "race", game="tictactoe", moves="a1 b2", entrant=entrant, depth=7)
        assert run["report"]["nodes"] < first["report"]["nodes"]
        best = max(one["score"]["points"] for one in run["report"]["candidates"])
        assert best == first["report"]["candidates"][0]["score"]["points"]
    assert ada.ask("race", game="tictactoe", moves="a1 b1 a2 b2 a3")["code"] == "game_over"
    assert ada.ask("race", game="tictactoe", entrant="tortoise")["code"] == "bad_message"


async def test_a_bot_is_checked_without_a_search(harness: HostingHarness) -> None:
    ada = await harness.person()
    received = ada.ask("check_bot", bot=" Minimax: seed=7,DEPTH=4", game="connect4")
    assert (received["type"], received["bot"]) == ("checked_bot", "minimax:depth=4,seed=7")
    (plays,) = received["plays"]
    assert plays.pop("does_said") == {"id": "bot.does.depth", "args": {"count": 4}}
    assert plays == {"games": ["connect4"], "does": "searches 4 plies deep", "timed": False}
    everywhere = ada.ask("check_bot", bot="easy")["plays"]
    assert sum(len(one["games"]) for one in everywhere) == len(all_games())
    for fields, code in (
        ({"bot": "nobody"}, "unknown_bot"),
        ({"bot": "perfect:depth=100"}, "bad_setting"),
        ({"bot": "perfect", "game": "chess"}, "unknown_game"),
    ):
        refused = ada.ask("check_bot", **fields)
        assert (refused["code"], refused["message"][-1]) == (code, ".")
    assert harness.scheduler.wanted == []


LOST = "b2 a2 a1 c3 c1 b1 a3"
"""X wins; its opponent errs with the second move."""


def reviewed(harness: HostingHarness, person: Person, asked: str) -> dict[str, Any]:
    """Do the searches of a review, one after the other, and receive its answer."""
    while harness.scheduler.wanted:
        harness.scheduler.answer()
    (received,) = person.answers(asked)
    return received


async def test_a_game_is_reviewed_move_by_move(harness: HostingHarness) -> None:
    ada = await harness.person()
    asked = ada.say("review", game="tictactoe", moves=LOST, progress=True)
    received = reviewed(harness, ada, asked)
    assert (received["type"], received["bot"]) == ("review", "perfect")
    assert (received["result"]["termination"], received["result"]["winner"]) == ("line", 0)
    assert [one["move"] for one in received["moves"]] == LOST.split()
    assert [one["side"] for one in received["moves"]] == [0, 1, 0, 1, 0, 1, 0]
    second = received["moves"][1]
    assert second["grade"]["grade"] == "blunder"
    assert second["grade"]["better"] in ("a1", "a3", "c1", "c3")
    assert [second[name]["result"] for name in ("before", "after", "best")] == ["draw", "win", "draw"]
    assert received["moves"][-1]["after"] == {"points": 100, "kind": "exact", "result": "win"}
    for one, following in pairwise(received["moves"]):
        assert one["after"] == following["before"]
    reported = ada.of("progress")
    assert [(one["about"], one["move"]["ply"], one["of"]) for one in reported] == [
        (asked, ply, 7) for ply in range(1, 8)
    ]
    for ply, one in enumerate(reported):
        before = " ".join(LOST.split()[:ply])
        played = LOST.split()[ply]
        analysed = answer(harness, ada, "analyse", game="tictactoe", moves=before, played=played)
        assert one["move"]["grade"] == analysed["grade"]
        assert one["report"]["candidates"] == analysed["report"]["candidates"]


async def test_nobody_is_graded_for_the_moves_that_a_game_began_with(harness: HostingHarness) -> None:
    ada = await harness.person()
    asked = ada.say("review", game="tictactoe", moves=LOST, started_with=2, progress=True)
    received = reviewed(harness, ada, asked)
    assert [one.get("given", False) for one in received["moves"]] == [True] * 2 + [False] * 5
    assert ["grade" in one for one in received["moves"]] == [False] * 2 + [True] * 5
    # The second move was the one that lost.
    counts = received["grades"]
    assert [sum(one.values()) for one in counts] == [3, 2]
    assert all(one["blunder"] == 0 for one in counts)
    assert not any(one["puzzle"] for one in received["moves"][:2] if "puzzle" in one)
    assert received["moves"][1]["after"]["result"] == "win"
    said = " ".join(note["text"] for note in received["notes"])
    assert "No mistakes" in said
    assert "not judged" not in said


async def test_a_rooms_game_is_reviewed_by_its_code(harness: HostingHarness) -> None:
    ada, ben, room = await seated(harness)
    for person, move in ((ada, "b2"), (ben, "a2")):
        person.say("play", room=room, version=harness.room(room).state.version, move=move)
        await settle()
    asked = ben.say("review", room=room, bot="minimax:depth=2,seed=5")
    await settle()
    received = reviewed(harness, ben, asked)
    assert [one["move"] for one in received["moves"]] == ["b2", "a2"]
    assert (received["bot"], [one["name"] for one in received["seats"]]) == (
        "minimax:depth=2",
        ["Ada", "Ben"],
    )
    assert "result" not in received
    assert ben.of("progress") == []
    refused = await ben.ask_store("review", room=room, number=2)
    assert refused["code"] == "unknown_room"
    ben.say("resign", room=room)
    await settle()
    asked = ben.say("review", room=room, bot="minimax:depth=2,seed=5")
    await settle()
    assert reviewed(harness, ben, asked)["result"]["termination"] == "resignation"


async def test_a_game_is_exported_by_its_moves_or_by_its_rooms_code(harness: HostingHarness) -> None:
    ada, ben, room = await seated(harness)
    for person, move in ((ada, "b2"), (ben, "a2")):
        person.say("play", room=room, version=harness.room(room).state.version, move=move)
        await settle()
    written = b64decode((await ben.ask_store("export", room=room, format="pgn"))["data"]).decode()
    assert '[First "Ada"]\n[Second "Ben"]\n[Result "*"]\n[Game "tictactoe"]\n' in written
    assert written.endswith("\n\n1. b2 a2 *\n")
    asked = ben.say("export", room=room, format="svg")
    await settle()
    harness.scheduler.answer()
    (of_room,) = ben.answers(asked)
    of_moves = answer(harness, ada, "export", game="tictactoe", moves="b2 a2", format="svg")
    assert (of_room["type"], of_room["format"]) == ("exported", "svg")
    assert of_room["data"] == of_moves["data"]
    assert b64decode(of_room["data"]).startswith(b"<svg ")
    alone = b64decode(ada.ask("export", game="tictactoe", moves="a1b1a2b2a3", format="pgn")["data"]).decode()
    assert '[First "?"]\n[Second "?"]\n[Result "1-0"]' in alone
    assert '[Termination "line"]' in alone
    assert (await ben.ask_store("export", room=room, number=2, format="pgn"))["code"] == "unknown_room"


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({}, "bad_message"),
        ({"game": "chess"}, "unknown_game"),
        ({"game": "tictactoe", "moves": "a1 a1"}, "illegal_move"),
        ({"game": "numbers"}, "unknown_game"),
        ({"game": "tictactoe", "format": "bmp"}, "bad_message"),
    ],
)
async def test_what_can_not_be_exported_is_refused(
    harness: HostingHarness, fields: dict[str, Any], code: str
) -> None:
    ada = await harness.person()
    assert ada.ask("export", **{"format": "png", **fields})["code"] == code
    assert harness.scheduler.wanted == []


async def test_one_picture_at_a_time_is_painted_beside_a_search_and_paid_for(harness: HostingHarness) -> None:
    ada = await harness.person()
    ada.say("analyse", game="tictactoe", moves="")
    searched = harness.scheduler.take()
    asked = ada.say("export", game="tictactoe", format="svg")
    assert ada.ask("export", game="tictactoe", format="svg")["code"] == "busy"
    harness.scheduler.answer()
    assert ada.answers(asked)[0]["type"] == "exported"
    assert searched.wanted
    asked = ada.say("export", game="tictactoe", format="svg")
    harness.scheduler.fail()
    assert ada.answers(asked)[0]["code"] == "internal"
    asked = ada.say("export", game="tictactoe", format="gif")
    too_much: Any = bytes(MOST_CHARACTERS)
    harness.scheduler.take().on_done(too_much)
    assert ada.answers(asked)[0]["code"] == "too_large"
    harness.scheduler.full = True
    assert ada.ask("export", game="tictactoe", format="svg")["code"] == "busy"
    harness.scheduler.full = False
    asked = ada.say("export", game="tictactoe", format="svg")
    ada.session.lost()
    assert harness.scheduler.wanted == []


async def test_an_export_that_is_refused_leaves_the_search_beside_it_alone(harness: HostingHarness) -> None:
    ada = await harness.person()
    ada.say("analyse", game="tictactoe", moves="b2")
    harness.scheduler.full = True
    assert ada.ask("export", game="tictactoe", moves=LOST, format="png")["code"] == "busy"
    harness.scheduler.full = False
    assert ada.ask("analyse", game="tictactoe", moves="b2 a2")["code"] == "busy"


async def test_a_review_that_has_begun_goes_on_where_the_queue_is_full(harness: HostingHarness) -> None:
    ada = await harness.person()
    harness.scheduler.full = True
    assert ada.ask("review", game="tictactoe", moves=LOST)["code"] == "busy"
    harness.scheduler.full = False
    asked = ada.say("review", game="tictactoe", moves="b2 a2")
    harness.scheduler.full = True
    assert len(reviewed(harness, ada, asked)["moves"]) == 2


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({}, "bad_message"),
        ({"game": "chess"}, "unknown_game"),
        ({"game": "tictactoe", "moves": "a1 a1"}, "illegal_move"),
        ({"game": "tictactoe", "bot": "nobody"}, "unknown_bot"),
    ],
)
async def test_what_can_not_be_reviewed_is_refused(
    harness: HostingHarness, fields: dict[str, Any], code: str
) -> None:
    ada = await harness.person()
    assert ada.ask("review", **fields)["code"] == code
    assert harness.scheduler.wanted == []


@pytest.mark.parametrize(
    ("broken", "kind", "fields"),
    [
        ("parlour_server.sessions.queries.grade", "analyse", {"played": "a3"}),
        ("parlour_server.analysis.game_review.review_move", "review", {}),
        ("parlour_server.analysis.game_review.look_back", "review", {}),
    ],
)
async def test_a_fault_after_a_search_answers_its_command(
    harness: HostingHarness, monkeypatch: pytest.MonkeyPatch, broken: str, kind: str, fields: dict[str, Any]
) -> None:
    ada = await harness.person()

    def fail(*_: Any) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr(broken, fail)
        asked = ada.say(kind, game="tictactoe", moves="a1 b2", **fields)
        while not ada.answers(asked):
            harness.scheduler.answer()
    (refused,) = ada.answers(asked)
    assert (refused["type"], refused["code"]) == ("refused", "internal")
    assert answer(harness, ada, "analyse", game="tictactoe", moves="")["type"] == "analysis"


async def test_a_review_ends_with_its_connection_and_with_a_search_that_fails(
    harness: HostingHarness,
) -> None:
    ada = await harness.person()
    asked = ada.say("review", game="tictactoe", moves=LOST)
    harness.scheduler.answer()
    harness.scheduler.fail()
    assert ada.answers(asked)[0]["code"] == "internal"
    ada.say("review", game="tictactoe", moves=LOST)
    harness.scheduler.answer()
    ada.session.lost()
    assert harness.scheduler.wanted == []


async def test_one_question_at_a_time_whatever_it_is(harness: HostingHarness) -> None:
    ada = await harness.person()
    ada.say("tree", game="tictactoe")
    for kind in ("analyse", "review", "tree", "race"):
        refused = ada.ask(kind, game="tictactoe")
        assert (refused["code"], refused["retry_after"] > 0) == ("busy", True)
    harness.scheduler.fail()
    assert answer(harness, ada, "race", game="tictactoe", moves="a1 b2 c3")["type"] == "raced"


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("analyse", {"moves": "44"}),
        ("race", {"entrant": "engine", "depth": 2}),
        ("review", {"moves": "44"}),
    ],
)
async def test_who_wants_progress_is_shown_how_far_the_compiling_is(
    harness: HostingHarness, kind: str, fields: dict[str, Any]
) -> None:
    ada = await harness.person()
    for wanted in (False, True):
        asked = ada.say(kind, game="connect4", progress=wanted, **fields)
        search = harness.scheduler.take()
        search.on_report(Report("perfect", [], compiling=Compiling("connect4", 3, 13, "Connect Four")))
        shown = ada.of("progress")
        assert [one["about"] for one in shown] == [asked] * wanted
        search.on_done(None)
    assert shown[0]["report"]["compiling"] == {
        "game": "connect4",
        "title": "Connect Four",
        "done": 3,
        "of": 13,
    }


async def test_many_queries_wait_for_their_turns_and_moves_do_not(harness: HostingHarness) -> None:
    """Each address has its turn before one has its second; what is cancelled meanwhile is."""
    harness.context.queries = TurnQueue(QUERIES_AT_ONCE)
    ada, _ben, room = await seated(harness)
    attackers = [await harness.person("Attacker", address=f"203.0.113.{number}") for number in range(20)]
    visitor = await harness.person("Cleo", address="198.51.100.1")
    asked = {attacker: [attacker.say("board", game="tictactoe") for _ in range(5)] for attacker in attackers}

    def answered() -> int:
        return sum(bool(attacker.answers(one)) for attacker in attackers for one in asked[attacker])

    turns = QUERIES_AT_ONCE // prices.PRICES[commands.AskBoard]
    assert answered() == turns
    late = attackers[0].say("analyse", game="tictactoe")
    attackers[0].say("cancel", search=late)
    attackers[-1].hang_up()
    games = visitor.say("games")
    # A move waits for none of them.
    moved = ada.say("play", room=room, version=4, move="b2")
    await asyncio.sleep(0)
    assert [one["type"] for one in ada.answers(moved)] == ["accepted"]
    before = answered()
    assert before <= 4 * turns
    # Before the second of the others.
    for _ in range(len(attackers) // 4):
        await asyncio.sleep(0)
    assert visitor.answers(games)
    assert answered() < 60
    await settle()
    assert answered() == 95
    assert attackers[0].answers(late)[0]["code"] == "cancelled"


async def test_questions_beside_one_that_is_searched_are_refused_before_they_are_looked_into(
    harness: HostingHarness,
) -> None:
    """So they take few turns of the loop, in which moves wait, and nothing of what questions may cost."""
    harness.context.queries = TurnQueue(QUERIES_AT_ONCE)
    eve = await harness.person("Eve", address="203.0.113.1")
    eve.say("analyse", game="tictactoe")
    asked = [eve.say("analyse", game="tictactoe", moves="nonsense") for _ in range(20)]
    asked += [eve.say("tree", game="tictactoe") for _ in range(20)]
    asked += [eve.say("race", game="tictactoe", entrant="minimax") for _ in range(8)]
    for _ in range(3):
        await asyncio.sleep(0)
    assert [eve.answers(one)[0]["code"] for one in asked] == ["busy"] * len(asked)
    harness.scheduler.take().on_done(None)
    again = eve.say("analyse", game="tictactoe", moves="nonsense")
    await settle()
    assert eve.answers(again)[0]["code"] == "illegal_move"
