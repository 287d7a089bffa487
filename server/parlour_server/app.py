"""The composition root: the only file that knows every part and every adapter."""

import asyncio
import errno
import gc
import importlib
import os
import re
import secrets
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog

from parlour_protocol.local.server_info import (
    IN_MEMORY,
    ServerInfo,
    port_file,
    read_note,
    remove_note,
    runtime_folder,
    write_note,
)
from parlour_protocol.words import Sentence
from parlour_server import kinds
from parlour_server.admin.listener import AdminListener
from parlour_server.admin.operations import Operations, load_bans
from parlour_server.analysis.scheduler import SearchScheduler
from parlour_server.counters import Counters
from parlour_server.games import all_games, broken_games
from parlour_server.hosting.actors.registry import Registry
from parlour_server.hosting.cluster.node import ClusterNode
from parlour_server.hosting.context import Context, SteadyClock
from parlour_server.hosting.idle_shutdown import IdleShutdown
from parlour_server.hosting.moderation import Moderation
from parlour_server.hosting.rooms.directory import Directory
from parlour_server.hosting.tournaments.registry import Tournaments
from parlour_server.kinds import ROOM
from parlour_server.monitoring import logs
from parlour_server.monitoring.loop_lag import LoopLag
from parlour_server.monitoring.readiness import Readiness
from parlour_server.net.addresses import WILDCARDS, far, near
from parlour_server.net.server import CLOSED, MOVED, Net, SocketServer
from parlour_server.net.tls import Certificate
from parlour_server.search.kernels import compiled, numba_modules
from parlour_server.sessions.outbox import Outbox
from parlour_server.sessions.previews import Previews
from parlour_server.sessions.session import Session
from parlour_server.settings import ServerSettings, default_data
from parlour_server.store.encoding import EventCodecs
from parlour_server.store.memory import MemoryStore
from parlour_server.store.port import Store, StoreError, StoreLocked, StoreUnusable
from parlour_server.tournament import TOURNAMENT

if TYPE_CHECKING:
    from parlour_server.store.postgres.cluster import PostgresCluster

log = structlog.get_logger()

MEASURE_SECONDS = 1.0
"""How long a scrape waits for the data file's size."""


@dataclass(frozen=True, slots=True)
class Siblings:
    """The other processes of a command that has several at one port."""

    command: str
    """What the names of all of them end with, as nodes of a cluster."""
    drain: Callable[[float], None]
    """Has the others drained, too, within a number of seconds."""


