"""kill -9 at every write of a scripted game, right before it and right after it.

The server ends itself so, in the thread that writes; a second one takes its place on the same file.
"""

import asyncio
from pathlib import Path

import pytest

from parlour_client.sdk.connection import Connection
from parlour_client.sdk.identity import GuestIdentity
from parlour_client.sdk.messages import Update
from parlour_client.sdk.requests import new_id
from parlour_protocol import commands
from parlour_protocol.events import Event, Snapshot
from parlour_server.room.state import RoomState, evolve
from tests.support.history import Client, check, read_log
from tests.support.server import ServerProcess
from tests.support.waiting import within

MOVES = ["a1", "b1", "a2", "b2", "a3"]
WRITES = (1, 2, 3, 5, 3 + len(MOVES))
"""Make the room, sit down, sit down, a move, and the last one."""


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("number", WRITES)
async def test_18_nothing_is_shown_that_a_kill_at_a_write_could_take_back(
    tmp_path: Path, number: int, when: str
) -> None:
    server = ServerProcess(tmp_path / "rooms.db", "--search-executor", "thread")
    server.program = ("tests.e2e.dying", str(number), when)
    diaries = [Client("Ada"), Client("Ben")]
    try:
        await server.start()
        async with asyncio.timeout(60):
            script = asyncio.create_task(_play(server.url, diaries))
            code = await server.ended()
            server.program = ServerProcess.program
            await server.start()
            await script
        assert code == -9
        assert await server.stop() == 0
    finally:
        await server.kill()
    log = await read_log(tmp_path / "rooms.db")
    check(diaries, log)
    ((room, records),) = log.items()
    state = RoomState(room)
    for record in records:
        evolve(state, record)
    assert [played.move for played in state.moves] == MOVES
    assert (state.wins, state.phase) == ([1, 0], "finished")
    # The same command, asked again after the kill, was done once.
    assert len(records) == 1 + 1 + 2 + len(MOVES) + 1


async def _play(url: str, diaries: list[Client]) -> None:
    people = [
        Connection(
            url, GuestIdentity(diary.name), journal=diary.journal, pause=lambda longest: min(longest, 0.05)
        )
        for diary in diaries
    ]
    async with people[0], people[1]:
        made = await people[0].request(commands.CreateRoom(id=new_id(), game="tictactoe"))
        readers = [
            asyncio.create_task(_read(person, diary)) for person, diary in zip(people, diaries, strict=True)
        ]
        for person in people:
            await person.request(commands.TakeSeat(id=new_id(), room=made.room))
        for ply, move in enumerate(MOVES):
            await people[ply % 2].request(
                commands.PlayMove(id=new_id(), room=made.room, version=4 + ply, move=move)
            )
        # Until both have seen the end.
        await within(20, lambda: all(_seen(diary) == 4 + len(MOVES) + 1 for diary in diaries))
        for reader in readers:
            reader.cancel()
        await asyncio.gather(*readers, return_exceptions=True)


async def _read(person: Connection, diary: Client) -> None:
    async for received in person:
        _note(diary, received)


def _note(diary: Client, received: Update) -> None:
    diary.saw(received)


def _seen(diary: Client) -> int:
    return max((one.version for one in diary.seen if isinstance(one, Snapshot | Event)), default=0)
