"""The lobby line by line: typed at a terminal, and through a pipe."""

import asyncio
import re
import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("Windows has no ptys", allow_module_level=True)

from parlour_client import connect
from parlour_protocol.local.admin import Announce, Kick
from tests.client.terminal import Terminal, piped
from tests.support.keeper import serving_to_its_keeper
from tests.support.server import serving


def test_through_a_pipe_one_plays_and_is_back_in_the_lobby(tmp_path: Path, server: str) -> None:
    typed = "new tictactoe vs=random:seed=1\nb2\nrules\nquit\ngames\nrules reversi\nnonsense\nquit\n"
    out, err = piped(tmp_path, "--plain", typed=typed, PARLOUR_SERVER=server)
    assert "You played b2." in out
    assert "Tic-tac-toe: how to play" in out
    assert "Ultimate tic-tac-toe" in out
    assert "Reversi: how to play" in out
    assert re.search("You are in the lobby. Your seat is kept: type [A-Z0-9]{6} to go back.", err)
    assert "'nonsense' is not a room's number or code, nor a command. Type a number" in err
    assert "Goodbye." in err


def test_a_pipe_that_ends_ends_it(tmp_path: Path, server: str) -> None:
    out, err = piped(tmp_path, "--plain", PARLOUR_SERVER=server)
    assert "Parlour  Ada at " in out
    assert err == "Goodbye.\n"


def lobby(folder: Path, url: str) -> Terminal:
    return Terminal(folder, PARLOUR_SERVER=url)


async def test_rooms_are_numbered_joined_and_watched(tmp_path: Path) -> None:
    def visit(url: str, code: str) -> None:
        with lobby(tmp_path, url) as ada:
            ada.until(code)
            ada.until("Lobby: ")
            ada.type("watch 1\n")
            ada.until(", watching")
            ada.until("> ")
            ada.type("quit\n")
            ada.until("You are in the lobby.")
            ada.until("Lobby: ")
            ada.type(f"{code.lower()}\n")
            ada.until("Ben (X) against Ada (O, you)")
            ada.until("to move")
            ada.type("quit\n")
            ada.until("Your seat is kept")
            ada.until("Lobby: ")
            ada.type("1\n")
            ada.until("Ben (X) against Ada (O, you)")
            ada.type("quit\n")
            ada.until("Lobby: ")
            ada.type("name my bot\n")
            ada.until("my bot would pass for a bot")
            ada.until("Lobby: ")
            ada.type("name Adele\n")
            ada.until("You are called Adele now.")
            ada.until("Lobby: ")
            ada.type("zzzzzz\n")
            ada.until("There is no such room.")
            ada.until("Lobby: ")
            ada.type("quit\n")
            assert ada.end() == 0

    async with serving() as url, connect(url, "Ben") as ben:
        room = await ben.create("tictactoe")
        await asyncio.to_thread(visit, url, room.code)
        assert room.view.phase == "playing"
        assert sorted(seat.name for seat in room.view.seats) == ["Adele", "Ben"]


def seconds_left(terminal: Terminal) -> int:
    """What the next prompt that is shown says of when the bot comes."""
    terminal.until("random (bot) in ")
    return int(terminal.until(" s > ").replace(",", "").removesuffix(" s > "))


async def test_the_host_is_received_in_the_lobby_and_at_a_table(tmp_path: Path) -> None:
    async with serving_to_its_keeper() as (url, keeper):
        with lobby(tmp_path, url) as ada:
            await asyncio.to_thread(ada.until, "Lobby: ")
            await keeper.ask(Announce(text="Back at nine."))
            await asyncio.to_thread(ada.until, "The host says: Back at nine.")
            await asyncio.to_thread(ada.until, "Lobby: ")
            ada.type("new tictactoe vs=random\n")
            await asyncio.to_thread(ada.until, "Your move: ")
            await keeper.ask(Announce(text="Back at ten."))
            await asyncio.to_thread(ada.until, "The host says: Back at ten.")
            await keeper.ask(Kick(player="Ada"))
            await asyncio.to_thread(ada.until, "The host of this server has ended your connection.")
            assert await asyncio.to_thread(ada.end) == 1


async def test_who_waits_is_announced_and_a_match_is_withdrawn_on_leaving(tmp_path: Path) -> None:
    async with serving() as url, connect(url, "Ben") as ben:
        with lobby(tmp_path, url) as ada:
            await asyncio.to_thread(ada.until, "No rooms yet")
            await asyncio.to_thread(ada.until, "Lobby: ")
            room = await ben.create("tictactoe", clock="5+3")
            await asyncio.to_thread(ada.until, f"Ben waits to play tictactoe, 5+3: type {room.code} to join.")
            await room.close()
            await asyncio.to_thread(ada.until, "Lobby: ")
            ada.type("match connect4 vs=random after=3000\n")
            await asyncio.to_thread(ada.until, "If no one has come in 3,000 s, random (bot) does.")
            # The prompt counts down in its place.
            first = await asyncio.to_thread(seconds_left, ada)
            while await asyncio.to_thread(seconds_left, ada) >= first:
                pass
            (waiting,) = (await ben.rooms()).rooms
            assert (waiting.game, waiting.phase) == ("connect4", "waiting")
            ada.type("quit\n")
            await asyncio.to_thread(ada.until, "You are in the lobby.")
            assert (await ben.rooms()).rooms == []
            ada.type("match connect4 vs=random after=0\n")
            await asyncio.to_thread(ada.until, "Your move: ")
            ada.type("\x03")
            assert await asyncio.to_thread(ada.end) == 130
