"""The same for plain scripts and notebooks, without asyncio: every call waits until it is done.

    from parlour_client import connect_blocking

    with connect_blocking("127.0.0.1:8765", "Ada") as parlour:
        room = parlour.create("connect4", opponent="medium")
        while room.wait():
            room.play(room.legal_moves[0])
        print(room.result)

A thread of its own keeps the connection; the objects here may be used from any other. They raise what those
of `parlour_client.parlour` and `parlour_client.room` raise, and `TimeoutError` where a timeout was given.
A notebook, where a `with` can't span cells, calls `parlour = connect_blocking(...).open()`, and
`parlour.close()` in the end.
"""

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from types import TracebackType
from typing import Any, Literal, Self, TypeVar, Unpack

from parlour_client.faults import ConnectionEnded
from parlour_client.identity import Identity
from parlour_client.parlour import Parlour, Settings, connect
from parlour_client.room import Room, RoomHeard
from parlour_protocol import to_client
from parlour_protocol.ids import Seat
from parlour_protocol.to_server import AskedSettings, GivenReport
from parlour_protocol.views import (
    BoardView,
    BotLine,
    GameLine,
    GameRecord,
    Offer,
    PastRoom,
    ResultView,
    RoomView,
    ThoughtView,
)

T = TypeVar("T")


def connect_blocking(
    url: str,
    name: str | None = None,
    *,
    keep: bool = False,
    token: str | None = None,
    identity: Identity | None = None,
) -> "BlockingParlour":
    """A connection to be entered with `with`. What it takes and raises: see `parlour_client.connect`."""
    return BlockingParlour(connect(url, name, keep=keep, token=token, identity=identity))


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
            raise ConnectionEnded("The connection was closed.") from None
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


class BlockingParlour:
    """A player's place on a server, for code that waits. Each method is `Parlour`'s of the same name.

    What belongs to no room (`Parlour.notices`) is for code that does not wait.
    """

    def __init__(self, parlour: Parlour) -> None:
        self._parlour = parlour
        self._thread: _Thread | None = None

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def open(self) -> Self:
        """Connect. Raises `ConnectFailed` and `Refused`."""
        self._thread = _Thread()
        try:
            self._thread.wait_for(self._parlour.__aenter__())
        except BaseException:
            self._thread.stop()
            raise
        return self

    def close(self) -> None:
        """Hang up. Seats stay taken. May be called twice."""
        if self._thread is not None:
            try:
                self._thread.wait_for(self._parlour.close())
            except ConnectionEnded:
                return
            finally:
                self._thread.stop()

    @property
    def connected(self) -> bool:
        """Is the line up at this moment?"""
        return self._parlour.connected

    @property
    def name(self) -> str:
        """The name that others see."""
        return self._parlour.name

    @property
    def token(self) -> str | None:
        """Our secret on this server, which proves who we are. Show it to nobody."""
        return self._parlour.token

    def link(self, room: "BlockingRoom") -> str:
        """The link that seats a friend."""
        return self._parlour.link(room.room)

    def create(
        self,
        game: str,
        *,
        opponent: str | None = None,
        seat: Seat | None = 0,
        moves: str = "",
        settings: AskedSettings | None = None,
        **chosen: Unpack[Settings],
    ) -> "BlockingRoom":
        """Make a room and sit down in it."""
        work = self._parlour.create(
            game, opponent=opponent, seat=seat, moves=moves, settings=settings, **chosen
        )
        return self._room(work)

    def join(self, code: str, seat: Seat | None = None, *, program: bool = False) -> "BlockingRoom":
        """Take a free seat, or come back to ours."""
        return self._room(self._parlour.join(code, seat, program=program))

    def watch(self, code: str) -> "BlockingRoom":
        """Look on."""
        return self._room(self._parlour.watch(code))

    def quick(
        self, game: str, *, settings: AskedSettings | None = None, **chosen: Unpack[Settings]
    ) -> "BlockingRoom":
        """A seat with whoever wants the same."""
        return self._room(self._parlour.quick(game, settings=settings, **chosen))

    def rooms(self) -> to_client.Rooms:
        """What is being played."""
        return self._wait(self._parlour.rooms())

    def games(self) -> list[GameLine]:
        """The games that the server knows."""
        return self._wait(self._parlour.games())

    def bots(self) -> list[BotLine]:
        """The bots that it can seat."""
        return self._wait(self._parlour.bots())

    def history(self) -> list[PastRoom]:
        """The rooms in which we have played."""
        return self._wait(self._parlour.history())

    def record(self, code: str, number: int | None = None) -> GameRecord:
        """A whole game of a room."""
        return self._wait(self._parlour.record(code, number))

    def analyse(
        self, game: str, moves: str = "", *, bot: str = "perfect", played: str | None = None
    ) -> to_client.Analysis:
        """Score every move of a position."""
        return self._wait(self._parlour.analyse(game, moves, bot=bot, played=played))

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        if self._thread is None:
            work.close()
            raise ConnectionEnded("Not connected: use it as `with connect_blocking(...) as parlour:`.")
        return self._thread.wait_for(work)

    def _room(self, work: Coroutine[Any, Any, Room]) -> "BlockingRoom":
        room = self._wait(work)
        assert self._thread is not None
        return BlockingRoom(room, self._thread)


