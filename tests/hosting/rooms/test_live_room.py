"""A running room: nothing before it is durable, everything in order, and a way on after every fault."""

from typing import Any

import pytest
from structlog.testing import capture_logs

from parlour_protocol.events import MovePlayed
from parlour_server.hosting.actors.log_actor import INBOX_LENGTH
from parlour_server.hosting.rooms.audience import AWAY_GRACE, PRESENCE_DELAY
from parlour_server.log import LogRecord
from parlour_server.room.decide import decide
from parlour_server.room.state import RoomState, evolve
from parlour_server.room.view import PublicView
from tests.hosting.harness import (
    GatedStore,
    HostingHarness,
    Person,
    fails_once,
    open_harness,
    seated,
    settle,
    table,
)
from tests.support.rooms import DRAW, FIRST_WINS


def play(person: Person, room: str, version: int, move: str, **fields: Any) -> str:
    return person.say("play", room=room, version=version, move=move, **fields)


async def test_what_every_move_goes_through_has_few_attributes(harness: HostingHarness) -> None:
    """Python 3.11 shares the names of up to 29 among all objects of a class.

    An object with more has a dictionary of its own, of 1.5 KB, in which each method is looked for first.
    """
    ada, ben = await harness.person("Ada"), await harness.person("Ben")
    room = harness.directory.find(await table(harness, ada, ben))
    for one in (room, room.audience, room.timers, ada.session):
        assert len(vars(one)) < 30, type(one)


# ---------------------------------------------------------------- durable first


async def test_nothing_is_acknowledged_or_shown_before_it_is_durable(harness: HostingHarness) -> None:
    ada, ben, eve = await harness.person("Ada"), await harness.person("Ben"), await harness.person("Eve")
    room = await table(harness, ada, ben)
    eve.ask("subscribe", room=room)
    people = (ada, ben, eve)
    harness.clock.advance(1)
    before = [len(person.wire.said) for person in people]
    harness.store.holds = True
    asked = play(ada, room, 4, "b2")
    await settle()
    harness.clock.advance(30)
    assert [len(person.wire.said) for person in people] == before
    # What is not yet durable is not yet so, for whoever comes now either.
    late = await harness.person("Late")
    assert late.ask("subscribe", room=room)["version"] == 4
    assert late.of("snapshot")[-1]["view"]["moves"] == []
    harness.store.release()
    assert ada.answers(asked) == [{"type": "accepted", "id": asked, "room": room, "version": 5}]
    for person in (*people, late):
        (event,) = [message for message in person.of("event") if message["version"] == 5]
        assert event["event"]["move"] == "b2"


async def test_a_room_is_found_when_it_is_durable_and_not_before(harness: HostingHarness) -> None:
    ada = await harness.person()
    harness.store.holds = True
    asked = ada.say("create", game="tictactoe")
    assert ada.answers(asked) == []
    assert ada.ask("rooms")["rooms"] == []
    harness.store.release()
    (answer,) = ada.answers(asked)
    assert [line["room"] for line in ada.ask("rooms")["rooms"]] == [answer["room"]]


async def test_a_seat_is_followed_when_it_is_durable_and_not_before(harness: HostingHarness) -> None:
    ada = await harness.person()
    room = ada.ask("create", game="tictactoe")["room"]
    harness.store.holds = True
    ada.say("sit", room=room)
    assert ada.of("snapshot") == []
    assert harness.room(room).audience.subscribers == {}
    harness.store.release()
    assert [message["view"]["you"] for message in ada.of("snapshot")] == [0]


async def test_commands_are_decided_one_by_one_in_the_order_they_came(harness: HostingHarness) -> None:
    ada, ben, room = await seated(harness)
    harness.store.holds = True
    asked = [play([ada, ben][ply % 2], room, 4 + ply, move) for ply, move in enumerate([*FIRST_WINS, "c3"])]
    for ply in range(5):
        assert harness.store.held == 1
        assert len(ada.answers(asked[ply]) + ben.answers(asked[ply])) == 0
        harness.store.release(1)
        assert len(ada.answers(asked[ply]) + ben.answers(asked[ply])) == 1
    assert harness.store.held == 0
    assert [message["version"] for message in ada.of("event")][-6:] == [5, 6, 7, 8, 9, 10]
    assert ben.answers(asked[5])[0]["code"] == "game_over"


