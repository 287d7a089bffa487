"""What a server's keeper sees of it, as tables and lines that fit 80 columns."""

from collections.abc import Callable, Mapping
from typing import Any

from rich.text import Text

from parlour_client.render.console import Screen
from parlour_client.render.lists import phase_name, ranked, size
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
from parlour_protocol.views.lists import Column, Columns, Kind
from parlour_protocol.words import language, say

MOST_ROWS = 1000
"""What a server sends of a list at most."""


_Value = Callable[[ServerStatus], Any]


def _fact(name: str, of: _Value, raw: _Value) -> Column[ServerStatus]:
    """A fact that is a sentence for people."""
    return Column(name, head=f"command.admin.status.fact.{name}", of=of, raw=raw)


def _also(name: str, raw: _Value, kind: Kind = "text") -> Column[ServerStatus]:
    """What people read beside another fact, and programs by itself."""
    return Column(name, kind, of=lambda status: None, raw=raw)


def _plain(name: str, kind: Kind, of: _Value) -> Column[ServerStatus]:
    return Column(name, kind, head=f"command.admin.status.fact.{name}", of=of)


def _said(name: str, **arguments: str | int) -> str:
    return say(f"command.admin.status.{name}", **arguments)


def _mean(status: ServerStatus) -> float:
    return status.commits.seconds / max(1, status.commits.count)


def _milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:g}".replace(".", language().sentences["language.decimal"])


def _connections(status: ServerStatus) -> str:
    number = language().number(status.connections)
    return number if status.nodes > 1 else _said("connections", number=number, players=people(status.players))


def _rooms(status: ServerStatus) -> str:
    phases = _phases(status.phases)
    if not phases:
        return _said("rooms", number=status.rooms, most=status.most_rooms)
    return _said("rooms_by_phase", number=status.rooms, most=status.most_rooms, phases=phases)


def _searches(status: ServerStatus) -> str:
    searches = status.searches
    return _said("searches", running=searches.running, workers=searches.workers, waiting=searches.waiting)


def _stops(status: ServerStatus) -> str | None:
    return None if status.draining is None else _said("draining", span=durations.span(status.draining))


def _of_cluster(said: Callable[[ServerStatus], str]) -> Callable[[ServerStatus], str | None]:
    return lambda status: said(status) if status.nodes > 1 else None


STATUS: Columns[ServerStatus] = (
    _fact(
        "server",
        lambda status: _said("server", url=status.url, version=status.version, pid=str(status.pid)),
        lambda status: status.url,
    ),
    _also("version", lambda status: status.version),
    _also("pid", lambda status: status.pid),
    _fact(
        "node",
        _of_cluster(lambda status: _said("node", node=status.node, nodes=status.nodes)),
        lambda status: status.node,
    ),
    _also("nodes", lambda status: status.nodes),
    _fact(
        "all_nodes",
        _of_cluster(lambda status: _said("connected", players=people(status.players))),
        lambda status: status.players,
    ),
    _plain("uptime", "span", lambda status: status.uptime),
    _fact(
        "data",
        lambda status: _said("data", file=status.data, size=size(status.data_bytes)),
        lambda status: status.data,
    ),
    _also("data_bytes", lambda status: status.data_bytes),
    _fact("connections", _connections, lambda status: status.connections),
    _fact("rooms", _rooms, lambda status: status.rooms),
    _also("most_rooms", lambda status: status.most_rooms),
    _also("phases", lambda status: status.phases, "counts"),
    _plain("spectators", "number", lambda status: status.spectators),
    _plain("moves", "number", lambda status: status.moves),
    Column(
        "refused",
        "counts",
        head="command.admin.status.fact.refused",
        of=lambda status: status.refusals or Text(_said("nothing")),
        raw=lambda status: status.refusals,
    ),
    _fact("searches", _searches, lambda status: status.searches.running),
    _also("searches_waiting", lambda status: status.searches.waiting),
    _also("workers", lambda status: status.searches.workers),
    _fact(
        "commit",
        lambda status: _said(
            "commit",
            mean=language().number(1000 * _mean(status), 1),
            p99=_milliseconds(status.commits.p99),
        ),
        _mean,
    ),
    _also("commit_p99", lambda status: status.commits.p99),
    _fact(
        "lag", lambda status: _said("lag", p99=_milliseconds(status.lag.p99)), lambda status: status.lag.p99
    ),
    _plain("memory", "bytes", lambda status: status.memory_bytes),
    _plain("bans", "number", lambda status: status.bans),
    _fact("stops", _stops, lambda status: status.draining),
)
"""How a server is."""

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


def people(count: int) -> str:
    """So many players."""
    return say("count.player", count=count)


def counted(phases: Mapping[str, int]) -> str:
    """How many rooms are in each phase, the most first, behind a colon: `: 3 playing, 1 waiting`."""
    found = _phases(phases)
    return f": {found}" if found else ""


def _phases(phases: Mapping[str, int]) -> str:
    return ", ".join(f"{language().number(count)} {phase_name(phase)}" for phase, count in ranked(phases))
