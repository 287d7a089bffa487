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


def status_lines(status: ServerStatus) -> list[RenderableType]:
    """How the server is, a fact a line."""
    facts = columns("", "")
    facts.show_header = False
    for name, value in status_facts(status):
        facts.add_row(Text(name, PAST), plain(value))
    return [facts]


def status_facts(status: ServerStatus) -> list[tuple[str, str]]:
    """The same as names and values."""
    searches, mean = status.searches, status.commits.seconds / max(1, status.commits.count)
    connections = f"{status.connections:,}"
    facts = [("server", f"{status.url}, parlour {status.version}, process {status.pid}")]
    if status.nodes > 1:
        facts += [
            ("node", f"{clean(status.node)}, one of {status.nodes}: what follows is its own"),
            ("all nodes", f"{people(status.players)} connected"),
        ]
    else:
        connections += f", of {people(status.players)}"
    facts += [
        ("runs for", durations.span(status.uptime)),
        ("data", f"{status.data}, {size(status.data_bytes)}"),
        ("connections", connections),
        ("rooms", f"{status.rooms:,} of {status.most_rooms:,} awake{counted(status.phases)}"),
        ("spectators", f"{status.spectators:,}"),
        ("moves", f"{status.moves:,}"),
        ("refused", ", ".join(f"{code} {count:,}" for code, count in ranked(status.refusals)) or "nothing"),
        (
            "searches",
            f"{searches.running} of {searches.workers} workers busy, {searches.waiting} wait",
        ),
        ("a commit", f"{1000 * mean:.1f} ms on average, 99 % within {1000 * status.commits.p99:g} ms"),
        ("loop lag", f"99 % within {1000 * status.lag.p99:g} ms"),
        ("memory", size(status.memory_bytes)),
        ("bans", f"{status.bans}"),
    ]
    if status.draining is not None:
        facts.append(("stops", f"in {durations.span(status.draining)} at the latest: it is being drained"))
    return facts


def rooms_report(rows: RoomRows) -> list[RenderableType]:
    """The rooms that are awake."""
    if not rows.rooms:
        return ["No room is awake."]
    report = columns("room", "game", "phase", "players", "watch", "events", "quiet for", "from")
    for row in rows.rooms:
        report.add_row(
            plain(row.room, "bold"),
            plain(row.game),
            row.phase,
            plain(seats(row)),
            str(row.spectators),
            f"{row.events:,}",
            durations.span(row.quiet),
            plain(", ".join(row.addresses), PAST),
        )
    return [report, *_rest(len(rows.rooms), rows.total)]


def players_report(rows: PlayerRows) -> list[RenderableType]:
    """Who is connected."""
    if not rows.players:
        return ["Nobody is connected."]
    report = columns("player", "id", "from", "for", "rooms", "refused")
    for row in rows.players:
        several = f" ({row.connections} times)" if row.connections > 1 else ""
        report.add_row(
            plain(f"{clean(row.name)}{several}", "bold"),
            plain(row.player, PAST),
            plain(", ".join(row.addresses)),
            durations.span(row.since),
            plain(" ".join(row.rooms)),
            ", ".join(f"{code} {count}" for code, count in ranked(row.refusals)),
        )
    return [report, *_rest(len(rows.players), rows.total)]


def addresses_report(rows: AddressRows) -> list[RenderableType]:
    """Where connections come from."""
    if not rows.addresses:
        return ["Nobody is connected."]
    report = columns("address", "connections", "players", "refused")
    for row in rows.addresses:
        report.add_row(
            plain(row.address or "unknown", "bold"),
            f"{row.connections:,}",
            f"{row.players:,}",
            f"{row.refusals:,}",
        )
    return [report, *_rest(len(rows.addresses), rows.total)]


def bans_report(rows: BanRows) -> list[RenderableType]:
    """Who is banned."""
    if not rows.bans:
        return ["Nobody is banned."]
    report = columns("banned", "what that is", "for another")
    for row in rows.bans:
        kind = "address" if row.kind == "network" and "/" not in row.target else row.kind
        left = "ever" if row.left is None else durations.span(row.left)
        report.add_row(plain(row.target, "bold"), kind, left)
    return [report]


def audit_report(rows: AuditEntries) -> list[RenderableType]:
    """What was done."""
    if not rows.entries:
        return ["Nothing was done yet."]
    report = columns("when", "account", "action", "target", "what came of it")
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
    return " - ".join(clean(name) or "free" for name in row.players)


def size(count: int) -> str:
    """A number of bytes."""
    for unit, bytes_each in (("GB", 10**9), ("MB", 10**6), ("KB", 10**3)):
        if count >= bytes_each:
            return f"{count / bytes_each:.1f} {unit}"
    return f"{count} bytes"


def people(count: int) -> str:
    """So many players."""
    return f"{count:,} player{'' if count == 1 else 's'}"


def counted(phases: Mapping[str, int]) -> str:
    """How many rooms are in each phase."""
    found = ", ".join(f"{count:,} {phase}" for phase, count in ranked(phases))
    return f": {found}" if found else ""


def ranked(counts: Mapping[str, int]) -> Iterable[tuple[str, int]]:
    """The most first."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _rest(shown: int, total: int) -> list[RenderableType]:
    return [Text(f"and {total - shown:,} more: --most shows up to 1,000", PAST)] if total > shown else []
