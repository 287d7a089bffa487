"""Honest people in a process of their own: what they wait for, and what they lose.

Twenty rooms play, one against an easy bot and one against a hard one with a clock; twice a second a newcomer
opens a room and looks for it in the list; somebody's connection breaks now and then; and some wait for a
friend, of whom half have a broken connection meanwhile. Everybody has an address of their own.
"""

import asyncio
import contextlib
import itertools
import random
import sys
import time
from typing import Any

from pydantic_core import to_jsonable_python

from bench.attack.processes import lines, say
from parlour_client.load.histogram import Histogram
from parlour_client.load.plan import Outcome
from parlour_client.load.player import CommandRefused, Player
from parlour_client.load.room import Room
from parlour_client.sdk.requests import new_id
from parlour_protocol.commands import AskedSettings, CreateRoom, ListRooms, PlayerAction, TakeSeat

ROOMS = 20
PAUSE_SECONDS = 0.1
NEWCOMER_SECONDS = 0.5
PATIENCE_SECONDS = 5.0
OPEN_SECONDS = 30.0
WAITERS = 4

_addresses = itertools.count(1)


def own_address() -> dict[str, str]:
    """The header by which a trusted proxy names an address: another one each time."""
    number = next(_addresses)
    return {"X-Forwarded-For": f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"}


class People:
    """Everybody honest, on one server."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.phases: dict[str, Outcome] = {}
        self.arrivals: dict[str, Histogram] = {}
        self.missed: dict[str, list[str]] = {}
        self.outcome = Outcome()
        self._phase = "rest"
        self._random = random.Random(1)
        clock = AskedSettings(clock="5+1")
        fast = {"url": url, "pause": PAUSE_SECONDS}
        self.rooms = [
            *(
                Room(number=number, outcome=self.outcome, headers=own_address(), **fast)  # type: ignore[arg-type]
                for number in range(ROOMS)
            ),
            Room(url, 100, self.outcome, bot="easy", pause=PAUSE_SECONDS, headers=own_address()),
            Room(
                url,
                101,
                self.outcome,
                game="connect4",
                bot="hard:time=0.2",
                pause=PAUSE_SECONDS,
                settings=clock,
                headers=own_address(),
            ),
        ]
        self._waiting: list[tuple[str, Player]] = []
        self._visits: set[asyncio.Task[None]] = set()
        """Of newcomers who have not found their room yet."""

    async def open(self) -> None:
        """Have all rooms play, and some people wait."""
        await asyncio.gather(*(room.open(OPEN_SECONDS) for room in self.rooms))
        for number in range(WAITERS):
            waiter = Player(self.url, f"Waiter {number}", Outcome(), headers=own_address())
            self._waiting.append((await self._new_room(waiter), waiter))
            if number % 2:
                waiter.close()
        for room in self.rooms:
            room.run()

    def turn_to(self, phase: str) -> None:
        """Count for another phase from now on; `rest` counts nowhere."""
        for room in self.rooms:
            room.cut()
        self._phase = phase
        self.outcome = self.phases.setdefault(phase, Outcome())
        for room in self.rooms:
            room.count_in(self.outcome, measured=phase != "rest")

    async def arrive(self) -> None:
        """Newcomers, one after the other, until it is cancelled."""
        for number in itertools.count():
            visit = asyncio.create_task(self._visit(number))
            # The loop itself holds a task by a weak reference alone.
            self._visits.add(visit)
            visit.add_done_callback(self._visits.discard)
            await asyncio.sleep(NEWCOMER_SECONDS)
            if number % 2:
                self._random.choice(self._random.choice(self.rooms[:ROOMS]).players).drop()

    async def _visit(self, number: int) -> None:
        phase, begun = self._phase, time.monotonic()
        newcomer = Player(self.url, f"Newcomer {number}", self.outcome, headers=own_address())
        why = "could not open a room"
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                code = await self._new_room(newcomer)
                why = "did not find their room in the list"
                rooms = (await newcomer.ask(ListRooms(id=new_id())))["rooms"]
                if code not in [room["room"] for room in rooms]:
                    raise CommandRefused({"message": why})
                await newcomer.ask(PlayerAction(id=new_id(), room=code, type="close"))
        except (CommandRefused, TimeoutError) as error:
            self.missed.setdefault(phase, []).append(f"newcomer {why}: {error or 'no answer'}")
        else:
            self.arrivals.setdefault(phase, Histogram()).add(time.monotonic() - begun)
        newcomer.close()

    async def _new_room(self, player: Player) -> str:
        await player.open(OPEN_SECONDS)
        code: str = (await player.ask(CreateRoom(id=new_id(), game="tictactoe")))["room"]
        await player.ask(TakeSeat(id=new_id(), room=code, seat=0))
        return code

    async def end(self) -> dict[str, Any]:
        """Let everything come to rest, and check what all of them have seen; gives what was found."""
        self.turn_to("rest")
        for room in self.rooms:
            room.halt()
        await asyncio.gather(*self._visits, *(room.rest() for room in self.rooms))
        await asyncio.gather(*(room.check() for room in self.rooms))
        gone = []
        for code, waiter in self._waiting:
            friend = Player(self.url, "Friend", Outcome(), headers=own_address())
            try:
                await friend.open(PATIENCE_SECONDS)
                await friend.ask(TakeSeat(id=new_id(), room=code, seat=1), PATIENCE_SECONDS)
            except (CommandRefused, TimeoutError) as error:
                gone.append(f"a waiting room is gone: {error or 'no answer'}")
            friend.close()
            waiter.close()
        for room in self.rooms:
            room.close()
        return {
            "phases": to_jsonable_python(self.phases),
            "arrivals": to_jsonable_python(self.arrivals),
            "missed": self.missed,
            "gone": gone,
            "faults": self.outcome.faults,
        }


async def main(url: str) -> None:
    people = People(url)
    await people.open()
    arriving = asyncio.create_task(people.arrive())
    say({"ready": [room.code for room in people.rooms]})
    async for word in lines():
        if word == "end":
            break
        people.turn_to(word)
        say({"phase": word})
    arriving.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await arriving
    say(await people.end())


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
