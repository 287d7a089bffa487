"""The bot that doesn't search: every legal move is as good as any other."""

from random import Random

from parlour_protocol.views.reports import Report
from parlour_server.games.game import Game, PositionT
from parlour_server.search.algorithms.root_search import Judged, RootReport, Search
from parlour_server.search.control import Control


def random_move(
    game: Game[PositionT], position: PositionT, *, rng: Random, control: Control, bot: str = "random"
) -> Report:
    """Choose a legal move at random. Raises `ValueError` for a finished position."""
    search = Search(game, position, control=control, depth=None)
    moves = search.game.legal_moves(search.position)
    return RootReport(search, rng=rng, bot=bot).on(Judged(move, (0, False, None)) for move in moves)
