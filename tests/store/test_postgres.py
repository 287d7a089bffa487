"""What only the store in PostgreSQL does: several servers on one database, lost connections, migrations."""

import asyncio
import random
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from structlog.testing import capture_logs

from parlour_protocol.events import ChatPosted, RoomClosed
from parlour_server.counters import Counters
from parlour_server.log import LogRecord
from parlour_server.store import database_url
from parlour_server.store.cluster import REWRITTEN, Callbacks
from parlour_server.store.encoding import ROOMS_ONLY
from parlour_server.store.finished_games import FinishedGame, write_game
from parlour_server.store.port import (
    NotReadable,
    NotSaved,
    Player,
    StoreError,
    StoreUnusable,
    VersionConflict,
)
from parlour_server.store.postgres import connections, groups, hints, migrations, reading, writer
from parlour_server.store.postgres.cluster import PostgresCluster
from parlour_server.store.postgres.store import PostgresStore
from tests.store.test_contract import append, begin, created, finished, move, seated
from tests.support import postgres
from tests.support.proxy import Proxy, between

ROWS = "SELECT count(*) FROM parlour.events"
CUT_OFF = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND application_name = 'parlour'"
)


@pytest.fixture
async def url() -> AsyncIterator[str]:
    async with postgres.database() as fresh:
        yield fresh


@pytest.fixture
async def other(url: str) -> AsyncIterator[Any]:
    """A connection to the same database that is nobody's store."""
    connection = await asyncpg.connect(url)
    yield connection
    await connection.close()


@asynccontextmanager
async def opened(url: str, **options: Any) -> AsyncIterator[PostgresStore]:
    store = await PostgresStore.open(url, **options)
    try:
        yield store
    finally:
        await store.close()


@pytest.fixture
async def store(url: str) -> AsyncIterator[PostgresStore]:
    async with opened(url) as store:
        yield store


@asynccontextmanager
async def through_proxy(url: str, **options: Any) -> AsyncIterator[tuple[PostgresStore, Proxy]]:
    """A store whose connections go by a proxy."""
    name = url.partition("@/")[2].partition("?")[0]
    async with between(f"tcp://127.0.0.1:{postgres.shared()[1]}") as proxy:
        address = proxy.url.partition("//")[2]
        async with opened(f"postgresql://postgres@{address}/{name}", **options) as store:
            try:
                yield store, proxy
            finally:
                proxy.refuse = False
                proxy.go_on()


WAITING = "FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"


async def until_true(other: Any, query: str, *given: object) -> None:
    async def holds() -> bool:
        return await other.fetchval(query, *given) is True

    await until(holds)


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    for _ in range(6_000):
        if await holds():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it did not come to that")


# ---------------------------------------------------------------- several servers


async def test_two_servers_on_the_same_rooms_lose_nothing_and_leave_no_gap(url: str) -> None:
    """Whatever is cut off meanwhile: what was answered is what stands."""
    rooms = [f"ROOM{number:02}" for number in range(6)]
    stood: dict[str, list[str]] = {}
    """By command, the records of an append in order, each as its player."""
    refused: set[str] = set()

    async def play(store: PostgresStore, name: str, dice: random.Random) -> None:
        for number in range(60):
            room, command = dice.choice(rooms), f"{name}{number}"
            try:
                version = len(await store.read(room))
            except NotReadable:
                refused.add(command)
                continue
            some = [LogRecord(move(n).event, 1, f"p{n}", command) for n in range(dice.randint(1, 3))]
            records = [created(), *some] if version == 0 else some
            try:
                await append(store, room, version, *records)
            except StoreError:
                refused.add(command)
            else:
                stood[command] = [room, *(record.by for record in some)]

    async def cut_off(count: int) -> None:
        connection = await asyncpg.connect(url)
        for _ in range(count):
            await asyncio.sleep(0.02)
            await connection.execute(f"{CUT_OFF} AND random() < 0.5")
        await connection.close()

    async with opened(url) as one, opened(url) as two:
        players = [
            play(store, f"{number}{who}-", random.Random(f"{number}{who}"))
            for number, store in enumerate((one, two))
            for who in "abcd"
        ]
        await asyncio.gather(*players, cut_off(10))
        found: dict[str, list[str]] = {}
        for room in rooms:
            records = await one.read(room)
            assert records == await two.read(room)
            for record in records:
                if record.command != "c0":
                    found.setdefault(str(record.command), [room]).append(record.by)
    assert found == stood
    assert len(refused) + len(stood) == 480


