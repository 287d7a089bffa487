"""The command line of a server: one line when it is ready, one sentence when it can't be, a calm end."""

import asyncio
import contextlib
import json
import os
import shutil
import signal
import socket
import sqlite3
import ssl
import sys
import textwrap
import time
from asyncio.subprocess import PIPE
from pathlib import Path

import asyncpg
import pytest
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from parlour_protocol import SUBPROTOCOL
from parlour_protocol.local.server_info import LOCKED
from parlour_protocol.qr_text import half_blocks
from parlour_server.search.kernels.numba_modules import available
from parlour_server.sessions.qr_code import qr_rows
from tests.server.process import (
    COMMAND,
    DEADLINE,
    Ended,
    Forked,
    ended,
    environment,
    nobody_is_left,
    of_session,
    run,
    started,
)
from tests.support.client import player, raw
from tests.support.fork_server import in_the_foreground
from tests.support.postgres import database
from tests.support.server import ROOT
from tests.support.waiting import within

CERTIFICATE = Path(__file__).parent / "loopback.pem"
"""A key and its certificate for 127.0.0.1, made for these tests and good for nothing else."""
RENEWED = CERTIFICATE.with_name("renewed.pem")
"""Another of the same kind."""
CALM_SECONDS = 20.0
"""Long enough for any machine, and far less than a search takes that nobody stops."""
LONG_SEARCH = "120"


def one_sentence(end: Ended, code: int) -> str:
    """What a fault says: a line on standard error and nothing else."""
    assert end.code == code, end
    assert end.said == ""
    assert "Traceback" not in end.complained
    (line,) = end.complained.splitlines()
    assert line.endswith(".")
    return line


# ---------------------------------------------------------------- ready


async def test_a_server_that_is_ready_says_so_in_one_line_of_json() -> None:
    async with started() as server:
        assert server.url == f"ws://127.0.0.1:{server.ready['port']}"
        assert server.ready["page"] == f"http://127.0.0.1:{server.ready['port']}"
        assert server.ready["data"] == ":memory:"
        async with player(server.url) as ada:
            assert (await ada.ask("create", game="tictactoe"))["type"] == "accepted"
        end = await server.end(signal.SIGTERM)
    assert (end.code, end.said) == (0, "")
    assert "Traceback" not in end.complained


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["--lang", "pl"], "--keep: błędna wartość. Podaj dni, godziny lub minuty"),
        (["--lang=xx"], "There is no language 'xx' here: choose one of de, en, pl and sr-Latn."),
        ([], "--keep ist falsch. Schreib Tage, Stunden oder Minuten"),
    ],
)
async def test_faults_are_said_in_the_language_that_is_asked_for(asked: list[str], said: str) -> None:
    surroundings = environment(PARLOUR_LANG="en" if "--lang=xx" in asked else "de")
    command = [*COMMAND, *asked, "--keep", "30 days"]
    process = await asyncio.create_subprocess_exec(
        *command, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=surroundings
    )
    end = await ended(process)
    assert (end.said, end.complained.startswith(said)) == ("", True), end


async def test_a_game_that_breaks_the_contract_is_named_and_the_others_are_served(tmp_path: Path) -> None:
    (tmp_path / "titleless.py").write_text(
        "from parlour_server.games.mnk import MNK\nGAME = MNK(4, 4, 4, name='titleless', title=' ')\n"
    )
    info = tmp_path / "titleless-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: titleless\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[parlour.games]\ntitleless = titleless:GAME\n")
    async with started(command=COMMAND, PYTHONPATH=str(tmp_path)) as server:
        async with player(server.url) as ada:
            games = (await ada.ask("games"))["games"]
        end = await server.end(signal.SIGTERM)
    names = [game["name"] for game in games]
    assert "tictactoe" in names and "titleless" not in names
    (line,) = [line for line in end.complained.splitlines() if "a game can't be loaded" in line]
    assert str(tmp_path / "titleless.py") in line
    assert "its title is not a short line" in line


