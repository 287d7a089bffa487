"""The bot that doesn't search: every legal move is as good as any other."""

from random import Random

from parlour_protocol.views.reports import Report
from parlour_server.games.game import Game, PositionT
from parlour_server.search.algorithms.root_search import RootSearch
from parlour_server.search.control import Control


def random_move(
    game: Game[PositionT], position: PositionT, *, rng: Random, control: Control, bot: str = "random"
) -> Report:
    """Choose a legal move at random. Raises `ValueError` for a finished position."""
    return _RandomMove(game, position, rng=rng, control=control, depth=None, bot=bot).run()


class _RandomMove(RootSearch[PositionT]):
    def search(self) -> None:
        for move in self.game.legal_moves(self.position):
            self.note(move, (0, False, None))
