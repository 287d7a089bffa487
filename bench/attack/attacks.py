"""The attacks: each runs until it is cancelled, from a process that is nicer than the others.

An attacker on another machine would not take the server's processor, so ours gives way to it.
"""

import asyncio
import contextlib
import json
import os
import random
import socket
import struct
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from bench.attack.attacker import ONE_ADDRESS, Attacker, some_address
from bench.attack.floods import FLOODS
from bench.attack.processes import lines, say
from parlour_protocol.ids import CODE_ALPHABET, CODE_LENGTH

POLITE = 0.06
"""Seconds between the messages of a polite connection: less than 20 a second."""
BOARD = 15
REPORTED = 64
"""Candidates in a program's report, as many as it may have."""


@dataclass(slots=True)
class Field:
    """Where an attack takes place."""

    url: str
    codes: list[str]
    """The honest people's rooms."""
    did: Counter[str] = field(default_factory=Counter)
    long_room: str = ""
    long_moves: list[str] = field(default_factory=list)
    attackers: list[Attacker] = field(default_factory=list)
    sockets: list[socket.socket] = field(default_factory=list)

    async def attacker(self, address: str = ONE_ADDRESS, name: str | None = None) -> Attacker | None:
        """Somebody new; None where the server won't have them."""
        attacker = Attacker(self.did)
        self.attackers.append(attacker)
        return attacker if await attacker.come(self.url, address, name) else None

    async def polite(self, count: int, message: Callable[[], dict[str, Any]], *, spread: bool) -> None:
        """So many connections, each of which asks the same over and over, as fast as is polite.

        `spread`: over as many addresses.
        """

        async def one() -> None:
            while True:
                attacker = await self.attacker(some_address() if spread else ONE_ADDRESS)
                if attacker is None:
                    await asyncio.sleep(0.2)
                    continue
                while not attacker.lost.is_set():
                    answer = await attacker.ask(message())
                    wait = POLITE if answer is None else answer.get("retry_after", POLITE)
                    await asyncio.sleep(max(POLITE, min(wait, 5.0)))

        await asyncio.gather(*(one() for _ in range(count)))

    def clear(self) -> None:
        """Hang up everything."""
        for attacker in self.attackers:
            attacker.leave()
        for one in self.sockets:
            one.close()
        self.attackers, self.sockets = [], []


