"""What a server's keeper sees of it, as tables and lines that fit 80 columns."""

from collections.abc import Mapping
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from parlour_client.render import lists
from parlour_client.render.console import Screen
from parlour_client.render.lists import phase_name, ranked
from parlour_client.render.tables import table
from parlour_client.text import durations
from parlour_client.text.scores import PAST
from parlour_protocol.local.admin import (
    AddressRow,
    AuditEntry,
    BanRow,
    PlayerRow,
    RoomRow,
    ServerStatus,
)
from parlour_protocol.views.lists import Column, Columns
from parlour_protocol.words import language, say

MOST_ROWS = 1000
"""What a server sends of a list at most."""


def status_lines(status: ServerStatus) -> list[RenderableType]:
    """How the server is, a fact a line."""
    facts = status_facts(status)
    return [
        table((Column("", of=lambda fact: Text(fact[0], PAST)), Column("", of=lambda fact: fact[1])), facts)
    ]


def status_facts(status: ServerStatus) -> list[tuple[str, str]]:
    """The same as names and values."""
    searches, mean = status.searches, status.commits.seconds / max(1, status.commits.count)
    connections, lag = language().number(status.connections), _milliseconds(status.lag.p99)
    facts = {"server": _fact("server", url=status.url, version=status.version, pid=str(status.pid))}
    if status.nodes > 1:
        facts["node"] = _fact("node", node=status.node, nodes=status.nodes)
        facts["all_nodes"] = _fact("connected", players=people(status.players))
    else:
        connections = _fact("connections", number=connections, players=people(status.players))
    facts |= {
        "uptime": durations.span(status.uptime),
        "data": _fact("data", file=status.data, size=size(status.data_bytes)),
        "connections": connections,
        "rooms": _rooms(status),
        "spectators": language().number(status.spectators),
        "moves": language().number(status.moves),
        "refused": lists.counted(status.refusals) or _fact("nothing"),
        "searches": _fact(
            "searches", running=searches.running, workers=searches.workers, waiting=searches.waiting
        ),
        "commit": _fact(
            "commit", mean=language().number(1000 * mean, 1), p99=_milliseconds(status.commits.p99)
        ),
        "lag": _fact("lag", p99=lag),
        "memory": size(status.memory_bytes),
        "bans": str(status.bans),
    }
    if status.draining is not None:
        facts["stops"] = _fact("draining", span=durations.span(status.draining))
    return [(say(f"command.admin.status.fact.{name}"), said) for name, said in facts.items()]


def _fact(name: str, **arguments: str | int) -> str:
    return say(f"command.admin.status.{name}", **arguments)


def _milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:g}".replace(".", language().sentences["language.decimal"])


def _rooms(status: ServerStatus) -> str:
    phases = _phases(status.phases)
    if not phases:
        return _fact("rooms", number=status.rooms, most=status.most_rooms)
    return _fact("rooms_by_phase", number=status.rooms, most=status.most_rooms, phases=phases)


ROOMS: Columns[RoomRow] = (
    Column("room", "key"),
    Column("players", of=lambda row: seats(row), raw=lambda row: row.players),
    Column("watching", "number", of=lambda row: row.spectators),
    Column("game", "game"),
    Column("phase", "phase"),
    Column("events", "number"),
    Column("quiet", "span"),
    Column("from", "names", of=lambda row: row.addresses),
)
"""The rooms that are awake."""

PLAYERS: Columns[PlayerRow] = (
    Column("name", "key", head="table_head.player"),
    Column("refused", "counts", of=lambda row: row.refusals),
    Column("connections", "number"),
    Column("rooms", "names"),
    Column("since", "span"),
    Column("from", "names", of=lambda row: row.addresses),
    Column("player", head="table_head.id"),
)
"""Who is connected."""

ADDRESSES: Columns[AddressRow] = (
    Column(
        "address",
        "key",
        of=lambda row: row.address or say("command.admin.addresses.unknown"),
        raw=lambda row: row.address,
    ),
    Column("connections", "number"),
    Column("players", "number"),
    Column("refused", "number", of=lambda row: row.refusals),
)
"""Where connections come from."""

BANS: Columns[BanRow] = (
    Column("target", "key", head="table_head.banned"),
    Column(
        "kind",
        head="table_head.ban_kind",
        of=lambda row: say(f"command.admin.bans.kind.{_kind(row)}"),
        raw=lambda row: _kind(row),
    ),
    Column("left", head="table_head.ban_left", of=lambda row: _left(row), raw=lambda row: row.left),
)
"""Who is banned."""

AUDIT: Columns[AuditEntry] = (
    Column(
        "time",
        head="table_head.when",
        of=lambda row: row.time.replace("T", " ").removesuffix("+00:00"),
        raw=lambda row: row.time,
    ),
    Column("uid", head="table_head.account"),
    Column("action", "key"),
    Column("target"),
    Column("message", head="table_head.result_of_action"),
)
"""What was done."""

LISTS: Mapping[str, tuple[str, Columns[Any]]] = {
    "rooms": ("rooms", ROOMS),
    "players": ("players", PLAYERS),
    "addresses": ("addresses", ADDRESSES),
    "bans": ("bans", BANS),
    "log": ("entries", AUDIT),
}
"""What answers hold, by their type: the field with the rows, and the rows' columns."""


def show_rows(screen: Screen, answer: Any) -> None:
    """Show an answer with rows, and how many more there are."""
    field, columns = LISTS[answer.type]
    rows = getattr(answer, field)
    screen.show_list(columns, rows, say(f"command.admin.none.{answer.type}"))
    if (more := getattr(answer, "total", 0) - len(rows)) > 0:
        screen.say(Text(say("command.admin.more", count=more, most=MOST_ROWS), PAST))


def _kind(row: BanRow) -> str:
    return "address" if row.kind == "network" and "/" not in row.target else row.kind


def _left(row: BanRow) -> str:
    return say("command.admin.bans.ever") if row.left is None else durations.span(row.left)


def seats(row: RoomRow) -> str:
    """Who sits there."""
    return " - ".join(name or say("command.admin.rooms.free") for name in row.players)


def size(count: int) -> str:
    """A number of bytes."""
    for unit, bytes_each in (("GB", 10**9), ("MB", 10**6), ("KB", 10**3)):
        if count >= bytes_each:
            return f"{language().number(count / bytes_each, 1)} {unit}"
    return say("command.admin.status.bytes", count=count)


def people(count: int) -> str:
    """So many players."""
    return say("count.player", count=count)


def counted(phases: Mapping[str, int]) -> str:
    """How many rooms are in each phase, the most first, behind a colon: `: 3 playing, 1 waiting`."""
    found = _phases(phases)
    return f": {found}" if found else ""


def _phases(phases: Mapping[str, int]) -> str:
    return ", ".join(f"{language().number(count)} {phase_name(phase)}" for phase, count in ranked(phases))
