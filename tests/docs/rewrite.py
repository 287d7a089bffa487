"""Writes anew what our pages show, all or those that are named: `.venv/bin/python -m tests.docs.rewrite`.

In the `console` blocks of every page the commands are kept and run, and what stood below them is replaced by
what they print, unless only times differ. In the transcripts of docs/protocol.md what clients send is kept
and sent to a server; what they receive is replaced by what comes. Values that differ from run to run get
names, as do whole views after the first transcript; usual settings are left out.
Look at the difference before you commit it.
"""

import asyncio
import json
import re
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Any

from tests.docs import console
from tests.docs.markdown import ROOT, page
from tests.docs.transcript import NOTICES, USUAL, Clients, Replay, fill, read
from tests.support.client import Message, RawClient
from tests.support.server import serving

PAGE = "docs/protocol.md"
WIDTH = 118
QUIET = 0.4
"""Seconds without a message after which nothing more is expected."""
EPOCH = 1_600_000_000_000
"""Numbers from here on are moments."""
FIRST = ("kind", "type", "id", "room", "version", "at")
_TRANSCRIPT = re.compile(r"(?<=^```transcript\n).*?(?=^```$)", re.DOTALL | re.MULTILINE)


class Names:
    """Names for the values that differ from run to run; the same value gets the same name."""

    def __init__(self, *, views: bool = True) -> None:
        """Without `views`, whole views get a name, too."""
        self.bound: dict[str, Any] = {}
        self._views = views

    def give(self, who: str, message: Message) -> Message:
        """A message with names in it, its fields in the order in which one reads them."""
        kind, version = message["type"], message.get("version", 0)
        if kind == "welcome":
            for field, name in (("server", "server"), ("player", who), ("token", f"{who}'s token")):
                if field in message:
                    message[field] = self._name(message[field], name)
        if kind == "snapshot":
            message["at"] = "<now>"
            if not self._views:
                message["view"] = self._name(message["view"], f"{who}'s view {version}")
        named: Message = self._walk(message, "", version)
        return named

    def _walk(self, value: Any, field: str, version: int) -> Any:
        if isinstance(value, dict):
            if field == "settings":
                value = {name: one for name, one in value.items() if USUAL.get(name) != one}
            order = sorted(value, key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST))
            return {name: self._walk(value[name], name, version) for name in order}
        if field == "left":
            return [self._left(one, seat, version) for seat, one in enumerate(value)]
        if isinstance(value, list):
            return [self._walk(one, field, version) for one in value]
        if field == "seconds":
            return "<seconds>"
        if field == "room":
            return self._name(value, "room")
        if type(value) is int and value > EPOCH:
            return self._name(value, f"{'time' if field == 'at' else field} {version}")
        return value

    def _left(self, value: int, seat: int, version: int) -> Any:
        """Time that was used; a player's whole minutes are as they are at each run."""
        return self._name(value, f"left {version} {seat}") if value % 60_000 else value

    def _name(self, value: Any, name: str) -> str:
        for known, one in self.bound.items():
            if one == value:
                return known
        assert f"<{name}>" not in self.bound, f"two values for <{name}>"
        self.bound[f"<{name}>"] = value
        return f"<{name}>"


async def rewritten(url: str, text: str, *, views: bool) -> str:
    """A transcript with what the server says now."""
    clients, names, lines = Clients(url), Names(views=views), list[str]()
    try:
        for step in read(text):
            if step.does == "<":
                continue
            for name in step.who:
                if step.does == ">":
                    await clients.by_name[name].socket.send(fill(step.text, names.bound))
                else:
                    await clients.act(name, step.does)
            received = await asyncio.gather(*map(_received, clients.by_name.values()))
            came = {
                name: [names.give(name, one) for one in messages]
                for name, messages in zip(clients.by_name, received, strict=True)
            }
            lines += ["", f"{' '.join(step.who)} {step.does} {step.text}".strip()]
            lines += [f"{' '.join(who)} < {_json(message)}" for who, message in _merged(came)]
    finally:
        await clients.close()
    return "".join(f"{_wrapped(line)}\n" for line in lines[1:])


def _wrapped(line: str) -> str:
    """A step on lines of the page's width; names are not broken."""
    whole = re.sub(r"<[^<>]+>", lambda name: name[0].replace(" ", "\0"), line)
    wrapped = textwrap.fill(
        whole, WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
    return wrapped.replace("\0", " ")


async def _received(client: RawClient) -> list[Message]:
    """What a client received until it was quiet, without notices."""
    came = list[Message]()
    while True:
        try:
            message = json.loads(await asyncio.wait_for(client.socket.recv(), QUIET))
        except TimeoutError:
            return came
        if message["type"] not in NOTICES:
            came.append(message)


def _merged(came: dict[str, list[Message]]) -> list[tuple[list[str], Message]]:
    """Each client's messages in its order, those that several received once."""
    found = []
    left = {name: list(messages) for name, messages in came.items()}
    while any(left.values()):
        heads = [messages[0] for messages in left.values() if messages]
        shared = [
            one for one in heads if all(messages[0] == one for messages in left.values() if one in messages)
        ]
        message = (shared or heads)[0]
        who = [name for name, messages in left.items() if messages and messages[0] == message]
        for name in who:
            del left[name][0]
        found.append((who, message))
    return found


def _json(message: Message) -> str:
    return json.dumps(message, ensure_ascii=False)


def rewrite_console(name: str) -> None:
    """Rewrite a page's console blocks."""
    text = page(name)
    with tempfile.TemporaryDirectory() as folder, console.story(Path(folder)) as story:
        for block in console.blocks(text):
            written = block
            for command in console.shown(block):
                if command.output and not console.same(printed := story.run(command), command.output):
                    written = written.replace(
                        f"$ {command.line}\n{command.output}", f"$ {command.line}\n{printed}"
                    )
            text = text.replace(block, written)
    (ROOT / name).write_text(text, encoding="utf-8")


async def rewrite_transcripts() -> None:
    """Rewrite the protocol's page, and replay what was written: all at once, since each mostly waits."""
    text = page(PAGE)
    found = _TRANSCRIPT.findall(text)
    written = await asyncio.gather(*(_retold(one, views=one == found[0]) for one in found))
    for before, after in zip(found, written, strict=True):
        text = text.replace(before, after)
    (ROOT / PAGE).write_text(text, encoding="utf-8")


async def _retold(before: str, *, views: bool) -> str:
    async with serving(messages_per_second=20.0) as url:
        after = await rewritten(url, before, views=views)
    async with serving(messages_per_second=20.0) as url:
        await Replay(url).run(read(after))
    return after


if __name__ == "__main__":
    pages = sys.argv[1:] or console.PAGES
    for each in pages:
        rewrite_console(each)
    if PAGE in pages:
        asyncio.run(rewrite_transcripts())