@pytest.mark.parametrize("processes", [1, 2], ids=["before its workers start", "while they start"])
async def test_a_server_that_has_hardly_begun_ends_as_calmly(processes: int) -> None:
    async with started() as server, player(server.url) as ada:
        if processes > 1:
            room = (await ada.ask("create", game="tictactoe"))["room"]
            await ada.ask("add_bot", room=room, bot="minimax")
        await within(DEADLINE, lambda: len(of_session(server.process.pid)) >= processes)
        end = await server.end(signal.SIGTERM, CALM_SECONDS)
    assert (end.code, end.said) == (0, "")
    assert "Traceback" not in end.complained
    await nobody_is_left(server.process.pid)


async def test_people_are_reported_where_it_is_and_how_to_play(tmp_path: Path) -> None:
    data = tmp_path / "rooms.db"
    process = await asyncio.create_subprocess_exec(
        *[*COMMAND, "--port", "0", "--data", str(data), "--qr"],
        cwd=ROOT,
        env=environment(),
        stdout=PIPE,
        stderr=PIPE,
        preexec_fn=in_the_foreground,
    )
    assert process.stdout is not None
    drawn: list[str] = []
    async with asyncio.timeout(DEADLINE):
        while not (line := (await process.stdout.readline()).decode().removesuffix("\n")).startswith("Open "):
            drawn.append(line)
    page = line.split()[1]
    url = page.replace("http", "ws")
    # Into a pipe without colours: for a dark terminal.
    assert drawn == half_blocks(qr_rows(page), ink=".")
    async with player(url):
        pass
    process.send_signal(signal.SIGINT)
    end = await ended(process, CALM_SECONDS)
    assert end.code == 0
    assert f"Games are kept in {data}." in end.said
    stopped = f"The server has stopped. Games are kept in {data}, and go on when it is started again."
    assert end.said.endswith(f"{stopped}\n")
    lines = end.said.splitlines()
    for command in ("parlour play tictactoe --vs human", "parlour join CODE --as NAME"):
        # On a line of its own, which fits a terminal.
        assert f"  {command} --server {url}" in lines
        assert len(f"  {command} --server {url}") < 80
    # What the network needs beside the options that were given.
    assert "  --host 0.0.0.0 --insecure" in lines


async def test_tls_is_served_and_a_renewed_certificate_shown_after_sighup(tmp_path: Path) -> None:
    chain = tmp_path / "chain.pem"
    shutil.copy(CERTIFICATE, chain)
    async with started("--tls-cert", str(chain)) as server:
        assert server.url.startswith("wss://127.0.0.1:")
        assert server.ready["page"].startswith("https://127.0.0.1:")
        old, new = (ssl.create_default_context(cafile=file) for file in (CERTIFICATE, RENEWED))
        async with raw(server.url, ssl=old) as ada:
            await ada.hello()
            shutil.copy(RENEWED, chain)
            server.process.send_signal(signal.SIGHUP)
            await within_tls(server.url, new)
            # Who was there stays.
            assert (await ada.ask("rooms"))["type"] == "rooms"
        with pytest.raises(ssl.SSLCertVerificationError):
            await connect(server.url, ssl=old)
        end = await server.end(signal.SIGTERM, CALM_SECONDS)
        assert end.code == 0
        assert "the certificate was read anew" in end.complained


async def within_tls(url: str, trusting: ssl.SSLContext) -> None:
    """Connect again and again until the certificate is one that is trusted."""
    async with asyncio.timeout(DEADLINE):
        while True:
            try:
                async with connect(url, ssl=trusting, subprotocols=[Subprotocol(SUBPROTOCOL)]):
                    return
            except ssl.SSLCertVerificationError:
                await asyncio.sleep(0.05)