async def test_what_lost_the_race_is_entered_nowhere_else(url: str) -> None:
    async with opened(url) as one, opened(url) as two:
        await append(one, "AAAAAA", 0, created())
        await append(one, "AAAAAA", 1, move(1))
        closing = LogRecord(RoomClosed("enough"), 2, "p-eve", "c9")
        for record in (seated(2, "p-eve"), closing):
            with pytest.raises(VersionConflict):
                await append(two, "AAAAAA", 1, record)
        with pytest.raises(VersionConflict):
            await append(two, "AAAAAA", 0, created())
        assert await two.rooms_of("p-eve", 9) == []
        assert await two.open_rooms() == ["AAAAAA"]


async def test_what_gathers_is_one_commit(url: str) -> None:
    counters = Counters()
    async with opened(url, counters=counters) as store:
        begun = [begin(store, f"ROOM{n:03}", 0, [created(), move(n)]) for n in range(100)]
        begun.append(asyncio.ensure_future(store.add_player("hash", Player("p-ada", "Ada"), 1)))
        # The players begin a turn of the loop later.
        await asyncio.gather(*begun)
        assert sum(counters.commit_times.counts) <= 2
        for start in range(2, 5):
            await asyncio.gather(*[begin(store, f"ROOM{n:03}", start, [move(n)]) for n in range(100)])
        assert sum(counters.commit_times.counts) <= 5


