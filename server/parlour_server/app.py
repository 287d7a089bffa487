"""The composition root: the only file that knows every part and every adapter."""

import gc
import ssl
from contextlib import AsyncExitStack
from pathlib import Path

import structlog

from parlour_server.analysis.kernel_compiler import KernelCompiler
from parlour_server.analysis.scheduler import SearchScheduler
from parlour_server.games import all_games, broken_games
from parlour_server.hosting.context import Context, ServerLimits
from parlour_server.hosting.directory import Directory
from parlour_server.net.server import Net, SocketServer
from parlour_server.search import machine_code
from parlour_server.search.kernels import numba_modules
from parlour_server.sessions.outbox import Outbox
from parlour_server.sessions.session import Session
from parlour_server.settings import IN_MEMORY, ServerSettings
from parlour_server.store.memory import MemoryStore
from parlour_server.store.port import Store

log = structlog.get_logger()


class TlsUnusable(Exception):
    """The certificate or its key can't be loaded; a sentence says why."""


class App:
    """A whole server, from `start` to `stop`."""

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        self.port = 0
        self.rooms = 0
        """How many open rooms were found at the start."""
        self._stack = AsyncExitStack()
        self._scheduler: SearchScheduler | None = None

    async def start(self) -> None:
        """Open the store, take up the rooms, listen. Raises `StoreUnusable`, `TlsUnusable`, `OSError`."""
        settings = self.settings
        net = _net(settings)
        async with self._stack as stack:
            store: Store
            if settings.data == IN_MEMORY:
                store = MemoryStore()
            else:
                # Not for a server that keeps nothing: that one is waited for by a person at a terminal.
                from parlour_server.store.sqlite import SqliteStore

                store = await SqliteStore.open(Path(settings.data))
            stack.push_async_callback(store.close)
            scheduler = self._scheduler = SearchScheduler(
                kind=settings.search_executor,
                workers=settings.search_workers,
                waiting=settings.search_queue,
                longest=settings.longest_search_seconds,
                kernels=machine_code if settings.compiled and numba_modules.available() else None,
                compiler=KernelCompiler(),
                # Loading leaves hardly anything in cycles (some fifty objects were counted), and a look for
                # them through all that numba is would keep everybody waiting for 0.05 s.
                on_loaded=gc.freeze,
            )
            stack.push_async_callback(scheduler.close)
            context = Context(store, scheduler, _limits(settings))
            directory = Directory(context)
            stack.callback(directory.stop)
            await directory.load()

            def new_session(outbox: Outbox) -> Session:
                return Session(context, directory, outbox)

            server = SocketServer(net, context.limits, new_session)
            self.port = await server.start()
            stack.push_async_callback(server.stop)
            for broken in broken_games():
                log.warning(
                    "a game can't be loaded",
                    entry_point=broken.entry_point,
                    file=broken.file,
                    reason=broken.reason,
                )
            self.rooms = len(directory)
            # What stands now stands for good; and a move makes many short-lived objects and no cycles,
            # so that looking for cycles as often as usual costs a twentieth of the server's time.
            gc.collect()
            gc.freeze()
            gc.set_threshold(20_000, 20, 20)
            # All stands: what was gathered is closed by `stop`, not here.
            self._stack = stack.pop_all()

    def warm(self, *, every_game: bool = True) -> None:
        """Start the search workers in the background, and prepare compiled code unless only what is asked for
        is to be compiled.

        For when the server is ready and has said so; without it both are begun when they are first needed.
        """
        if self._scheduler is not None:
            self._scheduler.warm(all_games() if every_game else ())

    async def stop(self) -> bool:
        """Close in the order opposite to the start: the socket first, the store last.

        False: all is closed and saved, but a thread goes on that can't be ended, such as a compiler's.
        """
        await self._stack.aclose()
        return self._scheduler is None or not self._scheduler.lingers


def _limits(settings: ServerSettings) -> ServerLimits:
    # What is to be forgotten has to leave memory first.
    longest = settings.keep_seconds or float("inf")
    return ServerLimits(
        message_bytes=settings.message_bytes,
        messages_per_second=settings.messages_per_second,
        burst=settings.burst,
        heartbeat_seconds=settings.heartbeat_seconds,
        hello_seconds=settings.hello_seconds,
        rooms=settings.rooms,
        rooms_per_minute=settings.rooms_per_minute,
        spectators=settings.spectators,
        idle_room_seconds=min(settings.idle_room_seconds, longest),
        away_room_seconds=min(settings.away_room_seconds, longest),
        keep_seconds=settings.keep_seconds,
    )


def _net(settings: ServerSettings) -> Net:
    tls = None
    if settings.tls_cert is not None:
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        try:
            tls.load_cert_chain(settings.tls_cert, settings.tls_key)
        except OSError as error:
            raise TlsUnusable(
                f"The TLS certificate {settings.tls_cert} or its key can't be used: "
                f"{error.strerror or error}. Both must be PEM files that belong together."
            ) from error
    return Net(
        host=settings.host,
        port=settings.port,
        origins=settings.origins,
        tls=tls,
        handshake_seconds=settings.handshake_seconds,
        direct=settings.direct,
    )
