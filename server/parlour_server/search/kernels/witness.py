"""The machine code of a game and its rules, set up to search alike: for tests, and for games of one's own."""

from typing import Any

from parlour_server.games.game import Game, PositionT
from parlour_server.search.kernels.compiled import compiled_search
from parlour_server.search.kernels.inner_search import InnerSearch
from parlour_server.search.kernels.interpreted import interpreted_search

SLOTS = 1 << 12
"""Numbers in their tables: few, so that entries are also driven out."""


def both_searches(game: Game[PositionT], position: PositionT) -> tuple[InnerSearch, InnerSearch]:
    """A compiled and an interpreted one, with the same keys: so they visit the same nodes, table and all.

    The game's machine code must be ready, and a game whose sides don't alternate be made to: see `turns`.
    """
    keys = compiled_search(game, position, slots=2)

    def key(position: Any) -> int:
        keys.state[:] = 0
        keys.code.load(game, position, keys.state)
        return int(keys.code.key(keys.state))

    fast = compiled_search(game, position, slots=SLOTS)
    return fast, interpreted_search(game, position, lambda: False, slots=SLOTS, key=key)