class BlockingRoom:
    """A room for code that waits. Each method is `Room`'s of the same name, and returns when it is done.

    `for message in room` gives the room as it is, then everything that happens, until it ends.
    """

    def __init__(self, room: Room, thread: _Thread) -> None:
        self.room = room
        self.code = room.code
        self._thread = thread

    def __repr__(self) -> str:
        return repr(self.room)

    @property
    def view(self) -> RoomView:
        """The room as it was last told."""
        return self.room.view

    @property
    def seat(self) -> Seat | None:
        """Where we sit; None: we look on."""
        return self.room.seat

    @property
    def position(self) -> BoardView | None:
        """The board; None before the first game."""
        return self.room.position

    @property
    def your_turn(self) -> bool:
        """Is it our turn?"""
        return self.room.your_turn

    @property
    def legal_moves(self) -> list[str]:
        """What we may play now; empty while it is not our turn."""
        return self.room.legal_moves

    @property
    def over(self) -> bool:
        """Is the game over, or the room closed?"""
        return self.room.over

    @property
    def result(self) -> ResultView | None:
        """How the last game ended; None while one runs."""
        return self.room.result

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it is our turn (True), or the game is over (False); so many seconds at most."""
        return self._thread.wait_for(self.room.wait_for_turn(), timeout)

    def __iter__(self) -> Iterator[RoomHeard]:
        async def begin() -> Any:
            return aiter(self.room)

        async def read() -> RoomHeard | None:
            return await anext(stream, None)

        stream = self._thread.wait_for(begin())
        while (heard := self._thread.wait_for(read())) is not None:
            yield heard

    def play(self, move: str, report: GivenReport | None = None) -> None:
        """Play a move."""
        self._thread.wait_for(self.room.play(move, report))

    def resign(self) -> None:
        """Give the game up."""
        self._thread.wait_for(self.room.resign())

    def abort(self) -> None:
        """End a game before its second move, for nobody."""
        self._thread.wait_for(self.room.abort())

    def offer_draw(self) -> None:
        """Offer a draw, or take the one that is offered."""
        self._thread.wait_for(self.room.offer_draw())

    def ask_takeback(self) -> None:
        """Ask for our last move back, or give the other theirs."""
        self._thread.wait_for(self.room.ask_takeback())

    def decline(self, offer: Offer) -> None:
        """Turn an offer down, or take our own back."""
        self._thread.wait_for(self.room.decline(offer))

    def claim(self, what: Literal["win", "draw", "bot"] = "win", bot: str = "medium") -> None:
        """Take the game, a draw, or a bot in the place of the other, who has been away for too long."""
        self._thread.wait_for(self.room.claim(what, bot))

    def rematch(self) -> None:
        """Ask for another game, or agree to one."""
        self._thread.wait_for(self.room.rematch())

    def sit(self, seat: Seat | None = None) -> None:
        """Take a free seat of a room that we look on at."""
        self._thread.wait_for(self.room.sit(seat))

    def take_over(self, seat: Seat | None = None) -> None:
        """Sit down where a bot sits, and play on."""
        self._thread.wait_for(self.room.take_over(seat))

    def leave(self) -> None:
        """Stand up, while no game runs."""
        self._thread.wait_for(self.room.leave())

    def add_bot(self, bot: str, seat: Seat | None = None) -> None:
        """Put one of the server's bots in a free seat."""
        self._thread.wait_for(self.room.add_bot(bot, seat))

    def say(self, text: str) -> None:
        """Say something."""
        self._thread.wait_for(self.room.say(text))

    def close(self) -> None:
        """Close the room for good."""
        self._thread.wait_for(self.room.close())

    def unwatch(self) -> None:
        """Let go of the room."""
        self._thread.wait_for(self.room.unwatch())

    def hint(self) -> to_client.Hint:
        """What each of our moves is worth."""
        return self._thread.wait_for(self.room.hint())

    def thoughts(self) -> list[ThoughtView]:
        """How the bots thought in this game."""
        return self._thread.wait_for(self.room.thoughts())
