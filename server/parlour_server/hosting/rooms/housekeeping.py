"""What is done for rooms now and then: old ones sleep, or are forgotten; that the server is up is noted."""

import structlog

from parlour_server.hosting.actors.registry import Registry
from parlour_server.hosting.background import Background
from parlour_server.hosting.rooms.live_room import LiveRoom
from parlour_server.hosting.rooms.lobby import Lobby
from parlour_server.store.port import StoreError

log = structlog.get_logger()

PRUNE_SECONDS = 3600.0
BEAT_SECONDS = 2.0
"""How often it is noted that the server is up, where clocks run: a crash costs a player no more than that."""


class Housekeeping:
    """The housekeeping of one server's rooms, from `begin` to `stop`."""

    def __init__(self, rooms: Registry[LiveRoom], lobby: Lobby) -> None:
        self._rooms, self._lobby, self._context = rooms, lobby, rooms.context
        self._background = Background(rooms.context)
        self._pruning = False

    def begin(self) -> None:
        """The rooms are loaded."""
        limits, every = self._context.limits, self._background.every
        every(self._rooms.sweep_seconds, self._sweep)
        every(BEAT_SECONDS, self._beat)
        if limits.keep_seconds > 0:
            every(PRUNE_SECONDS, self.prune_soon)
        if limits.keep_visitors_seconds > 0:
            every(PRUNE_SECONDS, self._forget_visitors_soon)

    def stop(self) -> None:
        """Do nothing more, and rest the clocks."""
        self._note_alive()
        self._background.stop_timers()

    # ------------------------------------------------------------ in memory

    def _sweep(self) -> None:
        """Let rooms go that were left alone for long, and forget who has spent nothing lately."""
        self._rooms.sweep()
        self._context.rate_limits.sweep()

    def _beat(self) -> None:
        """Note now and then that the server is up, for the clocks of those who play."""
        self._context.now()  # it has to be looked at: see `SteadyClock`
        if any(room.ticking for room in self._rooms.awake()):
            self._note_alive()

    def _note_alive(self) -> None:
        """Note that the server is up, but where a room has still to write down since when it was not."""
        if not any(room.timers.stopping_clocks and not room.quarantined for room in self._rooms.awake()):
            self._context.node.note_alive(self._context.now())

    # ------------------------------------------------------------ in the store

    def prune_soon(self) -> None:
        """Forget old rooms without waiting for the hour, where any may be forgotten: the store is full."""
        if self._context.limits.keep_seconds > 0:
            self._context.spawn(self._prune())

    async def _prune(self) -> None:
        """Forget for good what is older than is kept, but for rooms that people may be in."""
        if self._pruning:
            return
        self._pruning = True
        before = self._context.now() - round(1000 * self._context.limits.keep_seconds)
        try:
            gone = await self._context.store.prune(before, self._rooms.wanted)
        except StoreError as error:
            # The store may be closed meanwhile.
            if not self._rooms.stopped:
                log.error("old rooms were not pruned", reason=str(error))
            return
        finally:
            self._pruning = False
        for code in gone:
            # One that was woken meanwhile was read before it was forgotten.
            if (room := await self._rooms.woken(code)) is not None:
                self._rooms.put_to_sleep(room)
        if gone:
            log.info("old rooms are pruned", rooms=len(gone))

    def _forget_visitors_soon(self) -> None:
        self._context.spawn(self._forget_visitors())

    async def _forget_visitors(self) -> None:
        """Forget players who never did anything, but for those who are connected."""
        before = self._context.now() - round(1000 * self._context.limits.keep_visitors_seconds)
        try:
            gone = await self._context.store.forget_visitors(before, set(self._lobby.here))
        except StoreError as error:
            if not self._rooms.stopped:
                log.error("visitors were not forgotten", reason=str(error))
            return
        if gone:
            log.info("visitors are forgotten", players=gone)
