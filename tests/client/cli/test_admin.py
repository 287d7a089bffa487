"""`parlour admin` against a whole server: what it shows, what it does, how it fails."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from parlour_client.cli import app as cli
from parlour_protocol.local.server_info import ServerInfo, note_path, port_file, write_note
from parlour_protocol.words import speak
from tests.monitoring.test_metrics import get
from tests.server.process import started
from tests.support.client import RawClient, player
from tests.support.server import serving


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No server but our own."""
    monkeypatch.setenv("PARLOUR_DATA", str(tmp_path / "rooms.db"))
    monkeypatch.setenv("PARLOUR_PORT", "9")
    monkeypatch.setenv("COLUMNS", "160")


class AdminCommand:
    """`parlour admin` in a thread: gives its code, and what it said."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    async def run(self, *arguments: str) -> tuple[int, str, str]:
        self._capsys.readouterr()
        code = await asyncio.to_thread(cli.main, ["admin", *arguments])
        said = self._capsys.readouterr()
        assert "Traceback" not in said.out + said.err
        return code, said.out, said.err

    async def does(self, *arguments: str) -> str:
        code, out, err = await self.run(*arguments)
        assert (code, err) == (0, "")
        return out.strip()

    async def fails(self, *arguments: str, code: int = 1) -> str:
        ended, out, err = await self.run(*arguments)
        assert (ended, out) == (code, "")
        return err.strip()

    async def data(self, *arguments: str) -> Any:
        return json.loads(await self.does(*arguments, "--json"))


@pytest.fixture
def keeper(capsys: pytest.CaptureFixture[str]) -> AdminCommand:
    return AdminCommand(capsys)


@pytest.fixture
async def url(tmp_path: Path) -> AsyncIterator[str]:
    async with started("--data", str(tmp_path / "rooms.db")) as server:
        yield server.url


async def receive(one: RawClient, kind: str) -> dict[str, Any]:
    """The next message of a kind."""
    return await one.until(lambda message: message["type"] == kind)


async def test_what_there_is_to_see(keeper: AdminCommand, url: str, tmp_path: Path) -> None:
    async with player(url, "Ada") as ada, player(url, "Ben") as ben:
        room = (await ada.ask("create", game="tictactoe"))["room"]
        await ada.ask("sit", room=room)
        await ben.ask("subscribe", room=room)
        await ben.ask("subscribe", room="AAAAAA")
        assert f"{tmp_path / 'rooms.db'}" in await keeper.does("status")
        status = await keeper.data("status")
        assert (status["connections"], status["rooms"], status["players"]) == (2, 1, 2)
        rooms = await keeper.does("rooms")
        assert all(word in rooms for word in (room, "tictactoe", "waiting", "Ada - free", "127.0.0.1"))
        (row,) = (await keeper.data("rooms"))["rooms"]
        assert (row["room"], row["players"], row["spectators"]) == (room, ["Ada", ""], 1)
        players = await keeper.does("players")
        assert all(word in players for word in ("Ada", "Ben", "127.0.0.1", "unknown_room 1"))
        (address,) = (await keeper.data("addresses"))["addresses"]
        assert address == {"address": "127.0.0.1", "connections": 2, "players": 2, "refusals": 1}
        assert "and 1 more" in await keeper.does("players", "--most", "1")


async def test_what_there_is_to_do(keeper: AdminCommand, url: str) -> None:
    async with player(url, "Ada") as ada, player(url, "Ben") as ben:
        assert await keeper.does("announce", "Back at nine.") == "Shown to 2 players."
        assert (await receive(ben, "announcement"))["text"] == "Back at nine."
        room = (await ada.ask("create", game="tictactoe"))["room"]
        assert await keeper.does("close", room) == f"Room {room} is closed. Its log stays."
        assert "is disconnected" in await keeper.does("kick", "Ada")
        assert (await receive(ada, "goodbye"))["code"] == "kicked"
        assert "1 connection was ended." in await keeper.does("ban", "Ben", "--for", "2h")
        assert (await receive(ben, "goodbye"))["code"] == "banned"
    assert "Ben" in await keeper.does("bans")
    assert "No player called Eve is known here" in await keeper.fails("ban", "Eve")
    assert "0 connections were ended." in await keeper.does("ban", "Eve", "--ahead")
    speak("de")
    assert await keeper.does("unban", "Eve") == "Die Sperre ist aufgehoben: Name Eve."
    speak("en")
    assert await keeper.fails("unban", "Eve") == "Eve is not banned: see `parlour admin bans`."
    await keeper.does("unban", "Ben")
    assert await keeper.does("bans") == "No one is banned."
    entries = (await keeper.data("log"))["entries"]
    assert [one["action"] for one in entries] == [
        *("announce", "close", "kick", "ban", "ban", "ban", "unban", "unban", "unban")
    ]
    assert "Back at nine." in await keeper.does("log")


async def test_a_forgotten_person_is_gone_from_what_others_see(keeper: AdminCommand, url: str) -> None:
    async with player(url, "Ada") as ada, player(url, "Ben") as ben:
        room = (await ada.ask("create", game="tictactoe"))["room"]
        await ada.ask("sit", room=room)
        await ben.ask("sit", room=room)
        await ada.ask("say", room=room, text="I live in Rome")
        said = await keeper.does("forget", "Ada", "--yes")
        assert said.endswith("is forgotten: name and words are removed from 1 room. Moves stay.")
        assert (await receive(ada, "goodbye"))["code"] == "kicked"
        seen = await ben.until(
            lambda message: message["type"] == "snapshot" and "Someone" in json.dumps(message)
        )
        assert "Rome" not in json.dumps(seen)
        assert [seat["name"] for seat in seen["view"]["seats"]] == ["Someone", "Ben"]
        # The game goes on where it was.
        assert (await ben.ask("say", room=room, text="Hello?"))["type"] == "accepted"
    for yes in ((), ("--yes",)):
        # Nobody is asked about somebody who is not there.
        assert "Forget" not in (said := await keeper.fails("forget", "Eve", *yes))
        assert "No player of that name is known here" in said


async def test_the_file_is_copied_while_people_play(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def run(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        try:
            code = await asyncio.to_thread(cli.main, ["data", *arguments])
        except SystemExit as ended:
            code = int(ended.code or 0)
        said = capsys.readouterr()
        return code, said.out, said.err

    copy = tmp_path / "copy.db"
    async with player(url, "Ada") as ada:
        await ada.ask("create", game="tictactoe")
        code, out, err = await run("backup", str(copy))
        assert (code, err) == (0, "")
        assert out.startswith(f"{tmp_path / 'rooms.db'} is copied to {copy}.\n{copy}: ")
        assert out.endswith(" 1 rooms with 1 whole records, 1 players.\nNothing is wrong.\n")
        code, out, err = await run("backup", str(copy))
        assert (code, out) == (1, "")
        assert err == f"There is a file {copy} already. Name another one, or move it away.\n"
        code, out, err = await run("check")
        assert (code, out) == (75, "")
        assert f"in use by the server at {url}" in err


async def test_a_banned_address_is_turned_away_at_the_handshake(keeper: AdminCommand, url: str) -> None:
    await keeper.does("ban", "127.0.0.1")
    with pytest.raises(InvalidStatus) as refused:
        await connect(url)
    assert refused.value.response.status_code == 403
    assert refused.value.response.body == b"The host of this server has shut you out.\n"
    assert await get(url, "/healthz") == (200, "ok\n")
    await keeper.does("unban", "127.0.0.1")
    async with player(url, "Ada"):
        pass


async def test_a_ban_outlives_a_start_without_the_admin_socket(keeper: AdminCommand, tmp_path: Path) -> None:
    data = str(tmp_path / "rooms.db")
    async with serving(data=data):
        await keeper.does("ban", "127.0.0.1")
    async with serving(data=data, admin=False) as url:
        with pytest.raises(InvalidStatus) as refused:
            await connect(url)
        assert refused.value.response.status_code == 403


async def test_drained_the_server_ends_and_its_clients_may_come_back(
    keeper: AdminCommand, tmp_path: Path
) -> None:
    data = str(tmp_path / "other.db")
    async with started("--data", data) as server, player(server.url, "Ada") as ada:
        port = str(server.ready["port"])
        assert "No game begins any more" in await keeper.does("drain", "--wait", "--port", port)
        assert "restart" in (await receive(ada, "announcement"))["text"]
        assert (await receive(ada, "goodbye"))["code"] == "stopping"
        assert not note_path(Path(data)).exists()
        assert await server.process.wait() == 0
        assert await keeper.fails("status", "--data", data) == f"No server has {data} open."


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["ban", "Ada", "--for", "2"], 2, "A time such as 30s, 10m, 2h or 7d is needed"),
        (["ban", "Ada", "--for", "9999d"], 2, "A time such as 30s, 10m, 2h or 7d is needed"),
        (["ban", ""], 2, "who is wrong. It can't be empty."),
        (["close", "?"], 2, "'?' is not a room's code, such as KMRTQA."),
        (["announce", "x" * 301], 2, "text is wrong. It can have at most 300 characters."),
        (["status", "--port", "0"], 2, "A whole number from 1 to 65,535 is needed"),
        (["sing"], 2, "No such command 'sing'."),
    ],
)
async def test_what_can_not_be_meant(
    keeper: AdminCommand, arguments: list[str], code: int, sentence: str
) -> None:
    assert sentence in await keeper.fails(*arguments, code=code)


async def test_no_server_is_there(keeper: AdminCommand, tmp_path: Path) -> None:
    data = tmp_path / "rooms.db"
    assert await keeper.fails("status") == (
        f"No server is running here, neither on {data} nor at port 9: name one with --data or --port."
    )
    assert await keeper.fails("status", "--data", str(data)) == (
        f"There is no file {data}: name the data file of a running server."
    )
    assert "No server of this account has port 10 open" in await keeper.fails("status", "--port", "10")


async def test_a_node_is_found_by_its_port_alone(
    keeper: AdminCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where PARLOUR_DATA is a database, the server on the usual file is another one."""
    monkeypatch.setenv("PARLOUR_DATA", "postgresql://parlour@127.0.0.1/parlour")
    assert "No server of this account has port 9 open" in await keeper.fails("status")