class App:
    """A whole server, from `start` to `stop`.

    With `when_empty` it is shared by the players of this machine: that is called once the last of them has
    left. Where its port is taken it listens on another. `when_drained` is called once its
    host has drained it. With `siblings` it is one of several processes at a port.
    """

    def __init__(
        self,
        settings: ServerSettings,
        when_empty: Callable[[], None] | None = None,
        when_drained: Callable[[], None] = lambda: None,
        siblings: Siblings | None = None,
    ) -> None:
        self.settings = settings
        self.port = 0
        self.games = 0
        """How many games were under way at the start."""
        self.actors: dict[str, Registry[Any]] = {}
        """The actors of each kind but rooms, whose are in the directory."""
        self.admin: str | None = None
        """The path of its admin socket."""
        self._when_empty = when_empty
        self._when_drained = when_drained
        self._siblings = siblings
        self._operations: Operations | None = None
        self._stack = AsyncExitStack()
        self._scheduler: SearchScheduler | None = None
        self._certificate: Certificate | None = None

    async def start(self) -> None:
        """Open the store, take up the rooms, listen.

        Raises `StoreUnusable` (`StoreLocked` where another server has the file), `TlsUnusable`, `OSError`.
        """
        settings = self.settings
        logs.watch_loop(asyncio.get_running_loop())
        counters = Counters()
        if settings.tls_cert is not None:
            self._certificate = Certificate(settings.tls_cert, settings.tls_key)
        net = Net(
            shared_port=self._siblings is not None,
            tls=None if self._certificate is None else self._certificate.context,
            counters=counters,
        )
        async with self._stack as stack:
            data = settings.data_file
            store: Store
            cluster: PostgresCluster | None = None
            clock = SteadyClock()
            if settings.database is not None:
                command = secrets.token_hex(4) if self._siblings is None else self._siblings.command
                store, cluster = await _connect(settings.database, counters, command)
                if settings.own_files is not None:
                    with suppress(OSError):
                        settings.own_files.parent.mkdir(parents=True, exist_ok=True)
            elif data is None:
                store = MemoryStore()
            else:
                if self._when_empty is None and not data.exists():
                    _check_port(settings.host, settings.port)
                store = await _open(data, counters, settings.data_limit_bytes)
                # Last of all: a program that waits until it is gone finds the file free.
                stack.callback(remove_note, data)
            stack.push_async_callback(store.close)
            if cluster is not None:
                stack.push_async_callback(cluster.close)
            scheduler = self._scheduler = SearchScheduler(
                kind=settings.search_executor,
                workers=settings.search_workers,
                waiting=settings.search_queue,
                waiting_of_player=settings.searches_per_player,
                longest=settings.longest_search_seconds,
                longest_lasting=settings.longest_analysis_seconds,
                kernels=compiled if settings.compiled and numba_modules.available() else None,
                counters=counters,
            )
            stack.push_async_callback(scheduler.close)
            context = Context(
                store,
                scheduler,
                settings,
                counters,
                saved=settings.data != IN_MEMORY,
                now=clock,
                set_clock=clock.set,
                free_memory=gc.collect,
            )
            # Whether or not there is an admin socket: a ban outlives the start without one.
            load_bans(context.bans, data)
            directory = Directory(context)
            tournaments = Tournaments(context, directory)
            others = [kind for kind in kinds.KINDS if kind not in (ROOM, TOURNAMENT)]
            self.actors = {
                TOURNAMENT.kind: tournaments,
                **{kind.kind: Registry(context, kind) for kind in others},
            }
            if cluster is not None:
                context.node = ClusterNode(cluster, context, directory, *self.actors.values())
            for registry in (directory, *self.actors.values()):
                stack.callback(registry.stop)
            try:
                for registry in (directory, *self.actors.values()):
                    await registry.load()
            except StoreError as error:
                raise StoreUnusable(str(error)) from error
            # For a start that goes no further: what this node has taken over is for the others at once.
            stack.push_async_callback(directory.leave)
            moderation = Moderation(context)
            await moderation.load_bans()
            projected = [directory.puzzles.run()]
            if settings.rated:
                projected.append(directory.ratings.runner.run())
            for work in projected:
                stack.callback(context.spawn(work).cancel)

            idle_shutdown = None
            if self._when_empty is not None:
                kept = str(data or settings.data_shown) if context.saved else None
                idle_shutdown = IdleShutdown(kept, self._when_empty, context.later, context.monotonic)
                stack.callback(idle_shutdown.stop)
                net.expect, net.goodbye = idle_shutdown.expect, CLOSED

            def new_session(outbox: Outbox, address: str, connection: str) -> Session:
                return Session(context, directory, tournaments, outbox, idle_shutdown, address, connection)

            net.banned = context.bans.of_address
            net.previews = Previews(directory)
            net.unready = Readiness(store, directory, scheduler, context.monotonic).unready
            server = SocketServer(settings, net, new_session)
            net.metrics = partial(
                _metrics, counters, server, directory, scheduler, store, settings.data_limit_bytes
            )
            stack.callback(LoopLag(counters.loop_lag).stop)
            if self._certificate is not None:
                self._certificate.watch(settings.tls_check_seconds, context.later)
                stack.callback(self._certificate.stop)
            self.port = await self._listen(server)
            stack.push_async_callback(server.stop)
            if settings.host in WILDCARDS:
                context.address = next(iter(self.addresses), None)
            admin = self.admin = await self._open_admin_socket(stack, context, directory, moderation)
            holder = ServerInfo(self.url, os.getpid(), idle_shutdown is not None, self.addresses, admin)
            if data is not None:
                write_note(data, holder)
            if admin is not None and self._siblings is None:
                with suppress(OSError):
                    write_note(port_file(self.port), holder)
                    stack.callback(remove_note, port_file(self.port))

            async def leave() -> None:
                if context.node.others:
                    net.goodbye = MOVED
                await directory.leave()

            # First of all: others take over while people still have their goodbyes.
            stack.push_async_callback(leave)
            for broken in broken_games():
                log.warning("a game can't be loaded", **asdict(broken))
            self.games = directory.phases["playing"]
            # All stands: what was gathered is closed by `stop`, not here.
            self._stack = stack.pop_all()

    async def _open_admin_socket(
        self, stack: AsyncExitStack, context: Context, directory: Directory, moderation: Moderation
    ) -> str | None:
        """Open the admin socket; gives its path, or None where there is none."""
        if not self.settings.admin or sys.platform == "win32":
            return None
        operations = Operations(context, directory, moderation, self.url, self.settings, self._when_drained)
        if self._siblings is not None:
            operations.drain_siblings = self._siblings.drain
        self._operations = operations
        listener = AdminListener(operations.answer)
        try:
            await listener.start(_admin_paths(self.settings.data_file))
        except OSError as error:
            log.error("there is no admin socket: `parlour admin` can't reach this server", reason=str(error))
            return None
        stack.callback(operations.stop)
        stack.push_async_callback(listener.stop)
        return str(listener.path)

    @property
    def url(self) -> str:
        """Where programs on this machine reach it."""
        return self._at(near(self.settings.host))

    @property
    def addresses(self) -> list[str]:
        """Where others on the network reach it, the likeliest first."""
        return [self._at(host) for host in far(self.settings.host)]

    def _at(self, host: str) -> str:
        return f"{'wss' if self.settings.tls_cert else 'ws'}://{host}:{self.port}"

    async def _listen(self, server: SocketServer) -> int:
        """Listen; gives the port. Raises `OSError`."""
        try:
            return await server.start()
        except OSError as error:
            if self._when_empty is None or error.errno != errno.EADDRINUSE:
                raise
            return await server.start(free_port=True)

    def compile_missing(self) -> None:
        """Compile in the background what the cache lacks: for when the server is ready and has said so.

        Without it a game's machine code is compiled when the first bot wants it.
        """
        if self._scheduler is not None:
            self._scheduler.compile_missing(all_games())

    def drain(self, within: float) -> None:
        """Begin no more games, and be drained within that many seconds, as a sibling is."""
        if self._operations is not None:
            self._operations.begin_drain(within)

    def reload_certificate(self) -> None:
        """Read the TLS certificate anew, if there is one. Where it can't be used the old one stays."""
        if self._certificate is not None:
            self._certificate.reload()

    async def stop(self) -> bool:
        """Close in the order opposite to the start: the socket first, the store last.

        False: all is closed and saved, but a thread goes on that can't be ended, such as a compiler's.
        """
        if self._scheduler is not None:
            # A signal to all processes here ends the workers while there are still connections to close.
            self._scheduler.ending()
        await self._stack.aclose()
        return self._scheduler is None or not self._scheduler.lingers


