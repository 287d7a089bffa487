"""A server's numbers as lines: two or three columns of a name, a value, and its course over time."""

from collections.abc import Sequence

from textual.content import Content
from textual.widget import Widget

from parlour_client.render.admin import counted, size
from parlour_client.text import durations
from parlour_client.text.sanitize import clean
from parlour_client.text.sparkline import sparkline
from parlour_client.tui.top.history import History

NAME = 9
GAP = 2
LEAST_COURSE = 4

Gauge = tuple[str, str, Sequence[float]]
"""A name, a value, and its course over time; without one the value may be longer."""


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
    said = ", ".join(f"{code} {count:,}" for code, count in refused.items()) or "nothing just now"
    lines.append(_line("refused", said, width))
    lines.append(_line("rooms", f"{status.rooms:,} of {status.most_rooms:,}{counted(status.phases)}", width))
    if status.draining is not None:
        left = durations.span(status.draining)
        lines.append(Content.styled(f"Being drained: it stops in {left} at the latest."[:width], "$notice"))
    return Content("\n").join(lines)


def gauges(history: History) -> list[Gauge]:
    """The numbers that have a course."""
    look = history.last
    assert look is not None
    status = look.status
    moves = history.rates(lambda one: one.moves)
    refusals = history.rates(lambda one: sum(one.refusals.values()))
    cpu = history.rates(lambda one: one.cpu_seconds)
    searches = status.searches
    return [
        ("moves/s", _rate(moves), moves),
        ("connected", f"{status.connections:,}", history.values(lambda one: one.connections)),
        ("refused/s", _rate(refusals), refusals),
        ("watching", f"{status.spectators:,}", history.values(lambda one: one.spectators)),
        (
            "searches",
            f"{searches.running}/{searches.workers}, {searches.waiting} wait",
            history.values(lambda one: one.searches.waiting),
        ),
        ("cpu", f"{100 * cpu[-1]:.0f} %" if cpu else "-", cpu),
        ("commit", _milliseconds(history.mean(lambda one: one.commits)), ()),
        ("loop lag", _milliseconds(history.mean(lambda one: one.lag)), ()),
        ("memory", size(status.memory_bytes), history.values(lambda one: one.memory_bytes)),
        ("file", size(status.data_bytes), history.values(lambda one: one.data_bytes)),
        ("players", f"{status.players:,}", history.values(lambda one: one.players)),
        ("bans", f"{status.bans:,}", ()),
    ]


def _gauge(gauge: Gauge, width: int) -> Content:
    name, value, course = gauge
    shown = f"{name:<{NAME}} {value:>9}"
    rest = width - len(shown) - 1
    bars = sparkline(course, rest) if rest >= LEAST_COURSE else ""
    line = Content.assemble((f"{name:<{NAME}} ", "$past"), f"{value:>9}", " ", (bars, "$second-seat"))
    return line.pad_right(max(0, width - line.cell_length))


def _line(name: str, value: str, width: int) -> Content:
    room = max(0, width - NAME - 1)
    shown = value if len(value) <= room else f"{value[: max(0, room - 1)]}…"
    return Content.assemble((f"{name:<{NAME}} ", "$past"), clean(shown))


def _rate(rates: Sequence[float]) -> str:
    if not rates:
        return "-"
    return f"{rates[-1]:.1f}" if rates[-1] < 10 else f"{rates[-1]:,.0f}"


def _milliseconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{1000 * seconds:.1f} ms"
