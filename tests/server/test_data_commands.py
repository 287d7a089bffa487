"""`parlour data`: what a host reads of their file, on a terminal and in a script."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from parlour_protocol.local.server_info import LOCKED, ServerInfo, write_note
from parlour_server.data_commands import app
from parlour_server.store.sqlite import SqliteStore
from tests.store.test_damage import LOGS, change, whole_file

RECORDS = sum(map(len, LOGS.values()))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "rooms.db"
    path.write_bytes(whole_file())
    return path


def run(*arguments: object, data: Path | str | None = None) -> Result:
    environment = {"PARLOUR_DATA": str(data) if data else None, "COLUMNS": "100"}
    result = CliRunner().invoke(app, [str(one) for one in arguments], env=environment)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def test_a_whole_file_is_said_to_be_so(file: Path) -> None:
    whole = f"{file}: {file.stat().st_size:,} bytes, 12 rooms with {RECORDS} whole records, 20 players.\n"
    for found in (run("check", file), run("check", data=file)):
        assert (found.exit_code, found.stdout, found.stderr) == (0, whole + "Nothing is wrong.\n", "")


def test_what_is_damaged_is_named_with_what_to_do(file: Path) -> None:
    change(file, "UPDATE events SET at = at + 1 WHERE room = 'ROOM08' AND version = 9")
    found = run("check", file)
    assert found.exit_code == 1
    assert "room ROOM08  record 9 is damaged or missing; 8 before it are whole\n" in found.stdout
    assert f"parlour data repair {file} --into NEW\n" in found.stdout
    as_json = run("check", file, "--json")
    assert as_json.exit_code == 1
    said = json.loads(as_json.stdout)
    assert (said["rooms"], said["records"]) == (12, RECORDS - 8)
    assert said["faults"][0]["where"] == "room ROOM08"


def test_what_is_saved_is_said_and_what_is_not(file: Path, tmp_path: Path) -> None:
    change(file, "UPDATE events SET at = at + 1 WHERE room = 'ROOM08' AND version = 9")
    change(file, "UPDATE events SET at = at + 1 WHERE room = 'ROOM03' AND version = 1")
    saved = tmp_path / "saved.db"
    done = run("repair", file, "--into", saved)
    assert done.exit_code == 0
    assert f"Saved into {saved}: 10 whole rooms, 20 players" in done.stdout
    assert "ROOM08        7 of 16 records\n" in done.stdout
    assert "ROOM03        nothing" in done.stdout
    assert run("check", saved).exit_code == 0
    again = run("repair", file, "--into", saved)
    assert (again.exit_code, again.stdout) == (1, "")
    assert again.stderr == f"There is a file {saved} already. Name another one, or move it away.\n"
    as_json = run("repair", file, "--into", tmp_path / "more.db", "--json")
    assert {"room": "ROOM08", "kept": 7, "known": 16} in json.loads(as_json.stdout)["cut"]


def test_a_copy_is_checked(file: Path, tmp_path: Path) -> None:
    done = run("backup", tmp_path / "copy.db", "--data", file)
    assert done.exit_code == 0
    assert done.stdout.startswith(f"{file} is copied to {tmp_path / 'copy.db'}.\n")
    assert done.stdout.endswith("Nothing is wrong.\n")
    assert run("check", tmp_path / "copy.db").exit_code == 0
    again = run("backup", tmp_path / "copy.db", data=file)
    assert (again.exit_code, "already" in again.stderr) == (1, True)
    nowhere = run("backup", tmp_path / "no" / "copy.db", data=file)
    assert (nowhere.exit_code, nowhere.stdout) == (1, "")
    assert (
        nowhere.stderr
        == f"No copy can be written to {tmp_path / 'no' / 'copy.db'}: there is no such file or folder.\n"
    )


async def test_a_file_that_a_server_has_open_is_left_alone(file: Path, tmp_path: Path) -> None:
    store = await SqliteStore.open(file)
    write_note(file, ServerInfo("ws://127.0.0.1:9999", 1234))
    for arguments in (["check", file], ["repair", file, "--into", tmp_path / "saved.db"]):
        refused = run(*arguments)
        assert (refused.exit_code, refused.stdout) == (LOCKED, "")
        assert "in use by the server at ws://127.0.0.1:9999 (process 1234)" in refused.stderr
        assert "parlour data backup" in refused.stderr
    assert not (tmp_path / "saved.db").exists()
    await store.close()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "There is no file"),
        (b"Bread, milk" * 999, "is no data file of a server's"),
        (b"", "is empty: no server"),
        # Its beginning is right, and it is damaged behind that: nothing tells to do what was just done.
        (b"SQLite format 3\0" + b"Bread, milk" * 999, "is damaged or no SQLite database. To save what"),
    ],
)
def test_a_file_that_is_none_is_named(tmp_path: Path, content: bytes | None, said: str) -> None:
    path = tmp_path / "odd.db"
    if content is not None:
        path.write_bytes(content)
    found = run("check", path)
    assert said in found.output and "parlour data check" not in found.output
    assert found.exit_code == 1


@pytest.mark.parametrize("named", [True, False])
def test_a_database_is_left_to_its_own_tools(named: bool) -> None:
    url = "postgresql://ada:secret@db.example/rooms"
    result = run("check", url) if named else run("check", data=url)
    assert result.exit_code == 2
    assert "pg_dump" in result.stderr
    assert "secret" not in result.output