async def test_a_large_crowd_is_committed_in_several_groups(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(groups, "RECORDS_AT_ONCE", 7)
    monkeypatch.setattr(reading, "ROOMS_AT_ONCE", 3)
    async with opened(url) as store:
        await asyncio.gather(*[begin(store, f"ROOM{n:02}", 0, [created(), move(n)]) for n in range(40)])
        logs = await asyncio.gather(*[store.read(f"ROOM{n:02}") for n in range(40)])
        assert logs == [[created(), move(n)] for n in range(40)]


async def test_a_long_log_is_read_in_pieces(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "DECODED_AT_ONCE", 7)
    async with opened(url) as store:
        moves = [move(n) for n in range(reading.RECORDS_AT_ONCE + 200)]
        await append(store, "AAAAAA", 0, created(), *moves)
        assert await store.read("AAAAAA") == [created(), *moves]
        assert await store.read("AAAAAA", 500) == moves[499:]


async def test_what_cannot_be_written_keeps_nothing_else_from_it(store: PostgresStore) -> None:
    strange = LogRecord(ChatPosted("players", "Eve", "\0"), 1, "p-\0", "c1")
    begun = [
        begin(store, "AAAAAA", 0, [created()]),
        begin(store, "BBBBBB", 0, [created(), strange]),
        begin(store, "CCCCCC", 0, [created(), LogRecord(move(1).event, 1, "p-eve", "c\0")]),
        begin(store, "DDDDDD", 0, [created()]),
        # Half a character, for which there is no encoding.
        begin(store, "EEEEEE", 0, [created(), LogRecord(ChatPosted("players", "Eve", "\ud800"), 1, "p-eve")]),
    ]
    outcomes = await asyncio.gather(*begun, return_exceptions=True)
    assert [outcome is None for outcome in outcomes] == [True, False, False, True, False]
    assert all(isinstance(outcome, NotSaved) for outcome in outcomes if outcome is not None)
    assert await store.open_rooms() == ["AAAAAA", "DDDDDD"]


# ---------------------------------------------------------------- hints


@asynccontextmanager
async def hints_to(other: Any, rooms: int) -> AsyncIterator[list[hints.Hint]]:
    """The hints that are sent meanwhile, up to those of so many rooms."""
    received: list[hints.Hint] = []

    def receive(*said: Any) -> None:
        received.append(hints.parse(said[3], ROOMS_ONLY))

    async def all_received() -> bool:
        await other.fetchval("SELECT 1")
        return sum(len(one.rooms) for one in received) >= rooms

    await other.add_listener(hints.CHANNEL, receive)
    yield received
    await until(all_received)
    await other.remove_listener(hints.CHANNEL, receive)


async def test_the_others_are_notified_once_a_group(url: str, other: Any) -> None:
    async with opened(url, node="n1") as store:
        async with hints_to(other, rooms=20) as received:
            await asyncio.gather(*[begin(store, f"ROOM{n:02}", 0, [created(), move(n)]) for n in range(20)])
        assert received == [("n1", {f"ROOM{n:02}": 2 for n in range(20)}, {})]
        said = LogRecord(ChatPosted("players", "Ada", "hello"), 1, "p-ada", "c7")
        async with hints_to(other, rooms=2) as received:
            await append(store, "ROOM03", 2, said)
            await store.forget_player("p-ada")
        assert received[-1] == ("n1", {"ROOM03": REWRITTEN}, {})


async def test_a_large_group_takes_several_hints(url: str, other: Any) -> None:
    words = "Bäume " * 20
    rooms = [f"ROOM{n:02}" for n in range(90)]
    said = {room: LogRecord(ChatPosted("players", "Ada", words + room), 1, "p-ada", "c7") for room in rooms}
    async with opened(url, node="n1") as store:
        store.followed = lambda room: True
        await asyncio.gather(*[begin(store, room, 0, [created()]) for room in rooms])
        async with hints_to(other, rooms=len(rooms)) as received:
            await asyncio.gather(*[begin(store, room, 1, [said[room]]) for room in rooms])
    assert len(received) > 2
    found = {room: records for one in received for room, records in one.records.items()}
    assert found == {room: [said[room]] for room in rooms}


async def test_of_a_run_that_lost_the_race_others_are_not_notified(url: str, other: Any) -> None:
    async with opened(url, node="n1") as store, opened(url, node="n2") as late:
        await append(store, "AAAAAA", 0, created())
        await append(store, "AAAAAA", 1, move(1))
        late.followed = lambda room: True
        async with hints_to(other, rooms=1) as received:
            lost, stands = begin(late, "AAAAAA", 1, [move(2)]), begin(late, "BBBBBB", 0, [move(1)])
            await asyncio.wait([lost, stands])
        assert isinstance(lost.exception(), VersionConflict)
    assert received == [("n2", {"BBBBBB": 1}, {"BBBBBB": [move(1)]})]


# ---------------------------------------------------------------- lost connections


async def test_what_was_committed_before_the_answer_was_lost_is_answered_as_saved(
    url: str, other: Any
) -> None:
    async with through_proxy(url) as (store, proxy):
        await append(store, "AAAAAA", 0, created())
        await append(store, "AAAAAA", 1, move(0))
        proxy.hold_answers()
        begun = begin(store, "AAAAAA", 2, [move(1), move(2)])
        await until_true(other, "SELECT count(*) = 4 FROM parlour.events")
        assert not begun.done()
        proxy.go_on()
        proxy.cut()
        await begun
        assert await store.read("AAAAAA") == [created(), move(0), move(1), move(2)]


async def test_what_never_arrived_is_committed_by_the_next_connection(url: str, other: Any) -> None:
    async with through_proxy(url) as (store, proxy):
        await append(store, "AAAAAA", 0, created())
        proxy.swallow()
        begun = begin(store, "AAAAAA", 1, [move(1)])
        await asyncio.sleep(0.05)
        proxy.cut()
        proxy.go_on()
        await begun
        assert await store.read("AAAAAA") == [created(), move(1)]


async def test_a_commit_that_hangs_ends_before_anything_is_answered(url: str, other: Any) -> None:
    """The process that has it under way outlives the connection: it must not commit afterwards."""
    async with through_proxy(url) as (store, proxy):
        await append(store, "AAAAAA", 0, created())
        holder = await asyncpg.connect(url)
        await holder.execute("BEGIN; LOCK TABLE parlour.events IN SHARE MODE")
        begun = begin(store, "AAAAAA", 1, [move(1)])
        await until_true(other, f"SELECT count(*) > 0 {WAITING}")
        pid = await other.fetchval(f"SELECT pid {WAITING}")
        proxy.cut()
        await until_true(other, "SELECT count(*) = 0 FROM pg_stat_activity WHERE pid = $1", pid)
        assert not begun.done()
        await holder.close()
        await begun
        assert await store.read("AAAAAA") == [created(), move(1)]


@pytest.mark.parametrize(
    ("change", "done"),
    [
        (
            lambda two, room: two.renew(60.0, len(room)),
            "SELECT players = 6 FROM parlour.nodes WHERE node = 'n2'",
        ),
        (lambda two, room: two.take_over(9), "SELECT holder = 'n2' FROM parlour.rooms WHERE room = 'AAAAAA'"),
        (
            lambda two, room: two.acquire(room),
            "SELECT holder = 'n2' FROM parlour.rooms WHERE room = 'BBBBBB'",
        ),
    ],
    ids=["renew", "take_over", "acquire"],
)
async def test_a_change_of_leases_whose_answer_is_lost_is_not_made_again(
    url: str, other: Any, change: Callable[[PostgresCluster, str], Awaitable[object]], done: str
) -> None:
    """The second answer would be another one: it is for the node to look up what it holds."""
    async with opened(url, node="n1") as one, through_proxy(url, node="n2") as (store, proxy):
        for room in ("AAAAAA", "BBBBBB"):
            await append(one, room, 0, created())
        dead, far = PostgresCluster(one), PostgresCluster(store)
        await dead.renew(60.0, 0)
        # It is prepared by that.
        await change(far, "")
        await dead.release(["BBBBBB"], asleep=True)
        await dead.leave()
        proxy.hold_answers()
        begun = asyncio.ensure_future(change(far, "BBBBBB"))
        await until_true(other, done)
        proxy.go_on()
        proxy.cut()
        with pytest.raises(NotSaved):
            await begun


async def test_a_lease_is_renewed_while_nothing_can_be_deleted(url: str, other: Any) -> None:
    async with opened(url, node="n1") as store, other.transaction():
        await other.execute("LOCK TABLE parlour.notes")
        listens, far = asyncio.Event(), PostgresCluster(store)
        far.listen(
            Callbacks(
                listens.set, lambda *_: None, lambda _: False, lambda _: False, lambda: None, lambda _: None
            )
        )
        try:
            await listens.wait()
            assert (await far.renew(60.0, 0)).ended
        finally:
            await far.close()


async def test_a_query_that_nobody_waits_for_keeps_no_connection_busy(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "CONNECT_SECONDS", 1000.0)
    monkeypatch.setattr(connections, "STATEMENT_SECONDS", 1000.0)
    async with through_proxy(url) as (store, proxy):
        proxy.swallow()
        query = asyncio.create_task(store.used())
        await asyncio.sleep(0.05)
        query.cancel()
        # Not after the server has said what became of it.
        async with asyncio.timeout(60):
            await asyncio.wait([query])
        assert query.cancelled()


async def test_a_silent_network_counts_as_a_lost_connection(
    url: str, other: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Long enough for what is answered, on a machine that has much else to do.
    monkeypatch.setattr(connections, "STATEMENT_SECONDS", 1.5)
    monkeypatch.setattr(connections, "CONNECT_SECONDS", 1.5)
    monkeypatch.setattr(writer, "OUTAGE_SECONDS", 0.3)
    async with through_proxy(url) as (store, proxy):
        await append(store, "AAAAAA", 0, created())
        with capture_logs() as logs:
            proxy.swallow()
            lost = begin(store, "AAAAAA", 1, [move(1)])

            async def noticed() -> bool:
                return bool(logs)

            await until(noticed)
            # Known to be an outage, so that it is refused at once.
            with pytest.raises(NotSaved, match="does not answer"):
                await append(store, "BBBBBB", 0, created())
            assert not lost.done()
            proxy.go_on()
            outcome = (await asyncio.gather(lost, return_exceptions=True))[0]
        stands = await other.fetchval(ROWS) == 2
        assert outcome is None if stands else isinstance(outcome, NotSaved)
        await until_saved(store, "BBBBBB")
        assert [entry["event"] for entry in logs][-1] == "it can be saved again"


async def until_saved(store: PostgresStore, room: str) -> None:
    async def saved() -> bool:
        try:
            await append(store, room, 0, created())
        except NotSaved:
            return False
        return True

    await until(saved)


async def test_an_outage_is_refused_and_over_by_itself(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "OUTAGE_SECONDS", 0.1)
    async with through_proxy(url) as (store, proxy):
        await append(store, "AAAAAA", 0, created())
        await cut_off(store, proxy)
        with pytest.raises(NotSaved):
            await append(store, "AAAAAA", 1, move(1))
        with pytest.raises(StoreError):
            await store.read("AAAAAA")
        with pytest.raises(NotSaved):
            await store.check()
        proxy.refuse = False
        await until_saved(store, "BBBBBB")
        await append(store, "AAAAAA", 1, move(2))
        assert await store.read("AAAAAA") == [created(), move(2)]


async def cut_off(store: PostgresStore, proxy: Proxy) -> None:
    """Cut its connections off for longer, and wait until it knows."""
    proxy.refuse = True
    proxy.cut()

    async def noticed() -> bool:
        return store._writer._connection.is_closed()  # type: ignore[no-any-return]

    await until(noticed)


async def test_a_store_that_has_no_connection_can_be_closed(url: str) -> None:
    async with through_proxy(url) as (store, proxy):
        await cut_off(store, proxy)
        begun = begin(store, "AAAAAA", 0, [created()])
        await store.close()
        with pytest.raises(NotSaved):
            await begun


async def test_a_store_that_is_closed_in_doubt_answers_nothing(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "END_SECONDS", 0.1)
    async with through_proxy(url) as (store, proxy):
        proxy.swallow()
        begun = begin(store, "AAAAAA", 0, [created()])
        with capture_logs() as logs:
            await store.close()
        assert not begun.done()
        assert "they may stand" in logs[-1]["event"]


async def test_a_database_that_takes_no_writes_is_reported_in_a_sentence(
    store: PostgresStore, other: Any
) -> None:
    await append(store, "AAAAAA", 0, created())
    async with read_only(other):
        with pytest.raises(NotSaved, match="standby or set to read only"):
            await append(store, "AAAAAA", 1, move(1))
        with pytest.raises(NotSaved, match="standby or set to read only"):
            await store.check()
        assert await store.read("AAAAAA") == [created()]
    await until_saved(store, "BBBBBB")


@asynccontextmanager
async def read_only(other: Any) -> AsyncIterator[None]:
    """The database takes no writes, of new connections, which all must become."""
    name = await other.fetchval("SELECT current_database()")
    await other.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    await other.execute(CUT_OFF)
    yield
    await other.execute(f"ALTER DATABASE {name} RESET default_transaction_read_only")


async def test_queries_write_again_once_the_database_takes_it(store: PostgresStore, other: Any) -> None:
    """A connection that was made while the database was read only stays so; a node's beat keeps it alive."""
    cluster = PostgresCluster(store)
    async with read_only(other):
        with pytest.raises(NotSaved, match="standby or set to read only"):
            await cluster.keep("key", "text")
    await cluster.keep("key", "text")
    assert await cluster.look_up("key") == "text"


# ---------------------------------------------------------------- what is kept, and for how long


async def test_a_room_that_is_tended_is_spared(store: PostgresStore, other: Any) -> None:
    for room in ("AAAAAA", "BBBBBB"):
        await append(store, room, 0, created())
    await other.execute("UPDATE parlour.rooms SET holder = 'n2' WHERE room = 'AAAAAA'")
    assert await store.prune(5_000) == ["BBBBBB"]
    assert await store.open_rooms() == ["AAAAAA"]


async def test_housekeeping_leaves_connections_for_all_else(store: PostgresStore, other: Any) -> None:
    async with other.transaction():
        await other.execute("LOCK TABLE parlour.visitors")
        begun = [asyncio.ensure_future(store.forget_visitors(5_000)) for _ in range(5)]
        await until_true(other, f"SELECT count(*) > 0 {WAITING}")
        assert await store.find_player("nobody") is None
    assert await asyncio.gather(*begun) == [0] * 5


async def test_a_visitor_who_is_connected_to_one_server_is_spared_by_another(url: str) -> None:
    async with opened(url) as one, opened(url) as two:
        await one.add_player("hash", Player("p-ada", "Ada"), 1_000)
        assert await one.forget_visitors(900, {"p-ada"}) == 0
        assert await two.forget_visitors(1_100) == 0
        assert await two.forget_visitors(1_100 + 3 * 3_600_000) == 1


async def test_no_move_is_left_over_of_a_room_that_is_pruned_meanwhile(url: str) -> None:
    async with opened(url) as one, opened(url) as two:
        for turn in range(15):
            await append(one, "AAAAAA", 0, created(), move(1))
            late = begin(two, "AAAAAA", 2, [move(9_000)])
            pruned, outcome = await asyncio.gather(one.prune(5_000), late, return_exceptions=True)
            records = await one.read("AAAAAA")
            if outcome is None:
                assert (pruned, len(records)) == ([], 3), turn
                await one.prune(90_000)
            else:
                assert (pruned, records) == (["AAAAAA"], []), turn


async def test_it_is_noted_when_a_server_was_last_up(url: str) -> None:
    async with opened(url) as one:
        assert await one.last_alive() == 0
        one.note_alive(5_000)
    async with opened(url) as two:
        assert await two.last_alive() == 5_000
        # Of another server, whose clock is behind.
        two.note_alive(4_000)
    async with opened(url) as three:
        assert await three.last_alive() == 5_000
        assert await three.used() > 0


# ---------------------------------------------------------------- start


async def test_servers_that_start_together_make_the_tables_once() -> None:
    async with postgres.database(like=postgres.EMPTY) as url:
        stores = await asyncio.gather(*[PostgresStore.open(url) for _ in range(4)])
        await append(stores[0], "AAAAAA", 0, created())
        assert await stores[3].open_rooms() == ["AAAAAA"]
        for store in stores:
            await store.close()


async def test_a_server_waits_for_another_that_makes_the_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "STATEMENT_SECONDS", 0.5)
    async with postgres.database(like=postgres.EMPTY) as url:
        other = await asyncpg.connect(url)
        await other.execute("SELECT pg_advisory_lock($1)", migrations._LOCK)
        begun = asyncio.ensure_future(PostgresStore.open(url))
        await until_true(other, f"SELECT count(*) > 0 {WAITING}")
        # Longer than any other statement may take.
        await asyncio.sleep(0.8)
        await other.close()
        store = await begun
        assert await store.open_rooms() == []
        await store.close()


async def test_tables_of_an_older_version_are_migrated(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = migrations.MIGRATIONS
    async with postgres.database(like=postgres.EMPTY) as url:
        monkeypatch.setattr(migrations, "MIGRATIONS", steps[:1])
        older = await asyncpg.connect(url, server_settings={"search_path": "parlour"})
        await migrations.migrate(older, url)
        for version, record in enumerate((created(), move(1)), 1):
            event = ROOMS_ONLY.encode("AAAAAA", record.event)
            row = ("AAAAAA", version, record.at, record.by, record.command, event)
            await older.execute("INSERT INTO events VALUES ($1, $2, $3, $4, $5, $6)", *row)
        await older.execute("INSERT INTO rooms (room, open) VALUES ('AAAAAA', true)")
        await older.close()
        monkeypatch.setattr(migrations, "MIGRATIONS", steps)
        async with opened(url) as store:
            assert await store.read("AAAAAA") == [created(), move(1)]
            assert await store.prune(5_000) == ["AAAAAA"]
        monkeypatch.setattr(migrations, "MIGRATIONS", steps[:1])
        with pytest.raises(StoreUnusable, match="newer Parlour"):
            await PostgresStore.open(url)


async def test_a_migration_that_fails_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = migrations.MIGRATIONS
    async with postgres.database(like=postgres.EMPTY) as url:
        monkeypatch.setattr(migrations, "MIGRATIONS", (*steps, "ALTER TABLE nothing ADD COLUMN x text"))
        with pytest.raises(StoreUnusable):
            await PostgresStore.open(url)
        monkeypatch.setattr(migrations, "MIGRATIONS", steps)
        async with opened(url) as store:
            assert await store.open_rooms() == []


@pytest.mark.parametrize(
    "script", ["CREATE SCHEMA parlour", "CREATE SCHEMA parlour; CREATE TABLE parlour.migrations ()"]
)
async def test_a_schema_of_something_else_is_refused(script: str) -> None:
    async with postgres.database(like=postgres.EMPTY) as url:
        connection = await asyncpg.connect(url)
        await connection.execute(script)
        await connection.close()
        with pytest.raises(StoreUnusable, match="is something else's"):
            await PostgresStore.open(url)


CERTIFICATE = Path(__file__).parents[1] / "server" / "loopback.pem"
OTHER_CERTIFICATE = CERTIFICATE.with_name("renewed.pem")
ASKS_FOR_TLS = bytes.fromhex("0000000804d2162f")
"""The first that a client says to PostgreSQL, before the handshake."""
LOCAL = "postgresql://postgres@127.0.0.1:PORT/postgres"


def _with_port(text: str) -> str:
    return text.replace("PORT", str(postgres.shared()[1]))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("postgresql://postgres@127.0.0.1:PORT/nowhere", r'no such database: .*"nowhere".*createdb'),
        ("postgresql://nobody@127.0.0.1:PORT/postgres", r'refuses the user or the password: .*"nobody"'),
        ("postgresql://postgres@127.0.0.1:1/postgres", r"can't be reached: .*host and port"),
        (f"{LOCAL}?sslmode=require", "takes no TLS"),
        (f"{LOCAL}?sslmode=perhaps", "`sslmode` parameter must be"),
        (
            f"{LOCAL}?sslmode=verify-full&sslrootcert=/no/ca.pem",
            "/no/ca.pem.* sslrootcert .*be read: there is no such",
        ),
        (f"{LOCAL}?sslmode=require&sslcert=/no/me.pem", "/no/me.pem.* sslcert .*be read: there is no such"),
        (f"{LOCAL}?sslmode=verify-ca&sslrootcert={__file__}", f"{__file__}.* holds no certificate"),
        (f"{LOCAL}?sslmode=require&sslcert={__file__}", "TLS .*PEM.* sslcert and sslkey"),
        ("postgresql:///rooms?host=/no/where", "can't be reached: there is no such file"),
        (f"{LOCAL}?nonsense=1", 'parameter "nonsense"'),
        ("postgresql://postgres@127.0.0.1:PORT/", "names no database"),
        ("postgresql://ada:secret/rooms", "%40"),
        ("postgresql://ada:se#cret@host/rooms", "%23"),
        ("postgresql://ada:s/ecret@host/rooms", "%2F"),
        ("postgresql://ada:secret@[::1/rooms", "USER@HOST"),
        ("postgresql://ada:se@cret@host/rooms", "%40"),
        ("postgresql://postgres@127.0.0.1:PORT/postgres?target_session_attrs=standby", "Is the primary"),
    ],
)
async def test_what_is_wrong_at_the_start_is_reported_in_a_sentence(given: str, said: str) -> None:
    with pytest.raises(StoreUnusable, match=said) as refusal:
        await PostgresStore.open(_with_port(given))
    assert "cret" not in str(refusal.value)
    assert "\n" not in str(refusal.value)


