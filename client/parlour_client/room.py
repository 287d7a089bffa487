"""A room as a program sees it: what is there now, what happens, and what one may do.

    async with connect("127.0.0.1:8765", "Ada") as parlour:
        room = await parlour.create("connect4", opponent="medium")
        while await room.wait_for_turn():
            await room.play(room.legal_moves[0])
        print(room.result)

`room.shown` and what hangs on it (`view`, `seat`, `legal_moves`) are kept up to date by themselves, whether
or not anybody reads the room's messages. A command that was accepted shows in them when its call returns.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Literal
from weakref import WeakSet

from parlour_client.asking import command
from parlour_client.connection import Connection
from parlour_client.dialogue import Back, ForRoom, Lost
from parlour_client.faults import ConnectionEnded
from parlour_client.model import Shown, apply, as_of
from parlour_client.stream import Stream
from parlour_client.waiting import Waiting
from parlour_protocol import to_client, to_server
from parlour_protocol.ids import Seat, Version
from parlour_protocol.to_client import (
    Accepted,
    Event,
    Presence,
    Replaced,
    RoomClosed,
    Snapshot,
    Thinking,
)
from parlour_protocol.views import BoardView, Offer, ResultView, RoomView, ThoughtView

RoomHeard = Snapshot | Event | Presence | Thinking | Replaced | Lost | Back
"""What a room's stream brings: what the server says of it, and how the line is."""