async def test_an_inbox_that_is_full_says_busy(harness: HostingHarness) -> None:
    ada, _ben, room = await seated(harness)
    harness.store.holds = True
    asked = [play(ada, room, 4, "b2") for _ in range(INBOX_LENGTH + 5)]
    busy = [answer for one in asked for answer in ada.answers(one)]
    assert [answer["code"] for answer in busy] == ["busy"] * 4
    assert all(answer["retry_after"] > 0 for answer in busy)
    harness.store.holds = False
    harness.store.release()
    assert all(len(ada.answers(one)) == 1 for one in asked)
    # Not remembered against it: the same command may be sent again.
    assert ada.answers(play(ada, room, 4, "b2", id=asked[-1]))[-1]["code"] == "not_your_turn"


async def test_a_refusal_is_remembered_for_its_author_alone(harness: HostingHarness) -> None:
    ada, ben, room = await seated(harness)
    # Both count their commands alike, as two clients of one kind do.
    refused = ben.ask("play", id="c-1", room=room, version=4, move="b2")
    assert refused["code"] == "not_your_turn"
    assert ada.ask("play", id="c-1", room=room, version=4, move="b2")["type"] == "accepted"
    assert ben.ask("play", id="c-1", room=room, version=4, move="b2")["code"] == "not_your_turn"


# ---------------------------------------------------------------- a store that refuses


async def test_what_is_not_saved_is_not_done_and_may_be_tried_again(harness: HostingHarness) -> None:
    ada, ben, room = await seated(harness)
    said = len(ben.wire.said)
    harness.store.full = True
    asked = play(ada, room, 4, "b2")
    (refused,) = ada.answers(asked)
    assert (refused["code"], refused["version"]) == ("not_saved", 4)
    # When to try again is said by the client.
    assert refused["retry_after"] > 0
    assert refused["message"] == "The server could not save that, so it is not done."
    assert len(ben.wire.said) == said
    assert harness.room(room).state.version == 4
    assert len(await harness.store.read(room)) == 4
    harness.store.full = False
    play(ada, room, 4, "b2", id=asked)
    assert ada.answers(asked)[-1] == {"type": "accepted", "id": asked, "room": room, "version": 5}
    play(ada, room, 4, "b2", id=asked)
    assert ada.answers(asked)[-1]["version"] == 5
    assert len(await harness.store.read(room)) == 5


async def test_two_servers_on_one_store_let_one_of_two_rivals_win() -> None:
    store = GatedStore()
    async with open_harness(store=store) as here:
        ada, ben, room = await seated(here)
        async with open_harness(store=store) as there:
            twins = [await there.person("Ada", ada.token), await there.person("Ben", ben.token)]
            for twin in twins:
                twin.ask("subscribe", room=room)
            for ply, move in enumerate(DRAW):
                # Each player moves at both servers at once: now one is the quicker, now the other.
                rivals = [[ada, ben][ply % 2], twins[ply % 2]]
                quick, slow = rivals if ply % 3 else reversed(rivals)
                won = play(quick, room, 4 + ply, move)
                lost = play(slow, room, 4 + ply, [*DRAW, DRAW[-1]][ply + 1])
                await settle()
                assert quick.answers(won)[0]["version"] >= 5 + ply
                assert slow.answers(lost)[0]["code"] in ("not_your_turn", "game_over")
            records = await store.read(room)
            assert [record.event.move for record in records if isinstance(record.event, MovePlayed)] == DRAW
            state = RoomState(room)
            for record in records:
                evolve(state, record)
            assert here.room(room).state == there.room(room).state == state
            for person in (ada, ben, *twins):
                versions = [message["version"] for message in person.of("event")]
                assert versions == list(range(versions[0], 15))