@asynccontextmanager
async def answering(
    folder: Path, answer: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
) -> AsyncIterator[None]:
    """Something that is none of ours answers at the admin socket of a folder's data file."""
    path = folder / "admin"
    server = await asyncio.start_unix_server(answer, path)
    write_note(folder / "rooms.db", ServerInfo("ws://127.0.0.1:9", 1, admin=str(path)))
    yield
    server.close()
    await server.wait_closed()


async def test_a_server_that_is_paused_is_not_waited_for_without_end(
    keeper: AdminCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour_client.sdk.admin.SILENT_SECONDS", 0.05)

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with answering(tmp_path, listen):
        assert "(process 1) has not answered for" in await keeper.fails("status")


async def test_a_killed_server_is_said_to_be_one(keeper: AdminCommand, tmp_path: Path) -> None:
    data = tmp_path / "rooms.db"
    write_note(data, ServerInfo("ws://127.0.0.1:9", 1, admin=str(tmp_path / "rooms.db.admin")))
    assert "(process 1) does not answer: it was probably killed." in await keeper.fails("status")


async def test_a_server_in_memory_is_found_by_its_port(keeper: AdminCommand) -> None:
    async with serving() as url:
        port = url.rpartition(":")[2]
        assert (await keeper.data("status", "--port", port))["data"] == ":memory:"
        note = note_path(port_file(int(port)))
        assert note.exists()
    assert not note.exists()


async def test_a_data_file_whose_path_is_too_long_for_a_socket(keeper: AdminCommand, tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 110)
    folder.mkdir()
    async with serving(data=str(folder / "rooms.db")):
        assert (await keeper.data("status", "--data", str(folder / "rooms.db")))["rooms"] == 0


async def test_an_answer_that_can_not_be_read_is_a_sentence(keeper: AdminCommand, tmp_path: Path) -> None:
    async def babble(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(b"?\n")
        writer.close()

    async with answering(tmp_path, babble):
        assert "can't be read" in await keeper.fails("status")
