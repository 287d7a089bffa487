"""A table, line by line: what happens in a room is shown as it happens, and typed lines are commands.

Tasks share the screen: one reads the room's changes, one reads lines, one keeps the clocks ticking. A move
from a pipe waits for its player's turn, or the game's end, and so does every word while a bot is to move: a
script can't see the board. Other words are run as soon as they can be.
"""

import asyncio
import json
import math
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Literal, assert_never

from rich.text import Text

from parlour_client.plain.input import Lines
from parlour_client.plain.interrupts import Interrupts
from parlour_client.plain.narrator import Narrator
from parlour_client.render import tables
from parlour_client.render.analysis import HintDrawing, candidates_table, report_line, report_lines
from parlour_client.render.board import BoardDrawing
from parlour_client.render.console import Screen
from parlour_client.render.progress import best_so_far
from parlour_client.render.qr_code import qr_lines
from parlour_client.render.rules import RulesDrawing
from parlour_client.sdk import pagination
from parlour_client.sdk.boards import Boards
from parlour_client.sdk.carrying import carry_seat
from parlour_client.sdk.client import Client
from parlour_client.sdk.commands import command
from parlour_client.sdk.errors import ParlourError, Refused
from parlour_client.sdk.hint import fetch_hint
from parlour_client.sdk.messages import Disconnected, Reconnected
from parlour_client.sdk.predicates import StateWaiters
from parlour_client.sdk.room import Room, RoomChange
from parlour_client.sdk.sanitize import clean
from parlour_client.sdk.state import ClientRoomState, as_of
from parlour_client.sdk.tasks import first_done
from parlour_client.text import durations, input_words, ratings, wording
from parlour_client.text.actions import BEFORE, typed_help
from parlour_client.text.names import bot_name
from parlour_client.text.open_actions import why_closed
from parlour_client.text.scores import PAST
from parlour_protocol import commands
from parlour_protocol.answers import Answer
from parlour_protocol.answers import Refused as RefusedMessage
from parlour_protocol.codec import encode_to_client
from parlour_protocol.errors import Code
from parlour_protocol.events import Event, GameStarted, MovePlayed, MovesTakenBack, Snapshot
from parlour_protocol.messages import RoomMessage
from parlour_protocol.notices import Announcement
from parlour_protocol.views.lists import ROOM_GAMES
from parlour_protocol.views.permissions import why_not
from parlour_protocol.views.reports import Report
from parlour_protocol.views.rooms import Phase, RoomView
from parlour_protocol.words import say

Asked = Literal["abort", "resign"]

TICK = 1.0
"""Seconds between looks at what time alone changes, where no clock runs."""


