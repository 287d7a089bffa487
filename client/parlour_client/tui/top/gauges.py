"""A server's numbers as lines: two or three columns of a name, a value, and its course over time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.text import Text
from textual.content import Content
from textual.widget import Widget

from parlour_client.render.admin import counted
from parlour_client.render.lists import cell
from parlour_client.text import durations
from parlour_client.text.sparkline import sparkline
from parlour_client.tui.top.history import History
from parlour_protocol.local.admin import ServerStatus, Timing
from parlour_protocol.views.lists import Column, Kind
from parlour_protocol.words import language, say

NAME = 11
"""Columns for a name; a longer one is cut."""
GAP = 2
LEAST_COURSE = 4


@dataclass(frozen=True, slots=True)
class Gauge(Column[History]):
    """A number of a server's, with its course over time; one without a course may be longer."""

    course: Callable[[History], Sequence[float]] = lambda history: ()

    @property
    def heading(self) -> str:
        """Of its own group: names are short here."""
        return f"screen.top.gauge.{self.name}"


class Gauges(Widget):
    """Shows the numbers of a history."""

    def __init__(self) -> None:
        super().__init__()
        self.history = History()

    def render(self) -> Content:
        """As many columns as there is room for."""
        return draw(self.history, self.size.width)


def draw(history: History, width: int) -> Content:
    """The numbers in lines of this width."""
    look = history.last
    if look is None:
        return Content("")
    columns = 2 if width < 100 else 3
    each = (width - GAP * (columns - 1)) // columns
    rows = [GAUGES[at : at + columns] for at in range(0, len(GAUGES), columns)]
    lines = [Content(" " * GAP).join([_gauge(one, history, each) for one in row]) for row in rows]
    lines += [line for one in LINES for line in _lines(one, history, width)]
    if look.status.draining is not None:
        draining = say("screen.top.draining", span=durations.span(look.status.draining))
        lines.append(Content.styled(draining[:width], "$notice"))
    return Content("\n").join(lines)


def _of(number: Callable[[ServerStatus], Any]) -> Callable[[History], Any]:
    """A number of the last look."""
    return lambda history: None if history.last is None else number(history.last.status)


def _number(name: str, number: Callable[[ServerStatus], float], kind: Kind = "number") -> Gauge:
    """A number as it is now, and as it was."""
    return Gauge(name, kind, of=_of(number), course=lambda history: history.values(number))


def _rate(name: str, total: Callable[[ServerStatus], float]) -> Gauge:
    """By how much a total grows each second."""

    def now(history: History) -> str:
        rates = history.rates(total)
        return language().number(rates[-1], 1 if rates[-1] < 10 else 0) if rates else "-"

    return Gauge(name, "figure", of=now, course=lambda history: history.rates(total))


def _mean(name: str, timing: Callable[[ServerStatus], Timing]) -> Gauge:
    """How long something takes on average."""
    return Gauge(name, "figure", of=lambda history: _milliseconds(history.mean(timing)))


def _cpu(status: ServerStatus) -> float:
    return status.cpu_seconds


def _cpu_now(history: History) -> str:
    rates = history.rates(_cpu)
    return f"{language().number(100 * rates[-1], 0)} %" if rates else "-"


GAUGES: Sequence[Gauge] = (
    _rate("moves", lambda status: status.moves),
    _number("connected", lambda status: status.connections),
    _rate("refusals", lambda status: sum(status.refusals.values())),
    _number("watching", lambda status: status.spectators),
    Gauge(
        "searches",
        of=_of(
            lambda status: say(
                "screen.top.searches",
                running=status.searches.running,
                workers=status.searches.workers,
                count=status.searches.waiting,
            )
        ),
        course=lambda history: history.values(lambda status: status.searches.waiting),
    ),
    Gauge("cpu", "figure", of=_cpu_now, course=lambda history: history.rates(_cpu)),
    _mean("commit", lambda status: status.commits),
    _mean("lag", lambda status: status.lag),
    _number("memory", lambda status: status.memory_bytes, "bytes"),
    _number("file", lambda status: status.data_bytes, "bytes"),
    _number("players", lambda status: status.players),
    Gauge("bans", "number", of=_of(lambda status: status.bans)),
)
"""The numbers that have a course."""

LINES: Sequence[Gauge] = (
    Gauge("refused", "counts", of=lambda history: history.new_refusals() or Text(say("screen.top.nothing"))),
    Gauge(
        "rooms",
        of=_of(
            lambda status: say("screen.of", done=status.rooms, of=status.most_rooms) + counted(status.phases)
        ),
    ),
)
"""What takes a line of its own."""


def _gauge(gauge: Gauge, history: History, width: int) -> Content:
    name, value = _name(gauge), cell(gauge, history).plain
    rest = width - len(name) - 2 - max(9, len(value))
    bars = sparkline(gauge.course(history), rest) if rest >= LEAST_COURSE else ""
    line = Content.assemble((f"{name} ", "$past"), f"{value:>9}", " ", (bars, "$second-seat"))
    return line.pad_right(max(0, width - line.cell_length))


def _lines(gauge: Gauge, history: History, width: int) -> list[Content]:
    first, *more = Content(cell(gauge, history).plain).wrap(max(1, width - NAME - 1))
    return [
        Content.assemble((f"{_name(gauge)} ", "$past"), first),
        *(line.pad_left(NAME + 1) for line in more),
    ]


def _name(gauge: Gauge) -> str:
    return f"{say(gauge.heading)[:NAME]:<{NAME}}"


def _milliseconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{language().number(1000 * seconds, 1)} ms"
