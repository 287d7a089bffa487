"""What every way to other nodes must do: that of the tests, in memory, and that through PostgreSQL."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from time import time
from typing import Any

import pytest

from parlour_protocol.events import ChatPosted, RoomClosed, RoomCreated
from parlour_protocol.settings import RoomSettings
from parlour_server.log import AnyRecord, LogRecord
from parlour_server.store.cluster import ASLEEP, REWRITTEN, Callbacks, Cluster, Posted
from parlour_server.store.postgres.cluster import PostgresCluster
from parlour_server.store.postgres.store import PostgresStore
from tests.store.test_contract import append
from tests.support.nodes import Ground, MemoryCluster, NodeStore
from tests.support.postgres import database
from tests.support.tallies import CODECS, counted, opened
from tests.support.waiting import within

SECONDS = 10.0
LEASE = 60.0


@dataclass
class Node:
    """One node's store and its way to the others; and what it has received."""

    store: Any
    cluster: Cluster
    versions: dict[str, int] = field(default_factory=dict)
    records: dict[str, list[AnyRecord]] = field(default_factory=dict)
    followed: set[str] = field(default_factory=set)
    """The rooms of which it sends others what it appends."""
    asleep: set[str] = field(default_factory=set)
    listens: bool = False
    news: int = 0
    words: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        callbacks = Callbacks(
            self._missed,
            self._appended,
            self._awake,
            self.followed.__contains__,
            self._posted,
            self.words.append,
        )
        self.cluster.listen(callbacks)

    def _appended(self, versions: Mapping[str, int], records: Mapping[str, list[AnyRecord]]) -> None:
        self.versions.update(versions)
        self.records.update(records)

    def _awake(self, room: str) -> bool:
        return room not in self.asleep

    def _missed(self) -> None:
        self.listens = True

    def _posted(self) -> None:
        self.news += 1


class Nodes:
    """Makes nodes over one log."""

    def __init__(self, kind: str, stack: AsyncExitStack) -> None:
        self._kind, self._stack = kind, stack
        self._ground = Ground(lambda: int(1000 * time()))
        self._url = ""
        self._count = 0

    async def open(self) -> Node:
        self._count += 1
        name = f"n{self._count}"
        if self._kind == "memory":
            cluster = MemoryCluster(self._ground, name)
            node = Node(NodeStore(cluster), cluster)
        else:
            self._url = self._url or await self._stack.enter_async_context(database())
            store = await PostgresStore.open(self._url, node=name, codecs=CODECS)
            self._stack.push_async_callback(store.close)
            far = PostgresCluster(store)
            self._stack.push_async_callback(far.close)
            node = Node(store, far)
            await within(SECONDS, lambda: node.listens)
        await node.cluster.renew(LEASE, 0)
        return node


@pytest.fixture(params=["memory", "postgres"])
async def nodes(request: pytest.FixtureRequest) -> AsyncIterator[Nodes]:
    async with AsyncExitStack() as stack:
        yield Nodes(request.param, stack)


async def create(node: Node, room: str) -> None:
    record = LogRecord(RoomCreated("tictactoe", RoomSettings(), owner="p-ada"), 1, "p-ada", f"c-{room}")
    await append(node.store, room, 0, record)


async def test_the_others_are_those_that_are_alive(nodes: Nodes) -> None:
    one, other, dead = [await nodes.open() for _ in range(3)]
    await other.cluster.renew(LEASE, 7)
    await dead.cluster.leave()
    renewal = await one.cluster.renew(LEASE, 3)
    assert renewal.others == {"n2": 7}
    assert abs(renewal.now - 1000 * time()) < 60_000
    await one.cluster.renew(-1.0, 3)
    assert (await other.cluster.renew(LEASE, 7)).others == {}


async def test_from_when_until_when_no_node_was_alive(nodes: Nodes) -> None:
    one, other = await nodes.open(), await nodes.open()
    first = await one.cluster.renew(LEASE, 0)
    assert first.down[0] == 0
    assert not first.ended
    await one.cluster.leave()
    # Another one went on.
    again = await one.cluster.renew(LEASE, 0)
    assert again.ended
    assert again.down == first.down
    last = (await other.cluster.renew(LEASE, 0)).now
    for node in (one, other):
        await node.cluster.leave()
    back = await other.cluster.renew(LEASE, 0)
    assert back.ended
    # They were there for too short a time for all clocks to be stopped: it is one gap with that before.
    assert back.down[0] == 0
    assert last <= back.down[1] <= back.now
    assert (await one.cluster.renew(LEASE, 0)).down == back.down


