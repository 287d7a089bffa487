"""A server's ratings: a projection of finished games, and its making anew."""

from pydantic import TypeAdapter

from parlour_protocol.errors import Code
from parlour_protocol.words import Sentence
from parlour_server.hosting.context import Context
from parlour_server.hosting.projections import GAMES_AT_ONCE, Projection, ProjectionRunner
from parlour_server.ratings.table import Table, counted
from parlour_server.refusals import Refusal
from parlour_server.store.finished_games import FinishedGame
from parlour_server.store.port import Checkpoint, Store

NAME = "ratings"

_tables = TypeAdapter(Table)


async def _fold(table: Table, number: int, game: FinishedGame) -> Table:
    return counted(table, number, game)


class Ratings:
    """Keeps them up to date, and finds who is meant by them."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.runner = ProjectionRunner(Projection(NAME, dict, _fold, _tables), context)

    async def table(self) -> Table:
        """All ratings. Raises `NotReadable`, and `Refusal` where nobody is rated."""
        if not self._context.limits.rated:
            raise Refusal(Code.NOT_ALLOWED, Sentence("refusal.ratings.off"))
        return await self.runner.state()

    async def game(self, number: int) -> FinishedGame:
        """A finished game of a number that is in the ratings. Raises `NotReadable`."""
        ((_, game),) = await self._context.store.finished_games(number - 1, 1)
        return game


async def rebuild(store: Store) -> tuple[Table, int]:
    """Make the ratings anew out of all finished games; gives them, and the number of the last game.

    They take the place of what was there in one step: killed before, it has changed nothing. Nodes may go on
    meanwhile. Raises `StoreError`.
    """
    while True:
        before = await store.checkpoint(NAME)
        table: Table = {}
        after = 0
        while games := await store.finished_games(after, GAMES_AT_ONCE):
            for after, game in games:
                table = counted(table, after, game)
        text = _tables.dump_json(table).decode()
        if not after or await store.move_checkpoint(NAME, before.after, Checkpoint(after, text)):
            return table, after
