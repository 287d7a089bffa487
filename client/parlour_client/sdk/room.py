"""A room as a program sees it: what is there now, what happens, and what one may do.

    async with connect("127.0.0.1:8765", "Ada") as parlour:
        room = await parlour.create("connect4", opponent="medium")
        while await room.wait_for_turn():
            await room.play(room.legal_moves[0])
        print(room.result)

`room.state` and what hangs on it (`view`, `seat`, `legal_moves`) are kept up to date by themselves, whether
or not anybody reads the room's messages. A command that was accepted shows in them when its call returns.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal
from weakref import WeakSet

from pydantic_core import to_jsonable_python

from parlour_client.sdk import pagination
from parlour_client.sdk.commands import command
from parlour_client.sdk.errors import ConnectionLost, Refused
from parlour_client.sdk.messages import Disconnected, Reconnected, RoomUpdate
from parlour_client.sdk.predicates import StateWaiters
from parlour_client.sdk.requests import Requester
from parlour_client.sdk.state import ClientRoomState, apply, as_of, first_state
from parlour_client.sdk.stream import Stream
from parlour_protocol import TYPING_SECONDS, answers, commands
from parlour_protocol.actions import Offer, PlainAction, QuickWord
from parlour_protocol.answers import Accepted
from parlour_protocol.commands import Command
from parlour_protocol.errors import Code
from parlour_protocol.events import Event, RoomClosed, Snapshot
from parlour_protocol.ids import Seat, Version, other
from parlour_protocol.views.boards import BoardView
from parlour_protocol.views.ratings import SeatRating
from parlour_protocol.views.records import GameRecord, Tally
from parlour_protocol.views.reports import ProgramReport, ThoughtView
from parlour_protocol.views.rooms import Limits, May, Phase, ResultView, RoomView
from parlour_protocol.words import say


@dataclass(frozen=True, slots=True)
class RoomChange:
    """A message, and the room before and after it; there is no `before` where a reader begins."""

    message: RoomUpdate
    before: ClientRoomState | None
    after: ClientRoomState


class RoomFacts(ABC):
    """What a room's state says about the game and our place in it."""

    @property
    @abstractmethod
    def state(self) -> ClientRoomState:
        """The room as this player knows it."""

    @property
    @abstractmethod
    def finished(self) -> ClientRoomState | None:
        """The room as it was when the last game ended, before anybody left; None while one runs."""

    @property
    def view(self) -> RoomView:
        """The room as of the last message."""
        return self.state.view

    @property
    def version(self) -> Version:
        """How many events the room's log held then."""
        return self.state.version

    @property
    def seat(self) -> Seat | None:
        """Our seat, at one device that of whoever is to move; None for a spectator."""
        return self.state.view.acting

    @property
    def position(self) -> BoardView | None:
        """The board; None before the first game."""
        return self.state.view.position

    @property
    def your_turn(self) -> bool:
        """Is it our turn?"""
        return self.state.view.your_turn

    @property
    def legal_moves(self) -> list[str]:
        """What we may play now; empty while it is not our turn."""
        position = self.state.view.position
        return list(position.legal) if self.your_turn and position is not None else []

    @property
    def over(self) -> bool:
        """Is the game over, or the room closed? False also before the first game."""
        return self.state.view.phase in ("finished", "closed")

    @property
    def result(self) -> ResultView | None:
        """How the last game ended; None while one runs."""
        return None if self.finished is None else self.finished.view.result


class _Over(Requester):
    """Takes the commands for a room of which there is only the record."""

    limits = Limits(0, 0.0, 0, 0.0)

    async def _request(self, asked: Command[Any]) -> answers.Answer:
        raise ConnectionLost(say("error.not_connected"))


OPENING = 64
"""So many changes are kept for a first reader who comes late."""


