"""What a server's keeper sees of it, as tables and lines that fit 80 columns."""

from collections.abc import Iterable, Mapping

from rich.console import RenderableType
from rich.text import Text

from parlour_client.render.board import plain
from parlour_client.render.tables import columns
from parlour_client.text import durations
from parlour_client.text.sanitize import clean
from parlour_client.text.scores import PAST
from parlour_protocol.local.admin import (
    AddressRows,
    AuditEntries,
    BanRows,
    PlayerRows,
    RoomRow,
    RoomRows,
    ServerStatus,
)
from parlour_protocol.words import language, say

MOST_ROWS = 1000
"""What a server sends of a list at most."""


def status_lines(status: ServerStatus) -> list[RenderableType]:
    """How the server is, a fact a line."""
    facts = columns("title", "value")
    facts.show_header = False
    for name, value in status_facts(status):
        facts.add_row(Text(name, PAST), plain(value))
    return [facts]


def status_facts(status: ServerStatus) -> list[tuple[str, str]]:
    """The same as names and values."""
    searches, mean = status.searches, status.commits.seconds / max(1, status.commits.count)
    connections, lag = language().number(status.connections), _milliseconds(status.lag.p99)
    facts = {"server": _fact("server", url=status.url, version=status.version, pid=str(status.pid))}
    if status.nodes > 1:
        facts["node"] = _fact("node", node=clean(status.node), nodes=status.nodes)
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
        "refused": _refusals(status.refusals) or _fact("nothing"),
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


def rooms_report(rows: RoomRows) -> list[RenderableType]:
    """The rooms that are awake."""
    if not rows.rooms:
        return [say("command.admin.rooms.none")]
    report = columns("room", "game", "phase", "players", "watching", "events", "quiet", "from")
    for row in rows.rooms:
        report.add_row(
            plain(row.room, "bold"),
            plain(row.game),
            phase_name(row.phase),
            plain(seats(row)),
            str(row.spectators),
            language().number(row.events),
            durations.span(row.quiet),
            plain(", ".join(row.addresses), PAST),
        )
    return [report, *_rest(len(rows.rooms), rows.total)]


def players_report(rows: PlayerRows) -> list[RenderableType]:
    """Who is connected."""
    if not rows.players:
        return [say("command.admin.players.none")]
    report = columns("player", "id", "from", "since", "rooms", "refused")
    for row in rows.players:
        name = clean(row.name)
        if row.connections > 1:
            name = say("command.admin.players.several", name=name, count=row.connections)
        report.add_row(
            plain(name, "bold"),
            plain(row.player, PAST),
            plain(", ".join(row.addresses)),
            durations.span(row.since),
            plain(" ".join(row.rooms)),
            _refusals(row.refusals),
        )
    return [report, *_rest(len(rows.players), rows.total)]


def addresses_report(rows: AddressRows) -> list[RenderableType]:
    """Where connections come from."""
    if not rows.addresses:
        return [say("command.admin.players.none")]
    report = columns("address", "connections", "players", "refused")
    for row in rows.addresses:
        report.add_row(
            plain(row.address or say("command.admin.addresses.unknown"), "bold"),
            *map(language().number, (row.connections, row.players, row.refusals)),
        )
    return [report, *_rest(len(rows.addresses), rows.total)]


def bans_report(rows: BanRows) -> list[RenderableType]:
    """Who is banned."""
    if not rows.bans:
        return [say("command.admin.bans.none")]
    report = columns("banned", "ban_kind", "ban_left")
    for row in rows.bans:
        kind = "address" if row.kind == "network" and "/" not in row.target else row.kind
        left = say("command.admin.bans.ever") if row.left is None else durations.span(row.left)
        report.add_row(plain(row.target, "bold"), say(f"command.admin.bans.kind.{kind}"), left)
    return [report]


def audit_report(rows: AuditEntries) -> list[RenderableType]:
    """What was done."""
    if not rows.entries:
        return [say("command.admin.log.none")]
    report = columns("when", "account", "action", "target", "result_of_action")
    for entry in rows.entries:
        report.add_row(
            Text(entry.time.replace("T", " ").removesuffix("+00:00"), PAST),
            "" if entry.uid is None else str(entry.uid),
            plain(entry.action, "bold"),
            plain(entry.target),
            plain(entry.message),
        )
    return [report]


def seats(row: RoomRow) -> str:
    """Who sits there."""
    return " - ".join(clean(name) or say("command.admin.rooms.free") for name in row.players)


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


def phase_name(phase: str) -> str:
    """A room's phase for people; as the server has it where we don't know that one."""
    id_ = f"plain.phase.{phase}"
    return say(id_) if id_ in language() else clean(phase)


def _phases(phases: Mapping[str, int]) -> str:
    return ", ".join(f"{language().number(count)} {phase_name(phase)}" for phase, count in ranked(phases))


def _refusals(refusals: Mapping[str, int]) -> str:
    return ", ".join(f"{code} {language().number(count)}" for code, count in ranked(refusals))


def ranked(counts: Mapping[str, int]) -> Iterable[tuple[str, int]]:
    """The most first."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _rest(shown: int, total: int) -> list[RenderableType]:
    more = total - shown
    return [Text(say("command.admin.more", count=more, most=MOST_ROWS), PAST)] if more > 0 else []
