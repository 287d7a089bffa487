"""A client that is only JSON and a socket, so that a fault of ours on one side can't hide on the other.

Every message received is checked against the protocol's JSON Schema, and has the fields that the web page's
types say are always there.
"""

import asyncio
import contextlib
import itertools
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

from jsonschema import Draft202012Validator
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from parlour_protocol import SUBPROTOCOL
from parlour_protocol.codec import UNASKED
from parlour_protocol.messages import types_of
from parlour_protocol.schema import json_schema
from scripts.page_types import said

Message = dict[str, Any]
SECONDS = 20

_definitions = said(json_schema()["$defs"])
_names = [one["$ref"].rpartition("/")[2] for one in _definitions["ToClient"]["oneOf"]]
_to_client = {
    _definitions[name]["properties"]["type"]["const"]: Draft202012Validator(
        {"$ref": f"#/$defs/{name}", "$defs": _definitions}
    )
    for name in _names
}
"""For each type of message what its schema says: a type tells which one of them all a message has to be."""
_UNASKED = {name for kind in UNASKED for name in types_of(kind)}
_ids = itertools.count(1)


class RawClient:
    """One connection. `received` keeps everything, `ask` waits for an answer, `until` for what fits."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.received: list[Message] = []
        self._looked_at = 0

    async def receive(self) -> Message:
        async with asyncio.timeout(SECONDS):
            text = await self.socket.recv()
        assert isinstance(text, str)
        message: Message = json.loads(text)
        _to_client[message["type"]].validate(message)
        self.received.append(message)
        return message

    async def ask(self, kind: str, **fields: Any) -> Message:
        command = {"id": f"id{next(_ids)}", **fields, "type": kind}
        return await self.send_and_wait(json.dumps(command), command["id"])

    async def send_and_wait(self, text: str, command_id: str | None) -> Message:
        await self.socket.send(text)
        while True:
            message = await self.receive()
            if message.get("id") == command_id and message["type"] not in _UNASKED:
                return message

    async def until(self, fits: Callable[[Message], bool]) -> Message:
        """The next message, received already or to come, that fits and was not given before."""
        while True:
            while self._looked_at < len(self.received):
                message = self.received[self._looked_at]
                self._looked_at += 1
                if fits(message):
                    return message
            await self.receive()

    async def event(self, kind: str) -> Message:
        """The next event of a kind."""
        return await self.until(
            lambda message: message["type"] == "event" and message["event"]["kind"] == kind
        )

    async def hello(self, name: str = "Ada", **fields: Any) -> Message:
        return await self.ask("hello", protocols=[1], name=name, **fields)

    def refusals(self) -> list[str]:
        return [message["code"] for message in self.received if message["type"] == "refused"]


@contextlib.asynccontextmanager
async def raw(url: str, **options: Any) -> AsyncIterator[RawClient]:
    """A connection that has not said hello."""
    async with connect(url, subprotocols=[Subprotocol(SUBPROTOCOL)], compression=None, **options) as socket:
        yield RawClient(socket)


@contextlib.asynccontextmanager
async def player(url: str, name: str = "Ada", **fields: Any) -> AsyncIterator[RawClient]:
    """A connection of a player who has been welcomed."""
    async with raw(url) as client:
        welcome = await client.hello(name, **fields)
        assert welcome["type"] == "welcome", welcome
        yield client