async def test_who_makes_a_room_holds_its_lease_until_it_sleeps_or_is_closed(nodes: Nodes) -> None:
    one, other = await nodes.open(), await nodes.open()
    for room in ("AAAAAA", "BBBBBB", "CCCCCC"):
        await create(one, room)
    assert sorted(await one.cluster.leased()) == ["AAAAAA", "BBBBBB", "CCCCCC"]
    assert await other.cluster.acquire("AAAAAA") is None
    assert await other.cluster.take_over(100, ["AAAAAA"]) == {}
    await one.cluster.release(["AAAAAA"], asleep=True)
    assert await other.cluster.take_over(100) == {}
    assert await other.cluster.acquire("AAAAAA") == ASLEEP
    assert await one.cluster.acquire("AAAAAA") is None
    await one.cluster.release(["AAAAAA"], asleep=True)
    assert await other.cluster.leased() == ["AAAAAA"]
    await append(one.store, "BBBBBB", 1, LogRecord(RoomClosed("enough"), 2, "p-ada", "c2"))
    assert await one.cluster.leased() == ["CCCCCC"]
    assert await other.cluster.acquire("BBBBBB") == ASLEEP
    assert await other.cluster.acquire("ZZZZZZ") == ASLEEP
    assert await other.cluster.leased() == ["AAAAAA"]


async def test_what_a_dead_node_held_is_taken_over_once(nodes: Nodes) -> None:
    one, other, third = [await nodes.open() for _ in range(3)]
    rooms = [f"{letter}AAAAA" for letter in "ABCDEFGH"]
    for room in rooms:
        await create(one, room)
    before = (await one.cluster.renew(LEASE, 0)).now
    await one.cluster.leave()
    some = await other.cluster.take_over(3)
    assert list(some) == rooms[:-4:-1]
    assert await other.cluster.leased() == rooms[:-4:-1]
    # Two at the same time.
    taken = await asyncio.gather(other.cluster.take_over(100), third.cluster.take_over(100))
    assert sorted([*some, *taken[0], *taken[1]]) == rooms
    assert all(0 <= since - before < 60_000 for found in (some, *taken) for since in found.values())
    assert sorted(await other.cluster.leased()) == sorted([*some, *taken[0]])
    # It is back, and finds that they have gone.
    await one.cluster.renew(LEASE, 0)
    assert await one.cluster.leased() == []
    assert await one.cluster.acquire(rooms[0]) is None


async def test_a_room_that_is_given_away_is_the_first_ones_who_asks(nodes: Nodes) -> None:
    one, other = await nodes.open(), await nodes.open()
    await create(one, "AAAAAA")
    await one.cluster.release(["AAAAAA"], asleep=False)
    now = (await one.cluster.renew(LEASE, 0)).now
    assert list(await other.cluster.take_over(100)) == ["AAAAAA"]
    await other.cluster.release(["AAAAAA"], asleep=False)
    since = await one.cluster.acquire("AAAAAA")
    assert since is not None
    assert abs(since - now) < 60_000
    await one.cluster.release(["AAAAAA"], asleep=True)
    assert await other.cluster.take_over(100, ["AAAAAA"]) == {"AAAAAA": ASLEEP}


async def test_others_get_hints_of_what_was_appended_and_find_what_they_missed(nodes: Nodes) -> None:
    one, other = await nodes.open(), await nodes.open()
    await create(one, "AAAAAA")
    said = [LogRecord(ChatPosted("spectators", "Ada", f"word {n}"), 2, "p-ada", f"w{n}") for n in range(2)]
    await append(one.store, "AAAAAA", 1, *said)
    await within(SECONDS, lambda: other.versions == {"AAAAAA": 3})
    assert one.versions == {}
    assert other.records == {}
    one.followed.add("AAAAAA")
    more = [LogRecord(ChatPosted("spectators", "Ada", "zwölf\tBäume\n"), 3, "p-ada", "w\t3"), said[0]]
    await append(one.store, "AAAAAA", 3, *more)
    await within(SECONDS, lambda: other.versions == {"AAAAAA": 5})
    assert other.records == {"AAAAAA": more}
    other.asleep.add("AAAAAA")
    await append(one.store, "AAAAAA", 5, *said)
    await create(one, "BBBBBB")
    await within(SECONDS, lambda: other.versions == {"AAAAAA": 5, "BBBBBB": 1})
    assert await other.cluster.behind({"AAAAAA": 7, "BBBBBB": 1}) == []
    assert await other.cluster.behind({"AAAAAA": 4}) == ["AAAAAA"]


