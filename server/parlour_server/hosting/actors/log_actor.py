"""An actor: one inbox, one append at a time, and a state that is what the log says.

Ordering takes the place of locks. A command is decided when the one before it is durable; what it
causes is published when it is durable itself. Nothing here assumes to be the only writer of the log: on a
version conflict the actor catches up with the log, and decides again.

    mode          what is under way                      a command      leads to
    -----------   ------------------------------------   ------------   ---------------------------------
    READY         nothing                                is decided     SAVING, if it causes events
    SAVING        the events of one command are saved    waits          READY; a conflict: CATCHING_UP
    CATCHING_UP   the log is read on from our version    waits          READY; a failure: UNREADABLE
    RELOADING     all of it is read, and folded anew     waits          READY; a failure: UNREADABLE
    UNREADABLE    a pause before it is reloaded          waits          RELOADING
    QUARANTINED   nothing, for good: it kept crashing    is refused

Where our own code crashes it is reloaded; the third time within a minute it is quarantined, its log kept.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from enum import Enum
from functools import partial
from typing import Any, Generic, TypeVar

import structlog

from parlour_protocol.errors import Code
from parlour_protocol.ids import Version
from parlour_protocol.words import Sentence
from parlour_server.aggregate import Aggregate, Moment, Versioned
from parlour_server.hosting.actors.requests import Request
from parlour_server.hosting.context import Context, Timer
from parlour_server.log import AnyRecord, LogRecord
from parlour_server.refusals import Refusal
from parlour_server.store.port import NotReadable, StoreError, VersionConflict

log = structlog.get_logger()

REFUSALS_KEPT = 64
UNSAVED_KEPT = 64
INBOX_LENGTH = 256
READ_AGAIN_SECONDS = 1.0
CRASHES_ALLOWED = 2
CRASH_SECONDS = 60.0
"""An actor that crashes once more within these seconds is quarantined, its log kept."""

S = TypeVar("S", bound=Versioned)
R = TypeVar("R", bound=Request)


class Mode(Enum):
    """What an actor does at present: see the table above."""

    READY = "ready"
    SAVING = "saving"
    CATCHING_UP = "catching up"
    RELOADING = "reloading"
    UNREADABLE = "unreadable"
    QUARANTINED = "quarantined"


READY, SAVING, CATCHING_UP, RELOADING, UNREADABLE, QUARANTINED = Mode


class Behind(Exception):
    """A command's author has seen more of the log than the actor: it is decided when that is read."""


class DoFirst(Exception):
    """Something has to be done before a command."""

    def __init__(self, request: Request) -> None:
        self.request = request


