"""A game's boards, one for each of its moves: drawn by the server, since a client knows no rules."""

import asyncio
from collections.abc import Sequence

from parlour_client.sdk.requests import Requester, new_id
from parlour_client.sdk.retry import with_retries
from parlour_protocol import commands
from parlour_protocol.answers import Board


class Boards:
    """The boards of one game with these moves. Each is asked for once."""

    def __init__(self, connection: Requester, game: str, moves: Sequence[str] | str) -> None:
        self._connection = connection
        self._game = game
        self._moves = moves
        self._known: dict[int | None, Board] = {}

    @property
    def count(self) -> int:
        """How many moves it was made with, where they came one by one."""
        return 0 if isinstance(self._moves, str) else len(self._moves)

    async def last(self) -> Board:
        """The board after all moves, with the moves one by one. Raises `Refused`."""
        return await self._ask(None)

    async def after(self, plies: int) -> Board:
        """The board after so many moves; 0 is the beginning. The moves must have come one by one."""
        return await self._ask(plies)

    async def _ask(self, plies: int | None) -> Board:
        if plies in self._known:
            return self._known[plies]
        moves = self._moves if isinstance(self._moves, str) else " ".join(self._moves[:plies])
        limits = self._connection.limits
        if limits.messages_per_second > 0 and len(self._known) > limits.burst // 2:
            # A long game has more boards than may be asked for at once.
            await asyncio.sleep(1 / limits.messages_per_second)
        board = await with_retries(
            lambda: self._connection.request(commands.AskBoard(id=new_id(), game=self._game, moves=moves))
        )
        self._known[plies] = board
        return board
