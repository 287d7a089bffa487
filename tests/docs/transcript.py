"""Replays a transcript from a page against a server: what it shows is sent, and must be heard, to the letter.

    ada connects            ada opens a connection; `ada leaves` closes it
    ada > {...}             sent by ada
    ada eve < {...}         heard by ada, and heard by eve
        ...                 indented: goes on from the line before

A value in angle brackets, `"<room>"`, is bound when it is first heard and must be the same ever after.
"""

import json
import re
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

from tests.support.client import RawClient, raw

NOTICES = {"presence", "thinking"}
_STEP = re.compile(r"(?P<who>[a-z]+(?: [a-z]+)*?) (?:(?P<way>[<>]) (?P<text>.+)|(?P<act>connects|leaves))")
_PLACE = re.compile(r"<[^<>]+>")


@dataclass(frozen=True, slots=True)
class Step:
    """One line: who, what they do (`>`, `<`, `connects`, `leaves`), and the text."""

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


@dataclass(slots=True)
class Replay:
    """One run of a transcript against a server."""

    url: str
    bound: dict[str, Any] = field(default_factory=dict)
    clients: dict[str, RawClient] = field(default_factory=dict)
    stacks: dict[str, AsyncExitStack] = field(default_factory=dict)

    async def run(self, steps: list[Step]) -> None:
        try:
            for step in steps:
                await self._do(step)
            for name in list(self.clients):
                await self._nothing_more(name)
        finally:
            for stack in self.stacks.values():
                await stack.aclose()

    async def _do(self, step: Step) -> None:
        match step.does:
            case "connects":
                for name in step.who:
                    self.stacks[name] = AsyncExitStack()
                    self.clients[name] = await self.stacks[name].enter_async_context(raw(self.url))
            case "leaves":
                for name in step.who:
                    await self._nothing_more(name)
                    del self.clients[name]
                    await self.stacks.pop(name).aclose()
            case ">":
                (name,) = step.who
                await self.clients[name].socket.send(self._fill(step.text))
            case "<":
                for name in step.who:
                    heard = await self._hear(name)
                    self._compare(json.loads(step.text), heard, f"line {step.line}, {name}: heard {heard}")

    async def _hear(self, name: str) -> Any:
        while (heard := await self.clients[name].hear())["type"] in NOTICES:
            pass
        return heard

    async def _nothing_more(self, name: str) -> None:
        """The next thing heard answers a question asked now: so nothing else was left."""
        await self.clients[name].socket.send('{"type": "rooms", "id": "and nothing more"}')
        heard = await self._hear(name)
        assert heard.get("id") == "and nothing more", f"{name} heard more: {heard}"

    def _fill(self, text: str) -> str:
        return _PLACE.sub(lambda place: str(self.bound[place[0]]), text)

    def _compare(self, told: Any, heard: Any, where: str) -> None:
        if isinstance(told, str) and _PLACE.fullmatch(told):
            assert heard == self.bound.setdefault(told, heard), f"{told} was another value; {where}"
            assert not isinstance(heard, dict | list), where
        elif isinstance(told, dict):
            assert isinstance(heard, dict), where
            assert told.keys() == heard.keys(), where
            for key, value in told.items():
                self._compare(value, heard[key], where)
        elif isinstance(told, list):
            assert isinstance(heard, list), where
            assert len(told) == len(heard), where
            for one, other in zip(told, heard, strict=True):
                self._compare(one, other, where)
        else:
            assert (type(told), told) == (type(heard), heard), where
