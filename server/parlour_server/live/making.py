"""Rooms in the making: from the wish for one until it is durable, and can be found.

A wish counts once for each player and id: one that led to a room before, also before a restart, leads
there again.
"""

import math
from typing import TYPE_CHECKING

import structlog

from parlour_protocol.errors import Code
from parlour_protocol.ids import Version
from parlour_server.live.bucket import Bucket
from parlour_server.live.request import Asker, Request, not_looked_up
from parlour_server.live.room import LiveRoom
from parlour_server.room.commands import Create
from parlour_server.room.refusals import Refusal
from parlour_server.store.port import StoreError

if TYPE_CHECKING:
    from parlour_server.live.directory import Directory

log = structlog.get_logger()

ROOMS_AT_ONCE = 2
"""For so many minutes' worth of rooms a player may make at once."""


class Makers:
    """All who make a room just now, and how many rooms each player may make still."""

    def __init__(self, directory: "Directory") -> None:
        self._directory = directory
        self._making: dict[tuple[str, str], _Maker] = {}
        """By the player and the id of the command."""
        self._buckets: dict[str, Bucket] = {}
        self.stopped = False

    def create(self, command: Create, by: str, command_id: str, asker: Asker) -> None:
        """Make a room; the asker is answered when it is durable."""
        making = self._making.get((by, command_id))
        if making is None:
            making = self._making[by, command_id] = _Maker(self, self._directory, command, by, command_id)
            making.askers.append(asker)
            self._directory.world.store.room_by(by, command_id, making.looked_up)
        else:
            # The same command came again before it was answered.
            making.askers.append(asker)

    def done(self, by: str, command_id: str) -> None:
        """A room stands, or does not."""
        del self._making[by, command_id]

    def makes(self, code: str) -> bool:
        """Is there to be a room of this code?"""
        return any(making.room is not None and making.room.code == code for making in self._making.values())

    def __len__(self) -> int:
        return sum(making.room is not None for making in self._making.values())

    def until_another(self, player: str) -> float:
        """How many seconds a player has to wait before they make another room; 0: this one is counted."""
        now, rate = self._directory.world.monotonic(), self._directory.world.limits.rooms_per_minute
        bucket = self._buckets.get(player)
        if bucket is None:
            bucket = self._buckets[player] = Bucket(rate / 60, max(1.0, ROOMS_AT_ONCE * rate), now)
        return bucket.take(now)

    def sweep(self) -> None:
        """Forget who has made no room for a while."""
        now = self._directory.world.monotonic()
        self._buckets = {player: one for player, one in self._buckets.items() if not one.is_full(now)}

    def stop(self) -> None:
        """Let go of the rooms; those that become durable are found after the next start."""
        self.stopped = True
        for making in self._making.values():
            if making.room is not None:
                making.room.stop()


class _Maker:
    """One room in the making, and everyone who asked for it."""

    def __init__(
        self, makers: Makers, directory: "Directory", command: Create, by: str, command_id: str
    ) -> None:
        self.room: LiveRoom | None = None
        self.askers: list[Asker] = []
        self._makers, self._directory = makers, directory
        self._command, self._by, self._id = command, by, command_id

    def looked_up(self, room: str | None, error: StoreError | None) -> None:
        """The store knows whether this command has led to a room before."""
        if error is not None:
            log.error("a room was not made", reason=str(error))
            self.refused(self._id, "", 0, not_looked_up())
        elif room is not None:
            self.accepted(self._id, room, 1)
        else:
            self._make()

    def _make(self) -> None:
        directory = self._directory
        if self._makers.stopped:
            said = "The server is stopping. Come back in a moment."
            self.refused(self._id, "", 0, Refusal(Code.BUSY, said, retry_after=2.0))
            return
        try:
            directory.make_way()
        except Refusal as full:
            self.refused(self._id, "", 0, full)
            return
        wait = self._makers.until_another(self._by)
        if wait:
            said = f"You have made many rooms just now. Wait {math.ceil(wait)} s, or play on in one of them."
            self.refused(self._id, "", 0, Refusal(Code.TOO_FAST, said, retry_after=wait))
            return
        self.room = LiveRoom(directory.new_code(), directory.world, directory.lobby)
        self.room.submit(Request(self._command, self._by, self._id, self))

    def accepted(self, command_id: str, room: str, version: Version) -> None:
        """It stands."""
        self._makers.done(self._by, command_id)
        if self.room is not None:
            self._directory.made(self.room)
        for asker in self.askers:
            asker.accepted(command_id, room, version)

    def refused(self, command_id: str, room: str, version: Version, refusal: Refusal) -> None:
        """It does not."""
        self._makers.done(self._by, command_id)
        for asker in self.askers:
            asker.refused(command_id, "", 0, refusal)
