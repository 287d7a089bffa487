"""What the server's host can ask and do: each request has its handler in `HANDLERS`."""

import asyncio
import os
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import structlog

from parlour_protocol.answers import Refused
from parlour_protocol.errors import Code
from parlour_protocol.events import MovePlayed
from parlour_protocol.ids import Version, is_player_id
from parlour_protocol.local import admin
from parlour_protocol.local.admin import Done
from parlour_protocol.words import Sentence, made_of, system_fault
from parlour_server import __version__
from parlour_server.admin.audit import AuditLog
from parlour_server.counters import Histogram
from parlour_server.hosting.connections import Connection
from parlour_server.hosting.context import Context, Timer
from parlour_server.hosting.limits.bans import Ban, Bans, check_target, keep, read_target
from parlour_server.hosting.moderation import Moderation
from parlour_server.hosting.rooms.directory import Directory
from parlour_server.hosting.rooms.live_room import LiveRoom
from parlour_server.hosting.rooms.requests import RoomRequest
from parlour_server.refusals import Refusal, span
from parlour_server.room.commands import SERVER, Retire
from parlour_server.room.look_alikes import look_alike
from parlour_server.settings import ListenSettings
from parlour_server.store.port import Progress, StoreError

log = structlog.get_logger()

MOVE_SECONDS = 5.0
"""After so long a load balancer sends no one here any more, and a node with others ends."""
LOOK_SECONDS = 1.0
"""How often a server that is being drained looks whether its games are over."""