async def test_with_tls_or_at_ones_own_risk_a_server_listens_beyond_this_machine() -> None:
    for options in (["--tls-cert", str(CERTIFICATE)], ["--insecure"]):
        async with started("--host", "0.0.0.0", *options) as server:
            assert "0.0.0.0" not in server.url
            with socket.create_connection(("127.0.0.1", server.ready["port"]), timeout=DEADLINE):
                pass


# ---------------------------------------------------------------- faults


@pytest.mark.parametrize(
    ("options", "variables", "names"),
    [
        (["--port", "99999"], {}, "--port"),
        ([], {"PARLOUR_PORT": "many"}, "PARLOUR_PORT"),
        (["--search-workers", "0"], {}, "--search-workers"),
        (["--host", "0.0.0.0"], {}, "--insecure"),
        (["--host", "games.example"], {}, "--tls-cert"),
        (["--tls-key", "key.pem"], {}, "--tls-cert"),
        (["--qr", "--json"], {}, "--json"),
        (["--supervised"], {}, "--processes"),
        (["--origins", "games.example"], {}, "https://games.example"),
    ],
    ids=["port", "environment", "workers", "abroad", "name", "key", "picture", "child", "origin"],
)
async def test_a_usage_fault_is_one_sentence_and_exit_code_2(
    options: list[str], variables: dict[str, str], names: str
) -> None:
    assert names in one_sentence(await run("--data", ":memory:", *options, **variables), 2)


@pytest.mark.parametrize(
    "options", [["--port", "many"], ["--nonsense"], ["extra"], ["--port"], ["--log-format", "xml"]]
)
async def test_what_cannot_be_read_is_a_usage_fault_too(options: list[str]) -> None:
    end = await run(*options)
    assert (end.code, end.said) == (2, "")
    assert "Error" in end.complained
    assert "Traceback" not in end.complained


async def test_a_database_that_cannot_be_used_is_named_without_its_password() -> None:
    end = await run("--data", "postgresql://ada:secret@127.0.0.1:1/rooms")
    assert one_sentence(end, 1).startswith("postgresql://127.0.0.1:1/rooms can't be reached: ")


@pytest.mark.parametrize("url", ["mysql://ada:secret@db/rooms", "SQLite:///rooms.db", "postgresql:/db/rooms"])
async def test_a_url_of_something_else_is_no_folder(url: str, tmp_path: Path) -> None:
    for end in (await run("--data", url), await run(PARLOUR_DATA=url)):
        said = one_sentence(end, 2)
        assert f"a file's name or a postgresql:// URL, not one of {url.partition(':')[0]}:." in said
        assert "secret" not in said


async def test_a_port_in_use_is_named_and_nothing_else(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        async with database() as url:
            for data in (":memory:", url, str(tmp_path / "new.db")):
                sentence = one_sentence(await run("--port", port, "--data", data), 1)
                assert sentence.startswith(f"Port {port} on 127.0.0.1 is in use: ") and "--port 0" in sentence
            assert not list(tmp_path.iterdir())
            connection = await asyncpg.connect(url)
            # What it had taken over is for the others at once.
            assert not await connection.fetchval("SELECT bool_or(until > now()) FROM parlour.nodes")
            await connection.close()


async def test_a_host_that_cannot_be_is_named() -> None:
    sentence = one_sentence(
        await run("--host", "192.0.2.1", "--insecure", "--port", "0", "--data", ":memory:"), 1
    )
    assert sentence.startswith("Can't listen on 192.0.2.1 port 0: this machine has no such address.")


async def test_tls_files_that_cannot_be_used_are_named(tmp_path: Path) -> None:
    (tmp_path / "no.pem").write_text("no certificate")
    for file, why in (("no.pem", "in PEM format"), ("missing.pem", "there is no such file")):
        end = await run("--tls-cert", str(tmp_path / file), "--port", "0", "--data", ":memory:")
        said = one_sentence(end, 1)
        assert file in said and why in said and "_ssl" not in said


async def test_a_data_file_that_cannot_be_used_is_named_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "damaged.db").write_bytes(b"this is no database" * 100)
    with sqlite3.connect(tmp_path / "foreign.db") as theirs:
        theirs.execute("CREATE TABLE songs (title TEXT)")
    theirs.close()
    for name in ("damaged.db", "foreign.db"):
        file = tmp_path / name
        before = file.read_bytes()
        assert name in one_sentence(await run("--port", "0", "--data", str(file)), 1)
        assert file.read_bytes() == before
    sentence = one_sentence(await run("--port", "0", "--data", str(tmp_path)), 1)
    assert sentence.startswith(f"{tmp_path} can't be used: it is a folder. Mend that, or name another file")


