"""What a match uses of the server that is installed here, loaded by its name."""

import importlib
import importlib.util
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from parlour_client.sdk.errors import ServerStartFailed, UsageError
from parlour_client.sdk.in_process import SERVER
from parlour_protocol.ids import Side
from parlour_protocol.views.boards import BoardView
from parlour_protocol.views.reports import Report
from parlour_protocol.views.rooms import ResultView
from parlour_protocol.words import say

MODULE = f"{SERVER}.matches.referee"


class Opening(Protocol):
    """What a game begins with; can be pickled."""

    @property
    def game(self) -> str:
        """The game, and the position that it begins with."""

    @property
    def moves(self) -> str:
        """The moves before the bots'."""

    @property
    def balanced(self) -> bool:
        """Can both sides still hold it?"""


class Seeded(Protocol):
    """A bot of the server's."""

    @property
    def timed(self) -> bool:
        """Does time end its searches?"""

    @property
    def spec(self) -> Any:
        """The bot with its settings; `str` writes it."""


class GameInPlay(Protocol):
    """A game that is played move by move."""

    moves: list[str]
    sides: list[Side]

    @property
    def name(self) -> str:
        """The game, and the position that it begins with."""

    @property
    def to_move(self) -> Side:
        """The side to move."""

    @property
    def result(self) -> ResultView | None:
        """How it ended, its winner a side; None while it goes on."""

    def view(self) -> BoardView:
        """The board."""

    def play(self, text: str) -> bool:
        """Play a move; False where it is none that may be played."""

    def think(self, bot: Any, seed: int, every_move: bool = False) -> Report:
        """What a bot of the server's makes of the position, perhaps with every move's own value."""


class Referee(Protocol):
    """One game's rules and bots."""

    name: str
    title: str
    must_compile: bool

    def prepare(self) -> None:
        """Have machine code ready."""

    def bot(self, text: str) -> Seeded:
        """The bot that a text names."""

    def bounded(self, spec: Any) -> str:
        """The same bot, not bounded by time."""

    def openings(self, seed: int, plies: int | None = None) -> Iterator[Opening]:
        """Openings, repeated for ever; none where every game is over within `plies`. The same for a seed."""

    def opening(self, text: str) -> Opening:
        """The opening that a line of a file is."""

    def begin(self, opening: Opening) -> GameInPlay:
        """A game that begins so."""


def referee(game: str) -> Referee:
    """The referee of a game's matches.

    Raises `ServerStartFailed` where no server is installed, and `UsageError` for a game that it doesn't know.
    """
    if importlib.util.find_spec(SERVER) is None:
        raise ServerStartFailed(say("error.none_to_ask"))
    new_referee: Callable[[str], Referee] = importlib.import_module(MODULE).Referee
    try:
        return new_referee(game)
    except ValueError as error:
        raise UsageError(str(error)) from None
