"""A table, line by line: what happens in a room is told as it happens, and lines typed are obeyed.

Two tasks share the screen: one follows the room, one reads lines. Lines from a pipe wait until they
can mean something (its player's turn, or the game's end), since a script can't see the board.
"""

import asyncio
import json
from collections.abc import Callable

from rich.text import Text

from parlour_client import sentences
from parlour_client.clean import clean
from parlour_client.connection import Back, Connection, Heard, Lost, RoomLost, new_id
from parlour_client.faults import Refused
from parlour_client.lines import Lines
from parlour_client.model import Shown, apply
from parlour_client.narrator import Narrator
from parlour_client.screen import Screen
from parlour_client.thoughts import Hint, candidates_table, report_line, report_lines
from parlour_protocol import LONGEST_WORD, to_server
from parlour_protocol.codec import encode_to_client
from parlour_protocol.errors import Code
from parlour_protocol.to_client import (
    Accepted,
    Answer,
    Event,
    Presence,
    Snapshot,
    Thinking,
)
from parlour_protocol.to_client import Refused as RefusedMessage
from parlour_protocol.views import RoomView


class Table:
    """One terminal at one room, whose events `connection` follows already.

    `server` is the address to tell to friends.
    """

    def __init__(self, connection: Connection, room: str, server: str, screen: Screen, lines: Lines) -> None:
        self._connection = connection
        self._room = room
        self._screen = screen
        self._narrator = Narrator(screen, server)
        self._lines = lines
        self._shown: Shown | None = None
        self._changed = asyncio.Event()
        self._resigning = False
        self._busy = False
        """A line is being obeyed: the next one is asked for when that is done."""

    @property
    def view(self) -> RoomView | None:
        """The room as it was last shown."""
        return self._shown.view if self._shown is not None else None

    async def run(self) -> None:
        """Stay until the person leaves, the room closes, or a pipe has ended and there is no more to see.

        Raises what the connection's stream raises, and `Refused` if the room is gone when we come back.
        """
        tasks = [asyncio.create_task(self._follow()), asyncio.create_task(self._obey())]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    # ------------------------------------------------------------ what happens

    async def _follow(self) -> None:
        async for heard in self._connection:
            self._tell(heard)
            if self.view is not None and self.view.phase == "finished":
                self._resigning = False
            self._changed.set()
            if not self._busy:
                self._prompt()
            if self.view is not None and self.view.phase == "closed":
                return

    def _tell(self, heard: Heard) -> None:
        match heard:
            case Snapshot() | Event() | Presence() | Thinking():
                if heard.room != self._room:
                    return
                if self._screen.as_json:
                    self._screen.emit(json.loads(encode_to_client(heard)))
                before, self._shown = self._shown, apply(self._shown, heard)
                if self._shown is not None:
                    self._narrator.tell(before, self._shown, heard)
            case Lost():
                self._narrator.tell_lost(heard, seated=self.view is not None and self.view.you is not None)
            case Back():
                self._screen.note("Connected again.")
            case RoomLost(refusal=refusal):
                raise Refused(refusal)
            case RefusedMessage():
                self._screen.refuse(sentences.refusal(heard))

    # ------------------------------------------------------------ what is typed

    async def _obey(self) -> None:
        while (line := await self._lines.next()) is not None:
            self._screen.entered()
            if not self._screen.interactive:
                await self._until(_wants_a_line)
            self._busy = True
            if not await self._do(" ".join(clean(line).split())):
                return
            self._busy = False
            self._prompt()
        self._screen.entered()
        if self._screen.interactive:
            self._screen.say("")
        elif self.view is not None and self.view.you is None:
            await self._until(lambda shown: shown.view.phase in ("finished", "closed"))
        else:
            await self._until(_may_leave)

    async def _do(self, line: str) -> bool:
        """Obey a line; False where it was to quit."""
        word = line.casefold()
        if self._resigning:
            if word in ("y", "yes"):
                self._resigning = False
                await self._ask(to_server.Resign(id=new_id(), room=self._room))
            elif word in ("n", "no"):
                self._resigning = False
                self._screen.note("You play on.")
            else:
                self._screen.note("Type y to give the game up, or n to play on.")
            return True
        match word:
            case "":
                pass
            case "quit" | "exit":
                return False
            case "help" | "?":
                self._help()
            case "board":
                if self.view is not None:
                    self._narrator.tell_all(self.view)
            case "hint":
                await self._hint()
            case "thoughts":
                await self._thoughts()
            case "resign" if self.view is not None and self.view.phase == "finished":
                self._screen.refuse(
                    "The game is over: there is nothing to give up. Ask for a rematch, or quit."
                )
            case "resign":
                self._resigning = True
            case "rematch":
                await self._ask(to_server.Rematch(id=new_id(), room=self._room))
            case _:
                await self._move(line)
        return True

    async def _move(self, move: str) -> None:
        if len(move) > LONGEST_WORD:
            self._screen.refuse("That is too long to be a move. Type help for what there is.")
        elif self._shown is not None:
            version = self._shown.version
            await self._ask(to_server.PlayMove(id=new_id(), room=self._room, version=version, move=move))

    async def _ask(self, command: to_server.PlayMove | to_server.Resign | to_server.Rematch) -> None:
        try:
            accepted: Accepted = await self._connection.request(command)
        except Refused as refused:
            self._refused(refused)
        else:
            # What comes of it is shown before the next line is asked for.
            await self._until(lambda shown: shown.version >= accepted.version)

    async def _hint(self) -> None:
        try:
            hint = await self._connection.request(to_server.AskHint(id=new_id(), room=self._room))
        except Refused as refused:
            self._refused(refused)
            return
        self._answered(hint)
        if self.view is not None and self.view.position is not None:
            said = report_lines(hint.report)
            self._screen.say(
                Hint(self.view.position, hint.report, below=self._screen.height_of(*said) + 1), *said
            )

    async def _thoughts(self) -> None:
        try:
            answer = await self._connection.request(to_server.AskThoughts(id=new_id(), room=self._room))
        except Refused as refused:
            self._refused(refused)
            return
        self._answered(answer)
        if not answer.thoughts:
            self._screen.say("There are no thoughts to see: none yet, or the room keeps them back.")
            return
        for thought in answer.thoughts:
            self._screen.say(
                Text(f"{thought.ply:>3}. {clean(thought.move)}  ").append_text(report_line(thought.report))
            )
        self._screen.say("", candidates_table(answer.thoughts[-1].report, ascii_only=self._screen.ascii_only))

    def _answered(self, answer: Answer) -> None:
        if self._screen.as_json:
            self._screen.emit(json.loads(encode_to_client(answer)))

    def _refused(self, refused: Refused) -> None:
        said = sentences.refusal(refused.refusal)
        if refused.code is Code.INVALID_MOVE:
            said += " Type help for what else there is."
        self._screen.refuse(said)

    def _help(self) -> None:
        legal = self.view.position.legal if self.view is not None and self.view.position is not None else []
        self._screen.note("You can type:")
        for line in sentences.HELP.format(example=" ".join(legal[:3]) or "b2").splitlines():
            self._screen.note(line)

    def _prompt(self) -> None:
        view = self.view
        if view is None:
            return
        if self._resigning:
            self._screen.prompt("Give this game up? y or n: ")
        elif view.to_move is not None and view.to_move == view.you:
            self._screen.prompt("Your move: ")
        elif view.phase != "playing":
            # While others move nothing is asked for, though what is typed is still obeyed.
            self._screen.prompt("> ")

    async def _until(self, ready: Callable[[Shown], bool]) -> None:
        """Wait for what has been shown to be so."""
        while self._shown is None or not ready(self._shown):
            self._changed.clear()
            await self._changed.wait()


def _wants_a_line(shown: Shown) -> bool:
    """Could a line from a pipe mean something now?"""
    view = shown.view
    if view.you is None or view.phase == "closed":
        return True
    if view.phase == "finished":
        return view.you not in view.rematch
    return view.to_move == view.you


def _may_leave(shown: Shown) -> bool:
    """A pipe has ended: is there nothing more to come that is worth waiting for?"""
    view = shown.view
    bots_turn = view.to_move is not None and view.seats[view.to_move].kind == "bot"
    return view.phase != "playing" or not bots_turn
