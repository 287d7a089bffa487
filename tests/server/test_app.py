"""A whole server over a database: one that takes no more, and one that there is no driver for."""

import asyncio
import sys
from asyncio.subprocess import PIPE

import asyncpg
import pytest
from structlog.testing import capture_logs

from parlour_server.monitoring import readiness
from tests.e2e.test_faults import seated
from tests.net.test_turned_away import ask, get
from tests.server.process import ended, environment
from tests.server.test_cli import one_sentence
from tests.support import postgres
from tests.support.client import player
from tests.support.server import ROOT, serving

FULL = """
CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$;
CREATE TRIGGER full_disk BEFORE INSERT ON parlour.events EXECUTE FUNCTION full_disk()
"""


async def test_a_full_disk_refuses_moves_and_is_over_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "KEPT_SECONDS", 0.0)
    async with (
        postgres.database() as data,
        serving(data=data) as url,
        player(url) as ada,
        player(url, "Ben") as ben,
    ):
        room = await seated(ada, ben)
        database = await asyncpg.connect(data)
        try:
            await database.execute(FULL)
            # What is only read, or takes no room, goes on: nobody has found it out yet.
            assert await ask(url, get("/readyz")) == (200, "ok\n")
            with capture_logs() as logs:
                refused = await ada.ask("play", id="m1", room=room, version=4, move="b2")
                assert (refused["code"], refused["retry_after"] > 0) == ("not_saved", True)
            (said,) = [line["reason"] for line in logs if line["event"] == "nothing could be saved"]
            assert "has no room left: could not extend file" in said
            for _ in range(2):
                assert await ask(url, get("/readyz")) == (503, "the store can't save\n")
            await database.execute("DROP FUNCTION full_disk CASCADE")
            # Nobody is sent there who would make it save something.
            assert await ask(url, get("/readyz")) == (200, "ok\n")
            assert await database.fetchval("SELECT count(*) FROM parlour.events WHERE room = ''") == 0
            accepted = await ada.ask("play", id="m1", room=room, version=4, move="b2")
            assert (accepted["type"], accepted["version"]) == ("accepted", 5)
            assert (await ben.event("move_played"))["version"] == 5
        finally:
            await database.close()


async def test_without_a_driver_for_databases_a_sentence_says_what_to_install() -> None:
    script = "import sys; sys.modules['asyncpg'] = None; from parlour_server.cli import main; main()"
    process = await asyncio.create_subprocess_exec(
        *[sys.executable, "-c", script, "--port", "0", "--data", "postgresql://db.example/rooms"],
        cwd=ROOT,
        env=environment(),
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
    )
    line = one_sentence(await ended(process), 1)
    assert line.startswith("To keep games in PostgreSQL takes asyncpg.")
    assert "pip install './server[cluster]'" in line
