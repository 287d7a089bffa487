"""The bots of a room: asks for a search when one is to move, and submits its move as a command.

The move carries the version it was thought for, so one that comes too late is refused like any
other. A restart finds the same position and the same seed, and so asks for the same move again.

In a room that no one is connected to two bots would write to its log without end, for no one. So they have a
budget of events, which begins when the last connection leaves, or when a person last asked for something
there; then they rest until a person comes, to this node or another one, or a program asks for a game.
"""

from functools import partial

import structlog

from parlour_protocol.errors import Code
from parlour_protocol.ids import Version
from parlour_protocol.notices import Thinking
from parlour_protocol.views.reports import Report
from parlour_protocol.views.rooms import ClockView
from parlour_server.analysis.fair_queue import Requester
from parlour_server.analysis.scheduler import Search
from parlour_server.analysis.worker import Job
from parlour_server.hosting.actors.log_actor import LogActor
from parlour_server.hosting.context import Timer
from parlour_server.hosting.rooms.audience import Audience
from parlour_server.hosting.rooms.requests import RoomRequest
from parlour_server.refusals import Refusal
from parlour_server.room.commands import BotMove, GiveUp
from parlour_server.room.decide import bot_player
from parlour_server.room.state import RoomState
from parlour_server.search.levels import parse_bot, with_seed

log = structlog.get_logger()

FAILED_WAIT = 0.2
"""Seconds until a bot whose search failed asks again."""
REFUSED_WAIT = 2.0
"""Seconds until a bot whose move could not be saved submits it again."""
FAILURES_ALLOWED = 3
"""A bot whose search fails as often as this in one position gives the game up."""
UNATTENDED_EVENTS = 1000
"""How many events bots cause at most while no one is there: whole games, for those who come back later."""


