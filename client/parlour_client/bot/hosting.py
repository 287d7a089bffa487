"""`parlour bot`: a bot takes a seat in somebody's room, or makes rooms and waits for challengers."""

import asyncio
import math
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from parlour_client import sentences
from parlour_client.bot.faults import BotFault
from parlour_client.bot.mind import Mind
from parlour_client.bot.player import Player, verdict
from parlour_client.clean import clean
from parlour_client.dialogue import Back, Lost
from parlour_client.faults import Fault, Refused
from parlour_client.identity import Guest, Identity
from parlour_client.localserver import Place
from parlour_client.narrator import TOLD, lost_line
from parlour_client.parlour import Parlour, connect
from parlour_client.patience import patiently
from parlour_client.room import Room
from parlour_client.screen import Screen
from parlour_client.session import identify
from parlour_protocol.ids import Seat, other, room_link
from parlour_protocol.views import RoomView

REMATCH_SECONDS = 30.0
"""So long after a game a challenger may ask for another, before the next one's room is made."""
THEIRS: Seat = 0
"""The challenger's seat: who comes begins the first game."""


async def run(
    place: Place,
    path: Path,
    screen: Screen,
    *,
    room: str | None = None,
    game: str | None = None,
    games: int | None = None,
    name: str | None = None,
    limit: float | None = None,
) -> None:
    """Play in a room, or host rooms of a game, until so many games are played, or for ever.

    Raises `UsageFault` where the file can't be played with, `Refused`, and what a connection raises.
    """
    async with (
        Mind(path) as mind,
        connect(place.server, identity=_identity(place, mind, name, screen)) as parlour,
        telling_the_line(parlour, screen),
    ):
        host = Host(parlour, mind, screen, limit)
        if room is not None:
            await host.join(room, games)
        else:
            assert game is not None, "it is seated in a room, or makes some"
            await host.wait_for_challengers(game, games)


def _identity(place: Place, mind: Mind, name: str | None, screen: Screen) -> Identity:
    """A guest, so that the same file may sit at many tables; a player who comes back where it is named."""
    return Guest(mind.name) if name is None else identify(place, name, screen.note)


class Host:
    """A bot on a server, and a screen that is told how it gets on."""

    def __init__(self, parlour: Parlour, mind: Mind, screen: Screen, limit: float | None = None) -> None:
        self._parlour = parlour
        self._mind = mind
        self._screen = screen
        self._limit = limit

    async def join(self, code: str, games: int | None = None) -> None:
        """Take a seat, and play there for as long as somebody asks, or so many games."""
        self._mind.check((await self._patiently(lambda: self._parlour.watch(code))).view.game)
        room = await self._patiently(lambda: self._parlour.join(code, program=True))
        self._screen.say(f"{self._name} sits down in room {room.code}, to play {clean(room.view.title)}.")
        self._emit_room(room)
        player = self._player(room)
        # Where a number of games is wished, it is this side that asks for the next one.
        async for number in series(player, games, ask=games is not None):
            self._tell_game(player, number)

    async def wait_for_challengers(self, game: str, games: int | None = None) -> None:
        """Make a room, play whoever comes, and make the next; so many games in all."""
        self._mind.check(game)
        played = 0
        while games is None or played < games:
            room = await self._waiting_room(game)
            self._screen.say(f"{self._name} waits for a challenger at {clean(room.view.title)}.")
            self._screen.whole(sentences.invitation(self._parlour.url, room.code))
            self._emit_room(room)
            player = self._player(room)
            left = None if games is None else games - played
            try:
                async for number in series(player, left, patience=REMATCH_SECONDS):
                    played += 1
                    self._tell_game(player, number)
            except Refused as refused:
                if not room.ended:
                    raise
                # Others may come to another: this one the server has lost.
                self._screen.refuse(f"Room {room.code} is gone. {refused}")
            with suppress(Refused):
                if not room.ended:
                    await room.leave()
                    await room.unwatch()

    async def _waiting_room(self, game: str) -> Room:
        """A room that we made, in which we wait for somebody."""
        # Watched first and then sat down in: so that it is a program's seat.
        code = (await self._patiently(lambda: self._parlour.create(game, seat=None))).code
        return await self._patiently(lambda: self._parlour.join(code, other(THEIRS), program=True))

    async def _patiently(self, ask: Callable[[], Awaitable[Room]]) -> Room:
        """Nobody sits here who would be kept waiting: as long as the server wishes."""
        return await patiently(ask, math.inf, tell_waiting(self._screen))

    @property
    def _name(self) -> str:
        return f"{clean(self._parlour.name)} (bot)"

    def _player(self, room: Room) -> Player:
        return Player(room, self._mind, self._tell_fault, self._limit)

    # ------------------------------------------------------------ what is told

    def _tell_fault(self, fault: BotFault) -> None:
        self._screen.refuse(f"{self._name} has a fault ({fault.kind}) and loses this game. {fault}")

    def _emit_room(self, room: Room) -> None:
        if self._screen.as_json:
            link = room_link(self._parlour.url, room.code)
            self._screen.emit({"room": room.code, "server": self._parlour.url, "link": link})

    def _tell_game(self, player: Player, number: int) -> None:
        view = _finished(player)
        assert view.you is not None
        assert view.result is not None
        against = sentences.name_of(view, other(view.you))
        how, reason = verdict(view), view.result.reason
        if self._screen.as_json:
            self._screen.emit(game_json(player, number))
        told = how if how == "aborted" else f"{how} ({clean(reason)})"
        moves = "1 move" if len(view.moves) == 1 else f"{len(view.moves)} moves"
        self._screen.say(f"Game {number} against {against}: {told}, {moves}, slowest {player.slowest:.2f} s.")


def tell_waiting(screen: Screen) -> Callable[[Refused, float], None]:
    """Says on a screen why there is a wait, and how long it is."""

    def tell(refused: Refused, seconds: float) -> None:
        screen.note(f"{refused} Trying again in {sentences.seconds(seconds)}.")

    return tell


@asynccontextmanager
async def telling_the_line(parlour: Parlour, screen: Screen) -> AsyncIterator[None]:
    """Tell when the line is lost and when it is back, while the block runs."""

    async def follow() -> None:
        # What ends the line for good is told by whoever plays over it.
        with suppress(Fault):
            lost = False
            async for notice in parlour.notices():
                match notice:
                    case Lost() if not lost or notice.attempt in TOLD:
                        screen.note(lost_line(notice, " (the seat is kept)"))
                    case Back():
                        screen.note("Connected again.")
                    case _:
                        continue
                if screen.as_json and lost != isinstance(notice, Lost):
                    screen.emit({"connection": "back" if lost else "lost"})
                lost = isinstance(notice, Lost)

    task = asyncio.create_task(follow())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def game_json(player: Player, number: int) -> dict[str, Any]:
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
        "faults": [{"kind": fault.kind, "message": str(fault)} for fault in player.faults],
    }


def _finished(player: Player) -> RoomView:
    """The room as the game left it: the other one may be gone since."""
    finished = player.room.finished
    assert finished is not None, "a game is over"
    return finished.view


async def series(
    player: Player, games: int | None, *, ask: bool = False, patience: float | None = None
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
