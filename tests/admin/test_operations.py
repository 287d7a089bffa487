"""What a server's keeper can ask and do, over a whole harness without sockets."""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from parlour_protocol.answers import Refused
from parlour_protocol.errors import Code
from parlour_protocol.local import admin
from parlour_protocol.local.admin import Done
from parlour_server.admin.operations import HANDLERS, Operations, load_bans
from parlour_server.hosting.moderation import Moderation
from parlour_server.settings import ServerSettings
from parlour_server.store.anonymise import SOMEONE
from tests.hosting.harness import HostingHarness, Person, open_harness, seated, settle, table
from tests.hosting.nodes import Nodes


class Kept:
    """A harness in its keeper's hands."""

    def __init__(self, harness: HostingHarness, data: Path | None) -> None:
        self.harness, self.stops = harness, 0
        numbers = itertools.count(1)
        harness.context.new_player_id = lambda: f"p{next(numbers):016x}"
        self.operations = Operations(
            harness.context,
            harness.directory,
            Moderation(harness.context),
            "ws://127.0.0.1:9",
            ServerSettings(data=str(data or ":memory:")),
            self._stop,
        )
        load_bans(harness.context.bans, data)

    def _stop(self) -> None:
        self.stops += 1

    async def ask(self, request: admin.AdminRequest[Any]) -> Any:
        return await self.operations.answer(request, 1000, lambda done, of: None)


@asynccontextmanager
async def kept(data: Path | None = None) -> AsyncIterator[Kept]:
    async with open_harness() as harness:
        keeper = Kept(harness, data)
        yield keeper
        keeper.operations.stop()


@pytest.fixture
async def keeper() -> AsyncIterator[Kept]:
    async with kept() as opened:
        yield opened


def unknown(message: str) -> Refused:
    return Refused(Code.UNKNOWN_TARGET, message)


def closed_with(person: Person) -> str:
    (goodbye,) = person.of("goodbye")
    assert person.wire.closed() == 4003
    return f"{goodbye['code']}: {goodbye['message']}"


def test_every_request_has_its_handler() -> None:
    assert set(HANDLERS) == set(admin.REQUESTS)


async def test_status_counts(keeper: Kept) -> None:
    harness = keeper.harness
    ada, _ben, room = await seated(harness)
    ada.say("play", room=room, move="a1", version=4)
    ada.ask("play", room=room, move="a1", version=5)
    status = await keeper.ask(admin.AskStatus())
    assert (status.connections, status.players, status.rooms) == (2, 2, 1)
    assert status.phases == {"playing": 1}
    assert status.moves == 1
    assert status.refusals == {"not_your_turn": 1}
    assert status.draining is None
    assert status.data == ":memory:"


async def test_rooms_with_who_is_there(keeper: Kept) -> None:
    harness = keeper.harness
    ada, ben, eve = [await harness.person(name) for name in ("Ada", "Ben", "Eve")]
    room = await table(harness, ada, ben, visibility="private")
    eve.say("subscribe", room=room)
    ada.session.address, eve.session.address = "10.0.0.1", "10.0.0.2"
    harness.clock.advance(7)
    rows = await keeper.ask(admin.AskRooms())
    (row,) = rows.rooms
    assert (row.room, row.game, row.phase, row.private) == (room, "tictactoe", "playing", True)
    assert (row.players, row.spectators, row.events) == (["Ada", "Ben"], 1, 4)
    assert row.addresses == ["10.0.0.1", "10.0.0.2"]
    assert (row.age, row.quiet) == (7, 7)


async def test_rooms_are_sent_up_to_a_number_the_latest_used_first(keeper: Kept) -> None:
    harness = keeper.harness
    ada = await harness.person("Ada")
    rooms = []
    for _ in range(3):
        rooms.append(ada.ask("create", game="tictactoe")["room"])
        harness.clock.advance(1)
    ada.say("sit", room=rooms[0])
    rows = await keeper.ask(admin.AskRooms(most=2))
    assert ([row.room for row in rows.rooms], rows.total) == ([rooms[0], rooms[2]], 3)


async def test_players_with_what_they_were_refused(keeper: Kept) -> None:
    harness = keeper.harness
    ada = await harness.person("Ada")
    ben = await harness.person("Ben")
    twice = await harness.person("Ben", token=ben.token)
    for _ in range(3):
        twice.ask("subscribe", room="NOROOM")
    await settle()
    rows = await keeper.ask(admin.AskPlayers())
    first, second = rows.players
    assert (first.name, first.connections, first.player) == ("Ben", 2, ben.session.player)
    assert first.refusals == {"unknown_room": 3}
    assert (second.name, second.refusals) == ("Ada", {})
    assert rows.total == 2
    ada.hang_up()
    assert (await keeper.ask(admin.AskPlayers())).total == 1