class Operations:
    """Answers the host's requests to the server at `url`. `stop` is called to end it."""

    def __init__(
        self,
        context: Context,
        directory: Directory,
        moderation: Moderation,
        url: str,
        settings: ListenSettings,
        stop: Callable[[], None],
    ) -> None:
        self.context = context
        self.directory = directory
        self._moderation = moderation
        self._url, self._stop = url, stop
        self._data: Path | str = settings.data_file or settings.data_shown
        """What it keeps its games in: a file, or what is said in place of one."""
        self._bans_file = beside(settings.own_files, "bans")
        self._audit = AuditLog(beside(settings.own_files, "audit"))
        self._started = context.monotonic()
        self._writing = asyncio.Lock()
        """Held while the bans are written down, so that the last state is what is kept."""
        self._looking: Timer | None = None
        """When a server that is being drained looks again."""
        self.drain_siblings: Callable[[float], None] = lambda within: None
        """Called when this server is to be drained, for the other processes of its command."""

    def stop(self) -> None:
        """Cancel what was to happen later."""
        if self._looking is not None:
            self._looking.cancel()

    async def answer(self, request: admin.AdminRequest[Any], uid: int | None, progress: Progress) -> Any:
        """Do what is asked, and answer. What acts is written into the audit log before it is answered.

        Raises what was not foreseen.
        """
        try:
            answer = await HANDLERS[type(request)](self, request, progress)
        except Refusal as refusal:
            answer = refusal.answer(None)
        except StoreError as error:
            answer = Refused(Code.NOT_SAVED, str(error))
        except Exception as error:
            if isinstance(request, admin.Action):
                # It may be half done, so it stands in the audit log as well.
                failed = Refused(Code.INTERNAL, Sentence("admin.failed", error=type(error).__name__))
                await self._note(request, uid, failed)
            raise
        if isinstance(request, admin.Action):
            await self._note(request, uid, answer)
        return answer

    async def _note(self, request: admin.Action, uid: int | None, answer: Done | Refused) -> None:
        now = datetime.fromtimestamp(self.context.now() / 1000, UTC).isoformat(timespec="seconds")
        outcome: Literal["done", "failed"] = "done" if isinstance(answer, Done) else "failed"
        entry = admin.AuditEntry(now, uid, request.type, request.target, outcome, answer.message)
        log.info("the host acted", action=request.type, target=request.target, uid=uid, outcome=outcome)
        try:
            await self._audit.append(entry)
        except OSError as error:
            log.error("the audit log can't be written", reason=error.strerror or str(error))
            answer.message = Sentence("admin.not_audited", answer=answer.message, reason=system_fault(error))
            answer.said = made_of(answer.message)

    # ------------------------------------------------------------ questions

    async def status(self, request: admin.AskStatus, progress: Progress) -> admin.ServerStatus:
        """How the server is."""
        context, node = self.context, self.context.node
        rooms = self.directory.awake()
        counters, searches, until = context.counters, context.scheduler, context.drain_until
        times = os.times()
        return admin.ServerStatus(
            url=self._url,
            version=__version__,
            pid=os.getpid(),
            uptime=context.monotonic() - self._started,
            data=str(self._data),
            data_bytes=await self._data_bytes(),
            connections=len(context.connections),
            players=self.directory.lobby.players,
            rooms=len(rooms),
            most_rooms=context.limits.rooms,
            phases=dict(Counter(room.state.phase for room in rooms)),
            spectators=sum(room.audience.watching() for room in rooms),
            events=sum(counters.events.values()),
            moves=counters.events[MovePlayed],
            refusals=dict(counters.refusals),
            searches=admin.SearchNumbers(searches.running, searches.waiting, searches.workers),
            cpu_seconds=times.user + times.system,
            memory_bytes=_memory(),
            commits=_timing(counters.commit_times),
            lag=_timing(counters.loop_lag),
            bans=len(context.bans),
            draining=None if until is None else max(0.0, until - context.monotonic()),
            node=node.name,
            nodes=node.count,
        )

    async def rooms(self, request: admin.AskRooms, progress: Progress) -> admin.RoomRows:
        """The rooms that are awake, the latest used first."""
        rooms = sorted(self.directory.awake(), key=lambda room: room.changed_at, reverse=True)
        return admin.RoomRows([self._room_row(room) for room in rooms[: request.most]], len(rooms))

    def _room_row(self, room: LiveRoom) -> admin.RoomRow:
        state, now = room.state, self.context.monotonic()
        addresses = (one.address for one in room.audience.subscribers)
        return admin.RoomRow(
            room=room.code,
            game=state.rules.name,
            phase="put aside" if room.quarantined else state.phase,
            players=[
                "" if one is None else one.name if one.bot is None else f"{one.name} (bot)"
                for one in state.seats
            ],
            addresses=list(dict.fromkeys(address for address in addresses if address))[:MOST_NAMED],
            spectators=room.audience.watching(),
            events=state.version,
            age=now - room.made_at,
            quiet=now - room.changed_at,
            private=state.settings.visibility != "public",
        )

    async def players(self, request: admin.AskPlayers, progress: Progress) -> admin.PlayerRows:
        """The players who are connected, the most refused first."""
        now = self.context.monotonic()
        rows = [
            _player_row(player, all_of, now) for player, all_of in self.context.connections.players().items()
        ]
        rows.sort(key=lambda row: sum(row.refusals.values()), reverse=True)
        return admin.PlayerRows(rows[: request.most], len(rows))

    async def addresses(self, request: admin.AskAddresses, progress: Progress) -> admin.AddressRows:
        """Where connections come from, those with the most first."""
        found: dict[str, list[Connection]] = {}
        for one in self.context.connections:
            found.setdefault(one.address, []).append(one)
        rows = [
            admin.AddressRow(
                address,
                len(all_of),
                len({one.player for one in all_of if one.player}),
                sum(one.refused.total() for one in all_of if one.refused is not None),
            )
            for address, all_of in found.items()
        ]
        rows.sort(key=lambda row: row.connections, reverse=True)
        return admin.AddressRows(rows[: request.most], len(rows))

    async def bans(self, request: admin.AskBans, progress: Progress) -> admin.BanRows:
        """All bans."""
        now = self.context.now()
        return admin.BanRows(
            [
                admin.BanRow(ban.kind, ban.target, None if ban.until is None else (ban.until - now) / 1000)
                for ban in self.context.bans.standing()
            ]
        )

    async def audit(self, request: admin.AskAudit, progress: Progress) -> admin.AuditEntries:
        """The end of the audit log."""
        try:
            entries = await self._audit.last(request.most)
        except OSError as error:
            said = Sentence("admin.audit_unreadable", reason=system_fault(error))
            raise Refusal(Code.INTERNAL, said) from error
        return admin.AuditEntries(entries, str(self._audit.file or ":memory:"))

    # ------------------------------------------------------------ actions

    async def kick(self, request: admin.Kick, progress: Progress) -> Done:
        """End a player's connections."""
        if self.context.node.is_one_of_several and is_player_id(request.player):
            await self._moderation.end(request.player, Sentence("refusal.kicked"))
            return Done(Sentence("admin.kicked_everywhere", player=request.player))
        player, connections = self._connected(request.player)
        await self._moderation.end(player, Sentence("refusal.kicked"))
        return Done(Sentence("admin.kicked", name=connections[0].name, player=player))

    async def close(self, request: admin.CloseRoom, progress: Progress) -> Done:
        """Close a room."""
        if (code := self.directory.code_to_load(request.room)) is not None:
            await self.directory.fetch(code)
        room = self.directory.find_open(request.room)
        closed: asyncio.Future[Refusal | None] = asyncio.get_running_loop().create_future()

        def reply(_: str, code: str, version: Version, refusal: Refusal | None) -> None:
            if not closed.done():
                closed.set_result(refusal)

        command_id = f"admin-{time.time_ns()}"
        room.submit(RoomRequest(Retire(Sentence("game.closed.host")), SERVER, command_id, reply))
        refusal = await closed
        if refusal is not None:
            said = Sentence("admin.not_closed", room=room.code, why=refusal.message)
            raise Refusal(refusal.code, said)
        return Done(Sentence("admin.closed", room=room.code))

    async def ban(self, request: admin.Ban, progress: Progress) -> Done:
        """Ban an address, a network, a player or a name, and end their connections."""
        context = self.context
        until = None if request.seconds is None else context.now() + round(1000 * request.seconds)
        kind, target = read_target(request.who)
        check_target(kind, target)
        if kind == "name" and not request.ahead and not await self._is_known(target):
            raise _unknown(Sentence("admin.no_one_to_ban", name=target))
        ban, ended = await self._change_bans(lambda bans: bans.add(request.who, until))
        ended_here = self._here("admin.connections_ended.", count=ended)
        if request.seconds is None:
            return Done(Sentence("admin.banned", banned=ban.called, ended=ended_here))
        for_ = span(request.seconds)
        return Done(Sentence("admin.banned_for", banned=ban.called, span=for_, ended=ended_here))

    async def _is_known(self, name: str) -> bool:
        """Has a player a name that looks like this, or had this one at first? Raises `StoreError`."""
        connected = any(one.player and look_alike(one.name, name) for one in self.context.connections)
        return connected or bool(await self.context.store.players_named(name))

    async def unban(self, request: admin.Unban, progress: Progress) -> Done:
        """Lift a ban."""

        def lift(bans: Bans) -> Ban:
            ban = bans.lift(request.who)
            if ban is None:
                raise _unknown(Sentence("admin.not_banned", who=request.who))
            return ban

        ban, _ = await self._change_bans(lift)
        return Done(Sentence("admin.unbanned", banned=ban.called))

    async def _change_bans(self, change: Callable[[Bans], Ban]) -> tuple[Ban, int]:
        """Change the bans, and write them down: see `Moderation.change_bans`. Raises `Refusal`."""
        try:
            changed = await self._moderation.change_bans(change)
        except StoreError as error:
            raise Refusal(Code.NOT_SAVED, Sentence("admin.held_here", reason=str(error))) from error
        if self._bans_file is None or self.context.node.is_one_of_several:
            return changed
        async with self._writing:
            try:
                await asyncio.to_thread(keep, self._bans_file, self.context.bans.as_text())
            except OSError as error:
                said = Sentence("admin.held_until_stop", reason=system_fault(error))
                raise Refusal(Code.NOT_SAVED, said) from error
        return changed

    async def announce(self, request: admin.Announce, progress: Progress) -> Done:
        """Show a sentence to all who are connected."""
        text = " ".join("".join(one if one.isprintable() else " " for one in request.text).split())
        if not text:
            raise Refusal(Code.BAD_MESSAGE, Sentence("refusal.nothing_said"), field="text")
        return Done(self._here("admin.shown.", count=await self._announce(text)))

    async def _announce(self, text: str) -> int:
        try:
            return await self._moderation.announce(text)
        except StoreError as error:
            raise Refusal(Code.NOT_SAVED, Sentence("admin.shown_here", reason=str(error))) from error

    async def drain(self, request: admin.Drain, progress: Progress) -> Done:
        """Begin no more games, and stop once the running ones are over, or after a while."""
        self.drain_siblings(request.within)
        if self.begin_drain(request.within):
            return Done(Sentence("admin.moves", span=span(MOVE_SECONDS)))
        within = span(request.within)
        await self._announce(Sentence("refusal.restarts_soon", span=within))
        return Done(self._here("admin.drains.", count=self.directory.attended, span=within))

    def begin_drain(self, within: float) -> bool:
        """Begin no more games. True: this node ends soon, since there are others."""
        context = self.context
        if context.node.others:
            context.leaving = True
            self._looking = context.later(min(MOVE_SECONDS, within), self._stop)
            return True
        context.drain_until = context.monotonic() + within
        self._look_within(within)
        return False

    async def identify(self, request: admin.Identify, progress: Progress) -> admin.Identified:
        """The player that a name or an id means."""
        return admin.Identified(await self._known(request.player))

    async def forget(self, request: admin.Forget, progress: Progress) -> Done:
        """Remove a player's name, token and words; end their connections."""
        player = await self._known(request.player)
        await self._moderation.end(player, Sentence("refusal.forgotten"))
        rooms = await self.context.store.forget_player(player)
        for code in rooms:
            if (room := self.directory.get(code)) is not None:
                room.reload()
        return Done(Sentence("admin.forgotten", player=player, count=len(rooms)))

    async def _data_bytes(self) -> int:
        if isinstance(self._data, Path):
            return await asyncio.to_thread(_size, self._data)
        try:
            return await self.context.store.used()
        except StoreError:
            # The other numbers are not to be missing when a database does not answer.
            return 0

    async def _known(self, named: str) -> str:
        """A player's id, by that or a name, connected or not. Raises `Refusal` and `StoreError`.

        What it says stands in the audit log, and so without the name that is to be forgotten.
        """
        if named in self.context.connections.players() or is_player_id(named):
            return named
        found = {one.id for one in await self.context.store.players_named(named)}
        found.update(self._connected_as(named))
        if not found:
            raise _unknown(Sentence("admin.no_player_known"))
        if len(found) > 1:
            raise _several(sorted(found))
        return found.pop()

    async def backup(self, request: admin.Backup, progress: Progress) -> Done:
        """Copy the data file."""
        to = Path(request.to)
        if not to.is_absolute():
            raise Refusal(Code.BAD_MESSAGE, Sentence("admin.relative_path", path=str(to)), field="to")
        await self.context.store.backup(to, progress)
        return Done(Sentence("admin.backed_up", data=str(self._data), to=str(to)))

    def _look_again(self) -> None:
        """Stop once no game is played any more, or time is up."""
        until = self.context.drain_until
        assert until is not None
        if self.context.monotonic() >= until or not self.directory.attended:
            log.info("the server is drained", games=self.directory.attended)
            self._stop()
        else:
            self._look_within(until - self.context.monotonic())

    def _look_within(self, seconds: float) -> None:
        self.stop()
        self._looking = self.context.later(min(LOOK_SECONDS, seconds), self._look_again)

    def _here(self, group: str, **arguments: str | int) -> Sentence:
        """A sentence on this node, among others or alone."""
        return Sentence(group + ("here" if self.context.node.count > 1 else "alone"), **arguments)

    def _connected(self, named: str) -> tuple[str, list[Connection]]:
        """A connected player, by id or name, with the connections. Raises `Refusal`."""
        players = self.context.connections.players()
        if named in players:
            return named, players[named]
        found = self._connected_as(named)
        if not found:
            raise _unknown(self._here("admin.not_connected.", name=named))
        if len(found) > 1:
            raise _several(found)
        return found[0], players[found[0]]

    def _connected_as(self, name: str) -> list[str]:
        """The ids of the connected players of that name."""
        players = self.context.connections.players()
        return [player for player, all_of in players.items() if any(one.name == name for one in all_of)]


