"""Games in which a side may move twice running, searched as if the sides took turns.

Every search here relies on turns: from ply to ply the sides change, and so does the sign of a score.
So where a side moves again the other one passes in between: a forced move, which costs the engine no depth.
"""

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

from parlour_protocol.ids import Side, other
from parlour_protocol.views.boards import BoardView
from parlour_server.games.game import Game, Move, Outcome

PASS: Move = -1
"""The forced move of the side that waits."""
PASSED = "pass"
"""How it is written."""


class PaddedTurn(NamedTuple):
    """A position of the game itself, and whether the side that is not to move there has yet to pass."""

    position: Any
    passes: bool = False


def in_turns(game: Game[Any], position: Any) -> tuple[Game[Any], Any]:
    """The game and its position for a search: themselves where the sides alternate, or are made to."""
    if game.alternates or isinstance(game, _InTurns):
        return game, position
    return _InTurns(game), PaddedTurn(position)


class _InTurns(Game[PaddedTurn]):
    """A game with the passes put in. A pass counts as a ply, as it does in reversi."""

    def __init__(self, game: Game[Any]) -> None:
        self._game = game
        self.name, self.title, self.summary = game.name, game.title, game.summary
        self.max_plies = 2 * game.max_plies
        self.estimate_scale = game.estimate_scale
        # The contract has them as its classes' own.
        self.margins = game.margins  # type: ignore[misc]
        self.quiet = game.quiet  # type: ignore[misc]
        self.notation = game.notation  # type: ignore[misc]
        self.alternates = False  # type: ignore[misc]
        self.kernel = game.kernel

    def initial(self) -> PaddedTurn:
        return PaddedTurn(self._game.initial())

    def to_move(self, position: PaddedTurn) -> Side:
        side = self._game.to_move(position.position)
        return other(side) if position.passes else side

    def legal_moves(self, position: PaddedTurn) -> Sequence[Move]:
        legal = self._game.legal_moves(position.position)
        return (PASS,) if position.passes and legal else legal

    def search_order(self, position: PaddedTurn) -> Sequence[Move]:
        return (PASS,) if position.passes else self._game.search_order(position.position)

    def selective(self, position: PaddedTurn) -> bool:
        return not position.passes and self._game.selective(position.position)

    def ordered(self, position: PaddedTurn) -> bool:
        return not position.passes and self._game.ordered(position.position)

    def urgent(self, position: PaddedTurn) -> bool:
        return self._game.urgent(position.position)

    def play(self, position: PaddedTurn, move: Move) -> PaddedTurn:
        if move == PASS:
            return PaddedTurn(position.position)
        game, before = self._game, position.position
        after = game.play(before, move)
        # Also where the game is over: there it would be the move of the side that didn't make the last one.
        return PaddedTurn(after, game.to_move(after) == game.to_move(before))

    def outcome(self, position: PaddedTurn) -> Outcome | None:
        return self._game.outcome(position.position)

    def evaluate(self, position: PaddedTurn) -> int:
        guess = self._game.evaluate(position.position)
        return -guess if position.passes else guess

    def search_key(self, position: PaddedTurn) -> Hashable:
        return position.passes, self._game.search_key(position.position)

    def plies_left(self, position: PaddedTurn) -> int:
        return self._game.plies_left(position.position)

    def margin(self, position: PaddedTurn) -> int:
        return self._game.margin(position.position)

    def parse(self, position: PaddedTurn, text: str) -> Move:
        if position.passes and text == PASSED:
            return PASS
        return self._game.parse(position.position, text)

    def format(self, position: PaddedTurn, move: Move) -> str:
        return PASSED if move == PASS else self._game.format(position.position, move)

    def view(self, position: PaddedTurn, last: Move | None = None) -> BoardView:
        return self._game.view(position.position, None if last == PASS else last)
