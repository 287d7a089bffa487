"""examples/client.mjs, run in Node against a real server: it plays a whole game, and says who may do what."""

import asyncio
import contextlib
import re
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import AsyncIterator

import pytest

from tests.docs.markdown import ROOT, blocks, page
from tests.support.client import player
from tests.support.needs import node
from tests.support.server import serving

CLIENT = ROOT / "examples/client.mjs"
SECONDS = 30


@contextlib.asynccontextmanager
async def client(url: str, *options: str) -> AsyncIterator[Process]:
    """The client in a process of its own, ended when it is no longer needed."""
    process = await asyncio.create_subprocess_exec(
        node(), str(CLIENT), "--server", url, *options, stdin=PIPE, stdout=PIPE, stderr=STDOUT
    )
    try:
        async with asyncio.timeout(SECONDS):
            yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def until(process: Process, text: str) -> str:
    """What it prints, up to the line with this text."""
    assert process.stdout is not None
    printed = ""
    try:
        while text not in printed:
            line = (await process.stdout.readline()).decode()
            assert line, f"it ended before {text!r}: {printed}"
            printed += line
    except asyncio.CancelledError:
        raise AssertionError(f"{text!r} did not come: {printed}") from None
    return printed


def type_in(process: Process, line: str) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{line}\n".encode())


@pytest.mark.parametrize("game", ["tictactoe", "connect4"])
async def test_it_plays_a_whole_game_against_a_bot_by_chance(game: str) -> None:
    async with (
        serving() as url,
        client(url, "--create", game, "--bot", "random", "--random") as node,
    ):
        printed = (await node.communicate())[0].decode()
    assert node.returncode == 0, printed
    assert re.search(r"^  (Guest|random|Nobody) won: ", printed, re.MULTILINE), printed
    assert re.search(r"^  \* Guest, to move: play, hint, .*abort, resign, say$", printed, re.MULTILINE)
    assert "    Spectators: say" in printed
    versions = [int(version) for version in re.findall(r"version (\d+)", printed)]
    assert versions == list(range(2, versions[-1] + 1))


async def test_a_person_types_moves_and_actions() -> None:
    async with serving() as url, player(url, "Ben") as ben:
        room = (await ben.ask("create", game="tictactoe"))["room"]
        await ben.ask("sit", room=room, seat=0)
        async with client(url, "--join", room, "--name", "Ada") as node:
            await until(node, "playing")
            version = (await ben.event("game_started"))["version"]
            type_in(node, "a1")
            assert "A move (a3 b3 c3 a2 b2 c2 a1 b1 c1), quit, or one of: " in await until(node, "or one")
            await ben.ask("play", room=room, version=version, move="b2")
            await until(node, "* Ada, to move: play")
            type_in(node, "b2")
            await until(node, "or one of: play")
            type_in(node, "a1")
            assert (await ben.until(lambda one: one["type"] == "event" and one["version"] == 6))["event"] == {
                "kind": "move_played",
                "seat": 1,
                "move": "a1",
            }
            assert "  1  O  .  .\n     a  b  c\n" in await until(node, "* Ada: ")
            type_in(node, "say Hello there")
            assert (await ben.event("chat_posted"))["event"]["text"] == "Hello there"
            type_in(node, "resign")
            assert (await ben.event("game_finished"))["event"]["termination"] == "resignation"
            await until(node, "Ben won: ")
            type_in(node, "quit")
            assert await node.wait() == 0


async def test_it_shows_a_hint_and_who_offers_a_draw() -> None:
    async with serving() as url, client(url, "--create", "tictactoe", "--bot", "random") as node:
        await until(node, "* Guest, to move")
        type_in(node, "hint")
        assert re.search(r"  The best move: [abc][123]\n", await until(node, "best move"))
    async with serving() as url, player(url, "Ben") as ben:
        room = (await ben.ask("create", game="tictactoe"))["room"]
        await ben.ask("sit", room=room)
        async with client(url, "--join", room) as node:
            await until(node, "* Guest")
            await ben.ask("draw", room=room)
            await until(node, "Ben, to move, offers: draw")


async def test_where_both_seats_are_taken_it_watches() -> None:
    async with serving() as url, player(url, "Ben") as ben:
        room = (await ben.ask("create", game="tictactoe"))["room"]
        await ben.ask("sit", room=room)
        await ben.ask("add_bot", room=room, bot="random")
        async with client(url, "--join", room) as node:
            await until(node, "Spectators: say")
            await ben.ask("resign", room=room)
            assert "* " not in await until(node, "random won: ")


async def test_it_says_what_is_wrong_and_ends() -> None:
    async with serving() as url:
        async with client(url, "--join", "KMRTQA") as node:
            assert "There is no such room." in (await node.communicate())[0].decode()
        assert node.returncode == 1
    async with client(url, "--join", "KMRTQA") as node:
        assert "ECONNREFUSED" in (await node.communicate())[0].decode()
    assert node.returncode == 1


def test_it_folds_by_the_function_of_the_page() -> None:
    (source,) = [block for block in blocks(page("docs/protocol.md"), "js") if "function fold" in block]
    assert source in CLIENT.read_text(encoding="utf-8")
