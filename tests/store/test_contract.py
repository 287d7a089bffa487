"""What every store must do; a new one inherits these by joining `STORES`."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import pytest

from parlour_protocol.events import (
    ChatPosted,
    GameFinished,
    GameSummary,
    MovePlayed,
    PlayerSummary,
    RoomClosed,
    RoomCreated,
    SeatTaken,
)
from parlour_protocol.ids import Seat
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views.reports import Candidate, Report, Score
from parlour_server.log import AnyRecord, LogRecord
from parlour_server.store.anonymise import REMOVED, SOMEONE
from parlour_server.store.finished_games import FinishedGame
from parlour_server.store.memory import MemoryStore
from parlour_server.store.port import (
    MORE_TOKENS,
    REMOVED_ROOMS,
    Checkpoint,
    Player,
    Store,
    StoreError,
    VersionConflict,
)
from parlour_server.store.postgres.store import PostgresStore
from parlour_server.store.sqlite import SqliteStore
from tests.sim.loop import SimulatedLoop
from tests.sim.store import Disk, SimulatedStore
from tests.sim.trace import Trace
from tests.sim.weather import draw
from tests.support import postgres
from tests.support.tallies import CODECS, counted, opened, shut


@asynccontextmanager
async def _memory(folder: Path) -> AsyncIterator[Store]:
    yield MemoryStore()


@asynccontextmanager
async def _simulated(folder: Path) -> AsyncIterator[Store]:
    dice, loop = random.Random(1), cast(SimulatedLoop, asyncio.get_running_loop())
    weather = replace(draw(dice), commit=(0.0, 0.001), not_saved=0.0)
    store = SimulatedStore(Disk(), loop, dice, weather, Trace(loop))
    yield store
    await store.close()


@asynccontextmanager
async def _sqlite(folder: Path) -> AsyncIterator[Store]:
    store = await SqliteStore.open(folder / "rooms.db", codecs=CODECS)
    yield store
    await store.close()


@asynccontextmanager
async def _postgres(folder: Path) -> AsyncIterator[Store]:
    async with postgres.database() as url:
        store = await PostgresStore.open(url, codecs=CODECS)
        yield store
        await store.close()


STORES: dict[str, Callable[[Path], AbstractAsyncContextManager[Store]]] = {
    "memory": _memory,
    "simulated": _simulated,
    "sqlite": _sqlite,
    "postgres": _postgres,
}


@pytest.fixture(params=STORES)
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    async with STORES[request.param](tmp_path) as opened:
        yield opened


async def test_a_store_that_can_save_says_so_and_changes_nothing(store: Store) -> None:
    await store.check()
    await append(store, "KMRTQA", 0, created())
    await store.check()
    assert await store.open_rooms() == ["KMRTQA"]


def created() -> LogRecord:
    return LogRecord(RoomCreated("tictactoe", RoomSettings(pace=0.5), owner="p-ada"), 1, "p-ada", "c0")


def move(number: int) -> LogRecord:
    return LogRecord(MovePlayed(0, f"a{number}"), 1_000 + number, "p-ada", f"c{number}")


def begin(store: Store, key: str, expected: int, records: Sequence[AnyRecord]) -> asyncio.Future[None]:
    future: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def done(error: StoreError | None) -> None:
        if error is None:
            future.set_result(None)
        else:
            future.set_exception(error)

    store.append(key, expected, records, done)
    return future


async def append(store: Store, key: str, expected: int, *records: AnyRecord) -> None:
    await begin(store, key, expected, records)


@dataclass(frozen=True)
class Kind:
    """A kind of log: its keys, the first record of a log, and those after it."""

    prefix: str
    first: Callable[[], AnyRecord]
    next: Callable[[int], AnyRecord]

    def key(self, name: str) -> str:
        return self.prefix + name


ROOMS, TALLIES = Kind("", created, move), Kind("tally:", opened, counted)


@pytest.fixture(params=[ROOMS, TALLIES], ids=["rooms", "tallies"])
def kind(request: pytest.FixtureRequest) -> Kind:
    found: Kind = request.param
    return found


async def test_what_was_appended_is_read_in_order(store: Store, kind: Kind) -> None:
    key, first, following = kind.key("AAAAAA"), kind.first(), kind.next
    await append(store, key, 0, first)
    await append(store, key, 1, following(1), following(2))
    await append(store, key, 3, following(3))
    assert await store.read(key) == [first, following(1), following(2), following(3)]
    assert await store.read(key, after=2) == [following(2), following(3)]
    assert await store.read(key, after=4) == []
    assert await store.read(kind.key("BBBBBB")) == []


@pytest.mark.parametrize("expected", [1, 3])
async def test_an_append_elsewhere_is_a_conflict_and_changes_nothing(
    store: Store, kind: Kind, expected: int
) -> None:
    key, log = kind.key("AAAAAA"), [kind.first(), kind.next(1)]
    await append(store, key, 0, *log)
    with pytest.raises(VersionConflict):
        await append(store, key, expected, kind.next(7), kind.next(8))
    assert await store.read(key) == log
    # Nor is it forgotten how far the log reaches.
    await append(store, key, 2, kind.next(2))
    assert await store.read(key) == [*log, kind.next(2)]


async def test_an_append_to_a_log_that_is_not_there_leaves_no_gap(store: Store, kind: Kind) -> None:
    with pytest.raises(VersionConflict):
        await append(store, kind.key("AAAAAA"), 3, kind.next(4))
    assert await store.read(kind.key("AAAAAA")) == []


async def test_appends_at_once_are_ordered_and_one_of_two_rivals_wins(store: Store, kind: Kind) -> None:
    keys = [kind.key(f"ROOM{n:02}") for n in range(20)]
    begun = [begin(store, key, 0, [kind.first()]) for key in keys]
    rivals = [begin(store, keys[7], 1, [kind.next(n)]) for n in range(5)]
    begun += [begin(store, key, 1, [kind.next(1)]) for key in keys if key != keys[7]]
    assert await asyncio.gather(*begun) == [None] * len(begun)
    outcomes = await asyncio.gather(*rivals, return_exceptions=True)
    assert outcomes[0] is None
    assert all(isinstance(outcome, VersionConflict) for outcome in outcomes[1:])
    for key in keys:
        assert len(await store.read(key)) == 2
    assert await store.read(keys[7]) == [kind.first(), kind.next(0)]


async def test_logs_of_another_kind_do_not_count_as_rooms(store: Store) -> None:
    await append(store, "tally:BBBBBB", 0, opened())
    await append(store, "AAAAAA", 0, created(), seated(5, "p-ada"))
    await append(store, "tally:AAAAAA", 0, opened(), counted(1))
    assert await store.open_rooms() == await store.rooms_of("p-ada", 9) == ["AAAAAA"]
    assert await where(store, "p-ada", "c0") == "AAAAAA"
    assert await where(store, "p-ada", "c1") is None
    assert await store.prune(5_000) == ["AAAAAA"]
    assert await store.forget_player("p-ada") == []
    assert await store.read("tally:AAAAAA") == [opened(), counted(1)]
    assert await store.read("tally:BBBBBB") == [opened()]


async def test_a_long_event_of_another_kind_is_kept(store: Store) -> None:
    await append(store, "tally:AAAAAA", 0, opened("x" * 2_000), counted(1, "y" * 2_000))
    assert await store.read("tally:AAAAAA") == [opened("x" * 2_000), counted(1, "y" * 2_000)]


async def test_a_closing_that_comes_too_late_closes_nothing(store: Store) -> None:
    await append(store, "AAAAAA", 0, created())
    closing = LogRecord(RoomClosed("enough"), 2, "p-ada", "c9")
    begun = [begin(store, "AAAAAA", 1, [move(1)]), begin(store, "AAAAAA", 1, [closing])]
    outcomes = await asyncio.gather(*begun, return_exceptions=True)
    assert outcomes[0] is None
    assert isinstance(outcomes[1], VersionConflict)
    assert await store.open_rooms() == ["AAAAAA"]
    begun = [begin(store, "AAAAAA", 2, [closing]), begin(store, "AAAAAA", 2, [closing])]
    outcomes = await asyncio.gather(*begun, return_exceptions=True)
    assert outcomes[0] is None
    assert isinstance(outcomes[1], VersionConflict)
    assert await store.open_rooms() == []


async def test_open_rooms_are_those_created_and_not_closed(store: Store) -> None:
    assert await store.open_rooms() == []
    for room in ("CCCCCC", "AAAAAA", "BBBBBB"):
        await append(store, room, 0, created())
    await append(store, "AAAAAA", 1, LogRecord(RoomClosed("enough"), 2, "p-ada", "c9"))
    assert await store.open_rooms() == ["CCCCCC", "BBBBBB"]


async def test_players_are_found_by_their_hash(store: Store) -> None:
    await store.add_player("hash-of-ada", Player("p-ada", "Ada"), 1)
    assert await store.find_player("hash-of-ada") == Player("p-ada", "Ada")
    assert await store.find_player("hash-of-eve") is None
    assert await store.find_player("") is None


async def test_a_player_may_have_several_tokens_and_is_no_visitor_then(store: Store) -> None:
    await store.add_player("hash-of-ada", Player("p-ada", "Ada"), 1)
    assert await store.add_token("another-hash", "p-ada")
    assert await store.add_token("another-hash", "p-ada")
    for token in ("hash-of-ada", "another-hash"):
        assert await store.find_player(token) == Player("p-ada", "Ada")
    assert await store.players_named("Ada") == [Player("p-ada", "Ada")]
    assert await store.forget_visitors(1_000) == 0
    assert not await store.add_token("hash-of-eve", "p-eve")
    assert await store.find_player("hash-of-eve") is None
    await store.forget_player("p-ada")
    for token in ("hash-of-ada", "another-hash"):
        assert await store.find_player(token) is None
    assert not await store.add_token("a-third-hash", "p-ada")


async def test_of_many_tokens_the_first_stays_and_the_oldest_of_the_others_goes(store: Store) -> None:
    for name in ("Ada", "Ben"):
        await store.add_player(f"hash-of-{name}", Player(f"p-{name}", name), 1)
        for number in range(MORE_TOKENS):
            assert await store.add_token(f"{name} {number}", f"p-{name}")
    # One that is added again counts once, and as the newest.
    for token in ("Ada 1", "Ada new", "Ada newer"):
        assert await store.add_token(token, "p-Ada")
    wanted = ["hash-of-Ada", "Ada 1", *(f"Ada {n}" for n in range(3, MORE_TOKENS)), "Ada new", "Ada newer"]
    for token in wanted:
        assert await store.find_player(token) == Player("p-Ada", "Ada")
    for token in ("Ada 0", "Ada 2"):
        assert await store.find_player(token) is None
    for number in range(MORE_TOKENS):
        assert await store.find_player(f"Ben {number}") == Player("p-Ben", "Ben")


async def test_visitors_are_forgotten_and_those_who_did_something_are_not(store: Store) -> None:
    for number, name in enumerate(("ada", "ben", "cyd", "dan", "eve", "fay")):
        await store.add_player(f"hash-of-{name}", Player(f"p-{name}", name), 100 + number)
    await append(store, "AAAAAA", 0, created())
    await append(store, "AAAAAA", 1, seated(2, "p-ben"), seated(3, "p-bot", "easy"))
    said = LogRecord(ChatPosted("spectators", "cyd", "hello"), 4, "p-cyd", "c1")
    await append(store, "AAAAAA", 3, said)
    assert await store.forget_visitors(105, {"p-dan"}) == 1
    there = [name for name in "ada ben cyd dan eve fay".split() if await store.find_player(f"hash-of-{name}")]
    assert there == ["ada", "ben", "cyd", "dan", "fay"]
    # A room that is forgotten makes no visitors of those who were in it.
    await store.prune(5_000)
    assert await store.forget_visitors(10_000_000) == 2
    assert await store.find_player("hash-of-ada") == Player("p-ada", "ada")
    assert await store.forget_visitors(10_000_000) == 0


async def test_a_forgotten_person_leaves_moves_and_nothing_else(store: Store) -> None:
    for name in ("Ada", "Ben"):
        await store.add_player(f"hash-of-{name}", Player(f"p-{name.lower()}", name), 1)
    report = Report("Ada", [Candidate("b2", Score(1, "estimate"))])
    ben = LogRecord(SeatTaken(1, "Ben", player="p-ben"), 3, "p-ben", "c1")
    reported = LogRecord(MovePlayed(0, "b2", report), 5, "p-ada", "c3")
    answered = LogRecord(ChatPosted("players", "Ben", "Hello, you"), 6, "p-ben", "c4")
    ada = LogRecord(SeatTaken(0, "Ada", player="p-ada"), 2, "p-ada", "c2")
    spoken = LogRecord(ChatPosted("players", "Ada", "I live in Rome"), 4, "p-ada", "c5")
    await append(store, "AAAAAA", 0, created(), ada, ben, spoken, move(1), reported, answered)
    await append(store, "BBBBBB", 0, created(), ben, answered)
    assert await store.players_named("Ada") == [Player("p-ada", "Ada")]
    assert await store.forget_player("p-ada") == ["AAAAAA"]
    assert await store.players_named("Ada") == []
    assert await store.find_player("hash-of-Ada") is None
    assert await store.find_player("hash-of-Ben") == Player("p-ben", "Ben")
    nameless = Report(SOMEONE, report.candidates)
    assert await store.read("AAAAAA") == [
        created(),
        LogRecord(SeatTaken(0, SOMEONE, player="p-ada"), 2, "p-ada", "c2"),
        ben,
        LogRecord(ChatPosted("players", SOMEONE, REMOVED), 4, "p-ada", "c5"),
        move(1),
        LogRecord(MovePlayed(0, "b2", nameless), 5, "p-ada", "c3"),
        answered,
    ]
    assert await store.read("BBBBBB") == [created(), ben, answered]
    # The room goes on from where it was.
    await append(store, "AAAAAA", 7, move(2))
    assert (await store.read("AAAAAA"))[-2:] == [answered, move(2)]
    assert await store.forget_player("p-ada") == []


def seated(room_at: int, player: str, bot: str | None = None) -> LogRecord:
    return LogRecord(
        SeatTaken(0 if bot is None else 1, "Somebody", bot, player=player), room_at, player, None
    )


async def test_a_closed_room_is_still_read(store: Store) -> None:
    await append(store, "AAAAAA", 0, created(), move(1))
    closing = LogRecord(RoomClosed("enough"), 2_000, "p-ada", "c9")
    await append(store, "AAAAAA", 2, closing)
    assert await store.read("AAAAAA") == [created(), move(1), closing]


async def test_open_rooms_of_late_are_those_where_something_happened_since(store: Store) -> None:
    for number, room in enumerate(("AAAAAA", "BBBBBB", "CCCCCC")):
        await append(store, room, 0, created(), move(number))
    await append(store, "AAAAAA", 2, move(500))
    assert await store.open_rooms(since=1_002) == ["AAAAAA", "CCCCCC"]
    assert await store.open_rooms(since=1_500) == ["AAAAAA"]
    assert await store.open_rooms(since=1_501) == []


async def test_a_players_rooms_are_reported_the_last_used_first(store: Store) -> None:
    for room in ("AAAAAA", "BBBBBB", "CCCCCC", "DDDDDD"):
        await append(store, room, 0, created())
    for room, player in (("AAAAAA", "p-ada"), ("BBBBBB", "p-ben"), ("CCCCCC", "p-ada"), ("DDDDDD", "p-ada")):
        await append(store, room, 1, seated(5, player), seated(6, "bot:1", "easy:seed=1"))
    await append(store, "DDDDDD", 3, LogRecord(RoomClosed("enough"), 7, "p-ada", None))
    await append(store, "AAAAAA", 3, move(9))
    assert await store.rooms_of("p-ada", 10) == ["AAAAAA", "DDDDDD", "CCCCCC"]
    assert await store.rooms_of("p-ada", 2) == ["AAAAAA", "DDDDDD"]
    assert await store.rooms_of("p-ben", 10) == ["BBBBBB"]
    assert await store.rooms_of("bot:1", 10) == []
    assert await store.rooms_of("p-eve", 10) == []


async def test_old_rooms_are_pruned_open_or_closed_and_the_others_stay(store: Store) -> None:
    for room in ("AAAAAA", "BBBBBB", "CCCCCC", "DDDDDD"):
        await append(store, room, 0, created(), seated(2, "p-ada"))
    await append(store, "BBBBBB", 2, LogRecord(RoomClosed("enough"), 3, "p-ada", None))
    await append(store, "CCCCCC", 2, move(500))
    assert sorted(await store.prune(1_500, {"DDDDDD"})) == ["AAAAAA", "BBBBBB"]
    assert await store.prune(1_500, {"DDDDDD"}) == []
    assert sorted(await store.open_rooms()) == ["CCCCCC", "DDDDDD"]
    assert await store.rooms_of("p-ada", 10) == ["CCCCCC", "DDDDDD"]
    assert await store.read("AAAAAA") == await store.read("BBBBBB") == []
    assert await store.read("CCCCCC") == [created(), seated(2, "p-ada"), move(500)]
    # The code may be drawn again.
    await append(store, "AAAAAA", 0, created())
    assert await store.read("AAAAAA") == [created()]


async def where(store: Store, player: str, command: str) -> str | None:
    future: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()

    def found(room: str | None, error: StoreError | None) -> None:
        assert error is None
        future.set_result(room)

    store.room_by(player, command, found)
    return await future


async def test_a_command_is_known_by_where_it_led(store: Store) -> None:
    sat = LogRecord(SeatTaken(0, "Ben", player="p-ben"), 2, "p-ben", "c1")
    bot = LogRecord(SeatTaken(1, "easy", "easy", player="bot:1", seed=1), 3, "p-ben", "c2")
    await append(store, "AAAAAA", 0, created())
    await append(store, "AAAAAA", 1, sat, bot, move(4))
    theirs = RoomCreated("tictactoe", RoomSettings(), owner="p-ben")
    await append(store, "BBBBBB", 0, LogRecord(theirs, 1, "p-ben", "c0"))
    for player, command, room in (
        ("p-ada", "c0", "AAAAAA"),
        ("p-ben", "c0", "BBBBBB"),
        ("p-ben", "c1", "AAAAAA"),
        ("p-ada", "c1", None),
        ("p-ben", "c2", None),
        ("p-ada", "c4", None),
    ):
        assert await where(store, player, command) == room
    # A closed room is still what it led to; one that is forgotten is not.
    await append(store, "BBBBBB", 1, LogRecord(RoomClosed("enough"), 2, "p-ben", "c9"))
    assert await where(store, "p-ben", "c0") == "BBBBBB"
    await store.prune(3)
    assert await where(store, "p-ben", "c0") is None
    assert await where(store, "p-ada", "c0") == "AAAAAA"


def finished(number: int, winner: Seat | None = 0, *names: str) -> LogRecord:
    players = [PlayerSummary(f"p-{name.lower()}", name) for name in names or ("Ada", "Ben")]
    summary = GameSummary("tictactoe", number, 0, 5, players, "3+2")
    over = GameFinished(
        "line" if winner is not None else "aborted", winner, "three in a row", summary=summary
    )
    return LogRecord(over, 9_000 + number, "p-ada", f"g{number}")


def listed(number: int, room: str, version: int, record: LogRecord) -> tuple[int, FinishedGame]:
    event = record.event
    assert isinstance(event, GameFinished)
    assert event.summary is not None
    game = FinishedGame(room, version, record.at, event.termination, event.winner, event.summary)
    return number, game


async def test_finished_games_are_listed_in_order_and_outlive_their_rooms(store: Store) -> None:
    assert await store.finished_games(0, 10) == []
    await append(store, "AAAAAA", 0, created(), move(1), finished(1))
    await append(store, "BBBBBB", 0, created())
    await append(store, "BBBBBB", 1, finished(1, None))
    with pytest.raises(VersionConflict):
        await append(store, "BBBBBB", 1, finished(1, 1))
    await append(store, "AAAAAA", 3, move(2), finished(2, 1), move(3), finished(3))
    # An earlier version summed nothing up.
    await append(store, "AAAAAA", 7, LogRecord(GameFinished("line", 0), 9_900, "p-ada", "g9"))
    games = [
        listed(1, "AAAAAA", 3, finished(1)),
        listed(2, "BBBBBB", 2, finished(1, None)),
        listed(3, "AAAAAA", 5, finished(2, 1)),
        listed(4, "AAAAAA", 7, finished(3)),
    ]
    assert await store.finished_games(0, 10) == games
    assert await store.finished_games(0, 3) == games[:3]
    assert await store.finished_games(3, 3) == games[3:]
    assert await store.finished_games(4, 3) == []
    summaries = [record.event.summary for record in await store.read("AAAAAA", 6)]
    assert summaries == [games[3][1].summary, None]
    assert sorted(await store.prune(10_000_000)) == ["AAAAAA", "BBBBBB"]
    assert await store.finished_games(0, 10) == games
    await append(store, "AAAAAA", 0, created(), move(1), finished(1))
    assert await store.finished_games(4, 10) == [listed(5, "AAAAAA", 3, finished(1))]


async def test_the_games_of_two_are_found_by_who_they_are(store: Store) -> None:
    await append(store, "AAAAAA", 0, created(), finished(1), finished(2, 1, "Ben", "Ada"))
    await append(store, "BBBBBB", 0, created(), finished(1, 0, "Ada", "Cyd"), finished(2, None))
    games = [
        listed(0, "BBBBBB", 3, finished(2, None))[1],
        listed(0, "AAAAAA", 3, finished(2, 1, "Ben", "Ada"))[1],
        listed(0, "AAAAAA", 2, finished(1))[1],
    ]
    for pair in (("p-ada", "p-ben"), ("p-ben", "p-ada")):
        assert await store.games_between(*pair, 9) == games
        assert await store.games_between(*pair, 2) == games[:2]
    assert len(await store.games_between("p-ada", "p-cyd", 9)) == 1
    await append(store, "CCCCCC", 0, created(), finished(1, 0, "Ada", "Ada"))
    assert len(await store.games_between("p-ada", None, 9)) == 4
    assert await store.games_between("p-ben", None, 2) == games[:2]
    for nobody in ("p-cyd", "p-ben", "Ada"):
        assert await store.games_between("p-ben", nobody, 9) == []
    # They outlive their rooms, and a name that was removed.
    await store.prune(10_000_000)
    await store.forget_player("p-ada")
    assert len(await store.games_between("p-ben", "p-ada", 9)) == 3


async def test_a_forgotten_persons_games_stay_without_their_name(store: Store) -> None:
    await append(store, "AAAAAA", 0, created(), finished(1), finished(2, 1, "Ben", "Cyd"))
    await append(store, "BBBBBB", 0, created(), finished(1))
    assert await store.prune(9_002, {"AAAAAA"}) == ["BBBBBB"]
    assert await store.forget_player("p-ada") == ["AAAAAA"]
    assert [
        [(one.player, one.name) for one in game.summary.players]
        for _, game in await store.finished_games(0, 10)
    ] == [
        [("p-ada", SOMEONE), ("p-ben", "Ben")],
        [("p-ben", "Ben"), ("p-cyd", "Cyd")],
        [("p-ada", SOMEONE), ("p-ben", "Ben")],
    ]
    (first,) = [record.event for record in await store.read("AAAAAA") if record.command == "g1"]
    assert [one.name for one in first.summary.players] == [SOMEONE, "Ben"]
    assert await store.forget_player("p-ada") == []


async def test_open_logs_of_other_kinds_are_those_that_are_not_closed(store: Store) -> None:
    await append(store, "AAAAAA", 0, created())
    for key in ("tally:two", "tally:one", "tally:three"):
        await append(store, key, 0, opened())
    assert await store.open_others() == ["tally:two", "tally:one", "tally:three"]
    await append(store, "tally:one", 1, counted(1), shut())
    assert await store.open_others() == ["tally:two", "tally:three"]
    assert await store.open_rooms() == ["AAAAAA"]
    assert len(await store.read("tally:one")) == 3


async def test_the_rooms_that_one_removed_are_forgotten_with_one(store: Store) -> None:
    for name in ("ada", "ben", "cyd"):
        await store.add_player(f"hash-of-{name}", Player(f"p-{name}", name), 100)
        assert await store.move_checkpoint(f"{REMOVED_ROOMS}p-{name}", 0, Checkpoint(1, '["AAAAAA"]'))
    assert await store.forget_visitors(1_000, {"p-ada", "p-cyd"}) == 1
    await store.forget_player("p-ada")
    kept = [one for one in ("ada", "ben", "cyd") if (await store.checkpoint(f"{REMOVED_ROOMS}p-{one}")).after]
    assert kept == ["cyd"]


async def test_a_checkpoint_moves_only_from_where_it_is(store: Store) -> None:
    assert await store.checkpoint("wins") == Checkpoint()
    assert not await store.move_checkpoint("wins", 3, Checkpoint(4, "none"))
    assert await store.move_checkpoint("wins", 0, Checkpoint(4, "four"))
    assert not await store.move_checkpoint("wins", 0, Checkpoint(5, "five"))
    assert await store.checkpoint("wins") == Checkpoint(4, "four")
    assert await store.move_checkpoint("wins", 4, Checkpoint(9, "nine"))
    assert await store.checkpoint("wins") == Checkpoint(9, "nine")
    assert await store.checkpoint("draws") == Checkpoint()


async def test_a_store_that_is_closed_answers_all_the_same(
    store: Store, request: pytest.FixtureRequest
) -> None:
    await append(store, "KMRTQA", 0, created())
    await store.close()
    looked: asyncio.Future[StoreError | None] = asyncio.get_running_loop().create_future()
    store.room_by("p-ada", "c0", lambda room, error: looked.set_result(error))
    store.note_alive(5)
    async with asyncio.timeout(10.0):
        outcomes = await asyncio.gather(
            store.read("KMRTQA"),
            begin(store, "KMRTQA", 1, [move(2)]),
            store.add_player("hash", Player("p-cyd", "Cyd"), 1),
            store.find_player("hash"),
            store.prune(1),
            looked,
            return_exceptions=True,
        )
    errors = [one for one in outcomes if isinstance(one, BaseException)]
    assert all(isinstance(one, StoreError) for one in errors), errors
    kind = request.node.callspec.params["store"]
    assert len(errors) == {"memory": 0, "simulated": 1}.get(kind, len(outcomes)), outcomes
