"""`parlour bot`: a bot takes a seat in somebody's room, or makes rooms and waits for challengers."""

import asyncio
import math
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

from parlour_client.bots.errors import BotError
from parlour_client.bots.limits import MEMORY
from parlour_client.bots.player import BotPlayer, verdict
from parlour_client.bots.process import BotProcess
from parlour_client.render.console import Screen
from parlour_client.sdk.client import Client
from parlour_client.sdk.connection import Connection
from parlour_client.sdk.errors import ParlourError, Refused
from parlour_client.sdk.identity import GuestIdentity, Identity
from parlour_client.sdk.local_server import ServerTarget, identify
from parlour_client.sdk.messages import Disconnected, Reconnected
from parlour_client.sdk.retry import with_retries
from parlour_client.sdk.room import Room
from parlour_client.text import wording
from parlour_client.text.events import ANNOUNCED_ATTEMPTS, connection_lost
from parlour_client.text.names import bot_name, localised
from parlour_protocol.ids import Seat, other, room_link
from parlour_protocol.views.rooms import RoomView
from parlour_protocol.words import language, say

REMATCH_SECONDS = 30.0
"""So long after a game a challenger may ask for another, before the next one's room is made."""
THEIRS: Seat = 0
"""The challenger's seat: who comes begins the first game."""


async def run(
    place: ServerTarget,
    bot: str,
    screen: Screen,
    *,
    room: str | None = None,
    tournament: str | None = None,
    game: str | None = None,
    games: int | None = None,
    name: str | None = None,
    limit: float | None = None,
    memory: int = MEMORY,
) -> None:
    """Play in a room or a tournament, or host rooms of a game, until so many games are played, or for ever.

    A move may take `limit` seconds, and the file's process hold `memory` bytes.

    Raises `UsageError` where the file can't be played with, `Refused`, and what a connection raises.
    """
    async with (
        BotProcess(bot, memory) as process,
        Client(
            Connection(place.server, _identity(place, process, name, screen), advice=place.advice)
        ) as parlour,
        connection_notices(parlour, screen),
    ):
        tell_interface(screen, process)
        host = Host(parlour, process, screen, limit)
        if room is not None:
            await host.join(room, games)
        elif tournament is not None:
            await host.attend(tournament)
        else:
            assert game is not None, "it is seated in a room, or makes some"
            await host.wait_for_challengers(game, games)


def _identity(place: ServerTarget, process: BotProcess, name: str | None, screen: Screen) -> Identity:
    """A guest, so that the same file may sit at many tables; a player who comes back where it is named."""
    return GuestIdentity(process.name) if name is None else identify(place, name, screen.note)


class Host:
    """A bot on a server, and the screen that its progress is shown on."""

    def __init__(
        self, parlour: Client, process: BotProcess, screen: Screen, limit: float | None = None
    ) -> None:
        self._parlour = parlour
        self._process = process
        self._screen = screen
        self._limit = limit

    async def join(self, code: str, games: int | None = None) -> None:
        """Take a seat, and play there for as long as somebody asks, or so many games."""
        self._process.check((await self._with_retries(lambda: self._parlour.watch(code))).view.game)
        room = await self._with_retries(lambda: self._parlour.join(code, program=True))
        game = localised(room.view.title, room.view.title_said)
        self._screen.say(say("command.bot.sits", name=self._name, room=room.code, game=game))
        self._emit_room(room)
        player = self._player(room)
        # Where a number of games is wished, it is this side that asks for the next one.
        async for number in series(player, games, ask=games is not None):
            self._tell_game(player, number)

    async def attend(self, code: str) -> None:
        """Take part in a tournament, and play each of its games, until it is over."""
        self._process.check((await self._parlour.tournament(code)).settings.game)
        with suppress(Refused):
            # Who takes part already goes on.
            await self._parlour.join_tournament(code, program=True)
        view = await self._parlour.tournament(code)
        if view.you is None and view.phase != "over":
            await self._parlour.join_tournament(code, program=True)
        self._screen.say(say("command.tournament.bot_waits", name=self._name, code=view.tournament))
        played: set[str] = set()
        async for view in self._parlour.follow_tournament(code):
            if view.phase == "over":
                return
            if view.room is not None and view.room not in played:
                played.add(view.room)
                room = await self._with_retries(partial(self._parlour.join, view.room, program=True))
                self._emit_room(room)
                player = self._player(room)
                await player.play()
                self._tell_game(player, len(played))
                await room.unwatch()

    async def wait_for_challengers(self, game: str, games: int | None = None) -> None:
        """Make a room, play the next challenger, and make another; so many games in all."""
        self._process.check(game)
        played = 0
        while games is None or played < games:
            room = await self._waiting_room(game)
            title = localised(room.view.title, room.view.title_said)
            self._screen.say(say("command.bot.waits", name=self._name, game=title))
            self._screen.whole(wording.invitation(self._parlour.public_url, room.code))
            self._emit_room(room)
            player = self._player(room)
            left = None if games is None else games - played
            try:
                async for number in series(player, left, patience=REMATCH_SECONDS):
                    played += 1
                    self._tell_game(player, number)
            except Refused as refused:
                # Others may come to another: in this one we can't go on.
                gone = say("command.bot.room_gone", room=room.code, why=str(refused))
                self._screen.refuse(gone if room.ended else str(refused))
            with suppress(Refused):
                if not room.ended:
                    await room.leave()
                    await room.unwatch()

    async def _waiting_room(self, game: str) -> Room:
        """A room that we made, in which we wait for somebody."""
        seats = ("open", "me") if THEIRS == 0 else ("me", "open")
        return await self._with_retries(lambda: self._parlour.create(game, seats=seats, program=True))

    async def _with_retries(self, ask: Callable[[], Awaitable[Room]]) -> Room:
        """No person is kept waiting here: as long as the server wishes."""
        return await with_retries(ask, math.inf, show_waiting(self._screen))

    @property
    def _name(self) -> str:
        return bot_name(self._parlour.name)

    def _player(self, room: Room) -> BotPlayer:
        return BotPlayer(room, self._process, self._report_error, self._limit)

    # ------------------------------------------------------------ what is shown

    def _report_error(self, error: BotError) -> None:
        self._screen.refuse(say("command.bot.fault", name=self._name, kind=error.called, error=str(error)))

    def _emit_room(self, room: Room) -> None:
        if self._screen.as_json:
            link = room_link(self._parlour.public_url, room.code)
            self._screen.emit(
                {
                    "room": room.code,
                    "server": self._parlour.url,
                    "link": link,
                    "interface": self._process.interface,
                }
            )

    def _tell_game(self, player: BotPlayer, number: int) -> None:
        view = _finished(player)
        assert view.you is not None
        assert view.result is not None
        against = wording.name_of(view, other(view.you))
        how, reason = verdict(view), localised(view.result.reason, view.result.reason_said)
        if self._screen.as_json:
            self._screen.emit(game_json(player, number))
        summary = say(f"command.bot.verdict.{how}")
        if how != "aborted":
            summary = say("command.bot.how", verdict=summary, reason=reason)
        self._screen.say(
            say(
                "command.bot.game",
                number=str(number),
                name=against,
                how=summary,
                moves=say("count.move", count=len(view.moves)),
                seconds=language().number(player.slowest, 2),
            )
        )