async def test_a_server_that_is_behind_reads_on_before_it_judges_a_move() -> None:
    store = GatedStore()
    async with open_harness(store=store) as here:
        ada, ben, room = await seated(here)
        async with open_harness(store=store) as there:
            twin = await there.person("Ben", ben.token)
            twin.ask("subscribe", room=room)
            play(ada, room, 4, "b2")
            answer = play(twin, room, 5, "a1")
            await settle()
            assert twin.answers(answer)[0]["version"] == 6
            # Nor does a version that nobody has make it read for ever.
            nonsense = play(twin, room, 99, "c3")
            await settle()
            assert twin.answers(nonsense)[0]["code"] == "not_your_turn"


# ---------------------------------------------------------------- faults of ours


@pytest.mark.parametrize("part", ["_decide", "_evolve", "move"])
async def test_a_room_that_crashes_starts_again_from_its_log(
    harness: HostingHarness, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    ada, ben, eve = await harness.person("Ada"), await harness.person("Ben"), await harness.person("Eve")
    room = await table(harness, ada, ben)
    other_room = await table(harness, ben, eve)
    others = len(eve.wire.said)
    place: Any = PublicView if part == "move" else harness.room(room)
    monkeypatch.setattr(place, part, fails_once(getattr(place, part)))
    snapshots = len(ben.of("snapshot"))
    with capture_logs() as logs:
        asked = play(ada, room, 4, "b2")
        await settle()
    assert [entry["event"] for entry in logs] == ["a room crashed"]
    # What came to the log before the crash is accepted; what did not may be tried again.
    answer = ada.answers(asked)[0]
    assert answer.get("code") == ("internal" if part == "_decide" else None)
    assert len(ada.answers(asked)) == 1
    # Whoever follows is shown the room afresh, as its log has it.
    written = len(await harness.store.read(room))
    assert len(ben.of("snapshot")) == snapshots + 1
    assert ben.of("snapshot")[-1]["version"] == harness.room(room).state.version == written
    # The same command again is done once, whether it had come to the log or not.
    play(ada, room, 4, "b2", id=asked)
    await settle()
    assert ada.answers(asked)[-1] == {"type": "accepted", "id": asked, "room": room, "version": 5}
    assert len(await harness.store.read(room)) == 5
    assert ben.ask("play", room=room, version=5, move="a1")["version"] == 6
    assert len(eve.wire.said) == others
    harness.clock.advance(1.0)
    assert ben.view(room) == harness.view(room, ben)
    assert ben.ask("play", room=other_room, version=4, move="a1")["version"] == 5


async def test_what_waits_while_a_room_starts_again_is_answered(
    harness: HostingHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, _ben, room = await seated(harness)
    monkeypatch.setattr(harness.room(room), "_decide", fails_once(decide))
    crashed, waits = play(ada, room, 4, "b2"), play(ada, room, 4, "c3")
    assert ada.answers(crashed)[0]["code"] == "internal"
    assert ada.answers(crashed)[0]["retry_after"] > 0
    assert ada.answers(waits) == []
    await settle()
    assert ada.answers(waits)[0]["type"] == "accepted"


@pytest.mark.parametrize("stops", [False, True])
async def test_a_room_that_cannot_be_read_tries_again_until_the_server_stops(
    harness: HostingHarness, stops: bool
) -> None:
    ada, _ben, room = await seated(harness)
    reads, harness.store.unreadable = harness.store.reads, True
    harness.store.append(room, 4, [LogRecord(MovePlayed(0, "a1"), 1, ada.session.player)], lambda error: None)
    asked = play(ada, room, 4, "b2")
    await settle()
    assert ada.answers(asked)[0]["code"] == "internal"
    assert ada.answers(asked)[0]["retry_after"] > 0
    if stops:
        harness.directory.stop()
    for _ in range(3):
        harness.clock.advance(1.0)
        await settle()
        assert harness.room(room).state.version == 4
    assert harness.store.reads - reads == (1 if stops else 4)
    if not stops:
        harness.store.unreadable = False
        harness.clock.advance(1.0)
        await settle()
        assert harness.room(room).state.version == 5
        assert ada.answers(play(ada, room, 4, "b2"))[0]["code"] == "not_your_turn"


@pytest.mark.parametrize("kind", ["sit", "close"])
async def test_what_a_crash_kept_from_being_done_is_made_up_for(
    harness: HostingHarness, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Whose connection went while they sat down is away; and nobody stays in a room that is closed."""
    ada, ben = await harness.person("Ada"), await harness.person("Ben")
    room = ada.ask("create", game="tictactoe")["room"]
    for person in (ada, ben):
        person.ask("subscribe", room=room)
    monkeypatch.setattr(PublicView, "change", fails_once(PublicView.change))
    harness.store.holds = True
    asked = ada.say(kind, room=room)
    if kind == "sit":
        ada.hang_up()
    harness.store.holds = False
    harness.store.release()
    await settle()
    assert len(await harness.store.read(room)) == 2
    if kind == "close":
        assert ada.answers(asked)[0]["type"] == "accepted"
        assert harness.room(room).audience.subscribers == {}
    else:
        left = harness.context.now()
        harness.clock.advance(5.0)
        assert harness.room(room).audience.away() == [left, None]


# ---------------------------------------------------------------- who is here


def here(person: Person) -> tuple[list[bool], int]:
    """Who is connected, by the last notice."""
    reported = person.of("presence")[-1]["set"]
    return reported["online"], reported["watching"]


async def test_who_loads_the_page_anew_is_never_seen_to_be_away(harness: HostingHarness) -> None:
    ada, ben, room = await seated(harness)
    ben.hang_up()
    harness.clock.advance(AWAY_GRACE - 0.5)
    back = await harness.person("Ben", ben.token)
    back.ask("subscribe", room=room)
    harness.clock.advance(2 * AWAY_GRACE)
    assert {tuple(one["set"]["online"]) for one in ada.of("presence")} == {(True, True)}
    assert {tuple(one["set"]["away_since"]) for one in ada.of("presence")} == {(None, None)}


async def test_comings_and_goings_are_reported_together(harness: HostingHarness) -> None:
    ada, ben, room = await seated(harness)
    harness.clock.advance(PRESENCE_DELAY)
    eve, joe = await harness.person("Eve"), await harness.person("Joe")
    reported = len(ada.of("presence"))
    eve.ask("subscribe", room=room)
    joe.ask("subscribe", room=room)
    ben.hang_up()
    left = harness.context.now()
    assert len(ada.of("presence")) == reported
    harness.clock.advance(PRESENCE_DELAY)
    assert here(ada) == ([True, True], 2)
    harness.clock.advance(AWAY_GRACE + PRESENCE_DELAY)
    assert ada.of("presence")[reported + 1 :] == [
        {
            "type": "presence",
            "room": room,
            "set": {
                "online": [True, False],
                "watching": 2,
                "away_since": [None, left],
                "claim_from": [left + 60_000, None],
            },
            "splice": {},
        }
    ]
    back = await harness.person("Ben", ben.token)
    back.ask("subscribe", room=room)
    eve.ask("unsubscribe", room=room)
    joe.hang_up()
    harness.clock.advance(PRESENCE_DELAY)
    assert here(ada) == ([True, True], 0)
    said = len(eve.wire.said)
    ada.ask("play", room=room, version=4, move="a1")
    assert len(eve.wire.said) == said


async def test_coming_back_up_to_date_shows_no_snapshot(harness: HostingHarness) -> None:
    _ada, _ben, room = await seated(harness)
    eve = await harness.person("Eve")
    for since, snapshots in ((4, 0), (3, 1), (None, 2), (99, 3)):
        eve.ask("subscribe", room=room, **({} if since is None else {"since": since}))
        assert len(eve.of("snapshot")) == snapshots


async def test_what_happened_while_nobody_was_there_is_in_no_change(harness: HostingHarness) -> None:
    ada, ben, room = await seated(harness)
    for person in (ada, ben):
        person.ask("unsubscribe", room=room)
    play(ada, room, 4, "b2")
    ben.ask("subscribe", room=room)
    assert harness.room(room).state.version == 5
    play(ben, room, 5, "a1")
    harness.clock.advance(1.0)
    assert ben.view(room)["moves"] == ["b2", "a1"]
    assert ben.view(room) == harness.view(room, ben)


async def test_who_sits_down_or_stands_up_sees_the_room_as_from_there_by_the_event_itself(
    harness: HostingHarness,
) -> None:
    ada, eve = await harness.person("Ada"), await harness.person("Eve")
    room = ada.ask("create", game="tictactoe")["room"]
    for person in (ada, eve):
        person.ask("subscribe", room=room)
    snapshots = len(ada.of("snapshot"))
    for one in ("sit", "leave"):
        ada.ask("say", room=room, text=f"before {one}")
        ada.ask(one, room=room)
        changed = ada.of("event")[-1]["set"]
        assert changed.get("you") == (0 if one == "sit" else None)
        # In either place one reads what is said from then on.
        assert changed["chat"] == []
        assert not {"you", "chat", "report"} & set(eve.of("event")[-1]["set"])
    both = eve.ask("say", room=room, text="among spectators", quick="hello")
    assert (both["type"], both["code"], both["field"]) == ("refused", "bad_message", "text")
    eve.ask("say", room=room, text="among spectators")
    assert [line["channel"] for line in ada.view(room)["chat"]] == ["spectators"]
    assert len(ada.of("snapshot")) == snapshots
    # The connection may have been lost right after the event, which showed all of it.
    again = await harness.person("Ada", token=ada.token)
    again.ask("subscribe", room=room, since=5)
    again.ask("subscribe", room=room, since=4)
    # But a spectator gets the chat anew: it may have been another part of it before.
    assert [snapshot["view"].get("you") for snapshot in again.of("snapshot")] == [None, None]


# ---------------------------------------------------------------- what is said


def said(person: Person, room: str) -> list[str]:
    return [line["text"] for line in person.view(room)["chat"]]


async def test_a_stranger_with_the_code_reads_nothing_that_was_said_before(harness: HostingHarness) -> None:
    ada, ben, eve, joe = [await harness.person(name) for name in ("Ada", "Ben", "Eve", "Joe")]
    room = await table(harness, ada, ben)
    eve.ask("subscribe", room=room)
    eve.ask("say", room=room, text="is anybody here?")
    joe.ask("subscribe", room=room)
    assert (said(eve, room), said(joe, room)) == (["is anybody here?"], [])
    eve.ask("say", room=room, text="hello Joe")
    joe.ask("say", room=room, text="hello Eve")
    assert said(eve, room) == ["is anybody here?", "hello Joe", "hello Eve"]
    assert said(joe, room) == ["hello Joe", "hello Eve"]
    assert "is anybody" not in f"{joe.wire.said}"
    # Who comes back was there: also after the room has slept, from their own first line.
    joe.ask("unsubscribe", room=room)
    eve.ask("say", room=room, text="gone already?")
    joe.ask("subscribe", room=room)
    assert said(joe, room) == ["hello Joe", "hello Eve", "gone already?"]
    record = await joe.ask_store("record", room=room)
    assert [line["text"] for line in record["record"]["chat"]] == ["hello Joe", "hello Eve", "gone already?"]
    async with open_harness(store=harness.store, name="later") as later:
        back, dan = await later.person("Joe", joe.token), await later.person("Dan")
        for person in (back, dan):
            person.ask("subscribe", room=room, since=later.room(room).state.version)
        assert (said(back, room), said(dan, room)) == (["hello Eve", "gone already?"], [])


async def test_what_is_said_reaches_ones_own_alone_and_leaves_nobody_a_gap(harness: HostingHarness) -> None:
    ada, ben, eve, joe = [await harness.person(name) for name in ("Ada", "Ben", "Eve", "Joe")]
    room = await table(harness, ada, ben)
    for person in (eve, joe):
        person.ask("subscribe", room=room)
    eve.ask("say", room=room, text="  a canary\x1b[31m\n sings ")
    ada.ask("say", room=room, text="good luck")
    for person, received in ((joe, "a canary [31m sings"), (ben, "good luck")):
        said = [message for message in person.of("event") if message["event"]["kind"] == "chat_posted"]
        assert [message["version"] for message in said] == [5, 6]
        assert [message["event"]["text"] for message in said if "text" in message["event"]] == [received]
    for person in (ada, ben):
        assert "canary" not in str(person.wire.said)
    for person in (eve, joe):
        assert "luck" not in str(person.wire.said)
    assert ada.ask("say", room=room, text=" \u200b ")["code"] == "bad_message"


async def test_who_talks_in_a_room_is_in_it(harness: HostingHarness) -> None:
    ada, ben, eve = [await harness.person(name) for name in ("Ada", "Ben", "Eve")]
    room = await table(harness, ada, ben)
    refused = eve.ask("say", room=room, text="from outside")
    assert (refused["code"], refused["message"]) == (
        "not_allowed",
        "You can chat only in a room that you are in: watch it, or sit down.",
    )
    eve.ask("subscribe", room=room)
    said = eve.say("say", room=room, text="from inside")
    eve.ask("unsubscribe", room=room)
    # It was taken once: that stands, wherever its author is now.
    eve.say("say", room=room, text="from inside", id=said)
    first, again = eve.answers(said)
    assert first == again == {"type": "accepted", "id": said, "room": room, "version": 5}


async def test_what_was_said_before_a_connection_broke_is_said(harness: HostingHarness) -> None:
    ada, ben, eve = [await harness.person(name) for name in ("Ada", "Ben", "Eve")]
    room = await table(harness, ada, ben)
    eve.ask("subscribe", room=room)
    harness.store.holds = True
    ben.say("play", room=room, version=4, move="a1")
    move = ada.say("play", room=room, version=4, move="b2")
    asked = [person.say("say", room=room, text="well") for person in (ada, eve)]
    for person in (ada, eve):
        person.hang_up()
    while harness.store.held:
        harness.store.release()
    harness.store.holds = False
    # Each comes back, and sends again what was not answered.
    for person, name in zip((ada, eve), asked, strict=True):
        back = await harness.person("Ada", token=person.token)
        back.say("subscribe", room=room)
        back.say("say", room=room, text="well", id=name)
        assert "say" in (
            back.view(room)["may"]["seats"][0] if person is ada else back.view(room)["may"]["spectator"]
        )
        assert [answer["type"] for answer in back.answers(name)] == ["accepted"], back.answers(name)
    assert ada.answers(move) == []
    said = [record.command for record in await harness.store.read(room) if record.event.kind == "chat_posted"]
    assert said == asked


async def test_those_who_come_at_once_each_get_a_snapshot_of_their_own(harness: HostingHarness) -> None:
    ada, ben, room = await seated(harness)
    ada.ask("play", room=room, version=4, move="b2")
    ben.say("say", room=room, text="well played")
    eve, joe = await harness.person("Eve"), await harness.person("Joe")
    for person in (ada, ben, eve, joe):
        person.ask("subscribe", room=room)
        snapshot = person.of("snapshot")[-1]
        # Somebody else may have come to watch meanwhile, which is shown by a notice.
        assert snapshot["view"] | {"watching": 0} == harness.view(room, person) | {"watching": 0}
    assert [one.of("snapshot")[-1]["view"].get("you") for one in (ada, ben, eve, joe)] == [0, 1, None, None]
    # In this one both read the lines of their channel from the same version on.
    other = ada.ask("create", game="tictactoe")["room"]
    ben.ask("sit", room=other)
    for person in (ben, eve):
        person.ask("subscribe", room=other)
    assert [one.of("snapshot")[-1]["view"].get("you") for one in (ben, eve)] == [0, None]
    ben.ask("play", room=room, version=harness.room(room).state.version, move="a1")
    late = await harness.person("Tom")
    late.ask("subscribe", room=room)
    assert late.of("snapshot")[-1]["view"]["moves"] == ["b2", "a1"]