class Room:
    """A room that is followed. Rooms come from a `Parlour`: `create`, `join`, `watch`, `quick`.

    `async for message in room` gives a `Snapshot` of the room as it is, then everything that happens, in
    order. Each loop has a queue of its own, so several may run at once. A loop that falls more than 1024
    messages behind is given a `Snapshot` in place of what it missed.

    The loop ends when the room is closed or let go of; after a last `Replaced` where the player came back
    through a newer connection. It raises `Refused` where the room can't be followed any more, and what
    the connection raises where that has ended for good.

    Commands raise `Refused`, with a `code` for programs and a sentence for people, where the server says no,
    and `UsageFault` for what no server could take, such as an empty text to say.
    """

    def __init__(self, connection: Connection, first: Snapshot, forget: Callable[[str], object]) -> None:
        self.code: str = first.room
        self._connection = connection
        self._forget = forget
        self._loop = asyncio.get_running_loop()
        self._shown = Shown(first.version, first.view)
        self._snapshot_version: Version = -1
        self._lost: Lost | None = None
        self._ended = False
        self._error: BaseException | None = None
        self._streams: WeakSet[Stream[RoomHeard]] = WeakSet()
        self._waiting: Waiting[Shown] = Waiting()
        self._finished: Shown | None = None
        self._told_finished: Shown | None = None
        """The end that `wait_for_turn` has told of."""
        self.take(first)

    def __repr__(self) -> str:
        return f"<Room {self.code}: {self.view.game}, {self.view.phase}>"

    # ------------------------------------------------------------ what is there

    @property
    def shown(self) -> Shown:
        """The room as this player knows it, with the loop's time at which its clocks were told."""
        return self._shown

    @property
    def view(self) -> RoomView:
        """The room as it was last told."""
        return self._shown.view

    @property
    def now(self) -> RoomView:
        """The same with the players' time, and for how long somebody has been away, as of now."""
        return as_of(self._shown, self._loop.time())

    @property
    def version(self) -> Version:
        """How many events the room's log held then."""
        return self._shown.version

    @property
    def seat(self) -> Seat | None:
        """Where we sit; None: we look on."""
        return self._shown.view.you

    @property
    def position(self) -> BoardView | None:
        """The board; None before the first game."""
        return self._shown.view.position

    @property
    def your_turn(self) -> bool:
        """Is it our turn?"""
        view = self._shown.view
        return view.to_move is not None and view.to_move == view.you

    @property
    def legal_moves(self) -> list[str]:
        """What we may play now; empty while it is not our turn."""
        position = self._shown.view.position
        return list(position.legal) if self.your_turn and position is not None else []

    @property
    def over(self) -> bool:
        """Is the game over, or the room closed? False also before the first game."""
        return self._shown.view.phase in ("finished", "closed")

    @property
    def finished(self) -> Shown | None:
        """The room as it was when the last game ended, whoever has left since; None while one runs."""
        return self._finished

    @property
    def result(self) -> ResultView | None:
        """How the last game ended; None while one runs."""
        return None if self._finished is None else self._finished.view.result

    @property
    def ended(self) -> bool:
        """Is it no longer followed? Then nothing here changes any more."""
        return self._ended

    # ------------------------------------------------------------ what happens

    def __aiter__(self) -> AsyncIterator[RoomHeard]:
        stream: Stream[RoomHeard] = Stream(self._begin_again)
        self._begin_again(stream)
        if self._ended:
            stream.end(self._error)
        self._streams.add(stream)
        return stream

    def _begin_again(self, stream: Stream[RoomHeard]) -> None:
        # With the time that is left by now: who reads it counts from here.
        snapshot = Snapshot(self.code, self.version, self.now)
        stream.begin_again(*([snapshot] if self._lost is None else [snapshot, self._lost]))

    async def until(self, ready: Callable[[Shown], bool]) -> Shown:
        """Wait until the room is as wished, and return it as it was at that moment.

        Raises `ConnectionEnded` or `Refused` where it is not followed any more before that.
        """
        if ready(self._shown):
            return self._shown
        if self._ended:
            raise self._why_ended()
        return await self._waiting.until(ready)

    async def wait_for_turn(self) -> bool:
        """Wait until it is our turn (True), or the game is over (False). See `until` for what it raises."""
        # An end shows for a moment alone where the other one leaves at once.
        await self.until(lambda _: self.your_turn or self.over or self._finished is not self._told_finished)
        self._told_finished = self._finished
        return self.your_turn

    def _why_ended(self) -> BaseException:
        return self._error or ConnectionEnded(f"Room {self.code} is not followed any more.")

    def take(self, heard: RoomHeard) -> None:
        """Take up what the connection brought. For the `Parlour` that this room belongs to."""
        match heard:
            case Lost():
                self._lost = heard
            case Back():
                self._lost = None
            case Replaced():
                pass
            case _:
                shown = apply(self._shown, heard, self._loop.time())
                assert shown is not None
                self._shown = shown
                if isinstance(heard, Snapshot):
                    self._snapshot_version = heard.version
                self._note_end()
        for stream in self._streams:
            stream.put(heard)
        match heard:
            case Replaced():
                said = f"Room {self.code} is followed by a newer connection of yours, so this one let go."
                self._end(None, ConnectionEnded(said))
            case Event(event=RoomClosed()):
                self.end()
            case _:
                self._waiting.show(self._shown)

    def _note_end(self) -> None:
        view, known = self.view, self._finished
        if view.phase == "playing":
            self._finished = self._told_finished = None
        elif view.result is not None and (known is None or known.view.game_number != view.game_number):
            self._finished = self._shown

    def end(self, error: BaseException | None = None) -> None:
        """Follow it no more. For the `Parlour` that this room belongs to."""
        self._end(error, error)

    def _end(self, for_streams: BaseException | None, for_waiters: BaseException | None) -> None:
        if not self._ended:
            self._ended, self._error = True, for_waiters
            self._forget(self.code)
            for stream in self._streams:
                stream.end(for_streams)
            self._waiting.show(self._shown)
            self._waiting.end(self._why_ended())

    # ------------------------------------------------------------ what one may do

    async def play(
        self, move: str, report: to_server.GivenReport | None = None, *, version: Version | None = None
    ) -> Accepted:
        """Play a move, as people write it, on the board that is shown, or that stood at `version`.

        A program that took its seat as one may report how it thought: others see it as they see bots think.

        Raises `Refused`: `illegal_move` and `invalid_move` with the legal ones in `refusal.legal`,
        `not_your_turn`, `stale` where the board has changed meanwhile, `out_of_time`.
        """
        since = self.version if version is None else version
        return await self.do(
            command(to_server.PlayMove, room=self.code, version=since, move=move, report=report)
        )

    async def resign(self) -> Accepted:
        """Give the game up."""
        return await self.do(command(to_server.Resign, room=self.code))

    async def abort(self) -> Accepted:
        """End a game before its second move, for nobody."""
        return await self.do(command(to_server.Abort, room=self.code))

    async def offer_draw(self) -> Accepted:
        """Offer a draw, or take the one that is offered."""
        return await self.do(command(to_server.OfferDraw, room=self.code))

    async def ask_takeback(self) -> Accepted:
        """Ask for our last move back, or give the other theirs."""
        return await self.do(command(to_server.AskTakeback, room=self.code))

    async def decline(self, offer: Offer) -> Accepted:
        """Turn an offer down, or take our own back."""
        return await self.do(command(to_server.Decline, room=self.code, offer=offer))

    async def claim(self, what: Literal["win", "draw", "bot"] = "win", bot: str = "medium") -> Accepted:
        """Take the game, a draw, or a bot in the other's place, who has been away for too long."""
        return await self.do(command(to_server.Claim, room=self.code, what=what, bot=bot))

    async def rematch(self) -> Accepted:
        """Ask for another game, or agree to one. Bots agree at once."""
        return await self.do(command(to_server.Rematch, room=self.code))

    async def sit(self, seat: Seat | None = None) -> Accepted:
        """Take a free seat of a room that we look on at."""
        return await self.follow_by(command(to_server.TakeSeat, room=self.code, seat=seat))

    async def take_over(self, seat: Seat | None = None) -> Accepted:
        """Sit down where a bot sits, and play on."""
        return await self.follow_by(command(to_server.TakeOver, room=self.code, seat=seat))

    async def leave(self) -> Accepted:
        """Stand up, while no game runs. The room is still followed."""
        return await self.do(command(to_server.LeaveSeat, room=self.code))

    async def add_bot(self, bot: str, seat: Seat | None = None) -> Accepted:
        """Put one of the server's bots in a free seat."""
        return await self.do(command(to_server.AddBot, room=self.code, bot=bot, seat=seat))

    async def say(self, text: str) -> Accepted:
        """Say something to the other players, or to the others who look on."""
        return await self.do(command(to_server.Say, room=self.code, text=text))

    async def close(self) -> Accepted:
        """Close the room for good: for whoever made it."""
        return await self.do(command(to_server.CloseRoom, room=self.code))

    async def unwatch(self) -> None:
        """Let go of the room: nothing more is heard of it. A seat stays taken."""
        # At once, so that whoever follows it again in the same breath has a room of its own.
        self.end()
        await self._connection.request(command(to_server.Unwatch, room=self.code))

    async def hint(self) -> to_client.Hint:
        """What each of our moves is worth, where the room allows hints."""
        return await self._connection.request(command(to_server.AskHint, room=self.code))

    async def thoughts(self) -> list[ThoughtView]:
        """How the bots thought in this game, as far as we may see it."""
        return (await self._connection.request(command(to_server.AskThoughts, room=self.code))).thoughts

    async def do(self, asked: to_server.RoomCommand) -> Accepted:
        """Send any command for this room; when it returns, what came of it is shown here."""
        accepted = await self._connection.request(asked)
        if not self._ended:
            await self.until(lambda shown: shown.version >= accepted.version or self._ended)
        return accepted

    async def follow_by(self, asked: ForRoom) -> Accepted:
        """The same for a command that changes who we are here: it waits for the room as we see it then."""
        accepted = await self._connection.request(asked)
        await self.fresh(accepted.version)
        return accepted

    async def fresh(self, version: Version) -> None:
        """Wait for a snapshot that is no older than this."""
        await self.until(lambda _: self.is_fresh(version))

    def is_fresh(self, version: Version) -> bool:
        """Has a snapshot come that is no older than this?"""
        return self._snapshot_version >= version