MOST_NAMED = 8
"""The most addresses or ids that are named."""

Handler = Callable[[Operations, Any, Progress], Awaitable[Any]]

HANDLERS: Mapping[type[admin.AdminRequest[Any]], Handler] = {
    admin.AskStatus: Operations.status,
    admin.AskRooms: Operations.rooms,
    admin.AskPlayers: Operations.players,
    admin.AskAddresses: Operations.addresses,
    admin.AskBans: Operations.bans,
    admin.AskAudit: Operations.audit,
    admin.Identify: Operations.identify,
    admin.Kick: Operations.kick,
    admin.CloseRoom: Operations.close,
    admin.Ban: Operations.ban,
    admin.Unban: Operations.unban,
    admin.Announce: Operations.announce,
    admin.Drain: Operations.drain,
    admin.Forget: Operations.forget,
    admin.Backup: Operations.backup,
}
"""What answers each request."""


def beside(data: Path | None, suffix: str) -> Path | None:
    """A file beside the data file; None where there is none."""
    return None if data is None else data.with_name(f"{data.name}.{suffix}")


def load_bans(bans: Bans, data: Path | None) -> None:
    """Read the bans that are kept beside a data file. Where they can't be read that is logged."""
    file = beside(data, "bans")
    if file is not None:
        try:
            bans.load(file)
        except (OSError, ValueError) as error:
            log.error("the bans can't be read: no one is banned", file=str(file), reason=str(error))


