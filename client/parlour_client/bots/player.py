"""A bot in a seat: it moves at its turn, answers what is offered to it, and resigns after an error."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Literal

from parlour_client.bots.errors import BotError, Illegal, TooSlow
from parlour_client.bots.position import Position
from parlour_client.bots.process import BotProcess, ChosenMove
from parlour_client.sdk.errors import Refused, UsageError
from parlour_client.sdk.retry import with_retries
from parlour_client.sdk.room import Room
from parlour_client.sdk.state import ClientRoomState
from parlour_client.sdk.tasks import first_done
from parlour_protocol.actions import OFFERS
from parlour_protocol.answers import Accepted
from parlour_protocol.errors import Code
from parlour_protocol.views.permissions import why_not
from parlour_protocol.views.rooms import RoomView
from parlour_protocol.words import say

LOOK_SECONDS = 2.0
"""Between looks at whether the other one has gone."""

OnError = Callable[[BotError], None]


class BotPlayer:
    """A bot in its seat. `on_error` is called with every error; `limit` is its seconds for a move."""

    def __init__(
        self,
        room: Room,
        process: BotProcess,
        on_error: OnError,
        limit: float | None = None,
    ) -> None:
        self.room = room
        self.process = process
        self.errors: list[BotError] = []
        self.slowest = 0.0
        """The seconds that its slowest move took."""
        self._on_error = on_error
        self._limit = limit

    def begin(self) -> None:
        """Forget what was counted in the game before."""
        self.errors, self.slowest = [], 0.0

    async def play(self) -> None:
        """Play until the game that runs, or the next one, is over.

        Raises what `Room.until` raises where the room is not followed any more.
        """
        manners = [asyncio.create_task(self._answer_offers()), asyncio.create_task(self._claim())]
        try:
            while await self.room.wait_for_turn():
                await self._move()
        finally:
            for task in manners:
                task.cancel()
            await asyncio.gather(*manners, return_exceptions=True)

    async def next_game(self, *, ask: bool) -> None:
        """Wait for the next game, and agree to one that is asked for; with `ask`, ask for it.

        It ends without one where the other one has left, or the room is closed.
        """
        if ask:
            await _if_allowed(self.room.rematch)
        while True:
            shown = await self.room.until(lambda shown: shown.view.phase != "finished" or _asked(shown))
            if shown.view.phase != "finished":
                return
            if not await _if_allowed(self.room.rematch):
                # It has left meanwhile, which will show.
                await asyncio.sleep(LOOK_SECONDS)

    # ------------------------------------------------------------ a move

    async def _move(self) -> None:
        asked = self.room.state
        try:
            choice = await self._choose(asked)
            if choice is not None:
                await self._hand_in(asked, choice)
        except BotError as error:
            if isinstance(error, TooSlow):
                self.slowest = max(self.slowest, self._limit or 0.0)
            self.errors.append(error)
            self._on_error(error)
            await self._resign(asked)

    async def _choose(self, asked: ClientRoomState) -> ChosenMove | None:
        """The bot's move; None where the game went on, or ended, before it had found one."""
        position = Position.of_room(asked, asyncio.get_running_loop().time())

        async def overtaken() -> None:
            # Or the room is not followed any more, which it raises.
            await self.room.until(lambda shown: not _same(asked, shown))

        choice = await first_done(self.process.choose(position, self._limit), overtaken())
        if choice is None:
            self._tell_lateness()
        else:
            self.slowest = max(self.slowest, choice.seconds)
        return choice

    def _tell_lateness(self) -> None:
        """Where the game ended by our clock, say so."""
        result = self.room.result
        if result is not None and result.termination in ("time", "time_insufficient"):
            slow = TooSlow(say("error.bot.time_up"))
            self.errors.append(slow)
            self._on_error(slow)

    async def _hand_in(self, asked: ClientRoomState, choice: ChosenMove) -> None:
        assert asked.view.position is not None
        room, legal = self.room, asked.view.position.legal
        try:
            # For the board that was thought about and no other, however long a busy server has us wait.
            await with_retries(lambda: room.play(choice.move, choice.report, version=asked.version))
        except UsageError:
            # Longer than any move, or no text that could be sent.
            raise Illegal(choice.move, legal) from None
        except Refused as refused:
            if refused.code in (Code.ILLEGAL_MOVE, Code.INVALID_MOVE):
                raise Illegal(choice.move, refused.refusal.legal or legal) from None
            if refused.code is Code.OUT_OF_TIME:
                raise TooSlow(say("error.bot.time_up")) from None
            if refused.code.about != "game" and refused.code is not Code.UNKNOWN_ROOM:
                raise
            # The game went on without it, which shows in a moment. Before that we would only think about the
            # same again.
            known = refused.refusal.version or 0
            await room.until(lambda shown: shown.version != asked.version and shown.version >= known)

    async def _resign(self, asked: ClientRoomState) -> None:
        # Not a game that began meanwhile.
        if self.room.view.game_number == asked.view.game_number:
            await _if_allowed(self.room.resign)

    # ------------------------------------------------------------ manners

    async def _answer_offers(self) -> None:
        """Agree or decline at once, by `OFFERS`; another game is `next_game`'s."""
        async for _ in self.room:
            view = self.room.view
            for offer in view.offers_to_answer():
                if OFFERS[offer].phase != "finished":
                    answer = self.room.act if OFFERS[offer].program_agrees else self.room.decline
                    await _if_allowed(partial(answer, offer))

    async def _claim(self) -> None:
        """Claim the win over a player who stays away for too long: no bot waits for ever."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            if why_not(self.room.now, "claim") is None:
                await _if_allowed(self.room.claim)


async def _if_allowed(act: Callable[[], Awaitable[Accepted]]) -> bool:
    """Do it, waiting where the server says that this helps; False where it is refused."""
    try:
        await with_retries(act)
    except Refused:
        return False
    return True


def _asked(shown: ClientRoomState) -> bool:
    """Does the other one ask for a game that we have not agreed to?"""
    return "rematch" in shown.view.offers_to_answer()


def _same(asked: ClientRoomState, shown: ClientRoomState) -> bool:
    """Is it still the same question?"""
    before, now = asked.view, shown.view
    return (
        now.phase == "playing"
        and before.game_number == now.game_number
        and before.moves == now.moves
        and before.you == now.you
    )


Verdict = Literal["won", "lost", "drew", "aborted"]


def verdict(view: RoomView) -> Verdict:
    """How the game that is over ended for our seat."""
    result = view.result
    assert result is not None, "a game is over"
    if result.termination == "aborted":
        return "aborted"
    if result.winner is None:
        return "drew"
    return "won" if result.winner == view.you else "lost"
