"""Commands for rooms that are asleep: put off until the room has been read from the store."""

from collections.abc import Callable
from typing import Any

from parlour_protocol import commands
from parlour_protocol.ids import parse_code
from parlour_server.hosting.limits.rate_limits import Limited
from parlour_server.hosting.rooms.directory import Directory
from parlour_server.refusals import Refusal
from parlour_server.sessions import prices

NEWEST = 2**62
"""Later than all versions."""

GoOn = Callable[[commands.Command[Any], int, Refusal | None], None]
"""Answers a command that was put off, with when it came in, in milliseconds since 1970; and with a refusal
where its room can't be fetched."""


class Fetching:
    """The commands of one connection that wait for their rooms. Their order in each room stays."""

    def __init__(self, directory: Directory) -> None:
        self._directory = directory
        self._rates = directory.context.rate_limits
        self.waiting: dict[str, list[tuple[commands.Command[Any], int]]] = {}
        """By the codes of their rooms, each with when it came in."""

    def put_off(
        self, connection: Limited, room: str, message: commands.Command[Any], go_on: GoOn, *, subscribed: bool
    ) -> bool:
        """Put a command off where its room is asleep, or where others wait for that room before it.

        Raises `Refusal` where its code may be a guess, after many that were wrong.
        """
        seen = 0
        if type(message) is commands.Subscribe:
            # Another node may have shown them more than is known here.
            seen = NEWEST if message.since is None else message.since
        code = self._directory.code_to_load(room, seen)
        if code is None and (waiting := parse_code(room)) in self.waiting:
            code = waiting
        if code is None:
            if not subscribed and self._directory.is_secret(room, connection.player):
                # After many wrong codes a right one must not be told from another.
                self._rates.check("wrong_code", connection)
            return False
        if code not in self.waiting:
            if type(message) is commands.Unsubscribe:
                # A room that sleeps has no subscribers: it isn't fetched for that.
                return False
            self._rates.check("wrong_code", connection)
            self.waiting[code] = []

            def fetched(refusal: Refusal | None) -> None:
                for one, received_at in self.waiting.pop(code, ()):
                    go_on(one, received_at, refusal)

            self._directory.context.spawn(self._fetch(connection, code, fetched), fetched, room=code)
        self.waiting[code].append((message, self._directory.context.now()))
        return True

    async def _fetch(self, connection: Limited, code: str, fetched: Callable[[None], None]) -> None:
        rates = self._rates
        rates.take("query", connection, prices.FETCH)
        asleep = self._directory.get(code) is None
        room = await self._directory.fetch(code, connection.address)
        if room is None:
            rates.charge("wrong_code", connection)
        elif asleep:
            rates.charge("query", connection, prices.RECORD * room.state.version)
        fetched(None)