async def test_addresses_with_those_first_that_have_most(keeper: Kept) -> None:
    people = [await keeper.harness.person(name) for name in ("Ada", "Ben", "Eve")]
    for person, address in zip(people, ("10.0.0.1", "10.0.0.2", "10.0.0.2"), strict=True):
        person.session.address = address
    rows = await keeper.ask(admin.AskAddresses())
    assert [(row.address, row.connections, row.players) for row in rows.addresses] == [
        ("10.0.0.2", 2, 2),
        ("10.0.0.1", 1, 1),
    ]


async def test_kicked_they_read_why_and_all_their_connections_end(keeper: Kept) -> None:
    ada, ben = await keeper.harness.person("Ada"), await keeper.harness.person("Ben")
    again = await keeper.harness.person("Ada", token=ada.token)
    answer = await keeper.ask(admin.Kick(player="Ada"))
    assert isinstance(answer, Done)
    for one in (ada, again):
        assert closed_with(one) == "kicked: The host of this server has ended your connection."
    assert ben.wire.closed() is None


async def test_two_of_a_name_are_distinguished_by_their_ids(keeper: Kept) -> None:
    twins = [await keeper.harness.person("Ada") for _ in range(2)]
    answer = await keeper.ask(admin.Kick(player="Ada"))
    assert isinstance(answer, Refused)
    assert all(twin.session.player in answer.message for twin in twins)
    await keeper.ask(admin.Kick(player=twins[1].session.player))
    assert [twin.wire.closed() for twin in twins] == [None, 4003]


async def test_one_node_of_several_says_what_is_its_own(nodes: Nodes) -> None:
    here, there = await nodes.open(), await nodes.open()
    await nodes.advance(1.0)
    keeper = Kept(here, None)
    await here.person("Ada")
    await there.person("Ben")
    shown = await keeper.ask(admin.Announce(text="Tea."))
    assert shown == Done("Shown to 1 player at this node, and to all at the others.")
    kicked = await keeper.ask(admin.Kick(player="Ben"))
    assert kicked == unknown("No player called Ben is connected at this node: see `parlour admin players`.")
    banned = await keeper.ask(admin.Ban(who="Ben", seconds=None))
    assert banned == Done("Banned for good: name Ben. 0 connections were ended at this node.")


async def test_a_room_is_closed_with_a_reason(keeper: Kept) -> None:
    harness = keeper.harness
    _ada, ben, room = await seated(harness)
    answer = await keeper.ask(admin.CloseRoom(room=room))
    assert answer == Done(f"Room {room} is closed. Its log stays.")
    event = ben.of("event")[-1]["event"]
    assert event == {
        "kind": "room_closed",
        "reason": "the host of the server closed it",
        "reason_said": {"id": "game.closed.host", "args": {}},
    }
    again = await keeper.ask(admin.CloseRoom(room=room))
    assert again == Refused(Code.UNKNOWN_ROOM, "This room is closed. Create another one.")


async def test_a_room_that_sleeps_is_closed_too(keeper: Kept) -> None:
    harness = keeper.harness
    ada, ben, room = await seated(harness)
    for person in (ada, ben):
        person.hang_up()
    harness.put_all_to_sleep()
    assert isinstance(await keeper.ask(admin.CloseRoom(room=room)), Done)
    assert isinstance(await keeper.ask(admin.CloseRoom(room="NOROOM")), Refused)


@pytest.mark.parametrize("who", ["10.0.0.1", "10.0.0.0/24", "ADA", "player"])
async def test_banned_they_are_cut_and_stay_out_until_it_ends(keeper: Kept, who: str) -> None:
    harness = keeper.harness
    ada, ben = await harness.person("Ada"), await harness.person("Ben")
    ada.session.address, ben.session.address = "10.0.0.1", "10.9.9.9"
    target = ada.session.player if who == "player" else who
    answer = await keeper.ask(admin.Ban(who=target, seconds=3600.0))
    assert isinstance(answer, Done)
    assert answer.message.startswith("Banned for 60 min: ")
    assert answer.message.endswith(". 1 connection was ended.")
    assert closed_with(ada).startswith("banned: The host of this server ")
    assert ben.wire.closed() is None
    assert await comes_back(harness, ada) == "banned"
    harness.clock.advance(3600)
    assert await comes_back(harness, ada) == "welcome"


