"""What workers do beside choosing moves: grow a game tree, run in a race of searches.

Each can be pickled, and so can what it makes. They are plain Python, so they belong in a process.
"""

from dataclasses import dataclass
from typing import Any

from parlour_protocol.views.reports import Entrant, Report
from parlour_server.games.game import Game
from parlour_server.search.control import Control
from parlour_server.search.reports.lab import fair_depth, race
from parlour_server.search.reports.tree import ROOT, Entry, TooLarge, Tree, grow

MOST_CHARACTERS = 240_000
"""What is sent of a tree: less than may wait for a reader."""


@dataclass(frozen=True, slots=True)
class GrowTree:
    """Search a position and keep the tree: see `search.reports.tree`."""

    depth: int | None
    prune: bool
    limit: int
    order: bool = True
    levels: int | None = None
    entry: Entry = ROOT

    def run(self, game: Game[Any], position: Any, control: Control) -> Tree | TooLarge:
        """See `worker.PositionTask`."""
        return grow(
            game,
            position,
            depth=self.depth,
            prune=self.prune,
            order=self.order,
            limit=self.limit,
            control=control,
            characters=MOST_CHARACTERS,
            levels=self.levels,
            entry=self.entry,
        )


@dataclass(frozen=True, slots=True)
class RunRace:
    """One entrant's run: see `search.reports.lab`."""

    entrant: Entrant
    depth: int | None

    def run(self, game: Game[Any], position: Any, control: Control) -> tuple[int, Report]:
        """See `worker.PositionTask`. The depth that it ran to, and its report."""
        depth = self.depth or fair_depth(game, position, control)
        return depth, race(game, position, self.entrant, depth, control)