async def test_a_data_file_in_use_is_named_and_the_one_who_uses_it_goes_on(tmp_path: Path) -> None:
    data = str(tmp_path / "rooms.db")
    async with started("--data", data) as server:
        sentence = one_sentence(await run("--port", "0", "--data", data), LOCKED)
        assert f"{data} is in use by the server at {server.url}" in sentence
        assert "Stop it, or name another file with --data." in sentence
        async with player(server.url) as ada:
            assert (await ada.ask("create", game="tictactoe"))["type"] == "accepted"


async def test_the_usual_folder_is_made(tmp_path: Path) -> None:
    surroundings = environment(XDG_DATA_HOME=str(tmp_path / "new"))
    process = await Forked.start(["--port", "0", "--json"], surroundings)
    async with asyncio.timeout(DEADLINE):
        ready = json.loads(await process.stdout.readline())
    data = Path(ready["data"])
    assert data.is_relative_to(tmp_path / "new")
    assert data.exists()
    process.send_signal(signal.SIGTERM)
    assert (await ended(process, CALM_SECONDS)).code == 0


# ---------------------------------------------------------------- the end


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_server_that_is_asked_to_ends_calmly_in_the_middle_of_everything(number: int) -> None:
    async with (
        started(PARLOUR_MESSAGES_PER_SECOND="0", PARLOUR_SEARCH_SECONDS=LONG_SEARCH) as server,
        player(server.url) as ada,
    ):
        room = (await ada.ask("create", game="tictactoe"))["room"]
        await ada.ask("subscribe", room=room)
        for _ in range(2):
            await ada.ask("add_bot", room=room, bot="minimax")
        await ada.until(lambda m: m["type"] == "thinking")
        end = await server.end(number, CALM_SECONDS)
        assert (await ada.until(lambda m: m["type"] == "goodbye"))["code"] == "stopping"
    assert (end.code, end.said) == (0, "")
    assert "Traceback" not in end.complained
    await nobody_is_left(server.process.pid)


async def test_ctrl_c_ends_the_workers_too_and_quietly() -> None:
    """A terminal tells everyone in the foreground at once."""
    async with started(PARLOUR_SEARCH_SECONDS=LONG_SEARCH) as server, player(server.url) as ada:
        await ada.ask("analyse", game="tictactoe")
        assert len(of_session(server.process.pid)) > 1
        os.killpg(server.process.pid, signal.SIGINT)
        end = await ended(server.process, CALM_SECONDS)
    assert end.code == 0
    assert "Traceback" not in end.complained
    assert "KeyboardInterrupt" not in end.complained
    await nobody_is_left(server.process.pid)


async def test_a_server_in_the_background_of_a_script_outlives_the_scripts_ctrl_c() -> None:
    """A shell has what it starts so ignore Ctrl-C: a server that was to stay must not come back to it."""
    command = ["sh", "-c", 'trap "" INT; exec "$@"', "sh", *COMMAND]
    async with started(command=command) as server, player(server.url) as ada:
        server.process.send_signal(signal.SIGINT)
        for _ in range(3):
            assert (await ada.ask("create", game="tictactoe"))["type"] == "accepted"
        assert server.process.returncode is None
        end = await server.end(signal.SIGTERM, CALM_SECONDS)
    assert end.code == 0


