"""What needs no room is asked here: of the server that was named, else in this process."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from parlour_client.sdk.local_server import ServerTarget, named_server, shared_server
from parlour_client.sdk.source import Source
from parlour_protocol.words import say

if TYPE_CHECKING:  # so that a command line can be read without the wire's types
    from parlour_client.render.console import Screen
    from parlour_client.sdk.queries import QueryClient

was_answered_here = False
"""Has a query been answered in this process? Nothing that it leaves is worth tidying up."""


def ask(
    server: str | None,
    name: str | None,
    screen: "Screen",
    query: Callable[["QueryClient", "Screen"], Awaitable[None]],
) -> None:
    """Run a query against `server`; None: the one that PARLOUR_SERVER names, or else in this process.

    The player's `name` is for a server; in this process a search takes as long as it was asked to. Raises
    `ParlourError`.
    """
    named = named_server(server)
    if named is not None:
        _ask_at(ServerTarget(named, named=True), name, screen, query)
        return
    from parlour_client.sdk.identity import chosen_name
    from parlour_client.sdk.in_process import InProcessClient

    # It is not shown here, but a name that no server would take is refused all the same.
    chosen_name(name)
    client = InProcessClient()

    async def run() -> None:
        async with client:
            await query(client, screen)

    import asyncio

    global was_answered_here
    was_answered_here = True
    try:
        asyncio.run(run())
    except KeyboardInterrupt:
        screen.note(say("command.stopped"))
        raise


def ask_of_game(
    source: Source,
    name: str | None,
    screen: "Screen",
    query: Callable[["QueryClient", "Screen"], Awaitable[None]],
) -> None:
    """The same about a game: one in a room is on the server that has the room."""
    if source.room is None:
        ask(source.server, name, screen, query)
    else:
        with shared_server(source.server) as place:
            _ask_at(place, name, screen, query)


def _ask_at(
    place: ServerTarget,
    name: str | None,
    screen: "Screen",
    query: Callable[["QueryClient", "Screen"], Awaitable[None]],
) -> None:
    from parlour_client.cli import session

    session.Session(place, name, screen).ask(query)
