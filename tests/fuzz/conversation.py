"""Three people at one server without sockets, and the promises that hold whatever they send.

1. Every message but a signal is answered once, unless the connection was closed meanwhile.
2. Nothing fails within: no refusal speaks of a fault of the server's, no connection ends by one.
3. No message that is sent is larger than a peer's outbox takes.
"""

import asyncio
import json
from functools import partial
from types import TracebackType
from typing import Any, Self

from parlour_protocol.codec import MAX_MESSAGE_BYTES, BadMessage, decode_to_server
from parlour_protocol.messages import Signal
from parlour_protocol.views.reports import Report
from parlour_server.analysis.scheduler import Search
from parlour_server.net.connection import OUTBOX_BYTES
from parlour_server.search.reports.tree import TooLarge, grow
from tests.hosting.harness import HostingHarness, Person, open_harness, settle

PEOPLE = 3
ROOM = "ROOM"
"""Stands for the code of the room that was made last."""
SEARCHES_ANSWERED = 20
INTERNAL_ERROR = 1011


class Broken(AssertionError):
    """A promise was not kept."""


class Conversation:
    """Opened as a context; everyone has said hello then."""

    def __enter__(self) -> Self:
        self._runner = asyncio.Runner()
        self._opened = open_harness()
        self.harness: HostingHarness = self._runner.run(self._opened.__aenter__())
        self._people = [self._runner.run(self.harness.person(name)) for name in ("Ada", "Ben", "Eve")]
        self._sent = [0] * PEOPLE
        """How many commands the one who is in each place now has sent since the welcome."""
        self._room = "AAAAAA"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._runner:
            self._runner.run(self._opened.__aexit__(kind, error, trace))

    def send(self, number: int, text: str) -> None:
        """Have one of them send a text."""
        person = self._people[number]
        text = text.replace(ROOM, self._room)
        # The net closes for what is larger, and reads no more from one that is to wait.
        if person.wire.closed() is None and person.wire.reading and len(text.encode()) <= MAX_MESSAGE_BYTES:
            self._sent[number] += not _wants_no_answer(text)
            self._runner.run(self._receive(person, text))
            last = person.wire.said[-1]
            if last["type"] == "accepted" and last["room"]:
                self._room = last["room"]

    async def _receive(self, person: Person, text: str) -> None:
        person.session.receive(text)
        await settle()

    def pass_time(self, seconds: float) -> None:
        """Let time pass."""
        self._runner.run(self._advance(seconds))

    async def _advance(self, seconds: float) -> None:
        self.harness.clock.advance(seconds)
        await settle()

    def hang_up(self, number: int) -> None:
        """One of them goes, and somebody else takes the place."""
        self._check(number)
        self._people[number].hang_up()
        self._people[number] = self._runner.run(self.harness.person("Guest"))
        self._sent[number] = 0

    def think(self) -> None:
        """End the oldest search that somebody waits for."""
        self._runner.run(self._think())

    async def _think(self) -> None:
        for search in self.harness.scheduler.wanted[:1]:
            self.harness.scheduler.asked.remove(search)
            search.on_done(_found_nothing(search))
            await settle()

    def check(self) -> None:
        """Raises `Broken`."""
        for _ in range(SEARCHES_ANSWERED):
            self.think()
        for number in range(PEOPLE):
            self._check(number)

    def _check(self, number: int) -> None:
        person = self._people[number]
        if person.wire.closed() == INTERNAL_ERROR:
            raise Broken("a connection ended by a fault of the server's")
        for message in person.wire.said:
            if message.get("code") == "internal":
                raise Broken(f"a fault of the server's: {message}")
            if len(json.dumps(message)) > OUTBOX_BYTES:
                raise Broken(f"more than an outbox takes: {message['type']}")
        replies = sum(map(_is_reply, person.wire.said)) - 1
        sent, waiting = self._sent[number], len(self.harness.scheduler.wanted)
        if person.wire.closed() is None and not sent - waiting <= replies <= sent:
            raise Broken(f"{replies} replies to {sent} messages, {waiting} searches wait")


def _wants_no_answer(text: str) -> bool:
    try:
        return isinstance(decode_to_server(text), Signal)
    except BadMessage:
        return False


def _is_reply(message: dict[str, Any]) -> bool:
    return "id" in message or message["type"] == "refused"


def _found_nothing(search: Search) -> Any:
    """What a search comes to that is stopped before it has found anything."""
    job = search.job
    report = Report(str(job.bot), [])
    if job.task is None:
        return report
    assert isinstance(job.task, partial)
    return TooLarge(job.task.keywords["limit"] + 1, False, 0) if job.task.func is grow else (1, report)