async def test_a_server_with_a_parent_ends_when_its_input_closes() -> None:
    async with started("--with-parent") as server:
        assert server.process.stdin is not None
        server.process.stdin.close()
        end = await ended(server.process, CALM_SECONDS)
    assert (end.code, end.said) == (0, "")
    await nobody_is_left(server.process.pid)


async def test_a_server_without_one_does_not_care(tmp_path: Path) -> None:
    async with started() as server:
        assert server.process.stdin is not None
        server.process.stdin.close()
        async with player(server.url) as ada:
            assert (await ada.ask("rooms"))["type"] == "rooms"


async def test_no_file_where_it_was_started_stands_in_for_a_module_of_its_workers(tmp_path: Path) -> None:
    for name in ("random", "signal", "struct"):
        (tmp_path / f"{name}.py").write_text(f"raise SystemExit('this is not {name}')")
    command = [str(Path(sys.executable).parent / "parlour"), "serve"]
    async with started(command=command, folder=tmp_path) as server, player(server.url) as ada:
        assert (await ada.ask("analyse", game="tictactoe"))["type"] == "analysis"


# ---------------------------------------------------------------- compiled code


async def test_nothing_is_compiled_nor_loaded_on_the_way_to_ready() -> None:
    script = """
        import asyncio, sys
        from parlour_server.app import App
        from parlour_server.settings import ServerSettings

        async def main():
            server = App(ServerSettings(port=0, data=":memory:"))
            await server.start()
            print([name for name in ("numba", "numpy", "llvmlite") if name in sys.modules])
            await server.stop()

        asyncio.run(main())
    """
    process = await asyncio.create_subprocess_exec(
        *[sys.executable, "-c", textwrap.dedent(script)],
        cwd=ROOT,
        env=environment(PARLOUR_COMPILED="true"),
        stdout=PIPE,
        stderr=PIPE,
    )
    end = await ended(process)
    assert (end.code, end.said.partition("\n")[0]) == (0, "[]"), end


def compilers(session: int) -> list[int]:
    """The processes of a session that compile."""
    found = []
    for number in of_session(session):
        with contextlib.suppress(OSError):
            if Path(f"/proc/{number}/cmdline").read_bytes().endswith(b"\0compiler\0"):
                found.append(number)
    return found


async def compiling(session: int) -> None:
    """Until a session's server compiles."""
    end = time.monotonic() + DEADLINE
    while not compilers(session):
        assert time.monotonic() < end, "nothing is compiled"
        await asyncio.sleep(0.01)


@pytest.mark.skipif(not available(), reason="there is no compiler here")
async def test_a_server_that_compiles_serves_and_ends_at_once_and_calmly(tmp_path: Path) -> None:
    async with started(PARLOUR_COMPILED="true", PARLOUR_CACHE=str(tmp_path)) as server:
        await compiling(server.process.pid)
        async with player(server.url) as ada:
            room = (await ada.ask("create", game="ultimate", settings={"pace": 0.0}))["room"]
            await ada.ask("subscribe", room=room)
            for _ in range(2):
                await ada.ask("add_bot", room=room, bot="minimax:depth=1")
            await ada.until(lambda m: m["type"] == "event" and m["event"]["kind"] == "move_played")
        end = await server.end(signal.SIGTERM, CALM_SECONDS)
    assert (end.code, end.said) == (0, "")
    assert "Traceback" not in end.complained
    assert "leaked" not in end.complained
    await nobody_is_left(server.process.pid)


async def test_a_server_may_do_without_machine_code() -> None:
    async with started("--no-compiled", PARLOUR_COMPILED="true") as server, player(server.url) as ada:
        bots = (await ada.ask("bots"))["bots"]
    assert not [bot["name"] for bot in bots for one in bot["plays"] if "machine code" in one["does"]]