class Table:
    """One terminal at one room, to which it may have come by a quick match (`seeks`)."""

    def __init__(
        self,
        client: Client,
        room: Room,
        screen: Screen,
        lines: Lines,
        interrupts: Interrupts,
        *,
        seeks: bool = False,
    ) -> None:
        self._client = client
        self._room = room
        self._screen = screen
        self._narrator = Narrator(screen, client.public_url)
        self._lines = lines
        self._interrupts = interrupts
        self._seeks = seeks
        self._state = room.state
        """The room as far as the screen has it."""
        self._waiting: StateWaiters[ClientRoomState] = StateWaiters()
        self._asked: tuple[Asked, int] | None = None
        """What is asked about before it is done, and the number of the game."""
        self._lost = asyncio.Event()
        """Is the connection lost? Then nobody knows whether time runs."""
        self._claim_shown = False
        self._ply: int | None = None
        """The board that is looked back on: after so many moves; None: the present one."""
        self._boards: Boards | None = None
        self._busy = False
        """A line is being run: the next one is asked for when that is done."""

    @property
    def room(self) -> Room:
        """The room."""
        return self._room

    @property
    def view(self) -> RoomView:
        """The room as it was last shown."""
        return self._state.view

    def _now(self) -> RoomView:
        """The room with its times as they are now."""
        return as_of(self._state, asyncio.get_running_loop().time())

    async def run(self) -> None:
        """Stay until the person leaves, the room closes, or a pipe has ended and there is no more to see.

        Raises what the room's stream raises: `Refused` if it is gone when we come back.
        """
        self._busy = False
        if self._seeks and self.view.phase == "waiting":
            self._screen.note(say("plain.next_person"))
            view = self._now()
            if view.awaited is not None:
                span = wording.seconds(view.bot_comes_in() or 0)
                self._screen.note(say("plain.bot_after", span=span, bot=bot_name(view.awaited.bot)))
        beside = [self._tick(), self._notices(), self._meet(), self._rate()]
        await first_done(self._read_changes(), self._run_lines(), beside=beside)

    # ------------------------------------------------------------ what happens

    async def _read_changes(self) -> None:
        async for change in self._room.changes():
            self._take(change)
            if self._asked and (self.view.phase, self.view.game_number) != ("playing", self._asked[1]):
                self._asked = None
            self._waiting.publish(self._state)
            if not self._busy:
                self._prompt()

    async def _meet(self) -> None:
        """Say how the games against the other player have ended, once there is one."""
        if self.view.phase == "waiting":
            await self._waiting.until(lambda state: state.view.phase != "waiting")
        with suppress(ParlourError):
            if said := wording.head_to_head(self.view, await self._room.head_to_head()):
                self._screen.note(said)
                if not self._busy:
                    self._prompt()

    async def _rate(self) -> None:
        """Say how the players are rated, once there are two, and what each game has changed."""
        if not self.view.settings.rated:
            self._screen.note(say("rated.casual_room"))
        if not self.view.rated:
            return
        if self.view.phase == "waiting":
            await self._waiting.until(lambda state: state.view.phase != "waiting")
        while True:
            before = self.view.game_number, self.view.phase
            with suppress(ParlourError):
                if said := ratings.now(self.view, await self._room.ratings()):
                    self._screen.note(said)
                    if not self._busy:
                        self._prompt()
            await self._waiting.until(partial(_has_ended_since, before))

    async def _notices(self) -> None:
        """What belongs to no room: a refusal that doesn't say of which message, and the host's words."""
        with suppress(ParlourError):
            async for notice in self._client.notices():
                if isinstance(notice, RefusedMessage):
                    self._screen.refuse(wording.refusal(notice))
                elif isinstance(notice, Announcement):
                    self._screen.note(wording.announced(notice))
                    if not self._busy:
                        self._prompt()

    def _take(self, change: RoomChange) -> None:
        message, self._state = change.message, change.after
        match message:
            case Disconnected():
                self._lost.set()
                self._narrator.show_disconnected(message, seated=self.view.acting is not None)
            case Reconnected():
                self._lost.clear()
                self._screen.note(say("connection.again"))
            case _:
                if self._screen.as_json:
                    self._screen.emit(json.loads(encode_to_client(message)))
                self._show_change(change.before, change.after, message)

    def _show_change(
        self, before: ClientRoomState | None, now: ClientRoomState, message: RoomMessage
    ) -> None:
        match message:
            case Event(event=MovePlayed(seat=seat, move=move)) if (
                self._ply is not None and now.view.acting is None
            ):
                # Somebody who steps through earlier boards stays there.
                self._screen.note(f"{wording.moved(now.view, seat, move)} {say('plain.see_now')}")
                return
            case Snapshot() | Event(event=MovePlayed() | MovesTakenBack() | GameStarted()):
                self._ply, self._boards = None, None
            case _:
                pass
        self._narrator.show(before, now, message)

    # ------------------------------------------------------------ what time alone changes

    async def _tick(self) -> None:
        while True:
            view = self._now()
            running = view.clock.running if view.clock is not None else None
            if view.clock is None or running is None or not self._screen.interactive:
                await asyncio.sleep(TICK)
            else:
                await asyncio.sleep(durations.until_next(view.clock.left[running]))
            view = self._now()
            if not self._lost.is_set():
                self._show_claim(view)
            if not self._busy:
                self._screen.tick(self._prompt_text(view))

    def _show_claim(self, view: RoomView) -> None:
        """Once for each absence: that the game may be claimed."""
        may = why_not(view, "claim") is None
        if may and not self._claim_shown:
            self._screen.note(wording.claimable(view))
            if not self._busy:
                self._prompt()
        self._claim_shown = may

    # ------------------------------------------------------------ what is typed

    async def _run_lines(self) -> None:
        while (line := await self._lines.next()) is not None:
            self._screen.entered()
            line = " ".join(clean(line).split())
            if not self._screen.interactive:
                await self._until(partial(self._wants, line))
            self._busy = True
            if not await self._do_or_quit(line):
                return
            self._busy = False
            self._prompt()
        self._screen.entered()
        if self._screen.interactive:
            self._screen.say("")
        elif self.view.acting is None:
            await self._until(_is_over)
        else:
            await self._until(_may_leave)

    def _wants(self, line: str, shown: ClientRoomState) -> bool:
        """Could this line from a pipe mean something now?"""
        if _wants_a_line(shown) or not line or self._asked is not None:
            return True
        return not _bot_moves(shown.view) and input_words.is_open(line, shown)

    async def _do_or_quit(self, line: str) -> bool:
        """Run a line. While the connection is lost its answer may be long in coming: quit need not wait."""
        quitting = [self._typed_quit()] if self._screen.interactive else []
        return await first_done(self._do(line), *quitting)

    async def _typed_quit(self) -> bool:
        await self._lines.wait_for(lambda line: input_words.is_quit(clean(line)))
        await self._lost.wait()
        return False

    async def _do(self, line: str) -> bool:
        """Run a line, and say why it is refused, where it is; False where it was to quit."""
        try:
            return await self._obey(line)
        except Refused as refused:
            self._refused(refused)
            return True

    async def _obey(self, line: str) -> bool:
        word = line.casefold()
        if self._asked is not None:
            what, _ = self._asked
            if word in ("y", "yes"):
                self._asked = None
                await self._ask(command(commands.PlayerAction, room=self._room.code, type=what))
            elif word in ("n", "no"):
                self._asked = None
                self._screen.note(say("plain.play_on"))
            else:
                self._screen.note(say("plain.yes_or_no"))
            return True
        if not word:
            return True
        meaning = input_words.read(line, self._state)
        match meaning:
            case input_words.ForScreen(word="quit"):
                return False
            case input_words.ForScreen(word=word):
                await self._do_here(word)
            case input_words.Wrong(sentence=sentence):
                self._screen.refuse(sentence)
            case _:
                await self._ask(meaning)
        return True

    async def _do_here(self, word: input_words.ScreenWord) -> None:
        match word:
            case "help":
                self._help()
            case "rules":
                self._screen.say(RulesDrawing(await self._client.rules(self.view.game)))
            case "board" | "now":
                self._ply = None
                self._narrator.show_room(self._now())
            case "hint":
                await self._hint()
            case "thoughts":
                await self._thoughts()
            case "games":
                await self._games()
            case "carry":
                await self._carry()
            case "abort" | "resign":
                self._ask_whether(word)
            case "back" | "forward" | "start":
                await self._look_back(word)
            case "quit":
                pass
            case _:
                assert_never(word)

    def _ask_whether(self, what: Asked) -> None:
        """Ask before what can't be undone."""
        view = self.view
        if what in view.open_actions():
            self._asked = what, view.game_number
        else:
            self._screen.refuse(why_closed(what, view))

    async def _look_back(self, word: str) -> None:
        """Draw an earlier board of this game."""
        view = self.view
        if view.position is None:
            self._screen.refuse(say("plain.no_game_yet"))
            return
        last = len(view.moves)
        before = last if self._ply is None else self._ply
        ply = {"back": before - 1, "forward": before + 1, "start": 0}[word]
        if not 0 <= ply <= last:
            self._screen.note(say("plain.first_board") if ply < 0 else say("plain.last_board"))
            return
        if self._boards is None or self._boards.count < last:
            self._boards = Boards(self._client, view.game, view.moves)
        board = await self._boards.after(ply)
        self._ply = ply if ply < last else None
        self._answered(board)
        self._screen.say(
            "", Text(wording.step(view.moves, ply), "bold"), "", BoardDrawing(board.position), ""
        )
        if self._ply is not None:
            self._screen.say(Text(say("plain.stepping"), PAST))

    async def _ask(self, asked: commands.RoomCommand[Any]) -> None:
        if self._lost.is_set():
            self._screen.note(say("plain.kept_until_back"))
        accepted = await self._client.request(asked)
        # What comes of it is shown before the next line is asked for.
        await self._until(lambda shown: shown.version >= accepted.version)

    async def _hint(self) -> None:
        """Search for a hint; Ctrl-C stops that, and nothing else."""
        asking = asyncio.create_task(fetch_hint(self._client, self._room.code, self._show_search))
        try:
            if self._screen.interactive:
                self._screen.progress(say("plain.searching"))
                with self._interrupts.stopping(asking.cancel):
                    hint = await asking
            else:
                hint = await asking
        except asyncio.CancelledError:
            if (this := asyncio.current_task()) is None or this.cancelling():
                raise
            self._screen.note(say("plain.stopped"))
            return
        self._answered(hint)
        if self.view.position is not None:
            said = report_lines(hint.report)
            self._screen.say(
                HintDrawing(self.view.position, hint.report, below=self._screen.height_of(*said) + 1), *said
            )

    def _show_search(self, report: Report) -> None:
        self._screen.progress(say("plain.searching_found", found=best_so_far(report)))

    async def _thoughts(self) -> None:
        answer = await pagination.thoughts(self._client, self._room.code)
        self._answered(answer)
        if not answer.thoughts:
            self._screen.say(say("plain.no_thoughts"))
            return
        for thought in answer.thoughts:
            self._screen.say(
                Text(f"{thought.ply:>3}. {thought.move}  ").append_text(report_line(thought.report))
            )
        self._screen.say("", candidates_table(answer.thoughts[-1].report, ascii_only=self._screen.ascii_only))

    async def _games(self) -> None:
        answer = await pagination.room_games(self._client, self._room.code)
        self._answered(answer)
        history = answer.history
        if not history.games:
            self._screen.say(say("plain.no_games_yet"))
            return
        self._screen.say(tables.table(ROOM_GAMES, history.games))
        if history.tally is not None:
            self._screen.say(wording.tally(history.tally))
        self._screen.note(say("plain.replay", room=history.room))

    async def _carry(self) -> None:
        """Show the way to another device."""
        seat = await carry_seat(self._client, self._room.code)
        if self._screen.as_json:
            self._screen.emit({"link": seat.link, "seconds": seat.seconds})
        self._screen.say(wording.carry_sentence(seat), *qr_lines(seat.rows or [], self._screen))
        self._screen.whole([f"  {seat.link}"])

    def _answered(self, answer: Answer) -> None:
        if self._screen.as_json:
            self._screen.emit(json.loads(encode_to_client(answer)))

    def _refused(self, refused: Refused) -> None:
        said = wording.refusal(refused.refusal)
        if refused.code is Code.INVALID_MOVE:
            said = f"{said} {say('plain.what_else')}"
        self._screen.refuse(said)

    def _help(self) -> None:
        view = self._now()
        self._screen.note(say("plain.you_can_type"))
        for line in typed_help(_example(view), input_words.open_words(view), watching=view.acting is None):
            self._screen.note(line, hang=BEFORE)

    def _prompt(self) -> None:
        view = self._now()
        if text := self._prompt_text(view):
            self._screen.prompt(text)

    def _prompt_text(self, view: RoomView) -> str:
        clock = "" if self._lost.is_set() else wording.short_times(view)
        before = f"{clock}  " if clock else ""
        if self._asked is not None:
            what, _ = self._asked
            if what == "resign" and view.shared and view.acting is not None:
                return before + say("plain.resign_prompt_of", name=wording.name_of(view, view.acting))
            return before + say(f"plain.{what}_prompt")
        if view.your_turn:
            return before + say("plain.move_prompt")
        if view.awaited is not None:
            left = say("span.seconds", number=math.ceil(view.bot_comes_in() or 0))
            return say("plain.bot_prompt", bot=bot_name(view.awaited.bot), span=left)
        if view.phase != "playing" or (view.clock is not None and view.clock.running is not None):
            return f"{before}> "
        # While others move nothing is asked for, though what is typed is still obeyed.
        return ""

    async def _until(self, ready: Callable[[ClientRoomState], bool]) -> None:
        """Wait for what has been shown to be so."""
        if not ready(self._state):
            await self._waiting.until(ready)


