"""The server's log: one event a line, on standard error, with the room and the connection that it is about.

Never in it: a token, or what people say. So an exception that the event loop caught is written without the
call that raised it, whose arguments may hold either.
"""

import asyncio
import logging
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import structlog
from structlog.typing import EventDict, Processor

from parlour_server.settings import MonitoringSettings
from parlour_server.store.port import StoreError

MINUTE = 60.0
MOST_EVENTS = 1000
"""Different events remembered; ours are some fifty, but libraries put their arguments into theirs."""

lines: defaultdict[str, int] = defaultdict(int)
"""How many lines this process has logged, by level; those that were left out are counted, too."""

log = structlog.get_logger()


def write(settings: MonitoringSettings, facts: Mapping[str, object]) -> None:
    """Have everything that is logged in this process written to standard error from now on.

    Every line has these `facts`.
    """

    def add_facts(logger: object, method: str, line: EventDict) -> EventDict:
        line.update(facts)
        return line

    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            _count,
            Repeats(settings.log_repeats),
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            add_facts,
            _say_reason,
            *_renderers(settings.log_format),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(settings.log_level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    logging.basicConfig(handlers=[_Forward()], level=logging.WARNING, force=True)
    # A lost connection is logged by the code that needs it.
    logging.getLogger("asyncpg").setLevel(logging.ERROR)


def watch_loop(loop: asyncio.AbstractEventLoop) -> None:
    """Log what is caught nowhere else on a loop."""
    loop.set_exception_handler(_uncaught)


def _renderers(form: Literal["console", "json", "logfmt"]) -> list[Processor]:
    match form:
        case "console":
            plain = structlog.dev.plain_traceback
            return [structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=plain)]
        case "json":
            return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
        case "logfmt":
            first = ["timestamp", "level", "event"]
            return [
                structlog.processors.format_exc_info,
                structlog.processors.LogfmtRenderer(key_order=first),
            ]


def _count(logger: object, method: str, facts: EventDict) -> EventDict:
    lines[method] += 1
    return facts


def _say_reason(logger: object, method: str, facts: EventDict) -> EventDict:
    """What a store can't do it says in a sentence: where that was asked for tells nothing more."""
    if isinstance(facts.get("exc_info"), StoreError):
        facts["reason"] = str(facts.pop("exc_info"))
    return facts


@dataclass(slots=True)
class _Seen:
    since: float
    count: int = 1


class Repeats:
    """Leaves out what is logged more than `most` times within a minute, and then says how often that was."""

    def __init__(self, most: int, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._most, self._monotonic = most, monotonic
        self._seen: dict[str, _Seen] = {}

    def __call__(self, logger: object, method: str, facts: EventDict) -> EventDict:
        """A processor of structlog's."""
        if not self._most:
            return facts
        event, now = str(facts["event"]), self._monotonic()
        seen = self._seen.get(event)
        if seen is None or now - seen.since >= MINUTE:
            if len(self._seen) >= MOST_EVENTS:
                self._seen.clear()
            self._seen[event] = _Seen(now)
            if seen is not None and seen.count > self._most:
                facts["left_out"] = seen.count - self._most
            return facts
        seen.count += 1
        if seen.count > self._most:
            raise structlog.DropEvent
        return facts


class _Forward(logging.Handler):
    """What libraries log by the standard library goes to our log."""

    def emit(self, record: logging.LogRecord) -> None:
        """See `logging.Handler`."""
        error = record.exc_info[1] if record.exc_info else None
        log.log(max(record.levelno, logging.WARNING), record.getMessage(), logger=record.name, exc_info=error)


def _uncaught(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    error = context.get("exception")
    if error is None:
        log.error("the event loop complains", reason=str(context.get("message")))
    else:
        log.error("an exception was not caught", exc_info=error)
