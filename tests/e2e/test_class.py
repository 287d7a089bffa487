"""A class of forty behind one school's address: what the defaults let them do, and a stranger not.

They all play, host, ask for hints and look at the lobby, and all come back at once after a restart.
"""

import asyncio
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from websockets.exceptions import InvalidStatus

from parlour_server.net.peers import FORWARDED
from parlour_server.net.site import own_site
from parlour_server.settings import ServerSettings
from tests.support.client import Message, RawClient, raw
from tests.support.server import serving

PUPILS = 40
SECONDS = 20
SCHOOL, STRANGER, FRIEND = "203.0.113.7", "198.51.100.1", "198.51.100.2"
DEFAULTS = {
    name: ServerSettings.model_fields[name].default
    for name in ("messages_per_second", "rooms_per_minute", "player_milliseconds")
}
"""The limits that servers of other tests don't have."""


def settings(**given: Any) -> dict[str, Any]:
    return {**DEFAULTS, "trusted_proxy": ["127.0.0.1"], **given}


async def arrive(stack: AsyncExitStack, url: str, address: str = SCHOOL) -> RawClient:
    return await stack.enter_async_context(raw(url, additional_headers={FORWARDED: address}))


async def patiently(client: RawClient, kind: str, **fields: Any) -> Message:
    """Ask as all our clients do: where the server says when to come back, then."""
    while (answer := await client.ask(kind, **fields))["type"] == "refused" and "retry_after" in answer:
        # The searches have a queue; nobody is kept from a seat, a room or a move.
        assert kind == "hint", answer
        await asyncio.sleep(answer["retry_after"])
    assert answer["type"] != "refused", answer
    return answer


async def pair(ada: RawClient, ben: RawClient) -> str:
    """One hosts for the other; they play, and ask what to play."""
    await asyncio.gather(patiently(ada, "rooms", subscribe=True), patiently(ben, "rooms", subscribe=True))
    private = {"visibility": "private", "hints": "always"}
    room: str = (await patiently(ada, "create", game="tictactoe", settings=private))["room"]
    for client in (ada, ben):
        await patiently(client, "sit", room=room)
    for ply, move in enumerate(("b2", "a1", "a2")):
        version = (await patiently(ada, "subscribe", room=room))["version"]
        await patiently((ada, ben)[ply % 2], "play", room=room, version=version, move=move)
    await asyncio.gather(patiently(ben, "hint", room=room), patiently(ada, "bots"))
    return room