class Room(RoomFacts):
    """A room that is subscribed to. Rooms come from a `Client`: `create`, `join`, `watch`, `quick`.

    `async for message in room` gives a `Snapshot` of the room as it is, then everything that happens, in
    order. Each loop has a queue of its own, so several may run at once. A loop that falls more than 1024
    messages behind is given a `Snapshot` in place of what it missed.

    The loop ends when the room is closed or unsubscribed. It raises `Refused` where the subscription is lost,
    and what the connection raises where that has ended for good.

    Commands raise `Refused`, with a `code` for programs and a sentence for people, where the server says no,
    and `UsageError` for what no server could take, such as an empty text to say.
    """

    def __init__(self, connection: Requester, first: Snapshot, forget: Callable[[str], object]) -> None:
        self.code: str = first.room
        self._connection = connection
        self._forget = forget
        self._loop = asyncio.get_running_loop()
        now = self._loop.time()
        self._state = first_state(first, now)
        self._lost: Disconnected | None = None
        self._ended = False
        self._typing_again = 0.0
        """When we may say again that we write."""
        self._error: BaseException | None = None
        self._streams: WeakSet[Stream[RoomChange]] = WeakSet()
        self._opening: Stream[RoomChange] | None = Stream(self._drop_opening, OPENING)
        """What has happened since the first snapshot, for the first who reads `changes`."""
        self._opening.begin_again(RoomChange(first, None, self._state))
        self._streams.add(self._opening)
        self._waiting: StateWaiters[ClientRoomState] = StateWaiters()
        self._finished: ClientRoomState | None = None
        self._reported_finish: ClientRoomState | None = None
        """The end that `wait_for_turn` has reported."""
        self._note_end()

    @classmethod
    def from_record(
        cls, record: GameRecord, position: BoardView, you: Seat | None = None, phase: Phase = "finished"
    ) -> "Room":
        """A game that was played, as the room that it left: nothing happens there, and commands raise.

        `position` is its last one, and `you` the seat that the viewer had.
        """
        view = RoomView(
            room=record.room,
            version=0,
            game=record.game,
            title=record.title,
            title_said=record.title_said,
            settings=record.settings,
            seats=record.seats,
            phase=phase,
            online=[True, True],
            watching=0,
            may=May([[], []], [], []),
            away_since=[None, None],
            claim_from=[None, None],
            game_number=record.number,
            starter=record.starter,
            position=position,
            moves=[played.move for played in record.moves],
            started_with=record.started_with,
            result=record.result,
            chat=record.chat,
            you=you,
            report=next((played.report for played in reversed(record.moves) if played.report), None),
        )
        data = to_jsonable_python(view, exclude_none=True)
        room = cls(_Over(), Snapshot(record.room, 0, 0, data), lambda code: None)
        room.end()
        return room

    def __repr__(self) -> str:
        return f"<Room {self.code}: {self.view.game}, {self.view.phase}>"

    # ------------------------------------------------------------ what is there

    @property
    def state(self) -> ClientRoomState:
        """The room as this player knows it."""
        return self._state

    @property
    def now(self) -> RoomView:
        """The same with the players' time, and for how long somebody has been away, as of now."""
        return as_of(self._state, self._loop.time())

    @property
    def finished(self) -> ClientRoomState | None:
        """The room as it was when the last game ended, before anybody left; None while one runs."""
        return self._finished

    @property
    def ended(self) -> bool:
        """Has the subscription ended? Then nothing here changes any more."""
        return self._ended

    # ------------------------------------------------------------ what happens

    def __aiter__(self) -> AsyncIterator[RoomUpdate]:
        changes = self._stream()

        async def messages() -> AsyncIterator[RoomUpdate]:
            async for change in changes:
                yield change.message

        return messages()

    def changes(self) -> AsyncIterator[RoomChange]:
        """The messages as `async for message in room` gives them, each with the room before and after it.

        The first reader is given everything since the room's first snapshot, if it comes soon after it.
        """
        opening, self._opening = self._opening, None
        return opening or self._stream()

    def _stream(self) -> Stream[RoomChange]:
        stream: Stream[RoomChange] = Stream(self._begin_again)
        self._begin_again(stream)
        if self._ended:
            stream.end(self._error)
        self._streams.add(stream)
        return stream

    def _begin_again(self, stream: Stream[RoomChange]) -> None:
        at = round(1000 * self._loop.time() + self._state.clock_offset)
        snapshot = Snapshot(self.code, self.version, at, deepcopy(self._state.data))
        changes = [RoomChange(snapshot, None, self._state)]
        if self._lost is not None:
            changes.append(RoomChange(self._lost, self._state, self._state))
        stream.begin_again(*changes)

    def _drop_opening(self, stream: Stream[RoomChange]) -> None:
        if stream is self._opening:
            self._opening = None
            self._streams.discard(stream)
        else:
            self._begin_again(stream)

    async def until(self, ready: Callable[[ClientRoomState], bool]) -> ClientRoomState:
        """Wait until `ready` is true of the room, and return the room as it was at that moment.

        Raises `ConnectionLost` or `Refused` where the subscription ends before that.
        """
        if ready(self._state):
            return self._state
        if self._ended:
            raise self._why_ended()
        return await self._waiting.until(ready)

    async def wait_for_turn(self) -> bool:
        """Wait until it is our turn (True), or the game is over (False). See `until` for what it raises."""
        # An end shows for a moment alone where the other one leaves at once.
        await self.until(lambda _: self.your_turn or self.over or self._finished is not self._reported_finish)
        self._reported_finish = self._finished
        return self.your_turn

    def _why_ended(self) -> BaseException:
        return self._error or ConnectionLost(say("error.unsubscribed", room=self.code))

    def take(self, message: RoomUpdate) -> None:
        """Take a message from the connection. For the `Client` that this room belongs to."""
        before = self._state
        match message:
            case Disconnected():
                self._lost = message
            case Reconnected():
                self._lost = None
            case _:
                try:
                    self._state = apply(self._state, message, self._loop.time())
                except ValueError as error:
                    unreadable = answers.Refused(Code.INTERNAL, say("error.room_unreadable", why=str(error)))
                    self.end(Refused(unreadable))
                    return
                self._note_end()
        for stream in list(self._streams):
            stream.put(RoomChange(message, before, self._state))
        if isinstance(message, Event) and isinstance(message.event, RoomClosed):
            self.end()
        else:
            self._waiting.publish(self._state)

    def _note_end(self) -> None:
        view, known = self.view, self._finished
        if view.phase == "playing":
            self._finished = self._reported_finish = None
        elif view.result is not None and (known is None or known.view.game_number != view.game_number):
            self._finished = self._state

    def end(self, error: BaseException | None = None) -> None:
        """End the subscription. For the `Client` that this room belongs to."""
        if not self._ended:
            self._ended, self._error = True, error
            self._forget(self.code)
            for stream in self._streams:
                stream.end(error)
            self._waiting.publish(self._state)
            self._waiting.end(self._why_ended())

    # ------------------------------------------------------------ what one may do

    async def play(
        self, move: str, report: ProgramReport | None = None, *, version: Version | None = None
    ) -> Accepted:
        """Play a move, as people write it, on the board that is shown now, or that stood at `version`.

        A program that took its seat as one may report how it thought: others see it as they see bots think.

        Raises `Refused`: `illegal_move` and `invalid_move` with the legal ones in `refusal.legal`,
        `not_your_turn`, `stale` where the board has changed meanwhile, `out_of_time`.
        """
        since = self.version if version is None else version
        return await self.do(
            command(commands.PlayMove, room=self.code, version=since, move=move, report=report)
        )

    async def resign(self) -> Accepted:
        """Give the game up."""
        return await self.act("resign")

    async def abort(self) -> Accepted:
        """End a game before each side has moved, without a result."""
        return await self.act("abort")

    async def offer_draw(self) -> Accepted:
        """Offer a draw, or take the one that is offered."""
        return await self.act("draw")

    async def ask_takeback(self) -> Accepted:
        """Ask for our last move back, or give the other theirs."""
        return await self.act("takeback")

    async def decline(self, offer: Offer) -> Accepted:
        """Turn an offer down, or take our own back."""
        return await self.do(command(commands.Decline, room=self.code, offer=offer))

    async def claim(self, what: Literal["win", "draw", "bot"] = "win", bot: str = "medium") -> Accepted:
        """Take the game, a draw, or a bot in the other's place, who has been away for too long."""
        return await self.do(command(commands.Claim, room=self.code, what=what, bot=bot))

    async def rematch(self) -> Accepted:
        """Ask for another game, or agree to one. Bots agree at once."""
        return await self.act("rematch")

    async def sit(self, seat: Seat | None = None) -> Accepted:
        """Take a free seat of a room that we watch."""
        return await self.do(command(commands.TakeSeat, room=self.code, seat=seat))

    async def take_over(self, seat: Seat | None = None) -> Accepted:
        """Sit down where a bot sits, and play on."""
        return await self.do(command(commands.TakeOver, room=self.code, seat=seat))

    async def leave(self) -> Accepted:
        """Stand up, while no game runs. The subscription stays."""
        return await self.act("leave")

    async def add_bot(self, bot: str, seat: Seat | None = None) -> Accepted:
        """Put one of the server's bots in a free seat."""
        return await self.do(command(commands.AddBot, room=self.code, bot=bot, seat=seat))

    async def say(self, text: str) -> Accepted:
        """Write to the players' chat, or as a spectator to the spectators'."""
        return await self.do(command(commands.Say, room=self.code, text=text))

    async def say_quickly(self, word: QuickWord) -> Accepted:
        """Say what each reads there in their own language."""
        return await self.do(command(commands.Say, room=self.code, quick=word))

    def show_typing(self) -> None:
        """Let those who read our chat know that we write. It may be called at each key."""
        now = self._loop.time()
        if now >= self._typing_again and not self._ended:
            self._typing_again = now + TYPING_SECONDS / 2
            self._connection.signal(commands.ShowTyping(room=self.code))

    async def close(self) -> Accepted:
        """Close the room for good: for its creator."""
        return await self.act("close")

    async def unwatch(self) -> None:
        """Unsubscribe from the room. A seat stays taken."""
        # At once, so that a new subscription in the same moment has a room of its own.
        self.end()
        await self._connection.request(command(commands.Unsubscribe, room=self.code))

    async def hint(self) -> answers.Hint:
        """What each of our moves is worth, where the room allows hints."""
        return await self._connection.request(command(commands.AskHint, room=self.code))

    async def head_to_head(self) -> Tally | None:
        """How our games against whoever sits opposite us have ended; None where nobody does."""
        view, you = self.view, self.view.you
        if you is None or view.seats[you].shared or view.seats[other(you)].kind != "human":
            return None
        return (await self._connection.request(command(commands.AskHeadToHead, room=self.code))).tally

    async def ratings(self) -> list[SeatRating | None]:
        """How both players are rated in this game; after a rated one, once that is counted, with the change.

        Raises `Refused` where the server rates nobody.
        """
        for pause in (0.2, 0.5, 1.0, 2.0, 4.0, 0.0):
            asked = command(commands.AskRoomRatings, room=self.code)
            found = (await self._connection.request(asked)).ratings
            result = self.view.result if self.view.phase == "finished" and self.view.rated else None
            counts = result is not None and result.unrated is None
            if not counts or not pause or any(one is not None and one.change for one in found):
                break
            # The room tells of its end before it is counted, perhaps at another node.
            await asyncio.sleep(pause)
        return found

    async def thoughts(self) -> list[ThoughtView]:
        """How the bots thought in this game, as far as we may see it."""
        return (await pagination.thoughts(self._connection, self.code)).thoughts

    async def do(self, asked: commands.RoomCommand[Accepted]) -> Accepted:
        """Send any command for this room; when it returns, its effect shows in `state`."""
        accepted = await self._connection.request(asked)
        if not self._ended:
            await self.until(lambda state: state.version >= accepted.version or self._ended)
        return accepted

    async def act(self, action: PlainAction) -> Accepted:
        """Do what needs no more words than its name: see `parlour_protocol.actions`."""
        return await self.do(command(commands.PlayerAction, room=self.code, type=action))
