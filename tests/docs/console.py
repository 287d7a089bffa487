"""The `console` blocks of our pages: what is shown below a command is what that command prints.

A page tells a story: its commands run one after the other, in one folder, as Ada, against one server, on
which she and Ben have played in room KMRTQA. A command without anything below it is only parsed, since most
of those wait for a person. Times and the codes of new rooms, which differ from run to run, don't count.
"""

import asyncio
import os
import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from parlour_client.sdk.client import Client, connect
from parlour_client.sdk.identity import StoredIdentity
from tests.client.terminal import Terminal, piped
from tests.docs.markdown import ROOT
from tests.support.server_process import serving_in_thread

PAGES = ["README.md", *(f"docs/{file.name}" for file in sorted((ROOT / "docs").glob("*.md")))]
ROOM = "KMRTQA"
"""What the pages call the room that is there already."""
SHOWN_SERVER = "127.0.0.1:8765"
WIDTH = 80

_BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"\b[23456789A-HJ-NP-Z]{6}\b")
_TIME = re.compile(
    r"\d[\d,]*(?:\.\d+)? (?:s|ms|minutes?|seconds?|hours?)\b|\d[\d,.]* games/s|\d{4}-\d\d-\d\d|\d\d:\d\d\b"
)
_SPEED = re.compile(r" \([\d.,]+ [kMG]?/s\)")
"""Not shown of a search that took no time to speak of."""
_JSON_TIME = re.compile(r'("seconds": |"ms_a_move": )(?:[\d.]+|\[[^]]*\])')


@dataclass(frozen=True, slots=True)
class Shown:
    """A command of a page, and what the page shows below it."""

    words: list[str]
    line: str
    output: str


def blocks(text: str) -> list[str]:
    """The console blocks of a page, as they stand there."""
    return _BLOCK.findall(text)


def shown(block: str) -> list[Shown]:
    """The commands of a block."""
    found: list[Shown] = []
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        line, _, output = part.partition("\n")
        found.append(Shown(shlex.split(line), line, output.strip("\n")))
    return found


class Story:
    """Runs a page's commands. The names that it has for rooms stand for those of the server."""

    def __init__(self, folder: Path, server: str, room: str) -> None:
        self._state, self._server = folder / "state", server
        self._real = {ROOM: room}

    def run(self, command: Shown) -> str:
        """What a command prints, with the page's names for what is named anew in each run.

        Raises `AssertionError` where it fails.
        """
        program, *arguments = [self._real.get(word, word) for word in command.words]
        assert program == "parlour", f"not a command of ours: {command.line}"
        if arguments[0] == "serve":
            return _greeting(self._state, *arguments[1:])
        out, notes = piped(self._state, *arguments, PARLOUR_SERVER=self._server, COLUMNS=str(WIDTH))
        return self._as_shown(out or notes, command.output)

    def _as_shown(self, out: str, expected: str) -> str:
        """New rooms have the codes that the page gives them, if it gives any."""
        known = set(self._real.values())
        new = [code for code in dict.fromkeys(_CODE.findall(out)) if code not in known]
        named = [code for code in dict.fromkeys(_CODE.findall(expected)) if code not in self._real]
        self._real.update(zip(named, new, strict=False))
        for name, real in self._real.items():
            out = out.replace(real, name)
        address = self._server.partition("//")[2]
        lines = out.replace(address, SHOWN_SERVER).strip("\n").splitlines()
        return "\n".join(line.rstrip() for line in lines)


def _greeting(state: Path, *arguments: str) -> str:
    """What a server says when it is ready; at its usual port it needs no address behind a command."""
    data = state.with_name("rooms.db")
    with Terminal(state, "serve", *arguments, PARLOUR_PORT="0", PARLOUR_DATA=str(data)) as server:
        server.until("Ctrl-C stops")
        server.until("\n")
        shown = re.sub(r" --server ws://127\.0\.0\.1:\d+", "", server.shown)
    shown = re.sub(r"127\.0\.0\.1:\d+", SHOWN_SERVER, shown.replace("\r\n", "\n"))
    return shown.replace(str(data), "~/.local/share/parlour/rooms.db").strip("\n")


def same(one: str, other: str) -> bool:
    """Do two outputs differ in nothing but times, and the room that they take?"""
    return _timeless(one) == _timeless(other)


def _timeless(text: str) -> list[str]:
    text = _SPEED.sub("", text)
    text = _JSON_TIME.sub(r"\1T", _TIME.sub("T", text))
    return [re.sub(r" {2,}", "  ", line).strip() for line in text.splitlines()]


@contextmanager
def story(folder: Path) -> Iterator[Story]:
    """The server, the room and the files that the pages' commands find."""
    before = Path.cwd()
    (folder / "mybot.py").write_text("def choose(position):\n    return position.legal_moves[0]\n")
    with serving_in_thread(longest_search_seconds=0) as server:
        room = asyncio.run(_played(folder / "state", server))
        os.chdir(folder)
        try:
            yield Story(folder, server, room)
        finally:
            os.chdir(before)


async def _played(state: Path, server: str) -> str:
    """A room in which Ada has lost a game to Ben; its code."""
    ada = StoredIdentity(state, server, "Ada", lambda _: None)
    async with connect(server, identity=ada) as one, connect(server, "Ben") as other:
        return await _game(one, other)


async def _game(ada: Client, ben: Client) -> str:
    room = await ada.create("tictactoe", starts="first")
    across = await ben.join(room.code)
    for number, move in enumerate(["a1", "b2", "c3", "a3", "b1", "c1"]):
        here = (room, across)[number % 2]
        await here.wait_for_turn()
        await here.play(move)
    return room.code
