"""A server's numbers as lines: two or three columns of a name, a value, and its course over time."""

from collections.abc import Sequence

from textual.content import Content
from textual.widget import Widget

from parlour_client.render.admin import counted, size
from parlour_client.text import durations
from parlour_client.text.sparkline import sparkline
from parlour_client.tui.top.history import History
from parlour_protocol.words import language, say

NAME = 11
"""Columns for a name; a longer one is cut."""
GAP = 2
LEAST_COURSE = 4

Gauge = tuple[str, str, Sequence[float]]
"""The name of its sentence, a value, and its course over time; without one the value may be longer."""


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
    found = gauges(history)
    rows = [found[at : at + columns] for at in range(0, len(found), columns)]
    lines = [Content(" " * GAP).join([_gauge(one, each) for one in row]) for row in rows]
    status, refused = look.status, history.new_refusals()
    said = ", ".join(f"{code} {language().number(count)}" for code, count in refused.items())
    lines.append(_line("refused", said or say("screen.top.nothing"), width))
    rooms = say("screen.of", done=status.rooms, of=status.most_rooms)
    lines.append(_line("rooms", f"{rooms}{counted(status.phases)}", width))
    if status.draining is not None:
        draining = say("screen.top.draining", span=durations.span(status.draining))
        lines.append(Content.styled(draining[:width], "$notice"))
    return Content("\n").join(lines)


def gauges(history: History) -> list[Gauge]:
    """The numbers that have a course."""
    look = history.last
    assert look is not None
    status = look.status
    moves = history.rates(lambda one: one.moves)
    refusals = history.rates(lambda one: sum(one.refusals.values()))
    cpu = history.rates(lambda one: one.cpu_seconds)
    searches, number = status.searches, language().number
    return [
        ("moves", _rate(moves), moves),
        ("connected", number(status.connections), history.values(lambda one: one.connections)),
        ("refusals", _rate(refusals), refusals),
        ("watching", number(status.spectators), history.values(lambda one: one.spectators)),
        (
            "searches",
            say(
                "screen.top.searches",
                running=searches.running,
                workers=searches.workers,
                count=searches.waiting,
            ),
            history.values(lambda one: one.searches.waiting),
        ),
        ("cpu", f"{number(100 * cpu[-1], 0)} %" if cpu else "-", cpu),
        ("commit", _milliseconds(history.mean(lambda one: one.commits)), ()),
        ("lag", _milliseconds(history.mean(lambda one: one.lag)), ()),
        ("memory", size(status.memory_bytes), history.values(lambda one: one.memory_bytes)),
        ("file", size(status.data_bytes), history.values(lambda one: one.data_bytes)),
        ("players", number(status.players), history.values(lambda one: one.players)),
        ("bans", number(status.bans), ()),
    ]


def _gauge(gauge: Gauge, width: int) -> Content:
    name, value, course = gauge
    shown = f"{_name(name)} {value:>9}"
    rest = width - len(shown) - 1
    bars = sparkline(course, rest) if rest >= LEAST_COURSE else ""
    line = Content.assemble((f"{_name(name)} ", "$past"), f"{value:>9}", " ", (bars, "$second-seat"))
    return line.pad_right(max(0, width - line.cell_length))


def _line(name: str, value: str, width: int) -> Content:
    room = max(0, width - NAME - 1)
    shown = value if len(value) <= room else f"{value[: max(0, room - 1)]}…"
    return Content.assemble((f"{_name(name)} ", "$past"), shown)


def _name(gauge: str) -> str:
    return f"{say(f'screen.top.gauge.{gauge}')[:NAME]:<{NAME}}"


def _rate(rates: Sequence[float]) -> str:
    if not rates:
        return "-"
    return language().number(rates[-1], 1 if rates[-1] < 10 else 0)


def _milliseconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{language().number(1000 * seconds, 1)} ms"