async def prepare_long_game(field_: Field) -> None:
    """Play a game of gomoku to the last cell, in which each move has a report on many others."""
    cells = [(row, column) for row in range(BOARD) for column in range(BOARD)]
    # Pairs that are shifted from row to row: nobody ever has five in a line.
    sides = [[f"{chr(97 + c)}{r + 1}" for r, c in cells if (c + 2 * r) // 2 % 2 == side] for side in (0, 1)]
    names = [f"{chr(97 + c)}{r + 1}" for r, c in cells]
    score = {"kind": "estimate", "points": 1.5}
    attackers = [await field_.attacker("198.51.100.7"), await field_.attacker("198.51.100.7")]
    first = attackers[0]
    assert first is not None
    settings = {"starts": "first"}
    created = await first.ask({"type": "create", "game": "gomoku", "settings": settings})
    assert created is not None
    field_.long_room = created["room"]
    version = 0
    for seat, attacker in enumerate(attackers):
        assert attacker is not None
        sat = await attacker.ask({"type": "sit", "room": field_.long_room, "seat": seat, "program": True})
        version = (sat or {}).get("version", version)
    for moves in zip(*sides, strict=False):
        for attacker, move in zip(attackers, moves, strict=True):
            assert attacker is not None
            report = {
                "candidates": [{"move": one, "score": score} for one in names[:REPORTED]],
                "nodes": 10**6,
            }
            play = {
                "type": "play",
                "room": field_.long_room,
                "version": version,
                "move": move,
                "report": report,
            }
            answer = await attacker.ask(play)
            if answer is None or answer["type"] != "accepted":
                raise RuntimeError(f"the long game broke off: {answer}")
            version = answer["version"]
            field_.long_moves.append(move)
            await asyncio.sleep(POLITE / 2)
    thoughts = await first.ask({"type": "thoughts", "room": field_.long_room})
    refused = {name: count for name, count in field_.did.items() if name.startswith("refused")}
    field_.did.clear()
    field_.did[
        f"{len(field_.long_moves)} moves, {len(json.dumps(thoughts)) // 1024} KB of thoughts {refused or ''}"
    ] = 1
    for attacker in attackers:
        assert attacker is not None
        attacker.leave()


# ---------------------------------------------------------------- large answers


async def thoughts(field_: Field) -> None:
    """Five polite connections ask for the thoughts of a long game."""
    await field_.polite(5, lambda: {"type": "thoughts", "room": field_.long_room}, spread=False)


async def records(field_: Field) -> None:
    """Five ask for records of a long game, and for its board."""
    moves = " ".join(field_.long_moves)
    choices = [
        {"type": "record", "room": field_.long_room},
        {"type": "board", "game": "gomoku", "moves": moves},
    ]
    await field_.polite(5, lambda: random.choice(choices), spread=False)


# ---------------------------------------------------------------- searches


async def analyses(field_: Field) -> None:
    """Twenty people, each from an address of their own, ask for `analyse reversi`."""
    await field_.polite(20, lambda: {"type": "analyse", "game": "reversi"}, spread=True)


async def slow_analyses(field_: Field) -> None:
    """Forty ask for `analyse mnk:9,9,5`, which nothing is compiled for."""
    await field_.polite(40, lambda: {"type": "analyse", "game": "mnk:9,9,5"}, spread=True)


async def hints(field_: Field) -> None:
    """Ten thousand searches from one address, as fast as they are refused."""
    await field_.polite(50, lambda: {"type": "race", "game": "connect4", "depth": 12}, spread=False)


# ---------------------------------------------------------------- places


async def rooms(field_: Field) -> None:
    """One address makes as many rooms as it can and sits down in each, ten for each identity."""

    async def one() -> None:
        while True:
            attacker = await field_.attacker()
            if attacker is None:
                await asyncio.sleep(0.05)
                continue
            for _ in range(10):
                created = await attacker.ask({"type": "create", "game": "tictactoe"})
                if created is None or created["type"] == "refused":
                    break
                field_.did["rooms"] += 1
                await attacker.ask({"type": "sit", "room": created["room"]})
            attacker.leave()

    await asyncio.gather(*(one() for _ in range(10)))


async def connections(field_: Field) -> None:
    """One address opens connections and keeps them, until the server has no file handles left."""

    async def one() -> None:
        while True:
            attacker = await field_.attacker()
            await asyncio.sleep(0.5 if attacker is None else 0.0)

    await asyncio.gather(*(one() for _ in range(20)))


async def players(field_: Field) -> None:
    """New players, one after the other, thousands of them, from one address."""
    await _new_players(field_, lambda: ONE_ADDRESS)


async def many_players(field_: Field) -> None:
    """The same from as many addresses."""
    await _new_players(field_, some_address)


async def _new_players(field_: Field, address: Callable[[], str]) -> None:
    async def one() -> None:
        while True:
            attacker = await field_.attacker(address())
            if attacker is None:
                await asyncio.sleep(0.02)
            else:
                attacker.leave()

    await asyncio.gather(*(one() for _ in range(50)))


async def codes(field_: Field) -> None:
    """Guess codes, and not politely: asking for one may load a room, or make place for it."""

    async def one() -> None:
        while True:
            attacker = await field_.attacker(some_address())
            if attacker is None:
                await asyncio.sleep(0.05)
                continue
            for _ in range(30):
                code = "".join(random.choices(CODE_ALPHABET, k=CODE_LENGTH))
                await attacker.ask({"type": random.choice(("subscribe", "sit")), "room": code})
            attacker.leave()

    await asyncio.gather(*(one() for _ in range(10)))


# ---------------------------------------------------------------- messages


async def flood(field_: Field, count: int = 5) -> None:
    """Messages at ten times the limit, and back again after each cut."""

    async def one() -> None:
        while True:
            attacker = await field_.attacker()
            if attacker is None:
                await asyncio.sleep(0.1)
                continue
            while not attacker.lost.is_set():
                for _ in range(20):
                    attacker.send({"type": random.choice(("rooms", "games", "bots", "history"))})
                await asyncio.sleep(0.1)

    await asyncio.gather(*(one() for _ in range(count)))


async def deaf(field_: Field, count: int = 20) -> None:
    """Twenty who watch a room, ask for long lists, and never read."""

    async def one(code: str) -> None:
        while True:
            attacker = await field_.attacker()
            if attacker is None:
                await asyncio.sleep(0.2)
                continue
            await attacker.ask({"type": "subscribe", "room": code})
            if not attacker.lost.is_set():
                attacker.stop_reading()
            for _ in range(200):
                if attacker.lost.is_set():
                    break
                attacker.send({"type": "games"})
                await asyncio.sleep(POLITE)
            attacker.leave()

    await asyncio.gather(*(one(field_.codes[0]) for _ in range(count)))


async def half_open(field_: Field) -> None:
    """Five hundred half-open connections: half never end their handshake, half never say hello."""
    parts = urlsplit(field_.url)
    assert parts.hostname and parts.port
    head = (
        f"GET / HTTP/1.1\r\nHost: {parts.netloc}\r\nX-Forwarded-For: {ONE_ADDRESS}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: parlour.v1\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    ).encode()
    loop = asyncio.get_running_loop()
    while True:
        for number in range(500):
            one = socket.socket()
            one.setblocking(False)
            field_.sockets.append(one)
            with contextlib.suppress(OSError):
                await loop.sock_connect(one, (parts.hostname, parts.port))
                await loop.sock_sendall(one, head + b"\r\n" if number % 2 else head[: number % len(head)])
                field_.did["half-open"] += 1
        await asyncio.sleep(1.0)
        for one in field_.sockets:
            # One byte now and then, as slowloris does.
            with contextlib.suppress(OSError):
                one.send(b"X")
        await asyncio.sleep(1.0)
        for one in field_.sockets:
            one.close()
        field_.sockets = []


async def spectators(field_: Field) -> None:
    """Five hundred watch one room, from as many addresses."""

    async def one() -> None:
        while True:
            attacker = await field_.attacker(some_address())
            if attacker is not None:
                await attacker.ask({"type": "subscribe", "room": field_.codes[0]})
                await attacker.lost.wait()
            await asyncio.sleep(0.5)

    await asyncio.gather(*(one() for _ in range(500)))


async def malformed(field_: Field) -> None:
    """Messages that are too long, too deep, no JSON, binary, or not what they say."""
    bad = [
        "[" * 16_000,
        '{"id":"1","type":"say","room":"' + "A" * 20_000 + '"}',
        '{"a":' * 3000 + "1" + "}" * 3000,
        '{"id":"1","type":"play","room":"' + field_.codes[0] + '","version":true,"move":"b2"}',
        '{"id":"\\ud800","type":"rooms"}',
        '{"id":"1","id":"2","type":"create","game":NaN}',
        "\u202e" * 4000,
        "x" * 17_000,
    ]

    async def one() -> None:
        while True:
            attacker = await field_.attacker()
            if attacker is None:
                await asyncio.sleep(0.1)
                continue
            while not attacker.lost.is_set():
                attacker.raw(random.choice(bad))
                await asyncio.sleep(POLITE / 2)

    await asyncio.gather(*(one() for _ in range(10)))


async def disconnects(field_: Field) -> None:
    """Come, subscribe, and tear the connection down by a reset, as many at once as go."""

    async def one() -> None:
        while True:
            attacker = await field_.attacker(some_address())
            if attacker is None:
                await asyncio.sleep(0.1)
                continue
            attacker.send({"type": "subscribe", "room": random.choice(field_.codes)})
            raw = attacker.transport.get_extra_info("socket")
            with contextlib.suppress(OSError):
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            attacker.leave()
            field_.did["resets"] += 1

    await asyncio.gather(*(one() for _ in range(20)))


async def everything(field_: Field) -> None:
    """Two hard bots think, five hundred watch one room, twenty are deaf, five flood."""
    attacker = await field_.attacker("198.51.100.8")
    if attacker is not None:
        created = await attacker.ask(
            {"type": "create", "game": "reversi", "settings": {"pace": 0.0, "games": 50}}
        )
        for seat in (0, 1):
            command = {
                "type": "add_bot",
                "room": (created or {}).get("room", "-"),
                "bot": "hard",
                "seat": seat,
            }
            await attacker.ask(command)
    await asyncio.gather(spectators(field_), deaf(field_), flood(field_))


ATTACKS: dict[str, Callable[[Field], Awaitable[None]]] = {
    one.__name__: one
    for one in (
        thoughts, records, analyses, slow_analyses, hints, rooms, connections, players, many_players, codes,
        flood, deaf, half_open, spectators, malformed, disconnects, everything, *FLOODS,
    )
}  # fmt: skip

NEED_A_LONG_GAME = frozenset({"thoughts", "records"})


async def main(name: str, url: str, honest: list[str]) -> None:
    field_ = Field(url, honest)
    if name in NEED_A_LONG_GAME:
        await prepare_long_game(field_)
    say({"ready": name})
    task: asyncio.Future[None] | None = None
    async for word in lines():
        if word == "on":
            task = asyncio.ensure_future(ATTACKS[name](field_))
        elif word == "off":
            assert task is not None
            broken = None
            if task.done() and not task.cancelled():
                broken = repr(task.exception())
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await task
            field_.clear()
            say({"off": dict(field_.did), "broken": broken})
        else:
            break


if __name__ == "__main__":
    os.nice(10)
    asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3].split(",")))
