"""An attacker's connection: it sends what it likes, as often as it likes, and needs not read."""

import asyncio
import itertools
from collections import Counter
from typing import Any

from pydantic_core import from_json, to_json

from parlour_client.load.connection import Connection, Unreachable, connect
from parlour_protocol import PROTOCOL_VERSION

ONE_ADDRESS = "203.0.113.9"
SECONDS = 20.0

_numbers = itertools.count(1)


def some_address() -> str:
    """One of many addresses: another each time."""
    number = next(_numbers)
    return f"198.18.{number >> 8 & 255}.{number & 255}"


class Attacker:
    """One connection. `lost` is set when it is over."""

    def __init__(self, did: Counter[str]) -> None:
        self.did = did
        self.lost = asyncio.Event()
        self.received = 0
        self._connection: Connection | None = None
        self._asked: dict[str, asyncio.Future[dict[str, Any]]] = {}

    async def come(self, url: str, address: str = ONE_ADDRESS, name: str | None = None) -> bool:
        """Connect and say hello as somebody new; False: the server would not have it."""
        try:
            headers = {"X-Forwarded-For": address}
            self._connection = await connect(url, self._on_text, self._on_lost, headers)
        except Unreachable as error:
            self.did[f"kept out ({error.code})"] += 1
            return False
        hello = {
            "type": "hello",
            "protocols": [PROTOCOL_VERSION],
            "name": name or f"Attacker {next(_numbers)}",
        }
        welcome = await self.ask(hello)
        if welcome is None or welcome["type"] != "welcome":
            self.did["hello refused" if welcome else "cut"] += 1
            self.leave()
            return False
        self.did["connections"] += 1
        return True

    def send(self, message: dict[str, Any]) -> str:
        """Write a command; gives its id."""
        command = f"f{next(_numbers)}"
        self.raw(to_json({"id": command, **message}).decode())
        return command

    def raw(self, text: str) -> None:
        if self._connection is not None and not self.lost.is_set():
            self._connection.send(text)
            self.did["messages"] += 1

    async def ask(self, message: dict[str, Any], seconds: float = SECONDS) -> dict[str, Any] | None:
        """Send a command and wait for what comes of it; None where that takes too long, or is lost."""
        command = self.send(message)
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._asked[command] = answer
        lost = asyncio.create_task(self.lost.wait())
        done, _ = await asyncio.wait((answer, lost), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        lost.cancel()
        self._asked.pop(command, None)
        if answer not in done:
            return None
        found = answer.result()
        self.did["answered" if found["type"] != "refused" else f"refused: {found['code']}"] += 1
        return found

    def stop_reading(self) -> None:
        """Be deaf from now on."""
        assert self._connection is not None
        self._connection.transport.pause_reading()

    @property
    def transport(self) -> asyncio.Transport:
        assert self._connection is not None
        return self._connection.transport

    def leave(self) -> None:
        """Hang up without a goodbye."""
        if self._connection is not None:
            self._connection.abort()
        self.lost.set()

    def _on_text(self, text: bytes) -> None:
        self.received += 1
        if not self._asked:
            return
        message = from_json(text)
        answer = self._asked.get(message.get("id") or "")
        if answer is not None and not answer.done():
            answer.set_result(message)

    def _on_lost(self, why: str) -> None:
        self.did["cut"] += 1
        self.lost.set()
