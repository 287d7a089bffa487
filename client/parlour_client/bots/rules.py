"""The rules of games, as far as they are installed beside the client.

The client knows no rules itself. The entry-point group `parlour.games`, by which a server finds its games, is
how they are found here too: those of parlour-server where that is installed, and anybody else's.
"""

from collections.abc import Sequence
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Protocol

from parlour_client.sdk.errors import ParlourError
from parlour_protocol.ids import Side
from parlour_protocol.views.boards import BoardView
from parlour_protocol.words import say

GROUP = "parlour.games"


class NoRules(ParlourError):
    """The rules of a game are not installed here."""

    def __init__(self, game: str) -> None:
        super().__init__(say("error.bot.no_rules", game=game))


class Outcome(Protocol):
    """How a game ended, as its rules say it."""

    @property
    def winner(self) -> Side | None:
        """The side that won; None for a draw."""

    @property
    def reason(self) -> str:
        """Why, in words."""


class Rules(Protocol):
    """As much of a game's rules as is needed to look ahead. Positions and moves are the rules' own."""

    name: str

    def initial(self) -> Any:
        """The position in which the game begins."""

    def to_move(self, position: Any) -> Side:
        """The side to move."""

    def legal_moves(self, position: Any) -> Sequence[Any]:
        """Every legal move; none when the game is over."""

    def play(self, position: Any, move: Any) -> Any:
        """The position after a legal move."""

    def outcome(self, position: Any) -> Outcome | None:
        """How the game ended; None while it goes on."""

    def replay(self, text: str) -> tuple[Any, Any]:
        """The position after moves from the start, and the last of them."""

    def read(self, text: str) -> list[str]:
        """The moves of such a string one by one, as the game writes them."""

    def format(self, position: Any, move: Any) -> str:
        """A move as people write it."""

    def view(self, position: Any, last: Any = None) -> BoardView:
        """The position as cells with marks."""

    def variant(self, parameters: str) -> "Rules":
        """The game on another board: what follows the colon in `connect4:9,7`."""


@lru_cache(maxsize=16)
def rules_of(game: str) -> Rules:
    """The rules of a game by the name that a server gives it, `connect4:9,7`. Raises `NoRules`."""
    base, colon, parameters = game.partition(":")
    # Most games are offered under their own name: the others are only then loaded.
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name != base, point.name)):
        rules = _load(point)
        if rules is not None and rules.name == base:
            try:
                return rules.variant(parameters) if colon else rules
            except ValueError:
                # A server's newer rules may have variants that these have not.
                break
    raise NoRules(game)


def _load(point: EntryPoint) -> Rules | None:
    """The game that an entry point offers; None where that is broken: it hides no other."""
    try:
        rules: Rules = point.load()
    except Exception:
        return None
    return rules if isinstance(getattr(rules, "name", None), str) else None
