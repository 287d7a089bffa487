"""What a command does once its server is found: connect as somebody, act, and take leave."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from parlour_client.bots.entrant import is_file
from parlour_client.bots.match import play_match
from parlour_client.cli import reports
from parlour_client.plain.input import Lines
from parlour_client.plain.lobby import Lobby
from parlour_client.plain.table import Table
from parlour_client.render.console import Screen
from parlour_client.render.progress import bar
from parlour_client.render.tables import Tally, arena_line, arena_table
from parlour_client.sdk import records
from parlour_client.sdk.client import Client, connect
from parlour_client.sdk.commands import command
from parlour_client.sdk.errors import ConnectionReplaced
from parlour_client.sdk.local_server import Place, identify
from parlour_client.sdk.room import Room
from parlour_client.sdk.seek import Seek
from parlour_client.sdk.source import Source
from parlour_client.text import wording
from parlour_protocol import commands
from parlour_protocol.commands import AskedSettings
from parlour_protocol.ids import Seat

__all__ = ["Visit", "arena", "reports"]


class Visit:
    """A person's visit to a server, under the name that they chose (None: their usual one)."""

    def __init__(self, place: Place, name: str | None, screen: Screen) -> None:
        self._place = place
        self._name = name
        self._screen = screen
        self.identity = identify(place, name, screen.note)

    def ask(self, query: Callable[[Client, Screen], Awaitable[None]]) -> None:
        """Connect, ask, and leave."""

        async def run() -> None:
            async with connect(self._place.server, identity=self.identity) as client:
                await query(client, self._screen)

        try:
            asyncio.run(run())
        except KeyboardInterrupt:
            self._screen.note("Stopped.")
            raise

    def sit(
        self,
        enter: Callable[[Client], Awaitable[Room]],
        seek: Seek | None = None,
    ) -> None:
        """Stay at a table until it is left; `enter` is the way to its room. For `seek` see `Table`."""

        async def begin(client: Client, lines: Lines) -> Table:
            return Table(client, await enter(client), self._screen, lines, seek)

        self._stay(begin)

    def lobby(self) -> None:
        """Stay in the lobby, and at the tables that one goes to from there, until it is left."""

        async def begin(client: Client, lines: Lines) -> Lobby:
            return Lobby(client, self._screen, lines)

        self._stay(begin)

    def _stay(self, begin: Callable[[Client, Lines], Awaitable[Table | Lobby]]) -> None:
        here: Table | Lobby | None = None

        async def run() -> None:
            nonlocal here
            async with connect(self._place.server, identity=self.identity) as client:
                here = await begin(client, Lines())
                await here.run()

        try:
            asyncio.run(run())
        except KeyboardInterrupt:
            self._take_leave(None if here is None else here.room)
            raise
        except ConnectionReplaced as error:
            assert here is not None
            room = here.room
            assert room is not None
            error.command = wording.come_back(self._place.server, room.code, self._name, seated=True)
            raise
        finally:
            self._screen.clear_prompt()
        self._take_leave(None if here is None else here.room)

    def _take_leave(self, room: Room | None) -> None:
        for line in wording.farewell(self._place, None if room is None else room.view, self._name):
            self._screen.note(line)


@dataclass(frozen=True, slots=True)
class Begun:
    """What a new room's games are, and where they begin: at a game's beginning, or in the middle of one."""

    game: str = "tictactoe"
    source: Source | None = None

    async def find(self, client: Client) -> tuple[str, str]:
        """The game, and the moves that are played before it begins. Raises `UsageError` and `Refused`."""
        return (self.game, "") if self.source is None else await records.beginning(client, self.source)


async def new_table(
    client: Client, begun: Begun, bot: str | None, seat: Seat, settings: AskedSettings
) -> Room:
    """Make a room, seat a bot (None: leave the seat to a friend), and sit down.

    Raises `UsageError` and `Refused`.
    """
    game, moves = await begun.find(client)
    return await client.create(game, opponent=bot, seat=seat, moves=moves, settings=settings)


async def new_room(
    client: Client, screen: Screen, begun: Begun, bots: Sequence[str], settings: AskedSettings
) -> None:
    """Make a room without sitting down, with up to two bots in it."""
    game, moves = await begun.find(client)
    for bot in bots:
        # Before there is a room that nobody wants.
        await client.request(command(commands.CheckBot, bot=bot, game=game))
    await reports.create(client, screen, game, settings, moves, bots)


async def free_seat(client: Client, screen: Screen, code: str, *, named: bool) -> Room:
    """Take a room's free seat, or come back to one's own. `named`: under a name that was asked for."""
    room = await client.join(code)
    somebody_else = "" if named else " To sit as somebody else, add --as NAME."
    screen.note(f"You sit here as {client.name}.{somebody_else}")
    return room


def seat_of_side(side: str) -> Seat:
    """The first seat begins the first game."""
    if side == "random":
        return 1 if secrets.randbelow(2) else 0
    return 0 if side == "first" else 1


# ---------------------------------------------------------------- arena


async def arena(
    client: Client,
    screen: Screen,
    game: str,
    bots: tuple[str, str],
    games: int,
    seed: int | None,
    move_seconds: float | None = None,
    *,
    in_turn: bool = False,
) -> None:
    """Let two bots play a match, and show how it went; where it is stopped, as far as it went.

    A file takes `move_seconds` for a move at most.
    """
    so_far: Tally | None = None
    try:
        with bar(screen, "games", games) as progress:

            def tell(tally: Tally) -> None:
                nonlocal so_far
                so_far = tally
                progress(tally.games)

            if any(is_file(bot) for bot in bots):
                from parlour_client.bots import contestant

                await contestant.play(
                    client, screen, game, bots, games, seed, move_seconds, tell, in_turn=in_turn
                )
            else:
                await play_match(client, game, *bots, games, seed, tell, in_turn=in_turn)
    finally:
        if so_far is not None and screen.as_json:
            screen.emit(so_far.as_json())
        elif so_far is not None:
            screen.say(arena_table(so_far, ascii_only=screen.ascii_only), "", arena_line(so_far))
