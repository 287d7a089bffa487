"""The client for plain scripts and notebooks, without asyncio: every call waits until it is done.

    from parlour_client import connect_blocking

    with connect_blocking("127.0.0.1:8765", "Ada") as parlour:
        room = parlour.create("connect4", opponent="medium")
        while room.wait():
            room.play(room.legal_moves[0])
        print(room.result)

A thread of its own keeps the connection; the objects here may be used from any other. Their methods are made
from those of `sdk.client` and `sdk.room`: same parameters, answers and errors, and `TimeoutError` where a
timeout was given.
A notebook, where a `with` can't span cells, calls `parlour = connect_blocking(...).open()`, and
`parlour.close()` in the end.
"""

import asyncio
import functools
import inspect
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from types import TracebackType
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, Self, TypeVar

from parlour_client.sdk.client import Client, connect
from parlour_client.sdk.errors import ConnectionLost
from parlour_client.sdk.identity import Identity
from parlour_client.sdk.messages import RoomUpdate
from parlour_client.sdk.room import Room, RoomFacts
from parlour_client.sdk.state import ClientRoomState
from parlour_protocol.words import say

P = ParamSpec("P")
T = TypeVar("T")


def connect_blocking(
    url: str,
    name: str | None = None,
    *,
    keep: bool = False,
    token: str | None = None,
    identity: Identity | None = None,
) -> "BlockingClient":
    """A connection to be entered with `with`. What it takes and raises: see `parlour_client.connect`."""
    return BlockingClient(connect(url, name, keep=keep, token=token, identity=identity))


class _Thread:
    """A loop in a thread of its own, and how to wait for what runs there."""

    def __init__(self) -> None:
        self._running: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()
        self._lock = threading.Lock()
        self._closed = False
        self._waiting: set[Future[Any]] = set()
        self._thread = threading.Thread(target=self._run, name="parlour", daemon=True)
        self._thread.start()
        self._loop, self._stopped = self._running.result()

    def _run(self) -> None:
        async def until_stopped() -> None:
            stopped = asyncio.Event()
            self._running.set_result((asyncio.get_running_loop(), stopped))
            await stopped.wait()

        asyncio.run(until_stopped())
        # What came too late for the loop to take it up would be waited for without end.
        with self._lock:
            self._closed, late = True, list(self._waiting)
        for future in late:
            future.cancel()

    def wait_for(self, work: Coroutine[Any, Any, T], timeout: float | None = None) -> T:
        """Run it there until it is done; it is cancelled where the wait ends early, by Ctrl-C say."""

        async def within() -> T:
            async with asyncio.timeout(timeout):
                return await work

        waiting = within()
        future: Future[T] | None = None
        with self._lock, suppress(RuntimeError):
            if not self._closed:
                future = asyncio.run_coroutine_threadsafe(waiting, self._loop)
                self._waiting.add(future)
        try:
            if future is None:
                raise CancelledError
            return future.result()
        except CancelledError:
            # It may not have begun.
            waiting.close()
            work.close()
            raise ConnectionLost(say("error.closed")) from None
        except BaseException:
            if future is not None:
                future.cancel()
            raise
        finally:
            if future is not None:
                self._waiting.discard(future)

    def stop(self) -> None:
        """End the thread, and whatever still waits there. May be called twice."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._stopped.set)
        self._thread.join()


class _Blocking(Generic[P, T]):
    """Makes a method that waits out of an async one; `self._target` is what that belongs to."""

    def __init__(self, method: Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]) -> None:
        self._method = method
        self.__doc__ = method.__doc__

    def __get__(self, instance: "_Facade", owner: type[object]) -> Callable[P, T]:
        @functools.wraps(self._method)
        def wait(*given: P.args, **named: P.kwargs) -> T:
            return instance._wait(self._method(instance._target, *given, **named))

        wait.__signature__ = _bound(self._method)  # type: ignore[attr-defined]
        return wait


class _BlockingEntry(Generic[P]):
    """The same for a way into a room, which is given as a `BlockingRoom`."""

    def __init__(self, method: Callable[Concatenate[Any, P], Coroutine[Any, Any, Room]]) -> None:
        self._method = method
        self.__doc__ = method.__doc__

    def __get__(self, instance: "_Facade", owner: type[object]) -> Callable[P, "BlockingRoom"]:
        @functools.wraps(self._method)
        def enter(*given: P.args, **named: P.kwargs) -> BlockingRoom:
            room = instance._wait(self._method(instance._target, *given, **named))
            return BlockingRoom(room, instance._wait)

        enter.__signature__ = _bound(self._method)  # type: ignore[attr-defined]
        return enter


def _bound(method: Callable[..., Any]) -> inspect.Signature:
    """A method's signature without its `self`."""
    signature = inspect.signature(method)
    return signature.replace(parameters=list(signature.parameters.values())[1:])


class _Wait(Protocol):
    def __call__(self, work: Coroutine[Any, Any, T], timeout: float | None = None) -> T:
        """Wait until the work is done, so many seconds at most."""


class _Facade(Protocol):
    @property
    def _target(self) -> Any: ...

    @property
    def _wait(self) -> _Wait: ...


