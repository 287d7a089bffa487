"""What a command does once its server is found: connect as somebody, act, and take leave."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from parlour_client import records, reports, sentences
from parlour_client.arena import play_match
from parlour_client.connection import Connection, new_id
from parlour_client.faults import Refused, SatElsewhere
from parlour_client.identity import Guest, Identity, Kept, chosen_name, state_folder
from parlour_client.lines import Lines
from parlour_client.localserver import Place
from parlour_client.progress import bar
from parlour_client.recorded import Source
from parlour_client.screen import Screen
from parlour_client.table import Table
from parlour_client.tables import Tally, arena_line, arena_table
from parlour_protocol import to_server
from parlour_protocol.ids import Seat, other
from parlour_protocol.to_server import AskedSettings
from parlour_protocol.views import RoomView

__all__ = ["Visit", "arena", "farewell", "identify", "reports"]


class Visit:
    """A person's visit to a server, under the name that they chose (None: their usual one)."""

    def __init__(self, place: Place, name: str | None, screen: Screen) -> None:
        self._place = place
        self._name = name
        self._screen = screen
        self.identity = identify(place, name, screen.note)

    def ask(self, question: Callable[[Connection, Screen], Awaitable[None]]) -> None:
        """Connect, ask, and leave."""

        async def run() -> None:
            async with Connection(self._place.server, self.identity) as connection:
                await question(connection, self._screen)

        try:
            asyncio.run(run())
        except KeyboardInterrupt:
            self._screen.note("Stopped.")
            raise

    def sit(
        self,
        prepare: Callable[[Connection], Awaitable[str]],
        bot_after: tuple[float, str] | None = None,
    ) -> None:
        """Stay at a table until it is left; `prepare` has its events followed, and returns its code.

        For `bot_after` see `Table`.
        """
        table: Table | None = None
        room = ""

        async def run() -> None:
            nonlocal table, room
            async with Connection(self._place.server, self.identity) as connection:
                room = await prepare(connection)
                table = Table(connection, room, self._place.server, self._screen, Lines(), bot_after)
                await table.run()

        try:
            asyncio.run(run())
        except KeyboardInterrupt:
            self._take_leave(table)
            raise
        except SatElsewhere as fault:
            fault.command = sentences.come_back(self._place.server, room, self._name, seated=True)
            raise
        finally:
            self._screen.clear_prompt()
        self._take_leave(table)

    def _take_leave(self, table: Table | None) -> None:
        for line in farewell(self._place, table.view if table is not None else None, self._name):
            self._screen.note(line)


def identify(place: Place, name: str | None, say: Callable[[str], None]) -> Identity:
    """Who a person is on a server; `say` is told what they should know of that. Raises `UsageFault`."""
    chosen = chosen_name(name)
    if place.own and not place.shared:
        # Nobody else comes there, and nothing of it stays.
        return Guest(chosen)
    kept = Kept(state_folder(), place.server, chosen, say)
    if place.own and (stale := kept.token()) is not None:
        # A server that has just begun knows nobody, whoever listened at its address before.
        kept.put_aside(stale)
    return kept


def farewell(place: Place | None, view: RoomView | None, name: str | None) -> list[str]:
    """What is said to somebody who leaves a table (None: there was none), and how to come back."""
    if place is None or view is None or view.phase == "closed":
        return ["Goodbye."]
    if place.own:
        return ["Goodbye. This server was this terminal's own, and ends with it."]
    seated = view.you is not None
    kept = "Your seat is kept. Come back" if seated else "Look on again"
    return [
        f"Goodbye. {kept} with:",
        f"  {sentences.come_back(place.server, view.room, name, seated=seated)}",
    ]


@dataclass(frozen=True, slots=True)
class Begun:
    """What a new room's games are, and where they begin: at a game's beginning, or in the middle of one."""

    game: str = "tictactoe"
    source: Source | None = None

    async def find(self, connection: Connection) -> tuple[str, str]:
        """The game, and the moves that are played before it begins. Raises `UsageFault` and `Refused`."""
        return (self.game, "") if self.source is None else await records.beginning(connection, self.source)


async def new_table(
    connection: Connection, begun: Begun, bot: str | None, seat: Seat, settings: AskedSettings
) -> str:
    """Make a room, seat a bot (None: leave the seat to a friend), and sit down; its code.

    Raises `UsageFault` and `Refused`.
    """
    game, moves = await begun.find(connection)
    made = await connection.request(
        to_server.CreateRoom(id=new_id(), game=game, settings=settings, moves=moves)
    )
    if bot is not None:
        # First, so that whoever sits down finds a game that has begun.
        across = other(seat)
        try:
            await connection.request(to_server.AddBot(id=new_id(), room=made.room, bot=bot, seat=across))
        except Refused:
            # A bot that isn't one must not leave an empty room behind.
            await connection.request(to_server.CloseRoom(id=new_id(), room=made.room))
            raise
    await connection.request(to_server.TakeSeat(id=new_id(), room=made.room, seat=seat))
    return made.room


async def anybody(
    connection: Connection, screen: Screen, game: str, settings: AskedSettings, bot: str | None
) -> str:
    """A seat with whoever wants the same, or one to wait in for the next who does; or for a bot.

    Raises `Refused`, for a bot that can't be as well.
    """
    if bot is not None:
        await _check_bot(connection, bot)
    code = (await connection.request(to_server.QuickMatch(id=new_id(), game=game, settings=settings))).room
    screen.note("The next person who wants the same game sits down with you.")
    return code


async def _check_bot(connection: Connection, bot: str) -> None:
    """Raises `Refused` for a bot that is not to be had, long before it is to sit down."""
    # Of a game that is over a server reads who is to search it, and searches nothing.
    over = "a1 b1 a2 b2 a3"
    await connection.request(to_server.Analyse(id=new_id(), game="tictactoe", moves=over, bot=bot))


async def new_room(connection: Connection, screen: Screen, begun: Begun, settings: AskedSettings) -> None:
    """Make a room without sitting down."""
    game, moves = await begun.find(connection)
    await reports.create(connection, screen, game, settings, moves)


async def free_seat(connection: Connection, screen: Screen, room: str, *, named: bool) -> str:
    """Take a room's free seat, or come back to one's own. `named`: under a name that was asked for."""
    code = (await connection.request(to_server.TakeSeat(id=new_id(), room=room))).room
    somebody_else = "" if named else " To sit as somebody else, add --as NAME."
    screen.note(f"You sit here as {connection.welcome.name}.{somebody_else}")
    return code


async def onlooker(connection: Connection, room: str) -> str:
    """Look on."""
    return (await connection.request(to_server.Watch(id=new_id(), room=room))).room


def seat_of_side(side: str) -> Seat:
    """The first seat begins the first game."""
    if side == "random":
        return 1 if secrets.randbelow(2) else 0
    return 0 if side == "first" else 1


# ---------------------------------------------------------------- arena


async def arena(
    connection: Connection,
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

            if any(bot.endswith(".py") for bot in bots):
                from parlour_client.bot import match

                await match.play(
                    connection, screen, game, bots, games, seed, move_seconds, tell, in_turn=in_turn
                )
            else:
                await play_match(connection, game, *bots, games, seed, tell, in_turn=in_turn)
    finally:
        if so_far is not None and screen.as_json:
            screen.emit(so_far.as_json())
        elif so_far is not None:
            screen.say(arena_table(so_far, ascii_only=screen.ascii_only), "", arena_line(so_far))
