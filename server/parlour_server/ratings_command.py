"""The command `parlour ratings rebuild`: make the ratings anew out of all finished games."""

import asyncio
import json
import secrets
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import ValidationError

from parlour_protocol.words import say, spoken
from parlour_server.data_commands import fail, fail_in_use
from parlour_server.settings import ServerSettings, explain

if TYPE_CHECKING:
    from parlour_server.store.port import Store


def rebuild_ratings(
    data: Annotated[str | None, typer.Option(metavar="FILE", help=say("ratings.option.data"))] = None,
    as_json: Annotated[bool, typer.Option("--json", help=say("option.json"))] = False,
) -> None:
    """Make the ratings anew out of all finished games."""
    try:
        settings = ServerSettings() if data is None else ServerSettings(data=data)
    except ValidationError as error:
        fail(spoken(explain(error, {} if data is None else {"data": data})), code=2)
    from parlour_server.store.port import StoreError, StoreLocked

    path = settings.data_file
    try:
        found = asyncio.run(_rebuild(settings))
    except StoreLocked as error:
        assert path is not None, "a database is never locked"
        fail_in_use(path, error)
    except StoreError as error:
        fail(spoken(error))
    if as_json:
        print(json.dumps(found))
    else:
        print(say("ratings.rebuilt", games=found["games"], players=found["players"], data=found["data"]))


async def _rebuild(settings: ServerSettings) -> dict[str, str | int]:
    from parlour_server.hosting.ratings import rebuild

    store = await _open(settings)
    try:
        table, _ = await rebuild(store)
    finally:
        await store.close()
    rated = [one for players in table.values() for one in players.values()]
    return {
        "data": settings.data_shown,
        # Each game is two players'.
        "games": sum(one.games for one in rated) // 2,
        "players": len(rated),
    }


async def _open(settings: ServerSettings) -> "Store":
    from parlour_server.counters import Counters
    from parlour_server.kinds import event_types
    from parlour_server.store.encoding import EventCodecs

    codecs = EventCodecs(event_types())
    if settings.database is not None:
        try:
            from parlour_server.store.postgres.store import PostgresStore
        except ImportError:
            fail(say("store.postgres.no_asyncpg"))
        # It serves nothing: its name is only to be nobody else's.
        return await PostgresStore.open(
            settings.database, Counters(), f"ratings-{secrets.token_hex(4)}", codecs
        )
    path = settings.data_file
    if path is None:
        fail(say("data.in_memory"), code=2)
    if not path.exists():
        fail(say("error.no_file", file=str(path)), code=2)
    from parlour_server.store.sqlite import SqliteStore

    return await SqliteStore.open(path, Counters(), 0, codecs)
