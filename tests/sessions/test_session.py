"""One conversation: hello first, every command answered once, and no more than its share."""

import json
from collections.abc import AsyncIterator

import pytest
from structlog.testing import capture_logs

from parlour_protocol.errors import CloseCode
from parlour_server.hosting.limits.rate_limits import CHAT_BURST, WARNINGS
from parlour_server.sessions import queries
from parlour_server.sessions.greeting import EARLY_MESSAGES
from parlour_server.sessions.names import hash_token
from parlour_server.sessions.session import MOST_UNANSWERED
from parlour_server.settings import ServerLimits
from parlour_server.store.port import NotReadable, NotSaved, Player, StoreFull
from tests.hosting.harness import HostingHarness, Person, fails, open_harness, seated, settle


@pytest.fixture
async def harness() -> AsyncIterator[HostingHarness]:
    async with open_harness(
        ServerLimits(messages_per_second=0, spectators=3, player_milliseconds=0)
    ) as opened:
        yield opened


# ---------------------------------------------------------------- hello


async def test_a_token_is_reported_once_and_kept_as_a_hash(harness: HostingHarness) -> None:
    ada = await harness.person()
    assert ada.token is not None
    assert harness.store._players == {hash_token(ada.token): Player(ada.session.player, "Ada")}
    again = await harness.person("Ada", ada.token)
    assert again.session.player == ada.session.player
    assert "token" not in again.of("welcome")[0]


async def test_what_follows_a_hello_at_once_waits_for_the_welcome(harness: HostingHarness) -> None:
    stranger = Person(harness)
    stranger.say("hello", protocols=[1], name="Ada")
    asked = [stranger.say("rooms") for _ in range(EARLY_MESSAGES + 3)]
    late = [answer for one in asked for answer in stranger.answers(one)]
    assert [(answer["code"], answer["id"]) for answer in late] == [
        ("hello_first", one) for one in asked[EARLY_MESSAGES:]
    ]
    await settle()
    assert [message["type"] for message in stranger.wire.said[3:]] == ["welcome"] + ["rooms"] * EARLY_MESSAGES
    assert all(len(stranger.answers(one)) == 1 for one in asked)


async def test_a_hello_may_follow_one_that_is_refused_before_it_is_answered(harness: HostingHarness) -> None:
    stranger = Person(harness)
    asked = [
        stranger.say("hello", protocols=[1], name="Ada", token="no-such-token"),
        stranger.say("hello", protocols=[1], name="Ada"),
        stranger.say("rooms"),
    ]
    await settle()
    answers = [stranger.answers(one)[0] for one in asked]
    assert [answer.get("code", answer["type"]) for answer in answers] == ["wrong_token", "welcome", "rooms"]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (StoreFull("The data file has reached its limit."), "server_full"),
        (NotSaved("The disk is full."), "not_saved"),
        (NotReadable("The database does not answer."), "internal"),
        (RuntimeError("a fault of ours"), "internal"),
    ],
    ids=["full", "not saved", "not readable", "bug"],
)
async def test_a_hello_that_fails_is_answered_and_may_be_tried_again(
    harness: HostingHarness, monkeypatch: pytest.MonkeyPatch, error: Exception, code: str
) -> None:
    ada, stranger = await harness.person("Ada"), Person(harness)

    async def breaks(*given: object) -> None:
        raise error

    with monkeypatch.context() as patched, capture_logs() as logs:
        patched.setattr(harness.store, "find_player" if code == "internal" else "add_player", breaks)
        token = {"token": "canary-token"} if code == "internal" else {}
        refused = await stranger.ask_store("hello", protocols=[1], name="Eve", **token)
        assert (refused["code"], refused["retry_after"] > 0) == (code, True)
        assert stranger.ask("rooms")["code"] == "hello_first"
        if code == "server_full":
            assert refused["retry_after"] == 60.0
            # Those who are known already are let in all the same.
            assert (await harness.person("Ada", ada.token)).session.player == ada.session.player
    assert "canary-token" not in repr(logs)
    reason = "a command failed" if isinstance(error, RuntimeError) else str(error)
    assert [entry.get("reason") or entry["event"] for entry in logs] == [reason]
    assert (await stranger.ask_store("hello", protocols=[1], name="Eve"))["type"] == "welcome"


async def test_a_refusal_of_hello_is_short_whatever_it_was_asked(harness: HostingHarness) -> None:
    stranger = Person(harness)
    for fields in (
        {"protocols": [10**400] * 16, "name": "Ada"},
        {"protocols": [1], "name": "x" * 200},
        {"protocols": [1], "name": "Ada", "token": "x" * 200},
    ):
        asked = stranger.say("hello", **fields)
        await settle()
        (refused,) = stranger.answers(asked)
        assert len(refused["message"]) < 200


