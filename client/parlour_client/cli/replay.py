"""A game stepped through, board by board."""

import re
from dataclasses import asdict

from rich.text import Text

from parlour_client.plain.input import Lines
from parlour_client.render import transcript
from parlour_client.render.analysis import report_line
from parlour_client.render.board import BoardDrawing
from parlour_client.render.console import Screen
from parlour_client.sdk import records
from parlour_client.sdk.boards import Boards
from parlour_client.sdk.queries import QueryClient
from parlour_client.sdk.source import Source
from parlour_client.text import durations, wording
from parlour_client.text.names import seat_name
from parlour_client.text.scores import PAST
from parlour_protocol.views.records import GameRecord
from parlour_protocol.words import say


async def replay(client: QueryClient, screen: Screen, source: Source) -> None:
    """Show a game's boards: one at a time to a person; to a pipe all of them, or the one that is named."""
    record = await records.load(client, source)
    records.check_ply(record, source)
    stepper = _Stepper(screen, record, Boards(client, record.game, records.moves_of(record)))
    screen.say(Text(transcript.heading(record), "bold"), transcript.players(record))
    if screen.interactive:
        await stepper.step_through(Lines(), source.ply or 0)
    elif source.ply is not None:
        await stepper.show(source.ply)
    else:
        for ply in range(len(record.moves) + 1):
            await stepper.show(ply)


def step(line: str, ply: int, last: int) -> int | str | None:
    """Where a typed line leads from a board. Pure.

    To another board, away (None), or nowhere: then why, in a sentence.
    """
    match line.strip().casefold():
        case "q" | "quit" | "exit":
            return None
        case "" | "n":
            wanted = ply + 1
        case "p":
            wanted = ply - 1
        case number if re.fullmatch("[0-9]{1,4}", number, re.ASCII):
            wanted = int(number)
        case _:
            return say("command.replay.what_to_type", last=last)
    if wanted < 0:
        return say("command.replay.beginning")
    if wanted > last:
        return say("command.replay.end", count=last)
    return wanted


class _Stepper:
    def __init__(self, screen: Screen, record: GameRecord, boards: Boards) -> None:
        self._screen = screen
        self._record = record
        self._boards = boards

    async def step_through(self, lines: Lines, ply: int) -> None:
        """Until the person has seen enough."""
        last = len(self._record.moves)
        await self.show(ply)
        self._screen.prompt(say("command.replay.prompt"))
        while (line := await lines.next()) is not None:
            self._screen.entered()
            wanted = step(line, ply, last)
            if wanted is None:
                return
            if isinstance(wanted, str):
                self._screen.note(wanted)
            else:
                ply = wanted
                await self.show(ply)
            self._screen.prompt(say("command.replay.prompt"))
        self._screen.say("")

    async def show(self, ply: int) -> None:
        """One board, and the move that led there."""
        board = (await self._boards.after(ply)).position
        if self._screen.as_json:
            move = self._record.moves[ply - 1].move if ply else None
            self._screen.emit({"ply": ply, "move": move, "position": asdict(board)})
            return
        self._screen.say("", Text(self._title(ply), "bold"))
        if ply and (report := self._record.moves[ply - 1].report) is not None:
            self._screen.say(report_line(report))
        self._screen.say("", BoardDrawing(board), "")
        if ply == len(self._record.moves) and self._record.result is not None:
            self._screen.say(Text(wording.ended(self._record.result, self._record.seats), "bold"))
        elif ply == self._record.started_with > 0:
            self._screen.say(Text(say("command.replay.played_on"), PAST))

    def _title(self, ply: int) -> str:
        moves = records.moves_of(self._record)
        if ply == 0:
            return wording.step(moves, 0)
        played = self._record.moves[ply - 1]
        by = seat_name(self._record.seats[played.seat])
        if played.stand_in is not None:
            by = say("seat.stand_in", bot=played.stand_in, name=by)
        step = wording.step(moves, ply)
        if played.left is None:
            return say("command.replay.step", step=step, name=by)
        return say("command.replay.step_left", step=step, name=by, time=durations.clock(played.left))
