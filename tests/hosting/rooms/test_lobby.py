"""The list of rooms as it changes, and what of it is nobody's business."""

from itertools import chain

from parlour_server.hosting.rooms.lobby import GATHER_SECONDS, ROOMS_AT_ONCE
from parlour_server.hosting.rooms.room_list import MOST_LISTED
from tests.hosting.harness import HostingHarness, seated, table


async def test_whoever_follows_the_list_is_notified_of_every_change_and_of_those_who_come(
    harness: HostingHarness,
) -> None:
    eve = await harness.person("Eve")
    assert eve.ask("rooms", subscribe=True)["players"] == 1
    ada, ben, room = await seated(harness)
    ada.ask("play", room=room, version=4, move="b2")
    assert eve.of("lobby") == []
    harness.clock.advance(GATHER_SECONDS)
    (reported,) = eve.of("lobby")
    ((line,), players) = reported["rooms"], reported["players"]
    assert (line["room"], line["phase"], line["moves"], players) == (room, "playing", 1, 3)
    assert [seat["name"] for seat in line["seats"]] == ["Ada", "Ben"]
    ben.ask("resign", room=room)
    ben.hang_up()
    ada.ask("close", room=room)
    harness.clock.advance(GATHER_SECONDS)
    assert eve.of("lobby")[1:] == [{"type": "lobby", "rooms": [], "gone": [room], "players": 2}]


async def test_who_looks_on_is_counted_as_they_come_and_go(harness: HostingHarness) -> None:
    ada, ben, eve, joe = [await harness.person(name) for name in ("Ada", "Ben", "Eve", "Joe")]
    room = await table(harness, ada, ben)
    eve.ask("rooms", subscribe=True)
    reported = []
    for kind in ("subscribe", "unsubscribe"):
        joe.ask(kind, room=room)
        harness.clock.advance(2 * GATHER_SECONDS)
        reported.append(eve.of("lobby")[-1]["rooms"][0]["watching"])
    assert reported == [1, 0]


async def test_a_room_is_shown_however_many_there_are(harness: HostingHarness) -> None:
    eve, ada = await harness.person("Eve"), await harness.person("Ada")
    first = ada.ask("create", game="tictactoe")["room"]
    for _ in range(MOST_LISTED):
        ada.ask("create", game="tictactoe")
    assert first not in [line["room"] for line in eve.ask("rooms", subscribe=True)["rooms"]]
    ada.ask("sit", room=first)
    harness.clock.advance(GATHER_SECONDS)
    (reported,) = eve.of("lobby")
    assert ([line["room"] for line in reported["rooms"]], reported["gone"]) == ([first], [])


async def test_many_changes_come_in_several_notices_and_none_is_lost(harness: HostingHarness) -> None:
    eve, ada = await harness.person("Eve"), await harness.person("Ada")
    eve.ask("rooms", subscribe=True)
    rooms = [ada.ask("create", game="tictactoe")["room"] for _ in range(2 * ROOMS_AT_ONCE + 1)]
    harness.clock.advance(3 * GATHER_SECONDS)
    notices = [[line["room"] for line in notice["rooms"]] for notice in eve.of("lobby")]
    assert [len(codes) for codes in notices] == [ROOMS_AT_ONCE, ROOMS_AT_ONCE, 1]
    assert list(chain.from_iterable(notices)) == rooms


async def test_a_person_with_two_terminals_is_one(harness: HostingHarness) -> None:
    eve, ada = await harness.person("Eve"), await harness.person("Ada")
    twin = await harness.person("Ada", ada.token)
    assert eve.ask("rooms")["players"] == 2
    twin.hang_up()
    assert eve.ask("rooms")["players"] == 2
    ada.hang_up()
    assert eve.ask("rooms")["players"] == 1


async def test_a_table_whose_player_has_gone_is_no_offer(harness: HostingHarness) -> None:
    eve, ada = await harness.person("Eve"), await harness.person("Ada")
    room = ada.answers(ada.say("quick", game="tictactoe"))[0]["room"]
    eve.ask("rooms", subscribe=True)
    ada.hang_up()
    harness.clock.advance(2 * GATHER_SECONDS)
    assert eve.of("lobby")[-1]["gone"] == [room]
    # It is not closed: whoever has its code sits down, and whoever comes back waits on.
    again = await harness.person("Ada", ada.token)
    again.ask("subscribe", room=room)
    harness.clock.advance(2 * GATHER_SECONDS)
    assert [line["room"] for line in eve.of("lobby")[-1]["rooms"]] == [room]


async def test_a_game_that_everybody_has_left_is_no_game_to_look_at(harness: HostingHarness) -> None:
    ada, ben, eve = [await harness.person(name) for name in ("Ada", "Ben", "Eve")]
    room = await table(harness, ada, ben)
    bots = eve.ask("create", game="tictactoe")["room"]
    for _ in range(2):
        eve.ask("add_bot", room=bots, bot="random")
    listed = eve.ask("rooms", subscribe=True)["rooms"]
    assert {line["room"] for line in listed} == {room, bots}
    ada.hang_up()
    harness.clock.advance(GATHER_SECONDS)
    assert [code for reported in eve.of("lobby") for code in reported["gone"]] == []
    ben.hang_up()
    harness.clock.advance(3 * GATHER_SECONDS)
    assert [code for reported in eve.of("lobby") for code in reported["gone"]] == [room]
    back = await harness.person("Ben", ben.token)
    back.ask("subscribe", room=room)
    harness.clock.advance(3 * GATHER_SECONDS)
    assert {line["room"] for line in eve.ask("rooms")["rooms"]} == {room, bots}


async def test_the_list_shows_the_clock_of_a_room_that_has_one(harness: HostingHarness) -> None:
    ada = await harness.person("Ada")
    timed, free = (
        ada.ask("create", game="tictactoe", settings={"clock": "5+3"}),
        ada.ask("create", game="ultimate"),
    )
    lines = {line["room"]: line for line in ada.ask("rooms")["rooms"]}
    assert lines[timed["room"]]["clock"] == "5+3"
    assert "clock" not in lines[free["room"]]


async def test_who_wants_to_receive_no_more_of_it_does_not(harness: HostingHarness) -> None:
    eve, ada = await harness.person("Eve"), await harness.person("Ada")
    eve.ask("rooms", subscribe=True)
    eve.ask("rooms")
    ada.ask("create", game="tictactoe")
    harness.clock.advance(5)
    assert eve.of("lobby") == []
    eve.ask("rooms", subscribe=True)
    eve.hang_up()
    ada.ask("create", game="tictactoe")
    harness.clock.advance(5)
    assert eve.of("lobby") == []


async def test_a_private_room_is_found_by_its_code_alone(harness: HostingHarness) -> None:
    eve, ada, ben = await harness.person("Eve"), await harness.person("Ada"), await harness.person("Ben")
    eve.ask("rooms", subscribe=True)
    room = await table(harness, ada, ben, visibility="private")
    ada.ask("play", room=room, version=4, move="b2")
    harness.clock.advance(GATHER_SECONDS)
    assert eve.ask("rooms")["rooms"] == []
    ada.ask("close", room=room)
    harness.clock.advance(60)
    # Not even that it went: a code is all that is needed to come in.
    assert room not in str(eve.wire.said)
    other = await table(harness, ada, ben, visibility="private")
    assert eve.ask("subscribe", room=other)["room"] == other


async def test_a_room_that_is_put_aside_leaves_the_list(harness: HostingHarness) -> None:
    ada, _ben, room = await seated(harness)
    harness.room(room)._quarantine()
    assert ada.ask("rooms")["rooms"] == []
