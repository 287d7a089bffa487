"""Whatever goes wrong after a command's first turn: it is answered, once, and nobody waits behind it."""

from collections.abc import Callable
from typing import Any

import pytest

from parlour_server.hosting.actors.registry import Registry
from parlour_server.hosting.carry_codes import CarryCodes
from parlour_server.hosting.limits.turn_queue import TurnQueue
from parlour_server.hosting.rooms import creation
from parlour_server.hosting.rooms.creation import Creation
from parlour_server.hosting.rooms.directory import Directory
from parlour_server.hosting.rooms.histories import Histories
from parlour_server.hosting.rooms.live_room import LiveRoom
from parlour_server.hosting.rooms.matchmaking import Matchmaking
from parlour_server.store.memory import MemoryStore
from parlour_server.store.port import NotReadable
from tests.hosting.harness import HostingHarness, Person, seated, settle
from tests.hosting.nodes import Nodes
from tests.support.nodes import MemoryCluster

ERRORS = [RuntimeError("a bug of ours"), NotReadable("The database does not answer.")]
QUICK = {"game": "tictactoe"}


@pytest.fixture(params=ERRORS, ids=["bug", "store"])
def error(request: pytest.FixtureRequest) -> Exception:
    found: Exception = request.param
    return found


def failing(error: Exception) -> Callable[..., Any]:
    async def fails(*_: Any, **__: Any) -> Any:
        raise error

    return fails


def failing_at_once(error: Exception) -> Callable[..., Any]:
    def fails(*_: Any, **__: Any) -> Any:
        raise error

    return fails


async def refused(person: Person, kind: str, **fields: Any) -> None:
    """The command is answered once, by a refusal that says whose fault it is."""
    answer = await person.ask_store(kind, **fields)
    assert (answer["type"], answer["code"]) == ("refused", "internal"), answer
    assert answer["retry_after"] > 0


@pytest.mark.parametrize(
    ("owner", "name", "fields"),
    [
        (CarryCodes, "redeem", {"carry": "ABCDEFGHJK"}),
        (TurnQueue, "turn", {}),
    ],
)
async def test_a_hello_is_answered_and_may_be_said_again(
    harness: HostingHarness,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    owner: type,
    name: str,
    fields: dict[str, Any],
) -> None:
    ada = Person(harness)
    with monkeypatch.context() as patched:
        patched.setattr(owner, name, failing(error))
        asked = ada.say("hello", protocols=[1], name="Ada", **fields)
        early = ada.say("games")
        await settle()
    (answer,) = ada.answers(asked)
    assert answer["code"] in ("internal", "not_saved")
    assert ada.answers(early)[0]["code"] == "hello_first"
    assert (await ada.ask_store("hello", protocols=[1], name="Ada"))["type"] == "welcome"


