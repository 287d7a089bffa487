"""A disk that changes what it keeps: everything is either as it was written, or known to be damaged."""

import asyncio
import random
import sqlite3
from contextlib import closing
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from parlour_protocol.events import GameStarted, MovePlayed, RoomClosed, RoomCreated, SeatTaken
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views.reports import Candidate, Report, Score
from parlour_server.log import LogRecord
from parlour_server.room.state import RoomState, evolve
from parlour_server.store.encoding import ROOMS_ONLY
from parlour_server.store.port import Checkpoint, NotReadable, NotSaved, Player, StoreError, StoreUnusable
from parlour_server.store.sqlite import SqliteStore, heads
from parlour_server.store.sqlite.backup import copy_file
from parlour_server.store.sqlite.check import Findings, check
from parlour_server.store.sqlite.records import Head, write_row
from parlour_server.store.sqlite.repair import Repaired, repair
from tests.store.test_contract import append, created, finished, listed
from tests.support.tallies import CODECS, counted, opened

Logs = dict[str, list[LogRecord]]

COLUMNS = ("previous", "room", "version", "at", "author", "command", "event", "checksum")


def room_log(number: int, moves: int) -> list[LogRecord]:
    """A game of Connect Four, begun and perhaps closed."""
    ada, ben = f"p-ada{number}", f"p-ben{number}"
    log: list[LogRecord] = [
        LogRecord(RoomCreated("connect4", RoomSettings(), owner=ada), 1, ada, "c0"),
        LogRecord(SeatTaken(0, "Ada", player=ada), 2, ada, "c1"),
        LogRecord(SeatTaken(1, "Ben", player=ben), 3, ben, "c1"),
        LogRecord(GameStarted(0), 3, ben, "c1"),
    ]
    report = Report("Ben", [Candidate(f"{move}", Score(move, "estimate")) for move in range(9)])
    for ply in range(moves):
        by = (ada, ben)[ply % 2]
        seat: Literal[0, 1] = 1 if ply % 2 else 0
        played = MovePlayed(seat, str((ply + ply // 7) % 7 + 1), report if ply % 2 else None)
        log.append(LogRecord(played, 10 + ply, by, f"m{ply}"))
    if number % 3 == 0:
        log.append(LogRecord(RoomClosed("enough"), 99, ada, "c9"))
    return log


LOGS: Logs = {f"ROOM{number:02}": room_log(number, 4 + number) for number in range(12)}


async def _write(path: Path) -> None:
    store = await SqliteStore.open(path)
    for number in range(20):
        await store.add_player(f"hash-{number}", Player(f"p-{number}", f"Player {number}"), number)
    written = dict.fromkeys(LOGS, 0)
    # A few records of each in turn, as games are played.
    while any(written[room] < len(log) for room, log in LOGS.items()):
        for room, log in LOGS.items():
            at = written[room]
            some = log[at : at + (2 if at == 2 else 1)]
            if some:
                await append(store, room, at, *some)
                written[room] += len(some)
    await store.close()


@cache
def whole_file() -> bytes:
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        # So that both is in it: rooms that are noted, and records after the notes.
        patched.setattr(heads, "NOTE_HEADS_EVERY", 50)
        asyncio.run(_write(Path(folder) / "rooms.db"))
        return (Path(folder) / "rooms.db").read_bytes()


def none(done: int, of: int) -> None:
    """No progress is shown."""


async def _read_all(path: Path) -> Logs | StoreError:
    """What a server reads of each room; None where it says that it can't."""
    try:
        store = await SqliteStore.open(path)
    except StoreUnusable as error:
        return error
    found: Logs = {}
    try:
        for room in LOGS:
            try:
                found[room] = await store.read(room)
            except NotReadable as error:
                assert "parlour data" in str(error) or "can't be used" in str(error)
        await store.open_rooms()
        await store.last_alive()
    finally:
        await store.close()
    return found


def is_prefix(log: list[LogRecord], room: str) -> bool:
    return log == LOGS[room][: len(log)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "rooms.db"
    path.write_bytes(whole_file())
    return path


def change(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        assert database.execute(statement, values).rowcount != 0


async def test_an_undamaged_file_is_found_so(file: Path) -> None:
    before = file.read_bytes()
    found = check(file, none)
    assert found == Findings(str(file), len(before), sum(map(len, LOGS.values())), len(LOGS), 20)
    assert file.read_bytes() == before
    assert [path.name for path in file.parent.iterdir()] == ["rooms.db"]
    assert await _read_all(file) == LOGS


@pytest.mark.parametrize("column", COLUMNS)
async def test_a_record_that_was_changed_is_noticed_and_no_other_room_suffers(
    file: Path, column: str, tmp_path: Path
) -> None:
    damage = {
        "room": "'ROOM99'",
        "author": "'p-eve'",
        "command": "'m99'",
        "event": "cast(replace(cast(event AS TEXT), 'move_played', 'move_playee') AS BLOB)",
    }
    put = damage.get(column, f"{column} + 1")
    change(file, f"UPDATE events SET {column} = {put} WHERE room = 'ROOM08' AND version = 9")
    found = await _read_all(file)
    assert isinstance(found, dict)
    assert found == {room: log for room, log in LOGS.items() if room != "ROOM08"}
    faults = {(fault.where, fault.what) for fault in check(file, none).faults}
    assert ("room ROOM08", "record 9 is damaged or missing; 8 before it are whole") in faults
    assert {where for where, _ in faults} <= {"room ROOM08", "lists"}
    saved = repair(file, tmp_path / "saved.db", none)
    if column == "previous":
        # Where the one before it stands follows from all the others.
        assert saved.cut == []
    else:
        (cut,) = saved.cut
        # The last command before the damage goes as well.
        assert (cut.room, cut.kept) == ("ROOM08", 7)
    assert check(tmp_path / "saved.db", none).faults == []


@pytest.mark.parametrize("change_to", ["swapped", "lost", "doubled"])
async def test_records_that_are_lost_or_swapped_are_noticed(file: Path, change_to: str) -> None:
    with closing(sqlite3.connect(file)) as database, database:
        one, other = (
            database.execute(
                "SELECT number, event FROM events WHERE room = 'ROOM08' AND version = ?", (at,)
            ).fetchone()
            for at in (8, 10)
        )
        if change_to == "swapped":
            database.execute("UPDATE events SET event = ? WHERE number = ?", (other[1], one[0]))
            database.execute("UPDATE events SET event = ? WHERE number = ?", (one[1], other[0]))
        elif change_to == "lost":
            database.execute("DELETE FROM events WHERE number = ?", (one[0],))
        else:
            database.execute("UPDATE events SET event = ? WHERE number = ?", (one[1], other[0]))
    found = await _read_all(file)
    assert found == {room: log for room, log in LOGS.items() if room != "ROOM08"}
    assert {fault.where for fault in check(file, none).faults} == {"room ROOM08"}


async def test_a_record_from_another_history_of_the_room_is_noticed(file: Path) -> None:
    """It fits what is before it, as one that an old copy of its page brings back, not what is after it."""
    with closing(sqlite3.connect(file)) as database:
        query = "SELECT version, number, checksum FROM events WHERE room = 'ROOM08' AND version = ?"
        before, there = (Head(*database.execute(query, (at,)).fetchone()) for at in (7, 8))
    assert there.number is not None
    other = write_row(
        ROOMS_ONLY, "ROOM08", before, there.number, replace(LOGS["ROOM08"][7], event=MovePlayed(1, "7"))
    )
    change(
        file,
        "UPDATE events SET event = ?, checksum = ? WHERE number = ?",
        other.event,
        other.checksum,
        other.number,
    )
    found = await _read_all(file)
    assert found == {room: log for room, log in LOGS.items() if room != "ROOM08"}
    assert {fault.where for fault in check(file, none).faults} == {"room ROOM08"}


async def test_a_room_that_is_damaged_takes_no_more_records(file: Path) -> None:
    change(file, "UPDATE events SET at = at + 1 WHERE room = 'ROOM08' AND version = 16")
    store = await SqliteStore.open(file)
    with pytest.raises(StoreError):
        await append(store, "ROOM08", len(LOGS["ROOM08"]), LOGS["ROOM08"][-1])
    await append(store, "ROOM07", len(LOGS["ROOM07"]), LOGS["ROOM08"][-1])
    # Nor is it forgotten as an old one.
    assert "ROOM08" not in await store.prune(10_000)
    await store.close()


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE noted SET up_to = up_to + 40", "the number up to which"),
        ("UPDATE heads SET number = number - 1 WHERE room = 'ROOM05'", "the note of room ROOM05"),
        ("DELETE FROM seats WHERE room = 'ROOM05'", "a seat of p-ada5 is missing"),
        ("DELETE FROM came WHERE room = 'ROOM05'", "a command of p-ada5 is missing"),
        ("DELETE FROM open_rooms WHERE room = 'ROOM05'", "a name is missing for room ROOM05"),
    ],
)
async def test_damaged_lists_are_found_and_made_anew(
    file: Path, tmp_path: Path, statement: str, said: str
) -> None:
    change(file, statement)
    found = await _read_all(file)
    assert isinstance(found, dict)
    assert all(log == LOGS[room] for room, log in found.items())
    assert len(found) >= len(LOGS) - 1
    assert any(said in fault.what for fault in check(file, none).faults)
    saved = repair(file, tmp_path / "saved.db", none)
    assert (saved.whole, saved.cut, saved.players) == (len(LOGS), [], 20)
    assert await _read_all(tmp_path / "saved.db") == LOGS
    assert check(tmp_path / "saved.db", none).faults == []


async def test_a_damaged_player_is_nobody_else(file: Path, tmp_path: Path) -> None:
    change(file, "UPDATE players SET player = 'p-4' WHERE player = 'p-5'")
    with capture_logs() as logs:
        store = await SqliteStore.open(file)
    assert [(entry["event"], entry["reason"]) for entry in logs] == [("players are damaged", "1 is damaged")]
    with pytest.raises(NotReadable, match="A player is damaged"):
        await store.find_player("hash-5")
    assert await store.find_player("hash-4") == Player("p-4", "Player 4")
    await store.close()
    (fault,) = check(file, none).faults
    assert (fault.where, fault.what) == ("players", "1 is damaged")
    assert repair(file, tmp_path / "saved.db", none).damaged_players == 1


@pytest.mark.parametrize("column", ["player", "token_hash"])
async def test_a_damaged_visitor_is_logged_at_the_start(file: Path, column: str) -> None:
    change(file, f"UPDATE visitors SET {column} = 'q' WHERE player = 'p-5'")
    said = "1 of the notes on visitors is damaged"
    with capture_logs() as logs:
        await (await SqliteStore.open(file)).close()
    assert [(entry["event"], entry["reason"]) for entry in logs] == [("players are damaged", said)]
    (fault,) = check(file, none).faults
    assert (fault.where, fault.what) == ("players", said)


def _pages_of(path: Path, table: str) -> list[int]:
    """The pages, from 0, where a table or its index begins."""
    with closing(sqlite3.connect(path)) as database:
        return [
            page - 1
            for (page,) in database.execute(
                "SELECT rootpage FROM sqlite_master WHERE tbl_name = ? AND rootpage", (table,)
            )
        ]


@pytest.mark.parametrize(
    "table", ["heads", "noted", "open_rooms", "players", "visitors", "seats", "came", "alive"]
)
async def test_a_table_that_cannot_be_read_keeps_no_server_from_starting(
    file: Path, tmp_path: Path, table: str
) -> None:
    data = bytearray(file.read_bytes())
    for page in _pages_of(file, table):
        data[page * 4096 : (page + 1) * 4096] = b"\xff" * 4096
    file.write_bytes(data)
    assert await _read_all(file) == LOGS
    # Games that run go on, whatever else needs that table.
    store = await SqliteStore.open(file)
    await append(store, "ROOM07", len(LOGS["ROOM07"]), LOGS["ROOM08"][-1])
    await store.close()
    file.write_bytes(data)
    assert check(file, none).faults
    saved = repair(file, tmp_path / "saved.db", none)
    assert (saved.whole, saved.cut) == (len(LOGS), [])
    assert await _read_all(tmp_path / "saved.db") == LOGS


async def test_a_first_page_that_is_lost_is_made_anew(file: Path, tmp_path: Path) -> None:
    data = bytearray(file.read_bytes())
    data[:4096] = bytes(4096)
    file.write_bytes(data)
    with pytest.raises(StoreUnusable, match="parlour data repair"):
        check(file, none)
    saved = repair(file, tmp_path / "saved.db", none)
    assert (saved.whole, saved.cut, saved.players) == (len(LOGS), [], 20)
    assert await _read_all(tmp_path / "saved.db") == LOGS
    assert file.read_bytes() == data


async def test_what_a_killed_server_left_in_its_wal_is_saved_too(tmp_path: Path) -> None:
    file = tmp_path / "rooms.db"
    store = await SqliteStore.open(file)
    for room, log in LOGS.items():
        await append(store, room, 0, *log)
    # As they stand at a kill.
    copy = tmp_path / "killed.db"
    for end in ("", "-wal"):
        copy.with_name(f"killed.db{end}").write_bytes(file.with_name(f"rooms.db{end}").read_bytes())
    await store.close()
    before = {path.name: path.read_bytes() for path in tmp_path.glob("killed.db*")}
    assert check(copy, none).rooms == len(LOGS)
    assert repair(copy, tmp_path / "saved.db", none).whole == len(LOGS)
    assert before.items() <= {path.name: path.read_bytes() for path in tmp_path.glob("killed.db*")}.items()
    assert await _read_all(tmp_path / "saved.db") == LOGS


def test_nothing_is_written_over(file: Path, tmp_path: Path) -> None:
    (tmp_path / "saved.db").write_text("mine")
    with pytest.raises(NotSaved, match="already"):
        repair(file, tmp_path / "saved.db", none)
    assert (tmp_path / "saved.db").read_text() == "mine"


def test_what_was_never_ours_is_not_repaired(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Bread, milk" * 2_000)
    with pytest.raises(StoreUnusable, match="is no data file of a server's"):
        repair(tmp_path / "notes.txt", tmp_path / "saved.db", none)
    with pytest.raises(StoreUnusable, match="There is no file"):
        check(tmp_path / "nothing.db", none)


@settings(deadline=None, max_examples=10)
@given(st.integers(1, 60), st.integers(0, 2**32))
def test_whatever_bits_flip_no_move_is_another_one(count: int, seed: int) -> None:
    """Few flips and many, anywhere: sentences, and what survives is as it was."""
    data, dice = bytearray(whole_file()), random.Random(seed)
    for _ in range(count):
        bit = dice.randrange(8 * len(data))
        data[bit // 8] ^= 1 << bit % 8
    with TemporaryDirectory() as folder:
        file, saved = Path(folder) / "rooms.db", Path(folder) / "saved.db"
        file.write_bytes(data)
        try:
            repaired = repair(file, saved, none)
        except StoreError as error:
            repaired = None
            assert str(error)
        try:
            faults = check(file, none).faults
        except StoreUnusable:
            pass
        else:
            records = sum(map(len, LOGS.values()))
            assert faults or repaired == Repaired(str(saved), len(LOGS), [], records, 20)
        assert file.read_bytes() == data
        found = asyncio.run(_read_all(file))
        if isinstance(found, dict):
            assert all(is_prefix(log, room) for room, log in found.items())
        if repaired is None:
            return
        again = asyncio.run(_read_all(saved))
        assert isinstance(again, dict)
        for room, log in again.items():
            assert is_prefix(log, room)
            state = RoomState(room)
            for record in log:
                evolve(state, record)
        assert check(saved, none).faults == []
        kept = {room: len(log) for room, log in again.items() if log}
        assert all(kept.get(cut.room, 0) == cut.kept for cut in repaired.cut)
        assert repaired.whole + sum(1 for cut in repaired.cut if cut.kept) == len(kept)


async def test_logs_of_other_kinds_are_checked_and_saved_like_rooms(tmp_path: Path) -> None:
    path, saved = tmp_path / "rooms.db", tmp_path / "saved.db"
    store = await SqliteStore.open(path, codecs=CODECS)
    for key, log in TALLY_LOGS.items():
        await append(store, key, 0, *log)
    await store.close()
    assert check(path, none, CODECS).faults == []
    found = check(path, none)
    assert (found.faults, list(found.not_installed.values())) == ([], [2])
    change(path, "UPDATE events SET event = ? WHERE room = 'tally:b' AND version = 3", b'{"kind": "counted"}')
    assert {fault.where for fault in check(path, none, CODECS).faults} == {"room tally:b"}
    repaired = repair(path, saved, none)
    assert [cut.room for cut in repaired.cut] == ["tally:b"]
    assert check(saved, none, CODECS).faults == []
    store = await SqliteStore.open(saved, codecs=CODECS)
    assert await store.read("tally:a") == TALLY_LOGS["tally:a"]
    assert await store.read("tally:b") == TALLY_LOGS["tally:b"][:1]
    await append(store, "tally:b", 1, counted(1))
    await store.close()
    store = await SqliteStore.open(saved)
    with pytest.raises(NotReadable):
        await store.read("tally:b")
    with pytest.raises(KeyError):
        await append(store, "tally:b", 2, counted(2))
    await append(store, "AAAAAA", 0, room_log(1, 1)[0])
    await store.close()


TALLY_LOGS = {f"tally:{name}": [opened(name), counted(1), counted(2)] for name in "ab"}


async def test_results_are_checked_and_saved_under_their_numbers(tmp_path: Path) -> None:
    path, saved = tmp_path / "rooms.db", tmp_path / "saved.db"
    store = await SqliteStore.open(path)
    for number, room in enumerate(("AAAAAA", "BBBBBB", "CCCCCC", "DDDDDD"), 1):
        await append(store, room, 0, *LOGS["ROOM00"][:5], finished(number))
    await store.prune(9_002)
    games = await store.finished_games(0, 9)
    assert await store.move_checkpoint("wins", 0, Checkpoint(3, "state"))
    await store.close()
    assert check(path, none).faults == []
    change(path, "DELETE FROM finished_games WHERE number = 2")
    change(path, "UPDATE finished_games SET game = replace(game, 'Ada', 'Eva') WHERE number = 3")
    assert {(fault.where, fault.what) for fault in check(path, none).faults} == {
        ("lists", "the result of game 2 is missing for room BBBBBB"),
        ("results", "the row 3 of finished_games is damaged"),
    }
    store = await SqliteStore.open(path)
    with pytest.raises(NotReadable):
        await store.finished_games(0, 9)
    await store.close()
    repair(path, saved, none)
    assert check(saved, none).faults == []
    store = await SqliteStore.open(saved)
    assert await store.finished_games(0, 9) == games
    assert await store.checkpoint("wins") == Checkpoint(3, "state")
    await store.close()
    change(path, "UPDATE checkpoints SET after = 4")
    store = await SqliteStore.open(path)
    with pytest.raises(NotReadable):
        await store.checkpoint("wins")
    await store.close()


def make_older(path: Path, version: int) -> None:
    """Make a file one that an earlier version of the server has left."""
    for index in (*(("players_by_id",) if version < 7 else ()), "games_by_first", "games_by_second"):
        change(path, f"DROP INDEX {index}")
    later = {"more_tokens": 7, "finished_games": 6, "checkpoints": 6}
    for table in (name for name, since in later.items() if version < since):
        change(path, f"DROP TABLE {table}")
    change(path, f"PRAGMA user_version = {version}")


@pytest.mark.parametrize("version", [5, 6, 7])
async def test_a_file_of_a_version_before_is_opened_checked_and_brought_to_this_one(
    file: Path, tmp_path: Path, version: int
) -> None:
    make_older(file, version)
    before = file.read_bytes()
    assert check(file, none).faults == []
    copy_file(file, tmp_path / "copy.db", none)
    assert file.read_bytes() == before
    for path in (file, tmp_path / "copy.db"):
        assert await _read_all(path) == LOGS
        store = await SqliteStore.open(path)
        await append(store, "AAAAAA", 0, created(), finished(1))
        await store.close()
        store = await SqliteStore.open(path)
        assert await store.finished_games(0, 9) == [listed(1, "AAAAAA", 2, finished(1))]
        await store.close()
        assert check(path, none).faults == []
