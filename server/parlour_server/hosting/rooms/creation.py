"""Rooms that are being created: from the command until the room is durable, and can be found.

Room creation is idempotent for each (player, command id): a command that created a room before, also before a
restart, leads there again.
"""

from dataclasses import dataclass
from functools import partial

import structlog

from parlour_protocol.errors import Code
from parlour_protocol.ids import Version
from parlour_server.hosting.actors.requests import ReplyCallback
from parlour_server.hosting.limits.rate_limits import Subject
from parlour_server.hosting.rooms.awake_rooms import AwakeRooms
from parlour_server.hosting.rooms.live_room import LiveRoom
from parlour_server.hosting.rooms.requests import RoomRequest, not_looked_up
from parlour_server.room.commands import Create
from parlour_server.room.refusals import Refusal
from parlour_server.store.port import StoreError

log = structlog.get_logger()


class Creation:
    """All rooms that are being created."""

    def __init__(self, directory: AwakeRooms) -> None:
        self._directory = directory
        self._creating: dict[tuple[str, str], _Room] = {}
        """By the player and the id of the command."""

    def create(
        self, command: Create, by: str, command_id: str, reply: ReplyCallback, address: str = ""
    ) -> None:
        """Create a room for somebody at this address; the reply comes when it is durable."""
        creating = self._creating.get((by, command_id))
        if creating is not None:
            # The same command came again before it had a reply.
            creating.replies.append(reply)
            return
        self._creating[by, command_id] = _Room(command, address, [reply])
        self._directory.context.node.look_up_command(by, command_id, partial(self._looked_up, by, command_id))

    def _looked_up(self, by: str, command_id: str, room: str | None, error: StoreError | None) -> None:
        """The store knows whether this command has led to a room before."""
        if error is not None:
            log.error("a room was not created", reason=str(error))
            self._reply(by, command_id, not_looked_up())
        elif room is not None:
            self._reply(by, command_id, None, room, 1)
        else:
            try:
                self._begin(by, command_id)
            except Refusal as refusal:
                self._reply(by, command_id, refusal)

    def _begin(self, by: str, command_id: str) -> None:
        """Raises `Refusal`."""
        directory, creating = self._directory, self._creating[by, command_id]
        if directory.stopped:
            raise Refusal(Code.BUSY, "The server is stopping. Come back in a moment.", retry_after=2.0)
        directory.context.rate_limits.take("new_room", Subject(by, creating.address))
        # Last: no room is put to sleep for one that is refused.
        directory.make_room(creating.address)
        code = directory.new_code()
        room = LiveRoom(code, directory.context, directory.lobby, creating.address)
        directory.creating[code] = room
        room.submit(RoomRequest(creating.command, by, command_id, partial(self._created, by, room)))

    def _created(
        self, by: str, made: LiveRoom, command_id: str, room: str, version: Version, refusal: Refusal | None
    ) -> None:
        if refusal is None:
            self._directory.add(made)
            self._reply(by, command_id, None, room, version)
        else:
            if refusal.code is Code.SERVER_FULL:
                self._directory.prune_soon()
            del self._directory.creating[made.code]
            self._reply(by, command_id, refusal)

    def _reply(
        self, by: str, command_id: str, refusal: Refusal | None, room: str = "", version: Version = 0
    ) -> None:
        self._directory.context.node.command_done(by, command_id)
        for reply in self._creating.pop((by, command_id)).replies:
            reply(command_id, room, version, refusal)


@dataclass(slots=True)
class _Room:
    """A room that is being created, and the callbacks of everyone who sent the command."""

    command: Create
    address: str
    replies: list[ReplyCallback]