async def comes_back(harness: HostingHarness, ada: Person) -> str:
    """How a second connection of hers is received."""
    again = Person(harness)
    again.session.address = "10.0.0.1"
    hello = again.say("hello", name="Ada", protocols=[1], token=ada.token)
    await settle()
    answer = again.answers(hello)[0]
    if answer.get("code") == "banned":
        assert again.wire.closed() == 4003
    return str(answer.get("code", answer["type"]))


async def test_a_name_that_no_player_has_had_is_banned_ahead_alone(keeper: Kept) -> None:
    answer = await keeper.ask(admin.Ban(who="Eve"))
    assert answer.code is Code.UNKNOWN_TARGET
    assert (await keeper.ask(admin.AskBans())).bans == []
    assert isinstance(await keeper.ask(admin.Ban(who="Eve", ahead=True)), Done)
    # One who has left is known, and so is a name that looks like one that is there.
    ada = await keeper.harness.person("Ada")
    assert isinstance(await keeper.ask(admin.Ban(who="A\u0501a")), Done)
    ada.hang_up()
    assert isinstance(await keeper.ask(admin.Ban(who="Ada")), Done)


async def test_a_ban_is_lifted(keeper: Kept) -> None:
    ada = await keeper.harness.person("Ada")
    await keeper.ask(admin.Ban(who="Ada"))
    (row,) = (await keeper.ask(admin.AskBans())).bans
    assert (row.kind, row.left) == ("name", None)
    assert isinstance(await keeper.ask(admin.Unban(who="ada")), Done)
    assert await comes_back(keeper.harness, ada) == "welcome"
    assert isinstance(await keeper.ask(admin.Unban(who="ada")), Refused)


async def test_bans_outlive_the_server(tmp_path: Path) -> None:
    data = tmp_path / "rooms.db"
    async with kept(data) as keeper:
        await keeper.ask(admin.Ban(who="10.0.0.1"))
    async with kept(data) as keeper:
        (row,) = (await keeper.ask(admin.AskBans())).bans
        assert row.target == "10.0.0.1"


async def test_bans_that_can_not_be_read_keep_no_server_from_starting(tmp_path: Path) -> None:
    (tmp_path / "rooms.db.bans").write_text("{")
    async with kept(tmp_path / "rooms.db") as keeper:
        assert (await keeper.ask(admin.AskBans())).bans == []


async def test_an_announcement_reaches_everybody_once(keeper: Kept) -> None:
    people = [await keeper.harness.person(name) for name in ("Ada", "Ben")]
    stranger = Person(keeper.harness)
    answer = await keeper.ask(admin.Announce(text="Back\x1b[31m in\nfive "))
    assert answer == Done("Shown to 2 players.")
    for person in people:
        assert person.of("announcement") == [{"text": "Back [31m in five", "type": "announcement"}]
    assert stranger.wire.said == []
    assert isinstance(await keeper.ask(admin.Announce(text="\x00 ")), Refused)


async def test_drained_it_begins_no_games_and_stops_when_the_running_ones_are_over(keeper: Kept) -> None:
    harness = keeper.harness
    ada, ben, eve = [await harness.person(name) for name in ("Ada", "Ben", "Eve")]
    room = await table(harness, ada, ben)
    waiting = eve.ask("create", game="tictactoe")["room"]
    answer = await keeper.ask(admin.Drain(within=600.0))
    assert answer.message.startswith("No game begins any more; 1 game is still played.")
    assert len(eve.of("announcement")) == 1
    for refused in (
        eve.ask("create", game="tictactoe"),
        eve.ask("sit", room=waiting),
        eve.ask("add_bot", room=waiting, bot="easy"),
        eve.ask("quick", game="tictactoe"),
    ):
        assert (refused["type"], refused["code"]) == ("refused", "busy")
    harness.clock.advance(60)
    assert keeper.stops == 0
    assert (await keeper.ask(admin.AskStatus())).draining == 540
    assert ada.ask("play", room=room, move="a1", version=4)["type"] == "accepted"
    ben.ask("resign", room=room)
    assert ben.ask("rematch", room=room)["code"] == "busy"
    harness.clock.advance(1)
    assert keeper.stops == 1
    harness.clock.advance(1000)
    assert keeper.stops == 1