async def test_a_carry_code_is_answered(
    harness: HostingHarness, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    ada = await harness.person()
    with monkeypatch.context() as patched:
        patched.setattr(CarryCodes, "open", failing(error))
        await refused(ada, "carry", token=ada.token)
    assert (await ada.ask_store("carry", token=ada.token))["type"] == "carried"


@pytest.mark.parametrize(
    ("owner", "name", "kind"),
    [
        (Histories, "game", "record"),
        (Histories, "game", "review"),
        (Histories, "games_of", "room_games"),
        (Histories, "rooms_of", "history"),
        (MemoryStore, "read", "record"),
        (MemoryStore, "read", "room_games"),
        (MemoryStore, "rooms_of", "history"),
    ],
)
async def test_a_query_of_a_log_is_answered_and_the_next_one_is_looked_up(
    harness: HostingHarness,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    owner: type,
    name: str,
    kind: str,
) -> None:
    ada, _ben, room = await seated(harness)
    fields = {} if kind == "history" else {"room": room}
    with monkeypatch.context() as patched:
        patched.setattr(owner, name, failing(error))
        if (name, kind) == ("rooms_of", "history") and isinstance(error, RuntimeError):
            await refused(ada, kind, **fields)
        else:
            assert (await ada.ask_store(kind, **fields))["code"] == "internal"
    if kind != "review":
        assert (await ada.ask_store(kind, **fields))["type"] == kind


async def test_all_commands_for_a_room_that_can_not_be_fetched_are_answered(
    harness: HostingHarness, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    ada, _ben, room = await seated(harness)
    harness.directory.put_to_sleep(harness.room(room))
    with monkeypatch.context() as patched:
        patched.setattr(Directory, "fetch", failing(error))
        asked = [ada.say("subscribe", room=room), ada.say("play", room=room, version=4, move="b2")]
        await settle()
    for one in asked:
        (answer,) = ada.answers(one)
        assert (answer["code"], answer["retry_after"] > 0) == ("internal", True)
    assert (await ada.ask_store("subscribe", room=room))["type"] == "accepted"


@pytest.mark.parametrize(
    ("owner", "name"),
    [(MemoryStore, "room_by"), (creation, "make_place"), (Creation, "_new_code"), (Directory, "add")],
)
async def test_the_creation_of_a_room_is_answered(
    harness: HostingHarness, monkeypatch: pytest.MonkeyPatch, error: Exception, owner: object, name: str
) -> None:
    ada, ben = await harness.person("Ada"), await harness.person("Ben")
    for kind in ("create", "quick"):
        with monkeypatch.context() as patched:
            patched.setattr(owner, name, failing_at_once(error))
            await refused(ada, kind, **QUICK)
        assert harness.directory.matchmaking.creating == {}
        assert harness.directory.matchmaking._matches == {}
        assert harness.directory.creation._creating == {}
        assert (await ben.ask_store(kind, **QUICK))["type"] == "accepted"


@pytest.mark.parametrize("name", ["seat_for", "submit", "get", "create"])
async def test_a_search_for_a_seat_is_answered_and_later_ones_find_each_other(
    harness: HostingHarness, monkeypatch: pytest.MonkeyPatch, error: Exception, name: str
) -> None:
    ada, ben, eve, dan = [await harness.person(one) for one in ("Ada", "Ben", "Eve", "Dan")]
    if name == "get":
        # A room is got where another waits in it.
        assert (await dan.ask_store("quick", **QUICK))["type"] == "accepted"
    with monkeypatch.context() as patched:
        owner = {"seat_for": Matchmaking, "submit": LiveRoom, "get": Registry, "create": Creation}[name]
        patched.setattr(owner, name, failing_at_once(error))
        await refused(ada, "quick", **QUICK)
    if name == "get":
        dan.ask("leave", room=dan.of("snapshot")[0]["room"])
    rooms = {(await one.ask_store("quick", **QUICK))["room"] for one in (ben, eve)}
    assert len(rooms) == 1


async def test_those_who_wait_for_a_room_of_another_go_on_when_it_can_not_be_made(
    harness: HostingHarness, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    ada, ben, eve = [await harness.person(one) for one in ("Ada", "Ben", "Eve")]
    harness.store.holds = True
    first, second, third = [one.say("quick", **QUICK) for one in (ada, ben, eve)]
    with monkeypatch.context() as patched:
        patched.setattr(Directory, "add", failing_at_once(error))
        harness.store.release(1)
    harness.store.holds = False
    while harness.store.held:
        harness.store.release(1)
    await settle()
    assert [answer["code"] for answer in ada.answers(first)] == ["internal"]
    assert len({ben.answers(second)[0]["room"], eve.answers(third)[0]["room"]}) == 1


async def test_a_seat_of_before_that_can_not_be_fetched_is_answered(
    harness: HostingHarness, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    ada = await harness.person()
    harness.directory.matchmaking.waits_already(ada.session.player, "again", "ABCDEF", 3)
    with monkeypatch.context() as patched:
        patched.setattr(Directory, "fetch", failing(error))
        await refused(ada, "quick", **QUICK, id="again")
    # Where it sleeps, too.
    room = (await ada.ask_store("quick", **QUICK, id="there"))["room"]
    ada.ask("unsubscribe", room=room)
    harness.directory.put_to_sleep(harness.room(room))
    with monkeypatch.context() as patched:
        patched.setattr(Directory, "fetch", failing(error))
        ada.say("quick", **QUICK, id="there")
        await settle()
        assert ada.answers("there")[-1]["code"] == "internal"


@pytest.mark.parametrize("name", ["hold", "keep", "take"])
async def test_at_a_node_all_that_is_sought_or_created_is_answered(
    nodes: Nodes, monkeypatch: pytest.MonkeyPatch, error: Exception, name: str
) -> None:
    harness = await nodes.open()
    ada, ben, eve = [await harness.person(one) for one in ("Ada", "Ben", "Eve")]
    for kind in ("create", "quick"):
        with monkeypatch.context() as patched:
            patched.setattr(MemoryCluster, name, failing(error))
            if name == "hold":
                await refused(ada, kind, **QUICK)
            else:
                assert (await ada.ask_store(kind, **QUICK))["type"] == "accepted"
            await settle()
    assert harness.directory.matchmaking.creating == {}
    settings = {"clock": "5+3"}
    rooms = {(await one.ask_store("quick", **QUICK, settings=settings))["room"] for one in (ben, eve)}
    assert len(rooms) == 1


async def test_at_a_node_a_wait_for_another_that_fails_is_answered(
    nodes: Nodes, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """The key of a match alone can't be held: another node seems to create the room, then the pause fails."""
    harness = await nodes.open()
    ada, ben, eve = [await harness.person(one) for one in ("Ada", "Ben", "Eve")]

    async def held(self: MemoryCluster, key: str, *_: Any) -> str | None:
        return "" if key.startswith("match") else None

    with monkeypatch.context() as patched:
        patched.setattr(MemoryCluster, "hold", held)
        patched.setattr(type(harness.context), "pause", failing(error))
        await refused(ada, "quick", **QUICK)
    assert harness.directory.matchmaking.creating == {}
    rooms = {(await one.ask_store("quick", **QUICK))["room"] for one in (ben, eve)}
    assert len(rooms) == 1