def tell_interface(screen: Screen, process: BotProcess) -> None:
    """Say how a bot is called, where that isn't in Parlour's own way."""
    if process.interface != "parlour":
        screen.note(called_as(process.name, process.interface))


def called_as(name: str, interface: str) -> str:
    """How a bot is called, in a sentence."""
    return say("command.bot.called_as", name=name, interface=say(f"bot.interface.{interface}"))


def show_waiting(screen: Screen) -> Callable[[Refused, float], None]:
    """Says on a screen why there is a wait, and how long it is."""

    def tell(refused: Refused, seconds: float) -> None:
        screen.note(say("command.bot.waiting", why=str(refused), span=wording.seconds(seconds)))

    return tell


@asynccontextmanager
async def connection_notices(parlour: Client, screen: Screen) -> AsyncIterator[None]:
    """Show when the connection is lost and restored, while the block runs."""

    async def follow() -> None:
        # An end for good is raised where it is played.
        with suppress(ParlourError):
            lost = False
            async for notice in parlour.notices():
                match notice:
                    case Disconnected() if not lost or notice.attempt in ANNOUNCED_ATTEMPTS:
                        screen.note(connection_lost(notice.retry_in, notice.reason, seated=True))
                    case Reconnected():
                        screen.note(say("connection.again"))
                    case _:
                        continue
                if screen.as_json and lost != isinstance(notice, Disconnected):
                    screen.emit({"connection": "back" if lost else "lost"})
                lost = isinstance(notice, Disconnected)

    task = asyncio.create_task(follow())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def game_json(player: BotPlayer, number: int) -> dict[str, Any]:
    """What `parlour bot --json` prints for a game that is over."""
    view = _finished(player)
    assert view.you is not None
    assert view.result is not None
    return {
        "room": player.room.code,
        "number": number,
        "opponent": view.seats[other(view.you)].name,
        "result": verdict(view),
        "reason": view.result.reason,
        "moves": view.moves,
        "slowest": round(player.slowest, 3),
        "faults": [{"kind": error.kind, "message": str(error)} for error in player.errors],
    }


def _finished(player: BotPlayer) -> RoomView:
    """The room as the game left it: the other one may be gone since."""
    finished = player.room.finished
    assert finished is not None, "a game is over"
    return finished.view


async def series(
    player: BotPlayer, games: int | None, *, ask: bool = False, patience: float | None = None
) -> AsyncIterator[int]:
    """Play game after game in one room; gives the number of each that is over.

    It ends after so many games, with the room, or where nobody asks for another within `patience` seconds.
    """
    room, played = player.room, 0
    while games is None or played < games:
        if room.view.phase == "finished":
            try:
                async with asyncio.timeout(patience):
                    await player.next_game(ask=ask)
            except TimeoutError:
                return
        if room.view.phase == "closed" or (patience is not None and played and room.view.phase == "waiting"):
            return
        player.begin()
        before = room.finished
        await player.play()
        if room.finished is None or room.finished is before:
            # Closed before another game was over.
            return
        played += 1
        yield played
