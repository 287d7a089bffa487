"""Replays a transcript from a page against a server: what clients send is sent, and the answers compared.

    ada connects            ada opens a connection; `ada leaves` closes it
    ada is welcome          ada opens a connection, says hello and is welcomed
    ada > {...}             sent by ada
    ada eve < {...}         received by ada, and received by eve
        ...                 indented: goes on from the line before

A value in angle brackets, `"<room>"`, is bound when it first comes and must be the same ever after; `<now>`
and `<seconds>` are another at each place. In a room's settings the usual ones are left out.
"""

import json
import re
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

from parlour_protocol.messages import RoomNotice, messages_of, types_of
from parlour_protocol.settings import RoomSettings
from tests.support.client import Message, RawClient, raw

NOTICES = {types_of(kind)[0] for kind in messages_of(RoomNotice)}
"""What comes at any moment, and so stands in no transcript."""
ANYTHING = {"<now>", "<seconds>"}
USUAL = RoomSettings().model_dump(exclude_none=True)
_STEP = re.compile(
    r"(?P<who>[a-z]+(?: [a-z]+)*?) (?:(?P<way>[<>]) (?P<text>.+)|(?P<act>connects|is welcome|leaves))"
)
_PLACE = re.compile(r"<[^<>]+>")


@dataclass(frozen=True, slots=True)
class Step:
    """One line: who, what they do (`>`, `<`, `connects`, `is welcome`, `leaves`), and the text."""

    who: list[str]
    does: str
    text: str
    line: int


def read(text: str) -> list[Step]:
    """The steps of a transcript."""
    whole: list[tuple[int, str]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith(" "):
            at, before = whole[-1]
            whole[-1] = (at, f"{before} {line.strip()}")
        elif line:
            whole.append((number, line))
    steps = []
    for number, line in whole:
        found = _STEP.fullmatch(line)
        assert found, f"line {number} is no step: {line}"
        steps.append(Step(found["who"].split(), found["way"] or found["act"], found["text"] or "", number))
    return steps


def fill(text: str, bound: dict[str, Any]) -> str:
    """A text to send, with the values that its names stand for."""
    return _PLACE.sub(lambda place: str(bound[place[0]]), text)


@dataclass(slots=True)
class Clients:
    """The connections of a transcript, by name."""

    url: str
    by_name: dict[str, RawClient] = field(default_factory=dict)
    stacks: dict[str, AsyncExitStack] = field(default_factory=dict)

    async def act(self, name: str, does: str) -> None:
        """Do what a step says that sends and receives nothing on the page."""
        if does == "leaves":
            del self.by_name[name]
            await self.stacks.pop(name).aclose()
            return
        self.stacks[name] = AsyncExitStack()
        self.by_name[name] = await self.stacks[name].enter_async_context(raw(self.url))
        if does == "is welcome":
            await self.by_name[name].hello(name.capitalize())

    async def close(self) -> None:
        for stack in self.stacks.values():
            await stack.aclose()


class Replay:
    """One run of a transcript against a server."""

    def __init__(self, url: str) -> None:
        self.clients = Clients(url)
        self.bound: dict[str, Any] = {}

    async def run(self, steps: list[Step]) -> list[list[Message]]:
        """For each client that subscribes to a room in the end: all it received, up to one snapshot more.

        Between the last two snapshots nothing happens, and who is connected is known.
        """
        try:
            for step in steps:
                await self._do(step)
            for name in self.clients.by_name:
                await self._nothing_more(name)
            return [
                self.clients.by_name[name].received
                for name in self.clients.by_name
                if await self._subscribes_anew(name)
            ]
        finally:
            await self.clients.close()

    async def _do(self, step: Step) -> None:
        for name in step.who:
            match step.does:
                case ">":
                    await self.clients.by_name[name].socket.send(fill(step.text, self.bound))
                case "<":
                    came = await self._receive(name)
                    self._compare(json.loads(step.text), came, f"line {step.line}, {name}: received {came}")
                case act:
                    if act == "leaves":
                        await self._nothing_more(name)
                    await self.clients.act(name, act)

    async def _receive(self, name: str) -> Any:
        while (came := await self.clients.by_name[name].receive())["type"] in NOTICES:
            pass
        return came

    async def _nothing_more(self, name: str) -> None:
        """The next message answers a question asked now: so nothing else was left."""
        await self.clients.by_name[name].socket.send('{"type": "rooms", "id": "and nothing more"}')
        came = await self._receive(name)
        assert came.get("id") == "and nothing more", f"{name} received more: {came}"

    async def _subscribes_anew(self, name: str) -> bool:
        """Get a snapshot, then what tells who is connected, and another snapshot; false without a room."""
        client = self.clients.by_name[name]
        last = next((one for one in reversed(client.received) if one["type"] in ("snapshot", "event")), None)
        if last is None:
            return False
        for number, awaited in enumerate(({"snapshot", "presence"}, {"snapshot"})):
            begun = len(client.received)
            await client.ask("subscribe", id=f"anew {number}", room=last["room"])
            while not awaited <= {one["type"] for one in client.received[begun:]}:
                await client.receive()
        return True

    def _compare(self, shown: Any, came: Any, where: str) -> None:
        if isinstance(shown, str) and _PLACE.fullmatch(shown):
            if shown not in ANYTHING:
                assert came == self.bound.setdefault(shown, came), f"{shown} was another value; {where}"
        elif isinstance(shown, dict):
            assert isinstance(came, dict), where
            assert shown.keys() == came.keys(), where
            for key, value in shown.items():
                whole = {**USUAL, **value} if key == "settings" else value
                self._compare(whole, came[key], where)
        elif isinstance(shown, list):
            assert isinstance(came, list), where
            assert len(shown) == len(came), where
            for one, other in zip(shown, came, strict=True):
                self._compare(one, other, where)
        else:
            assert (type(shown), shown) == (type(came), came), where