def _example(view: RoomView) -> str:
    """How a move is written; empty where the viewer makes none now."""
    if view.position is None or "play" not in view.open_actions():
        return ""
    return " ".join(view.position.legal[:3])


def _wants_a_line(shown: ClientRoomState) -> bool:
    """Could any line from a pipe mean something now, be it a move?"""
    view = shown.view
    if view.acting is None or view.phase == "closed":
        return True
    if view.phase == "finished":
        return view.offers.get("rematch") != view.acting
    return view.to_move == view.acting or bool(view.offers_to_answer())


def _is_over(shown: ClientRoomState) -> bool:
    """Is there nothing more to watch? Of two bots that play several games, all are followed."""
    view = shown.view
    if view.phase == "finished":
        return view.series is None or not view.series.goes_on
    return view.phase == "closed"


def _may_leave(shown: ClientRoomState) -> bool:
    """A pipe has ended: is there nothing more to come that is worth waiting for?"""
    return shown.view.phase != "playing" or not _bot_moves(shown.view)


def _bot_moves(view: RoomView) -> bool:
    """Does a bot's move come next, by itself?"""
    return view.to_move is not None and view.seats[view.to_move].kind == "bot"


def _has_ended_since(before: tuple[int, Phase], state: ClientRoomState) -> bool:
    now = state.view.game_number, state.view.phase
    return now != before and state.view.phase == "finished"