class BotSeat:
    """The bots of one room; at most one of them is to move."""

    def __init__(self, room: LogActor[RoomState, RoomRequest], audience: Audience) -> None:
        self._room, self._audience = room, audience
        self._attended_at: Version = 0
        """The version at which someone was last seen to be connected."""
        self._search: Search | None = None
        self._timer: Timer | None = None
        self._thinks_for: Version | None = None
        """The version of the position that is being thought about, or waited for."""
        self._asked_at = 0.0
        self._failures = 0
        self._waited = 0.0
        """Seconds that earlier searches of this position have waited for a worker."""
        self._waiting: Report | None = None
        """What was last shown of its waiting, until it shows its thoughts."""

    def update(self) -> None:
        """Look at the room: begin a search that is due, and stop one that is no longer wanted."""
        state = self._room.state
        seated = None if state.turn is None else state.seats[state.turn.seat]
        due = None
        if seated is not None and seated.acting_bot is not None and self.may_move:
            due = state.position_version
        if due == self._thinks_for:
            return
        self.stop()
        if due is not None:
            self._thinks_for = due
            self._failures = 0
            self._asked_at = self._room.context.monotonic()
            self._ask()

    def _events_left(self) -> int:
        state = self._room.state
        if self._audience.attended:
            self._attended_at = state.version
        return UNATTENDED_EVENTS - (state.version - max(self._attended_at, state.asked_at))

    @property
    def may_move(self) -> bool:
        """May a bot make a move? A game with clocks is played to its end, since its clocks run on."""
        state = self._room.state
        return state.clocks is not None or not state.all_bots() or self._events_left() > 0

    @property
    def may_begin_game(self) -> bool:
        """May the next game begin? Only one that can be played to its end."""
        return self._events_left() >= min(self._room.state.rules.max_plies, UNATTENDED_EVENTS)

    @property
    def busy(self) -> bool:
        """Is a bot thinking, or about to move?"""
        return self._thinks_for is not None

    @property
    def waited(self) -> int:
        """Milliseconds that the bot to move has waited for a worker: time that its clock is not charged."""
        waits = 0.0 if self._search is None else self._search.waited
        return round(1000 * (self._waited + waits))

    def waiting(self) -> Thinking | None:
        """That the bot to move waits for its search, or has: for those who come while it does."""
        return None if self._waiting is None else self._notice(self._waiting)

    def stop(self) -> None:
        """Stop what runs."""
        self._waited, self._waiting = 0.0, None
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
        bot = seated.acting_bot
        assert bot is not None
        # A number of its own for every position of every game: repeatable, and never the same dice.
        number = state.game_number * 1000 + len(state.moves)
        spec = with_seed(parse_bot(bot.settings), bot.seed)
        job = Job(state.rules.name, state.position, spec, number)
        self._search = self._room.context.scheduler.search(job, self._requester(), self._found, self._show)

    def _requester(self) -> Requester:
        """The search's requester: the person who waits for the bot; else the one who brought it here."""
        state = self._room.state
        here = [
            seated
            for seated in state.seats
            if seated is not None and seated.acting_bot is None and self._audience.has(seated.player)
        ]
        player = here[0].player if here else state.owner
        waits = any(not seated.program for seated in here)
        return Requester("seat" if waits else "bots", player, self._audience.address_of(player))

    def _show(self, report: Report) -> None:
        if self._room.state.to_move is not None:
            self._waiting = report if report.queued is not None or report.compiling is not None else None
            if self._audience.attended:
                self._audience.send_thinking(self._notice(report))

    def _notice(self, report: Report) -> Thinking:
        state = self._room.state
        assert state.to_move is not None
        clock = self._clock(rests=report.queued is not None or report.compiling is not None)
        return Thinking(self._room.key, state.position_version, state.to_move, report, clock)

    def _clock(self, *, rests: bool) -> ClockView | None:
        """The clock without the time waited; None where the view has it right."""
        clocks, waited = self._room.state.clocks, self.waited
        if clocks is None or clocks.running is None or not (rests or waited):
            return None
        seat, now, left = clocks.running, self._room.context.now(), list(clocks.left)
        left[seat] = max(0, min(left[seat], clocks.remaining(seat, now) + waited))
        return ClockView(left, now, None if rests else seat)

    def _found(self, report: Report | None) -> None:
        if self._search is not None:
            self._waited += self._search.waited
        self._search = self._waiting = None
        if report is None:
            self._failed()
            return
        state = self._room.state
        # A search cut short before its first move was judged still has to move.
        move = report.best if report.best is not None else state.legal_moves()[0]
        wait = 0.0
        if state.all_bots():
            wait = self._asked_at + state.settings.pace - self._room.context.monotonic()
        if wait > 0:
            self._timer = self._room.context.later(wait, lambda: self._move(move, report))
        else:
            self._move(move, report)

    def _move(self, move: str, report: Report) -> None:
        self._timer = None
        assert self._thinks_for is not None
        self._submit(BotMove(move, self._thinks_for, report), "play")

    def _failed(self) -> None:
        self._failures += 1
        if self._failures < FAILURES_ALLOWED:
            self._timer = self._room.context.later(FAILED_WAIT, self._ask)
        else:
            self._again()

    def _again(self) -> None:
        self._timer = None
        seat = self._room.state.to_move
        assert seat is not None
        if self._failures < FAILURES_ALLOWED:
            self._ask()
        else:
            self._submit(GiveUp(seat), "give-up")

    def _submit(self, command: BotMove | GiveUp, name: str) -> None:
        seat, version = self._room.state.to_move, self._thinks_for
        assert seat is not None
        assert version is not None
        # Named by its version: submitted twice, after a restart say, it counts once.
        replied = partial(self._replied, version)
        self._room.submit(RoomRequest(command, bot_player(seat), f"{name}-{version}", replied))

    def _replied(
        self, thought_for: Version, command_id: str, room: str, version: Version, refusal: Refusal | None
    ) -> None:
        """Stale moves are dropped; what could not be saved is thought of again, a little later."""
        if refusal is None or thought_for != self._thinks_for:
            return
        if refusal.retry_after is None:
            log.info("a bot's move was refused", room=room, code=refusal.code, version=version)
            if thought_for == self._room.state.position_version:
                # Not stale but wrong: a fault of the bot's.
                self._failed()
            return
        if refusal.code is Code.INTERNAL:
            self._failures += 1
        # Still thought to be busy with this position, so that nothing else makes it ask any sooner.
        self._timer = self._room.context.later(max(REFUSED_WAIT, refusal.retry_after), self._again)