@asynccontextmanager
async def by_tls(certificate: Path) -> AsyncIterator[int]:
    """A port where the run's PostgreSQL, which is built without TLS, is reached by it."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    proxy = Proxy(f"tcp://127.0.0.1:{postgres.shared()[1]}")

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = await reader.readexactly(len(ASKS_FOR_TLS))
        assert asked == ASKS_FOR_TLS
        writer.write(b"S")
        try:
            await writer.start_tls(context)
        except OSError:
            writer.transport.abort()
        else:
            await proxy.take(reader, writer)

    listener = await asyncio.start_server(take, "127.0.0.1", 0)
    try:
        yield listener.sockets[0].getsockname()[1]
    finally:
        listener.close()
        await proxy.end()


async def test_a_database_whose_certificate_is_not_trusted_is_reported_in_a_sentence(url: str) -> None:
    name = url.partition("@/")[2].partition("?")[0]
    async with by_tls(CERTIFICATE) as port:
        there = f"postgresql://postgres@127.0.0.1:{port}/{name}?sslmode=verify-full&sslrootcert="
        async with opened(f"{there}{CERTIFICATE}") as store:
            await append(store, "AAAAAA", 0, created())
        with pytest.raises(
            StoreUnusable, match=r"certificate that is not trusted: it has signed itself.*sslrootcert"
        ):
            await PostgresStore.open(f"{there}{OTHER_CERTIFICATE}")


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://ada:secret@db.example:5433/rooms", "postgresql://db.example:5433/rooms"),
        ("postgres://ada@one,two:5433/rooms?password=secret", "postgresql://one,two:5433/rooms"),
        ("postgresql://ada:secret@/rooms?host=/run/pg", "postgresql:///rooms?host=/run/pg"),
        ("postgresql://ada:secret@[::1]:5433/rooms", "postgresql://[::1]:5433/rooms"),
        ("postgresql://ada:secret/rooms", "postgresql://..."),
        ("postgresql://ada:sec?ret@host/rooms", "postgresql://..."),
        ("postgresql://ada:sec#ret@host/rooms", "postgresql://..."),
        ("postgresql://ada:sec@ret@host/rooms", "postgresql://..."),
    ],
)
def test_a_password_is_not_shown(url: str, shown: str) -> None:
    assert database_url.shown(url) == shown


async def test_what_a_role_may_not_do_is_reported_in_a_sentence(
    url: str, other: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = await other.fetchval("SELECT current_database()")
    role, place = f"{postgres.WITH_PASSWORD}{name}", f"127.0.0.1:{postgres.shared()[1]}/{name}"
    await other.execute(f"CREATE ROLE {role} LOGIN CONNECTION LIMIT 0 PASSWORD 'secret'")
    try:
        for password in (":guessed", ""):
            with pytest.raises(StoreUnusable, match=r"refuses the user .*PGPASSWORD") as reported:
                await PostgresStore.open(f"postgresql://{role}{password}@{place}")
            assert "guessed" not in str(reported.value)
        monkeypatch.setenv("PGPASSWORD", "secret")
        with pytest.raises(StoreUnusable, match="takes no more connections"):
            await PostgresStore.open(f"postgresql://{role}@{place}")
        await other.execute(f"ALTER ROLE {role} CONNECTION LIMIT -1")
        with pytest.raises(StoreUnusable, match="Let the user own the database"):
            await PostgresStore.open(f"postgresql://{role}@{place}")
    finally:
        await other.execute(f"DROP ROLE {role}")


async def test_a_game_that_is_committed_late_is_not_missed(store: PostgresStore, other: Any) -> None:
    """Of two transactions the one that came first commits last, when a reader has seen the other's game."""
    await append(store, "AAAAAA", 0, created(), finished(1))
    (text,) = await other.fetchrow("SELECT game FROM parlour.finished_games")
    late = other.transaction()
    await late.start()
    await other.execute("INSERT INTO parlour.finished_games (game) VALUES ($1)", text)
    await append(store, "BBBBBB", 0, created(), finished(2))
    seen = await store.finished_games(0, 10)
    assert [(number, game.room) for number, game in seen] == [(1, "AAAAAA"), (2, "BBBBBB")]
    await late.commit()
    await append(store, "CCCCCC", 0, created(), finished(3))
    more = await store.finished_games(2, 10)
    assert [(number, game.room) for number, game in more] == [(3, "AAAAAA"), (4, "CCCCCC")]