class BlockingClient:
    """A player's connection to a server, for code that waits. Each method is `Client`'s of the same name.

    What belongs to no room (`Client.notices`) is for code that does not wait.
    """

    def __init__(self, parlour: Client) -> None:
        self._target = parlour
        self._thread: _Thread | None = None

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def open(self) -> Self:
        """Connect. Raises `ConnectionFailed` and `Refused`."""
        self._thread = _Thread()
        try:
            self._thread.wait_for(self._target.__aenter__())
        except BaseException:
            self._thread.stop()
            raise
        return self

    def close(self) -> None:
        """Disconnect. Seats stay taken. May be called twice."""
        if self._thread is not None:
            try:
                self._thread.wait_for(self._target.close())
            except ConnectionLost:
                return
            finally:
                self._thread.stop()

    @property
    def connected(self) -> bool:
        """Is the connection up at this moment?"""
        return self._target.connected

    @property
    def name(self) -> str:
        """The name that others see."""
        return self._target.name

    @property
    def public_url(self) -> str:
        """Where others reach the server: by its own word, else where we have reached it."""
        return self._target.public_url

    @property
    def token(self) -> str | None:
        """Our secret on this server, which proves who we are. Show it to nobody."""
        return self._target.token

    def link(self, room: "BlockingRoom") -> str:
        """The link that seats a friend."""
        return self._target.link(room.room)

    create = _BlockingEntry(Client.create)
    enter = _BlockingEntry(Client.enter)
    join = _BlockingEntry(Client.join)
    watch = _BlockingEntry(Client.watch)
    quick = _BlockingEntry(Client.quick)
    add_bot = _Blocking(Client.add_bot)
    rooms = _Blocking(Client.rooms)
    games = _Blocking(Client.games)
    bots = _Blocking(Client.bots)
    history = _Blocking(Client.history)
    met = _Blocking(Client.met)
    remove = _Blocking(Client.remove)
    restore = _Blocking(Client.restore)
    room_history = _Blocking(Client.room_history)
    record = _Blocking(Client.record)
    analyse = _Blocking(Client.analyse)
    puzzle = _Blocking(Client.puzzle)
    exercise = _Blocking(Client.exercise)
    ratings = _Blocking(Client.ratings)
    rating = _Blocking(Client.rating)
    rules = _Blocking(Client.rules)
    carry = _Blocking(Client.carry)
    rename = _Blocking(Client.rename)
    create_tournament = _Blocking(Client.create_tournament)
    end_tournament = _Blocking(Client.end_tournament)
    enter_bot = _Blocking(Client.enter_bot)
    forfeit_game = _Blocking(Client.forfeit_game)
    join_tournament = _Blocking(Client.join_tournament)
    replay_game = _Blocking(Client.replay_game)
    start_tournament = _Blocking(Client.start_tournament)
    tournament = _Blocking(Client.tournament)
    tournament_under_way = _Blocking(Client.tournament_under_way)
    tournaments = _Blocking(Client.tournaments)
    withdraw = _Blocking(Client.withdraw)
    close_server = _Blocking(Client.close_server)

    def _wait(self, work: Coroutine[Any, Any, T], timeout: float | None = None) -> T:
        if self._thread is None:
            work.close()
            raise ConnectionLost(say("error.not_connected_blocking"))
        return self._thread.wait_for(work, timeout)


class BlockingRoom(RoomFacts):
    """A room for code that waits. Each method is `Room`'s of the same name, and returns when it is done.

    `for message in room` gives the room as it is, then everything that happens, until it ends.
    """

    def __init__(self, room: Room, wait: _Wait) -> None:
        self.room = room
        self.code = room.code
        self._target = room
        self._wait = wait

    def __repr__(self) -> str:
        return repr(self.room)

    @property
    def state(self) -> ClientRoomState:
        """The room as this player knows it."""
        return self.room.state

    @property
    def finished(self) -> ClientRoomState | None:
        """The room as it was when the last game ended; None while one runs."""
        return self.room.finished

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it is our turn (True), or the game is over (False); so many seconds at most."""
        return self._wait(self.room.wait_for_turn(), timeout)

    def __iter__(self) -> Iterator[RoomUpdate]:
        async def begin() -> AsyncIterator[RoomUpdate]:
            return aiter(self.room)

        async def read() -> RoomUpdate | None:
            return await anext(stream, None)

        stream = self._wait(begin())
        while (message := self._wait(read())) is not None:
            yield message

    play = _Blocking(Room.play)
    resign = _Blocking(Room.resign)
    abort = _Blocking(Room.abort)
    offer_draw = _Blocking(Room.offer_draw)
    ask_takeback = _Blocking(Room.ask_takeback)
    decline = _Blocking(Room.decline)
    act = _Blocking(Room.act)
    claim = _Blocking(Room.claim)
    rematch = _Blocking(Room.rematch)
    sit = _Blocking(Room.sit)
    take_over = _Blocking(Room.take_over)
    leave = _Blocking(Room.leave)
    add_bot = _Blocking(Room.add_bot)
    say = _Blocking(Room.say)
    say_quickly = _Blocking(Room.say_quickly)
    close = _Blocking(Room.close)
    unwatch = _Blocking(Room.unwatch)
    hint = _Blocking(Room.hint)
    head_to_head = _Blocking(Room.head_to_head)
    ratings = _Blocking(Room.ratings)
    thoughts = _Blocking(Room.thoughts)