def _player_row(player: str, connections: list[Connection], now: float) -> admin.PlayerRow:
    refused: Counter[Code] = Counter()
    for one in connections:
        refused.update(one.refused or {})
    return admin.PlayerRow(
        player=player,
        name=connections[-1].name,
        addresses=list(dict.fromkeys(one.address for one in connections if one.address))[:MOST_NAMED],
        connections=len(connections),
        since=now - min(one.since for one in connections),
        rooms=sorted({room for one in connections for room in one.rooms}),
        refusals={str(code): count for code, count in refused.items()},
    )


def _timing(times: Histogram) -> admin.Timing:
    count = sum(times.counts)
    below = 0
    for bound, number in zip((*times.bounds, times.bounds[-1]), times.counts, strict=True):
        below += number
        if count and below >= 0.99 * count:
            return admin.Timing(count, times.total, bound)
    return admin.Timing(0, 0.0, 0.0)


def _unknown(message: Sentence) -> Refusal:
    return Refusal(Code.UNKNOWN_TARGET, message)


def _several(ids: list[str]) -> Refusal:
    """Why a name is not enough."""
    rest, named = len(ids) - MOST_NAMED, ", ".join(ids[:MOST_NAMED])
    if rest > 0:
        return _unknown(Sentence("admin.called_so_and_more", count=len(ids), ids=named, rest=rest))
    return _unknown(Sentence("admin.called_so", count=len(ids), ids=named))


def _size(data: Path) -> int:
    """The bytes that the data file takes, with what is not yet merged into it."""
    size = 0
    for file in (data, data.with_name(f"{data.name}-wal")):
        try:
            size += file.stat().st_size
        except OSError:
            continue
    return size


def _memory() -> int:
    """Resident memory, in bytes; 0 where the system doesn't say."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