async def test_readers_that_number_games_at_once_agree(url: str) -> None:
    async with opened(url, node="n1") as store, opened(url, node="n2") as far:

        async def play(at: PostgresStore, letter: str) -> None:
            for number in range(20):
                await append(at, f"{letter}{number:05}", 0, created(), finished(number))

        async def read(at: PostgresStore) -> list[tuple[int, FinishedGame]]:
            found: list[tuple[int, FinishedGame]] = []
            while len(found) < 40:
                found += await at.finished_games(found[-1][0] if found else 0, 7)
            return found

        seen = await asyncio.gather(read(store), read(far), read(far), play(store, "A"), play(far, "B"))
    assert seen[0] == seen[1] == seen[2]
    assert [number for number, _ in seen[0]] == list(range(1, 41))
    assert len({game.room for _, game in seen[0]}) == 40


async def test_what_can_not_be_put_into_a_statement_is_refused_alone(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(game: FinishedGame) -> str:
        if game.room == "BBBBBB":
            raise ValueError("a result of ours that can't be written")
        return write_game(game)

    monkeypatch.setattr(groups, "write_game", fails)
    async with opened(url) as store:
        for room in ("AAAAAA", "BBBBBB"):
            await append(store, room, 0, created())
        with capture_logs() as logs:
            asked = [begin(store, room, 1, [finished(1)]) for room in ("AAAAAA", "BBBBBB")]
            well, ill = await asyncio.gather(*asked, return_exceptions=True)
        assert (well, type(ill)) == (None, NotSaved)
        assert "nothing could be saved" in [one["event"] for one in logs]
        await append(store, "BBBBBB", 1, move(2))
        assert len(await store.read("AAAAAA")) == len(await store.read("BBBBBB")) == 2
