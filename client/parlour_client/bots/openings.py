"""The positions at which a match's games begin: drawn from its seed, so that no two bots repeat one game."""

from random import Random

from parlour_client.sdk.errors import UsageError
from parlour_client.sdk.requests import Requester, new_id
from parlour_client.sdk.retry import with_retries
from parlour_protocol import commands
from parlour_protocol.answers import Board
from parlour_protocol.words import say

TRIES = 200
"""So often another opening is drawn where one ended the game, or was there before."""
MOST_KNOWN = 1000
"""So many boards are not asked for again."""
MOST_PLIES = 8
"""No opening has more, unless that is asked for."""


class Openings:
    """Openings of a game, each of `plies` random moves; None: as many as so many different ones take."""

    def __init__(self, connection: Requester, game: str, plies: int | None, seed: int, count: int) -> None:
        self._connection = connection
        self._game = game
        self._count = count
        self._random = Random(f"{seed}/openings")  # noqa: S311 - meant to repeat
        self._used: set[str] = set()
        self._known: dict[str, Board] = {}
        self.plies = plies

    async def draw(self) -> list[str]:
        """The moves of one that was not drawn before, if there is such a one.

        Raises `UsageError` where games are over by then, and `Refused`.
        """
        if self.plies is None:
            self.plies = await self._enough()
        repeated = None
        for _ in range(TRIES):
            moves, board = await self._walk(self.plies)
            if board.position.to_move is None:
                continue
            # Other moves may lead to the same position.
            key = repr((board.position.cells, board.position.to_move))
            if key not in self._used:
                self._used.add(key)
                return moves
            repeated = moves
        # All were there, or nearly so: from now on they come again.
        self._used.clear()
        if repeated is None:
            raise UsageError(say("error.too_many_opening_moves", plies=self.plies, game=self._game))
        return repeated

    async def _walk(self, plies: int) -> tuple[list[str], Board]:
        """A random game's beginning; a shorter one where the game ends before."""
        moves: list[str] = []
        board = await self._board(moves)
        while len(moves) < plies and board.position.to_move is not None:
            moves.append(self._random.choice(board.position.legal))
            board = await self._board(moves)
        return moves, board

    async def _enough(self) -> int:
        """How many plies lead to as many games as are wanted: as many for either side, so that the side that
        began is to move."""
        moves: list[str] = []
        games = 1
        while len(moves) < MOST_PLIES and (len(moves) < 2 or len(moves) % 2 or games < self._count):
            legal = (await self._board(moves)).position.legal
            if not legal:
                break
            games *= len(legal)
            moves.append(legal[0])
        return len(moves)

    async def _board(self, moves: list[str]) -> Board:
        text = " ".join(moves)
        if text not in self._known:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            self._known[text] = await with_retries(
                lambda: self._connection.request(commands.AskBoard(id=new_id(), game=self._game, moves=text))
            )
        return self._known[text]
