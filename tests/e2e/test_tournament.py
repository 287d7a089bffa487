"""A Swiss of twelve on a real server, of people, programs and bots; it is killed in the first round."""

import asyncio
import random
import sys
from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from parlour_client import Client, connect
from parlour_protocol.views.tournaments import TournamentView
from tests.support.server import ROOT, ServerProcess

PEOPLE = ("Ada", "Ben", "Cyd")
PROGRAMS = ("Dot", "Eve", "Fay")
BUILT_IN = ("random", "easy", "medium", "hard")
FILES = ("Gil", "Hal")
ROUNDS = 2
SECONDS = 240


async def take_part(parlour: Client, code: str, dice: random.Random, *, program: bool = False) -> None:
    """Join, and play each game as it comes, by chance."""
    await parlour.join_tournament(code, program=program)
    been: set[str] = set()
    async for view in parlour.follow_tournament(code):
        if view.phase == "over":
            return
        if view.room is not None and view.room not in been:
            been.add(view.room)
            room = await parlour.join(view.room, program=program)
            while await room.wait_for_turn():
                await asyncio.sleep(dice.uniform(0.02, 0.1))
                await room.play(dice.choice(room.legal_moves))
            await room.unwatch()


@pytest.mark.long
async def test_a_swiss_of_twelve_goes_on_to_its_end_though_the_server_is_killed(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "rooms.db", "--search-executor", "thread")
    files: list[asyncio.subprocess.Process] = []
    try:
        await server.start()
        async with asyncio.timeout(SECONDS), AsyncExitStack() as stack:
            host = await stack.enter_async_context(connect(server.url, "Hanna"))
            code = await host.create_tournament("Cup", "tictactoe", rounds=ROUNDS, pause=0.2)
            for bot in BUILT_IN:
                await host.enter_bot(code, bot)
            for name in FILES:
                files.append(
                    await asyncio.create_subprocess_exec(
                        *(sys.executable, "-m", "parlour_client", "bot", ROOT / "examples/random_bot.py"),
                        *("--tournament", code, "--server", server.url, "--as", name),
                        env={"PARLOUR_CONFIG": str(tmp_path), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
                        stdout=asyncio.subprocess.DEVNULL,
                    )
                )
            playing = []
            for name in (*PEOPLE, *PROGRAMS):
                one = await stack.enter_async_context(connect(server.url, name))
                dice = random.Random(name)
                playing.append(asyncio.create_task(take_part(one, code, dice, program=name in PROGRAMS)))
            views = host.follow_tournament(code)
            async for view in views:
                if len(view.entrants) == 12:
                    break
            await host.start_tournament(code)
            async for view in views:
                if any(one.state == "playing" for one in view.boards):
                    break
            await server.kill()
            await server.start()
            await asyncio.gather(*playing)
            check(
                await host.tournament(code),
                [await host.tournament(code, round=n) for n in range(1, ROUNDS + 1)],
            )
            assert [await one.wait() for one in files] == [0, 0]
    finally:
        for file in files:
            if file.returncode is None:
                file.kill()
        await server.kill()


def check(view: TournamentView, rounds: list[TournamentView]) -> None:
    assert (view.phase, view.round, len(view.entrants)) == ("over", ROUNDS, 12)
    boards = [board for one in rounds for board in one.boards]
    assert len(boards) == 6 * ROUNDS
    assert max(Counter(frozenset((one.first, one.second)) for one in boards).values()) == 1
    # Each was played, once, and nobody lost by the server's fault.
    assert [one.score for one in boards if one.forfeit] == []
    assert [len(one.rooms) for one in boards] == [1] * len(boards)
    assert len({one.rooms[0] for one in boards}) == len(boards)
    assert sum(one.points for one in view.entrants) == 6 * ROUNDS
    assert {one.wins + one.draws + one.losses for one in view.entrants} == {ROUNDS}
    assert [one.rank for one in view.entrants] == sorted(one.rank for one in view.entrants)