async def test_players_read_how_long_a_drain_leaves_them(keeper: Kept) -> None:
    ada = await keeper.harness.person("Ada")
    for seconds in (25.0, 12.0, 600.0):
        await keeper.ask(admin.Drain(within=seconds))
    said = [one["text"].partition(";")[0].rpartition(" for ")[2] for one in ada.of("announcement")]
    assert said == ["25 s", "12 s", "10 min"]


async def test_a_drain_ends_in_time_and_can_be_hastened(keeper: Kept) -> None:
    harness = keeper.harness
    await table(harness, await harness.person("Ada"), await harness.person("Ben"))
    await keeper.ask(admin.Drain(within=600.0))
    await keeper.ask(admin.Drain(within=10.0))
    harness.clock.advance(9.5)
    assert keeper.stops == 0
    harness.clock.advance(0.5)
    assert keeper.stops == 1


async def test_games_that_nobody_attends_hold_no_drain_up(keeper: Kept) -> None:
    harness = keeper.harness
    ada, ben = await harness.person("Ada"), await harness.person("Ben")
    await table(harness, ada, ben)
    for person in (ada, ben):
        person.hang_up()
    await keeper.ask(admin.Drain())
    harness.clock.advance(1)
    assert keeper.stops == 1


async def test_forgotten_they_are_nobody_in_any_room_and_their_token_is_unknown(keeper: Kept) -> None:
    harness = keeper.harness
    ada, ben, room = await seated(harness)
    ben.say("say", room=room, text="hello")
    ada.ask("say", room=room, text="I am Ada of High Street")
    answer = await keeper.ask(admin.Forget(player="Ada"))
    await settle()
    assert isinstance(answer, Done)
    assert closed_with(ada).startswith("kicked: ")
    seen = json.dumps(ben.view(room))
    assert "Ada" not in seen
    assert "hello" in seen
    assert await comes_back(harness, ada) == "wrong_token"
    (entry,) = (await keeper.ask(admin.AskAudit())).entries
    assert "Ada" not in f"{entry}"


async def test_who_is_to_be_forgotten_is_one_and_known(keeper: Kept) -> None:
    twins = [await keeper.harness.person("Ada") for _ in range(2)]
    for twin in twins:
        twin.hang_up()
    answer = await keeper.ask(admin.Forget(player="Ada"))
    assert isinstance(answer, Refused)
    assert all(twin.session.player in answer.message for twin in twins)
    assert isinstance(await keeper.ask(admin.Forget(player="Eve")), Refused)
    assert isinstance(await keeper.ask(admin.Forget(player=twins[0].session.player)), Done)
    assert isinstance(await keeper.ask(admin.Forget(player="Ada")), Done)
    # Nor is a name kept by what was refused before.
    entries = (await keeper.ask(admin.AskAudit())).entries
    assert [entry.outcome for entry in entries] == ["failed", "failed", "done", "done"]
    assert "Ada" not in f"{entries}" and "Eve" not in f"{entries}"


async def test_of_many_so_called_some_are_named_and_all_are_counted(keeper: Kept) -> None:
    for _ in range(12):
        await keeper.harness.person("Ada")
    for request in (admin.Forget(player="Ada"), admin.Kick(player="Ada"), admin.Identify(player="Ada")):
        failed = await keeper.ask(request)
        assert failed.message.startswith("12 players are called so: name one by id: ")
        assert failed.message.count("p0000") == 8
        assert failed.message.endswith(", and 4 more.")


async def test_who_is_meant_is_looked_up_and_not_audited(keeper: Kept) -> None:
    ada = await keeper.harness.person("Ada")
    assert await keeper.ask(admin.Identify(player="Ada")) == admin.Identified(ada.session.player)
    assert isinstance(await keeper.ask(admin.Identify(player="Eve")), Refused)
    assert (await keeper.ask(admin.AskAudit())).entries == []


async def test_what_acts_is_audited_with_its_outcome(tmp_path: Path) -> None:
    async with kept(tmp_path / "rooms.db") as keeper:
        await keeper.harness.person("Ada")
        await keeper.ask(admin.AskStatus())
        await keeper.ask(admin.Kick(player="Ada"))
        await keeper.ask(admin.Kick(player="Ben"))
        entries = (await keeper.ask(admin.AskAudit())).entries
        assert [(one.action, one.target, one.outcome, one.uid) for one in entries] == [
            ("kick", "Ada", "done", 1000),
            ("kick", "Ben", "failed", 1000),
        ]
        assert entries[0].time == "1970-01-01T00:16:40+00:00"
        lines = (tmp_path / "rooms.db.audit").read_text().splitlines()
        assert [json.loads(line)["target"] for line in lines] == ["Ada", "Ben"]