async def test_a_hello_that_does_not_come_in_time_ends_the_connection() -> None:
    async with open_harness(ServerLimits(hello_seconds=10.0)) as harness:
        stranger, ada = Person(harness), await harness.person()
        stranger.say("rooms")
        harness.clock.advance(9.9)
        assert stranger.wire.closed() is None
        harness.clock.advance(0.1)
        assert stranger.wire.closed() == CloseCode.NO_HELLO
        assert stranger.wire.said[-1]["code"] == "no_hello"
        harness.clock.advance(1000)
        assert ada.wire.closed() is None


# ---------------------------------------------------------------- commands


async def test_a_fault_of_ours_ends_one_conversation_and_no_other(
    harness: HostingHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, ben = await harness.person("Ada"), await harness.person("Ben")
    with monkeypatch.context() as patched, capture_logs() as logs:
        patched.setattr(queries, "list_bots", fails)
        ada.say("bots")
    assert ada.wire.closed() == 1011
    (line,) = logs
    assert (line["event"], line["message"], line["player"]) == (
        "a session failed",
        "bots",
        ada.session.player,
    )
    assert ben.ask("bots")["type"] == "bots"


async def test_a_peer_that_sends_faster_than_it_is_answered_is_read_no_further(
    harness: HostingHarness,
) -> None:
    ada, ben, room = await seated(harness)
    harness.store.holds = True
    asked = [ada.say("play", room=room, version=4, move="b2") for _ in range(MOST_UNANSWERED - 1)]
    assert ada.wire.reading
    asked.append(ada.say("play", room=room, version=4, move="b2"))
    # Some more may have been on their way already.
    asked += [ada.say("play", room=room, version=4, move="b2") for _ in range(5)]
    assert (ada.wire.reading, ada.wire.pauses, ben.wire.reading) == (False, 1, True)
    harness.store.release(1)
    assert (ada.wire.reading, ada.wire.pauses) == (True, 1)
    assert all(len(ada.answers(one)) == 1 for one in asked)


async def test_a_peer_that_is_gone_while_it_is_not_read_is_left_alone(harness: HostingHarness) -> None:
    ada, _ben, room = await seated(harness)
    harness.store.holds = True
    for _ in range(MOST_UNANSWERED):
        ada.say("play", room=room, version=4, move="b2")
    ada.hang_up()
    said = len(ada.wire.said)
    harness.store.release(1)
    assert not ada.wire.reading
    # What it had asked for is done all the same, and nothing is sent after it.
    assert harness.room(room).state.version == 5
    assert [message["type"] for message in ada.wire.said[said:] if message["type"] != "refused"] == []


async def test_a_seat_that_is_asked_for_twice_at_once_is_taken_once(
    harness: HostingHarness,
) -> None:
    """The first could not be saved, the second, of the same id, was."""
    ben, ada = await harness.person("Ben"), await harness.person("Ada")
    again = await harness.person("Ada", ada.token)
    room = ben.ask("create", game="tictactoe")["room"]
    ada.ask("subscribe", room=room)
    harness.store.holds = harness.store.full = True
    again.say("sit", id="seat", room=room)
    harness.store.full = False
    again.say("sit", id="seat", room=room)
    harness.store.release()
    harness.store.release()
    assert [answer["type"] for answer in again.answers("seat")] == ["refused", "accepted"]
    assert again.of("snapshot")
    assert again.view(room)["you"] == ada.view(room)["you"] == 0


async def test_so_many_look_on_and_no_more(harness: HostingHarness) -> None:
    ada, ben, room = await seated(harness)
    crowd = [await harness.person(f"Eve {number}") for number in range(4)]
    answers = [one.ask("subscribe", room=room) for one in crowd]
    assert [answer["type"] for answer in answers] == ["accepted"] * 3 + ["refused"]
    assert (answers[3]["code"], answers[3]["retry_after"] > 0) == ("busy", True)
    assert crowd[3].of("snapshot") == []
    # Players come and go as they like, and who looks on already may ask again.
    for one in (ada, ben, crowd[0]):
        assert one.ask("subscribe", room=room)["type"] == "accepted"
    assert (await harness.person("Ada", ada.token)).ask("subscribe", room=room)["type"] == "accepted"
    crowd[0].hang_up()
    assert crowd[3].ask("subscribe", room=room)["type"] == "accepted"


# ---------------------------------------------------------------- searches of one's own


async def test_a_hint_is_for_the_position_it_was_asked_in(harness: HostingHarness) -> None:
    ada, ben, room = await seated(harness, hints="always")
    eve = await harness.person("Eve")
    refusals = {"ben": ben.ask("hint", room=room)["code"], "eve": eve.ask("hint", room=room)["code"]}
    assert refusals == {"ben": "not_your_turn", "eve": "not_seated"}
    asked = ada.say("hint", room=room)
    ada.ask("play", room=room, version=4, move="b2")
    harness.scheduler.answer()
    (hint,) = ada.answers(asked)
    assert (hint["version"], len(hint["report"]["candidates"])) == (4, 9)
    assert not any(message["type"] == "hint" for message in ben.wire.said)


async def test_one_question_at_a_time_is_thought_about(harness: HostingHarness) -> None:
    ada, ben = await harness.person("Ada"), await harness.person("Ben")
    asked = ada.say("analyse", game="tictactoe", moves="a1")
    assert ada.ask("analyse", game="tictactoe")["code"] == "busy"
    harness.scheduler.answer()
    assert ada.answers(asked)[0]["report"]["finished"]
    harness.scheduler.full = True
    refused = ben.ask("analyse", game="tictactoe")
    assert (refused["code"], refused["retry_after"] > 0) == ("busy", True)
    harness.scheduler.full = False
    failing = ada.say("analyse", game="tictactoe")
    harness.scheduler.fail()
    assert ada.answers(failing)[0]["code"] == "internal"
    ada.say("analyse", game="tictactoe")
    harness.scheduler.answer()


@pytest.mark.parametrize("question", ["analyse", "tree", "race"])
async def test_whoever_goes_leaves_no_search_behind(harness: HostingHarness, question: str) -> None:
    ada = await harness.person()
    ada.say(question, game="tictactoe")
    assert len(harness.scheduler.wanted) == 1
    ada.hang_up()
    assert harness.scheduler.wanted == []


# ---------------------------------------------------------------- how much


async def test_a_burst_is_allowed_and_then_so_many_a_second() -> None:
    async with open_harness(ServerLimits(messages_per_second=10.0, burst=20)) as harness:
        ada = await harness.person()
        harness.clock.advance(60.0)
        answers = [ada.ask("rooms") for _ in range(23)]
        assert [answer["type"] for answer in answers] == ["rooms"] * 20 + ["refused"] * 3
        assert {answer["code"] for answer in answers[20:]} == {"too_fast"}
        harness.clock.advance(answers[-1]["retry_after"])
        assert ada.ask("rooms")["type"] == "rooms"
        assert ada.ask("rooms")["type"] == "refused"
        harness.clock.advance(0.5)
        assert [ada.ask("rooms")["type"] for _ in range(6)] == ["rooms"] * 5 + ["refused"]


async def test_whoever_keeps_sending_too_fast_is_sent_away_alone() -> None:
    async with open_harness(ServerLimits(messages_per_second=10.0, burst=20)) as harness:
        ada, ben = await harness.person("Ada"), await harness.person("Ben")
        harness.clock.advance(60.0)
        for _ in range(20 + WARNINGS):
            ada.session.receive_binary()
        assert ada.wire.closed() is None
        ada.session.receive("nonsense")
        assert ada.wire.closed() == 1008
        assert ada.wire.said[-1]["code"] == "too_fast"
        assert ben.ask("rooms")["type"] == "rooms"


async def test_who_waits_as_they_are_asked_is_never_sent_away() -> None:
    async with open_harness(ServerLimits(messages_per_second=10.0, burst=20)) as harness:
        ada = await harness.person("Ada")
        refused = 0
        for _ in range(500):
            answer = ada.ask("rooms")
            if answer["type"] == "refused":
                refused += 1
                harness.clock.advance(answer["retry_after"])
        assert refused > 2 * WARNINGS
        assert ada.wire.closed() is None


async def test_without_a_limit_nobody_is_too_fast(harness: HostingHarness) -> None:
    ada = await harness.person()
    for _ in range(500):
        ada.session.receive(json.dumps({"type": "rooms", "id": "r"}))
    assert [message["type"] for message in ada.answers("r")] == ["rooms"] * 500


async def test_nobody_talks_faster_than_people_read() -> None:
    async with open_harness(ServerLimits(messages_per_second=1000.0, burst=1000)) as harness:
        ada, ben, room = await seated(harness)
        for _ in range(CHAT_BURST):
            said = ada.say("say", room=room, text="so")
            assert ada.answers(said)[0]["type"] == "accepted"
        refused = ada.ask("say", room=room, text="so")
        assert refused["code"] == "too_fast"
        # Whoever else speaks, and whatever else is done, waits for nothing; nor does what was said before.
        ada.say("say", room=room, text="so", id=said)
        assert [answer["type"] for answer in ada.answers(said)] == ["accepted"] * 2
        assert ben.ask("say", room=room, text="well")["type"] == "accepted"
        assert ada.ask("resign", room=room)["type"] == "accepted"
        harness.clock.advance(refused["retry_after"])
        assert ada.ask("say", room=room, text="so")["type"] == "accepted"