async def test_a_log_of_another_kind_has_a_lease_hints_and_posts(nodes: Nodes) -> None:
    one, other = await nodes.open(), await nodes.open()
    key = "tally:votes"
    await append(one.store, key, 0, opened())
    assert await one.cluster.leased() == [key]
    assert await other.cluster.acquire(key) is None
    one.followed.add(key)
    await append(one.store, key, 1, counted(1), counted(2))
    await within(SECONDS, lambda: other.versions == {key: 3})
    assert other.records == {key: [counted(1), counted(2)]}
    assert await other.cluster.behind({key: 2}) == [key]
    await one.cluster.post({key: "open"})
    assert await other.cluster.posts() == [Posted("n1", key, "open")]
    await one.cluster.leave()
    assert list(await other.cluster.take_over(100)) == [key]
    await other.cluster.release([key], asleep=True)
    assert await other.cluster.acquire(key) == ASLEEP


async def test_posts_are_read_once_and_stand_until_they_are_withdrawn(nodes: Nodes) -> None:
    one, other = await nodes.open(), await nodes.open()
    await one.cluster.post({"AAAAAA": "first", "BBBBBB": "second"})
    await within(SECONDS, lambda: other.news > 0)
    assert await one.cluster.posts() == []
    found = await other.cluster.posts()
    assert sorted(found, key=lambda one: one.room) == [
        Posted("n1", "AAAAAA", "first"),
        Posted("n1", "BBBBBB", "second"),
    ]
    await one.cluster.post({"AAAAAA": "changed", "BBBBBB": None})
    found = await other.cluster.posts()
    assert {post.room: post.text for post in found} == {"AAAAAA": "changed", "BBBBBB": None}
    afresh = await other.cluster.posts(afresh=True)
    assert Posted("n1", "AAAAAA", "changed") in afresh


async def test_a_database_that_has_lost_its_posts_has_them_written_anew(nodes: Nodes) -> None:
    one, other = await nodes.open(), await nodes.open()
    await one.cluster.post({"AAAAAA": "first"})
    assert not (await one.cluster.renew(LEASE, 0)).ended
    if isinstance(one.store, PostgresStore):
        # As after a crash.
        await one.store.connections.fetch("TRUNCATE posts")
        assert (await one.cluster.renew(LEASE, 0)).ended
        assert not (await one.cluster.renew(LEASE, 0)).ended
        assert await other.cluster.posts() == []


async def test_what_no_node_needs_any_more_is_deleted(nodes: Nodes) -> None:
    one = await nodes.open()
    if not isinstance(one.store, PostgresStore):
        return
    await create(one, "AAAAAA")
    await one.cluster.post({"AAAAAA": None, "BBBBBB": "a post"})
    await one.cluster.keep("old", "a note", -1.0)
    fetch = one.store.connections.fetch
    for node in ("dead", "held"):
        await fetch("INSERT INTO nodes VALUES ($1, clock_timestamp() - interval '2 days', 0, 0)", node)
    await fetch("UPDATE rooms SET holder = 'held'")
    await fetch("UPDATE posts SET at = at - interval '2 minutes'")
    # It begins with that.
    other = await nodes.open()
    assert isinstance(other.store, PostgresStore)

    async def left() -> bool:
        rows = await other.store.connections.fetch("SELECT node FROM nodes UNION ALL SELECT key FROM notes")
        return {name for (name,) in rows} == {"n1", "n2", "held"}

    async with asyncio.timeout(SECONDS):
        while not await left():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    assert [post.room for post in await other.cluster.posts()] == ["BBBBBB"]


