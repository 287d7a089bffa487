"""From one running game to the next: what a screen on the wall shows, for as long as it hangs there."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from parlour_client.sdk.client import Client
from parlour_client.sdk.errors import ParlourError, Refused
from parlour_client.sdk.messages import Disconnected, Reconnected
from parlour_client.sdk.predicates import StateWaiters
from parlour_client.sdk.room import Room
from parlour_client.sdk.room_list import Listing
from parlour_client.sdk.tasks import first_done
from parlour_protocol.notices import Lobby
from parlour_protocol.views.rooms import RoomLine

LINGER_SECONDS = 5.0
"""So long a game that is over stays to be seen."""
RETRY_SECONDS = 1.0
"""Until another room is tried where one can't be watched."""


class RunningRooms:
    """The codes of the rooms in which a game is being played, kept up to date by `follow`.

    After a lost connection the list is loaded anew: its server may be another one.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._listing: Listing | None = None
        self._waiters: StateWaiters[RunningRooms] = StateWaiters()

    @property
    def codes(self) -> list[str]:
        """The rooms; none while we are not connected."""
        lines = [] if self._listing is None else self._listing.rooms
        return [line.room for line in lines if is_running(line)]

    async def follow(self) -> None:
        """Keep the list up to date. Raises what ended the connection."""
        notices = self._client.notices()
        await self._load()
        async for notice in notices:
            match notice:
                case Lobby() if self._listing is not None:
                    self._listing = self._listing.after(notice)
                case Disconnected():
                    self._listing = None
                case Reconnected():
                    await self._load()
                case _:
                    continue
            self._waiters.publish(self)

    async def _load(self) -> None:
        answer = await self._client.rooms(subscribe=True)
        self._listing = Listing(answer.rooms, answer.players)
        self._waiters.publish(self)

    async def changed(self) -> None:
        """Wait until there may be others."""
        await self._waiters.until(lambda rooms: True)


def is_running(line: RoomLine) -> bool:
    """Is a game being played there, or does the next one begin by itself?"""
    goes_on = line.series is not None and line.series.goes_on
    return line.phase == "playing" or (line.phase == "finished" and goes_on)


class GameRotation:
    """Shows the running games one after the other: each until it is over, or for so many `seconds`.

    Those of rooms in which we have a seat are left out: there we would see more than spectators do.

    `show` shows a room for as long as it is not cancelled; `wait` is called where no game is being played.
    """

    def __init__(
        self,
        client: Client,
        seconds: float,
        show: Callable[[Room], Awaitable[None]],
        wait: Callable[[], None],
    ) -> None:
        self._client, self._seconds = client, seconds
        self._show, self._wait = show, wait
        self._running = RunningRooms(client)
        self._visits: dict[str, int] = {}
        """When each room was shown last: the number of its visit."""
        self._own: set[str] = set()
        """The rooms in which we were found to have a seat."""

    async def run(self) -> None:
        """Go on until it is cancelled. Raises what ended the connection."""
        await first_done(self._lead(), beside=[self._running.follow()])

    async def _lead(self) -> None:
        number = 0
        while True:
            if not (codes := await self._others()):
                self._wait()
                while not (codes := await self._others()):
                    await self._running.changed()
            # The one that was not seen for longest.
            code = min(codes, key=lambda one: self._visits.get(one, -1))
            number += 1
            self._visits[code] = number
            try:
                room = await self._client.watch(code, present=False)
            except Refused:
                # It has closed this moment, or takes no more spectators.
                await asyncio.sleep(RETRY_SECONDS)
                continue
            await first_done(self._stay(room), beside=[self._shown(room)])
            if not room.ended:
                with suppress(ParlourError):
                    await room.unwatch()

    async def _others(self) -> list[str]:
        """The rooms with a running game in which we have no seat."""
        self._own.intersection_update(self._running.codes)
        if not self._own.issuperset(self._running.codes):
            self._own = {past.room for past in await self._client.history() if past.seated}
        return [code for code in self._running.codes if code not in self._own]

    async def _shown(self, room: Room) -> None:
        # Why a room ends, `_stay` sees; why the connection does, the list.
        with suppress(ParlourError):
            await self._show(room)

    async def _stay(self, room: Room) -> None:
        """Until it is another room's turn, or this one is over."""
        while not room.ended:
            try:
                async with asyncio.timeout(self._seconds):
                    await room.until(lambda state: state.view.phase != "playing")
                await asyncio.sleep(LINGER_SECONDS)
                if room.code not in self._running.codes and self._client.connected:
                    return
            except TimeoutError:
                pass
            except ParlourError:
                return
            if any(code != room.code and code not in self._own for code in self._running.codes):
                return
