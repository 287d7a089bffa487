"""kill -9 at random moments, again and again, while people and bots play: nothing acknowledged is lost.

KILLS=200 in the environment has it done so often: some four seconds each.
"""

import asyncio
import os
import random
from pathlib import Path

from parlour_client.sdk.connection import Connection
from parlour_client.sdk.identity import GuestIdentity
from parlour_client.sdk.requests import new_id
from parlour_protocol import commands
from parlour_server.room.state import RoomState, evolve
from tests.e2e.people import Person
from tests.server.process import nobody_is_left
from tests.support.history import check, read_log
from tests.support.server import ServerProcess

SEED = int(os.environ.get("SEED", "20"))
KILLS = int(os.environ.get("KILLS", "4"))
PEOPLE_ROOMS, BOT_ROOMS, GAMES_A_ROOM = 16, 4, KILLS
"""So many games that about as many kills fit between their answers."""
SECONDS = 60 + 10 * KILLS


async def test_no_acknowledged_move_is_lost_or_doubled_by_kill_9(tmp_path: Path) -> None:
    dice = random.Random(SEED)
    server = ServerProcess(tmp_path / "rooms.db")
    try:
        await _play_through_kills(server, tmp_path / "rooms.db", dice)
    finally:
        await server.kill()


async def _play_through_kills(server: ServerProcess, data: Path, dice: random.Random) -> None:
    await server.start()
    sessions = [server.pid]
    people: list[Person] = []
    async with asyncio.timeout(SECONDS), Connection(server.url, GuestIdentity("Host")) as host:

        async def room(number: int) -> None:
            made = await host.request(
                commands.CreateRoom(id=new_id(), game="tictactoe", settings=commands.AskedSettings(pace=0.0))
            )
            names = [f"P{number}a"] if number >= PEOPLE_ROOMS else [f"P{number}a", f"P{number}b"]
            here = [Person(name, server.url, dice.randrange(2**32)) for name in names]
            people.extend(here)
            if len(here) == 1:
                await host.request(commands.AddBot(id=new_id(), room=made.room, bot="alphabeta"))
            async with asyncio.TaskGroup() as group:
                for person in here:
                    group.create_task(one(person, made.room))

        async def one(person: Person, code: str) -> None:
            async with person.connected():
                await person.play(code, GAMES_A_ROOM)

        kills = 0
        games = asyncio.gather(*(room(number) for number in range(PEOPLE_ROOMS + BOT_ROOMS)))
        while not games.done():
            # After so many more answers: a fast machine must not get through between two kills.
            due = sum(len(person.diary.answers) for person in people) + dice.randint(40, 200)
            while sum(len(person.diary.answers) for person in people) < due and not games.done():
                await asyncio.wait([games], timeout=0.01)
            await asyncio.wait([games], timeout=dice.uniform(0, 0.05))
            if not games.done():
                await server.kill()
                kills += 1
                await server.start()
                sessions.append(server.pid)
        await games
    assert await server.stop() == 0
    for session in sessions:
        await nobody_is_left(session)

    log = await read_log(data)
    check([person.diary for person in people], log)
    finished = 0
    for code, records in log.items():
        state = RoomState(code)
        for record in records:
            evolve(state, record)
        assert state.phase == "finished"
        finished += sum(state.wins) + state.draws
    assert finished == (PEOPLE_ROOMS + BOT_ROOMS) * GAMES_A_ROOM
    for person in people:
        assert person.view["phase"] == "finished"
    # Else the run was too calm to show anything.
    assert kills > KILLS / 2
    assert sum(person.diary.resent for person in people) > 0