def _admin_paths(data: Path | None) -> Iterator[Path]:
    """Where the admin socket may be: beside the data file, which is ours, else in a folder of our own."""
    if data is not None:
        yield data.with_name(f"{data.name}.admin")
    with suppress(OSError):
        yield runtime_folder() / f"{os.getpid()}.admin"


def _check_port(host: str, port: int) -> None:
    """Raise `OSError` where the port is taken: a start that ends there is to leave no new file behind."""
    for family, kind, *_, address in socket.getaddrinfo(
        host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    ):
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)


async def _open(data: Path, counters: Counters, limit: int) -> Store:
    """Open the data file. Raises `StoreUnusable`."""
    # Not for a server that keeps nothing: that one is waited for by a person at a terminal.
    from parlour_server.store.sqlite import SqliteStore

    if str(data) == default_data():
        # This folder is ours to make; one that was named may be a slip of the pen.
        with suppress(OSError):
            data.parent.mkdir(parents=True, exist_ok=True)
    try:
        return await SqliteStore.open(data, counters, limit, EventCodecs(kinds.event_types()))
    except StoreLocked as error:
        if (holder := read_note(data)) is None:
            raise
        id_ = "store.in_use_by_shared" if holder.shared else "store.in_use_by"
        raise StoreLocked(
            Sentence(id_, file=str(data), server=holder.url, process=str(holder.pid))
        ) from error


async def _connect(database: str, counters: Counters, command: str) -> "tuple[Store, PostgresCluster]":
    """Open the store in a database, as one of its nodes. Raises `StoreUnusable`."""
    try:
        from parlour_server.store.postgres.cluster import PostgresCluster
        from parlour_server.store.postgres.store import PostgresStore
    except ImportError as error:
        raise StoreUnusable(Sentence("store.postgres.no_asyncpg")) from error
    # See `command_of`; and a container's processes have the same number each time.
    node = f"{re.sub('[^A-Za-z0-9.-]', '-', socket.gethostname())}-{os.getpid()}-{command}"
    store = await PostgresStore.open(database, counters, node, EventCodecs(kinds.event_types()))
    return store, PostgresCluster(store)


async def _metrics(
    counters: Counters,
    server: SocketServer,
    directory: Directory,
    scheduler: SearchScheduler,
    store: Store,
    data_limit: int,
) -> bytes:
    """The page of metrics."""
    # Its library is loaded when it is first asked for, in a thread: that takes some 0.1 s.
    await asyncio.to_thread(importlib.import_module, "parlour_server.monitoring.metrics")
    from parlour_server.monitoring.metrics import ServerMetrics

    data_bytes = None
    # The other numbers are not to be missing when the disk does not answer.
    with suppress(TimeoutError, StoreError):
        async with asyncio.timeout(MEASURE_SECONDS):
            data_bytes = await store.used()
    return ServerMetrics(counters, server, directory, scheduler, data_bytes, data_limit).page()