async def test_a_class_behind_one_address_plays_hosts_asks_and_comes_back(tmp_path: Path) -> None:
    given = settings(data=str(tmp_path / "rooms.db"))
    async with serving(**given) as url, AsyncExitStack() as stack:
        pupils = await asyncio.gather(*(arrive(stack, url) for _ in range(PUPILS)))
        welcomes = await asyncio.gather(
            *(
                patiently(one, "hello", protocols=[1], name=f"Pupil {number}")
                for number, one in enumerate(pupils)
            )
        )
        tokens = [welcome["token"] for welcome in welcomes]
        rooms = await asyncio.gather(*(pair(*two) for two in zip(pupils[::2], pupils[1::2], strict=True)))
    async with serving(**given) as url, AsyncExitStack() as stack:
        # All at once, and each with a second terminal.
        again = await asyncio.gather(*(arrive(stack, url) for _ in range(2 * PUPILS)))
        for number, welcome in enumerate(
            await asyncio.gather(
                *(
                    patiently(one, "hello", protocols=[1], name="Pupil", token=tokens[number % PUPILS])
                    for number, one in enumerate(again)
                )
            )
        ):
            assert welcome["player"] == welcomes[number % PUPILS]["player"]
        for number, one in enumerate(again[:PUPILS]):
            await patiently(one, "subscribe", room=rooms[number // 2])
        back = [await one.until(lambda message: message["type"] == "snapshot") for one in again[:PUPILS]]
        assert [snapshot["view"]["you"] for snapshot in back] == [0, 1] * (PUPILS // 2)


class Fetch:
    """A request for a file of the page, on a connection of its own as browsers make it."""

    def __init__(self, url: str, path: str, address: str = SCHOOL) -> None:
        self._url, self._path, self._address = url, path, address

    async def ask(self) -> None:
        """Connect and ask; nothing is read yet, so that the connection stays."""
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", urlsplit(self._url).port)
        head = f"GET {self._path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n"
        self._writer.write(f"{head}{FORWARDED}: {self._address}\r\n\r\n".encode())

    async def status(self) -> int:
        """Read all of the answer; gives its status."""
        async with asyncio.timeout(SECONDS):
            answer = await self._reader.read()
        self._writer.close()
        return int(answer.split(b" ")[1])


async def test_a_flood_for_files_ends_and_nobody_else_notices() -> None:
    async with serving(**settings(address_handshakes_per_minute=30.0)) as url, AsyncExitStack() as stack:
        paths = own_site().paths

        async def flood() -> int:
            refused = 0
            for number in range(5000):
                fetch = Fetch(url, paths[number % len(paths)], STRANGER)
                await fetch.ask()
                refused += await fetch.status() == 429
                if refused == 100:
                    break
            return refused

        flooding = asyncio.create_task(flood())
        friends = [await arrive(stack, url, FRIEND) for _ in range(2)]
        for friend in friends:
            await patiently(friend, "hello", protocols=[1], name="Ada")
        await pair(*friends)
        assert await flooding == 100
        assert (await patiently(friends[0], "rooms"))["type"] == "rooms"


async def test_a_stranger_takes_their_share_and_no_more() -> None:
    """Within seconds: connections, players, rooms and codes; and who waits in a room waits on in it."""
    limits = settings(rooms=60, address_rooms=20, address_connections=30, address_players_per_minute=10.0)
    async with serving(**limits) as url, AsyncExitStack() as stack:
        friend = await arrive(stack, url, FRIEND)
        await patiently(friend, "hello", protocols=[1], name="Ada")
        waiting = (await patiently(friend, "create", game="tictactoe"))["room"]
        await patiently(friend, "sit", room=waiting)

        crowd: list[RawClient] = []
        turned_away = 0
        for _ in range(40):
            try:
                crowd.append(await arrive(stack, url, STRANGER))
            except InvalidStatus as refused:
                assert refused.response.status_code == 429
                turned_away += 1
        assert (len(crowd), turned_away) == (30, 10)
        known = []
        for one in crowd:
            answer = await one.hello("Eve")
            if answer["type"] == "welcome":
                known.append(one)
            else:
                assert answer["code"] == "too_fast"
        assert 20 <= len(known) < 30
        made = []
        for one in known[:20]:
            for _ in range(2):
                answer = await one.ask("create", game="tictactoe")
                if answer["type"] == "accepted":
                    made.append(answer["room"])
                    await one.ask("subscribe", room=answer["room"])
        assert len(made) == 20
        wrong, begun = 0, time.monotonic()
        while (await known[wrong % len(known)].ask("subscribe", room=code(wrong)))["code"] == "unknown_room":
            wrong += 1
        # Two minutes' worth at once, and then as many as time brings.
        assert wrong <= 200 * (2 + (time.monotonic() - begun) / 60) + 1
        # A friend notices none of it.
        lines = (await patiently(friend, "rooms"))["rooms"]
        assert waiting in [line["room"] for line in lines]
        assert len(lines) == 21
        second = await arrive(stack, url, FRIEND)
        await patiently(second, "hello", protocols=[1], name="Ben")
        await patiently(second, "sit", room=waiting)


def code(number: int) -> str:
    letters = "ABCDEFGHJK"
    return "ZZZ" + "".join(letters[int(digit)] for digit in f"{number:03}")
