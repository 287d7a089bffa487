"""A server that says everything in an attacker's words: none of them steers the terminal, on any screen."""

import asyncio
import re
import sys
import unicodedata
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

if sys.platform == "win32":
    pytest.skip("Windows has no ptys", allow_module_level=True)

from parlour_protocol import UNSEEN
from parlour_protocol.answers import Board, Bots, Games, History, Refused, Rooms, Tournaments
from parlour_protocol.codec import ToClient
from parlour_protocol.commands import (
    AskBoard,
    AskHistory,
    Command,
    ListBots,
    ListGames,
    ListRooms,
    ListTournaments,
)
from parlour_protocol.errors import Code
from parlour_protocol.views.boards import BoardView
from parlour_protocol.views.records import PastRoom
from parlour_protocol.views.rooms import (
    BotInGames,
    BotLine,
    BotSetting,
    GameLine,
    ResultView,
    RoomLine,
    SeatView,
)
from parlour_protocol.views.tournaments import TournamentLine
from tests.client.rooms import board
from tests.client.scripted import Scripted, Talk
from tests.client.sdk.test_sanitize import CORPUS
from tests.client.terminal import Terminal

OURS = re.compile(r"\x1b\[[0-9;:?<=>]*\$?[A-Za-z]|\x1b\]22;[a-z]*\x07|[\r\n]")
"""What Textual says to a terminal: colours, places, modes, the pointer's shape; no more."""
MARKUP = "[red]Ada[/] [@click=app.leave]x[/]"
WORDS = [*CORPUS.values(), MARKUP]


def evil_board() -> BoardView:
    """A board whose labels are no characters to print; of other cells it would be none."""
    position = board("X..", "O..", "...")
    position.rows, position.columns, position.legal = ["\x1b", "\x9b", "\u202e"], ["\x07"] * 3, ["\x1b[2J"]
    position.paths = [2]
    return position


def evil(talk: Talk, command: Command[Any]) -> ToClient:
    """Its answer: a different evil in each field, and all of them somewhere."""
    words = cycle(WORDS)

    def word() -> str:
        return next(words)

    def seats() -> list[SeatView]:
        return [SeatView("human", word()), SeatView("bot", word(), word())]

    match command:
        case ListGames():
            games = [GameLine(f"g{n}", word(), word(), evil_board(), word()) for n in range(len(WORDS))]
            return Games(command.id, games)
        case ListBots():
            plays = [BotInGames([word()], word())]
            bots = [
                BotLine(f"b{n}", word(), [BotSetting(word(), 0, 1, whole=False)], plays)
                for n in range(len(WORDS))
            ]
            return Bots(
                command.id,
                [
                    BotLine(text, text, [BotSetting(text, 0, 1, whole=False, unit=text)], plays)
                    for text in WORDS
                ]
                + bots,
            )
        case ListRooms():
            lines = [RoomLine(text, word(), "playing", seats(), 3, 1, 7) for text in WORDS]
            return Rooms(command.id, lines, 2)
        case ListTournaments():
            cups = [
                TournamentLine(text, word(), word(), "swiss", "joining", 3, 0)
                for text in (WORDS[0], MARKUP.swapcase())
            ]
            return Tournaments(command.id, cups)
        case AskHistory():
            over = ResultView("line", word(), 0)
            past = [
                PastRoom(text, word(), word(), "finished", seats(), 1, 3, 1, None, over) for text in WORDS
            ]
            return History(command.id, past)
        case AskBoard():
            return Board(command.id, command.game, evil_board(), [])
        case _:
            return Refused(Code.UNKNOWN_ROOM, MARKUP + "".join(CORPUS.values()), command.id)


async def answer(server: Scripted) -> None:
    talk = await server.talk()
    await talk.greet("a token")
    while True:
        await talk.say(evil(talk, await talk.receive(object)))  # type: ignore[arg-type]


def visit(folder: Path, address: str) -> str:
    """Look at everything, and leave; all that came to the terminal."""
    settings = {"PARLOUR_PLAIN": "0", "PARLOUR_SERVER": address}
    with Terminal(folder, **settings) as ada:
        ada.until("Ada")
        ada.until("1 play")
        for keys, seen in (("2", "In progress"), ("3", "Look back"), ("1", "(bot)"), ("o", "(bot)")):
            ada.type(keys)
            ada.until(seen)
        ada.type("n")
        ada.until("A new room")
        ada.type("\x1b[B\x1b[B\x1b[C\x1b[C\r")
        # Wrapped, as long as it is.
        for part in MARKUP.split():
            ada.until(part)
        ada.type("\x03")
        assert ada.end() == 0
        return ada.shown


async def test_nothing_that_a_server_says_is_obeyed_by_the_terminal(tmp_path: Path) -> None:
    async with Scripted() as server:
        answering = asyncio.create_task(answer(server))
        try:
            shown = await asyncio.to_thread(visit, tmp_path, server.address)
        finally:
            answering.cancel()
    left = OURS.sub("", shown)
    assert {
        unicodedata.name(sign, hex(ord(sign))) for sign in left if unicodedata.category(sign) in UNSEEN
    } == set()
    assert all(part in left for part in MARKUP.split())