async def test_what_is_said_reaches_all_others(nodes: Nodes) -> None:
    one, other, third = [await nodes.open() for _ in range(3)]
    await one.cluster.broadcast('{"a sentence": "with blanks: 7"}')
    await within(SECONDS, lambda: len(other.words) == len(third.words) == 1)
    assert other.words == third.words == ['{"a sentence": "with blanks: 7"}']
    assert one.words == []


async def test_a_note_is_for_all_and_can_be_taken_once(nodes: Nodes) -> None:
    one, other = await nodes.open(), await nodes.open()
    await one.cluster.keep("carry x", "a secret", 60.0)
    assert await other.cluster.look_up("carry x") == "a secret"
    assert await other.cluster.take("carry x") == "a secret"
    assert await one.cluster.take("carry x") is None
    await one.cluster.keep("carry x", "too old", -1.0)
    assert await other.cluster.look_up("carry x") is None
    assert await other.cluster.take("carry x") is None
    await one.cluster.keep("bans", "[]")
    await one.cluster.keep("bans", "[1]")
    assert await other.cluster.look_up("bans") == "[1]"


async def test_a_note_is_replaced_by_those_alone_who_know_what_it_is(nodes: Nodes) -> None:
    one, other = await nodes.open(), await nodes.open()
    assert not await one.cluster.replace("bans", "[]", "[1]")
    assert await one.cluster.replace("bans", None, "[1]")
    assert not await other.cluster.replace("bans", None, "[2]")
    assert not await other.cluster.replace("bans", "[]", "[2]")
    assert await other.cluster.replace("bans", "[1]", "[1, 2]")
    assert await one.cluster.look_up("bans") == "[1, 2]"
    await one.cluster.keep("bans", "too old", -1.0)
    assert not await one.cluster.replace("bans", "too old", "[3]")
    assert await one.cluster.replace("bans", None, "[3]")
    asked = [node.cluster.replace("bans", "[3]", node.cluster.node) for node in (one, other)]
    assert sorted(await asyncio.gather(*asked)) == [False, True]


async def test_a_claim_is_let_go_by_the_node_that_holds_it_alone(nodes: Nodes) -> None:
    one, other = await nodes.open(), await nodes.open()
    assert await one.cluster.hold("match", 60.0) is None
    await other.cluster.let_go("match")
    assert await other.cluster.hold("match", 60.0) == ""
    await one.cluster.let_go("match")
    # It was another's before.
    assert await one.cluster.hold("match", -1.0) is None
    assert await other.cluster.hold("match", 60.0) is None
    await one.cluster.let_go("match")
    assert await one.cluster.hold("match", 60.0) == ""
    await other.cluster.keep("match", "AAAAAA", 60.0)
    await other.cluster.let_go("match")
    assert await one.cluster.hold("match", 60.0) == "AAAAAA"


async def test_one_makes_what_many_ask_for_and_the_others_are_reported(nodes: Nodes) -> None:
    several = [await nodes.open() for _ in range(3)]
    asked = await asyncio.gather(*(node.cluster.hold("match", 60.0) for node in several))
    assert sorted(asked, key=str) == ["", "", None]
    maker = several[asked.index(None)]
    await maker.cluster.keep("match", "AAAAAA", 60.0)
    for node in several:
        assert await node.cluster.hold("match", 60.0) == "AAAAAA"
    # There is no place any more.
    assert await several[0].cluster.hold("match", 60.0, ["AAAAAA"]) is None
    assert await several[1].cluster.hold("match", 60.0, ["AAAAAA"]) == ""
    await several[0].cluster.take("match")
    assert await several[1].cluster.hold("match", -1.0) is None
    assert await several[2].cluster.hold("match", 60.0) is None


async def test_a_log_that_was_rewritten_is_to_be_read_afresh(nodes: Nodes) -> None:
    one, other = await nodes.open(), await nodes.open()
    await create(one, "AAAAAA")
    await append(one.store, "AAAAAA", 1, LogRecord(ChatPosted("spectators", "Ada", "me"), 2, "p-ada", "w"))
    assert await one.store.forget_player("p-ada") == ["AAAAAA"]
    await within(SECONDS, lambda: other.versions.get("AAAAAA") == REWRITTEN)


_: Callable[[Ground, str], Cluster] = MemoryCluster
