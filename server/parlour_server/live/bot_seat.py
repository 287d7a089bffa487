"""The bots of a room: asks for a search when one is to move, and hands its answer in as a command.

The answer carries the version it was thought for, so one that comes too late is refused like any
other. A restart finds the same position and the same seed, and so asks for the same move again.
"""

from typing import TYPE_CHECKING

import structlog

from parlour_protocol.codec import encode_to_client
from parlour_protocol.errors import Code
from parlour_protocol.ids import Version
from parlour_protocol.to_client import Thinking
from parlour_protocol.views import Report
from parlour_server.live.request import Request
from parlour_server.live.searches import DeskFull, Search
from parlour_server.live.worker import Job
from parlour_server.live.world import Timer
from parlour_server.room.commands import Play, Resign
from parlour_server.room.decide import bot_player
from parlour_server.room.refusals import Refusal
from parlour_server.room.views import sees_thoughts
from parlour_server.search.bots import parse_bot

if TYPE_CHECKING:
    from parlour_server.live.room import LiveRoom

log = structlog.get_logger()

DESK_FULL_WAIT = 0.2
"""Seconds until a bot that found the desk full asks again."""
REFUSED_WAIT = 2.0
"""Seconds until a bot whose move could not be saved hands it in again."""
FAILURES_ALLOWED = 3
"""A bot whose search fails as often as this in one position gives the game up."""


class BotSeat:
    """The bots of one room; at most one of them is to move."""

    def __init__(self, room: "LiveRoom") -> None:
        self._room = room
        self._search: Search | None = None
        self._timer: Timer | None = None
        self._thinks_for: Version | None = None
        """The version of the position that is being thought about, or waited for."""
        self._asked_at = 0.0
        self._failures = 0

    def tend(self) -> None:
        """Look at the room: begin a search that is due, and stop one that is no longer wanted."""
        state = self._room.state
        seat = state.to_move
        seated = None if seat is None else state.seats[seat]
        due = state.position_version if seated is not None and seated.mind is not None else None
        if due == self._thinks_for:
            return
        self.stop()
        if due is not None:
            self._thinks_for = due
            self._failures = 0
            self._asked_at = self._room.world.monotonic()
            self._ask()

    @property
    def busy(self) -> bool:
        """Is a bot thinking, or about to move?"""
        return self._thinks_for is not None

    def stop(self) -> None:
        """Stop what runs."""
        if self._search is not None:
            self._search.cancel()
            self._search = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._thinks_for = None

    def _ask(self) -> None:
        self._timer = None
        state = self._room.state
        seat = state.to_move
        assert seat is not None
        seated = state.seats[seat]
        assert seated is not None
        assert seated.mind is not None
        # A number of its own for every position of every game: repeatable, and never the same dice.
        number = state.game_number * 1000 + len(state.moves)
        job = Job(state.rules.name, state.position, parse_bot(seated.mind), number)
        try:
            self._search = self._room.world.desk.search(job, self._found, self._show)
        except DeskFull:
            self._timer = self._room.world.later(DESK_FULL_WAIT, self._ask)

    def _show(self, report: Report) -> None:
        state = self._room.state
        seat = state.to_move
        if seat is None or not self._room.members:
            return
        message = encode_to_client(Thinking(self._room.code, state.position_version, seat, report))
        for member, viewer in self._room.viewers():
            if sees_thoughts(state, viewer):
                member.send(message)

    def _found(self, report: Report | None) -> None:
        self._search = None
        if report is None:
            self._failed()
            return
        state = self._room.state
        # A search cut short before its first move was judged still has to move.
        move = report.best if report.best is not None else state.legal_moves()[0]
        wait = 0.0
        if state.minds() == 2:
            wait = self._asked_at + state.settings.pace - self._room.world.monotonic()
        if wait > 0:
            self._timer = self._room.world.later(wait, lambda: self._hand_in(move, report))
        else:
            self._hand_in(move, report)

    def _hand_in(self, move: str, report: Report) -> None:
        self._timer = None
        assert self._thinks_for is not None
        self._submit(Play(move, self._thinks_for, report))

    def _failed(self) -> None:
        self._failures += 1
        if self._failures < FAILURES_ALLOWED:
            self._timer = self._room.world.later(DESK_FULL_WAIT, self._ask)
        else:
            self._give_up()

    def _give_up(self) -> None:
        self._submit(Resign("the bot failed and gave up"))

    def _submit(self, command: Play | Resign) -> None:
        seat = self._room.state.to_move
        assert seat is not None
        # Named by its version: handed in twice, after a restart say, it counts once.
        name = f"{type(command).__name__.lower()}-{self._thinks_for}"
        self._room.submit(Request(command, bot_player(seat), name, self))

    def accepted(self, command_id: str, room: str, version: Version) -> None:
        """The room tends its bots after every event: nothing is left to do here."""

    def refused(self, command_id: str, room: str, version: Version, refusal: Refusal) -> None:
        """Stale answers are dropped; what could not be saved is thought of again, a little later."""
        if not command_id.endswith(f"-{self._thinks_for}"):
            # It was thought for another position than the one that is thought about by now.
            return
        if refusal.retry_after is None:
            log.info("a bot's move was refused", room=room, code=refusal.code, version=version)
            if self._thinks_for == self._room.state.position_version:
                # Not stale but wrong: a fault of the bot's.
                self._failed()
            return
        if refusal.code is Code.INTERNAL:
            self._failures += 1
        # Still thought to be busy with this position, so that nothing else makes it ask any sooner.
        self._timer = self._room.world.later(max(REFUSED_WAIT, refusal.retry_after), self._again)

    def _again(self) -> None:
        self._timer = None
        if self._failures < FAILURES_ALLOWED:
            self._ask()
        else:
            self._give_up()