class LogActor(Generic[S, R]):
    """The actor of one log. Its registry makes it, from nothing or from the log.

    What follows from events is for the methods under "hooks", which do nothing here.
    """

    def __init__(self, key: str, context: Context, aggregate: Aggregate[S]) -> None:
        self.key = key
        self.context = context
        self.state = aggregate.initial(key)
        self.mode = READY
        self.stopped = False
        """Is what it does by itself ended for good? What was being saved may become durable afterwards."""
        self.leased = False
        """Is what has to be done by itself this node's to do? Else another's, or no node's at present."""
        self.idle_since = self.changed_at = self.made_at = context.monotonic()
        """In seconds: when it was last needed, when its last event was appended, when it came here."""
        self._aggregate = aggregate
        self._decide, self._evolve = aggregate.decide, aggregate.evolve
        self._inbox: deque[R] = deque()
        self._saving: tuple[R, list[AnyRecord]] | None = None
        """What is being saved."""
        self._next_read: Mode | None = None
        """How the log is to be read as soon as nothing is under way."""
        self._hinted: Version = 0
        """How far the log goes, as another node says."""
        self._sent: Sequence[AnyRecord] = ()
        """The records that led there, if it sent them, too."""
        self._readers: list[asyncio.Future[None]] = []
        """Futures that are settled once it is read as far as it goes."""
        self._held_up: R | None = None
        """The last command before which something else had to be done."""
        self._refused: dict[tuple[str, str], tuple[Version, Refusal]] = {}
        """The last refusals, which no event records, and the versions at which they were decided."""
        self._unsaved: dict[tuple[str, str], tuple[Any, int]] = {}
        """The last commands that could not be saved and may be asked again, and when they came in first."""
        self._retry_timer: Timer | None = None
        """Until the log is read once more, where that failed."""
        self._crashes: deque[float] = deque(maxlen=CRASHES_ALLOWED)

    # ------------------------------------------------------------ commands

    def submit(self, request: R) -> None:
        """Take a command. Its reply comes at once, or when it is durable."""
        if self.mode is READY:
            self._handle(request)
            if self._inbox:
                self._go_on()
        elif self.mode is QUARANTINED:
            self._refuse(request, quarantine_refusal())
        elif len(self._inbox) >= INBOX_LENGTH:
            self._refuse(request, Refusal(Code.BUSY, Sentence("refusal.busy"), retry_after=1.0))
        else:
            request.note_received(self.context.now())
            self._inbox.append(request)

    def has_accepted(self, by: str, command_id: str) -> bool:
        """Has it accepted a command of this id before?"""
        return self._aggregate.answer(self.state, by, command_id) is not None

    @property
    def _name(self) -> dict[str, str]:
        """What the server's log calls it."""
        return {self._aggregate.noun: self.key}

    @property
    def quarantined(self) -> bool:
        """Does it refuse all commands, since it kept crashing?"""
        return self.mode is QUARANTINED

    @property
    def is_over(self) -> bool:
        """Is nothing more to happen?"""
        return self._aggregate.is_over(self.state)

    @property
    def at_rest(self) -> bool:
        """Does it wait for no command and no log?"""
        return self.mode in (READY, QUARANTINED) and not self._inbox

    def _go_on(self) -> None:
        """Do what is due, until something is under way."""
        if self.mode is READY:
            if self._next_read is not None:
                self._read(self._next_read)
            elif self._hinted > self.state.version:
                self._follow_hint()
        while self._inbox and self.mode is READY:
            self._handle(self._inbox.popleft())

    def _handle(self, request: R) -> None:
        state = self.state
        known = self._aggregate.answer(state, request.by, request.id)
        if known is not None:
            # The same command again, after a lost reply: it is idempotent.
            self._reply(request, known)
            return
        if self._refused:
            refused = self._refused.get((request.by, request.id))
            if refused is not None:
                self._reply(request, *refused)
                return
        now = self.context.now()
        if self._unsaved:
            command, received_at = self._unsaved.get((request.by, request.id), (None, 0))
            if command == request.command:
                # Asked again since it could not be saved: that is not its author's time.
                request.received_at = received_at
        try:
            context = self._command_context(request, now)
            decision = self._decide(state, request.command, context)
        except DoFirst as first:
            request.note_received(now)
            self._inbox.appendleft(request)
            self._held_up = request
            self._handle(first.request)  # type: ignore[arg-type]
            return
        except Behind:
            self._catch_up_first(request, now)
            return
        except Refusal as refusal:
            if self.context.node.is_one_of_several and not request.caught_up:
                # Another node may know better, and no command is to be refused for what is no longer so.
                self._catch_up_first(request, now)
            else:
                self._refuse(request, refusal)
            return
        except Exception as error:
            self._crashed(request, error)
            return
        if not decision.events:
            self._reply(request, state.version)
            return
        records = [
            LogRecord(event, now, request.by, request.id, decision.applied) for event in decision.events
        ]
        self.mode = SAVING
        self._saving = request, records
        try:
            self.context.store.append(self.key, state.version, records, self._appended)
        except Exception as error:
            # It was not taken, since an event can't be encoded, say.
            self.mode, self._saving = READY, None
            self._crashed(request, error)

    def _appended(self, error: StoreError | None) -> None:
        assert self._saving is not None
        request, records = self._saving
        self._saving = None
        if error is None:
            self.changed_at = self.context.monotonic()
            version = self.state.version + len(records)
            events = self.context.counters.events
            try:
                for record in records:
                    events[type(record.event)] += 1
                    self._evolve(self.state, record)
                    record.applied = None
                    self._publish(record)
            except Exception as fault:
                self._crashed_after(request, version, fault)
                return
            self.mode = READY
            try:
                # Not by `_reply`: this stands in the path of every move.
                request.reply(request.id, self.key, version, None)
            except Exception as fault:
                log.error("a reply was not taken", **self._name, exc_info=fault)
            try:
                if version == len(records) and self.context.node.still_holds(self.made_at):
                    # The node at which a log begins has its lease.
                    self.hold_lease()
                self._accepted(request)
                self._update()
            except Exception as fault:
                self._crashed_by_itself(fault)
        else:
            self.mode = READY
            request.note_received(records[0].at)
            self._not_appended(request, error)
        if self._inbox or self._next_read is not None or self._hinted > self.state.version:
            self._go_on()

    def _not_appended(self, request: R, error: StoreError) -> None:
        refusal = self._refusal_of(request, error)
        if refusal is None and isinstance(error, VersionConflict):
            self._inbox.appendleft(request)
            self._read(CATCHING_UP, after_conflict=True)
        elif refusal is None:
            # Why is for the log: a player can mend nothing, and a file's path is none of theirs.
            log.error("a command was not saved", **self._name, reason=str(error))
            if request.received_at:
                self._unsaved[request.by, request.id] = request.command, request.received_at
            if len(self._unsaved) > UNSAVED_KEPT:
                del self._unsaved[next(iter(self._unsaved))]
            said = Sentence("refusal.not_saved")
            self._refuse(request, Refusal(Code.NOT_SAVED, said, retry_after=2.0))
            if self._inbox and self._inbox[0] is self._held_up:
                # Nor can what waited for it be done without it.
                self._refuse(self._inbox.popleft(), Refusal(Code.NOT_SAVED, said, retry_after=2.0))
        else:
            self._refuse(request, refusal)

    def _refuse(self, request: R, refusal: Refusal) -> None:
        # A repeat gets the first reply again, but after one with `retry_after` it may be different now.
        if refusal.retry_after is None:
            self._refused[request.by, request.id] = self.state.version, refusal
            if len(self._refused) > 2 * REFUSALS_KEPT:
                self._refused = dict(list(self._refused.items())[-REFUSALS_KEPT:])
        self._reply(request, self.state.version, refusal)

    def _reply(self, request: R, version: Version, refusal: Refusal | None = None) -> None:
        """Reply to a command. What its author does with that is no fault of the actor's, which goes on."""
        try:
            request.reply(request.id, self.key, version, refusal)
        except Exception as error:
            log.error("a reply was not taken", **self._name, exc_info=error)

    # ------------------------------------------------------------ the log

    def hinted(self, version: Version, records: Sequence[AnyRecord] = ()) -> None:
        """Its log goes on to this version at least; the records that led there, if any are given."""
        if version > max(self._hinted, self.state.version):
            self._hinted, self._sent = version, records
            self._go_on()

    async def catch_up(self) -> None:
        """Wait until it is read as far as its log goes now, or has stopped."""
        if self.stopped:
            return
        read: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._readers.append(read)
        if self._next_read is None:
            self._next_read = CATCHING_UP
        self._go_on()
        await read

    def reload(self) -> None:
        """Start again from the log, which was rewritten at the same versions."""
        if not self.stopped and not self.quarantined:
            self._next_read = RELOADING
            self._go_on()

    def restore(self, state: S, last_alive: int | None = 0, unserved_since: int | None = None) -> None:
        """Go on from where the log leads, which no node served after `last_alive`.

        That is in milliseconds since 1970; None: one did. It may have died, and served it until
        `unserved_since`.
        """
        self.state = state

    def _follow_hint(self) -> None:
        """Fold what another node has sent; catch up where there is a gap before it."""
        records, self._sent = self._sent, ()
        if not records or self._hinted != self.state.version + len(records):
            self._read(CATCHING_UP)
            return
        try:
            self._fold(records)
            self._update()
        except Exception as error:
            self._crashed_by_itself(error)

    def _fold(self, records: Sequence[AnyRecord]) -> None:
        """Fold what stands in the log, and publish it."""
        for record in records:
            self._evolve(self.state, record)
            self._publish(record)
        self.changed_at = self.context.monotonic()

    def _catch_up_first(self, request: R, now: int) -> None:
        """Read the log on, and decide a command then."""
        request.caught_up = True
        request.note_received(now)
        self._inbox.appendleft(request)
        self._read(CATCHING_UP)

    def _read(self, mode: Mode, *, after_conflict: bool = False) -> None:
        """Read the log on from our version, or all of it; what waits in the inbox is decided afterwards."""
        self.mode, self._retry_timer = mode, None
        self.context.spawn(self._read_log(after_conflict))

    async def _read_log(self, after_conflict: bool) -> None:
        readers, self._readers = self._readers, []
        self._next_read, self._hinted, self._sent = None, 0, ()
        try:
            await self._take_in_log(after_conflict)
        except Exception as error:
            self._not_read(error)
            return
        finally:
            for one in readers:
                if not one.done():
                    one.set_result(None)
        self.mode = READY
        try:
            self._update()
        except Exception as error:
            self._crashed_by_itself(error)
        self._go_on()

    async def _take_in_log(self, after_conflict: bool) -> None:
        store, version = self.context.store, self.state.version
        records = await store.read(self.key, 0 if self.mode is RELOADING else version)
        if after_conflict and not records:
            # It can't go on from here: a database that was restored has lost what stood behind this.
            log.error(
                f"a {self._aggregate.noun} is ahead of its log, and starts again from that", **self._name
            )
            self.mode, records = RELOADING, await store.read(self.key)
        if self.mode is not RELOADING:
            self._fold(records)
            return
        if version and not records:
            raise NotReadable(f"The log of {self.key} is gone.")
        self.state = await self.context.replay.run(partial(self._aggregate.replay, self.key), records)
        self._reloaded()

    def _not_read(self, error: Exception) -> None:
        log.error(f"a {self._aggregate.noun} can't be read", **self._name, exc_info=error)
        if not isinstance(error, StoreError | OSError) and self._crashes_too_often():
            # Read it can be, but not folded.
            self._quarantine()
            return
        self.mode = UNREADABLE
        self._refuse_waiting(Refusal(Code.INTERNAL, Sentence("refusal.unreadable"), retry_after=2.0))
        if not self.stopped:
            self._retry_timer = self.context.later(READ_AGAIN_SECONDS, lambda: self._read(RELOADING))

    def _refuse_waiting(self, refusal: Refusal) -> None:
        waiting, self._inbox = self._inbox, deque()
        for request in waiting:
            self._refuse(request, refusal)

    # ------------------------------------------------------------ crashes

    def _crashed(self, request: R, error: Exception) -> None:
        """Refuse a command at which our own code failed, and start again from the log."""
        self._log_crash(request, error)
        if self._crashes_too_often():
            self._quarantine()
            self._refuse(request, quarantine_refusal())
            return
        self._refuse(request, Refusal(Code.INTERNAL, Sentence("refusal.crashed"), retry_after=1.0))
        self._read(RELOADING)

    def _crashed_after(self, request: R, version: Version, error: Exception) -> None:
        """Our own code failed at events that stand in the log, which knows the answer: it is asked then."""
        self._log_crash(request, error)
        if self._crashes_too_often():
            self._reply(request, version)
            self._quarantine()
        else:
            self._inbox.appendleft(request)
            self._read(RELOADING)

    def _crashed_by_itself(self, error: Exception) -> None:
        """Our own code failed where no answer waits for it: at what another has done, or follows from it."""
        log.error(f"a {self._aggregate.noun} crashed", **self._name, exc_info=error)
        if self.mode is not READY:
            # It has a command to save of its own by now.
            self._next_read = RELOADING
        elif self._crashes_too_often():
            self._quarantine()
        else:
            self._read(RELOADING)

    def _log_crash(self, request: R, error: Exception) -> None:
        command = type(request.command).__name__
        log.error(f"a {self._aggregate.noun} crashed", **self._name, command=command, exc_info=error)

    def _crashes_too_often(self) -> bool:
        self.context.counters.crashes[self._aggregate.noun] += 1
        now = self.context.monotonic()
        full = len(self._crashes) == CRASHES_ALLOWED
        often = full and now - self._crashes[0] < CRASH_SECONDS
        self._crashes.append(now)
        return often

    def _quarantine(self) -> None:
        """Refuse all commands from now on. The log stays as it is."""
        log.error(f"a {self._aggregate.noun} is quarantined: it keeps crashing", **self._name)
        self.mode = QUARANTINED
        self.stop()
        self._quarantined()
        self._refuse_waiting(quarantine_refusal())

    # ------------------------------------------------------------ the lease, and the end

    def hold_lease(self, last_alive: int | None = None) -> None:
        """Do by itself from now on what is to be done: see `restore`."""
        self.leased = True

    def drop_lease(self) -> None:
        """Leave that to another node, or to none."""
        self.leased = False

    def stop(self) -> None:
        """Do nothing by itself any more. The log stays."""
        self.stopped = True
        for one in self._readers:
            if not one.done():
                one.set_result(None)
        if self._retry_timer is not None:
            self._retry_timer.cancel()

    # ------------------------------------------------------------ hooks

    @property
    def wants_lease(self) -> bool:
        """Is it to be had at this node, where no other has it?"""
        return True

    @property
    def in_use(self) -> bool:
        """Do people here see it?"""
        return False

    @property
    def idle(self) -> bool:
        """May it sleep, once it was left alone for long, since it waits for nothing that comes by itself?"""
        return self.at_rest

    def _command_context(self, request: R, now: int) -> Any:
        """What `decide` gets beside the state and the command. Raises `Behind` and `DoFirst`."""
        return Moment(request.by, now, self.context.chance)

    def _refusal_of(self, request: R, error: StoreError) -> Refusal | None:
        """Why a command was not saved, in words of its own; None: nothing is to be said beyond the usual."""
        return None

    def _publish(self, record: AnyRecord) -> None:
        """Do what follows from an event that was just folded."""

    def _accepted(self, request: R) -> None:
        """Do what follows from a command that was just accepted."""
        self.idle_since = self.changed_at

    def _reloaded(self) -> None:
        """Do what follows from a state that was folded anew."""

    def _update(self) -> None:
        """Look at the state: what is to be done by itself?"""

    def _quarantined(self) -> None:
        """Tell those who are here."""


def quarantine_refusal() -> Refusal:
    """Why a quarantined actor refuses everything."""
    return Refusal(Code.INTERNAL, Sentence("refusal.put_aside"))