async def test_what_fails_unforeseen_is_audited_too(keeper: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeper.harness.context.connections, "send", lambda message: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        await keeper.ask(admin.Announce(text="Hello"))
    (entry,) = (await keeper.ask(admin.AskAudit())).entries
    assert (entry.action, entry.outcome) == ("announce", "failed")


async def test_an_audit_log_that_can_not_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "rooms.db.audit").mkdir()
    async with kept(tmp_path / "rooms.db") as keeper:
        answer = await keeper.ask(admin.Announce(text="Hello"))
        assert answer.message == "Shown to 0 players. The audit log could not be written: it is a folder."


async def test_a_room_whose_log_is_rewritten_while_it_saves_is_read_afterwards(keeper: Kept) -> None:
    harness = keeper.harness
    ada, ben, room = await seated(harness)
    harness.store.holds = True
    ben.say("say", room=room, text="Hello, Ada")
    ada.say("play", room=room, move="a1", version=5)
    done = await keeper.ask(admin.Forget(player=ada.session.player))
    assert isinstance(done, Done)
    await settle()
    # What is being saved is folded first, and once.
    assert [seat.name for seat in harness.room(room).state.seats if seat] == ["Ada", "Ben"]
    harness.store.holds = False
    harness.store.release()
    await settle()
    state = harness.room(room).state
    names = [seat.name for seat in state.seats if seat is not None]
    assert names == [SOMEONE, "Ben"]
    assert state.version == len(await harness.store.read(room))
    assert ben.ask("say", room=room, text="Who are you?")["type"] == "accepted"
    assert closed_with(ada) == "kicked: The host of this server has removed you from it."


# ---------------------------------------------------------------- several nodes


async def test_a_ban_holds_at_a_node_that_missed_it_as_soon_as_that_listens_again(nodes: Nodes) -> None:
    first, second = [Kept(await nodes.open(), None) for _ in range(2)]
    eve = await second.harness.person("Eve")
    nodes.clusters[1].deaf = True
    await first.ask(admin.Ban(who="Eve"))
    await settle()
    assert eve.wire.closed() is None
    nodes.clusters[1].listen_again()
    await settle()
    assert closed_with(eve).startswith("banned: ")


async def test_a_ban_at_one_node_lifts_none_that_it_has_missed(nodes: Nodes) -> None:
    first, second, third = [Kept(await nodes.open(), None) for _ in range(3)]
    nodes.clusters[1].deaf = True
    await first.ask(admin.Ban(who="Eve", ahead=True))
    await second.ask(admin.Ban(who="Mallory", ahead=True))
    await settle()
    for keeper in (first, second, third):
        assert [row.target for row in (await keeper.ask(admin.AskBans())).bans] == ["Eve", "Mallory"]
    await second.ask(admin.Unban(who="Eve"))
    await settle()
    assert [row.target for row in (await third.ask(admin.AskBans())).bans] == ["Mallory"]


def slow_notes(nodes: Nodes, monkeypatch: pytest.MonkeyPatch) -> None:
    """What nodes share is a while away."""

    def slow(call: Any) -> Any:
        async def far(*values: Any) -> Any:
            for _ in range(3):
                await asyncio.sleep(0)
            answer = await call(*values)
            for _ in range(3):
                await asyncio.sleep(0)
            return answer

        return far

    for cluster in nodes.clusters:
        for name in ("look_up", "keep", "replace"):
            monkeypatch.setattr(cluster, name, slow(getattr(cluster, name)))


@pytest.mark.parametrize("count", [1, 2])
async def test_of_two_bans_at_once_both_hold(
    nodes: Nodes, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    several = [Kept(await nodes.open(), None) for _ in range(count)]
    slow_notes(nodes, monkeypatch)
    one, other = several[0], several[-1]

    async def change(*requests: admin.Action) -> list[list[str]]:
        asked = zip((one, other), requests, strict=True)
        for answer in await asyncio.gather(*(keeper.ask(request) for keeper, request in asked)):
            assert isinstance(answer, Done), answer
        await settle()
        standing = [await keeper.ask(admin.AskBans()) for keeper in several]
        return [sorted(row.target for row in rows.bans) for rows in standing]

    both = ["198.51.100.9", "203.0.113.7"]
    assert await change(admin.Ban(who=both[0]), admin.Ban(who=both[1])) == [both] * count
    after = await change(admin.Unban(who=both[0]), admin.Ban(who="192.0.2.1"))
    assert after == [["192.0.2.1", both[1]]] * count
